"""Declaration of a paper: scenario files and their variants, experiments, claims, findings.

A paper is a module of `airfair.reproduce.papers` with a function `paper(directory)` that returns a
`Paper`; `directory` holds its scenario files, `reference.toml` and its prose. Nothing else knows it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from matplotlib.figure import Figure

from airfair.experiment.claims import Predicate, Readings, Reason

from .history import History
from .introduction import Introduction
from .prose import Numbers, Passage, Prose
from .tables import Table

if TYPE_CHECKING:
    from airfair.result import Result
    from airfair.scenario import Value

    from .calibration import Candidate

Json = dict[str, Any]
"""A document as TOML or JSON gives it."""

M = TypeVar("M")
"""Measurements that a paper keeps of the runs of one variant, one row per replication."""

Data = Mapping[tuple[str, str], M]
"""Finished runs by (setup, variant)."""


@dataclass(frozen=True)
class Variant:
    """One way to run a scenario file."""

    id: str
    set: Mapping[str, Value] = field(default_factory=dict)
    """Keys that differ from the file, as by `airfair run FILE --set KEY=VALUE`."""
    draw: Callable[[int], Mapping[str, Value]] | None = None
    """Keys that chance decides in each replication, by its number; the same for variants to be compared."""


@dataclass(frozen=True)
class Words:
    """Words of a report for something that its study names."""

    label: str


@dataclass(frozen=True)
class Setup:
    """One scenario file and the variants that run on it: under the same seeds, so comparable in pairs."""

    id: str
    path: Path
    variants: tuple[Variant, ...]
    quick: Mapping[str, Value] = field(default_factory=dict)
    """Keys that differ in a quick look."""
    replications: int | None = None
    """Runs of each variant; the paper's number if nothing is said."""
    extension: bool = False
    """True if no claim depends on it, so that a quick look leaves it out."""


@dataclass(frozen=True)
class Drawing:
    """A figure with the numbers of its caption."""

    figure: Figure
    numbers: Numbers = field(default_factory=dict)
    """Numbers that its caption in `text/figures.md` says."""
    wide: bool = False
    """True if it takes the page's whole width."""
    beyond: bool = False
    """True if the paper has nothing like it, so that its text says nothing of it."""
    said: Passage | None = None
    """Title and caption, if they do not stand in `text/figures.md`."""


@dataclass(frozen=True)
class Shown:
    """Figures and tables that the finished runs of an experiment show."""

    series: Sequence[Json]
    paper_values: Json | None
    measured: Json
    tables: Sequence[Table] = ()
    drawings: Mapping[str, Drawing] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment(Generic[M]):
    """A table or a figure of the paper."""

    id: str
    title: str
    setups: tuple[str, ...]
    """Setups that must have been run before it can be shown."""
    show: Callable[[Data[M]], Shown]
    statement: str = ""
    """Statement of the paper's text about it."""


@dataclass(frozen=True)
class Finding:
    """Something that the runs show and the paper does not say."""

    title: str
    text: str
    tables: Sequence[Table] = ()
    candidates: Sequence[Candidate] = ()


@dataclass(frozen=True)
class Found:
    """Numbers of a finding, which its text says, and its tables."""

    numbers: Numbers
    tables: Sequence[Table] = ()
    candidates: Sequence[Candidate] = ()
    """Candidates for what the paper leaves open, where it is about these."""


@dataclass(frozen=True)
class Search(Generic[M]):
    """Search from which a finding comes."""

    id: str
    """Section of `text/findings.md` that tells it."""
    setups: tuple[str, ...]
    find: Callable[[Data[M]], Found]


@dataclass(frozen=True)
class Paper(Generic[M]):
    """Everything that one paper declares."""

    id: str
    title: str
    reference: Json
    """Printed tables and claims."""
    setups: Mapping[str, Setup]
    experiments: Mapping[str, Experiment[M]]
    measure: Callable[[Result], M]
    """Measurements that are kept of the runs of one variant."""
    predicates: tuple[Predicate[Data[M]], ...]
    searches: tuple[Search[M], ...]
    bounds: str
    """The bounds of the claims in words, for readers of a report."""
    units: str
    """Subjects of the tables, likewise."""
    calibration: Search[M] | None = None
    """Choice of what the paper leaves open: the candidates and their distance from its baseline."""
    places: Readings | None = None
    """What the calibration chose when the plan was made, by its candidates' labels: a test holds it against
    the recorded runs."""
    reasons: Mapping[str, Sequence[Reason]] = field(default_factory=dict)
    """Why claims do not hold, by their ids; `docs/<paper>.md` has the experiments that found it."""
    schemes: Mapping[str, Value] = field(default_factory=dict)
    """Keys that the variants set, by label, where a list of them all would only repeat it."""
    introduction: Introduction | None = None
    """The first screen of its report."""
    prose: Prose = field(default_factory=Prose)
    """Texts of its figures and findings."""
    replications: int = 100
    quick_replications: int = 5
    history: History = field(default_factory=History)
    """Choices that were made after the scheme's outcome had been seen, and the verdicts before."""
    figures: tuple[str, ...] = ()
    """Patterns of the names of figures that its texts do not have."""
    is_own: bool = False
    """True of a study of ours, which no paper is behind."""

    @property
    def noun(self) -> str:
        """Word for it in a report."""
        return "study" if self.is_own else "paper"

    def replications_in_words(self) -> str:
        """Replications of its setups in the full run: "5", or "50 to 100" where they differ."""
        counts = sorted({setup.replications or self.replications for setup in self.setups.values()})
        return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"

    @property
    def figure_names(self) -> list[str]:
        """Patterns of the names of all figures."""
        return [*(self.prose["figures"].ids if "figures" in self.prose else ()), *self.figures]

    def finding(self, search: Search[M], data: Data[M]) -> Finding:
        """The finding of a search, told by its text."""
        found = search.find(data)
        said = self.prose["findings"].passage(search.id, found.numbers)
        return Finding(said.title, said.text, found.tables, found.candidates)

    def claim_texts(self) -> dict[str, str]:
        """The claims, in the paper's order."""
        return {claim["id"]: claim["text"] for claim in self.reference["claims"]}


def reference(directory: Path) -> Json:
    """Printed figures and claims of the paper whose files are in `directory`."""
    printed: Json = read_toml(directory / "reference.toml")[directory.name]
    return printed


def reasons(prose: Prose) -> dict[str, list[Reason]]:
    """Why claims do not hold, by their ids: a section's title is the pattern of points it explains."""
    found: dict[str, list[Reason]] = {}
    for said in prose["reasons"].passages() if "reasons" in prose else ():
        found.setdefault(said.id, []).append(Reason(said.text, of=said.title or "*"))
    return found


def read_toml(path: Path) -> Json:
    """A TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
