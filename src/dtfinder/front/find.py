"""The front: for every size the fewest errors, proven, and the way to find it.

>>> from dtfinder import find_front
>>> front = find_front("weather")
>>> [(result.nodes, result.errors) for result in front]
[(1, 5), (3, 4), (5, 2), (5, 2), (9, 0)]
>>> front.within(max_errors=1).nodes
9
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Unpack

from dtfinder.certify.write import make_front_certificate
from dtfinder.data import Dataset
from dtfinder.errors import DataError, NoTreeYetError, Option
from dtfinder.methods import front_method, refuse_sets, warn_of_idle_options
from dtfinder.options import CV, GivenOptions, Options
from dtfinder.problem import Callback, Event, Problem, Progress, Score
from dtfinder.proof import Certificate
from dtfinder.report.live import watched
from dtfinder.result import Front, Result
from dtfinder.run.stop import Flag, Stop, Work
from dtfinder.solve import Following, Run, read_dataset, run_search
from dtfinder.stream.scope import is_only_in_batches


def find_front(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    ignore: Collection[str] = (),
    weights: Any = None,
    callback: Callback | None = None,
    verbose: bool | None = None,
    **options: Unpack[GivenOptions],
) -> Front:
    """For every size the tree with the fewest errors, with what is proven about it.

    `X`, `y`, `weights` and the options are those of `find_tree`; `max_depth` limits all trees,
    `max_nodes` ends the front early; "cv" also has cross-validation choose a size. A run that is
    stopped returns the front so far: for every size the best tree, and the errors that are proven
    to be needed. `callback` is called with a Progress, `at` a size, whenever a bound moves.
    """
    checked = Options.of(**options)
    warn_of_idle_options(checked, front_method(checked))  # a wrong option is an error at once
    if y is None and is_only_in_batches(X):
        raise DataError(
            "this table is read in batches, and a front needs all of it in memory; find a single "
            "tree instead: `dtfinder fit` or find_tree, with ",
            Option("max_depth", 3),
        )
    with watched(verbose, checked, callback) as told:
        dataset = read_dataset(X, y, target, ignore, checked, weights)
        refuse_sets(dataset, front_method(checked))
        if checked.max_nodes == CV:
            from dtfinder.front.choose import choose_from_front

            return choose_from_front(dataset, checked, told)
        return front_of(dataset, checked, told)


def front_of(
    dataset: Dataset,
    options: Options,
    callback: Callback | None = None,
    stop: Stop | None = None,
    name: str = "",
) -> Front:
    """The front of a dataset; `name` is what to call the method in its progress."""
    method = front_method(options)
    assert not isinstance(options.max_nodes, str), "the size is still to be chosen"
    problem = Problem(dataset, method.minimise, options.max_depth, options.max_nodes)
    run = FrontRun(problem, method.name, callback, name)
    return run_search(run, method, options, stop)


class FrontRun(Following[Front]):
    """What is known so far of trees of every size. The checkpoint of a front keeps the facts of its
    engines. `name` is what the run is called in its progress."""

    def __init__(
        self, problem: Problem, method: str, callback: Callback | None, name: str = ""
    ) -> None:
        super().__init__(problem, method, callback)
        self._name = name or method
        self._latest: dict[int, Event] = {}  # by inner nodes

    def take(self, event: Event) -> None:
        """Keep the latest of each size."""
        assert event.at is not None
        self._latest[event.at] = event
        if self._callback is not None:
            score = None if event.nodes is None else Score.of(event.nodes, event.errors)
            weights = self.problem.dataset.weights
            unit = None if weights is None else weights.unit
            state = Progress(
                self.seconds, event.bounds, score, self._name, at=event.at, weight_unit=unit
            )
            self._callback(state)

    def result(self, work: Work, interrupted: Flag) -> Front:
        """The end of the run, with every tree checked on the user's own table. A tree counts for
        all larger sizes, a bound on the errors for all smaller ones, and the errors of smaller
        sizes bound the size of every tree."""
        stopped_by = self.stopped_by or interrupted()
        sizes = sorted(at for at, event in self._latest.items() if event.nodes is not None)
        lowers = [self._latest[inner].bounds.errors for inner in sizes]
        for place in range(len(sizes) - 2, -1, -1):
            lowers[place] = max(lowers[place], lowers[place + 1])
        results: list[Result] = []
        best: Event | None = None
        for inner, lower in zip(sizes, lowers, strict=True):
            event = self._latest[inner]
            if best is None or event.errors < best.errors:
                best = event
            least = next(n for n, each in enumerate(lowers) if each <= best.errors)
            run = Run(self.problem.at(inner), self._method, None)
            run.begin(at=self._begin)
            run.take(Event(Score(lower).raised(inner=least), best.nodes))
            run.stopped_by = stopped_by
            results.append(run.result(work, interrupted))
            if best.errors == self.problem.dataset.unavoidable_errors:
                break
        if not results:
            raise NoTreeYetError("the run ended before a tree was found", reason=str(stopped_by))
        return Front(
            tuple(results),
            self.seconds,
            self._method,
            stopped_by,
            self.problem.max_depth,
            self.problem.max_nodes,
            certificate=self._certificate(results) if self._pieces else None,
        )

    def _certificate(self, results: list[Result]) -> Certificate | None:
        """The proof of all sizes in one."""
        if self.is_lost(None):
            return None
        points = [(each.tree, each.errors, each.errors_lower_bound) for each in results]
        return make_front_certificate(self.problem, points, self._pieces)
