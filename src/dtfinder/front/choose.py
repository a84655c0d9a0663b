"""The size that does best on rows it has not seen, by cross-validation.

The rows are dealt into folds, each class evenly. The front of all rows but one fold has a tree for
every size, so a search per fold gives the errors of *all* sizes on the rows held out. Of the sizes
within one standard error of the best mean accuracy the smallest is taken (Breiman, Friedman, Olshen
and Stone, Classification and Regression Trees, 1984, section 3.4.3), or the best itself. The answer
is the best tree of that size on all rows, with its proof.

Everything that depends on the data, thresholds included, is made anew from the rows of each
training set, so a held-out row has no part in the tree that it judges.

The choice needs good trees, not proofs, and the last sizes take most of the time to prove. So the
search of each fold is limited: to `FOLD_WORK`, the same on every machine, and to its share of half
the time limit. Where columns of numbers have many values, they have only as many thresholds there
as make about `FOLD_FEATURES` features. The rest of the time is for the tree on all rows,
with all thresholds. A fold without a tree when its limit is met is left out; two are needed.

Those who ask for a choice want an answer soon, and its proof may take hours. So where no limit is
given, the last search ends after `LAST_WORK`, and says so.
"""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from dtfinder.advice import Choice, SizeScore, best_size
from dtfinder.data import Dataset, Ints, Table, make_dataset
from dtfinder.errors import NoTreeYetError, Option, OptionError
from dtfinder.front.find import front_of
from dtfinder.options import ONE_SE, Options
from dtfinder.problem import Callback, Progress
from dtfinder.result import Front, Result
from dtfinder.run.pool import worker_count
from dtfinder.run.signals import signals_set
from dtfinder.run.stop import FirstOf, Flag, Stop
from dtfinder.solve import solve

_log = logging.getLogger(__name__)

FOLD_WORK = 5_000_000  # about two seconds of one CPU
LAST_WORK = 12 * FOLD_WORK
FOLD_FEATURES = 300
FOLDS_SHARE = 0.5  # of the time limit, and of the work limit

# The accuracy of every size on the rows held out, and the front of the others.
Judged = tuple[list[float], Front]


def choose_tree(
    dataset: Dataset, options: Options, callback: Callback | None = None, stop: Stop | None = None
) -> Result:
    """The best tree of the size that cross-validation chooses."""
    flag = Flag()
    with signals_set(flag):
        choice, left = cross_validate(dataset, options, callback, _either(flag, stop))
        made = Options().of_group("choice")  # the choice is made: its options have no part in it
        last = replace(left, max_nodes=choice.nodes, **made)
        result = solve(dataset, last, callback=callback, stop=_either(flag, stop))
    _note_limit(result, options)
    return replace(result, choice=choice, seconds=result.seconds + choice.seconds)


def choose_from_front(
    dataset: Dataset, options: Options, callback: Callback | None = None, stop: Stop | None = None
) -> Front:
    """The front up to the largest size that may be chosen, with the choice."""
    flag = Flag()
    with signals_set(flag):
        choice, left = cross_validate(dataset, options, callback, _either(flag, stop))
        last = replace(left, max_nodes=options.cv_max_nodes)
        front = front_of(dataset, last, callback, _either(flag, stop))
    _note_limit(front, options)
    results = tuple(replace(result, choice=choice) for result in front)
    seconds = front.seconds + choice.seconds
    return replace(front, results=results, choice=choice, seconds=seconds)


def _either(flag: Flag, stop: Stop | None) -> Stop:
    return flag if stop is None else FirstOf(flag, stop)


def cross_validate(
    dataset: Dataset, options: Options, callback: Callback | None, stop: Stop
) -> tuple[Choice, Options]:
    """The choice, and the options with the limits that are left for the tree on all rows."""
    begin = time.perf_counter()
    folds = deal(dataset, options.cv_folds, options.cv_seed)
    judged = _Folds(dataset, folds, options, callback, stop).run()
    sizes = score_sizes(judged)
    seconds = time.perf_counter() - begin
    choice = Choice(
        nodes=choose_size(sizes, options.cv_rule),
        sizes=sizes,
        folds=options.cv_folds,
        judged=len(judged),
        seed=options.cv_seed,
        rule=options.cv_rule,
        seconds=seconds,
        stopped_by=next((front.stopped_by for _, front in judged if front.stopped_by), None),
    )
    left = options
    if options.time_limit is not None:
        left = replace(left, time_limit=max(options.time_limit - seconds, 0.001))
    if options.work_limit is not None:
        left = replace(left, work_limit=max(1, int(options.work_limit * (1 - FOLDS_SHARE))))
    if _unlimited(options):
        left = replace(left, work_limit=LAST_WORK)
    return choice, left


def _unlimited(options: Options) -> bool:
    return options.time_limit is None and options.work_limit is None


def _note_limit(found: Result | Front, options: Options) -> None:
    """Say that the search was limited although no limit was set."""
    if _unlimited(options) and found.stopped_by == "work limit":
        words = "not all is proven: the search after the choice is limited; %s sets another limit"
        _log.info(words, Option("time_limit"))


