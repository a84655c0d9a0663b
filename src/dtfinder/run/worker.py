"""Run a function in a process of its own that can be ended at any moment.

CaDiCaL inside PySAT holds Python's global lock and cannot be interrupted, so a limit on time or
memory, or a Ctrl-C, could be obeyed only between its calls. Here the solving is done by a child
process: `call` sends it a function and its arguments, asks the stop rule every few milliseconds,
and kills the child when there is a reason to.

The child is a plain `python -c …` that talks over pipes in pickles with their length in front. It
is not made by `multiprocessing`, which would run the user's script again where it has no main
guard. It is started by the first call of a thread and then serves that thread until it ends: one
start for a whole grid search. It dies with its parent, even one that was killed: on Linux the
kernel sees to that (for the thread that started it, which is why threads do not share one), and
elsewhere it ends when its pipe closes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from dtfinder.errors import DtfinderError
from dtfinder.run import memory
from dtfinder.run.signals import REASONS
from dtfinder.run.stop import Stop, Stopped

Answer = TypeVar("Answer")

POLL_SECONDS = 0.02
TRIES = 3
KILLED = f"the solver process was killed {TRIES} times, perhaps for lack of memory"
_LENGTH = struct.Struct("<Q")
_CHUNK = 1 << 16
_PR_SET_PDEATHSIG = 1
_START = "from dtfinder.run.worker import serve; serve()"
_WARM = ("dtfinder.decide.by_topology", "pysat.card", "pysat.solvers")

_mine = threading.local()
_inside = False  # whether this process is a worker


class WorkerError(DtfinderError, RuntimeError):
    """The solver process cannot be started, or failed in a way that cannot be told."""


class Killed(Exception):
    """A solver process was killed, by a user or by the kernel for lack of memory."""


def call(
    function: Callable[..., Answer], *arguments: Any, stop: Stop, tries: int = TRIES
) -> Answer:
    """`function(*arguments)`, computed in the worker of this thread.

    The function must be importable by name, arguments and answer must pickle, and computing it
    twice must do no harm: where the worker is killed, another one is asked, up to `tries` times.
    Raises what the function raised, or Stopped as soon as `stop` gives a reason; the worker is then
    gone, and the next call starts another one.
    """
    if reason := stop():
        raise Stopped(reason)
    if getattr(_mine, "direct", False):
        return function(*arguments)
    question = pickle.dumps((function, arguments), protocol=5)
    for _ in range(tries):
        try:
            done, value = _worker().ask(question, stop)
        except Killed:
            continue
        if not done:
            raise value
        answer: Answer = value
        return answer
    raise Stopped(KILLED)


def prepare() -> None:
    """Start the worker of this thread, if it is not there: it gets ready while others work."""
    if not getattr(_mine, "direct", False):
        _worker()


@contextmanager
def in_this_process(*, forks: bool = False) -> Iterator[None]:
    """While inside, `call` computes right here: no child, and no stop before the function ends.
    With `forks`, the caller knows that this process is as free to fork as a worker."""
    before = getattr(_mine, "direct", False), getattr(_mine, "forks", False)
    _mine.direct, _mine.forks = True, forks
    try:
        yield
    finally:
        _mine.direct, _mine.forks = before


def may_fork() -> bool:
    """Whether this process is free to fork: as a worker, it has one thread and nobody's handles."""
    return _inside or getattr(_mine, "forks", False)


def _worker() -> _Worker:
    worker: _Worker | None = getattr(_mine, "worker", None)
    if worker is None or not worker.usable():
        worker = _mine.worker = _Worker()
    return worker


