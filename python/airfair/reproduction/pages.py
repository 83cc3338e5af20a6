"""Renders pages of papers from templates."""

from __future__ import annotations

from typing import Any

from airfair import pages


def render(template: str, **names: Any) -> str:  # noqa: ANN401 - whatever the template shows
    """Page rendered from a template of this package with the variables `names`."""
    return pages.render(template, package="airfair.reproduction", **names)
