"""The size that cross-validation chooses: the folds, the rule, limits and wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dtfinder import find_front, find_tree
from dtfinder.advice import SizeScore
from dtfinder.cli.app import run
from dtfinder.data import make_dataset, read_table
from dtfinder.errors import OptionError
from dtfinder.front.choose import choose_size, deal
from dtfinder.problem import Progress


def rule_table(rows: int, flipped: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a rule of 7 nodes over 8 random bits, some with the wrong class."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (rows, 8))
    y = np.where(X[:, 0] == 1, X[:, 1], X[:, 2])
    y[random.choice(rows, flipped, replace=False)] ^= 1
    return X, y


def sizes(*scores: tuple[float, float]) -> tuple[SizeScore, ...]:
    return tuple(SizeScore(2 * n + 1, mean, error, 5) for n, (mean, error) in enumerate(scores))


def test_the_rule_takes_the_smallest_size_within_one_standard_error() -> None:
    scores = sizes((0.6, 0.01), (0.85, 0.03), (0.88, 0.03), (0.9, 0.02), (0.9, 0.01))
    assert choose_size(scores, "1se") == 5
    assert choose_size(scores, "best") == 7
    assert choose_size(sizes((0.5, 0.0), (0.5, 0.0)), "best") == 1


def test_folds_have_equal_shares_of_every_class() -> None:
    X, y = rule_table(103, 10)
    dataset = make_dataset(read_table(X, y))
    folds = deal(dataset, 5, seed=3)
    assert sorted(set(folds.tolist())) == [0, 1, 2, 3, 4]
    for label in (0, 1):
        counts = np.bincount(folds[y == label], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert np.ptp(np.bincount(folds)) <= 1
    assert (folds == deal(dataset, 5, seed=3)).all()
    assert (folds != deal(dataset, 5, seed=4)).any()


def test_rows_that_were_dropped_are_in_no_fold() -> None:
    X = np.array([[0, 1], [0, 1], [1, 0], [1, 1], [0, 0]])
    dataset = make_dataset(read_table(X, [0, 1, 1, 1, 0]), contradictions="drop")
    assert deal(dataset, 3, seed=0).tolist()[:2] == [-1, -1]


def test_noise_is_not_fitted() -> None:
    X, y = rule_table(150, 12)
    result = find_tree(X, y, max_nodes="cv")
    assert (result.status, result.nodes, result.errors, result.max_nodes) == ("optimal", 7, 12, 7)
    choice = result.choice
    assert choice is not None
    assert (choice.nodes, choice.folds, choice.rule) == (7, 5, "1se")
    assert [each.nodes for each in choice.sizes] == list(range(1, 32, 2))
    assert choice.chosen.accuracy == pytest.approx(138 / 150, abs=1e-9)
    assert choice.chosen.proven == 5
    assert "cross-validated: at most 7 nodes, accuracy 0.920 ± 0.0" in str(result)
    assert result.to_json()["choice"]["nodes"] == 7


def test_the_accuracy_is_that_of_each_fold_judged_by_hand() -> None:
    X, y = rule_table(60, 6)
    choice = find_tree(X, y, max_nodes="cv", cv_folds=3, cv_max_nodes=5, cv_seed=1).choice
    assert choice is not None
    folds = deal(make_dataset(read_table(X, y)), 3, seed=1)
    accuracies = [
        np.mean(
            find_tree(X[folds != k], y[folds != k], max_nodes=1).tree.predict(X[folds == k])
            == y[folds == k]
        )
        for k in range(3)
    ]
    assert len(choice.sizes) == 3
    assert choice.sizes[0].accuracy == pytest.approx(np.mean(accuracies))
    spread = np.std(accuracies, ddof=1) / np.sqrt(3)
    assert choice.sizes[0].standard_error == pytest.approx(spread)


def test_workers_and_watchers_do_not_change_the_choice() -> None:
    X, y = rule_table(80, 5)
    seen: list[Progress] = []
    alone = find_tree(X, y, max_nodes="cv", cv_max_nodes=9, callback=seen.append)
    several = find_tree(X, y, max_nodes="cv", cv_max_nodes=9, workers=3)
    assert alone.choice is not None
    assert several.choice is not None
    assert several.choice.sizes == alone.choice.sizes
    names = {state.method for state in seen}
    assert {f"fold {k} of 5" for k in range(1, 6)} | {"counting"} == names


def test_a_time_limit_gives_the_best_choice_so_far() -> None:
    random = np.random.default_rng(0)
    X, y = random.integers(0, 6, size=(120, 8)), random.integers(0, 2, 120)
    result = find_tree(X, y, max_nodes="cv", time_limit=1.5)
    assert result.choice is not None
    assert result.choice.stopped_by == "time limit"
    assert result.nodes <= result.choice.nodes


def test_no_time_at_all_still_gives_a_choice_and_a_tree() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 6)), random.integers(0, 2, 200)
    result = find_tree(X, y, max_nodes="cv", time_limit=1e-6)
    assert result.stopped_by == "time limit"
    assert result.choice is not None
    assert result.errors_lower_bound <= result.errors


def test_a_front_has_the_choice_beside_it() -> None:
    X, y = rule_table(80, 5)
    front = find_front(X, y, max_nodes="cv", cv_max_nodes=9)
    assert front.choice is not None
    assert front.choice.nodes == 7
    assert len(front) <= 5
    assert "chosen" in str(front).splitlines()[4]
    assert front.to_json()["choice"]["rule"] == "1se"


def test_a_tree_of_another_size_says_which_one_is_preferred() -> None:
    X, y = rule_table(150, 12)
    front = find_front(X, y, max_nodes="cv")
    assert front.choice is not None
    for place, result in enumerate(front):
        line = str(result).splitlines()[-1]
        if result.max_nodes == front.choice.nodes:
            assert line.startswith(f"cross-validated: at most {front.choice.nodes} nodes")
        else:
            chosen, own = front.choice.chosen.accuracy, front.choice.sizes[place].accuracy
            assert line.startswith(f"cross-validation prefers at most {front.choice.nodes} nodes")
            assert f"accuracy {chosen:.3f}" in line
            assert f"to accuracy {own:.3f}" in line
    assert "prefers" not in str(find_tree(X, y, max_nodes="cv"))


def test_without_a_limit_the_last_search_is_limited_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    random = np.random.default_rng(1)
    X, y = random.integers(0, 2, (120, 14)), random.integers(0, 2, 120)
    monkeypatch.setattr("dtfinder.front.choose.LAST_WORK", 1)
    monkeypatch.setattr("dtfinder.front.choose.FOLD_WORK", 1000)
    with caplog.at_level("INFO", "dtfinder"):
        front = find_front(X, y, max_nodes="cv", cv_folds=2, cv_rule="best")
        assert front.stopped_by == "work limit"
        assert "not all is proven" in caplog.text
        caplog.clear()
        assert find_front(X, y, max_nodes="cv", cv_folds=2, work_limit=9).stopped_by == "work limit"
        assert caplog.text == ""


def test_a_fold_of_one_class_and_a_class_of_one_row() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [0, 1]])
    result = find_tree(X, ["a", "a", "a", "a", "a", "b"], max_nodes="cv", cv_folds=3)
    assert result.choice is not None
    assert result.choice.nodes == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_nodes": "vc"}, "max_nodes must be a whole number or cv, not 'vc'"),
        ({"cv_folds": 1}, "cv_folds must be at least 2, not 1"),
        ({"cv_folds": 15}, "cv_folds=15 needs at least 15 rows, and the table has 14"),
        ({"cv_rule": "2se"}, "cv_rule must be one of 1se, best, not '2se'"),
        ({"cv_seed": -1}, "cv_seed must be at least 0, not -1"),
        ({"cv_max_nodes": 0}, "cv_max_nodes must be at least 1, not 0"),
        ({"max_errors": 2}, "max_nodes='cv' and max_errors cannot be used together"),
        ({"leaf_penalty": 0.1}, "max_nodes='cv' and leaf_penalty cannot be used together"),
        ({"method": "cores"}, "max_nodes='cv' chooses among trees with errors"),
        ({"checkpoint": "x.check"}, "checkpoint cannot be used with max_nodes='cv'"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    given = {"max_nodes": "cv"} | options
    with pytest.raises(OptionError) as error:
        find_tree("weather", **given)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "result.json"
    asked = ["fit", "weather", "--max-nodes", "cv", "--cv-folds"]
    assert run([*asked, "7", "--json", str(out)]) == 0
    assert "on 7 folds" in capsys.readouterr().out
    assert json.loads(out.read_text())["choice"]["folds"] == 7
    assert run([*asked, "70"]) == 2
    said = capsys.readouterr().err
    assert "--cv-folds 70 needs at least 70 rows, and the table has 14" in said
    assert "set --max-nodes yourself" in said
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "1,x\n0,y\n" * 4)
    assert run(["fit", str(table), "--max-nodes", "cv", "--cv-folds", "2"]) == 0
    assert capsys.readouterr().err.count("note: class: b, the last column") == 1
    assert run(["front", "weather", "--max-nodes", "5", "--cv-folds", "2"]) == 0
    assert "--cv-folds has no effect without --max-nodes cv" in capsys.readouterr().err


def test_with_weights_the_accuracy_is_called_weighted() -> None:
    X, y = rule_table(80, 5)
    front = find_front(X, y, max_nodes="cv", cv_max_nodes=5, class_weight={0: 1, 1: 2.5})
    head, *lines = str(front).splitlines()
    assert head == "nodes  error weight  proven  depth  cross-validated"
    assert lines[0].startswith(f"    1  {front[0].error_weight:12g}  yes")
    assert "node, weighted accuracy 0." in lines[-1]
    assert "to weighted accuracy" in str(front[-1]).splitlines()[-1]
    assert "of the weight of rows held out" in front.to_html()
