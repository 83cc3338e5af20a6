"""Files of a study's results: tables, JSON document, figures and an HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airfair import store
from airfair.figures import png, svg

from . import page, text
from .document import document
from .files import DOCUMENT, PAGE, contents
from .plot import drawn as plotted

if TYPE_CHECKING:
    from .results import ExperimentResult
    from .study import Study


def whole(study: Study, results: ExperimentResult) -> dict[str, Any]:
    """JSON document of a study's results."""
    return document(results, text.measures(study), study.comparisons)


def tables(study: Study, results: ExperimentResult) -> dict[str, bytes]:
    """Content of the tables, the study file and the JSON document, by file name."""
    return {
        **contents(results),
        study.path.name: study.path.read_bytes(),
        DOCUMENT: store.encode(whole(study, results)),
    }


def drawn(study: Study, results: ExperimentResult, about: Mapping[str, object]) -> dict[str, bytes]:
    """Content of the figures and the HTML page, by file name."""
    shown: dict[str, page.Drawn] = {}
    files: dict[str, bytes] = {}
    for one in study.pictures():
        figure = plotted(results, one)
        picture = svg(figure)
        files[f"{one.id}.svg"] = picture.encode()
        files[f"{one.id}.png"] = png(figure)
        shown[one.id] = page.Drawn(picture, one.heading, one.caption)
    source = (study.path.name, study.path.read_text(encoding="utf-8"))
    rest = page.Shown(text.measures(study), study.comparisons, source)
    html = page.page(results, rest, shown, about)
    return {**files, PAGE: html.encode()}
