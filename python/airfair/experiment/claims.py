"""Decisions on claims: by confidence intervals against stated bounds, and by nothing else.

A claim is decided under one reading: a place (what the paper leaves open, chosen by its printed baseline) and
a way to read its equations. Its points are conditions (`conditions`), and each of them must hold. Other
readings are as near to the text, or fit the baseline as well: the claim is decided under each of them, too.

- It *holds* if every point that can be tested holds.
- It *fails* if a point fails, corrected for their number.
- It is *undecided* if an interval straddles its bound, also after more replications.
- It *depends* if the readings that are as near do not all say the same. An undecided one says nothing, and so
  does not say the same as one that holds.
- It is *untestable* if no point shows anything.

Readings that are further away stand beside it and decide nothing.

A point that is undecided is asked anew with fresh replications, and these alone decide it then. There are two
looks at it, so each keeps to half of the error (`conditions.error_of_each`). Why a claim does not hold is
declared apart, as a `Reason` for some or all of its points, and told only where the measured figures miss one
of these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Generic, Literal, TypeVar

from .conditions import ERROR, Condition, Key, Point, State, resolution, states, together

Ruling = Literal["holds", "fails", "undecided", "depends", "untestable"]
Data = TypeVar("Data")


@dataclass(frozen=True)
class Elsewhere:
    """The points of a claim under another reading than the one that decides it."""

    where: str
    points: tuple[Point, ...]
    near: bool = False
    """True if it is as near to the text or to the baseline as the one that decides."""

    @property
    def state(self) -> State:
        """That of its points together."""
        return together(self.points)

    def __str__(self) -> str:
        parts = "; ".join(
            f"{point.figures}: {state}"
            for point, state in zip(self.points, states(self.points), strict=True)
        )
        return f"{self.where}, {'as near' if self.near else 'not deciding'}: {parts}"


FEW = "There are too few replications: an interval contains its bound."
NOTHING_SEEN = "The claim cannot be tested here: without the scheme the effect does not occur."
NOT_FOUND = "Not found out yet"


@dataclass(frozen=True)
class Reason:
    """Why a claim does not hold, as experiments have found it."""

    text: str
    """Whole sentences. What is not known is said to be `NOT_FOUND`."""
    of: str = "*"
    """Pattern of the points that it explains: their `what` matches, as file names match in a shell."""

    def explains(self, point: Point) -> bool:
        """True if it is the reason where this point does not hold."""
        return fnmatchcase(point.what, self.of)


SHOWN = 3
"""Points in a line of evidence at most."""

_RULINGS: Mapping[Ruling, str] = {
    "holds": "holds",
    "fails": "does not hold",
    "undecided": "is undecided",
    "depends": "depends on the reading",
    "untestable": "cannot be tested here",
}
"""States of a claim as predicates of a sentence."""
DECIDES = "the reading that decides"
"""Name of that reading where it has none."""


@dataclass(frozen=True, repr=False)
class Verdict:
    """Verdict of the measured figures on one claim."""

    id: str
    text: str
    points: tuple[Point, ...]
    under: str = ""
    """The reading that decides."""
    remark: str = ""
    """A figure that decides nothing and helps to understand."""
    elsewhere: tuple[Elsewhere, ...] = ()
    reasons: tuple[Reason, ...] = ()
    """Why it might not hold; `why` has those that apply."""
    first_look: bool = False
    """True if the reasons rest on more replications: what is undecided may be so for want of them."""

    def __str__(self) -> str:
        """A sentence: what became of the claim, and by which figures."""
        said = f"The claim {self.id}" + (f" (“{self.text}”)" if self.text else "")
        return f"{said} {_RULINGS[self.state]}: {self.line}."

    def __repr__(self) -> str:
        return f"<{self}>"

    @cached_property
    def states(self) -> list[State]:
        """The state of each point, corrected for their number."""
        return states(self.points)

    @cached_property
    def here(self) -> State:
        """The state under the reading that decides."""
        return together(self.points)

    @cached_property
    def each(self) -> list[tuple[str, State]]:
        """The reading that decides and those that are as near, each with what the claim is under it.

        Without those under which it shows nothing; nothing if it does so under the one that decides.
        """
        near = [(one.where, one.state) for one in self.elsewhere if one.near]
        told = [(where, state) for where, state in near if state != "untestable"]
        return [(self.under or DECIDES, self.here), *told] if self.here != "untestable" else []

    @cached_property
    def turned_by(self) -> list[str]:
        """Readings as near that do not say what the one that decides says."""
        return [where for where, state in self.each if state != self.here]

    @property
    def undecided_under(self) -> list[str]:
        """Readings, the one that decides among them, under which a claim that depends is undecided."""
        if not self.turned_by:
            return []
        return [where for where, state in self.each if state == "undecided"]

    @property
    def depends_on(self) -> str:
        """What the claim is under each reading, in words; empty unless it depends."""
        if not self.turned_by:
            return ""
        said = {ruling: [w for w, state in self.each if state == ruling] for ruling in _RULINGS}
        parts = [f"{_RULINGS[ruling]} under {' and '.join(w)}" for ruling, w in said.items() if w]
        return "; ".join(parts)

    @property
    def state(self) -> Ruling:
        """The state under the reading that decides, unless others as near say something else."""
        return "depends" if self.turned_by else self.here

    @property
    def unresolved(self) -> str:
        """Number of points that cannot be told from their bounds, and the distance that would be needed.

        A claim of many points is seen to hold only if each of them is. Where all lie just within their
        ranges, no number of replications that anybody would run shows it, and that is what has to be said.
        """
        each = zip(self.points, self.states, strict=True)
        open_ = [point for point, state in each if state == "undecided"]
        if not open_:
            return ""
        of = self.count[1]
        bounds = "its bound" if len(open_) == 1 else "their bounds"
        contain = (
            "has an interval that contains" if len(open_) == 1 else "have intervals that contain"
        )
        said = f"{len(open_)} of {of} point{'s' * (of != 1)} {contain} {bounds}."
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
        """True if every point holds, whatever reading as near is taken."""
        return self.state == "holds"

    @property
    def count(self) -> tuple[int, int]:
        """Points that hold, of those that can be tested."""
        testable = [state for state in self.states if state != "untestable"]
        return testable.count("holds"), len(testable)

    @property
    def counted(self) -> str:
        """The same in words: 7 of 8 points."""
        held, of = self.count
        points = "point" if of == 1 else "points"
        blind = len(self.points) - of
        return f"{held} of {of} {points}" + (f", {blind} cannot be tested" if blind else "")

    @property
    def turns_at(self) -> float | None:
        """The tolerance at which the verdict turns: with more it holds, with less it does not.

        Nothing if no word decides, or if points without one are in the way.
        """
        each = [
            (point.turns_at, state) for point, state in zip(self.points, self.states, strict=True)
        ]
        known = [turns for turns, _ in each if turns is not None]
        in_the_way = any(turns is None and state in ("fails", "undecided") for turns, state in each)
        return None if in_the_way or not known else max(known)

    @property
    def lines(self) -> list[str]:
        """The points with their figures, then what stands beside them."""
        return [*self._told, *([self.remark] if self.remark else []), *map(str, self.elsewhere)]

    @property
    def _told(self) -> list[str]:
        each = zip(self.points, self.states, strict=True)
        return [f"{point.figures}: {state}" for point, state in each]

    @property
    def brief(self) -> list[str]:
        """The points with their figures, and of what stands beside them the state alone."""
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
        """All of it, with the state in front where it is neither holds nor fails."""
        text = "; ".join(self.lines)
        return text if self.state in ("holds", "fails") else f"{self.state}: {text}"

    @property
    def line(self) -> str:
        """Evidence in one line: how many points hold, the first and the last of its state."""
        deciding = [
            p.figures for p, s in zip(self.points, self.states, strict=True) if s == self.here
        ]
        shown = deciding if len(deciding) <= SHOWN else [f"{deciding[0]}; … {deciding[-1]}"]
        parts = [*([self.counted] if len(self.points) > 1 else []), "; ".join(shown)]
        return " – ".join(parts)

    @property
    def why(self) -> list[str]:
        """Why it does not hold: the reasons for the points that are missed. Empty if it holds."""
        if self.here == "untestable":
            return [reason.text for reason in self.reasons] or [NOTHING_SEEN]
        told = []
        if self.turned_by:
            told.append(f"The claim {self.depends_on}.")
        if self.here == "undecided":
            told.append(FEW if self.first_look else self.unresolved)
        missed = [
            (point, state)
            for point, state in zip(self.points, self.states, strict=True)
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
    """One way to read what the paper leaves open, and the claim's points under it."""

    label: str
    setups: tuple[str, ...]
    """Setups that must have been run before it can be told."""
    points: Callable[[Data], Sequence[Point]]
    near: bool = False
    """True if it is as near to the text, or fits the baseline as well, as the one that decides."""


