"""Function `airfair.limits`: searches the limits of schemes, and writes what it finds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from airfair import json_documents
from airfair.archive import Archive, Job
from airfair.engine import Interrupted
from airfair.errors import OptionError, describe
from airfair.experiment.work import Means, opened
from airfair.law import Laws
from airfair.names import did_you_mean
from airfair.progress import shown
from airfair.scenario import Value
from airfair.store import begin

from . import files, report
from .cells import TODAYS
from .measures import CRITERIA, UNIT, Criterion
from .schemes import SCHEMES, Scheme, of_laws
from .search import FULL_PLAN, QUICK_PLAN, Found, Plan, find
from .space import EXTRA_STANDARD
from .standards import STANDARDS, TODAY

FEWEST_POINTS, MOST_POINTS = 16, 4096
FEWEST_REPLICATIONS = 3


@dataclass(frozen=True, repr=False)
class Limits:
    """Limits of schemes; they print as a line for each scheme."""

    schemes: Sequence[Found]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.schemes))

    def __getitem__(self, scheme: str) -> Found:
        """Limits of one scheme; raises `KeyError` with the ids for any other."""
        by_id = {found.scheme.id: found for found in self.schemes}
        if scheme not in by_id:
            raise KeyError(f"scheme {scheme}: allowed {', '.join(by_id)}")
        return by_id[scheme]

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended a search."""
        return any(found.interrupted for found in self.schemes)

    @property
    def unsaved(self) -> OSError | None:
        """Error because of which the store could not save all runs; `None` without one."""
        return next((found.unsaved for found in self.schemes if found.unsaved), None)

    @property
    def table(self) -> pl.DataFrame:
        """Table of the measures of each scheme: at which share of the points it wins and loses."""
        rows = [row for found in self.schemes for row in report.rows(found)]
        return pl.DataFrame(rows, schema_overrides=_TABLE, infer_schema_length=None)

    @property
    def rules(self) -> pl.DataFrame:
        """Table of the rules: regions of the conditions in which a scheme mostly wins or loses."""
        rows = [row for found in self.schemes for row in report.rules(found)]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def points(self) -> pl.DataFrame:
        """Table of the effect of each scheme on each measure at each point, with its interval."""
        tables = [
            files.comparisons(found).select(pl.lit(found.scheme.id).alias("scheme"), pl.all())
            for found in self.schemes
            if found.points
        ]
        return pl.concat(tables) if tables else pl.DataFrame()

    def document(self) -> dict[str, Any]:
        """Document that `airfair limits --json` prints."""
        schemes = [report.document(found) for found in self.schemes]
        return json_documents.document("limits", {"schemes": schemes})


_TABLE: Mapping[str, type[pl.DataType]] = {
    "standard": pl.String,
    "median_win": pl.Float64,
    "median_loss": pl.Float64,
}
"""Types of columns that may have no value."""


Schemes: TypeAlias = "str | Scheme | Sequence[str | Scheme] | None"
Judge: TypeAlias = "str | Criterion | Sequence[str | Criterion]"


