"""Runs what a paper's experiments need, and asks undecided claims anew with fresh replications."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair.archive import Archive, Job, run
from airfair.experiment.claims import Verdict, with_reasons
from airfair.experiment.conditions import Key, error_of_each
from airfair.result import Result
from airfair.scenario import load
from airfair.terminal import Progress

from .paper import Data, Experiment, Paper, Setup

if TYPE_CHECKING:
    from airfair._core import Outcome, Scenario
    from airfair.scenario import Value

FEWEST = 2
"""Replications without which there is no confidence interval, and so no table after Ctrl-C."""
FRESH = 60
"""Replications at most that decide anew what those before left undecided: once, and then it stays so."""
LOOKS = 2
"""Looks at a point of a claim: at the first replications, and at fresh ones where these leave it open."""


@dataclass(frozen=True)
class Choice:
    """Choice of what to reproduce, how often, and where to write it."""

    paper: Paper[Any]
    experiments: tuple[Experiment[Any], ...]
    replications: int | None
    """Runs of each variant that the user asked for; nothing for as many as the paper declares."""
    out: Path
    quick: bool
    archive: Path | None = None
    """Archive in which finished runs are kept."""
    fresh: bool = False
    """True to forget them and run all."""
    threads: int | None = None
    """Runs at a time; as many as there are cores if nothing is said."""

    @property
    def setups(self) -> list[Setup]:
        """The setups that the experiments need, each once; a quick look leaves extensions out."""
        needed = dict.fromkeys(setup for e in self.experiments for setup in e.setups)
        setups = [self.paper.setups[setup] for setup in needed]
        return [setup for setup in setups if not (self.quick and setup.extension)]

    @property
    def paths(self) -> list[Path]:
        """Their scenario files, each once."""
        return list(dict.fromkeys(setup.path for setup in self.setups))

    @property
    def asked(self) -> int:
        """Runs of a variant that decides claims."""
        paper = self.paper
        return self.replications or (paper.quick_replications if self.quick else paper.replications)

    @property
    def asks_anew(self) -> bool:
        """True if undecided claims get fresh replications: not in a first look, nor where the user chose."""
        return self.replications is None and not self.quick

    @property
    def error(self) -> float:
        """Error of each interval that decides a claim: all looks at it share 5 %."""
        return error_of_each(LOOKS if self.asks_anew else 1)

    def runs_of(self, setup: Setup) -> int:
        """Runs of each variant of a setup."""
        if self.replications is not None:
            return self.replications
        declared = setup.replications
        return min(declared, self.asked) if declared and self.quick else declared or self.asked


@dataclass(frozen=True)
class Measured:
    """All finished runs."""

    data: Data[Any]
    """By setup and variant; a setup has all of its variants or none, and all have the same
    replications."""
    replications: int
    """Runs of a variant that decides claims: fewer than asked for after Ctrl-C."""
    interrupted: bool
    seed: int
    cpu_s: float
    wall_s: float
    simulated_s: float
    fresh: Data[Any] | None = None
    """The same, where undecided claims were asked anew with the later replications alone."""
    asked_anew: Mapping[Key, int] = field(default_factory=dict)
    """Fresh replications of such runs."""
    runs: int = 0
    found: int = 0
    """Runs of them that were there already."""
    unsaved: OSError | None = None
    """Why the archive has not kept all of them."""

    @cached_property
    def setups(self) -> set[str]:
        """Setups whose runs are finished."""
        return {setup for setup, _ in self.data}


def plan(choice: Choice) -> str:
    """Hash of all that the choice runs: each scenario as its first replication has it, and how often."""
    pool = Pool(choice, None)
    digest = hashlib.sha256()
    for setup in choice.setups:
        for variant in setup.variants:
            job = pool.job((setup.id, variant.id), 0)
            digest.update(f"{setup.id}/{variant.id}/{choice.runs_of(setup)}/".encode() + job.key)
    return digest.hexdigest()


def verdicts(choice: Choice, measured: Measured) -> list[Verdict]:
    """Verdicts of the runs on each claim whose setups were run."""
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


def measure(choice: Choice, label: str | None = None) -> Measured:
    """Run what the choice needs; `label` stands before the progress, the paper's id by default."""
    label = label or choice.paper.id
    if choice.archive is None:
        return _measure(choice, None, label)
    with Archive(choice.archive, fresh=choice.fresh) as archive:
        return _measure(choice, archive, label)


def _measure(choice: Choice, archive: Archive | None, label: str) -> Measured:
    pool = Pool(choice, archive)
    work = [(setup, variant) for setup in choice.setups for variant in setup.variants]
    asked = {(setup.id, variant.id): range(choice.runs_of(setup)) for setup, variant in work}
    base = pool.run(asked, label)
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
    return _ask_anew(choice, measured, pool, label)


def _ask_anew(choice: Choice, measured: Measured, pool: Pool, label: str) -> Measured:
    """Fresh replications of what undecided claims rest on: all of them, or none after Ctrl-C."""
    undecided = _undecided(choice, measured)
    if not undecided:
        return measured
    # All begin with the same seed, beyond those of every setup: runs of two setups are compared in pairs.
    first = max(map(choice.runs_of, choice.setups))
    again = {key: range(first, first + count) for key, count in sorted(undecided.items())}
    results = pool.run(again, f"{label}: undecided claims")
    measured = replace(measured, interrupted=pool.interrupted, unsaved=pool.unsaved, **pool.spent)
    if pool.interrupted:
        return measured
    anew = {key: choice.paper.measure(result) for key, result in results.items()}
    return replace(measured, fresh={**measured.data, **anew}, asked_anew=undecided)


def _undecided(choice: Choice, measured: Measured) -> dict[Key, int]:
    """Runs that undecided claims rest on, with the fresh replications that would decide them."""
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
    """Runs of one paper, and what they took."""

    def __init__(self, choice: Choice, archive: Archive | None) -> None:
        self._choice = choice
        self._archive = archive
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

    def run(self, asked: Mapping[Key, range], label: str) -> dict[Key, Result]:
        """The results of the replications asked for, the first ones of all first."""
        scenarios = {key: self._scenario(key) for key in asked}
        wanted = [
            (key, number, self.job(key, number, scenarios[key]))
            for place in range(max(map(len, asked.values()), default=0))
            for key, numbers in asked.items()
            for number in numbers[place : place + 1]
        ]
        wall, cpu = time.perf_counter(), time.process_time()
        with Progress(label) as progress:
            jobs, threads = [job for *_, job in wanted], self._choice.threads
            done = run(jobs, self._archive, threads=threads, progress=progress)
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
        """One replication of a variant; `scenario` is its own if chance decides nothing in it."""
        _, variant = self._variants[key]
        if variant.draw:
            return Job(self._scenario(key, variant.draw(number)), number)
        return Job(scenario or self._scenario(key), number)


def finished(
    asked: Mapping[Key, range], results: Mapping[Key, Result], least: int
) -> dict[Key, Collection[int]]:
    """Replications of each run that count: those that all variants of its setup have finished.

    Where Ctrl-C cut some short, those that all setups have, for variants are compared by seed, beyond a
    setup too. Setups with fewer than `least` are left out.
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
    """Runs of each variant, but for setups that were asked for fewer from the start."""
    full = [len(numbers) for key, numbers in kept.items() if len(asked[key]) >= choice.asked]
    return min(full or map(len, kept.values()), default=0)


def only(result: Result, replications: Collection[int]) -> Result:
    """The result of these replications alone."""
    outcomes = [outcome for outcome in result.outcomes if outcome.replication in replications]
    return replace(result, outcomes=outcomes)
