"""`airfair sweep`: runs a study, prints its tables, and writes tables, figures and a page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import store
from airfair._core import ScenarioError
from airfair.archive import EngineError
from airfair.cli.status import DONE, INTERRUPTED, InputError, complain, describe
from airfair.figures import png, svg
from airfair.terminal import columns

from . import page, saved, text
from .document import document
from .errors import StudyError
from .study import Study, load_study

if TYPE_CHECKING:
    from .results import ExperimentResult


def main(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status; raises `InputError` for a mistake of the user."""
    study = read(Path(arguments.study), arguments.replications)
    _refuse_labels_alone(study)
    out: Path | None = arguments.out
    made = [] if out is None else _prepare(out)
    results = None
    try:
        results = study.experiment.run(
            store=_store(arguments), engine=_engine(arguments), threads=arguments.threads
        )
    except StudyError as error:
        raise InputError(*error.problems) from error
    except EngineError as error:
        raise InputError(str(error)) from error
    finally:
        if results is None or not any(results.runs_.packed):
            store.remove_if_empty(made)
    failure = None
    if out is not None and any(results.runs_.packed):
        failure = _save(study, results, out, arguments.command_line)
    _print(study, results, arguments)
    if failure:
        raise failure
    if out is not None and any(results.runs_.packed):
        sys.stderr.write(f"airfair: wrote {out}\n")
    if results.interrupted:
        return complain(INTERRUPTED, "interrupted; the same command goes on where it was")
    return DONE


def read(path: Path, replications: int | None = None) -> Study:
    """The study in a file; raises `InputError` with all mistakes."""
    try:
        return load_study(path, replications=replications)
    except StudyError as error:
        raise InputError(*error.problems) from error
    except ScenarioError as error:
        raise InputError(*(f"{path}: scenario: {problem}" for problem in error.problems)) from error
    except OSError as error:
        raise InputError(f"{error.filename or path}: {describe(error)}") from error


def _refuse_labels_alone(study: Study) -> None:
    """Raise `InputError` if levels set nothing: only their paper knows what they mean."""
    idle = [
        factor.name
        for factor in study.experiment.factors
        if factor.levels and not any(level.keys for level in factor.levels)
    ]
    if idle:
        raise InputError(
            *(
                f"{study.path}: factors.{name}: its levels set no key, so that all would be the same; "
                "airfair reproduce runs what a paper draws for them"
                for name in idle
            )
        )


def _store(arguments: argparse.Namespace) -> str | Path | None:
    if arguments.no_store:
        return None
    return arguments.store or "default"


def _engine(arguments: argparse.Namespace) -> str:
    from airfair.archive import engine

    form: str = arguments.engine
    try:
        # Seen to be one before anything else; it begins when it is needed.
        engine(form, threads=arguments.threads).close()
    except (ValueError, EngineError) as error:
        raise InputError(f"--{error}") from error
    return form


def _prepare(out: Path) -> list[Path]:
    made = [path for path in (out, *out.parents) if not path.exists()]
    try:
        store.prepare(out)
    except OSError as error:
        raise InputError(f"--out {out}: {describe(error)}") from error
    return made


def _save(
    study: Study, results: ExperimentResult, out: Path, command_line: list[str]
) -> OSError | None:
    """Write tables, then figures and the page; what went wrong is told after the tables are printed."""
    about = saved.about(results, command_line)
    files = saved.files(results)
    files[study.path.name] = study.path.read_bytes()
    files["experiment.json"] = store.encode(
        document(results, text.measures(study), study.comparisons)
    )
    try:
        store.write_all(out, files, about)
        store.write_all(out, drawn(study, results, about), about, keep=files)
    except OSError as error:
        return OSError(error.errno, f"--out {out}: {describe(error)}")
    return None


def drawn(study: Study, results: ExperimentResult, about: dict[str, object]) -> dict[str, bytes]:
    """Figures and the page by file name; a study without figures gets one, if one factor varies."""
    shown: dict[str, page.Drawn] = {}
    files: dict[str, bytes] = {}
    for one in study.pictures():
        figure = one.drawn(results, one.title)
        picture = svg(figure)
        files[f"{one.id}.svg"] = picture.encode()
        files[f"{one.id}.png"] = png(figure)
        shown[one.id] = page.Drawn(picture, one.title or f"{one.y.name} over {one.x}", one.caption)
    source = (study.path.name, study.path.read_text(encoding="utf-8"))
    rest = page.Shown(text.measures(study), study.comparisons, source)
    html = page.page(results, rest, shown, about)
    return {**files, "report.html": html.encode()}


def _print(study: Study, results: ExperimentResult, arguments: argparse.Namespace) -> None:
    if arguments.json:
        made = document(results, text.measures(study), study.comparisons)
        sys.stdout.buffer.write(store.encode(made))
    else:
        shown = text.shown(results, text.measures(study), study.comparisons, columns(sys.stdout))
        sys.stdout.write(shown + "\n")
    sys.stdout.flush()
