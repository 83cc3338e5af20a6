"""Result document: output of `airfair run --json`, and content of `result.json`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import congestion_marks, fairness, json_documents, messages, whose_air
from .flow_limits import FlowLimits
from .replications import Figure, Samples, half_width, mean, record_hashes, samples
from .scenario import identity

if TYPE_CHECKING:
    from .result import Result

_FLOW_MEANS = (
    "flow_rate_bps",
    "delivered_bytes",
    "active_s",
    "loss",
    "loss_estimated",
    "retransmissions",
    "timeouts",
    "fast_retransmits",
    "packets_sent",
    "packets_refused",
    "packets_received",
    "packets_dropped",
    "packets_in_flight",
    "acks_dropped",
    "rtt_mean_ms",
    "rtt_min_ms",
    "rtt_p50_ms",
    "rtt_p95_ms",
    "rtt_p99_ms",
    "rtt_max_ms",
    "delay_mean_ms",
    "delay_min_ms",
    "delay_p50_ms",
    "delay_p95_ms",
    "delay_p99_ms",
    "delay_max_ms",
    "jitter_ms",
    "mean_link_rate_bps",
    "completion_s",
)
_RATES = ("mean_rate_up_bps", "mean_rate_down_bps", "rate_changes")
_AGGREGATES = ("aggregates", "mean_aggregate")
_AGGREGATES_DOWN = ("aggregates_down", "mean_aggregate_down")
_CATEGORY = (
    "goodput_bps",
    "delay_mean_ms",
    "delay_p50_ms",
    "delay_p95_ms",
    "delay_p99_ms",
    "airtime_share",
    "frames",
    "collisions",
    "internal_collisions",
    "drops",
)
_KINDS = ("data_up", "data_down", "control")


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
            **_each(mean, tables[flow["name"]], _FLOW_MEANS),
            **limits.document(flow["name"]),
            "ci95": _each(half_width, tables[flow["name"]], ("goodput_bps", *_FLOW_MEANS))
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
            "airtime": _each(mean, airtimes[name], _KINDS),
            **_each(mean, table, _RATES),
            **_radio(mean, table),
            **_each(mean, table, _AGGREGATES_DOWN),
            "ci95": {
                **_each(half_width, table, ("airtime_share", "measured_airtime_share", *_RATES)),
                **_each(half_width, airtimes[name], ("occupancy", *_KINDS)),
                **_radio(half_width, table),
                **_each(half_width, table, _AGGREGATES_DOWN),
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
        **_each(
            figure,
            table,
            ("frames", "rts_frames", "retries", "retry_share", "collisions", "frame_errors"),
        ),
        "drops": {
            "retry_limit": figure(table["dropped_retry_limit"]),
            "queue_full": figure(table["dropped_queue_full"]),
            "codel": figure(table["dropped_codel"]),
            "ack_filter": figure(table["dropped_ack_filter"]),
            "late": figure(table["dropped_late"]),
            "scheme": figure(table["dropped_by_scheme"]),
        },
        **_each(figure, table, _AGGREGATES),
        **_each(figure, table, ("duplicates", "queue_mean", "queue_max")),
    }


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
            **_each(mean, table, _CATEGORY),
            "ci95": _each(half_width, table, _CATEGORY),
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
        "drops": {
            "queue_full": figure(table["dropped_queue_full"]),
            "early": figure(table["dropped_early"]),
            "lost": figure(table["lost"]),
        },
        **_each(figure, table, ("queue_mean", "queue_max")),
    }


def _fairness(result: Result) -> dict[str, float | None]:
    columns = fairness.indices(result)
    means = {name: mean(values) for name, values in columns.items()}
    return means | {f"{name}_ci95": half_width(values) for name, values in columns.items()}


def _each(figure: Figure, table: Samples, columns: Sequence[str]) -> dict[str, float | None]:
    return {column: figure(table[column]) for column in columns}
