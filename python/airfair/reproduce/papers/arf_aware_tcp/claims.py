"""The claims of the paper `arf-aware-tcp`.

What its words mean is in `words`; beside it:

- `FAIR`: the bar of 0.9 is the paper's own.
- `SETTLE_S`: levels are read from 5 s after a start or a change of rate, several time-outs, up to the
  next change; "quickly" means within that time.

A throughput is *kept* if it is about what it was, and has *dropped* below that. Differences between schemes
are taken per replication: both see the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airfair.estimate import Floats, estimate, ratio_of_means
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, condition
from airfair.experiment.words import GAIN, INDEX, SAME

from .runs import Measurements, Runs

AS_IN_NS2 = "the paper's network, relayed, as in ns-2"
FAIR = 0.9
SETTLE_S = 5.0

START_S, CHANGE_S, RETURN_S, END_S = 1.0, 20.0, 70.0, 100.0
BEFORE = (START_S + SETTLE_S, CHANGE_S)
AFTER = (CHANGE_S + SETTLE_S, END_S)
DURING = (CHANGE_S + SETTLE_S, RETURN_S)
RECOVERED = (RETURN_S + SETTLE_S, END_S)

SLOW, FAST = 0, 1
"""Flows of the scenarios with two sessions."""

Interval = tuple[float, float]


def _level(runs: Runs, interval: Interval) -> Floats:
    """Throughput of each flow in the interval [kb/s], (replication, flow)."""
    return runs.throughput_between(*interval)


def _kept(runs: Runs, flow: int, interval: Interval, since: Interval = BEFORE) -> Floats:
    """A flow's throughput in the interval, relative to an earlier one, (replication)."""
    return _level(runs, interval)[:, flow] / _level(runs, since)[:, flow]


def _kept_together(runs: Runs, interval: Interval) -> Floats:
    """The same for all flows together."""
    kept: Floats = _level(runs, interval).sum(axis=1) / _level(runs, BEFORE).sum(axis=1)
    return kept


def _is_kept(what: str, relative: Floats) -> Condition:
    return SAME.condition(what, relative, side="least")


def fairness_above(data: Measurements) -> Sequence[Condition]:
    """Tables 1, 3, 4 and 5, over the printed sessions."""
    printed = {"table1": None, "table3": None, "table4": None, "table5": 4}
    return [
        condition(f"index in {table}", data[table, "arf_aware"].fairness(sessions), above=FAIR)
        for table, sessions in printed.items()
    ]


def anomaly_equalises(data: Measurements) -> Sequence[Condition]:
    """NewReno after the change: equal, and the fast session far below its earlier throughput."""
    runs = data["table1", "newreno"]
    after = _level(runs, AFTER)
    return [
        SAME.condition(
            "session 1 / session 2 after the change",
            ratio_of_means(after[:, SLOW], after[:, FAST]),
        ),
        SAME.falls("session 2 after / before", _kept(runs, FAST, AFTER)),
    ]


def fast_session_kept(data: Measurements) -> Sequence[Condition]:
    """The fast session of Table 1 under ARF-aware TCP."""
    runs = data["table1", "arf_aware"]
    return [_is_kept("session 2 after / before", _kept(runs, FAST, AFTER))]


def fast_session_remark(data: Measurements) -> str:
    """The same under NewReno."""
    runs = data["table1", "newreno"]
    return f"with NewReno {estimate(_kept(runs, FAST, AFTER))}"


def _gain(data: Measurements, table: str, gain: float) -> Sequence[Condition]:
    ours, theirs = (data[table, scheme].aggregate_kbps() for scheme in ("arf_aware", "newreno"))
    more = ratio_of_means(ours - theirs, theirs)
    return [GAIN.condition("aggregate, ARF-aware more than NewReno", more, gain)]


def no_harm_when_fair(data: Measurements) -> Sequence[Condition]:
    """Table 3: aggregate and index of both schemes."""
    ours, theirs = data["table3", "arf_aware"], data["table3", "newreno"]
    return [
        SAME.condition(
            "aggregate, ARF-aware / NewReno",
            ratio_of_means(ours.aggregate_kbps(), theirs.aggregate_kbps()),
            side="least",
        ),
        INDEX.condition(
            "index, ARF-aware - NewReno", ours.fairness() - theirs.fairness(), 0.0, side="least"
        ),
    ]


def multi_rate_order(data: Measurements) -> Sequence[Condition]:
    """Table 5: neighbours in the order of their rates; NewReno's printed sessions near their mean."""
    ours = data["table5", "arf_aware"].throughput_kbps
    theirs = data["table5", "newreno"].throughput_kbps[:, :4]
    relative = theirs / theirs.mean(axis=1, keepdims=True)
    ordered = [
        condition(f"session {i + 2} - session {i + 1} [kb/s]", ours[:, i + 1] - ours[:, i], above=0)
        for i in range(3)
    ]
    equal = [SAME.condition(f"NewReno session {i + 1} / mean", relative[:, i]) for i in range(4)]
    return ordered + equal


def aggregate_held(data: Measurements) -> Sequence[Condition]:
    """Figures 6 and 7: all five sessions together, after against before."""
    ours = _kept_together(data["table5", "arf_aware"], AFTER)
    theirs = _kept_together(data["table5", "newreno"], AFTER)
    return [
        _is_kept("ARF-aware aggregate after / before", ours),
        SAME.falls("NewReno aggregate after / before", theirs),
    ]


def quick_recovery(data: Measurements) -> Sequence[Condition]:
    """Figures 8 and 9."""
    ours, theirs = data["recovery", "arf_aware"], data["recovery", "newreno"]
    back = _kept_together(theirs, RECOVERED)
    return [
        _is_kept("session 1 recovered / before", _kept(ours, SLOW, RECOVERED)),
        _is_kept("session 2 in the anomaly / before", _kept(ours, FAST, DURING)),
        SAME.falls("NewReno session 2 in the anomaly / before", _kept(theirs, FAST, DURING)),
        _is_kept("NewReno aggregate recovered / before", back),
    ]


def _claim(
    id_: str,
    setups: tuple[str, ...],
    points: Callable[[Measurements], Sequence[Condition]],
    remark: Callable[[Measurements], str] | None = None,
) -> Predicate[Measurements]:
    return Predicate(id_, Reading(AS_IN_NS2, setups, points), remark=remark)


PREDICATES: tuple[Predicate[Measurements], ...] = (
    _claim("fairness-above-0.9", ("table1", "table3", "table4", "table5"), fairness_above),
    _claim("anomaly-equalises", ("table1",), anomaly_equalises),
    _claim("fast-session-kept", ("table1",), fast_session_kept, fast_session_remark),
    _claim("aggregate-gain-2", ("table1",), lambda data: _gain(data, "table1", 0.2)),
    _claim("aggregate-gain-5", ("table4",), lambda data: _gain(data, "table4", 0.3)),
    _claim("no-harm-when-fair", ("table3",), no_harm_when_fair),
    _claim("multi-rate-order", ("table5",), multi_rate_order),
    _claim("aggregate-held", ("table5",), aggregate_held),
    _claim("quick-recovery", ("recovery",), quick_recovery),
)
