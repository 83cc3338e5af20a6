"""Tests of runs on a Dask cluster: outcomes are equal to local ones, even if workers die."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import distributed
import pytest

from airfair import RunError, _core
from airfair.archive import Archive, Done, EngineError, Job, OtherBuildError, cluster, engine, run
from airfair.archive.cluster import Dask, work
from airfair.archive.engines import OnDone, Progress
from airfair.archive.job import build
from airfair.scenario import load
from support import SCENARIO

WALK = """
duration = "4 s"
[bss.home]
standard = "802.11a"
radio = { range = { "6 Mb/s" = "30 m" } }
[station.walker]
mobility = { model = "trace", file = "walk.csv" }
[host.server]
[flow.up]
from = "walker"
to = "server"
transport = { kind = "udp", payload = "1000 B", rate = "1 Mb/s" }
"""


@pytest.fixture(scope="module")
def workers() -> Iterator[distributed.LocalCluster]:
    """Cluster of two local worker processes."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as two:
        yield two


@pytest.fixture
def dask(workers: distributed.LocalCluster) -> Iterator[Dask]:
    connected = engine(f"dask:{workers.scheduler_address}")
    assert isinstance(connected, Dask)
    yield connected
    connected.close()


def jobs(count: int, **keys: str | int) -> list[Job]:
    rates = ["1 Mb/s", "2 Mb/s", "5.5 Mb/s"]
    scenarios = [load(SCENARIO, set={"station.slow.rate": rate, **keys}) for rate in rates]
    return [Job(scenarios[number % 3], number // 3) for number in range(count)]


def octets(done: Done) -> list[bytes | None]:
    return [outcome and outcome.to_bytes() for outcome in done.outcomes]


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing_and_counts_nothing_twice(
    workers: distributed.LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "BATCH_S", 0.1)
    wanted = jobs(150, duration="20 s")
    places: list[int] = []
    victims = [worker.pid for worker in workers.workers.values()][:1]
    told: list[float] = []

    def kill(fraction: float) -> None:
        told.append(fraction)
        if fraction > 0.3 and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    class Counted(Dask):
        def run(self, jobs: Sequence[Job], on_done: OnDone, progress: Progress) -> bool:
            def done(pairs: Sequence[tuple[int, bytes]]) -> None:
                places.extend(place for place, _ in pairs)
                on_done(pairs)

            return super().run(jobs, done, progress)

    with Archive(tmp_path / "runs") as kept, closing(Counted(workers.scheduler_address)) as dask:
        far = run(wanted, kept, engine=dask, progress=kill)
    assert not victims
    assert sorted(places) == list(range(150))
    assert told == sorted(told)
    assert octets(far) == octets(run(wanted))


def test_a_scenario_that_names_a_file_needs_it_on_no_worker(dask: Dask, tmp_path: Path) -> None:
    (tmp_path / "walk.csv").write_text("time_s,x_m,y_m\n0,1,0\n4,40,-3\n", encoding="utf-8")
    (tmp_path / "walk.toml").write_text(WALK, encoding="utf-8")
    wanted = [Job(load(tmp_path / "walk.toml"), 0)]
    (tmp_path / "walk.csv").unlink()
    assert octets(run(wanted, engine=dask)) == octets(run(wanted))


def test_a_worker_of_another_build_is_told(dask: Dask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "build", lambda: b"another build")
    with pytest.raises(OtherBuildError, match=r"worker tcp://.*: has another build of airfair"):
        run(jobs(3), engine=dask)


def test_ctrl_c_ends_what_runs_and_keeps_what_was_finished(
    dask: Dask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(fraction: float) -> None:
        if fraction > 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(cluster, "BATCH_S", 0.01)
    done = run(jobs(60, duration="20 s"), engine=dask, progress=stop)
    assert done.interrupted
    assert 0 < done.outcomes.missing < 60


def test_a_run_that_fails_is_told_and_those_before_it_are_handed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenario = jobs(1)[0].scenario
    simulate = _core.stream

    def breaks(runs: list[tuple[_core.Scenario, int, int]], *rest: object, **options: int) -> bool:
        simulate(runs[:1], *rest, **options)  # type: ignore[arg-type]
        raise RunError("this is a bug")

    monkeypatch.setattr(_core, "stream", breaks)
    finished = work(build(), [scenario.to_toml()], [(0, 0), (0, 1)])
    assert [place for place, _ in finished.outcomes] == [0]
    assert finished.failure == "this is a bug"


def test_a_scheduler_that_goes_is_told_and_what_was_finished_is_handed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cluster, "BATCH_S", 0.01)
    monkeypatch.setattr(cluster, "ANSWER_S", 0.5)
    wanted = jobs(600, duration="20 s")
    alone = distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    )

    def end(fraction: float) -> None:
        if fraction > 0.02:
            alone.close()

    connected = engine(f"dask:{alone.scheduler_address}")
    with Archive(tmp_path / "runs") as kept:
        with pytest.raises(EngineError, match=r"engine dask:.*: the scheduler is gone"):
            run(wanted, kept, engine=connected, progress=end)
        assert len(kept.find([job.key for job in wanted])) >= 12
    connected.close()


def test_a_batch_that_workers_die_of_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        def nthreads(self) -> dict[str, int]:
            return {"a": 1}

        def submit(self, *_: object, **__: object) -> Client:
            return self

        def add_done_callback(self, call: Callable[[Client], object]) -> None:
            call(self)

        def result(self) -> None:
            raise distributed.KilledWorker("work", None, 3)

        def cancel(self, *_: object, **__: object) -> None:
            pass

    monkeypatch.setattr(Dask, "_connected", lambda _: Client())
    with pytest.raises(
        EngineError, match=r"engine dask: 4 workers died while they executed one batch"
    ):
        run(jobs(1), engine=Dask())


@pytest.mark.slow
def test_workers_of_this_machine_begin_and_end_with_the_engine() -> None:
    with closing(engine("dask", threads=1)) as own:
        assert octets(run(jobs(3), engine=own)) == octets(run(jobs(3)))
        assert octets(run(jobs(6), engine=own)) == octets(run(jobs(6)))


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 0.2)
    with pytest.raises(
        EngineError, match=r"engine dask:tcp://127\.0\.0\.1:9: no scheduler answers"
    ):
        run(jobs(1), engine=engine("dask:tcp://127.0.0.1:9"))


def test_an_engine_that_there_is_not_is_told() -> None:
    with pytest.raises(ValueError, match=r'engine "spark": unknown; allowed local, dask'):
        engine("spark")


def test_dask_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "airfair.archive.cluster")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineError, match=r"pip install 'airfair\[dask\]'"):
        engine("dask")
