"""Tests of study files: the experiment that a file declares, and the report of all its errors at once."""

from __future__ import annotations

import contextlib
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import airfair
from airfair.experiment import designs, plot, study_file
from airfair.experiment.draws import Choice
from small_experiments import CELL

WHOLE = """
title = "All of it"
scenario = "cell.toml"
replications = { until = "goodput", half_width = 0.5, relative = true, least = 2, most = 4 }
measures = ["goodput", "delay_p95[a]"]
seed = 7
common_random_numbers = true

[about]
whatever = 1

[set]
"station.*.queue.packets" = 40

[draw]
"station.fast.queue.packets" = { choice = [30, 40] }
"flow.b.start" = { between = ["0 ms", "9 ms"] }

[factors]
"station.slow.rate" = ["1 Mb/s", "2 Mb/s"]
scheme = { plain = {}, short = { "station.slow.queue.packets" = 5 } }

[compare.scheme]
baseline = "plain"
measures = ["goodput", "min goodput"]

[figures.goodput]
x = "station.slow.rate"
y = "min goodput"
by = "scheme"
title = "A figure"
caption = "What it shows."

[figures.panels]
panel = "scheme"

[figures.held]
at = { scheme = "plain" }

[claims.much]
text = "There is much."
measure = "goodput"
at = { scheme = ["plain", "short"], "station.slow.rate" = "1 Mb/s" }
above = 1

[claims.same]
measure = "goodput"
factor = "scheme"
level = "short"
baseline = "plain"
form = "ratio"
word = "roughly"
target = 1.0
"""


def write(folder: Path, text: str, name: str = "study.toml") -> Path:
    (folder / "cell.toml").write_text(CELL, encoding="utf-8")
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str) -> list[str]:
    """Errors of a study file, without the path in front."""
    path = write(folder, text)
    with pytest.raises(airfair.StudyError) as caught:
        airfair.load_study(path)
    assert all(problem.startswith(f"{path}: ") for problem in caught.value.problems)
    return [problem.removeprefix(f"{path}: ") for problem in caught.value.problems]


def test_a_study_can_say_all_that_an_experiment_can(tmp_path: Path) -> None:
    made = airfair.load_study(write(tmp_path, WHOLE))
    exp = made.experiment
    assert (exp.title, exp.seed, exp.size) == ("All of it", 7, 4)
    assert exp.replications == airfair.until("goodput", half_width=0.5, least=2, most=4)
    assert isinstance(exp.draw, dict)
    assert exp.draw["station.fast.queue.packets"] == Choice((30, 40))
    assert [claim.id for claim in exp.claims] == ["much", "same"]
    assert exp.claims[0] == airfair.claim(
        "much",
        "goodput",
        text="There is much.",
        at={"scheme": ["plain", "short"], "station.slow.rate": "1 Mb/s"},
        above=1,
    )
    assert [str(one) for one in made.measures] == ["goodput_bps", "delay_p95_ms[a]"]
    assert [one.x for one in made.pictures()] == ["station.slow.rate"] * 3
    result = exp.run(store=None, progress=False)
    for one in made.pictures():
        assert plot.drawn(result, one).axes
    (compared,) = made.comparisons
    assert result.compare(compared.factor, compared.baseline, compared.measures).height == 4


def test_a_study_and_the_same_experiment_in_python_give_the_same_tables(tmp_path: Path) -> None:
    text = 'scenario = "cell.toml"\nreplications = 2\n[factors]\n"station.slow.rate" = ["1 Mb/s"]'
    of_file = airfair.load_study(write(tmp_path, text)).experiment
    here = airfair.Experiment(
        tmp_path / "cell.toml", factors={"station.slow.rate": ["1 Mb/s"]}, replications=2
    )
    tables = [each.run(store=None, progress=False).flows for each in (of_file, here)]
    assert tables[0].equals(tables[1])