def limits(  # noqa: PLR0913 - options, each with a default
    schemes: Schemes = None,
    *,
    laws: Laws | None = None,
    judge: Judge = (),
    set: Mapping[str, Value] | None = None,  # noqa: A002 - named after the option --set
    standard: str | None = None,
    ofdma: bool = False,
    neighbour: bool = False,
    sender: bool = False,
    criteria: Sequence[Criterion] = (),
    quick: bool = False,
    points: int | None = None,
    replications: int | None = None,
    seed: int | None = None,
    out: Path | str | None = None,
    force: bool = False,
    store: Archive | str | Path | None = "default",
    threads: int | None = None,
    progress: Callable[[float], object] | bool = True,
    finished: Callable[[Found], object] | None = None,
) -> Limits:
    """Search for the conditions under which a scheme makes things worse.

    Each point is run with the scheme and without it, under the same seeds.

    - `schemes`: a scheme by its id, such as "data-ack", a list of schemes, or `None` for all.
    - `laws`: laws of your own that are the scheme, by node: "access-point", or "station.*" for 1 to 100 % of
      the stations.
    - `judge`: criteria that decide whether the laws win or lose at a point, by their ids or made by
      `airfair.criterion`; by default "total" and "airtime_fairness".
    - `set`: keys of the scenarios in which the laws act, such as `{"bss.cell.beacon": True}`.
    - `standard`: search in this standard only, such as "802.11ax"; by default in 802.11b, a and g.
    - `ofdma`: true to vary OFDMA as well, which is off, down, up or both; only with the standard 802.11ax.
    - `neighbour`: true to vary a second cell on the channel as well, which is none, in range or hidden; only
      with the standard 802.11ax.
    - `sender`: true to vary the congestion control of TCP among those of today, which are CUBIC, BBRv1, BBRv3
      and Prague; only with the standard 802.11ax.
    - `criteria`: criteria of your own, made by `airfair.criterion`, which are reported beside the usual ones.
    - `quick`: true for fewer points, and fewer and shorter runs.
    - `points`: number of points spread evenly over the conditions, by default 256, or 24 if `quick`. Half as
      many follow at the border between gain and loss.
    - `replications`: number of pairs of runs at each point, by default 10, or 4 if `quick`.
    - `seed`: seed of the points and of the runs, by default 1.
    - `out`: directory with a directory for each scheme, for its points, its map and the scenarios of its best
      and worst points. Nothing is written without `out`. `force` replaces files that airfair has not written.
    - `store`: archive of finished runs, as in `Experiment.run`.
    - `threads`: number of threads, by default one per core.
    - `progress`: true to show a bar on standard error, or a function called with the fraction done.
    - `finished`: function called with the limits of each scheme as soon as they are found.

    If the store cannot save all runs, no further scheme is searched, and `unsaved` is the reason.

    An exception of a law ends the search. With `out` and a store, the scenario in which the law raised it is
    written to `failed.toml` of its directory, and a note of the exception names the file.

    Raises `OptionError` for wrong arguments, `LawError` for wrong laws, `OSError` if the store cannot be read
    or files cannot be written, and `Interrupted` on Ctrl-C, whose `result` has the points that are finished.
    A second call continues from the store.
    """
    judged = [judge] if isinstance(judge, str | Criterion) else judge
    _check_law_options(schemes, laws, judged, set)
    wanted = schemes if laws is None else of_laws(laws, judged, set)
    extra = [
        name for name, on in (("ofdma", ofdma), ("neighbour", neighbour), ("sender", sender)) if on
    ]
    chosen = [_with(scheme, criteria) for scheme in _chosen(wanted, standard, extra)]
    plan = _plan(points, replications, seed, standard, quick=quick)
    places = [place_of(scheme, out) for scheme in chosen]
    if out is not None:
        each = zip(places, chosen, strict=True)
        names = {place: files.names(scheme.more) for place, scheme in each if place}
        begin(names, [Path(out)], force=force)
    found: list[Found] = []
    with opened(store) as archive:
        for place, scheme in zip(places, chosen, strict=True):
            done, count = len(found), len(chosen)
            tell = Means(progress=progress).part(done / count, (done + 1) / count).progress
            failed = functools.partial(_save_failed, place, force=force)
            with shown(tell, scheme.id) as bar:
                found.append(find(scheme, plan, archive, bar, threads, on_failure=failed))
                if bar is not None and not found[-1].interrupted:
                    bar(1.0)
            if place is not None:
                _save(found[-1], place, force=force)
            if finished is not None:
                finished(found[-1])
            if found[-1].interrupted or found[-1].unsaved:
                break
    result = Limits(found)
    if result.interrupted:
        raise Interrupted(result, sum(len(one.points) for one in found) * 2 * plan.replications)
    return result


def place_of(scheme: Scheme, out: Path | str | None) -> Path | None:
    """Directory of the files of a scheme; `None` without `out`."""
    return None if out is None else Path(out) / scheme.folder


