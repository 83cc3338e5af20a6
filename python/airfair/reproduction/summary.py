"""Summary of all papers: a first page and a page of all claims (HTML), a text and a JSON document.

The first page is written at the start of a run, and reloads itself until the run is over.
"""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from markupsafe import Markup

from airfair import RunError, __version__, store
from airfair.experiment.claims import Verdict

from . import dots, pages, topology
from .document import (
    FIRST_LOOK,
    LABELS,
    LOOKS,
    MARKS,
    WIDTH,
    counted,
    in_words,
    is_open,
    label,
    lines_of_open,
    whys,
)
from .paper import Json, Paper
from .report import FigureView, points, tolerance
from .results import Outcome
from .runs import Choice

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
class Row:
    """Claim in the summary, decided or not."""

    id: str
    text: str
    verdict: Verdict | None
    former: str = ""
    """State of the claim before the latest choices; empty if the claim is newer."""
    moved: str = ""
    """Reason why the state in the full run has changed since; empty if it has not."""

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
        return self.verdict is not None and is_open(self.verdict)

    @property
    def label(self) -> str:
        """Text of the state."""
        return label(self.verdict) if self.verdict else LABELS[self.state]

    @property
    def mark(self) -> str:
        """Character for the state."""
        return (FIRST_LOOK if self.first_look else MARKS)[self.state]

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
        return f"Before: {LABELS[self.former]}." + (f" {self.moved}" if self.moved else "")

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
class Chapter:
    """Paper in the summary, with the outcome of its runs."""

    choice: Choice
    document: Json | None = None
    """JSON document of its runs; `None` if they failed or have not started."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    failure: RunError | OSError | None = None
    """Error of the runs, or of writing the files; `None` without an error."""
    picture: FigureView | None = None
    shows: str = ""
    """Sentence that describes the picture."""

    @classmethod
    def of(cls, outcome: Outcome, failure: OSError | None) -> Chapter:
        """Chapter of a paper whose runs are over; it keeps the results without the outcomes of runs."""
        verdicts = {verdict.id: verdict for verdict in outcome.verdicts}
        return cls(
            outcome.choice,
            outcome.document(),
            verdicts,
            failure,
            outcome.lead(f"{outcome.choice.paper.id}-"),
            outcome.shows,
        )

    @property
    def paper(self) -> Paper[Any]:
        """Declaration of the paper."""
        return self.choice.paper

    @property
    def state(self) -> Literal["done", "interrupted", "failed", "not run"]:
        """State of the paper's runs."""
        if self.document is None:
            return "failed" if self.failure else "not run"
        return "interrupted" if self.document["interrupted"] else "done"

    @property
    def ends_all(self) -> bool:
        """True if later papers are not run, because of Ctrl-C or because files cannot be written."""
        return self.state == "interrupted" or isinstance(self.failure, OSError)

    @cached_property
    def rows(self) -> list[Row]:
        """All claims of the paper, in the paper's order."""
        texts, kept = self.paper.claim_texts(), self.paper.history
        return [
            Row(
                id_,
                text,
                self.verdicts.get(id_),
                kept.former.get(id_, ""),
                kept.moved.get(id_, ""),
            )
            for id_, text in texts.items()
        ]

    @property
    def decided(self) -> list[Row]:
        """Claims that are shown one by one."""
        return [row for row in self.rows if not row.is_open]

    @property
    def open(self) -> list[Row]:
        """Claims that a first look cannot decide, which are only counted."""
        return [row for row in self.rows if row.is_open]

    @property
    def counts(self) -> Counter[str]:
        """Number of claims by state."""
        return Counter(row.state for row in self.rows)

    @property
    def first_look(self) -> bool:
        """True if the verdicts are those of a first look."""
        return any(row.first_look for row in self.rows)

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
        written = self.document and self.document["experiments"] and not self.failure
        return f"{self.choice.out.name}/report.html" if written else None

    @property
    def docs(self) -> str:
        """Path of the page that explains the verdicts, relative to the project's directory."""
        return f"docs/{self.paper.id}.md"

    @property
    def line(self) -> str:
        """Text with the number of claims that hold, replications and run time, or with the failure."""
        if self.document is None:
            return f"failed: {self.failure}" if self.failure else "not run"
        held = f"{self.counts['holds']} of {len(self.rows)}"
        hold = "look like they hold" if self.first_look else "hold"
        open_ = f", {len(self.open)} not known yet" if self.open else ""
        return f"{held} {hold}{open_}; {self._took}"

    @property
    def short(self) -> str:
        """Short form of `line` for a terminal."""
        if self.document is None:
            return self.line
        run, count = self.document, self.counts["holds"]
        held = f"{count} of {len(self.rows)} {FIRST_LOOK['holds'] if self.first_look else 'hold'}"
        open_ = f", {len(self.open)} open" if self.open else ""
        cut = f"interrupted after {run['replications']} of {self.choice.asked} runs"
        took = f"{run['replications']} runs, {duration(run['wall_s'])}"
        return f"{held}{open_}; {cut if run['interrupted'] else took}"

    @property
    def _took(self) -> str:
        run = self.document or {}
        done, asked = run["replications"], self.choice.asked
        runs = f"interrupted, {done} of {asked}" if run["interrupted"] else f"{done}"
        things = "replication" if done == 1 else "replications"
        return f"{runs} {things} in {duration(run['wall_s'])}"

    def entry(self) -> Json:
        """JSON of the paper in the summary."""
        run = self.document or {}
        return {
            "paper": self.paper.id,
            "title": self.paper.title,
            "state": self.state,
            "error": str(self.failure) if self.failure else None,
            "claims": len(self.rows),
            **_counted(self.counts),
            **{
                key: run.get(key)
                for key in ("seed", "replications", "simulated_s", "cpu_s", "wall_s")
            },
            "report": self.report,
        }


