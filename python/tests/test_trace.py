"""Tests that captures (read by tshark) and timelines of a run agree with its results."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import struct
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from airfair import channel_figure
from airfair._core import Tracing
from airfair.engine import run_many
from airfair.scenario import load
from support import PROGRAM, Program

needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="tshark is not installed: Debian's package tshark"
)

DURATION = 4
MIXED = f"""\
title = "Everything that a capture shows"
duration = "{DURATION} s"

[bss.home]
standard = "802.11b"
beacon = true
ap.occupancy = true

[station.near]

[station.far]
rate = "2 Mb/s"
errors = {{ model = "bernoulli", probability = 0.05 }}

[host.server]
link = {{ rate = "100 Mb/s", delay = "5 ms", loss = {{ model = "bernoulli", probability = 0.01 }} }}

[flow.up]
from = "near"
to = "server"
[flow.up.transport]
kind = "tcp"
flavour = "sack"
timestamps = true
window_scaling = true
receive_window = "200000 B"

[flow.down]
from = "server"
to = "far"
transport = {{ kind = "tcp", flavour = "newreno" }}

[flow.video]
from = "server"
to = "near"
transport = {{ kind = "tfrc", segment = "500 B", rate = "400 kb/s" }}
control = "occupancy"

[flow.calls]
from = "far"
to = "server"
transport = {{ kind = "udp", payload = "160 B", rate = "64 kb/s" }}
"""
RADIO = """\
duration = "1 s"
[bss.home]
standard = "802.11a"
radio = { range = { "6 Mb/s" = "370 m", "54 Mb/s" = "37 m" } }
[host.server]
[station.walker]
position = ["20 m", "0 m"]
rate = "54 Mb/s"
[flow.download]
from = "walker"
to = "server"
transport = { kind = "udp", payload = "1000 B", rate = "2 Mb/s" }
"""
FLOWS = ("up", "down", "video", "calls")
AP, NEAR, FAR = "02:af:00:00:00:00", "02:af:00:00:00:01", "02:af:00:00:00:02"
NAMES = {AP: "home", NEAR: "near", FAR: "far"}


@dataclass
class Run:
    """Results of a run, with its capture and its timeline."""

    result: dict[str, Any]
    pcap: Path
    events: list[dict[str, Any]]

    def slices(self, category: str) -> list[dict[str, Any]]:
        """Events of a category."""
        return [event for event in self.events if event.get("cat") == category]

    def track(self, event: dict[str, Any]) -> str:
        """Name of an event's track."""
        return self.tracks[event["pid"], event["tid"]]

    @cached_property
    def tracks(self) -> dict[tuple[int, int], str]:
        """Names of all tracks, by process and thread."""
        named = (it for it in self.events if it["name"] == "thread_name")
        return {(it["pid"], it["tid"]): it["args"]["name"] for it in named}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run with TCP, TFRC and UDP flows, and its files."""
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "cell.toml").write_text(MIXED)
    pcap, timeline = folder / "cell.pcapng", folder / "cell.json"
    call = [*PROGRAM, "run", "cell.toml", "--json", "--pcap", pcap, "--timeline", timeline]
    done = subprocess.run(call, cwd=folder, capture_output=True, check=True)
    return Run(json.loads(done.stdout), pcap, json.loads(timeline.read_bytes())["traceEvents"])


FIELDS = (
    "frame.interface_name",
    "frame.comment",
    "frame.packet_flags_direction",
    "radiotap.flags.badfcs",
    "wlan_radio.duration",
    "wlan_radio.ifs",
    "wlan.fc.type",
    "wlan.fc.subtype",
    "wlan.fc.retry",
    "wlan.duration",
    "wlan.ta",
    "wlan.ra",
    "wlan.seq",
    "wlan.ssid",
    "wlan.fixed.beacon",
    "wlan.tag.oui",
    "wlan.tag.vendor.data",
    "tcp.srcport",
    "tcp.dstport",
    "tcp.len",
    "tcp.ack",
    "tcp.window_size",
    "tcp.flags.syn",
    "tcp.analysis.retransmission",
    "tcp.analysis.out_of_order",
    "tcp.options.mss_val",
    "tcp.options.wscale.shift",
    "tcp.options.sack_perm",
    "tcp.options.timestamp.tsval",
    "tcp.options.sack_le",
    "tcp.options.sack_re",
    "rtp.seq",
    "udp.length",
    "rtcp.pt",
)
DATA, BEACON, ACK = ("2", "0"), ("0", "8"), ("1", "13")
VIDEO = 49_154
"""UDP port of the sender of the third flow."""

Frame = dict[str, str]


def tshark(pcap: Path, *words: str) -> str:
    """Run tshark on a capture and return its output."""
    call = ["tshark", "-r", pcap, *words]
    return subprocess.run(call, capture_output=True, check=True, text=True).stdout


def fields(pcap: Path, names: Sequence[str], *words: str) -> list[Frame]:
    """Return fields of all frames, as tshark decodes them."""
    columns = [word for name in names for word in ("-e", name)]
    lines = tshark(pcap, *words, "-T", "fields", *columns).splitlines()
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


@pytest.fixture(scope="module")
def seen(mixed: Run) -> list[Frame]:
    """Frames of all interfaces; tshark does not decode the content of repeated frames again."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed: Debian's package tshark")
    once = ["-o", "wlan.retransmitted:FALSE", "-d", f"udp.port=={VIDEO},rtp"]
    return fields(mixed.pcap, FIELDS, *once)


