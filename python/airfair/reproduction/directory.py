"""Papers of the user: a directory with scenarios, studies, printed values and claims.

`paper.toml` has the title and other data of the paper. Each `NAME.study.toml` is one of its experiments:
factors, measures, printed values, figures and claims. An optional `figures.py` draws other figures.
"""

from __future__ import annotations

import glob
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair.archive.packed import pack
from airfair.experiment.claims import Predicate, Reading, Reason
from airfair.experiment.conditions import Condition
from airfair.experiment.decisions import Claim
from airfair.experiment.errors import StudyError
from airfair.experiment.study import Study
from airfair.experiment.study_file import read, study
from airfair.experiment.study_values import TEXT, WHOLE, names_of, table
from airfair.replacing import note_input

from .introduction import Introduction
from .paper import Data, Drawing, Experiment, Paper, Shown
from .prose import Passage
from .studies import SUFFIX, of_study
from .tables import Column, Table, TableCell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airfair._core import Scenario
    from airfair.experiment.axes import FigureOf
    from airfair.experiment.results import ExperimentResult
    from airfair.law_use import LawUse
    from airfair.result import Result

PAPER = "paper.toml"
DRAWN = "figures.py"
REPLICATIONS = 10
"""Default number of runs of each point."""


@dataclass(frozen=True)
class Kept:
    """Finished runs of one point."""

    scenario: Scenario
    packed: list[bytes]
    laws: Sequence[LawUse]

    @classmethod
    def of(cls, result: Result) -> Kept:
        """Runs kept from a result."""
        packed = [pack(outcome.to_bytes()) for outcome in result.outcomes]
        return cls(result.scenario, packed, result.laws)


def is_paper(path: Path) -> bool:
    """True if a path is the directory of a paper."""
    return (path / PAPER).is_file()


def load(directory: Path) -> Paper[Kept]:
    """Paper declared in a directory.

    Raises `StudyError` with all mistakes in its files, `ScenarioError` with those of a scenario, and
    `OSError` if a file cannot be read.
    """
    about = _about(directory)
    note_input(directory / DRAWN)
    studies, problems = {}, []
    for path in sorted(directory.glob(f"*{SUFFIX}")):
        try:
            studies[path.name.removesuffix(SUFFIX)] = study(read(path), path)
        except StudyError as error:
            problems += error.problems
    if not studies and not problems:
        problems.append(f"{directory}: has no study; allowed is at least one file NAME{SUFFIX}")
    problems += _doubles(studies)
    if problems:
        raise StudyError(*problems)
    claims = [(id_, claim) for id_, one in studies.items() for claim in one.experiment.claims]
    return Paper(
        id=directory.resolve().name,
        title=about["title"],
        reference={"claims": [{"id": c.id, "text": c.text or c.in_words} for _, c in claims]},
        setups={setup.id: setup for one in studies.values() for setup in of_study(one)},
        experiments={
            id_: Experiment(
                id_,
                one.experiment.title,
                _setups_of(one),
                _Showing(id_, one, directory),
                about.get("statements", {}).get(id_, ""),
            )
            for id_, one in studies.items()
        },
        measure=Kept.of,
        predicates=tuple(_predicate(studies[id_], claim) for id_, claim in claims),
        searches=(),
        bounds="Each claim has the bounds that its study declares.",
        units="Units are in the headings.",
        reasons={id_: [Reason(text)] for id_, text in about.get("reasons", {}).items()},
        introduction=Introduction(
            source=about.get("source", ""),
            scheme=about.get("scheme", ""),
            topology=None,
            parameters=(),
            abbreviations={},
            lead=[name for id_, one in studies.items() for name in _names(id_, one)][:1],
            shows=None,
        ),
        figures=tuple(_figures(directory, studies)),
        replications=about.get("replications", REPLICATIONS),
        quick_replications=min(5, about.get("replications", REPLICATIONS)),
    )


_ABOUT = table(
    "Paper.",
    ("title",),
    title=TEXT,
    source=TEXT,
    scheme=TEXT,
    replications=WHOLE,
    statements=names_of("Statements of the paper by experiment.", TEXT),
    reasons=names_of("Reasons why claims do not hold.", TEXT),
)


def _about(directory: Path) -> dict[str, Any]:
    """Content of `paper.toml`."""
    path = directory / PAPER
    content = read(path)
    try:
        about: dict[str, Any] = _ABOUT.read("", content)
    except StudyError as error:
        raise StudyError(*(f"{path}: {problem}" for problem in error.problems)) from error
    return about