@dataclass(frozen=True)
class Opening:
    """Picture and sentences at the top of the first page."""

    of: str
    """Id of the paper to which the picture belongs."""
    picture: FigureView | None
    sentences: Sequence[str]


@dataclass(frozen=True)
class Summary:
    """Summary of all papers, in the order in which they run."""

    chapters: Sequence[Chapter]
    out: Path
    """Directory above those of the papers."""

    @property
    def counts(self) -> Counter[str]:
        """Number of claims of all papers by state."""
        return sum((chapter.counts for chapter in self.chapters), Counter())

    @property
    def total(self) -> int:
        """Number of claims of all papers."""
        return self.counts.total()

    @property
    def number_of_papers(self) -> str:
        """Text of the number of papers: a word up to ten, else digits."""
        count = len(self.chapters)
        return NUMBERS[count - 1] if count <= len(NUMBERS) else str(count)

    @property
    def first_look(self) -> bool:
        """True if some verdicts are those of a first look."""
        return any(chapter.first_look for chapter in self.chapters)

    @property
    def quick(self) -> bool:
        """True if the user asked for a first look (`--quick`)."""
        return any(chapter.choice.quick for chapter in self.chapters)

    @property
    def headline(self) -> str:
        """Text of the numbers of claims by state."""
        return counted(self.counts, first_look=self.first_look)

    @property
    def wall_s(self) -> float:
        """Wall-clock time so far [s]."""
        return sum(float(c.document["wall_s"]) for c in self.chapters if c.document)

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended the run."""
        return any(chapter.state == "interrupted" for chapter in self.chapters)

    def provenance(self) -> Json:
        """JSON of the provenance of the results: version, seeds and run times."""
        run = [chapter.document for chapter in self.chapters if chapter.document]
        return {
            "version": __version__,
            "git": store.git_revision(),
            "seeds": sorted({document["seed"] for document in run}),
            "quick": any(chapter.choice.quick for chapter in self.chapters),
            "interrupted": self.interrupted,
            **{
                key: round(sum(document[key] for document in run), 3)
                for key in ("simulated_s", "cpu_s", "wall_s")
            },
        }

    def document(self) -> Json:
        """Element `summary` of the JSON document of all papers."""
        claims = [
            {
                "paper": chapter.paper.id,
                "id": row.id,
                "text": row.text,
                "state": row.state,
                "evidence": row.evidence or None,
                "why": row.why or None,
                "before": row.before or None,
                "docs": chapter.docs,
            }
            for chapter in self.chapters
            for row in chapter.rows
        ]
        return {
            **_counted(self.counts),
            "papers": [chapter.entry() for chapter in self.chapters],
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
        by_id = {chapter.paper.id: chapter for chapter in self.chapters}
        found = [by_id[id_] for id_ in OPENING if id_ in by_id and by_id[id_].shows]
        if not found:
            return None
        first = found[0]
        picture = first.picture and replace(first.picture, statement="")
        return Opening(first.paper.id, picture, [chapter.shows for chapter in found])

    def index(self, *, running: bool = False) -> str:
        """HTML of the first page; if `running`, it reloads itself."""
        waiting = [chapter for chapter in self.chapters if chapter.state == "not run"]
        return pages.render(
            "index.html.jinja",
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
            summary=self,
            count=self.number_of_papers,
            provenance=self.provenance(),
            docs=self._link,
            dots=lambda chapter, row: dots.draw(row.verdict, f"dots-{chapter.paper.id}-{row.id}"),
            index_page=INDEX,
            in_words=in_words,
        )

    def _link(self, chapter: Chapter) -> str:
        """Link to the paper's page of the book: the file that `make site` built, else the page on the web."""
        root, page = store.checkout(), self.out.resolve()
        if root is not None and page.is_relative_to(root):
            built = root / "site" / f"{chapter.paper.id}.html"
            if built.is_file():
                return Path(os.path.relpath(built, page)).as_posix()
        return f"{BOOK}/{chapter.paper.id}.md"

    def text(self, width: int = WIDTH) -> str:
        """All claims as text, in lines of `width` columns; the counts come last."""
        parts = [_chapter_text(chapter, width) for chapter in self.chapters]
        lines = [self.line(chapter, width) for chapter in self.chapters]
        return "\n\n".join([*parts, "\n".join([*lines, self.counts_text()])])

    def line(self, chapter: Chapter, width: int = WIDTH) -> str:
        """Line on a paper: a sign for each claim, number of claims that hold, and run time."""
        name = max(len(each.paper.id) for each in self.chapters)
        most = max(len(each.rows) for each in self.chapters)
        marks = "".join(row.mark for row in chapter.rows)
        return f"{chapter.paper.id:<{name}}  {marks:<{most}}  {chapter.short}"[:width].rstrip()

    def counts_text(self) -> str:
        """Number of claims of all papers by their state, and the meaning of their signs, as text."""
        lines = _wrap(f"{self.headline}.", "")
        looks = self.first_look or self.quick
        marks, labels = (FIRST_LOOK, LOOKS) if looks else (MARKS, LABELS)
        signs = (f"{marks[state]} {labels[state]}" for state in LABELS if self.counts[state])
        lines += _wrap(f"Signs: {', '.join(signs)}.", "")
        if looks:
            lines.append("This is a first look with few and short runs; the full run decides.")
        return "\n".join(lines)


def duration(seconds: float) -> str:
    """Text of a duration: "9 s", "2 min 05 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _counted(counts: Counter[str]) -> Json:
    return {state.replace(" ", "_"): counts[state] for state in LABELS}


def _chapter_text(chapter: Chapter, width: int) -> str:
    lines = _wrap(f"{chapter.paper.id}: {chapter.paper.title}", "")
    lines += _wrap(f"{chapter.line}; the reasons are explained in {chapter.docs}", "")
    for row in chapter.decided:
        state = "" if row.state == "holds" else f": {row.label}"
        lines.append(f"  {row.mark} {row.id}{state}"[:width])
        lines += _wrap(row.text, "      ")
        lines += [line for part in row.basis for line in _wrap(part, "      ")]
        lines += _wrap(row.figures, "      measured: ")
        lines += _wrap(row.why, "      why: ")
    lines += lines_of_open([row.id for row in chapter.open])
    return "\n".join(lines)


def _wrap(text: str, first: str) -> list[str]:
    """Lines of at most 80 columns; the first one begins with `first`, the others are indented as far."""
    rest = " " * len(first)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest)
