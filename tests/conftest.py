"""What all tests share."""

import math
import signal

import pytest
from hypothesis import settings

import proven
from dtfinder.run import signals

# How long one example takes depends on the machine and on what else it does, so it is no failure.
settings.register_profile("dtfinder", deadline=None)
settings.load_profile("dtfinder")

# A test run in the background, or under nohup, starts with signals ignored, and the programs that
# it starts inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for _number in (signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def no_ctrl_c_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that press Ctrl-C are no loop to be left by the second of them."""
    monkeypatch.setattr(signals, "_pressed", -math.inf)


@pytest.fixture(autouse=True)
def three_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of several workers have them on every machine."""
    monkeypatch.setattr("dtfinder.run.pool.cpus", lambda: 3)


def pytest_configure(config: pytest.Config) -> None:
    """Hold every result that is called optimal to it."""
    config.addinivalue_line("markers", proven.MARKER)
    watch = proven.Watch()
    watch.start()
    config.pluginmanager.register(watch, "proven")
