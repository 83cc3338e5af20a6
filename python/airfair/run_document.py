"""Result document: output of `airfair run --json`, and content of `result.json`."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import congestion_marks, fairness, felt, json_documents, messages, whose_air
from .flow_limits import FlowLimits
from .replications import Figure, Samples, half_width, mean, record_hashes, samples
from .scenario import identity

if TYPE_CHECKING:
    from .result import Result

_COLUMNS: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""Columns of tables whose means are in the document."""


def document(result: Result) -> dict[str, Any]:
    """Result document with means over the finished replications; null unless each has a value.

    The key `name` has the name of a flow, station, …, which tables have in the column `flow`, `station`, ….
    """
    scenario = result.scenario
    content = {
        "scenario": {
            "title": scenario.title,
            "duration_s": scenario.duration_s,
            "warmup_s": scenario.warmup_s,
            "sha256": identity(scenario, result.version),
        },
        "seed": scenario.seed,
        "version": result.version,
        "replications": result.replications,
        "interrupted": result.interrupted,
        "record_hashes": record_hashes(result),
        "flows": _flows(result),
        **({"felt": people} if (people := felt.document(result)) else {}),
        **({"messages": found} if (found := messages.document(result)) else {}),
        **({"marks": found} if (found := congestion_marks.document(result)) else {}),
        "stations": _stations(result),
        "access_points": _access_points(result),
        "channels": _channels(result),
        **({"shared_channels": shared} if (shared := whose_air.totals(result)) else {}),
        "categories": _categories(result),
        "links": _links(result),
        "fairness": _fairness(result),
    }
    return json_documents.document("run", content)


def _flows(result: Result) -> list[dict[str, Any]]:
    flows, limits = result.scenario.flows, FlowLimits(result)
    tables = samples(result, "flows", [flow["name"] for flow in flows])
    delivered = {name: mean(table["delivered_bytes"]) or 0.0 for name, table in tables.items()}
    total = math.fsum(delivered.values())
    return [
        {
            **{key: flow[key] for key in ("name", "from", "to", "transport", "control")},
            "goodput_bps": mean(tables[flow["name"]]["goodput_bps"]),
            "goodput_ci95_bps": half_width(tables[flow["name"]]["goodput_bps"]),
            "share": delivered[flow["name"]] / total if total else None,
            **_each(mean, tables[flow["name"]], _COLUMNS["flow"]),
            **limits.document(flow["name"]),
            "ci95": _each(half_width, tables[flow["name"]], ("goodput_bps", *_COLUMNS["flow"]))
            | {"limits": limits.means(flow["name"], half_width)},
        }
        for flow in flows
        if flow["name"] in tables
    ]


def _stations(result: Result) -> list[dict[str, Any]]:
    names = result.scenario.stations
    cells = dict(zip(names, result.scenario.station_cells, strict=True))
    airtimes = samples(result, "airtime", names)
    return [
        {
            "name": name,
            "bss": cells[name],
            "airtime_share": mean(table["airtime_share"]),
            "airtime_share_ci95": half_width(table["airtime_share"]),
            "measured_airtime_share": mean(table["measured_airtime_share"]),
            "occupancy": mean(airtimes[name]["occupancy"]),
            "occupancy_ci95": half_width(airtimes[name]["occupancy"]),
            "airtime": _each(mean, airtimes[name], _COLUMNS["kinds_of_airtime"]),
            **_each(mean, table, _COLUMNS["rates"]),
            **_radio(mean, table),
            **_each(mean, table, _COLUMNS["aggregates_down"]),
            "ci95": {
                **_each(
                    half_width,
                    table,
                    ("airtime_share", "measured_airtime_share", *_COLUMNS["rates"]),
                ),
                **_each(half_width, airtimes[name], ("occupancy", *_COLUMNS["kinds_of_airtime"])),
                **_radio(half_width, table),
                **_each(half_width, table, _COLUMNS["aggregates_down"]),
            },
        }
        for name, table in samples(result, "stations", names).items()
    ]


def _access_points(result: Result) -> list[dict[str, Any]]:
    tables = samples(result, "access_points", result.scenario.cells)
    return [
        {"name": name, **_radio(mean, table), "ci95": _radio(half_width, table)}
        for name, table in tables.items()
    ]


def _radio(figure: Figure, table: Samples) -> dict[str, Any]:
    return {
        **_each(figure, table, _COLUMNS["radio"]),
        "drops": _drops(figure, table, "drops_of_nodes"),
        **_each(figure, table, _COLUMNS["aggregates"]),
        **_each(figure, table, _COLUMNS["queue"]),
    }


def _drops(figure: Figure, table: Samples, causes: str) -> dict[str, float | None]:
    return {cause: figure(table[column]) for cause, column in _COLUMNS[causes].items()}


def _channels(result: Result) -> list[dict[str, Any]]:
    names = result.scenario.cells
    tables, shares = (samples(result, table, names) for table in ("channels", "channel_shares"))
    held = whose_air.neighbours(result)
    return [_channel(name, table, shares[name], held[name]) for name, table in tables.items()]


def _channel(name: str, table: Samples, shares: Samples, held: Samples) -> dict[str, Any]:
    others = [use for use in ("neighbours", "overlap") if any(shares[use])]

    def airtime(figure: Figure) -> dict[str, float | None]:
        beacons = {"beacons": figure(shares["beacon"])} if any(shares["beacon"]) else {}
        return {
            **_each(figure, shares, ("data", "control")),
            **beacons,
            "collisions": figure(shares["collision"]),
            **_each(figure, shares, others),
            **_each(figure, shares, ("contention", "idle")),
        }

    neighbours = [
        {"name": name, "airtime_share": mean(values), "airtime_share_ci95": half_width(values)}
        for name, values in held.items()
    ]
    counts = ("frames", "collisions")
    return {
        "name": name,
        "busy": mean(table["busy"]),
        "airtime": airtime(mean),
        **({"neighbours": neighbours} if neighbours else {}),
        **_each(mean, table, counts),
        "ci95": {
            "busy": half_width(table["busy"]),
            "airtime": airtime(half_width),
            **_each(half_width, table, counts),
        },
    }


def _categories(result: Result) -> list[dict[str, Any]]:
    tables = samples(result, "categories", result.scenario.categories)
    return [
        {
            "name": name,
            **_each(mean, table, _COLUMNS["category"]),
            "ci95": _each(half_width, table, _COLUMNS["category"]),
        }
        for name, table in tables.items()
    ]


def _links(result: Result) -> list[dict[str, Any]]:
    links = result.scenario.links
    # Both directions of a link have its name.
    tables = samples(result, "links", list(map(str, range(len(links)))))
    return [
        {**link, **_link(mean, table), "ci95": _link(half_width, table)}
        for link, table in zip(links, tables.values(), strict=False)
    ]


def _link(figure: Figure, table: Samples) -> dict[str, Any]:
    return {
        **_each(figure, table, ("packets_sent", "packets", "loss")),
        "drops": _drops(figure, table, "drops_of_links"),
        **_each(figure, table, ("queue_mean", "queue_max")),
    }


def _fairness(result: Result) -> dict[str, float | None]:
    columns = fairness.indices(result)
    means = {name: mean(values) for name, values in columns.items()}
    return means | {f"{name}_ci95": half_width(values) for name, values in columns.items()}


def _each(figure: Figure, table: Samples, columns: Sequence[str]) -> dict[str, float | None]:
    return {column: figure(table[column]) for column in columns}
