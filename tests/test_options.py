"""The table of options: sound by itself, and strict with what it is given."""

import inspect
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from dtfinder import OptimalTreeClassifier, find_tree
from dtfinder.errors import OptionError
from dtfinder.estimator import Parameters
from dtfinder.options import DEFAULT_WORK, GivenOptions, Options


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
        ({"decimal": ";"}, "decimal must be one of '.', ',', not ';'"),
        ({"max_nodes": [3]}, "max_nodes must be a whole number or cv, not [3]"),
        ({"max_nodes": "7"}, "max_nodes must be a whole number or cv, not '7'"),
        ({"max_errors": 0.5}, "max_errors must be a whole number or a share such as 2%, not 0.5"),
        ({"max_errors": "2"}, "max_errors must be a whole number or a share such as 2%, not '2'"),
        ({"binarise": None}, "binarise must be a string, not None"),
        ({"quasi_pure": 1}, "quasi_pure must be true or false, not 1"),
        ({"difference_decay": 1.5}, "difference_decay must be at most 1, not 1.5"),
        ({"time_limits": 3}, "there is no option 'time_limits'; did you mean 'time_limit'?"),
        ({"zzz": 3}, "there is no option 'zzz'; known: binarise"),
    ],
)
def test_a_wrong_value_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as error:
        Options.of(**given)
    assert message in str(error.value)


def test_docstrings_name_what_an_option_takes() -> None:
    assert "class_weight : str or mapping or None, default None" in (find_tree.__doc__ or "")
    assert "cluster : str or Client or None, default None" in (find_tree.__doc__ or "")


def test_good_values_are_kept() -> None:
    options = Options.of(time_limit=3, max_depth=0, max_nodes=1, quasi_pure=False, work_limit=7)
    assert (options.time_limit, options.max_depth, options.quasi_pure) == (3, 0, False)


def test_the_types_for_editors_are_those_of_the_table() -> None:
    table = get_type_hints(Options) | {"checkpoint": str | os.PathLike[str] | None}
    assert get_type_hints(GivenOptions) == table
    del table["workers"], table["classes_separator"]
    assert get_type_hints(Parameters) == table | {"n_jobs": int | None, "verbose": bool}


def test_find_tree_shows_its_options_to_notebooks_and_help() -> None:
    shown = inspect.signature(find_tree).parameters
    assert [each.name for each in fields(Options)] == list(shown)[-len(fields(Options)) :]
    assert shown["max_depth"].default is None
    words = find_tree.__doc__ or ""
    assert "minimise : {'size', 'depth'}, default 'size'\n" in words
    assert "max_depth : int or None, at least 0, default None\n" in words
    assert "{options}" not in words
    model = OptimalTreeClassifier.__doc__ or ""
    assert "missing : {'error', 'value', 'drop'}, default 'error'\n" in model
    assert f"work_limit : int or None, above 0, default {DEFAULT_WORK}\n" in model


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("max_dpeth", "max_depth"),
        ("n_jobs", "workers"),
        ("timeout", "time_limit"),
        ("max_leaf_nodes", "max_nodes"),
        ("minimize", "minimise"),
        ("Target", "target"),
        ("targt", "target"),
        ("verbos", "verbose"),
        ("certificate", "certify"),
    ],
)
def test_an_unknown_name_is_answered_with_the_one_that_was_meant(name: str, meant: str) -> None:
    given: dict[str, Any] = {name: 1}
    with pytest.raises(OptionError, match=f"no option '{name}'; did you mean '{meant}'"):
        find_tree("weather", **given)


MISSPELT = """
from dtfinder import OptimalTreeClassifier, find_tree
find_tree("weather", max_dpeth=3)
find_tree("weather", max_depth="3")
OptimalTreeClassifier(max_dpeth=3)
find_tree("weather", max_depth=3)
OptimalTreeClassifier(max_depth=3, n_jobs=-1)
"""


def test_mypy_sees_a_misspelt_option(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(MISSPELT)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", tmp_path / "use.py"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    wrong = [line for line in done.stdout.splitlines() if "error:" in line]
    assert [line.split(":")[1] for line in wrong] == ["3", "4", "5"], done.stdout