def _check_law_options(
    schemes: Schemes, laws: Laws | None, judge: Sequence[str | Criterion], keys: object
) -> None:
    """Raise `OptionError` for arguments that do not go together with laws, or not without."""
    if laws is None:
        given = (name for name, value in (("judge", judge), ("set", keys)) if value)
        problems = [f"{name}: allowed only with a law" for name in given]
    else:
        unknown = (_unknown("judge", one, CRITERIA) for one in judge if isinstance(one, str))
        problems = [problem for problem in unknown if problem]
        if schemes is not None:
            ids = ", ".join(repr(one if isinstance(one, str) else one.id) for one in _all(schemes))
            problems.append(f"scheme {ids}: allowed is a scheme or a law of your own, not both")
    if problems:
        raise OptionError(*problems)


def _all(schemes: Schemes) -> Sequence[str | Scheme]:
    if schemes is None:
        return [*SCHEMES]
    return [schemes] if isinstance(schemes, str | Scheme) else schemes


def _chosen(schemes: Schemes, standard: str | None, extra: Sequence[str]) -> list[Scheme]:
    """Schemes in the space of a standard and of extra dimensions; raises `OptionError` for unknown names."""
    wanted = _all(schemes)
    problems = [_unknown("scheme", one, SCHEMES) for one in wanted if isinstance(one, str)]
    problems.append(_unknown("standard", standard, STANDARDS))
    if standard != EXTRA_STANDARD:
        problems += [f"{name}: allowed only with the standard {EXTRA_STANDARD}" for name in extra]
    if not wanted:
        problems.append("schemes []: allowed is at least one scheme")
    if found := [problem for problem in problems if problem]:
        raise OptionError(*found)
    chosen = [SCHEMES[one] if isinstance(one, str) else one for one in wanted]
    if extra:
        return [scheme.with_extra(*extra) for scheme in chosen]
    return [scheme.under(standard) for scheme in chosen] if standard else chosen


def _with(scheme: Scheme, criteria: Sequence[Criterion]) -> Scheme:
    """Scheme with more criteria; raises `OptionError` if the name of one is taken."""
    more = tuple(dict.fromkeys((*scheme.more, *criteria)))
    taken = {UNIT, *CRITERIA}
    for one in more:
        if one.id in taken:
            raise OptionError(
                f"criteria: the name {one.label!r} is taken; allowed is another one, given by `name`"
            )
        taken.add(one.id)
    return replace(scheme, more=more)


def _unknown(what: str, name: str | None, allowed: Collection[str]) -> str | None:
    if name is None or name in allowed:
        return None
    hint = did_you_mean(name, allowed)
    return f"{what} {name!r}: unknown{hint}; allowed {', '.join(allowed)}"


def _plan(
    points: int | None,
    replications: int | None,
    seed: int | None,
    standard: str | None,
    *,
    quick: bool,
) -> Plan:
    usual = QUICK_PLAN if quick else FULL_PLAN
    points = usual.points if points is None else points
    replications = usual.replications if replications is None else replications
    seed = usual.seed if seed is None else seed
    problems = []
    if not FEWEST_POINTS <= points <= MOST_POINTS:
        problems.append(f"points {points}: allowed is {FEWEST_POINTS} to {MOST_POINTS}")
    if replications < FEWEST_REPLICATIONS:
        problems.append(
            f"replications {replications}: allowed is {FEWEST_REPLICATIONS} or more; fewer pairs of runs "
            "decide nothing"
        )
    if seed < 0:
        problems.append(f"seed {seed}: allowed is 0 or more")
    if problems:
        raise OptionError(*problems)
    times = TODAYS[usual.times] if standard in TODAY else usual.times
    return Plan(points, replications, seed, times)


def _save(found: Found, place: Path, *, force: bool) -> None:
    try:
        files.save(found, place, force=force)
    except OSError as error:
        raise OSError(error.errno, f"out {place}: {describe(error)}") from error


def _save_failed(
    place: Path | None, found: Found, job: Job, error: Exception, *, force: bool
) -> None:
    """Write the scenario in which a law has raised an exception, and note it in the exception."""
    if place is None:
        return
    try:
        path = files.save_failed(found, job, place, force=force)
    except OSError as problem:
        error.add_note(f"{place / files.FAILED} was not written: {describe(problem)}")
    else:
        which = f"the scenario in whose replication {job.replication} the law failed"
        error.add_note(f"airfair wrote {path}, {which}")
