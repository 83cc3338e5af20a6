"""Setups of a paper from its studies: the files `NAME.study.toml` in its directory.

The points of a study are the variants. Keys of a paper's study add the names of setups and variants, and the
settings of a quick run. Values that a paper's own generator draws come from a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from airfair.experiment.errors import StudyError
from airfair.experiment.factors import Label
from airfair.experiment.stopping import Fixed
from airfair.experiment.study import Study
from airfair.experiment.study_file import load_study, read

from .catalogue import experiments_directory
from .paper import Draw, Json, Setup, Variant, reference

SUFFIX = ".study.toml"

Labels = Mapping[str, "Label"]


@cache
def declared(paper: str, study: str) -> Json:
    """Content of a study file of one of airfair's papers, for code that shares its names."""
    return read(experiments_directory() / paper / f"{study}{SUFFIX}")


@cache
def printed(paper: str) -> Json:
    """Printed values and claims of one of airfair's papers, from its `reference.toml`."""
    return reference(experiments_directory() / paper)


def studies(directory: Path) -> list[Study]:
    """Studies in a paper's directory, sorted by name.

    Raises `StudyError`, `ScenarioError` or `OSError` for mistakes in one.
    """
    return [load_study(path) for path in sorted(directory.glob(f"*{SUFFIX}"))]


def setups(directory: Path, draws: Mapping[str, Draw] | None = None) -> dict[str, Setup]:
    """Setups of all studies in a paper's directory, by id.

    `draws` has functions that draw further values, by the name of the study file without its suffix.

    Raises the errors of `studies`, and `StudyError` if two setups or variants have the same name.
    """
    found: dict[str, Setup] = {}
    for study in studies(directory):
        for setup in of_study(study, (draws or {}).get(study.path.name.removesuffix(SUFFIX))):
            if setup.id in found:
                raise StudyError(
                    f"{study.path}: setup {setup.id}: another study has the same setup; allowed is one"
                )
            found[setup.id] = setup
    return found


def of_study(study: Study, draw: Draw | None = None) -> Iterator[Setup]:
    """Setups of a study, in the order of its points."""
    if study.scenario is None:
        raise StudyError(f"{study.path}: scenario: a table; allowed in a paper's study is a path")
    grouped: dict[str, dict[str, Variant]] = {}
    for point in study.experiment.points:
        setup, id_ = study.names(point)
        variants = grouped.setdefault(setup, {})
        if id_ in variants:
            raise StudyError(
                f"{study.path}: setup {setup} has two variants named {id_!r}; allowed is one"
            )
        variants[id_] = Variant(id_, study.experiment, point, draw)
    for id_, variants in grouped.items():
        yield Setup(
            id_,
            study.scenario,
            tuple(variants.values()),
            study.part.quick,
            replications=_count(study),
            extension=study.part.extension,
        )


def _count(study: Study) -> int | None:
    """Number of replications in a study; `None` to use that of the paper."""
    match study.replications:
        case None:
            return None
        case Fixed(count):
            return count
        case _:
            raise StudyError(
                f"{study.path}: replications: a rule; allowed in a paper's study is a number, because "
                "airfair reproduce runs undecided claims again by itself"
            )
