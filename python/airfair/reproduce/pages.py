"""Makes the pages of papers from their templates."""

from __future__ import annotations

from typing import Any

from airfair import pages


def render(template: str, **names: Any) -> str:  # noqa: ANN401 - whatever the template shows
    """The page that a template of this package makes of `names`."""
    return pages.render(template, package="airfair.reproduce", **names)
