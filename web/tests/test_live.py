"""Tests of the live picture of an emulation in a browser, of a made-up cell and of a real one."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from playwright.sync_api import Browser, Page, expect

import airfair
from airfair.emulation import web

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
SHOTS = os.environ.get("AIRFAIR_SCREENSHOTS")
NAMES = ("slow", "fast", "phone")
RATES = [6_000_000, 9_000_000, 18_000_000, 54_000_000]
ABOUT = {
    "version": airfair.__version__,
    "title": "Three stations",
    "cells": ["home"],
    "stations": [
        {"name": name, "cell": "home", "rates_bps": [] if name == "phone" else RATES}
        for name in NAMES
    ],
}
Open = Callable[..., Page]


class Cell:
    """Emulation whose stations download 3 Mb/s each; their airtimes are inverse to their rates."""

    def __init__(self) -> None:
        self.began = time.monotonic() - 30
        self.rates = dict.fromkeys(NAMES, 54_000_000) | {"slow": 6_000_000}
        self.changes: list[tuple[str, str, float]] = []
        self.nodes: list[dict[str, Any]] = []
        self.objections: list[str] = []
        self.air = dict.fromkeys(NAMES, 0.0)
        self.now = 0.0
        self._lock = threading.Lock()

    def set_rate(self, station: str, direction: str, rate: float) -> None:
        if rate == RATES[1]:
            raise ValueError("this rate is refused")
        self.changes.append((station, direction, rate))
        self.rates[station] = round(rate)

    def view(self) -> str:
        return json.dumps(self.state())

    def state(self) -> dict[str, Any]:
        with self._lock:
            now = time.monotonic() - self.began
            total = sum(1 / rate for rate in self.rates.values())
            for name, rate in self.rates.items():
                self.air[name] += 0.8 * (now - self.now) / rate / total
            self.now = now
            nodes = [self._node(name) for name in NAMES]
        return {
            "elapsed_s": now,
            "valid": not self.objections,
            "objections": self.objections,
            "lateness": {"p99_us": 320.0},
            "nodes": nodes,
            "access_points": [
                {"name": "home", "queue_packets": 42, "drops": 0}
                | {
                    "collision_s": 0.05 * now,
                    "contention_s": 0.1 * now,
                    "beacon_s": 0,
                    "neighbour_s": 0,
                }
            ],
        }

    def _node(self, name: str) -> dict[str, Any]:
        packets = 250 * self.now
        return {
            "name": name,
            "sent_bytes": 12_500 * self.now,
            "received_bytes": 375_000 * self.now,
            "simulated_sent_bytes": 0,
            "simulated_received_bytes": 0,
            "delivered_packets": packets,
            "sent_delay_s": 0.004 * packets,
            "received_packets": packets,
            "received_delay_s": 0.05 * packets,
            "radio": {
                "airtime_s": self.air[name],
                "frames": packets,
                "retries": packets / 20,
                "drops": 0,
                "queue_packets": 2,
                "rate_up_bps": self.rates[name],
                "rate_down_bps": self.rates[name],
            },
        }


class Served:
    """Server of the picture of a cell that is made up; it can be stopped and started again."""

    def __init__(self, port: str = "0") -> None:
        self.cell = Cell()
        self.listener = web.listen(port)
        used: Any = self.cell
        self.server = web.Web(self.listener, ABOUT, used, self.cell.state)

    @property
    def url(self) -> str:
        return self.listener.url

    def close(self, last: str = "") -> None:
        self.server.close(last)
        self.listener.socket.close()


@pytest.fixture
def served() -> Iterator[Served]:
    with closing(Served()) as made:
        yield made


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Return a function that opens a page; its errors fail the test, but not lost connections."""
    complaints: list[str] = []
    with ExitStack() as stack:

        def visit(url: str, **options: Any) -> Page:  # noqa: ANN401 - playwright's
            context = browser.new_context(**options)
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(20_000)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on(
                "console",
                lambda message: (
                    complaints.append(message.text)
                    if message.type in ("error", "warning") and "Failed to load" not in message.text
                    else None
                ),
            )
            page.goto(url)
            return page

        yield visit
    assert not complaints


