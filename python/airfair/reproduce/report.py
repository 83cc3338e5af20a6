"""One page that shows a whole reproduction and needs nothing else: no network, no other file."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from airfair.figures import GRID, INK, MUTED, PALETTE
from airfair.scenario import toml_value

from . import pages, words
from .claims import Verdict
from .document import mark
from .paper import Finding, Json, Paper, Setup
from .tables import Cell, Table

if TYPE_CHECKING:
    from airfair.scenario import Value

_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    **{colour: f"--series-{i + 1}" for i, colour in enumerate(PALETTE)},
}


@dataclass(frozen=True)
class FigureView:
    """A figure for the page."""

    name: str
    caption: str
    svg: Markup
    statement: str
    """What the paper says of it."""
    wide: bool


@dataclass(frozen=True)
class Contents:
    """What the page shows."""

    paper: Paper[Any]
    setups: Sequence[Setup]
    paths: Sequence[Path]
    verdicts: Sequence[Verdict]
    tables: Sequence[Table]
    figures: Sequence[FigureView]
    findings: Sequence[Finding]
    provenance: Json
    replications: int
    quick: bool
    interrupted: bool


def render(contents: Contents) -> str:
    """The page."""
    sources = [
        {
            "path": path,
            "text": path.read_text(encoding="utf-8"),
            "variants": _commands(contents, path),
        }
        for path in contents.paths
    ]
    return pages.render(
        "report.html.jinja",
        **{**vars(contents), "sources": sources},
        heading=heading,
        mark=mark,
        number=number,
        interval=interval,
        percent=percent,
        toml=toml_value,
        words=words.glossary(),
    )


def inline_svg(svg: str, label: str) -> Markup:
    """An SVG document as an element of the page, in the page's colours and under its own ids."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    for colour, variable in _VARIABLES.items():
        body = body.replace(colour, f"var({variable})")
    # The figure's background: the page shows through.
    body = body.replace("fill: #ffffff", "fill: none")
    body = re.sub(r'\bid="', f'id="{label}-', body)
    body = re.sub(r"url\(#", f"url(#{label}-", body)
    body = re.sub(r'xlink:href="#', f'xlink:href="#{label}-', body)
    return Markup(body.replace("<svg", '<svg role="img"', 1))  # noqa: S704 - made by this program


def heading(name: str) -> str:
    """`table1` → Table 1, `fig4-7` → Figure 4-7."""
    return re.sub(r"^(table|fig)", lambda m: {"table": "Table ", "fig": "Figure "}[m[1]], name)


def _commands(contents: Contents, path: Path) -> list[str]:
    """How each variant of a file is run by itself, if the schemes do not say it already."""
    if contents.paper.schemes:
        return []
    return [
        " ".join(["airfair run", path.name, *(_option(*item) for item in variant.set.items())])
        for setup in contents.setups
        if setup.path == path
        for variant in setup.variants
    ]


def _option(key: str, value: Value) -> str:
    return shlex.join(["--set", f"{key}={toml_value(value)}"])


def number(value: float | None, digits: int) -> str:
    """A figure with so many decimals."""
    if value is None:
        return ""
    return f"{value:.{digits}f}" if math.isfinite(value) else "∞"


def interval(cell: Cell) -> str:
    """A measured figure with its interval."""
    if math.isnan(cell.measured.mean):
        return "–"
    mean, ci95 = cell.measured.mean, cell.measured.ci95
    return f"{number(mean, cell.digits)} ± {number(ci95, cell.digits)}"


def percent(fraction: float | None) -> str:
    """A deviation with its sign."""
    return "" if fraction is None else f"{100 * fraction:+.1f} %"
