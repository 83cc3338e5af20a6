"""Tests that numbers, commands and links of the book agree with the program.

`make book` writes numbers, listings and outputs anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import check_site
import history
import limits
import links
import named
import pytest
import scenario_pages
import steps
import tables

from support import page_of

ROOT = Path(__file__).resolve().parents[2]

NOT_RUN = {
    "builds the program",
    "needs a cluster",
    "needs network namespaces",
    "needs another program",
    "needs two hosts",
    "takes minutes",
}
"""Allowed reasons for not running a command or a snippet."""
PAGES = [page for page in named.pages() if page.name != "reasons.md"]
WRITTEN = {
    ROOT / "docs" / name for name in ("references.md", "results.md", *scenario_pages.names())
}
"""Pages that a program writes, and the list of sources, whose titles contain numbers."""
DEVIATIONS = sorted((ROOT / "docs/deviations").glob("*.md"))
"""Pages with entries of deviations."""
STEPS = [page for page in PAGES if page.name != "tutorial.md"]


def of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(autouse=True)
def _kept_runs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path_factory.getbasetemp() / "book.sqlite"
    monkeypatch.setenv("AIRFAIR_CACHE", str(kept))


def test_evidence_has_how_many_points_of_a_quota_hold_and_how_many_are_needed() -> None:
    found = named.evidence_in(
        "depends: combinations above 0.6: 1 of 7 (needs 6): fails; index = 0.6 ± 0.1 (needs > 0): holds; "
        "ideal, not deciding: combinations above 0.6: 0 of 7 (needs 6): fails"
    )
    counts = {key: one.mean for key, one in found["combinations above 0.6"].items()}
    assert counts == {"hold": 1, "of": 7, "needs": 6}
    assert found["index"].mean == 0.6
    assert found["beside"]["ideal"]["combinations above 0.6"]["hold"].mean == 0


@pytest.mark.parametrize("page", named.pages(), ids=of)
def test_numbers_are_those_of_the_runs_that_they_name(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert named.updated(text, named.context_of(page)) == text, "stale: make book"


@pytest.mark.parametrize("page", named.pages(), ids=of)
def test_a_page_uses_each_of_its_aliases_and_no_mark_is_in_a_table(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    used = {name.partition(".")[0] for name in named.marks_in(text)}
    assert used == set(named.context_of(page).aliases)
    assert not [line for line in text.splitlines() if line.startswith("|") and "<!--=" in line]


def test_each_file_of_aliases_and_each_source_of_a_table_has_its_page() -> None:
    pages = named.pages()
    assert set(named.ALIASES.rglob("*.toml")) <= {named.aliases_of(page) for page in pages}
    shown = [it["name"] for page in pages for it in tables.REGION.finditer(page.read_text("utf-8"))]
    assert sorted(shown) == sorted(tables.names())


@pytest.mark.parametrize("page", PAGES, ids=of)
def test_late_choices_in_a_page_are_those_of_the_histories(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert history.updated(text) == text, "stale: make book"


def test_each_papers_page_and_that_of_claims_have_the_late_choices() -> None:
    blocks = {
        page.stem: history.blocks(page.read_text(encoding="utf-8"))
        for page in PAGES
        if page.parent.name == "docs"
    }
    late = [("chosen late", paper) for paper in named.PAPERS]
    assert sorted(blocks.pop("claims")) == sorted(
        [*late, *(("verdicts before", paper) for paper in named.PAPERS)]
    )
    assert {page: found for page, found in blocks.items() if found} == {
        page_of(paper): [("chosen late", paper)] for paper in named.PAPERS
    }


@pytest.mark.parametrize("page", STEPS, ids=of)
def test_every_step_of_a_page_runs_and_prints_what_the_page_shows(
    page: Path, tmp_path: Path
) -> None:
    text = page.read_text(encoding="utf-8")
    assert steps.followed(text, tmp_path) == text, "stale: make book"
    for image, drawn in steps.images(tmp_path).items():
        assert image.read_bytes() == drawn, f"{image.name} is stale: make book"
    assert {reason.partition(":")[0] for reason in steps.reasons(text)} <= NOT_RUN


@pytest.mark.parametrize("page", PAGES, ids=of)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert not list(links.broken(page))


def test_every_reason_is_used() -> None:
    used = {
        reason.partition(":")[0] for page in PAGES for reason in steps.reasons(page.read_text())
    }
    assert used == NOT_RUN


NOT_NAMED = {
    "another program's",
    "a section of a standard",
    "a setting",
    "a test of the engine compares it",
    "a version",
    "printed by the paper",
    "worked out in the text",
}
"""Allowed reasons for a number with a decimal point or an interval but without an alias."""
LONGEST_LIST = 10
"""Greatest number of exemptions in one comment; more numbers belong in a record."""
TYPED = re.compile(r"^<!-- not named: ([^:]+): (.+) -->$", re.MULTILINE)
NO_RESULT = re.compile(
    r"^```.*?^```$|`[^`]*`|\]\([^)]*\)|802\.11|[Pp]ython 3\.\d+|ns-2\.35|<!--(?!=).*?-->|\[[\w-]+ §[^\]]*\]",
    re.DOTALL | re.MULTILINE,
)
NUMBER = re.compile(r"(?<![\w.§])(?:\d+\.\d+|\d+(?= ± ))(?![\w.])")


def typed(text: str) -> set[str]:
    """Numbers with a decimal point or an interval that have no alias."""
    return set(NUMBER.findall(NO_RESULT.sub("", named.without(text))))


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WRITTEN], ids=of)
def test_a_number_with_a_point_has_a_name_or_a_reason(page: Path) -> None:
    text = page.read_text("utf-8")
    may = {number for _, numbers in TYPED.findall(text) for number in numbers.split()}
    assert typed(text) == may
    assert {reason for reason, _ in TYPED.findall(text)} <= NOT_NAMED
    lists = [numbers.split() for _, numbers in TYPED.findall(text)]
    assert not [numbers for numbers in lists if len(numbers) > LONGEST_LIST]


def test_the_record_has_the_expressions_of_pages_and_no_others() -> None:
    kept = {paper: set(names) for paper, names in named.recorded().items()}
    assert kept == named.recorded_names()


def test_the_search_for_limits_is_of_this_engine() -> None:
    found = json.loads((ROOT / "docs/limits.json").read_text(encoding="utf-8"))
    for kept in (found["golden"], found["802.11ax"]["golden"]):
        now = {name: hashed for name, hashed in limits.golden().items() if name in kept}
        assert now == kept, "stale: make limits, make limits-ax"


def test_the_reference_of_the_scenario_file_is_that_of_the_parser() -> None:
    pages = scenario_pages.written()
    assert set(pages) == set(scenario_pages.names())
    for name, text in pages.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == text, "stale: make docs"


def test_every_page_has_its_place_in_the_book() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    placed = re.findall(r"^ +- (?:[^#\n]*: )?(\S+\.md)$", nav, re.MULTILINE)
    written = {str(page.relative_to(ROOT / "docs")) for page in PAGES if page.name != "README.md"}
    assert sorted(placed) == sorted(written | (links.MADE - {"figures"}))


def test_each_group_of_deviations_begins_with_a_summary() -> None:
    groups = [
        group
        for path in DEVIATIONS
        for group in re.split(r"^##? .+\n\n", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
    ]
    assert len(groups) > 10
    assert not [group for group in groups if group.startswith("**D-")]


def test_each_deviation_has_one_entry_and_its_place_in_the_index() -> None:
    entries = {
        f"deviations/{path.name}": re.findall(
            r"^\*\*D-(\d{3}) · ", path.read_text("utf-8"), re.MULTILINE
        )
        for path in DEVIATIONS
    }
    numbers = [number for found in entries.values() for number in found]
    assert len(numbers) == len(set(numbers))
    index = (ROOT / "docs/deviations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[[^]]+\]\(([^)]+)\) \|.*\| ([^|]+) \|$", index, re.MULTILINE)
    listed = {
        page: [
            number
            for first, last in re.findall(r"D-(\d{3})(?: to D-(\d{3}))?", cell)
            for number in sorted(numbers)
            if first <= number <= (last or first)
        ]
        for page, cell in rows
    }
    assert listed == {page: sorted(found) for page, found in entries.items()}


def test_the_glossary_has_each_name_once() -> None:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!name|---)(.+?) \|", text, re.MULTILINE)
    names = [name.strip("`") for row in rows for name in row.split(", ")]
    assert sorted(names) == sorted(set(names))


def test_the_colours_of_the_book_are_those_of_the_figures() -> None:
    from airfair.pages import DARK_PALETTE
    from airfair.palette import PALETTE

    style = (ROOT / "docs/assets/book.css").read_text(encoding="utf-8")
    light, dark = style.split('[data-md-color-scheme="slate"]')
    assert PALETTE[0] in light
    assert PALETTE[1] in light
    assert DARK_PALETTE[0] in dark
    assert DARK_PALETTE[1] in dark


# ------------------------------------------------------------------ tests of the checks


ALIASES = named.Context(aliases={"own": "a.b", "sum": "a + b", "claims": "verdicts.all.claims"})


def is_1_5(*_: object) -> named.Number:
    return named.Number(1.5, 0.2)


@pytest.mark.parametrize(
    ("stale", "today"),
    [
        ("1.29", "1.50"),
        ("1.300 ± 0.1", "1.500 ± 0.2"),
        ("1.300 ±\n0.1", "1.500 ± 0.2"),
        ("+1", "+2"),
        ("one", "two"),
        ("One", "Two"),
    ],
)
def test_a_stale_number_is_written_anew_in_its_form(stale: str, today: str) -> None:
    new = named.updated(f"The cell has {stale}<!--=own--> Mb/s.", ALIASES, is_1_5)
    assert new == f"The cell has {today}<!--=own--> Mb/s."


def test_a_mark_may_append_names_to_an_alias() -> None:
    assert named.names_in("1<!--=own--> of 2<!--= own.all.x -->", ALIASES) == ["a.b", "a.b.all.x"]


@pytest.mark.parametrize(
    "text",
    [
        "5<!--=nobody-->",
        "5<!--=own-->",
        "5<!--=sum.all-->",
        "5 ± 1<!--=claims-->",
        "nothing <!--=claims-->",
        '5<!--=a["b"]-->',
    ],
)
def test_a_mark_without_its_number_is_an_error(text: str) -> None:
    with pytest.raises(named.NamingError):
        named.updated(text, ALIASES)


SOURCE = """<!-- each: tables.x["{row}"]["{column}"] | claims["{row}"] | -->

