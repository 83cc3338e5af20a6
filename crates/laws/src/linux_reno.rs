//! Reno as Linux computes it, in whole segments.
//!
//! Source: [linux-tcp-cong]: `tcp_slow_start`, `tcp_cong_avoid_ai`, `tcp_reno_ssthresh`. It is the law of
//! [RFC5681 §3] with three differences. The threshold is a fraction of cwnd and not of the flight, rounded
//! down to whole segments. Slow start adds all that an ACK acknowledges, and not a segment at most. A
//! time-out during loss recovery leaves the threshold unchanged. With a window of a few segments, the
//! rounding alone costs a tenth of the window.

use airfair_units::Bytes;

use crate::newreno::{self, Event, Target};
use crate::window::{Observation, WindowState};

/// Smallest slow start threshold that a loss leaves [segments].
const LEAST: u64 = 2;

/// Returns the window of Linux's Reno after one event.  [linux-tcp-cong]
#[must_use]
pub fn step(params: &newreno::Params, seen: &Observation) -> WindowState {
    let window = seen.window;
    match seen.seen.event {
        Event::NewAck { is_cwnd_limited: true } => {
            let (window, left) = slow_start(params.segment, window, arrived(params.segment, seen));
            let every = in_segments(params.segment, window.cwnd);
            if left == 0 { window } else { avoid(params.segment, window, every, left) }
        }
        Event::ThirdDuplicate | Event::SackLoss | Event::Timeout { is_repeated: false, .. } => {
            let ssthresh = in_segments(params.segment, window.cwnd) / 2;
            shrink(params.segment, seen, ssthresh)
        }
        _ => newreno::step(params, window, &seen.seen),
    }
}

/// Number of whole segments in `window`, rounded down.
pub(crate) fn in_segments(segment: Bytes, window: Bytes) -> u64 {
    window.get() / segment.get()
}

/// Segments that an event acknowledges; a short segment counts as a whole one.
pub(crate) fn arrived(segment: Bytes, seen: &Observation) -> u64 {
    seen.seen.acked.get().div_ceil(segment.get())
}

/// Slow start up to the threshold. Returns the window and the acknowledged segments that exceed slow start.
/// `tcp_slow_start` [linux-tcp-cong]
pub(crate) fn slow_start(segment: Bytes, window: WindowState, arrived: u64) -> (WindowState, u64) {
    if window.cwnd >= window.ssthresh {
        return (window, arrived);
    }
    let room = (window.ssthresh - window.cwnd).get().div_ceil(segment.get());
    let gain = arrived.min(room);
    (WindowState { cwnd: window.cwnd + segment * gain, ..window }, arrived - gain)
}

/// Congestion avoidance: adds one segment to the window for every `every` segments acknowledged, and keeps
/// the rest as credit. Credit that is `every` or more at the start, because it was earned under a larger
/// `every`, adds one segment only and is then zero. `tcp_cong_avoid_ai` [linux-tcp-cong]
pub(crate) fn avoid(segment: Bytes, window: WindowState, every: u64, arrived: u64) -> WindowState {
    let every = every.max(1);
    let (paid, credit) = if window.credit >= every { (1, 0) } else { (0, window.credit) };
    let credit = credit + arrived;
    let gain = paid + credit / every;
    WindowState { cwnd: window.cwnd + segment * gain, credit: credit % every, ..window }
}

/// Window after a loss, for a threshold of `ssthresh` segments.  `tcp_enter_loss` [linux-tcp-cong]
pub(crate) fn shrink(segment: Bytes, seen: &Observation, ssthresh: u64) -> WindowState {
    let ssthresh = match seen.seen.event {
        Event::Timeout { is_in_recovery: true, .. } => seen.window.ssthresh,
        _ => segment * ssthresh.max(LEAST),
    };
    newreno::shrink(segment, seen.seen.event, Target { ssthresh, cwnd: ssthresh })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{PARAMS, SEGMENT};
    use crate::window::Path;
    use airfair_units::Time;

    fn after(event: Event, cwnd: u64, ssthresh: u64, credit: u64, acked: u64) -> (u64, u64, u64) {
        let window = WindowState { cwnd: SEGMENT * cwnd, ssthresh: SEGMENT * ssthresh, credit };
        let path = Path {
            now: Time::ZERO,
            round_trip: None,
            smoothed_round_trip: None,
            unacknowledged: 1,
            next: 1,
        };
        let seen = newreno::Observation { event, acked: Bytes::new(acked), flight: Bytes::ZERO };
        let next = step(&PARAMS, &Observation { window, seen, path });
        (next.cwnd.get() / 1_000, next.ssthresh.get() / 1_000, next.credit)
    }

    /// In slow start the window grows by all acknowledged segments, up to the threshold; the others become
    /// credit.
    ///
    /// Verifies: [linux-tcp-cong]
    #[test]
    fn slow_start_takes_all_of_an_ack_and_stops_at_the_threshold() {
        let ack = Event::NewAck { is_cwnd_limited: true };
        assert_eq!(after(ack, 4, 64, 0, 2_000), (6, 64, 0));
        // A short segment counts as one.
        assert_eq!(after(ack, 4, 64, 0, 300), (5, 64, 0));
        // From 9 to 10; the two other segments become credit of congestion avoidance.
        assert_eq!(after(ack, 9, 10, 0, 3_000), (10, 10, 2));
        assert_eq!(after(Event::NewAck { is_cwnd_limited: false }, 4, 64, 0, 2_000), (4, 64, 0));
    }

    /// In congestion avoidance the window grows by one segment for each window of acknowledged segments.
    ///
    /// Verifies: [linux-tcp-cong]
    #[test]
    fn avoidance_adds_a_segment_for_a_window_of_them() {
        let ack = Event::NewAck { is_cwnd_limited: true };
        assert_eq!(after(ack, 4, 4, 1, 2_000), (4, 4, 3));
        assert_eq!(after(ack, 4, 4, 3, 2_000), (5, 4, 1));
        // Credit from a larger window adds one segment and is gone: 7 ≥ 4 → +1, then 2 of 4.
        assert_eq!(after(ack, 4, 4, 7, 2_000), (5, 4, 2));
    }

    /// A loss sets the threshold to half of cwnd in whole segments, two at least.
    ///
    /// Verifies: [linux-tcp-cong]
    #[test]
    fn a_loss_leaves_half_rounded_down() {
        let timeout = |is_in_recovery| Event::Timeout { is_repeated: false, is_in_recovery };
        assert_eq!(after(Event::SackLoss, 7, 64, 3, 0), (3, 3, 0));
        assert_eq!(after(Event::SackLoss, 3, 64, 0, 0), (2, 2, 0));
        assert_eq!(after(timeout(false), 9, 64, 0, 0), (1, 4, 0));
        // A time-out during loss recovery leaves the threshold unchanged.
        assert_eq!(after(timeout(true), 9, 5, 0, 0), (1, 5, 0));
    }
}
