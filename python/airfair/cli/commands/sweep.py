"""`airfair sweep`: runs a study, that is a scenario at each combination of levels of some factors."""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from airfair import replacing
from airfair.archive import EngineError, engine
from airfair.cli import output, studies
from airfair.cli.status import DONE, FAILED, INTERRUPTED, InputError, complain
from airfair.engine import Interrupted
from airfair.experiment import DefaultsWarning
from airfair.names import printable
from airfair.store import write_all
from airfair.terminal import columns

if TYPE_CHECKING:
    from airfair.experiment import ExperimentResult, Study

_WIDTH = 80


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    study = studies.read(Path(arguments.study), arguments.replications)
    _refuse_labels_alone(study)
    out: Path | None = arguments.out
    _check_outputs(study, arguments)
    results, failure, cut = None, None, False
    with output.prepared(out):
        try:
            results = _simulate(study, arguments)
            if out is not None and results.finished.any:
                failure = _save(study, results, out, arguments)
        except KeyboardInterrupt:
            if results is None:
                raise
            cut = True  # Ctrl-C while figures were drawn, after the tables were written
    _print(study, results, arguments)
    if failure:
        raise failure
    if out is not None and results.finished.any:
        sys.stderr.write(f"airfair: wrote {out}\n")
    return _status(results, cut=cut)


def _refuse_labels_alone(study: Study) -> None:
    """Raise `InputError` for a factor whose levels set no keys; only code of a paper can run such a study."""
    idle = [
        factor.name
        for factor in study.experiment.factors
        if factor.levels and not any(level.keys for level in factor.levels)
    ]
    if idle:
        raise InputError(
            *(
                f"{study.path}: factors.{name}: no level sets a key; allowed are levels that set at least "
                "one; run the study of a paper with airfair reproduce"
                for name in idle
            )
        )


def _simulate(study: Study, arguments: argparse.Namespace) -> ExperimentResult:
    _warn(study)
    store = None if arguments.no_store else arguments.store or "default"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DefaultsWarning)  # `_warn` has printed it
            return study.experiment.run(
                store=store, engine=_engine(arguments), threads=arguments.threads
            )
    except Interrupted as stop:
        partial: ExperimentResult = stop.result
        return partial


def _warn(study: Study) -> None:
    """Warn of levels that change the 802.11 standard and thereby defaults of other keys."""
    for told in study.experiment.changed_defaults():
        for line in f"airfair: warning: {told}".splitlines():
            wrapped = textwrap.wrap(printable(line), _WIDTH, subsequent_indent="    ")
            print("\n".join(wrapped), file=sys.stderr)


def _engine(arguments: argparse.Namespace) -> str:
    form: str = arguments.engine
    try:
        # Check the name of the engine before anything else; the run starts the engine when it needs it.
        engine(form, threads=arguments.threads).close()
    except (ValueError, EngineError) as error:
        raise InputError(f"--{error}") from error
    return form


def _check_outputs(study: Study, arguments: argparse.Namespace) -> None:
    """Raise `InputError` if `--store` is a file that is read, or `--out` would replace a protected file."""
    if arguments.store is not None and replacing.is_input(arguments.store):
        raise InputError(
            f"--store {arguments.store}: the command reads this file; name another one"
        )
    if arguments.out is not None:
        from airfair.experiment import files

        one = output.Output("--out", arguments.out, files.names(study))
        output.check([one], force=arguments.force)


def _save(
    study: Study, results: ExperimentResult, out: Path, arguments: argparse.Namespace
) -> OSError | None:
    """Write the tables, then the figures and the page; return the error if this fails."""
    from airfair.experiment import files, report

    def write() -> None:
        about, tables = files.about(results, arguments.command_line), report.tables(study, results)
        write_all(out, tables, about, force=arguments.force)
        drawn = report.drawn(study, results, about)
        write_all(out, drawn, about, keep=tables, force=arguments.force)

    return output.failure(out, write)


def _print(study: Study, results: ExperimentResult, arguments: argparse.Namespace) -> None:
    from airfair.experiment import report, text

    if arguments.json:
        output.print_json(report.document(study, results))
    else:
        shown = text.shown(results, text.measures(study), study.comparisons, columns(sys.stdout))
        sys.stdout.write(shown + "\n")
    sys.stdout.flush()


def _status(results: ExperimentResult, *, cut: bool) -> int:
    """Exit status; prints a message if runs or figures are missing, or runs could not be saved."""
    if results.interrupted:
        return complain(INTERRUPTED, "interrupted; the same command continues from here")
    if cut:
        return complain(INTERRUPTED, "interrupted before all figures were drawn")
    if results.spent.unsaved:
        again = "the same command would run them again"
        return complain(
            FAILED, f"some finished runs could not be kept, {again}: {results.spent.unsaved}"
        )
    return DONE
