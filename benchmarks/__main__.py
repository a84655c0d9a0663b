"""The commands of `python -m benchmarks`: `run`, `engine`, `certificates` and so on."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import Any

# One thread each, before numpy is imported: runs are compared by CPU time and share the machine.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

UNITS = {"GB": 1e9, "MB": 1e6, "": 1.0}


def main(arguments: list[str] | None = None) -> int:
    """Run the command. The exit code is 1 for a wrong answer, 2 for wrong usage, 130 for Ctrl-C and
    143 for SIGTERM."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logging.getLogger("benchmarks").setLevel(logging.WARNING if given.quiet else logging.INFO)
    from benchmarks.campaign import DisagreementError
    from dtfinder.run.signals import exit_code, reason_of, signals_interrupt

    try:
        with signals_interrupt():
            return int(given.command(given) or 0)
    except DisagreementError as error:
        print(error, file=sys.stderr)
        return 1
    except (ValueError, ImportError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print(f"{reason_of(error)}; run the same command again to continue", file=sys.stderr)
        return exit_code(reason_of(error)) or 1


def _run(given: argparse.Namespace) -> None:
    from benchmarks import campaign, suites
    from benchmarks.isolate import Limits

    optima = suites.known_optima(given.optima)
    data = given.data or suites.default_data()
    plan = campaign.Plan(
        specs=suites.specs(
            given.suite,
            given.percent,
            given.seeds,
            names=given.datasets,
            data=data,
            optima=optima,
        ),
        methods=campaign.pick(given.methods),
        limits=Limits(given.time_limit, given.memory_limit),
        jobs=given.jobs,
        data=data,
        out=given.out,
        optima=optima,
        suite=given.suite,
    )
    campaign.run(plan)


def _engine(given: argparse.Namespace) -> None:
    from benchmarks import engine, suites
    from benchmarks.isolate import Limits

    optima = suites.known_optima(None)
    limits = Limits(given.time_limit, given.memory_limit)
    results = engine.measure(optima, given.methods or engine.METHODS, limits, given.results)
    print(engine.write(results, optima, given.out))


def _depth(given: argparse.Namespace) -> None:
    from benchmarks import depth, suites
    from benchmarks.isolate import Limits

    limits = Limits(given.time_limit, given.memory_limit)
    depth.measure(suites.known_optima(None), limits, given.results)
    print(depth.write(given.results, given.out))


def _frontier(given: argparse.Namespace) -> None:
    from benchmarks import frontier
    from benchmarks.isolate import Limits

    limits = Limits(given.time_limit, given.memory_limit)
    frontier.measure(given.parts, limits, given.results)
    print(frontier.write(given.results, given.out))


def _front(given: argparse.Namespace) -> None:
    from benchmarks import front, front_check, front_page, suites

    folder = suites.default_data().parent / "dl85"
    peers = given.peer_limit or given.time_limit
    chosen = (given.tables, given.parts, given.tools)
    rows = front.measure(folder, given.time_limit, peers, given.results, *chosen)
    front_page.write(rows, front_check.reference(folder / "fronts.csv"), given.out)


def _growth(given: argparse.Namespace) -> None:
    from benchmarks import growth
    from benchmarks.isolate import Limits

    results = growth.measure(Limits(given.time_limit, given.memory_limit), given.results)
    print(growth.write(results, given.out))


def _certificates(given: argparse.Namespace) -> None:
    from benchmarks import certificates

    campaigns = [Path("docs/results/engine.jsonl"), Path("docs/results/results.jsonl")]
    methods = given.methods or [*certificates.ENGINE, *certificates.SAT]
    limits = (given.least, given.time_limit)
    costs = certificates.measure(methods, given.datasets, campaigns, limits, given.results)
    print(certificates.write(costs, given.out))


def _error_certificates(given: argparse.Namespace) -> None:
    from benchmarks import error_certificates

    costs = error_certificates.measure(given.tables, given.check_limit, given.results)
    print(error_certificates.write(costs, given.out))


def _merge(given: argparse.Namespace) -> None:
    from benchmarks.results import Results

    merged = Results.merged(given.results, given.out, without=given.without)
    print(f"wrote {len(merged.rows)} rows to {given.out}")


def _report(given: argparse.Namespace) -> None:
    from benchmarks.report import write
    from benchmarks.results import Results

    print(write(Results.read(given.results), given.out))


def _guard(given: argparse.Namespace) -> int:
    from benchmarks import guard

    now = guard.measure_all(given.method)
    if given.update:
        guard.write(given.baseline, now)
        print(f"the new baseline has {len(now)} runs")
        return 0
    verdict = guard.compare(guard.read(given.baseline), now)
    for title, lines in (
        ("WRONG", verdict.wrong),
        ("worse", verdict.worse),
        ("better", verdict.better),
    ):
        for line in lines:
            print(f"{title}  {line}")
    print(
        f"{verdict.compared} runs compared: {len(verdict.wrong)} wrong, {len(verdict.worse)} "
        f"worse, {len(verdict.better)} better"
    )
    return 1 if verdict.wrong or verdict.worse else 0


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be greater than 0, not {text}")
    return value


def _bytes(text: str) -> int:
    unit = text[-2:].upper() if text[-2:].upper() in UNITS else ""
    return int(_positive(text[: len(text) - len(unit)]) * UNITS[unit])


def _add_limits(parser: argparse.ArgumentParser, seconds: float) -> None:
    parser.add_argument("--time-limit", type=_positive, default=seconds, help="CPU seconds per run")
    parser.add_argument("--memory-limit", type=_bytes, default="3GB", help="bytes, GB or MB")


class _Defaults(argparse.ArgumentParser):
    """A parser whose help shows the defaults."""

    def add_argument(self, *names: Any, **given: Any) -> argparse.Action:
        """Add an argument, with its default in the help."""
        default = given.get("default")
        if default not in (None, [], False) and given.get("action") is None:
            words = " ".join(map(str, default)) if isinstance(default, list) else str(default)
            given["help"] = f"{given.get('help', '')} [default: {words}]".strip()
        return super().add_argument(*names, **given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quiet", action="store_true", help="do not report every run")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Defaults)

    run = commands.add_parser("run", help="run methods on instances; continues where it stopped")
    run.set_defaults(command=_run)
    run.add_argument(
        "--suite",
        choices=("pmlb", "optima"),
        default="optima",
        help="the instances with known optima, or those of pmlb",
    )
    run.add_argument("--datasets", nargs="+", default=[], help="only these data sets")
    run.add_argument(
        "--percent", nargs="+", type=int, default=[20, 50], help="how much of each table"
    )
    run.add_argument("--seeds", nargs="+", type=int, default=[0], help="seeds of the order of rows")
    run.add_argument("--methods", nargs="+", default=[], help="default: all that are installed")
    _add_limits(run, 60.0)
    run.add_argument("--jobs", type=int, default=1, help="how many runs at a time")
    run.add_argument("--data", type=Path, help="the local cache of pmlb")
    run.add_argument("--optima", type=Path, help="the list of known optima, a CSV file")
    run.add_argument("--out", type=Path, default=Path("results.jsonl"), help="one line per run")

    engine = commands.add_parser("engine", help="the engine against the best of the others")
    engine.set_defaults(command=_engine)
    engine.add_argument("--methods", nargs="+", default=[], help="default: the best of each kind")
    _add_limits(engine, 60.0)
    engine.add_argument("--results", type=Path, default=Path("build/engine.jsonl"))
    engine.add_argument("--out", type=Path, default=Path("docs/results"))

    depth = commands.add_parser("depth", help="the least depth alone, against pystreed")
    depth.set_defaults(command=_depth)
    _add_limits(depth, 20.0)
    depth.add_argument("--results", type=Path, default=Path("docs/results/depth.jsonl"))
    depth.add_argument("--out", type=Path, default=Path("docs/results"))

    frontier = commands.add_parser("frontier", help="what the engine proves, and what is open")
    frontier.set_defaults(command=_frontier)
    _add_limits(frontier, 60.0)
    frontier.add_argument("--parts", nargs="+", default=["dl85", "witty"], help="dl85, witty")
    frontier.add_argument("--results", type=Path, default=Path("docs/results/frontier.jsonl"))
    frontier.add_argument("--out", type=Path, default=Path("docs/results"))

    front = commands.add_parser("front", help="trees that may err, against pystreed")
    front.set_defaults(command=_front)
    front.add_argument("--time-limit", type=float, default=60.0, help="seconds per run")
    front.add_argument("--peer-limit", type=float, help="of other tools; default: the same")
    front.add_argument("--tables", nargs="+", default=[], help="default: all")
    front.add_argument("--parts", nargs="+", default=[], help="depth, front, penalty")
    front.add_argument("--tools", nargs="+", default=[], help="dtfinder, pystreed, gosdt")
    front.add_argument("--results", type=Path, default=Path("docs/results/front.jsonl"))
    front.add_argument("--out", type=Path, default=Path("docs/results"))

    growth = commands.add_parser("growth", help="how the time grows with the table")
    growth.set_defaults(command=_growth)
    _add_limits(growth, 10.0)
    growth.add_argument("--results", type=Path, default=Path("docs/results/growth.jsonl"))
    growth.add_argument("--out", type=Path, default=Path("docs/results"))

    certificates = commands.add_parser("certificates", help="what proofs cost, to write and check")
    certificates.set_defaults(command=_certificates)
    certificates.add_argument("--methods", nargs="+", default=[], help="default: all on the page")
    certificates.add_argument(
        "--datasets", nargs="+", default=[], help="all listed instances of these"
    )
    certificates.add_argument("--least", type=float, default=1.0, help="leave out faster runs")
    certificates.add_argument("--time-limit", type=_positive, default=60.0, help="seconds per run")
    certificates.add_argument(
        "--results", type=Path, default=Path("docs/results/certificates.jsonl")
    )
    certificates.add_argument("--out", type=Path, default=Path("docs/results"))

    errors = commands.add_parser("error-certificates", help="the same, for trees that err")
    errors.set_defaults(command=_error_certificates)
    errors.add_argument("--tables", nargs="+", default=[], help="default: all")
    errors.add_argument("--check-limit", type=_positive, default=60.0, help="of the Python checker")
    errors.add_argument(
        "--results", type=Path, default=Path("docs/results/error_certificates.jsonl")
    )
    errors.add_argument("--out", type=Path, default=Path("docs/results"))

    merge = commands.add_parser("merge", help="put rows with the same limits into one file")
    merge.set_defaults(command=_merge)
    merge.add_argument("results", type=Path, nargs="+")
    merge.add_argument("--without", nargs="+", default=[], help="leave out rows of these methods")
    merge.add_argument("--out", type=Path, required=True, help="may be one of the files")

    report = commands.add_parser("report", help="make a page of tables and pictures")
    report.set_defaults(command=_report)
    report.add_argument("results", type=Path)
    report.add_argument("--out", type=Path, default=Path("docs/results"))

    guard = commands.add_parser("guard", help="compare the engine's work with the baseline")
    guard.set_defaults(command=_guard)
    guard.add_argument("--method", default="cores")
    guard.add_argument("--baseline", type=Path, default=Path(__file__).with_name("baseline.json"))
    guard.add_argument("--update", action="store_true", help="store a new baseline")
    return parser


if __name__ == "__main__":
    sys.exit(main())
