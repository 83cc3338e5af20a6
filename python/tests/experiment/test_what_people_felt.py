"""Tests of studies and comparisons of what people felt: measures of the table `messages`."""

from __future__ import annotations

from pathlib import Path

import pytest

import airfair

WIRE = """
duration = "4 s"
[router.gateway]
[host.server]
link = { to = "gateway", rate = "5 Mb/s", delay = "10 ms", queue = { packets = 20 } }
[host.client]
link = { to = "gateway", rate = "5 Mb/s", delay = "0 ms" }
[flow.call]
from = "server"
to = "client"
transport = { kind = "udp", source = { model = "call", codec = "g711", silence = "0 s" } }
[flow.load]
from = "server"
to = "client"
transport = { kind = "tcp", receive_window = "200 kB", window_scaling = true }
"""
QUEUES = {"host.server.link.queue.packets": [20, 100]}


def study(**factors: object) -> airfair.ExperimentResult:
    made = airfair.Experiment(WIRE, factors=factors, replications=2)  # type: ignore[arg-type]
    return made.run(store=None, progress=False)


def test_a_longer_queue_costs_a_call_its_opinion(tmp_path: Path) -> None:
    made = study(**QUEUES)
    opinions = made.summary("mos[call]")["mean"].to_list()
    assert opinions[0] > opinions[1] + 0.1
    assert (
        made.summary("messages.rating")["mean"].to_list()
        == made.summary("rating")["mean"].to_list()
    )
    made.save(tmp_path / "out")
    read = airfair.load_experiment(tmp_path / "out")
    assert read.messages.equals(made.messages)
    assert read.summary("mos[call]").equals(made.summary("mos[call]"))


def test_points_may_have_other_applications() -> None:
    plain = {"kind": "udp", "payload": "1 kB", "rate": "1 Mb/s"}
    live = [{"kind": "udp", "source": word} for word in ("video-call", "call")]
    made = study(**{"flow.call.transport": [live[0], plain, live[1]]})
    missed = made.summary("missed[call]")["mean"].to_list()
    assert [one is None for one in missed] == [False, True, False]
    assert made.messages["point"].to_list() == [0, 0, 2, 2]


def test_a_study_without_applications_has_no_such_table(tmp_path: Path) -> None:
    source = 'source = { model = "call", codec = "g711", silence = "0 s" }'
    plain = WIRE.replace(source, 'payload = "1 kB", rate = "1 Mb/s"')
    made = airfair.Experiment(plain, factors=QUEUES, replications=1).run(store=None, progress=False)
    made.save(tmp_path / "plain")
    assert not (tmp_path / "plain" / "messages.parquet").exists()
    assert airfair.load_experiment(tmp_path / "plain").messages.height == 0


def test_a_comparison_has_rows_of_what_people_felt() -> None:
    found = airfair.compare(
        airfair.run(WIRE, replications=2),
        airfair.run(WIRE, replications=2, set={"host.server.link.queue.packets": 100}),
    )
    rows = {row["column"]: row for row in found.rows if row["table"] == "messages"}
    assert rows.keys() == {"wait_p95_ms", "missed", "mos"}
    assert rows["mos"]["difference"] < -0.1
    assert rows["wait_p95_ms"]["second"] > 2 * rows["wait_p95_ms"]["first"]


def test_a_measure_of_nobody_is_an_error() -> None:
    with pytest.raises(airfair.StudyError, match=r"mos\[nobody\]: matches no flow"):
        study(**QUEUES).summary("mos[nobody]")