| | Mb/s | index | |
| --- | --- | --- | --- |
| a | **{{ 0.0 ± 0.0 }}** | {{ +0 }} % of {{ 0: .points }} | 7 |
| `b` | | {{ one: own }} | |
"""


def test_each_number_of_a_table_follows_its_picture_and_its_expression() -> None:
    found = []

    def text_of(cell: tables.Cell) -> str:
        found.append(cell.expression)
        return named.formatted(cell.picture, is_1_5())

    assert (
        tables.written(SOURCE, text_of)
        == """| | Mb/s | index | |
| --- | --- | --- | --- |
| a | **1.5 ± 0.2** | +2 % of 2 | 7 |
| `b` | | two | |
"""
    )
    assert found == ['tables.x["a"]["Mb/s"]', 'claims["a"]', 'claims["a"].points', "own"]


def test_a_region_of_a_page_is_written_from_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SOURCES", tmp_path)
    (tmp_path / "own.md").write_text("| | own | set |\n| - | - | - |\n| a | {{ 0.0: b }} | 2.5 |\n")
    page = "<!-- table: own -->\nstale 7.5\n<!-- /table -->\n"
    new = named.updated(page, ALIASES, is_1_5)
    assert new.splitlines()[2:5] == ["| | own | set |", "| - | - | - |", "| a | 1.5 | 2.5 |"]
    assert named.names_in(page, ALIASES) == ["b"]
    assert typed(page) == {"2.5"}
    with pytest.raises(named.NamingError, match=r"there is no book/tables/none\.md"):
        named.updated(page.replace("own", "none"), ALIASES, is_1_5)


@pytest.mark.parametrize("cell", ["{{ 0.0 }}", "{{ 1.5: own }}", "{{ 0.0: .rest }}"])
def test_a_cell_without_a_picture_or_an_expression_is_an_error(cell: str) -> None:
    with pytest.raises(named.NamingError):
        tables.written(f"| a |\n| --- |\n| {cell} |\n", lambda _: "")


@pytest.mark.parametrize("number", ["0.5", "0.5 ± 0.1", "12 ± 3"])
def test_a_typed_number_is_seen(number: str) -> None:
    assert typed(f"It is {number} Mb/s.")
    assert not typed(f"It is {number}<!--=own--> Mb/s.")


@pytest.mark.parametrize(
    "step",
    [
        "```sh\nairfair run nowhere.toml\n```\n",
        "```sh\nls\n```\n",
        "```python\nassert 1 == 2\n```\n",
    ],
)
def test_a_step_that_fails_is_an_error(step: str, tmp_path: Path) -> None:
    with pytest.raises(steps.StepError):
        steps.followed(step, tmp_path)


def test_an_output_that_has_changed_is_seen(tmp_path: Path) -> None:
    text = "```python\nprint(1)\nprint(2)\n```\n\n<!-- output: 1: -->\n```\n3\n```\n"
    assert steps.followed(text, tmp_path) == text.replace("3", "2")


@pytest.mark.parametrize(
    "link", ["[a](none.md)", "[a](#none)", "[a](b.md#none)", "![a](../none.svg)"]
)
def test_a_broken_link_is_seen(link: str, tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# Here\n")
    page = tmp_path / "a.md"
    page.write_text(f"# A title\n\n{link} [b](b.md#here) [c](#a-title) `[d](none.md)`\n")
    (found,) = links.broken(page)
    assert link.rpartition("(")[2] in found


@pytest.mark.parametrize(
    "element",
    [
        '<a href="none.html">a</a>',
        '<a href="#none">a</a>',
        '<a href="b.html#none">a</a>',
        '<img src="none.svg">',
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
    ],
)
def test_a_mistake_in_a_built_page_is_seen(element: str, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1><a href="https://example.org">a</a>')
    page = tmp_path / "a.html"
    page.write_text('<a href="b.html#here">b</a><a href="#top">a</a><p id="top"></p>')
    assert not check_site.problems(tmp_path)
    page.write_text(page.read_text() + element)
    assert check_site.problems(tmp_path)
