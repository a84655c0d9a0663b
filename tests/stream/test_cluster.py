"""Tables in batches on a Dask cluster: the same tree, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from clusters import two_workers
from dtfinder import find_tree
from dtfinder.errors import DataError
from dtfinder.problem import Progress
from dtfinder.result import Result

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
frames = pytest.importorskip("dask.dataframe", reason="Dask has no data frames here")

# Workers that are killed complain, in threads and at exit; that is what these tests do to them.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with two_workers() as cluster, distributed.Client(cluster, set_as_default=False) as made:
        yield made


def make(rows: int = 4000) -> pandas.DataFrame:
    random = np.random.default_rng(5)
    frame = pandas.DataFrame(random.normal(size=(rows, 4)).round(3), columns=[*"abcd"])
    frame["word"] = random.choice(["red", "green", "blue"], rows)
    noise = random.random(rows) < 0.1
    frame["class"] = (frame["a"] > 0) ^ (frame["b"] > 0.5) ^ (frame["word"] == "red") ^ noise
    return frame


def write(folder: Path, parts: int = 24) -> str:
    frame = make()
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), parts)):
        frame.iloc[rows].to_parquet(folder / f"{number:02}.parquet")
    return str(folder / "*.parquet")


def told(result: Result) -> dict[str, Any]:
    return result.to_json() | {"seconds": 0}


def test_files_and_frames_give_the_tree_of_one_machine(client: Any, tmp_path: Path) -> None:
    place = write(tmp_path)
    alone = told(find_tree(place, max_depth=3))
    assert told(find_tree(place, max_depth=3, cluster=client)) == alone
    frame = frames.from_pandas(make().sample(frac=1, random_state=1), npartitions=7)
    assert told(find_tree(frame, max_depth=3, cluster=client)) == alone
    assert told(find_tree(frame, max_depth=3)) == alone


def test_a_worker_that_dies_loses_no_row_and_counts_none_twice(
    client: Any,
) -> None:
    alone = told(find_tree(frames.from_pandas(make(), npartitions=1), max_depth=3))
    frame = frames.from_pandas(make(), npartitions=12).map_partitions(slowly, meta=make(5))
    killed: list[int] = []

    def kill(state: Progress) -> None:
        done = state.doing.removeprefix("counting: ").split(" of ")[0]
        if not killed and state.doing.startswith("counting") and int(done) >= 4:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    assert told(find_tree(frame, max_depth=3, cluster=client, callback=kill)) == alone
    assert killed


def slowly(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The same, a little later, so that there is time to kill somebody."""
    time.sleep(0.05)
    return frame


def test_bad_parts_are_named_from_afar(client: Any, tmp_path: Path) -> None:
    place = write(tmp_path, 3)
    frame = make(100).assign(a=np.inf)
    frame.to_parquet(tmp_path / "1.parquet")
    with pytest.raises(DataError, match="column 'a' has an infinite value"):
        find_tree(place, max_depth=2, cluster=client)
    odd = frames.from_pandas(make(50).rename(columns={"a": 1}), npartitions=1)
    with pytest.raises(DataError, match="names that are text"):
        find_tree(odd, max_depth=2, cluster=client)
