"""Runs scenarios: the replications of all scenarios share one queue, which all cores work on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Generic, TypeVar

from . import _core
from .law import Laws
from .law_use import LawUse, check_nodes, uses
from .result import Result
from .scenario import Source, Value, error_of, load
from .world import World

Partial = TypeVar("Partial")


class Interrupted(KeyboardInterrupt, Generic[Partial]):
    """Raised when Ctrl-C ends runs; `result` holds the finished ones.

    `result` is what the function would have returned, with fewer replications: a `Result` from `run`, a list
    of them from `run_many`, and an `ExperimentResult` from `Experiment.run`.
    """

    def __init__(self, result: Partial, finished: int | None = None) -> None:
        count = getattr(result, "replications", 0) if finished is None else finished
        super().__init__(f"interrupted after {count} finished replications")
        self.result = result
        self._finished = count

    def __reduce__(self) -> tuple[type[Interrupted[Partial]], tuple[Partial, int]]:
        return Interrupted, (self.result, self._finished)


def run(  # noqa: PLR0913 - options, each with a default
    source: Source,
    *,
    seed: int | None = None,
    replications: int | None = None,
    series: str | None = None,
    set: Mapping[str, Value] | None = None,  # noqa: A002 - named after the option --set
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
    drive: Callable[[World], object] | None = None,
    laws: Laws | None = None,
) -> Result:
    """Run all replications of a scenario: a path, a TOML text, or a mapping of the same shape.

    `seed`, `replications` and `series` set the keys of these names; `set` sets other keys, by dotted path.
    `threads` is the number of threads, by default one per core. `progress` is called with the fraction done.
    A replication depends only on the scenario, the seed and its number; `threads` does not change results.

    `drive` is called with the `World` of each replication in turn, to step it and to change its settings. If
    it returns early, the rest of the run follows without changes.

    `laws` are laws of one's own by node, such as `{"station.*": Mine}`. Their replications run in one process
    per core, but in turn with `drive`. A law that other processes cannot import, such as one of a notebook,
    runs in this process alone, with a `LawWarning`.

    Raises `ScenarioError` with all mistakes at once, `RunError` if a run fails, and `Interrupted` on Ctrl-C.
    """
    scenario = load(source, seed=seed, replications=replications, series=series, set=set)
    if drive is not None:
        result, error = run_in_turn(scenario, drive=drive, laws=laws, progress=progress)
        if error is not None:
            raise error
    elif laws:
        (result,), error = with_laws([scenario], laws, threads=threads, progress=progress)
        if error is not None:
            raise error
    else:
        (result,) = finished([scenario], threads=threads, progress=progress)
    if result.interrupted:
        raise Interrupted(result)
    return result


def with_laws(
    scenarios: Sequence[_core.Scenario],
    laws: Laws | Iterable[LawUse],
    *,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[list[Result], Exception | None]:
    """Run all replications of all scenarios with laws, in one process per core.

    Returns a result for each scenario, and the exception that a law has raised. Such an exception and Ctrl-C
    end the runs, and the results hold the finished replications.
    """
    from .archive.job import Job
    from .law_processes import LawProcesses

    own = uses(laws)
    for scenario in scenarios:
        check_nodes(own, scenario)
    jobs = _in_order(scenarios)
    total = sum(scenarios[index].duration_s for index, _ in jobs)
    done: dict[int, _core.Outcome] = {}
    wall, cpu = time.perf_counter(), time.process_time() + _children_s()
    failure = None
    processes = LawProcesses(threads)

    def keep(at: int, outcome: _core.Outcome | bytes) -> None:
        done[at] = (
            outcome if isinstance(outcome, _core.Outcome) else _core.Outcome.from_bytes(outcome)
        )

    try:
        processes.run(
            [Job(scenarios[index], replication, own) for index, replication in jobs],
            keep,
            (lambda _: None)
            if progress is None
            else lambda done_s: progress(min(1.0, done_s / total)),
            histograms=True,
        )
    except Exception as error:  # noqa: BLE001 - the caller raises it or prints it
        failure = error
    finally:
        processes.close()
    outcomes: list[list[_core.Outcome]] = [[] for _ in scenarios]
    for at in sorted(done):
        outcomes[jobs[at][0]].append(done[at])
    spent = time.process_time() + _children_s() - cpu, time.perf_counter() - wall
    return _results(scenarios, outcomes, total, spent, own), failure


def _children_s() -> float:
    """CPU time of the processes that this one has started and that have ended [s]."""
    times = os.times()
    return times.children_user + times.children_system


def run_in_turn(
    scenario: _core.Scenario,
    *,
    drive: Callable[[World], object] | None = None,
    laws: Laws | None = None,
    progress: Callable[[float], object] | None = None,
    tracing: tuple[int, _core.Tracing] | None = None,
) -> tuple[Result, Exception | None]:
    """Run the replications one after the other, with Python code of the caller: a driver and laws.

    Returns the result, and the exception that a driver or a law has raised. Such an exception and Ctrl-C end
    the run, and the result holds the finished replications. `tracing` is that of `run_many`.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    done: list[_core.Outcome] = []
    failure = None
    try:
        for replication in range(scenario.replications):
            traced = tracing[1] if tracing is not None and tracing[0] == replication else None
            with World.begun(scenario, replication, laws, traced) as world:
                if drive is not None:
                    drive(world)
                elif progress is not None:
                    _advance(world, progress, len(done))
                if not world.over:
                    world.advance()
                done.extend(world.result().outcomes)
            if progress is not None:
                progress(len(done) / scenario.replications)
    except KeyboardInterrupt:
        pass
    except Exception as error:  # noqa: BLE001 - the caller raises it or prints it
        failure = error
    result = Result(
        scenario,
        done,
        interrupted=len(done) < scenario.replications,
        cpu_s=time.process_time() - cpu,
        wall_s=time.perf_counter() - wall,
        laws=uses(laws or {}),
    )
    return result, failure


