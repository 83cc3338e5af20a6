"""Writes the reference of the scenario file: docs/scenario.md and a page for each kind of section.

Use: make docs. The tables are made from the keys that the parser reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import links

from airfair import _core

DOCS = Path(__file__).resolve().parents[1] / "docs"
INDEX = "scenario.md"


@dataclass(frozen=True)
class Page:
    """Page of the reference, and the patterns with which the headings of its tables begin."""

    name: str
    title: str
    about: str
    begins: tuple[str, ...]


PAGES = (
    Page(
        "bss",
        "Cells",
        "A cell is a section `[bss.NAME]`: the access point and the rules of its channel.",
        (r"\[bss", "propagation", "fading", "control.*access point"),
    ),
    Page(
        "station",
        "Stations",
        "A wireless station is a section `[station.NAME]`: its rate, channel access, queue and position.",
        (r"\[station", "rate ", "errors", "mobility"),
    ),
    Page(
        "queue",
        "Queues",
        "Each station and access point has a transmit queue. The key `queue` sets its length and discipline.",
        ("queue",),
    ),
    Page(
        "wired",
        "Hosts, routers and links",
        "Hosts and routers are wired. Each host has a link to an access point, a router or another host.",
        (r"\[host", r"\[router", r"\[link", "loss"),
    ),
    Page(
        "flow",
        "Flows",
        "A flow is a section `[flow.NAME]`: its two ends, its transport, its data and its scheme.",
        (r"\[flow", "transport", "source", "rate_control", "control.*`$"),
    ),
)


def names() -> list[str]:
    """Names of the pages, relative to docs."""
    return [INDEX, *(f"scenario/{page.name}.md" for page in PAGES)]


def written() -> dict[str, str]:
    """Text of each page, by its name relative to docs."""
    _, top, *rest = re.split(r"^## ", f"\n{_core.reference().rstrip()}\n", flags=re.MULTILINE)
    sections = dict(part.split("\n", 1) for part in rest)
    tables = {page: _of(page, sections) for page in PAGES}
    if left := set(sections) - {heading for found in tables.values() for heading in found}:
        raise SystemExit(f"no page has {', '.join(sorted(left))}: book/scenario_pages.py, PAGES")
    return {
        INDEX: _index(top.split("\n", 1)[1].strip(), tables),
        **{f"scenario/{page.name}.md": _page(page, sections, tables[page]) for page in PAGES},
    }


def _of(page: Page, sections: Mapping[str, str]) -> list[str]:
    return [
        heading
        for begin in page.begins
        for heading in sections
        if re.match(begin, heading.removeprefix("`"))
    ]


def _page(page: Page, sections: Mapping[str, str], headings: Sequence[str]) -> str:
    part = f"This page is part of the reference of [the scenario file](../{INDEX})"
    intro = f"{page.about}\n{part}, which `make docs` writes."
    tables = [f"## {heading}\n\n{_table(sections[heading].strip())}" for heading in headings]
    return "\n\n".join([f"# {page.title}", intro, *tables]) + "\n"


def _table(text: str) -> str:
    """A table of keys, or a sentence if the section has no keys."""
    return text if "\n| `" in text else "This section has no keys."


def _index(top: str, tables: Mapping[Page, Sequence[str]]) -> str:
    lists = [
        f"### [{page.title}](scenario/{page.name}.md)\n\n{page.about}\n\n"
        + "\n".join(
            f"- [{heading}](scenario/{page.name}.md#{links.slug(heading)})" for heading in headings
        )
        for page, headings in tables.items()
    ]
    intro = (
        "A scenario file is TOML. This reference lists every key with its values, its default, an example\n"
        "and its meaning. `make docs` writes the reference from the keys that the parser reads.\n"
        "[Scenarios to copy](examples.md) shows whole files, and [write a scenario](how-to/scenario.md)\n"
        "explains how to begin."
    )
    return (
        "\n\n".join(["# The scenario file", intro, f"## Top level\n\n{top}", "## Tables", *lists])
        + "\n"
    )


def main() -> None:
    """Write the pages."""
    (DOCS / "scenario").mkdir(exist_ok=True)
    for name, text in written().items():
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
