"""Finds the experiments of a paper: its scenario files, their index and the printed figures."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airfair.scenario import Value

Json = dict[str, Any]
"""A document as TOML or JSON gives it."""


class UnknownPaperError(ValueError):
    """A paper or an experiment that airfair does not have."""


@dataclass(frozen=True)
class Scheme:
    """A transport under comparison: a name and what it means in a scenario file."""

    id: str
    label: str
    control: Value
    """What `flow.NAME.control` holds."""


@dataclass(frozen=True)
class Setup:
    """One scenario file and the schemes that run on it."""

    id: str
    path: Path
    schemes: tuple[Scheme, ...]

    def overrides(self, scheme: Scheme) -> dict[str, Value]:
        """What turns the file into a run of `scheme`: one `--set` per flow."""
        flows: Json = _toml(self.path)["flow"]
        return {f"flow.{name}.control": scheme.control for name in flows}


@dataclass(frozen=True)
class Column:
    """A column of a printed table."""

    id: str
    setup: str
    scheme: str


@dataclass(frozen=True)
class Experiment:
    """A table or a figure of the paper."""

    id: str
    kind: str
    """`table` or `figure`."""
    title: str
    setups: tuple[str, ...]
    columns: tuple[Column, ...]
    """Of a table: printed ones first."""
    printed_sessions: int | None
    """How many of the sessions the table prints, if not all."""


@dataclass(frozen=True)
class Paper:
    """Everything that the files say about one paper."""

    id: str
    title: str
    segment: int
    """Application octets of a packet, to show throughputs in packets."""
    schemes: dict[str, Scheme]
    setups: dict[str, Setup]
    experiments: dict[str, Experiment]
    reference: Json
    """Printed tables and claims."""

    def claim_texts(self) -> dict[str, str]:
        """The claims, in the paper's order."""
        return {claim["id"]: claim["text"] for claim in self.reference["claims"]}


def experiments_directory() -> Path:
    """Where the experiments are: in the package, in a source checkout, or beside other shared files."""
    package = Path(__file__).resolve().parents[1]
    candidates = [
        package / "experiments",
        package.parents[1] / "experiments",
        Path(sys.prefix) / "share" / "airfair" / "experiments",
    ]
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    places = ", ".join(str(candidate) for candidate in candidates)
    raise FileNotFoundError(f"the experiments are not installed; looked in {places}")


def papers() -> list[str]:
    """Ids of the papers that can be reproduced."""
    return sorted(path.parent.name for path in experiments_directory().glob("*/experiments.toml"))


def load(paper_id: str) -> Paper:
    """Reads the index of a paper.

    Raises UnknownPaperError if there is none of this id.
    """
    if paper_id not in papers():
        allowed = ", ".join(papers())
        raise UnknownPaperError(f'no paper "{paper_id}"; allowed: {allowed}')
    directory = experiments_directory() / paper_id
    index = _toml(directory / "experiments.toml")
    schemes = {
        id_: Scheme(id_, entry["label"], entry["control"]) for id_, entry in index["scheme"].items()
    }
    setups = {
        id_: Setup(id_, directory / entry["scenario"], tuple(schemes[s] for s in entry["schemes"]))
        for id_, entry in index["setup"].items()
    }
    experiments = {id_: _experiment(id_, entry) for id_, entry in index["experiment"].items()}
    reference = _toml(directory / "reference.toml")[paper_id]
    return Paper(
        paper_id, index["title"], index["segment"], schemes, setups, experiments, reference
    )


def _toml(path: Path) -> Json:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _experiment(id_: str, entry: Json) -> Experiment:
    columns = tuple(
        Column(key, *value.split("/")) for key, value in entry.get("columns", {}).items()
    )
    setups = tuple(dict.fromkeys([column.setup for column in columns] + entry.get("setups", [])))
    kind = "table" if columns else "figure"
    return Experiment(id_, kind, entry["title"], setups, columns, entry.get("printed_sessions"))


def select(paper: Paper, experiment_id: str | None) -> list[Experiment]:
    """All experiments of the paper, or the one asked for."""
    if experiment_id is None:
        return list(paper.experiments.values())
    if experiment_id not in paper.experiments:
        allowed = ", ".join(paper.experiments)
        raise UnknownPaperError(
            f'no experiment "{experiment_id}" in {paper.id}; allowed: {allowed}'
        )
    return [paper.experiments[experiment_id]]
