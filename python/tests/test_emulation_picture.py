"""Tests of the live picture of real cells: the stream of states, and a rate that is changed through it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import airfair
import nobody
from airfair.emulation import cell as module
from emulations import CELL, is_permitted

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are Linux's"),
]

WITH_PAGE = """\
import sys
from pathlib import Path
from airfair.cli import main
from airfair.emulation import web
web.PAGE = Path({page!r})
sys.exit(main())
"""
LOAD = "import urllib.request as r\nwhile True: r.urlopen('http://server/1M').read()"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Command line of airfair with a page, which is not part of every build."""
    if not (is_permitted("TAP") or is_permitted("veth")):
        pytest.skip("neither TAP devices nor user namespaces are permitted here")
    page = tmp_path / "cell.html"
    page.write_text("<title>a page</title>", encoding="utf-8")
    command = (sys.executable, "-W", "error", "-c", WITH_PAGE.format(page=str(page)))
    monkeypatch.setattr(module, "PROGRAM", command)
    return command


def events(url: str) -> Iterator[tuple[str, Any]]:
    """Events of a stream, as pairs of a kind and a document."""
    with closing(urllib.request.urlopen(f"{url}stream", timeout=30)) as answer:  # noqa: S310 - http
        while kind := answer.readline().decode():
            text = answer.readline().decode().removeprefix("data: ")
            answer.readline()
            yield kind.removeprefix("event: ").strip(), json.loads(text)


def change(url: str, request: dict[str, Any]) -> dict[str, Any]:
    body, kind = json.dumps(request).encode(), {"Content-Type": "application/json"}
    with closing(urllib.request.urlopen(urllib.request.Request(f"{url}set", body, kind))) as said:  # noqa: S310 - http
        found: dict[str, Any] = json.load(said)
    return found


def throughput(before: dict[str, Any], now: dict[str, Any]) -> float:
    """Rate of what the first station has received between two states [Mb/s]."""
    octets = now["nodes"][0]["received_bytes"] - before["nodes"][0]["received_bytes"]
    return float(8e-6 * octets / (now["elapsed_s"] - before["elapsed_s"]))


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("backend", ["TAP", "veth"])
def test_the_stream_shows_that_a_changed_rate_changes_the_throughput(backend: str) -> None:
    if not is_permitted(backend):
        pytest.skip(f"{backend} is not permitted here")
    with airfair.Emulation(CELL, backend=backend, web=0) as cell:
        url = cell.url
        assert url is not None
        assert urllib.request.urlopen(url).read() == b"<title>a page</title>"  # noqa: S310 - http
        cell.node("slow").popen([sys.executable, "-c", LOAD])
        stream = events(url)
        kind, about = next(stream)
        assert (kind, about["title"], about["cells"]) == (
            "about",
            "Two stations and a server",
            ["home"],
        )
        slow, fast = about["stations"]
        assert (slow["name"], fast["name"], slow["cell"]) == ("slow", "fast", "home")
        rates = (1, 2, 5.5, 6, 9, 11, 12, 18, 24, 36, 48, 54)
        assert slow["rates_bps"] == [round(1e6 * rate) for rate in rates]

        def seconds(stream: Iterator[tuple[str, Any]]) -> Iterator[tuple[float, dict[str, Any]]]:
            """Throughput over a second, again and again, with the state at its end."""
            before = next(stream)[1]
            for _, now in stream:
                if now["elapsed_s"] - before["elapsed_s"] >= 1:
                    yield throughput(before, now), now
                    before = now

        found = seconds(stream)
        at_6 = next(rate for rate, _ in found if rate > 2)
        assert at_6 < 6
        request = {"set": "rate", "station": "slow", "value": "54000000 b/s"}
        assert change(url, request) == {"ok": True}
        # A rate of 6 Mb/s carries no more than that.
        end = time.monotonic() + 30
        now = next(now for rate, now in found if rate > 8 or time.monotonic() > end)
        assert time.monotonic() < end
        assert now["nodes"][0]["radio"]["rate_down_bps"] == 54_000_000
        node, (point,) = now["nodes"][0], now["access_points"]
        # A link with a delay of 1 ms is on the way.
        assert node["received_delay_s"] / node["received_packets"] > 0.001
        assert 0 < node["delivered_packets"] <= node["sent_packets"]
        assert 0 < point["contention_s"] < now["elapsed_s"]
        held = sum(each["radio"]["airtime_s"] for each in now["nodes"] if "radio" in each)
        lost = sum(point[key] for key in ("collision_s", "beacon_s", "contention_s", "neighbour_s"))
        assert held + lost <= now["elapsed_s"] + 0.01
    # The stream has had its end before the process ended.
    *_, (kind, last) = stream
    assert (kind, last["elapsed_s"] > now["elapsed_s"]) == ("end", True)
    assert cell.url is None
    assert cell.verdict is not None
    assert last["valid"] == cell.verdict.valid


