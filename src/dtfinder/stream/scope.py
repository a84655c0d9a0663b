"""Which tables are read in batches, and what can be asked of them.

Every run asks this first, so it does not import what reads and counts them.
"""

from __future__ import annotations

from typing import Any

from dtfinder.errors import Option, OptionError
from dtfinder.methods import COUNTING
from dtfinder.options import Options
from dtfinder.stream.dask_frame import is_dask_frame
from dtfinder.stream.source import paths_of


def is_in_batches(source: Any, options: Options, weights: Any = None) -> bool:
    """Whether a table is one to read in batches. A single large file is, if that can answer what
    is asked; if not, memory may do."""
    paths = paths_of(source)
    if is_dask_frame(source) or _are_parts(source, paths):
        return True
    if paths is None:
        return False
    try:
        check_options(options, weights)
    except OptionError:
        return False
    return is_shallow(options)


def is_only_in_batches(source: Any) -> bool:
    """Whether a table is in parts, and so cannot be read otherwise."""
    return is_dask_frame(source) or _are_parts(source, paths_of(source))


def _are_parts(source: Any, paths: list[str] | None) -> bool:
    return paths is not None and paths != [str(source)]


def check_options(options: Options, weights: Any = None) -> None:
    """Raise an OptionError for what cannot be done with a table in batches."""
    aims = [name for name in ("max_errors", "leaf_penalty") if getattr(options, name) is not None]
    refused = {
        Option("weights"): weights is not None,
        Option("method", options.method): options.method not in ("auto", COUNTING),
        Option("binarise", options.binarise): options.binarise != "auto",
        Option("contradictions"): options.contradictions != "majority",
        Option("checkpoint"): bool(options.checkpoint),
        Option("class_weight"): bool(options.class_weight),
        Option("classes_separator"): options.classes_separator is not None,
        Option("work_limit"): bool(options.work_limit),
    }
    for option, is_refused in refused.items():
        if is_refused:
            batches = " cannot be used with a table that is read in batches"
            raise OptionError(option, batches, "; leave it out")
    if options.certify and aims:
        raise OptionError(
            Option("certify"), " is for the fewest errors; leave out ", Option(aims[0])
        )
    if isinstance(options.max_nodes, str) or options.max_depth is options.max_nodes is None:
        raise OptionError(
            "a table that is read in batches needs a limit; trees up to depth 3, or 7 nodes, are "
            "proven: use ",
            Option("max_depth", 3),
        )
    if aims and not is_shallow(options):
        raise OptionError(
            Option(aims[0]), " needs ", Option("max_depth", 3), " for a table in batches"
        )


def is_shallow(options: Options) -> bool:
    """Whether cubes decide what is asked."""
    depth, nodes = options.max_depth, options.max_nodes
    return (depth is not None and depth <= 3) or (isinstance(nodes, int) and nodes <= 7)
