"""Tables to bits: reading what the user has, and making distinct 0/1 examples of it."""

from dtfinder.data.build import make_dataset
from dtfinder.data.dataset import Bits, Dataset, Feature, Ints, Label, Table
from dtfinder.data.embedded import describe, embedded_names
from dtfinder.data.read import read_table

__all__ = [
    "Bits",
    "Dataset",
    "Feature",
    "Ints",
    "Label",
    "Table",
    "describe",
    "embedded_names",
    "make_dataset",
    "read_table",
]
