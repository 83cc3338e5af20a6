"""`airfair limits`: searches for conditions under which a scheme is worse than no scheme."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from airfair import json_documents, store
from airfair.cli import DONE, INTERRUPTED, InputError, describe, output
from airfair.columns import Column, Table
from airfair.names import did_you_mean

from .cells import TODAYS
from .measures import MEASURES
from .schemes import SCHEMES, Scheme
from .search import FULL_PLAN, QUICK_PLAN, Found, Plan, find, table
from .standards import STANDARDS, TODAY

if TYPE_CHECKING:
    import argparse

    import polars as pl

DOCUMENT, POINTS, COMPARISONS = "limits.json", "points.parquet", "comparisons.parquet"
MAPS = ("map.svg", "map.png")
ARCHIVE = "runs.sqlite"
"""Name of the archive of finished runs, in the directory of the results."""
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
    outputs = [output.Output("--out", place, _names()) for place in places.values()]
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
        from .report import summary

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
        with Archive(out / ARCHIVE) as archive, Progress(scheme.id) as progress:
            return find(scheme, plan, archive, progress, threads)
    except OSError as error:
        raise OSError(error.errno, f"--out {out}: {describe(error)}") from error


def _names() -> list[str]:
    """Patterns of the names of all files of a scheme."""
    extremes = [f"{word}-{name}-*.toml" for word in ("best", "worst") for name in MEASURES]
    return [DOCUMENT, POINTS, COMPARISONS, *MAPS, *extremes, store.MANIFEST]


def _save(found: Found, out: Path, *, force: bool) -> dict[str, Any]:
    """Write the files of a scheme, and return its JSON document."""
    from airfair.parquet import encode

    from . import report

    document = report.document(found)
    if not found.points:
        return document
    whole = json_documents.document("scheme", document)
    files = {
        DOCUMENT: store.encode(whole),
        POINTS: encode(table(found.scheme, found.points), _described(found.scheme)),
        COMPARISONS: encode(_comparisons(found), _COMPARISONS),
    }
    files |= _figures(found) | _scenarios(found)
    try:
        store.write_all(out, files, found.about, force=force)
    except OSError as error:
        raise OSError(error.errno, f"--out {out}: {describe(error)}") from error
    return document


def _described(scheme: Scheme) -> Table:
    """Table of the points of a scheme: its dimensions, and the samples of each measure."""
    dimensions = [Column(one.id, getattr(one, "unit", ""), f"{one.label}.") for one in scheme.space]
    meaning = "One row for each point: its conditions, and samples with and without the scheme."
    return Table("points", meaning, tuple(dimensions))


_COMPARISONS = Table(
    "comparisons",
    "One row for each point and measure: the effect of the scheme.",
    (
        Column("effect", "% or points", "Value with the scheme less value without it."),
        Column(
            "ci95", "% or points", "Half the width of the 95 % confidence interval of the effect."
        ),
        Column("p", "fraction", "Probability of such an effect by chance."),
        Column("q", "fraction", "The same probability, corrected for the number of points."),
    ),
)


def _comparisons(found: Found) -> pl.DataFrame:
    """Table of comparisons with one row per point and measure."""
    import polars as pl

    rows = [
        {
            "key": point.key,
            "stage": point.stage,
            "measure": name,
            "effect": c.effect,
            "ci95": c.ci95,
            "p": c.p,
            "q": c.q,
            "verdict": c.verdict.value,
        }
        for point, comparisons in zip(found.points, found.comparisons, strict=True)
        for name, c in comparisons.items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _figures(found: Found) -> dict[str, bytes]:
    from airfair.figures import png

    from .maps import draw, svg

    return dict(zip(MAPS, (svg(draw(found)).encode(), png(draw(found))), strict=True))


def _scenarios(found: Found) -> dict[str, bytes]:
    """Scenario files of the points with the largest win and loss by each measure, to run by hand."""
    from airfair.scenario import load

    from .cells import pair
    from .rules import accounts
    from .search import point_seed

    scheme, plan = found.scheme, found.plan
    files = {}
    for account in accounts(found):
        for word, extreme in (("best", account.best), ("worst", account.worst)):
            if extreme is None:
                continue
            point = extreme.point
            both = pair(point.where, scheme.switch, plan.times)
            seed = point_seed(plan.seed, scheme.id, point.place)
            for side, keys in (("without", both.without), ("with", both.using)):
                scenario = load(keys, seed=seed, replications=plan.replications)
                name = f"{word}-{account.measure.id}-{side}.toml"
                files[name] = scenario.to_toml().encode()
    return files


def _tell(found: Found, people: TextIO, out: Path) -> None:
    from . import report

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
