"""The picture of a front: what it shows, and where it cannot be written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dtfinder import Front, find_front
from dtfinder.cli.app import run
from dtfinder.report.pruned import pruned_greedy


def labels(front: Front) -> list[str]:
    return [text.get_text() for text in front.plot().legends[0].get_texts()]


def test_proven_points_bands_and_the_choice() -> None:
    front = find_front("weather", max_nodes="cv", cv_folds=3)
    shown = labels(front)
    assert shown[:2] == ["fewest errors, proven", "scikit-learn's tree, pruned"]
    assert "chosen size" in shown
    assert any(each.startswith("held-out rows, 3 folds") for each in shown)
    axes = front.plot().axes[0]
    proven = next(line for line in axes.lines if line.get_label() == "fewest errors, proven")
    assert np.asarray(proven.get_xdata()).tolist() == [1, 3, 5, 7, 9]
    errors = np.asarray(proven.get_ydata()).tolist()
    assert errors == pytest.approx([100 * n / 14 for n in (5, 4, 2, 2, 0)])


def test_open_sizes_have_a_band() -> None:
    whole = find_front("weather")
    half = replace(whole[2], status="feasible", bounds=replace(whole[2].bounds, errors=1))
    front = replace(whole, results=(*whole[:2], half, *whole[3:]))
    shown = labels(front)
    assert "best found" in shown
    assert "open: between bound and best found" in shown


def test_pruned_trees_are_never_better_than_the_front() -> None:
    random = np.random.default_rng(1)
    X, y = random.integers(0, 2, (60, 6)), random.integers(0, 2, 60)
    front = find_front(X, y, max_nodes=15)
    assert front[0].dataset is not None
    points = pruned_greedy(front[0].dataset, 15)
    assert points[0][0] == 1
    for size, share in points:
        assert share * 60 >= front.within(max_nodes=size).errors - 1e-9


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    svg, png = tmp_path / "front.svg", tmp_path / "front.png"
    assert run(["front", "weather", "--plot", str(svg), "--plot", str(png), "-q"]) == 0
    assert "wrong rows, %" in svg.read_text()
    assert png.read_bytes().startswith(b"\x89PNG")
    first = svg.read_text()
    assert run(["front", "weather", "--plot", str(svg), "-q"]) == 0
    assert svg.read_text() == first
    for option, place, message in (
        ("--plot", "front.gif", "a picture must end in .png, .svg or .pdf"),
        ("--plot", "no/such/front.svg", "--plot cannot write"),
        ("--report", "no/such/page.html", "--report cannot write"),
        ("--report", str(svg), "which is what --report writes"),
    ):
        table = ["--plot", str(svg)] if place == str(svg) else []
        assert run(["front", "weather", option, place, *table]) == 2
        assert message in capsys.readouterr().err


def test_the_page_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert run(["front", "weather", "--report", str(page), "-q"]) == 0
    assert "From 5 errors with 1 node to 0 errors with 9" in page.read_text()
    assert run(["front", "weather", "--report", "-"]) == 0
    assert capsys.readouterr().out.startswith("<!DOCTYPE html>")
