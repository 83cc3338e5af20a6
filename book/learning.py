"""Figure of a learning curve beside the baselines, from the numbers that `bench/ppo.py --record` writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from airfair.figures import BAND, NARROW, STYLE, Figure, band, spread
from airfair.palette import MUTED, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RECORD = Path(__file__).resolve().parents[1] / "bench" / "ppo.json"
BASELINES = ("best fixed window", "random", "802.11 back-off")
_THOUSAND = 1e3
_GAP = 0.055
"""Least distance of two labels, as a share of the height."""


def figure(record: dict[str, Any] | None = None) -> Figure:
    """Draw the learning curves of all seeds with their mean, and the baselines as horizontal lines."""
    found = record or json.loads(RECORD.read_text(encoding="utf-8"))
    study = found["fixed"]
    (stations, cell), *_ = study["cells"].items()
    learners = [it["curve"][stations] for it in study["learners"].values()]
    steps = np.array([int(at) for at in learners[0]]) / _THOUSAND
    curves = np.array([[*it.values()] for it in learners])
    with mpl.rc_context(STYLE):
        drawn = Figure(figsize=(NARROW * 1.2, 3.4), layout="constrained")
        ax = drawn.subplots()
        ends = [float(curves[:, -1].mean())]
        for name, colour in zip(BASELINES, PALETTE[1:], strict=False):
            mean, half = cell[name]
            ax.axhspan(mean - half, mean + half, color=colour, alpha=0.2, linewidth=0)
            ax.axhline(mean, color=colour, linewidth=1.1, linestyle=(0, (5, 2)))
            ends.append(mean)
        ax.plot(steps, curves.T, color=PALETTE[0], linewidth=0.5, alpha=0.6)
        ax.fill_between(steps, *band(curves), color=PALETTE[0], alpha=0.2, linewidth=0)
        ax.plot(steps, curves.mean(axis=0), color=PALETTE[0], linewidth=1.6)
        ax.set_xlim(0, steps[-1])
        low = min(curves.min(), *ends)
        ax.set_ylim(np.floor(low), np.ceil(max(curves.max(), *ends)))
        ax.set_xlabel(f"training with {stations} stations [1000 steps]")
        ax.set_ylabel("goodput [Mb/s]")
        _label(ax, ends, ("PPO", *BASELINES))
        _tell(drawn, len(curves))
    return drawn


def _tell(drawn: Figure, seeds: int) -> None:
    """Add a legend of the lines and bands."""
    handles: dict[str, Line2D | Patch] = {
        f"mean of {seeds} learners": Line2D([], [], color=PALETTE[0], linewidth=1.6),
        "one learner": Line2D([], [], color=PALETTE[0], linewidth=0.5),
        BAND: Patch(facecolor=MUTED, alpha=0.3, linewidth=0),
    }
    drawn.legend(
        [*handles.values()],
        [*handles],
        loc="outside lower center",
        ncols=3,
        frameon=False,
        fontsize=8,
    )


def _label(ax: Axes, ends: list[float], names: tuple[str, ...]) -> None:
    """Write the names at the right ends of the lines, without overlaps."""
    low, high = ax.get_ylim()
    places = spread(np.array(ends), _GAP * (high - low))
    for name, place, colour in zip(names, places, PALETTE, strict=False):
        ax.annotate(
            name,
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=colour,
            annotation_clip=False,
        )
