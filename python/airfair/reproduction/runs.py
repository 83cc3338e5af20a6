"""Runs the setups of a paper's experiments, then fresh replications for undecided claims."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

from airfair.archive import Job
from airfair.experiment.claims import Verdict
from airfair.experiment.conditions import Key, error_of_each
from airfair.experiment.results import Spent
from airfair.experiment.runs import Runs
from airfair.experiment.work import Means
from airfair.result import Result

from .paper import Data, Experiment, Paper, Setup, Variant

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
    spent: Spent
    seed: int
    fresh: Data[Any] | None = None
    """Measurements with fresh replications alone for runs of undecided claims; else those of `data`."""
    asked_anew: Mapping[Key, int] = field(default_factory=dict)
    """Number of fresh replications by run."""

    @cached_property
    def setups(self) -> set[str]:
        """Setups whose runs are finished."""
        return {setup for setup, _ in self.data}


def plan(choice: Choice) -> str:
    """Hash of all scenarios to run (as in their first replication) and numbers of replications."""
    digest = hashlib.sha256()
    for (setup, id_), (own, variant) in _variants(choice).items():
        job = variant.job(0, own.quick if choice.quick else {})
        digest.update(f"{setup}/{id_}/{choice.runs_of(own)}/".encode() + job.key)
    return digest.hexdigest()


def _variants(choice: Choice) -> dict[Key, tuple[Setup, Variant]]:
    return {
        (setup.id, variant.id): (setup, variant)
        for setup in choice.setups
        for variant in setup.variants
    }


def verdicts(choice: Choice, measured: Measured) -> list[Verdict]:
    """Verdicts on all claims whose setups were run."""
    paper = choice.paper
    texts = paper.claim_texts()
    first_look = choice.quick or measured.replications < paper.replications
    return [
        replace(
            predicate.decide(
                measured.data,
                texts[predicate.id],
                run=measured.setups,
                fresh=measured.fresh,
                anew=measured.asked_anew,
                error=choice.error,
            ),
            reasons=tuple(paper.reasons.get(predicate.id, ())),
            first_look=first_look,
        )
        for predicate in paper.predicates
        if measured.setups.issuperset(predicate.setups)
    ]


def measure(choice: Choice, means: Means | None = None) -> Measured:
    """Run all setups of the choice, then fresh replications for undecided claims."""
    means = means or Means()
    means = replace(means, label=means.label or choice.paper.id)
    measured = _measure(choice, means)
    if callable(means.progress) and not measured.spent.interrupted:
        means.progress(1.0)
    return measured


def _measure(choice: Choice, means: Means) -> Measured:
    asked = {key: range(choice.runs_of(setup)) for key, (setup, _) in _variants(choice).items()}
    base, spent = run(choice, asked, means.part(0, 1 / 2) if choice.asks_anew else means)
    kept = finished(asked, base, least=min(choice.asked, FEWEST))
    data = {key: choice.paper.measure(only(base[key], numbers)) for key, numbers in kept.items()}
    seed = next((result.scenario.seed for result in base.values()), 0)
    measured = Measured(data, _replications(choice, asked, kept), spent, seed)
    if spent.interrupted or not choice.asks_anew:
        return measured
    return _ask_anew(choice, measured, means.part(1 / 2, 1))


def _ask_anew(choice: Choice, measured: Measured, means: Means) -> Measured:
    """Add fresh replications for undecided claims: all of them, or none after Ctrl-C."""
    undecided = _undecided(choice, measured)
    if not undecided:
        return measured
    # Fresh replications have numbers above those of all setups, as runs of two setups are compared in pairs.
    first = max(map(choice.runs_of, choice.setups))
    again = {key: range(first, first + count) for key, count in sorted(undecided.items())}
    means = replace(means, label=f"{means.label}: undecided claims")
    results, spent = run(choice, again, means)
    measured = replace(measured, spent=measured.spent + spent)
    if spent.interrupted:
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


def run(
    choice: Choice, asked: Mapping[Key, range], means: Means
) -> tuple[dict[Key, Result], Spent]:
    """Results of the requested replications; lower replications of all runs come first."""
    known = _variants(choice)
    of = [(known[key][1], known[key][0].quick if choice.quick else {}) for key in asked]
    first = [variant.job(0, quick) for variant, quick in of]
    runs = Runs(
        [variant.point for variant, _ in of],
        [job.scenario for job in first],
        [[] for _ in of],
        [job.laws for job in first],
    )
    pairs = ((index, number) for index, numbers in enumerate(asked.values()) for number in numbers)
    wanted = sorted(pairs, key=itemgetter(1))

    def job(index: int, number: int) -> Job:
        variant, quick = of[index]
        return variant.job(number, quick, runs.scenarios[index])

    spent = means.extend(runs, wanted, job)
    return {key: runs.result(index) for index, key in enumerate(asked)}, spent


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
