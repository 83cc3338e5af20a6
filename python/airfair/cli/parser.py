"""Argument parser that suggests the nearest known word."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from airfair.names import did_you_mean


class Help(argparse.HelpFormatter):
    """Help formatter whose left column is wide enough for the longest command."""

    def add_argument(self, action: argparse.Action) -> None:
        """Add an argument, and count the indentation of commands, which argparse leaves out of the width."""
        super().add_argument(action)
        if action.nargs == argparse.PARSER:
            self._action_max_length += self._indent_increment


class Parser(argparse.ArgumentParser):
    """Parser that suggests the nearest known word for an unknown one.

    The namespace has the parser of its command as `parser`, so that mistakes found later can be reported.
    A description and an epilogue keep their lines if one of them has several.

    With `ends_with_command`, the words after `--` are in `rest`, and `has_rest` is true if there was a `--`.
    """

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 - argparse's own
        ends_with_command: bool = False,
        **settings: Any,  # noqa: ANN401 - argparse's own
    ) -> None:
        is_laid_out = any("\n" in settings.get(text, "") for text in ("description", "epilog"))
        form = argparse.RawDescriptionHelpFormatter if is_laid_out else Help
        super().__init__(*arguments, **{"formatter_class": form, **settings})
        self._ends_with_command = ends_with_command
        self.set_defaults(parser=self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own
        """Parse the words, or only those before `--` if the command ends with another command."""
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
        """Exit with an error for words that the grammar does not have."""
        known = sorted(self._option_string_actions)
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        hints = "".join(did_you_mean(option, known) for option in options)
        self.error(f"unrecognized arguments: {' '.join(words)}{hints}")
