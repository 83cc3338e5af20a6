"""Action of `airfair limits`: searches one scheme after the other, and writes and prints what it finds."""

from __future__ import annotations

import sys
import tomllib
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from airfair import json_documents, store
from airfair.cli import output
from airfair.cli.status import DONE, INTERRUPTED, InputError
from airfair.errors import describe
from airfair.limit_search import files
from airfair.limit_search.cells import TODAYS
from airfair.limit_search.measures import MEASURES
from airfair.limit_search.schemes import LAW_JUDGED, SCHEMES, Scheme, of_laws
from airfair.limit_search.search import FULL_PLAN, QUICK_PLAN, Found, Plan, find
from airfair.limit_search.standards import STANDARDS, TODAY
from airfair.names import did_you_mean

if TYPE_CHECKING:
    import argparse

    from airfair.archive import Job
    from airfair.scenario import Value

FEWEST_POINTS, MOST_POINTS = 16, 4096
FEWEST_REPLICATIONS = 3


def main(args: argparse.Namespace) -> int:
    """Run `airfair limits [SCHEME]` and return its exit status.

    `args` has scheme, law, judge, set, standard, list, quick, points, replications, seed, threads, out and
    json. Without a scheme and a law, all schemes are searched one after the other. Raises InputError for
    mistakes of the user.
    """
    if args.list:
        _write(_list(as_json=args.json), sys.stdout)
        return DONE
    plan = _plan(args)
    chosen = _chosen(args)
    out: Path = args.out or Path("results/limits")
    places = {scheme.id: out / (args.standard or "") / scheme.id for scheme in chosen}
    outputs = [output.Output("--out", place, files.names()) for place in places.values()]
    output.check(outputs, force=args.force)
    output.prepare(out)
    people = sys.stderr if args.json else sys.stdout
    documents: list[dict[str, Any]] = []
    every: list[Found] = []
    for scheme in chosen:
        found = _search(scheme, plan, (out, places[scheme.id]), args)
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


def _chosen(args: argparse.Namespace) -> list[Scheme]:
    name, standard = args.scheme, args.standard
    problems = _misplaced(args)
    for what, value, allowed in (("scheme", name, SCHEMES), ("--standard", standard, STANDARDS)):
        if value is not None and value not in allowed:
            hint = did_you_mean(value, allowed)
            problems.append(f"{what} {value!r}: unknown{hint}; allowed {', '.join(allowed)}")
    if problems:
        raise InputError(*problems)
    if args.law:
        chosen = [_of_laws(args)]
    elif name is not None:
        chosen = [SCHEMES[name]]
    else:
        chosen = [*SCHEMES.values()]
    return [scheme.under(standard) for scheme in chosen] if standard else chosen


def _misplaced(args: argparse.Namespace) -> list[str]:
    """Problems of options that go together with `--law`, or not with it."""
    if args.law:
        problems = [
            f"--judge {name!r}: unknown{did_you_mean(name, MEASURES)}; allowed {', '.join(MEASURES)}"
            for name in args.judge
            if name not in MEASURES
        ]
        if args.scheme is not None:
            problems.append(f"scheme {args.scheme!r}: allowed is a scheme or --law, not both")
        return problems
    given = [f"--{option}" for option in ("judge", "set") if getattr(args, option)]
    return [f"{option}: allowed only with --law" for option in given]


def _of_laws(args: argparse.Namespace) -> Scheme:
    """Scheme of the laws of the command line; raises `InputError` with all mistakes."""
    from airfair.cli import laws, scenarios
    from airfair.law import Law, LawError

    own = laws.named(args.law, [Path()], lambda node: of_laws({node: Law}))
    keys = {path: _value(text) for path, text in scenarios.keys(args.set)}
    try:
        return of_laws(own, args.judge or LAW_JUDGED, keys)
    except LawError as error:
        raise InputError(f"--law: {error}") from error


def _value(text: str) -> Value:
    """Value of a key in TOML; other text stands for itself, as in `1 Mb/s`."""
    try:
        value: Value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    return value


def _search(
    scheme: Scheme, plan: Plan, folders: tuple[Path, Path], args: argparse.Namespace
) -> Found:
    """Search a scheme; `folders` are those of all results and of the scheme."""
    from airfair.archive import Archive
    from airfair.terminal import Progress

    out, own = folders

    def failed(found: Found, job: Job) -> None:
        place = files.save_failed(found, job, own, force=args.force)
        words = f"wrote {place}, the scenario in whose replication {job.replication} the law failed"
        _write(f"airfair: {words}\n", sys.stderr)

    try:
        with Archive(out / files.ARCHIVE) as archive, Progress(scheme.id) as progress:
            return find(scheme, plan, archive, progress, args.threads, on_failure=failed)
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
