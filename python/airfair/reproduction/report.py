"""Report of a reproduction: one HTML file without external resources."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from airfair import pages
from airfair.experiment import words
from airfair.experiment.claims import Verdict
from airfair.experiment.conditions import Quota, ruled
from airfair.scenario import Value, toml_value

from . import dots, topology
from .document import headline, in_words, whys
from .tables import TableCell

if TYPE_CHECKING:
    from .results import Outcome
    from .runs import Choice

PACKAGE = "airfair.reproduction"
"""Package with the templates of papers."""
SHOWN = (
    *("verdicts", "tables", "leading", "figures", "shows", "calibration", "findings"),
    *("provenance", "first_look", "shorter"),
)
"""Properties of an outcome that the report shows."""
LEAST_TOLERANCE = 0.001
"""Smallest tolerance that is shown as a number."""


@dataclass(frozen=True)
class FigureView:
    """Figure of the report."""

    id: str
    title: str
    caption: str
    svg: Markup
    narrow: Markup | str | None
    """Version for a narrow screen, if there is one."""
    statement: str
    """Statement of the paper about the figure, shortened."""
    source: str
    """Section of the paper with the statement."""
    wide: bool


def render(outcome: Outcome) -> str:
    """HTML of the report."""
    choice, verdicts, intro = outcome.choice, outcome.verdicts, outcome.choice.paper.introduction
    return pages.render(
        "report.html.jinja",
        package=PACKAGE,
        paper=choice.paper,
        **{name: getattr(outcome, name) for name in SHOWN},
        replications=outcome.measured.replications,
        interrupted=outcome.measured.spent.interrupted,
        asks_anew=choice.asks_anew,
        sources=[
            {
                "path": path,
                "text": path.read_text(encoding="utf-8"),
                "variants": _commands(choice, path),
            }
            for path in choice.paths
        ],
        intro=intro,
        topology=topology.draw(intro.topology, "topology") if intro and intro.topology else "",
        headline=headline(verdicts),
        decided=[verdict for verdict in verdicts if not verdict.is_open],
        open=[verdict for verdict in verdicts if verdict.is_open],
        by_state=_by_state(verdicts),
        whys=whys,
        dots=lambda verdict: dots.draw(verdict, f"dots-{verdict.id}"),
        each=lambda one: ruled(one.points),
        tolerance=tolerance,
        points=points,
        number=number,
        interval=interval,
        percent=percent,
        toml=toml_value,
        words=words.glossary(),
        in_words=in_words,
        level=dots.level([point for one in verdicts for point in one.points]),
    )


def _by_state(verdicts: Sequence[Verdict]) -> dict[str, list[str]]:
    """Ids of the claims that do not hold, by the text of their state."""
    found: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.state != "holds" and not verdict.is_open:
            words = verdict.label
            found.setdefault(words[0].upper() + words[1:], []).append(verdict.id)
    return found


def points(verdict: Verdict) -> str:
    """Text of the number of points that hold, or of all points of an untestable claim."""
    blind = len(verdict.points)
    if verdict.here != "untestable":
        return verdict.counted
    return (
        "its point cannot be tested" if blind == 1 else f"none of its {blind} points can be tested"
    )


def tolerance(verdict: Verdict) -> str:
    """Text of the words that set a claim's bounds, and of the tolerance at which its verdict changes."""
    conditions = [
        condition
        for point in verdict.points
        for condition in (point.parts if isinstance(point, Quota) else (point,))
    ]
    said = dict.fromkeys(
        f"“{one.tolerance.word}” as ± {one.tolerance.allowed:.3g}"
        for one in conditions
        if one.tolerance
    )
    if not said:
        return ""
    turns = verdict.turns_at
    at = ""
    if turns is not None and math.isfinite(turns):
        place = "below" if turns < LEAST_TOLERANCE else "at"
        at = f"; the verdict changes {place} ± {max(turns, LEAST_TOLERANCE):.3g}"
    return f"Meaning of the words here: {', '.join(said)}{at}."


def _commands(choice: Choice, path: Path) -> list[str]:
    """Commands that run each variant of a file, unless the list of schemes has them."""
    if choice.paper.schemes:
        return []
    return [
        " ".join(["airfair run", path.name, *(_option(*item) for item in variant.set.items())])
        for setup in choice.setups
        if setup.path == path
        for variant in setup.variants
    ]


def _option(key: str, value: Value) -> str:
    return shlex.join(["--set", f"{key}={toml_value(value)}"])


def number(value: float | None, digits: int) -> str:
    """Number with `digits` decimals."""
    if value is None:
        return ""
    return f"{value:.{digits}f}" if math.isfinite(value) else "∞"


def interval(cell: TableCell) -> str:
    """Measured value of a cell with its interval."""
    return "–" if math.isnan(cell.measured.mean) else cell.measured.text(cell.digits)


def percent(fraction: float | None) -> str:
    """Fraction as a percentage with its sign."""
    return "" if fraction is None else f"{100 * fraction:+.1f} %"
