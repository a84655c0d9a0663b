"""What must not change an optimum: the order of features and examples, a feature turned round,
classes swapped, rows repeated."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dtfinder.data import Dataset, make_dataset
from small import dataset_of, random_table, solve_here, table_of

METHODS = ("dtfinder", "dtfinder-DT1", "dtfinder-T-O", "d-dtfinder")


def optimum(dataset: Dataset, method: str) -> tuple[int, int]:
    result = solve_here(dataset, method=method)
    assert result.status == "optimal"
    return (result.depth, result.nodes) if method.startswith("d-") else (0, result.nodes)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10**6),
    classes=st.sampled_from([2, 3]),
    method=st.sampled_from(METHODS),
    data=st.data(),
)
def test_the_optimum_is_the_same(seed: int, classes: int, method: str, data: st.DataObject) -> None:
    bits, labels = random_table(seed, rows=9, features=5, classes=classes)
    before = optimum(dataset_of(bits, labels), method)

    features = data.draw(st.permutations(range(bits.shape[1])), "features")
    rows = data.draw(st.permutations(range(len(bits))), "rows")
    assert optimum(dataset_of(bits[np.ix_(rows, features)], labels[list(rows)]), method) == before

    flip = data.draw(st.lists(st.booleans(), min_size=5, max_size=5), "flip")
    assert optimum(dataset_of(bits ^ np.array(flip), labels), method) == before

    names = np.array(data.draw(st.permutations(range(classes)), "names"))
    assert optimum(dataset_of(bits, names[labels]), method) == before

    again = data.draw(st.lists(st.sampled_from(range(len(bits))), max_size=5), "again")
    more = [*range(len(bits)), *again]
    assert optimum(make_dataset(table_of(bits[more], labels[more])), method) == before
