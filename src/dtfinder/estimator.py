"""The smallest tree as a scikit-learn classifier.

Its parameters are the options of `options.py`, so a new option is a new parameter. The rest is a
thin layer: tables go through `data`, the search through `solve`, predictions through `Tree`.
"""

from __future__ import annotations

import inspect
import warnings
from dataclasses import fields, replace
from datetime import date, time, timedelta
from numbers import Integral
from textwrap import indent
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Bunch
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d, validate_data

from dtfinder.data import Table, make_dataset, read_table
from dtfinder.data.build import class_indices
from dtfinder.data.class_sets import is_listed
from dtfinder.data.columns import missing_in, typed_column
from dtfinder.data.frames import as_array, is_frame
from dtfinder.data.table_warnings import warn_of_order
from dtfinder.data.weights import checked_weights
from dtfinder.errors import DataError, Option, OptionError, suggestion
from dtfinder.front.find import front_of
from dtfinder.options import CV, DEFAULT_WORK, CommonOptions, Options, option_docs
from dtfinder.problem import DEPTH, Callback
from dtfinder.result import Result
from dtfinder.solve import solve

# The most common ones first, then the others in the order of the table.
_FIRST = ("minimise", "method", "max_depth", "max_nodes", "time_limit", "memory_limit")
_DEFAULTS = {each.name: each.default for each in fields(Options)} | {"work_limit": DEFAULT_WORK}
_DEFAULTS["verbose"] = False  # not an option of the search: it changes only what is shown
# Scikit-learn has another name for the number of workers, where None means one and -1 all.
del _DEFAULTS["workers"]
del _DEFAULTS["classes_separator"]  # it takes one class for each row
_DEFAULTS["n_jobs"] = None
_NAMES = sorted(_DEFAULTS, key=lambda name: (*_FIRST, name).index(name))


def _parameters() -> inspect.Signature:
    """The signature of `__init__`: every option, keyword-only."""
    kind = inspect.Parameter
    each = [kind(name, kind.KEYWORD_ONLY, default=_DEFAULTS[name]) for name in _NAMES]
    return inspect.Signature([kind("self", kind.POSITIONAL_ONLY), *each])


_SIGNATURE = _parameters()


class Parameters(CommonOptions, total=False):
    """The types of the parameters, for editors and type checkers."""

    n_jobs: int | None
    verbose: bool


def _parameter_docs() -> str:
    docs = option_docs(_DEFAULTS)
    workers = docs["workers"].partition("\n")[2].partition(" 0 uses")[0]
    docs["n_jobs"] = f"n_jobs : int or None, default None\n{workers} None is one, -1 uses all."
    docs["verbose"] = (
        "verbose : bool, default False\n    Show the bounds on stderr while `fit` runs."
    )
    return indent("\n".join(docs[name] for name in _NAMES), " " * 4)


class OptimalTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    __doc__ = f"""The smallest decision tree that fits the data, with proof, for scikit-learn.

    The same data gives the same tree. `fit` always ends: after `work_limit` solver steps, about a
    minute, it takes the best tree so far and warns that a smaller one may exist.

    Parameters
    ----------
{_parameter_docs()}

    Attributes
    ----------
    tree_ : Tree
        The tree.
    result_ : Result
        The whole result, with bounds and history.
    status_ : "optimal" or "feasible"
        Whether it is proven that no better tree exists.
    lower_bound_, upper_bound_ : int
        The fewest nodes that an optimal tree can have, and the nodes of this one.
    classes_, n_features_in_, feature_names_in_, feature_importances_
        As in scikit-learn's own trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = OptimalTreeClassifier().fit(X[::5], y[::5])
    >>> model.status_, model.upper_bound_, model.score(X[::5], y[::5])
    ('optimal', 5, 1.0)
    """

    def __init__(self, **parameters: Unpack[Parameters]) -> None:
        for name in parameters:
            if name not in _DEFAULTS:
                hint = suggestion(name, _NAMES)
                raise TypeError(f"OptimalTreeClassifier has no parameter {name!r}; {hint}")
        given = _SIGNATURE.bind(self, **parameters)
        given.apply_defaults()
        for name in _NAMES:
            setattr(self, name, given.arguments[name])

    # Scikit-learn and editors read the parameters here.
    __init__.__signature__ = _SIGNATURE  # type: ignore[attr-defined]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        # One check makes a class ten million times heavier and wants it predicted for new rows. A
        # tree with the fewest errors gets light rows right too, where it can. Scikit-learn's own
        # tree is no different: the check passes since it sets `min_weight_fraction_leaf` there. The
        # tests show that nothing else depends on this tag.
        tags.classifier_tags.poor_score = self.max_nodes != CV and self.leaf_penalty is None
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callback: Callback | None = None
    ) -> OptimalTreeClassifier:
        """Find the best tree for the rows of X and their classes y. With `sample_weight`, numbers
        of 0 or more, errors are sums of weights. `callback` is called with a Progress whenever a
        bound moves."""
        options = _options({name: getattr(self, name) for name in _NAMES if name != "verbose"})
        if y is None:
            raise ValueError(
                "OptimalTreeClassifier requires y to be passed, but the target y is None"
            )
        for name in ("tree_", "result_", "classes_", "_front"):  # if this fails, nothing is fitted
            self.__dict__.pop(name, None)
        table = self._table(X, fitting=True)
        target_name = getattr(y, "name", None)
        warn_of_order(X, y)
        if is_listed(y) and any(np.size(each) != 1 for each in y):
            raise DataError(
                "y has lists of classes, and OptimalTreeClassifier takes one class for each row; "
                "use find_tree(X, y) for sets of classes"
            )
        y = column_or_1d(y, warn=True)
        gone = missing_in(y)
        if gone.any():
            raise DataError(
                f"y contains NaN: {gone.sum()} of {len(y)} rows have no class, first row "
                f"{int(gone.argmax()) + 1}; leave those rows out, or give their class a name"
            )
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        if len(y) != table.rows:
            raise DataError(f"X has {table.rows} rows but y has {len(y)}; they must match")
        if not isinstance(target_name, str) or not target_name.strip():
            target_name = "class"
        weights = None if sample_weight is None else checked_weights(sample_weight, len(y))
        table = replace(table, target=_labels(y), target_name=target_name, weights=weights)
        dataset = make_dataset(table, **options.of_group("data"), one_class="allow")
        self.classes_ = np.unique(y)
        # Rows of weight 0 count as if they were not there, and classes may have only such rows.
        assert table.target is not None
        every, _ = class_indices(table.target)
        self._places = np.array([every.index(label) for label in dataset.classes])
        self._columns = table.names
        self.result_ = solve(dataset, options, callback=callback, verbose=bool(self.verbose))
        self.tree_, self.status_ = self.result_.tree, self.result_.status
        self.lower_bound_, self.upper_bound_ = self.result_.lower_bound, self.result_.nodes
        if self.status_ != "optimal":
            # 2: the line that called fit.
            warnings.warn(_gap(self.result_), ConvergenceWarning, stacklevel=2)
        return self

    def _table(self, X: Any, *, fitting: bool) -> Table:
        """X as a table. Frames and arrays may contain words and dates; scikit-learn's own checks
        apply to arrays of numbers."""
        if _has_words(X) if not is_frame(X) else not _all_numbers(X):
            validate_data(self, X, reset=fitting, skip_check_array=True)
            table = read_table(X, need_target=False, decimal=self.decimal)
        else:
            table = self._numbers(X, fitting)
        # Columns without names, or numbered ones, are known by their place, as scikit-learn does.
        return table if fitting else replace(table, names=self._columns)

    def _numbers(self, X: Any, fitting: bool) -> Table:
        finite = "allow-nan" if self.missing != "error" else True
        array = validate_data(self, X, reset=fitting, dtype=np.float64, ensure_all_finite=finite)
        if fitting:
            least, most = (f.reduce(array, axis=None, initial=0.0) for f in (np.fmin, np.fmax))
            if max(most, -least) >= 2**53:
                read_table(X, need_target=False)  # refuses whole numbers that floats merge
        unnamed = [f"x{number}" for number in range(array.shape[1])]
        names = getattr(self, "feature_names_in_", unnamed)
        return Table(tuple(names), tuple(np.ascontiguousarray(column) for column in array.T))

    def _fitted_table(self, X: Any) -> Table:
        """X as a table to classify; missing values that matter are refused unless allowed."""
        check_is_fitted(self)
        table = self._table(X, fitting=False)
        if self.missing != "value":
            self.tree_.refuse_missing(table)
        return table

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X."""
        table = self._fitted_table(X)
        return np.asarray(self.classes_[self._places[self.tree_.predict_index(table)]])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class among the rows of the training data in the leaf of each row."""
        table = self._fitted_table(X)
        shares = np.zeros((table.rows, len(self.classes_)))
        shares[:, self._places] = self.tree_.predict_proba(table)
        return shares

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`, -inf for a probability of 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The number of the leaf that each row of X ends in."""
        table = self._fitted_table(X)
        return self.tree_.apply(table)

    def decision_path(self, X: Any) -> csr_matrix:
        """The nodes that each row of X passes, as a sparse 0/1 matrix of rows by nodes."""
        leaves = self.apply(X)
        above: list[list[int]] = [[] for _ in self.tree_.nodes]
        for number, node in enumerate(self.tree_.nodes):
            above[number] = [*above[number], number]
            if node.feature >= 0:
                above[node.zero] = above[node.one] = above[number]
        paths = [above[number] for number in leaves.tolist()]
        ends = np.cumsum([0, *map(len, paths)])
        nodes = np.array([number for path in paths for number in path], dtype=np.int64)
        shape = (len(leaves), self.tree_.size)
        return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, ends), shape=shape)

    def _repr_html_inner(self) -> str:
        """What a notebook shows: scikit-learn's own box, and the tree of a fitted model."""
        return str(super()._repr_html_inner()) + self._tree_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in shown:
            shown["text/html"] += self._tree_html()
        return shown

    def _tree_html(self) -> str:
        return self.result_._repr_html_() if hasattr(self, "result_") else ""

    def get_depth(self) -> int:
        """The number of edges on the longest path from the root."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self)
        return self.tree_.leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much each column lowers the Gini impurity, as shares of 1."""
        check_is_fitted(self)
        shares = self.tree_.importances()
        return np.array([shares.get(name, 0.0) for name in self._columns])

    def to_sklearn(self) -> DecisionTreeClassifier:
        """The tree as a fitted DecisionTreeClassifier, for `plot_tree`, `export_text` and whatever
        else takes one. Columns must be numbers, and tests thresholds on them, as they are by
        default."""
        check_is_fitted(self)
        dataset = self.result_.dataset
        model = self.tree_.to_sklearn(self._columns, table=dataset.table if dataset else None)
        model.classes_ = self.classes_[self._places]
        if not hasattr(self, "feature_names_in_"):
            del model.feature_names_in_
        return model

    @property
    def front_(self) -> Bunch:
        """The front of the rows that the model was fitted on, as arrays for trees of at most 1, 3,
        5, … nodes: `nodes`, the `errors` of the best tree, the `errors_lower_bounds` that are
        proven, and `penalties`, the largest `leaf_penalty` with which each tree is the best one,
        nan where there is none. It is searched when first asked for, within the model's limits.
        """
        check_is_fitted(self)
        if "_front" not in self.__dict__:
            dataset = self.result_.dataset
            if dataset is None:
                raise AttributeError(
                    "this model was loaded without its rows, which front_ needs; fit it again"
                )
            parameters = {name: getattr(self, name) for name in _NAMES if name != "verbose"}
            options = replace(_options(parameters), max_errors=None, leaf_penalty=None)
            options = replace(options, method="auto", certify=False, checkpoint=None)
            if options.max_nodes == CV:
                options = replace(options, max_nodes=options.cv_max_nodes)
            self._front = front_of(dataset, options)
        front = self._front
        return Bunch(
            nodes=np.arange(len(front)) * 2 + 1,
            errors=np.array([each.error_weight for each in front]),
            errors_lower_bounds=np.array([each.weight(each.errors_lower_bound) for each in front]),
            penalties=np.array(front.penalties),
        )

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: everything except the rows that the model was fitted on."""
        state: dict[str, Any] = super().__getstate__()
        if "result_" in state:
            state = state | {"result_": replace(state["result_"], dataset=None)}
            state.pop("_front", None)
        return state


def _options(parameters: dict[str, Any]) -> Options:
    jobs = parameters.pop("n_jobs")
    if jobs is None or jobs == -1:
        return Options(**parameters, workers=1 if jobs is None else 0)
    if isinstance(jobs, bool) or not isinstance(jobs, Integral) or jobs < 1:
        wrong = f" must be None, -1 or a number of workers, not {jobs!r}"
        raise OptionError(Option("n_jobs"), wrong)
    return Options(**parameters, workers=int(jobs))


def _has_words(X: Any) -> bool:
    """Whether an array, or a list of rows, holds text or dates."""
    if not isinstance(X, (np.ndarray, list, tuple)):
        return False
    try:
        array = as_array(X, "X")
    except DataError:  # which scikit-learn says in its own words
        return False
    if array.ndim != 2 or array.dtype.kind != "O":
        return array.ndim == 2 and array.dtype.kind in "USmM"
    return any(isinstance(value, (str, date, time, timedelta)) for value in array.ravel().tolist())


def _all_numbers(frame: Any) -> bool:
    """Whether all columns of the frame are numbers of a numpy type."""
    if not hasattr(frame, "dtypes"):
        return False
    return all(
        isinstance(each, np.dtype) and each.kind in "iuf"
        if not hasattr(each, "is_numeric")
        else each.is_numeric()
        for each in frame.dtypes
    )


def _labels(y: NDArray[Any]) -> NDArray[Any]:
    """The classes as an array of objects, so that `True` and 1.0 keep their types."""
    if y.dtype.kind == "M":  # as text, in the same order
        return typed_column(y).values("class")
    labels = np.empty(len(y), dtype=object)
    labels[:] = y.tolist()
    return labels


def _gap(result: Result) -> str:
    """The warning for a fit that ended early."""
    have, need, what = result.nodes, result.lower_bound, "nodes"
    if result.minimise == DEPTH and result.depth > result.depth_lower_bound:
        have, need, what = result.depth, result.depth_lower_bound, "levels"
    known = f"the tree has {have} {what} and at least {need} are needed, a gap of {have - need}"
    if result.may_err and result.max_errors is None:
        known = "it is not proven that no better tree exists"
    return f"{known} (stopped: {result.stopped_by}); set a larger work_limit or time_limit"
