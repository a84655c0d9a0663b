"""The smallest decision tree that fits a table, with proof that no smaller one exists."""

from typing import TYPE_CHECKING, Any

from dtfinder.version import __version__

if TYPE_CHECKING:
    from dtfinder.estimator import OptimalTreeClassifier
    from dtfinder.front.find import find_front
    from dtfinder.result import Front, Result
    from dtfinder.solve import find_tree
    from dtfinder.tree import Tree

__all__ = [
    "Front",
    "OptimalTreeClassifier",
    "Result",
    "Tree",
    "__version__",
    "find_front",
    "find_tree",
]

_HOMES = {
    "Front": "dtfinder.result",
    "OptimalTreeClassifier": "dtfinder.estimator",
    "Result": "dtfinder.result",
    "Tree": "dtfinder.tree",
    "find_front": "dtfinder.front.find",
    "find_tree": "dtfinder.solve",
}


def __dir__() -> list[str]:
    """What completion offers: the public names, imported or not."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command line starts quickly."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dtfinder' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
