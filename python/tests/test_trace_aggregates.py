"""Tests that captures (read by tshark) and timelines of aggregates and categories agree with the results."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from airfair import channel_figure
from support import PROGRAM
from test_trace import Frame, fields, needs_tshark, row, tshark

CELL = """\
title = "Aggregates of several categories"
duration = "400 ms"
series = "off"

[bss.home]
standard = "{standard}"
band = "5 GHz"
width = "40 MHz"
streams = 2

[station.near]
rate = "{fast}"

[station.far]
rate = "{slow}"
errors = {{ model = "bernoulli", probability = 0.05 }}

[host.server]
link = {{ rate = "100 Mb/s", delay = "5 ms", loss = {{ model = "bernoulli", probability = 0.002 }} }}

[flow.up]
from = "near"
to = "server"
transport = {{ kind = "tcp", flavour = "sack" }}

[flow.down]
from = "server"
to = "far"
transport = {{ kind = "tcp", flavour = "newreno" }}

[flow.video]
from = "server"
to = "far"
access_category = "video"
transport = {{ kind = "udp", payload = "1200 B", rate = "4 Mb/s" }}

[flow.calls]
from = "far"
to = "server"
access_category = "voice"
transport = {{ kind = "udp", payload = "160 B", rate = "64 kb/s" }}
"""
RATES = {
    "802.11n": ("ht-mcs15", "ht-mcs1"),
    "802.11ac": ("vht-mcs7x2", "vht-mcs1x1"),
    "802.11ax": ("he-mcs7x2", "he-mcs1x1"),
}
FIELDS = (
    "frame.interface_name",
    "frame.comment",
    "frame.packet_flags_direction",
    "frame.time_epoch",
    "radiotap.ampdu.reference",
    "radiotap.ampdu.flags.last",
    "radiotap.ampdu.flags.eof",
    "radiotap.flags.badfcs",
    "wlan.fc.type_subtype",
    "wlan.fc.retry",
    "wlan.ta",
    "wlan.ra",
    "wlan.seq",
    "wlan.qos.tid",
    "wlan.ba.basic.tidinfo",
    "wlan.fixed.ssc.sequence",
    "wlan.fixed.ssc.fragment",
    "wlan.ba.bm",
    "wlan_radio.data_rate",
    "udp.length",
)
QOS_DATA, REQUEST, BLOCK_ACK = "0x0028", "0x0018", "0x0019"
NODES = {"02:af:00:00:00:00": "home", "02:af:00:00:00:01": "near", "02:af:00:00:00:02": "far"}
TIDS = {"0": "best effort", "5": "video", "6": "voice"}
VIDEO, CALLS = str(8 + 1200), str(8 + 160)


@dataclass
class Run:
    """Results of a run, with its capture and its timeline."""

    standard: str
    result: dict[str, Any]
    pcap: Path
    trace: dict[str, Any]

    @cached_property
    def frames(self) -> list[Frame]:
        """Frames of all interfaces."""
        return fields(self.pcap, FIELDS)

    @cached_property
    def air(self) -> list[Frame]:
        """Frames of the monitor interface, which are all frames on the air."""
        return [it for it in self.frames if it["frame.interface_name"] == "home:monitor"]

    @property
    def data(self) -> list[dict[str, Any]]:
        """Data frames of the timeline, in the order of their ends."""
        slices = [it for it in self.trace["traceEvents"] if it.get("cat") == "frame"]
        data = [it for it in slices if it["args"]["kind"] == "data"]
        return sorted(data, key=lambda it: float(it["ts"] + it["dur"]))


@pytest.fixture(scope="module", params=RATES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run of a cell of each standard, with its files."""
    standard: str = request.param
    fast, slow = RATES[standard]
    folder = tmp_path_factory.mktemp(standard)
    (folder / "cell.toml").write_text(CELL.format(standard=standard, fast=fast, slow=slow))
    pcap, timeline = folder / "cell.pcapng", folder / "cell.json"
    call = [*PROGRAM, "run", "cell.toml", "--json", "--pcap", pcap, "--timeline", timeline]
    done = subprocess.run(call, cwd=folder, capture_output=True, check=True)
    return Run(standard, json.loads(done.stdout), pcap, json.loads(timeline.read_bytes()))


