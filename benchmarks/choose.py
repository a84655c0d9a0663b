"""Which way to choose a tree generalises best? Repeated cross-validation with the choice inside.

Each table is split into five folds, several times over. Every learner makes all its choices within
the training folds and is judged once on the fold held out:

    exact     the smallest tree without avoidable errors
    cv        `max_nodes="cv"`: the smallest size within one standard error of the best
    depth     scikit-learn, `max_depth` tuned by five-fold cross-validation
    alpha     scikit-learn, `ccp_alpha` tuned by five-fold cross-validation
    pystreed  pystreed's own tuning of the number of nodes, with at most ten thresholds per column
              and depth at most 4, or 3 where there are more than 50 features

    python -m benchmarks.choose run --data ../shared/pmlb --repeats 5 --out choose.jsonl
    python -m benchmarks.choose report choose.jsonl --out docs/results

`run` appends a line for each fit and goes on where it stopped. Our searches are limited by work, so
that the trees do not depend on how busy the machine is.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from dtfinder import find_tree
from dtfinder.data import Table, make_dataset, read_table

TABLES = [
    "breast-cancer",
    "breast-w",
    "cleve",
    "colic",
    "corral",
    "diabetes",
    "haberman",
    "heart-h",
    "heart-statlog",
    "hepatitis",
    "iris",
    "labor",
    "liver-disorder",
    "lymphography",
    "monk1",
    "monk3",
    "new-thyroid",
    "postoperative-patient-data",
    "tic-tac-toe",
    "vote",
]
FOLDS = 5
WORK = 20_000_000  # a few seconds of one CPU
Learned = tuple[list[Any], int, str]  # predictions on the rows held out, nodes, status


def with_dtfinder(training: Table, held_out: Table, limit: float, **options: Any) -> Learned:
    """The exact tree, or the one that the options ask for."""
    result = find_tree(training, time_limit=limit, work_limit=WORK, **options)
    return result.tree.predict(held_out), result.nodes, result.status


def with_scikit_learn(training: Table, held_out: Table, limit: float, name: str) -> Learned:
    """A greedy tree with one parameter tuned."""
    X, y = _numbers(training), training.target
    model = DecisionTreeClassifier(random_state=0)
    grid: dict[str, Any] = {"max_depth": [1, 2, 3, 4, 5, 6, 8, 10, 15, None]}
    if name == "alpha":
        alphas = model.cost_complexity_pruning_path(X, y).ccp_alphas
        grid = {"ccp_alpha": np.unique(np.maximum(alphas, 0))[-60:]}
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    tuned = GridSearchCV(model, grid, cv=folds).fit(X, y)
    nodes = int(tuned.best_estimator_.tree_.node_count)
    return tuned.predict(_numbers(held_out)).tolist(), nodes, ""


def with_pystreed(training: Table, held_out: Table, limit: float) -> Learned:
    """pystreed's tuned tree, in a process of its own: it exits when its time is over."""
    with ProcessPoolExecutor(1) as process:
        return process.submit(tuned_by_pystreed, training, held_out, limit).result()


def tuned_by_pystreed(training: Table, held_out: Table, limit: float) -> Learned:
    """pystreed's tuned tree, on 0/1 features that dtfinder makes of the training rows."""
    from pystreed import STreeDClassifier

    dataset = make_dataset(training, max_thresholds=10, warn=False)
    bits = np.array(
        [feature.holds(training.column(feature.column)) for feature in dataset.features]
    )
    new = np.array([feature.holds(held_out.column(feature.column)) for feature in dataset.features])
    depth = 4 if dataset.n_features <= 50 else 3
    model = STreeDClassifier(
        "cost-complex-accuracy", max_depth=depth, hyper_tune=True, time_limit=limit
    )
    model.fit(bits.T.astype(int), dataset.row_labels)
    predicted = [dataset.classes[int(label)] for label in model.predict(new.T.astype(int))]
    return predicted, 2 * int(model.get_n_leaves()) - 1, f"depth {depth}"


LEARNERS: dict[str, Callable[[Table, Table, float], Learned]] = {
    "exact": with_dtfinder,
    "cv": lambda training, held_out, limit: with_dtfinder(
        training, held_out, limit, max_nodes="cv"
    ),
    "depth": lambda training, held_out, limit: with_scikit_learn(
        training, held_out, limit, "depth"
    ),
    "alpha": lambda training, held_out, limit: with_scikit_learn(
        training, held_out, limit, "alpha"
    ),
    "pystreed": with_pystreed,
}


def _numbers(table: Table) -> np.ndarray:
    """The columns as scikit-learn takes them; the tables of the collection are all numbers."""
    return np.column_stack(table.columns).astype(float)


