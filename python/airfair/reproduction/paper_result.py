"""Result of a paper: its claims with their verdicts, and the tables and the document of its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from markupsafe import Markup

from airfair import RunError
from airfair.errors import describe
from airfair.experiment.claims import Verdict
from airfair.experiment.wording import FIRST_LOOK, IN_FULL

from . import topology
from .document import WIDTH, counted, whole_text, whys
from .paper import Json, Paper
from .report import FigureView, points, tolerance
from .results import PAGE, Outcome
from .runs import Choice
from .tables import Table


@dataclass(frozen=True, repr=False)
class PaperClaim:
    """Claim of a paper with its verdict; it prints as a sentence."""

    paper: str
    """Id of the paper."""
    id: str
    text: str
    verdict: Verdict | None
    """`None` if the claim was not run."""
    former: str = ""
    """State of the claim before the latest choices; empty if the claim is newer."""
    moved: str = ""
    """Reason why the state in the full run has changed since; empty if it has not."""

    def __str__(self) -> str:
        """Sentence with the state of the claim and the values that decide it."""
        if self.verdict is None:
            return f"The claim {self.id} (“{self.text}”) was not run."
        return str(self.verdict)

    def __repr__(self) -> str:
        return f"<{self.paper}: {self}>"

    @property
    def state(self) -> str:
        """State of its verdict, or "not run"."""
        return self.verdict.state if self.verdict else "not run"

    @property
    def first_look(self) -> bool:
        """True if the state is that of a first look."""
        return self.verdict is not None and self.verdict.first_look

    @property
    def is_open(self) -> bool:
        """True if a first look cannot decide the claim."""
        return self.verdict is not None and self.verdict.is_open

    @property
    def label(self) -> str:
        """Text of the state."""
        return (self.verdict or IN_FULL[self.state]).label

    @property
    def mark(self) -> str:
        """Character for the state."""
        return (self.verdict or IN_FULL[self.state]).mark

    @property
    def evidence(self) -> str:
        """Evidence that decides the claim, in one line."""
        return self.verdict.line if self.verdict else ""

    @property
    def figures(self) -> str:
        """Evidence without the number of points, which `basis` has."""
        return self.evidence.removeprefix(f"{self.verdict.counted} – ") if self.verdict else ""

    @property
    def why(self) -> str:
        """Explanation why the claim does not hold; empty if it does."""
        return " ".join(whys(self.verdict)) if self.verdict else ""

    @property
    def before(self) -> str:
        """Text of the former verdict and the reason of its change."""
        if not self.former:
            return ""
        return f"Before: {IN_FULL[self.former].label}." + (f" {self.moved}" if self.moved else "")

    @property
    def basis(self) -> list[str]:
        """Basis of the verdict: reading, number of points, and readings on which it depends."""
        if self.verdict is None:
            return []
        one = self.verdict
        return [
            f"{points(one)}{f'; decided under: {one.under}' if one.under else ''}",
            *([f"By reading: the claim {one.depends_on}"] if one.turned_by else []),
            *([tolerance(one)] if tolerance(one) else []),
        ]


@dataclass(frozen=True)
class PaperResult:
    """Result of one paper: its claims, its tables, and the JSON document of its runs."""

    choice: Choice
    document: Json | None = None
    """JSON document of its runs; `None` if they failed or have not started."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    failure: RunError | OSError | None = None
    """Error of the runs, or of writing the files; `None` without an error."""
    unsaved: OSError | None = None
    """Error because of which the store could not save all runs."""
    picture: FigureView | None = None
    shows: str = ""
    """Sentence that describes the picture."""
    tables: Sequence[Table] = ()
    """Tables of the experiments and of the findings."""

    @classmethod
    def of(
        cls, outcome: Outcome, failure: OSError | None = None, *, pictured: bool = True
    ) -> PaperResult:
        """Result of a paper whose runs are over; it keeps no outcomes of runs.

        `pictured` is true if it has the figure that represents the paper.
        """
        verdicts = {verdict.id: verdict for verdict in outcome.verdicts}
        return cls(
            outcome.choice,
            outcome.document(),
            verdicts,
            failure,
            outcome.measured.spent.unsaved,
            outcome.lead(f"{outcome.choice.paper.id}-") if pictured else None,
            outcome.shows if pictured else "",
            outcome.all_tables,
        )

    @property
    def paper(self) -> Paper[Any]:
        """Declaration of the paper."""
        return self.choice.paper

    @property
    def id(self) -> str:
        """Id of the paper."""
        return self.paper.id

    @property
    def state(self) -> Literal["done", "interrupted", "failed", "not run"]:
        """State of the paper's runs."""
        if self.document is None:
            return "failed" if self.failure else "not run"
        return "interrupted" if self.document["interrupted"] else "done"

    @property
    def ends_all(self) -> bool:
        """True if later papers are not run, because of Ctrl-C or because files cannot be written."""
        return self.state == "interrupted" or isinstance(self.failure or self.unsaved, OSError)

    @cached_property
    def claims(self) -> list[PaperClaim]:
        """All claims of the paper, in the paper's order."""
        texts, kept = self.paper.claim_texts(), self.paper.history
        return [
            PaperClaim(
                self.id,
                id_,
                text,
                self.verdicts.get(id_),
                kept.former.get(id_, ""),
                kept.moved.get(id_, ""),
            )
            for id_, text in texts.items()
        ]

    @property
    def decided(self) -> list[PaperClaim]:
        """Claims that are shown one by one."""
        return [claim for claim in self.claims if not claim.is_open]

    @property
    def open(self) -> list[PaperClaim]:
        """Claims that a first look cannot decide, which are only counted."""
        return [claim for claim in self.claims if claim.is_open]

    @property
    def counts(self) -> Counter[str]:
        """Number of claims by state."""
        return Counter(claim.state for claim in self.claims)

    @property
    def first_look(self) -> bool:
        """True if the verdicts are those of a first look."""
        return any(claim.first_look for claim in self.claims)

    @property
    def found(self) -> str:
        """Number of claims that hold, and of those that do not."""
        return counted(self.counts, first_look=self.first_look)

    @property
    def topology(self) -> Markup:
        """Drawing of the paper's topology, which is shown until its runs are over; empty without one."""
        intro = self.paper.introduction
        if intro is None or intro.topology is None:
            return Markup("")
        return topology.draw(intro.topology, f"{self.paper.id}-topology")

    @property
    def report(self) -> str | None:
        """Link from the first page to the report of the paper; `None` if there is no report."""
        if self.choice.out is None or self.failure or not (self.document or {}).get("experiments"):
            return None
        return f"{self.choice.out.name}/{PAGE}"

    @property
    def docs(self) -> str:
        """Path of the page that explains the verdicts, relative to the project's directory."""
        return f"docs/{self.paper.id}.md"

    @property
    def line(self) -> str:
        """Text with the number of claims that hold, replications and run time, or with the failure."""
        if self.document is None:
            return self._missing
        held = f"{self.counts['holds']} of {len(self.claims)}"
        hold = "look like they hold" if self.first_look else "hold"
        open_ = f", {len(self.open)} not known yet" if self.open else ""
        return f"{held} {hold}{open_}; {self._took}"

    @property
    def short(self) -> str:
        """Short form of `line` for a terminal, beside the signs of all claims."""
        if self.document is None:
            return self.line
        run, count = self.document, self.counts["holds"]
        held = f"{count} of {len(self.claims)} {FIRST_LOOK['holds'].mark if self.first_look else 'hold'}"
        cut = f"interrupted after {run['replications']} of {self.choice.asked} runs"
        return f"{held}; {cut if run['interrupted'] else duration(run['wall_s'])}"

    @property
    def _missing(self) -> str:
        """Reason why there are no results."""
        if self.failure is None:
            return "not run"
        if isinstance(self.failure, OSError):
            return f"failed: {describe(self.failure)}"
        return f"failed: {self.failure}"

    @property
    def _took(self) -> str:
        run = self.document or {}
        done, asked = run["replications"], self.choice.asked
        runs = f"interrupted, {done} of {asked}" if run["interrupted"] else f"{done}"
        things = "replication" if done == 1 else "replications"
        return f"{runs} {things} in {duration(run['wall_s'])}"

    def text(self, width: int = WIDTH) -> str:
        """Tables, claims and run times for a terminal with `width` columns, or the failure."""
        if self.document is None:
            return self._missing
        kept = "" if self.choice.out is None else "no report was written"
        if self.choice.out is not None and self.report:
            kept = f"report: {self.choice.out / PAGE}"
        return whole_text(self.tables, list(self.verdicts.values()), self.document, kept, width)

    def entry(self) -> Json:
        """JSON of the paper in the summary."""
        run, error = self.document or {}, self.failure or self.unsaved
        return {
            "paper": self.paper.id,
            "title": self.paper.title,
            "state": self.state,
            "error": str(error) if error else None,
            "claims": len(self.claims),
            **by_state(self.counts),
            **{
                key: run.get(key)
                for key in ("seed", "replications", "simulated_s", "cpu_s", "wall_s")
            },
            "report": self.report,
        }


def duration(seconds: float) -> str:
    """Text of a duration: "9 s", "2 min 05 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def by_state(counts: Counter[str]) -> Json:
    """JSON of the number of claims by state."""
    return {state.replace(" ", "_"): counts[state] for state in IN_FULL}
