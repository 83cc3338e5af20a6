"""Writes, prints and decides what follows from finished runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airfair import __version__, store
from airfair.figures import png, svg

from .document import claims_text, document, entry, table_text
from .paper import Drawing, Experiment, Json, Shown
from .report import Contents, FigureView, inline_svg, render
from .runs import FRESH, Choice, Measured, verdicts
from .tables import Table


class Outcome:
    """What follows from the finished runs: tables, figures, verdicts, findings."""

    def __init__(self, choice: Choice, measured: Measured) -> None:
        self.choice = choice
        self.measured = measured
        paper, data = choice.paper, measured.data
        self._done = measured.setups
        self.experiments = [e for e in choice.experiments if self._can_be_shown(e)]
        self.shown: dict[str, Shown] = {e.id: e.show(data) for e in self.experiments}
        self.verdicts = verdicts(choice, measured)
        self.findings = [
            search.find(data) for search in paper.searches if self._done.issuperset(search.setups)
        ]

    @property
    def tables(self) -> list[Table]:
        """Tables of all experiments."""
        return [table for shown in self.shown.values() for table in shown.tables]

    @property
    def drawings(self) -> dict[str, Drawing]:
        """Figures of all experiments."""
        return {
            name: drawing
            for shown in self.shown.values()
            for name, drawing in shown.drawings.items()
        }

    def _can_be_shown(self, experiment: Experiment[Any]) -> bool:
        """Whether its setups are finished; a quick look does without extensions."""
        needed = set(experiment.setups)
        if self.choice.quick:
            own = {id_ for id_ in needed if not self.choice.paper.setups[id_].extension}
            needed = own or needed
        return self._done.issuperset(needed)

    def provenance(self) -> Json:
        """Where the figures come from."""
        measured = self.measured
        return {
            "version": __version__,
            "git": store.git_revision(),
            "seed": measured.seed,
            "replications": measured.replications,
            "asked_anew": len(measured.asked_anew),
            "fresh_replications": FRESH if measured.asked_anew else 0,
            "runs": measured.runs,
            "runs_found": measured.found,
            "quick": self.choice.quick,
            "interrupted": measured.interrupted,
            "simulated_s": measured.simulated_s,
            "cpu_s": round(measured.cpu_s, 3),
            "wall_s": round(measured.wall_s, 3),
        }

    def document(self) -> Json:
        """The JSON document."""
        entries = [entry(e, self.shown[e.id]) for e in self.experiments]
        found = [{"title": finding.title, "text": finding.text} for finding in self.findings]
        paper_id = self.choice.paper.id
        return document(paper_id, entries, self.verdicts, {"findings": found, **self.provenance()})

    def files(self) -> dict[str, bytes]:
        """Everything that is written, by name."""
        files: dict[str, bytes] = {}
        views = []
        for experiment in self.experiments:
            for name, drawing in self.shown[experiment.id].drawings.items():
                text = svg(drawing.figure)
                files[f"{name}.svg"] = text.encode()
                files[f"{name}.png"] = png(drawing.figure)
                picture = inline_svg(text, name)
                statement = "" if drawing.beyond else experiment.statement
                views.append(
                    FigureView(name, drawing.caption, picture, statement, wide=drawing.wide)
                )
        for path in self.choice.paths:
            files[path.name] = path.read_bytes()
        files[f"{self.choice.paper.id}.json"] = store.encode(self.document())
        files["report.html"] = render(self._contents(views)).encode()
        return files

    def _contents(self, views: Sequence[FigureView]) -> Contents:
        return Contents(
            paper=self.choice.paper,
            setups=self.choice.setups,
            paths=self.choice.paths,
            verdicts=self.verdicts,
            tables=self.tables,
            figures=views,
            findings=self.findings,
            provenance=self.provenance(),
            replications=self.measured.replications,
            quick=self.choice.quick,
            interrupted=self.measured.interrupted,
        )

    def text(self, *, saved: bool = True) -> str:
        """What a terminal shows; `saved` tells whether the files could be written."""
        measured = self.measured
        found: list[Any] = [table for finding in self.findings for table in finding.tables]
        parts = [table_text(table) for table in (*self.tables, *found)]
        if self.verdicts:
            parts.append(claims_text(self.verdicts))
        few = f", a quick look: {measured.replications} replications" if self.choice.quick else ""
        cut = (
            f", interrupted after {measured.replications} replications"
            if measured.interrupted
            else ""
        )
        report = self.choice.out / "report.html"
        kept = f"report: {report}" if saved and self.experiments else "no report was written"
        parts.append(
            f"{measured.simulated_s:.0f} simulated seconds in {measured.cpu_s:.1f} s of CPU{few}{cut}\n{kept}"
        )
        return "\n\n".join(parts)
