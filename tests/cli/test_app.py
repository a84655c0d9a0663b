"""The command line as its users meet it: what it prints, what it writes, how it ends."""

import csv
import errno
import fcntl
import json
import math
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dtfinder import Tree
from dtfinder.cli import app as cli
from dtfinder.cli.options import flag
from dtfinder.data import Table, read_table
from dtfinder.errors import DataError
from dtfinder.options import Options
from dtfinder.report.live import Lines
from processes import alive, children

Outcome = tuple[int, str, str]
Run = Callable[..., Outcome]


def target_of(table: Table) -> list[Any]:
    assert table.target is not None
    return list(table.target)


COMMAND = [sys.executable, "-m", "dtfinder"]
# Nobody proves the smallest tree of this one within a test.
HARD = ("fit", "mofn-3-7-10", "--method", "dtfinder")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """A function that runs the command line here, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    # A machine that is busy makes a short run long enough to write of its bounds; not here.
    monkeypatch.setattr(Lines.__init__, "__defaults__", (math.inf,))

    def run(*arguments: Any) -> Outcome:
        code = cli.run([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run


def complaint(outcome: Outcome) -> str:
    """The message of a run that refused: exit 2, one line on stderr, nothing on stdout."""
    code, out, err = outcome
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


# What it prints


def test_fit_prints_the_tree_and_what_is_proven(run: Run) -> None:
    code, out, err = run("fit", "weather")
    assert (code, err) == (0, "")
    *tree, blank, summary = out.splitlines()
    assert len(tree) == 9
    assert tree[0] == "outlook = overcast"
    assert blank == ""
    proven = r"optimal: 9 nodes, depth 3, no smaller tree exists \(proven\), 0 errors, \d+\.\d\d s"
    assert re.fullmatch(proven + ", method .+", summary)


def test_fit_minimises_depth(run: Run) -> None:
    code, out, _ = run("fit", "weather", "--minimise", "depth")
    assert code == 0
    assert "optimal: depth 3, 9 nodes, no tree is shallower" in out


def test_a_run_cut_short_says_so(run: Run) -> None:
    code, out, _ = run(*HARD, "--work-limit", "1")
    assert code == 0
    assert re.search(r"feasible: \d+ nodes \(at least \d+ needed, gap \d+\), depth", out)
    assert "stopped: work limit" in out


def test_json_on_stdout_is_one_object_and_nothing_else(run: Run) -> None:
    code, out, err = run("fit", "weather", "--json", "-")
    assert (code, err) == (0, "")
    data = json.loads(out)
    needed = {"status", "nodes", "depth", "lower_bound", "errors", "unavoidable_errors"}
    assert needed | {"seconds", "method", "tree"} <= set(data)
    assert (data["status"], data["nodes"], data["lower_bound"]) == ("optimal", 9, 9)
    table = read_table("weather")
    assert table.target is not None
    assert Tree.from_json(data["tree"]).predict(table) == table.target.tolist()


@pytest.mark.parametrize("method", ["cores", "sat", "dtfinder-T"])
def test_json_is_the_same_in_every_run_but_for_the_seconds(run: Run, method: str) -> None:
    said = [json.loads(run("fit", "weather", "--method", method, "--json", "-")[1]) for _ in "ab"]
    for each in said:
        assert each.pop("seconds") > 0
        each.pop("cpu_seconds")
    assert said[0] == said[1]
    assert not [name for name in said[0]["stats"] if "seconds" in name]


def test_quiet_is_quiet(run: Run, tmp_path: Path) -> None:
    assert run("fit", "weather", "--quiet", "--json", "r.json") == (0, "", "")
    assert json.loads((tmp_path / "r.json").read_text())["nodes"] == 9


def test_every_option_of_the_table_is_an_option(run: Run) -> None:
    code, out, _ = run("fit", "--help")
    assert code == 0
    for each in fields(Options):
        assert ("--certificate" if each.name == "certify" else flag(each.name)) in out
    assert "--certify" not in out


def test_fit_and_why_call_find_tree(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the options that were typed and no others."""
    calls = []

    def find(*arguments: Any, **named: Any) -> None:
        calls.append((arguments, named))
        raise DataError("enough")

    monkeypatch.setattr("dtfinder.solve.find_tree", find)
    complaint(run("fit", "t.csv", "-q", "--certificate", "c", "--ignore", "id", "--max-nodes", "9"))
    complaint(run("why", "t.csv", "--target", "y", "--no-quasi-pure", "--memory-limit", "500MB"))
    fit = {"target": None, "ignore": ["id"], "verbose": False, "certify": True, "max_nodes": 9}
    why = {"target": "y", "ignore": (), "verbose": True, "quasi_pure": False, "memory_limit": 0.5}
    fit["weights"] = why["weights"] = None
    assert calls == [(("t.csv",), fit), (("t.csv",), why)]