@pytest.fixture(scope="module")
def air(seen: list[Frame]) -> list[Frame]:
    """Frames of the monitor interface, which are all frames on the air."""
    return [it for it in seen if it["frame.interface_name"] == "home:monitor"]


def kind(frame: Frame) -> tuple[str, str]:
    """Type and subtype of a frame."""
    return frame["wlan.fc.type"], frame["wlan.fc.subtype"]


def row(result: dict[str, Any], table: str, name: str) -> dict[str, Any]:
    """Row of a table of a result, by name."""
    return next(it for it in result[table] if it["name"] == name)


def blocks(pcap: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the type and the body of each block of a capture."""
    octets = memoryview(pcap.read_bytes())
    while octets:
        kind, length = struct.unpack_from("<II", octets)
        assert struct.unpack_from("<I", octets, length - 4) == (length,)
        yield kind, bytes(octets[8 : length - 4])
        octets = octets[length:]


def test_files_change_no_record(tmp_path: Path) -> None:
    scenario = load(MIXED)
    files = Tracing(scenario, "", pcap=tmp_path / "p", timeline=tmp_path / "t")
    (plain,) = run_many([scenario])
    (traced,) = run_many([scenario], tracing=(0, files))
    reports = files.finish()
    assert [it["option"] for it in reports] == ["pcap", "timeline"]
    assert all(it["items"] > 0 and it["errno"] is None for it in reports)
    hashes = [result.outcomes[0].record_hash for result in (plain, traced)]
    assert hashes[0] == hashes[1]
    assert plain.outcomes[0].to_bytes() == traced.outcomes[0].to_bytes()


@needs_tshark
def test_tshark_finds_nothing_wrong_in_a_capture(mixed: Run) -> None:
    told = tshark(mixed.pcap, "-q", "-z", "expert", "-o", "wlan.retransmitted:FALSE")
    assert "Retransmission (retry)" in told
    assert "Malformed" not in told
    assert "Errors (" not in told
    warnings = told.partition("Warns")[2].partition("Notes")[0].splitlines()[3:]
    # All warnings are about lost and repeated segments of TCP.
    assert all("Sequence" in line and " TCP " in line for line in warnings if line.strip())


@needs_tshark
def test_checksums_are_right_but_of_frames_that_were_lost(mixed: Run) -> None:
    names = ("ip.checksum.status", "wlan.fcs.status", "radiotap.flags.badfcs")
    checks = ("-o", "ip.check_checksum:TRUE", "-o", "wlan.check_checksum:TRUE")
    frames = fields(mixed.pcap, names, *checks)
    bad, good, unverified = "0", "1", "2"
    assert {it["ip.checksum.status"] for it in frames} == {good, ""}
    # Data frames are cut, so their check sequence is missing.
    found = {(it["wlan.fcs.status"], it["radiotap.flags.badfcs"]) for it in frames}
    assert found - {("", "0"), ("", "1"), (unverified, "0"), (unverified, "1")} <= {
        (good, "0"),
        (bad, "1"),
    }
    assert (good, "0") in found


def test_frames_retries_and_collisions_of_a_capture_are_those_of_the_tables(
    mixed: Run, air: list[Frame]
) -> None:
    rows = {it["name"]: it for it in [*mixed.result["stations"], *mixed.result["access_points"]]}
    data = [it for it in air if kind(it) == DATA]
    for name, wanted in (
        ("frames", None),
        ("retries", "wlan.fc.retry"),
        ("collisions", "frame.comment"),
    ):
        sure = {"1", "collided"}
        found = Counter(NAMES[it["wlan.ta"]] for it in data if wanted is None or it[wanted] in sure)
        assert found == {name_: row_[name] for name_, row_ in rows.items()}
    (channel,) = mixed.result["channels"]
    assert channel["frames"] == len(air)


def test_each_frame_lasts_in_tshark_as_long_as_in_the_run(mixed: Run, air: list[Frame]) -> None:
    """Durations that tshark computes from rate, preamble and length are those of the timeline."""
    shown = Counter(int(it["wlan_radio.duration"]) for it in air)
    assert shown == Counter(round(it["dur"]) for it in mixed.slices("frame"))
    gaps = {int(it["wlan_radio.ifs"]) for it in air if kind(it) == ACK}
    assert gaps <= {9, 10, 11}, "an ACK follows after a SIFS of 10 µs"


def test_the_nav_lasts_to_the_end_of_the_ack(air: list[Frame]) -> None:
    # A SIFS, and an ACK of 14 octets at 2 or 1 Mb/s with a long preamble: 10 + 192 + 56 or 112 µs.
    assert {it["wlan.duration"] for it in air if kind(it) == DATA} <= {"258", "314"}
    assert {it["wlan.duration"] for it in air if kind(it) != DATA} == {"0"}


def test_retransmissions_of_tcp_in_tshark_are_those_of_the_run(
    mixed: Run, air: list[Frame]
) -> None:
    """The upload's retransmissions are the segments that tshark counts as retransmitted or out of order."""
    found = Counter(
        it["tcp.srcport"]
        for it in air
        if it["tcp.len"] not in ("", "0")
        and (it["tcp.analysis.retransmission"] or it["tcp.analysis.out_of_order"])
    )
    up, down = (row(mixed.result, "flows", name)["retransmissions"] for name in ("up", "down"))
    assert up == found["49152"] > 0
    # Segments of the server can be lost on the wire before tshark sees them on the air.
    assert down >= found["49153"]


@needs_tshark
def test_goodput_of_tcp_in_tshark_is_that_of_the_run(mixed: Run) -> None:
    """The delivered octets are those in order at the receiver, from number 1 on; the SYN has number 0."""
    names = ("tcp.seq_raw", "tcp.len")
    at_receiver = 'frame.interface_name == "far" && tcp.dstport == 57344 && tcp.srcport == 49153'
    segments = fields(mixed.pcap, names, "-Y", at_receiver)
    in_order = 1
    for start, length in sorted((int(it["tcp.seq_raw"]), int(it["tcp.len"])) for it in segments):
        if start <= in_order:
            in_order = max(in_order, start + length)
    assert in_order - 1 == row(mixed.result, "flows", "down")["delivered_bytes"] > 0


def test_tcp_says_in_its_header_what_its_ends_know(air: list[Frame]) -> None:
    up = [it for it in air if "49152" in (it["tcp.srcport"], it["tcp.dstport"])]
    syns = [it for it in up if it["tcp.flags.syn"] == "1"]
    # A window of 200 000 octets needs a shift of 2, to 50 000.
    shifts = {it["tcp.srcport"]: it["tcp.options.wscale.shift"] for it in syns}
    assert shifts == {"49152": "0", "57344": "2"}
    assert all(it["tcp.options.mss_val"] == "1460" and it["tcp.options.sack_perm"] for it in syns)
    assert all(it["tcp.options.timestamp.tsval"] for it in up)
    acks = [it for it in up if it["tcp.srcport"] == "57344" and it not in syns]
    assert 190_000 <= max(int(it["tcp.window_size"]) for it in acks) <= 200_000
    told = [it for it in acks if it["tcp.options.sack_le"]]
    assert told
    for it in told:
        edges = [it[f"tcp.options.sack_{end}e"].split(",") for end in "lr"]
        assert all(
            int(it["tcp.ack"]) < int(left) < int(right) for left, right in zip(*edges, strict=True)
        )


def test_tfrc_is_rtp_and_its_reports_are_rtcp(air: list[Frame]) -> None:
    data = [it for it in air if it["rtp.seq"]]
    assert {it["udp.length"] for it in data} == {str(8 + 24 + 500)}
    sequence = [int(it["rtp.seq"]) for it in data]
    assert sequence == sorted(sequence)
    assert len(sequence) > 100
    assert {it["rtcp.pt"] for it in air} == {"", "205"}


def test_a_beacon_tells_what_the_scheme_grants(mixed: Run, air: list[Frame]) -> None:
    beacons = [it for it in air if kind(it) == BEACON]
    ours = [it for it in mixed.slices("frame") if it["args"]["kind"] == "beacon"]
    assert len(beacons) == len(ours) > 0
    for number, it in enumerate(beacons):
        assert it["wlan.ssid"] in ("home", b"home".hex())
        told = (it["wlan.fixed.beacon"], it["wlan.tag.oui"], it["wlan.seq"])
        assert tuple(map(int, told)) == (100, 0x02AF00, number)
        octets = bytes.fromhex(it["wlan.tag.vendor.data"].replace(":", ""))
        # Shares have units of 1/65535; the back-off is at most a whole window, 31 slots of 20 µs.
        sort, even, additional, backoff_us = struct.unpack("<BHHH", octets)
        assert sort == 1
        assert even + additional <= 65_535
        assert backoff_us <= 31 * 20


def test_an_interface_of_a_station_has_what_it_sent_and_received(
    mixed: Run, seen: list[Frame]
) -> None:
    """A station's interface has the frames that it sent or received without error, with their direction."""
    own = [it for it in seen if it["frame.interface_name"] == "far"]
    assert {it["radiotap.flags.badfcs"] for it in own} == {"0"}
    for it in own:
        if int(it["frame.packet_flags_direction"], 0) == 1:
            assert it["wlan.ra"] in (FAR, "ff:ff:ff:ff:ff:ff")
        else:
            assert it["wlan.ta"] in (FAR, ""), "an ACK names no sender"
    to_far = [it["args"] for it in mixed.slices("frame") if it["args"].get("to") == "far"]
    received = Counter(it["kind"] for it in to_far if it["outcome"] == "received")
    assert received["data"] == sum(kind(it) == DATA and it["wlan.ra"] == FAR for it in own)
    assert received["ACK"] == sum(kind(it) == ACK and it["wlan.ra"] == FAR for it in own)


@needs_tshark
def test_where_there_is_a_radio_frames_have_their_signal_and_noise(
    tmp_path: Path, program: Program
) -> None:
    (tmp_path / "radio.toml").write_text(RADIO)
    program("run", "radio.toml", "--pcap", "radio.pcapng")
    names = ("wlan_radio.signal_dbm", "wlan_radio.noise_dbm", "wlan_radio.snr")
    frames = fields(tmp_path / "radio.pcapng", names, "-Y", "wlan.fc.type == 2")
    # Noise is -101.867 dBm in 16.25 MHz, plus a noise figure of 10 dB.
    ((power, noise, ratio),) = {tuple(int(it[name]) for name in names) for it in frames}
    assert noise == -92
    assert ratio == power - noise > 20


def test_times_are_nanoseconds_and_never_go_back(mixed: Run) -> None:
    times = []
    for kind, body in blocks(mixed.pcap):
        if kind == 6:
            high, low = struct.unpack_from("<II", body, 4)
            times.append(high << 32 | low)
        if kind == 1:
            assert struct.pack("<HHB", 9, 1, 9) in body, "if_tsresol"
    assert times == sorted(times)
    assert times[-1] <= DURATION * 10**9
    assert any(time % 1_000 for time in times)


def test_lanes_of_a_timeline_agree_with_the_tables(mixed: Run) -> None:
    """Counts of frames and retries by lane, and shares of airtime, are those of the tables."""
    data = [it for it in mixed.slices("frame") if it["args"]["kind"] == "data"]
    frames = Counter(mixed.track(it) for it in data)
    retries = Counter(mixed.track(it) for it in data if it["args"]["retry"])
    rows = {it["name"]: it for it in [*mixed.result["stations"], *mixed.result["access_points"]]}
    assert frames == {name: rows[name]["frames"] for name in rows}
    assert retries == {name: rows[name]["retries"] for name in rows}
    (channel,) = mixed.result["channels"]
    alone = [it for it in mixed.slices("frame") if it["args"]["outcome"] != "collided"]
    kinds = {"data": "data", "ACK": "control", "beacon": "beacons"}
    air = Counter[str]()
    for it in alone:
        air[kinds[it["args"]["kind"]]] += it["dur"] / (DURATION * 1e6)
    shares = {kind: channel["airtime"][kind] for kind in ("data", "control", "beacons")}
    # A frame that the end of the run cuts off is on no lane. It lasts at most 5484 us.
    assert dict(air) == pytest.approx(shares, abs=5_484 / (DURATION * 1e6))
    assert all(air[kind_] <= shares[kind_] + 1e-9 for kind_ in shares)


def test_intervals_of_a_track_follow_each_other_without_overlap(mixed: Run) -> None:
    tracks = defaultdict(list)
    for it in mixed.events:
        if it["ph"] == "X":
            start = round(it["ts"] * 1_000)
            tracks[it["pid"], it["tid"]].append((start, start + round(it["dur"] * 1_000)))
    assert len(tracks) == 3
    for spans in tracks.values():
        spans.sort()
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))


