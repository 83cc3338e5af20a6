"""Action of `airfair limits`: prints the limits of schemes while they are searched."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from airfair import json_documents, store
from airfair.cli.status import DONE, INTERRUPTED, InputError, as_option
from airfair.engine import Interrupted
from airfair.errors import OptionError, describe
from airfair.limit_search.files import ARCHIVE
from airfair.limit_search.running import limits, place_of
from airfair.limit_search.schemes import SCHEMES

if TYPE_CHECKING:
    import argparse

    from airfair.limit_search.running import Limits
    from airfair.limit_search.search import Found


def main(args: argparse.Namespace) -> int:
    """Run `airfair limits [SCHEME]` and return its exit status.

    `args` has scheme, standard, list, quick, points, replications, seed, threads, out, force and json.
    Without a scheme, all schemes are searched one after the other. Raises InputError for mistakes of the
    user.
    """
    if args.list:
        _write(_list(as_json=args.json), sys.stdout)
        return DONE
    out: Path = args.out or Path("results/limits")
    people = sys.stderr if args.json else sys.stdout
    status = DONE
    try:
        result = _run(args, out, people)
    except Interrupted as stop:
        result, status = stop.result, INTERRUPTED
    if len(result.schemes) > 1:
        from airfair.limit_search.report import summary

        _write(summary(result.schemes), people)
    if args.json:
        _write(store.encode(result.document()).decode(), sys.stdout)
    if result.unsaved:
        raise result.unsaved
    return status


def _run(args: argparse.Namespace, out: Path, people: TextIO) -> Limits:
    try:
        return limits(
            args.scheme,
            standard=args.standard,
            quick=args.quick,
            points=args.points,
            replications=args.replications,
            seed=args.seed,
            out=out,
            force=args.force,
            store=out / ARCHIVE,
            threads=args.threads,
            finished=lambda found: _tell(found, people, out),
        )
    except OptionError as error:
        raise InputError(*(as_option(one, "scheme") for one in error.problems)) from error
    except OSError as error:
        words = describe(error)
        told = as_option(words) if words.startswith("out ") else f"--out {out}: {words}"
        raise OSError(error.errno, told) from error


def _tell(found: Found, people: TextIO, out: Path) -> None:
    from airfair.limit_search import report

    _write(report.text(found) + "\n", people)
    if found.points:
        _write(f"airfair: wrote {place_of(found.scheme, out)}\n", sys.stderr)
    if found.interrupted:
        whole = found.plan.points + found.plan.refined
        _write(
            f"airfair: interrupted after {len(found.points)} of about {whole} points; "
            "the same command continues from here\n",
            sys.stderr,
        )


def _list(*, as_json: bool) -> str:
    if as_json:
        entries = [
            {
                "id": scheme.id,
                "title": scheme.title,
                "paper": scheme.paper,
                "judged": list(scheme.judged),
                "dimensions": [dimension.id for dimension in scheme.space],
            }
            for scheme in SCHEMES.values()
        ]
        return store.encode(json_documents.document("schemes", {"schemes": entries})).decode()
    return "".join(f"{scheme.id:<16}{scheme.title}\n" for scheme in SCHEMES.values())


def _write(text: str, stream: TextIO) -> None:
    if isinstance(stream, TextIOWrapper):
        # Replace characters that the terminal cannot show by question marks.
        stream.reconfigure(errors="replace")
    stream.write(text)
    stream.flush()
