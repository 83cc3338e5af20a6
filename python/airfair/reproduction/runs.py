"""Runs the setups of a paper's experiments, then fresh replications for undecided claims."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair.archive import Archive, Job, run
from airfair.experiment.claims import Verdict, with_reasons
from airfair.experiment.conditions import Key, error_of_each
from airfair.progress import shown
from airfair.result import Result
from airfair.scenario import load

from .paper import Data, Experiment, Paper, Setup

if TYPE_CHECKING:
    from airfair._core import Outcome, Scenario
    from airfair.scenario import Value

FEWEST = 2
"""Smallest number of replications for a confidence interval, and for tables after Ctrl-C."""
FRESH = 60
"""Largest number of fresh replications for the second and last test of undecided claims."""
LOOKS = 2
"""Number of tests of a claim's point: one with the first replications, one with fresh ones."""


@dataclass(frozen=True)
class Choice:
    """Options of a reproduction: experiments, replications, output."""

    paper: Paper[Any]
    experiments: tuple[Experiment[Any], ...]
    replications: int | None
    """Number of runs of each variant from the user; `None` for the number that the paper declares."""
    out: Path | None
    """Directory of the report; `None` for none."""
    quick: bool
    threads: int | None = None
    """Number of threads; by default one per core."""

    @property
    def setups(self) -> list[Setup]:
        """Setups that the experiments need, each once; a quick run leaves extensions out."""
        needed = dict.fromkeys(setup for e in self.experiments for setup in e.setups)
        setups = [self.paper.setups[setup] for setup in needed]
        return [setup for setup in setups if not (self.quick and setup.extension)]

    @property
    def paths(self) -> list[Path]:
        """Scenario files of the setups, each once."""
        return list(dict.fromkeys(setup.path for setup in self.setups))

    @property
    def asked(self) -> int:
        """Default number of runs of a variant."""
        paper = self.paper
        return self.replications or (paper.quick_replications if self.quick else paper.replications)

    @property
    def asks_anew(self) -> bool:
        """True if undecided claims get fresh replications; false in a quick run or with a given number."""
        return self.replications is None and not self.quick

    @property
    def error(self) -> float:
        """Error probability of each deciding interval; all tests of a claim together have 5 %."""
        return error_of_each(LOOKS if self.asks_anew else 1)

    def runs_of(self, setup: Setup) -> int:
        """Number of runs of each variant of a setup."""
        if self.replications is not None:
            return self.replications
        declared = setup.replications
        return min(declared, self.asked) if declared and self.quick else declared or self.asked


@dataclass(frozen=True)
class Measured:
    """Measurements of all finished runs of a reproduction."""

    data: Data[Any]
    """Measurements by setup and variant; a setup has all of its variants or none, with the same
    replications."""
    replications: int
    """Number of runs of a variant; less than requested after Ctrl-C."""
    interrupted: bool
    seed: int
    cpu_s: float
    wall_s: float
    simulated_s: float
    fresh: Data[Any] | None = None
    """Measurements with fresh replications alone for runs of undecided claims; else those of `data`."""
    asked_anew: Mapping[Key, int] = field(default_factory=dict)
    """Number of fresh replications by run."""
    runs: int = 0
    found: int = 0
    """Number of runs taken from the archive."""
    unsaved: OSError | None = None
    """Error because of which the archive could not save all runs."""

    @cached_property
    def setups(self) -> set[str]:
        """Setups whose runs are finished."""
        return {setup for setup, _ in self.data}


def plan(choice: Choice) -> str:
    """Hash of all scenarios to run (as in their first replication) and numbers of replications."""
    pool = Pool(choice)
    digest = hashlib.sha256()
    for setup in choice.setups:
        for variant in setup.variants:
            job = pool.job((setup.id, variant.id), 0)
            digest.update(f"{setup.id}/{variant.id}/{choice.runs_of(setup)}/".encode() + job.key)
    return digest.hexdigest()


