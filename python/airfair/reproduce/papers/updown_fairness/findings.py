"""What the runs of `updown-fairness` show and the paper does not say."""

from __future__ import annotations

import math

import numpy as np

from airfair.reproduce.estimate import Estimate, Floats, estimate
from airfair.reproduce.paper import Finding, Search
from airfair.reproduce.tables import Cell, Column, Table

from .plan import (
    ASYMMETRIC,
    COMPARED,
    IDEAL,
    LARGE,
    LAST,
    MIXED,
    SCAN,
    SCHEMES,
    SHOWN,
    STACK,
    SYMMETRIC,
    WINDOWS,
    Place,
    asymmetric_id,
    setup_id,
    stack_places,
    windows_id,
)
from .runs import DOWN, SEGMENT, UP, Measurements, Runs

PRINTED_TOTAL = 370
PRINTED = {"downlink": 250, "uplink": 120}
FOUR = "dl4-ul4"
STARVED = 0.1
"""Ratios below it say only that downlink has nothing."""


def errors(data: Measurements) -> Finding:
    """The frame error rate at which dl1-ul1 has 370 packets/s."""
    runs = {rate: data["scan", str(rate)] for rate in SCAN}
    totals = [float(one.total().mean()) for one in runs.values()]
    rate = float(np.interp(-PRINTED_TOTAL, [-total for total in totals], SCAN))
    near = min(SCAN, key=lambda one: abs(one - rate))
    there = runs[near]
    return Finding(
        f"A frame error rate of {rate:.1%} brings the sum to {PRINTED_TOTAL} packets/s",
        f"At M_t = 1 collisions alone leave dl1-ul1 {totals[0]:.0f} packets/s, against {PRINTED_TOTAL} of "
        f"the testbed. If every frame, ACKs included, is spoilt with the same probability, {rate:.1%} makes "
        "up the difference. It does not explain the shares: the paper has "
        f"{PRINTED['downlink']} down and {PRINTED['uplink']} up, the cell with {near:.1%} "
        f"{there.goodput(DOWN).mean():.0f} and {there.goodput(UP).mean():.0f}. Collisions and such errors "
        "hit both ways alike; in the testbed something hit the stations' frames more than the access "
        "point's, such as capture or a weaker transmitter, and nothing is known of it.",
        [
            Table(
                "frame-errors",
                f"Goodput in packets/s by frame error rate, dl1-ul1, M_t = 1, Q = {SHOWN}",
                [f"{one:.1%}" for one in SCAN],
                [
                    Column(way, way, [Cell(estimate(one.goodput(way))) for one in runs.values()])
                    for way in (DOWN, UP)
                ]
                + [
                    Column("total", "total", [Cell(estimate(one.total())) for one in runs.values()])
                ],
            )
        ],
    )


def windows(data: Measurements) -> Finding:
    """When 2:1 gives 1:1."""

    def ratio(scenario: str, size: str, packets: int) -> Floats:
        return data[windows_id(scenario), f"{size}-Q{packets}"].ratio()

    def fits(scenario: str, size: str, packets: int) -> bool:
        segments = _octets(size) // SEGMENT
        return SYMMETRIC[scenario] * segments <= 2 * packets

    places = [(s, w, q) for s in SYMMETRIC for w in WINDOWS for q in LARGE]
    inside = [abs(ratio(*place).mean() - 1) for place in places if fits(*place)]
    outside = [abs(ratio(*place).mean() - 1) for place in places if not fits(*place)]
    tables = [
        Table(
            f"windows-{scenario}",
            f"Downlink / uplink goodput under 2:1, {scenario}, M_t = {LAST[0]}, by window",
            WINDOWS,
            [
                Column(
                    f"Q{q}",
                    f"Q = {q}",
                    [Cell(estimate(ratio(scenario, size, q)), digits=2) for size in WINDOWS],
                )
                for q in LARGE
            ],
        )
        for scenario in SYMMETRIC
    ]
    return Finding(
        "2:1 makes 1:1 as long as the queue of ACKs does not overflow",
        "The weights pace the ACKs of the uplink, and so the uplink, if each ACK lets two segments through. "
        "n uplink flows with windows of W segments leave n·W/2 ACKs waiting. While that is at most Q, no ACK "
        f"is lost and the ratio is within {max(inside):.0%} of 1 at all {len(inside)} such points of the "
        "tables. Beyond it the queue overflows, each ACK that gets through lets more segments go, and the "
        f"pacing is lost: the ratio is off by up to {max(outside):.0%}. An ideal channel has no loss that "
        "would keep W small, and socket buffers that never bind do not either; the paper's claim therefore "
        "needs windows or losses that the testbed had and the text does not tell.",
        tables,
    )


