//! Prague: a scalable window law for L4S, with less dependence on the round trip than DCTCP.  [draft-prague §2]
//!
//! The share of marked octets is estimated as by [`dctcp`], and a mark reduces the window by half of the
//! estimate. Flows with short round trips behave as if theirs were a virtual round trip of 25 ms: the estimate moves, and
//! the window is reduced, at most once per virtual round trip, and the window grows by one segment in a virtual round trip
//! as it would at that rate. Octets that were marked let the window not grow. Slow start and losses are NewReno's.

use airfair_units::{Bytes, Duration, Time};

use crate::dctcp;
use crate::window::WindowState;

/// Smallest virtual round trip.  [draft-prague §2]
pub const VIRTUAL_ROUND_TRIP: Duration = Duration::from_millis(25);

/// Bits of the fraction of an octet in [`WindowState::credit`].
const FRACTION: u32 = 16;

/// State of Prague beside the congestion window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Estimate of the share of marked octets.
    pub share: dctcp::State,
    /// Earliest time of the next change of the estimate.
    next_update: Time,
    /// Earliest time of the next reduction.
    next_reduction: Time,
}

/// Time in which a flow with this smoothed round trip acts once.  [draft-prague §2]
#[must_use]
pub fn virtual_round_trip(smoothed: Option<Duration>) -> Duration {
    smoothed.unwrap_or(VIRTUAL_ROUND_TRIP).max(VIRTUAL_ROUND_TRIP)
}

/// Returns the state after an ACK at `now`.  [draft-prague §2]
#[must_use]
pub fn step(state: State, now: Time, smoothed: Option<Duration>, ack: dctcp::Ack) -> State {
    if now < state.next_update {
        // The octets count, but their window does not end yet.
        let share = dctcp::step(state.share, dctcp::Ack { unacknowledged: 0, ..ack });
        return State { share, ..state };
    }
    let (before, share) = (state.share, dctcp::step(state.share, ack));
    let has_ended = share.window_end() != before.window_end();
    let next = now + virtual_round_trip(smoothed);
    State { share, next_update: if has_ended { next } else { state.next_update }, ..state }
}

/// Returns the state and the window after an echo of marks at `now`; `None` if the last reduction is less than a virtual
/// round trip ago.  [draft-prague §2]
#[must_use]
pub fn reduce(
    state: State,
    now: Time,
    smoothed: Option<Duration>,
    cwnd: Bytes,
    segment: Bytes,
) -> Option<(State, Bytes)> {
    if now < state.next_reduction {
        return None;
    }
    let next_reduction = now + virtual_round_trip(smoothed);
    let cwnd = dctcp::reduced(cwnd, state.share.alpha, segment);
    Some((State { next_reduction, ..state }, cwnd))
}

/// Window of congestion avoidance after an ACK for `acked` octets without marks: `acked` · SMSS / cwnd octets more, times
/// the square of the round trip over 25 ms if it is shorter than that.  [draft-prague §2]
#[must_use]
pub fn grow(
    window: WindowState,
    acked: Bytes,
    segment: Bytes,
    smoothed: Option<Duration>,
) -> WindowState {
    let nanos = |time: Duration| u128::from(time.as_nanos());
    let (full, own) = (nanos(VIRTUAL_ROUND_TRIP), nanos(smoothed.unwrap_or(VIRTUAL_ROUND_TRIP)));
    let own = own.min(full);
    let product = (u128::from(acked.get()) * u128::from(segment.get())) << FRACTION;
    let more = product / u128::from(window.cwnd.get().max(1)) * own / full * own / full;
    let credit = window.credit.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
    let cwnd = window.cwnd + Bytes::new(credit >> FRACTION);
    WindowState { cwnd, credit: credit & ((1 << FRACTION) - 1), ..window }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: Bytes = Bytes::new(1_000);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A window of 10 segments that is acknowledged once grows by one segment at a round trip of 25 ms or more. At 5 ms
    /// it grows by 1/25 of it, and five round trips of 5 ms make a fifth of a segment, in 25 ms: at that fifth of the
    /// window that such a flow needs for the same rate, this is the same growth of the rate.
    ///
    /// Verifies: [draft-prague §2]
    #[test]
    fn the_window_grows_as_at_a_round_trip_of_25_ms() {
        let start =
            WindowState { cwnd: Bytes::new(10_000), ssthresh: Bytes::new(10_000), credit: 0 };
        let grown = |smoothed| {
            // All octets of a window in one ACK, so that the window in the divisor does not move.
            let window = grow(start, Bytes::new(10_000), SEGMENT, Some(smoothed));
            window.cwnd.get() - 10_000
        };
        assert_eq!([grown(ms(100)), grown(ms(25)), grown(ms(5))], [1_000, 1_000, 40]);
        // Fractions of octets are kept: 100 ACKs of 100 octets at 5 ms are 40 octets, less the growth of the divisor.
        let window =
            (0..100).fold(start, |window, _| grow(window, Bytes::new(100), SEGMENT, Some(ms(5))));
        assert_eq!(window.cwnd.get(), 10_039);
    }

    /// At a round trip of 5 ms the window is reduced once in 25 ms, at 40 ms once in 40 ms.
    ///
    /// Verifies: [draft-prague §2]
    #[test]
    fn the_window_is_reduced_once_per_virtual_round_trip() {
        let at = |time: u64| Time::ZERO + ms(time);
        for (smoothed, wait) in [(5, 25), (40, 40)] {
            let cwnd = Bytes::new(40_000);
            let again = |state, time| reduce(state, at(time), Some(ms(smoothed)), cwnd, SEGMENT);
            let (state, window) = again(State::default(), 100).expect("the first");
            // The estimate starts at one.
            assert_eq!(window, Bytes::new(20_000));
            assert_eq!(again(state, 100 + wait - 1), None);
            assert!(again(state, 100 + wait).is_some());
        }
    }

    /// The estimate moves once in 25 ms, by a sixteenth of the way to the share of all octets of that time.
    ///
    /// Verifies: [draft-prague §2]
    #[test]
    fn the_estimate_moves_once_per_virtual_round_trip() {
        let ack = |number: u64| dctcp::Ack {
            acked: SEGMENT,
            marked: Bytes::ZERO,
            unacknowledged: 1_000 * number,
            next: 1_000 * number,
        };
        let at = |number: u64| Time::ZERO + ms(5 * number);
        let end = (1..=11).fold(State::default(), |state, number| {
            step(state, at(number), Some(ms(5)), ack(number))
        });
        // It moves at 5, 30 and 55 ms.
        let expected = dctcp::ONE / 4_096 * 15 * 15 * 15;
        assert_eq!(end.share.alpha, expected);
    }
}