@dataclass(frozen=True)
class Predicate(Generic[Data]):
    """A claim as a function of the measured figures alone."""

    id: str
    deciding: Reading[Data]
    beside: tuple[Reading[Data], ...] = ()
    """Other readings; those that were not run are left out."""
    remark: Callable[[Data], str] | None = None

    @property
    def setups(self) -> tuple[str, ...]:
        """Setups that must have been run before it can be decided."""
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
        """Decides the claim by the runs of `data`.

        `run`: setups that were run, all by default. `fresh`: the same with only later replications where
        there are any; they decide what `data` leaves undecided, where all runs that a point rests on are
        among those that have some, `anew`, all by default. `error`: that of each interval that decides,
        which is less than 5 % where there are several looks.
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
        """Subjects of more replications, with how many: runs, or setups where a point names no runs.

        As many as would decide each point that is undecided, `most` at most; none where one reading as near
        says that the claim holds and another that it fails, since that is what no more runs change.
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
            for point, state in zip(points, states(points), strict=True):
                if state == "undecided":
                    for of in point.of or reading.setups:
                        wanted[of] = max(wanted.get(of, 0), point.replications(most))
        return wanted


@dataclass(frozen=True)
class Readings:
    """Names of the ways to read a paper, or of the places that it may have had.

    A paper's plan declares them, and the claims are decided under all of them.
    """

    decides: str
    near: tuple[str, ...] = ()
    """Those that are as near to the text, or fit the baseline as well: a claim that they turn depends."""
    beside: tuple[str, ...] = ()
    """Those that are further away, and decide nothing."""

    def __iter__(self) -> Iterator[str]:
        """All of them, the one that decides first."""
        return iter((self.decides, *self.near, *self.beside))

    def only(self, names: Collection[str]) -> Readings:
        """The one that decides, and of the others those that a claim has."""
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
        """The claim under each of them, as `reading` makes it, and under `more`, which decide nothing."""
        beside = [replace(reading(name), near=True) for name in self.near]
        beside += [replace(reading(name), near=False) for name in self.beside]
        return Predicate(id_, reading(self.decides), (*beside, *more), remark)


@dataclass(frozen=True)
class _Looks(Generic[Data]):
    """The first look at a claim, and the second one at what it leaves undecided."""

    data: Data
    fresh: Data | None
    anew: frozenset[Key] | None
    error: float

    def points(self, reading: Reading[Data]) -> tuple[Point, ...]:
        """The points of a reading, those that are undecided by fresh replications alone."""
        first = tuple(point.at(self.error) for point in reading.points(self.data))
        if self.fresh is None:
            return first
        again = tuple(point.at(self.error) for point in reading.points(self.fresh))
        return tuple(
            new if state == "undecided" and self._is_fresh(old, reading) else old
            for old, new, state in zip(first, again, states(first), strict=True)
        )

    def _is_fresh(self, point: Point, reading: Reading[Data]) -> bool:
        """True if all runs that a point rests on have fresh replications: else no two have the same seeds."""
        if self.anew is None:
            return True
        if point.of:
            return self.anew.issuperset(point.of)
        return {setup for setup, _ in self.anew}.issuperset(reading.setups)


def with_reasons(verdict: Verdict, reasons: Iterable[Reason], *, first_look: bool) -> Verdict:
    """The verdict with what might explain it."""
    return replace(verdict, reasons=tuple(reasons), first_look=first_look)
