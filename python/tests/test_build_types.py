"""Tests of the types of `airfair.build`: mypy checks small programs, all in one process."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import airfair
from airfair import build

ROOT = Path(__file__).parents[2]
CHECKED = ["__init__.py", "_core.pyi", "build.py", "engine.py", "scenario.py"]
"""Modules of airfair that mypy reads; all others would take longer than the programs."""

HEAD = "import airfair\nfrom airfair import build\n"

RIGHT = {
    "a plain dictionary": """
cell: build.ScenarioTable = {
    "duration": "1 s",
    "bss": {"home": {"standard": "802.11g", "ap": {"queue": {"discipline": "airtime"}}}},
    "station": {"a": {"rate": "54 Mb/s"}, "b": {"rate": {"up": "6 Mb/s", "down": "54 Mb/s"}}},
    "host": {"server": {}},
    "router": {"r": {}},
    "flow": {
        "f": {"from": "a", "to": "server", "transport": {"kind": "tcp"}, "control": "arf-aware"},
    },
}
airfair.load(cell, set={"station.a.rate": {"control": "arf"}})
""",
    "functions": """
airfair.load(
    build.scenario(
        duration="1 s",
        bss={"home": build.bss(standard="802.11g", cw_min=31)},
        station={f"s{i}": build.station(rate="54 Mb/s") for i in range(2)},
        host={"server": build.host()},
        router={"r": build.router()},
        flow={"f": build.flow(from_="s0", to="server", transport=build.transport_tcp())},
    ),
    set={"station.s1.rate": build.rate_arf(up=5)},
)
""",
    "functions in a dictionary without a type": """
