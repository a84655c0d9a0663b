"""The C++ core; `src/core` holds its sources and their essays."""

from numpy import bool_, int64
from numpy.typing import NDArray

def find_class_feature(bits: NDArray[bool_], labels: NDArray[int64]) -> int:
    """The index of the first feature with one class on each side, or -1."""
