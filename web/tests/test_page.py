"""Tests of the playground in a browser that opens the file from the disk, without a network."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Page

import airfair

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "dist" / "playground.html"
GOLDEN = sorted((ROOT / "crates/sim/tests/golden").glob("*.toml"))
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
PRESETS = (
    *("anomaly", "arf-aware-tcp", "tfrc-friendliness", "occupancy-tfrc", "updown-fairness"),
    "arf-window",
)
SHOTS = os.environ.get("AIRFAIR_SCREENSHOTS")
Open = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Return a function that opens the page; an error or a warning of the page fails the test."""
    contexts, complaints = [], []

    def visit(fragment: str = "", *, ready: bool = True, **options: Any) -> Page:  # noqa: ANN401 - playwright's
        context = browser.new_context(offline=True, accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.goto(f"{FILE.as_uri()}{fragment}")
        if ready:
            settled(page)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not complaints


def until(page: Page, condition: str, timeout_s: float = 20) -> None:
    """Wait for a condition by polling: the page's policy forbids playwright's own wait."""
    end = time.monotonic() + timeout_s
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.01)


IDLE = """document.getElementById("results")?.getAttribute("aria-busy") === "false" """


# Both runs are done, their channels are drawn, and the link has their hashes.
SETTLED = """[..."ab"].every((side, i) => {
    const hash = document.querySelectorAll(".hash")[i]?.querySelector("code:last-child")?.textContent;
    const says = document.querySelector(`#channel-${side} output`).textContent;
    return document.querySelector(`#mistakes-${side} li`) || (hash && says && location.hash.includes(hash));
})"""


def settled(page: Page) -> None:
    until(page, IDLE)
    until(page, SETTLED)


def hashes(page: Page) -> list[str]:
    """Return the record hashes that the page shows below each text."""
    return [text.inner_text() for text in page.locator(".hash code:last-child").all()]


def write(page: Page, side: str, text: str) -> None:
    page.locator(f"#text-{side}").fill(text)
    time.sleep(0.35)  # the page runs a text after a pause in typing
    settled(page)


def native(text: str) -> str:
    outcome = airfair.run(airfair.Scenario.parse(text.encode())).outcomes[0]
    return f"{outcome.record_hash:016x}"


def test_the_browser_makes_the_records_of_the_golden_tables(visit: Open) -> None:
    page = visit()
    for scenario in GOLDEN:
        table = scenario.with_suffix(".txt").read_text(encoding="utf-8")
        (printed,) = re.findall(r"^records ([0-9a-f]{16})$", table, re.MULTILINE)
        write(page, "a", scenario.read_text(encoding="utf-8"))
        assert hashes(page)[0] == printed, scenario.stem


@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_runs_and_the_command_line_makes_the_same_records(
    visit: Open, preset: str
) -> None:
    page = visit(f"#preset={preset}")
    assert page.locator("#trouble").inner_text() == ""
    assert page.locator("#ideas [aria-pressed=true]").count() == 1
    texts = [page.locator(f"#text-{side}").input_value() for side in "ab"]
    assert hashes(page) == [native(text) for text in texts]
    assert len(set(hashes(page))) == 2


def test_the_anomaly_is_seen_at_once(visit: Open) -> None:
    page = visit()
    rows = [row.inner_text().split("\t") for row in page.locator("#air-b tbody tr").all()]
    shares = {name.strip(): float(share.split()[0]) for name, share in rows}
    # A station at 1 Mb/s holds the air for several times as long as one at 11.
    assert shares["far"] > 4 * shares["near"]
    assert sum(shares.values()) == pytest.approx(100, abs=0.3)
    figures = page.locator("#figures").inner_text()
    near, far = (
        re.search(rf"Goodput of {name} .*?\t.*?\t(.*?)\t", figures) for name in ("near", "far")
    )
    assert near is not None
    assert far is not None
    assert float(near[1]) == pytest.approx(float(far[1]), rel=0.1)


def test_a_link_makes_the_same_page_elsewhere(visit: Open) -> None:
    page = visit()
    page.locator("#control-near").fill("3")
    page.locator("#scheme-a").select_option("none")
    page.locator("#scheme-b").select_option("arf-aware")
    settled(page)
    write(page, "b", page.locator("#text-b").input_value().replace("30 s", "7 s"))
    page.locator("#zoom-in").click()
    time.sleep(0.4)  # the link is saved after a pause
    link = page.locator("#link").input_value()
    assert link == page.url
    other = visit(link[link.index("#") :])
    notes = other.locator("#notes").inner_text()
    assert notes.count("has the same records as the run") == 2
    assert hashes(other) == hashes(page)
    assert other.url == page.url
    for place in ("#text-a", "#text-b"):
        assert other.locator(place).input_value() == page.locator(place).input_value()


