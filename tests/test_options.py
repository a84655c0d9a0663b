"""The table of options: sound by itself, and strict with what it is given."""

from dataclasses import fields

import pytest

from dtfinder.errors import OptionError
from dtfinder.options import Options


def test_defaults_are_allowed() -> None:
    assert Options.of() == Options()


def test_every_option_has_a_group_and_help() -> None:
    groups = {each.metadata["group"] for each in fields(Options)}
    assert {"data", "tree", "limits"} <= groups
    for each in fields(Options):
        assert each.metadata["help"].endswith("."), each.name


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"time_limit": 0}, "time_limit must be greater than 0, not 0"),
        ({"time_limit": -1}, "time_limit must be greater than 0, not -1"),
        ({"time_limit": float("nan")}, "time_limit must be finite, not nan; leave it out"),
        ({"time_limit": float("inf")}, "time_limit must be finite, not inf; leave it out"),
        ({"time_limit": "3"}, "time_limit must be a number, not '3'"),
        ({"time_limit": True}, "time_limit must be a number, not True"),
        ({"memory_limit": 0}, "memory_limit must be greater than 0, not 0"),
        ({"work_limit": 0}, "work_limit must be greater than 0, not 0"),
        ({"work_limit": 1.5}, "work_limit must be a whole number, not 1.5"),
        ({"max_depth": -1}, "max_depth must be at least 0, not -1"),
        ({"max_nodes": 0}, "max_nodes must be at least 1, not 0"),
        ({"minimise": "leaves"}, "minimise must be one of size, depth, not 'leaves'"),
        ({"binarise": None}, "binarise must be a string, not None"),
        ({"quasi_pure": 1}, "quasi_pure must be true or false, not 1"),
        ({"difference_decay": 1.5}, "difference_decay must be at most 1, not 1.5"),
        ({"time_limits": 3}, "there is no option 'time_limits'; did you mean 'time_limit'?"),
        ({"zzz": 3}, "there is no option 'zzz'; known: binarise"),
    ],
)
def test_a_wrong_value_is_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as error:
        Options.of(**given)
    assert message in str(error.value)


def test_good_values_are_kept() -> None:
    options = Options.of(time_limit=3, max_depth=0, max_nodes=1, quasi_pure=False, work_limit=7)
    assert (options.time_limit, options.max_depth, options.quasi_pure) == (3, 0, False)
