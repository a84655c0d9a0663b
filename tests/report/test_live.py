import io

from dtfinder.problem import Bounds, Progress
from dtfinder.report.live import Live, live_line


def test_the_line_shows_both_bounds_and_the_gap():
    state = Progress(1.0, Bounds(11, 3), 15, 4, "dtfinder", "size")
    assert live_line(state, 2.13) == "dtfinder  nodes 11 … 15  depth 3 … 4  gap 4  2.1 s"


def test_depth_comes_first_when_depth_is_minimised():
    state = Progress(1.0, Bounds(11, 3), 15, 4, "d-dtfinder", "depth")
    assert live_line(state, 2.0) == "d-dtfinder  depth 3 … 4  nodes 11 … 15  gap 1  2.0 s"


def test_no_tree_yet():
    assert "?" in live_line(Progress(0.1, Bounds(3, 1), None, None, "m"), 0.1)
    assert live_line(None, 0.5) == "reading the table  0.5 s"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_draws_over_itself_and_leaves_nothing(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = _Terminal()
    with Live(stream) as live:
        live.moved(Progress(1.0, Bounds(11, 3), 15, 4, "dtfinder", "size"))
        assert live() is None
    drawn = stream.getvalue()
    assert "nodes 11 … 15" in drawn
    assert "\x1b[2K" in drawn.rsplit("nodes 11 … 15", 1)[1], "the line is erased at the end"
