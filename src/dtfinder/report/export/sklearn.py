"""The tree as a pickled scikit-learn pipeline that needs scikit-learn and pandas, but not dtfinder.

Scikit-learn's trees compare numbers rounded to single precision, and know no words. So the pipeline
first answers every question of the tree exactly, with functions of numpy and pandas alone, and a
DecisionTreeClassifier of the same nodes then goes by the answers:

- `x <= t` is `numpy.digitize(x, [t], right=True)`: 0 where it holds, 1 where x is larger or NaN;
- `x in {…}` is pandas' `isin`, joined by its `isna` where a missing value is among the values;
- dates and durations are read by pandas, whatever form they have, and then compared.

It classifies data frames that have the tree's columns, in any order, with or without others.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from dtfinder.data.dataset import TEXT, TRUTH, Feature
from dtfinder.data.moments import DURATION, moment
from dtfinder.errors import DataError, optional_package
from dtfinder.report.export.clauses import inputs_of
from dtfinder.report.export.sklearn_tree import Flat, put_together
from dtfinder.tree import Tree


def to_sklearn(tree: Tree) -> bytes:
    """The pickle of the pipeline; `pickle.load` and `joblib.load` read it."""
    return pickle.dumps(make_pipeline(tree))


def make_pipeline(tree: Tree) -> Any:
    """The fitted pipeline; of a single leaf, a classifier that always says the same."""
    pandas = optional_package("pandas", "the scikit-learn pipeline needs pandas", "export")
    from sklearn.compose import ColumnTransformer
    from sklearn.dummy import DummyClassifier
    from sklearn.pipeline import Pipeline

    if tree.size == 1:
        label = tree.classes[tree.nodes[0].label]
        only = DummyClassifier(strategy="most_frequent")
        return only.fit([[0.0]], np.array([label]))
    answers = ColumnTransformer(
        [
            (f"feature {number}", _answer(feature, pandas), [feature.column])
            for number, feature in enumerate(tree.features)
        ],
        verbose_feature_names_out=False,
    )
    # Nothing is learnt here but the names of the columns.
    examples = {TEXT: "", TRUTH: False}
    columns = {each.column: [examples.get(each.kind, 0.0)] for each in inputs_of(tree)}
    answers.fit(pandas.DataFrame(columns))
    return Pipeline([("answers", answers), ("tree", _inner(tree))])


def _answer(feature: Feature, pandas: Any) -> Any:
    """The transformer of one column that says whether, or for `<=` whether not, the test holds."""
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import FunctionTransformer

    if isinstance(feature.bound, str):
        return _in_order(feature.bound, pandas)
    if feature.bound is not None:
        bounds = {"bins": [feature.bound], "right": True}
        return FunctionTransformer(np.digitize, kw_args=bounds)
    present = [value for value in feature.values if value is not None]
    among = FunctionTransformer(pandas.DataFrame.isin, kw_args={"values": present})
    if None not in feature.values:
        return among
    gone = FunctionTransformer(pandas.isna)
    if not present:
        return gone
    either = FunctionTransformer(np.max, kw_args={"axis": 1, "keepdims": True})
    return Pipeline([("each", FeatureUnion([("among", among), ("gone", gone)])), ("any", either)])


def _in_order(bound: str, pandas: Any) -> Any:
    """The transformer of a column of dates or durations that says whether it is above `bound`."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    known = moment(bound)
    assert known is not None
    by_length = known[0] in ("time", DURATION)
    if not by_length and not known[0].startswith("date"):
        raise DataError(f"the scikit-learn pipeline cannot compare with a {known[0]}, {bound!r}")
    read = pandas.to_timedelta if by_length else pandas.to_datetime
    limit = read(bound)
    utc = {} if by_length or limit.tz is None else {"utc": True}
    reading = {"func": read, "errors": "coerce", **utc}
    within = {"other": limit if not utc else limit.tz_convert("UTC")}
    return Pipeline(
        [
            ("text", FunctionTransformer(pandas.DataFrame.astype, kw_args={"dtype": str})),
            ("read", FunctionTransformer(pandas.DataFrame.apply, kw_args=reading)),
            ("within", FunctionTransformer(pandas.DataFrame.le, kw_args=within)),
            ("above", FunctionTransformer(np.logical_not)),
        ]
    )


def _inner(tree: Tree) -> Any:
    """The scikit-learn tree over the answers; 0 goes left."""
    flat = []
    for node, counts in zip(tree.nodes, tree.counts, strict=True):
        if node.feature < 0:
            flat.append(Flat(-1, 0.0, -1, -1, node.label, counts))
            continue
        negated = tree.features[node.feature].bound is not None
        left, right = (node.one, node.zero) if negated else (node.zero, node.one)
        flat.append(Flat(node.feature, 0.5, left, right, -1, counts))
    names = [f"feature {number}" for number in range(len(tree.features))]
    model = put_together(flat, np.array(tree.classes), names)
    del model.feature_names_in_  # the answers come as an array
    return model
