"""Tests of the page of all claims: it has each claim with its reasons, also if a paper's run fails."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from airfair import RunError, store
from airfair.cli import DONE, INTERRUPTED
from airfair.cli.commands import reproduce
from airfair.estimate import Estimate
from airfair.experiment.claims import FEW, NOT_FOUND, Reason, Ruling, Verdict
from airfair.experiment.conditions import Condition
from airfair.experiment.results import Spent
from airfair.experiment.work import Means
from airfair.reproduction import running
from airfair.reproduction.catalogue import experiments_directory, load, papers
from airfair.reproduction.paper import reference
from airfair.reproduction.paper_result import PaperResult, duration
from airfair.reproduction.papers.arf_aware_tcp.runs import ArfAwareRuns
from airfair.reproduction.results import Outcome
from airfair.reproduction.runs import Choice, Measured
from airfair.reproduction.summary import BOOK, INDEX, PAGE, TEXT, Reproduction
from support import page_of

DOCS = Path(__file__).parents[3] / "docs"

HOLDS = Condition("a", Estimate(2.0, 0.1), above=1)
FAILS = Condition("b", Estimate(0.0, 0.1), above=1)
OPENS = Condition("c", Estimate(1.0, 0.1), above=1)


def verdict(
    *conditions: Condition, reasons: Sequence[Reason] = (), first_look: bool = False
) -> Verdict:
    return Verdict("claim", "As printed", conditions, reasons=tuple(reasons), first_look=first_look)


# ------------------------------------------------------------------ reasons


def test_a_claim_that_holds_shows_no_reason() -> None:
    assert verdict(HOLDS, reasons=[Reason("because")]).why == []


def test_only_the_reasons_of_what_is_missed_are_shown() -> None:
    reasons = [Reason("not this", of="a"), Reason("because", of="b")]
    assert verdict(HOLDS, FAILS, reasons=reasons).why == ["because"]


def test_what_has_no_reason_is_not_found_out_yet() -> None:
    assert verdict(FAILS).why == [f"{NOT_FOUND}."]
    more = replace(FAILS, what="d")
    why = verdict(FAILS, more, reasons=[Reason("because", of="b")]).why
    assert why == ["because", f"{NOT_FOUND} for: d."]


def test_an_undecided_claim_asks_for_replications_and_has_reasons_only_if_these_were_enough() -> (
    None
):
    reasons = [Reason("because")]
    open_ = "1 of 1 point has an interval that contains its bound."
    assert verdict(OPENS).why == [open_]
    assert verdict(OPENS, reasons=reasons).why == [open_, "because"]
    assert verdict(OPENS, reasons=reasons, first_look=True).why == [FEW]
    assert verdict(OPENS, FAILS, reasons=reasons, first_look=True).why == ["because"]


def test_the_evidence_in_a_line_is_what_decides() -> None:
    assert verdict(HOLDS).line == "a = 2.000 ± 0.100 (needs > 1)"
    assert verdict(HOLDS, FAILS).line == "1 of 2 points – b = -0.100 to 0.100 (needs > 1)"
    many = [replace(HOLDS, what=f"at {speed} m/s") for speed in range(1, 11)]
    line = verdict(*many).line
    assert line.startswith("10 of 10 points – at 1 m/s")
    assert "… at 10 m/s" in line


def told(paper_id: str) -> dict[str, str]:
    """State of each claim, from the table in the paper's document."""
    text = (DOCS / f"{page_of(paper_id)}.md").read_text(encoding="utf-8")
    states = "|".join(get_args(Ruling))
    return dict(re.findall(rf"^\| `([^`]+)` \| ({states}) \|", text, re.MULTILINE))


@pytest.mark.parametrize("paper_id", papers())
def test_every_claim_that_does_not_hold_has_a_reason(paper_id: str) -> None:
    """Claims that fail or depend have a reason, and claims that hold have none.

    A claim that is undecided or untestable may have one. The paper's document has the verdicts.
    """
    states, paper = told(paper_id), load(paper_id)
    assert list(states) == list(paper.claim_texts())
    missed = {claim for claim, state in states.items() if state != "holds"}
    needed = {claim for claim, state in states.items() if state in ("fails", "depends")}
    assert needed <= set(paper.reasons) <= missed
    for reasons in paper.reasons.values():
        assert reasons
        assert all(reason.text.endswith(".") for reason in reasons)


# ------------------------------------------------------------------ the page


def choice(paper_id: str, out: Path, *, quick: bool = False) -> Choice:
    return Choice(load(paper_id), (), 10, out / paper_id, quick)


def result_of(paper_id: str, out: Path, *, fails: bool = True, **changes: object) -> PaperResult:
    """PaperResult of a paper whose claims all hold, or all fail."""
    chosen = choice(paper_id, out)
    condition = FAILS if fails else HOLDS
    verdicts = {
        claim: Verdict(claim, text, (condition,), reasons=(Reason(f"For {claim}’s sake."),))
        for claim, text in chosen.paper.claim_texts().items()
    }
    document = {
        "experiments": [{}],
        "interrupted": False,
        "seed": 1,
        "replications": 10,
        "simulated_s": 100.0,
        "cpu_s": 1.0,
        "wall_s": 125.0,
        **changes,
    }
    return PaperResult(chosen, document, verdicts)


