"""Tests that Ctrl-C ends `run`, `run_many` and `Experiment.run` alike: an error holds what is finished."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import airfair
from support import SCENARIO

LONG = "duration"
"""Key that makes a run long enough to be interrupted."""


class CtrlC:
    """Progress callback that presses Ctrl-C once a part of the work is done."""

    def __init__(self, after: float) -> None:
        self.after = after

    def __call__(self, fraction: float) -> None:
        """Send the signal of Ctrl-C to this process."""
        if fraction >= self.after:
            os.kill(os.getpid(), signal.SIGINT)


def run(progress: Callable[[float], object]) -> Any:  # noqa: ANN401 - result of any of the three functions
    return airfair.run(SCENARIO, replications=400, set={LONG: "40 s"}, threads=1, progress=progress)


def run_many(progress: Callable[[float], object]) -> Any:  # noqa: ANN401 - result of any of the three functions
    sources = [SCENARIO, SCENARIO]
    return airfair.run_many(
        sources, replications=200, set={LONG: "40 s"}, threads=1, progress=progress
    )


def run_experiment(progress: Callable[[float], object], store: Path | None = None) -> Any:  # noqa: ANN401
    exp = airfair.Experiment(
        SCENARIO,
        factors={"station.slow.rate": ["1 Mb/s", "2 Mb/s"]},
        set={LONG: "40 s"},
        replications=200,
    )
    return exp.run(store=store, threads=1, progress=progress)


def replications(result: Any) -> int:  # noqa: ANN401 - result of any of the three functions
    if isinstance(result, list):
        return sum(each.replications for each in result)
    if isinstance(result, airfair.ExperimentResult):
        return int(result.points["replications"].sum())
    return int(result.replications)


@pytest.mark.parametrize("function", [run, run_many, run_experiment])
def test_ctrl_c_raises_an_error_with_what_is_finished(function: Callable[..., Any]) -> None:
    with pytest.raises(airfair.Interrupted) as stop:
        function(CtrlC(0.05))
    result = stop.value.result
    finished = replications(result)
    assert 0 < finished < 400
    assert str(stop.value) == f"interrupted after {finished} finished replications"
    assert all(each.interrupted for each in (result if isinstance(result, list) else [result]))


@pytest.mark.parametrize("function", [run, run_many, run_experiment])
def test_an_interruption_is_a_keyboard_interrupt(function: Callable[..., Any]) -> None:
    """Code that does not know airfair's error sees the one that Python raises at Ctrl-C."""
    with pytest.raises(KeyboardInterrupt):
        function(CtrlC(0.0))


def test_results_of_an_interruption_keep_their_order_and_scenario() -> None:
    with pytest.raises(airfair.Interrupted) as stop:
        airfair.run_many(
            [SCENARIO, SCENARIO],
            replications=200,
            set={LONG: "40 s"},
            threads=1,
            progress=CtrlC(0.05),
        )
    first, second = stop.value.result
    # Replications of the scenarios take turns, so at most one is missing in the second.
    assert first.replications - second.replications in {0, 1}
    whole = airfair.run(SCENARIO, replications=first.replications, set={LONG: "40 s"})
    assert first.flows.equals(whole.flows)


def test_a_store_continues_an_interrupted_experiment(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with pytest.raises(airfair.Interrupted) as stop:
        run_experiment(CtrlC(0.05), store)
    with pytest.raises(airfair.Interrupted) as again:
        run_experiment(CtrlC(0.05), store)
    assert again.value.result.spent.found >= stop.value.result.spent.runs


def test_an_interruption_of_each_kind_can_be_pickled() -> None:
    result = airfair.run(SCENARIO)
    for partial, count in (([result, result], 2), (result, None)):
        error = airfair.Interrupted(partial, count)
        other = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
        assert str(other) == str(error)


def test_a_thread_other_than_the_main_one_is_not_interrupted() -> None:
    """Python delivers Ctrl-C to the main thread alone; a run in another thread goes on."""
    results: list[airfair.Result] = []
    thread = threading.Thread(target=lambda: results.append(airfair.run(SCENARIO)))
    thread.start()
    thread.join()
    assert not results[0].interrupted
