"""All options in one table: name, default, range, help. The estimator, the command line and the
documentation are made from it; `Options(...)` checks every value and names the wrong one.

A switch whose default is None follows the method: `dtfinder methods` shows what each one sets.
"""

from __future__ import annotations

import math
import operator
import os
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from types import UnionType
from typing import Any, get_args, get_type_hints

from dtfinder.errors import OptionError

# About a minute of solving on one core of a 2020s machine; see `work_limit`.
DEFAULT_WORK = 300_000_000


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
    """What can be asked of a run. Groups: data, tree, limits, scale, sat, topologies."""

    binarise: str = _option(
        "auto",
        "data",
        "How columns become 0/1 features: auto is threshold for numbers and unary for the rest; "
        "unary is one per value, binary ⌈log2 k⌉ for k values, threshold one between neighbouring "
        "numbers.",
        choices=("auto", "unary", "binary", "threshold"),
    )
    missing: str = _option(
        "error",
        "data",
        "What a missing value means: an error, or a value of its own.",
        choices=("error", "value"),
    )
    contradictions: str = _option(
        "majority",
        "data",
        "Rows with equal features but different classes: take the majority class and count the "
        "rest as unavoidable errors, drop them all, or stop with an error.",
        choices=("majority", "drop", "error"),
    )
    minimise: str = _option(
        "size",
        "tree",
        "The fewest nodes, or the least depth and then the fewest nodes.",
        choices=("size", "depth"),
    )
    method: str = _option("auto", "tree", "The method by name; see `dtfinder methods`.")
    max_depth: int | None = _option(None, "tree", "Only trees of at most this depth.", least=0)
    max_nodes: int | None = _option(None, "tree", "Only trees of at most this size.", least=1)
    certify: bool = _option(
        False,
        "tree",
        "Keep the proof, so that the result has a certificate. The SAT methods then use the solver "
        "cadical300 and sequential counters, and no MaxSAT bounds.",
    )
    time_limit: float | None = _option(
        None, "limits", "Seconds after which the best tree so far is returned.", above=0
    )
    memory_limit: float | None = _option(
        None,
        "limits",
        "Gigabytes (typed also as 3GB or 500MB) after which the best tree so far is returned.",
        above=0,
    )
    work_limit: int | None = _option(
        None,
        "limits",
        "Solver steps after which the best tree so far is returned, the same on every machine.",
        above=0,
    )
    workers: int = _option(
        1,
        "scale",
        "Cores to use, at most all there are: threads of the native engine, or solver processes "
        "for the methods that split by topologies. 0 takes all.",
        least=0,
    )
    cluster: str | object | None = _option(
        None,
        "scale",
        "Search on the workers of a Dask cluster, with `cores` or a method that splits by "
        "topologies: the address of its scheduler, or, in Python, a `dask.distributed.Client`.",
    )
    checkpoint: str | None = _option(
        None,
        "scale",
        "A file that keeps what is proven; a run that finds it goes on from there.",
    )
    solver: str | None = _option(
        None, "sat", "The SAT solver, by its PySAT name, e.g. cadical195 or glucose4."
    )
    cardinality: str | None = _option(
        None, "sat", "The cardinality encoding, by its PySAT name, e.g. seqcounter or kmtotalizer."
    )
    leaf_matches: bool | None = _option(None, "sat", "Every leaf matches at least one example.")
    pure_features: bool | None = _option(None, "sat", "Leave out features that are constant.")
    quasi_pure: bool | None = _option(
        None, "sat", "A step onto a side where only one class is left ends in a leaf."
    )
    path_bounds: bool | None = _option(
        None, "sat", "MaxSAT lower bounds on the lengths of the leftmost, rightmost, other paths."
    )
    additional: bool | None = _option(
        None, "sat", "The additional constraints of DT1 on child numbers, from counts of leaves."
    )
    topology_depth: int | None = _option(
        None,
        "topologies",
        "Fix the topology down to this depth; by default as deep as fits.",
        least=0,
    )
    max_templates: int = _option(
        500, "topologies", "Without topology_depth: at most this many templates a size.", least=1
    )
    incremental_above: int = _option(
        500, "topologies", "With more templates than this, one solver with assumptions.", least=0
    )
    difference_decay: float = _option(
        0.75, "topologies", "Δ: how much less a difference weighs one level down.", above=0, most=1
    )

    def __post_init__(self) -> None:
        hints = _type_hints()
        for each in fields(self):
            if (value := getattr(self, each.name)) is not each.default:
                value = _plain(value)
                object.__setattr__(self, each.name, value)
                _check(each.name, value, hints[each.name], each.metadata)

    @classmethod
    def of(cls, **given: Any) -> Options:
        """Options with the `given` values; for an unknown name the error suggests a known one."""
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                close = get_close_matches(name, known, 1)
                hint = f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"
                raise OptionError(f"there is no option {name!r}{hint}")
        return cls(**given)


def _plain(value: Any) -> Any:
    """A number of numpy's as Python's own, and a path as text."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    scalar = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
    return value.item() if scalar and hasattr(value, "item") else value


@cache
def _type_hints() -> dict[str, Any]:
    """The types of all options; working them out takes longer than a search of a small table."""
    return get_type_hints(Options)


def _check(name: str, value: Any, hint: Any, about: Any) -> None:
    """Raise an OptionError unless `value` has the option's type and lies in its range."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None and type(None) in kinds:
        return
    kind = kinds[0]
    fits = isinstance(value, (int, float) if kind is float else tuple(kinds))
    if not fits or (kind is not bool and isinstance(value, bool)):
        words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
        raise OptionError(f"{name} must be {words[kind]}, not {value!r}")
    if about["choices"] and value not in about["choices"]:
        raise OptionError(f"{name} must be one of {', '.join(about['choices'])}, not {value!r}")
    if kind in (int, float):
        if not math.isfinite(value):
            raise OptionError(f"{name} must be finite, not {value!r}; leave it out for no limit")
        for key, wrong, relation in (
            ("above", operator.le, "greater than"),
            ("least", operator.lt, "at least"),
            ("most", operator.gt, "at most"),
        ):
            bound = about[key]
            if bound is not None and wrong(value, bound):
                raise OptionError(f"{name} must be {relation} {bound:g}, not {value!r}")
