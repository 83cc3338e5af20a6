"""An experiment: a scenario, the factors that vary, the points that are run, and how often."""

from __future__ import annotations

import hashlib
import itertools
import os
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airfair import archive, scenario
from airfair._core import ScenarioError

from .decisions import Claim
from .designs import Design, Named
from .designs import design as declared_design
from .draws import Draws, drawn
from .errors import StudyError
from .factors import Levels, plain
from .factors import factors as declared_factors
from .keys import Keys, expand, expanded, has_pattern, names, renames
from .measures import SUBJECTS, columns
from .points import Point, points
from .results import ExperimentResult
from .runs import Runs
from .stopping import Replications, UntilDecided
from .stopping import replications as rule
from .work import DEFAULT, Means, Work, begun, opened

if TYPE_CHECKING:
    from airfair._core import Scenario
    from airfair.archive import Archive, Engine
    from airfair.scenario import Source

REPLICATIONS = 5
"""Replications of a point where nothing is said: few, but enough for an interval."""
MOST_RUNS = 1_000_000
"""Runs that are begun without a word that more are meant."""
_SHOWN = 10
"""Mistakes of different points that are told at once."""


class Experiment:
    """A scenario under every combination of some factors.

    >>> exp = airfair.Experiment(
    ...     "cell.toml",
    ...     factors={
    ...         "station.slow.rate": ["1 Mb/s", "2 Mb/s"],
    ...         "scheme": {"plain": {}, "arf-aware": {"flow.*.control": "arf-aware"}},
    ...     },
    ...     replications=airfair.until("goodput", half_width=0.02),
    ... )  # doctest: +SKIP
    >>> exp.run().compare("scheme", baseline="plain")  # doctest: +SKIP
    """

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
    ) -> None:
        """Declare an experiment; nothing is run.

        `factors` has, by the key that it sets, the values of a factor (or `airfair.between(low, high)`); or,
        by a name of yours, keys with their values for each of its levels. A key may have a pattern in it:
        `flow.*.control`. `design` says which points are run: "grid" for all combinations, a list of points
        or of parts of the grid such as `{"station.slow.rate": ["1 Mb/s", "2 Mb/s"], "scheme": "plain"}`, or
        `airfair.random`, `latin_hypercube` or `sobol` of so many.

        `set` replaces keys at all points. `draw` has keys that chance decides in each replication, the same
        at every point: `airfair.choice([…])` or `airfair.between(…)`. All points run under the same seeds,
        so that they compare in pairs, unless `common_random_numbers` is false.

        Raises `StudyError` with all mistakes in this, and `ScenarioError` with those of the scenario.
        """
        self.source = source
        self.factors = declared_factors(factors or {})
        self.design = declared_design(design)
        self.replications = rule(replications)
        self.set = {path: plain(value) for path, value in (set or {}).items()}
        self.draw = draw
        self.common_random_numbers = common_random_numbers
        self.claims = tuple(claims)
        self._text = scenario.text_of(source)
        self._folder = scenario.folder_of(source)
        self._seed = seed
        self._base = self._load({})
        self.title = title or self._base.title
        self._check()

    # -------------------------------------------------------------- what is to be run

    @property
    def size(self) -> int:
        """Number of points."""
        return self.design.size(self.factors)

    @cached_property
    def points(self) -> list[Point]:
        """The points, in the order of the design."""
        return points([factor.name for factor in self.factors], [*self.design.points(self.factors)])

    @property
    def seed(self) -> int:
        """Seed of all runs."""
        return self._base.seed

    def scenario(self, point: Point, replication: int | None = None) -> Scenario:
        """The scenario of a point, as one of its replications has it where chance decides keys."""
        return self._load(self.keys(point, replication), self._seed_of(point))

    def keys(self, point: Point, replication: int | None = None, more: Keys | None = None) -> Keys:
        """The keys that make a point of the scenario, and `more` of them, without patterns; likewise."""
        keys = {**self.set, **point.keys, **(more or {})}
        if self.draw is not None and replication is not None:
            keys |= drawn(self.draw, self.seed, replication, self._paths_of(keys))
        return self._expanded(keys)

    # -------------------------------------------------------------- running it

    def run(
        self,
        *,
        store: Archive | str | Path | None = DEFAULT,
        engine: Engine | str | None = None,
        threads: int | None = None,
        progress: Callable[[float], object] | bool = True,
        limit: int = MOST_RUNS,
    ) -> ExperimentResult:
        """Run what the store has not yet, and return all of it.

        `store` keeps finished runs: the user's own by default, another by its path, none if `None`. `engine`
        is "local", "dask" or "dask:ADDRESS". `progress` shows a bar on standard error, or is called with
        the part that is done. More than `limit` runs are refused, with the time that they would take.

        After Ctrl-C the result holds what was finished, and says so by `interrupted`.

        Raises `ScenarioError` with the mistakes at any of the points before anything runs, `RunError` if a
        run fails, and `OSError` if the store cannot be read or written.
        """
        self._refuse_too_many(limit, threads)
        runs = Runs(self.points, self._scenarios(), [[] for _ in self.points])
        with opened(store) as kept, begun(engine, threads) as chosen:
            return Work(self, runs, Means(kept, chosen, progress)).finish()

    def _scenarios(self) -> list[Scenario]:
        """The scenario of each point; raises `ScenarioError` with what is wrong at any of them."""
        made = []
        problems: dict[str, str] = {}
        for point in self.points:
            try:
                made.append(self.scenario(point, 0))
            except ScenarioError as error:
                for problem in error.problems:
                    problems.setdefault(problem, point.text)
                if len(problems) >= _SHOWN:
                    break
        if problems:
            raise _scenario_error(
                [f"at {text}: {problem}" if text else problem for problem, text in problems.items()]
            )
        return made

    def _refuse_too_many(self, limit: int, threads: int | None) -> None:
        most = self.size * self.replications.most
        if most <= limit:
            return
        first = next(iter(self.design.points(self.factors)))
        point = Point(tuple(factor.name for factor in self.factors), first)
        begun = time.perf_counter()
        archive.run([archive.Job(self.scenario(point, 0), 0)])
        each = time.perf_counter() - begun

        cores = (
            threads or len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
        took = span(each * most / cores)
        raise StudyError(
            f"{self.size:,} points with up to {self.replications.most} replications are {most:,} runs, some "
            f"{took} on {cores} cores by the first of them; more than {limit:,} are run if limit says so"
        )

    # -------------------------------------------------------------- keys

    def _load(self, keys: Keys, seed: int | None = None) -> Scenario:
        """The scenario with `keys` replaced, patterns among them."""
        return self._parse(self._expanded(keys), seed)

    def _expanded(self, keys: Keys) -> Keys:
        plain_keys = {path: value for path, value in keys.items() if not has_pattern(path)}
        if len(plain_keys) == len(keys):
            return keys
        return expand(keys, names(self._document, plain_keys))

    def _parse(self, keys: Keys, seed: int | None) -> Scenario:
        overrides = [(path, scenario.toml_value(value)) for path, value in keys.items()]
        if (chosen := self._seed if seed is None else seed) is not None:
            overrides.append(("seed", scenario.toml_value(chosen)))
        return scenario.parse(self._text, overrides, self._folder)

    @cached_property
    def _document(self) -> dict[str, Any]:
        return tomllib.loads(self._text.decode())

    def _paths_of(self, keys: Keys) -> Callable[[str], list[str]]:
        known = names(
            self._document, {path: v for path, v in keys.items() if not has_pattern(path)}
        )
        return lambda path: expanded(path, known)

    def _seed_of(self, point: Point) -> int | None:
        if self.common_random_numbers:
            return None
        digest = hashlib.sha256(f"{self.seed}\0{point.text}".encode()).digest()
        # What a scenario's seed can be: TOML has 63 bits.
        return int.from_bytes(digest[:8]) >> 1

    def _check(self) -> None:
        """Raises `StudyError` with all mistakes that show before a run."""
        problems: list[str] = []
        for check in (
            self._check_names,
            lambda: self.design.check(self.factors),
            self._check_patterns,
        ):
            try:
                check()
            except StudyError as error:
                problems += error.problems
        labels = {
            factor.name: None if factor.range else [level.label for level in factor.levels]
            for factor in self.factors
        }
        for one in self.claims:
            problems += one.problems(labels)
        if isinstance(self.replications, UntilDecided) and not self.claims:
            problems.append("replications: until decided, but there is no claim to decide")
        if problems:
            raise StudyError(*problems)

    def _check_names(self) -> None:
        taken = {column for table in columns().values() for column in table}
        taken |= {subject for subject in SUBJECTS.values() if subject} | {"point", "replication"}
        clashes = [factor.name for factor in self.factors if factor.name in taken]
        if clashes:
            raise StudyError(
                *(
                    f"factor {name}: is a column of the tables; give it another name"
                    for name in clashes
                )
            )

    def _check_patterns(self) -> None:
        """Raises `StudyError` if a pattern matches nothing: at once, where names do not vary."""
        every = [self.set, *(level.keys for factor in self.factors for level in factor.levels)]
        if any(renames(keys) for keys in every):
            return
        problems: list[str] = []
        draws = [*self.draw] if isinstance(self.draw, Mapping) else []
        for path in dict.fromkeys([*itertools.chain(*every), *draws]):
            try:
                expanded(path, names(self._document, {}))
            except StudyError as error:
                problems += error.problems
        if problems:
            raise StudyError(*problems)


def _scenario_error(problems: list[str]) -> ScenarioError:
    error = ScenarioError("\n".join(problems))
    error.problems = problems
    return error


def span(seconds: float) -> str:
    """A time in words: "12 s", "3 h", "40 years"."""
    for size, name in ((365.25 * 86400, "years"), (86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} s"