def verdicts(choice: Choice, measured: Measured) -> list[Verdict]:
    """Verdicts on all claims whose setups were run."""
    paper = choice.paper
    texts = paper.claim_texts()
    first_look = choice.quick or measured.replications < paper.replications
    return [
        with_reasons(
            predicate.decide(
                measured.data,
                texts[predicate.id],
                run=measured.setups,
                fresh=measured.fresh,
                anew=measured.asked_anew,
                error=choice.error,
            ),
            paper.reasons.get(predicate.id, ()),
            first_look=first_look,
        )
        for predicate in paper.predicates
        if measured.setups.issuperset(predicate.setups)
    ]


@dataclass(frozen=True)
class Means:
    """Archive of finished runs and display of the progress."""

    archive: Archive | None = None
    progress: Callable[[float], object] | bool = True
    """True for a bar on standard error, or a function called with the fraction done."""
    label: str = ""
    """Text before the bar; by default the paper's id."""

    def part(self, first: float, last: float) -> Means:
        """Means of a part of the work, in which the fraction done rises from `first` to `last`."""
        tell = self.progress
        if not callable(tell):
            return self
        return replace(self, progress=lambda done: tell(first + done * (last - first)))


def measure(choice: Choice, means: Means | None = None) -> Measured:
    """Run all setups of the choice, then fresh replications for undecided claims."""
    means = means or Means()
    means = replace(means, label=means.label or choice.paper.id)
    measured = _measure(choice, means)
    if callable(means.progress) and not measured.interrupted:
        means.progress(1.0)
    return measured


def _measure(choice: Choice, means: Means) -> Measured:
    pool = Pool(choice)
    work = [(setup, variant) for setup in choice.setups for variant in setup.variants]
    asked = {(setup.id, variant.id): range(choice.runs_of(setup)) for setup, variant in work}
    base = pool.run(asked, means.part(0, 1 / 2) if choice.asks_anew else means)
    kept = finished(asked, base, least=min(choice.asked, FEWEST))
    data = {key: choice.paper.measure(only(base[key], numbers)) for key, numbers in kept.items()}
    measured = Measured(
        data=data,
        replications=_replications(choice, asked, kept),
        interrupted=pool.interrupted,
        unsaved=pool.unsaved,
        seed=pool.seed,
        **pool.spent,
    )
    if pool.interrupted or not choice.asks_anew:
        return measured
    return _ask_anew(choice, measured, pool, means.part(1 / 2, 1))


def _ask_anew(choice: Choice, measured: Measured, pool: Pool, means: Means) -> Measured:
    """Add fresh replications for undecided claims: all of them, or none after Ctrl-C."""
    undecided = _undecided(choice, measured)
    if not undecided:
        return measured
    # Fresh replications have numbers above those of all setups, as runs of two setups are compared in pairs.
    first = max(map(choice.runs_of, choice.setups))
    again = {key: range(first, first + count) for key, count in sorted(undecided.items())}
    results = pool.run(again, replace(means, label=f"{means.label}: undecided claims"))
    measured = replace(measured, interrupted=pool.interrupted, unsaved=pool.unsaved, **pool.spent)
    if pool.interrupted:
        return measured
    anew = {key: choice.paper.measure(result) for key, result in results.items()}
    return replace(measured, fresh={**measured.data, **anew}, asked_anew=undecided)


def _undecided(choice: Choice, measured: Measured) -> dict[Key, int]:
    """Runs of undecided claims, with the number of fresh replications that would decide them."""
    decided = {verdict.id: verdict for verdict in verdicts(choice, measured)}
    wanted: dict[Key, int] = {}
    for predicate in choice.paper.predicates:
        if predicate.id not in decided:
            continue
        for of, count in predicate.undecided(decided[predicate.id], FRESH).items():
            keys = (
                [of] if not isinstance(of, str) else [key for key in measured.data if key[0] == of]
            )
            for key in keys:
                wanted[key] = max(wanted.get(key, 0), count)
    return wanted


