"""Results to make pages of, without a search: made by hand, or greedy."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas

from dtfinder import Result, find_tree
from dtfinder.problem import Progress, Score
from dtfinder.tree import Tree

NASTY = '</script><script>alert("x")</script>'


def result_of(tree: Tree, **changes: Any) -> Result:
    """A finished run that found `tree`, without its data."""
    bounds = Score(inner=tree.size // 2, depth=tree.depth)
    history = (
        Progress(
            0.01, Score(inner=1, depth=1), Score(inner=tree.size // 2 + 3, depth=tree.depth + 1)
        ),
        Progress(0.4, Score(inner=2, depth=2), bounds),
        Progress(2.0, bounds, bounds),
    )
    plain = Result("optimal", tree, bounds, 0, 0, "auto", "size", 2.5, history=history)
    return replace(plain, **changes)


def mixed_result() -> Result:
    """The greedy tree of a table with columns of all kinds, odd names and missing values."""
    pick = np.random.default_rng(3)
    rows = 80
    number = np.round(pick.normal(size=rows) * 10, 2)
    number[pick.random(rows) < 0.1] = math.nan
    word = pick.choice(["red", "dark green", NASTY, "über", "it's"], rows).astype(object)
    word[pick.random(rows) < 0.1] = None
    truth = (pick.random(rows) < 0.5).astype(object)
    key = np.where(np.isnan(number), 1, number > 3) + 2 * (word == NASTY) + (truth == True)  # noqa: E712
    columns = {"size (mm)": number, NASTY: word, "flag": truth, "noise": pick.normal(size=rows)}
    frame = pandas.DataFrame(columns).astype({NASTY: object, "flag": object})
    labels = np.array(["low", "mid & <b>", "high", "top", "beyond"], dtype=object)[key.astype(int)]
    return find_tree(frame, labels, method="sklearn", missing="value")


def page_of(result: Result, name: str = "") -> str:
    """The page with all that the result knows."""
    return result.to_html(name)
