"""Tests of the papers' texts: a placeholder needs a number from the code, and a number a placeholder."""

from __future__ import annotations

from pathlib import Path

import pytest

from airfair.estimate import Estimate
from airfair.reproduction.catalogue import load, papers
from airfair.reproduction.prose import Prose, ProseError

FINDINGS = """\
# Beyond the paper

{% macro both(gains) %}{{ gains | join(" and ") }}{% endmacro %}

Words for those who open the file.

## gain: The scheme gains {{ percent | digits(0) }} %

At {{ places | length }} places it has
{% if percent > 0 -%}
more
{%- else -%}
less
{%- endif %}: {{ both(places) }}.

## nothing

It is
over.

## nothing: with a title: twice

Again.
"""
NUMBERS = {"percent": 12.3, "places": ["near", "far"]}


@pytest.fixture
def prose(tmp_path: Path) -> Prose:
    (tmp_path / "findings.md").write_text(FINDINGS)
    return Prose(tmp_path)


def test_a_section_is_said_in_one_line_with_its_numbers_in_place(prose: Prose) -> None:
    said = prose["findings"].passage("gain", NUMBERS)
    assert said.title == "The scheme gains 12 %"
    assert said.text == "At 2 places it has more: near and far."
    assert prose["findings"].passage("gain", {**NUMBERS, "percent": -1}).text.count("less") == 1
    assert prose["findings"].title == "Beyond the paper"


def test_sections_of_one_id_and_without_a_title_are_told_in_order(prose: Prose) -> None:
    said = prose["findings"].passages(NUMBERS)
    assert [(one.id, one.title, one.text) for one in said[1:]] == [
        ("nothing", "", "It is over."),
        ("nothing", "with a title: twice", "Again."),
    ]


def test_a_placeholder_without_its_number_is_an_error_also_in_a_branch_not_taken(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.md").write_text("# A\n\n## one\n{% if few %}{{ most }}{% else %}no{% endif %}\n")
    with pytest.raises(ProseError, match=r"a\.md, section one: the text names most"):
        Prose(tmp_path)["a"].passage("one", {"few": False})


def test_a_number_that_nothing_says_is_an_error(prose: Prose) -> None:
    with pytest.raises(
        ProseError, match="section gain: the text does not use the numbers left, right"
    ):
        prose["findings"].passage("gain", {**NUMBERS, "right": 1, "left": 2})
    with pytest.raises(ProseError, match=r"findings\.md: the text does not use the numbers left"):
        prose["findings"].passages({**NUMBERS, "left": 2})


def test_a_section_that_is_not_there_is_an_error(prose: Prose) -> None:
    with pytest.raises(ProseError, match="section loss: this section is missing"):
        prose["findings"].passage("loss")


def test_a_mistake_in_a_template_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\n## open\n{{ x\n\n## part\n{{ x.y }}\n")
    for section, words in (("open", "unexpected end"), ("part", "no attribute 'y'")):
        with pytest.raises(ProseError, match=rf"a\.md, section {section}: .*{words}"):
            Prose(tmp_path)["a"].passage(section, {"x": {}})


def test_a_list_has_names_values_and_sources(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# A\n\n## list\n\n- **range**: {{ m }} m\n  in the open — §4; in part\n- **ARF**: it: falls\n"
        "\n## wrong\n\n- ARF: falls\n"
    )
    said = Prose(tmp_path)["a"].by_id({"m": 9})
    assert [(one.name, one.value, one.source) for one in said["list"].items] == [
        ("range", "9 m in the open", "§4; in part"),
        ("ARF", "it: falls", ""),
    ]
    with pytest.raises(ProseError, match='wrong: "- ARF: falls"; allowed is'):
        _ = said["wrong"].items


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("{{ x }}", "-1.500 to 6.500"),
        ("{{ x | digits(1) }}, {{ 2.0 | digits(3) }}", "2.5, 2.000"),
        ("{{ x | signed(0) }}, {{ -1 | signed(1) }}", "+2, -1.0"),
        ("{{ x | interval(1) }}, {{ x | change(1) }}", "2.5 ± 4.0, +2.5 ± 4.0"),
        ("{{ 0.0512 | percent }}, {{ 0.0512 | percent(1) }}", "5%, 5.1%"),
        ("{{ 5.50 | significant }}, {{ 0.0123 | significant(2) }}", "5.5, 0.012"),
    ],
)
def test_a_text_says_how_many_digits_a_number_has(tmp_path: Path, words: str, said: str) -> None:
    (tmp_path / "a.md").write_text(f"# A\n\n## one\n{words}\n")
    text = Prose(tmp_path)["a"]
    numbers = {"x": Estimate(2.5, 4.0)} if "x" in words else {}
    assert text.passage("one", numbers).text == said


@pytest.mark.parametrize("paper_id", papers())
def test_the_texts_of_a_paper_are_those_of_its_experiments_and_claims(paper_id: str) -> None:
    paper = load(paper_id)
    assert paper.prose["experiments"].ids == list(paper.experiments)
    assert all(experiment.title for experiment in paper.experiments.values())
    assert set(paper.reasons) <= set(paper.claim_texts())
    for reasons in paper.reasons.values():
        assert all(reason.text.endswith(".") for reason in reasons)
    assert paper.title
    assert paper.bounds.endswith(".")
    assert paper.units.endswith(".")
    names = {path.stem for path in paper.prose.directory.iterdir()}
    assert names - {"reasons"} == {"introduction", "experiments", "figures", "findings"}
