"""A `dask.dataframe` as a source of batches: every partition is a part."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from dtfinder.errors import DataError
from dtfinder.stream.batch import Batch, batch_of
from dtfinder.stream.source import Source, batch_rows, chosen_columns


def is_dask_frame(source: Any) -> bool:
    """Whether this is a data frame of Dask's, asked without importing Dask."""
    return hasattr(source, "to_delayed") and hasattr(source, "npartitions")


@dataclass(frozen=True)
class DaskFrame(Source):
    """The partitions of a frame. A part is a delayed partition, or on a worker the partition."""

    def batches(self, part: Any) -> Iterator[Batch]:
        """The rows of a partition."""
        import pyarrow

        frame = part.compute(scheduler="synchronous") if hasattr(part, "dask") else part
        lacking = next((name for name in self.names if name not in frame.columns), None)
        if lacking is not None:
            raise DataError(f"a partition has no column {lacking!r}; give parts of one table")
        try:
            table = pyarrow.Table.from_pandas(frame[list(self.names)], preserve_index=False)
        except (pyarrow.ArrowException, TypeError) as error:
            raise DataError(f"a partition cannot be used: {str(error).splitlines()[0]}") from None
        for batch in table.to_batches(batch_rows(self.names)):
            yield batch_of(batch, self.target, text=False)


def open_frame(frame: Any, target: str | None, ignore: Collection[str]) -> DaskFrame:
    """The table in a frame of Dask's."""
    labels = [str(name) for name in frame.columns]
    if labels != list(frame.columns):
        raise DataError("the columns of a Dask frame must have names that are text")
    names, chosen = chosen_columns(tuple(labels), target, ignore)
    return DaskFrame(frame.to_delayed(), names, chosen)
