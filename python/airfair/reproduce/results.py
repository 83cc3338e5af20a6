"""Runs what was chosen, and writes, prints and decides what follows from it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from airfair import __version__, store
from airfair.engine import run_many
from airfair.figures import png, svg
from airfair.result import Result
from airfair.scenario import load
from airfair.terminal import Progress

from . import arf_aware_figures, arf_aware_tcp
from .catalogue import Experiment, Json, Paper, Setup
from .claims import Verdict
from .document import claims_text, document, figure_entry, table_entry, table_text
from .report import Contents, FigureView, inline_svg, render
from .runs import Runs
from .tables import Table, build

FEWEST = 2
"""Replications without which there is no confidence interval, and so no table after Ctrl-C."""


@dataclass(frozen=True)
class Choice:
    """What to reproduce, how often, and where to write it."""

    paper: Paper
    experiments: tuple[Experiment, ...]
    replications: int
    out: Path
    quick: bool

    @property
    def setups(self) -> list[Setup]:
        """The scenario files that the experiments need, each once."""
        needed = dict.fromkeys(setup for e in self.experiments for setup in e.setups)
        return [self.paper.setups[setup] for setup in needed]


@dataclass(frozen=True)
class Measured:
    """All finished runs."""

    data: dict[tuple[str, str], Runs]
    """By setup and scheme; a setup has all of its schemes, equally often, or none."""
    replications: int
    """Runs of each: fewer than asked for after Ctrl-C."""
    interrupted: bool
    seed: int
    cpu_s: float
    wall_s: float
    simulated_s: float


def measure(choice: Choice) -> Measured:
    """Run every scenario under every scheme, all in one pool."""
    work = [(setup, scheme) for setup in choice.setups for scheme in setup.schemes]
    scenarios = [
        load(setup.path, replications=choice.replications, set=setup.overrides(scheme))
        for setup, scheme in work
    ]
    wall, cpu = time.perf_counter(), time.process_time()
    with Progress(choice.paper.id) as progress:
        results = run_many(scenarios, progress=progress)
    interrupted = any(result.interrupted for result in results)
    common = _common_replications(
        [(setup.id, result) for (setup, _), result in zip(work, results, strict=True)]
    )
    least = min(choice.replications, FEWEST)
    finished = {
        (setup.id, scheme.id): Runs.of(_only(result, common[setup.id]), choice.paper.segment)
        for (setup, scheme), result in zip(work, results, strict=True)
        if len(common[setup.id]) >= least
    }
    return Measured(
        data=finished,
        replications=min((runs.replications for runs in finished.values()), default=0),
        interrupted=interrupted,
        seed=scenarios[0].seed,
        cpu_s=time.process_time() - cpu,
        wall_s=time.perf_counter() - wall,
        simulated_s=sum(result.simulated_s for result in results),
    )


def _common_replications(results: Sequence[tuple[str, Result]]) -> dict[str, set[int]]:
    """The replications that every scheme of a setup has finished: schemes are compared by seed."""
    common: dict[str, set[int]] = {}
    for setup, result in results:
        done = {outcome.replication for outcome in result.outcomes}
        common[setup] = common.get(setup, done) & done
    return common


def _only(result: Result, replications: set[int]) -> Result:
    outcomes = [outcome for outcome in result.outcomes if outcome.replication in replications]
    return replace(result, outcomes=outcomes)


class Outcome:
    """What follows from the finished runs: tables, figures, verdicts, findings."""

    def __init__(self, choice: Choice, measured: Measured) -> None:
        self.choice = choice
        self.measured = measured
        paper, data = choice.paper, measured.data
        done = {setup for setup, _ in data}
        self.experiments = [e for e in choice.experiments if done.issuperset(e.setups)]
        self.tables: list[Table] = [
            build(paper, e, data) for e in self.experiments if e.kind == "table"
        ]
        self.figures = {
            name: figure
            for e in self.experiments
            if e.kind == "figure"
            for name, figure in arf_aware_figures.FIGURES[e.id](data).items()
        }
        self.verdicts = self._decide()
        self.findings = arf_aware_tcp.findings(data)

    def _decide(self) -> list[Verdict]:
        texts = self.choice.paper.claim_texts()
        done = {setup for setup, _ in self.measured.data}
        return [
            predicate.decide(self.measured.data, texts[predicate.id])
            for predicate in arf_aware_tcp.PREDICATES
            if done.issuperset(predicate.setups)
        ]

    def provenance(self) -> Json:
        """Where the figures come from."""
        measured = self.measured
        return {
            "version": __version__,
            "git": store.git_revision(),
            "seed": measured.seed,
            "replications": measured.replications,
            "quick": self.choice.quick,
            "interrupted": measured.interrupted,
            "simulated_s": measured.simulated_s,
            "cpu_s": round(measured.cpu_s, 3),
            "wall_s": round(measured.wall_s, 3),
        }

    def document(self) -> Json:
        """The JSON document."""
        paper, data = self.choice.paper, self.measured.data
        tables = {table.experiment.id: table for table in self.tables}
        entries = [
            table_entry(paper, tables[e.id]) if e.id in tables else figure_entry(paper, e, data)
            for e in self.experiments
        ]
        found = [{"title": finding.title, "text": finding.text} for finding in self.findings]
        return document(paper, entries, self.verdicts, {"findings": found, **self.provenance()})

    def files(self) -> dict[str, bytes]:
        """Everything that is written, by name."""
        files: dict[str, bytes] = {}
        views = []
        for name, figure in self.figures.items():
            text = svg(figure)
            files[f"{name}.svg"] = text.encode()
            files[f"{name}.png"] = png(figure)
            caption = arf_aware_figures.CAPTIONS[name]
            views.append(FigureView(name, caption, inline_svg(text, name)))
        for setup in self.choice.setups:
            files[setup.path.name] = setup.path.read_bytes()
        files[f"{self.choice.paper.id}.json"] = store.encode(self.document())
        files["report.html"] = render(self._contents(views)).encode()
        return files

    def _contents(self, views: Sequence[FigureView]) -> Contents:
        return Contents(
            paper=self.choice.paper,
            setups=self.choice.setups,
            verdicts=self.verdicts,
            tables=self.tables,
            figures=views,
            findings=self.findings,
            provenance=self.provenance(),
            replications=self.measured.replications,
            quick=self.choice.quick,
            interrupted=self.measured.interrupted,
        )

    def text(self) -> str:
        """What a terminal shows."""
        measured = self.measured
        parts = [table_text(table) for table in self.tables]
        if self.verdicts:
            parts.append(claims_text(self.verdicts))
        few = (
            f", a quick look: {self.choice.replications} replications" if self.choice.quick else ""
        )
        cut = (
            f", interrupted after {measured.replications} replications"
            if measured.interrupted
            else ""
        )
        parts.append(
            f"{measured.simulated_s:.0f} simulated seconds in {measured.cpu_s:.1f} s of CPU{few}{cut}\n"
            f"report: {self.choice.out / 'report.html'}"
        )
        return "\n\n".join(parts)
