"""Argument parser that suggests the nearest known word."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

from airfair.names import did_you_mean


class Help(argparse.HelpFormatter):
    """Help in which the longest command, too, has its words beside it."""

    def add_argument(self, action: argparse.Action) -> None:
        """Add an argument; commands are indented, which argparse does not count."""
        super().add_argument(action)
        if action.nargs == argparse.PARSER:
            self._action_max_length += self._indent_increment


class Parser(argparse.ArgumentParser):
    """A parser that offers the nearest word for one that it does not know.

    What it parses has the parser of its command as `parser`, for mistakes that are found later. Where it
    ends with another command, `-- COMMAND…`, that is `rest`, and `has_rest` says whether `--` was there.
    """

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 - argparse's own
        ends_with_command: bool = False,
        **settings: Any,  # noqa: ANN401 - argparse's own
    ) -> None:
        super().__init__(*arguments, **{"formatter_class": Help, **settings})
        self._ends_with_command = ends_with_command
        self.set_defaults(parser=self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own
        """Parse what comes before the other command."""
        if not self._ends_with_command:
            return super().parse_known_args(args, namespace)
        words = list(args)
        at = words.index("--") if "--" in words else len(words)
        parsed, strange = super().parse_known_args(words[:at], namespace)
        parsed.rest, parsed.has_rest = words[at + 1 :], at < len(words)
        return parsed, strange

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401 - argparse's own
        if action.choices is None or value in action.choices:
            return
        allowed = list(map(str, action.choices))
        hint = did_you_mean(str(value), allowed)
        problem = f'"{value}" is unknown{hint}; allowed: {", ".join(allowed)}'
        raise argparse.ArgumentError(action, problem)

    def reject(self, words: Sequence[str]) -> NoReturn:
        """End the program over words that are no part of the grammar."""
        known = sorted(self._option_string_actions)
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        hints = "".join(did_you_mean(option, known) for option in options)
        self.error(f"unrecognized arguments: {' '.join(words)}{hints}")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001 - it has no public name
"""The commands of a program, to which each adds its own."""
