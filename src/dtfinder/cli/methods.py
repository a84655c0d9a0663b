"""`dtfinder methods`: list the methods."""

from __future__ import annotations

from dtfinder.cli.output import write


def methods() -> int:
    """List the methods: their names, what they minimise and how they work."""
    from dtfinder.methods import describe
    from dtfinder.report.text import aligned

    rows = [("method", "minimises", "how"), *describe()]
    write("".join(f"{line}\n" for line in aligned(rows)))
    return 0
