"""One run in a process of its own, watched and measured from outside.

The process is forked, so it starts with everything imported and its CPU time is that of the run.
It reports by appending JSON lines to a file without a name; the line `{"ready": seconds}` says what
loading the data cost, and from there on the limit on CPU time counts.

Three things hold a run to its limits: the kernel (RLIMIT_CPU, set by the child itself); the watcher
here, which reads /proc many times a second, sums over the whole family of processes, and kills them
all; and a patience of a minute for a run of which every process sleeps. What CPU time and memory a
run took is what wait4 says when it ended (children that it waited for included), with the watcher's
own peak where several processes were alive at once. Linux only, as /proc is.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Tell = Callable[[dict[str, Any]], None]
Job = Callable[[Tell], None]

# Between two looks at a run: short ones are not held up, long ones are hardly disturbed.
LEAST_PAUSE, MOST_PAUSE, PAUSE_SHARE = 0.005, 0.1, 0.05
LOADING_SECONDS = 300.0  # CPU time to read an instance, which no limit of a method counts
# The watcher waits a little longer than the limit, so that a method that keeps it can say so.
GRACE_SECONDS, GRACE_SHARE = 0.3, 0.05
PATIENCE_SECONDS = 60.0  # of sleep, before a run counts as hanging; waiting for a CPU is no sleep
_PR_SET_PDEATHSIG = 1
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = resource.getpagesize()


@dataclass(frozen=True)
class Limits:
    """CPU seconds and bytes."""

    seconds: float
    memory: int


@dataclass(frozen=True)
class Outcome:
    """How a run ended, what it cost, and the lines it told."""

    ended: str  # "done", "time limit", "memory limit" or "crash: …"
    cpu: float  # seconds after loading
    wall: float
    memory: int
    lines: list[dict[str, Any]]


def cpu_seconds() -> float:
    """The CPU time of this process and of the children it waited for, as the system counts it."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


class Run:
    """A job that was started; ask `poll` until it gives the outcome."""

    def __init__(self, job: Job, limits: Limits) -> None:
        self._limits, self._begin = limits, time.monotonic()
        self._awake = self._begin
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the outcome)
        self._ready: float | None = None
        self._peak, self._killed = 0, ""
        self._pid = os.fork()
        if self._pid == 0:
            _be_the_child(job, self._file.fileno(), limits)

    def poll(self) -> Outcome | None:
        """The outcome if the run has ended; otherwise see to its limits."""
        pid, status, usage = os.wait4(self._pid, os.WNOHANG)
        if pid:
            return self._outcome(status, usage)
        if not self._killed and (reason := self._over()):
            self.kill(reason)
        return None

    def pause(self) -> float:
        """The seconds that may pass until the next `poll`."""
        age = time.monotonic() - self._begin
        return min(MOST_PAUSE, LEAST_PAUSE + PAUSE_SHARE * age)

    def kill(self, reason: str) -> None:
        """End the whole family of the run."""
        self._killed = reason
        for pid in reversed(_family(self._pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def _over(self) -> str:
        """The limit that is broken, or nothing."""
        cpu, memory, now = 0.0, 0, time.monotonic()
        for pid in _family(self._pid):
            seconds, size, asleep = _usage(pid)
            cpu, memory = cpu + seconds, memory + size
            self._awake = self._awake if asleep else now
        self._peak = max(self._peak, memory)
        if self._ready is None:
            self._ready = next((line["ready"] for line in self._lines() if "ready" in line), None)
        most = LOADING_SECONDS
        if self._ready is not None:
            most = self._ready + self._limits.seconds * (1 + GRACE_SHARE) + GRACE_SECONDS
        if cpu > most:
            return "time limit"
        if now - self._awake > PATIENCE_SECONDS:
            return "crash: hangs"
        return "memory limit" if memory > self._limits.memory else ""

    def _lines(self) -> list[dict[str, Any]]:
        """What was told so far; a killed run may have torn the last line."""
        size = os.fstat(self._file.fileno()).st_size
        text = os.pread(self._file.fileno(), size, 0)
        return [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]

    def _outcome(self, status: int, usage: resource.struct_rusage) -> Outcome:
        lines = self._lines()
        self._file.close()
        ready = next((line["ready"] for line in lines if "ready" in line), 0.0)
        code = os.waitstatus_to_exitcode(status)
        ended = self._killed or ("done" if code == 0 else f"crash: exit code {code}")
        if code == -signal.SIGXCPU and not self._killed:
            ended = "time limit"
        elif code < 0 and not self._killed:
            ended = f"crash: {signal.Signals(-code).name}"
        return Outcome(
            ended=ended,
            cpu=max(0.0, usage.ru_utime + usage.ru_stime - ready),
            wall=time.monotonic() - self._begin,
            memory=max(self._peak, usage.ru_maxrss * 1024),
            lines=lines,
        )


def outcome_of(job: Job, limits: Limits) -> Outcome:
    """Run a job to its end."""
    run = Run(job, limits)
    while (outcome := run.poll()) is None:
        time.sleep(run.pause())
    return outcome


def _be_the_child(job: Job, file: int, limits: Limits) -> None:
    """Do the job and leave; never returns, so nothing of the parent runs twice."""
    code = 1
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # no orphans of a killed runner
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # sent to all of a job, but for the runner
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # some peers print
            os.dup2(quiet, stream)

        def tell(line: dict[str, Any]) -> None:
            if "ready" in line:
                _ask_the_kernel(line["ready"] + limits.seconds)
            os.write(file, json.dumps(line).encode() + b"\n")

        try:
            job(tell)
            code = 0
        except MemoryError:
            tell({"error": "memory limit"})
        except Exception as error:
            tell({"error": f"crash: {type(error).__name__}: {error}"[:200]})
    finally:
        os._exit(code)


def _ask_the_kernel(seconds: float) -> None:
    """Let the kernel end this process, and any child of it, soon after `seconds` of CPU time."""
    most = math.ceil(seconds * (1 + GRACE_SHARE) + GRACE_SECONDS) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))


def _family(pid: int) -> list[int]:
    """The process and all below it, parents first."""
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        try:
            children = Path(f"/proc/{found[-1]}/task/{found[-1]}/children").read_text()
        except OSError:
            continue
        todo += map(int, children.split())
    return found


def _usage(pid: int) -> tuple[float, int, bool]:
    """CPU seconds (with children waited for), resident bytes, and whether it sleeps; a process that
    is gone uses nothing."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0, 0, True
    fields = stat[stat.rindex(")") + 2 :].split()
    return sum(map(int, fields[11:15])) / _TICKS, pages * _PAGE, fields[0] == "S"
