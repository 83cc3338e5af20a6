"""Findings of the runs of `arf-aware-tcp` that the paper does not report."""

from __future__ import annotations

from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Table, column

from .plan import NOTICES
from .runs import Measurements


def _kbps(data: Measurements, setup: str, scheme: str) -> list[float]:
    """Mean throughput of each session [kb/s]."""
    return [float(mean) for mean in data[setup, scheme].throughput_kbps.mean(axis=0)]


def one_hop(data: Measurements) -> Found:
    """Finding on Table 1 with wired receivers in place of relayed ones."""
    setups = {"relay": "table1", "one_hop": "table1-one-hop"}
    return Found(
        {
            name: {scheme: _kbps(data, setup, scheme) for scheme in ("newreno", "arf_aware")}
            for name, setup in setups.items()
        }
    )


def slow_relay(data: Measurements) -> Found:
    """Finding on NewReno in Table 3 if the access point is slow."""
    setups = {"fast_kbps": "table3", "slow_kbps": "table3-slow-relay"}
    return Found(
        {name: data[setup, "newreno"].aggregate_kbps().mean() for name, setup in setups.items()}
    )


def readings(data: Measurements) -> Found:
    """Finding on the three readings of the scheme in Table 1."""
    schemes = ("arf_aware", "one_shot", "continuous", "newreno")
    return Found({scheme: _kbps(data, "table1", scheme) for scheme in schemes})


def polling(data: Measurements) -> Found:
    """Finding on Table 1 if TCP learns the link rate later."""
    runs = {label: data["polling", id_] for id_, label in NOTICES.items()}
    columns = [
        column(f"session {i + 1}, kb/s", [one.throughput_kbps[:, i] for one in runs.values()], 0)
        for i in range(2)
    ]
    total = [float(one.aggregate_kbps().mean()) for one in runs.values()]
    title = "Throughput of Table 1, by the way in which TCP learns the link’s rate"
    return Found(
        {"at_once": total[0], "soon": total[2], "late": total[3]},
        [Table("polling", title, list(runs), columns)],
    )


SEARCHES = (
    Search("one-hop", ("table1", "table1-one-hop"), one_hop),
    Search("slow-relay", ("table3", "table3-slow-relay"), slow_relay),
    Search("readings", ("table1",), readings),
    Search("polling", ("polling",), polling),
)