def row(page: Page, table: str, name: str) -> list[str]:
    """Texts of the cells of a table's row."""
    text = page.locator(f"{table} tr", has=page.locator("th", has_text=name)).first.inner_text()
    return [cell.strip() for cell in text.split("\t")]


def until(condition: Callable[[], bool], timeout_s: float = 20) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_page_shows_who_holds_the_air(visit: Open, served: Served) -> None:
    page = visit(served.url)
    expect(page.locator("h1")).to_have_text("Three stations")
    expect(page.locator("#state")).to_have_text("running")
    expect(page.locator("#verdict")).to_have_text("valid so far")
    # At 6, 54 and 54 Mb/s the slow station has 9/11 of the 80 % that stations hold.
    until(lambda: row(page, "#cells", "slow")[1:] == ["65.5 %"])
    assert row(page, "#cells", "collisions")[1:] == ["5.0 %"]
    assert row(page, "#cells", "idle")[1:] == ["5.0 %"]
    assert row(page, "#numbers", "fast")[1:] == [
        "7.3",
        "0.10",
        "3.00",
        "2",
        "50.0",
        "4.0",
        "5.0",
        "0",
    ]
    assert row(page, "#numbers", "access point")[4] == "42"
    label = page.locator("#cells .bar").get_attribute("aria-label")
    assert label is not None
    assert label.startswith("Airtime of home over the last second: slow 65.5 %, fast 7.3 %")
    until(lambda: "42 packets" in page.locator("#queue .u-legend").inner_text())
    elapsed = page.locator("#elapsed").inner_text()
    until(lambda: page.locator("#elapsed").inner_text() != elapsed)


def test_each_axis_has_a_unit(visit: Open, served: Served) -> None:
    page = visit(served.url)
    units = {"throughput": "Mb/s", "queue": "packets", "delayUp": "ms", "delayDown": "ms"}
    for name, unit in units.items():
        expect(page.locator(f"#{name} .u-legend")).to_contain_text(unit)
    assert page.locator("canvas").count() == 5


def test_a_slider_sets_a_rate_of_the_running_cell(visit: Open, served: Served) -> None:
    page = visit(served.url)
    slider = page.get_by_role("slider", name="slow")
    expect(page.locator("#rates output").first).to_have_text("6 Mb/s")
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator("#rates output").first).to_have_text("54 Mb/s")
    until(lambda: served.cell.changes == [("slow", "both", 54e6)])
    until(lambda: row(page, "#cells", "slow")[1:] == ["26.7 %"])
    # A rate that something else has set is followed.
    served.cell.rates["slow"] = RATES[2]
    expect(page.locator("#rates output").first).to_have_text("18 Mb/s")
    expect(slider).to_have_value("2")
    # A refusal is told, and the slider goes back.
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#trouble")).to_have_text(
        'The rate of slow is not changed: set = "rate": this rate is refused'
    )
    expect(slider).to_have_value("2")
    # The rate of the phone is chosen by rate control.
    expect(page.get_by_role("slider", name="phone")).to_be_disabled()
    expect(page.locator("#rates output").last).to_have_text("54 Mb/s; rate control chooses it")


def test_reasons_of_the_verdict_are_shown(visit: Open, served: Served) -> None:
    page = visit(served.url)
    expect(page.locator("#verdict")).to_have_text("valid so far")
    served.cell.objections.append("2 % of the packets of a flow were late <b>")
    expect(page.locator("#verdict")).to_have_text("invalid so far")
    expect(page.locator("#reasons li")).to_have_text("2 % of the packets of a flow were late <b>")


def test_the_page_says_that_the_emulation_has_ended(visit: Open, served: Served) -> None:
    page = visit(served.url)
    expect(page.locator("#state")).to_have_text("running")
    served.close(served.cell.view())
    expect(page.locator("#connection")).to_contain_text("The emulation has ended after 3")
    expect(page.locator("#connection")).to_contain_text("It is valid.")
    expect(page.locator("#state")).to_have_text("ended")
    expect(page.get_by_role("slider", name="slow")).to_be_disabled()