def test_a_frame_begins_as_the_back_off_before_it_ends(mixed: Run) -> None:
    """Where a back-off of n slots in one piece ends, a frame of the station begins."""
    for it in mixed.slices("backoff"):
        assert it["dur"] <= it["args"]["slots"] * it["args"]["slot_us"] + 1e-6
    ends = {
        (it["tid"], round((it["ts"] + it["dur"]) * 1_000))
        for it in mixed.slices("backoff")
        if it["dur"] == it["args"]["slots"] * it["args"]["slot_us"]
    }
    starts = {(it["tid"], round(it["ts"] * 1_000)) for it in mixed.slices("frame")}
    unbegun = {end for end in ends if end not in starts and end[1] < (DURATION - 0.1) * 1e9}
    # A beacon may come between the access point's back-off and its frame.
    assert len(unbegun) <= 39, unbegun
    assert len(ends) > 1_000


def test_counters_of_a_timeline_have_units(mixed: Run) -> None:
    units = {it["name"]: tuple(it["args"]) for it in mixed.events if it["ph"] == "C"}
    assert units["up cwnd"] == ("segments",)
    assert units["video rate"] == ("Mb/s",)
    assert units["far queue"] == ("packets",)
    assert units["far rate up"] == ("Mb/s",)
    most = row(mixed.result, "access_points", "home")["queue_max"]
    assert most == max(it["args"]["packets"] for it in mixed.events if it["name"] == "home queue")


