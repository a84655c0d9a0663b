"""A message names options as its reader knows them."""

import pickle

import pytest

from dtfinder import find_tree
from dtfinder.cli.options import typed
from dtfinder.errors import InfeasibleError, NoTreeYetError, Option, OptionError


@pytest.mark.parametrize(
    ("option", "python", "command_line"),
    [
        (Option("max_nodes"), "max_nodes", "--max-nodes"),
        (Option("max_nodes", 5), "max_nodes=5", "--max-nodes 5"),
        (Option("method", "sat"), "method='sat'", "--method sat"),
        (Option("path_bounds", True), "path_bounds=True", "--path-bounds"),
        (Option("path_bounds", False), "path_bounds=False", "--no-path-bounds"),
        (Option("certify"), "certify", "--certificate"),
        (Option("certify", True), "certify=True", "--certificate"),
    ],
)
def test_an_option_has_two_names(option: Option, python: str, command_line: str) -> None:
    error = OptionError("use ", option, " {braces}")
    assert str(error) == f"use {python} {{braces}}"
    assert error.worded(typed) == f"use {command_line} {{braces}}"
    assert error.option == option.name


def test_an_error_may_be_about_no_option() -> None:
    assert OptionError("there is no method 'magic'").option is None


def test_errors_survive_the_way_between_processes() -> None:
    for error in (
        OptionError(Option("solver", "x"), " is wrong"),
        InfeasibleError("no tree with ", Option("max_depth", 2), stopped_by="interrupted"),
        NoTreeYetError("the run ended", reason="time limit"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


def test_limits_are_named_as_in_python() -> None:
    with pytest.raises(InfeasibleError, match="no tree with max_depth=2 and max_nodes=7 classif"):
        find_tree("weather", method="cores", max_depth=2, max_nodes=7)
