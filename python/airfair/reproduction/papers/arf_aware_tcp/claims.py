"""Claims of the paper `arf-aware-tcp`.

The tolerances of words are in `words`. In addition:

- `FAIR`: the paper itself sets the threshold of 0.9.
- `SETTLE_S`: throughputs are measured from 5 s after a start or a change of rate up to the next change. This
  time is several time-outs long, and "quickly" means within it.

A throughput is *kept* if it is not lower than before by more than the tolerance of “the same”; else it has
*fallen*. Schemes are compared within replications, which have the same seed. Each claim on the scheme is
decided under each reading of the scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from airfair.estimate import Estimate, Floats, estimate, paired, quotient
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, Key, condition
from airfair.experiment.words import GAIN, INDEX, SAME

from .plan import AS_READ, CAPS, NEWRENO
from .runs import ArfAwareRuns, Measurements

AS_IN_NS2 = "the paper's network, relayed, as in ns-2"
FAIR = 0.9
SETTLE_S = 5.0

START_S, CHANGE_S, RETURN_S, END_S = 1.0, 20.0, 70.0, 100.0
BEFORE = (START_S + SETTLE_S, CHANGE_S)
AFTER = (CHANGE_S + SETTLE_S, END_S)
DURING = (CHANGE_S + SETTLE_S, RETURN_S)
RECOVERED = (RETURN_S + SETTLE_S, END_S)

SLOW, FAST = 0, 1
"""Indices of the slow and the fast flow in scenarios with two sessions."""

Interval = tuple[float, float]


def _level(runs: ArfAwareRuns, interval: Interval) -> Floats:
    """Throughput of each flow in the interval [kb/s], (replication, flow)."""
    return runs.throughput_between(*interval)


def _kept(runs: ArfAwareRuns, flow: int, interval: Interval, since: Interval = BEFORE) -> Estimate:
    """Throughput of a flow in the interval, relative to that in the earlier interval `since`."""
    return quotient(_level(runs, interval)[:, flow], _level(runs, since)[:, flow])


def _kept_together(runs: ArfAwareRuns, interval: Interval) -> Estimate:
    """Total throughput of all flows in the interval, relative to the total before the change."""
    return quotient(_level(runs, interval).sum(axis=1), _level(runs, BEFORE).sum(axis=1))


def _is_kept(what: str, relative: Estimate, of: Key) -> Condition:
    return SAME.condition(what, relative, side="least", of=[of])


def fairness_above(data: Measurements, scheme: str) -> Sequence[Condition]:
    """Conditions that Jain's index over the printed sessions of Tables 1, 3, 4 and 5 is at least `FAIR`."""
    printed = {"table1": None, "table3": None, "table4": None, "table5": 4}
    return [
        condition(
            f"index in {table}",
            data[table, scheme].fairness(sessions),
            above=FAIR,
            of=[(table, scheme)],
        )
        for table, sessions in printed.items()
    ]


def anomaly_equalises(data: Measurements) -> Sequence[Condition]:
    """Conditions that with NewReno the sessions are equal after the change, and the fast one has fallen."""
    key = ("table1", NEWRENO)
    after = _level(data[key], AFTER)
    alike = quotient(after[:, SLOW], after[:, FAST])
    return [
        SAME.condition("session 1 / session 2 after the change", alike, of=[key]),
        SAME.falls("session 2 after / before", _kept(data[key], FAST, AFTER), of=[key]),
    ]


def fast_session_kept(data: Measurements, scheme: str) -> Sequence[Condition]:
    """Conditions that in Table 1 the fast session keeps its throughput with ARF-aware TCP."""
    key = ("table1", scheme)
    return [_is_kept("session 2 after / before", _kept(data[key], FAST, AFTER), key)]


def fast_session_remark(data: Measurements) -> str:
    """Text with the throughput that the fast session of Table 1 keeps with NewReno."""
    return f"with NewReno {_kept(data['table1', NEWRENO], FAST, AFTER)}"


def gain(table: str, more: float, data: Measurements, scheme: str) -> Sequence[Condition]:
    """Conditions that in a table the aggregate throughput is about `more` higher than with NewReno."""
    of = [(table, scheme), (table, NEWRENO)]
    measured = quotient(*(data[key].aggregate_kbps() for key in of))
    return [GAIN.more("aggregate, ARF-aware / NewReno", measured, more, of=of)]


