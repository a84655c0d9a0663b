"""The optimisations of the encodings that can be switched on and off."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Switches:
    """What each one adds is in the essay of the encoding that has it: `paths` has all but
    `additional`; `nodes` has `pure_features`, `quasi_pure` and `additional`."""

    leaf_matches: bool = True
    pure_features: bool = True
    quasi_pure: bool = True
    path_bounds: bool = True
    additional: bool = True


ALL_ON = Switches()
