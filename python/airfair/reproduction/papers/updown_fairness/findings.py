"""Findings of the runs of `updown-fairness` that the paper does not report."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from airfair.estimate import Estimate, Floats, estimate
from airfair.experiment.words import SAME
from airfair.reproduction.calibration import Candidate, ranked, table
from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Table, column

from . import plan
from .runs import DOWN, SEGMENT, UP, Measurements, UpDownRuns

STARVED = 0.1
"""Ratio below which downlink has almost nothing; such ratios are not compared."""


def candidates(data: Measurements, ids: Iterable[str] = plan.CANDIDATES) -> dict[str, Candidate]:
    """Candidates of the calibration: systems, each compared with the printed row of Figure 3."""
    rows = {way: plan.PRINTED[f"{way}_pps"] for way in ("total", DOWN, UP)}

    def candidate(id_: str) -> Candidate:
        runs = data["calibration", id_]
        measured = {"total": runs.total(), DOWN: runs.goodput(DOWN), UP: runs.goodput(UP)}
        assumed = 2 if id_ in plan.TWO_KINDS else 1
        return Candidate(plan.SYSTEMS[id_], measured, rows, assumed=assumed)

    return {id_: candidate(id_) for id_ in ids}


def calibration(data: Measurements) -> Found:
    """Finding that chooses the system in which claims are decided."""
    found = candidates(data)
    all_ = list(found.values())
    captures = [one for id_, one in found.items() if id_.startswith("capture")]
    capture = min(captures, key=lambda one: one.distance)
    numbers = {
        "packets": plan.SHOWN,
        "candidates": len(found),
        "decides": found[plan.DECIDES].label,
        "nearest": ranked(all_)[0].label,
        "distance_percent": 100 * found[plan.DECIDES].distance,
        "near": [(found[id_].label, 100 * found[id_].distance) for id_ in plan.NEAR],
        "same": SAME.allowed,
        "capture": plan.CAPTURE,
        "nearest_capture": capture.label,
        "capture_percent": 100 * capture.distance,
    }
    title = f"Goodput in packets/s, dl1-ul1, M_t = 1, Q = {plan.SHOWN}, FIFO, beside the paper’s"
    digits = {"total": 0, DOWN: 0, UP: 0}
    return Found(numbers, [table("calibration", title, all_, digits)], all_)


def windows(data: Measurements) -> Found:
    """Finding on the windows with which weights of 2:1 give a ratio of 1:1."""

    def ratio(scenario: str, size: str, packets: int) -> Floats:
        return data["windows", f"{scenario}-{size}-Q{packets}"].ratio()

    def fits(scenario: str, size: str, packets: int) -> bool:
        segments = _octets(size) // SEGMENT
        return plan.SYMMETRIC[scenario] * segments <= 2 * packets

    places = [(s, w, q) for s in plan.SYMMETRIC for w in plan.WINDOWS for q in plan.LARGE]
    inside = [abs(ratio(*place).mean() - 1) for place in places if fits(*place)]
    outside = [abs(ratio(*place).mean() - 1) for place in places if not fits(*place)]
    tables = [
        Table(
            f"windows-{scenario}",
            f"Downlink / uplink goodput under 2:1, {scenario}, M_t = {plan.LAST[0]}, by window",
            plan.WINDOWS,
            [
                column(f"Q = {q}", [ratio(scenario, size, q) for size in plan.WINDOWS], 2)
                for q in plan.LARGE
            ],
        )
        for scenario in plan.SYMMETRIC
    ]
    return Found({"inside": inside, "outside": outside}, tables)


def _octets(size: str) -> int:
    number, unit = size.split()
    return int(number) * {"kB": 1_000, "MB": 1_000_000}[unit]


def reading(data: Measurements) -> Found:
    """Finding on the queues that Q limits: each one, or both together."""
    places = {
        scheme: [
            plan.FigurePoint(plan.DECIDES, scheme, plan.FOUR, plan.LAST[0], q) for q in plan.LARGE
        ]
        for scheme in ("scheduler", "shared")
    }
    ratios = {
        "each queue for itself": [data[one.key].ratio() for one in places["scheduler"]],
        "both queues together": [
            data[plan.in_group("shared", one)].ratio() for one in places["shared"]
        ],
    }
    each, together = (found[-1].mean() for found in ratios.values())
    columns = [
        column(f"Q = {q}", [found[i] for found in ratios.values()], 2)
        for i, q in enumerate(plan.LARGE)
    ]
    where = f"{plan.FOUR}, M_t = {plan.LAST[0]}"
    title = f"Downlink / uplink goodput under 2:1, {where}, by the queues that Q limits"
    return Found(
        {"packets": plan.LARGE[-1], "each": each, "together": together},
        [Table("limit", title, list(ratios), columns)],
    )


def driver(data: Measurements) -> Found:
    """Finding on the scheduler above a driver with a queue of its own."""
    most = plan.LAST[-1]

    def ratios(scheme: str, packets: int) -> list[Floats]:
        places = [
            plan.FigurePoint(plan.DECIDES, scheme, scenario, most, packets)
            for scenario in plan.SYMMETRIC
        ]
        if scheme == "driver":
            return [data[plan.in_group("driver", place)].ratio() for place in places]
        return [data[place.key].ratio() for place in places]

    columns = [
        column(f"{label}, Q = {q}", ratios(scheme, q), 2)
        for scheme, label in (("scheduler", "no driver"), ("driver", "above a driver"))
        for q in plan.LARGE
    ]
    title = (
        f"Downlink / uplink goodput under 2:1, M_t = {most}, with the driver’s queue and without"
    )
    shown = {
        scheme: [one.mean() for one in ratios(scheme, plan.SHOWN)]
        for scheme in ("scheduler", "driver")
    }
    return Found(shown, [Table("driver", title, list(plan.SYMMETRIC), columns)])


def asymmetric(data: Measurements) -> Found:
    """Finding on cells with different numbers of uplink and downlink flows."""

    def furthest(id_: str, flows: tuple[int, int]) -> Estimate:
        return _furthest(data[plan.asymmetric_id(*flows), id_])

    columns = [
        column(f"{up} up, {down} down", [furthest(id_, (up, down)) for id_ in plan.COMPARED], 1)
        for up, down in plan.ASYMMETRIC
    ]
    worst = {
        id_: max((furthest(id_, flows) for flows in plan.ASYMMETRIC), key=lambda one: abs(one.mean))
        for id_ in ("fifo", "scheduler", "counted", "windows")
    }
    sizes = {id_: replace(one, mean=abs(one.mean)) for id_, one in worst.items()}
    where = f"M_t = {plan.LAST[0]}, Q = {plan.SHOWN}"
    title = f"Deviation of the flow furthest from the mean of all, in %, {where}"
    return Found(
        sizes, [Table("flows", title, [plan.SCHEMES[id_] for id_ in plan.COMPARED], columns)]
    )


def _furthest(runs: UpDownRuns) -> Estimate:
    """Largest deviation of a flow from the mean of all, with the interval of that flow [%]."""
    flows = [estimate(runs.packets_per_s[:, i]) for i in range(runs.packets_per_s.shape[1])]
    mean = float(np.mean([flow.mean for flow in flows]))
    furthest = max(flows, key=lambda flow: abs(flow.mean - mean))
    return Estimate(100 * (furthest.mean / mean - 1), 100 * furthest.ci95 / mean)


def short_flows(data: Measurements) -> Found:
    """Finding on short transfers beside long flows."""
    runs = {id_: data["short-flows", id_] for id_ in plan.MIXED}

    def long(one: UpDownRuns, way: str) -> Floats:
        rates: Floats = one.packets_per_s[:, one.of_way(way)].mean(axis=1)
        return rates

    def done(one: UpDownRuns, way: str) -> Floats:
        times = one.completion_s[:, one.of_way(way)]
        median: Floats = np.nanmedian(times, axis=1)
        return median

    columns = [
        column("long up, packets/s", [long(r, UP) for r in runs.values()], 1),
        column("long down, packets/s each", [long(r, DOWN) for r in runs.values()], 1),
        column("short up, s", [done(r, "upload") for r in runs.values()], 2),
        column("short down, s", [done(r, "download") for r in runs.values()], 2),
    ]
    ratio = {id_: float(long(one, DOWN).mean() / long(one, UP).mean()) for id_, one in runs.items()}
    wait_s = {id_: float(done(one, "upload").mean()) for id_, one in runs.items()}
    title = f"Goodput of long flows and median time of a transfer of 100 kB, Q = {plan.SHOWN}"
    return Found(
        {"ratio": ratio, "wait_s": wait_s},
        [Table("short-flows", title, [plan.SCHEMES[id_] for id_ in plan.MIXED], columns)],
    )


def stack(data: Measurements) -> Found:
    """Finding on the details of the hosts' TCP that affect the ratio."""
    labels = list(plan.STACK_PLACES)
    columns = [
        column(label, [data["stack", f"{id_}-{i}"].ratio() for id_ in plan.STACK], 2)
        for i, label in enumerate(labels)
    ]

    def ratio(id_: str, i: int) -> float:
        return float(data["stack", f"{id_}-{i % len(labels)}"].ratio().mean())

    def distance(id_: str) -> float:
        alive = [i for i in range(len(labels)) if ratio("file", i) > STARVED]
        return max(abs(math.log(ratio(id_, i) / ratio("file", i))) for i in alive)

    most = max(plan.STACK, key=distance)
    title = f"Downlink / uplink goodput, by detail of TCP, Q = {plan.SHOWN} unless another is given"
    return Found(
        {
            "most": plan.STACK[most],
            "undelayed": ratio("undelayed", -1),
            "delayed": ratio("file", -1),
        },
        [Table("stack", title, list(plan.STACK.values()), columns)],
    )


SEARCHES = (
    Search("reading", ("shared", plan.setup_id(plan.DECIDES, "scheduler", plan.FOUR)), reading),
    Search("driver", ("driver", plan.setup_id(plan.DECIDES, "scheduler", "*")), driver),
    Search("windows", ("windows",), windows),
    Search("asymmetric", ("flows-*",), asymmetric),
    Search("short-flows", ("short-flows",), short_flows),
    Search("stack", ("stack",), stack),
)