def test_switches_can_be_turned_either_way(run: Run) -> None:
    for switch in ("--no-quasi-pure", "--path-bounds"):
        code, out, _ = run("fit", "weather", "--method", "dtfinder", switch)
        assert code == 0
        assert "optimal: 9 nodes" in out


@pytest.mark.parametrize("amount", ["3", "3GB", "3 gb", "3000MB", "3e0"])
def test_memory_may_have_a_unit(run: Run, amount: str) -> None:
    code, out, _ = run("fit", "weather", "--memory-limit", amount)
    assert code == 0
    assert "optimal" in out


def test_methods_and_datasets_are_listed(run: Run) -> None:
    code, out, _ = run("methods")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()]
    assert {"auto", "mindt", "dtfinder", "d-dtfinder-T-O", "sklearn"} <= set(names)
    code, out, _ = run("datasets")
    assert code == 0
    assert {"weather", "mux6", "monk1", "iris"} <= {line.split()[0] for line in out.splitlines()}


def test_version_and_help(run: Run) -> None:
    assert re.fullmatch(r"dtfinder \d+\.\d+\.\d+\n", run("--version")[1])
    code, out, _ = run("--help")
    assert code == 0
    assert all(name in out for name in ("fit", "predict", "methods", "datasets"))
    assert run()[0] == 2


# What it writes


def test_files(run: Run, tmp_path: Path) -> None:
    places = ("--json", "r.json", "--tree", "t.json", "--dot", "t.dot", "--plot", "t.svg")
    code, out, _ = run("fit", "weather", *places)
    assert code == 0
    assert "optimal: 9 nodes" in out
    result = json.loads((tmp_path / "r.json").read_text())
    assert json.loads((tmp_path / "t.json").read_text()) == result["tree"]
    assert (tmp_path / "t.dot").read_text().startswith("digraph tree {")
    assert "outlook" in (tmp_path / "t.svg").read_text()


def test_several_pictures(run: Run, tmp_path: Path) -> None:
    places = ("--plot", "t.svg", "--plot", "t.png", "--plot", "u.svg")
    assert run("fit", "weather", "-q", *places) == (0, "", "")
    assert (tmp_path / "t.svg").read_text() == (tmp_path / "u.svg").read_text()
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    twice = complaint(run("fit", "weather", "--plot", "v.svg", "--plot", "./v.svg"))
    assert "--plot would overwrite './v.svg', which is what --plot writes" in twice


def test_the_time_limit_is_that_of_the_search(run: Run) -> None:
    assert "of search. Reading the table" in " ".join(run("fit", "--help")[1].split())
    assert "stopped: time limit of the search" in run(*HARD, "--time-limit", "0.2")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--json", "no/such/dir.json"), "--json cannot write 'no/such/dir.json': No such file"),
        (("--tree", "."), "--tree cannot write '.': Is a directory"),
        (("--plot", "tree.gif"), "must end in .png, .svg or .pdf, not 'tree.gif'"),
        (("--plot", "-"), "must end in .png, .svg or .pdf, not '-'"),
        (("--json", "same", "--dot", "./same"), "--dot would overwrite './same', which is what"),
        (("--json", "-", "--tree", "-"), "--tree would overwrite '-'"),
        (("--dot", "table.csv"), "--dot would overwrite 'table.csv', which is the table"),
    ],
)
def test_files_that_cannot_be_written_are_refused_first(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    (tmp_path / "table.csv").write_text("a,target\n1,x\n2,y\n")
    monkeypatch.setattr("dtfinder.solve.solve", lambda *_, **__: pytest.fail("it searched"))
    before = sorted(tmp_path.iterdir())
    assert message in complaint(run("fit", "table.csv", *arguments))
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "table.csv").read_text() == "a,target\n1,x\n2,y\n"


