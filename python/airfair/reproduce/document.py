"""The JSON document of a reproduction, and its tables for a terminal."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence

from .catalogue import Experiment, Json, Paper
from .claims import Verdict
from .estimate import Floats, estimate
from .runs import Runs
from .tables import Cell, Measurements, Table, TableColumn

WIDTH = 80


def document(
    paper: Paper,
    experiments: Sequence[Json],
    verdicts: Sequence[Verdict],
    provenance: Json,
) -> Json:
    """What `airfair reproduce PAPER --json` prints."""
    claims = [
        {"id": v.id, "text": v.text, "holds": v.holds, "evidence": v.evidence} for v in verdicts
    ]
    return {"paper": paper.id, "experiments": list(experiments), "claims": claims, **provenance}


def table_entry(paper: Paper, table: Table) -> Json:
    """A table: `measured` has the shape of `paper_values`, with intervals and deviations beside."""
    return {
        "id": table.experiment.id,
        "title": table.experiment.title,
        "series": [
            {
                "name": column.label,
                "unit": "kb/s",
                "x": [cell.row for cell in column.sessions],
                "mean": [cell.measured.mean for cell in column.sessions],
                "ci95": [_finite(cell.measured.ci95) for cell in column.sessions],
            }
            for column in table.columns
        ],
        "paper_values": paper.reference[table.experiment.id],
        "measured": {column.id: _column_entry(column) for column in table.columns},
    }


def _column_entry(column: TableColumn) -> Json:
    single = {"fairness": column.fairness, "aggregate": column.aggregate}
    if column.fairness_all and column.aggregate_all:
        single |= {"fairness_all": column.fairness_all, "aggregate_all": column.aggregate_all}
    entry: Json = {
        "sessions": [cell.measured.mean for cell in column.sessions],
        **{key: cell.measured.mean for key, cell in single.items()},
        "ci95": {
            "sessions": [_finite(cell.measured.ci95) for cell in column.sessions],
            **{key: _finite(cell.measured.ci95) for key, cell in single.items()},
        },
        "deviation": {
            "sessions": [cell.deviation for cell in column.sessions],
            **{key: cell.deviation for key, cell in single.items()},
        },
    }
    if column.fairness_recomputed is not None:
        entry["fairness_of_printed_sessions"] = column.fairness_recomputed
    return entry


def figure_entry(paper: Paper, experiment: Experiment, measurements: Measurements) -> Json:
    """A figure: the curves of every scheme, and each session's mean over the run."""
    series: list[Json] = []
    measured: Json = {}
    for (setup, scheme), runs in measurements.items():
        if setup not in experiment.setups or scheme not in ("arf_aware", "newreno"):
            continue
        label = paper.schemes[scheme].label
        curves = runs.packets_per_second
        series += [
            _curve(f"{label} session {flow + 1}", runs, curves[:, flow])
            for flow in range(len(runs.flows))
        ]
        series.append(_curve(f"{label} all sessions", runs, curves.sum(axis=1)))
        means = [estimate(runs.throughput_kbps[:, flow]) for flow in range(len(runs.flows))]
        measured[scheme] = {
            "sessions": [mean.mean for mean in means],
            "aggregate": float(runs.aggregate_kbps().mean()),
            "ci95": {"sessions": [_finite(mean.ci95) for mean in means]},
        }
    return {
        "id": experiment.id,
        "title": experiment.title,
        "series": series,
        "paper_values": None,
        "measured": measured,
    }


def _curve(name: str, runs: Runs, samples: Floats) -> Json:
    means = [estimate(samples[:, step]) for step in range(samples.shape[1])]
    return {
        "name": name,
        "unit": "packet/s",
        "x_unit": "s",
        "x": runs.times_s.tolist(),
        "mean": [mean.mean for mean in means],
        "ci95": [_finite(mean.ci95) for mean in means],
    }


def _finite(value: float) -> float | None:
    """JSON knows no infinity."""
    return value if math.isfinite(value) else None


# ------------------------------------------------------------------ for people


def table_text(table: Table) -> str:
    """A table in at most 80 columns: printed columns with their deviations, then the others."""
    printed = [column for column in table.columns if column.printed]
    others = [column for column in table.columns if not column.printed]
    lines = [f"{table.experiment.id}: {table.experiment.title}"]
    lines.append(_line("", [f"{column.label:>29}" for column in printed]))
    lines.append(_line("", [f"{'paper':>7}{'measured':>13}{'dev.':>9}"] * len(printed)))
    lines += _rows(printed, _compared)
    if others:
        heads = [_split(column.label) for column in others]
        lines += ["", *(_line("", [f"{head[i]:>15}" for head in heads]) for i in range(2))]
        lines += _rows(others, _alone)
    return "\n".join(lines)


def _rows(columns: Sequence[TableColumn], show: Callable[[Cell], str]) -> list[str]:
    rows = zip(*(column.cells for column in columns), strict=True)
    return [_line(row[0].row, [show(cell) for cell in row]) for row in rows]


def _line(name: str, cells: Sequence[str]) -> str:
    return f"  {name:<15}{''.join(cells)}".rstrip()


def _compared(cell: Cell) -> str:
    paper = "" if cell.printed is None else f"{cell.printed:.{_digits(cell)}f}"
    deviation = "" if cell.deviation is None else f"{100 * cell.deviation:+.1f} %"
    return f"{paper:>7}{_interval(cell):>13}{deviation:>9}"


def _alone(cell: Cell) -> str:
    return f"{_interval(cell):>15}"


def _interval(cell: Cell) -> str:
    digits = _digits(cell)
    return f"{cell.measured.mean:.{digits}f} ±{cell.measured.ci95:>{4 + digits // 3}.{digits}f}"


def _digits(cell: Cell) -> int:
    return 0 if cell.unit else 3


def _split(label: str) -> tuple[str, str]:
    """A label in two lines."""
    first, _, second = label.partition(", ")
    return first, second


def claims_text(verdicts: Sequence[Verdict]) -> str:
    """One line per claim, and what decides it below."""
    lines = [f"{sum(v.holds for v in verdicts)} of {len(verdicts)} claims hold"]
    for verdict in verdicts:
        lines.append(f"  {mark(verdict)} {verdict.id}")
        lines += [f"      {line}" for part in _evidence(verdict) for line in _wrap(part)]
    return "\n".join(lines)


def mark(verdict: Verdict) -> str:
    """✓, ✗, or ? where the replications do not suffice."""
    return {"holds": "✓", "fails": "✗", "undecided": "?"}[verdict.state]


def _evidence(verdict: Verdict) -> list[str]:
    parts = [str(condition) for condition in verdict.conditions]
    return [*parts, verdict.remark] if verdict.remark else parts


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 6)
