"""`dtfinder score`, and `dtfinder predict` with probabilities or with the rows it classified."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest
from sklearn import metrics

from dtfinder.cli.app import run as run_command

Outcome = tuple[int, str, str]
Run = Callable[..., Outcome]


# The first two rows contradict each other, so a leaf is mixed.
TABLE = "id,a,b,kind\n01,0,x,no\n02,0,x,yes\n03,0,x,no\n04,1,x,yes\n05,1,y,no\n06,0,y,yes\n"
NEW = "id,a,b,kind\n01,0,x,yes\n02,0,y,no\n03,1,x,yes\n04,1,x,no\n05,1,y,no\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """A function that runs the command line in a folder with a tree and tables."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "new.csv").write_text(NEW)

    def run(*arguments: Any) -> Outcome:
        code = run_command(list(arguments))
        return code, *capsys.readouterr()

    assert run("fit", "table.csv", "--ignore", "id", "-q", "--tree", "tree.json") == (0, "", "")
    return run


def complaint(outcome: Outcome) -> str:
    code, out, err = outcome
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    return err


def test_probabilities_are_the_shares_of_the_leaf(run: Run) -> None:
    code, out, _ = run("predict", "tree.json", "new.csv", "--probabilities")
    assert code == 0
    rows = list(csv.DictReader(out.splitlines()))
    assert [float(row["P(no)"]) for row in rows] == pytest.approx([2 / 3, 0, 0, 0, 1])
    assert [float(row["P(no)"]) + float(row["P(yes)"]) for row in rows] == pytest.approx([1] * 5)


def test_append_keeps_the_table_as_it_was_written(run: Run) -> None:
    code, out, _ = run("predict", "tree.json", "new.csv", "--append")
    assert code == 0
    classes = run("predict", "tree.json", "new.csv")[1].splitlines()
    lines = zip(NEW.splitlines(), ["predicted", *classes], strict=True)
    assert out == "".join(f"{row},{label}\n" for row, label in lines)


def test_append_twice_gives_another_column(run: Run, tmp_path: Path) -> None:
    assert run("predict", "tree.json", "new.csv", "--append", "--out", "once.csv")[0] == 0
    out = run("predict", "tree.json", "once.csv", "--append", "--probabilities")[1]
    head = out.splitlines()[0]
    assert head == "id,a,b,kind,predicted,predicted_2,P(no),P(yes)"


def test_append_quotes_and_leaves_out_what_is_missing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text('a,b,"no, te"\n0,x,"say ""hi"""\n1,y,\n')
    out = run("predict", "tree.json", "odd.csv", "--append")[1]
    assert list(csv.reader(out.splitlines())) == [
        ["a", "b", "no, te", "predicted"],
        ["0", "x", 'say "hi"', "no"],
        ["1", "y", "", "no"],
    ]