class Pool:
    """Runs of one paper, with their total time and number."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._variants = {
            (setup.id, variant.id): (setup, variant)
            for setup in choice.setups
            for variant in setup.variants
        }
        self.interrupted = False
        self.unsaved: OSError | None = None
        self.seed = 0
        self.spent: dict[str, Any] = dict.fromkeys(
            ("cpu_s", "wall_s", "simulated_s", "runs", "found"), 0
        )

    def run(self, asked: Mapping[Key, range], means: Means) -> dict[Key, Result]:
        """Results of the requested replications; lower replications of all runs come first."""
        scenarios = {key: self._scenario(key) for key in asked}
        wanted = [
            (key, number, self.job(key, number, scenarios[key]))
            for place in range(max(map(len, asked.values()), default=0))
            for key, numbers in asked.items()
            for number in numbers[place : place + 1]
        ]
        wall, cpu = time.perf_counter(), time.process_time()
        with shown(means.progress, means.label) as tell:
            jobs, threads = [job for *_, job in wanted], self._choice.threads
            done = run(jobs, means.archive, threads=threads, progress=tell)
        outcomes: dict[Key, list[Outcome]] = {key: [] for key in asked}
        for (key, _, job), outcome in zip(wanted, done.outcomes, strict=True):
            if outcome is not None:
                outcomes[key].append(outcome)
                self.spent["simulated_s"] += job.scenario.duration_s
        self.spent["cpu_s"] += time.process_time() - cpu
        self.spent["wall_s"] += time.perf_counter() - wall
        self.spent["runs"] += len(wanted)
        self.spent["found"] += done.found
        self.interrupted |= done.interrupted
        self.unsaved = self.unsaved or done.unsaved
        self.seed = next((scenario.seed for scenario in scenarios.values()), 0)
        return {key: Result(scenarios[key], outcomes[key]) for key in asked}

    def _scenario(self, key: Key, more: Mapping[str, Value] | None = None) -> Scenario:
        setup, variant = self._variants[key]
        quick = setup.quick if self._choice.quick else {}
        return load(setup.path, set={**variant.set, **(more or {}), **quick})

    def job(self, key: Key, number: int, scenario: Scenario | None = None) -> Job:
        """Job for one replication of a variant; `scenario` is used unless values are drawn at random."""
        _, variant = self._variants[key]
        if variant.draw:
            return Job(self._scenario(key, variant.draw(number)), number)
        return Job(scenario or self._scenario(key), number)


def finished(
    asked: Mapping[Key, range], results: Mapping[Key, Result], least: int
) -> dict[Key, Collection[int]]:
    """Replications of each run that count: those that all variants of its setup have finished.

    After Ctrl-C only replications that all setups have count, because claims also compare variants of
    different setups by seed. Setups with fewer than `least` are left out.
    """
    done: dict[str, set[int]] = {}
    for (setup, _), result in results.items():
        numbers = {outcome.replication for outcome in result.outcomes}
        done[setup] = done.get(setup, numbers) & numbers
    kept = {setup: numbers for setup, numbers in done.items() if len(numbers) >= least}
    if any(len(done[setup]) < len(numbers) for (setup, _), numbers in asked.items()):
        common = set.intersection(*kept.values()) if kept else set()
        kept = dict.fromkeys(kept, common) if len(common) >= least else {}
    return {key: kept[key[0]] for key in asked if key[0] in kept}


def _replications(
    choice: Choice, asked: Mapping[Key, range], kept: Mapping[Key, Collection[int]]
) -> int:
    """Number of runs of each variant, without setups for which fewer were requested."""
    full = [len(numbers) for key, numbers in kept.items() if len(asked[key]) >= choice.asked]
    return min(full or map(len, kept.values()), default=0)


def only(result: Result, replications: Collection[int]) -> Result:
    """Result with these replications alone."""
    outcomes = [outcome for outcome in result.outcomes if outcome.replication in replications]
    return replace(result, outcomes=outcomes)