def test_a_study_can_hold_its_scenario_whose_files_are_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "rates.csv").write_text("time_s,rate\n0,1 Mb/s\n", encoding="utf-8")
    body = re.sub(r"^\[", "[scenario.", CELL, flags=re.MULTILINE)
    path = tmp_path / "sub" / "study.toml"
    path.write_text(f"replications = 1\n[scenario]\n{body}", encoding="utf-8")
    assert airfair.load_study(path).experiment.title == "One slow station drags the fast one down"
    wrong = body.replace('rate = "1 Mb/s"', 'rate = "1 Mb/s"\nerrors = { trace = "loss.csv" }')
    path.write_text(f"replications = 1\n[scenario]\n{wrong}", encoding="utf-8")
    with pytest.raises(airfair.ScenarioError) as caught:
        airfair.load_study(path)
    assert all("study.toml" not in problem for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("design", "size"),
    [
        ('design = "grid"', 2),
        ('design = [{ "station.slow.rate" = "1 Mb/s" }]', 1),
        ('design = { kind = "random", points = 9, seed = 3 }', 9),
        ('design = { kind = "latin-hypercube", points = 4 }', 4),
        ('design = { kind = "sobol", points = 8 }', 8),
    ],
)
def test_a_design_is_a_word_a_list_or_a_table(tmp_path: Path, design: str, size: int) -> None:
    text = f'scenario = "cell.toml"\n{design}\nfactors."station.slow.rate" = ["1 Mb/s", "2 Mb/s"]'
    assert airfair.load_study(write(tmp_path, text)).experiment.size == size


def test_a_range_is_a_table(tmp_path: Path) -> None:
    text = """
        scenario = "cell.toml"
        design = { kind = "sobol", points = 4 }
        [factors."station.slow.queue.packets"]
        between = [1, 100]
        scale = "log"
    """
    exp = airfair.load_study(write(tmp_path, text)).experiment
    assert exp.factors[0].range == airfair.between(1, 100, scale="log")
    assert isinstance(exp.design, designs.Sampled)


def test_all_mistakes_of_a_study_come_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        """
        scenario = "nowhere.toml"
        replication = 5
        replications = "many"
        measures = ["godput", 5]
        seed = 1.5
        design = "latin"
        common_random_numbers = "yes"
        title = 5

        [set]
        duration = 1979-05-27

        [factors]
        rate = 5
        scheme = { plain = 1 }
        wide = { between = [1], scal = "log" }

        [draw]
        x = { choic = [1] }

        [compare.schema]
        baselin = "plain"
        measures = []

        [figures.delay]
        z = 1
        at = { scheme = ["a", "b"] }
        y = "dely_p95"

        [figures."../../out"]

        [claims.one]
        above = "1"

        [claims.two]
        measure = "goodput"
        word = "similar"
        form = 5
        """,
    )
    assert [problem.split(":")[0] for problem in found] == [
        "replications",
        "factors.rate",
        "factors.scheme.plain",
        "factors.wide.between",
        "factors.wide.scal",
        "design",
        "draw.x.choic",
        "draw.x.choice",
        "seed",
        "common_random_numbers",
        "claims.one.above",
        "claims.one.measure",
        "claims.two.word",
        "claims.two.form",
        "title",
        "compare.schema.baselin",
        "compare.schema.measures",
        "compare.schema.baseline",
        "figures.delay.z",
        "figures.delay.at.scheme",
        "figures.../../out",
        "measure 'godput'",
        "measures",
        "replication",
        "set",
    ]
    assert 'replication: unknown key, did you mean "replications"?' in found


