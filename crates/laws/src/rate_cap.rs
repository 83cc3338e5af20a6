//! Rate cap: a flow may use a fixed fraction of the PHY rate of its station's link.
//!
//! Source: no paper. It is the simplest response to a rate change, and a reference for the ratio of
//! [arf-aware-tcp §3] and the shares of [occupancy-tfrc §III-C]. A TFRC sender gets a rate. A TCP sender gets
//! the window that yields the rate over a round trip, computed anew every [`PERIOD`].  Deviates: [D-120]

use airfair_units::{Bytes, DataRate, Duration, Probability};

use crate::window_limit;

/// Time between two updates of the window of a TCP sender under the rate cap.
pub const PERIOD: Duration = Duration::from_millis(100);

/// Parameters of the rate cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Fraction of the link's rate that a flow may use, greater than zero.
    pub share: Probability,
}

impl Default for Params {
    fn default() -> Self {
        Self { share: Probability::literal(0.5) }
    }
}

/// State of the rate cap of a flow: the rate of the link, once that has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    rate: Option<DataRate>,
}

/// Observation of the rate cap at a rate change, or at a periodic update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// New rate of the link, if it has changed.
    pub rate: Option<DataRate>,
    /// Transport of the flow's sender.
    pub transport: Transport,
}

/// Transport of a flow's sender, as far as the limit depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TFRC, whose sender the rate cap limits by a rate.
    Tfrc,
    /// TCP, whose sender the rate cap limits by a window.
    Tcp {
        /// Round-trip time of the connection; `None` before the first sample.
        round_trip: Option<Duration>,
        /// Size of a full segment of the connection.
        segment: Bytes,
    },
}

/// Limit that the rate cap sets for the sender of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Limit of a TFRC sender's rate.
    Rate(DataRate),
    /// Limit of a TCP sender's window.
    Window(Bytes),
}

/// Returns the new limit of a flow, if the limit changes.
#[must_use]
pub fn step(params: &Params, state: State, seen: &Observation) -> (State, Option<Action>) {
    let rate = seen.rate.or(state.rate);
    let action = rate.and_then(|rate| {
        let cap = share_of(rate, params.share);
        match seen.transport {
            Transport::Tfrc => seen.rate.map(|_| Action::Rate(cap)),
            Transport::Tcp { round_trip, segment } => {
                let window = window_limit::for_rate(cap, round_trip?, segment);
                Some(Action::Window(window))
            }
        }
    });
    (State { rate }, action)
}

/// `share` of `rate`, rounded down, at least one bit per second.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a rate")]
fn share_of(rate: DataRate, share: Probability) -> DataRate {
    DataRate::from_bps(((rate.bps() as f64 * share.get()) as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: DataRate = DataRate::from_mbps(6);
    const SEGMENT: Bytes = Bytes::new(1_460);

    fn tcp(rate: Option<DataRate>, round_trip_ms: Option<u64>) -> Observation {
        let round_trip = round_trip_ms.map(Duration::from_millis);
        Observation { rate, transport: Transport::Tcp { round_trip, segment: SEGMENT } }
    }

    /// The rate cap limits a TFRC sender to its share of the new PHY rate, half of 6 Mb/s, once per rate
    /// change.
    #[test]
    fn tfrc_has_its_share_of_a_new_rate() {
        let seen = |rate| Observation { rate, transport: Transport::Tfrc };
        let (state, action) = step(&Params::default(), State::default(), &seen(None));
        assert_eq!((state, action), (State::default(), None));
        let (state, action) = step(&Params::default(), state, &seen(Some(SLOW)));
        assert_eq!(action, Some(Action::Rate(DataRate::from_mbps(3))));
        assert_eq!(step(&Params::default(), state, &seen(None)), (state, None));
    }

    /// The window of a TCP sender is its share of the rate multiplied by the round trip. 3 Mb/s over 40 ms
    /// are 15 000 octets, over 80 ms twice as many; over 1 ms the minimum of two segments remains.
    ///
    /// Verifies: [occupancy-tfrc §III-D]
    #[test]
    fn the_window_of_tcp_follows_its_round_trip() {
        let (mut state, mut windows) = (State::default(), Vec::new());
        let looks = [tcp(None, Some(40)), tcp(Some(SLOW), None), tcp(None, Some(40))];
        for seen in looks.into_iter().chain([tcp(None, Some(80)), tcp(None, Some(1))]) {
            let (next, action) = step(&Params::default(), state, &seen);
            state = next;
            windows.push(action);
        }
        let window = |octets| Some(Action::Window(Bytes::new(octets)));
        assert_eq!(windows, [None, None, window(15_000), window(30_000), window(2_920)]);
    }

    #[test]
    fn a_share_is_never_nothing() {
        let params = Params { share: Probability::ZERO };
        let seen = Observation { rate: Some(SLOW), transport: Transport::Tfrc };
        let action = step(&params, State::default(), &seen).1;
        assert_eq!(action, Some(Action::Rate(DataRate::from_bps(1))));
    }
}
