"""Makes pages from templates: each one file that needs nothing else, all in the same colours."""

from __future__ import annotations

import functools
from typing import Any

import jinja2

from airfair.drawn import DARK_PALETTE
from airfair.figures import PALETTE


def render(template: str, **names: Any) -> str:  # noqa: ANN401 - whatever the template shows
    """The page that `template` makes of `names`."""
    page = _templates().get_template(template)
    return page.render(**names, palette=PALETTE, dark_palette=DARK_PALETTE)


@functools.cache
def _templates() -> jinja2.Environment:
    """It keeps templates once they are compiled: the page of all papers is made anew after each."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("airfair.reproduce"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
