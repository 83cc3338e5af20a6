"""Tests of recordings of flent: written, read, drawn, replaced, and refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import airfair
from airfair import cli, flent
from airfair.cli.commands import init

WIRE = """
duration = "4 s"
series = "500 ms"
[router.gateway]
[host.server]
link = { to = "gateway", rate = "10 Mb/s", delay = "10 ms" }
[host.client]
link = { to = "gateway", rate = "10 Mb/s", delay = "0 ms" }
[flow.download_BE]
from = "server"
to = "client"
transport = { kind = "tcp" }
[flow.other]
from = "server"
to = "client"
start = "2 s"
transport = { kind = "tcp" }
[flow.ping_UDP_EF]
from = "server"
to = "client"
transport = { kind = "tcp", source = "responsiveness" }
[flow.call]
from = "server"
to = "client"
transport = { kind = "udp", source = "call" }
"""


def test_a_result_becomes_a_recording_with_sums_and_pings(tmp_path: Path) -> None:
    result = airfair.run(WIRE)
    flent.write(result, tmp_path / "a.flent.gz")
    read = flent.read(tmp_path / "a.flent.gz")
    assert read == flent.recording(result)
    assert read.name == "rrul"
    assert list(read.times) == [0.5 * step for step in range(8)]
    assert list(read.series) == [
        "TCP download BE",
        "TCP download other",
        "Ping (ms) UDP EF",
        "TCP download avg",
        "TCP download sum",
        "Ping (ms) avg",
        "TCP totals",
    ]
    both = zip(read.series["TCP download BE"], read.series["TCP download other"], strict=True)
    assert read.series["TCP download sum"] == pytest.approx([(a or 0) + (b or 0) for a, b in both])
    # 10 Mb/s, of which 1460 of 1500 octets are data; the start takes a part of the first step.
    assert read.series["TCP totals"][3] == pytest.approx(9.7, abs=0.3)
    # A round trip of 20 ms at least, and the queue that the downloads fill.
    pings = [value for value in read.series["Ping (ms) UDP EF"] if value is not None]
    assert 20 < min(pings) < max(pings) < 1_000
    table = read.table
    assert table.height == 8 * len(read.series)
    assert table.columns == ["series", "time_s", "value"]


def test_the_file_has_what_flent_reads_and_is_the_same_every_time(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.flent.gz", "b.flent.gz")]
    for file in files:
        flent.write(airfair.run(WIRE), file)
    assert files[0].read_bytes() == files[1].read_bytes()
    document = json.loads(gzip.decompress(files[0].read_bytes()))
    assert document["version"] == 4
    # The keys that flent's loader uses.
    assert document.keys() >= {"metadata", "x_values", "results", "raw_values"}
    assert document["metadata"].keys() >= {
        "NAME",
        "TITLE",
        "TIME",
        "T0",
        "TOTAL_LENGTH",
        "SERIES_META",
    }
    lengths = {len(values) for values in document["results"].values()}
    assert lengths == {len(document["x_values"])}
    units = {name: about["UNITS"] for name, about in document["metadata"]["SERIES_META"].items()}
    assert units["TCP totals"] == "Mbits/s"
    assert units["Ping (ms) avg"] == "ms"


def test_a_recording_of_flent_is_drawn_beside_a_result(tmp_path: Path) -> None:
    measured = {
        "metadata": {"NAME": "rrul", "TITLE": None, "T0": "2024-01-01T00:00:00.000000Z"},
        "version": 4,
        "x_values": [0.0, 0.2],
        "results": {"TCP download sum": [9.1, None], "Ping (ms) avg": [21.5, 30]},
        "raw_values": {},
    }
    file = tmp_path / "measured.flent"
    file.write_text(json.dumps(measured))
    read = flent.read(file)
    assert (read.title, read.series["Ping (ms) avg"]) == ("measured.flent", [21.5, 30.0])
    figure = flent.figure({"measured": file, "simulated": airfair.run(WIRE)})
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "download [Mb/s]",
        "upload [Mb/s]",
        "ping [ms]",
    ]
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["measured", "simulated"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "Expecting value"),
        (b"\x1f\x8bnot gzip at all", "not a recording"),
        (b"[1, 2]", "not a recording"),
        (b'{"x_values": [0], "results": {}}', "lacks 'metadata'"),
        (
            b'{"x_values": [0], "results": {"a": [1, 2]}, "metadata": {"NAME": "x"}}',
            "another length",
        ),
        (b'{"x_values": ["x"], "results": {}, "metadata": {}}', "could not convert"),
    ],
)
def test_other_files_are_refused_in_words(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "other.flent.gz"
    file.write_bytes(content)
    with pytest.raises(
        flent.RecordingError, match=r"other\.flent\.gz: not a recording of flent"
    ) as error:
        flent.read(file)
    assert why in str(error.value)


def test_the_command_line_writes_a_recording_and_replaces_only_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario, file = tmp_path / "wire.toml", tmp_path / "wire.flent.gz"
    scenario.write_text(WIRE)
    for _ in range(2):
        assert cli.main(["run", str(scenario), "--flent", str(file)]) == cli.DONE
        assert f"wrote {file}" in capsys.readouterr().err
    file.write_bytes(gzip.compress(b'{"metadata": {}}'))
    assert cli.main(["run", str(scenario), "--flent", str(file)]) == cli.BAD_INPUT
    assert "airfair did not write" in capsys.readouterr().err
    assert cli.main(["run", str(scenario), "--flent", str(file), "--force"]) == cli.DONE
    capsys.readouterr()
    for key, why in (
        ("series=off", "records no time series"),
        ("flow.other.transport.size=1 MB", ""),
    ):
        status = cli.main(["run", str(scenario), "--flent", str(file), "--set", key])
        assert (status == cli.BAD_INPUT) == bool(why)
        assert why in capsys.readouterr().err


def test_a_scenario_without_such_flows_is_refused() -> None:
    alone = (
        WIRE.partition("[flow.download_BE]")[0] + "[flow.call]" + WIRE.partition("[flow.call]")[2]
    )
    with pytest.raises(flent.RecordingError, match="neither TCP flows"):
        flent.recording(airfair.run(alone))


def test_rrul_has_the_series_of_flents_test() -> None:
    text = init.template(init.KINDS[0], "rrul")["rrul.toml"]
    result = airfair.run(text, set={"duration": "6 s", "warmup": "0 s"})
    series = flent.recording(result).series
    marks = ("BE", "BK", "CS5", "EF")
    assert {
        f"TCP {way} {mark}" for way in ("upload", "download") for mark in marks
    } <= series.keys()
    pings = {f"Ping (ms) {name}" for name in ("UDP EF", "UDP BK", "UDP BE", "ICMP")}
    assert (
        pings | {"TCP upload sum", "TCP download avg", "TCP totals", "Ping (ms) avg"}
        <= series.keys()
    )
    assert set(result.scenario.categories) == {"background", "best effort", "video", "voice"}
