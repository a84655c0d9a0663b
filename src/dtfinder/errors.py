"""Every error a user can meet. Each names the value that was given and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dtfinder.proof import Certificate


class DtfinderError(Exception):
    """The base of all errors that dtfinder raises on purpose."""


class DataError(DtfinderError, ValueError):
    """The table cannot be used as it is."""


class OptionError(DtfinderError, ValueError):
    """An option has a value that it cannot take, or two options contradict each other."""


class InfeasibleError(DtfinderError, ValueError):
    """It is proven that no tree within `max_depth` and `max_nodes` classifies all examples.

    `certificate` is the proof, if the run was asked to `certify` what it finds; `stopped_by` says
    what ended the run before the certificate was made, if anything did.
    """

    def __init__(
        self, message: str, certificate: Certificate | None = None, stopped_by: str | None = None
    ) -> None:
        super().__init__(message)
        self.certificate = certificate
        self.stopped_by = stopped_by


class NoTreeYetError(DtfinderError, RuntimeError):
    """A limit was met before any tree within `max_depth` and `max_nodes` was found.

    `reason` is what ended the run, e.g. `time limit` or `interrupted`.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class CheckpointError(DtfinderError, ValueError):
    """A checkpoint belongs to another problem, is damaged, or is in use."""


class ClusterError(DtfinderError, ConnectionError):
    """The cluster cannot be reached."""


class MissingPackageError(DtfinderError, ImportError):
    """An optional package is missing; the message says how to install it."""


class WrongTreeError(DtfinderError, AssertionError):
    """A tree failed its check against the examples: a bug in dtfinder, not in the input."""
