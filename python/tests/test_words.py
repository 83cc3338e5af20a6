"""Tests of the rules of CONTRIBUTING.md, "Plain words", that a program can check.

The ceilings and the lists may only shrink.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import scenario_pages

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 120
"""Greatest length of a line of Markdown."""
GENERATED = {"docs/results.md", *(f"docs/{name}" for name in scenario_pages.names())}
"""Pages that a program writes."""
PAGES = [
    str(path.relative_to(ROOT))
    for path in [
        *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
]

TWO_WORDS = 204
"""Greatest number of doc comments on public items with one or two words."""
QUESTIONS = 40
"""Greatest number of doc comments on public items that begin with What, Who, Whether, How or Which."""
PRONOUNS = 129
"""Greatest number of doc comments on public items that begin with It, Its, Those or That."""

_REGION = re.compile(
    r"^<!-- (?:table|chosen late|verdicts before): .*?<!-- (?:/table|until here) -->$"
    r"|^::: .*?$(?:\n    .*?$)*",
    re.DOTALL | re.MULTILINE,
)
_FENCE = re.compile(r"^ *(`{3,}).*?^ *\1$", re.DOTALL | re.MULTILINE)
_LINK_ALONE = re.compile(r"\s*(?:[-*] |\d+\. )?!?\[[^\]]*\]\([^)]*\)[.,;:]?\s*")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def wide_lines(text: str) -> list[str]:
    """Lines of prose above the allowed width.

    Tables, blocks of code, generated regions, options of the Python reference and links alone may be longer.
    """
    return [
        line
        for line in _FENCE.sub("", _REGION.sub("", text)).splitlines()
        if len(line) > WIDTH and not line.startswith("|") and not _LINK_ALONE.fullmatch(line)
    ]


def comments(source: str) -> Iterator[str]:
    """Doc comments of the public items of a Rust file, each as one line."""
    comment: list[str] = []
    attribute = 0
    for line in map(str.strip, source.splitlines()):
        if line.startswith("///"):
            comment.append(line.removeprefix("///").strip())
        elif attribute or line.startswith("#["):
            attribute += line.count("[") - line.count("]")
        else:
            if comment and line.startswith("pub "):
                yield " ".join(filter(None, comment))
            comment = []


def words(comment: str) -> list[str]:
    """Words of a comment without its units and citations in brackets."""
    return re.sub(r"\[[^\]`]*\](?!\()", "", comment).split()


@cache
def public_comments() -> list[str]:
    files = sorted((ROOT / "crates").glob("*/src/**/*.rs"))
    return [comment for file in files for comment in comments(file.read_text(encoding="utf-8"))]


def beginning_with(first: str) -> list[str]:
    return [comment for comment in public_comments() if re.match(rf"(?:{first})\b", comment)]


@pytest.mark.parametrize(("page", "lines"), [("README.md", 120), ("ARCHITECTURE.md", 250)])
def test_the_first_pages_are_short(page: str, lines: int) -> None:
    assert len(text_of(page).splitlines()) <= lines


def test_the_table_of_where_to_look_has_at_most_25_rows() -> None:
    section = text_of("ARCHITECTURE.md").partition("\n## Where to look\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert 10 < len(rows) <= 25


@pytest.mark.parametrize("page", [page for page in PAGES if page not in GENERATED])
def test_lines_of_a_page_are_wrapped(page: str) -> None:
    wide = wide_lines(text_of(page))
    assert not wide, "\n".join(wide)


def test_public_comments_have_more_than_two_words() -> None:
    short = [comment for comment in public_comments() if len(words(comment)) <= 2]
    assert len(short) <= TWO_WORDS, "\n".join(short)


def test_public_comments_begin_with_the_thing() -> None:
    questions = beginning_with("What|Who|Whether|How|Which")
    assert len(questions) <= QUESTIONS, "\n".join(questions)
    pronouns = beginning_with("It|Its|Those|That")
    assert len(pronouns) <= PRONOUNS, "\n".join(pronouns)


# ------------------------------------------------------------------ tests of the checks


def test_a_wide_line_of_prose_is_seen_and_no_other() -> None:
    long = "word " * 30
    table = f"| {long} |"
    link = f"- [{long}](page.md)"
    region = f"<!-- table: a -->\n\n{long}\n\n<!-- /table -->"
    code = f"```sh\n{long}\n```"
    assert wide_lines(f"{long}\n{table}\n{link}\n{region}\n{code}\n") == [long]
    assert wide_lines(f"{long}[a](b.md)")


def test_comments_of_public_items_are_found_and_no_others() -> None:
    source = """
    /// Rate of it [bit/s].
    #[derive(
        Clone,
    )]
    pub struct Rate {
        /// Its value.
        pub value: u64,
        /// Private.
        other: u64,
    }

    /// For the crate.
    pub(crate) fn f() {}
    """
    assert list(comments(source)) == ["Rate of it [bit/s].", "Its value."]
    assert [words(comment) for comment in comments(source)] == [
        ["Rate", "of", "it", "."],
        ["Its", "value."],
    ]
