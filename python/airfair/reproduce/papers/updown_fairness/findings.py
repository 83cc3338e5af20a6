"""Findings of the runs of `updown-fairness` of which the paper does not speak."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from airfair.estimate import Estimate, Floats, estimate
from airfair.experiment.words import SAME
from airfair.reproduce.calibration import Candidate, ranked, table
from airfair.reproduce.paper import Finding, Search
from airfair.reproduce.tables import Cell, Column, Table

from .plan import (
    ASYMMETRIC,
    CAPTURE,
    COMPARED,
    DECIDES,
    FOUR,
    LARGE,
    LAST,
    MIXED,
    NEAR,
    SCHEMES,
    SHOWN,
    STACK,
    SYMMETRIC,
    SYSTEMS,
    WINDOWS,
    Place,
    System,
    asymmetric_id,
    in_group,
    setup_id,
    stack_places,
)
from .runs import DOWN, SEGMENT, UP, Measurements, Runs

STARVED = 0.1
"""Ratios below it say only that downlink has nothing."""


def candidates(
    printed: Mapping[str, float], data: Measurements, ids: Iterable[str] = tuple(SYSTEMS)
) -> dict[str, Candidate]:
    """Candidates for the testbed, against Figure 3's printed row."""
    rows = {way: printed[f"{way}_pps"] for way in ("total", DOWN, UP)}

    def candidate(id_: str, system: System) -> Candidate:
        runs = data["calibration", id_]
        measured = {"total": runs.total(), DOWN: runs.goodput(DOWN), UP: runs.goodput(UP)}
        return Candidate(system.label, measured, rows)

    return {id_: candidate(id_, SYSTEMS[id_]) for id_ in ids}


def calibration(printed: Mapping[str, float]) -> Search[Runs]:
    """Choice of the system under which the claims are decided."""

    def find(data: Measurements) -> Finding:
        found = candidates(printed, data)
        nearest = ranked(list(found.values()))[0]
        best, next_ = found[DECIDES], found[NEAR]
        capture = min(
            (one for id_, one in found.items() if id_.startswith("capture")),
            key=lambda one: one.distance,
        )
        said = "the nearest" if nearest is best else f"not the nearest, which is {nearest.label}"
        return Finding(
            "The testbed, as Figure 3 shows it under FIFO",
            "The paper does not describe the radio of its testbed and prints one row of figures: dl1-ul1, "
            f"M_t = 1, Q = {SHOWN}, FIFO. {len(found)} candidates were run there. Decided is with "
            f"{best.label}, {said}, {100 * best.distance:.0f} % away in the root mean square; "
            f"{next_.label} ({100 * next_.distance:.0f} %) stand beside it as near, since no other is "
            f"within {SAME.allowed:.0%}. With an ideal channel one station, which contends with few, loses "
            "less than the access point, which contends with all; whatever hits both ways alike leaves "
            "uplink ahead, too. A station that is received a little worse, or capture where the receivers "
            f"are not farther than the senders (a frame survives if {CAPTURE} stronger), turns it as in the "
            f"testbed. The nearest of these with capture is {100 * capture.distance:.0f} % away "
            f"({capture.label}).",
            [
                table(
                    "calibration",
                    f"Goodput in packets/s, dl1-ul1, M_t = 1, Q = {SHOWN}, FIFO, beside the paper’s",
                    list(found.values()),
                    {"total": 0, DOWN: 0, UP: 0},
                )
            ],
        )

    return Search(("calibration",), find)


def windows(data: Measurements) -> Finding:
    """Finding on the windows with which 2:1 gives 1:1."""

    def ratio(scenario: str, size: str, packets: int) -> Floats:
        return data["windows", f"{scenario}-{size}-Q{packets}"].ratio()

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
        f"pacing is lost: the ratio is off by up to {max(outside):.0%}. Where M_t > 5 mends all losses, and "
        "socket buffers never bind, nothing keeps W small; the paper's claim therefore needs windows or "
        "losses that the testbed had and the text does not tell.",
        tables,
    )


