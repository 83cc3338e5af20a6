"""Checks of the simulator: runs, expectations from theory, and tolerances.

Tolerances:

- Bianchi's model treats collisions as independent of the past: 1.5 %, the margin of ns-3's own test.
- Heusse's closed form assumes that all stations contend with CWmin, even after collisions. Compared with the
  model with the right windows, it is 0.7 % too high with 2 stations, and 1.6 % and 6.2 % too low with 5 and
  10. The tolerances are 2, 3 and 8 %.
- Sums of nanoseconds and packets must be exact.
- Tolerances of ranges, frame errors, hidden stations and measured airtime follow from rounding and
  statistics; their modules derive them.

Cells run until the confidence interval of their mean is a small part of the tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator

from airfair import Result

from . import (
    aggregates,
    conservation,
    edca,
    hidden,
    mu_mimo_cells,
    neighbours,
    noise,
    ns3,
    occupancy,
    ofdma_cells,
    shares,
    spatial_reuse,
    theory,
)
from .cells import PACKET, PAYLOAD, PSDU, SaturatedCell
from .plan import Check, Plan, plans_of
from .published import NS3_TABLES
from .theory import DOT11A, DOT11B, Phy

MODEL_TOLERANCE = 0.015
HEUSSE_TOLERANCE = {2: 0.02, 5: 0.03, 10: 0.08}
"""Tolerance of Heusse's closed form, by number of stations."""
REPLICATIONS = 8
FRAMES = {1: 80_000, 2: 70_000, 5: 70_000, 10: 110_000, 20: 120_000, 50: 160_000}
"""Number of frames delivered in all replications of a cell, by number of stations."""
ANOMALY_FRAMES = {2: 100_000, 5: 500_000, 10: 4_200_000}
"""Number of frames for Heusse's anomaly, in which one station's share varies far more than the sum."""
FEWER_BY_RTS = 10
"""Divisor of the number of frames with RTS, with which collisions are short and throughput varies less."""

RATES: tuple[tuple[Phy, tuple[float, ...]], ...] = (
    (DOT11B, (1, 2, 5.5, 11)),
    (DOT11A, (6, 24, 54)),
)
STATIONS = (1, 2, 5, 10, 20, 50)
ACCESSES = {"basic": STATIONS, "rts": STATIONS, "eifs": (2, 10, 50)}
"""Numbers of stations: without RTS, with it, and with EIFS after collisions."""


def plans() -> Iterator[Plan]:
    """Plans for all checks of `airfair validate` except `propagation`, whose runs depend on earlier ones."""
    for phy, rates in RATES:
        for rate in rates:
            for access, counts in ACCESSES.items():
                for n in counts:
                    yield _saturation(phy, rate, n, access)
            yield _single_station(phy, rate)
    for n in HEUSSE_TOLERANCE:
        yield _anomaly(n)
    yield from plans_of((*aggregates.CELLS, *ns3.CELLS, *edca.CELLS))
    yield from plans_of((*ofdma_cells.CELLS, *mu_mimo_cells.CELLS))
    for part in (conservation, noise):
        yield from part.plans()
    yield from plans_of((*hidden.PAIRS, *occupancy.CELLS, *shares.CELLS, *neighbours.CELLS))
    yield from plans_of(spatial_reuse.CELLS)


def _duration(frames: float, frames_per_us: float) -> float:
    """Duration of each replication [s], so that all replications together deliver `frames` frames."""
    return max(0.2, frames / REPLICATIONS / frames_per_us / 1e6)


def _throughput(frames_per_us: float) -> float:
    """Throughput of IP packets [Mb/s] for a number of frames per µs."""
    return frames_per_us * PACKET * 8


