"""`dtfinder methods`: list the methods."""

from __future__ import annotations

from dtfinder.cli.output import columns, write


def methods() -> int:
    """List the methods: their names, what they minimise and how they work."""
    from dtfinder.methods import describe

    write(columns([("method", "minimises", "how"), *describe()]))
    return 0
