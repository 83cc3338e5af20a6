"""Grammar of the command line, as `grammar.toml` declares it.

The command NAME runs the function `main` of the module `commands.NAME`, which is imported only then.
"""

from __future__ import annotations

import argparse
import importlib
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from airfair._core import __version__

from . import commands, completers
from .options import threads
from .parser import Parser

Declared = Mapping[str, Any]
"""Table of a command or of an argument."""

TYPES = {"int": int, "float": float, "path": Path, "threads": threads}
_OF_PARSER = ("usage", "description", "epilog", "add_help", "prefix_chars", "ends_with_command")


def parser() -> Parser:
    """Parser of the command line."""
    declared = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    top = Parser(prog="airfair", **_settings(declared))
    top.add_argument("--version", action="version", version=f"airfair {__version__}")
    for name, command in _filled(top, declared, declared["shared"]).items():
        command.set_defaults(action=partial(_run, name))
    return top


def _run(name: str, arguments: argparse.Namespace) -> int:
    status: int = importlib.import_module(f"{commands.__name__}.{name}").main(arguments)
    return status


def _filled(to: Parser, declared: Declared, shared: Declared) -> Mapping[str, Parser]:
    """Add the arguments and the commands of a table to a parser, and return the commands by name."""
    to.set_defaults(**declared.get("defaults", {}))
    _add_arguments(to, declared.get("takes", ()), declared, shared)
    for name in declared.get("groups", ()):
        group = to.add_argument_group(name, declared[name]["description"])
        _add_arguments(group, declared[name]["takes"], declared, shared)
    if "commands" not in declared:
        return {}
    below = to.add_subparsers(**{k: v for k, v in declared["commands"].items() if k != "names"})
    made = {}
    for name in declared["commands"]["names"]:
        one = declared[name]
        made[name] = below.add_parser(name, help=one["help"], **_settings(one))
        _filled(made[name], one, shared)
    return made


def _settings(declared: Declared) -> dict[str, Any]:
    return {key: value for key, value in declared.items() if key in _OF_PARSER}


def _add_arguments(
    to: argparse._ActionsContainer,
    names: list[str],
    declared: Declared,
    shared: Declared,
) -> None:
    for name in names:
        settings = {**shared.get(name, {}), **declared.get(name, {})}
        completer = settings.pop("complete", None)
        if "type" in settings:
            settings["type"] = TYPES[settings["type"]]
        argument = to.add_argument(name, **settings)
        if completer is not None:
            completers.complete(argument, getattr(completers, completer))