def test_append_to_parquet(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": [0, 1], "b": ["x", "y"], "c": [1.5, None], "d": [True, False]})
    frame.to_parquet(tmp_path / "new.parquet")
    out = run("predict", "tree.json", "new.parquet", "--append")[1]
    assert out == "a,b,c,d,predicted\n0,x,1.5,True,no\n1,y,,False,no\n"


def test_a_tree_of_one_leaf(run: Run, tmp_path: Path) -> None:
    leaf = {"classes": ["no", "yes"], "features": [], "nodes": [{"class": 1, "counts": [1, 3]}]}
    (tmp_path / "leaf.json").write_text(json.dumps(leaf))
    assert run("predict", "leaf.json", "new.csv")[1] == "yes\n" * 5
    assert run("predict", "leaf.json", "new.csv", "--probabilities")[1].endswith("\n0.25,0.75\n")
    assert json.loads(run("score", "leaf.json", "new.csv", "--json", "-")[1])["accuracy"] == 0.4


# Score


def test_scores_agree_with_scikit_learn(run: Run, tmp_path: Path) -> None:
    """On a table of three classes that a tree of two gets partly wrong."""
    (tmp_path / "new.csv").write_text(NEW + "06,1,x,maybe\n07,0,y,no\n08,0,y,yes\n")
    code, out, err = run("score", "tree.json", "new.csv", "--json", "-")
    assert (code, err) == (0, "")
    scores = json.loads(out)
    actual = [line.rsplit(",", 1)[1] for line in (tmp_path / "new.csv").read_text().split()[1:]]
    predicted = run("predict", "tree.json", "new.csv")[1].split()
    names = scores["classes"]
    assert names == ["no", "yes", "maybe"]
    confusion = metrics.confusion_matrix(actual, predicted, labels=names)
    assert scores["confusion"] == confusion.tolist()
    assert scores["accuracy"] == pytest.approx(metrics.accuracy_score(actual, predicted))
    balanced = metrics.balanced_accuracy_score(actual, predicted)
    assert scores["balanced_accuracy"] == pytest.approx(balanced)
    precision, recall, _, support = metrics.precision_recall_fscore_support(
        actual, predicted, labels=names, zero_division=0
    )
    assert [each["precision"] or 0 for each in scores["per_class"]] == pytest.approx(precision)
    assert [each["recall"] or 0 for each in scores["per_class"]] == pytest.approx(recall)
    assert [each["rows"] for each in scores["per_class"]] == support.tolist()
    assert scores["per_class"][2]["precision"] is None  # it is never predicted


def test_scores_as_text(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("score", "tree.json", "new.csv", "--json", "s.json")
    assert code == 0
    assert out.splitlines() == [
        "accuracy           0.4000  (2 of 5 rows)",
        "balanced accuracy  0.4167  (mean recall)",
        "",
        "kind  as no  as yes  precision  recall",
        "no        1       2     0.5000  0.3333",
        "yes       1       1     0.3333  0.5000",
    ]
    assert json.loads((tmp_path / "s.json").read_text())["correct"] == 2


def test_classes_are_the_same_if_they_are_written_the_same(run: Run, tmp_path: Path) -> None:
    """With fewer classes, a column that was text may be read as numbers or truth values."""
    (tmp_path / "t.csv").write_text("a,c\n1,1\n2,true\n3,01\n4,x\n")
    (tmp_path / "few.csv").write_text("a,c\n1,1\n2,1\n3,01\n")
    (tmp_path / "truths.csv").write_text("a,c\n2,true\n2,true\n")
    assert run("fit", "t.csv", "-q", "--tree", "t.json")[0] == 0
    assert "(2 of 3 rows)" in run("score", "t.json", "few.csv")[1]
    assert "(2 of 2 rows)" in run("score", "t.json", "truths.csv")[1]


def test_a_score_is_about_the_class_of_the_tree(run: Run, tmp_path: Path) -> None:
    """Also where another column is the last one, such as the class that `predict` has appended, or
    is called `target`."""
    assert run("predict", "tree.json", "new.csv", "--append", "--out", "more.csv")[0] == 0
    (tmp_path / "named.csv").write_text("target,kind,a,b\nno,yes,0,x\nno,no,0,y\n")
    assert run("score", "tree.json", "more.csv") == run("score", "tree.json", "new.csv")
    assert "(0 of 2 rows)" in run("score", "tree.json", "named.csv")[1]
    assert "(1 of 2 rows)" in run("score", "tree.json", "named.csv", "--target", "target")[1]


def test_a_matrix_of_many_classes_is_left_out(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{number},c{number}\n" for number in range(21))
    (tmp_path / "many.csv").write_text(f"a,c\n{rows}")
    assert run("fit", "many.csv", "-q", "--tree", "t.json")[0] == 0
    lines = run("score", "t.json", "many.csv")[1].splitlines()
    assert lines[3].split() == ["c", "precision", "recall"]
    assert len(lines) == 25


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tree.json", "no.csv"), "there is no file 'no.csv'"),
        (("table.csv", "new.csv"), "'table.csv' is not a tree that dtfinder wrote"),
        (("front.json", "new.csv"), "'front.json' has the trees of a front; write the one that"),
        (("odd.json", "new.csv"), "'odd.json': this is not a tree that dtfinder wrote: it has no"),
        (("tree.json", "other.csv"), "the table has no column 'a', which the tree asks about"),
        (("tree.json", "new.csv", "--target", "none"), "no column 'none' to be the target"),
        (("tree.json", "new.csv", "--target", "a"), "cannot be the class; name the class column"),
        (("tree.json", "new.csv", "--target", "id"), "no row of column 'id' has a class of the"),
        (("tree.json", "open.csv"), "class column 'kind' has no value"),
        (("tree.json", "gone.csv"), "column 'a' has no value in 1 of 1 rows"),
        (("tree.json", "new.csv", "--json", "new.csv"), "--json would overwrite 'new.csv'"),
        (("tree.json", "new.csv", "--json", "no/dir"), "--json cannot write 'no/dir'"),
        (("tree.json", "new.csv", "--missing", "no"), "--missing must be one of error, value"),
    ],
)
def test_score_says_what_is_wrong(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "other.csv").write_text("x,kind\n1,no\n2,yes\n")
    (tmp_path / "open.csv").write_text("a,b,kind\n0,x,no\n1,y,\n")
    (tmp_path / "gone.csv").write_text("a,b,kind\n,x,no\n")
    (tmp_path / "front.json").write_text('{"front": []}')
    (tmp_path / "odd.json").write_text("{}")
    before = sorted(tmp_path.iterdir())
    assert message in complaint(run("score", *arguments))
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "new.csv").read_text() == NEW
