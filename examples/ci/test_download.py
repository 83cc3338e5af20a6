"""A test of a program over Wi-Fi: curl at a laptop, beside an upload of a slow phone.

Run it with `pytest examples/ci`; it needs airfair, pytest, and root or the permission for user namespaces.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import pytest

import airfair

CELL = """
title    = "A laptop and a slow phone"
duration = "20 s"

[bss.home]
standard = "802.11ax"
band     = "5 GHz"
ap.queue = { discipline = "airtime" }
ap.fair  = true

[station.laptop]
rate = "he-mcs9x1"

[station.phone]
rate = "he-mcs0x1"

[host.server]
link = { rate = "1 Gb/s", delay = "10 ms" }

[flow.upload]
from      = "phone"
to        = "server"
transport = { kind = "tcp" }
"""


LEAST_BPS = 40e6
"""Goodput below which the test fails [b/s]; the laptop alone gets nearly 300 Mb/s."""


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_download_is_fast_beside_a_slow_phone(
    wifi_cell: Callable[..., airfair.Emulation],
) -> None:
    """The phone needs most of the air for little data, and the access point shares it equally."""
    with wifi_cell(CELL) as cell:
        cell.wait_until("2 s")
        curl = ["curl", "--silent", "--output", "/dev/null", "--max-time", "10"]
        done = cell.node("laptop").run(
            [*curl, "--write-out", "%{speed_download}", "http://server/10M"],
            stdout=subprocess.PIPE,
            text=True,
        )
    assert 8 * float(done.stdout) > LEAST_BPS