def test_mistakes_of_the_scenario_stand_beside_those_of_the_study(tmp_path: Path) -> None:
    path = write(tmp_path, 'scenario = "cell.toml"\nreplications = 0.5')
    (tmp_path / "cell.toml").write_text(CELL.replace('"1 Mb/s"', '"3 Mb/s"'), encoding="utf-8")
    with pytest.raises(airfair.StudyError) as caught:
        airfair.load_study(path)
    first, second = caught.value.problems
    assert first.startswith(f"{path}: replications: 0.5")
    assert second.startswith(f"{path}: scenario: station.slow.rate")
    path.write_text('scenario = "cell.toml"', encoding="utf-8")
    with pytest.raises(airfair.ScenarioError, match=r"^station\.slow\.rate"):
        airfair.load_study(path)
    path.write_text('scenario = "gone.toml"', encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=r"gone\.toml"):
        airfair.load_study(path)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "scenario: missing; allowed is a path"),
        ("scenario = 5", "scenario: 5; allowed is a path"),
        ('scenario = ""', "scenario: ''; allowed is a path"),
        ('scenario = "cell.toml"\nfactors = 5', "factors: 5; allowed is a table"),
        ('scenario = "cell.toml"\nfactors.x = []', "factor x: has no levels"),
        ('scenario = "cell.toml"\nfactors.x = [1, 1]', "factor x: has the level 1 twice"),
        ('scenario = "cell.toml"\nfactors.x = [nan]', "factor x: nan; allowed are finite numbers"),
        ('scenario = "cell.toml"\nfactors.x = [1979-05-27]', "factor x: "),
        (
            'scenario = "cell.toml"\nfactors.flow = { a = {} }',
            "flow: a column of the tables has this name",
        ),
        ('scenario = "cell.toml"\nfactors.x = { a = { "flow.q*.start" = 1 } }', "matches no flow"),
        ('scenario = "cell.toml"\nseed = 1\nset.seed = 5', "seed: cannot be set as a key"),
        ('scenario = "cell.toml"\nreplications = 0', "replications: 0; allowed is 1 or more"),
        ('scenario = "cell.toml"\nreplications = true', "allowed is a whole number"),
        ('scenario = "cell.toml"\nreplications = {}', "replications.until: missing"),
        (
            'scenario = "cell.toml"\nreplications = { until = "goodput" }',
            "replications.half_width: missing",
        ),
        (
            'scenario = "cell.toml"\nreplications = { until = "decided", half_width = 1 }',
            "claims have bounds",
        ),
        (
            'scenario = "cell.toml"\nreplications = { until = "decided" }',
            "the study has no claims",
        ),
        (
            'scenario = "cell.toml"\nreplications = { until = "goodput[q]", half_width = 1 }',
            "matches no flow",
        ),
        (
            'scenario = "cell.toml"\nmeasures = ["goodput[q]"]',
            "measures: goodput_bps[q]: matches no flow",
        ),
        ('scenario = "cell.toml"\ncompare.x.baseline = 1', "compare.x: unknown factor x"),
        ('scenario = "cell.toml"\nfigures.a.x = "q"', "figures.a: unknown factor q"),
        ('scenario = "cell.toml"\nfigures.a = {}', "figures.a: every factor is already used"),
        ('scenario = "cell.toml"\nclaims.a = { measure = "goodput" }', "claim a: has no bound"),
        ('scenario = "cell.toml"\nclaims.a = { above = 1 }', "claims.a.measure: missing"),
        (
            'scenario = "cell.toml"\nclaims.a = { measure = "goodput", above = nan }',
            "allowed are numbers",
        ),
        (
            'scenario = "cell.toml"\ndesign = { kind = "sobol", points = 4, seed = -1 }\nfactors.x.a = {}',
            "seed -1",
        ),
        (
            'scenario = "cell.toml"\ndesign = { kind = "sobol" }',
            "design.points: missing; allowed is a whole number",
        ),
        ('scenario = "cell.toml"\ndesign = [5]', "design: 5; allowed is a table"),
        ('scenario = "cell.toml"\n[claims.a]\n[claims.a]', "twice"),
        ("a = 1\nscenario = x", "line 2"),
        ("a = 1\na = 2", "overwrite"),
    ],
)
def test_a_mistake_says_where_it_is_and_what_is_allowed(
    tmp_path: Path, text: str, wrong: str
) -> None:
    assert wrong in "\n".join(problems(tmp_path, text))


