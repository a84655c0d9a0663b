"""All options in one table: name, type, default, range, help. The estimator, the command line and
the documentation are generated from it; `Options(...)` checks every value and names a wrong one.

An option whose default is None follows the method or sets no limit.
"""

from __future__ import annotations

import inspect
import math
import operator
import os
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import UnionType
from typing import Any, TypedDict, TypeVar, get_args, get_type_hints

from dtfinder.errors import Option, OptionError, suggestion

# About a minute of solving on one CPU of a 2020s machine; see `work_limit`.
DEFAULT_WORK = 300_000_000
CV = "cv"  # as `max_nodes`: cross-validation chooses the size
ONE_SE = "1se"


def _option(
    default: Any,
    group: str,
    text: str,
    *,
    choices: tuple[str, ...] = (),
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
) -> Any:
    about = {"group": group, "help": text, "choices": choices}
    return field(default=default, metadata=about | {"above": above, "least": least, "most": most})


@dataclass(frozen=True)
class Options:
    """The options of a run. Groups: data, reading, tree, choice, limits, scale, sat, topologies."""

    binarise: str = _option(
        "auto",
        "data",
        "How columns become yes/no questions: unary makes one per value, binary ⌈log2 k⌉ for k "
        "values, threshold one between each two neighbouring values; auto takes threshold for "
        "numbers, dates and ordered categories and unary for the rest; both is auto, and unary as "
        "well for ordered columns of at most 16 values.",
        choices=("auto", "unary", "binary", "threshold", "both"),
    )
    max_thresholds: int | None = _option(
        None,
        "data",
        "Use at most this many thresholds per column, at quantiles of the rows where the class "
        "changes; what is proven then holds for these thresholds.",
        least=1,
    )
    missing: str = _option(
        "error",
        "data",
        "Treat a missing value as an error, or as a value of its own, or drop its row.",
        choices=("error", "value", "drop"),
    )
    contradictions: str = _option(
        "majority",
        "data",
        "What to do with rows that are equal except for their class: take the majority class and "
        "count the others as unavoidable errors, drop them all, or stop with an error.",
        choices=("majority", "drop", "error"),
    )
    class_weight: str | object | None = _option(
        None,
        "data",
        "What an error in each class costs: a mapping, typed as no=1,yes=5, or balanced, which "
        "gives every class the same total weight.",
    )
    decimal: str = _option(
        ".",
        "reading",
        "The decimal mark of numbers in text files; with a comma, 1.234,5 is 1234.5.",
        choices=(".", ","),
    )
    classes_separator: str | None = _option(
        None,
        "reading",
        "What stands between the classes of a row that allows several, such as | in left|right; a "
        "leaf may have any of them.",
    )
    minimise: str = _option(
        "size",
        "tree",
        "Minimise the number of nodes, or the depth and then the number of nodes.",
        choices=("size", "depth"),
    )
    method: str = _option("auto", "tree", "The method; `dtfinder methods` lists them.")
    max_depth: int | None = _option(None, "tree", "Only trees of at most this depth.", least=0)
    max_nodes: int | str | None = _option(
        None,
        "tree",
        "Only trees of at most this many nodes; cv chooses the size by cross-validation.",
        least=1,
    )
    max_errors: int | str | None = _option(
        None,
        "tree",
        "Find the smallest (or shallowest) tree with at most this many wrong rows, a number or a "
        "share such as 2%, instead of the one with the fewest.",
        least=0,
    )
    leaf_penalty: float | None = _option(
        None,
        "tree",
        "Find the tree with the least sum of the share of wrong rows and this penalty for each "
        "leaf.",
        above=0,
        most=1,
    )
    certify: bool = _option(
        False,
        "tree",
        "Keep the proof, so that the result has a certificate. SAT methods then use the solver "
        "cadical300 and sequential counters, and no MaxSAT bounds.",
    )
    cv_folds: int = _option(
        5, "choice", "How many folds the rows are dealt into for cross-validation.", least=2
    )
    cv_seed: int = _option(
        0, "choice", "The random seed that deals the rows into folds.", least=0, most=2**32 - 1
    )
    cv_rule: str = _option(
        ONE_SE,
        "choice",
        "Take the smallest size within one standard error of the best cross-validated accuracy "
        "(1se), or the size of the best.",
        choices=(ONE_SE, "best"),
    )
    cv_max_nodes: int = _option(
        31, "choice", "The largest number of nodes that cv may choose.", least=1
    )
    time_limit: float | None = _option(
        None,
        "limits",
        "Return the best tree so far after this many seconds of search. Reading the table and "
        "writing files take extra time.",
        above=0,
    )
    memory_limit: float | None = _option(
        None,
        "limits",
        "Return the best tree so far once more than this many gigabytes are in use. On the command "
        "line also 3GB or 500MB.",
        above=0,
    )
    work_limit: int | None = _option(
        None,
        "limits",
        "Return the best tree so far after this many solver steps, which are the same on every "
        "machine.",
        above=0,
    )
    workers: int = _option(
        1,
        "scale",
        "How many CPUs to use: as threads of a native engine, or as solver processes for the "
        "methods that split by topologies. 0 uses all.",
        least=0,
    )
    cluster: str | object | None = _option(
        None,
        "scale",
        "Search on the workers of a Dask cluster: the address of its scheduler or, in Python, a "
        "`dask.distributed.Client`. For `cores`, the methods that split by topologies, and tables "
        "that are read in batches.",
    )
    checkpoint: str | None = _option(
        None,
        "scale",
        "Save what is proven in this file, and continue from it if it exists.",
    )
    solver: str | None = _option(
        None, "sat", "The SAT solver by its name in PySAT, e.g. cadical195 or glucose4."
    )
    cardinality: str | None = _option(
        None,
        "sat",
        "The cardinality encoding by its name in PySAT, e.g. seqcounter or kmtotalizer.",
    )
    leaf_matches: bool | None = _option(
        None, "sat", "Require that every leaf matches at least one example."
    )
    pure_features: bool | None = _option(None, "sat", "Leave out features that are constant.")
    quasi_pure: bool | None = _option(
        None, "sat", "Require a leaf after a test whose answer leaves only one class."
    )
    path_bounds: bool | None = _option(
        None,
        "sat",
        "Use MaxSAT lower bounds on the lengths of the leftmost, rightmost and other paths.",
    )
    additional: bool | None = _option(
        None,
        "sat",
        "Use the additional constraints of DT1 on child numbers, from counts of leaves.",
    )
    topology_depth: int | None = _option(
        None,
        "topologies",
        "Fix the topology down to this depth; by default, as deep as the number of templates "
        "allows.",
        least=0,
    )
    max_templates: int = _option(
        500,
        "topologies",
        "Use at most this many templates per size, unless the depth is fixed.",
        least=1,
    )
    incremental_above: int = _option(
        15,
        "topologies",
        "Solve several templates with one solver, under assumptions, if there are more than this.",
        least=0,
    )
    difference_decay: float = _option(
        0.75,
        "topologies",
        "Δ: the weight of a difference relative to one a level higher up.",
        above=0,
        most=1,
    )

    def __post_init__(self) -> None:
        hints = _type_hints()
        for each in fields(self):
            if (value := getattr(self, each.name)) is not each.default:
                value = _plain(value)
                object.__setattr__(self, each.name, value)
                _check(each.name, value, hints[each.name], each.metadata)

    def of_group(self, group: str) -> dict[str, Any]:
        """The values of all options of one group, by name."""
        every = (each for each in fields(self) if each.metadata["group"] == group)
        return {each.name: getattr(self, each.name) for each in every}

    @classmethod
    def of(cls, **given: Any) -> Options:
        """Options with the `given` values; the error for an unknown name suggests a known one."""
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                hint = suggestion(name, [*known, *_ARGUMENTS])
                raise OptionError(f"there is no option {name!r}; {hint}")
        return cls(**given)


