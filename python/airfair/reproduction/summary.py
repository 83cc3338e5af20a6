"""Results of papers: a first page and a page of all claims (HTML), tables, a text and a JSON document.

The first page is written at the start of a run, and reloads itself until the run is over.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from airfair import RunError, __version__, json_documents, pages, store
from airfair.estimate import finite
from airfair.experiment.claims import Verdict
from airfair.experiment.conditions import Condition, Point, State, ruled
from airfair.experiment.wording import wordings

from . import dots
from .document import WIDTH, counted, in_words, lines_of_open, wrapped
from .paper import Json
from .paper_result import PaperClaim, PaperResult, by_state, duration
from .report import PACKAGE, FigureView

INDEX = "index.html"
"""Name of the first page, in the directory above those of the papers."""
PAGE = "claims.html"
"""Name of the page of all claims, in the same directory."""
BOOK = "https://github.com/airfair/airfair/blob/main/docs"
"""Address of the pages of the book on the web."""
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
TEXT = "report.txt"
"""Name of the text file with all results, in the same directory."""
OPENING = ("modern", "arf-aware-tcp", "occupancy-tfrc")
"""Papers with a sentence at the top of the first page; the first available one also shows its figure."""
RELOAD_S = 5
"""Time after which the first page reloads itself during a run [s]."""


@dataclass(frozen=True)
class Opening:
    """Picture and sentences at the top of the first page."""

    of: str
    """Id of the paper to which the picture belongs."""
    picture: FigureView | None
    sentences: Sequence[str]


@dataclass(frozen=True, repr=False)
class Reproduction:
    """Results of papers, in the order in which they run; it prints as the number of claims that hold."""

    papers: Sequence[PaperResult]
    out: Path | None = None
    """Directory of the pages on all papers, above those of the papers; `None` without pages."""
    page_failure: OSError | None = None
    """Error of writing the pages."""

    def __repr__(self) -> str:
        count = len(self.papers)
        states = Counter(paper.state for paper in self.papers)
        others = [
            f"{states[state]} {state}" for state in ("failed", "interrupted") if states[state]
        ]
        noun = "paper" if count == 1 else "papers"
        return f"{count} {noun}: {self.headline}" + "".join(f"; {other}" for other in others)

    def __getitem__(self, paper_id: str) -> PaperResult:
        """Result of one paper; raises `KeyError` with the ids for any other."""
        by_id = {paper.id: paper for paper in self.papers}
        if paper_id not in by_id:
            raise KeyError(f"paper {paper_id}: allowed {', '.join(by_id)}")
        return by_id[paper_id]

    @property
    def claims(self) -> list[PaperClaim]:
        """Claims of all papers with their verdicts."""
        return [claim for paper in self.papers for claim in paper.claims]

    @property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on the claims that were run."""
        return [claim.verdict for claim in self.claims if claim.verdict is not None]

    @property
    def table(self) -> pl.DataFrame:
        """Table of the claims: a row for each, with its verdict and the reason if it does not hold."""
        return _table_of_claims(self.claims)

    @property
    def points(self) -> pl.DataFrame:
        """Table of the values that decide: a row for each condition, with its interval and its bounds."""
        return _table_of_points(self.claims)

    @property
    def failure(self) -> RunError | OSError | None:
        """First error: of runs, of the store, or of writing files; `None` without an error."""
        each = [error for paper in self.papers for error in (paper.failure, paper.unsaved)]
        return next((error for error in (*each, self.page_failure) if error), None)

    @property
    def counts(self) -> Counter[str]:
        """Number of claims of all papers by state."""
        return sum((paper.counts for paper in self.papers), Counter())

    @property
    def total(self) -> int:
        """Number of claims of all papers."""
        return self.counts.total()

    @property
    def number_of_papers(self) -> str:
        """Text of the number of papers: a word up to ten, else digits."""
        count = len(self.papers)
        return NUMBERS[count - 1] if count <= len(NUMBERS) else str(count)

    @property
    def first_look(self) -> bool:
        """True if some verdicts are those of a first look."""
        return any(paper.first_look for paper in self.papers)

    @property
    def quick(self) -> bool:
        """True if the user asked for a first look (`--quick`)."""
        return any(paper.choice.quick for paper in self.papers)

    @property
    def headline(self) -> str:
        """Text of the numbers of claims by state."""
        return counted(self.counts, first_look=self.first_look)

    @property
    def wall_s(self) -> float:
        """Wall-clock time so far [s]."""
        return sum(float(c.document["wall_s"]) for c in self.papers if c.document)

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended the run."""
        return any(paper.state == "interrupted" for paper in self.papers)

    def provenance(self) -> Json:
        """JSON of the provenance of the results: version, seeds and run times."""
        run = [paper.document for paper in self.papers if paper.document]
        return {
            "version": __version__,
            "git": store.git_revision(),
            "seeds": sorted({document["seed"] for document in run}),
            "quick": any(paper.choice.quick for paper in self.papers),
            "interrupted": self.interrupted,
            **{
                key: round(sum(document[key] for document in run), 3)
                for key in ("simulated_s", "cpu_s", "wall_s")
            },
        }

    def document(self) -> Json:
        """Document that `airfair reproduce --json` prints."""
        content = {
            "papers": [paper.document for paper in self.papers if paper.document],
            "summary": self.summary(),
        }
        return json_documents.document("reproduction", content)

    def summary(self) -> Json:
        """Element `summary` of the document: all claims, and an entry for each paper."""
        claims = [
            {
                "paper": paper.id,
                "id": claim.id,
                "text": claim.text,
                "state": claim.state,
                "evidence": claim.evidence or None,
                "why": claim.why or None,
                "before": claim.before or None,
                "docs": paper.docs,
            }
            for paper in self.papers
            for claim in paper.claims
        ]
        return {
            **by_state(self.counts),
            "papers": [paper.entry() for paper in self.papers],
            "claims": claims,
            **self.provenance(),
        }

    def files(self, *, running: bool = False) -> dict[str, bytes]:
        """Content of all pages by name; if `running`, the first page reloads itself."""
        return {
            INDEX: self.index(running=running).encode(),
            PAGE: self.html().encode(),
        }

    @property
    def opening(self) -> Opening | None:
        """Top of the first page; `None` until one of the papers in `OPENING` is done."""
        by_id = {paper.id: paper for paper in self.papers}
        found = [by_id[id_] for id_ in OPENING if id_ in by_id and by_id[id_].shows]
        if not found:
            return None
        first = found[0]
        picture = first.picture and replace(first.picture, statement="")
        return Opening(first.id, picture, [paper.shows for paper in found])

    def index(self, *, running: bool = False) -> str:
        """HTML of the first page; if `running`, it reloads itself."""
        waiting = [paper for paper in self.papers if paper.state == "not run"]
        return pages.render(
            "index.html.jinja",
            package=PACKAGE,
            summary=self,
            count=self.number_of_papers,
            provenance=self.provenance(),
            reload_s=RELOAD_S if running else None,
            waiting=waiting,
            opening=self.opening,
            claims_page=PAGE,
            duration=duration,
            docs=self._link,
        )

    def html(self) -> str:
        """HTML of the page of all claims."""
        return pages.render(
            "claims.html.jinja",
            package=PACKAGE,
            summary=self,
            count=self.number_of_papers,
            provenance=self.provenance(),
            docs=self._link,
            dots=lambda paper, claim: dots.draw(claim.verdict, f"dots-{paper.id}-{claim.id}"),
            index_page=INDEX,
            in_words=in_words,
        )

    def _link(self, paper: PaperResult) -> str:
        """Link to the paper's page of the book: the file that `make site` built, else the page on the web."""
        name = paper.choice.paper.page or paper.id
        root, page = store.checkout(), (self.out or Path()).resolve()
        if root is not None and page.is_relative_to(root):
            built = root / "site" / f"{name}.html"
            if built.is_file():
                return Path(os.path.relpath(built, page)).as_posix()
        return f"{BOOK}/{name}.md"

    def text(self, width: int = WIDTH) -> str:
        """All claims as text, in lines of `width` columns; the counts come last."""
        parts = [_paper_text(paper, width) for paper in self.papers]
        lines = [self.line(paper, width) for paper in self.papers]
        return "\n\n".join([*parts, "\n".join([*lines, self.counts_text()])])

    def line(self, paper: PaperResult, width: int = WIDTH) -> str:
        """Line on a paper: a sign for each claim, number of claims that hold, and run time."""
        name = max(len(each.id) for each in self.papers)
        most = max(len(each.claims) for each in self.papers)
        marks = "".join(claim.mark for claim in paper.claims)
        return f"{paper.id:<{name}}  {marks:<{most}}  {paper.short}"[:width].rstrip()

    def counts_text(self) -> str:
        """Number of claims of all papers by their state, and the meaning of their signs, as text."""
        lines = wrapped(f"{self.headline}.")
        looks = self.first_look or self.quick
        each = wordings(first_look=looks).items()
        signs = (f"{word.mark} {word.label}" for state, word in each if self.counts[state])
        lines += wrapped(f"Signs: {', '.join(signs)}.")
        if looks:
            lines.append("This is a first look with few and short runs; the full run decides.")
        return "\n".join(lines)


