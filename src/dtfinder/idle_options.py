"""Options that were given and change nothing, because the method has no use for them.

Whoever compares solvers or encodings must not take two equal runs for a result, so a run says it.
"""

from __future__ import annotations

import logging
from dataclasses import fields

from dtfinder.decide.sat import NODES
from dtfinder.methods import Method
from dtfinder.options import Options

_log = logging.getLogger(__name__)


def warn_of_idle_options(options: Options, method: Method) -> None:
    """Log the options that differ from their defaults and have no effect on the method."""
    for name, why in _idle(method).items():
        default = next(each.default for each in fields(options) if each.name == name)
        if getattr(options, name) != default:
            _log.warning("%s has no effect: method %r %s", name, method.name, why)


def _idle(method: Method) -> dict[str, str]:
    """What the method has no use for, each with the reason."""
    groups: dict[str, list[str]] = {"sat": [], "topologies": []}
    for each in fields(Options):
        groups.setdefault(each.metadata["group"], []).append(each.name)
    setup = method.setup
    if setup is None:
        return dict.fromkeys(groups["sat"] + groups["topologies"], "asks no SAT solver")
    idle = {}
    if setup.splitting is None:
        idle = dict.fromkeys(groups["topologies"], "does not split by topologies")
    elif not setup.splitting.ordered:
        idle["difference_decay"] = "does not order its topologies"
    if setup.encoding == NODES:
        idle["leaf_matches"] = "encodes nodes, not paths"
    else:
        idle["additional"] = "encodes paths, not nodes"
    return idle
