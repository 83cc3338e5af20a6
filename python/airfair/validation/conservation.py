"""Checks of conservation: every nanosecond, packet and octet is accounted for."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from airfair import Result, Scenario
from airfair.reproduction.catalogue import load as load_paper
from airfair.scenario import Value, load

from .plan import Check, Plan

PARTS = (
    *("data_ns", "control_ns", "beacon_ns", "collision_ns", "neighbours_ns", "overlap_ns"),
    *("contention_ns", "idle_ns"),
)
SIZE = 2_000_000
"""Octets of each finite TCP flow."""


def plans() -> Iterator[Plan]:
    """Plans for overload and finite transfers in a mixed cell, and for scenarios of `arf-aware-tcp`."""
    # More UDP than the cell can carry stops early, so that all queues drain; TCP ends long before the run.
    udp = {"kind": "udp", "payload": "1200 B", "rate": "6 Mb/s"}
    yield Plan(_scenario("8 s", udp), _overload_checks)
    tcp = {"kind": "tcp", "size": f"{SIZE} B", "min_rto": "200 ms"}
    yield Plan(_scenario("end", tcp), _transfer_checks)
    paper = load_paper("arf-aware-tcp")
    for id_ in ("table1", "table4", "table5", "recovery", "table1-one-hop"):
        setup = paper.setups[id_]
        scenario = load(setup.path, set=setup.variants[0].set)
        yield Plan(scenario, lambda result, id_=id_: [airtime(f"airtime/{id_}", result)])  # type: ignore[misc]


def airtime(id_: str, result: Result, channel: int = 0) -> Check:
    """Check that the eight kinds of time of a channel add up to the total time, in the first run."""
    times = result.channels.row(channel, named=True)
    spent = sum(times[part] for part in PARTS)
    return Check(id_, times["elapsed_ns"], spent, 0, unit="ns")


def _scenario(stop: str, transport: Mapping[str, Value]) -> Scenario:
    """Scenario of `conservation.toml`, with a flow in each direction until `stop`."""
    ends = {
        "up": ("slow", "server"),
        "down": ("server", "old"),
        "across": ("fast", "slow"),
        "fast-down": ("server", "fast"),
    }
    flows: Mapping[str, Value] = {
        name: {"from": a, "to": b, "stop": stop, "transport": transport}
        for name, (a, b) in ends.items()
    }
    cell = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return load({**cell, "flow": flows})


def _overload_checks(result: Result) -> list[Check]:
    rows = result.flows.iter_rows(named=True)
    packets = [
        Check(
            f"packets/udp-{row['flow']}",
            row["packets_sent"],
            row["packets_received"] + row["packets_dropped"],
            0,
        )
        for row in rows
    ]
    return [airtime("airtime/udp-overload", result), *packets]


def _transfer_checks(result: Result) -> list[Check]:
    rows = result.flows.iter_rows(named=True)
    octets = [
        Check(f"octets/tcp-{row['flow']}", SIZE, row["delivered_bytes"], 0, unit="B")
        for row in rows
    ]
    return [airtime("airtime/tcp-transfers", result), *octets]