@pytest.mark.usefixtures("program")
def test_rates_that_rate_control_chooses_cannot_be_set() -> None:
    adaptive = CELL.replace("[station.fast]", '[station.fast]\nrate = { control = "minstrel" }')
    with airfair.Emulation(adaptive, web=0) as cell:
        assert cell.url is not None
        (_, about), *_ = [next(events(cell.url))]
    assert [bool(station["rates_bps"]) for station in about["stations"]] == [True, False]


@pytest.mark.usefixtures("program")
def test_each_rate_of_a_station_can_be_set_in_a_cell_of_802_11ax() -> None:
    with airfair.Emulation(
        CELL.replace("802.11g", "802.11ax").replace('rate = "6 Mb/s"', ""), web=0
    ) as cell:
        assert cell.url is not None
        _, about = next(events(cell.url))
        rates = about["stations"][0]["rates_bps"]
        assert len(rates) > 10
        assert rates == sorted(set(rates))
        for rate in rates:
            request = {"set": "rate", "station": "slow", "value": f"{rate} b/s"}
            assert change(cell.url, request) == {"ok": True}
        time.sleep(0.3)
        radio = cell.state()["nodes"][0]["radio"]
        assert (radio["rate_up_bps"], radio["rate_down_bps"]) == (rates[-1], rates[-1])
        # The lowest rate of the standard's tables, 36 Mb/s: 490 bits in 13.6 µs.
        assert rates[0] == 490 * 10**9 // 13_600
        cell.set_rate("slow", "36 Mb/s")
        with pytest.raises(
            airfair.EmulationError, match=r'value = "35\.9 Mb/s": allowed for slow are 36,'
        ):
            cell.set_rate("slow", "35.9 Mb/s")


def test_the_address_is_on_standard_error(program: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "cell.toml"
    path.write_text(CELL, encoding="utf-8")
    command = [*program, "emulate", str(path), "--web", "0", "--json", "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout)["status"] == 0
    assert re.search(
        r"^airfair: live picture: http://127\.0\.0\.1:\d+/\S{22}/$", done.stderr, re.MULTILINE
    )


def test_an_ordinary_user_has_the_picture_outside_the_user_namespace(
    program: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "cell.toml"
    path.write_text(CELL, encoding="utf-8")
    words = nobody.command([*program, "emulate", str(path), "--web", "0", "--duration", "off"])
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, **nobody.options(tmp_path)
    ) as process:
        try:
            assert process.stderr is not None
            lines = [process.stderr.readline() for _ in range(3)]
            (url,) = (line.split()[-1] for line in lines if "live picture: " in line)
            stream = events(url)
            assert next(stream)[1]["cells"] == ["home"]
            assert next(stream)[0] == "state"
            said = change(url, {"set": "rate", "station": "slow", "value": "9 Mb/s"})
            assert said == {"ok": True}
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
    assert [kind for kind, _ in stream][-1] == "end"


@pytest.mark.usefixtures("program")
def test_a_port_of_another_emulation_is_told() -> None:
    with airfair.Emulation(CELL, web=0) as cell:
        assert cell.url is not None
        port = int(cell.url.split(":")[2].split("/")[0])
        wanted = rf"does not start: --web {port}: Address already in use"
        with pytest.raises(airfair.EmulationError, match=wanted):
            airfair.Emulation(CELL, web=port).__enter__()
