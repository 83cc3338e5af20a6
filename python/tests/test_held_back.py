"""Tests of warnings about defaults that limit long flows, and of their absence if the network limits them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import airfair
from airfair import held_back
from airfair.held_back import NamedKeys
from test_flow_limits import FAR, LINE

WINDOW = ', receive_window = "65535 B"'
# Only its receive window limits FAR: 65 535 octets in 200 ms are 2.6 Mb/s, and 802.11g carries 25 Mb/s.
DEFAULT_WINDOW = FAR.replace(WINDOW, "")
LARGE = ', receive_window = "20 MB", window_scaling = true'
LARGE_WINDOW = FAR.replace(WINDOW, LARGE)
# With 50 packets of queue and a round trip of 400 ms, a loss keeps NewReno's window small for long.
DEFAULT_QUEUE = (
    LARGE_WINDOW.replace("ap.queue = { packets = 20 }\n", "")
    .replace("100 ms", "200 ms")
    .replace('"4 s"', '"20 s"')
)
WIRES = """\
duration = "2 s"
[router.r]
[host.a]
link = { to = "r", delay = "1 ms", queue = { packets = 3000 } }
[host.b]
link = { to = "r", rate = "1 Gb/s", delay = "1 ms" }
[flow.upload]
from = "a"
to = "b"
transport = { kind = "tcp", receive_window = "20 MB", window_scaling = true }
"""
AGGREGATES = """\
duration = "4 s"
[bss.home]
standard = "802.11ac"
streams = 2
ap.queue = { packets = 3000 }
[station.a]
count = 4
[host.far]
link = { rate = "10 Gb/s", delay = "10 us", queue = { packets = 3000 } }
[flow.download]
from = "far"
to = "a"
transport = { kind = "tcp", receive_window = "20 MB", window_scaling = true }
"""


def warned(text: str, overrides: Sequence[tuple[str, str]] = ()) -> list[str]:
    result = airfair.run(airfair.Scenario.parse(text.encode(), list(overrides)))
    return held_back.warnings(result, NamedKeys(text.encode(), overrides))


def test_the_default_of_a_receive_window_on_a_long_way_is_warned_of() -> None:
    (line,) = warned(DEFAULT_WINDOW)
    assert line.startswith("download: this flow gets 2.")
    assert 'the default flow.download.transport.receive_window = "65535 B"' in line
    assert "window_scaling = true" in line


@pytest.mark.parametrize("overrides", [(), [("flow.download.transport.receive_window", "60000 B")]])
def test_a_window_that_the_file_or_the_command_line_names_is_not(
    overrides: Sequence[tuple[str, str]],
) -> None:
    assert warned(FAR if not overrides else DEFAULT_WINDOW, overrides) == []


def test_the_default_credit_of_quic_on_a_fast_and_long_way_is() -> None:
    # 10 MB per round trip of a second are 80 Mb/s at most, and the wire carries 200 Mb/s.
    link = 'link = { to = "r", rate = "200 Mb/s", delay = "250 ms", queue = { packets = 3000 } }'
    text = f"""\
duration = "40 s"
[router.r]
[host.a]
{link}
[host.b]
{link}
[flow.upload]
from = "a"
to = "b"
transport = {{ kind = "quic", flavour = "cubic" }}
"""
    (line,) = warned(text)
    assert line.startswith("upload: this flow gets 5"), line
    assert 'the default flow.upload.transport.receive_window = "10000000 B"' in line
    assert warned(text, [("flow.upload.transport.receive_window", "10 MB")]) == []


def test_the_default_length_of_a_queue_is() -> None:
    (line,) = warned(DEFAULT_QUEUE)
    assert "the default bss.home.ap.queue.packets = 50 limits it; set this key" in line
    assert warned(DEFAULT_QUEUE, [("bss.home.ap.queue.packets", "51")]) == []


def test_the_default_rate_of_a_wire_before_a_faster_one_is() -> None:
    (line,) = warned(WIRES)
    assert "over 10 times the rate of the wire; the default host.a.link.rate" in line
    assert warned(WIRES, [("host.a.link.rate", "100 Mb/s")]) == []


def test_a_window_that_makes_small_aggregates_is_though_the_air_is_always_busy() -> None:
    # Four flows have windows of six segments each. Packets of one wait while others' frames are sent.
    small = [("flow.download.transport.receive_window", "9000 B")]
    result = airfair.run(airfair.Scenario.parse(AGGREGATES.encode(), small))
    assert min(result.limits["air"]) > 0.8
    (line,) = held_back.warnings(result, NamedKeys(AGGREGATES.replace(LARGE, "").encode(), ()))
    assert line.startswith("download1 … download4: these flows get ")
    assert "flow.download.transport.receive_window" in line


def test_flows_of_a_count_have_one_line_and_one_key() -> None:
    several = DEFAULT_WINDOW.replace("[flow.download]", "[flow.download]\ncount = 4").replace(
        "= 20 }", "= 500 }"
    )
    (line,) = warned(several.replace("100 ms", "200 ms").replace('"4 s"', '"12 s"'))
    assert line.startswith("download1 … download4: these flows get ")
    assert "the default flow.download.transport.receive_window" in line


@pytest.mark.parametrize(
    "text",
    [
        LINE.replace(WINDOW, ""),
        # Nine flows share the air equally, and UDP would get no more.
        DEFAULT_WINDOW.replace("100 ms", "2 ms").replace(
            "[flow.download]", "[flow.download]\ncount = 9"
        ),
        # No warning is given for a transfer of a limited size.
        DEFAULT_WINDOW.replace('kind = "tcp"', 'kind = "tcp", size = "100 kB"'),
        DEFAULT_WINDOW.replace('kind = "tcp"', 'kind = "udp", payload = "1000 B", rate = "1 Mb/s"'),
    ],
)
def test_nothing_is_warned_of_where_the_network_or_the_file_decides(
    text: str,
) -> None:
    assert warned(text) == []


def test_a_run_without_suspicion_costs_no_second_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_many(*_: object) -> list[airfair.Result]:
        raise AssertionError("a second run")

    monkeypatch.setattr(held_back, "run_many", run_many)
    assert warned(LARGE_WINDOW.replace("100 ms", "2 ms")) == []
    with pytest.raises(AssertionError, match="second"):
        warned(DEFAULT_WINDOW)