def test_a_lost_connection_is_told_and_opened_again(visit: Open) -> None:
    with served_apart("0", "token") as url:
        port = url.split(":")[2].split("/")[0]
        page = visit(url)
        expect(page.locator("#state")).to_have_text("running")
    expect(page.locator("#state")).to_have_text("not connected")
    expect(page.locator("#connection")).to_contain_text("tries to connect again each second")
    with served_apart(port, "token"):
        expect(page.locator("#state")).to_have_text("running")
        expect(page.locator("#connection")).to_be_hidden()
    # Another emulation on the same port has another token.
    with served_apart(port, "another"):
        expect(page.locator("#connection")).to_contain_text("Another one runs here")
        expect(page.locator("#state")).to_have_text("not connected")


@contextmanager
def served_apart(port: str, token: str) -> Iterator[str]:
    """URL of the picture of a made-up cell in another process, which is killed at the end."""
    command = [sys.executable, __file__, port, token]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(visit: Open, served: Served, scheme: str) -> None:
    page = visit(served.url, color_scheme=scheme)
    expect(page.locator("canvas")).to_have_count(5)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(({ violations }) => violations)")
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


@pytest.mark.parametrize("size", [(360, 740, 3), (768, 1024, 2), (1440, 900, 1)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_at_any_width(
    visit: Open, served: Served, size: tuple[int, int, int], scheme: str
) -> None:
    width, height, scale = size
    page = visit(
        served.url,
        viewport={"width": width, "height": height},
        device_scale_factor=scale,
        color_scheme=scheme,
        has_touch=width < 800,
    )
    expect(page.locator("canvas")).to_have_count(5)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/live-{width}-{scheme}.png", full_page=True)


def test_the_page_asks_nothing_but_the_emulation(
    visit: Open, served: Served, browser: Browser
) -> None:
    del visit
    asked: list[str] = []
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(served.url)
        expect(page.locator("#state")).to_have_text("running")
    assert {url for url in asked if not url.startswith("data:")} == {
        served.url,
        f"{served.url}stream",
    }


CELL = """\
title    = "Two stations download"
duration = "60 s"
[bss.home]
standard = "802.11g"
[station.slow]
rate = "6 Mb/s"
[station.fast]
[host.server]
link = { rate = "100 Mb/s", delay = "1 ms" }
"""
LOAD = "import urllib.request as r\nwhile True: r.urlopen('http://server/1M').read()"


def is_permitted() -> bool:
    code = "from airfair.emulation import backend; backend.choose()"
    return (
        subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode
        == 0
    )


def test_a_real_cell_is_shown_and_steered(visit: Open) -> None:
    if not is_permitted():
        pytest.skip("neither TAP devices nor user namespaces are permitted here")
    with airfair.Emulation(CELL, web=0) as cell:
        assert cell.url is not None
        for name in ("slow", "fast"):
            cell.node(name).popen([sys.executable, "-c", LOAD])
        page = visit(cell.url)
        expect(page.locator("#rates output").first).to_have_text("6 Mb/s")

        def airtime(name: str) -> float:
            return float(row(page, "#numbers", name)[1])

        def down(name: str) -> float:
            return float(row(page, "#numbers", name)[3])

        until(lambda: page.locator("#numbers tbody").count() == 1)
        # Both get the same throughput, so the slow one holds most of the air.
        until(lambda: airtime("slow") > 55 and down("slow") > 1)
        before = down("fast")
        page.get_by_role("slider", name="slow").focus()
        page.keyboard.press("End")
        until(lambda: down("fast") > 1.5 * before and airtime("slow") < 55)
        if SHOTS:
            page.set_viewport_size({"width": 1280, "height": 900})
            page.screenshot(path=f"{SHOTS}/live-real.png", full_page=True)
    expect(page.locator("#connection")).to_contain_text("The emulation has ended after")


if __name__ == "__main__":
    mock.patch.object(secrets, "token_urlsafe", return_value=sys.argv[2]).start()
    sys.stdout.write(f"{Served(sys.argv[1]).url}\n")
    sys.stdout.flush()
    threading.Event().wait()
