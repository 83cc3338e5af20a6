//! Proportional rate reduction (PRR): number of octets that may be sent during recovery.
//!
//! Source: [RFC6937 §3]. Without it, a sender that halves its window is silent for half a round trip and then
//! sends a burst; with it, it sends about one segment for every two that arrive. This is the variant with the
//! slow start reduction bound (PRR-SSRB), which the RFC recommends.

use airfair_units::Bytes;

/// State of proportional rate reduction in one recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// `RecoverFS`: octets outstanding when recovery began.
    pub flight: Bytes,
    /// `prr_delivered`: octets delivered since recovery began.
    pub delivered: Bytes,
    /// `prr_out`: octets sent since recovery began. The owner adds to it.
    pub sent: Bytes,
}

impl State {
    /// Starts proportional rate reduction in a recovery with `flight` octets outstanding.
    pub fn new(flight: Bytes) -> Self {
        Self { flight, delivered: Bytes::ZERO, sent: Bytes::ZERO }
    }
}

/// Observation of an ACK in recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// `DeliveredData`: octets newly acknowledged, cumulatively or selectively.
    pub delivered: Bytes,
    /// `pipe`: estimate of the octets in the network.
    pub pipe: Bytes,
    /// Slow start threshold: window at the end of recovery.
    pub ssthresh: Bytes,
    /// SMSS: payload of a full segment.
    pub segment: Bytes,
}

/// Processes one ACK in recovery. Returns the new state and `sndcnt`, the number of octets that may be sent
/// now. [RFC6937 §3]
#[must_use]
pub fn step(state: State, seen: &Observation) -> (State, Bytes) {
    let state = State { delivered: state.delivered + seen.delivered, ..state };
    let allowance = if seen.pipe > seen.ssthresh {
        let product = u128::from(state.delivered.get()) * u128::from(seen.ssthresh.get());
        let share = product.div_ceil(u128::from(state.flight.get().max(1)));
        Bytes::new(u64::try_from(share).unwrap_or(u64::MAX)).saturating_sub(state.sent)
    } else {
        let owed = state.delivered.saturating_sub(state.sent);
        let limit = owed.max(seen.delivered) + seen.segment;
        limit.min(seen.ssthresh - seen.pipe)
    };
    (state, allowance)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn bytes(octets: u64) -> Bytes {
        Bytes::new(octets)
    }

    fn seen(delivered: u64, pipe: u64, ssthresh: u64) -> Observation {
        let segment = bytes(1_000);
        let (delivered, pipe, ssthresh) = (bytes(delivered), bytes(pipe), bytes(ssthresh));
        Observation { delivered, pipe, ssthresh, segment }
    }

    /// While more than the threshold is outstanding, the octets sent are in proportion to those delivered.
    ///
    /// Verifies: [RFC6937 §3]
    #[test]
    fn above_the_threshold_sending_is_in_proportion() {
        // 20 outstanding, threshold 10: ⌈1000·10/20⌉ = 500 for the first, 1000 for the second …
        let (state, allowance) = step(State::new(bytes(20_000)), &seen(1_000, 19_000, 10_000));
        assert_eq!(allowance, bytes(500));
        let (state, allowance) = step(state, &seen(1_000, 18_000, 10_000));
        assert_eq!(allowance, bytes(1_000));
        // … and once that is sent, nothing is allowed until the next two: ⌈3000/2⌉ − 1000 = 500
        let state = State { sent: bytes(1_000), ..state };
        assert_eq!(step(state, &seen(1_000, 18_000, 10_000)).1, bytes(500));
        // Rounded up: ⌈1·10 001/20 000⌉ = 1
        assert_eq!(step(State::new(bytes(20_000)), &seen(1, 19_000, 10_001)).1, bytes(1));
    }

    /// Once less than the threshold is outstanding, one segment more than was delivered may be sent: the slow
    /// start reduction bound, PRR-SSRB.
    ///
    /// Verifies: [RFC6937 §3]
    #[test]
    fn below_the_threshold_one_segment_more_than_arrived_may_go() {
        let state = State { flight: bytes(20_000), delivered: bytes(16_000), sent: bytes(2_000) };
        // max(17 000 − 2000, 1000) + 1000 = 16 000, but 10 000 − 4000 = 6000 at most
        assert_eq!(step(state, &seen(1_000, 4_000, 10_000)).1, bytes(6_000));
        // More sent than delivered: max(0, 1000) + 1000 = 2000
        let ahead = State { sent: bytes(30_000), ..state };
        assert_eq!(step(ahead, &seen(1_000, 4_000, 10_000)).1, bytes(2_000));
        // At the threshold nothing may be sent.
        assert_eq!(step(state, &seen(1_000, 10_000, 10_000)).1, Bytes::ZERO);
    }
}
