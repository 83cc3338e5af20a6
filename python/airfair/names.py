"""Names for display: without control characters, and shortened; nouns with their number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

FEWEST = 4
"""Smallest number of names with one stem and consecutive numbers, as `count` makes, that form a group."""

_NUMBERED = re.compile(r"(.*?)([1-9][0-9]*)")


def printable(text: str) -> str:
    """`text` with control, formatting and bidirectional characters as escapes."""
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - four digits


def drawable(text: str) -> str:
    """`text` for matplotlib: `$` is escaped, and a text that begins with _ still appears in the legend."""
    shown = "\n".join(map(printable, text.split("\n"))).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def counted(number: int, noun: str) -> str:
    """Number with its noun: "1 run", "2,000 runs"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def width(text: str) -> int:
    """Width of `text` on a terminal [columns]."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def short(text: str, columns: int) -> str:
    """Printable `text`, shortened to at most `columns`."""
    text = printable(text)
    if width(text) <= columns:
        return text
    while text and width(text) >= columns:
        text = text[:-1]
    return text + "…"


def pad(text: str, columns: int) -> str:
    """`text` padded with spaces to `columns`."""
    return text + " " * (columns - width(text))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Clause that suggests the nearest known word; empty if none is near."""
    import difflib  # imported here, because few calls need it

    found = difflib.get_close_matches(word, list(known), n=1)
    return f', did you mean "{found[0]}"?' if found else ""


def groups(names: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Groups of names with consecutive numbers (f1, f2, …): a label and the indices of its members.

    The label of a group with one member is its name.
    """
    runs: list[list[int]] = []
    stem, last = "", 0
    for place, name in enumerate(names):
        match = _NUMBERED.fullmatch(name)
        here, number = (match[1], int(match[2])) if match else (name, 0)
        if match and runs and here == stem and number == last + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
        stem, last = here, number
    named = []
    for run in runs:
        if len(run) >= FEWEST:
            named.append((f"{names[run[0]]} … {names[run[-1]]}", run))
        else:
            named += [(names[place], [place]) for place in run]
    return named
