"""Declaration of a paper: scenario files and their variants, experiments, claims, findings.

A paper is a module of `airfair.reproduction.papers` with a function `paper(directory)` that returns a
`Paper`; `directory` holds its scenario files, `reference.toml`, `report.toml` and its prose. No other module
refers to it.
"""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from airfair.archive import Job
from airfair.experiment import law_keys
from airfair.experiment.claims import Predicate, Readings, Reason

from .history import History
from .introduction import Introduction
from .prose import Numbers, Passage, Prose
from .tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airfair import experiment
    from airfair._core import Scenario
    from airfair.experiment.factors import Label
    from airfair.experiment.keys import Keys
    from airfair.experiment.points import Point
    from airfair.result import Result
    from airfair.scenario import Value

    from .calibration import Candidate

Json = dict[str, Any]
"""Document parsed from TOML or JSON."""

M = TypeVar("M")
"""Type of a paper's measurements of one variant (a subclass of `measured.Columns`)."""

Data = Mapping[tuple[str, str], M]
"""Measurements by (setup, variant)."""


Draw = Callable[[Mapping[str, "Label"], int], "Keys"]
"""Function from the labels of a point and a replication's number to randomly drawn keys."""


@dataclass(frozen=True)
class Variant:
    """Point of an experiment, with its name in the setup."""

    id: str
    experiment: experiment.Experiment
    point: Point
    own: Draw | None = None
    """Function of the paper that draws keys, equal for variants to be compared."""

    @property
    def set(self) -> Keys:
        """Keys to set, as with `airfair run FILE --set KEY=VALUE`."""
        return self.experiment.keys(self.point, more=self._own(0, {}))

    @property
    def draw(self) -> Callable[[int], Keys] | None:
        """Function from a replication's number to all keys; `None` if none is drawn at random."""
        if self.own is None and self.experiment.draw is None:
            return None
        return lambda number: self.experiment.keys(self.point, number, self._own(number, {}))

    def _own(self, replication: int, quick: Keys) -> Keys:
        return {**(self.own(self.point.labels, replication) if self.own else {}), **quick}

    def job(self, replication: int, quick: Keys, first: Scenario | None = None) -> Job:
        """Run of a replication with the keys of `quick`; `first` is the scenario of the first one."""
        laws = self.experiment.laws_at(self.point, replication)
        if first is None or (replication > 0 and self.draw):
            more = self._own(replication, quick)
            first = self.experiment.scenario(self.point, replication, more)
            law_keys.check_nodes(laws, first)
        return Job(first, replication, laws)


@dataclass(frozen=True)
class Setup:
    """Scenario file and its variants, which run with the same seeds and can be compared in pairs."""

    id: str
    path: Path
    variants: tuple[Variant, ...]
    quick: Keys = field(default_factory=dict)
    """Keys to set in a quick run."""
    replications: int | None = None
    """Number of runs of each variant; by default the paper's."""
    extension: bool = False
    """True if no claim needs it, so that a quick run leaves it out."""


@dataclass(frozen=True)
class Drawing:
    """Figure with the numbers of its caption."""

    figure: Figure
    numbers: Numbers = field(default_factory=dict)
    """Numbers for the caption in `text/figures.md`."""
    wide: bool = False
    """True if the figure takes the whole width of the page."""
    beyond: bool = False
    """True if the figure is not one of the paper's own."""
    said: Passage | None = None
    """Title and caption, if they are not in `text/figures.md`."""


@dataclass(frozen=True)
class Shown:
    """Figures, tables and series of the finished runs of an experiment."""

    series: Sequence[Json]
    paper_values: Json | None
    measured: Json
    tables: Sequence[Table] = ()
    drawings: Mapping[str, Drawing] = field(default_factory=dict)

    def and_also(self, tables: Sequence[Table], drawings: Mapping[str, Drawing]) -> Self:
        """The same with more tables and figures, of setups that a quick run leaves out."""
        return replace(self, tables=[*self.tables, *tables], drawings={**self.drawings, **drawings})


@dataclass(frozen=True)
class Experiment(Generic[M]):
    """Experiment of a paper: one of its tables or figures."""

    id: str
    title: str
    setups: tuple[str, ...]
    """Setups whose runs the experiment needs."""
    show: Callable[[Data[M]], Shown]
    statement: str = ""
    """Statement about the experiment in the text of the paper."""


@dataclass(frozen=True)
class Finding:
    """Finding: a result of the runs that the paper does not have."""

    title: str
    text: str
    tables: Sequence[Table] = ()
    candidates: Sequence[Candidate] = ()


@dataclass(frozen=True)
class Found:
    """Numbers for the text of a finding, and its tables."""

    numbers: Numbers
    tables: Sequence[Table] = ()
    candidates: Sequence[Candidate] = ()
    """Candidates of the calibration, if the finding is about these."""


@dataclass(frozen=True)
class Search(Generic[M]):
    """Function that computes a finding, and the setups that it needs."""

    id: str
    """Section of `text/findings.md` with its text."""
    setups: tuple[str, ...]
    find: Callable[[Data[M]], Found] | None = None
    """`None` if the text itself reads the runs, as `runs(setup, variant)`."""


