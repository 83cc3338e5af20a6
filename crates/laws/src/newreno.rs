//! NewReno: growth of the congestion window, and its reduction after a loss.
//!
//! Sources: slow start, congestion avoidance and the loss rules [RFC5681 §3]; partial ACKs in fast recovery
//! [RFC6582 §3.2]; growth by octets instead of by ACKs [RFC3465 §2]. The sender determines *which* event
//! happened: it counts duplicates and keeps `recover`. This law computes the effect of the event on the
//! window, in integers, so the result is the same on every platform.
//!
//! ```text
//!                 cwnd ≥ ssthresh                    third duplicate ACK
//!   slow start ─────────────────► avoidance ──┬───────────────────────► fast recovery ─┐ duplicate: +1
//!       ▲                             ▲       │                           │    ▲       │ partial: −acked
//!       └───────── time-out ──────────┼───────┴──── full ACK ◄────────────┘    └───────┘
//!         (from anywhere)             └──────────────────┘
//! ```
//!
//! With selective acknowledgments [RFC6675 §5] the sender estimates the octets in the network, and the window
//! is not inflated: it falls to ssthresh at the loss and stays there until recovery ends.
//!
//! Reno [RFC5681 §3.2] uses the same law; its sender never reports a partial ACK. The other laws
//! ([`westwood`](crate::westwood), [`cubic`](crate::cubic) …) call this one for everything that they do not
//! change.

use airfair_units::Bytes;

/// Number of duplicate ACKs that indicate a loss.  [RFC5681 §3.2]
pub const DUPLICATE_THRESHOLD: u32 = 3;

/// Rule for the window at the end of fast recovery.  [RFC6582 §3.2 step 3, full acknowledgments]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deflation {
    /// The window becomes min(ssthresh, max(flight, SMSS) + SMSS), which avoids a burst.
    #[default]
    ToFlight,
    /// The window becomes ssthresh, as in ns-2. The sender may then send half a window at once.
    ToThreshold,
}

/// Options of NewReno that the RFCs leave to the implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Sender's maximum segment size SMSS, greater than zero.
    pub segment: Bytes,
    /// True for growth by octets acknowledged, with L = 1 SMSS [RFC3465 §2]; false for growth by ACKs
    /// received.
    pub byte_counting: bool,
    /// Rule for the window at the end of fast recovery.
    pub deflation: Deflation,
}

/// State of NewReno: congestion window and slow start threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Congestion window of the sender, at least one segment [octets].
    pub cwnd: Bytes,
    /// Slow start threshold: slow start below, congestion avoidance from here on [octets].
    pub ssthresh: Bytes,
    /// Growth in congestion avoidance that is not in `cwnd` yet: octets acknowledged with byte counting,
    /// otherwise the remainder of SMSS² per ACK.
    pub credit: u64,
}

/// An event at a TCP sender, as a window law sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An ACK for new data outside fast recovery.
    NewAck {
        /// True if the congestion window limits the sender. Otherwise it must not grow.
        is_cwnd_limited: bool,
    },
    /// A duplicate ACK outside fast recovery, before the third.
    Duplicate,
    /// The duplicate ACK that triggers fast retransmit.
    ThirdDuplicate,
    /// A duplicate ACK in fast recovery, which means that a segment has left the network.
    FurtherDuplicate,
    /// An ACK in fast recovery for a part of what was outstanding when the loss was detected.
    PartialAck,
    /// An ACK in fast recovery for all that was outstanding when the loss was detected.
    FullAck,
    /// A loss that SACK information shows. The sender estimates the octets in the network from now on, so the
    /// window is not inflated.  [RFC6675 §5 step 4]
    SackLoss,
    /// A duplicate or partial ACK in a recovery with SACK.
    SackProgress,
    /// An ACK for all that was outstanding when a recovery with SACK began.
    SackRecovered,
    /// The retransmission timer expired.
    Timeout {
        /// True if the same segment has timed out before.
        is_repeated: bool,
        /// True if data sent before the last loss was detected is still outstanding.
        is_in_recovery: bool,
    },
}