def run(program: Program, folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """`airfair run` of the scenario, in a folder."""
    (folder / "cell.toml").write_text(MIXED)
    return program("run", "cell.toml", *words)


def test_a_window_and_a_station_limit_what_is_traced(tmp_path: Path, program: Program) -> None:
    done = run(
        program,
        tmp_path,
        "--pcap",
        "a",
        "--timeline",
        "b",
        "--trace-from",
        "1 s",
        "--trace-until",
        "1.5 s",
        "--trace-station",
        "fa*",
        "--trace-station",
        "home:monitor",
    )
    assert done.returncode == 0
    assert "wrote a: " in done.stderr
    assert "packets" in done.stderr
    assert "wrote b: " in done.stderr
    interfaces, times = set(), []
    for kind, body in blocks(tmp_path / "a"):
        if kind == 6:
            interface, high, low = struct.unpack_from("<III", body)
            interfaces.add(interface)
            times.append(high << 32 | low)
    assert interfaces == {0, 3}, "the monitor and the second station"
    assert min(times) >= 10**9
    assert max(times) < 1.5 * 10**9
    events = json.loads((tmp_path / "b").read_bytes())["traceEvents"]
    assert {it["args"]["name"] for it in events if it["name"] == "thread_name"} == {"far", *FLOWS}
    slices = [it for it in events if it["ph"] == "X"]
    assert all(it["ts"] < 1.5e6 and it["ts"] + it["dur"] > 1e6 for it in slices)
    counters = [it for it in events if it["ph"] == "C"]
    assert {it["ts"] for it in counters} >= {1e6, 1.5e6}, "counters last as long as the window"
    assert all(1e6 <= it["ts"] <= 1.5e6 for it in counters)


def test_of_several_replications_one_is_traced_and_which_is_said(
    tmp_path: Path, program: Program
) -> None:
    words = ("--timeline", "t", "--replications", "3", "--set", "duration='100 ms'")
    first = run(program, tmp_path, *words)
    assert "events of replication 0" in first.stderr
    traced = (tmp_path / "t").read_text()
    alone = run(program, tmp_path, "--timeline", "t", "--set", "duration='100 ms'")
    assert "replication" not in alone.stderr
    assert (tmp_path / "t").read_text() == traced
    second = run(program, tmp_path, *words, "--trace-replication", "1")
    assert "events of replication 1" in second.stderr
    assert (tmp_path / "t").read_text() != traced


UDP = '{ kind = "udp", payload = "500 B", rate = "1 Mb/s" }'
MISTAKES = {
    ("--trace-from", "1 s"): "--trace-from: works only with --pcap, --timeline or --qlog",
    ("--qlog-version", "0.3"): "--qlog-version: works only with --qlog",
    ("--qlog", "cell.toml"): "--qlog cell.toml: this is a file; allowed a directory, or a new name",
    ("--qlog", "cell.toml/logs"): "--qlog cell.toml/logs: Not a directory",
    (
        "--qlog",
        "logs",
        "--set",
        "flow.video.control='none'",
        *(
            word
            for flow in ("up", "down", "video")
            for word in ("--set", f"flow.{flow}.transport={UDP}")
        ),
    ): "--qlog logs: the scenario has no flow of TCP, QUIC or TFRC",
    ("--qlog", "logs", "--pcap", "none/p"): "--pcap none/p: No such file or directory",
    ("--pcap", "p", "--trace-from", "1"): "--trace-from '1': unknown or missing unit",
    (
        "--pcap",
        "p",
        "--trace-from",
        "9 s",
    ): "--trace-from 9 s: allowed is a time before the end of the run, 4 s",
    (
        "--pcap",
        "p",
        "--trace-from",
        "2 s",
        "--trace-until",
        "2 s",
    ): "--trace-until 2 s: allowed is a time after --trace-from 2 s",
    (
        "--pcap",
        "p",
        "--trace-station",
        "fat",
    ): "--trace-station 'fat': matches no station, access point or monitor, did you mean \"far\"?",
    (
        "--pcap",
        "p",
        "--trace-replication",
        "1",
    ): "--trace-replication 1: allowed is a whole number from 0 to 0",
    ("--pcap", "p", "--timeline", "p"): "--timeline p: this is also the file of --pcap",
    ("--pcap", "none/p"): "--pcap none/p: No such file or directory",
    ("--timeline", "."): "--timeline .: Is a directory",
    ("--pcap", "p", "--timeline", "none/t"): "--timeline none/t: No such file or directory",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_told_before_anything_runs(
    tmp_path: Path, program: Program, words: tuple[str, ...]
) -> None:
    done = run(program, tmp_path, *words, "--out", "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert MISTAKES[words] in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cell.toml"]


def test_a_window_with_nothing_in_it_is_told_and_the_result_is_shown(
    tmp_path: Path, program: Program
) -> None:
    done = run(
        program, tmp_path, "--pcap", "p", "--trace-from", "1 s", "--trace-until", "1.000001 s"
    )
    assert done.returncode == 0
    assert "goodput" in done.stdout
    assert "airfair: --pcap p: nothing happened between 1 s and 1.000001 s" in done.stderr
    assert [kind for kind, _ in blocks(tmp_path / "p")] == [0x0A0D0D0A, 1, 1, 1, 1, 4]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to be had here")
def test_a_full_disk_costs_the_file_and_not_the_result(tmp_path: Path, program: Program) -> None:
    done = run(program, tmp_path, "--pcap", "/dev/full", "--timeline", "t")
    assert done.returncode == 1
    assert "goodput" in done.stdout
    assert "--pcap /dev/full: No space left on device; the file is incomplete" in done.stderr
    assert "wrote t: " in done.stderr
    assert json.loads((tmp_path / "t").read_bytes())["traceEvents"]


def test_each_sender_has_a_log(tmp_path: Path, program: Program) -> None:
    done = run(program, tmp_path, "--qlog", "logs", "--trace-until", "1 s")
    assert done.returncode == 0
    assert "airfair: wrote logs: " in done.stderr
    logs = {path.name: path.read_text() for path in (tmp_path / "logs").iterdir()}
    assert logs.keys() == {"up.sqlog", "down.sqlog", "video.sqlog"}
    for text in logs.values():
        about, *events = (json.loads(line) for line in text.split("\x1e")[1:])
        assert about["file_schema"] == "urn:ietf:params:qlog:file:sequential"
        assert {"quic:packet_sent", "quic:packet_received"} <= {it["name"] for it in events}
        assert all(0 <= it["time"] < 1000 for it in events)
    again = run(program, tmp_path, "--qlog", "logs", "--qlog-version", "0.3")
    assert again.returncode == 0, "logs of airfair are replaced"
    assert '"qlog_version":"0.3"' in (tmp_path / "logs/up.sqlog").read_text()
    (tmp_path / "logs/up.sqlog").write_text("mine")
    refused = run(program, tmp_path, "--qlog", "logs")
    assert refused.returncode == 2
    assert "up.sqlog, a file that airfair did not write" in refused.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to be had here")
def test_a_full_directory_costs_the_logs_and_not_the_result(
    tmp_path: Path, program: Program
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/up.sqlog").symlink_to("/dev/full")
    done = run(program, tmp_path, "--qlog", "logs")
    assert done.returncode == 1
    assert "goodput" in done.stdout
    assert "--qlog logs: No space left on device; the file is incomplete" in done.stderr
    assert (tmp_path / "logs/down.sqlog").stat().st_size > 10_000


@pytest.mark.waits
def test_ctrl_c_leaves_files_that_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "cell.toml").write_text(MIXED.replace('"4 s"', '"10000 s"'))
    call = [*PROGRAM, "run", "cell.toml", "--pcap", "p", "--timeline", "t"]
    with subprocess.Popen(
        call, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 30
        while not (tmp_path / "t").exists() or (tmp_path / "t").stat().st_size < 10_000:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert process.returncode == 130, told
    assert "airfair: wrote p up to " in told
    assert json.loads((tmp_path / "t").read_bytes())["traceEvents"]
    assert sum(kind == 6 for kind, _ in blocks(tmp_path / "p")) > 0


BEGINNINGS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", BEGINNINGS)
def test_a_picture_of_the_channel_is_drawn(tmp_path: Path, program: Program, suffix: str) -> None:
    (tmp_path / "cell.toml").write_text(MIXED)
    name = f"a{suffix}"
    done = program("timeline", "cell.toml", "--from", "1 s", "--out", name)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"wrote {name}" in done.stderr
    assert (tmp_path / name).read_bytes().startswith(BEGINNINGS[suffix])


def test_a_picture_says_what_is_what_and_is_the_same_again(mixed: Run) -> None:
    trace = {"traceEvents": mixed.events}
    lanes = channel_figure.slices(trace)
    assert list(lanes) == ["home", "near", "far"]
    draw = [
        channel_figure.save(
            channel_figure.draw(lanes, (1.0, 1.005), access_points=["home"], width=width), ".svg"
        ).decode()
        for width in (channel_figure.COLUMN, channel_figure.COLUMN, channel_figure.PAGE)
    ]
    assert draw[0] == draw[1]
    for word in ("home (AP)", "far", "back-off", "time since 1 s [ms]", "ACK", "data"):
        assert word in draw[0]
        assert word in draw[2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--out", "a.gif"), "--out a.gif: unknown suffix; allowed are .png, .svg, .pdf"),
        (("--out", "none/a.png"), "--out none/a.png: No such file or directory"),
        (
            ("--out", "a.png", "--from", "4 s"),
            "--from 4 s: allowed is a time before the end of the run, 4 s",
        ),
        (("--out", "a.png", "--station", "fat"), "--station 'fat': matches no station"),
        (
            ("--out", "a.png", "--until", "4 s"),
            "a shorter time with --until, or fewer stations with --station",
        ),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_told(
    tmp_path: Path, program: Program, words: tuple[str, ...], told: str
) -> None:
    (tmp_path / "cell.toml").write_text(MIXED)
    done = program("timeline", "cell.toml", *words)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cell.toml"]


def test_a_picture_of_an_idle_channel_says_so(tmp_path: Path, program: Program) -> None:
    (tmp_path / "cell.toml").write_text(RADIO.replace('"2 Mb/s" }\n', '"10 kb/s" }\n'))
    done = program("timeline", "cell.toml", "--from", "10 ms", "--out", "a.png")
    assert done.returncode == 0
    assert "airfair: a.png: nothing happens between 0.01 s and 0.015 s" in done.stderr
