"""Experiment: a scenario, the factors that vary, the points to run, and the number of replications."""

from __future__ import annotations

import hashlib
import os
import time
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import defaults as defaults_of_today
from airfair import scenario
from airfair._core import Scenario, ScenarioError
from airfair.cores import cores
from airfair.names import counted

from . import law_keys
from .compare import has_pairs
from .decisions import Claim
from .designs import Design, Grid, Named, Sampled
from .designs import design as declared_design
from .draws import Draws, drawn
from .draws import check as check_draws
from .errors import DefaultsWarning, Gathered, StudyError
from .factors import Factor, Label, Levels, plain_keys
from .factors import factors as declared_factors
from .keys import Keys, expand, expanded, has_pattern, names, parts, renames
from .measures import Measure
from .points import Point, labels, points
from .stopping import Fixed, Replications, Until, UntilDecided
from .stopping import replications as rule
from .tables import names as names_in_tables
from .tables import taken

if TYPE_CHECKING:
    from airfair.archive import Archive, Engine
    from airfair.law import Laws
    from airfair.law_use import LawUse
    from airfair.scenario import Source

    from .results import ExperimentResult

REPLICATIONS = 5
"""Default number of replications of a point: few, but enough for a confidence interval."""
MOST_RUNS = 1_000_000
"""Default limit of the number of runs of an experiment."""
_SHOWN = 10
"""Largest number of mistakes at different points that one error reports."""
_ASIDE = {"seed": "seed", "replications": "replications"}
"""Keys of a scenario that factors cannot set, by the option of the experiment that sets them."""
_FEW_POINTS = 100_000
"""Largest number of points that are checked one by one before the first run."""


