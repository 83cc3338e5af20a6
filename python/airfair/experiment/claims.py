"""Decisions on claims: confidence intervals are compared with the bounds that a claim declares.

Papers leave settings open, and their equations can be read in several ways. A *reading* fixes both. The
deciding reading is the one whose baseline is nearest to the printed values. Other readings are *near* if
they fit the text or the baseline as well. A claim is decided under the deciding reading and under each near
one.

Under a reading a claim has points, which are conditions (`conditions`). All of them must hold.

- The claim *holds* if each testable point holds.
- It *fails* if at least one point fails, after correction for the number of points.
- It is *undecided* if an interval contains its bound, even after more replications.
- It *depends* if its state differs between the deciding reading and a near one. Undecided is a state of its
  own here: undecided under one reading and holding under another is "depends".
- It is *untestable* if no point can show the effect.

Readings that are not near are reported, but decide nothing.

An undecided point is tested a second time with fresh replications, which alone decide it then. As there are
two tests, each has half of the error probability (`conditions.error_of_each`). A `Reason` explains why some
or all points of a claim do not hold; it is shown only if one of these points is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Generic, Literal, TypeVar

from airfair.names import counted

from .conditions import ERROR, Condition, Key, Point, State, resolution, ruled, states, together
from .wording import Wording, wordings

Ruling = Literal["holds", "fails", "undecided", "depends", "untestable"]
Data = TypeVar("Data")


@dataclass(frozen=True)
class Elsewhere:
    """Points of a claim under a reading other than the deciding one."""

    where: str
    points: tuple[Point, ...]
    near: bool = False
    """True if the reading fits the text or the baseline as well as the deciding one."""

    @property
    def state(self) -> State:
        """State of the claim under this reading."""
        return together(self.points)

    def __str__(self) -> str:
        parts = "; ".join(f"{point.figures}: {state}" for point, state in ruled(self.points))
        return f"{self.where}, {'as near' if self.near else 'not deciding'}: {parts}"


FEW = "There are too few replications: an interval contains its bound."
NOTHING_SEEN = "The claim cannot be tested here: without the scheme the effect does not occur."
NOT_FOUND = "Not found out yet"


@dataclass(frozen=True)
class Reason:
    """Explanation of why a claim does not hold, found by experiments."""

    text: str
    """Explanation in whole sentences, or `NOT_FOUND` if it is not known."""
    of: str = "*"
    """Shell pattern that matches `what` of the points that this explains."""

    def explains(self, point: Point) -> bool:
        """True if this explains why the point does not hold."""
        return fnmatchcase(point.what, self.of)


SHOWN = 3
"""Largest number of points in a line of evidence."""

_RULINGS: Mapping[Ruling, str] = {
    "holds": "holds",
    "fails": "does not hold",
    "undecided": "is undecided",
    "depends": "depends on the reading",
    "untestable": "cannot be tested here",
}
"""Predicates of a sentence on a claim, by its state."""
DECIDES = "the reading that decides"
"""Text for the deciding reading if it has no name."""


@dataclass(frozen=True, repr=False)
class Verdict:
    """Verdict on one claim; `state` is holds, fails, undecided, depends or untestable."""

    id: str
    text: str
    points: tuple[Point, ...]
    under: str = ""
    """Name of the deciding reading."""
    remark: str = ""
    """Text with an additional measured value, which does not affect the verdict."""
    elsewhere: tuple[Elsewhere, ...] = ()
    reasons: tuple[Reason, ...] = ()
    """Explanations declared for the claim; `why` returns those that apply."""
    first_look: bool = False
    """True if there are fewer replications than in the full run: more of them may decide the claim."""

    def __str__(self) -> str:
        """Sentence with the state of the claim and the values that decide it."""
        claim = "In a first look, the claim" if self.first_look else "The claim"
        said = f"{claim} {self.id}" + (f" (“{self.text}”)" if self.text else "")
        return f"{said} {_RULINGS[self.state]}: {self.line}."

    def __repr__(self) -> str:
        return f"<{self}>"

    @cached_property
    def ruled(self) -> list[tuple[Point, State]]:
        """Points with their states, corrected for the number of points."""
        return ruled(self.points)

    @property
    def states(self) -> list[State]:
        """State of each point, corrected for their number."""
        return [state for _, state in self.ruled]

    @cached_property
    def here(self) -> State:
        """State under the deciding reading."""
        return together(self.points)

    @cached_property
    def each(self) -> list[tuple[str, State]]:
        """State under the deciding reading and under each near one, by the name of the reading.

        Near readings under which the claim is untestable are left out. The list is empty if the claim is
        untestable under the deciding reading.
        """
        near = [(one.where, one.state) for one in self.elsewhere if one.near]
        told = [(where, state) for where, state in near if state != "untestable"]
        return [(self.under or DECIDES, self.here), *told] if self.here != "untestable" else []

    @cached_property
    def turned_by(self) -> list[str]:
        """Near readings under which the state differs from that under the deciding one."""
        return [where for where, state in self.each if state != self.here]

    @property
    def undecided_under(self) -> list[str]:
        """Readings under which a claim that depends is undecided; may include the deciding one."""
        if not self.turned_by:
            return []
        return [where for where, state in self.each if state == "undecided"]

    @property
    def depends_on(self) -> str:
        """Text with the state under each reading; empty unless the claim depends."""
        if not self.turned_by:
            return ""
        said = {ruling: [w for w, state in self.each if state == ruling] for ruling in _RULINGS}
        parts = [f"{_RULINGS[ruling]} under {' and '.join(w)}" for ruling, w in said.items() if w]
        return "; ".join(parts)

    @property
    def state(self) -> Ruling:
        """State under the deciding reading, or "depends" if a near reading has another state."""
        return "depends" if self.turned_by else self.here

    @property
    def is_open(self) -> bool:
        """True if a first look cannot decide the claim; such claims are only counted."""
        return self.first_look and self.state == "undecided"

    @property
    def wordings(self) -> Mapping[str, Wording]:
        """How states are written; first looks have signs and words of their own."""
        return wordings(first_look=self.first_look)

    @property
    def mark(self) -> str:
        """Character for the state."""
        return self.wordings[self.state].mark

    @property
    def label(self) -> str:
        """Text of the state, with the readings under which a claim that depends is undecided."""
        words, under = self.wordings[self.state].label, self.undecided_under
        return f"{words}, undecided under {' and '.join(under)}" if under else words

    @property
    def unresolved(self) -> str:
        """Text with the number of undecided points and the distance from a bound that would decide one.

        A claim holds only if all its points do. If many points lie just within their ranges, no practical
        number of replications shows that all do, and the text names the distance that would be needed.
        """
        open_ = [point for point, state in self.ruled if state == "undecided"]
        if not open_:
            return ""
        of = self.count[1]
        bounds = "its bound" if len(open_) == 1 else "their bounds"
        contain = (
            "has an interval that contains" if len(open_) == 1 else "have intervals that contain"
        )
        said = f"{len(open_)} of {counted(of, 'point')} {contain} {bounds}."
        fewest = min((p.measured.count for p in open_ if isinstance(p, Condition)), default=0)
        if fewest < 2:  # noqa: PLR2004 - one run tells nothing
            return said
        far = resolution(fewest, len(open_), open_[0].error)
        return (
            f"{said} With {fewest} runs a point is decided only if it lies {far:.2g} standard deviations of "
            "a run from its bound."
        )

    @property
    def holds(self) -> bool:
        """True if every point holds under the deciding reading and under all near ones."""
        return self.state == "holds"

    @property
    def count(self) -> tuple[int, int]:
        """Number of points that hold, and number of testable points."""
        testable = [state for state in self.states if state != "untestable"]
        return testable.count("holds"), len(testable)

    @property
    def counted(self) -> str:
        """Text of `count`: "7 of 8 points"."""
        held, of = self.count
        blind = len(self.points) - of
        return f"{held} of {counted(of, 'point')}" + (
            f", {blind} cannot be tested" if blind else ""
        )

    @property
    def turns_at(self) -> float | None:
        """Smallest tolerance with which the claim holds; with a smaller one it does not.

        `None` if no point has a tolerance, or if points without one do not hold.
        """
        each = [(point.turns_at, state) for point, state in self.ruled]
        known = [turns for turns, _ in each if turns is not None]
        in_the_way = any(turns is None and state in ("fails", "undecided") for turns, state in each)
        return None if in_the_way or not known else max(known)

    @property
    def lines(self) -> list[str]:
        """Lines with the values of the points, followed by those of other readings and the remark."""
        return [*self._told, *([self.remark] if self.remark else []), *map(str, self.elsewhere)]

    @property
    def _told(self) -> list[str]:
        return [f"{point.figures}: {state}" for point, state in self.ruled]

    @property
    def brief(self) -> list[str]:
        """Lines with the values of the points, followed by the states under other readings."""
        near = [f"{one.where}: {one.state}" for one in self.elsewhere if one.near]
        far = [f"{one.where}: {one.state}" for one in self.elsewhere if not one.near]
        return [
            *self._told,
            *([self.remark] if self.remark else []),
            *(["as near: " + "; ".join(near)] if near else []),
            *(["not deciding: " + "; ".join(far)] if far else []),
        ]

    @property
    def evidence(self) -> str:
        """Text of `lines`, with the state in front if it is neither holds nor fails."""
        text = "; ".join(self.lines)
        return text if self.state in ("holds", "fails") else f"{self.state}: {text}"

    @property
    def line(self) -> str:
        """Evidence in one line: number of points that hold, and the first and last point with its state."""
        deciding = [point.figures for point, state in self.ruled if state == self.here]
        shown = deciding if len(deciding) <= SHOWN else [f"{deciding[0]}; … {deciding[-1]}"]
        parts = [*([self.counted] if len(self.points) > 1 else []), "; ".join(shown)]
        return " – ".join(parts)

    @property
    def why(self) -> list[str]:
        """Explanations for the points that do not hold; empty if the claim holds."""
        if self.here == "untestable":
            return [reason.text for reason in self.reasons] or [NOTHING_SEEN]
        told = []
        if self.turned_by:
            told.append(f"The claim {self.depends_on}.")
        if self.here == "undecided":
            told.append(FEW if self.first_look else self.unresolved)
        missed = [
            (point, state)
            for point, state in self.ruled
            if state == "fails" or (state == "undecided" and not self.first_look)
        ]
        found = [r for r in self.reasons if any(r.explains(point) for point, _ in missed)]
        if self.state == "depends" and not missed:
            found = list(self.reasons)
        told += [reason.text for reason in found]
        obscure = [
            point.what
            for point, state in missed
            if state == "fails" and not any(r.explains(point) for r in found)
        ]
        if obscure:
            told.append(f"{NOT_FOUND} for: {'; '.join(obscure)}." if found else f"{NOT_FOUND}.")
        return told


@dataclass(frozen=True)
class Reading(Generic[Data]):
    """One reading of a paper, and the function that computes a claim's points under it."""

    label: str
    setups: tuple[str, ...]
    """Setups whose runs the points need."""
    points: Callable[[Data], Iterable[Point]]
    near: bool = False
    """True if the reading fits the text or the baseline as well as the deciding one."""


