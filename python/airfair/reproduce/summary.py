"""All claims of all papers: which hold, which do not, and why; as a page, as text, as JSON."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from airfair import RunError, __version__, store

from . import pages
from .claims import Verdict
from .document import MARKS, WIDTH
from .paper import Json, Paper
from .results import Outcome
from .runs import Choice

PAGE = "claims.html"
"""Its name, in the directory above the papers'."""

NAMES = {
    "holds": "hold",
    "fails": "do not",
    "depends": "depend on the reading",
    "undecided": "undecided",
    "untestable": "cannot be tested",
    "not run": "not run",
}
"""States of a claim, for a count of them."""

LABELS = {
    **{state: state for state in NAMES},
    "fails": "does not hold",
    "depends": "depends on the reading",
    "untestable": "cannot be tested here",
}


@dataclass(frozen=True)
class Row:
    """One claim, decided or not."""

    id: str
    text: str
    verdict: Verdict | None

    @property
    def state(self) -> str:
        """That of its verdict, or that it has none."""
        return self.verdict.state if self.verdict else "not run"

    @property
    def label(self) -> str:
        """The state in words."""
        return LABELS[self.state]

    @property
    def evidence(self) -> str:
        """What decides it, in one line."""
        return self.verdict.line if self.verdict else ""

    @property
    def why(self) -> str:
        """Why it does not hold; nothing if it does."""
        return " ".join(self.verdict.why) if self.verdict else ""


@dataclass(frozen=True)
class Chapter:
    """What became of one paper."""

    choice: Choice
    document: Json | None = None
    """What its runs gave, as JSON has it; nothing if they failed or have not begun."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    failure: RunError | OSError | None = None
    """Why its runs failed, or why its files could not be written."""

    @classmethod
    def of(cls, outcome: Outcome, failure: OSError | None) -> Chapter:
        """A paper whose runs are over. Of these only the results are kept, for they are large."""
        verdicts = {verdict.id: verdict for verdict in outcome.verdicts}
        return cls(outcome.choice, outcome.document(), verdicts, failure)

    @property
    def paper(self) -> Paper[Any]:
        """What the paper declares."""
        return self.choice.paper

    @property
    def state(self) -> Literal["done", "interrupted", "failed", "not run"]:
        """How far its runs came."""
        if self.document is None:
            return "failed" if self.failure else "not run"
        return "interrupted" if self.document["interrupted"] else "done"

    @property
    def ends_all(self) -> bool:
        """Whether the papers after it do not run: Ctrl-C was pressed, or there is no room for files."""
        return self.state == "interrupted" or isinstance(self.failure, OSError)

    @cached_property
    def rows(self) -> list[Row]:
        """All of its claims, in the paper's order."""
        texts = self.paper.claim_texts()
        return [Row(id_, text, self.verdicts.get(id_)) for id_, text in texts.items()]

    @property
    def counts(self) -> Counter[str]:
        """Claims by state."""
        return Counter(row.state for row in self.rows)

    @property
    def report(self) -> str | None:
        """Its report, from the page; nothing if none was written."""
        written = self.document and self.document["experiments"] and not self.failure
        return f"{self.choice.out.name}/report.html" if written else None

    @property
    def docs(self) -> str:
        """Where the experiments that found the reasons are described, from the project's directory."""
        return f"docs/{self.paper.id}.md"

    @property
    def line(self) -> str:
        """How many claims hold, and what it took to know."""
        if self.document is None:
            return f"failed: {self.failure}" if self.failure else "not run"
        done, asked = self.document["replications"], self.choice.asked
        runs = f"interrupted, {done} of {asked}" if self.document["interrupted"] else f"{done}"
        things = "replication" if done == 1 else "replications"
        took = duration(self.document["wall_s"])
        return f"{self.counts['holds']} of {len(self.rows)} hold; {runs} {things} in {took}"

    def entry(self) -> Json:
        """Its part of the summary in JSON."""
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
class Summary:
    """All papers, in the order in which they run."""

    chapters: Sequence[Chapter]
    out: Path
    """The directory above theirs."""

    @property
    def counts(self) -> Counter[str]:
        """Claims of all papers by state."""
        return sum((chapter.counts for chapter in self.chapters), Counter())

    @property
    def total(self) -> int:
        """Claims of all papers."""
        return self.counts.total()

    @property
    def headline(self) -> str:
        """How many claims hold, do not, and are open."""
        counts = self.counts
        rest = [f"{counts[state]} {name}" for state, name in NAMES.items() if counts[state]]
        first = f"{counts['holds']} of {self.total} claims hold"
        return ", ".join([first, *(rest[1:] if counts["holds"] else rest)])

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return any(chapter.state == "interrupted" for chapter in self.chapters)

    def provenance(self) -> Json:
        """Where the figures come from."""
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
        """`summary` in the JSON document of all papers."""
        claims = [
            {
                "paper": chapter.paper.id,
                "id": row.id,
                "text": row.text,
                "state": row.state,
                "evidence": row.evidence or None,
                "why": row.why or None,
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

    def html(self) -> str:
        """The page."""
        return pages.render(
            "claims.html.jinja",
            summary=self,
            provenance=self.provenance(),
            marks=MARKS,
            names=NAMES,
            docs=self._link,
        )

    def _link(self, chapter: Chapter) -> str | None:
        """From the page to the paper's document, if both are in one source checkout."""
        root, page = store.checkout(), self.out.resolve()
        if root is None or not page.is_relative_to(root):
            return None
        target = root / chapter.docs
        return Path(os.path.relpath(target, page)).as_posix()

    def text(self) -> str:
        """The same for a terminal of 80 columns; the counts come last, where they are seen."""
        parts = [_chapter_text(chapter) for chapter in self.chapters]
        return "\n\n".join([*parts, self._counts_text()])

    def _counts_text(self) -> str:
        name = max(len(chapter.paper.id) for chapter in self.chapters)
        most = max(len(chapter.rows) for chapter in self.chapters)
        lines = _wrap(self.headline, "")
        for chapter in self.chapters:
            marks = "".join(MARKS[row.state] for row in chapter.rows)
            lines.append(
                f"  {chapter.paper.id:<{name}}  {marks:<{most}}  {chapter.line}"[:WIDTH].rstrip()
            )
        if any(chapter.choice.quick for chapter in self.chapters):
            lines.append("A quick look: few and short runs; the full run decides.")
        return "\n".join(lines)


def duration(seconds: float) -> str:
    """Seconds for people: 9 s, 2 min 05 s."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _counted(counts: Counter[str]) -> Json:
    return {state.replace(" ", "_"): counts[state] for state in NAMES}


def _chapter_text(chapter: Chapter) -> str:
    lines = _wrap(f"{chapter.paper.id}: {chapter.paper.title}", "")
    lines += _wrap(f"{chapter.line}; more on the reasons: {chapter.docs}", "")
    for row in chapter.rows:
        state = "" if row.state == "holds" else f": {row.label}"
        lines.append(f"  {MARKS[row.state]} {row.id}{state}")
        lines += _wrap(row.text, "      ")
        lines += _wrap(row.evidence, "      measured: ")
        lines += _wrap(row.why, "      why: ")
    return "\n".join(lines)


def _wrap(text: str, first: str) -> list[str]:
    """The text at 80 columns, its first line after `first`, the others below its beginning."""
    rest = " " * len(first)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest)
