"""The version, in one place: the build and everything else read it here. It imports nothing."""

__version__ = "0.1.0"
