"""JSON document of a reproduction, and its tables for a terminal."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from airfair.estimate import finite
from airfair.experiment.claims import Verdict
from airfair.experiment.conditions import Point, states, together
from airfair.experiment.wording import FIRST_LOOK, wordings

from .paper import Experiment, Json, Shown
from .tables import Column, Table, TableCell

WIDTH = 80
MARGIN = "  "
MOST_POINTS = 4
"""Largest number of points of a claim that the terminal lists; the report lists all."""
NAME = 15
"""Smallest width of the column with names of rows [characters]."""
INTERVAL = 13
"""Largest width of a value with its interval [characters]."""
NOT_KNOWN = "?"
"""Mark after a value whose interval exceeds it, if there is no room for both ends."""
COMPARED, ALONE = 29, 15
"""Width of a column with printed values, and of a column without [characters]."""

IN_THE_FULL_RUN = "In the full run: "
"""Prefix of explanations in a first look, whose numbers come from the full run."""


def document(
    paper_id: str, experiments: Sequence[Json], verdicts: Sequence[Verdict], provenance: Json
) -> Json:
    """Element of `papers` in the document of `airfair reproduce --json`."""
    claims = [claim(verdict) for verdict in verdicts]
    return {"paper": paper_id, "experiments": list(experiments), "claims": claims, **provenance}


def claim(verdict: Verdict) -> Json:
    """JSON of a claim: its state, states under each reading, counts of points, and turning tolerance."""
    turns = verdict.turns_at
    return {
        "id": verdict.id,
        "text": verdict.text,
        "holds": verdict.holds,
        "state": verdict.state,
        "first_look": verdict.first_look,
        "decided_under": verdict.under,
        "points": _points(verdict.points),
        "error": verdict.points[0].error if verdict.points else None,
        "readings": [
            {"reading": verdict.under, "role": "decides", **_under(verdict.points)},
            *(
                {
                    "reading": one.where,
                    "role": "near" if one.near else "beside",
                    **_under(one.points),
                }
                for one in verdict.elsewhere
            ),
        ],
        "turned_by": verdict.turned_by,
        "undecided_under": verdict.undecided_under,
        "turns_at_tolerance": None if turns is None else finite(turns),
        "evidence": verdict.evidence,
        "why": whys(verdict),
    }


def _under(points: Sequence[Point]) -> Json:
    """JSON of the state of a claim under a reading."""
    return {"state": together(points), "points": _points(points)}


def _points(points: Sequence[Point]) -> Json:
    """Number of points in each state."""
    counts = Counter(states(points))
    return {
        "hold": counts["holds"],
        "undecided": counts["undecided"],
        "testable": len(points) - counts["untestable"],
        "all": len(points),
    }


def entry(experiment: Experiment[Any], shown: Shown) -> Json:
    """JSON of an experiment; `measured` has the shape of `paper_values`, if these exist."""
    return {
        "id": experiment.id,
        "title": experiment.title,
        "series": list(shown.series),
        "paper_values": shown.paper_values,
        "measured": shown.measured,
    }


def table(shown: Table) -> Json:
    """Element of `tables`: mean and half width of its 95 % interval for each row and column."""
    return {
        "id": shown.id,
        "title": shown.heading,
        "rows": list(shown.rows),
        "columns": [
            {
                "label": column.label,
                "mean": [finite(cell.measured.mean) for cell in column.cells],
                "ci95": [finite(cell.measured.ci95) for cell in column.cells],
                "printed": [cell.printed for cell in column.cells],
            }
            for column in shown.columns
        ],
    }


# ------------------------------------------------------------------ for people


def table_text(table: Table, width: int = WIDTH) -> str:
    """Text of a table, at least 80 columns wide: columns with printed values first, then the others."""
    printed = [column for column in table.columns if column.printed]
    others = [column for column in table.columns if not column.printed]
    name = min(max([NAME, *map(len, table.rows)]), width - len(MARGIN) - COMPARED)
    lines = wrapped(table.heading)
    for i, part in enumerate(_side_by_side(printed, width - name, COMPARED)):
        labels = [textwrap.wrap(column.label, COMPARED - 2) for column in part]
        height = max(map(len, labels))
        labels = [[""] * (height - len(label)) + label for label in labels]
        heads = [[f"{label[i]:>{COMPARED}}" for label in labels] for i in range(height)]
        heads.append([f"{'paper':>7}{'measured':>13}{'dev.':>9}"] * len(part))
        lines += [*([""] if i else []), *_block(table, part, name, heads, _compared)]
    for part in _side_by_side(others, width - name, ALONE):
        pairs = [_split(column.label) for column in part]
        heads = [[f"{pair[i]:>{ALONE}}" for pair in pairs] for i in range(2)]
        lines += ["", *_block(table, part, name, heads, _alone)]
    if any(line.endswith(NOT_KNOWN) or f" {NOT_KNOWN} " in line for line in lines[1:]):
        lines.append(
            f"{MARGIN}{NOT_KNOWN}: not known yet, because the interval is wider than the value"
        )
    return "\n".join(lines)


def _side_by_side(columns: Sequence[Column], room: int, width: int) -> list[Sequence[Column]]:
    """Groups of columns that fit side by side."""
    size = max(1, (room - len(MARGIN)) // width)
    return [columns[first : first + size] for first in range(0, len(columns), size)]


def _block(
    table: Table,
    columns: Sequence[Column],
    name: int,
    heads: Sequence[Sequence[str]],
    show: Callable[[TableCell], str],
) -> list[str]:
    rows = zip(table.rows, *(column.cells for column in columns), strict=True)
    lines = [("", head) for head in heads]
    for row, *cells in rows:
        *above, last = textwrap.wrap(row, name, subsequent_indent=MARGIN) or [""]
        lines += [(words, []) for words in above]
        lines.append((last, [show(cell) for cell in cells]))
    return [f"{MARGIN}{row:<{name}}{''.join(cells)}".rstrip() for row, cells in lines]


def _compared(cell: TableCell) -> str:
    paper = "" if cell.printed is None else f"{cell.printed:.{cell.digits}f}"
    deviation = "" if cell.deviation is None else f"{100 * cell.deviation:+.1f} %"
    return f"{paper:>7}{_interval(cell):>13}{deviation:>9}"


def _alone(cell: TableCell) -> str:
    return f"{_interval(cell):>15}"


def _interval(cell: TableCell) -> str:
    mean, digits = cell.measured.mean, cell.digits
    if finite(mean) is None:
        return "-"
    if finite(cell.measured.ci95) is None:
        return f"{mean:.{digits}f}"
    if cell.measured.is_known:
        return f"{mean:.{digits}f} ±{cell.measured.ci95:>{4 + digits // 3}.{digits}f}"
    text = cell.measured.text(digits)
    return text if len(text) <= INTERVAL else f"{mean:.{digits}f} {NOT_KNOWN}"


def _split(label: str) -> tuple[str, str]:
    """Label split into two lines."""
    first, _, second = label.partition(", ")
    return first, second


def whole_text(
    tables: Sequence[Table], verdicts: Sequence[Verdict], about: Json, kept: str, width: int
) -> str:
    """Tables, claims and run times of a paper for a terminal with `width` columns.

    `about` is the provenance in the paper's document, and `kept` a line on its report.
    """
    parts = [table_text(table, width) for table in tables]
    if verdicts:
        parts.append(claims_text(verdicts))
    count = about["replications"]
    few = f", a quick look: {count} replications" if about["quick"] else ""
    cut = f", interrupted after {count} replications" if about["interrupted"] else ""
    spent = (
        f"{about['simulated_s']:.0f} simulated seconds in {about['cpu_s']:.1f} s of CPU{few}{cut}"
    )
    parts.append(f"{spent}\n{kept}".rstrip())
    return "\n\n".join(parts)


def claims_text(verdicts: Sequence[Verdict]) -> str:
    """Text with the number of claims that hold, and each claim with the values that decide it."""
    lines = wrapped(headline(verdicts))
    for verdict in verdicts:
        if verdict.is_open:
            continue
        lines += wrapped(f"{verdict.mark} {verdict.id}: {verdict.label}", "  ", 4)
        lines += [line for part in _told(verdict) for line in wrapped(part, " " * 6)]
    lines += lines_of_open([verdict.id for verdict in verdicts if verdict.is_open])
    return "\n".join(lines)


def lines_of_open(ids: Sequence[str]) -> list[str]:
    """Sentence on claims that a first look cannot decide; no line without such claims."""
    if not ids:
        return []
    noun = "claim" if len(ids) == 1 else "claims"
    undecided = f"{FIRST_LOOK['undecided'].mark} {len(ids)} more {noun} cannot be decided in this first look"
    text = f"{undecided}: {', '.join(ids)}"
    return textwrap.wrap(
        text, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
    )


def _told(verdict: Verdict) -> list[str]:
    """Deciding points of a claim: all if they are few, else the first and the last."""
    count = len(verdict.points)
    told, beside = verdict.brief[:count], verdict.brief[count:]
    if count > MOST_POINTS:
        told = [verdict.line]
    elif count > 1:
        told = [verdict.counted, *told]
    return [*told, *beside, *([why(verdict)] if verdict.why else [])]


def headline(verdicts: Sequence[Verdict], total: int | None = None) -> str:
    """Text of the numbers of claims by state."""
    counts = Counter[str](verdict.state for verdict in verdicts)
    all_ = len(verdicts) if total is None else total
    counts["not run"] = all_ - len(verdicts)
    return counted(counts, first_look=any(verdict.first_look for verdict in verdicts))


def counted(counts: Counter[str], *, first_look: bool) -> str:
    """Text of `counts`, numbers of claims by state."""
    words = {
        state: word.one if counts[state] == 1 else word.several
        for state, word in wordings(first_look=first_look).items()
    }
    held = f"{counts['holds']} of {counts.total()} claims {words.pop('holds')}"
    some = [f"{counts[state]} {word}" for state, word in words.items() if counts[state]]
    return ", ".join([held, *some])


def in_words(states: Mapping[str, int]) -> str:
    """Text of the numbers of claims by state of a finished full run."""
    return counted(Counter(states), first_look=False) if states else "none"


def whys(verdict: Verdict) -> list[str]:
    """Explanations why a claim does not hold; in a first look marked as those of the full run."""
    found = {reason.text for reason in verdict.reasons} if verdict.first_look else set()
    return [f"{IN_THE_FULL_RUN}{text}" if text in found else text for text in verdict.why]


def why(verdict: Verdict) -> str:
    """Explanations why a claim does not hold, for a terminal."""
    return "why: " + " ".join(whys(verdict))


def wrapped(text: str, first: str = "", rest: int | None = None) -> list[str]:
    """Lines of at most 80 columns: the first begins with `first`, others with as many spaces, or `rest`."""
    indent = " " * (len(first) if rest is None else rest)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=indent)
