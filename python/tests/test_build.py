"""Tests of `airfair.build`, whose functions make the tables of a scenario from its schema."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import airfair
from airfair import _core, build, builders


def test_the_module_is_what_make_docs_writes() -> None:
    assert Path(build.__file__).read_text() == builders.module()


def test_a_scenario_that_is_built_runs_as_the_one_that_is_written() -> None:
    built = build.scenario(
        title="x",
        duration="500 ms",
        bss={
            "home": build.bss(
                standard="802.11g", ap=build.ap(queue=build.queue_fq_codel(packets=50))
            )
        },
        station={"a": build.station(rate=build.rate_arf(up=5)), "b": build.station(rate="6 Mb/s")},
        host={"server": build.host(link=build.host_link(rate="100 Mb/s", delay="2 ms"))},
        flow={
            "up": build.flow(
                from_="a", to="server", transport=build.transport_tcp(flavour="cubic")
            ),
            "down": build.flow(from_="server", to="b", transport=build.transport_tfrc()),
        },
    )
    written = """
        title = "x"
        duration = "500 ms"
        [bss.home]
        standard = "802.11g"
        ap.queue = { discipline = "fq-codel", packets = 50 }
        [station]
        a = { rate = { control = "arf", up = 5 } }
        b = { rate = "6 Mb/s" }
        [host.server]
        link = { rate = "100 Mb/s", delay = "2 ms" }
        [flow]
        up = { from = "a", to = "server", transport = { kind = "tcp", flavour = "cubic" } }
        down = { from = "server", to = "b", transport = { kind = "tfrc" } }
    """
    assert airfair.load(built).to_toml() == airfair.load(written).to_toml()


def test_what_is_not_given_is_not_said() -> None:
    assert build.station() == {}
    assert build.transport_udp(payload="1 B", rate="1 kb/s") == {
        "kind": "udp",
        "payload": "1 B",
        "rate": "1 kb/s",
    }
    assert build.bss(standard="802.11b", llc_snap=False) == {
        "standard": "802.11b",
        "llc_snap": False,
    }


def test_the_parser_judges_what_is_built() -> None:
    with pytest.raises(airfair.ScenarioError, match=r"bss\.home\.standard"):
        airfair.load(
            build.scenario(duration="1 s", bss={"home": build.bss(standard="802.11z")}, flow={})  # type: ignore[arg-type]
        )


def test_every_key_of_the_schema_is_an_argument_with_its_meaning() -> None:
    properties = json.loads(_core.schema())["properties"]
    arguments = inspect.signature(build.scenario).parameters
    assert set(arguments) == set(properties)
    assert all(f"{name}: " in (build.scenario.__doc__ or "") for name in arguments)
    station = next(iter(properties["station"]["patternProperties"].values()))["properties"]
    assert set(inspect.signature(build.station).parameters) == set(station)
