"""Findings of the runs of `modern` beyond its claims."""

from __future__ import annotations

from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Table, column

from . import plan
from .runs import Measurements, ModernRuns

OVERHEAD_OCTETS = 72
"""Overhead of a packet of 1472 octets in an aggregate: UDP and IP 28, LLC/SNAP 8, MAC 30, delimiter 4,
padding 2."""
PAYLOAD = 1472
PREAMBLE_US = 36.0
"""Duration of the preamble of the HT-mixed format with one or two streams, within a few µs."""
RATES_MBPS = (144.4, 144.4, 7.2)


def printed_air(_: Measurements) -> Found:
    """Finding on the shares of airtime that the testbed's printed goodputs imply, and the printed shares."""
    figures = plan.PRINTED[plan.FIFO]
    bits = 8 * (PAYLOAD + OVERHEAD_OCTETS)
    each = []
    for mbps, rate, octets in zip(figures["mbps"], RATES_MBPS, figures["aggregates"], strict=True):
        packets_per_us = mbps / (8 * PAYLOAD)
        preamble = PREAMBLE_US / (octets / (PAYLOAD + OVERHEAD_OCTETS))
        each.append(packets_per_us * (bits / rate + preamble))
    part = [one / sum(each) for one in each]
    return Found({"implied": part, "printed": figures["air"]})


def longer(data: Measurements) -> Found:
    """Finding on a FIFO of 1000 packets in place of 256."""
    keys = {
        256: [plan.anomaly(standard, "down", plan.sent(standard)) for standard in plan.STANDARDS],
        1000: [plan.long_fifo(standard) for standard in plan.STANDARDS],
    }
    columns = [
        column(f"{packets} packets", [100 * data[key].slow_part() for key in all_], 1)
        for packets, all_ in keys.items()
    ]
    title = "Slow station’s share of the air in %, two downloads, by the length of the FIFO"
    return Found({}, [Table("long-fifo", title, list(plan.STANDARDS.values()), columns)])


SEARCHES: tuple[Search[ModernRuns], ...] = (
    Search("longer", ("long-fifo", "anomaly-*-down"), longer),
    Search("printed-air", ("ending",), printed_air),
    Search("drr", ("schemes-ax-down",)),
    Search("turns", ("schemes-ax-down",)),
    Search("grants", ("schemes-ax-down",)),
    Search("todays-hosts", ("anomaly-n-*", "anomaly-ax-*", "today-*")),
    Search("both-ways", ("schemes-ax-down", "schemes-ax-both")),
)