@dataclass(frozen=True)
class Paper(Generic[M]):
    """Declaration of a paper."""

    id: str
    title: str
    reference: Json
    """Printed tables and claims."""
    setups: Mapping[str, Setup]
    experiments: Mapping[str, Experiment[M]]
    measure: Callable[[Result], M]
    """Function from the result of a variant to its measurements."""
    predicates: tuple[Predicate[Data[M]], ...]
    searches: tuple[Search[M], ...]
    bounds: str
    """Text for reports on the bounds of the claims."""
    units: str
    """Text for reports on the units of the tables."""
    calibration: Search[M] | None = None
    """Search that calibrates the settings that the paper leaves open (`calibration`)."""
    places: Readings | None = None
    """Result of the calibration when the plan was made, by labels of candidates; a test compares it with the
    recorded runs."""
    reasons: Mapping[str, Sequence[Reason]] = field(default_factory=dict)
    """Explanations why claims do not hold, by id; `docs/<paper>.md` describes how they were found."""
    schemes: Mapping[str, Value] = field(default_factory=dict)
    """Keys that variants set, by label, for reports that do not list all variants."""
    introduction: Introduction | None = None
    """Introduction of the paper's report."""
    prose: Prose = field(default_factory=Prose)
    """Texts of the paper's figures and findings."""
    replications: int = 100
    quick_replications: int = 5
    history: History = field(default_factory=History)
    """Choices made after results were known, with the earlier verdicts."""
    figures: tuple[str, ...] = ()
    """Patterns of the names of figures that are not in `text/figures.md`."""
    is_own: bool = False
    """True for a study of the project itself, without a published paper."""
    page: str = ""
    """Name of the page in `docs`, if it differs from the id."""

    @classmethod
    def of(
        cls,
        directory: Path,
        picture: Callable[[Any], Numbers],
        shows: Mapping[str, tuple[Iterable[str], Callable[[Data[M]], Shown]]],
        numbers: Numbers | None = None,
        rates: Numbers | None = None,
        **declared: Any,  # noqa: ANN401 - other fields
    ) -> Self:
        """Paper with the printed values and the texts in `directory`.

        `picture` makes the numbers for the text on the leading figure, from its measurements. `shows` has the
        setups of each experiment, and the function that makes its figures and tables. `numbers` are those of
        `text/introduction.md` beside the printed `setup`, and `rates` those of `text/experiments.md`.
        Experiments and `searches` may name their setups by shell patterns.
        """
        setups, searches = declared["setups"], declared.pop("searches", ())
        printed, prose = reference(directory), Prose(directory / "text")
        setup = {"setup": printed["setup"]} if "setup" in printed else {}
        said = prose["introduction"].by_id({**setup, **(numbers or {})})
        titles = prose["experiments"].by_id(rates)
        experiments = [
            Experiment(id_, titles[id_].title, matching(setups, needs), show, titles[id_].text)
            for id_, (needs, show) in shows.items()
        ]
        return cls(
            id=directory.name,
            title=prose["introduction"].title,
            reference=printed,
            experiments={experiment.id: experiment for experiment in experiments},
            bounds=said["bounds"].text,
            units=said["units"].text,
            reasons=reasons(prose),
            introduction=Introduction.of(read_toml(directory / "report.toml"), said, picture),
            prose=prose,
            searches=tuple(replace(one, setups=matching(setups, one.setups)) for one in searches),
            **declared,
        )

    @property
    def noun(self) -> str:
        """Noun for reports: "study" or "paper"."""
        return "study" if self.is_own else "paper"

    def replications_in_words(self) -> str:
        """Text of the number of replications in the full run: "5", or "50 to 100"."""
        counts = sorted({setup.replications or self.replications for setup in self.setups.values()})
        return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"

    @property
    def figure_names(self) -> list[str]:
        """Patterns of the names of all figures."""
        return [*(self.prose["figures"].ids if "figures" in self.prose else ()), *self.figures]

    def finding(self, search: Search[M], data: Data[M]) -> Finding:
        """Finding computed by `search`, with its text."""
        if search.find is None:
            found = Found({"runs": lambda setup, variant: data[setup, variant]})
        else:
            found = search.find(data)
        said = self.prose["findings"].passage(search.id, found.numbers)
        return Finding(said.title, said.text, found.tables, found.candidates)

    def claim_texts(self) -> dict[str, str]:
        """Texts of the claims by id, in the order of the paper."""
        return {claim["id"]: claim["text"] for claim in self.reference["claims"]}


def matching(setups: Iterable[str], patterns: Iterable[str]) -> tuple[str, ...]:
    """Setups whose names match shell patterns, each once, in the order of the patterns.

    Raises `ValueError` for a pattern that matches none.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        names = fnmatch.filter(setups, pattern)
        if not names:
            raise ValueError(f"{pattern}: matches no setup; allowed {', '.join(setups)}")
        found |= dict.fromkeys(names)
    return tuple(found)


def reference(directory: Path) -> Json:
    """Printed values and claims of the paper whose files are in `directory`."""
    printed: Json = read_toml(directory / "reference.toml")[directory.name]
    return printed


def reasons(prose: Prose) -> dict[str, list[Reason]]:
    """Explanations why claims do not hold, by id; the title of a section is the pattern of its points."""
    found: dict[str, list[Reason]] = {}
    for said in prose["reasons"].passages() if "reasons" in prose else ():
        found.setdefault(said.id, []).append(Reason(said.text, of=said.title or "*"))
    return found


def read_toml(path: Path) -> Json:
    """Parsed content of a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
