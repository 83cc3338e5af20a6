"""Prose of papers: Markdown files with whole sentences and placeholders for numbers.

A file has a title and sections: a heading `## id: title` (the title is optional) and a body. Definitions that
several sections use (Jinja's `set` and `macro`) come between the title of the file and its first section.
Placeholders have Jinja's syntax. Python code supplies the numbers, or the runs that have them, but no
sentences. A placeholder without a number is an error, and so is a number without a placeholder.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from airfair.estimate import Estimate, Floats

if TYPE_CHECKING:
    import jinja2


Numbers = Mapping[str, object]
"""Numbers, and lists of them, by the name of their placeholder."""

_SECTION = re.compile(r"^## ([\w.-]+)(?:: (.+))?$", re.MULTILINE)
_NAME = re.compile(r"<!--=.*?-->")
"""Comment that names a number in text without placeholders; a test compares it with the full run."""
_ITEM = re.compile(r"\*\*(.+?)\*\*: (.+?)(?: — (.+))?")
_BETWEEN = "\x1e"
"""Separator of shared definitions, title and body in one template; a character that no text has."""


class ProseError(ValueError):
    """Raised if the sections, placeholders and numbers of a text do not match."""


@dataclass(frozen=True)
class Item:
    """Item of a list, `- **name**: value — source`."""

    name: str
    value: str
    source: str


@dataclass(frozen=True)
class Passage:
    """Section with its placeholders filled."""

    id: str
    title: str
    body: str
    """Markdown, with its line breaks."""

    @property
    def text(self) -> str:
        """Body in one line."""
        return _one_line(self.body)

    @property
    def items(self) -> list[Item]:
        """Items of the list that is its body."""
        lines = [_one_line(item) for item in re.split(r"^- ", self.body, flags=re.MULTILINE)[1:]]
        found = [(line, _ITEM.fullmatch(line)) for line in lines]
        wrong = [line for line, item in found if item is None]
        if wrong:
            raise ProseError(f'{self.id}: "- {wrong[0]}"; allowed is "- **name**: value"')
        return [Item(item[1], item[2], item[3] or "") for _, item in found if item]


class Text:
    """One Markdown file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        head, *parts = _SECTION.split(_NAME.sub("", path.read_text(encoding="utf-8")))
        title, _, shared = head.partition("\n")
        self.title: str = title.removeprefix("# ")
        """Title of the file."""
        self._sections = [
            (id_, _BETWEEN.join((shared, title or "", body)))
            for id_, title, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        ]

    @property
    def ids(self) -> list[str]:
        """Ids of the sections in order; an id may occur more than once."""
        return [id_ for id_, _ in self._sections]

    def passage(self, id_: str, numbers: Numbers | None = None) -> Passage:
        """Section `id_` filled with `numbers`, all of which it must use."""
        return self._passages(numbers or {}, id_)[0]

    def passages(self, numbers: Numbers | None = None) -> list[Passage]:
        """All sections filled with `numbers`, which they must use together."""
        return self._passages(numbers or {})

    def by_id(self, numbers: Numbers | None = None) -> dict[str, Passage]:
        """All sections by id, filled with `numbers`."""
        return {passage.id: passage for passage in self.passages(numbers)}

    def _passages(self, numbers: Numbers, only: str | None = None) -> list[Passage]:
        where = f"{self._path}, section {only}" if only else f"{self._path}"
        import jinja2

        sections = [section for section in self._sections if only in {None, section[0]}]
        if not sections:
            raise ProseError(f"{where}: this section is missing")
        try:
            named = {name for _, source in sections for name in _named(source)}
            if missing := sorted(named - numbers.keys()):
                raise ProseError(
                    f"{where}: the text names {', '.join(missing)}, for which there is no number"
                )
            if unused := sorted(numbers.keys() - named):
                raise ProseError(f"{where}: the text does not use the numbers {', '.join(unused)}")
            return [_passage(id_, source, numbers) for id_, source in sections]
        except jinja2.TemplateError as error:
            raise ProseError(f"{where}: {error}") from error


def _named(source: str) -> set[str]:
    """Names of all placeholders of a section, in any branch."""
    from jinja2 import meta

    return meta.find_undeclared_variables(_templates().parse(source))


def _passage(id_: str, source: str, numbers: Numbers) -> Passage:
    _, title, body = _templates().from_string(source).render(numbers).split(_BETWEEN)
    return Passage(id_, title, body)


@dataclass(frozen=True)
class Prose:
    """Markdown files in the directory `text` of a paper."""

    directory: Path = Path("text")

    def __getitem__(self, name: str) -> Text:
        """Text of the file `name`.md, read anew each time."""
        return Text(self.directory / f"{name}.md")

    def __contains__(self, name: str) -> bool:
        """True if the file exists."""
        return (self.directory / f"{name}.md").is_file()


def _one_line(markdown: str) -> str:
    return re.sub(r"[ \n]+", " ", markdown).strip(" ")


# ------------------------------------------------------------------ filters for numbers


Value: TypeAlias = "float | Estimate | Floats"
"""Number, estimate of a mean, or samples with one value per replication."""


def _digits(value: Value, digits: int) -> str:
    """Number, or mean of an estimate or of samples, with `digits` decimals."""
    return f"{_mean(value):.{digits}f}"


def _signed(value: Value, digits: int) -> str:
    """Number, or mean of an estimate or of samples, with its sign and `digits` decimals."""
    return f"{_mean(value):+.{digits}f}"


def _interval(value: Estimate, digits: int) -> str:
    """Mean ± half width, for any width; `Estimate.text` shows the ends of a wide interval."""
    return f"{value.mean:.{digits}f} ± {value.ci95:.{digits}f}"


def _change(value: Estimate, digits: int) -> str:
    """Mean with its sign ± half width."""
    return f"{value.mean:+.{digits}f} ± {value.ci95:.{digits}f}"


def _percent(part: Value, digits: int = 0) -> str:
    """Fraction as a percentage."""
    return f"{_mean(part):.{digits}%}"


def _significant(value: float, digits: int = 6) -> str:
    """Number with `digits` significant digits, without trailing zeros."""
    return f"{value:.{digits}g}"


def _mean(value: Value) -> float:
    if isinstance(value, Estimate):
        return value.mean
    return value if isinstance(value, int | float) else float(value.mean())


@functools.cache
def _templates() -> jinja2.Environment:
    """Environment of all texts."""
    import jinja2

    # Escaping is left to the page that shows the text.
    made = jinja2.Environment(autoescape=False, undefined=jinja2.StrictUndefined)  # noqa: S701
    made.filters |= {
        "digits": _digits,
        "signed": _signed,
        "interval": _interval,
        "change": _change,
        "percent": _percent,
        "significant": _significant,
    }
    return made
