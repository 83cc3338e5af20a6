//! Proportional rate reduction: what recovery may send for what has arrived.
//!
//! Source: [RFC6937 §3]. Without it a sender that halves its window is silent for half a round trip and
//! then sends in a burst; with it, it sends about one segment for every two that arrive. The slow start
//! reduction bound (PRR-SSRB) is built, which the RFC recommends.

use airfair_units::Bytes;

/// Memory from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Outstanding when recovery began: `RecoverFS` [octets].
    pub flight: Bytes,
    /// Arrived since: `prr_delivered` [octets].
    pub delivered: Bytes,
    /// Sent since: `prr_out`; the owner adds to it [octets].
    pub sent: Bytes,
}

impl State {
    /// Recovery begins with so much outstanding.
    pub fn new(flight: Bytes) -> Self {
        Self { flight, delivered: Bytes::ZERO, sent: Bytes::ZERO }
    }
}

/// Content of an ACK in recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Newly acknowledged, cumulatively or selectively: `DeliveredData` [octets].
    pub delivered: Bytes,
    /// Believed to be in the network: `pipe` [octets].
    pub pipe: Bytes,
    /// Window to arrive at [octets].
    pub ssthresh: Bytes,
    /// SMSS [octets].
    pub segment: Bytes,
}

/// One ACK in recovery: what may be sent now, `sndcnt` [octets].  [RFC6937 §3]
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

    /// Verifies: [RFC6937 §3]
    #[test]
    fn above_the_threshold_sending_is_in_proportion() {
        // 20 outstanding, threshold 10: ⌈1000·10/20⌉ = 500 for the first, 1000 for the second …
        let (state, allowance) = step(State::new(bytes(20_000)), &seen(1_000, 19_000, 10_000));
        assert_eq!(allowance, bytes(500));
        let (state, allowance) = step(state, &seen(1_000, 18_000, 10_000));
        assert_eq!(allowance, bytes(1_000));
        // … and once that is sent, nothing is left until the next two: ⌈3000/2⌉ − 1000 = 500
        let state = State { sent: bytes(1_000), ..state };
        assert_eq!(step(state, &seen(1_000, 18_000, 10_000)).1, bytes(500));
        // rounded up: ⌈1·10 001/20 000⌉ = 1
        assert_eq!(step(State::new(bytes(20_000)), &seen(1, 19_000, 10_001)).1, bytes(1));
    }

    /// Verifies: [RFC6937 §3]: PRR-SSRB.
    #[test]
    fn below_the_threshold_one_segment_more_than_arrived_may_go() {
        let state = State { flight: bytes(20_000), delivered: bytes(16_000), sent: bytes(2_000) };
        // max(17 000 − 2000, 1000) + 1000 = 16 000, but 10 000 − 4000 = 6000 at most
        assert_eq!(step(state, &seen(1_000, 4_000, 10_000)).1, bytes(6_000));
        // more sent than delivered: max(0, 1000) + 1000 = 2000
        let ahead = State { sent: bytes(30_000), ..state };
        assert_eq!(step(ahead, &seen(1_000, 4_000, 10_000)).1, bytes(2_000));
        // at the threshold nothing fits
        assert_eq!(step(state, &seen(1_000, 10_000, 10_000)).1, Bytes::ZERO);
    }
}