/// Observation of a TCP sender at an event, as NewReno needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Kind of the event at the sender.
    pub event: Event,
    /// New data acknowledged by this event [octets].
    pub acked: Bytes,
    /// Data sent and not acknowledged after this event, without the data of limited transmit [octets].
    pub flight: Bytes,
}

/// Returns the window of NewReno after one event.  [RFC5681 §3], [RFC6582 §3.2]
#[inline]
#[must_use]
pub fn step(params: &Params, state: State, seen: &Observation) -> State {
    let segment = params.segment;
    match seen.event {
        Event::NewAck { is_cwnd_limited: false } | Event::Duplicate | Event::SackProgress => state,
        Event::NewAck { is_cwnd_limited: true } => grow(params, state, seen.acked),
        Event::ThirdDuplicate | Event::SackLoss | Event::Timeout { is_repeated: false, .. } => {
            let ssthresh = threshold(seen.event, half(seen.flight, segment), state.ssthresh);
            shrink(segment, seen.event, Target { ssthresh, cwnd: ssthresh })
        }
        Event::FurtherDuplicate => State { cwnd: state.cwnd + segment, ..state },
        Event::PartialAck => {
            let deflated = state.cwnd.saturating_sub(seen.acked);
            let returned = if seen.acked >= segment { segment } else { Bytes::ZERO };
            State { cwnd: (deflated + returned).max(segment), ..state }
        }
        Event::FullAck => {
            let cwnd = match params.deflation {
                Deflation::ToFlight => state.ssthresh.min(seen.flight.max(segment) + segment),
                Deflation::ToThreshold => state.ssthresh,
            };
            State { cwnd, credit: 0, ..state }
        }
        Event::SackRecovered => State { cwnd: state.cwnd.min(state.ssthresh), credit: 0, ..state },
        // A repeated time-out of the same segment is no new information about the path.
        Event::Timeout { is_repeated: true, .. } => State { cwnd: segment, credit: 0, ..state },
    }
}

/// Window and threshold that a law sets after a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) ssthresh: Bytes,
    /// Congestion window that the law sets for the recovery [octets].
    pub(crate) cwnd: Bytes,
}

/// Returns window and threshold after the loss `event`, for the `target` of a law.  [RFC5681 §3.1 and §3.2],
/// [RFC6675 §5 step 4.2]
#[inline]
pub(crate) fn shrink(segment: Bytes, event: Event, target: Target) -> State {
    let cwnd = match event {
        // Three segments have left the network and are in the receiver's buffer.
        Event::ThirdDuplicate => target.cwnd + segment * u64::from(DUPLICATE_THRESHOLD),
        Event::Timeout { .. } => segment,
        _ => target.cwnd,
    };
    State { cwnd, ssthresh: target.ssthresh, credit: 0 }
}

/// Slow start threshold after a loss: half of the flight, two segments at least.  [RFC5681 §3.1 eq. 4]
pub(crate) fn half(flight: Bytes, segment: Bytes) -> Bytes {
    Bytes::new(flight.get() / 2).max(segment * 2)
}

/// Slow start threshold after the loss `event`: `wanted`, a fraction of the flight, but after a time-out in
/// recovery at most the `current` threshold. The flight then includes data sent because of duplicate ACKs, and
/// equation 4 is an upper limit.  [RFC5681 §3.1 eq. 4]
pub(crate) fn threshold(event: Event, wanted: Bytes, current: Bytes) -> Bytes {
    match event {
        Event::Timeout { is_in_recovery: true, .. } => wanted.min(current),
        _ => wanted,
    }
}

