"""Trees in other forms, one file per target."""

from dtfinder.report.export.targets import TARGETS, Target, export_tree

__all__ = ["TARGETS", "Target", "export_tree"]
