"""One page that shows a whole reproduction and needs nothing else: no network, no other file."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import jinja2
from markupsafe import Markup

from airfair.figures import GRID, INK, MUTED, PALETTE
from airfair.scenario import toml_value

from .arf_aware_tcp import BOUNDS, Finding
from .catalogue import Json, Paper, Setup
from .claims import Verdict
from .document import mark
from .tables import Table, TableColumn

DARK_PALETTE = ("#ff8c5a", "#62b5ec", "#3fc79a", "#dd8fc9", "#d3b24a")
"""The palette on a dark page, in the same order."""

ROUNDING = 1e-3
"""What rounded throughputs can do to an index."""

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


@dataclass(frozen=True)
class Contents:
    """What the page shows."""

    paper: Paper
    setups: Sequence[Setup]
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
    source = files("airfair.reproduce").joinpath("templates/report.html.jinja").read_text("utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    setups = [
        {"path": setup.path, "text": setup.path.read_text(encoding="utf-8")}
        for setup in contents.setups
    ]
    return environment.from_string(source).render(
        **{**vars(contents), "setups": setups},
        bounds=BOUNDS,
        palette=PALETTE,
        dark_palette=DARK_PALETTE,
        heading=heading,
        mark=mark,
        number=number,
        percent=percent,
        disagrees=disagrees,
        toml=toml_value,
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


def number(value: float | None, unit: str) -> str:
    """A throughput without, an index with three decimals."""
    if value is None:
        return ""
    if not math.isfinite(value):
        return "∞"
    return f"{value:.0f}" if unit else f"{value:.3f}"


def percent(fraction: float | None) -> str:
    """A deviation with its sign."""
    return "" if fraction is None else f"{100 * fraction:+.1f} %"


def disagrees(column: TableColumn) -> bool:
    """Whether the printed index does not follow from the printed throughputs."""
    index, again = column.fairness.printed, column.fairness_recomputed
    return index is not None and again is not None and abs(index - again) > ROUNDING
