"""Metrics of fairness between flows and of smoothness: those of [tfrc-friendliness §3] and two more.

The last axis of arrays is time, in steps of equal length, or flows. Intervals are given in steps. Throughputs
count octets delivered to the application, not octets sent as in the paper [D-044]. Undefined values are NaN.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def octets_within(octets: ArrayLike, window: int) -> Floats:
    """Octets in the interval of `window` steps that ends with each step: n_{f,δ}(t)·s.

    The first intervals begin before time 0, when nothing was sent.
    [tfrc-friendliness eq. 6]
    """
    if window < 1:
        raise ValueError(f"window {window}: allowed is a number of steps, 1 or more")
    steps = np.asarray(octets, dtype=np.float64)
    total = np.concatenate([np.zeros_like(steps[..., :1]), steps.cumsum(axis=-1)], axis=-1)
    ends = np.arange(1, steps.shape[-1] + 1)
    within: Floats = total[..., ends] - total[..., np.maximum(ends - window, 0)]
    return within


def packets_within(octets: ArrayLike, window: int, packet: int) -> Floats:
    """Packets of `packet` octets in the last `window` steps: n_{f,δ}(t).  [tfrc-friendliness eq. 6]"""
    return octets_within(octets, window) / packet


def throughput(octets: ArrayLike, window: int, step_s: float) -> Floats:
    """Throughput over the `window` steps up to each step [B/s]: B_{f,δ}(t) = n_{f,δ}(t)·s / δ.

    [tfrc-friendliness eq. 7]
    """
    return octets_within(octets, window) / (window * step_s)


def samples(octets: ArrayLike, window: int, step_s: float) -> Floats:
    """Throughputs in adjacent intervals [B/s]: B_{f,δ}(δ), B_{f,δ}(2δ), …; a last part is dropped."""
    return throughput(octets, window, step_s)[..., window - 1 :: window]


def average(octets: ArrayLike, step_s: float) -> Floats:
    """Throughput over all steps [B/s]: B_f = B_{f,T-t0}(T).  [tfrc-friendliness eq. 8]"""
    steps = np.asarray(octets, dtype=np.float64)
    mean: Floats = steps.sum(axis=-1) / (steps.shape[-1] * step_s)
    return mean


def of_protocol(averages: ArrayLike) -> Floats:
    """Mean over the flows of a protocol: B_P.  [tfrc-friendliness eq. 9]"""
    return np.asarray(np.mean(np.asarray(averages, dtype=np.float64), axis=-1))


def inter_protocol(own: ArrayLike, others: ArrayLike) -> Floats:
    """Inter-protocol fairness of a protocol with mean `own` beside flows with mean `others`.

    F_P = B_others / (B_others + B_P): 0.5 is ideal, above it the protocol is too timid, below it
    aggressive. The printed denominator leaves B_others out; the stated meaning needs it [D-045].
    NaN if all throughputs are zero.  [tfrc-friendliness eq. 10]
    """
    mine, theirs = np.asarray(own, dtype=np.float64), np.asarray(others, dtype=np.float64)
    return _ratio(theirs, mine + theirs)


def max_min(averages: ArrayLike) -> Floats:
    """Intra-protocol fairness over the last axis: least average throughput / largest, from 0 to 1.

    NaN if all throughputs are zero.  [tfrc-friendliness eq. 11]
    """
    flows = np.asarray(averages, dtype=np.float64)
    return _ratio(flows.min(axis=-1), flows.max(axis=-1))


def coefficient_of_variation(rates: ArrayLike) -> Floats:
    """Standard deviation / mean over the last axis: 0 is perfectly smooth. NaN if the mean is 0.

    The deviation is that of the samples themselves (divisor n).  [floyd-2000 §4.1.2]
    """
    values = np.asarray(rates, dtype=np.float64)
    return _ratio(values.std(axis=-1), values.mean(axis=-1))


def equivalence(first: ArrayLike, second: ArrayLike) -> Floats:
    """Equivalence e(t) = min(B_a/B_b, B_b/B_a) at each instant: 1 if equal, 0 if one of them is zero.

    NaN where both are zero.  [floyd-2000 §4.1.2]
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return _ratio(np.minimum(a, b), np.maximum(a, b))


def equivalence_ratio(first: ArrayLike, second: ArrayLike) -> Floats:
    """Mean of e(t) over the instants at which either throughput is above zero; NaN without such instants.

    [floyd-2000 §4.1.2]
    """
    at_each = equivalence(first, second)
    defined = ~np.isnan(at_each)
    return _ratio(np.where(defined, at_each, 0.0).sum(axis=-1), defined.sum(axis=-1))


def timeout_share(timeouts: ArrayLike, fast_retransmits: ArrayLike) -> Floats:
    """Part of the loss recoveries that began with a time-out; NaN if there were none."""
    slow, fast = np.asarray(timeouts, dtype=np.float64), np.asarray(fast_retransmits)
    return _ratio(slow, slow + fast)


def _ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Quotient part / whole, NaN where whole is 0."""
    parts, wholes = np.broadcast_arrays(
        np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    )
    result = np.full(parts.shape, np.nan)
    np.divide(parts, wholes, out=result, where=wholes != 0)
    return result
