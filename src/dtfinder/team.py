"""Make the team that the options ask for: cores, a cluster, a checkpoint."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from dtfinder.errors import OptionError
from dtfinder.methods import CORES, Method
from dtfinder.options import Options
from dtfinder.problem import Problem
from dtfinder.run.checkpoint import Journal
from dtfinder.run.local_pool import local_pool
from dtfinder.run.pool import worker_count
from dtfinder.run.team import ALONE, Team

_log = logging.getLogger(__name__)


@contextmanager
def open_team(options: Options, method: Method, problem: Problem) -> Iterator[Team]:
    """The team for one run; what it started is ended and closed with it."""
    workers = worker_count(options.workers) if options.cluster is None else 1
    if options.cluster is None and workers == 1 and options.checkpoint is None:
        yield ALONE
        return
    # Then its engines send lemmas with their facts, which is what a checkpoint can keep.
    in_rounds = options.checkpoint is not None and options.certify
    if in_rounds and method.name != CORES:
        raise OptionError(
            f"checkpoint keeps what {method.name!r} has proven, not the proofs: leave out certify, "
            f"or use method {CORES!r}"
        )
    with ExitStack() as closing:
        team = Team(workers)
        if options.checkpoint is not None:
            journal = Journal(options.checkpoint, problem, _identity(method, options.certify))
            closing.callback(journal.close)
            team = replace(team, journal=journal)
        if options.cluster is not None:
            if not method.splits:
                raise OptionError(
                    f"cluster needs a method that splits its work, e.g. 'cores', "
                    f"and {method.name!r} does not"
                )
            from dtfinder.run.cluster import cluster_pool

            pool = cluster_pool(options.cluster)
        elif in_rounds or (method.setup is not None and method.splits):
            pool = local_pool(workers)
        else:
            if workers > 1 and method.setup is not None:
                _log.warning("method %r does not split its work: one worker", method.name)
            yield team
            return
        closing.callback(pool.close)
        yield replace(team, pool=pool)


def _identity(method: Method, certify: bool) -> str:
    """Everything about a method that what it proves depends on."""
    return repr((method.name, method.setup)) + " with proofs" * certify
