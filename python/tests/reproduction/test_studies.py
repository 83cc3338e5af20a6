"""Tests of studies as parts of a paper: studies become setups, and their points variants."""

from __future__ import annotations

from pathlib import Path

import pytest

import airfair
from airfair.experiment.errors import StudyError
from airfair.experiment.study_file import load_study
from airfair.reproduction import studies
from support import SCENARIO

STUDY = """
scenario = "cell.toml"
[factors]
"station.slow.rate" = ["1 Mb/s", "2 Mb/s"]
scheme = { plain = {}, arf-aware = { "flow.*.control" = "arf-aware" } }
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    (tmp_path / "cell.toml").write_text(SCENARIO)
    (tmp_path / "fig1.study.toml").write_text(STUDY)
    return tmp_path


def add(paper: Path, name: str, text: str) -> None:
    (paper / f"{name}.study.toml").write_text(text)


def ids(paper: Path) -> dict[str, list[str]]:
    return {id_: [it.id for it in s.variants] for id_, s in studies.setups(paper).items()}


def test_points_are_variants_by_their_labels(paper: Path) -> None:
    names = [f"{rate} Mb/s, {scheme}" for rate in (1, 2) for scheme in ("plain", "arf-aware")]
    assert ids(paper) == {"fig1": names}
    setup = studies.setups(paper)["fig1"]
    assert setup.path == paper / "cell.toml"
    assert setup.replications is None
    flows = airfair.load(setup.path).flows
    controls = {f"flow.{flow['name']}.control": "arf-aware" for flow in flows}
    assert setup.variants[-1].set == {"station.slow.rate": "2 Mb/s", **controls}


def test_factors_in_braces_name_setups_and_variants(paper: Path) -> None:
    add(paper, "fig1", 'setup = "of-{scheme}"\nvariant = "{station.slow.rate}"\n' + STUDY)
    rates = ["1 Mb/s", "2 Mb/s"]
    assert ids(paper) == {"of-plain": rates, "of-arf-aware": rates}


def test_a_study_like_another_has_its_keys_but_for_its_own(paper: Path) -> None:
    add(
        paper,
        "beyond",
        """
        like = "fig1.study.toml"
        replications = 3
        extension = true
        quick = { duration = "1 s" }
        factors = { scheme = { only = {} } }
        """,
    )
    assert ids(paper)["beyond"] == ["1 Mb/s, only", "2 Mb/s, only"]
    setup = studies.setups(paper)["beyond"]
    assert (setup.replications, setup.extension, setup.quick) == (3, True, {"duration": "1 s"})


def test_a_study_like_itself_is_refused(paper: Path) -> None:
    add(paper, "a", 'like = "b.study.toml"')
    add(paper, "b", 'like = "a.study.toml"')
    with pytest.raises(StudyError, match=r"like: a\.study\.toml refers back to itself"):
        studies.setups(paper)


def test_a_list_of_points_can_have_parts_of_a_grid_each_point_once(paper: Path) -> None:
    design = """
    design = [
        { "station.slow.rate" = "2 Mb/s", scheme = ["plain", "arf-aware"] },
        { "station.slow.rate" = ["1 Mb/s", "2 Mb/s"], scheme = "plain" },
    ]
    """
    add(paper, "fig1", design + STUDY)
    assert ids(paper)["fig1"] == ["2 Mb/s, plain", "2 Mb/s, arf-aware", "1 Mb/s, plain"]
    study = load_study(paper / "fig1.study.toml")
    assert study.experiment.size == 3


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ('variant = "{rate}"\n' + STUDY, "variant: unknown factor rate"),
        ('variant = "{scheme}"\n' + STUDY, "setup fig1 has two variants named 'plain'"),
        ('replications = { until = "goodput", half_width = 0.1 }\n' + STUDY, "is a number"),
        ('setup = "fig2"\n' + STUDY, "setup fig2: another study has the same setup"),
    ],
)
def test_names_that_name_nothing_or_two_things_are_refused(
    paper: Path, wrong: str, words: str
) -> None:
    add(paper, "fig2", STUDY)
    add(paper, "fig1", wrong)
    with pytest.raises(StudyError, match=words):
        studies.setups(paper)


def test_a_pattern_stands_for_flows_with_a_count_by_the_name_in_the_file(paper: Path) -> None:
    study = STUDY.replace(
        "[factors]", '[set]\n"flow.a.count" = 2\n"station.slow.count" = 2\n[factors]'
    )
    add(paper, "fig1", study)
    for variant in studies.setups(paper)["fig1"].variants:
        scenario = airfair.load(paper / "cell.toml", set=variant.set)
        assert len({flow["control"] for flow in scenario.flows}) == 1


def test_a_factor_can_have_another_name_than_its_key(paper: Path) -> None:
    study = STUDY.replace('"station.slow.rate" =', 'R = { key = "station.slow.rate", values =')
    add(paper, "fig1", 'variant = "{R}, {scheme}"' + study.replace('"2 Mb/s"]', '"2 Mb/s"] }'))
    setup = studies.setups(paper)["fig1"]
    assert setup.variants[0].id == "1 Mb/s, plain"
    assert setup.variants[0].set == {"station.slow.rate": "1 Mb/s"}


def test_words_for_levels_that_there_are_not_are_refused(paper: Path) -> None:
    add(paper, "fig1", STUDY + '[words.scheme]\nplane = "TCP as it is"')
    with pytest.raises(StudyError, match=r"words\.scheme: factor scheme has no level 'plane'"):
        studies.setups(paper)


def test_no_key_is_unknown_because_another_one_is_wrong(paper: Path) -> None:
    add(
        paper,
        "fig1",
        'scenario = "cell.toml"\nsetup = "x"\nquick = {}\n[factors]\nflow = { a = {} }',
    )
    with pytest.raises(StudyError) as error:
        studies.setups(paper)
    (problem,) = error.value.problems
    assert "factor flow: a column of the tables has this name" in problem


def test_a_paper_can_draw_by_a_function_of_its_own(paper: Path) -> None:
    def draw(labels: studies.Labels, replication: int) -> dict[str, str]:
        return {"station.fast.rate": "11 Mb/s" if replication else str(labels["station.slow.rate"])}

    setup = studies.setups(paper, {"fig1": draw})["fig1"]
    last = setup.variants[-1].draw
    assert last is not None
    assert [last(number)["station.fast.rate"] for number in (0, 1)] == ["2 Mb/s", "11 Mb/s"]


def test_values_that_a_study_draws_are_drawn_for_its_variants(paper: Path) -> None:
    add(
        paper,
        "fig1",
        STUDY.replace(
            "[factors]", '[draw]\n"station.fast.rate" = {choice = ["1 Mb/s", "2 Mb/s"]}\n[factors]'
        ),
    )
    variants = studies.setups(paper)["fig1"].variants
    drawn = [variant.draw(3) for variant in variants if variant.draw]
    assert len(drawn) == len(variants)
    assert len({str(keys["station.fast.rate"]) for keys in drawn}) == 1


def test_patterns_are_said_of_tables_that_other_keys_replace(paper: Path) -> None:
    """A pattern applies to the flows of a table that replaces another, wherever the table is in the file."""
    more = """
    [set.flow]
    c = { from = "fast", to = "server", transport = { kind = "tcp", flavour = "newreno" } }
    """
    add(paper, "fig1", STUDY + more)
    (last,) = [it for it in studies.setups(paper)["fig1"].variants if it.id == "2 Mb/s, arf-aware"]
    flows = airfair.load(paper / "cell.toml", set=last.set).flows
    assert {flow["name"]: flow["control"] for flow in flows} == {"c": "arf-aware"}
