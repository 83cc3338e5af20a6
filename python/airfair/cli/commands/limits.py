"""`airfair limits`: prints the limits of schemes while they are searched."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any, TextIO

from airfair import json_documents
from airfair.cli import laws, scenarios
from airfair.cli.output import for_people, print_json
from airfair.cli.status import DONE, INTERRUPTED, InputError, as_option
from airfair.engine import Interrupted
from airfair.errors import OptionError, describe
from airfair.law import Law, LawError, has_raised
from airfair.limit_search import report
from airfair.limit_search.files import ARCHIVE
from airfair.limit_search.report import summary
from airfair.limit_search.running import Limits, limits, place_of
from airfair.limit_search.schemes import SCHEMES, check_node
from airfair.limit_search.search import Found
from airfair.terminal import write


def main(args: argparse.Namespace) -> int:
    """Run `airfair limits [SCHEME]` and return its exit status.

    `args` has scheme, law, judge, set, standard, ofdma, neighbour, sender, list, quick, points, replications,
    seed, threads, out, force and json. Without a scheme and a law, all schemes are searched one after the
    other. Raises InputError for mistakes of the user.
    """
    if args.list:
        _list(as_json=args.json)
        return DONE
    out: Path = args.out or Path("results/limits")
    people = for_people(args)
    status = DONE
    try:
        result = _run(args, out, people)
    except Interrupted as stop:
        result, status = stop.result, INTERRUPTED
    if len(result.schemes) > 1:
        write(summary(result.schemes), people)
    if args.json:
        print_json(result.document())
    if result.unsaved:
        raise result.unsaved
    return status


def _run(args: argparse.Namespace, out: Path, people: TextIO) -> Limits:
    try:
        return limits(
            args.scheme,
            laws=_laws(args.law),
            judge=args.judge,
            set={path: _value(text) for path, text in scenarios.keys(args.set)},
            standard=args.standard,
            ofdma=args.ofdma,
            neighbour=args.neighbour,
            sender=args.sender,
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
    except LawError as error:
        raise InputError(f"--law: {error}") from error
    except OSError as error:
        if has_raised(error):
            raise
        words = describe(error)
        told = as_option(words) if words.startswith("out ") else f"--out {out}: {words}"
        raise OSError(error.errno, told) from error


def _laws(options: list[str]) -> dict[str, list[type[Law]]] | None:
    """Laws of the options `--law`; `None` without one."""
    return laws.named(options, [Path()], check_node) if options else None


def _value(text: str) -> Any:  # noqa: ANN401 - any value of TOML
    """Value of a key in TOML; other text stands for itself, as in `1 Mb/s`."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _tell(found: Found, people: TextIO, out: Path) -> None:
    write(report.text(found) + "\n", people)
    if found.points:
        write(f"airfair: wrote {place_of(found.scheme, out)}\n", sys.stderr)
    if found.interrupted:
        whole = found.plan.points + found.plan.refined
        write(
            f"airfair: interrupted after {len(found.points)} of about {whole} points; "
            "the same command continues from here\n",
            sys.stderr,
        )


def _list(*, as_json: bool) -> None:
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
        print_json(json_documents.document("schemes", {"schemes": entries}))
        return
    lines = [f"{scheme.id:<16}{scheme.title}\n" for scheme in SCHEMES.values()]
    write("".join(lines), sys.stdout)
