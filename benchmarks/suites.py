"""Which instances a campaign has, and where their data comes from.

`optima` is the instances that the list of known optima names. `pmlb` is every data set of the local
cache (or, with an empty cache and a network, every classification data set that the `pmlb` package
knows), at each percentage and seed. A data set that the cache lacks is fetched into it by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.instances import LARGE, Optimum, file_of, instance, read_optima, shared_folder
from benchmarks.results import Instance
from dtfinder.data import Dataset
from dtfinder.errors import MissingPackageError

Spec = Instance


class NoDataError(ValueError):
    """The instances that were asked for are not there."""


def default_data() -> Path:
    """Where the data is looked for if nobody says."""
    return shared_folder() / "pmlb"


def known_optima(path: Path | None) -> list[Optimum]:
    """The list of proven optima: empty if there is none at the default place."""
    if path is None and not (shared_folder() / "optima.csv").exists():
        return []
    try:
        return read_optima(path)
    except OSError as error:
        raise NoDataError(f"cannot read the list of optima: {error}") from error


def specs(
    suite: str,
    percents: Sequence[int],
    seeds: Sequence[int],
    *,
    names: Sequence[str],
    data: Path,
    optima: Sequence[Optimum],
) -> list[Spec]:
    """The instances, small ones first, so that a campaign cut short has done the most it could."""
    if suite == "optima":
        if not optima:
            raise NoDataError(
                "there is no list of optima; give its path with --optima or its folder in "
                "DTFINDER_SHARED, or use --suite pmlb, which does not need one"
            )
        listed = sorted(optima, key=lambda known: known.examples * known.features)
        found = [(known.dataset, known.percent, known.seed) for known in listed]
    else:
        every = names or _cached(data) or _of_the_package()
        found = [(name, p, s) for p in percents for s in seeds for name in every]
    wanted = [
        spec
        for spec in found
        if (not names or spec[0] in names) and spec[1] in percents and spec[2] in seeds
    ]
    if not wanted:
        raise NoDataError("no instance of the suite has these data sets, percentages and seeds")
    return wanted


def load(spec: Spec, data: Path) -> Dataset:
    """The instance, fetched first if the cache lacks its data set."""
    name, percent, seed = spec
    file = file_of(name, data)
    if name != LARGE and not file.exists():
        _package().fetch_data(file.parent.name, local_cache_dir=str(data))
    return instance(name, percent, seed, data)


def _cached(data: Path) -> list[str]:
    return sorted(file.parent.name for file in data.glob("*/*.tsv.gz"))


def _of_the_package() -> list[str]:
    return list(_package().classification_dataset_names)


def _package() -> Any:
    try:
        import pmlb
    except ImportError as error:
        raise MissingPackageError(
            "the data is not in the local cache (--data), and the package that fetches it is not "
            "installed; run: pip install pmlb"
        ) from error
    return pmlb