def _octets(size: str) -> int:
    number, unit = size.split()
    return int(number) * {"kB": 1_000, "MB": 1_000_000}[unit]


def reading(data: Measurements) -> Finding:
    """Finding on what Q counts."""
    places = {
        scheme: [Place(DECIDES, scheme, FOUR, LAST[0], q) for q in LARGE]
        for scheme in ("scheduler", "shared")
    }
    ratios = {
        "each queue for itself": [data[one.key].ratio() for one in places["scheduler"]],
        "both queues together": [data[in_group("shared", one)].ratio() for one in places["shared"]],
    }
    each, shared = (found[-1].mean() for found in ratios.values())
    return Finding(
        "Q counts each queue for itself, or the scheduler could not work at all",
        "The paper does not say whether Q limits each of the scheduler's two queues or both together. "
        "Where it counts both, ACKs fill the common room and data is refused as under FIFO: in dl4-ul4 with "
        f"Q = {LARGE[-1]} the ratio is {shared:.2f}, against {each:.2f} where each queue has its own room. "
        "Only the second reading can come near the paper's 1:1, so it is used throughout.",
        [
            Table(
                "limit",
                f"Downlink / uplink goodput under 2:1, {FOUR}, M_t = {LAST[0]}, by what Q counts",
                list(ratios),
                [
                    Column(
                        f"Q{q}",
                        f"Q = {q}",
                        [Cell(estimate(found[i]), digits=2) for found in ratios.values()],
                    )
                    for i, q in enumerate(LARGE)
                ],
            )
        ],
    )


def asymmetric(data: Measurements) -> Finding:
    """Cells with different numbers of flows each way."""

    def furthest(id_: str, flows: tuple[int, int]) -> Estimate:
        return _furthest(data[asymmetric_id(*flows), id_])

    columns = [
        Column(
            f"{up}-{down}",
            f"{up} up, {down} down",
            [Cell(furthest(id_, (up, down)), digits=1) for id_ in COMPARED],
        )
        for up, down in ASYMMETRIC
    ]
    worst = {
        id_: _percent(
            max((furthest(id_, flows) for flows in ASYMMETRIC), key=lambda one: abs(one.mean))
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
        [
            Table(
                "flows",
                f"Flow furthest from the mean of all, in % of it, M_t = {LAST[0]}, Q = {SHOWN}",
                [SCHEMES[id_].label for id_ in COMPARED],
                columns,
            )
        ],
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
    """Finding on what of the hosts' TCP matters."""
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
        return float(data["stack", f"{id_}-{i % len(labels)}"].ratio().mean())

    def distance(id_: str) -> float:
        alive = [i for i in range(len(labels)) if ratio("file", i) > STARVED]
        return max(abs(math.log(ratio(id_, i) / ratio("file", i))) for i in alive)

    most = max(STACK, key=distance)
    return Finding(
        "What of Linux's TCP matters",
        "One detail at a time, as today's RFCs have it. The ratios move most with "
        f"“{STACK[most].label}”; all are in the table. Delayed ACKs are the detail on which the scheduler's "
        f"weights rest: without them 2:1 gives {ratio('undelayed', -1):.2f} in dl1-ul1 instead of "
        f"{ratio('file', -1):.2f}.",
        [
            Table(
                "stack",
                f"Downlink / uplink goodput, Q = {SHOWN} where nothing else is said",
                [change.label for change in STACK.values()],
                columns,
            )
        ],
    )


SEARCHES = (
    Search(("shared", setup_id(DECIDES, "scheduler", FOUR)), reading),
    Search(("windows",), windows),
    Search(tuple(asymmetric_id(*flows) for flows in ASYMMETRIC), asymmetric),
    Search(("short-flows",), short_flows),
    Search(("stack",), stack),
)
