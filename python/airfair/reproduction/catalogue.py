"""Catalogue of papers; each is a module of `airfair.reproduction.papers` with files in `experiments`."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from airfair.errors import OptionError
from airfair.names import did_you_mean

from . import history
from . import papers as modules
from .paper import Experiment, Paper


class UnknownPaperError(OptionError):
    """Raised for the id of an unknown paper or experiment."""


def experiments_directory() -> Path:
    """Directory of the experiments: in the package, in a source checkout, or among shared data files."""
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
    found = pkgutil.iter_modules(modules.__path__)
    return sorted(module.name.replace("_", "-") for module in found)


def load(paper_id: str) -> Paper[Any]:
    """Declaration of the paper with this id.

    Raises UnknownPaperError if there is no such paper.
    """
    if paper_id not in papers():
        allowed = ", ".join(papers())
        hint = did_you_mean(paper_id, papers())
        raise UnknownPaperError(f'paper "{paper_id}": unknown{hint}; allowed {allowed}')
    module = importlib.import_module(f"{modules.__name__}.{paper_id.replace('-', '_')}")
    directory = experiments_directory() / paper_id
    paper: Paper[Any] = module.paper(directory)
    return replace(paper, history=history.load(directory))


def select(paper: Paper[Any], experiment_id: str | None) -> list[Experiment[Any]]:
    """All experiments of the paper, or the one with this id."""
    if experiment_id is None:
        return list(paper.experiments.values())
    if experiment_id not in paper.experiments:
        allowed = ", ".join(paper.experiments)
        hint = did_you_mean(experiment_id, paper.experiments)
        raise UnknownPaperError(
            f'experiment "{experiment_id}" of {paper.id}: unknown{hint}; allowed {allowed}'
        )
    return [paper.experiments[experiment_id]]