def _octets(size: str) -> int:
    number, unit = size.split()
    return int(number) * {"kB": 1_000, "MB": 1_000_000}[unit]


def reading(data: Measurements) -> Finding:
    """What Q counts."""

    def ratio(scheme: str, scenario: str, packets: int) -> Floats:
        return data[Place(IDEAL, scheme, scenario, LAST[0], packets).key].ratio()

    labels = {"scheduler": "each queue for itself", "shared": "both queues together"}
    tables = [
        Table(
            f"limit-{scheme}",
            f"Downlink / uplink goodput under 2:1 where Q counts {label}, M_t = {LAST[0]}",
            list(SYMMETRIC),
            [
                Column(
                    f"Q{q}",
                    f"Q = {q}",
                    [Cell(estimate(ratio(scheme, s, q)), digits=2) for s in SYMMETRIC],
                )
                for q in LARGE
            ],
        )
        for scheme, label in labels.items()
    ]
    each, shared = (ratio(scheme, FOUR, LARGE[-1]).mean() for scheme in labels)
    return Finding(
        "Q counts each queue for itself, or the scheduler could not work at all",
        "The paper does not say whether Q limits each of the scheduler's two queues or both together. "
        "Where it counts both, ACKs fill the common room and data is refused as under FIFO: in dl4-ul4 with "
        f"Q = {LARGE[-1]} the ratio is {shared:.2f}, against {each:.2f} where each queue has its own room. "
        "Only the second reading can come near the paper's 1:1, so it is used throughout.",
        tables,
    )


def asymmetric(data: Measurements) -> Finding:
    """Cells with different numbers of flows each way."""
    tables = [
        Table(
            f"flows-{packets}",
            f"Flow furthest from the mean of all, in % of it, M_t = {LAST[0]}, Q = {packets}",
            [scheme.label for scheme in SCHEMES.values()],
            [
                Column(
                    f"{up}-{down}",
                    f"{up} up, {down} down",
                    [
                        Cell(
                            _furthest(data[asymmetric_id(up, down), f"{id_}-Q{packets}"]), digits=1
                        )
                        for id_ in SCHEMES
                    ],
                )
                for up, down in ASYMMETRIC
            ],
        )
        for packets in COMPARED
    ]
    worst = {
        id_: _percent(
            max(
                (
                    _furthest(data[asymmetric_id(*flows), f"{id_}-Q{q}"])
                    for flows in ASYMMETRIC
                    for q in COMPARED
                ),
                key=lambda furthest: abs(furthest.mean),
            )
        )
        for id_ in ("fifo", "scheduler", "counted", "windows")
    }
    return Finding(
        "Weights that follow the connections make every flow equal",
        "The paper's 2:1 makes the sums of both ways equal, not the flows. With weights that follow the "
        "number of connections, segments per ACK as measured, and a queue of ACKs from which the longest "
        f"flow gives way, the flow furthest from the mean of all is {worst['counted']} off, in cells of "
        f"4 up and 4 down, 1 and 7, 7 and 1; under FIFO it is {worst['fifo']}, with 2:1 "
        f"{worst['scheduler']}. Windows that the access point writes into ACKs (buffer by flows) do as "
        f"well, {worst['windows']}, at the price of rewriting headers.",
        tables,
    )


def _percent(deviation: Estimate) -> str:
    """Its size with its interval, as text."""
    return f"{abs(deviation.mean):.0f} ± {deviation.ci95:.0f} %"


def _furthest(runs: Runs) -> Estimate:
    """Deviation of the flow furthest from the mean of all, with the interval of that flow [%]."""
    flows = [estimate(runs.packets_per_s[:, i]) for i in range(runs.packets_per_s.shape[1])]
    mean = float(np.mean([flow.mean for flow in flows]))
    furthest = max(flows, key=lambda flow: abs(flow.mean - mean))
    return Estimate(100 * (furthest.mean / mean - 1), 100 * furthest.ci95 / mean)