def ppdus(frames: list[Frame]) -> list[list[Frame]]:
    """Group the data frames of one interface by A-MPDU."""
    found: dict[Any, list[Frame]] = {}
    for number, it in enumerate(frames):
        if it["wlan.fc.type_subtype"] == QOS_DATA:
            found.setdefault(it["radiotap.ampdu.reference"] or ("alone", number), []).append(it)
    return list(found.values())


@needs_tshark
def test_tshark_finds_nothing_malformed_and_nothing_to_assume(run: Run) -> None:
    told = tshark(run.pcap, "-q", "-z", "expert")
    assert "Retransmission (retry)" in told
    assert "Malformed" not in told
    assert "Errors (" not in told
    warnings = told.partition("Warns")[2].partition("Notes")[0].splitlines()[3:]
    # All warnings are about lost and repeated segments of TCP.
    assert all("Sequence" in line and " TCP " in line for line in warnings if line.strip())


@needs_tshark
def test_each_aggregate_is_as_many_packets_as_it_has_mpdus(run: Run) -> None:
    """Aggregates of the capture have the same MPDUs, losses and retries as in timeline and tables."""
    found = []
    for mpdus in ppdus(run.air):
        assert len({it["frame.time_epoch"] for it in mpdus}) == 1
        if len(mpdus) > 1 or run.standard != "802.11n":
            lasts = [it["radiotap.ampdu.flags.last"] for it in mpdus]
            assert lasts == ["0"] * (len(mpdus) - 1) + ["1"]
            # In VHT and HE a single MPDU is an S-MPDU.
            eofs = {it["radiotap.ampdu.flags.eof"] for it in mpdus}
            assert eofs == {"1" if len(mpdus) == 1 else "0"}
        lost = sum(it["radiotap.flags.badfcs"] == "1" for it in mpdus)
        retries = sum(it["wlan.fc.retry"] == "1" for it in mpdus)
        node = NODES[mpdus[0]["wlan.ta"]]
        (category,) = {TIDS[it["wlan.qos.tid"]] for it in mpdus}
        found.append((node, NODES[mpdus[0]["wlan.ra"]], category, len(mpdus), lost, retries))
    shown = []
    tracks = {
        (it["pid"], it["tid"]): it["args"]["name"]
        for it in run.trace["traceEvents"]
        if it["name"] == "thread_name"
    }
    for it in run.data:
        arguments = it["args"]
        is_lost = arguments["outcome"] in ("collided", "errored")
        alone = {"mpdus": 1, "lost": int(is_lost), "retries": int(arguments["retry"])}
        mpdus, lost, retries = ({**alone, **arguments}[key] for key in alone)
        node = tracks[it["pid"], it["tid"]]
        shown.append((node, arguments["to"], arguments["category"], mpdus, lost, retries))
    assert Counter(found) == Counter(shown)
    assert any(0 < lost < mpdus for *_, mpdus, lost, _ in found)
    # The tables have the same counts.
    rows = {it["name"]: it for it in [*run.result["stations"], *run.result["access_points"]]}
    assert Counter(node for node, *_ in found) == {name: it["frames"] for name, it in rows.items()}
    aggregates = Counter(node for node, *_, mpdus, _, _ in found if mpdus > 1)
    assert aggregates == {name: it["aggregates"] for name, it in rows.items() if it["aggregates"]}


@needs_tshark
def test_categories_are_traffic_identifiers(run: Run) -> None:
    of = {VIDEO: "5", CALLS: "6"}
    seen = {(it["wlan.qos.tid"], of.get(it["udp.length"], "0")) for it in run.air if it["wlan.qos.tid"]
            and it["radiotap.flags.badfcs"] == "0"}  # fmt: skip
    assert seen == {("0", "0"), ("5", "5"), ("6", "6")}


