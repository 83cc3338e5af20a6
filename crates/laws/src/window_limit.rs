//! Limits on the window of a TCP sender, and the window that corresponds to a rate.
//!
//! Source: [occupancy-tfrc §III-D] does not say how TCP follows its rate; [D-113] uses the window θ·RTT, two
//! segments at least. The limits are settings without state, so there is no `step`.

use airfair_units::{Bytes, DataRate, Duration};

/// Smallest window of a connection that a control law limits [segments]. With fewer, delayed ACKs wait for
/// their timer.
pub const FLOOR: u64 = 2;

/// Limit that a control law sets on the window of a TCP sender, in addition to cwnd and the receiver's
/// window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowLimit {
    /// No limit on the window besides cwnd and the receiver's window.
    #[default]
    None,
    /// Limit on the window: at most this many segments in flight.
    Segments(u32),
    /// Limit on the window: at most this many octets in flight, rounded down to whole segments, but at least
    /// one segment.
    Octets(Bytes),
    /// Limit on the window: at most ⌊cwnd / divisor⌋ in flight, but at least one segment.
    DividedBy(u32),
}

/// Window that yields `rate` over a round trip: `rate` · `round_trip` rounded down, but at least two segments
/// of size `largest`. [occupancy-tfrc §III-D]  Deviates: [D-113]
#[must_use]
pub fn for_rate(rate: DataRate, round_trip: Duration, largest: Bytes) -> Bytes {
    sent_in(round_trip, rate).max(largest * FLOOR)
}

fn sent_in(time: Duration, rate: DataRate) -> Bytes {
    let bits = u128::from(rate.bps()) * u128::from(time.as_nanos()) / 1_000_000_000;
    Bytes::new(u64::try_from(bits / 8).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window for a rate is the rate multiplied by the round trip: 1 Mb/s for 100 ms are 12 500 octets.
    /// Extreme values do not overflow.
    ///
    /// Verifies: [occupancy-tfrc §III-D]
    #[test]
    fn a_window_is_a_rate_times_a_round_trip() {
        let window = |ms, mbps| {
            let (time, rate) = (Duration::from_millis(ms), DataRate::from_mbps(mbps));
            for_rate(rate, time, Bytes::new(1)).get()
        };
        assert_eq!([window(100, 1), window(0, 54)], [12_500, 2]);
        assert_eq!(window(u64::MAX / 1_000_000, u64::MAX / 1_000_000), u64::MAX);
    }

    /// The window for a rate is at least two segments: 10 ms at 1 Mb/s are 1250 octets, less than two
    /// segments of 1460.
    #[test]
    fn a_window_has_two_segments_at_least() {
        let (rate, time) = (DataRate::from_mbps(1), Duration::from_millis(10));
        assert_eq!(for_rate(rate, time, Bytes::new(1_460)), Bytes::new(2_920));
    }
}
