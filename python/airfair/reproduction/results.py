"""Outcome of the finished runs of a paper: tables, figures, verdicts, findings and files."""

from __future__ import annotations

import glob
from functools import cached_property
from typing import Any

from airfair import __version__, json_documents, store
from airfair.figures import narrow_svg, png, svg
from airfair.pages import inline_svg
from airfair.scenario import toml_value

from .calibration import entries
from .document import document, entry, table
from .paper import Drawing, Experiment, Json, Shown
from .report import FigureView, render
from .runs import Choice, Measured, plan, verdicts
from .tables import Table, heading

PAGE = "report.html"


def names(choice: Choice) -> list[str]:
    """Patterns of the names of all files that a reproduction may write."""
    drawn = [f"{name}.{kind}" for name in choice.paper.figure_names for kind in ("svg", "png")]
    scenarios = [glob.escape(path.name) for path in choice.paths]
    return [*drawn, *scenarios, f"{glob.escape(choice.paper.id)}.json", PAGE, store.MANIFEST]


class Outcome:
    """Outcome of the finished runs: tables, figures, verdicts, findings."""

    def __init__(self, choice: Choice, measured: Measured) -> None:
        self.choice = choice
        self.measured = measured
        paper, data = choice.paper, measured.data
        self._done = measured.setups
        self.experiments = [e for e in choice.experiments if self._can_be_shown(e)]
        self.shown: dict[str, Shown] = {e.id: e.show(data) for e in self.experiments}
        self.verdicts = verdicts(choice, measured)
        self.findings = [
            paper.finding(search, data)
            for search in paper.searches
            if self._done.issuperset(search.setups)
        ]
        open_ = paper.calibration
        ready = open_ is not None and self._done.issuperset(open_.setups)
        self.calibration = paper.finding(open_, data) if open_ is not None and ready else None

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

    @property
    def first_look(self) -> bool:
        """True if there were fewer or shorter runs than in the full run."""
        return self.choice.quick or any(verdict.first_look for verdict in self.verdicts)

    @cached_property
    def pictures(self) -> dict[str, str]:
        """Figures as SVG by name, drawn once for files, report and summary."""
        return {name: svg(drawing.figure) for name, drawing in self.drawings.items()}

    @cached_property
    def narrow_pictures(self) -> dict[str, str]:
        """Versions of wide figures for a narrow screen, as SVG by name."""
        drawn = {name: narrow_svg(drawing.figure) for name, drawing in self.drawings.items()}
        return {name: picture for name, picture in drawn.items() if picture}

    def view(self, experiment: Experiment[Any], name: str, prefix: str = "") -> FigureView:
        """Figure of an experiment for a page; its SVG ids begin with `prefix`."""
        drawing = self.shown[experiment.id].drawings[name]
        intro = self.choice.paper.introduction
        place = intro.sections.get(experiment.id) if intro else None
        said = drawing.said
        if said is None:
            said = self.choice.paper.prose["figures"].passage(name, drawing.numbers)
        title = said.title or experiment.title
        own = "" if drawing.beyond else name
        noun = self.choice.paper.noun
        heading_ = heading(own, title) if own else f"Beyond the {noun}: {title}"
        picture = inline_svg(self.pictures[name], f"{prefix}{name}", heading_)
        narrow = self.narrow_pictures.get(name)
        return FigureView(
            id=f"{prefix}{name}",
            title=heading_,
            caption=said.text,
            svg=picture,
            narrow=narrow and inline_svg(narrow, f"{prefix}{name}-narrow", heading_),
            statement="" if drawing.beyond else experiment.statement,
            source=f"The {noun}, {place}, in short" if place else f"The {noun}, in short",
            wide=drawing.wide,
        )

    def lead(self, prefix: str = "") -> FigureView | None:
        """Figure that represents the paper; `None` if there are no figures."""
        found = self._leading
        return self.view(*found[0], prefix) if found else None

    @property
    def leading(self) -> list[FigureView]:
        """Figures of the report that come first."""
        return [self.view(*one) for one in self._leading]

    @property
    def figures(self) -> list[FigureView]:
        """Figures of the report that follow the tables."""
        return [self.view(*one) for one in self._all_views if one not in self._leading]

    @cached_property
    def _all_views(self) -> list[tuple[Experiment[Any], str]]:
        return [(e, name) for e in self.experiments for name in self.shown[e.id].drawings]

    @cached_property
    def _leading(self) -> list[tuple[Experiment[Any], str]]:
        """Leading figures: those that the paper declares, else the first one."""
        intro = self.choice.paper.introduction
        by_name = {name: (e, name) for e, name in self._all_views}
        named = [by_name[name] for name in (intro.lead if intro else ()) if name in by_name]
        return named or self._all_views[:1]

    @property
    def shows(self) -> str:
        """Sentence on the figure that represents the paper, if that figure was declared."""
        intro = self.choice.paper.introduction
        if intro is None or intro.shows is None or not self._leading:
            return ""
        if self._leading[0][1] != intro.lead[0]:
            return ""
        numbers = intro.shows(self.shown[self._leading[0][0].id].measured)
        return self.choice.paper.prose["figures"].passage("picture", numbers).text

    @property
    def shorter(self) -> list[str]:
        """Settings of a quick run that differ from those of the full run."""
        keys = [setup.quick for setup in self.choice.setups] if self.choice.quick else []
        return list(
            dict.fromkeys(f"{k} = {toml_value(v)}" for quick in keys for k, v in quick.items())
        )

    def _can_be_shown(self, experiment: Experiment[Any]) -> bool:
        """True if the setups of an experiment are finished, apart from extensions in a quick run."""
        needed = set(experiment.setups)
        if self.choice.quick:
            own = {id_ for id_ in needed if not self.choice.paper.setups[id_].extension}
            needed = own or needed
        return self._done.issuperset(needed)

    @cached_property
    def provenance(self) -> Json:
        """Provenance of the results: versions, seed, numbers of runs."""
        measured, spent = self.measured, self.measured.spent
        return {
            "version": __version__,
            "git": store.git_revision(),
            "plan": plan(self.choice),
            "seed": measured.seed,
            "replications": measured.replications,
            "asked_anew": len(measured.asked_anew),
            "fresh_replications": max(measured.asked_anew.values(), default=0),
            "runs": spent.runs,
            "runs_found": spent.found,
            "quick": self.choice.quick,
            "interrupted": spent.interrupted,
            "simulated_s": spent.simulated_s,
            "cpu_s": round(spent.cpu_s, 3),
            "wall_s": round(spent.wall_s, 3),
        }

    def document(self) -> Json:
        """The JSON document."""
        entries = [entry(e, self.shown[e.id]) for e in self.experiments]
        found = [{"title": finding.title, "text": finding.text} for finding in self.findings]
        beside = self.calibration.tables if self.calibration else ()
        tables = [table(one) for one in (*self.tables, *beside, *self._tables_of_findings)]
        more = {"calibration": self._candidates, "findings": found, "tables": tables}
        more |= self.provenance
        return document(self.choice.paper.id, entries, self.verdicts, more)

    @property
    def all_tables(self) -> list[Table]:
        """Tables of the experiments and of the findings."""
        return [*self.tables, *self._tables_of_findings]

    @property
    def _tables_of_findings(self) -> list[Table]:
        return [one for finding in self.findings for one in finding.tables]

    @property
    def _candidates(self) -> list[Json] | None:
        """Candidates of the calibration, sorted by distance, with their roles; `None` without calibration."""
        return entries(self.calibration.candidates) if self.calibration else None

    def files(self) -> dict[str, bytes]:
        """Content of all files, by name."""
        files: dict[str, bytes] = {}
        for name, drawing in self.drawings.items():
            files[f"{name}.svg"] = self.pictures[name].encode()
            files[f"{name}.png"] = png(drawing.figure)
        for path in self.choice.paths:
            files[path.name] = path.read_bytes()
        document = json_documents.document("paper", self.document())
        files[f"{self.choice.paper.id}.json"] = store.encode(document)
        files[PAGE] = render(self).encode()
        return files