def no_harm_when_fair(data: Measurements, scheme: str) -> Sequence[Condition]:
    """Conditions that in Table 3 neither aggregate throughput nor index is lower than with NewReno."""
    of = [("table3", scheme), ("table3", NEWRENO)]
    ours, theirs = (data[key] for key in of)
    aggregate = quotient(ours.aggregate_kbps(), theirs.aggregate_kbps())
    index = estimate(np.subtract(*paired(ours.fairness(), theirs.fairness())), signed=True)
    return [
        SAME.condition("aggregate, ARF-aware / NewReno", aggregate, side="least", of=of),
        INDEX.condition("index, ARF-aware - NewReno", index, 0.0, side="least", of=of),
    ]


def multi_rate_order(data: Measurements, scheme: str) -> Sequence[Condition]:
    """Conditions that in Table 5 throughputs rise with link rates, and are equal with NewReno."""
    a, b = ("table5", scheme), ("table5", NEWRENO)
    ours, theirs = data[a].throughput_kbps, data[b].throughput_kbps[:, :4]
    steps = np.diff(ours[:, :4], axis=1)
    ordered = [
        condition(f"session {i + 2} - session {i + 1} [kb/s]", steps[:, i], above=0, of=[a])
        for i in range(3)
    ]
    parts = [quotient(theirs[:, i], theirs.mean(axis=1)) for i in range(4)]
    equal = [
        SAME.condition(f"NewReno session {i + 1} / mean", part, of=[b])
        for i, part in enumerate(parts)
    ]
    return ordered + equal


def aggregate_held(data: Measurements, scheme: str) -> Sequence[Condition]:
    """Conditions that in Figures 6 and 7 the total of all sessions is kept, and falls with NewReno."""
    a, b = ("table5", scheme), ("table5", NEWRENO)
    ours, theirs = (_kept_together(data[key], AFTER) for key in (a, b))
    return [
        _is_kept("ARF-aware aggregate after / before", ours, a),
        SAME.falls("NewReno aggregate after / before", theirs, of=[b]),
    ]


def quick_recovery(data: Measurements, scheme: str) -> Sequence[Condition]:
    """Conditions that in Figures 8 and 9 the slow session recovers, and the fast one keeps its throughput.

    With NewReno the fast session falls during the anomaly, and the total recovers afterwards.
    """
    a, b = ("recovery", scheme), ("recovery", NEWRENO)
    ours, theirs = data[a], data[b]
    fallen = _kept(theirs, FAST, DURING)
    return [
        _is_kept("session 1 recovered / before", _kept(ours, SLOW, RECOVERED), a),
        _is_kept("session 2 in the anomaly / before", _kept(ours, FAST, DURING), a),
        SAME.falls("NewReno session 2 in the anomaly / before", fallen, of=[b]),
        _is_kept("NewReno aggregate recovered / before", _kept_together(theirs, RECOVERED), b),
    ]


def _claim(
    id_: str,
    setups: tuple[str, ...],
    points: Callable[[Measurements, str], Iterable[Condition]],
    remark: Callable[[Measurements], str] | None = None,
) -> Predicate[Measurements]:
    """Claim on the scheme, decided under each reading of the scheme."""

    def reading(scheme: str) -> Reading[Measurements]:
        return Reading(CAPS[scheme], setups, lambda data: points(data, scheme))

    return AS_READ.predicate(id_, reading, remark=remark)


PREDICATES: tuple[Predicate[Measurements], ...] = (
    _claim("fairness-above-0.9", ("table1", "table3", "table4", "table5"), fairness_above),
    Predicate("anomaly-equalises", Reading(AS_IN_NS2, ("table1",), anomaly_equalises)),
    _claim("fast-session-kept", ("table1",), fast_session_kept, fast_session_remark),
    _claim("aggregate-gain-2", ("table1",), partial(gain, "table1", 0.2)),
    _claim("aggregate-gain-5", ("table4",), partial(gain, "table4", 0.3)),
    _claim("no-harm-when-fair", ("table3",), no_harm_when_fair),
    _claim("multi-rate-order", ("table5",), multi_rate_order),
    _claim("aggregate-held", ("table5",), aggregate_held),
    _claim("quick-recovery", ("recovery",), quick_recovery),
)
