//! Results as floating-point numbers, in the units of the columns.

use airfair_units::{Bytes, DataRate, Duration};

/// `some` as a fraction of `of`; `None` if `of` is zero.
pub(super) fn ratio(some: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| as_f64(some) / as_f64(of))
}

/// `part` as a fraction of `whole`.
pub(super) fn share(part: Duration, whole: Duration) -> f64 {
    as_f64(part.as_nanos()) / as_f64(whole.as_nanos())
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Rate of delivered octets over `time` [bit/s].
pub(super) fn per_second(delivered: Bytes, time: Duration) -> f64 {
    as_f64(delivered.bits()) / time.as_secs_f64()
}

pub(super) fn bits_per_second(rate: Option<DataRate>) -> Option<f64> {
    rate.map(|rate| as_f64(rate.bps()))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "results are floating point; counts stay below 2^53"
)]
pub(super) fn as_f64(count: u64) -> f64 {
    count as f64
}
