"""Text and tables of an experiment's results for a terminal."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from airfair import text_table
from airfair.estimate import Estimate
from airfair.names import counted, printable
from airfair.text_table import Line, Table

from .keys import parts
from .measures import Measure, measure

if TYPE_CHECKING:
    from .claims import Verdict
    from .results import ExperimentResult
    from .study import Comparison, Study

MOST_PRINTED = 6
"""Largest number of points whose goodputs the text of an experiment's result contains."""
MOST_POINTS = 200
"""Largest number of rows of a table on a terminal; the files have all rows."""


def shown(
    results: ExperimentResult,
    measures: Sequence[Measure],
    comparisons: Sequence[Comparison] = (),
    width: int = 80,
) -> str:
    """Text with all results, for a terminal of `width` columns."""
    blocks = [
        heading(results, width),
        "\n".join(text_table.text(points(results, measures), width)).rstrip(),
    ]
    hidden = len(results.finished.points) - MOST_POINTS
    if hidden > 0:
        blocks.append(f"… and {hidden:,} more points; --out DIR writes all of them")
    for comparison in comparisons:
        title = (
            f"{comparison.factor} against {comparison.baseline}, in pairs; * marks a difference that is "
            "significant at 5 %, corrected for the number of rows"
        )
        lines = text_table.text(differences(results, comparison), width)
        blocks.append("\n".join([*textwrap.wrap(title, width), *lines]).rstrip())
    verdicts = results.decide()
    if verdicts:
        blocks.append("\n".join(claims(verdicts, width)))
    # Names and titles come from the user and may contain control characters.
    return "\n".join(map(printable, "\n\n".join(blocks).split("\n")))


def measures(study: Study) -> list[Measure]:
    """Measures in the table of points: those declared, else those of figures and claims."""
    if study.measures:
        return list(study.measures)
    wanted = [one.y for one in study.figures] + [claim.measure for claim in study.experiment.claims]
    wanted += [one for comparison in study.comparisons for one in comparison.measures]
    return list(dict.fromkeys(wanted)) or [measure("goodput")]


def heading(results: ExperimentResult, width: int) -> str:
    """Heading with the title and the number of runs."""
    return textwrap.fill(f"{results.title}: {extent(results)}", width)


def extent(results: ExperimentResult) -> str:
    """Number of points, replications and runs."""
    spent, counts = results.spent, results.points["replications"].to_list()
    least, most = min(counts, default=0), max(counts, default=0)
    often = f"{least} to {most:,} replications" if least < most else counted(most, "replication")
    text = (
        f"{counted(len(results.finished.points), 'point')}, {often}, seed {results.seed}; "
        f"{counted(spent.runs, 'run')}"
    )
    if spent.found:
        text += f", {spent.found:,} of them from the archive"
    if results.interrupted:
        text += "; interrupted"
    return text


def printed(results: ExperimentResult) -> str:
    """Title and extent, and the goodput of each point if they are few, in two lines."""
    head = printable(f"{results.title!r}: {extent(results)}")
    if not 0 < len(results.finished.points) <= MOST_PRINTED:
        return head
    of = measure("goodput")
    factor, unit = of.shown
    told = [
        ": ".join(
            filter(
                None, [", ".join(map(str, point.labels.values())), number(samples.estimate, factor)]
            )
        )
        for point, samples in zip(results.finished.points, results.samples(of), strict=True)
    ]
    return f"{head}\n" + printable(f"  goodput [{unit}]: {'; '.join(told)}")


def points(results: ExperimentResult, measures: Sequence[Measure]) -> Table:
    """Table of points with their measures."""
    samples = [results.samples(one) for one in measures]
    counts = results.points["replications"].to_list()
    differ = len(set(counts)) > 1
    lines = []
    for place, point in enumerate(results.finished.points[:MOST_POINTS]):
        cells = [str(counts[place])] if differ else []
        for one, every in zip(measures, samples, strict=True):
            cells += [number(every[place].estimate, one.shown[0])]
        lines.append(Line(", ".join(map(str, point.labels.values())) or "all", cells))
    headings = [*(["runs"] if differ else []), *(_two_lines(one) for one in measures)]
    return Table(_one_line(short(results).values()) or "point", headings, lines)


