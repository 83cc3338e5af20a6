"""Writes tables of results from `book/tables/NAME.md`, which has an expression for each number.

`make book` writes the table with its numbers into a page, between `<!-- table: NAME -->` and
`<!-- /table -->`.

A number in a source is `{{ PICTURE: EXPRESSION }}`. The picture shows the form: `0.00` has two decimals, `+0`
always has a sign, `0.0 ± 0.0` has the 95 % interval, `one` is a word.

If cells follow a rule, `<!-- each: EXPRESSION -->` above the table defines it: `{row}` is the first cell of
the row, `{column}` the heading of the column. Several expressions, separated by `|`, are for one column each,
from the second column on. A cell then has `{{ PICTURE }}`, or `{{ PICTURE: .REST }}` to append `.REST` to the
expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


class NamingError(ValueError):
    """Error of a name without a value, or of a number without a name."""


SOURCES = Path(__file__).resolve().parent / "tables"
REGION = re.compile(
    r"^<!-- table: (?P<name>[\w/-]+) -->\n(?P<inside>.*?)^<!-- /table -->$",
    re.DOTALL | re.MULTILINE,
)
_EACH = re.compile(r"\A<!-- each: (?P<rule>.+?) -->\n\n")
_NUMBER = re.compile(r"\{\{ (?P<picture>.+?)(?:: (?P<expression>.+?))? \}\}")
_PICTURE = re.compile(r"\+?0(?:\.0+)?(?: ± 0(?:\.0+)?)?|one|One")


@dataclass(frozen=True)
class Cell:
    """Number of a table, by its form and its expression."""

    picture: str
    expression: str


Format = Callable[[Cell], str]
"""Function from a cell to the text of its number."""


def source(name: str) -> str:
    """Text of a table's source."""
    path = SOURCES / f"{name}.md"
    if not path.is_file():
        raise NamingError(f"table {name}: there is no book/tables/{name}.md")
    return path.read_text(encoding="utf-8")


def written(text: str, text_of: Format) -> str:
    """Table of a source, with numbers formatted by `text_of`."""
    rule = _EACH.match(text)
    if rule is None:
        return _NUMBER.sub(lambda found: text_of(_cell(found, None)), text)
    head, line, *rows = text[rule.end() :].splitlines()
    columns = [_words(cell) for cell in _cells(head)]
    rules = [one.strip() for one in rule["rule"].split("|")]
    by_column = ["", *(rules if len(rules) > 1 else rules * (len(columns) - 1))]

    def row(cells: Sequence[str]) -> str:
        here = [
            one.replace("{row}", _words(cells[0])).replace("{column}", column)
            for one, column in zip(by_column, columns, strict=True)
        ]
        filled = [
            _NUMBER.sub(lambda found, own=own: text_of(_cell(found, own)), cell)
            for cell, own in zip(cells, here, strict=True)
        ]
        return f"|{'|'.join(filled)}|"

    return "\n".join([head, line, *(row(_cells(one)) for one in rows), ""])


def filled(page: str, text_of: Format) -> str:
    """Text of a page with updated tables."""

    def region(found: re.Match[str]) -> str:
        table = written(source(found["name"]), text_of)
        return f"<!-- table: {found['name']} -->\n\n{table}\n<!-- /table -->"

    return REGION.sub(region, page)


def cells_in(page: str) -> Iterator[Cell]:
    """Numbers of the tables of a page."""
    found: list[Cell] = []

    def note(cell: Cell) -> str:
        found.append(cell)
        return ""

    filled(page, note)
    yield from found


def names() -> set[str]:
    """Names of all tables."""
    return {str(path.relative_to(SOURCES).with_suffix("")) for path in SOURCES.rglob("*.md")}


def _cell(found: re.Match[str], rule: str | None) -> Cell:
    picture, expression = found["picture"], found["expression"]
    if not _PICTURE.fullmatch(picture):
        raise NamingError(f"{found[0]}: {picture} is no picture of a number, as 0.0 or +0 ± 0 is")
    if expression is None or expression.startswith("."):
        if not rule:
            raise NamingError(f"{found[0]}: a number without an expression")
        expression = rule + (expression or "")
    return Cell(picture, expression)


def _cells(line: str) -> list[str]:
    return line.strip("|").split("|")


def _words(cell: str) -> str:
    return cell.strip().strip("*`")
