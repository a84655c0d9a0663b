"""Rows as dicts: classified as the same rows of a frame are."""

from __future__ import annotations

import pandas as pd
import pytest

from dtfinder import find_tree
from dtfinder.errors import DataError

PATIENTS = [
    {"age": 34, "smoker": "no", "fever": True},
    {"age": 71, "smoker": "yes", "fever": False},
    {"age": 58, "smoker": "former", "fever": True},
    {"age": 66, "smoker": "yes", "fever": True},
]
TREE = find_tree(pd.DataFrame(PATIENTS), ["low", "high", "low", "mid"]).tree


def test_dicts_are_classified_as_the_frame_is() -> None:
    assert TREE.predict(PATIENTS) == TREE.predict(pd.DataFrame(PATIENTS))
    assert TREE.predict(PATIENTS[1]) == ["high"]
    assert TREE.predict(tuple(PATIENTS[:1])) == ["low"]


def test_more_keys_than_the_tree_asks_for_are_fine() -> None:
    assert TREE.predict({**PATIENTS[3], "name": "P4", "seen": None}) == ["mid"]


def test_a_key_that_is_not_there_is_named() -> None:
    asked = TREE.columns[0]
    with pytest.raises(DataError, match=f"no column '{asked}', which the tree asks about"):
        TREE.predict({"name": "P9"})
    some = {name: value for name, value in PATIENTS[1].items() if name != asked}
    with pytest.raises(DataError, match=f"row 2 has no '{asked}', which other rows have"):
        TREE.predict([PATIENTS[0], some])