def short(results: ExperimentResult) -> dict[str, str]:
    """Short names of factors: the last two parts of a key, unless two would be equal."""
    full = [factor.name for factor in results.factors]
    ends = {name: ".".join(parts(name)[-2:]) for name in full}
    alike = [end for end, number in Counter(ends.values()).items() if number > 1]
    return {name: name if end in alike else end for name, end in ends.items()}


def differences(results: ExperimentResult, comparison: Comparison) -> Table:
    """Table of a comparison."""
    rows = results.compare(
        comparison.factor, comparison.baseline, list(comparison.measures)
    ).to_dicts()
    lines = [Line(_place(row, comparison.factor), _cells(row)) for row in rows]
    heads = short(results)
    own = heads.pop(comparison.factor)
    headings = [
        "\nmeasure",
        f"{_one_line([str(comparison.baseline)])}\nmean",
        "\ndifference",
        "relative\n%",
        "p\nadjusted",
    ]
    return Table(_one_line([*heads.values(), own]), headings, lines)


def _one_line(names: Iterable[str]) -> str:
    """Names joined for one line of a heading."""
    return printable(", ".join(names))


def _place(row: dict[str, Any], factor: str) -> str:
    free = [str(row[name]) for name in row if name != factor]
    return ", ".join([*free[: list(row).index(factor)], str(row[factor])])


def _cells(row: dict[str, Any]) -> list[str]:
    of = measure(row["measure"])
    factor, unit = of.shown
    star = " *" if row["is_significant"] else "  "
    return [
        printable(f"{of.name}{f' [{unit}]' if unit else ''}"),
        number(estimate_of(row["baseline_mean"], 0.0), factor),
        number(estimate_of(row["difference"], row["difference_ci95"]), factor),
        number(estimate_of(row["relative"], row["relative_ci95"]), 100.0),
        p_value(row["p_adjusted"]) + star if row["difference"] is not None else text_table.NOTHING,
    ]


def p_value(value: float) -> str:
    """Text of a p-value, with three decimals."""
    least = 0.001
    return f"< {least}" if value < least else f"{value:.3f}"


def estimate_of(mean: float | None, ci95: float | None) -> Estimate:
    """Estimate from the columns of a comparison; without an interval if that is missing or zero."""
    if mean is None:
        return Estimate(math.nan, math.nan)
    return Estimate(mean, math.nan if ci95 is None or ci95 == 0 else ci95)


def number(estimate: Estimate, factor: float = 1.0) -> str:
    """Text of an estimate with its interval, multiplied by `factor`."""
    if not math.isfinite(estimate.mean):
        return text_table.NOTHING
    if estimate.mean == 0 and estimate.ci95 == 0:
        return "0"
    width = estimate.ci95 * factor if math.isfinite(estimate.ci95) else math.nan
    return str(Estimate(estimate.mean * factor, width, estimate.count, signed=estimate.signed))


def claims(verdicts: Sequence[Verdict], width: int) -> Iterator[str]:
    """Lines with the verdicts on claims and the values that decide them."""
    held = sum(verdict.holds for verdict in verdicts)
    yield f"{held} of {len(verdicts)} {'claim holds' if len(verdicts) == 1 else 'claims hold'}"
    for verdict in verdicts:
        text = f"{verdict.mark} {verdict.id}: {verdict.label}"
        if verdict.text:
            text += f" – {verdict.text}"
        yield from textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")
        yield from textwrap.wrap(
            verdict.line, width, initial_indent="      ", subsequent_indent="      "
        )


def _two_lines(of: Measure) -> str:
    unit = of.shown[1]
    return f"{printable(of.name)}\n{unit}"