/// Returns the window after growth in slow start or congestion avoidance by `acked` octets.
/// [RFC5681 §3.1 eq. 2 and 3], [RFC3465 §2.1 and §2.2]
fn grow(params: &Params, state: State, acked: Bytes) -> State {
    let State { cwnd, ssthresh, credit } = state;
    let segment = params.segment;
    if cwnd < ssthresh {
        let gain = if params.byte_counting { acked.min(segment) } else { segment };
        return State { cwnd: cwnd + gain, ..state };
    }
    if params.byte_counting {
        let credit = credit + acked.get();
        if credit < cwnd.get() {
            return State { credit, ..state };
        }
        return State { cwnd: cwnd + segment, credit: credit - cwnd.get(), ssthresh };
    }
    // SMSS²/cwnd octets per ACK. The remainder of the division is kept, so rounding loses nothing.
    let credit = credit + segment.get() * segment.get();
    State { cwnd: cwnd + Bytes::new(credit / cwnd.get()), ssthresh, credit: credit % cwnd.get() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARAMS: Params =
        Params { segment: Bytes::new(1000), byte_counting: true, deflation: Deflation::ToFlight };
    const PER_ACK: Params = Params { byte_counting: false, ..PARAMS };

    const ACK: Event = Event::NewAck { is_cwnd_limited: true };

    fn state(cwnd: u64, ssthresh: u64) -> State {
        State { cwnd: Bytes::new(cwnd), ssthresh: Bytes::new(ssthresh), credit: 0 }
    }

    fn seen(event: Event, acked: u64, flight: u64) -> Observation {
        Observation { event, acked: Bytes::new(acked), flight: Bytes::new(flight) }
    }

    /// In slow start an ACK adds the octets that it acknowledges, at most one segment; without byte counting,
    /// always one segment.
    ///
    /// Verifies: [RFC5681 §3.1 eq. 2], [RFC3465 §2.2]
    #[test]
    fn slow_start_adds_what_was_acknowledged_up_to_one_segment() {
        let slow_start = state(4_000, 64_000);
        // A full segment adds 1000; a short segment of 300 adds 300; an ACK for two segments adds 1000.
        for (acked, cwnd) in [(1_000, 5_000), (300, 4_300), (2_000, 5_000)] {
            let next = step(&PARAMS, slow_start, &seen(ACK, acked, 4_000));
            assert_eq!(next, state(cwnd, 64_000));
        }
        // Without byte counting, every ACK adds a segment.
        assert_eq!(step(&PER_ACK, slow_start, &seen(ACK, 300, 4_000)), state(5_000, 64_000));
    }

    /// In congestion avoidance with byte counting the window grows by one segment for each window of octets
    /// acknowledged.
    ///
    /// Verifies: [RFC3465 §2.1]
    #[test]
    fn avoidance_adds_a_segment_for_each_window_acknowledged() {
        // cwnd 4000: ACKs of 2000 → credit 2000, then 4000 ≥ 4000 → cwnd 5000, credit 0
        let once = step(&PARAMS, state(4_000, 4_000), &seen(ACK, 2_000, 4_000));
        assert_eq!(once, State { credit: 2_000, ..state(4_000, 4_000) });
        let twice = step(&PARAMS, once, &seen(ACK, 2_000, 4_000));
        assert_eq!(twice, state(5_000, 4_000));
        // 3000 more → 3000 < 5000; another 3000 → 6000: cwnd 6000 and 1000 carried over
        let third = step(&PARAMS, twice, &seen(ACK, 3_000, 5_000));
        let fourth = step(&PARAMS, third, &seen(ACK, 3_000, 5_000));
        assert_eq!(fourth, State { credit: 1_000, ..state(6_000, 4_000) });
    }

    /// In congestion avoidance without byte counting each ACK adds SMSS²/cwnd octets, and the remainder is
    /// kept.
    ///
    /// Verifies: [RFC5681 §3.1 eq. 3]
    #[test]
    fn avoidance_by_acks_adds_a_cwnd_th_of_a_segment_for_each() {
        // 1000²/4000 = 250; 1000²/4250 = 235 remainder 1250; (1000² + 1250)/4485 = 223 remainder 1095
        let mut now = state(4_000, 4_000);
        for (cwnd, credit) in [(4_250, 0), (4_485, 1_250), (4_708, 1_095)] {
            now = step(&PER_ACK, now, &seen(ACK, 2_000, 4_000));
            assert_eq!(now, State { credit, ..state(cwnd, 4_000) });
        }
    }

    /// The window does not grow on an ACK while something else limits the sender.
    ///
    /// Verifies: [RFC7661 §1]
    #[test]
    fn a_window_that_does_not_limit_does_not_grow() {
        let idle = Event::NewAck { is_cwnd_limited: false };
        let slow_start = state(4_000, 64_000);
        assert_eq!(step(&PARAMS, slow_start, &seen(idle, 1_000, 1_000)), slow_start);
    }

    /// The third duplicate sets the threshold to half of the flight, two segments at least, and the window
    /// three segments above; each further duplicate adds a segment.
    ///
    /// Verifies: [RFC5681 §3.2 steps 2 to 4]
    #[test]
    fn fast_retransmit_halves_the_flight_and_counts_three_segments_out() {
        // flight 9000 → ssthresh 4500, cwnd 4500 + 3·1000 = 7500; one more duplicate → 8500
        let lost = step(&PARAMS, state(10_000, 64_000), &seen(Event::ThirdDuplicate, 0, 9_000));
        assert_eq!(lost, state(7_500, 4_500));
        let inflated = step(&PARAMS, lost, &seen(Event::FurtherDuplicate, 0, 9_000));
        assert_eq!(inflated, state(8_500, 4_500));
        // flight 3000 → half is 1500, but two segments at least
        let small = step(&PARAMS, state(3_000, 64_000), &seen(Event::ThirdDuplicate, 0, 3_000));
        assert_eq!(small, state(5_000, 2_000));
    }

    /// A partial ACK subtracts the acknowledged octets from the window, and adds one segment if it
    /// acknowledges at least that much.
    ///
    /// Verifies: [RFC6582 §3.2 step 3, partial acknowledgments]
    #[test]
    fn a_partial_ack_deflates_by_what_it_acknowledges_and_returns_one_segment() {
        // 8500 − 3000 + 1000 = 6500. With less than a segment acknowledged, 8500 − 400 and nothing returned.
        let recovering = state(8_500, 4_500);
        for (acked, cwnd) in [(3_000, 6_500), (400, 8_100), (20_000, 1_000)] {
            let next = step(&PARAMS, recovering, &seen(Event::PartialAck, acked, 0));
            assert_eq!(next, state(cwnd, 4_500));
        }
    }

    /// A full ACK sets the window to the threshold or, with deflation to the flight, to just above the flight
    /// if that is smaller.
    ///
    /// Verifies: [RFC6582 §3.2 step 3, full acknowledgments]
    #[test]
    fn a_full_ack_ends_with_the_threshold_or_just_above_the_flight() {
        let to_threshold = Params { deflation: Deflation::ToThreshold, ..PARAMS };
        let recovering = state(12_000, 4_500);
        // flight 2000: min(4500, 2000 + 1000) = 3000; flight 0: min(4500, 1000 + 1000); 6000: 4500
        for (flight, cwnd) in [(2_000, 3_000), (0, 2_000), (6_000, 4_500)] {
            let full = seen(Event::FullAck, 9_000, flight);
            assert_eq!(step(&PARAMS, recovering, &full), state(cwnd, 4_500));
            assert_eq!(step(&to_threshold, recovering, &full), state(4_500, 4_500));
        }
    }

    /// A time-out sets the window to one segment and the threshold to half of the flight; a repeated one
    /// leaves the threshold unchanged.
    ///
    /// Verifies: [RFC5681 §3.1 eq. 4]
    #[test]
    fn a_timeout_starts_from_one_segment_and_its_repetition_keeps_the_threshold() {
        let first = Event::Timeout { is_repeated: false, is_in_recovery: false };
        let after = step(&PARAMS, state(10_000, 64_000), &seen(first, 0, 10_000));
        assert_eq!(after, state(1_000, 5_000));
        let again = Event::Timeout { is_repeated: true, is_in_recovery: false };
        assert_eq!(step(&PARAMS, after, &seen(again, 0, 1_000)), state(1_000, 5_000));
    }

    /// A time-out in recovery lowers the threshold or leaves it unchanged, because the RFC's half of the
    /// flight is an upper limit ("no more than").
    ///
    /// Verifies: [RFC5681 §3.1 eq. 4]
    #[test]
    fn a_timeout_in_recovery_lowers_the_threshold_or_keeps_it() {
        let timeout = Event::Timeout { is_repeated: false, is_in_recovery: true };
        // 40 segments in flight because of duplicates: half is 20 000, but the loss had set 10 000.
        let after = step(&PARAMS, state(41_000, 10_000), &seen(timeout, 0, 40_000));
        assert_eq!(after, state(1_000, 10_000));
        // 12 segments in flight: half is 6000, which is less.
        let after = step(&PARAMS, state(13_000, 10_000), &seen(timeout, 0, 12_000));
        assert_eq!(after, state(1_000, 6_000));
        // Outside recovery only the flight counts.
        let fresh = Event::Timeout { is_repeated: false, is_in_recovery: false };
        let after = step(&PARAMS, state(41_000, 10_000), &seen(fresh, 0, 40_000));
        assert_eq!(after, state(1_000, 20_000));
    }

    /// With a SACK scoreboard a loss sets window and threshold to half of the flight, where the window stays
    /// until recovery ends.
    ///
    /// Verifies: [RFC6675 §5 step 4.2]
    #[test]
    fn with_a_scoreboard_the_window_falls_to_the_threshold_at_once_and_stays() {
        // flight 9000 → both 4500, without the three segments of inflation
        let lost = step(&PARAMS, state(10_000, 64_000), &seen(Event::SackLoss, 0, 9_000));
        assert_eq!(lost, state(4_500, 4_500));
        let progress = seen(Event::SackProgress, 3_000, 6_000);
        assert_eq!(step(&PARAMS, lost, &progress), lost);
        let recovered = seen(Event::SackRecovered, 9_000, 2_000);
        assert_eq!(step(&PARAMS, lost, &recovered), lost);
        // A window that was set during recovery ends with it.
        assert_eq!(step(&PARAMS, state(20_000, 4_500), &recovered), lost);
        assert_eq!(step(&PARAMS, lost, &seen(Event::Duplicate, 0, 9_000)), lost);
    }

    #[test]
    fn a_loss_forgets_the_credit() {
        let saved = State { credit: 3_999, ..state(4_000, 2_000) };
        for event in [
            Event::ThirdDuplicate,
            Event::FullAck,
            Event::Timeout { is_repeated: false, is_in_recovery: false },
        ] {
            assert_eq!(step(&PARAMS, saved, &seen(event, 0, 4_000)).credit, 0);
        }
    }

    fn any_event() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => Just(ACK),
            1 => Just(Event::NewAck { is_cwnd_limited: false }),
            1 => Just(Event::ThirdDuplicate),
            2 => Just(Event::FurtherDuplicate),
            1 => Just(Event::PartialAck),
            1 => Just(Event::FullAck),
            1 => Just(Event::Duplicate),
            1 => Just(Event::SackLoss),
            1 => Just(Event::SackProgress),
            1 => Just(Event::SackRecovered),
            1 => any::<(bool, bool)>().prop_map(|(is_repeated, is_in_recovery)| {
                Event::Timeout { is_repeated, is_in_recovery }
            }),
        ]
    }

    proptest! {
        /// For any events the window has room for one segment, and an ACK adds at most one segment to it.
        ///
        /// Verifies: [RFC5681 §3.1]
        #[test]
        fn the_window_never_falls_below_a_segment(
            segment in 1u64..9_000,
            byte_counting: bool,
            to_flight: bool,
            events in prop::collection::vec((any_event(), 1u64..100_000, 0u64..1_000_000), 1..100),
        ) {
            let deflation = if to_flight { Deflation::ToFlight } else { Deflation::ToThreshold };
            let params = Params { segment: Bytes::new(segment), byte_counting, deflation };
            let mut now = state(segment, 1 << 40);
            for (event, acked, flight) in events {
                let next = step(&params, now, &seen(event, acked, flight));
                prop_assert!(next.cwnd.get() >= segment);
                prop_assert!(next.ssthresh.get() >= (2 * segment).min(now.ssthresh.get()));
                if matches!(event, Event::NewAck { .. }) {
                    prop_assert!(next.cwnd >= now.cwnd && (next.cwnd - now.cwnd).get() <= segment);
                }
                now = next;
            }
        }
    }
}
