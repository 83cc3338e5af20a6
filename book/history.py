"""Writes late choices of a paper, and its verdicts before and after them, from its `history.toml` into pages.

`<!-- chosen late: PAPER -->` begins a list of a paper's choices, `<!-- verdicts before: PAPER -->` a table of
its verdicts. `<!-- until here -->` ends each of them. `make book` writes both anew.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping

import named

from airfair.experiment.wording import IN_FULL
from airfair.reproduction import history
from airfair.reproduction.catalogue import experiments_directory
from airfair.reproduction.document import in_words
from airfair.reproduction.history import History

WIDTH = 110
"""Length of a line of prose."""
_BLOCK = re.compile(
    r"(?P<begin><!-- (?P<what>chosen late|verdicts before): (?P<paper>[\w-]+) -->\n).*?"
    r"(?P<end><!-- until here -->)",
    re.DOTALL,
)


def updated(text: str) -> str:
    """Text of a page with current choices and verdicts."""

    def block(found: re.Match[str]) -> str:
        kept = history.load(experiments_directory() / found["paper"])
        made = _choices(kept) if found["what"] == "chosen late" else _verdicts(kept, found["paper"])
        return f"{found['begin']}\n{made}\n{found['end']}"

    return _BLOCK.sub(block, text)


def blocks(text: str) -> list[tuple[str, str]]:
    """Kinds of the blocks of a page, each with its paper."""
    return [(found["what"], found["paper"]) for found in _BLOCK.finditer(text)]


def states(paper: str) -> Mapping[str, str]:
    """State of each claim of a paper, from docs/verdicts.json."""
    record = json.loads(named.VERDICTS.read_text(encoding="utf-8"))["papers"][paper]
    return {claim: found["state"] for claim, found in record["claims"].items()}


def _choices(kept: History) -> str:
    parts = []
    for turn in kept.turns:
        parts += [
            _wrapped(f"Known at that time: {turn.seen}."),
            _wrapped(f"Verdicts before: {in_words(turn.before)}. After: {in_words(turn.after)}."),
            "| choice | before |",
            "| --- | --- |",
            *(f"| {one.what} | {one.instead_of} |" for one in turn.chosen),
            "",
        ]
    return "\n".join(parts)


def _wrapped(paragraph: str) -> str:
    wrapped = textwrap.wrap(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*wrapped, ""])


def _verdicts(kept: History, paper: str) -> str:
    now = states(paper)
    rows = [
        f"| `{claim}` | {IN_FULL[before].label if (before := kept.former.get(claim)) else 'new'} "
        f"| {IN_FULL[state].label} | {kept.moved.get(claim, '')} |"
        for claim, state in now.items()
    ]
    return "\n".join(
        ["| claim | before | now | reason for the change |", "| --- | --- | --- | --- |", *rows, ""]
    )