_STEPS = 100
"""Number of steps in which a world is advanced if its progress is reported."""


def _advance(world: World, progress: Callable[[float], object], done: int) -> None:
    """Advance a world almost to its end, and report the progress; `done` replications are finished."""
    scenario = world.scenario
    for step in range(1, _STEPS):
        world.advance(scenario.duration_s / _STEPS)
        progress((done + step / _STEPS) / scenario.replications)


def run_many(  # noqa: PLR0913 - options, each with a default
    sources: Iterable[Source],
    *,
    seed: int | None = None,
    replications: int | None = None,
    series: str | None = None,
    set: Mapping[str, Value] | None = None,  # noqa: A002 - named after the option --set
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
    draws: Mapping[int, Sequence[_core.Scenario]] | None = None,
    tracing: tuple[int, _core.Tracing] | None = None,
    laws: Laws | None = None,
) -> list[Result]:
    """Run all replications of all scenarios in one queue, and return one result for each scenario.

    Each source is a path, a TOML text, a mapping of the same shape, or a `Scenario`. `seed`, `replications`,
    `series` and `set` replace keys in every scenario, as in `run`. `progress` is called with the fraction
    done, about ten times per second.

    `draws` maps an index into `sources` to one scenario per replication. These run in its place: they have
    the same stations and flows, with randomly drawn values set. The result still holds the scenario of
    `sources`.

    `tracing` is a replication of the first scenario and the open trace files that it writes. The caller
    closes these files. `laws` are those of `run`, in every scenario; `draws` and `tracing` are not allowed
    with them.

    Raises `ScenarioError` with the mistakes in all sources at once, `RunError` if a run fails, and
    `Interrupted` on Ctrl-C, whose `result` is the list with the finished replications of each scenario.
    """
    scenarios = _loaded(sources, seed=seed, replications=replications, series=series, set=set)
    if laws:
        if draws or tracing:
            raise ValueError("laws: draws and tracing are not allowed with laws")
        results, error = with_laws(scenarios, laws, threads=threads, progress=progress)
        if error is not None:
            raise error
    else:
        results = finished(
            scenarios, draws=draws, threads=threads, progress=progress, tracing=tracing
        )
    if any(result.interrupted for result in results):
        raise Interrupted(results, sum(result.replications for result in results))
    return results