def _doubles(studies: Mapping[str, Study]) -> list[str]:
    """Ids that claims of different studies share."""
    homes: dict[str, list[str]] = {}
    for id_, one in studies.items():
        for claim in one.experiment.claims:
            homes.setdefault(claim.id, []).append(id_)
    return [
        f"claim {id_}: both {' and '.join(of)} have a claim of this name; allowed is one"
        for id_, of in homes.items()
        if len(of) > 1
    ]


def results(one: Study, data: Data[Kept]) -> ExperimentResult:
    """Result of a study from the finished runs of a paper."""
    from airfair.experiment.results import ExperimentResult, Spent
    from airfair.experiment.runs import Runs

    points = one.experiment.points
    kept = [data[one.names(point)] for point in points]
    runs = Runs(
        points,
        [each.scenario for each in kept],
        [each.packed for each in kept],
        [each.laws for each in kept],
    )
    return ExperimentResult(
        one.experiment.title,
        one.experiment.factors,
        runs,
        Spent(),
        claims=one.experiment.claims,
        seed=one.experiment.seed,
    )


def _predicate(one: Study, claim: Claim) -> Predicate[Data[Kept]]:
    keys = [one.names(point) for point in one.experiment.points]

    def points(data: Data[Kept]) -> Sequence[Condition]:
        return claim.points(results(one, data), key=keys.__getitem__)

    return Predicate(claim.id, Reading("as declared", _setups_of(one), points))


def _setups_of(one: Study) -> tuple[str, ...]:
    """Ids of the setups of the points of a study."""
    return tuple(dict.fromkeys(one.names(point)[0] for point in one.experiment.points))


# ------------------------------------------------------------------ what is shown


def _names(id_: str, one: Study) -> list[str]:
    return [f"{id_}-{figure.id}" for figure in one.pictures()]


def _figures(directory: Path, studies: Mapping[str, Study]) -> Iterator[str]:
    """Patterns of the names of all figures."""
    has_own = (directory / DRAWN).is_file()
    for id_, one in studies.items():
        yield from (f"{glob.escape(id_)}-*",) if has_own else map(glob.escape, _names(id_, one))


@dataclass(frozen=True)
class _Showing:
    """Function that makes tables and figures of a study from its finished runs."""

    id: str
    study: Study
    directory: Path

    def __call__(self, data: Data[Kept]) -> Shown:
        from airfair.experiment.text import measures

        found = results(self.study, data)
        table = _table(self.id, self.study, found)
        drawings = {
            name: self._drawn(figure, found)
            for name, figure in zip(_names(self.id, self.study), self.study.pictures(), strict=True)
        }
        drawings |= self._own(found)
        printed = {name: list(values) for name, values in self.study.printed.items()}
        measured = found.summary(*measures(self.study)).to_dicts()
        return Shown([], printed or None, {"points": measured}, [table], drawings)

    def _drawn(self, figure: FigureOf, found: ExperimentResult) -> Drawing:
        from airfair.experiment.plot import drawn

        title = figure.heading
        said = Passage(figure.id, title, figure.caption or f"{title}.")
        return Drawing(drawn(found, figure), wide=True, said=said)

    def _own(self, found: ExperimentResult) -> dict[str, Drawing]:
        """Figures by name, from the function `draw(study, results)` of `figures.py`."""
        path = self.directory / DRAWN
        if not path.is_file():
            return {}
        spec = importlib.util.spec_from_file_location(f"figures of {self.directory.name}", path)
        if spec is None or spec.loader is None:
            raise StudyError(f"{path}: cannot be loaded as a Python module")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        draw = getattr(module, "draw", None)
        if not callable(draw):
            raise StudyError(
                f"{path}: the function draw(study, results), which returns figures by name, is missing"
            )
        own: Mapping[str, Figure] = draw(self.id, found)
        return {
            f"{self.id}-{name}": Drawing(one, wide=True, said=Passage(name, name, ""))
            for name, one in own.items()
        }


def _table(id_: str, one: Study, found: ExperimentResult) -> Table:
    """Table of the measures at all points, with printed values where they exist."""
    from airfair.experiment.text import measures

    columns = []
    for of in measures(one):
        factor, unit = of.shown
        each = [samples.estimate.times(factor) for samples in found.samples(of)]
        printed = chain(one.printed.get(str(of), one.printed.get(of.name, ())), repeat(None))
        cells = [
            TableCell(*both, _digits(both[0].mean)) for both in zip(each, printed, strict=False)
        ]
        columns.append(Column(f"{of.name}, {unit}" if unit else of.name, cells))
    rows = [", ".join(map(str, point.labels.values())) or "all" for point in found.finished.points]
    return Table(id_, one.experiment.title, rows, columns)


def _digits(mean: float) -> int:
    ten, hundred = 10, 100
    return 3 if abs(mean) < 1 else 2 if abs(mean) < ten else 1 if abs(mean) < hundred else 0
