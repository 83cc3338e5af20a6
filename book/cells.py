"""Tables whose numbers have names: `<!-- cells: NAME -->` in front of a table names what stands in its cells.

`{row}` and `{column}` in the name are the first cell of the row and the head of the column. Names divided by
`|` are those of one column each, from the second on, and an empty one leaves its column alone. A cell holds
at most one number, and one that has a mark of its own keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


class NamingError(ValueError):
    """A name that says nothing, or no number."""


NUMBER = r"[+−-]?\d+(?:\.\d+)?(?: ± \d+(?:\.\d+)?)?"
_TABLE = re.compile(
    r"^<!-- cells: (?P<names>.+?) -->\n\n(?P<head>\|.+\|)\n\|[-:| ]+\|\n(?P<body>(?:\|.*\|\n?)+)",
    re.MULTILINE,
)
_ADDED = re.compile(r"<!--= cell: (.+?) -->")


def named(text: str) -> str:
    """The text with a mark behind each number of such a table."""
    return _TABLE.sub(_marked, text)


def plain(text: str) -> str:
    """The text without these marks."""
    return _ADDED.sub("", text)


def _marked(found: re.Match[str]) -> str:
    heads = [_words(cell) for cell in _cells(found["head"])]
    names = [name.strip() for name in found["names"].split("|")]
    by_column = names if len(names) > 1 else names * (len(heads) - 1)
    rows = [_row(line, heads, by_column) for line in found["body"].splitlines()]
    return found[0].replace(found["body"].rstrip("\n"), "\n".join(rows))


def _row(line: str, heads: Sequence[str], names: Sequence[str]) -> str:
    first, *others = _cells(line)
    filled = [
        cell if not name or "<!--=" in cell else _number(cell, name, _words(first), head)
        for cell, name, head in zip(others, names, heads[1:], strict=True)
    ]
    return f"|{'|'.join([first, *filled])}|"


def _number(cell: str, name: str, row: str, column: str) -> str:
    full = name.replace("{row}", row).replace("{column}", column)
    numbers = list(re.finditer(NUMBER, cell))
    if len(numbers) > 1:
        raise NamingError(f"{cell.strip()}: more than one number in a cell of {full}")
    if not numbers:
        return cell
    end = numbers[0].end()
    return f"{cell[:end]}<!--= cell: {full} -->{cell[end:]}"


def _cells(line: str) -> list[str]:
    return line.strip("|").split("|")


def _words(cell: str) -> str:
    return cell.strip().strip("*`")
