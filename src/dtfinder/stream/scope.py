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

_IDLE = ("checkpoint", "class_weight", "work_limit")


def is_in_batches(source: Any, options: Options, weights: Any = None) -> bool:
    """Whether a table is one to read in batches. A single large file is, if that can answer what
    is asked; if not, memory may do."""
    if is_only_in_batches(source):
        return True
    if paths_of(source) is None:
        return False
    try:
        check_options(options, weights)
    except OptionError:
        return False
    return is_shallow(options)


def is_only_in_batches(source: Any) -> bool:
    """Whether a table is in parts, and so cannot be read otherwise."""
    return is_dask_frame(source) or paths_of(source) not in (None, [str(source)])


def check_options(options: Options, weights: Any = None) -> None:
    """Raise an OptionError for what cannot be done with a table in batches."""
    batches = " cannot be used with a table that is read in batches"
    if weights is not None:
        raise OptionError(Option("weights"), batches, "; leave it out")
    if options.method not in ("auto", COUNTING):
        raise OptionError(Option("method", options.method), batches, "; leave it out")
    if options.binarise != "auto":
        raise OptionError(Option("binarise", options.binarise), batches, "; leave it out")
    if options.contradictions != "majority":
        raise OptionError(Option("contradictions"), batches, "; leave it out")
    for name in _IDLE:
        if getattr(options, name):
            raise OptionError(Option(name), batches, "; leave it out")
    for name in ("max_errors", "leaf_penalty"):
        if options.certify and getattr(options, name) is not None:
            raise OptionError(
                Option("certify"), " is for the fewest errors; leave out ", Option(name)
            )
    depth, nodes = options.max_depth, options.max_nodes
    if isinstance(nodes, str) or (depth is None and nodes is None):
        raise OptionError(
            "a table that is read in batches needs a limit; trees up to depth 3, or 7 nodes, are "
            "proven: use ",
            Option("max_depth", 3),
        )
    for name in ("max_errors", "leaf_penalty"):
        if not is_shallow(options) and getattr(options, name) is not None:
            raise OptionError(
                Option(name), " needs ", Option("max_depth", 3), " for a table in batches"
            )


def is_shallow(options: Options) -> bool:
    """Whether cubes decide what is asked."""
    depth, nodes = options.max_depth, options.max_nodes
    return (depth is not None and depth <= 3) or (isinstance(nodes, int) and nodes <= 7)