def run(
    data: Path,
    out: Path,
    repeats: int,
    limit: float,
    tables: list[str],
    learners: list[str] | None = None,
) -> None:
    """Fit the learners, or all, on every split that is not in `out` yet."""
    done = {_key(each) for each in _read(out)}
    out.parent.mkdir(parents=True, exist_ok=True)
    for repeat in range(repeats):
        for name in tables:
            table = read_table(data / name / f"{name}.tsv.gz")
            assert table.target is not None
            folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
            splits = folds.split(np.zeros(table.rows), table.target.astype(str))
            for fold, (training, held_out) in enumerate(splits):
                for learner in learners or LEARNERS:
                    line: dict[str, Any] = {"table": name, "repeat": repeat, "fold": fold}
                    line |= {"learner": learner, "limit": limit}
                    if _key(line) in done:
                        continue
                    line |= _judged(
                        LEARNERS[learner], table.at(training), table.at(held_out), limit
                    )
                    with out.open("a") as file:
                        file.write(json.dumps(line) + "\n")
                    print(json.dumps(line), flush=True)


def _judged(
    learn: Callable[[Table, Table, float], Learned], training: Table, held_out: Table, limit: float
) -> dict[str, Any]:
    assert held_out.target is not None
    begin, cpu = time.perf_counter(), time.process_time()
    try:
        predicted, nodes, status = learn(training, held_out, limit)
    except Exception as error:  # a learner that fails is a line of the results
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    right = [a == b for a, b in zip(predicted, held_out.target.tolist(), strict=True)]
    seconds = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}
    return {"accuracy": float(np.mean(right)), "nodes": nodes, "status": status} | {
        name: round(value, 2) for name, value in seconds.items()
    }


def _key(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in ("table", "repeat", "fold", "learner"))


def _split(line: dict[str, Any]) -> tuple[int, int]:
    return line["repeat"], line["fold"]


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def report(source: Path, out: Path) -> str:
    """The table of the page, over the splits that every learner shown has; also drawn."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for line in _read(source):
        if "accuracy" in line:
            found[line["table"]][line["learner"]].append(line)
    learners = [name for name in LEARNERS if any(name in each for each in found.values())]
    complete = {t: each for t, each in found.items() if all(n in each for n in learners)}
    for each in complete.values():
        shared = set.intersection(*({_split(line) for line in lines} for lines in each.values()))
        for name in learners:
            each[name] = [line for line in each[name] if _split(line) in shared]
    lines = ["| table | " + " | ".join(learners) + " |"]
    lines.append("| --- |" + " ---: |" * len(learners))
    means: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for table in sorted(complete):
        cells = []
        for learner in learners:
            fits = complete[table][learner]
            accuracies = [each["accuracy"] for each in fits]
            error = np.std(accuracies, ddof=1) / np.sqrt(len(fits)) if len(fits) > 1 else 0.0
            nodes = float(np.mean([each["nodes"] for each in fits]))
            means[learner].append((float(np.mean(accuracies)), nodes))
            cells.append(f"{np.mean(accuracies):.3f} ± {error:.3f}, {nodes:.1f}")
        lines.append(f"| {table} | " + " | ".join(cells) + " |")
    cells = [f"{a:.3f}, {n:.1f}" for a, n in (np.mean(means[name], axis=0) for name in learners)]
    lines.append("| **mean** | " + " | ".join(cells) + " |")
    if "cv" in learners and len(complete) > 1:
        cells = [_difference(means["cv"], means[name]) for name in learners]
        lines.append("| **cv is better by** | " + " | ".join(cells) + " |")
    _draw({name: np.array(means[name]) for name in learners}, out / "choose.png")
    return "\n".join(lines) + "\n"


def _difference(ours: list[tuple[float, float]], theirs: list[tuple[float, float]]) -> str:
    """The mean difference in accuracy over the tables, with its standard error."""
    gains = np.array(ours)[:, 0] - np.array(theirs)[:, 0]
    return f"{gains.mean():+.3f} ± {gains.std(ddof=1) / np.sqrt(len(gains)):.3f}"


def _draw(means: dict[str, np.ndarray], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4), layout="constrained")
    axes = figure.add_subplot()
    for name, points in means.items():
        axes.plot(points[:, 1], 100 * points[:, 0], ".", alpha=0.4)
        colour = axes.lines[-1].get_color()
        middle = points.mean(axis=0)
        axes.plot(middle[1], 100 * middle[0], "D", color=colour, label=f"{name}, mean")
    axes.set(xscale="log", xlabel="nodes", ylabel="accuracy on held-out rows, %")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120, facecolor="white")


def main(arguments: list[str] | None = None) -> int:
    """Run the comparison, or make the table and the figure of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("--data", type=Path, required=True)
    running.add_argument("--repeats", type=int, default=5)
    running.add_argument("--time-limit", type=float, default=60)
    running.add_argument("--tables", nargs="*", default=TABLES)
    running.add_argument("--learners", nargs="*", choices=LEARNERS, default=list(LEARNERS))
    running.add_argument("--out", type=Path, required=True)
    reporting = commands.add_parser("report")
    reporting.add_argument("results", type=Path)
    reporting.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    if given.command == "run":
        limit = given.time_limit
        run(given.data, given.out, given.repeats, limit, given.tables, given.learners)
    else:
        print(report(given.results, given.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
