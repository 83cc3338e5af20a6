"""Findings of the runs of `modern` beyond its claims."""

from __future__ import annotations

from airfair.estimate import Floats
from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Table, column

from . import plan
from .runs import FAST, SLOW, Measurements

AX = "ax"
OVERHEAD_OCTETS = 72
"""Overhead of a packet of 1472 octets in an aggregate: UDP and IP 28, LLC/SNAP 8, MAC 30, delimiter 4,
padding 2."""
PAYLOAD = 1472
PREAMBLE_US = 36.0
"""Duration of the preamble of the HT-mixed format with one or two streams, within a few µs."""
RATES_MBPS = (144.4, 144.4, 7.2)


def _mean(samples: Floats) -> float:
    return float(samples.mean())


def drr(data: Measurements) -> Found:
    """Finding on deficit round robin by octets, with aggregates."""
    without, with_ = (data[plan.scheme(AX, "down", id_)] for id_ in (plan.NONE, "drr"))
    return Found(
        {
            "none_mbps": _mean(without.total()),
            "drr_mbps": _mean(with_.total()),
            "none_packets": _mean(without.aggregate),
            "drr_packets": _mean(with_.aggregate),
        }
    )


def grants(data: Measurements) -> Found:
    """Finding on shares of the channel that the access point grants, with aggregates."""
    without, with_ = (data[plan.scheme(AX, "down", id_)] for id_ in (plan.NONE, "occupancy"))
    return Found(
        {
            "none_mbps": _mean(without.total()),
            "grants_mbps": _mean(with_.total()),
            "none_packets": _mean(without.aggregate),
            "grants_packets": _mean(with_.aggregate),
            "delay_ms": _mean(with_.delay(FAST)),
            "none_delay_ms": _mean(without.delay(FAST)),
        }
    )


def turns(data: Measurements) -> Found:
    """Finding on round robin between stations in which each turn is an aggregate."""
    found = {
        id_: data[plan.scheme(AX, "down", id_)] for id_ in (plan.NONE, "round-robin", "airtime")
    }
    return Found(
        {f"{id_.replace('-', '_')}_mbps": _mean(runs.total()) for id_, runs in found.items()}
    )


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


def both_ways(data: Measurements) -> Found:
    """Finding on the airtime scheduler if stations send as well."""
    runs = {id_: data[plan.scheme(AX, "both", id_)] for id_ in (plan.NONE, "airtime")}
    return Found(
        {
            "none_part": _mean(runs[plan.NONE].slow_part()),
            "airtime_part": _mean(runs["airtime"].slow_part()),
            "airtime_down_part": _mean(data[plan.scheme(AX, "down", "airtime")].slow_part()),
            "slow_mbps": _mean(runs["airtime"].goodput(SLOW)),
            "fast_mbps": _mean(runs["airtime"].goodput(FAST)),
        }
    )


def hosts(data: Measurements) -> Found:
    """Finding on the anomaly with the hosts and queues of Linux, the defaults of 802.11n and ax."""
    numbers = {}
    for standard in plan.WITH_TODAYS_HOSTS:
        for way in plan.WAYS:
            name = f"{standard}_{way}"
            fifo, today = (
                plan.anomaly(standard, way, plan.AGGREGATED, plan.FIFO),
                plan.todays_hosts(standard, way),
            )
            numbers[f"{name}_fifo_mbps"] = _mean(data[fifo].total())
            numbers[f"{name}_today_mbps"] = _mean(data[today].total())
            numbers[f"{name}_today_part"] = _mean(data[today].slow_part())
        fq_codel = data[plan.anomaly(standard, "down", plan.AGGREGATED, plan.FQ_CODEL)]
        numbers[f"{standard}_down_fq_part"] = _mean(fq_codel.slow_part())
        numbers[f"{standard}_down_fq_mbps"] = _mean(fq_codel.total())
        fifo_down = data[plan.anomaly(standard, "down", plan.AGGREGATED, plan.FIFO)]
        numbers[f"{standard}_down_fifo_part"] = _mean(fifo_down.slow_part())
    return Found(numbers)


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


SEARCHES = (
    Search(
        "longer",
        ("long-fifo", *(f"anomaly-{standard}-down" for standard in plan.STANDARDS)),
        longer,
    ),
    Search("printed-air", ("ending",), printed_air),
    Search("drr", ("schemes-ax-down",), drr),
    Search("turns", ("schemes-ax-down",), turns),
    Search("grants", ("schemes-ax-down",), grants),
    Search(
        "todays-hosts",
        (
            *(
                f"anomaly-{standard}-{way}"
                for standard in plan.WITH_TODAYS_HOSTS
                for way in plan.WAYS
            ),
            *(f"today-{standard}" for standard in plan.WITH_TODAYS_HOSTS),
        ),
        hosts,
    ),
    Search("both-ways", ("schemes-ax-down", "schemes-ax-both"), both_ways),
)
