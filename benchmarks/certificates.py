"""What certificates cost: writing, checking, and their size, for runs that take over a second.

Each instance is solved without and with a proof, in turns, and the least CPU time of each counts.
A SAT method runs without a proof as it does with one, with the same solver and the same formulas,
so that both search alike; it only does not trace, trim and pack. Where the counters of the two
searches differ all the same, the cost is per unit of work. Then the certificate is checked by
the Python checker and, for lemmas, the compiled one. A rejected certificate ends the run.

The instances are those that the results files of the campaigns say are solved in over a second, or
all of some data sets of the list. What the results file has is not measured again.

    python -m benchmarks certificates
    python -m benchmarks certificates --methods d-sat --datasets monk3
"""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from benchmarks import machine, tables
from benchmarks.instances import instance, read_optima
from benchmarks.isolate import cpu_seconds
from benchmarks.results import Instance, Results
from dtfinder.certify import check
from dtfinder.certify.compiled import check_compiled
from dtfinder.certify.write import write_table
from dtfinder.data import Dataset
from dtfinder.encode.cnf import Formula
from dtfinder.methods import METHODS
from dtfinder.options import Options
from dtfinder.result import Result
from dtfinder.run import worker
from dtfinder.run.signals import exit_code
from dtfinder.solve import solve

ENGINE = ("cores", "cores-depth")
SAT = tuple(name for name, method in METHODS.items() if method.setup is not None)
ENOUGH = 20.0  # CPU seconds of runs without a proof, after which none is repeated

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Cost:
    """One instance. Times are CPU seconds, `work` what the search counts with and without proof."""

    dataset: str
    percent: int
    seed: int
    method: str
    nodes: int
    depth: int
    plain: float
    certified: float
    plain_work: float
    certified_work: float
    check: float
    compiled: float | None  # only lemmas have a compiled checker
    steps: int  # lemmas, or steps of LRAT
    bytes: int

    @property
    def key(self) -> tuple[Instance, str]:
        """What makes it the same measurement."""
        return (self.dataset, self.percent, self.seed), self.method

    @property
    def same_search(self) -> bool:
        """Whether the proof did not change what was searched."""
        return self.plain_work == self.certified_work

    @property
    def cost(self) -> float:
        """What the proof adds, as a part of the run without it."""
        return self.certified / self.plain * self.plain_work / self.certified_work - 1

    @property
    def share(self) -> float:
        """The same as a part of the run with the proof."""
        return 1 - 1 / (1 + self.cost)


def measure(
    methods: Sequence[str],
    datasets: Sequence[str],
    campaigns: Sequence[Path],
    limits: tuple[float, float],
    out: Path,
) -> list[Cost]:
    """Measure what is solved in at least `limits[0]` and at most `limits[1]` seconds, and is not
    yet in `out`; all that is in there then."""
    costs = read(out)
    done = {each.key for each in costs}
    for spec, method in cases(methods, datasets, campaigns, limits):
        if (spec, method) in done:
            continue
        found = cost_of(instance(*spec), spec, method, limits)
        if found is None:
            log.info("%s %d%% %s: not within the limits", *spec[:2], method)
            continue
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(found)) + "\n")
        costs.append(found)
        log.info("%s %d%% %s: %+.0f%%", *spec[:2], method, 100 * found.cost)
    return costs


