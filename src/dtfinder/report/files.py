"""The files that a run writes: checked before the search, and written one by one after it, so that
a failure never loses a result."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dtfinder.errors import DataError, InfeasibleError, Option, OptionError
from dtfinder.proof import Certificate
from dtfinder.report.dot import to_dot
from dtfinder.report.plot import check_plot_path
from dtfinder.result import Front, Result
from dtfinder.tree import Tree

STDOUT = "-"
_CERTIFICATE = Option("certificate")


@dataclass(frozen=True)
class Output:
    """Something to write: `option` is what asked for it, `place` a path or `-` for stdout. `text`
    turns what was found into what is written, or `draw` draws it into a file."""

    option: Option
    place: str
    text: Callable[[Any], str | bytes] = str
    draw: Callable[[Any, Path], object] | None = None

    def check(self) -> None:
        """Raise an OptionError unless this can be written; nothing is left changed."""
        if self.draw is not None:
            check_plot_path(Path(self.place))
        if self.place != STDOUT:
            check_writable(self.option, Path(self.place))

    def save(self, found: Any) -> None:
        """Write the file; an OptionError says why it could not be written."""
        if self.draw is None:
            self.put(self.text(found))
            return
        with _says_why(self.option, self.place):
            self.draw(found, Path(self.place))

    def put(self, made: str | bytes) -> None:
        """Write this; an OptionError says why it could not be written."""
        with _says_why(self.option, self.place):
            Path(self.place).write_bytes(made if isinstance(made, bytes) else made.encode("utf-8"))


def outputs_of(wanted: Iterable[tuple[str, str | None, Callable[..., Any]]]) -> list[Output]:
    """What is to be written: the name of its option, the place, if it was given, and what makes it,
    which for a plot draws into the file."""
    return [
        Output(Option(name), place, draw=make)
        if name == "plot"
        else Output(Option(name), place, make)
        for name, place, make in wanted
        if place is not None
    ]


@contextmanager
def _says_why(option: Option, place: str) -> Iterator[None]:
    """Inside, a file that cannot be written is an OptionError."""
    try:
        yield
    except OSError as error:
        raise cannot_write(option, Path(place), error) from error


def check_outputs(outputs: list[Output], **inputs: str) -> None:
    """Raise an OptionError unless all can be written, each to its own place and none over one of
    the `inputs`, such as `table="weather.csv"`. A checkpoint is an input even before it exists."""
    taken: dict[Any, tuple[str | Option, ...]] = {
        _identity(place): (f"the {what}",)
        for what, place in inputs.items()
        if os.path.isfile(place) or what == "checkpoint"
    }
    for output in outputs:
        place = output.place if output.place == STDOUT else _identity(output.place)
        if place in taken:
            raise OptionError(
                output.option,
                f" would overwrite {output.place!r}, which is ",
                *taken[place],
                "; give it another name",
            )
        taken[place] = ("what ", output.option, " writes")
        output.check()


def _identity(place: str) -> Any:
    """What two names of the same file, by links of either kind, have in common."""
    try:
        found = os.stat(place)
    except (OSError, ValueError):
        return os.path.realpath(place)
    return found.st_dev, found.st_ino


def check_writable(option: Option, path: Path) -> None:
    """Raise an OptionError unless a file can be written at `path`; leaves things as they were."""
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            return  # a pipe or a device: opening it just to look would be felt at the other end
        there = path.exists()
        with path.open("ab"):
            pass
        if not there:
            os.unlink(os.path.realpath(path))  # through a link, if it is one
    except (OSError, ValueError) as error:
        raise cannot_write(option, path, error) from error


def cannot_write(option: Option, path: Path, error: Exception) -> OptionError:
    """The error for a file that cannot be written."""
    reason = getattr(error, "strerror", None) or str(error)
    return OptionError(option, f" cannot write {str(path)!r}: {reason}")


class Plain(Protocol):
    """A result, a front, a tree, an audit, scores."""

    def to_json(self) -> dict[str, Any]:
        """A plain object."""


def as_json(found: Plain, indent: int = 1) -> str:
    """The object as JSON text."""
    return json.dumps(found.to_json(), allow_nan=False, indent=indent) + "\n"


def result_json(result: Result) -> str:
    """The result as one JSON object."""
    return as_json(result, 2)


def tree_json(result: Result) -> str:
    """The tree alone, for `dtfinder predict`."""
    return as_json(result.tree)


def dot_text(result: Result) -> str:
    """The tree in Graphviz's language."""
    return to_dot(result.tree)


def certificate(result: Result) -> bytes:
    """The proof, for `dtfinder check`."""
    if result.certificate is None and result.status != "optimal":
        known = f"the tree has {result.nodes} nodes, at least {result.lower_bound} are needed"
        if result.may_err:
            known = "it is not proven that no better tree exists"
        raise OptionError(_CERTIFICATE, f": there is nothing to certify yet; {known}")
    return _data_of("the tree is proven to be optimal", result.certificate, result.stopped_by)


def front_certificate(front: Front) -> bytes:
    """The proof of all sizes of a front, for `dtfinder check`."""
    if front.certificate is None and front.stopped_by:
        raise OptionError(
            _CERTIFICATE,
            f": the run ended ({front.stopped_by}) before all was proven; raise the limit, or set ",
            Option("max_nodes"),
        )
    return _data_of("the front is proven", front.certificate, None)


def refusal(error: InfeasibleError) -> bytes:
    """The proof that no tree is within the limits, for `dtfinder check`."""
    return _data_of("it is proven that there is no tree", error.certificate, error.stopped_by)


def _data_of(what: str, certificate: Certificate | None, stopped_by: str | None) -> bytes:
    if certificate is None and stopped_by:
        raise OptionError(
            _CERTIFICATE, f": {what}, but the run was {stopped_by} before the proof was written"
        )
    if certificate is None:
        raise OptionError(
            _CERTIFICATE,
            f": {what}, but the proof did not fit in memory; a larger ",
            Option("memory_limit"),
            " may help",
        )
    return certificate.data


def read_tree(path: Path) -> Tree:
    """The tree in a file that `--tree` or `--json` wrote."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{str(path)!r} is not a tree that dtfinder wrote: it is not JSON ({error}); give a "
            "file written by `dtfinder fit --tree` or `--json`"
        ) from error
    if isinstance(data, dict) and "front" in data:
        raise DataError(
            f"{str(path)!r} has the trees of a front; write the one that you want with "
            "`dtfinder fit --max-nodes NUMBER --tree`"
        )
    if isinstance(data, dict) and isinstance(data.get("tree"), dict):
        data = data["tree"]
    try:
        return Tree.from_json(data)
    except DataError as error:
        raise DataError(f"{str(path)!r}: {error}") from error