def test_whoever_goes_back_from_a_preset_finds_what_was_written(visit: Open) -> None:
    page = visit()
    text = page.locator("#text-b").input_value().replace("30 s", "7 s")
    write(page, "b", text)
    before = hashes(page)
    page.get_by_role("button", name="Equal shares").click()
    settled(page)
    assert page.locator("#text-b").input_value() != text
    page.go_back()
    until(page, 'location.hash.includes("preset=anomaly")')
    settled(page)
    assert page.locator("#text-b").input_value() == text
    assert hashes(page) == before


def test_a_link_of_another_version_or_with_nonsense_says_so_and_goes_on(visit: Open) -> None:
    page = visit("#v=0.0.1&preset=anomaly&near=77&hash-a=0000000000000000")
    notes = page.locator("#notes").inner_text()
    assert "airfair 0.0.1" in notes
    assert "near" in notes
    assert "differs from the run from which the link was made" in notes
    assert len(hashes(page)) == 2


def test_mistakes_are_the_parser_s_and_the_other_run_goes_on(visit: Open) -> None:
    page = visit()
    before = hashes(page)
    text = page.locator("#text-b").input_value().replace('"11 Mb/s"', '"12 Mb/s"')
    with pytest.raises(airfair.ScenarioError) as raised:
        airfair.Scenario.parse(text.encode())
    write(page, "b", text)
    shown = [line.inner_text() for line in page.locator("#mistakes-b li").all()]
    assert shown == raised.value.problems
    assert page.locator("#text-b").get_attribute("aria-invalid") == "true"
    assert shown[0] in page.locator("#trouble").inner_text()
    assert "There is no run" in page.locator("#air-b").inner_text()
    assert hashes(page) == before[:1]
    assert "Run B follows the text" in page.locator("#own").inner_text()
    page.get_by_role("button", name="Back to the controls").locator("visible=true").click()
    settled(page)
    assert hashes(page) == before
    assert page.locator("#trouble").inner_text() == ""


ODD = {
    "empty": "",
    "no TOML": "garbage = [",
    "no cell": """
        duration = '1 s'
        host = { a = { link = { to = 'r' } }, b = { link = { to = 'r' } } }
        router.r = {}
        flow.f = { from = 'a', to = 'b', transport = { kind = 'tcp' } }
    """,
    "many stations, no series": """
        duration = '1 s'
        series = 'off'
        bss.c.standard = '802.11a'
        station.s.count = 60
        host.h = {}
        flow.f = { from = 's', to = 'h', transport = { kind = 'udp', payload = '100 B', rate = '1 kb/s' } }
    """,
    "two cells, nothing sent at first": """
        duration = '1 s'
        replications = 3
        bss = { c = { standard = '802.11a' }, d = { standard = '802.11b' } }
        station.s.bss = 'c'
        host.h.link.to = 'c'
        flow.f = { from = 's', to = 'h', start = '900 ms', transport = { kind = 'tcp' } }
    """,
}


@pytest.mark.parametrize("name", ODD)
def test_any_scenario_is_shown_or_refused(visit: Open, name: str) -> None:
    page = visit("#preset=anomaly&from=0")
    write(page, "a", ODD[name])
    try:
        expected, problems = [native(ODD[name])], []
    except airfair.ScenarioError as error:
        expected, problems = [], list(error.problems)  # type: ignore[attr-defined]
    assert [line.inner_text() for line in page.locator("#mistakes-a li").all()] == problems
    assert hashes(page)[:-1] == expected


def test_a_view_of_an_idle_channel_says_so(visit: Open) -> None:
    page = visit()
    text = (
        page.locator("#text-a")
        .input_value()
        .replace("start_jitter", 'start = "20 s"\nstart_jitter')
    )
    write(page, "a", text)
    assert "nothing is on the air" in page.locator("#channel-a output").inner_text()


def test_a_long_run_shows_how_far_it_is_and_can_be_stopped(visit: Open) -> None:
    page = visit()
    text = page.locator("#text-a").input_value().replace('"30 s"', '"100 h"')
    page.locator("#text-a").fill(text)
    page.locator("#stop").wait_for(state="visible")
    until(page, 'document.getElementById("progress").value >= 0')
    # A newer text supersedes the long run at once.
    write(page, "a", text.replace('"100 h"', '"2 s"'))
    assert page.locator("#stop").is_hidden()
    assert len(hashes(page)) == 2
    page.locator("#text-a").fill(text)
    page.locator("#stop").click()
    until(page, IDLE)
    assert "Stopped" in page.locator("#notes").inner_text()


