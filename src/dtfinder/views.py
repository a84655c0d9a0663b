"""How trees and results reach what shows them, which is above them in the order of modules.

A result can be drawn and a notebook can show it, but neither needs to know how: the function is
looked up by its name when somebody asks for it, and nothing of `report` is imported before.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def view(module: str, function: str) -> Any:
    """The function of that name in the module of `report` of that name."""
    return getattr(import_module(f"dtfinder.report.{module}"), function)
