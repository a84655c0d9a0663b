"""The entry point of the command `dtfinder`, and of `python -m dtfinder`.

Most of the time until a command starts is spent on imports. A signal during these ends the command
as it would later: with one line and the exit code of the signal. So hardly anything is imported
before the handlers are in place.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    # dtfinder has no use for the threads of OpenBLAS, and each of them takes memory.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from dtfinder.run.signals import signals_exit

        with signals_exit():
            from dtfinder.cli.app import run

            code = run()
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted before a tree was found\n")
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
