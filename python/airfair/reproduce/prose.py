"""A paper's prose: Markdown in which sentences stand whole and name the numbers that they need.

A file begins with a title and has sections, `## id: title` and below it what is said; the title may be
left out. Between the file's title and its first section may stand what several sections use, as Jinja's
`set` and `macro`. Placeholders are Jinja's, and the numbers come from Python, which makes no sentences. A
placeholder without its number is an error, and so is a number that no sentence says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2
from jinja2 import meta

from airfair.estimate import Estimate

Numbers = Mapping[str, object]
"""Named numbers, and lists of them, that a text says."""

_SECTION = re.compile(r"^## ([\w.-]+)(?:: (.+))?$", re.MULTILINE)
_NAME = re.compile(r"<!--=.*?-->")
"""Name of a number that a text without placeholders tells; a test holds it against the full run."""
_ITEM = re.compile(r"\*\*(.+?)\*\*: (.+?)(?: — (.+))?")
_BETWEEN = "\x1e"
"""Between what is shared, a section's title and its body, which are one template; no text has it."""


class ProseError(ValueError):
    """A text whose sections, placeholders or numbers do not fit together."""


@dataclass(frozen=True)
class Item:
    """An item of a list, `- **name**: value — source`."""

    name: str
    value: str
    source: str


@dataclass(frozen=True)
class Passage:
    """A section with its numbers in place."""

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
        """Ids of the sections in their order; an id may come again."""
        return [id_ for id_, _ in self._sections]

    def passage(self, id_: str, numbers: Numbers | None = None) -> Passage:
        """The section `id_`, which says all of `numbers`."""
        return self._passages(numbers or {}, id_)[0]

    def passages(self, numbers: Numbers | None = None) -> list[Passage]:
        """All sections, which together say all of `numbers`."""
        return self._passages(numbers or {})

    def by_id(self, numbers: Numbers | None = None) -> dict[str, Passage]:
        """The same by their ids."""
        return {passage.id: passage for passage in self.passages(numbers)}

    def _passages(self, numbers: Numbers, only: str | None = None) -> list[Passage]:
        where = f"{self._path}, section {only}" if only else f"{self._path}"
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
    """Names of the numbers that a section needs, in whatever branch."""
    return meta.find_undeclared_variables(_TEMPLATES.parse(source))


def _passage(id_: str, source: str, numbers: Numbers) -> Passage:
    _, title, body = _TEMPLATES.from_string(source).render(numbers).split(_BETWEEN)
    return Passage(id_, title, body)


@dataclass(frozen=True)
class Prose:
    """The Markdown files of a paper, in the directory `text` beside its scenarios."""

    directory: Path = Path("text")

    def __getitem__(self, name: str) -> Text:
        """The file of this name, as it is now."""
        return Text(self.directory / f"{name}.md")

    def __contains__(self, name: str) -> bool:
        """True if there is a file of this name."""
        return (self.directory / f"{name}.md").is_file()


def _one_line(markdown: str) -> str:
    return re.sub(r"[ \n]+", " ", markdown).strip(" ")


# ------------------------------------------------------------------ how numbers are said


def _digits(value: float | Estimate, digits: int) -> str:
    """The number, or the mean of an estimate, with so many digits behind the point."""
    return f"{_mean(value):.{digits}f}"


def _signed(value: float | Estimate, digits: int) -> str:
    """The same with its sign."""
    return f"{_mean(value):+.{digits}f}"


def _interval(value: Estimate, digits: int) -> str:
    """Mean ± half the width, however wide; `Estimate.text` tells a wide one from where to where."""
    return f"{value.mean:.{digits}f} ± {value.ci95:.{digits}f}"


def _change(value: Estimate, digits: int) -> str:
    """The same with the sign of the mean."""
    return f"{value.mean:+.{digits}f} ± {value.ci95:.{digits}f}"


def _percent(part: float, digits: int = 0) -> str:
    """A part of one as a percentage."""
    return f"{part:.{digits}%}"


def _significant(value: float, digits: int = 6) -> str:
    """The number with so many significant digits, without zeros at its end."""
    return f"{value:.{digits}g}"


def _mean(value: float | Estimate) -> float:
    return value.mean if isinstance(value, Estimate) else value


# Nothing is escaped here: the page that shows a text does it.
_TEMPLATES = jinja2.Environment(autoescape=False, undefined=jinja2.StrictUndefined)  # noqa: S701
_TEMPLATES.filters |= {
    "digits": _digits,
    "signed": _signed,
    "interval": _interval,
    "change": _change,
    "percent": _percent,
    "significant": _significant,
}
