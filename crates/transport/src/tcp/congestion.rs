//! The sender's congestion window: the one place where it meets a law of `airfair_laws`.
//!
//! Another flavour is another law here, chosen by an enum; the sender does not notice.

use airfair_laws::newreno::{self, Event, Observation, Params, State};
use airfair_units::Bytes;

use super::config::SenderConfig;

/// cwnd and ssthresh under the law of the connection's flavour.
#[derive(Debug)]
pub(crate) struct Congestion {
    params: Params,
    state: State,
}

impl Congestion {
    pub(crate) fn new(config: &SenderConfig) -> Self {
        let SenderConfig { segment, byte_counting, deflation, .. } = *config;
        let ssthresh = match config.initial_ssthresh {
            Some(segments) => segment * u64::from(segments),
            None => Bytes::new(u64::MAX),
        };
        let cwnd = segment * u64::from(config.initial_window.max(1));
        Self {
            params: Params { segment, byte_counting, deflation },
            state: State { cwnd, ssthresh, credit: 0 },
        }
    }

    /// Congestion window [octets].
    pub(crate) fn cwnd(&self) -> u64 {
        self.state.cwnd.get()
    }

    /// Congestion window, rounded down [segments].
    pub(crate) fn cwnd_segments(&self) -> u32 {
        self.in_segments(self.state.cwnd)
    }

    /// Slow start threshold, rounded down; `u32::MAX` stands for all above [segments].
    pub(crate) fn ssthresh_segments(&self) -> u32 {
        self.in_segments(self.state.ssthresh)
    }

    /// Gives the window a value, one segment at least [segments].
    pub(crate) fn set_cwnd_segments(&mut self, segments: u32) {
        self.state.cwnd = self.params.segment * u64::from(segments.max(1));
        self.state.credit = 0;
    }

    /// Lets the law see an event.
    #[inline]
    pub(crate) fn observe(&mut self, event: Event, acked: u64, flight: u64) {
        let seen = Observation { event, acked: Bytes::new(acked), flight: Bytes::new(flight) };
        self.state = newreno::step(&self.params, self.state, &seen);
    }

    fn in_segments(&self, octets: Bytes) -> u32 {
        u32::try_from(octets.get() / self.params.segment.get()).unwrap_or(u32::MAX)
    }
}
