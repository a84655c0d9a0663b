"""The C++ core; `src/core` holds its sources and their essays."""

from numpy import bool_
from numpy.typing import NDArray

def find_class_feature(bits: NDArray[bool_], positive: NDArray[bool_]) -> int:
    """The index of a feature that equals `positive` or its complement, or -1."""