def _saturation(phy: Phy, rate: float, n: int, access: str) -> Plan:
    """Plan for the total throughput of `n` saturated stations, against Bianchi's model and ns-3's table.

    EIFS is DIFS, SIFS and an ACK at the lowest mandatory rate. ns-3's own EIFS tables assume an ACK at the
    control rate of the data, which is shorter, so they expect up to 2 % more.
    """
    rts, eifs = access == "rts", access == "eifs"
    longer = phy.sifs + phy.airtime(theory.ACK_OCTETS, phy.lowest_rate) if eifs else 0
    cost = theory.exchange(phy, PSDU, rate, rts=rts, eifs_extra=longer)
    frames = theory.refined_frame_rate(n, phy, cost)
    cell = f"{phy.standard}/{rate:g}"
    published = NS3_TABLES[phy.standard, rate].get(n) if access == "basic" else None

    def evaluate(result: Result) -> Iterator[Check]:
        id_ = f"bianchi-eifs/{cell}" if eifs else f"bianchi/{cell}/{access}"
        expected = {f"{id_}/n={n}": _throughput(frames)}
        if published:
            expected[f"ns3-table/{cell}/n={n}"] = published.difs
        for name, mbps in expected.items():
            yield Check.of(name, mbps, aggregates.goodput(result), MODEL_TOLERANCE, "Mb/s")

    seconds = _duration(FRAMES[n] / (FEWER_BY_RTS if rts else 1), frames)
    stations = SaturatedCell(phy, [rate] * n, rts, "eifs" if eifs else "difs")
    return Plan(stations.scenario(seconds, replications=REPLICATIONS), evaluate)


def _anomaly(n: int) -> Plan:
    """Plan for Heusse's anomaly: n - 1 stations at 11 Mb/s and one at 1 Mb/s have the same throughput."""
    fast, slow = 11.0, 1.0
    rates = [*[fast] * (n - 1), slow]
    costs = [theory.exchange(DOT11B, PSDU, rate) for rate in rates]
    model = theory.mixed_rate_frame_rate(costs, DOT11B)
    closed = theory.heusse_frame_rate(n, DOT11B, PSDU, fast, slow)

    def evaluate(result: Result) -> list[Check]:
        goodput = result.flows["goodput_bps"].to_numpy().reshape(result.replications, n)
        each = goodput / 1e6 * PACKET / PAYLOAD
        mean, name = each.mean(axis=1), f"heusse/n={n}"
        others = each[:, :-1].mean(axis=1)
        return [
            Check.of(f"{name}/closed-form", _throughput(closed), mean, HEUSSE_TOLERANCE[n], "Mb/s"),
            Check.of(f"{name}/model", _throughput(model), mean, MODEL_TOLERANCE, "Mb/s"),
            Check.of(f"{name}/slow-by-fast", 1.0, each[:, -1] / others, MODEL_TOLERANCE),
        ]

    seconds = _duration(ANOMALY_FRAMES[n], n * model)
    cell = SaturatedCell(DOT11B, rates)
    return Plan(cell.scenario(seconds, replications=REPLICATIONS), evaluate)


def _single_station(phy: Phy, rate: float) -> Plan:
    """Plan for one station whose source stops before the end, in which every nanosecond is counted.

    n frames take n data and n ACK durations, n SIFS, a DIFS before each, and a whole number of slots.
    """
    data = round(1e3 * phy.airtime(PSDU, rate))
    ack = round(1e3 * phy.airtime(theory.ACK_OCTETS, phy.control_rate(rate)))
    gaps = round(1e3 * (phy.sifs + phy.difs))

    def evaluate(result: Result) -> list[Check]:
        name = f"single/{phy.standard}/{rate:g}"
        frames = int(result.flows.item(0, "packets_received"))
        channel = result.channels.row(0, named=True)
        slots = channel["contention_ns"] - frames * gaps
        return [
            Check(f"{name}/data-ns", frames * data, channel["data_ns"], 0),
            Check(f"{name}/control-ns", frames * ack, channel["control_ns"], 0),
            Check(f"{name}/gaps-not-whole-slots-ns", 0, slots % round(1e3 * phy.slot), 0),
        ]

    return Plan(SaturatedCell(phy, [rate]).scenario(2.0, stop_s=1.9), evaluate)