# Other arguments of `find_tree`. They are not options of the search, but may be misspelt, too.
_ARGUMENTS = ("target", "ignore", "weights", "callback", "verbose")


class CommonOptions(TypedDict, total=False):
    """The types of the options that `find_tree` and the estimator share, for editors and type
    checkers. A test compares them with `Options`."""

    binarise: str
    max_thresholds: int | None
    missing: str
    contradictions: str
    class_weight: str | object | None
    decimal: str
    minimise: str
    method: str
    max_depth: int | None
    max_nodes: int | str | None
    max_errors: int | str | None
    leaf_penalty: float | None
    certify: bool
    cv_folds: int
    cv_seed: int
    cv_rule: str
    cv_max_nodes: int
    time_limit: float | None
    memory_limit: float | None
    work_limit: int | None
    cluster: str | object | None
    checkpoint: str | os.PathLike[str] | None
    solver: str | None
    cardinality: str | None
    leaf_matches: bool | None
    pure_features: bool | None
    quasi_pure: bool | None
    path_bounds: bool | None
    additional: bool | None
    topology_depth: int | None
    max_templates: int
    incremental_above: int
    difference_decay: float


class GivenOptions(CommonOptions, total=False):
    """The options as `find_tree` takes them."""

    classes_separator: str | None
    workers: int