airfair.load({
    "duration": "1 s",
    "bss": {"home": build.bss(standard="802.11g")},
    "station": {"a": build.station(rate="54 Mb/s")},
    "host": {"server": build.host()},
    "flow": {"f": build.flow(from_="a", to="server", transport={"kind": "tcp"})},
})
""",
}
"""Programs that mypy accepts, and that run."""

WRONG = {
    "a station as a flow": (
        'airfair.load(build.scenario(duration="1 s", flow={"f": build.station(rate="6 Mb/s")}))',
        'incompatible type "str": "StationTable"; expected "str": "FlowTable"',
    ),
    "a flow as a station": (
        (
            'f = build.flow(from_="a", to="b", transport=build.transport_tcp())\n'
            'airfair.load(build.scenario(duration="1 s", flow={}, station={"a": f}))'
        ),
        'incompatible type "str": "FlowTable"; expected "str": "StationTable"',
    ),
    "a station as a router": (
        (
            "airfair.load(build.scenario("
            'duration="1 s", flow={}, router={"r": build.station(rate="6 Mb/s")}))'
        ),
        'incompatible type "str": "StationTable"',
    ),
    "a host as a plain flow": (
        (
            'cell: build.ScenarioTable = {"duration": "1 s", "flow": {"f": build.host()}}\n'
            "airfair.load(cell)"
        ),
        'incompatible type "str": "HostTable"; expected "str": "FlowTable"',
    ),
    "a key of no table": (
        (
            'cell: build.ScenarioTable = {"duration": "1 s", "flow": {}, "stations": {}}\n'
            "airfair.load(cell)"
        ),
        'Extra key "stations" for TypedDict "ScenarioTable"',
    ),
    "a key of no station": (
        (
            'a: build.StationTable = {"rates": "6 Mb/s"}\n'
            'airfair.load({"duration": "1 s", "flow": {}, "station": {"a": a}})'
        ),
        'Extra key "rates" for TypedDict "StationTable"',
    ),
    "a key that is missing": (
        (
            'f: build.FlowTable = {"from": "a", "to": "b"}\n'
            'airfair.load({"duration": "1 s", "flow": {"f": f}})'
        ),
        'Missing key "transport" for TypedDict "FlowTable"',
    ),
    "another word": (
        (
            'b: build.BssTable = {"standard": "802.11z"}\n'
            'airfair.load({"duration": "1 s", "flow": {}, "bss": {"home": b}})'
        ),
        "expression has type \"Literal['802.11z']\"",
    ),
    "another word in a call": (
        (
            'airfair.load({"duration": "1 s", "flow": {"f": build.flow('
            'from_="a", to="b", transport=build.transport_tcp(flavour="cubicc"))}})'
        ),
        'Argument "flavour" to "transport_tcp" has incompatible type',
    ),
    "another word in a table in a table": (
        (
            'cell: build.ScenarioTable = {"duration": "1 s", "flow": {"f": {"from": "a", "to": "b", '
            '"transport": {"kind": "tcp", "flavour": "cubicc", "sack": True}}}}\nairfair.load(cell)'
        ),
        "expression has type \"Literal['cubicc']\"",
    ),
    "another word in a table that could be of two transports": (
        (
            'cell: build.ScenarioTable = {"duration": "1 s", "flow": {"f": {"from": "a", "to": "b", '
            '"transport": {"kind": "tcp", "flavour": "cubicc"}}}}\nairfair.load(cell)'
        ),
        'none of ("TransportTcpTable", "TransportQuicTable") matches',
    ),
    "a key of another kind": (
        (
            'q: build.ApTable = {"queue": {"discipline": "codel", "quantum": "1 kB"}}\n'
            'airfair.load({"duration": "1 s", "flow": {}, "bss": {"home": {'
            '"standard": "802.11g", "ap": q}}})'
        ),
        'Type of TypedDict is ambiguous, none of ("QueueDeficitRoundRobinTable"',
    ),
    "a number as a rate": (
        'airfair.load({"duration": "1 s", "flow": {}, "station": {"a": build.station(rate=54)}})',
        'Argument "rate" to "station" has incompatible type "int"',
    ),
}
"""Programs that mypy refuses, each with a part of the message; the parser refuses their scenarios too."""


def written() -> dict[str, object]:
    """All scenarios of the repository, as plain dictionaries by path."""
    files = [*ROOT.glob("scenarios/*.toml"), *ROOT.glob("experiments/*/*.toml")]
    tables = {str(path): tomllib.loads(path.read_text()) for path in sorted(files)}
    return {path: table for path, table in tables.items() if {"duration", "flow"} <= set(table)}


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Messages of mypy by the name of the program."""
    folder = tmp_path_factory.mktemp("programs")
    sources = RIGHT | {name: source for name, (source, _) in WRONG.items()}
    sources |= {
        path: f"cell: build.ScenarioTable = {table!r}\n" for path, table in written().items()
    }
    programs = {f"program{index}.py": name for index, name in enumerate(sources)}
    for file, name in programs.items():
        (folder / file).write_text(HEAD + sources[name])
    package = Path(airfair.__file__).parent
    # The cache of `make test` belongs to another process.
    options = [
        *("--config-file=", "--strict", "--follow-imports=skip", "--no-error-summary"),
        *("--no-color-output", f"--cache-dir={folder / 'cache'}"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *programs, *(package / name for name in CHECKED)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    found: dict[str, list[str]] = {name: [] for name in sources}
    for line in done.stdout.splitlines():
        name = programs.get(line.partition(":")[0])
        if name is not None:
            found[name].append(line)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_scenario_passes(name: str, messages: dict[str, list[str]]) -> None:
    assert messages[name] == []
    exec(HEAD + RIGHT[name], {})  # noqa: S102 - a program of this file


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_scenario_is_refused_by_mypy_and_by_the_parser(
    name: str, messages: dict[str, list[str]]
) -> None:
    source, message = WRONG[name]
    assert message in messages[name][0]
    with pytest.raises(airfair.ScenarioError):
        exec(HEAD + source, {})  # noqa: S102 - a program of this file


@pytest.mark.slow
def test_every_scenario_of_the_repository_has_the_type(messages: dict[str, list[str]]) -> None:
    assert len(written()) > 30
    assert [line for path in written() for line in messages[path]] == []


def test_the_types_know_which_keys_are_required() -> None:
    assert build.FlowTable.__required_keys__ == {"from", "to", "transport"}
    assert build.QueueFifoTable.__required_keys__ == frozenset()  # `fifo` is the default
    assert build.QueueCodelTable.__required_keys__ == {"discipline"}
