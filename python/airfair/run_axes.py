"""Figures of one result: their size, style, legends and titles."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from .figures import STYLE, Figure

RUN_STYLE: dict[Any, Any] = {**STYLE, "axes.grid.axis": "both"}


def new_figure(height_inches: float) -> tuple[Figure, Axes]:
    """Figure with one panel."""
    figure = Figure(figsize=(7, height_inches), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def add_legend(axes: Axes) -> None:
    """Add a legend on the right of the axes."""
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=9)


def say_hidden(axes: Axes, hidden: int, less: str = "smaller") -> None:
    """Write into the axes how many curves are not shown."""
    if hidden:
        are = "is" if hidden == 1 else "are"
        axes.set_title(f"{hidden} {less} {are} not shown", loc="right", fontsize=8)
