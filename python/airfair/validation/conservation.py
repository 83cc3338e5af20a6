"""Checks of conservation: every nanosecond, packet and octet is accounted for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from airfair import Result
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
    yield Plan(load(overload()), _overload_checks)
    yield Plan(load(transfers()), _transfer_checks)
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


def _cell(flows: Mapping[str, Value]) -> Mapping[str, Value]:
    return {
        "title": "up, down and across at three rates",
        "duration": "30 s",
        "bss": {"cell": {"standard": "802.11g", "rts_threshold": "1000 B"}},
        "station": {
            "slow": {"rate": "6 Mb/s"},
            "fast": {"rate": "54 Mb/s"},
            "old": {"standard": "802.11b", "rate": "2 Mb/s"},
        },
        "host": {"server": {"link": {"rate": "20 Mb/s", "delay": "2 ms"}}},
        "flow": flows,
    }


_PATHS = {
    "up": ("slow", "server"),
    "down": ("server", "old"),
    "across": ("fast", "slow"),
    "fast-down": ("server", "fast"),
}


def overload() -> Mapping[str, Value]:
    """Scenario with more UDP than the cell can carry; the flows stop early, so that all queues drain."""
    udp = {"kind": "udp", "payload": "1200 B", "rate": "6 Mb/s"}
    return _cell(
        {
            name: {"from": a, "to": b, "stop": "8 s", "transport": udp}
            for name, (a, b) in _PATHS.items()
        }
    )


def transfers() -> Mapping[str, Value]:
    """Scenario with TCP transfers that end long before the run."""
    tcp = {"kind": "tcp", "size": f"{SIZE} B", "min_rto": "200 ms"}
    return _cell({name: {"from": a, "to": b, "transport": tcp} for name, (a, b) in _PATHS.items()})


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