def test_a_file_that_fails_after_all_takes_no_result_with_it(run: Run, tmp_path: Path) -> None:
    """A full disk is only found when it is written to."""
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    code, out, err = run("fit", "weather", "--json", "/dev/full", "--tree", "t.json")
    assert code == 2
    assert "error: --json cannot write '/dev/full': No space left on device" in err
    assert "optimal: 9 nodes" in out
    assert (tmp_path / "t.json").exists()


# Predict


@pytest.fixture
def weather(run: Run, tmp_path: Path) -> Table:
    """The weather table as a file, its rows, and the tree that was found for it."""
    table = read_table("weather")
    assert table.target is not None
    rows = list(zip(*table.columns, table.target, strict=True))
    with (tmp_path / "weather.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([(*table.names, table.target_name), *rows])
    assert run("fit", "weather.csv", "--tree", "tree.json", "--json", "result.json", "-q")[0] == 0
    return table


def test_predict_gives_a_class_a_line(run: Run, weather: Table) -> None:
    code, out, err = run("predict", "tree.json", "weather.csv")
    assert (code, err) == (0, "")
    assert out.splitlines() == [str(label) for label in target_of(weather)]


def test_predict_reads_results_too_and_writes_a_file(
    run: Run, weather: Table, tmp_path: Path
) -> None:
    assert run("predict", "result.json", "weather.csv", "--out", "out.txt") == (0, "", "")
    lines = (tmp_path / "out.txt").read_text().splitlines()
    assert lines == [str(label) for label in target_of(weather)]


def test_predict_needs_no_target_and_ignores_other_columns(
    run: Run, weather: Table, tmp_path: Path
) -> None:
    rows = zip(*weather.columns, strict=True)
    with (tmp_path / "new.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*weather.names, "extra"])
        writer.writerows([(*row, "?") for row in rows])
    code, out, _ = run("predict", "tree.json", "new.csv")
    assert code == 0
    assert out.splitlines() == [str(label) for label in target_of(weather)]


def test_predict_quotes_classes_as_csv_does(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('x,target\n1,"a, b"\n2,c\n')
    run("fit", "t.csv", "--tree", "tree.json", "-q")
    assert run("predict", "tree.json", "t.csv")[1] == '"a, b"\nc\n'


def test_predict_keeps_words_that_look_like_numbers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("code,target\n1,a\n2,b\nx,a\n01,b\n")
    run("fit", "t.csv", "--tree", "tree.json", "-q")
    (tmp_path / "new.csv").write_text("code\n1\n01\n2\n")
    assert run("predict", "tree.json", "new.csv")[1].split() == ["a", "b", "b"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no.json", "weather.csv"), "cannot read 'no.json': No such file"),
        (("weather.csv", "weather.csv"), "'weather.csv' is not a tree that dtfinder wrote"),
        (("odd.json", "weather.csv"), "not a tree that dtfinder wrote"),
        (("tree.json", "no.csv"), "there is no file 'no.csv'"),
        (("tree.json", "other.csv"), "the table has no column"),
        (("tree.json", "gone.csv"), "column 'outlook' has no value in 1 of 1 rows"),
        (("tree.json", "weather.csv", "--missing", "no"), "--missing must be one of error, value"),
        (("tree.json", "weather.csv", "--out", "weather.csv"), "which is the table"),
        (("tree.json", "weather.csv", "--out", "no/dir"), "--out cannot write 'no/dir'"),
    ],
)
def test_predict_says_what_is_wrong(
    run: Run, weather: Table, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "odd.json").write_text('{"nodes": 3}')
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    header = ",".join(weather.names)
    (tmp_path / "gone.csv").write_text(f"{header}\n{',' * (len(weather.names) - 1)}\n")
    assert message in complaint(run("predict", *arguments))


def test_predict_takes_missing_values_on_request(run: Run, weather: Table, tmp_path: Path) -> None:
    header = ",".join(weather.names)
    (tmp_path / "gone.csv").write_text(f"{header}\n{',' * (len(weather.names) - 1)}\n")
    code, out, _ = run("predict", "tree.json", "gone.csv", "--missing", "value")
    assert code == 0
    assert out.strip() in {"yes", "no"}


def test_predict_takes_missing_values_if_the_tree_asks_for_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n1,x\n,y\n2,x\n")
    assert run("fit", "table.csv", "--missing", "value", "--tree", "t.json", "--quiet")[0] == 0
    assert run("predict", "t.json", "table.csv") == (0, "x\ny\nx\n", "")
    message = complaint(run("predict", "t.json", "table.csv", "--missing", "error"))
    assert "column 'a' has no value in 1 of 3 rows, first in row 2" in message


# Bad usage and bad input: one line that says what is wrong, and exit 2


BAD_TABLES = {
    "empty": (b"", "is empty"),
    "only a header": (b"a,b\n", "no rows"),
    "one column": (b"a\n1\n2\n", "the table has only the column 'a'"),
    "one class": (b"a,b\n1,x\n2,x\n", "every row has the class 'x'"),
    "missing": (b"a,b\n1,x\n,y\n", "column 'a' has no value in 1 of 2 rows"),
    "NaN": (b"a,b\n1,x\nNaN,y\n", "column 'a' has no value in 1 of 2 rows"),
    "infinity": (b"a,b\n1,x\ninf,y\n", "column 'a' is inf in row 2"),
    "a class missing": (b"a,b\n1,x\n2,\n", "the class column 'b' has no value"),
    "a million columns": (b",".join(b"c%d" % n for n in range(10**6)), "has 1000000 columns"),
    "binary junk": (bytes(range(256)) * 10, "is not text"),
    "NUL bytes": (b"a,b\n\0\0,1\n", "NUL bytes"),
    "half a gzip": (b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x03", "cannot be unpacked"),
    "ragged": (b"a,b\n1,x\n2\n", "line 3"),
    "twice the same name": (b"a,a,b\n1,2,x\n2,1,y\n", "2 columns are called 'a'"),
}


@pytest.mark.parametrize("kind", BAD_TABLES)
def test_bad_tables(run: Run, tmp_path: Path, kind: str) -> None:
    data, message = BAD_TABLES[kind]
    (tmp_path / "table.csv").write_bytes(data)
    assert message in complaint(run("fit", "table.csv"))


def test_missing_values_are_fine_on_request(run: Run, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n1,x\n,y\n")
    code, out, _ = run("fit", "table.csv", "--missing", "value")
    assert code == 0
    assert "a = missing" in out or "a <= " in out


def test_contradictions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n1,x\n1,x\n1,y\n2,y\n")
    assert "1 error (unavoidable: rows that contradict" in run("fit", "table.csv")[1]
    message = complaint(run("fit", "table.csv", "--contradictions", "error"))
    assert "rows 1 and 3 differ only in their class" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nosuch.csv",), "there is no file 'nosuch.csv'"),
        (("wether",), "did you mean weather?"),
        ((".",), "'.' is a directory"),
        (("weather", "--target", "sunshine"), "no column 'sunshine' to be the target"),
        (("weather", "--method", "magic"), "there is no method 'magic'"),
        (("weather", "--method", "dtfnder"), "did you mean 'dtfinder'?"),
        (("weather", "--time-limit", "0"), "--time-limit must be greater than 0, not 0"),
        (("weather", "--time-limit", "-1"), "--time-limit must be greater than 0, not -1"),
        (("weather", "--time-limit", "soon"), "--time-limit must be a number, not 'soon'"),
        (("weather", "--time-limit", "nan"), "--time-limit must be finite, not nan"),
        (
            ("weather", "--memory-limit", "3XB"),
            "--memory-limit must be a number of gigabytes, or a size such as 3GB or 500MB",
        ),
        (("weather", "--solver", "foo"), "--solver must be one of cadical103, "),
        (("weather", "--cardinality", "foo"), "--cardinality must be one of pairwise, "),
        (
            ("weather", "--method", "sklearn", "--certificate", "c"),
            "--certificate needs a method that writes proofs, and 'sklearn' does not",
        ),
        (("weather", "--memory-limit", "0"), "--memory-limit must be greater than 0"),
        (("weather", "--work-limit", "1.5"), "--work-limit must be a whole number, not '1.5'"),
        (("weather", "--max-depth", "-1"), "--max-depth must be at least 0, not -1"),
        (("weather", "--minimise", "leaves"), "--minimise must be one of size, depth"),
        (("weather", "--binarise", "no"), "--binarise must be one of auto, unary"),
        (("weather", "--binarise", "threshold"), "no order to put a threshold in"),
        (("weather", "--solver", "nosuch", "--method", "dtfinder"), "--solver must be one of"),
        (("weather", "--cardinality", "no", "--method", "dtfinder"), "--cardinality must be one"),
        (
            ("weather", "--method", "sat", "--certificate", "c", "--checkpoint", "k"),
            "--certificate cannot be used with --checkpoint: a checkpoint keeps no proofs of "
            "method 'sat'; leave one out, or use --method cores",
        ),
        (
            ("weather", "--method", "sat", "--certificate", "c", "--path-bounds"),
            "--path-bounds cannot be used with --certificate; leave it out",
        ),
        (
            ("weather", "--method", "dtfinder", "--minimise", "depth"),
            "--method dtfinder minimises the size; to minimise the depth, use --method auto",
        ),
        (("weather", "--certify"), "No such option: --certify"),
        (
            ("weather", "--method", "cores", "--max-depth", "2"),
            "it is proven that no tree with --max-depth 2",
        ),
        (("weather", "--no-such-option",), "No such option: --no-such-option"),
        (("weather", "and", "more"), "unexpected extra argument"),
        ((), "Missing argument 'SOURCE'"),
    ],
)  # fmt: skip
def test_bad_usage(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in complaint(run("fit", *arguments))


def test_an_unknown_command(run: Run) -> None:
    assert "No such command 'fti'" in complaint(run("fti"))


def test_a_path_that_may_not_be_read(run: Run, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "secret.csv").write_text("a,b\n1,x\n2,y\n")
    (tmp_path / "secret.csv").chmod(0)
    assert "secret.csv" in complaint(run("fit", "secret.csv"))


# How it runs as a process


def test_help_is_quick() -> None:
    """Within 0.4 s. What counts is the time of its own, not that of others on the machine."""

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(5)) < 0.4


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from dtfinder.cli.app import run; run(['--help']); run(['fit', '--help'])\n"
        "print([n for n in ('numpy', 'sklearn', 'pysat', 'rich', 'pandas') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_errors_have_no_traceback_in_a_process_of_their_own() -> None:
    done = subprocess.run([*COMMAND, "fit", "nosuch"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch("error: there is no file 'nosuch'.*\n", done.stderr)


def test_a_broken_pipe_is_quiet() -> None:
    """As in `dtfinder fit mux6 | head -1`, with nobody left to read at all."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "fit", "weather"], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert done.returncode == 141
    assert b"rror" not in done.stderr  # a slow run may have written of its bounds


def test_a_terminal_without_boxes_gets_ascii() -> None:
    done = subprocess.run(
        [*COMMAND, "fit", "weather"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert b"|- yes: " in done.stdout
    assert done.stdout.isascii()


def _started(arguments: Any, stderr: Any = subprocess.PIPE) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )


def _interrupted(
    child: subprocess.Popen[str], number: int = signal.SIGINT
) -> tuple[int, str, str, float]:
    """Press Ctrl-C, which goes to all processes of a command, and wait for the end."""
    os.killpg(child.pid, number)
    pressed = time.monotonic()
    out, err = child.communicate(timeout=60)
    return child.returncode, out, err, time.monotonic() - pressed


def _slowness() -> float:
    """How much longer than its own time a process takes here and now."""
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "sum(range(5_000_000))"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return max(1.0, (time.perf_counter() - begin) / own)


class _Terminal:
    """What is drawn on a terminal that is the stderr of a command."""

    def __init__(self, *arguments: Any) -> None:
        self._master, slave = pty.openpty()
        self.child = _started(arguments, stderr=slave)
        os.close(slave)
        self.drawn = ""

    def read(self, until: str = "\0") -> None:
        """Read on until a pattern was drawn, or to the end."""
        while not re.search(until, self.drawn):
            try:
                self.drawn += os.read(self._master, 4096).decode(errors="replace")
            except OSError:  # nobody has the other end any more
                os.close(self._master)
                break


BOUNDS = r"nodes \d+ … \d+  depth \d+ … \d+  gap \d+  \d+\.\d s"


def test_the_live_line_shows_both_bounds_on_a_terminal() -> None:
    """The bounds are drawn on stderr and erased in the end; stdout has the tree and no more."""
    terminal = _Terminal(*HARD, "--time-limit", "1")
    terminal.read()
    out, _ = terminal.child.communicate(timeout=60)
    assert terminal.child.returncode == 0
    assert re.search(BOUNDS, terminal.drawn)
    assert "\x1b[2K" in terminal.drawn.rsplit("gap", 1)[1]
    assert "stopped: time limit" in out
    assert "\x1b" not in out


def test_ctrl_c_prints_the_best_tree_and_ends_with_130() -> None:
    terminal = _Terminal(*HARD, "--json", "-")
    terminal.read(until=BOUNDS)  # there is a tree now
    code, out, _, seconds = _interrupted(terminal.child)
    terminal.read()
    assert code == 130
    data = json.loads(out)
    assert (data["status"], data["stopped_by"]) == ("feasible", "interrupted")
    assert data["lower_bound"] < data["nodes"]
    assert "Traceback" not in terminal.drawn
    assert seconds < 1.5 * _slowness()


def test_a_batch_scheduler_ends_a_run_as_ctrl_c_does(tmp_path: Path) -> None:
    """By a signal to all processes of the job, and twice, as `timeout` does it."""
    places = {name: tmp_path / name for name in ("tree", "json", "report", "checkpoint")}
    wanted = [f"--{name}={place}" for name, place in places.items()]
    terminal = _Terminal(*HARD, *wanted)
    terminal.read(until=BOUNDS)
    pid = terminal.child.pid
    helpers = children(pid)
    for each in (*helpers, pid):
        os.kill(each, signal.SIGTERM)
    code, out, _, _ = _interrupted(terminal.child, signal.SIGTERM)
    terminal.read()
    assert code == 143
    assert "stopped: terminated" in out
    assert "Traceback" not in terminal.drawn
    assert Tree.from_json(json.loads(places["tree"].read_text())).size > 1
    assert json.loads(places["json"].read_text())["status"] == "feasible"
    assert "<html" in places["report"].read_text()
    assert '"kind":"tree"' in places["checkpoint"].read_text()
    assert helpers
    assert not any(map(alive, helpers))


def test_a_terminal_that_is_closed_ends_a_run_with_its_files(tmp_path: Path) -> None:
    """The run gets SIGHUP, and has nowhere to write to any more."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [*COMMAND, *HARD, "--tree", tmp_path / "tree.json"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    drawn = ""
    while not re.search(BOUNDS, drawn):
        drawn += os.read(master, 4096).decode(errors="replace")
    os.close(master)
    assert child.wait(30) == 129
    assert Tree.from_json(json.loads((tmp_path / "tree.json").read_text())).size > 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told_in_a_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "fit", "weather"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "error: cannot write to stdout: No space left on device\n"


def test_ctrl_c_while_the_table_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slow.csv")
    child = _started(["fit", tmp_path / "slow.csv"])
    writer = os.open(tmp_path / "slow.csv", os.O_WRONLY)  # goes on once the child reads
    code, out, err, _ = _interrupted(child)
    os.close(writer)
    assert (code, out, err) == (130, "", "error: interrupted before a tree was found\n")


def _press(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(20)


def test_ctrl_c_leaves_out_a_file_that_takes_long(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dtfinder.report.files.dot_text", _press)
    code, out, err = run("fit", "weather", "--dot", "t.dot", "--report", "r.html", "--tree", "t")
    assert (code, err) == (130, "error: interrupted; 't.dot' was not written\n")
    assert "optimal: 9 nodes" in out
    assert not Path("t.dot").exists()
    assert Path("r.html").exists()
    assert Path("t").exists()


@pytest.mark.parametrize("command", ["fit", "front"])
@pytest.mark.parametrize("option", ["--json", "--report", "--certificate", "--plot"])
def test_a_file_without_a_name_is_refused(run: Run, command: str, option: str) -> None:
    code, out, err = run(command, "weather", option, "")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_a_front_is_shown_though_one_of_its_files_cannot_be_written(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("dtfinder.result.Front.plot", full)
    code, out, err = run("front", "weather", "--plot", "f.svg", "--json", "f.json", "--quiet")
    assert (code, out) == (2, "")
    assert err == "error: --plot cannot write 'f.svg': No space left on device\n"
    assert json.loads(Path("f.json").read_text())["rows"] == 14


def test_ctrl_c_leaves_out_a_reason_that_takes_long(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dtfinder.report.why.why_text", _press)
    code, out, err = run("why", "weather")
    assert (code, err) == (130, "error: interrupted\n")
    assert "optimal: 9 nodes" in out


def test_what_ended_the_run_is_what_counts_where_there_is_no_certificate_yet(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dtfinder.run.stop.AfterSeconds.__call__", lambda _: "terminated")
    code, out, err = run(*HARD, "--certificate", "c", "--time-limit", "60")
    assert code == 143
    assert "nothing to certify yet; the tree has" in err
    assert "stopped: terminated" in out
    limits = ("--max-nodes", "31", "--time-limit", "60")
    code, out, err = run("fit", "breast-cancer", *limits, "--certificate", "c")
    assert code == 143
    assert "nothing to certify yet; it is not proven that no better tree exists" in err


def test_ctrl_c_while_it_starts() -> None:
    code = (
        "import sys\n"
        "class Press:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Press())\n"
        "from dtfinder.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr == "error: interrupted before a tree was found\n"


@pytest.mark.parametrize("module", ["typer", "numpy", "unicodedata", "dtfinder.solve"])
def test_a_signal_while_it_starts(module: str) -> None:
    """An exception would be lost in some of these imports, or come out as another one."""
    code = (
        "import os, sys\n"
        "class Send:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), 15)\n"
        "sys.meta_path.insert(0, Send())\n"
        "sys.argv = ['dtfinder', 'fit', 'weather']\n"
        "from dtfinder.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "error: terminated\n")


def test_the_installed_script() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("dtfinder"), "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("dtfinder ")


# Columns that are no property of a row


PATIENTS = "id,rank,dose,class\n" + "".join(
    f"P{n},0{n % 3},{'?' if n == 4 else n / 2},0{n % 2}\n" for n in range(12)
)


def test_a_doubtful_column_is_warned_of_and_can_be_ignored(run: Run) -> None:
    Path("t.csv").write_text(PATIENTS)
    code, _, err = run("fit", "t.csv", "--missing", "value")
    assert code == 0
    assert err == (
        "warning: column 'id' has a different word in each of 12 rows; if it only names them, "
        "leave it out with --ignore\n"
    )
    assert run("fit", "t.csv", "--missing", "value", "--quiet") == (0, "", "")
    code, out, err = run("fit", "t.csv", "--missing", "value", "--ignore", "id")
    assert (code, err) == (0, "")
    assert "id =" not in out


def test_the_cure_for_a_table_is_named_as_it_is_typed(run: Run) -> None:
    Path("t.csv").write_text(PATIENTS)
    assert run("fit", "t.csv", "--ignore", "id") == (
        2,
        "",
        "error: column 'dose' has no value in 1 of 12 rows; fill them in, treat missing as a value "
        "of its own with --missing value, or leave those rows out with --missing drop\n",
    )
    Path("t.csv").write_text("a,b\n1,2.5\n2,1\n")
    assert run("fit", "t.csv")[2].endswith("name another column with --target, or make it text\n")


def test_a_certificate_is_checked_without_the_ignored_column(run: Run) -> None:
    Path("t.csv").write_text(PATIENTS)
    fit = ("fit", "t.csv", "--missing", "value", "--ignore", "id", "--ignore", "rank", "-q")
    assert run(*fit, "--certificate", "c") == (0, "", "")
    assert run("check", "c", "--data", "t.csv")[0] == 1
    code, out, _ = run("check", "c", "--data", "t.csv", "--ignore", "id", "--ignore", "rank")
    assert (code, out.startswith("VERIFIED")) == (0, True)
    assert run("check", "c", "--data", "t.csv", "--ignore", "id")[0] == 1


# Options that do nothing


def test_an_option_without_effect_is_said_by_the_name_that_was_typed(run: Run) -> None:
    code, out, err = run("fit", "weather", "--topology-depth", "2")
    assert (code, out.count("optimal")) == (0, 1)
    assert (
        err == "warning: --topology-depth has no effect: method 'cores' does not use a SAT solver\n"
    )


def test_a_data_set_that_cannot_be_written(run: Run) -> None:
    assert "--write cannot write 'no/w.csv': No such file" in complaint(
        run("datasets", "--write", "weather", "no/w.csv")
    )


def test_a_wrong_call_points_to_the_help_of_its_command(run: Run) -> None:
    assert "(see `dtfinder fit --help`)" in complaint(run("fit"))
    assert "(see `dtfinder --help`)" in complaint(run("fitt"))


def test_the_list_of_commands_is_not_cut_off(run: Run) -> None:
    assert "..." not in run("--help")[1].partition("Commands:")[2]


def test_the_class_is_said_if_nobody_named_it(run: Run) -> None:
    Path("calls.csv").write_text("a,b,calls\n1,x,2\n2,y,3\n3,x,2\n")
    code, out, err = run("fit", "calls.csv")
    assert (code, err) == (0, "note: class: calls, the last column; --target names another one\n")
    assert "calls = 2" in out
    assert run("fit", "calls.csv", "--target", "calls")[2] == ""
    assert run("fit", "calls.csv", "--quiet")[2] == ""
    assert run("fit", "calls.csv", "--tree", "t.json")[0] == 0
    assert json.loads(Path("t.json").read_text())["target"] == "calls"
    assert "calls = 2" in run("export", "t.json", "--to", "dot")[1]


def test_dates_commas_and_few_thresholds_from_the_command_line(run: Run) -> None:
    rows = "".join(f"2024-01-{n:02d};{n},5;{n % 5};{'ab'[n > 17]}\n" for n in range(1, 29))
    Path("t.csv").write_text(f"when;price;n;class\n{rows}2024-01-30;;1;b\n")
    options = ("--decimal", ",", "--missing", "drop", "--max-thresholds", "3", "--binarise", "both")
    code, out, err = run("fit", "t.csv", *options, "--certificate", "c", "--tree", "t.json")
    assert (code, err) == (0, "")
    assert "optimal: 3 nodes" in out
    assert "among trees that ask x <= t and x = v, at most 3 thresholds per column" in out
    code, out, err = run("check", "c", "--data", "t.csv")
    assert (code, err) == (0, "")
    assert "apart from 1 with missing values" in out
    read = ("--decimal", ",", "--missing", "value")
    assert run("predict", "t.json", "t.csv", *read)[0] == 0
    assert "(29 of 29 rows)" in run("score", "t.json", "t.csv", *read)[1]
    assert "--decimal must be one of" in complaint(
        run("score", "t.json", "t.csv", "--decimal", ";")
    )
    code, out, _ = run(
        "front", "t.csv", "--decimal", ",", "--missing", "drop", "--binarise", "both"
    )
    assert (code, "among trees that ask x <= t and x = v" in out) == (0, True)


def test_several_pictures_with_the_names_of_table_and_class(run: Run) -> None:
    assert run("fit", "weather", "--plot", "a.svg", "--plot", "b.svg", "--plot", "c.png")[0] == 0
    assert "weather: play – 9 nodes, depth 3" in Path("a.svg").read_text()
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")
    code, _, err = run("fit", "weather", "--plot", "a.svg", "--plot", "a.svg")
    assert (code, "--plot would overwrite 'a.svg'" in err) == (2, True)
