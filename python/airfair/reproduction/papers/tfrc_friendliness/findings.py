"""Findings of the runs of `tfrc-friendliness` that the paper does not report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from airfair.estimate import Estimate, Floats, estimate
from airfair.reproduction.calibration import Candidate, chosen, ranked, table
from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Column, Table, TableCell

from .claims import relative
from .plan import (
    CANDIDATES,
    DECIDES,
    FLAVOURS,
    HELD,
    IDEAL,
    MIXED,
    NEAR,
    OPEN,
    PAPERS_SIZE,
    QUEUES,
    SIZES,
    VARIANTS,
    VARIED,
    queues,
    told,
    varied,
)
from .runs import FriendlinessRuns, Measurements

TOTAL = "all, Mb/s"


def candidates(
    printed: Mapping[str, float], data: Measurements, places: Iterable[str] = CANDIDATES
) -> dict[str, Candidate]:
    """Candidates of the calibration: receivers and channels, each compared with the total of Figure 5."""
    tcp, tfrc = printed["tcp_reno_each_kBps"], printed["tfrc_kBps"]
    total = (MIXED[0] * tcp + MIXED[1] * tfrc) * 8 / 1e3
    return {
        place: Candidate(told(place), {TOTAL: _total(data["calibration", place])}, {TOTAL: total})
        for place in places
    }


def _total(runs: FriendlinessRuns) -> Floats:
    """Total throughput of all flows [Mb/s], (replication)."""
    total: Floats = runs.kbytes_per_s.sum(axis=1) * 8 / 1e3
    return total


def calibration(printed: Mapping[str, float]) -> Search[FriendlinessRuns]:
    """Search that chooses the receiver and channel with which claims on the testbed are decided."""

    def find(data: Measurements) -> Found:
        found = candidates(printed, data)
        all_ = list(found.values())
        of = chosen(all_)
        fitting = [place for place, one in found.items() if of.role(one) != "beside"]
        as_planned = of.decides is found[DECIDES] and {*fitting} == {DECIDES, *NEAR}

        def timeouts(place: str) -> float:
            return float(data["calibration", place].timeouts_per_minute().mean())

        numbers = {
            "candidates": len(found),
            "decides": told(DECIDES),
            "near": [VARIANTS[place] for place in NEAR],
            "as_planned": as_planned,
            "fitting": [told(place) for place in fitting],
            "ideal_mbps": float(found[IDEAL].measured[TOTAL].mean()),
            "ideal_timeouts": timeouts(IDEAL),
            "timeouts": timeouts(DECIDES),
            "near_timeouts": [timeouts(place) for place in NEAR],
        }
        return Found(numbers, [_table(found, data, printed)], all_)

    return Search("calibration", ("calibration",), find)


def _table(
    found: Mapping[str, Candidate], data: Measurements, printed: Mapping[str, float]
) -> Table:
    """Table of candidates by distance; its last columns have quantities that do not affect the choice."""
    made = table(
        "calibration",
        "Three Reno flows and one TFRC by receiver and channel, beside Figure 5",
        list(found.values()),
        {TOTAL: 2},
    )
    places = {id(one): place for place, one in found.items()}
    runs = [data["calibration", places[id(one)]] for one in ranked(list(found.values()))]

    def column(name: str, key: str, take: Callable[[FriendlinessRuns], Floats]) -> Column:
        cells = [TableCell(estimate(take(one)), printed.get(key), 1) for one in runs]
        return Column(name, name, cells)

    more = [
        column("Reno, kB/s", "tcp_reno_each_kBps", lambda one: one.mean(tfrc=False)),
        column("TFRC, kB/s", "tfrc_kBps", lambda one: one.mean(tfrc=True)),
        column("time-outs/min", "", FriendlinessRuns.timeouts_per_minute),
    ]
    return replace(made, columns=[*made.columns, *more])


def buffers(data: Measurements) -> Found:
    """Finding on the length of the access point's queue at 5/5 and 10/10."""

    def index(pair: tuple[int, int], packets: int) -> Floats:
        return data[queues(*pair), str(packets)].index()

    def goes(packets: int) -> Mapping[str, float]:
        few, many = (float(index(pair, packets).mean()) for pair in HELD)
        return {"packets": packets, "few": few, "many": many}

    columns = [
        Column(
            str(q), f"{q} packets", [TableCell(estimate(index(pair, q)), digits=3) for pair in HELD]
        )
        for q in QUEUES
    ]
    title = "Index of TFRC beside TCP SACK, by the capacity of the access point's queue in packets"
    return Found(
        {"shortest": goes(QUEUES[0]), "longest": goes(QUEUES[-1])},
        [Table("queues", title, [f"{tcp}/{tfrc}" for tcp, tfrc in HELD], columns)],
    )


def settings(data: Measurements) -> Found:
    """Finding on settings that the paper leaves open."""
    places = [(flavour, pair) for flavour in FLAVOURS for pair in VARIED]
    columns = [
        Column(
            varied(flavour, *pair),
            f"{FLAVOURS[flavour]}, {pair[0]}/{pair[1]}",
            [
                TableCell(estimate(data[varied(flavour, *pair), id_].index()), digits=3)
                for id_ in OPEN
            ],
        )
        for flavour, pair in places
    ]
    means = {
        label: data[varied("reno", *VARIED[-1]), id_].index().mean()
        for id_, (label, _) in OPEN.items()
    }
    least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    rows = [label for label, _ in OPEN.values()]
    return Found(
        {
            "channel": VARIANTS[DECIDES],
            "least": means[least],
            "least_with": least,
            "most": means[most],
            "most_with": most,
        },
        [Table("settings", "Index of TFRC by open settings", rows, columns)],
    )


def sizes(data: Measurements) -> Found:
    """Finding on TFRC beside NewReno over a drop-tail queue, by the size of TFRC's packets."""

    def ratio(octets: str) -> Estimate:
        return relative(data["sizes", octets], "newreno")

    ratios = {octets: ratio(octets) for octets in SIZES}
    least, most = (find(SIZES, key=lambda octets: ratios[octets].mean) for find in (min, max))
    column = Column(
        "ratio", "TFRC / NewReno", [TableCell(one, digits=2) for one in ratios.values()]
    )
    title = "Throughput of TFRC divided by NewReno’s in Figure 8, by the size of TFRC’s packets"
    return Found(
        {
            "sizes": len(SIZES),
            "least": ratios[least].mean,
            "least_at": least,
            "most": ratios[most].mean,
            "most_at": most,
            "papers": ratios[PAPERS_SIZE].mean,
            "papers_size": PAPERS_SIZE,
        },
        [Table("sizes", title, [f"{octets} octets" for octets in SIZES], [column])],
    )


SEARCHES = (
    Search("buffers", tuple(queues(*pair) for pair in HELD), buffers),
    Search("settings", tuple(varied(f, *pair) for f in FLAVOURS for pair in VARIED), settings),
    Search("sizes", ("sizes",), sizes),
)