def short_flows(data: Measurements) -> Finding:
    """Transfers that come and go."""
    runs = {id_: data["short-flows", id_] for id_ in MIXED}

    def long(one: Runs, way: str) -> Floats:
        rates: Floats = one.packets_per_s[:, one.of_way(way)].mean(axis=1)
        return rates

    def done(one: Runs, way: str) -> Floats:
        times = one.completion_s[:, one.of_way(way)]
        median: Floats = np.nanmedian(times, axis=1)
        return median

    columns = [
        Column(
            "uplink",
            "long up, packets/s",
            [Cell(estimate(long(r, UP)), digits=1) for r in runs.values()],
        ),
        Column(
            "downlink",
            "long down, packets/s each",
            [Cell(estimate(long(r, DOWN)), digits=1) for r in runs.values()],
        ),
        Column(
            "upload",
            "short up, s",
            [Cell(estimate(done(r, "upload")), digits=2) for r in runs.values()],
        ),
        Column(
            "download",
            "short down, s",
            [Cell(estimate(done(r, "download")), digits=2) for r in runs.values()],
        ),
    ]
    ratio = {id_: float(long(one, DOWN).mean() / long(one, UP).mean()) for id_, one in runs.items()}
    wait = {id_: float(done(one, "upload").mean()) for id_, one in runs.items()}
    return Finding(
        "Short uploads wait behind the ACKs of long ones",
        "Beside 1 long flow up and 7 down, 50 uploads and 50 downloads of 100 kB come at random times. "
        f"A long flow down has {ratio['fifo']:.2f} of the long flow up under FIFO, "
        f"{ratio['scheduler']:.2f} with 2:1 and {ratio['counted']:.2f} with weights by connections: the ACKs "
        "of the long uplink, whose window nothing limits, fill their queue, the short uploads wait there (a "
        f"median of {wait['counted']:.1f} s against {wait['fifo']:.1f} under FIFO) and are counted all that "
        f"time. If the access point limits windows, too, it is {ratio['both']:.2f} and "
        f"{wait['both']:.1f} s.",
        [
            Table(
                "short-flows",
                f"Long flows, and the median time of a transfer of 100 kB, Q = {SHOWN}",
                [SCHEMES[id_].label for id_ in MIXED],
                columns,
            )
        ],
    )


def stack(data: Measurements) -> Finding:
    """What of the hosts' TCP matters."""
    labels = list(stack_places())
    columns = [
        Column(
            f"place-{i}",
            label,
            [Cell(estimate(data["stack", f"{id_}-{i}"].ratio()), digits=2) for id_ in STACK],
        )
        for i, label in enumerate(labels)
    ]

    def ratio(id_: str, i: int) -> float:
        return float(data["stack", f"{id_}-{i}"].ratio().mean())

    def distance(id_: str) -> float:
        alive = [i for i in range(len(labels)) if ratio("file", i) > STARVED]
        return max(abs(math.log(ratio(id_, i) / ratio("file", i))) for i in alive)

    most = max(STACK, key=distance)
    return Finding(
        "What of Linux's TCP matters",
        "One detail at a time, as today's RFCs or ns-2 have it. The ratios move most with "
        f"“{STACK[most].label}”; all are in the table. Delayed ACKs are the detail on which the scheduler's "
        f"weights rest: without them 2:1 gives {_undelayed(data):.2f} in dl1-ul1 instead of "
        f"{data['stack', 'file-4'].ratio().mean():.2f}.",
        [
            Table(
                "stack",
                f"Downlink / uplink goodput; Q = {SHOWN}, at M_t = 8 Q = {LARGE[-1]}",
                [change.label for change in STACK.values()],
                columns,
            )
        ],
    )


def _undelayed(data: Measurements) -> float:
    return float(data["stack", "undelayed-4"].ratio().mean())


SEARCHES = (
    Search(("scan",), errors),
    Search(
        tuple(setup_id(IDEAL, scheme, s) for scheme in ("scheduler", "shared") for s in SYMMETRIC),
        reading,
    ),
    Search(tuple(windows_id(scenario) for scenario in SYMMETRIC), windows),
    Search(tuple(asymmetric_id(*flows) for flows in ASYMMETRIC), asymmetric),
    Search(("short-flows",), short_flows),
    Search(("stack",), stack),
)