@pytest.fixture
def summary(tmp_path: Path) -> Reproduction:
    return Reproduction([result_of(paper_id, tmp_path) for paper_id in papers()], tmp_path)


def test_no_claim_of_the_papers_is_missing(summary: Reproduction) -> None:
    printed = [
        (paper_id, claim["id"])
        for paper_id in papers()
        for claim in reference(experiments_directory() / paper_id)["claims"]
    ]
    document = json.loads(json.dumps(summary.summary(), allow_nan=False))
    assert [(claim["paper"], claim["id"]) for claim in document["claims"]] == printed
    page, text = summary.html(), summary.text()
    for paper_id, claim in printed:
        assert f'id="{paper_id}-{claim}"' in page
        assert f"{paper_id}/report.html#claim-{claim}" in page
        assert page.count(f"For {claim}’s sake.") == 1
        assert f"  ✗ {claim}: does not hold" in text
    assert summary.headline == f"0 of {len(printed)} claims hold, {len(printed)} do not"


def test_the_page_asks_for_nothing_and_its_links_are_its_own_or_reports(
    summary: Reproduction,
) -> None:
    page = summary.html()
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for link in re.findall(r'href="([^"]+)"', page):
        own = link[1:] in ids if link.startswith("#") else link == INDEX
        assert own or re.match(rf"[a-z-]+/report\.html|{re.escape(BOOK)}/[a-z-]+\.md$", link)
    assert not re.search(r"@import|<script|url\(|https?:", page.replace(f'<a href="{BOOK}/', ""))
    for line in page.splitlines():
        assert "{{" not in line


def test_a_papers_page_of_the_book_is_linked_as_a_browser_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "checkout", lambda: tmp_path)
    out = tmp_path / "results"
    summary = Reproduction([result_of("arf-window", out)], out)
    for page in (summary.html(), summary.index()):
        assert f'href="{BOOK}/arf-window.md"' in page
    built = tmp_path / "site/arf-window.html"
    built.parent.mkdir()
    built.touch()
    for page in (summary.html(), summary.index()):
        assert 'href="../site/arf-window.html"' in page


def test_the_text_fits_80_columns(tmp_path: Path) -> None:
    results = [
        result_of("arf-aware-tcp", tmp_path, fails=False),
        result_of("tfrc-friendliness", tmp_path, interrupted=True, replications=3),
        PaperResult(choice("arf-window", tmp_path), failure=RunError("event " * 30)),
        PaperResult(choice("updown-fairness", tmp_path)),
    ]
    summary = Reproduction(results, tmp_path)
    text = summary.text()
    assert max(map(len, text.splitlines())) <= 80
    assert "9 of 33 claims hold, 8 do not, 16 are not run" in text
    assert "9 of 9 hold; 10 replications in 2 min 05 s" in text
    assert "0 of 8 hold; interrupted, 3 of 10 replications" in text
    assert [summary.line(each) for each in results] == text.splitlines()[-6:-2]
    assert text.splitlines()[-1] == "Signs: ✓ holds, ✗ does not hold, – not run."
    assert summary.line(results[0]).endswith("9 of 9 hold; 2 min 05 s")
    assert summary.line(results[1]).endswith("0 of 8 hold; interrupted after 3 of 10 runs")
    assert [entry["state"] for entry in summary.summary()["papers"]] == [
        "done",
        "interrupted",
        "failed",
        "not run",
    ]
    assert "The run was interrupted; finished results are shown." in summary.html()


def test_the_time_of_a_paper_fits_beside_the_signs_of_another_with_many_claims(
    tmp_path: Path,
) -> None:
    papers = [result_of("modern", tmp_path), result_of("tfrc-friendliness", tmp_path)]
    summary = Reproduction(papers, tmp_path)
    assert len(papers[0].claims) == 32
    for each in papers:
        line = summary.line(each)
        assert len(line) <= 80
        assert line.endswith("; 2 min 05 s")


def test_a_first_look_says_so(tmp_path: Path) -> None:
    summary = Reproduction([PaperResult(choice("arf-window", tmp_path, quick=True))], tmp_path)
    assert "first look" in summary.text()
    assert "first look" in summary.html()


def test_a_failure_of_the_system_is_told_in_words(tmp_path: Path) -> None:
    full = PaperResult(
        choice("arf-window", tmp_path), failure=OSError(28, "No space left on device")
    )
    assert full.line == full.text() == "failed: No space left on device"
    assert full.ends_all


def test_durations_are_for_people() -> None:
    assert [duration(s) for s in (0.4, 59.4, 59.6, 605)] == [
        "0 s",
        "59 s",
        "1 min 00 s",
        "10 min 05 s",
    ]


# ------------------------------------------------------------------ the run


def arguments(out: Path | None, **changes: object) -> argparse.Namespace:
    options = {"paper": None, "list": False, "replications": 10, "json": True}
    options |= {"quick": False, "fresh": False, "force": False, "threads": None}
    return argparse.Namespace(**{**options, "out": out, **changes})


