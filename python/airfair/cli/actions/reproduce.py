"""Action of `airfair reproduce`: runs papers, and writes their reports and the page of all claims."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from airfair import RunError, ScenarioError, json_documents, store
from airfair.cli import output
from airfair.cli.status import DONE, INTERRUPTED, InputError
from airfair.errors import describe
from airfair.experiment.errors import StudyError
from airfair.replacing import note_input
from airfair.reproduction import directory
from airfair.reproduction.catalogue import UnknownPaperError, load, papers, select
from airfair.reproduction.document import WIDTH
from airfair.reproduction.paper import Paper
from airfair.reproduction.results import Outcome, names
from airfair.reproduction.runs import Choice, measure
from airfair.reproduction.summary import INDEX, PAGE, TEXT, Chapter, Summary
from airfair.terminal import columns

if TYPE_CHECKING:
    import argparse


ARCHIVE = "runs.sqlite"
"""Name of the archive of finished runs, in the directory of the results."""


def main(args: argparse.Namespace) -> int:
    """Run `airfair reproduce [PAPER[/EXPERIMENT]]` and return its exit status.

    `args` has paper, list, replications, threads, out, force, json, quick and fresh. Without a paper, all
    papers run one after the other, and a page of all claims is written. Raises InputError for mistakes of the
    user.
    """
    if args.list:
        _write(_list(as_json=args.json), sys.stdout)
        return DONE
    choices = _choices(args)
    output.check([*_outputs(choices, args)], force=args.force)
    for choice in choices:
        output.prepare(choice.out)
    return _one(choices[0], args) if args.paper else _all(choices, args)


def _outputs(choices: Sequence[Choice], args: argparse.Namespace) -> Iterator[output.Output]:
    """Output directories of the papers; if all papers run, also the directory above them."""
    for choice in choices:
        for path in choice.paths:
            note_input(path)
        yield output.Output("--out", choice.out, names(choice))
    if not args.paper:
        yield output.Output("--out", choices[0].out.parent, (INDEX, PAGE, TEXT, store.MANIFEST))


def _one(choice: Choice, args: argparse.Namespace) -> int:
    outcome = Outcome(choice, measure(choice))
    failure = _save_outcome(outcome, force=args.force)
    people = _for_people(args)
    _write(outcome.text(saved=failure is None, width=_columns(people)) + "\n", people)
    failure = failure or outcome.measured.unsaved
    if args.json:
        _write_document(Summary([Chapter.of(outcome, failure)], choice.out.parent))
    if failure:
        raise failure
    return INTERRUPTED if outcome.measured.interrupted else DONE


def _all(choices: Sequence[Choice], args: argparse.Namespace) -> int:
    """Run one paper after the other; a failure does not stop the others, Ctrl-C and a full disk do.

    The page of all claims is written after each paper, so that it exists however the program ends.
    """
    chapters = [Chapter(choice) for choice in choices]
    summary = Summary(chapters, choices[0].out.parent)
    people, told = _for_people(args), list[str]()

    def save(*, running: bool) -> OSError | None:
        files = summary.files(running=running)
        if told:
            files |= _text_file(told, summary)
        return _save(summary.out, files, force=args.force)

    page_failure = save(running=True)
    try:
        for i, choice in enumerate(choices):
            chapters[i], text = _chapter(
                choice, f"{i + 1}/{len(choices)} {choice.paper.id}", force=args.force
            )
            told.append(text)
            _write(summary.line(chapters[i], _columns(people)) + "\n", people)
            over = chapters[i].ends_all or choice is choices[-1]
            page_failure = save(running=not over)
            if page_failure or over:
                break
    except BaseException:
        # However the program ends, the page stops reloading itself.
        save(running=False)
        raise
    kept = (
        f"reports of all papers: {summary.out / INDEX}\nall results as text: {summary.out / TEXT}"
    )
    kept = "no page was written" if page_failure else kept
    _write(f"\n{summary.counts_text()}\n{kept}\n", people)
    if args.json:
        _write_document(summary)
    failures = [failure for failure in (*(c.failure for c in chapters), page_failure) if failure]
    if failures:
        raise failures[0]
    return INTERRUPTED if summary.interrupted else DONE


def _chapter(choice: Choice, label: str, *, force: bool) -> tuple[Chapter, str]:
    """Run one of several papers and write its files; return its chapter and its text."""
    paper = choice.paper
    title = "\n".join(textwrap.wrap(f"{paper.id}: {paper.title}", WIDTH))
    try:
        outcome = Outcome(choice, measure(choice, label))
    except RunError as error:
        failed = RunError(f"{paper.id}: {error}")
        return Chapter(choice, failure=failed), f"{title}\n\nfailed: {error}"
    except OSError as error:
        return Chapter(choice, failure=error), f"{title}\n\nfailed: {describe(error)}"
    failure = _save_outcome(outcome, force=force)
    text = f"{title}\n\n{outcome.text(saved=failure is None)}"
    return Chapter.of(outcome, failure or outcome.measured.unsaved), text


def _text_file(told: Sequence[str], summary: Summary) -> dict[str, bytes]:
    """Text file with tables and claims of the finished papers, and a summary."""
    return {TEXT: ("\n\n\n".join([*told, summary.text()]) + "\n").encode()}


def _save_outcome(outcome: Outcome, *, force: bool) -> OSError | None:
    if not outcome.experiments:
        return None
    return _save(outcome.choice.out, outcome.files(), force=force)


def _save(out: Path, files: Mapping[str, bytes], *, force: bool) -> OSError | None:
    return output.failure(out, lambda: store.write_all(out, files, force=force))


def _for_people(args: argparse.Namespace) -> TextIO:
    """Stream for text: standard error if standard output has a JSON document."""
    return sys.stderr if args.json else sys.stdout


def _columns(people: TextIO) -> int:
    """Width of tables [columns], at least 80."""
    return max(columns(people), WIDTH)


def _write_document(summary: Summary) -> None:
    """Print the JSON document, which has the same shape for one paper and for all."""
    content = {
        "papers": [chapter.document for chapter in summary.chapters if chapter.document],
        "summary": summary.document(),
    }
    whole = json_documents.document("reproduction", content)
    _write(store.encode(whole).decode(), sys.stdout)


def _choices(args: argparse.Namespace) -> list[Choice]:
    top = args.out or Path("results")
    if args.paper is None:
        return [_choice(args, load(id_), None, top / id_, top) for id_ in papers()]
    paper, experiment_id = _paper(args.paper)
    return [_choice(args, paper, experiment_id, args.out or top / paper.id, top)]


def _paper(named: str) -> tuple[Paper[Any], str | None]:
    """Paper for an id or a directory, and the id of its experiment if one is named."""
    paper_id, _, experiment_id = named.partition("/")
    try:
        if paper_id in papers():
            return load(paper_id), experiment_id or None
        path = Path(named)
        if directory.is_paper(path):
            return directory.load(path), None
        if directory.is_paper(path.parent) and path.name:
            return directory.load(path.parent), path.name
        if path.is_dir():
            raise InputError(
                f"{named}: this directory has no {directory.PAPER}; write an example with: airfair init paper"
            )
        return load(named if paper_id in {"", ".", ".."} else paper_id), experiment_id or None
    except UnknownPaperError as error:
        raise InputError(f"{error}, or a directory with a {directory.PAPER}") from error
    except (StudyError, ScenarioError) as error:
        raise InputError(*error.problems) from error
    except OSError as error:
        raise InputError(f"{error.filename or named}: {describe(error)}") from error


def _choice(
    args: argparse.Namespace, paper: Paper[Any], experiment_id: str | None, out: Path, top: Path
) -> Choice:
    try:
        experiments = select(paper, experiment_id)
    except UnknownPaperError as error:
        raise InputError(str(error)) from error
    if args.replications is not None and args.replications < 1:
        raise InputError(
            f"--replications {args.replications}: allowed is a whole number, 1 or more"
        )
    return Choice(
        paper,
        tuple(experiments),
        args.replications,
        out,
        quick=args.quick,
        archive=top / ARCHIVE,
        fresh=args.fresh,
        threads=args.threads,
    )


def _list(*, as_json: bool) -> str:
    all_papers = [load(paper_id) for paper_id in papers()]
    if as_json:
        entries = [
            {"id": p.id, "title": p.title, "experiments": [*p.experiments]} for p in all_papers
        ]
        return store.encode(json_documents.document("papers", {"papers": entries})).decode()
    lines = []
    for paper in all_papers:
        lines += textwrap.wrap(f"{paper.id}: {paper.title}", WIDTH)
        for experiment in paper.experiments.values():
            name = f"  {paper.id}/{experiment.id:<10} "
            rest = " " * len(name)
            lines += textwrap.wrap(name + experiment.title, WIDTH, subsequent_indent=rest)
    return "\n".join(lines) + "\n"


def _write(text: str, stream: TextIO) -> None:
    if isinstance(stream, TextIOWrapper):
        # Replace characters that the terminal cannot show by question marks.
        stream.reconfigure(errors="replace")
    stream.write(text)
    stream.flush()
