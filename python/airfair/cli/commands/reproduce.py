"""`airfair reproduce`: prints the results of papers while they run."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path

from airfair import json_documents
from airfair.cli.output import for_people, print_json
from airfair.cli.status import DONE, INTERRUPTED, InputError, as_option, complain
from airfair.engine import Interrupted
from airfair.errors import OptionError, describe
from airfair.reproduction.catalogue import load, papers
from airfair.reproduction.document import WIDTH
from airfair.reproduction.paper_result import PaperResult
from airfair.reproduction.running import ReproductionError, Selection, reproduce
from airfair.reproduction.summary import INDEX, TEXT, Reproduction
from airfair.terminal import columns, write

ARCHIVE = "runs.sqlite"
"""Name of the archive of finished runs, in the directory of the results."""


def main(args: argparse.Namespace) -> int:
    """Run `airfair reproduce [PAPER[/EXPERIMENT]]` and return its exit status.

    `args` has paper, list, replications, threads, out, force, json, quick and fresh. Without a paper, all
    papers run one after the other, and a page of all claims is written. Raises InputError for mistakes of the
    user.
    """
    if args.list:
        _list(as_json=args.json)
        return DONE
    failure, status = None, DONE
    try:
        result = _run(args)
    except Interrupted as stop:
        result, status = stop.result, INTERRUPTED
    except ReproductionError as error:
        result, failure = error.result, error.reason
    if args.paper is None:
        write(_conclusion(result), for_people(args))
    if args.json:
        print_json(result.document())
    failure = failure or result.failure
    if isinstance(failure, OSError):
        words = describe(failure)
        words = as_option(words) if words.startswith("out ") else words
        raise OSError(failure.errno, words) from failure
    if failure:
        raise failure
    if status == INTERRUPTED:
        again = "the same command without --fresh" if args.fresh else "the same command"
        complain(
            INTERRUPTED, f"interrupted; finished runs are kept, and {again} continues from here"
        )
    return status


def _run(args: argparse.Namespace) -> Reproduction:
    top: Path = args.out or Path("results")
    try:
        chosen = None if args.paper is None else _chosen(args.paper)
        return reproduce(
            chosen,
            quick=args.quick,
            replications=args.replications,
            out=top if chosen is None or args.out else top / chosen.paper.id,
            force=args.force,
            store=top / ARCHIVE,
            fresh=args.fresh,
            threads=args.threads,
            finished=lambda result, paper: _tell(result, paper, args),
        )
    except OptionError as error:
        problems = [as_option(one, "paper", "experiment") for one in error.problems]
        raise InputError(*problems) from error


def _chosen(named: str) -> Selection:
    try:
        return Selection.of(named)
    except OSError as error:
        raise InputError(f"{error.filename or named}: {describe(error)}") from error


def _tell(result: Reproduction, paper: PaperResult, args: argparse.Namespace) -> None:
    """Print a line on one of all papers, or all results of a single one."""
    people = for_people(args)
    width = max(columns(people), WIDTH)
    if args.paper is None:
        write(f"{result.line(paper, width)}\n", people)
    elif paper.document is not None:
        write(f"{paper.text(width)}\n", people)


def _conclusion(result: Reproduction) -> str:
    """Number of claims of all papers by their state, and the places of the pages."""
    kept = "no page was written"
    if result.out is not None and not result.page_failure:
        pages = (("reports of all papers", INDEX), ("all results as text", TEXT))
        kept = "\n".join(f"{what}: {result.out / name}" for what, name in pages)
    return f"\n{result.counts_text()}\n{kept}\n"


def _list(*, as_json: bool) -> None:
    all_papers = [load(paper_id) for paper_id in papers()]
    if as_json:
        entries = [
            {"id": p.id, "title": p.title, "experiments": [*p.experiments]} for p in all_papers
        ]
        print_json(json_documents.document("papers", {"papers": entries}))
        return
    lines = []
    for paper in all_papers:
        lines += textwrap.wrap(f"{paper.id}: {paper.title}", WIDTH)
        for experiment in paper.experiments.values():
            name = f"  {paper.id}/{experiment.id:<10} "
            rest = " " * len(name)
            lines += textwrap.wrap(name + experiment.title, WIDTH, subsequent_indent=rest)
    write("\n".join(lines) + "\n", sys.stdout)
