"""`airfair reproduce`: runs the experiments of a paper and lays the results beside what it prints."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from airfair import store
from airfair.cli import DONE, INTERRUPTED, InputError, describe

from .catalogue import UnknownPaperError, load, papers, select
from .results import Choice, Outcome, measure

if TYPE_CHECKING:
    import argparse

REPLICATIONS = 100
QUICK_REPLICATIONS = 3


def main(args: argparse.Namespace) -> int:
    """Run `airfair reproduce [PAPER[/EXPERIMENT]]` and return its exit status.

    `args` has paper, replications, out, json and quick. Raises InputError for a mistake of the user.
    """
    if args.paper is None:
        _write(_list(as_json=args.json), sys.stdout)
        return DONE
    choice = _choice(args)
    try:
        store.prepare(choice.out)
    except OSError as error:
        raise InputError(f"--out {choice.out}: {describe(error)}") from error
    outcome = Outcome(choice, measure(choice))
    if outcome.experiments:
        store.write_all(choice.out, outcome.files())
    _write(outcome.text() + "\n", sys.stderr if args.json else sys.stdout)
    if args.json:
        _write(store.encode(outcome.document()).decode(), sys.stdout)
    return INTERRUPTED if outcome.measured.interrupted else DONE


def _choice(args: argparse.Namespace) -> Choice:
    paper_id, _, experiment_id = args.paper.partition("/")
    try:
        paper = load(paper_id)
        experiments = select(paper, experiment_id or None)
    except UnknownPaperError as error:
        raise InputError(str(error)) from error
    replications = args.replications
    if replications is None:
        replications = QUICK_REPLICATIONS if args.quick else REPLICATIONS
    if replications < 1:
        raise InputError(f"--replications {replications}: allowed is 1 or more")
    out = args.out or Path("results") / paper_id
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
        lines.append(f"{paper.id}: {paper.title}")
        lines += [f"  {paper.id}/{e.id:<10} {e.title}" for e in paper.experiments.values()]
    return "\n".join(lines) + "\n"


def _write(text: str, stream: TextIO) -> None:
    if isinstance(stream, TextIOWrapper):
        # A terminal that lacks a character gets a question mark, not an exception.
        stream.reconfigure(errors="replace")
    stream.write(text)
    stream.flush()
