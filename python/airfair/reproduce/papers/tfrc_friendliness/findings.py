"""Findings of the runs of `tfrc-friendliness` of which the paper does not speak."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from airfair.estimate import Floats, estimate
from airfair.reproduce.calibration import Candidate, chosen, ranked, table
from airfair.reproduce.paper import Finding, Search
from airfair.reproduce.tables import Cell, Column, Table

from .plan import (
    DECIDES,
    FLAVOURS,
    HELD,
    IDEAL,
    MIXED,
    NEAR,
    OPEN,
    PLACES,
    QUEUES,
    VARIANTS,
    VARIED,
    queues,
    told,
    varied,
)
from .runs import Measurements, Runs

TOTAL = "all, Mb/s"


def candidates(
    printed: Mapping[str, float], data: Measurements, places: Iterable[str] = PLACES
) -> dict[str, Candidate]:
    """Receivers and channels, against the total of Figure 5."""
    tcp, tfrc = printed["tcp_reno_each_kBps"], printed["tfrc_kBps"]
    total = (MIXED[0] * tcp + MIXED[1] * tfrc) * 8 / 1e3
    return {
        place: Candidate(told(place), {TOTAL: _total(data["calibration", place])}, {TOTAL: total})
        for place in places
    }


def _total(runs: Runs) -> Floats:
    """All flows together [Mb/s]."""
    total: Floats = runs.kbytes_per_s.sum(axis=1) * 8 / 1e3
    return total


def calibration(printed: Mapping[str, float]) -> Search[Runs]:
    """Choice of the channel with which the testbed's claims are decided."""

    def find(data: Measurements) -> Finding:
        found = candidates(printed, data)
        best = chosen(list(found.values()))
        fitting = [place for place, one in found.items() if one.fits]
        as_planned = best is found[DECIDES] and {*fitting} == {DECIDES, *NEAR}
        doubt = "" if as_planned else "; in these runs others fit: " + "; ".join(map(told, fitting))
        ideal = found[IDEAL].measured[TOTAL].mean()

        def timeouts(place: str) -> str:
            return f"{data['calibration', place].timeouts_per_minute().mean():.1f}"

        near = " and ".join(VARIANTS[place] for place in NEAR)
        return Finding(
            "The channel, as Figure 5’s total shows it",
            "The paper blames the radio channel for the time-outs and for 2 Mb/s of 11, and does not "
            "describe it. The channel determines how much all flows get together, and that is the "
            "baseline; how Reno and TFRC share it is what the paper wants to know, so neither’s own "
            f"throughput chooses. Of {len(found)} combinations of receiver and channel, {told(DECIDES)} "
            "with both PCs on the air is "
            f"the nearest whose total could be the printed one, and decides; {near} fit as well and stand "
            f"beside as near{doubt}. An ideal channel leaves {ideal:.2f} Mb/s, each packet and each ACK "
            "crossing the air twice; with a wired receiver it takes three frames in ten to come down to "
            "two. The paper’s words on time-outs fit the bad periods alone: a Reno flow has "
            f"{timeouts(IDEAL)} a minute with an ideal channel, {timeouts(DECIDES)} with "
            f"{told(DECIDES)}, {timeouts(NEAR[0])} and {timeouts(NEAR[1])} with these.",
            [_table(found, data, printed)],
        )

    return Search(("calibration",), find)


def _table(
    found: Mapping[str, Candidate], data: Measurements, printed: Mapping[str, float]
) -> Table:
    """The candidates by their distance, with what did not choose behind it."""
    made = table(
        "calibration",
        "Three Reno flows and one TFRC by receiver and channel, beside Figure 5",
        list(found.values()),
        {TOTAL: 2},
    )
    places = {id(one): place for place, one in found.items()}
    runs = [data["calibration", places[id(one)]] for one in ranked(list(found.values()))]

    def column(name: str, key: str, take: Callable[[Runs], Floats]) -> Column:
        cells = [Cell(estimate(take(one)), printed.get(key), 1) for one in runs]
        return Column(name, name, cells)

    more = [
        column("Reno, kB/s", "tcp_reno_each_kBps", lambda one: one.mean(tfrc=False)),
        column("TFRC, kB/s", "tfrc_kBps", lambda one: one.mean(tfrc=True)),
        column("time-outs/min", "", Runs.timeouts_per_minute),
    ]
    return replace(made, columns=[*made.columns, *more])


def buffers(data: Measurements) -> Finding:
    """Finding on the access point's queue at 10/10."""
    few, many = ({q: data[queues(*pair), str(q)] for q in QUEUES} for pair in HELD)
    least, most = QUEUES[0], QUEUES[-1]
    return Finding(
        "The access point's queue decides what happens at 10/10",
        "With SACK the paper sees fairness improve from 5/5 to 10/10. The queue of its access point is not "
        f"known. With {least} packets the index goes from {_three(few[least].index())} to "
        f"{_three(many[least].index())}: two or three packets are left for each of twenty flows, and at the "
        "losses that follow the throughput equation falls faster than SACK does. With "
        f"{most} it goes from {_three(few[most].index())} to {_three(many[most].index())}.",
        [
            Table(
                "queues",
                "Index of TFRC beside TCP SACK, by packets that the access point holds",
                [f"{tcp}/{tfrc}" for tcp, tfrc in HELD],
                [
                    Column(
                        str(q),
                        f"{q} packets",
                        [Cell(estimate(data[queues(*p), str(q)].index()), digits=3) for p in HELD],
                    )
                    for q in QUEUES
                ],
            )
        ],
    )


def settings(data: Measurements) -> Finding:
    """Finding on the open settings."""
    places = [(flavour, pair) for flavour in FLAVOURS for pair in VARIED]
    columns = [
        Column(
            varied(flavour, *pair),
            f"{FLAVOURS[flavour]}, {pair[0]}/{pair[1]}",
            [Cell(estimate(data[varied(flavour, *pair), id_].index()), digits=3) for id_ in OPEN],
        )
        for flavour, pair in places
    ]
    means = {
        label: data[varied("reno", *VARIED[-1]), id_].index().mean()
        for id_, (label, _) in OPEN.items()
    }
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    return Finding(
        "Open settings move the index as far as it is from 0.6",
        f"One setting at a time, {VARIANTS[DECIDES]}. At 10/10 beside Reno the index of TFRC "
        f"lies between {means[low]:.3f} ({low}) and {means[high]:.3f} ({high}). None of them is tuned: the "
        "files keep what the operating system of the testbed had.",
        [
            Table(
                "settings", "Index of TFRC by open settings", [x for x, _ in OPEN.values()], columns
            )
        ],
    )


def _three(samples: Floats) -> str:
    return f"{samples.mean():.3f}"


SEARCHES = (
    Search(tuple(queues(*pair) for pair in HELD), buffers),
    Search(tuple(varied(f, *pair) for f in FLAVOURS for pair in VARIED), settings),
)