def read(path: Path) -> list[Cost]:
    """What was measured before."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Cost(**json.loads(line)) for line in lines]


def cases(
    methods: Sequence[str],
    datasets: Sequence[str],
    campaigns: Sequence[Path],
    limits: tuple[float, float],
) -> Iterator[tuple[Instance, str]]:
    """Instances with methods: of the data sets, or those that campaigns solved within limits."""
    if datasets:
        for each in read_optima():
            if each.dataset in datasets:
                for method in methods:
                    yield (each.dataset, each.percent, each.seed), method
        return
    rows = [row for path in campaigns for row in Results.read(path).rows]
    found = {
        (row.instance, row.method)
        for row in rows
        if row.method in methods and row.solved and limits[0] <= row.cpu <= limits[1]
    }
    yield from sorted(found, key=lambda case: (methods.index(case[1]), case[0]))


def cost_of(
    dataset: Dataset, spec: Instance, method: str, limits: tuple[float, float], repeat: int = 3
) -> Cost | None:
    """The costs of one instance; None if it is not solved within the limits."""
    plain, certified, spent = float("inf"), float("inf"), 0.0
    for _ in range(repeat):
        seconds, bare = timed(lambda: run(dataset, method, 4 * limits[1], prove=False))
        plain, spent = min(plain, seconds), spent + seconds
        if bare.status != "optimal" or not limits[0] <= plain <= limits[1]:
            return None
        seconds, result = timed(lambda: run(dataset, method, 4 * limits[1], prove=True))
        certified = min(certified, seconds)
        if result.certificate is None:
            return None
        if spent > ENOUGH:
            break
    quick, lemmas = None, METHODS[_ours(method)[0]].setup is None
    with tempfile.TemporaryDirectory() as folder:
        proof, table = Path(folder) / "proof.cert", Path(folder) / "table.tsv"
        result.certificate.save(proof)
        write_table(dataset.table, table)
        slow, words = timed(lambda: check.check(str(proof), str(table)))
        if lemmas:
            quick, words = timed(lambda: check_compiled(str(proof), str(table)))
    counted = "work" if lemmas else "conflicts"
    return Cost(
        *spec,
        method=method,
        nodes=result.nodes,
        depth=result.depth,
        plain=plain,
        certified=certified,
        plain_work=bare.stats[counted],
        certified_work=result.stats[counted],
        check=slow,
        compiled=quick,
        steps=int(words.rsplit("; ", 1)[1].split(" ")[0 if lemmas else 3]),
        bytes=len(result.certificate.data),
    )


def _ours(method: str) -> tuple[str, str]:
    """The name of the method for dtfinder, and what it minimises."""
    name = method.removesuffix("-depth")
    return name, METHODS[name].minimises[0] if name == method else "depth"


def run(dataset: Dataset, method: str, seconds: float, *, prove: bool) -> Result:
    """Solve here, where CPU time is counted, with or without a proof. `seconds` are real ones,
    which on a busy machine are more than those of the CPU."""
    name, minimise = _ours(method)
    sat = METHODS[name].setup is not None
    options = Options.of(method=name, minimise=minimise, time_limit=seconds, certify=prove or sat)
    with ExitStack() as inside:
        inside.enter_context(worker.in_this_process())
        # Templates are solved in forks of this process, as in a solver process.
        inside.enter_context(patch.object(worker, "_inside", True))
        if sat and not prove:
            inside.enter_context(patch("dtfinder.decide.solver.ProofLog", _only_set_up))
            inside.enter_context(patch.object(Formula, "digest", lambda formula: "none"))
        result = solve(dataset, options)
    if exit_code(result.stopped_by):  # a signal is for all runs, and half of one is no measurement
        raise KeyboardInterrupt(result.stopped_by)
    return result


def _only_set_up(made: Any) -> None:
    """Set a SAT solver up as for a proof, but trace none."""
    made.solver.configure({"factor": 0})


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds that a call takes, its forks included, and what it returns."""
    begin = cpu_seconds()
    found = run()
    return cpu_seconds() - begin, found


def write(costs: Sequence[Cost], out: Path) -> Path:
    """Write the page `certificates.md` into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "certificates.md"
    file.write_text(page(costs), encoding="utf-8")
    return file


def page(costs: Sequence[Cost]) -> str:
    """Everything as Markdown."""
    engine = [each for each in costs if each.compiled is not None]
    sat = [each for each in costs if each.compiled is None]
    return "\n".join(
        [
            _TEXT,
            "## The engine\n",
            _summary(engine),
            _table(engine),
            "## SAT methods\n",
            _summary(sat),
            _table(sat),
            "## The machine\n",
            "\n".join(f"- {key}: {value}" for key, value in machine.describe().items()),
            "\nEvery figure is in [certificates.jsonl](certificates.jsonl).\n",
        ]
    )


_TEXT = """\
# What certificates cost

CPU seconds of proving without a certificate (*plain*) and with one (*certified*), the least of
three alternating runs, or of one if it takes long; what the certificate adds, relative to the plain
run (*cost*) and to the certified one (*share*); checking it with the Python checker and, for
lemmas, with the compiled one; the number of lemmas or LRAT steps, and the size of the file. The
machine was not idle: times of the same run vary by a tenth and more. The instances are a selection
of those solved in over a second; running the command below again adds those that are missing. Plain
runs of SAT methods use the set-up that proofs need (see [Certificates](../certificates.md)), so
that only the proof makes the difference. Where the searches differed all the same, marked by a
star, the cost is per unit of work. Made by `python -m benchmarks certificates`.
"""


def _summary(costs: Sequence[Cost]) -> str:
    """The targets, and by how much they are met."""
    if not costs:
        return "Not measured.\n"
    dear = max(costs, key=lambda each: each.cost)
    lines = [
        f"The proof adds {100 * median(each.cost for each in costs):.0f}% in the median of "
        f"{len(costs)} runs and {100 * dear.cost:.0f}% at most ({dear.dataset} {dear.percent}%, "
        f"`{dear.method}`).",
        f"The Python checker takes at most {max(each.check / each.plain for each in costs):.2f} "
        "times as long as the proof.",
    ]
    if quick := [each.compiled / each.plain for each in costs if each.compiled is not None]:
        lines.append(f"The compiled one takes at most {max(quick):.3f} times as long.")
    return " ".join(lines) + "\n"


def _table(costs: Sequence[Cost]) -> str:
    head = ["instance", "method", "nodes", "depth", "plain", "certified", "cost", "share", "check"]
    head += ["compiled", "steps", "size"]
    order = tables.order({each.method for each in costs})
    lines = [
        [
            f"{each.dataset} {each.percent}%",
            f"`{each.method}`",
            str(each.nodes),
            str(each.depth),
            f"{each.plain:.2f}",
            f"{each.certified:.2f}",
            f"{100 * each.cost:.0f}%{'' if each.same_search else '*'}",
            f"{100 * each.share:.0f}%",
            f"{each.check:.2f}",
            "" if each.compiled is None else f"{each.compiled:.3f}",
            f"{each.steps:,}",
            f"{each.bytes / 1e6:.2f} MB",
        ]
        for each in sorted(costs, key=lambda each: (order.index(each.method), each.key))
    ]
    return tables.markdown(head, lines, words=2)