def test_what_is_no_text_or_too_large_is_no_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(airfair.StudyError, match="not valid UTF-8"):
        airfair.load_study(path)
    monkeypatch.setattr(study_file, "LARGEST", 10)
    path.write_bytes(b"#" * 11)
    with pytest.raises(airfair.StudyError, match="too large; allowed are 10 octets"):
        airfair.load_study(path)
    with pytest.raises(IsADirectoryError):
        airfair.load_study(tmp_path)


def test_what_is_wrong_with_figures_is_told_before_anything_runs(tmp_path: Path) -> None:
    levels = ", ".join(f"l{i} = {{}}" for i in range(6))
    found = problems(
        tmp_path,
        f"""
        scenario = "cell.toml"
        [factors]
        "station.slow.rate" = ["1 Mb/s", "2 Mb/s"]
        many = {{ {levels} }}
        [figures]
        free = {{}}
        lines = {{ by = "many", x = "station.slow.rate" }}
        twice = {{ x = "many", by = "many" }}
        panels = {{ x = "many", panel = "station.slow.rate" }}
        """,
    )
    assert [problem.split(":")[0] for problem in found] == [
        "figures.free",
        "figures.lines",
        "figures.twice",
        "figures.twice",
        "figures.twice",
        "figures.panels",
    ]


def test_a_study_without_figures_gets_one_that_can_be_drawn_or_none(tmp_path: Path) -> None:
    def drawn(factors: str, design: str = "") -> list[tuple[str | None, str | None]]:
        text = f'scenario = "cell.toml"\nreplications = 1\n{design}\n[factors]\n{factors}'
        made = airfair.load_study(write(tmp_path, text))
        result = made.experiment.run(store=None, progress=False)
        for one in made.pictures():
            plot.drawn(result, one)
        return [(one.x, one.by) for one in made.pictures()]

    many = '"station.slow.queue.packets" = [2, 3, 4, 5, 6, 7]'
    rate = '"station.slow.rate" = ["1 Mb/s", "2 Mb/s"]'
    packets = "station.slow.queue.packets"
    assert drawn("") == []
    assert drawn(rate) == [("station.slow.rate", None)]
    assert drawn(f"{many}\n{rate}") == [(packets, "station.slow.rate")]
    assert drawn(f"{rate}\n{many}") == [(packets, "station.slow.rate")]
    both = f'{many}\n"station.fast.queue.packets" = [2, 3, 4, 5, 6, 7]'
    assert drawn(both) == []
    ranges = "x = { between = [1, 9] }\ny = { between = [1, 9] }".replace("x =", f'"{packets}" =')
    ranges = ranges.replace("y =", '"station.fast.queue.packets" =')
    assert drawn(ranges, 'design = { kind = "sobol", points = 8 }') == []


_LEAF = st.one_of(
    st.dates(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["goodput", "cell.toml", "station.slow.rate", "1 Mb/s", "decided", "grid"]),
)
_ANY = st.recursive(
    _LEAF,
    lambda each: (
        st.lists(each, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["between", "choice", "until", "measure", "above", "x", "by", "kind", "points", "a"]
            ),
            each,
            max_size=3,
        )
    ),
    max_leaves=6,
)
_KEYS = [
    *("scenario", "replications", "factors", "design", "set", "draw", "seed", "title", "claims"),
    *("compare", "figures", "measures", "common_random_numbers", "quick", "printed", "other"),
]


@settings(max_examples=60)
@given(document=st.dictionaries(st.sampled_from(_KEYS), _ANY, max_size=4))
def test_whatever_a_document_says_it_is_a_study_or_has_mistakes_in_words(
    document: dict[str, Any],
) -> None:
    folder = Path(__file__).parent
    whole = {"scenario": _cell(), **document}
    with contextlib.suppress(airfair.StudyError, airfair.ScenarioError, OSError):
        assert study_file.study(whole, folder / "study.toml", replications=1).experiment.size >= 1


def _cell() -> dict[str, Any]:
    return tomllib.loads(CELL)


def test_infinity_is_no_bound(tmp_path: Path) -> None:
    text = 'scenario = "cell.toml"\nclaims.a = { measure = "goodput", above = inf }'
    assert "above must be smaller than below" in problems(tmp_path, text)[0]
    assert math.isinf(airfair.claim("a", "goodput", above=1).below)