@dataclass(frozen=True)
class Predicate(Generic[Data]):
    """Claim as a function of measured values."""

    id: str
    deciding: Reading[Data]
    beside: tuple[Reading[Data], ...] = ()
    """Other readings; `decide` leaves out those whose setups were not run."""
    remark: Callable[[Data], str] | None = None

    @property
    def setups(self) -> tuple[str, ...]:
        """Setups whose runs are needed to decide the claim."""
        return self.deciding.setups

    def decide(  # noqa: PLR0913 - options, each with a default
        self,
        data: Data,
        text: str,
        *,
        run: Iterable[str] | None = None,
        fresh: Data | None = None,
        anew: Collection[Key] | None = None,
        error: float = ERROR,
    ) -> Verdict:
        """Decide the claim from `data`.

        - `run`: setups that were run; by default all.
        - `fresh`: data with the fresh replications alone, if there are any. They decide the points that
          `data` leaves undecided.
        - `anew`: runs that have fresh replications; by default all. A point is decided by `fresh` only if all
          its runs have some.
        - `error`: error probability of each interval that decides; less than 0.05 if there are several tests.
        """
        done = None if run is None else set(run)
        looks = _Looks(data, fresh, None if anew is None else frozenset(anew), error)
        beside = tuple(
            Elsewhere(one.label, looks.points(one), one.near)
            for one in self.beside
            if done is None or done.issuperset(one.setups)
        )
        return Verdict(
            self.id,
            text,
            looks.points(self.deciding),
            under=self.deciding.label,
            remark=self.remark(data) if self.remark else "",
            elsewhere=beside,
        )

    def undecided(self, verdict: Verdict, most: int) -> dict[Key | str, int]:
        """Numbers of further replications, at most `most`, that would decide the undecided points.

        The keys are runs, or setups for points that name no runs. The result is empty if the claim holds
        under one near reading and fails under another, because more runs would not change that.
        """
        if {"holds", "fails"} <= {state for _, state in verdict.each}:
            return {}
        readings = [(self.deciding, verdict.points)]
        by_label = {one.label: one for one in self.beside}
        readings += [(by_label[one.where], one.points) for one in verdict.elsewhere if one.near]
        wanted: dict[Key | str, int] = {}
        for reading, points in readings:
            if together(points) != "undecided":
                continue
            for point, state in ruled(points):
                if state == "undecided":
                    for of in point.of or reading.setups:
                        wanted[of] = max(wanted.get(of, 0), point.replications(most))
        return wanted


