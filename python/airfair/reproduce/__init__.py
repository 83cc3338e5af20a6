"""`airfair reproduce`: runs the experiments of a paper and lays the results beside what it prints."""

from __future__ import annotations

import sys
import textwrap
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from airfair import store
from airfair.cli import DONE, INTERRUPTED, InputError, describe

from .catalogue import UnknownPaperError, load, papers, select
from .document import WIDTH
from .results import Outcome
from .runs import Choice, measure

if TYPE_CHECKING:
    import argparse

    from .paper import Json


def main(args: argparse.Namespace) -> int:
    """Run `airfair reproduce [PAPER[/EXPERIMENT]]` and return its exit status.

    `args` has paper, list, replications, out, json and quick. Without a paper: all of them, one after
    the other. Raises InputError for a mistake of the user.
    """
    if args.list:
        _write(_list(as_json=args.json), sys.stdout)
        return DONE
    choices = _choices(args)
    for choice in choices:
        try:
            store.prepare(choice.out)
        except OSError as error:
            raise InputError(f"--out {choice.out}: {describe(error)}") from error
    documents: list[Json] = []
    interrupted, failure = False, None
    for choice in choices:
        outcome = Outcome(choice, measure(choice))
        failure = _save(outcome)
        text = _text(outcome, alone=len(choices) == 1, saved=failure is None)
        _write(text, sys.stderr if args.json else sys.stdout)
        documents.append(outcome.document())
        interrupted = outcome.measured.interrupted
        if interrupted or failure:
            break
    if args.json:
        # One paper is the document itself, all of them a list of such documents.
        whole = documents[0] if args.paper else {"papers": documents}
        _write(store.encode(whole).decode(), sys.stdout)
    if failure:
        raise failure
    return INTERRUPTED if interrupted else DONE


def _save(outcome: Outcome) -> OSError | None:
    """Write the files; what went wrong is told after the figures, which took minutes to get."""
    if not outcome.experiments:
        return None
    out = outcome.choice.out
    try:
        store.write_all(out, outcome.files())
    except OSError as error:
        return OSError(error.errno, f"--out {out}: {describe(error)}; nothing was written")
    return None


def _text(outcome: Outcome, *, alone: bool, saved: bool) -> str:
    paper = outcome.choice.paper
    title = "\n".join(textwrap.wrap(f"{paper.id}: {paper.title}", WIDTH))
    heading = "" if alone else f"{title}\n\n"
    return heading + outcome.text(saved=saved) + ("\n" if alone else "\n\n")


def _choices(args: argparse.Namespace) -> list[Choice]:
    if args.paper is None:
        out = args.out or Path("results")
        return [_choice(args, paper_id, None, out / paper_id) for paper_id in papers()]
    paper_id, _, experiment_id = args.paper.partition("/")
    out = args.out or Path("results") / paper_id
    return [_choice(args, paper_id, experiment_id or None, out)]


def _choice(
    args: argparse.Namespace, paper_id: str, experiment_id: str | None, out: Path
) -> Choice:
    try:
        paper = load(paper_id)
        experiments = select(paper, experiment_id)
    except UnknownPaperError as error:
        raise InputError(str(error)) from error
    replications = args.replications
    if replications is None:
        replications = paper.quick_replications if args.quick else paper.replications
    if replications < 1:
        raise InputError(f"--replications {replications}: allowed is 1 or more")
    return Choice(paper, tuple(experiments), replications, out, quick=args.quick)


def _list(*, as_json: bool) -> str:
    all_papers = [load(paper_id) for paper_id in papers()]
    if as_json:
        entries = [
            {"id": p.id, "title": p.title, "experiments": [*p.experiments]} for p in all_papers
        ]
        return store.encode({"papers": entries}).decode()
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
        # A terminal that lacks a character gets a question mark, not an exception.
        stream.reconfigure(errors="replace")
    stream.write(text)
    stream.flush()