def _loaded(sources: Iterable[Source], **keys: Any) -> list[_core.Scenario]:  # noqa: ANN401 - options of `load`
    """Scenarios of the sources; raises `ScenarioError` with the mistakes in all, each with its address."""
    if isinstance(sources, str | bytes | os.PathLike | Mapping | _core.Scenario):
        raise TypeError(
            f"sources: {sources!r}; allowed is a list of scenarios; airfair.run runs a single one"
        )
    loaded: list[_core.Scenario] = []
    problems: list[str] = []
    unchanged = all(value is None for value in keys.values())
    for index, source in enumerate(sources):
        is_path = isinstance(source, os.PathLike) or (
            isinstance(source, str) and "\n" not in source
        )
        where = str(source) if is_path else f"sources[{index}]"
        try:
            if isinstance(source, _core.Scenario) and unchanged:
                loaded.append(source)
            else:
                loaded.append(load(source, **keys))
        except _core.ScenarioError as error:
            problems += [f"{where}: {problem}" for problem in error.problems]
        except TypeError as error:
            raise TypeError(f"{where}: {error}") from error
    if problems:
        raise error_of(problems)
    return loaded


def finished(
    scenarios: Sequence[_core.Scenario],
    *,
    draws: Mapping[int, Sequence[_core.Scenario]] | None = None,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
    tracing: tuple[int, _core.Tracing] | None = None,
) -> list[Result]:
    """Run all scenarios as `run_many` does; after Ctrl-C, return the finished replications of each.

    `interrupted` is true for each result that lacks replications.
    """
    order = _in_order(scenarios)
    drawn = draws or {}
    jobs = [
        (
            drawn[index][replication] if index in drawn else scenarios[index],
            scenarios[index].seed,
            replication,
        )
        for index, replication in order
    ]
    wall, cpu = time.perf_counter(), time.process_time()
    traced = None if tracing is None else (order.index((0, tracing[0])), tracing[1])
    batch = _core.run(jobs, threads=threads, progress=progress, tracing=traced)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu

    done: list[list[_core.Outcome]] = [[] for _ in scenarios]
    for (index, _), outcome in zip(order, batch.outcomes, strict=True):
        if outcome is not None:
            done[index].append(outcome)
    simulated = sum(scenario.duration_s for scenario, _, _ in jobs)
    return _results(scenarios, done, simulated, (cpu, wall))


def _in_order(scenarios: Sequence[_core.Scenario]) -> list[tuple[int, int]]:
    """Pairs of the index of a scenario and a replication.

    They are ordered by replication, so that after Ctrl-C all scenarios have about as many finished ones.
    """
    counts = (range(scenario.replications) for scenario in scenarios)
    pairs = ((index, number) for index, numbers in enumerate(counts) for number in numbers)
    return sorted(pairs, key=itemgetter(1))


def _results(
    scenarios: Sequence[_core.Scenario],
    done: Sequence[list[_core.Outcome]],
    simulated: float,
    spent: tuple[float, float],
    laws: Sequence[LawUse] = (),
) -> list[Result]:
    """Results, each with its part of the CPU time and the wall-clock time [s]."""
    results = []
    for scenario, outcomes in zip(scenarios, done, strict=True):
        part = scenario.duration_s * scenario.replications / simulated
        results.append(
            Result(
                scenario,
                outcomes,
                interrupted=len(outcomes) < scenario.replications,
                cpu_s=spent[0] * part,
                wall_s=spent[1] * part,
                laws=tuple(laws),
            )
        )
    return results
