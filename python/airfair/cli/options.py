"""Options that several commands have."""

from __future__ import annotations

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - it has no public name
"""The commands of a program, to which each adds its own."""


def json(command: argparse.ArgumentParser) -> None:
    """`--json`: a document for programs."""
    command.add_argument(
        "--json", action="store_true", help="print one JSON document, and nothing else"
    )