def option_docs(defaults: dict[str, Any] | None = None) -> dict[str, str]:
    """For each option, a paragraph for docstrings: its type, allowed values, default and help.
    `defaults` replaces some of the defaults."""
    hints, words = _type_hints(), {"above": "above", "least": "at least", "most": "at most"}
    docs = {}
    for each in fields(Options):
        about, default = each.metadata, (defaults or {}).get(each.name, each.default)
        kinds = get_args(hints[each.name]) or (hints[each.name],)
        names = [kind.__name__ for kind in kinds if kind not in (object, type(None))]
        if about["choices"]:
            names = ["{" + ", ".join(map(repr, about["choices"])) + "}"]
        if object in kinds:
            names.append("mapping" if each.name == "class_weight" else "Client")
        if type(None) in kinds:
            names.append("None")
        limits = [f"{word} {about[key]:g}" for key, word in words.items() if about[key] is not None]
        head = ", ".join([" or ".join(names), *limits, f"default {default!r}"])
        docs[each.name] = f"{each.name} : {head}\n{textwrap.indent(about['help'], '    ')}"
    return docs


F = TypeVar("F", bound=Callable[..., Any])


def with_documented_options(function: F) -> F:
    """Show the options of the table in place of `**options` in the signature of `function`, where
    notebooks and `help` look, and in place of `{options}` in its docstring."""
    signature = inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    kind = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(each.name, kind, default=each.default, annotation=each.type)
        for each in fields(Options)
    ]
    vars(function)["__signature__"] = signature.replace(parameters=[*own, *added])
    docs = textwrap.indent("\n".join(option_docs().values()), " " * 4)
    function.__doc__ = (function.__doc__ or "").replace("    {options}", docs)
    return function


def _plain(value: Any) -> Any:
    """A NumPy number as a Python number, and a path as a string."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):  # class weights; options can be compared and hashed
        return tuple(value.items())
    scalar = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
    return value.item() if scalar and hasattr(value, "item") else value


@cache
def _type_hints() -> dict[str, Any]:
    """The types of all options; working them out takes longer than a search of a small table."""
    return get_type_hints(Options)


def _is_share(value: str) -> bool:
    """Whether `value` is a share such as `2%`."""
    try:
        return value.endswith("%") and 0 <= float(value[:-1]) <= 100
    except ValueError:
        return False


def _check(name: str, value: Any, hint: Any, about: Any) -> None:
    """Raise an OptionError unless `value` has the option's type and lies in its range."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None and type(None) in kinds:
        return
    kind = kinds[0]
    if name == "max_errors" and isinstance(value, str) and _is_share(value):
        return
    if name == "classes_separator" and not str(value).strip():
        raise OptionError(Option(name), f" must be a sign such as |, not {value!r}")
    if name == "class_weight" and not isinstance(value, (str, tuple)):
        raise OptionError(Option(name), f" must be balanced or a mapping, not {value!r}")
    if name == "max_nodes" and value == CV:
        return
    others = {"max_errors": " or a share such as 2%", "max_nodes": f" or {CV}"}
    fits = isinstance(value, (int, float) if kind is float else tuple(kinds))
    fits = fits and not (name in others and isinstance(value, str))
    if not fits or (kind is not bool and isinstance(value, bool)):
        words = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}
        must = words[kind] + others.get(name, "")
        raise OptionError(Option(name), f" must be {must}, not {value!r}")
    if about["choices"] and value not in about["choices"]:
        choices = ", ".join(each if each.isalnum() else repr(each) for each in about["choices"])
        raise OptionError(Option(name), f" must be one of {choices}, not {value!r}")
    if kind in (int, float):
        if not math.isfinite(value):
            cure = "leave it out for no limit"
            raise OptionError(Option(name), f" must be finite, not {value!r}; {cure}")
        for key, wrong, relation in (
            ("above", operator.le, "greater than"),
            ("least", operator.lt, "at least"),
            ("most", operator.gt, "at most"),
        ):
            bound = about[key]
            if bound is not None and wrong(value, bound):
                raise OptionError(Option(name), f" must be {relation} {bound:g}, not {value!r}")