Data = dict[tuple[str, str], ArfAwareRuns]
MakeRuns = Callable[..., ArfAwareRuns]
Measure = Callable[..., Measured]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[[Measure], None]:
    def put(measure: Measure) -> None:
        monkeypatch.setattr(running, "measure", measure)

    return put


def nothing(*, interrupted: bool) -> Measured:
    return Measured({}, 0, Spent(0.1, 0.1, interrupted=interrupted, simulated_s=5.0), seed=1)


def test_a_paper_that_fails_keeps_no_other_from_running(
    tmp_path: Path, fake: Callable[[Measure], None], capsys: pytest.CaptureFixture[str]
) -> None:
    labels = []

    def measure(choice: Choice, means: Means) -> Measured:
        labels.append(means.label)
        if choice.paper.id == papers()[1]:
            raise RunError("too many events")
        return nothing(interrupted=False)

    fake(measure)
    with pytest.raises(RunError, match=f"^{papers()[1]}: too many events$"):
        reproduce.main(arguments(tmp_path))
    count = len(papers())
    assert labels == [f"{i + 1}/{count} {paper}" for i, paper in enumerate(papers())]
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert [paper["state"] for paper in summary["papers"]] == ["done", "failed"] + ["done"] * (
        count - 2
    )
    assert "too many events" in (tmp_path / PAGE).read_text(encoding="utf-8")


def test_ctrl_c_ends_it_and_leaves_the_page(
    tmp_path: Path, fake: Callable[[Measure], None], capsys: pytest.CaptureFixture[str]
) -> None:
    fake(lambda *_: nothing(interrupted=True))
    assert reproduce.main(arguments(tmp_path, json=False)) == INTERRUPTED
    printed, warned = capsys.readouterr()
    assert warned == (
        "airfair: interrupted; finished runs are kept, and the same command continues from here\n"
    )
    assert f"reports of all papers: {tmp_path / INDEX}" in printed
    assert f"all results as text: {tmp_path / TEXT}" in printed
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert page.count("interrupted, 0 of 10 replications") == 2
    assert f"{papers()[-1]}: not run" in page


def test_a_line_for_each_paper_is_printed_and_the_whole_is_in_a_file(
    tmp_path: Path, fake: Callable[[Measure], None], capsys: pytest.CaptureFixture[str]
) -> None:
    fake(lambda *_: nothing(interrupted=False))
    assert reproduce.main(arguments(tmp_path, json=False)) == DONE
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed[: len(papers())]] == papers()
    pages = [
        f"reports of all papers: {tmp_path / INDEX}",
        f"all results as text: {tmp_path / TEXT}",
    ]
    assert printed[-2:] == pages
    assert len(printed) <= len(papers()) + 6
    assert max(map(len, printed[:-2])) <= 80
    whole = (tmp_path / TEXT).read_text(encoding="utf-8")
    for paper_id in papers():
        assert whole.count(f"\n{paper_id}: ") + whole.startswith(f"{paper_id}: ") == 2
        assert all(f" {claim}: not run" in whole for claim in load(paper_id).claim_texts())


def test_what_was_written_before_a_bug_stays(
    tmp_path: Path, fake: Callable[[Measure], None]
) -> None:
    def measure(choice: Choice, _: Means) -> Measured:
        assert choice.paper.id == papers()[0], "a bug in the second paper"
        return nothing(interrupted=False)

    fake(measure)
    with pytest.raises(AssertionError, match="a bug"):
        reproduce.main(arguments(tmp_path))
    assert (tmp_path / PAGE).exists()


def test_one_paper_alone_leaves_the_page_alone(
    tmp_path: Path, fake: Callable[[Measure], None]
) -> None:
    fake(lambda *_: nothing(interrupted=False))
    assert reproduce.main(arguments(tmp_path / "arf-window", paper="arf-window")) == DONE
    assert not list(tmp_path.rglob(PAGE))


def test_reasons_reach_the_report_of_the_paper(
    measurements: Data, make_runs: MakeRuns, tmp_path: Path
) -> None:
    """The report and the page of all claims have the reason of the claim that fails in Table 5."""
    rates = [3.0, 3.8, 6.6, 11.0, 11.0]
    starved = make_runs([(20, [420.0] * 5), (100, [0, 0, 300, 700, 700])], rates)
    measurements["table5", "arf_aware"] = starved
    paper = load("arf-aware-tcp")
    chosen = Choice(paper, tuple(paper.experiments.values()), 10, tmp_path, quick=False)
    outcome = Outcome(chosen, replace(nothing(interrupted=False), data=measurements))
    (reason,) = paper.reasons["fairness-above-0.9"]
    escaped = reason.text.replace("'", "&#39;")
    for page in (
        outcome.files()["report.html"].decode(),
        Reproduction([PaperResult.of(outcome)], tmp_path).html(),
    ):
        assert page.count(escaped) == 1
    words = " ".join(PaperResult.of(outcome).text().split())
    assert words.count("In the full run: Windows are whole segments.") == 1
