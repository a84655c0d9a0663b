"""The entry point of the command `dtfinder`, and of `python -m dtfinder`.

It imports nothing by itself, so that even a Ctrl-C while the rest is being imported ends cleanly.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    try:
        from dtfinder.cli.app import run

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted before a tree was found\n")
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
