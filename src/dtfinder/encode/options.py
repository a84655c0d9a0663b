"""The optimisations of the encodings that can be switched on and off."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EncodingOptions:
    """The essay of each encoding explains what an optimisation adds. `paths` has all of them except
    `additional`; `nodes` has `pure_features`, `quasi_pure` and `additional`."""

    leaf_matches: bool = True
    pure_features: bool = True
    quasi_pure: bool = True
    path_bounds: bool = True
    additional: bool = True


ALL_ON = EncodingOptions()
