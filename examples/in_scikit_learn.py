"""The smallest tree beside the greedy one: the same rows, fewer questions.

Run it: python examples/in_scikit_learn.py
"""

import numpy as np
from sklearn.tree import DecisionTreeClassifier, export_text

from dtfinder import OptimalTreeClassifier


def main() -> None:
    # Two of six switches say which of the other four counts: greedy trees miss the point of it.
    rows = np.array([[number >> bit & 1 for bit in range(6)] for number in range(64)])
    lamp = np.array([row[2 + row[0] + 2 * row[1]] for row in rows])

    greedy = DecisionTreeClassifier(random_state=0).fit(rows, lamp)
    smallest = OptimalTreeClassifier().fit(rows, lamp)
    print(f"greedy: {greedy.tree_.node_count} nodes, depth {greedy.get_depth()}")
    print(f"smallest: {smallest.upper_bound_} nodes, depth {smallest.get_depth()}")
    print(f"status: {smallest.status_}, at least {smallest.lower_bound_} nodes are needed")

    # A real scikit-learn tree, so all of scikit-learn's tools take it.
    print(export_text(smallest.to_sklearn(), feature_names=[f"switch {i}" for i in range(6)]))


if __name__ == "__main__":
    main()
