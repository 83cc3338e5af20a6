"""The result document: what `airfair run --json` prints and `result.json` holds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from . import statistics
from ._core import __version__
from .scenario import identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .result import Result

_FLOW_MEANS = (
    "throughput_bps",
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


def document(result: Result) -> dict[str, Any]:
    """Means over the finished replications; null unless each of them has a value.

    Each thing is called `name` here, as an object of JSON has one kind of thing in each list; in tables the
    column is `flow`, `station`, ….
    """
    scenario = result.scenario
    return {
        "scenario": {
            "title": scenario.title,
            "duration_s": scenario.duration_s,
            "warmup_s": scenario.warmup_s,
            "sha256": identity(scenario),
        },
        "seed": scenario.seed,
        "version": __version__,
        "replications": result.replications,
        "interrupted": result.interrupted,
        "flows": _flows(result),
        "stations": _stations(result),
        "access_points": [
            {"name": name, **_radio(table)} for name, table in _rows(result, "access_points")
        ],
        "channels": [_channel(name, table) for name, table in _rows(result, "channels")],
        "links": _links(result),
        "fairness": _fairness(result),
    }


def mean(samples: pl.Series) -> float | None:
    """Mean, or `None` unless every replication has a value."""
    return None if samples.null_count() else statistics.mean(samples.to_list())


def half_width(samples: pl.Series) -> float | None:
    """Half width of the 95 % confidence interval, or `None` unless every replication has a value."""
    return None if samples.null_count() else statistics.half_width(samples.to_list())


def _flows(result: Result) -> list[dict[str, Any]]:
    tables = dict(_rows(result, "flows"))
    delivered = {name: mean(table["delivered_bytes"]) or 0.0 for name, table in tables.items()}
    total = math.fsum(delivered.values())
    return [
        {
            "name": flow["name"],
            "from": flow["from"],
            "to": flow["to"],
            "transport": flow["transport"],
            "control": flow["control"],
            "goodput_bps": mean(tables[flow["name"]]["goodput_bps"]),
            "goodput_ci95_bps": half_width(tables[flow["name"]]["goodput_bps"]),
            "share": delivered[flow["name"]] / total if total else None,
            **_means(tables[flow["name"]], _FLOW_MEANS),
        }
        for flow in result.scenario.flows
        if flow["name"] in tables
    ]


def _stations(result: Result) -> list[dict[str, Any]]:
    airtimes = dict(_rows(result, "airtime"))
    cells = dict(zip(result.scenario.stations, result.scenario.station_cells, strict=True))
    return [
        {
            "name": name,
            "bss": cells[name],
            "airtime_share": mean(table["airtime_share"]),
            "airtime_share_ci95": half_width(table["airtime_share"]),
            "measured_airtime_share": mean(table["measured_airtime_share"]),
            "occupancy": mean(airtimes[name]["occupancy"]),
            "occupancy_ci95": half_width(airtimes[name]["occupancy"]),
            "airtime": _means(airtimes[name], ("data_up", "data_down", "control")),
            **_means(table, ("mean_rate_up_bps", "mean_rate_down_bps", "rate_changes")),
            **_radio(table),
        }
        for name, table in _rows(result, "stations")
    ]


def _radio(table: pl.DataFrame) -> dict[str, Any]:
    return {
        **_means(
            table,
            ("frames", "rts_frames", "retries", "retry_share", "collisions", "frame_errors"),
        ),
        "drops": {
            "retry_limit": mean(table["dropped_retry_limit"]),
            "queue_full": mean(table["dropped_queue_full"]),
            "codel": mean(table["dropped_codel"]),
            "ack_filter": mean(table["dropped_ack_filter"]),
        },
        **_means(table, ("duplicates", "queue_mean", "queue_max")),
    }


def _channel(name: str, table: pl.DataFrame) -> dict[str, Any]:
    def share(column: str) -> float | None:
        return mean(table[column] / table["elapsed_ns"])

    has_beacons = table["beacon_ns"].sum() > 0
    return {
        "name": name,
        "busy": mean(table["busy"]),
        "airtime": {
            "data": share("data_ns"),
            "control": share("control_ns"),
            **({"beacons": share("beacon_ns")} if has_beacons else {}),
            "collisions": share("collision_ns"),
            "contention": share("contention_ns"),
            "idle": share("idle_ns"),
        },
        **_means(table, ("frames", "collisions")),
    }


def _links(result: Result) -> list[dict[str, Any]]:
    groups = result.links.partition_by("link", "from", maintain_order=True)
    return [
        {
            "name": table.item(0, "link"),
            "from": table.item(0, "from"),
            "to": table.item(0, "to"),
            **_means(table, ("packets_sent", "packets", "loss")),
            "drops": {
                "queue_full": mean(table["dropped_queue_full"]),
                "early": mean(table["dropped_early"]),
                "lost": mean(table["lost"]),
            },
            **_means(table, ("queue_mean", "queue_max")),
        }
        for table in groups
    ]


def _fairness(result: Result) -> dict[str, float | None]:
    indices = ("goodput", "goodput_per_link_rate", "airtime", "occupancy")
    table = result.fairness
    return _means(table, indices) | {f"{name}_ci95": half_width(table[name]) for name in indices}


def _means(table: pl.DataFrame, columns: Sequence[str]) -> dict[str, float | None]:
    return {column: mean(table[column]) for column in columns}


def _rows(result: Result, name: str) -> list[tuple[str, pl.DataFrame]]:
    """Rows of each thing in table `name`, in the scenario's order."""
    table: pl.DataFrame = getattr(result, name)
    key = table.columns[1]
    groups = table.partition_by(key, maintain_order=True)
    return [(group.item(0, key), group) for group in groups]
