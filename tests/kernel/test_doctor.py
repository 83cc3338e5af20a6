"""Test of the agent's doctor at an access point and at a station of the kernel's mac80211."""

import json
import shutil
from pathlib import Path
from typing import Any

import machine
import pytest
from machine import Setup

MODULES = ["mac80211_hwsim", "sch_ingress", "cls_bpf", "sch_htb"]
_SCRIPT = r"""
    radios 2
    access_point g
    station near 1
    AP=$(interface 0); STATION=$(interface 1)
    at_station() { ip netns exec near "$@"; }
    before() {
        tc qdisc show; lsmod | sort; ls /sys/fs/bpf
        cat /proc/sys/net/ipv4/tcp_available_congestion_control
    }
    at_station ping -c 3 -i 0.2 10.0.0.1 >/dev/null
    before >/tmp/before
    airfair-agent doctor --interface $AP --json | sed "s/^/ap: /"
    at_station airfair-agent doctor --interface $STATION --json | sed "s/^/station: /"
    airfair-agent doctor --interface $AP | sed "s/^/table: /"
    at_station ping -c 40 -i 0.1 10.0.0.1 >/dev/null &
    airfair-agent doctor --interface $AP --capture 3 --out /tmp/report >/dev/null 2>/tmp/said || cat /tmp/said
    sed "s/^/said: /" /tmp/said
    airfair-agent replay /tmp/report | tail -1 | sed "s/^/replay: /"
    sed -n 5p /tmp/report | sed "s/^/sample: /"
    before >/tmp/after
    cmp /tmp/before /tmp/after || fail "the doctor has changed something"
    airfair-agent doctor --interface nothing >/dev/null 2>&1 || echo "wrong: $?"
"""


def test_the_doctor_knows_what_the_kernel_and_its_radios_have() -> None:
    """Radios of the kernel have rates and a survey, and no airtime weights; the doctor changes nothing."""
    if not shutil.which("clang"):
        pytest.skip("the agent cannot be built: clang: Debian's package clang")
    built = machine.build("airfair-agent", features=["bpf"])
    there: list[str | Path] = ["iw", "hostapd", "ip", "tc", built / "airfair-agent"]
    output = machine.run(_SCRIPT, Setup(there, MODULES))
    assert output.status == 0, output.console
    said = {key: [it for k, _, it in _parts(output) if k == key] for key in _keys(output)}
    access_point, station = (json.loads(said[key][0]) for key in ("ap", "station"))
    assert access_point["interface"]["role"] == "access-point"
    assert station["interface"]["role"] == "station"
    for subject in (
        "linux",
        "rights",
        "btf",
        "clsact",
        "bpf-filters",
        "htb",
        "struct-ops",
        "rates",
    ):
        assert _answer(access_point, subject) == "yes", subject
    # The driver mac80211_hwsim has no airtime weights, and hostapd has no WMM here.
    assert _answer(access_point, "airtime-weights") == "no"
    assert _answer(access_point, "edca") == "no"
    assert _acts(access_point, "access-point") == {
        "occupancy": "yes",
        "shared-windows": "yes",
        "data-ack": "yes",
        "airtime-weights": "no",
    }
    assert set(_acts(access_point, "station").values()) == {"no"}
    assert set(_acts(station, "station").values()) == {"yes"}
    assert set(_acts(station, "access-point").values()) == {"no"}
    assert all(len(line) <= 80 for line in said["table"])
    # A capture can be replayed, and has no address of a radio.
    assert said["replay"][0].endswith("0 differ from the recording.")
    assert "00:00:5e:00:53:00" in said["sample"][0]
    assert "02:00:00" not in said["sample"][0]
    assert said["wrong"] == ["2"]


def _parts(output: machine.Output) -> list[tuple[str, str, str]]:
    return [line.partition(": ") for line in output.lines]


def _keys(output: machine.Output) -> set[str]:
    return {key for key, _, _ in _parts(output)}


def _answer(document: dict[str, Any], subject: str) -> str:
    (found,) = (it for it in document["findings"] if it["subject"] == subject)
    return str(found["answer"])


def _acts(document: dict[str, Any], role: str) -> dict[str, str]:
    """Return which schemes can act in a role, without the scheme that this version may lack."""
    schemes = document["schemes"]
    return {
        it["scheme"]: it["acts"] for it in schemes if it["role"] == role and it["scheme"] != "fair"
    }
