"""Tests of a user's own paper: a directory with studies, printed values, claims and figures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from airfair.cli import main
from airfair.experiment.errors import StudyError
from airfair.reproduction import directory

TEMPLATE = Path(directory.__file__).parents[1] / "templates" / "init" / "paper"
SHORT = ["--replications", "2"]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Directory that `airfair init paper` writes, with shorter runs."""
    paper = tmp_path / "own"
    shutil.copytree(TEMPLATE, paper)
    cell = paper / "cell.toml"
    text = cell.read_text()
    cell.write_text(text.replace('"20 s"', '"2 s"').replace('"5 s"', '"500 ms"', 1))
    return paper


def test_the_start_of_a_paper_is_reproduced_with_report_figures_and_verdicts(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results"
    assert main(["reproduce", str(own), "--out", str(out), "--json", *SHORT]) == 0
    (paper,) = json.loads(capsys.readouterr().out)["papers"]
    assert paper["paper"] == "own"
    assert [claim["id"] for claim in paper["claims"]] == ["call-stays-quick", "fifo-waits"]
    assert paper["experiments"][0]["paper_values"] == {
        "delay_p95[voice]": [15, 12, 60, 12, 200, 12]
    }
    assert len(paper["experiments"][0]["measured"]["points"]) == 12  # 6 points, 2 measures
    page = (out / "report.html").read_text()
    assert "Queues at the access point" in page
    assert "does not depend on the size of the queue" in page
    assert (out / "fig1-delay.svg").exists()


def test_one_experiment_of_a_paper_is_named_behind_its_directory(own: Path, tmp_path: Path) -> None:
    assert main(["reproduce", f"{own}/fig1", "--out", str(tmp_path / "out"), *SHORT]) == 0
    assert main(["reproduce", f"{own}/fig2", "--out", str(tmp_path / "out"), *SHORT]) == 2


def test_figures_can_be_drawn_in_python(own: Path, tmp_path: Path) -> None:
    (own / "figures.py").write_text(
        "def draw(study, results):\n"
        "    return {'own': results.plot('bss.home.ap.queue.packets', 'loss[voice]', 'discipline')}\n"
    )
    assert main(["reproduce", str(own), "--out", str(tmp_path / "out"), *SHORT]) == 0
    assert (tmp_path / "out" / "fig1-own.png").exists()


def test_a_reason_is_told_where_a_claim_does_not_hold(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = own / "fig1.study.toml"
    study.write_text(study.read_text().replace("below   = 50", "below   = 0.1"))
    with (own / "paper.toml").open("a") as file:
        file.write('[reasons]\ncall-stays-quick = "Light is too slow."\n')
    main(["reproduce", str(own), "--out", str(tmp_path / "out"), "--json", *SHORT])
    claim = json.loads(capsys.readouterr().out)["papers"][0]["claims"][0]
    assert claim["state"] == "fails"
    assert any("Light is too slow." in why for why in claim["why"])


def test_a_quick_look_runs_the_points_shorter(own: Path) -> None:
    setup = directory.load(own).setups["fig1"]
    assert setup.quick == {"duration": "15 s"}
    assert [variant.id for variant in setup.variants][:2] == ["10, fifo", "10, fq-codel"]
    # Keys are without patterns, so `airfair run --set` accepts them.
    assert "bss.home.ap.queue.discipline" in setup.variants[1].set


def test_all_mistakes_of_a_paper_come_at_once(own: Path) -> None:
    (own / "paper.toml").write_text('source = 3\ntitel = "x"\n')
    with pytest.raises(StudyError) as raised:
        directory.load(own)
    told = "\n".join(raised.value.problems)
    assert 'titel: unknown key, did you mean "title"?' in told
    assert "source: 3; allowed is text" in told
    assert "title: missing" in told


def test_mistakes_of_all_studies_come_at_once_and_a_claim_has_one_home(own: Path) -> None:
    shutil.copy(own / "fig1.study.toml", own / "fig2.study.toml")
    with pytest.raises(StudyError, match=r"claim call-stays-quick: both fig1 and fig2"):
        directory.load(own)
    (own / "fig2.study.toml").write_text('scenario = "cell.toml"\nfactor = 1\n')
    (own / "fig1.study.toml").write_text('scenario = "cell.toml"\nclaim = 1\n')
    with pytest.raises(StudyError) as raised:
        directory.load(own)
    assert len(raised.value.problems) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({}, "this directory has no paper.toml; write an example with: airfair init paper"),
        ({"paper.toml": 'title = "x"\n'}, "has no study"),
        ({"paper.toml": "title = \n"}, "paper.toml"),
    ],
)
def test_a_directory_that_is_no_paper_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: dict[str, str], words: str
) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    assert main(["reproduce", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err


def test_a_study_that_draws_by_chance_gives_each_replication_its_own_scenario(own: Path) -> None:
    study = own / "fig1.study.toml"
    study.write_text(
        study.read_text().replace(
            "[factors]\n",
            '[draw]\n"station.*.rate" = { choice = ["6 Mb/s", "54 Mb/s"] }\n\n[factors]\n',
        )
    )
    variants = directory.load(own).setups["fig1"].variants
    draws = [[variant.draw(i) for i in range(8)] for variant in variants if variant.draw]
    assert len(draws) == 6
    rates = [[draw["station.phone.rate"] for draw in point] for point in draws]
    assert all(each == rates[0] for each in rates)
    assert set(rates[0]) == {"6 Mb/s", "54 Mb/s"}
