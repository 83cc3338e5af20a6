"""Findings of the runs of `arf-aware-tcp` of which the paper does not speak."""

from __future__ import annotations

from airfair.reproduce.paper import Finding, Search

from .runs import Measurements, Runs


def _pair(runs: Runs) -> str:
    return " / ".join(f"{value:.0f}" for value in runs.throughput_kbps.mean(axis=0))


def one_hop(data: Measurements) -> Finding:
    """The scheme with wired receivers."""
    hop = [data["table1-one-hop", scheme] for scheme in ("newreno", "arf_aware")]
    relay = [data["table1", scheme] for scheme in ("newreno", "arf_aware")]
    return Finding(
        "With one hop over the air the queue sits in the sender",
        "A smaller window frees the air only if the packets taken away were on their way. With wired "
        "receivers nearly all of them wait in the sender's own queue, which gets shorter. "
        f"Sessions 1 / 2 in kb/s: over the relay {_pair(relay[0])} with NewReno and {_pair(relay[1])} "
        f"ARF-aware; with one hop {_pair(hop[0])} and {_pair(hop[1])}.",
    )


def slow_relay(data: Measurements) -> Finding:
    """Table 3 with a slow access point."""
    fast = data["table3", "newreno"].aggregate_kbps().mean()
    slow = data["table3-slow-relay", "newreno"].aggregate_kbps().mean()
    return Finding(
        "Table 3 and a relay that slows down as well",
        "The paper prints 794 kb/s for two slow NewReno sessions. With the relay still at 11 Mb/s they "
        f"get {fast:.0f} kb/s together, with a relay at 1 Mb/s from 20 s on {slow:.0f} kb/s.",
    )


def readings(data: Measurements) -> Finding:
    """The three readings of the paper in Table 1."""
    schemes = {"held": "arf_aware", "one-shot": "one_shot", "continuous": "continuous"}
    parts = [f"{name} {_pair(data['table1', scheme])}" for name, scheme in schemes.items()]
    return Finding(
        "The paper can be read in three ways",
        "It does not say whether the scaled window is held while the rate is low, is set once and then "
        f"grows, or follows the congestion window. Sessions 1 / 2 of Table 1 in kb/s: {', '.join(parts)}; "
        f"NewReno {_pair(data['table1', 'newreno'])}.",
    )


SEARCHES = (
    Search(("table1", "table1-one-hop"), one_hop),
    Search(("table3", "table3-slow-relay"), slow_relay),
    Search(("table1",), readings),
)
