"""The claims of the paper `arf-aware-tcp`.

Bounds, each used wherever the paper's word stands:

- `ABOUT`: "about" and "nearly" mean within a tenth. "About 20 % higher" is a ratio from 1.1 to 1.3,
  "about the same" one from 0.9 to 1.1, and a throughput is *kept* above nine tenths of its earlier value
  and has *dropped* below that.
- `FAIR`: the bar of 0.9 is the paper's own.
- `SAME_INDEX`: two indices above that bar count as equal within 0.05, half of what is left up to 1.
- `SETTLE_S`: levels are read from 5 s after a start or a change of rate, several time-outs, up to the
  next change; "quickly" means within that time.

Differences between schemes are taken per replication: both see the same seed.
"""

from __future__ import annotations

from collections.abc import Sequence

from airfair.reproduce.claims import Condition, Predicate, condition
from airfair.reproduce.estimate import Floats, estimate

from .runs import Measurements, Runs

ABOUT = 0.10
FAIR = 0.9
SAME_INDEX = 0.05
SETTLE_S = 5.0

BOUNDS = (
    f"“About” means within {ABOUT:.0%}: of the earlier value for what is kept or drops, of NewReno's for "
    f"a gain. Levels are read from {SETTLE_S:g} s after a start or a change of rate, up to the next change."
)
"""The bounds in words, for readers of a report."""

START_S, CHANGE_S, RETURN_S, END_S = 1.0, 20.0, 70.0, 100.0
BEFORE = (START_S + SETTLE_S, CHANGE_S)
AFTER = (CHANGE_S + SETTLE_S, END_S)
DURING = (CHANGE_S + SETTLE_S, RETURN_S)
RECOVERED = (RETURN_S + SETTLE_S, END_S)

KEPT = 1 - ABOUT
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
        condition(
            "session 1 / session 2 after the change",
            after[:, SLOW] / after[:, FAST],
            above=1 - ABOUT,
            below=1 + ABOUT,
        ),
        condition("session 2 after / before", _kept(runs, FAST, AFTER), below=KEPT),
    ]


def fast_session_kept(data: Measurements) -> Sequence[Condition]:
    """The fast session of Table 1 under ARF-aware TCP."""
    runs = data["table1", "arf_aware"]
    return [condition("session 2 after / before", _kept(runs, FAST, AFTER), above=KEPT)]


def fast_session_remark(data: Measurements) -> str:
    """The same under NewReno."""
    runs = data["table1", "newreno"]
    return f"with NewReno {estimate(_kept(runs, FAST, AFTER))}"


def _gain(data: Measurements, table: str, gain: float) -> Sequence[Condition]:
    ratio = data[table, "arf_aware"].aggregate_kbps() / data[table, "newreno"].aggregate_kbps()
    return [
        condition(
            "aggregate, ARF-aware / NewReno", ratio, above=1 + gain - ABOUT, below=1 + gain + ABOUT
        )
    ]


def no_harm_when_fair(data: Measurements) -> Sequence[Condition]:
    """Table 3: aggregate and index of both schemes."""
    ours, theirs = data["table3", "arf_aware"], data["table3", "newreno"]
    return [
        condition(
            "aggregate, ARF-aware / NewReno",
            ours.aggregate_kbps() / theirs.aggregate_kbps(),
            above=KEPT,
        ),
        condition(
            "index, ARF-aware - NewReno", ours.fairness() - theirs.fairness(), above=-SAME_INDEX
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
    equal = [
        condition(
            f"NewReno session {i + 1} / mean", relative[:, i], above=1 - ABOUT, below=1 + ABOUT
        )
        for i in range(4)
    ]
    return ordered + equal


def aggregate_held(data: Measurements) -> Sequence[Condition]:
    """Figures 6 and 7: all five sessions together, after against before."""
    ours = _kept_together(data["table5", "arf_aware"], AFTER)
    theirs = _kept_together(data["table5", "newreno"], AFTER)
    return [
        condition("ARF-aware aggregate after / before", ours, above=KEPT),
        condition("NewReno aggregate after / before", theirs, below=KEPT),
    ]


def quick_recovery(data: Measurements) -> Sequence[Condition]:
    """Figures 8 and 9."""
    ours, theirs = data["recovery", "arf_aware"], data["recovery", "newreno"]
    back = _kept_together(theirs, RECOVERED)
    return [
        condition("session 1 recovered / before", _kept(ours, SLOW, RECOVERED), above=KEPT),
        condition("session 2 in the anomaly / before", _kept(ours, FAST, DURING), above=KEPT),
        condition(
            "NewReno session 2 in the anomaly / before", _kept(theirs, FAST, DURING), below=KEPT
        ),
        condition("NewReno aggregate recovered / before", back, above=KEPT),
    ]


PREDICATES: tuple[Predicate[Measurements], ...] = (
    Predicate("fairness-above-0.9", ("table1", "table3", "table4", "table5"), fairness_above),
    Predicate("anomaly-equalises", ("table1",), anomaly_equalises),
    Predicate("fast-session-kept", ("table1",), fast_session_kept, fast_session_remark),
    Predicate("aggregate-gain-2", ("table1",), lambda data: _gain(data, "table1", 0.2)),
    Predicate("aggregate-gain-5", ("table4",), lambda data: _gain(data, "table4", 0.3)),
    Predicate("no-harm-when-fair", ("table3",), no_harm_when_fair),
    Predicate("multi-rate-order", ("table5",), multi_rate_order),
    Predicate("aggregate-held", ("table5",), aggregate_held),
    Predicate("quick-recovery", ("recovery",), quick_recovery),
)