def _paper_text(paper: PaperResult, width: int) -> str:
    lines = wrapped(f"{paper.id}: {paper.paper.title}")
    lines += wrapped(f"{paper.line}; the reasons are explained in {paper.docs}")
    for claim in paper.decided:
        state = "" if claim.state == "holds" else f": {claim.label}"
        lines.append(f"  {claim.mark} {claim.id}{state}"[:width])
        lines += wrapped(claim.text, "      ")
        lines += [line for part in claim.basis for line in wrapped(part, "      ")]
        lines += wrapped(claim.figures, "      measured: ")
        lines += wrapped(claim.why, "      why: ")
    lines += lines_of_open([claim.id for claim in paper.open])
    return "\n".join(lines)


def _table_of_claims(claims: Sequence[PaperClaim]) -> pl.DataFrame:
    """Table with a row for each claim."""
    text, count = pl.String, pl.UInt32
    schema = {
        **dict.fromkeys(("paper", "claim", "text", "state"), text),
        "first_look": pl.Boolean,
        "points": count,
        "points_held": count,
        **dict.fromkeys(("reading", "evidence", "why"), text),
    }
    return pl.DataFrame([_row(claim) for claim in claims], schema=schema)


def _row(claim: PaperClaim) -> dict[str, Any]:
    verdict = claim.verdict
    held, points = verdict.count if verdict else (None, None)
    return {
        "paper": claim.paper,
        "claim": claim.id,
        "text": claim.text,
        "state": claim.state,
        "first_look": claim.first_look,
        "points": points,
        "points_held": held,
        "reading": (verdict.under if verdict else "") or None,
        "evidence": claim.evidence or None,
        "why": claim.why or None,
    }


