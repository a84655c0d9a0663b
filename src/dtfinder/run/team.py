"""Who works on a run besides this process, and where it writes down what is proven."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from dtfinder.errors import Option, OptionError
from dtfinder.options import Options
from dtfinder.problem import Problem
from dtfinder.run.checkpoint import Checkpoint
from dtfinder.run.pool import Pool, worker_count

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Team:
    """`pool` runs the pieces of SAT methods and, on a cluster, of native engines. Without a pool,
    SAT methods run their pieces one after the other, and native engines use threads."""

    workers: int = 1
    pool: Pool | None = None
    checkpoint: Checkpoint | None = None


ALONE = Team()


@contextmanager
def open_team(
    options: Options, problem: Problem, *, name: str, identity: str, native: bool, splits: bool
) -> Iterator[Team]:
    """The team for one run; what it started is ended and closed with it.

    What it must know of the method: its `name`; its `identity`, on which its proofs depend; whether
    it is a `native` engine, which can use threads and keeps proofs in facts; and whether its work
    `splits` between the workers of a pool.
    """
    workers = worker_count(options.workers) if options.cluster is None else 1
    if options.cluster is None and workers == 1 and options.checkpoint is None:
        yield ALONE
        return
    # Then engines send lemmas with their facts, which is what a checkpoint can keep.
    in_rounds = options.checkpoint is not None and options.certify
    if in_rounds and not native:
        raise OptionError(
            Option("certify"),
            " cannot be used with ",
            Option("checkpoint"),
            f": a checkpoint keeps no proofs of method {name!r}; leave one out, or use ",
            Option("method", "cores"),
        )
    with ExitStack() as closing:
        team = Team(workers)
        if options.checkpoint is not None:
            identity += " with proofs" * options.certify
            checkpoint = Checkpoint(options.checkpoint, problem, identity)
            closing.callback(checkpoint.close)
            team = replace(team, checkpoint=checkpoint)
        if options.cluster is not None:
            if not splits:
                raise OptionError(
                    Option("cluster"),
                    f" needs a method that splits its work, and {name!r} does not; use ",
                    Option("method", "cores"),
                )
            from dtfinder.run.cluster import ClusterPool

            team = replace(team, pool=ClusterPool.of(options.cluster))
        elif in_rounds or (splits and not native):
            from dtfinder.run.local_pool import LocalPool

            team = replace(team, pool=LocalPool(workers))
        elif workers > 1 and not native:
            _log.warning("method %r does not split its work: using one worker", name)
        if team.pool is not None:
            closing.callback(team.pool.close)
        yield team