class _Worker:
    """The child process of one thread, seen from the parent."""

    def __init__(self) -> None:
        if not sys.executable:
            raise WorkerError("cannot start the solver process: sys.executable is not set")
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed by _end)
        # The child must find the same dtfinder as this process, and nothing from its directory.
        places = os.pathsep.join(os.path.abspath(place) for place in sys.path)
        with _held_back(REASONS):  # for ever, in the child: it is for the parent to end it
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                env={**os.environ, "PYTHONPATH": places},
                start_new_session=True,
            )
        self._owner = os.getpid()
        memory.helpers.add(self._process.pid)
        self._end = weakref.finalize(self, _end, self._process, self._stderr, self._owner)

    def usable(self) -> bool:
        """Whether it is alive and ours: after a fork it still belongs to the old process."""
        return self._owner == os.getpid() and self._end.alive and self._process.poll() is None

    def ask(self, question: bytes, stop: Stop) -> tuple[bool, Any]:
        """What `serve` answers to a pickled question; ends the child whenever it is not waited
        for until its answer."""
        try:
            return self._exchange(_LENGTH.pack(len(question)) + question, stop)
        except BaseException:
            self._end()
            raise

    def _exchange(self, frame: bytes, stop: Stop) -> tuple[bool, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        to_send, received = memoryview(frame), bytearray()
        with selectors.DefaultSelector() as ready:
            ready.register(self._process.stdout, selectors.EVENT_READ)
            os.set_blocking(self._process.stdin.fileno(), False)
            ready.register(self._process.stdin, selectors.EVENT_WRITE)
            while True:
                for key, _ in ready.select(POLL_SECONDS):
                    if key.fileobj is self._process.stdout:
                        piece = os.read(key.fd, _CHUNK)
                        if not piece:
                            raise self._death()
                        received += piece
                        if (answer := _unpack(received)) is not None:
                            return answer
                    else:
                        try:
                            to_send = to_send[os.write(key.fd, to_send[:_CHUNK]) :]
                        except BrokenPipeError:
                            raise self._death() from None
                        if not to_send:
                            ready.unregister(self._process.stdin)
                if reason := stop():
                    raise Stopped(reason)

    def _death(self) -> Exception:
        """What to raise for a child that died: bounds proven until then stand."""
        code = self._process.wait()
        self._stderr.seek(0)
        words = self._stderr.read().decode(errors="replace").strip()
        if "bad_alloc" in words or "out of memory" in words.lower():  # and so it ended itself
            return Stopped("memory limit")
        if code == -signal.SIGKILL:
            return Killed()
        last = f": {words.splitlines()[-1]}" if words else ""
        return Stopped(f"the solver process ended with code {code}{last}")


@contextmanager
def _held_back(signals: Iterable[signal.Signals]) -> Iterator[None]:
    """Let signals wait meanwhile. A process that is started inside never gets them: schedulers and
    systemd send theirs to all processes of a job at once, and a solver that died of one would look
    like a failure of its own."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _unpack(received: bytearray) -> tuple[bool, Any] | None:
    """The answer, once all of it is here."""
    if len(received) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack_from(received)
    if len(received) < _LENGTH.size + length:
        return None
    answer: tuple[bool, Any] = pickle.loads(memoryview(received)[_LENGTH.size :])
    return answer


def _end(process: subprocess.Popen[bytes], stderr: Any, owner: int) -> None:
    """Kill the child with all that it forked, and leave nothing open."""
    memory.helpers.discard(process.pid)
    if os.getpid() == owner:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
        process.wait()
    else:
        process.returncode = 0  # a fork's copy: not its child, so not for it to wait for
    for pipe in (process.stdin, process.stdout, stderr):
        if pipe is not None:
            pipe.close()


# What follows runs in the child.


def serve() -> None:
    """Answer questions until the pipe closes. Standard output is kept for the answers alone."""
    global _inside
    _inside = True
    parent = os.getppid()
    die_with_parent(parent)
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for name in _WARM:
        import_module(name)
    gc.freeze()  # what is imported stays, so no collection has to look at it
    while head := questions.read(_LENGTH.size):
        body = questions.read(_LENGTH.unpack(head)[0])
        reply = _reply(body)
        answers.write(_LENGTH.pack(len(reply)))
        answers.write(reply)
        answers.flush()
        del body, reply
        _give_memory_back()


def _reply(question: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(question)
        return pickle.dumps((True, function(*arguments)), protocol=5)
    except MemoryError:
        return pickle.dumps((False, Stopped("memory limit")))
    except Exception as error:
        try:
            return pickle.dumps((False, error))
        except Exception:
            return pickle.dumps((False, WorkerError(f"{type(error).__name__}: {error}")))


def die_with_parent(parent: int) -> None:
    """Ask the kernel to end this process together with `parent`, where it can."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the kernel was asked
        os._exit(1)


def _give_memory_back() -> None:
    """Return what a solver used to the system, so that it counts against no later run."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
