"""A rule with some labels flipped: which tree finds the rule again?

400 rows of 12 random bits and 3 random numbers have the classes of a rule of 19 nodes, some of them
flipped. Trees learn from these rows and are scored on 5,000 rows without a flip: the exact tree,
the size that cross-validation chooses (`max_nodes="cv"`), and scikit-learn's tree with its
`ccp_alpha` tuned by five-fold cross-validation. For 3 flips, the audit should list them first.

    python -m benchmarks.flipped --seeds 3 --time-limit 60 --out build/flipped.json
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from dtfinder import find_front, find_tree

ROWS, CLEAN, FLIPS = 400, 5000, (0, 3, 16, 42)
BITS = 12


def rows_of(count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Random rows with the classes of the rule."""
    bits = random.integers(0, 2, (count, BITS)).astype(float)
    numbers = random.integers(0, 10, (count, 3)).astype(float)
    X = np.hstack([bits, numbers])
    a, b, c, d = (bits[:, place] == 1 for place in range(4))
    high, low = numbers[:, 0] >= 5, numbers[:, 1] < 3
    y = np.where(a, np.where(b, high, np.where(c, True, low)), np.where(d, ~high, c & b))
    return X, y.astype(int)


def trial(flips: int, seed: int, limit: float) -> dict[str, Any]:
    """Accuracy on clean rows and nodes of each tree, and the place of each flip in the audit."""
    random = np.random.default_rng(1000 * seed + flips)
    X, y = rows_of(ROWS, random)
    clean, truth = rows_of(CLEAN, random)
    flipped = random.choice(ROWS, flips, replace=False)
    y[flipped] ^= 1
    found: dict[str, Any] = {"flips": flips, "seed": seed}

    def note(name: str, predicted: Any, nodes: int, begin: float, status: str = "") -> None:
        accuracy = float(np.mean(np.asarray(predicted) == truth))
        seconds = round(time.process_time() - begin, 2)
        found[name] = {"accuracy": accuracy, "nodes": nodes, "cpu": seconds, "status": status}

    begin = time.process_time()
    exact = find_tree(X, y, time_limit=limit)
    note("exact", exact.tree.predict(clean), exact.nodes, begin, exact.status)
    begin = time.process_time()
    chosen = find_tree(X, y, max_nodes="cv", time_limit=limit)
    note("cv", chosen.tree.predict(clean), chosen.nodes, begin, chosen.status)
    begin = time.process_time()
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y)
    alphas = {"ccp_alpha": np.unique(np.maximum(path.ccp_alphas, 0))}
    pruned = GridSearchCV(DecisionTreeClassifier(random_state=0), alphas, cv=5).fit(X, y)
    note("greedy", pruned.predict(clean), pruned.best_estimator_.tree_.node_count, begin)
    if flips == 3:
        audit = find_front(X, y, max_nodes=max(exact.nodes, 31), time_limit=limit).audit()
        places = {each.row: place for place, each in enumerate(audit.suspects, 1)}
        found["audit"] = sorted(places.get(row, 0) for row in flipped.tolist())
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run all trials, print a line for each, and write them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--out", type=Path, default=Path("build/flipped.json"))
    given = parser.parse_args(arguments)
    trials = []
    for flips in FLIPS:
        for seed in range(given.seeds):
            trials.append(trial(flips, seed, given.time_limit))
            print(json.dumps(trials[-1]), flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(trials, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
