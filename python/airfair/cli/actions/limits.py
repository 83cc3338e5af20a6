"""Action of `airfair limits`: searches one scheme after the other, and writes and prints what it finds."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from airfair import json_documents, store
from airfair.cli import output
from airfair.cli.status import DONE, INTERRUPTED, InputError
from airfair.errors import describe
from airfair.limit_search import files
from airfair.limit_search.cells import TODAYS
from airfair.limit_search.schemes import SCHEMES, Scheme
from airfair.limit_search.search import FULL_PLAN, QUICK_PLAN, Found, Plan, find
from airfair.limit_search.standards import STANDARDS, TODAY
from airfair.names import did_you_mean

if TYPE_CHECKING:
    import argparse

FEWEST_POINTS, MOST_POINTS = 16, 4096
FEWEST_REPLICATIONS = 3


def main(args: argparse.Namespace) -> int:
    """Run `airfair limits [SCHEME]` and return its exit status.

    `args` has scheme, standard, list, quick, points, replications, seed, threads, out and json. Without a
    scheme, all schemes are searched one after the other. Raises InputError for mistakes of the user.
    """
    if args.list:
        _write(_list(as_json=args.json), sys.stdout)
        return DONE
    plan = _plan(args)
    chosen = _chosen(args.scheme, args.standard)
    out: Path = args.out or Path("results/limits")
    places = {scheme.id: out / (args.standard or "") / scheme.id for scheme in chosen}
    outputs = [output.Output("--out", place, files.names()) for place in places.values()]
    output.check(outputs, force=args.force)
    output.prepare(out)
    people = sys.stderr if args.json else sys.stdout
    documents: list[dict[str, Any]] = []
    every: list[Found] = []
    for scheme in chosen:
        found = _search(scheme, plan, out, args.threads)
        every.append(found)
        documents.append(_save(found, places[scheme.id], force=args.force))
        _tell(found, people, places[scheme.id])
        if found.interrupted or found.unsaved:
            break
    if len(every) > 1:
        from airfair.limit_search.report import summary

        _write(summary(every), people)
    if args.json:
        whole = json_documents.document("limits", {"schemes": documents})
        _write(store.encode(whole).decode(), sys.stdout)
    if every[-1].unsaved:
        raise every[-1].unsaved
    return INTERRUPTED if every[-1].interrupted else DONE


def _plan(args: argparse.Namespace) -> Plan:
    usual = QUICK_PLAN if args.quick else FULL_PLAN
    points = usual.points if args.points is None else args.points
    replications = usual.replications if args.replications is None else args.replications
    seed = usual.seed if args.seed is None else args.seed
    problems = []
    if not FEWEST_POINTS <= points <= MOST_POINTS:
        problems.append(f"--points {points}: allowed is {FEWEST_POINTS} to {MOST_POINTS}")
    if replications < FEWEST_REPLICATIONS:
        problems.append(
            f"--replications {replications}: allowed is {FEWEST_REPLICATIONS} or more; fewer pairs of runs "
            "decide nothing"
        )
    if seed < 0:
        problems.append(f"--seed {seed}: allowed is 0 or more")
    if problems:
        raise InputError(*problems)
    times = TODAYS[usual.times] if args.standard in TODAY else usual.times
    return Plan(points, replications, seed, times)


def _chosen(name: str | None, standard: str | None) -> list[Scheme]:
    problems = []
    for what, value, allowed in (("scheme", name, SCHEMES), ("--standard", standard, STANDARDS)):
        if value is not None and value not in allowed:
            hint = did_you_mean(value, allowed)
            problems.append(f"{what} {value!r}: unknown{hint}; allowed {', '.join(allowed)}")
    if problems:
        raise InputError(*problems)
    chosen = list(SCHEMES.values()) if name is None else [SCHEMES[name]]
    return [scheme.under(standard) for scheme in chosen] if standard else chosen


def _search(scheme: Scheme, plan: Plan, out: Path, threads: int | None) -> Found:
    from airfair.archive import Archive
    from airfair.terminal import Progress

    try:
        with Archive(out / files.ARCHIVE) as archive, Progress(scheme.id) as progress:
            return find(scheme, plan, archive, progress, threads)
    except OSError as error:
        raise OSError(error.errno, f"--out {out}: {describe(error)}") from error


def _save(found: Found, out: Path, *, force: bool) -> dict[str, Any]:
    """Write the files of a scheme, and return its JSON document."""
    try:
        return files.save(found, out, force=force)
    except OSError as error:
        raise OSError(error.errno, f"--out {out}: {describe(error)}") from error


def _tell(found: Found, people: TextIO, out: Path) -> None:
    from airfair.limit_search import report

    _write(report.text(found) + "\n", people)
    if found.points:
        _write(f"airfair: wrote {out}\n", sys.stderr)
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
