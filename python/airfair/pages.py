"""Renders HTML pages from templates: single files without external resources, in common colours."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup, escape

from .palette import GRID, INK, MUTED, PALETTE

DARK_PALETTE = ("#ff8c5a", "#62b5ec", "#3fc79a", "#dd8fc9", "#d3b24a")
"""Colours for dark pages, in the order of `PALETTE`."""

_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    **{colour: f"--series-{i + 1}" for i, colour in enumerate(PALETTE)},
}


@dataclass(frozen=True)
class Picture:
    """Figure of a page with its caption."""

    svg: Markup
    caption: str


def render(template: str, *, package: str = "airfair", **names: Any) -> str:  # noqa: ANN401 - what it shows
    """Page or fragment rendered from a template of `package` with the variables `names`."""
    page = _templates(package).get_template(template)
    return page.render(**names, palette=PALETTE, dark_palette=DARK_PALETTE)


@functools.cache
def _templates(package: str) -> jinja2.Environment:
    """Cached environment, which keeps compiled templates."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def css(colour: str) -> str:
    """CSS value for a colour of a figure: a variable that follows the light or dark page, if there is one."""
    return f"var({_VARIABLES[colour]})" if colour in _VARIABLES else colour


def inline_svg(svg: str, name: str, title: str) -> Markup:
    """SVG document as an element of an HTML page, with the page's colours and ids that begin with `name`."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    for colour, variable in _VARIABLES.items():
        body = body.replace(colour, f"var({variable})")
    # Make the background of the figure transparent.
    body = body.replace("fill: #ffffff", "fill: none")
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = re.sub(r"url\(#", f"url(#{name}-", body)
    body = re.sub(r'xlink:href="#', f'xlink:href="#{name}-', body)
    # Drop sizes, which the page sets, and name spaces, which HTML does not need.
    body = re.sub(r'\s(width|height)="[^"]*pt"|\sxmlns(:\w+)?="[^"]*"', "", body)
    opened = f'<svg role="img" aria-labelledby="{name}-title"'
    body = body.replace("<svg", opened, 1)
    end = body.index(">") + 1
    label = f'<title id="{name}-title">{escape(title)}</title>'
    return Markup(body[:end] + label + body[end:])  # noqa: S704 - made by this program
