"""Scikit-learn's greedy tree, pruned to every size on its cost-complexity path."""

from __future__ import annotations

import numpy as np

from dtfinder.data.dataset import Dataset

_MOST = 60  # trees that are fitted


def pruned_greedy(dataset: Dataset, most: int) -> list[tuple[int, float]]:
    """Size and share of wrong rows of scikit-learn's pruned trees of at most `most` nodes."""
    from sklearn.tree import DecisionTreeClassifier

    kept = dataset.example_of_row >= 0
    X = dataset.bits[dataset.example_of_row[kept]].astype(np.float32)
    y, units = dataset.row_labels[kept], dataset.row_units[kept].astype(np.float64)
    if not dataset.n_features:
        return []
    model = DecisionTreeClassifier(random_state=0)
    alphas = model.cost_complexity_pruning_path(X, y, sample_weight=units).ccp_alphas[::-1]
    points: dict[int, float] = {}
    for alpha in alphas[:_MOST]:
        pruned = DecisionTreeClassifier(random_state=0, ccp_alpha=max(0.0, alpha))
        pruned.fit(X, y, sample_weight=units)
        if pruned.tree_.node_count > most:
            break
        wrong = pruned.predict(X) != y
        points[pruned.tree_.node_count] = float(units[wrong].sum() / units.sum())
    return sorted(points.items())
