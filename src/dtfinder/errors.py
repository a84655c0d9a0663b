"""Every error a user can meet. Each names the value that was given and what to do about it.

    DtfinderError            the base of all
    ├─ DataError             ValueError: the table cannot be used as it is
    ├─ OptionError           ValueError: a wrong value, or two options that cannot be used together
    ├─ InfeasibleError       ValueError: proven that no tree is within the limits
    ├─ NoTreeYetError        RuntimeError: a limit was met before a tree was found
    ├─ CheckpointError       ValueError: a checkpoint that cannot be used
    ├─ ClusterError          ConnectionError: no cluster there
    ├─ MissingPackageError   ImportError: an optional package is needed
    └─ WrongTreeError        AssertionError: a bug in dtfinder

A message is made of pieces of text and of the options that it speaks about, because these have two
names: `max_nodes=5` in Python and `--max-nodes 5` on the command line. `str` gives the words for
Python; `worded` gives those for other places.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dtfinder.proof import Certificate


@dataclass(frozen=True)
class Option:
    """An option in a message: its name alone, or with its `value` as a user would give it."""

    name: str
    value: Any = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class DtfinderError(Exception):
    """The base of all errors that dtfinder raises on purpose. Its arguments are the pieces of its
    message: text, and the options that it is about."""

    def __str__(self) -> str:
        return self.worded(str)

    def worded(self, name: Callable[[Option], str]) -> str:
        """The message, with `name` to put an option into words."""
        return "".join(name(each) if isinstance(each, Option) else str(each) for each in self.args)


class DataError(DtfinderError, ValueError):
    """The table cannot be used as it is."""


class OptionError(DtfinderError, ValueError):
    """An option has a value that it cannot take, or two options cannot be used together."""

    @property
    def option(self) -> str | None:
        """The name in Python of the option that it is about, if it is about one."""
        return next((each.name for each in self.args if isinstance(each, Option)), None)


class InfeasibleError(DtfinderError, ValueError):
    """It is proven that no tree within `max_depth` and `max_nodes` classifies all examples.

    `certificate` is the proof, if the run was asked to `certify` what it finds; `stopped_by` is
    what ended the run before the certificate was made, if anything did.
    """

    def __init__(
        self,
        *message: str | Option,
        certificate: Certificate | None = None,
        stopped_by: str | None = None,
    ) -> None:
        super().__init__(*message)
        self.certificate = certificate
        self.stopped_by = stopped_by


class NoTreeYetError(DtfinderError, RuntimeError):
    """A limit was met before any tree within `max_depth` and `max_nodes` was found.

    `reason` is what ended the run, e.g. `time limit` or `interrupted`.
    """

    def __init__(self, *message: str | Option, reason: str = "") -> None:
        super().__init__(*message)
        self.reason = reason


class CheckpointError(DtfinderError, ValueError):
    """A checkpoint belongs to another question, is damaged or is in use."""


class ClusterError(DtfinderError, ConnectionError):
    """The cluster cannot be reached."""


class MissingPackageError(DtfinderError, ImportError):
    """An optional package is missing; the message says how to install it."""


def optional_package(name: str, use: str, extra: str) -> Any:
    """The module called `name`, which `use` needs and one of our extras installs."""
    try:
        return import_module(name)
    except ImportError as error:
        message = f"{use}: pip install 'dtfinder[{extra}]'"
        raise MissingPackageError(message, name=name.partition(".")[0]) from error


class WrongTreeError(DtfinderError, AssertionError):
    """A tree failed its check against the examples: a bug in dtfinder, not in the input."""


# What people type, with our name for it.
_OTHER_NAMES = {
    "algorithm": "method",
    "binarize": "binarise",
    "certificate": "certify",
    "class_column": "target",
    "cores": "workers",
    "cv": "cv_folds",
    "depth": "max_depth",
    "drop": "ignore",
    "exclude": "ignore",
    "folds": "cv_folds",
    "jobs": "workers",
    "label": "target",
    "max_leaf_nodes": "max_nodes",
    "max_leaves": "max_nodes",
    "max_size": "max_nodes",
    "memory": "memory_limit",
    "minimize": "minimise",
    "n_jobs": "workers",
    "nan": "missing",
    "nodes": "max_nodes",
    "objective": "minimise",
    "progress": "verbose",
    "proof": "certify",
    "random_state": "cv_seed",
    "rule": "cv_rule",
    "seconds": "time_limit",
    "sample_weight": "weights",
    "seed": "cv_seed",
    "size": "max_nodes",
    "threads": "workers",
    "time": "time_limit",
    "timeout": "time_limit",
    "workers": "n_jobs",
}


def suggestion(name: str, known: Collection[str]) -> str:
    """The hint for an unknown `name`: the known one that was probably meant, or all of them."""
    other = _OTHER_NAMES.get(name.lower().lstrip("-").replace("-", "_"))
    typed = [other] if other is not None and other in known else get_close_matches(name, known, 1)
    close = typed or get_close_matches(name.lower(), known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
