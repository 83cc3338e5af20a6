"""Tests of a paper's runs: replications by setup, fresh replications, quick runs, and interrupted runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airfair import archive
from airfair.archive import Archive, Done, Job, run
from airfair.estimate import Floats
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Key, Point, difference
from airfair.experiment.work import Means, opened
from airfair.reproduction import runs, studies
from airfair.reproduction.paper import Experiment, Paper, Shown
from airfair.reproduction.runs import Choice, Measured, measure, verdicts
from airfair.result import Result
from support import SCENARIO

Kept = dict[Key, Floats]
STUDIES = {
    "main": """
scenario = "cell.toml"
set = { duration = "400 ms", series = "100 ms" }
[factors.rate]
slow = { "station.slow.rate" = "1 Mb/s" }
fast = { "station.slow.rate" = "11 Mb/s" }
""",
    "more": """
like = "main.study.toml"
replications = 2
extension = true
[factors]
rate = { mid = { "station.slow.rate" = "5.5 Mb/s" } }
""",
}
"""Two studies, of which the second is an extension."""


def goodput(result: Result) -> Floats:
    return result.flows.filter(flow="b")["goodput_bps"].to_numpy() / 1e6


@pytest.fixture
def paper(tmp_path: Path) -> Paper[Floats]:
    """Paper with two rates, a claim on their difference, and an extension."""
    (tmp_path / "cell.toml").write_text(SCENARIO)
    for name, text in STUDIES.items():
        (tmp_path / f"{name}.study.toml").write_text(text)

    def show(data: Mapping[Key, Floats]) -> Shown:
        return Shown([], None, {"runs": len(data["main", "slow"])})

    return Paper(
        id="tried",
        title="A paper",
        reference={"claims": [{"id": "claim", "text": "The fast one gains."}]},
        setups=studies.setups(tmp_path),
        experiments={"fig1": Experiment("fig1", "A figure", ("main", "more"), show)},
        measure=goodput,
        predicates=(),
        searches=(),
        bounds="",
        units="",
        replications=4,
        quick_replications=3,
    )


def with_claim(paper: Paper[Floats], above: float) -> Paper[Floats]:
    def points(data: Mapping[Key, Floats]) -> list[Point]:
        keys = [("main", "fast"), ("main", "slow")]
        return [difference("gain", *(data[key] for key in keys), above=above, of=keys)]

    reading: Reading[Any] = Reading("as printed", ("main",), points)
    return replace(paper, predicates=(Predicate("claim", reading),))


def choice(paper: Paper[Floats], **options: object) -> Choice:
    given: dict[str, Any] = {"replications": None, "out": Path("out"), "quick": False, **options}
    return Choice(paper, tuple(paper.experiments.values()), **given)


def counts(measured: Measured) -> dict[Key, int]:
    return {key: len(samples) for key, samples in measured.data.items()}


def test_each_setup_has_its_own_number_of_runs(paper: Paper[Floats]) -> None:
    measured = measure(choice(paper))
    assert counts(measured) == {("main", "slow"): 4, ("main", "fast"): 4, ("more", "mid"): 2}
    assert measured.replications == 4
    assert measured.spent.runs == 10


def test_a_number_that_the_user_gives_is_that_of_all(paper: Paper[Floats]) -> None:
    measured = measure(choice(paper, replications=3))
    assert set(counts(measured).values()) == {3}


def test_a_first_look_leaves_extensions_out(paper: Paper[Floats]) -> None:
    measured = measure(choice(paper, quick=True))
    assert counts(measured) == {("main", "slow"): 3, ("main", "fast"): 3}


def test_an_undecided_claim_is_asked_anew_by_fresh_replications_alone(
    paper: Paper[Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "FRESH", 6)
    first = measure(choice(paper, replications=4))
    middle = float((first.data["main", "fast"] - first.data["main", "slow"]).mean())
    asked = choice(with_claim(paper, above=middle))
    measured = measure(asked)
    assert measured.asked_anew == {("main", "fast"): 6, ("main", "slow"): 6}
    (verdict,) = verdicts(asked, measured)
    assert verdict.points[0].measured.count == 6  # type: ignore[union-attr]
    # The measured values stay those of the first replications.
    assert counts(measured)["main", "slow"] == 4
    assert measured.fresh is not None
    later = measure(choice(paper, replications=10)).data["main", "slow"][4:]
    assert np.array_equal(measured.fresh["main", "slow"], later)


@pytest.mark.parametrize("above", [-100.0, 100.0])
def test_a_decided_claim_is_not_asked_again(paper: Paper[Floats], above: float) -> None:
    assert measure(choice(with_claim(paper, above))).asked_anew == {}


def test_nothing_is_asked_anew_where_the_user_chose_or_looks_first(paper: Paper[Floats]) -> None:
    assert not choice(paper, replications=4).asks_anew
    assert not choice(paper, quick=True).asks_anew


def test_a_second_call_takes_the_runs_from_the_archive(
    paper: Paper[Floats], tmp_path: Path
) -> None:
    with Archive(tmp_path / "runs.sqlite") as kept:
        first = measure(choice(paper), Means(kept))
        again = measure(choice(paper), Means(kept))
    assert (first.spent.found, again.spent.found) == (0, 10)
    assert all(np.array_equal(first.data[key], again.data[key]) for key in first.data)
    with opened(tmp_path / "runs.sqlite", fresh=True) as none:
        assert measure(choice(paper), Means(none)).spent.found == 0


def test_the_fraction_done_rises_over_both_tests_of_the_claims(
    paper: Paper[Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "FRESH", 6)
    first = measure(choice(paper, replications=4))
    middle = float((first.data["main", "fast"] - first.data["main", "slow"]).mean())
    told: list[float] = []

    def in_halves(jobs: Sequence[Job], kept: Archive | None, **options: Any) -> Done:  # noqa: ANN401 - of `run`
        options["progress"](0.5)
        return run(jobs, kept, **options)

    monkeypatch.setattr(archive, "run", in_halves)
    measure(choice(with_claim(paper, above=middle)), Means(progress=told.append))
    # The first replications are one half of the work, and fresh ones the other.
    assert told == [0.25, 0.75, 1]


def test_replications_that_ctrl_c_cut_off_are_dropped_from_all(paper: Paper[Floats]) -> None:
    ranges = {("main", "slow"): range(4), ("main", "fast"): range(4), ("more", "mid"): range(2)}
    whole, _ = runs.run(choice(paper), ranges, Means())
    asked = {key: range(len(result.outcomes)) for key, result in whole.items()}
    assert {key: set(n) for key, n in runs.finished(asked, whole, 2).items()} == {
        ("main", "slow"): {0, 1, 2, 3},
        ("main", "fast"): {0, 1, 2, 3},
        ("more", "mid"): {0, 1},
    }
    cut = {**whole, ("main", "fast"): runs.only(whole["main", "fast"], {0, 1, 2})}
    # Replications 0 and 1 are in all setups: paired comparisons go beyond one setup.
    assert {key: set(n) for key, n in runs.finished(asked, cut, 2).items()} == {
        ("main", "slow"): {0, 1},
        ("main", "fast"): {0, 1},
        ("more", "mid"): {0, 1},
    }
    few = {**whole, ("main", "fast"): runs.only(whole["main", "fast"], {0})}
    assert set(runs.finished(asked, few, 2)) == {("more", "mid")}
