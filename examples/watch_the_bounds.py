"""Watch the two bounds close on each other, then draw how they did.

Run it with a data set and seconds: python examples/watch_the_bounds.py mux6 30
"""

import sys

from dtfinder import find_tree
from dtfinder.problem import Progress
from dtfinder.report.text import describe


def show(state: Progress) -> None:
    """Called whenever a bound moves."""
    print(f"{state.seconds:6.2f} s: at least {state.bounds.nodes} nodes, at most {state.nodes}")


def main() -> None:
    source = sys.argv[1] if len(sys.argv) > 1 else "mux6"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    result = find_tree(source, time_limit=seconds, callback=show)
    print(describe(result))
    print(f"{len(result.history)} steps from the greedy tree to the end")


if __name__ == "__main__":
    main()