class Experiment:
    """A scenario that is run at several points; a point is a combination of levels of factors.

    >>> exp = airfair.Experiment(
    ...     "cell.toml",
    ...     factors={
    ...         "station.slow.rate": ["1 Mb/s", "2 Mb/s"],
    ...         "scheme": {"plain": {}, "arf-aware": {"flow.*.control": "arf-aware"}},
    ...     },
    ...     replications=airfair.until("goodput", half_width=0.02),
    ... )  # doctest: +SKIP
    >>> result = exp.run()  # cached: a second call runs nothing  # doctest: +SKIP
    >>> result.flows  # doctest: +SKIP
    >>> result.compare("scheme", baseline="plain")  # doctest: +SKIP
    >>> result.plot(x="station.slow.rate", y="goodput", by="scheme")  # doctest: +SKIP

    `size` is the number of points, `points` lists them, and `scenario(point)` is the scenario of one of them.
    A study file declares the same in TOML; docs/studies.md describes its keys and the grammar of measures.
    """

    source: Source
    """Scenario as passed to the constructor."""
    factors: tuple[Factor, ...]
    """Factors, each with its levels or with the range from which the design picks values."""
    design: Design
    """Rule that selects the points to run."""
    replications: Replications
    """Rule for the number of replications of each point."""
    set: Mapping[str, scenario.Value]
    """Keys of the scenario that are set at all points."""
    draw: Draws | None
    """Keys with values drawn at random for each replication."""
    common_random_numbers: bool
    """True if all points run with the same seeds, so that they can be compared in pairs."""
    claims: tuple[Claim, ...]
    """Claims that `ExperimentResult.decide` tests."""
    title: str
    """Title of tables and figures, by default the scenario's."""
    laws: tuple[LawUse, ...]
    """Laws at all points whose levels set no others."""

    def __init__(  # noqa: PLR0913 - options, each with a default
        self,
        source: Source,
        *,
        factors: Mapping[str, Levels] | None = None,
        design: Design | str | Sequence[Named] = "grid",
        replications: int | Replications = REPLICATIONS,
        set: Mapping[str, scenario.Value] | None = None,  # noqa: A002 - named after the option --set
        draw: Draws | None = None,
        seed: int | None = None,
        common_random_numbers: bool = True,
        claims: Iterable[Claim] = (),
        title: str | None = None,
        folder: str | os.PathLike[str] | None = None,
        laws: Laws | None = None,
    ) -> None:
        """Declare an experiment, without running it.

        - `source`: the scenario, as a path, TOML text or a mapping.
        - `factors`: levels by factor. If the name is a key of the scenario, the levels are a list of values
          or `airfair.between(low, high)`. With any other name, they map the label of each level to the keys
          that it sets. A key may contain a pattern: `flow.*.control`.
        - `design`: "grid" for all combinations, a list of points or of parts of the grid
          (`{"station.slow.rate": ["1 Mb/s", "2 Mb/s"], "scheme": "plain"}`), or a number of sampled points:
          `airfair.random(100)`, `airfair.latin_hypercube(100)`, `airfair.sobol(128)`.
        - `replications`: a number, or a rule that adds replications until results are precise enough:
          `airfair.until("goodput", half_width=0.02)`, or `airfair.until_decided()`, which tests `claims`.
        - `set`: keys to set at all points.
        - `draw`: keys whose values are drawn at random for each replication, the same values at every point:
          `airfair.choice([…])` or `airfair.between(…)`.
        - `seed`, `title`: by default the scenario's.
        - `common_random_numbers`: if true, all points run with the same seeds, so that they can be compared
          in pairs.
        - `claims`: claims to test, from `airfair.claim`.
        - `folder`: folder to which files in the scenario, such as traces, are relative; by default the folder
          of the scenario file.
        - `laws`: laws of one's own by node, such as `{"access-point": Mine}`. A level of a factor may set
          other laws by the key `laws`, and none by `{}`. A key `law.NAME`, also as the name of a factor, is
          passed as the keyword NAME to the constructor of each law that has it.

        Raises `StudyError` with all mistakes in these arguments, and `ScenarioError` with all mistakes in the
        scenario.
        """
        self.source = source
        self.draw = draw
        self.common_random_numbers = common_random_numbers
        self.claims = tuple(claims)
        self._seed = seed
        gathered = Gathered()
        with gathered:
            self.factors = declared_factors({} if factors is None else factors)
        with gathered:
            self.design = declared_design(design)
        with gathered:
            self.replications = rule(replications)
        with gathered:
            self.set = plain_keys("set", {} if set is None else set)
        with gathered:
            check_draws(draw)
        with gathered:
            _check_kinds(self.claims, title)
        self.laws = ()
        with gathered:
            self.laws = law_keys.declared("laws", {} if laws is None else laws)
        gathered.tell()
        self._check_laws()
        try:
            self._text = scenario.text_of(source)
        except TypeError as error:
            raise StudyError(f"scenario: {error}") from error
        self._folder = scenario.folder_of(source) if folder is None else Path(folder)
        with gathered:
            self._check_keys()
        gathered.tell()
        self._base = self._begin()
        self.title = title or self._base.title
        self._check()

    def __repr__(self) -> str:
        factors = "; ".join(map(str, self.factors)) or "no factors"
        return (
            f"<Experiment {self.title!r}: {self.size:,} points of {factors}; {self.replications}>"
        )

    # -------------------------------------------------------------- what is to be run

    @property
    def size(self) -> int:
        """Number of points."""
        return self.design.size(self.factors)

    @cached_property
    def points(self) -> list[Point]:
        """Points, in the order of the design."""
        return points([factor.name for factor in self.factors], [*self.design.points(self.factors)])

    @cached_property
    def levels(self) -> Mapping[str, Sequence[Label] | None]:
        """Labels of the levels of each factor; `None` if they are not known in advance, as for a range."""
        if self.size > _FEW_POINTS or isinstance(self.design, Grid):
            return {
                one.name: [level.label for level in one.levels] if one.range is None else None
                for one in self.factors
            }
        return labels(self.points)

    @property
    def seed(self) -> int:
        """Seed from which the seeds of all runs are derived."""
        return self._base.seed

    def scenario(
        self, point: Point, replication: int | None = None, more: Keys | None = None
    ) -> Scenario:
        """Scenario of a point with the keys of `more`, and with the values drawn for `replication`."""
        return self._parse(self.keys(point, replication, more), self._seed_of(point))

    def drawn_scenario(
        self, point: Point, replication: int, first: Scenario, more: Keys | None = None
    ) -> Scenario:
        """Scenario of a replication; raises `StudyError` unless it has the stations and flows of `first`."""
        from .runs import named_things

        where = f"replication {replication}" + (f" at {point.text}" if point.text else "")
        try:
            made = self.scenario(point, replication, more)
        except ScenarioError as error:
            raise scenario.error_of(
                [f"{where}: {problem}" for problem in error.problems]
            ) from error
        if named_things(made) != named_things(first):
            raise StudyError(
                f"draw: {where} has other stations or flows than replication 0, or other ends of flows; "
                "draws may change values only"
            )
        return made

    def keys(self, point: Point, replication: int | None = None, more: Keys | None = None) -> Keys:
        """Keys set at a point, those of `more` and those drawn for `replication`; patterns are expanded."""
        keys = law_keys.of_scenario({**self.set, **point.keys, **(more or {})})
        if self.draw is not None and replication is not None:
            known = names(self._document, keys)
            keys = {**keys, **self._drawn(replication, known)}
        return self._plain(keys)

    def laws_at(self, point: Point, replication: int = 0) -> tuple[LawUse, ...]:
        """Laws that act in a replication of a point, with their parameters."""
        keys = {**self.set, **point.keys}
        draws = self.draw
        if draws is not None and (
            not isinstance(draws, Mapping) or any(map(law_keys.is_about_laws, draws))
        ):
            keys |= self._drawn(replication, names(self._document, law_keys.of_scenario(keys)))
        return law_keys.acting(self.laws, keys)

    def _drawn(self, replication: int, known: dict[str, list[str]]) -> Keys:
        draws = self.draw or {}
        return drawn(draws, self.seed, replication, lambda path: expanded(path, known))

    def check_measures(self, *measures: Measure) -> None:
        """Raise `StudyError` if a measure names a flow, a station, … that no point has."""
        wanted = dict.fromkeys(term for one in measures for term in one.terms)
        there = names_in_tables(self._base)
        missing = {term: found for term in wanted if (found := term.problem(there))}
        points = self.points if missing and self._names_vary() else ()
        for point in points:
            try:
                there = names_in_tables(self.scenario(point, 0))
            except (ScenarioError, StudyError):  # reported by `run`
                continue
            missing = {term: found for term, found in missing.items() if term.problem(there)}
            if not missing:
                break
        if missing:
            raise StudyError(*missing.values())

    def changed_defaults(self) -> list[str]:
        """Warnings for factors that change the 802.11 standard and thereby the defaults of other keys."""
        told = []
        for factor in self.factors:
            paths = {path for level in factor.levels for path in level.keys}
            if not any(parts(path)[-1:] == ["standard"] or path == "bss" for path in paths):
                continue
            keys = defaults_of_today.differing(
                [self._applied_defaults(level.keys) for level in factor.levels]
            )
            if keys:
                told.append(
                    f"factor {factor.name}: its levels change the standard, and with it the defaults of "
                    "other keys; set these keys in the study to compare standards alone:\n"
                    + "\n".join(f"  {key}" for key in keys)
                )
        return told

    def _applied_defaults(self, keys: Keys) -> list[dict[str, str]]:
        """Modern defaults that apply at the first point with these keys set."""
        merged = {**self.set, **self._first_point().keys, **keys}
        return Scenario.applied_defaults(self._text, self._toml(self._plain(merged)))

    def _names_vary(self) -> bool:
        """True if flows and stations may differ between points."""
        paths = [path for one in self.factors for level in one.levels for path in level.keys]
        paths += [one.name for one in self.factors if one.range]
        return renames(paths) or any(parts(path)[-1:] == ["count"] for path in paths)

    # -------------------------------------------------------------- running it

    def run(
        self,
        *,
        store: Archive | str | Path | None = "default",
        engine: Engine | str | None = None,
        threads: int | None = None,
        progress: Callable[[float], object] | bool = True,
        limit: int = MOST_RUNS,
    ) -> ExperimentResult:
        """Run the experiment and return its result; runs that `store` already holds are not repeated.

        - `store`: archive of finished runs; by default the user's own, a path for another, `None` for none.
        - `engine`: "local", "dask" or "dask:ADDRESS".
        - `threads`: number of threads or Dask workers on this machine, by default one per core.
        - `progress`: true to show a bar on standard error, or a function called with the fraction done.
        - `limit`: largest number of runs allowed.

        If the store cannot save all runs, for example on a full disk, the result holds them nevertheless, and
        `spent.unsaved` is the reason.

        Raises `StudyError` for more than `limit` runs, `ScenarioError` with the mistakes at any point before
        the first run, `RunError` if a run fails, `OSError` if the store cannot be read, and `Interrupted` on
        Ctrl-C, whose `result` holds the finished runs. A second call continues from the store.
        """
        from airfair.engine import Interrupted

        from .runs import Runs
        from .work import Means, Work, begun, opened

        self._refuse_too_many(limit, threads)
        for told in self.changed_defaults():
            warnings.warn(told, DefaultsWarning, stacklevel=2)
        laws = [self.laws_at(point) for point in self.points]
        runs = Runs(self.points, self.scenarios(), [[] for _ in self.points], laws)
        with opened(store) as kept, begun(engine, threads) as chosen:
            result = Work(self, runs, Means(kept, chosen, progress)).finish()
        if result.interrupted:
            raise Interrupted(result, result.spent.runs)
        return result

    def scenarios(self) -> list[Scenario]:
        """Scenarios of all points, with the values drawn for the first replication.

        Raises `ScenarioError` with the mistakes at all points, and `StudyError` if a pattern matches nothing.
        """
        made = []
        problems: dict[str, str] = {}
        of_study = False
        for point in self.points:
            try:
                made.append(self.scenario(point, 0))
                law_keys.check_nodes(self.laws_at(point), made[-1])
            except (ScenarioError, StudyError) as error:
                for problem in error.problems:
                    problems.setdefault(problem, point.text)
                of_study |= isinstance(error, StudyError)
                if len(problems) >= _SHOWN:
                    break
        if problems:
            told = [
                f"at {text}: {problem}" if text else problem for problem, text in problems.items()
            ]
            raise StudyError(*told) if of_study else scenario.error_of(told)
        return made

    def _begin(self) -> Scenario:
        """Scenario without factors or, if it is invalid without them, at the first point."""
        try:
            return self._load(self.set)
        except ScenarioError as error:
            if not self.factors:
                raise
            self.design.check(self.factors)
            first, known = self._first_point(), error.problems
        try:
            return self._load({**self.set, **first.keys})
        except ScenarioError as error:
            told = [p if p in known else f"at {first.text}: {p}" for p in error.problems]
            raise scenario.error_of(told) from error

    def _first_point(self) -> Point:
        """First point, made without the others; of a sampled design, a point of a sample of one."""
        design = self.design
        if isinstance(design, Sampled):
            design = replace(design, count=1)
        levels = next(iter(design.points(self.factors)))
        return Point(tuple(factor.name for factor in self.factors), levels)

    def _refuse_too_many(self, limit: int, threads: int | None) -> None:
        most = self.size * self.replications.most
        if most <= limit:
            return
        from airfair import archive

        point = self._first_point()
        begun = time.perf_counter()
        archive.run([archive.Job(self.scenario(point, 0), 0, self.laws_at(point))])
        each = time.perf_counter() - begun

        used = threads or cores()
        took = span(each * most / used)
        often = f"{self.replications.most:,} replications"
        if not isinstance(self.replications, Fixed):
            often = f"up to {often}"
        raise StudyError(
            f"{self.size:,} points with {often} are {most:,} runs, which would take about {took} on "
            f"{counted(used, 'core')}; allowed are {limit:,} runs; raise limit to run more"
        )

    # -------------------------------------------------------------- keys

    def _load(self, keys: Keys, seed: int | None = None) -> Scenario:
        """Scenario with `keys` set; their paths may contain patterns."""
        return self._parse(self._plain(keys), seed)

    def _plain(self, keys: Keys) -> Keys:
        """Keys with each pattern replaced by the names that it matches."""
        keys = law_keys.of_scenario(keys)
        if any(map(has_pattern, keys)):
            return expand(keys, names(self._document, keys))
        return expand(keys, {})

    def _parse(self, keys: Keys, seed: int | None) -> Scenario:
        overrides = self._toml(keys)
        if (chosen := self._seed if seed is None else seed) is not None:
            overrides.append(("seed", scenario.toml_value(chosen)))
        return scenario.parse(self._text, overrides, self._folder)

    @staticmethod
    def _toml(keys: Keys) -> list[tuple[str, str]]:
        return [(path, scenario.toml_value(value)) for path, value in keys.items()]

    @cached_property
    def _document(self) -> dict[str, Any]:
        """Scenario as parsed TOML, for the names that patterns match."""
        try:
            return tomllib.loads(self._text.decode())
        except ValueError:
            # The core reads a newer version of TOML than tomllib, and reports mistakes.
            return tomllib.loads(self._parse({}, None).to_toml())

    def _seed_of(self, point: Point) -> int | None:
        if self.common_random_numbers:
            return None
        digest = hashlib.sha256(f"{self.seed}\0{point.text}".encode()).digest()
        # Integers of TOML are signed: a seed has 63 bits.
        return int.from_bytes(digest[:8]) >> 1

    def _check(self) -> None:
        """Raise `StudyError` with all mistakes that can be found without running."""
        gathered = Gathered()
        clashes = [one.name for one in self.factors if one.name in taken()]
        gathered.problems += [
            f"factor {name}: a column of the tables has this name; choose another name"
            for name in clashes
        ]
        with gathered:
            self.design.check(self.factors)
        if not gathered.problems:
            self._check_claims(gathered)
        if isinstance(self.replications, UntilDecided) and not self.claims:
            gathered.problems.append(
                "replications: until decided, but the study has no claims; add a claim"
            )
        if isinstance(self.replications, Until):
            with gathered:
                self.check_measures(self.replications.measure)
        gathered.tell()

    def _check_claims(self, gathered: Gathered) -> None:
        ids = [one.id for one in self.claims]
        twice = [id_ for id_ in dict.fromkeys(ids) if ids.count(id_) > 1]
        gathered.problems += [f"claim {id_}: two claims have this name" for id_ in twice]
        for one in self.claims:
            found = one.problems(self.levels)
            gathered.problems += found
            against = one.among(self.levels).against
            if against and not found and not self.has_pairs(against.factor, against.baseline):
                gathered.problems.append(
                    f"claim {one.id}: no two points differ only in {against.factor}"
                )
            try:
                self.check_measures(one.measure)
            except StudyError as error:
                gathered.problems += [f"claim {one.id}: {problem}" for problem in error.problems]

    def has_pairs(self, factor: str, baseline: Label) -> bool:
        """True if two points differ only in `factor`, with one of them at `baseline`."""
        if isinstance(self.design, Grid) or self.size > _FEW_POINTS:
            return True
        return has_pairs(self.points, factor, baseline)

    def _check_laws(self) -> None:
        """Raise `StudyError` for parameters that no law has."""
        every: list[tuple[str, Keys]] = [("set", self.set)]
        draws = self.draw if isinstance(self.draw, Mapping) else {}
        ranges = [("draw", path) for path in draws if path.startswith(law_keys.PARAMETER)]
        for factor in self.factors:
            if factor.range is not None and factor.name.startswith(law_keys.PARAMETER):
                ranges.append((f"factor {factor.name}", factor.name))
            every += [
                (f"factor {factor.name}, level {one.label}", one.keys) for one in factor.levels
            ]
        law_keys.check(self.laws, every, ranges)

    def _check_keys(self) -> None:
        """Raise `StudyError` for keys that are options, that are set twice, or that match nothing."""
        gathered = Gathered()
        levels = [level.keys for factor in self.factors for level in factor.levels]
        ranges = [factor.name for factor in self.factors if factor.range]
        draws = [*self.draw] if isinstance(self.draw, Mapping) else []
        every = dict.fromkeys(
            [*self.set, *(key for keys in levels for key in keys), *ranges, *draws]
        )
        gathered.problems += [
            f"{path}: cannot be set as a key of the scenario; use {_ASIDE[path]} of the experiment"
            for path in every
            if path in _ASIDE
        ]
        # If a key replaces a whole table, patterns can only be matched at the points.
        vary = any(renames(keys) for keys in [self.set, *levels, ranges])
        paths: dict[str, list[str]] = {}
        for path in every:
            if law_keys.is_about_laws(path):
                continue
            with gathered:
                if not vary or not has_pattern(path):
                    paths[path] = expanded(path, names(self._document, {}))
        set_by_factors = {
            p
            for key in [*(k for keys in levels for k in keys), *ranges]
            for p in paths.get(key, ())
        }
        gathered.problems += [
            f"draw.{path}: a factor sets this key too; allowed is one of them"
            for path in draws
            if set_by_factors.intersection(paths.get(path, ()))
        ]
        gathered.tell()


def _check_kinds(claims: Iterable[object], title: object) -> None:
    """Raise `StudyError` if claims or title have the wrong type."""
    problems = [
        f"claims: {one!r}; allowed is what airfair.claim(…) returns"
        for one in claims
        if not isinstance(one, Claim)
    ]
    if not isinstance(title, str | None):
        problems.append(f"title: {title!r}; allowed is text")
    if problems:
        raise StudyError(*problems)


def span(seconds: float) -> str:
    """Text of a duration [s]: "12 s", "3 h", "40 years"."""
    for size, name in ((365.25 * 86400, "years"), (86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} s"
