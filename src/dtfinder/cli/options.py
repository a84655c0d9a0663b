"""The options of the commands that search, made from the one table in `dtfinder/options.py`, and
how options are typed.

A command that takes `**options` gets one `--option` for each line of the table, so a new line
appears here automatically. Values come in as text and are read here; `Options` checks them, so that
a wrong one gives the same message as in Python.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Annotated, Any, get_args, get_type_hints

from dtfinder.cli.arguments import option
from dtfinder.errors import Option, OptionError
from dtfinder.options import Options

_UNITS = {"": 1.0, "T": 1e3, "TB": 1e3, "G": 1.0, "GB": 1.0, "M": 1e-3, "MB": 1e-3}
_METAVARS = {int: "NUMBER", float: "NUMBER", str: "NAME"}
_OWN_METAVARS = {
    "class_weight": "balanced|CLASS=WEIGHT,…",
    "classes_separator": "SIGN",
    "max_nodes": "NUMBER|cv",
    "max_errors": "NUMBER|SHARE",
    "memory_limit": "SIZE",
    "cluster": "ADDRESS",
    "checkpoint": "FILE",
}
# Typed by another name, with a file for the proof.
_CERTIFY, _CERTIFICATE = "certify", "--certificate"


def flag(name: str) -> str:
    """How an option is typed: `--time-limit` for `time_limit`."""
    return _CERTIFICATE if name == _CERTIFY else f"--{name.replace('_', '-')}"


def typed(option: Option) -> str:
    """An option in a message as it is typed, with its value if it has one."""
    if option.value is None or option.name == _CERTIFY:
        return flag(option.name)
    if isinstance(option.value, bool):
        return flag(option.name if option.value else f"no_{option.name}")
    return f"{flag(option.name)} {option.value}"


def with_table_options(command: Callable[..., int]) -> Callable[..., int]:
    """Replace the `**options` in the signature of `command` by the options of the table."""
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    kinds = _kinds()
    added = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=_annotation(each, kinds[each.name]),
        )
        for each in fields(Options)
        if each.name != _CERTIFY
    ]
    parameters = [*own, *added]
    # Typer reads the signature for the order and the annotations for the types.
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": int}
    return command


def read_options(given: dict[str, Any]) -> dict[str, Any]:
    """The options that were typed, as `find_tree` takes them; it checks them."""
    kinds = _kinds()
    return {
        name: _read(name, value, kinds[name]) if isinstance(value, str) else value
        for name, value in given.items()
        if value is not None
    }


def _kinds() -> dict[str, type]:
    """The type of each option's value, None apart."""
    hints = get_type_hints(Options)
    return {name: (get_args(hint) or (hint,))[0] for name, hint in hints.items()}


def _annotation(field: Field[Any], kind: type) -> Any:
    about = field.metadata
    shown = about["help"]
    if field.default is not None:
        shown += f" [default: {field.default}]"
    if kind is bool:
        both = f"{flag(field.name)}/{flag('no_' + field.name)}"
        return Annotated[bool | None, option(None, shown, both)]
    metavar = "|".join(about["choices"]) or _OWN_METAVARS.get(field.name, _METAVARS[kind])
    return Annotated[str | None, option(metavar, shown, flag(field.name))]


def _read(name: str, text: str, kind: type) -> Any:
    """The value that the text stands for; if none, the text itself, for `Options` to refuse."""
    if name == "memory_limit":
        return _gigabytes(text)
    try:
        return kind(text)
    except ValueError:
        return text


def _gigabytes(text: str) -> float:
    """3, 3GB and 3000MB are the same."""
    match = re.fullmatch(r"\s*([-+0-9.e]+)\s*([a-z]*)\s*", text, re.IGNORECASE)
    try:
        if match and match[2].upper() in _UNITS:
            return float(match[1]) * _UNITS[match[2].upper()]
    except ValueError:
        pass
    wrong = f" must be a number of gigabytes, or a size such as 3GB or 500MB, not {text!r}"
    raise OptionError(Option("memory_limit"), wrong)
