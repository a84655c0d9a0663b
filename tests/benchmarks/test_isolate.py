"""What the watcher says of processes that misbehave; in a fresh process, as a run is forked."""

import json
import subprocess
import sys
from typing import Any

import pytest
from benchmarks.instances import ROOT

SCRIPT = """
import json, os, signal, subprocess, sys, time
from benchmarks import isolate
from benchmarks.isolate import Limits, Run

def answers(tell): tell({"ready": 0.0}); tell({"x": 1})
def raises(tell): raise ValueError("no such thing")
def crashes(tell): os.kill(os.getpid(), signal.SIGSEGV)
def spins(tell):
    tell({"ready": 0.0})
    while True: pass
def spins_in_a_child(tell):
    tell({"ready": 0.0})
    subprocess.run([sys.executable, "-c", "while True: pass"])
def hoards(tell):
    tell({"ready": 0.0}); hoard = []
    while True: hoard.append(bytearray(10**7))
def sleeps(tell):
    tell({"ready": 0.0}); time.sleep(600)
def ignores(tell):
    signal.signal(signal.SIGXCPU, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)
    spins(tell)

isolate.PATIENCE_SECONDS = 0.5
run = Run(globals()[sys.argv[1]], Limits(float(sys.argv[2]), 3 * 10**8))
while not (outcome := run.poll()): time.sleep(run.pause())
print(json.dumps([outcome.ended, outcome.cpu, outcome.memory, outcome.lines]))
"""


def outcome(job: str, seconds: float = 0.4) -> Any:
    command = [sys.executable, "-c", SCRIPT, job, str(seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_an_answer_comes_through() -> None:
    ended, cpu, memory, lines = outcome("answers")
    assert ended == "done"
    assert lines == [{"ready": 0.0}, {"x": 1}]
    assert cpu > 0
    assert memory > 10**6


@pytest.mark.parametrize("job", ["spins", "spins_in_a_child", "ignores"])
def test_cpu_time_is_limited_for_the_whole_family(job: str) -> None:
    ended, cpu, _, _ = outcome(job)
    assert ended == "time limit"
    # A child that was killed is waited for by nobody, so its time is not in the count.
    assert cpu < 2.5
    assert job == "spins_in_a_child" or cpu > 0.4


def test_memory_is_limited() -> None:
    # Time for a machine that is slow to hand out pages: the limit on memory must be met first.
    ended, _, memory, _ = outcome("hoards", seconds=60)
    assert ended == "memory limit"
    assert memory > 3 * 10**8


def test_a_run_that_sleeps_does_not_hold_up_the_campaign() -> None:
    assert outcome("sleeps")[0] == "crash: hangs"


def test_a_crash_and_an_error_are_told_apart() -> None:
    assert outcome("crashes")[0] == "crash: SIGSEGV"
    ended, _, _, lines = outcome("raises")
    assert ended == "crash: exit code 1"
    assert lines == [{"error": "crash: ValueError: no such thing"}]