def _table_of_points(claims: Sequence[PaperClaim]) -> pl.DataFrame:
    """Table with a row for each condition of a claim, under each reading of the paper."""
    text, number = pl.String, pl.Float64
    schema = {
        **dict.fromkeys(("paper", "claim", "reading", "role", "quota", "point", "state"), text),
        **dict.fromkeys(("mean", "ci95", "low", "high", "above", "below"), number),
        "replications": pl.UInt32,
    }
    return pl.DataFrame([row for claim in claims for row in _points(claim)], schema=schema)


def _points(claim: PaperClaim) -> Iterator[dict[str, Any]]:
    if claim.verdict is None:
        return
    verdict = claim.verdict
    readings = [(verdict.under, "decides", verdict.points)]
    readings += [(e.where, "near" if e.near else "beside", e.points) for e in verdict.elsewhere]
    for reading, role, points in readings:
        head = {"paper": claim.paper, "claim": claim.id, "reading": reading or None, "role": role}
        for quota, one, state in _conditions(points):
            yield {**head, "quota": quota, "state": state, **_values(one)}


def _conditions(points: Sequence[Point]) -> Iterator[tuple[str | None, Condition, State]]:
    """Each condition with its state; those of a quota with the text of the quota."""
    for point, state in ruled(points):
        if isinstance(point, Condition):
            yield None, point, state
        else:
            yield from ((point.what, part, part.state) for part in point.parts)


def _values(one: Condition) -> dict[str, Any]:
    measured = one.measured
    numbers = {
        "mean": measured.mean,
        "ci95": measured.ci95,
        "low": measured.low,
        "high": measured.high,
        "above": one.above,
        "below": one.below,
    }
    known = {name: finite(value) for name, value in numbers.items()}
    return {"point": one.what, **known, "replications": measured.count or None}
