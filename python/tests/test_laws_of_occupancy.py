"""Laws of the examples that measure the channel at a station, with the records of the built-in schemes."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from arf_window import ArfWindow
from granting import Granting
from keeping import Keeping

import airfair
from airfair.law import Laws

CELL = """
duration = "2 s"
[bss.home]
standard = "{standard}"
[station.near]
rate = [["0 s", "{high}"], ["700 ms", "{low}"], ["1400 ms", "{high}"]]
[station.far]
rate = "{low}"
[host.server]
link = {{ rate = "100 Mb/s", delay = "5 ms" }}
[flow.file]
from = "near"
to = "server"
transport = {transport}
[flow.voice]
from = "near"
to = "server"
transport = {{ kind = "udp", payload = "200 B", rate = "64 kb/s" }}
[flow.chat]
from = "far"
to = "near"
transport = {{ kind = "tcp" }}
[flow.film]
from = "server"
to = "far"
transport = {transport}
"""
"""Cell with flows in all directions, a flow between two stations, and one that no scheme limits."""

CONTROLLED = ("file", "chat", "film")
B = {"standard": "802.11b", "high": "11 Mb/s", "low": "2 Mb/s"}
G = {"standard": "802.11g", "high": "54 Mb/s", "low": "6 Mb/s"}
N = {"standard": "802.11n", "high": "65 Mb/s", "low": "13 Mb/s"}
RTS = {"bss.home.rts_threshold": "500 B"}
NOISE = {"model": "bit", "ber": 4e-5}
NOISY = {
    "station.near.errors": NOISE,
    "station.far.errors": {"model": "bernoulli", "probability": 0.4},
    "bss.home.aggregation.after_silence": "request",
}
"""Links that lose block-acks, and beacons to one station."""


def hash_of(scenario: str, seed: int, keys: dict[str, Any], laws: Laws | None = None) -> int:
    """Record hash of a run with the built-in schemes of `keys` and with `laws`."""
    return airfair.run(scenario, seed=seed, set=keys, laws=laws).outcomes[0].record_hash


@pytest.mark.parametrize(
    ("cell", "transport", "more", "options", "seed"),
    [
        (B, "tcp", {}, {}, 1),
        (B, "tfrc", RTS, {"aggregates": "seen", "beacons": 2, "spare": "once"}, 2),
        (G, "tfrc", {}, {"spare": "once", "satisfied": 0.5}, 3),
        (N, "tcp", RTS, {"aggregates": "seen"}, 1),
        (N, "tfrc", {}, {}, 2),
        (N, "tcp", NOISY, {"aggregates": "apart", "patience": 1}, 3),
    ],
    ids=["b-tcp", "b-tfrc-rts", "g-tfrc", "n-tcp-rts", "n-tfrc", "n-tcp-noisy"],
)
def test_granting_and_keeping_have_the_records_of_the_built_in_pair(
    cell: dict[str, str], transport: str, more: dict[str, Any], options: dict[str, Any], seed: int
) -> None:
    """An access point and stations in Python lead to the records of `ap.occupancy` and `control`."""
    scenario = CELL.format(transport=f'{{ kind = "{transport}" }}', **cell)
    built_in = {"bss.home.ap.occupancy": options or True} | {
        f"flow.{name}.control": "occupancy" for name in CONTROLLED
    }
    plain = {"bss.home.beacon": {}, **more}
    of_granting = {
        name: value for name, value in options.items() if name in ("beacons", "satisfied")
    }
    laws: Laws = {
        "access-point": partial(Granting, **of_granting),
        "station.*": partial(Keeping, CONTROLLED, **options),
    }
    own = hash_of(scenario, seed, plain, laws)
    assert own == hash_of(scenario, seed, {**more, **built_in})
    assert own != hash_of(scenario, seed, plain)


def test_both_kinds_of_laws_count_the_air_of_a_neighbour() -> None:
    """The laws in Python have the records of the built-in ones beside a busy cell."""
    guest = """
[bss.guest]
standard = "802.11g"
channel = 6
[station.tablet]
bss = "guest"
[host.wall]
link = { to = "guest" }
[flow.photo]
from = "tablet"
to = "wall"
transport = { kind = "udp", payload = "1400 B", rate = "8 Mb/s" }
"""
    scenario = CELL.format(transport='{ kind = "tcp" }', **G) + guest
    near = {"station.near.bss": "home", "station.far.bss": "home", "host.server.link.to": "home"}
    plain = {"bss.home.channel": 6, "bss.home.beacon": {}, **near}
    window = {"scheme": "arf-window", "long_lived": "5 kB"}
    shares: Laws = {"access-point.home": Granting, "station.[nf]*": partial(Keeping, CONTROLLED)}
    windows: Laws = {"station.[nf]*": partial(ArfWindow, CONTROLLED, long_lived=5_000)}
    for control, more, laws in (
        ("occupancy", {"bss.home.ap.occupancy": True}, shares),
        (window, {}, windows),
    ):
        built_in = {f"flow.{name}.control": control for name in CONTROLLED}
        assert hash_of(scenario, 1, plain, laws) == hash_of(scenario, 1, plain | more | built_in)


@pytest.mark.parametrize(
    ("cell", "more", "options", "seed"),
    [
        (B, {}, {}, 1),
        (B, RTS, {"rise": "printed", "fall": "printed", "round_trip": "smoothed"}, 2),
        (G, {}, {"slot": "150 ms", "fall": "printed"}, 3),
        (N, RTS, {"aggregates": "seen"}, 1),
        (N, NOISY, {"aggregates": "apart", "round_trip": "smoothed"}, 2),
    ],
    ids=["b", "b-rts", "g", "n-rts", "n-noisy"],
)
def test_the_window_under_arf_has_the_records_of_the_built_in_one(
    cell: dict[str, str], more: dict[str, Any], options: dict[str, Any], seed: int
) -> None:
    """Stations in Python lead to the windows, and to the reports, of `control = "arf-window"`."""
    scenario = CELL.format(transport='{ kind = "tcp" }', **cell)
    control = {"scheme": "arf-window", "long_lived": "5 kB", **options}
    built_in = {f"flow.{name}.control": control for name in CONTROLLED}
    options = options | {"long_lived": 5_000}
    if "slot" in options:
        options["slot_ns"] = int(options.pop("slot").removesuffix(" ms")) * 1_000_000
    own = airfair.run(
        scenario,
        seed=seed,
        set=more,
        laws={"station.*": partial(ArfWindow, CONTROLLED, **options)},
    )
    expected = airfair.run(scenario, seed=seed, set={**more, **built_in})
    assert own.outcomes[0].record_hash == expected.outcomes[0].record_hash
    # The stations' reports are in no hash, but in the table.
    assert own.stations.equals(expected.stations)
    # Without windows there are the reports alone.
    patient = partial(ArfWindow, CONTROLLED, **options | {"long_lived": 10**12})
    idle = hash_of(scenario, seed, more, {"station.*": patient})
    assert own.outcomes[0].record_hash != idle