STUDIES = Path(__file__).resolve().parents[3] / "docs/studies.md"


@pytest.mark.parametrize(
    ("section", "text"),
    [
        ("Keys", "zzzz = 1"),
        ("Replications", "replications = { zzzz = 1 }"),
        ("Draws", "draw.x = { zzzz = 1 }"),
        ("Designs", "design = { zzzz = 1 }"),
        ("Comparisons", "compare.x = { zzzz = 1 }"),
        ("Figures", "figures.x = { zzzz = 1 }"),
        ("Claims", "claims.x = { zzzz = 1 }"),
    ],
)
def test_every_key_stands_in_the_docs(tmp_path: Path, section: str, text: str) -> None:
    found = problems(tmp_path, f'scenario = "cell.toml"\n{text}')
    (keys,) = [
        problem.partition("; allowed ")[2] for problem in found if "zzzz: unknown" in problem
    ]
    docs = STUDIES.read_text(encoding="utf-8").partition(f"## {section}\n")[2].partition("\n## ")[0]
    assert keys
    assert [key for key in keys.split(", ") if not re.search(rf"\b{key}\b", docs)] == []


def test_the_first_study_of_the_docs_is_one(tmp_path: Path) -> None:
    (text, *_) = re.findall(r"```toml\n(.*?)```", STUDIES.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "cell.toml").write_text(CELL.replace("flow.a", "flow.fast"), encoding="utf-8")
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    assert airfair.load_study(path).experiment.size == 6


def test_figures_may_be_boxes_and_distributions(tmp_path: Path) -> None:
    text = (
        'scenario = "cell.toml"\nreplications = 3\n[factors]\n'
        '"station.slow.rate" = ["1 Mb/s", "2 Mb/s"]\n'
        'scheme = { plain = {}, short = { "station.*.queue.packets" = 5 } }\n'
        '[figures.spread]\nkind = "boxes"\nby = "scheme"\n'
        '[figures.share]\nkind = "cdf"\nat = { scheme = "plain" }\ny = "delay_p95[a]"\n'
    )
    made = airfair.load_study(write(tmp_path, text))
    spread, share = made.pictures()
    assert (spread.x, spread.heading) == ("station.slow.rate", "goodput over station.slow.rate")
    assert (share.x, share.heading) == (None, "delay_p95[a] by station.slow.rate")
    results = made.experiment.run(store=None, progress=False)
    (axes,) = plot.drawn(results, spread).axes
    assert len(axes.patches) == 4
    (axes,) = plot.drawn(results, share).axes
    assert axes.get_ylabel() == "runs [%]"


@pytest.mark.parametrize(
    ("figure", "wrong"),
    [
        ('kind = "violin"', "figures.one.kind: 'violin'; allowed means, boxes, cdf"),
        (
            'kind = "cdf"\nx = "scheme"',
            "figures.one: x = scheme: a figure of kind cdf has none; allowed by",
        ),
        (
            'kind = "boxes"\npanel = "scheme"',
            "figures.one: panel = scheme: a figure of kind boxes has none; allowed x, by",
        ),
        (
            'kind = "boxes"\nby = "scheme"\nprinted = [1.0]',
            "figures.one: printed: a figure of kind boxes has none; allowed with means alone",
        ),
        (
            'kind = "cdf"',
            (
                'figures.one: scheme varies too; choose one level (at={"scheme": …}), '
                "or name the factor as by"
            ),
        ),
    ],
)
def test_a_figure_that_its_kind_does_not_allow_is_an_error(
    tmp_path: Path, figure: str, wrong: str
) -> None:
    text = (
        'scenario = "cell.toml"\n[factors]\n"station.slow.rate" = ["1 Mb/s", "2 Mb/s"]\n'
        'scheme = { plain = {}, short = { "station.*.queue.packets" = 5 } }\n'
        f"[figures.one]\n{figure}\n"
    )
    assert problems(tmp_path, text) == [wrong]
