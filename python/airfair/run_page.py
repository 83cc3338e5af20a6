"""Page of a run: one HTML file without external resources; and an HTML fragment for notebooks."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from . import congestion_marks, felt, messages, whose_air
from .airtime_bar import Holder, holders
from .flow_limits import FlowLimits
from .names import printable
from .pages import Picture, css, inline_svg, render
from .palette import GRID
from .run_curves import LOST_COLOURS, MOST, OTHER_COLOURS, Cast
from .run_tables import Wish, categories, flows, indices, links, stations
from .summary import length
from .text_table import number

if TYPE_CHECKING:
    from .result import Result


MOST_ROWS = 200
"""Largest number of rows of a table; the rest is left out."""

_CAPTIONS = {
    "throughput": "Rate of octets delivered in order, for each flow and each step of the time series.",
    "timeline": "Flows, queues and stations over time: the mean of each step of the time series.",
    "airtime": "Share of the air that the frame exchanges of each station used, and the unused share.",
    "delays": "One-way delays of the packets of each flow: the share of its packets in each bin.",
    "goodput": "Share of the runs in which the goodput was at most the value on the horizontal axis.",
    "waits": "Share of each application’s messages that its user had after the time on the horizontal axis.",
    "completion": "Share of the transfers that were complete after the time on the horizontal axis.",
}


@dataclass(frozen=True)
class Channel:
    """Bar of a cell's airtime: stations, and kinds of lost airtime."""

    name: str
    parts: list[Holder]


def page(result: Result, drawn: Mapping[str, bytes], about: Mapping[str, Any]) -> str:
    """HTML page of `result`; `drawn` has its figures by file name, and `about` is its manifest."""
    scenario = result.scenario
    wish = Wish(rows=MOST_ROWS, rest="in flows.parquet and stations.parquet")
    return render(
        "run.html.jinja",
        title=printable(scenario.title),
        runs=length(result),
        scenario=scenario,
        replications=result.replications,
        channels=channels(result),
        whose_air=whose_air.tables(result, wish),
        figures=_figures(drawn),
        flows=flows(result, wish),
        felt=felt.felt(result, wish),
        messages=messages.table(result, wish),
        marks=congestion_marks.table(result, wish),
        stations=stations(result, wish),
        categories=categories(result),
        links=links(result, wish),
        limits=FlowLimits(result).sentences(flow["name"] for flow in scenario.flows),
        fairness=indices(result),
        about=_about(result, about),
        printable=printable,
        printable_lines=lambda text: "\n".join(map(printable, text.splitlines())),
        number=number,
    )


def channels(result: Result) -> list[Channel]:
    """Bar of the airtime of each cell; stations have the same colours as in the figures."""
    colours = Cast(result).station_colours
    return [
        Channel(cell, [_coloured(part, colours) for part in holders(result, cell, alone=MOST)])
        for cell in result.scenario.cells
    ]


def _coloured(part: Holder, of_stations: Mapping[str, str]) -> Holder:
    colours = LOST_COLOURS if part.is_lost else of_stations
    colour = colours.get(part.name, OTHER_COLOURS[0])
    inks = {GRID: "var(--ink)"} | dict.fromkeys(OTHER_COLOURS, "#000000")
    ink = inks.get(colour, "var(--page)")
    return replace(part, colour=css(colour), ink=ink)


def _figures(drawn: Mapping[str, bytes]) -> list[Picture]:
    figures = []
    for file, content in drawn.items():
        name, _, kind = file.rpartition(".")
        # The timeline shows the throughput too, so the page leaves the throughput's own figure out.
        if kind == "svg" and not (name == "throughput" and "timeline.svg" in drawn):
            caption = _CAPTIONS.get(name, "")
            figures.append(Picture(inline_svg(content.decode(), name, caption or name), caption))
    return figures


def _about(result: Result, about: Mapping[str, Any]) -> dict[str, Any]:
    command = about["command_line"]
    return {
        "version": about["airfair"],
        "git": about["git"],
        "sha256": about["scenario_sha256"],
        "command": printable(shlex.join(command)) if command else None,
        "took": f"{result.wall_s or 0:.2f} s, {result.cpu_s or 0:.2f} s of CPU",
    }


def fragment(result: Result) -> str:
    """HTML with the title and the table of flows of a result; many flows form groups, as on a terminal."""
    return render(
        "fragment.html.jinja",
        title=printable(result.scenario.title),
        runs=length(result),
        seed=result.scenario.seed,
        flows=flows(result, Wish()) if result.replications else None,
        printable=printable,
    )