@needs_tshark
def test_a_block_ack_says_what_came_of_the_aggregate_before_it(run: Run) -> None:
    """A BlockAck acknowledges those MPDUs of an aggregate that were received now or earlier."""
    pairs, errored = 0, 0
    come: dict[tuple[str, ...], set[str]] = defaultdict(set)
    before: list[Frame] = []
    for it in run.air:
        kind = it["wlan.fc.type_subtype"]
        if kind == QOS_DATA:
            if before and before[0]["radiotap.ampdu.reference"] != it["radiotap.ampdu.reference"]:
                before = []
            before.append(it)
        elif kind == BLOCK_ACK and before:
            link = tuple(before[0][name] for name in ("wlan.ta", "wlan.ra", "wlan.qos.tid"))
            tid = str(int(it["wlan.ba.basic.tidinfo"], 0))
            assert (it["wlan.ra"], it["wlan.ta"], tid) == link
            start, bits = int(it["wlan.fixed.ssc.sequence"]), bitmap(it)
            # The bitmap has 64 bits, or 256 in HE.
            assert it["wlan.fixed.ssc.fragment"] == {8: "0", 32: "4"}[len(it["wlan.ba.bm"]) // 2]
            for mpdu in before:
                place = (int(mpdu["wlan.seq"]) - start) % 4096
                has_come = mpdu["radiotap.flags.badfcs"] == "0"
                if has_come:
                    come[link].add(mpdu["wlan.seq"])
                errored += not has_come
                # An MPDU that was not received has no bit, or is beyond the last bit.
                assert bool(bits >> place & 1) == (mpdu["wlan.seq"] in come[link]), mpdu
            # Sequence numbers wrap after some seconds only.
            pairs += 1
            before = []
        else:
            before = []
    assert pairs > 50
    assert errored > 5


def bitmap(frame: Frame) -> int:
    """Bitmap of a BlockAck; the lowest bit is for the starting sequence number."""
    return int.from_bytes(bytes.fromhex(frame["wlan.ba.bm"].replace(":", "")), "little")


@needs_tshark
def test_at_its_receiver_an_aggregate_has_those_mpdus_that_came(run: Run) -> None:
    frames = run.frames
    errors = Counter(
        (it["wlan.ra"], it["frame.time_epoch"])
        for it in run.air
        if it["frame.comment"] == "errored by noise"
    )
    sent = [
        ppdu for ppdu in ppdus(run.air) if errors[ppdu[0]["wlan.ra"], ppdu[0]["frame.time_epoch"]]
    ]
    partly = [it for it in sent if 0 < sum(mpdu["frame.comment"] != "" for mpdu in it) < len(it)]
    assert partly
    for it in partly:
        receiver, at = it[0]["wlan.ra"], it[0]["frame.time_epoch"]
        here = [
            mpdu["wlan.seq"]
            for mpdu in frames
            if mpdu["frame.interface_name"] == NODES[receiver] and mpdu["frame.time_epoch"] == at
        ]
        assert here == [mpdu["wlan.seq"] for mpdu in it if mpdu["frame.comment"] == ""]


@needs_tshark
def test_goodput_and_retransmissions_by_tshark_are_those_of_the_run(run: Run) -> None:
    """Retransmissions follow from the segments that `near` sends, goodput from those that `far` receives."""
    names = ("tcp.seq_raw", "tcp.len")
    sent = 'frame.interface_name == "near" && wlan.fc.retry == 0 && tcp.len > 0 && tcp.srcport == 49152'
    segments = fields(run.pcap, names, "-Y", sent)
    flow = row(run.result, "flows", "up")
    repeated = len(segments) - len({it["tcp.seq_raw"] for it in segments})
    # At the end of the run some may wait in the station's queue.
    assert 0 < repeated <= flow["retransmissions"] <= repeated + flow["packets_in_flight"]
    received = 'frame.interface_name == "far" && tcp.dstport == 57344 && tcp.srcport == 49153'
    in_order = 1
    numbers = {
        (int(it["tcp.seq_raw"]), int(it["tcp.len"]))
        for it in fields(run.pcap, names, "-Y", received)
    }
    for start, length in sorted(numbers):
        if start <= in_order:
            in_order = max(in_order, start + length)
    # At the end of the run the reorder buffer may hold some segments.
    delivered = row(run.result, "flows", "down")["delivered_bytes"]
    assert delivered > 100_000
    assert 0 <= in_order - 1 - delivered <= 64 * 1460


@needs_tshark
def test_rates_of_modes_are_those_that_wireshark_calculates(run: Run) -> None:
    if run.standard == "802.11ax":
        pytest.skip("this tshark calculates no rate of HE")
    rates = {float(it["wlan_radio.data_rate"]) for it in run.air if it["wlan.qos.tid"]}
    assert rates == {it["args"]["rate_mbps"] for it in run.data}


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_a_request_for_a_block_ack_has_the_number_from_which_on_packets_are_sent(
    tmp_path: Path,
) -> None:
    """After a BlockAckReq, the next data frame has its starting sequence number or one up to 255 later."""
    text = CELL.format(standard="802.11ax", fast="he-mcs7x2", slow="he-mcs1x1")
    text = text.replace("probability = 0.05", "probability = 0.5")
    text = text.replace("[bss.home]", "[bss.home]\nmax_attempts = 2")
    (tmp_path / "cell.toml").write_text(text)
    pcap = tmp_path / "cell.pcapng"
    call = [*PROGRAM, "run", "cell.toml", "--pcap", pcap, "--trace-station", "home:monitor"]
    subprocess.run(call, cwd=tmp_path, capture_output=True, check=True)
    waiting: dict[tuple[str, str, str], int] = {}
    checked = 0
    for it in fields(pcap, FIELDS):
        if it["wlan.fc.type_subtype"] == REQUEST:
            link = it["wlan.ta"], it["wlan.ra"], str(int(it["wlan.ba.basic.tidinfo"], 0))
            waiting[link] = int(it["wlan.fixed.ssc.sequence"])
        elif it["wlan.fc.type_subtype"] == QOS_DATA:
            link = it["wlan.ta"], it["wlan.ra"], it["wlan.qos.tid"]
            if (start := waiting.pop(link, None)) is not None:
                assert (int(it["wlan.seq"]) - start) % 4096 < 256
                checked += 1
    assert checked > 3


def test_a_picture_says_how_many_mpdus_an_aggregate_has_and_how_many_were_lost(run: Run) -> None:
    names = [it["name"] for it in run.data]
    assert any(
        name.startswith("data to far, best effort, ") and name.endswith(" lost") for name in names
    )
    lanes = channel_figure.slices(run.trace)
    frames = [it for slices in lanes.values() for it in slices if it.category == "frame"]
    partly = max(
        (it for it in frames if it.arguments.get("lost") and it.arguments["outcome"] == "received"),
        key=lambda it: it.end - it.start,
    )
    window = partly.start - 5e-4, partly.end + 5e-4
    shown = {
        lane: [it for it in slices if it.end > window[0] and it.start < window[1]]
        for lane, slices in lanes.items()
    }
    svg = channel_figure.save(channel_figure.draw(shown, window), ".svg").decode()
    count, lost = partly.arguments["mpdus"], partly.arguments["lost"]
    assert f"{count} MPDUs, {lost} lost" in svg
    assert "some MPDUs lost" in svg
    assert "block ack" in svg


@needs_tshark
def test_an_a_msdu_has_the_headers_of_its_first_packet(tmp_path: Path) -> None:
    """The first subframe of each A-MSDU has 1236 octets: 8 of LLC/SNAP, and an IP packet of 28 + 1200."""
    text = CELL.format(standard="802.11ax", fast="he-mcs7x2", slow="he-mcs1x1")
    text = text.replace("streams = 2", 'streams = 2\namsdu = "3839 B"').replace("4 Mb/s", "40 Mb/s")
    (tmp_path / "cell.toml").write_text(text)
    pcap = tmp_path / "cell.pcapng"
    call = [*PROGRAM, "run", "cell.toml", "--pcap", pcap, "--trace-station", "home:monitor"]
    subprocess.run(call, cwd=tmp_path, capture_output=True, check=True)
    names = ("wlan_aggregate.a_mdsu.length", "ip.len", "wlan.qos.tid", "frame.len")
    whole = "wlan.qos.amsdupresent == 1 && wlan.qos.tid == 5 && radiotap.flags.badfcs == 0 && ip"
    joined = fields(pcap, names, "-Y", whole)
    assert joined
    assert {(it["wlan_aggregate.a_mdsu.length"], it["ip.len"]) for it in joined} == {
        ("1236", "1228")
    }
    assert all(int(it["frame.len"]) > 2 * 1236 for it in joined)
    assert "Malformed" not in tshark(pcap, "-q", "-z", "expert")