def deal(dataset: Dataset, folds: int, seed: int) -> Ints:
    """The fold of each row, -1 for rows that were dropped: class by class in a random order, one
    fold after the other, so that folds and their shares of each class differ by one row."""
    kept = np.flatnonzero(dataset.example_of_row >= 0)
    if len(kept) < folds:
        there = "one sample" if len(kept) == 1 else len(kept)
        raise OptionError(
            Option("cv_folds", folds),
            f" needs at least {folds} rows, and the table has {there}; use fewer folds, or set ",
            Option("max_nodes"),
            " yourself",
        )
    random = np.random.default_rng(seed)
    labels = dataset.row_labels[kept]
    order = random.permutation(len(kept))
    order = order[np.argsort(labels[order], kind="stable")]
    of_row = np.full(len(dataset.example_of_row), -1, dtype=np.int64)
    of_row[kept[order]] = np.arange(len(kept)) % folds
    return of_row


def _fewer_thresholds(dataset: Dataset) -> int | None:
    if dataset.n_features <= FOLD_FEATURES:
        return dataset.max_thresholds
    most = max(1, FOLD_FEATURES // len(dataset.table.columns))
    return most if dataset.max_thresholds is None else min(most, dataset.max_thresholds)


@dataclass
class _Folds:
    """The searches of all folds, on as many threads as there are workers."""

    dataset: Dataset
    fold_of_row: Ints
    options: Options
    callback: Callback | None
    stop: Stop

    def __post_init__(self) -> None:
        self._workers = min(worker_count(self.options.workers), self.options.cv_folds)
        self._lock, self._waiting = threading.Lock(), self.options.cv_folds
        self._begin, self._reason, self._failed = time.perf_counter(), "", Flag()

    def run(self) -> list[Judged]:
        """What became of each fold that has a tree."""
        with ThreadPoolExecutor(self._workers) as threads:
            futures = [threads.submit(self._fold, k) for k in range(self.options.cv_folds)]
            try:
                found = [each.result() for each in futures]
            except BaseException:
                self._failed.set()
                raise
        judged = [each for each in found if each is not None]
        if len(judged) < 2:
            raise NoTreeYetError(
                f"the run ended ({self._reason}) before two folds had a tree; raise the limit",
                reason=self._reason,
            )
        return judged

    def _fold(self, number: int) -> Judged | None:
        options, dataset = self.options, self.dataset
        training = np.flatnonzero((self.fold_of_row >= 0) & (self.fold_of_row != number))
        inside = make_dataset(
            dataset.table.at(training),
            binarise=dataset.binarise,
            max_thresholds=_fewer_thresholds(dataset),
            missing=dataset.missing,
            contradictions=dataset.contradictions,
            class_weight=cast("Any", options.class_weight),
            one_class="allow",
            warn=False,
        )
        name = f"fold {number + 1} of {options.cv_folds}"
        stop = FirstOf(self._failed, self.stop)
        try:
            front = front_of(inside, self._limited(), self._tell, stop, name)
        except NoTreeYetError as error:
            self._reason = error.reason
            return None
        held_out = np.flatnonzero(self.fold_of_row == number)
        table, units = dataset.table.at(held_out), dataset.row_units[held_out]
        return accuracies_on(table, units, front, options.cv_max_nodes), front

    def _limited(self) -> Options:
        """The options of the next fold to start, with its share of the limits."""
        options = self.options
        work_limit, time_limit = FOLD_WORK, None
        if options.work_limit is not None:
            share = int(options.work_limit * FOLDS_SHARE / options.cv_folds)
            work_limit = max(1, min(FOLD_WORK, share))
        with self._lock:
            if options.time_limit is not None:
                passed = time.perf_counter() - self._begin
                left = options.time_limit * FOLDS_SHARE - passed
                share_of_time = left * self._workers / max(self._waiting, self._workers)
                time_limit = max(share_of_time, 0.001)
            self._waiting -= 1
        return replace(
            options,
            max_nodes=options.cv_max_nodes,
            certify=False,
            workers=1,
            work_limit=work_limit,
            time_limit=time_limit,
        )

    def _tell(self, state: Progress) -> None:
        if self.callback is not None:
            with self._lock:
                seconds = time.perf_counter() - self._begin
                self.callback(replace(state, seconds=seconds))


def accuracies_on(table: Table, units: Ints, front: Front, max_nodes: int) -> list[float]:
    """The accuracy of the tree of every size up to `max_nodes` on the rows of a table, which weigh
    `units`. The last tree of a front that ends before stands for all larger sizes."""
    assert table.target is not None
    truth = table.target.tolist()
    accuracies: list[float] = []
    for result in front:
        guesses = result.tree.predict(table)
        right = [guess == label for guess, label in zip(guesses, truth, strict=True)]
        accuracies.append(float(units[right].sum() / units.sum()))
    return (accuracies + accuracies[-1:] * max_nodes)[: (max_nodes + 1) // 2]


def score_sizes(judged: list[Judged]) -> tuple[SizeScore, ...]:
    """Mean and standard error of each size over the folds."""
    table = np.array([accuracies for accuracies, _ in judged])
    means = table.mean(axis=0)
    errors = table.std(axis=0, ddof=1) / np.sqrt(len(table))
    return tuple(
        SizeScore(
            2 * inner + 1,
            float(means[inner]),
            float(errors[inner]),
            sum(front[min(inner, len(front) - 1)].status == "optimal" for _, front in judged),
        )
        for inner in range(table.shape[1])
    )


def choose_size(sizes: tuple[SizeScore, ...], rule: str) -> int:
    """The size that the rule takes."""
    best = best_size(sizes)
    least = best.accuracy - (best.standard_error if rule == ONE_SE else 0.0)
    return next(each.nodes for each in sizes if each.accuracy >= least - 1e-12)