def test_the_channel_is_stepped_and_jumped_through(visit: Open) -> None:
    page = visit("#preset=anomaly&from=5000000000")
    says = page.locator("#channel-b output")
    page.get_by_role("button", name="Next collision of run B").click()
    until(
        page, """document.querySelector("#channel-b output").textContent.startsWith("Collision")"""
    )
    first = says.inner_text()
    assert re.match(r"Collision \d+ of \d+\. Data|Collision \d+ of \d+\. TCP ACK", first)
    assert first.endswith("collided.")
    page.get_by_role("button", name="Next collision of run B").click()
    number = int(re.findall(r"\d+", first)[0])
    until(
        page,
        f"document.querySelector('#channel-b output').textContent.startsWith('Collision {number + 1} of')",
    )
    page.get_by_role("button", name="Next frame of run B").click()
    time.sleep(0.2)
    assert "from" in says.inner_text()
    page.locator("#channel-b summary").click()
    until(page, 'document.querySelectorAll("#channel-b tbody tr").length > 3')


def test_the_page_works_from_the_keyboard(visit: Open) -> None:
    page = visit()
    page.locator("#ideas button").nth(1).focus()
    page.keyboard.press("Enter")
    until(page, 'location.hash.includes("preset=arf-aware-tcp")')
    # The focus stays where it was.
    assert page.evaluate("document.activeElement.textContent") == "ARF-aware TCP"
    reached = set()
    for _ in range(90):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(({ id, ariaLabel, textContent }) => id || ariaLabel || textContent)(document.activeElement)"
            )
        )
    wanted = {
        "control-near",
        "scheme-a",
        "scheme-b",
        "figures",
        "zoom-in",
        "position",
        "text-a",
        "link",
    }
    assert wanted | {"Channel of run A", "Next collision of run B"} <= reached
    page.locator("#control-near").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert "count     = 2" in page.locator("#text-a").input_value()
    picture = page.locator("#channel-a .picture")
    picture.focus()
    before = page.locator("#channel-a output").inner_text()
    page.keyboard.press("ArrowRight")
    until(page, f"document.querySelector('#channel-a output').textContent !== {json.dumps(before)}")
    page.keyboard.press("c")
    until(
        page, """document.querySelector("#channel-a output").textContent.startsWith("Collision")"""
    )


def test_the_scenario_can_be_downloaded(visit: Open, tmp_path: Path) -> None:
    page = visit()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the scenario of run A").click()
    taken = tmp_path / download.value.suggested_filename
    download.value.save_as(taken)
    assert taken.name == "run-a.toml"
    assert native(taken.read_text()) == hashes(page)[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(visit: Open, scheme: str) -> None:
    page = visit("#preset=updown-fairness", color_scheme=scheme)
    for summary in page.locator("#results summary").all():
        summary.click()
    write(page, "b", "duration = 1\n")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(({ violations }) => violations)")
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_a_preference_for_reduced_motion_is_respected(visit: Open) -> None:
    page = visit(reduced_motion="reduce")
    style = "getComputedStyle(document.querySelector('.bar .part')).transitionDuration"
    assert page.evaluate(style) == "0s"


SIZES = [(360, 740, 3), (768, 1024, 2), (1440, 900, 1), (3840, 2160, 1)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: str(size[0]))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_does_not_overflow_at_any_width(
    visit: Open, size: tuple[int, int, int], scheme: str
) -> None:
    width, height, scale = size
    page = visit(
        "#preset=updown-fairness",
        viewport={"width": width, "height": height},
        device_scale_factor=scale,
        color_scheme=scheme,
        has_touch=width < 800,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = """[...document.querySelectorAll("button, select, input:not([type=range])")]
        .filter((it) => it.offsetParent && it.type !== "checkbox" && it.getBoundingClientRect().height < 32)
        .map((it) => it.outerHTML)"""
    assert page.evaluate(small) == []
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{width}-{scheme}.png", full_page=True)


def test_without_javascript_the_page_says_so(visit: Open) -> None:
    page = visit(ready=False, java_script_enabled=False)
    page.get_by_text("This page needs JavaScript").wait_for(state="visible")
    assert page.locator("#main").is_hidden()


def test_without_webassembly_the_page_says_so(browser: Browser) -> None:
    context = browser.new_context(offline=True)
    context.add_init_script("delete globalThis.WebAssembly")
    page = context.new_page()
    page.goto(FILE.as_uri())
    page.locator("#cannot").wait_for(state="visible")
    assert "no WebAssembly" in page.locator("#cannot").inner_text()
    assert page.locator("#main").is_hidden()
    context.close()


def test_the_page_asks_no_network_for_anything(browser: Browser) -> None:
    context = browser.new_context()
    asked: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(FILE.as_uri())
    settled(page)
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [FILE.as_uri()]
    context.close()


def test_the_page_and_the_engine_are_of_one_version(visit: Open) -> None:
    page = visit()
    (version,) = parse_qs(page.url.split("#")[1])["v"]
    assert version == airfair.__version__
    assert f"airfair {version}" in page.locator(".brand").inner_text()
