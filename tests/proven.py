"""Every `optimal` of the test-suite comes with a certificate that the stand-alone checker verifies,
and so does every `InfeasibleError`, and every size of a front whose fewest errors are proven.

Whatever a test calls, the estimator, the command line or `find_tree`, it ends in `solve`, which is
watched here. Once a test is over and its fixtures are undone, each tree that was called optimal,
and each 'no tree is within the limits', is held to it: its own certificate is checked, or, where it
has none, the same question is put again with `certify`, must have the same answer, and the
certificate of that is checked. Limits that do not change the question are left out then, and so are
a solver, a cardinality encoding and bounds that write no proof. The same question for the same
table is asked once a process.

A test that is about something else, and makes results that nobody can certify, says so and why:

    @pytest.mark.uncertified("the solver is made to lie")

The end of the run tells how many results there were.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest

import dtfinder.solve as solving
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import digest, write_table
from dtfinder.data import Dataset, make_dataset
from dtfinder.errors import InfeasibleError
from dtfinder.front import find
from dtfinder.methods import COUNTING, METHODS
from dtfinder.options import Options
from dtfinder.proof import ERRORS, Certificate
from dtfinder.result import Front, Result
from dtfinder.run import worker

MARKER = "uncertified(reason): what this test proves, or seems to, needs no certificate"
# What does not change the question, or cannot be kept when a proof is asked for.
LEFT_OUT = {
    "certify",
    "time_limit",
    "memory_limit",
    "work_limit",
    "cluster",
    "checkpoint",
    "solver",
    "cardinality",
    "path_bounds",
}
COUNTED = ("optimal results", "impossible limits", "verified", "certificates", "excused")


@dataclass(frozen=True)
class Claim:
    """A tree that was called optimal, or that there is none, and what was asked."""

    dataset: Dataset
    options: Options | None  # None if the test put something else in place of the methods
    minimise: str
    size: int | None  # None if no tree is within the limits
    depth: int | None
    certificate: Certificate | None
    may_err: bool = False
    errors: int | None = None

    @property
    def question(self) -> tuple[Any, ...]:
        """Equal for claims that one certificate settles."""
        dataset, options = self.dataset, self.options
        assert options is not None, "not a method of dtfinder: mark the test as uncertified"
        asked = tuple(getattr(options, f.name) for f in fields(options) if f.name not in LEFT_OUT)
        table = digest(dataset.table), *dataset.table.orders.items()
        units = None if dataset.weights is None else dataset.weights.units.tobytes()
        return table, units, dataset.binarise, dataset.contradictions, self.size, asked

    def proven(self) -> Certificate | None:
        """Its certificate, or one of another run that was asked the same and said the same."""
        if self.certificate is not None:
            return self.certificate
        assert self.options is not None
        same, options = asked_again(self.dataset, self.options)
        here = worker.in_this_process() if self.options.workers == 1 else nullcontext()
        try:
            with here:
                again = solving.solve(same, options)
        except InfeasibleError as error:
            assert self.size is None, f"beyond the limits: {self}"
            return error.certificate
        wrong = "not impossible" if self.size is None else "not optimal"
        assert again.nodes == self.size, f"{wrong}, {again.nodes} nodes will do: {self}"
        assert not self.may_err or again.errors == self.errors, (
            f"{wrong}, {again.errors} errors: {self}"
        )
        same_depth = self.minimise == "size" or again.depth == self.depth
        assert same_depth, f"not optimal, depth {again.depth} will do: {self}"
        return again.certificate

    def __str__(self) -> str:
        what = "no tree" if self.size is None else f"{self.size} nodes"
        return f"{what}, {self.options}"

    def verify(self) -> None:
        """Fail unless it is proven."""
        certificate = self.proven()
        assert certificate is not None, f"no certificate: {self}"
        said = checked(certificate, self.dataset, str(self))
        what = f"no tree{self.limits}" if self.size is None else f"the tree of {self.size} nodes"
        if certificate.kind == ERRORS:
            what = f"of {self.dataset.table.rows} rows: {what}"
        assert said.startswith(f"VERIFIED: {what} "), f"it speaks of something else: {said}"

    @property
    def weight(self) -> int:
        """How many optimal results it stands for."""
        return 1

    @property
    def limits(self) -> str:
        """The limits that no tree is within, as the checker says them."""
        assert self.options is not None
        named = {"max_depth": self.options.max_depth, "max_nodes": self.options.max_nodes}
        words = [f"{name} {bound}" for name, bound in named.items() if bound is not None]
        return " within " + " and ".join(words) if words else ""


@dataclass(frozen=True)
class FrontClaim:
    """A front, some sizes of which were called optimal."""

    dataset: Dataset
    options: Options
    front: Front
    size, may_err = 0, True  # it is not impossible

    @property
    def weight(self) -> int:
        """How many optimal results it stands for."""
        return sum(result.status == "optimal" for result in self.front)

    @property
    def certificate(self) -> Certificate | None:
        """Its own certificate."""
        return self.front.certificate

    @property
    def question(self) -> tuple[Any, ...]:
        """Equal for claims that one certificate settles."""
        claim = Claim(self.dataset, self.options, "size", self.weight, None, None)
        return "front", claim.question

    def verify(self) -> None:
        """Fail unless it is proven."""
        front = self.front
        if front.certificate is None:
            largest = max(n for n, result in enumerate(front) if result.status == "optimal")
            same, options = asked_again(self.dataset, self.options)
            options = replace(options, max_nodes=2 * largest + 1)
            with worker.in_this_process():
                front = find.front_of(same, options)
            for found, again in zip(self.front, front, strict=False):
                optimal = found.status == "optimal"
                assert not optimal or found.errors == again.errors, f"not optimal: {found}"
        assert front.certificate is not None, f"no certificate: {self}"
        said = checked(front.certificate, self.dataset, str(self))
        assert said.startswith(f"VERIFIED: of {self.dataset.table.rows} rows: the fewest errors")


def asked_again(dataset: Dataset, asked: Options) -> tuple[Dataset, Options]:
    """The same question, with a certificate. A test may make up examples without a table: this is
    what a table would have given."""
    same = make_dataset(
        dataset.table,
        binarise=dataset.binarise,
        contradictions=dataset.contradictions,
        missing="drop" if dataset.missing == "drop" else "value",
        max_thresholds=dataset.max_thresholds,
        class_weight=cast("Any", asked.class_weight),
        one_class="allow",
        warn=False,
    )
    names = [each.name for each in fields(asked) if each.name not in LEFT_OUT]
    given = {name: getattr(asked, name) for name in names}
    if asked.method in METHODS and not METHODS[asked.method].certifies:
        given["method"] = COUNTING
    return same, Options.of(certify=True, **given)


def checked(certificate: Certificate, dataset: Dataset, what: str) -> str:
    """What the checker says. Proofs about errors are left to the compiled checker but for some,
    which the other one gets as well."""
    with tempfile.TemporaryDirectory() as folder:
        proof, table = Path(folder) / "proof.cert", Path(folder) / "table.csv"
        certificate.save(proof)
        write_table(dataset.table, table)
        digest_of = sha256(certificate.data).digest()[0]
        quick = certificate.kind == ERRORS and (digest_of % 8 or len(certificate.data) > 3000)
        try:
            said = (check_compiled if quick else check.check)(str(proof), str(table))
            if certificate.kind == ERRORS and not quick:
                assert said == check_compiled(str(proof), str(table))
        except check.Rejected as error:
            raise AssertionError(f"the certificate is rejected: {error} ({what})") from None
    return said


class Watch:
    """The plugin: notes what `solve` calls optimal or impossible, and has it verified after each
    test."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.seconds = 0.0
        self._claims: list[Claim | FrontClaim] = []
        self._known: set[tuple[Any, ...]] = set()
        self._asked = threading.local()
        self._pick, self._result = vars(solving)["pick_method"], solving.Run.result
        self._pick_front, self._front_result = vars(find)["front_method"], find.FrontRun.result

    def start(self) -> None:
        """Watch `solve`, through the first and the last function that it calls."""

        def pick(options: Options) -> Any:
            self._asked.options = options
            return self._pick(options)

        def note(run: Any, *found: Any) -> None:
            problem, options = run.problem, vars(self._asked).pop("options", None)
            if vars(self._asked).get("front"):  # its sizes are proven together
                return
            made = *found[:3], not problem.labelled, *found[3:]
            self._claims.append(Claim(problem.dataset, options, problem.minimise, *made))

        def result(run: Any, *arguments: Any) -> Result:
            try:
                made = self._result(run, *arguments)
            except InfeasibleError as error:
                note(run, None, None, error.certificate)
                raise
            if made.status == "optimal":
                note(run, made.nodes, made.depth, made.certificate, made.errors)
            return made

        def front_result(run: Any, *arguments: Any) -> Front:
            options = vars(self._asked).pop("options", None)
            self._asked.front = True
            try:
                made = self._front_result(run, *arguments)
            finally:
                self._asked.front = False
            claim = FrontClaim(run.problem.dataset, options, made)
            if claim.weight:
                self._claims.append(claim)
            return made

        def pick_front(options: Options) -> Any:
            self._asked.options = options
            return self._pick_front(options)

        vars(solving)["pick_method"] = pick
        vars(find)["front_method"] = pick_front
        solving.Run.result = result  # type: ignore[assignment, method-assign]
        find.FrontRun.result = front_result  # type: ignore[assignment, method-assign]

    def stop(self) -> None:
        """Leave `solve` as it was."""
        vars(solving)["pick_method"] = self._pick
        vars(find)["front_method"] = self._pick_front
        solving.Run.result = self._result  # type: ignore[method-assign]
        find.FrontRun.result = self._front_result  # type: ignore[method-assign]

    def settle(self, excused: bool = False) -> None:
        """Verify what was claimed since the last time."""
        claims, self._claims = self._claims, []
        impossible = sum(claim.size is None for claim in claims)
        self.counts["optimal results"] += sum(each.weight for each in claims) - impossible
        self.counts["impossible limits"] += impossible
        self.counts["with errors"] += sum(each.weight for each in claims if each.may_err)
        if excused:
            self.counts["excused"] += sum(each.weight for each in claims)
            return
        begin = time.process_time()
        try:
            for claim in claims:
                question = claim.question
                if claim.certificate is not None or question not in self._known:
                    claim.verify()
                    self.counts["certificates"] += 1
                    self._known.add(question)
                self.counts["verified"] += claim.weight
        finally:
            self._claims.clear()  # what was asked again is no claim of a test
            self.seconds += time.process_time() - begin

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        """After the fixtures are undone, so that nothing is patched any more."""
        yield
        self.settle(item.get_closest_marker("uncertified") is not None)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A worker of pytest-xdist tells the counts to the process that started it."""
        self.stop()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["proven"] = (dict(self.counts), self.seconds)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the counts of a worker."""
        counts, seconds = getattr(node, "workeroutput", {}).get("proven", ({}, 0.0))
        self.counts.update(counts)
        self.seconds += seconds

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was verified."""
        optimal, beyond, verified, certificates, excused = (self.counts[name] for name in COUNTED)
        if claims := optimal + beyond:
            terminalreporter.write_line(
                f"{optimal} optimal results and {beyond} impossible limits: {verified} verified by "
                f"{certificates} certificates, {excused} excused, {claims - verified - excused} "
                f"open ({self.seconds:.0f} s); {self.counts['with errors']} speak of errors"
            )