@dataclass(frozen=True)
class Readings:
    """Names of the readings of a paper, declared in its plan; claims are decided under all of them."""

    decides: str
    near: tuple[str, ...] = ()
    """Readings that fit the text or the baseline as well as the deciding one."""
    beside: tuple[str, ...] = ()
    """Readings that fit less well; they decide nothing."""

    def __iter__(self) -> Iterator[str]:
        """Names of all readings, the deciding one first."""
        return iter((self.decides, *self.near, *self.beside))

    def only(self, names: Collection[str]) -> Readings:
        """Deciding reading with those others that are in `names`."""
        near, beside = (tuple(n for n in of if n in names) for of in (self.near, self.beside))
        return Readings(self.decides, near, beside)

    def predicate(
        self,
        id_: str,
        reading: Callable[[str], Reading[Data]],
        *,
        more: Sequence[Reading[Data]] = (),
        remark: Callable[[Data], str] | None = None,
    ) -> Predicate[Data]:
        """Claim under each of these readings, and under those of `more`, which decide nothing."""
        beside = [replace(reading(name), near=True) for name in self.near]
        beside += [replace(reading(name), near=False) for name in self.beside]
        return Predicate(id_, reading(self.decides), (*beside, *more), remark)


@dataclass(frozen=True)
class _Looks(Generic[Data]):
    """Data of the first test of a claim, and of the second test of the points left undecided."""

    data: Data
    fresh: Data | None
    anew: frozenset[Key] | None
    error: float

    def points(self, reading: Reading[Data]) -> tuple[Point, ...]:
        """Points of a reading; those undecided by `data` are decided by `fresh`."""
        first = tuple(point.at(self.error) for point in reading.points(self.data))
        if self.fresh is None:
            return first
        again = tuple(point.at(self.error) for point in reading.points(self.fresh))
        return tuple(
            new if state == "undecided" and self._is_fresh(old, reading) else old
            for old, new, state in zip(first, again, states(first), strict=True)
        )

    def _is_fresh(self, point: Point, reading: Reading[Data]) -> bool:
        """True if all runs of a point have fresh replications; otherwise they cannot be paired by seed."""
        if self.anew is None:
            return True
        if point.of:
            return self.anew.issuperset(point.of)
        return {setup for setup, _ in self.anew}.issuperset(reading.setups)
