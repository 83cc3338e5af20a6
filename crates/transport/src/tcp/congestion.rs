//! The sender's congestion window: the one place where it meets the laws of `airfair_laws`.
//!
//! Another flavour is another law here, chosen by an enum; the sender does not notice.

use airfair_laws::newreno::{self, Event, Params, State};
use airfair_laws::window::{Observation, Path};
use airfair_laws::{cubic, linux_cubic, linux_reno, vegas, westwood, westwood_plus};
use airfair_units::Bytes;

use super::config::{Arithmetic, SenderConfig};
use super::flavour::Flavour;
use super::undo::Undo;

/// Law, with its memory beside the window.
#[derive(Clone, Copy, Debug)]
enum Law {
    /// Reno, NewReno and SACK: nothing.
    NewReno,
    Westwood(westwood::State),
    WestwoodPlus(westwood_plus::State),
    Vegas(vegas::State),
    Cubic(cubic::State),
    LinuxReno,
    LinuxCubic(linux_cubic::State),
}

/// cwnd and ssthresh under the law of the connection's flavour.
#[derive(Debug)]
pub(crate) struct Congestion {
    params: Params,
    window: State,
    law: Law,
}

impl Congestion {
    pub(crate) fn new(config: &SenderConfig) -> Self {
        let SenderConfig { segment, byte_counting, deflation, .. } = *config;
        let ssthresh = match config.initial_ssthresh {
            Some(segments) => segment * u64::from(segments),
            None => Bytes::new(u64::MAX),
        };
        let cwnd = segment * u64::from(config.initial_window.max(1));
        // RFC 5681 leaves fast recovery with the threshold; what is in flight became a matter with NewReno.
        let deflation = match config.flavour {
            Flavour::Reno => newreno::Deflation::ToThreshold,
            _ => deflation,
        };
        let is_linux = config.arithmetic == Arithmetic::Linux;
        Self {
            params: Params { segment, byte_counting, deflation },
            window: State { cwnd, ssthresh, credit: 0 },
            law: match config.flavour {
                Flavour::Reno | Flavour::NewReno | Flavour::Sack if is_linux => Law::LinuxReno,
                Flavour::Cubic if is_linux => Law::LinuxCubic(linux_cubic::State::default()),
                Flavour::Reno | Flavour::NewReno | Flavour::Sack => Law::NewReno,
                Flavour::Westwood => Law::Westwood(westwood::State::default()),
                Flavour::WestwoodPlus => Law::WestwoodPlus(westwood_plus::State::default()),
                Flavour::Vegas => Law::Vegas(vegas::State::default()),
                Flavour::Cubic => Law::Cubic(cubic::State::default()),
            },
        }
    }

    /// Congestion window [octets].
    #[inline]
    pub(crate) fn cwnd(&self) -> u64 {
        self.window.cwnd.get()
    }

    /// Congestion window, rounded down [segments].
    pub(crate) fn cwnd_segments(&self) -> u32 {
        self.in_segments(self.window.cwnd)
    }

    /// Slow start threshold, rounded down; `u32::MAX` stands for all above [segments].
    pub(crate) fn ssthresh_segments(&self) -> u32 {
        self.in_segments(self.window.ssthresh)
    }

    /// True in slow start.
    pub(crate) fn is_in_slow_start(&self) -> bool {
        self.window.cwnd < self.window.ssthresh
    }

    /// True as long as the window is less than half of the threshold.
    pub(crate) fn is_below_half_of_ssthresh(&self) -> bool {
        self.window.cwnd.get() < self.window.ssthresh.get() / 2
    }

    /// Gives the window a value, one segment at least [segments].
    pub(crate) fn set_cwnd_segments(&mut self, segments: u32) {
        self.window.cwnd = self.params.segment * u64::from(segments.max(1));
        self.window.credit = 0;
        match &mut self.law {
            Law::Cubic(state) => *state = state.restarted(),
            Law::LinuxCubic(state) => *state = state.restarted(),
            _ => {}
        }
    }

    /// Widens the window to `octets`, if it is less.
    pub(crate) fn make_room(&mut self, octets: u64) {
        self.window.cwnd = self.window.cwnd.max(Bytes::new(octets));
    }

    /// Memory of the window before a repair begins.
    pub(crate) fn before_repair(&self) -> Undo {
        Undo::new(self.window.cwnd, self.window.ssthresh)
    }

    /// There was nothing to repair: the window is as it was before, if it was larger.
    pub(crate) fn take_back(&mut self, before: &Undo) {
        self.window.cwnd = self.window.cwnd.max(before.cwnd);
        self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
    }

    /// True if the law wants to see the path: [`observe_path`](Self::observe_path) then, otherwise
    /// [`observe`](Self::observe).
    #[inline]
    pub(crate) fn looks_at_path(&self) -> bool {
        !matches!(self.law, Law::NewReno)
    }

    /// Lets a law that does not look at the path see an event.
    #[inline]
    pub(crate) fn observe(&mut self, seen: &newreno::Observation) {
        self.window = newreno::step(&self.params, self.window, seen);
    }

    /// Lets any law see an event.
    pub(crate) fn observe_path(&mut self, seen: newreno::Observation, path: Path) {
        self.window = self.step(&Observation { window: self.window, seen, path });
    }

    /// Reduces the window without a loss, to the threshold of the law at once. Linux goes there by a
    /// segment for every second ACK. Like Linux it takes a share of cwnd and not of the flight: a burst
    /// that was cut short says nothing about what the path holds.  [linux-cwr]
    pub(crate) fn reduce(&mut self, path: Path) {
        let (before, law) = (self.window.cwnd, self.law);
        // The laws that measure bandwidth take all but a time-out for an arrival, and nothing has arrived.
        let measures = matches!(law, Law::Westwood(_) | Law::WestwoodPlus(_));
        let event = if measures {
            Event::Timeout { is_repeated: false, is_in_recovery: false }
        } else {
            Event::SackLoss
        };
        self.observe_path(newreno::Observation { event, acked: Bytes::ZERO, flight: before }, path);
        self.window.cwnd = self.window.ssthresh.min(before);
        if measures {
            self.law = law;
        }
    }

    fn step(&mut self, seen: &Observation) -> State {
        let window = self.params;
        match &mut self.law {
            Law::NewReno => newreno::step(&window, seen.window, &seen.seen),
            Law::Westwood(state) => {
                let time_constant = westwood::Params::TIME_CONSTANT;
                let params = westwood::Params { window, time_constant };
                remember(state, westwood::step(&params, *state, seen))
            }
            Law::WestwoodPlus(state) => remember(state, westwood_plus::step(&window, *state, seen)),
            Law::Vegas(state) => {
                remember(state, vegas::step(&vegas::Params::new(window), *state, seen))
            }
            Law::Cubic(state) => {
                let params = cubic::Params { window, fast_convergence: true };
                remember(state, cubic::step(&params, *state, seen))
            }
            Law::LinuxReno => linux_reno::step(&window, seen),
            Law::LinuxCubic(state) => remember(state, linux_cubic::step(&window, *state, seen)),
        }
    }

    fn in_segments(&self, octets: Bytes) -> u32 {
        u32::try_from(octets.get() / self.params.segment.get()).unwrap_or(u32::MAX)
    }
}

/// Keeps a law's memory, and hands its window on.
fn remember<S>(memory: &mut S, (state, window): (S, State)) -> State {
    *memory = state;
    window
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::{Duration, Time};

    /// A window of `segments` under the law of `flavour`, after one ACK that measured 100 ms.
    fn after_an_ack(flavour: Flavour, segments: u32) -> (Congestion, Path) {
        let segment = Bytes::new(1_000);
        let initial_window = segments;
        let config = SenderConfig { flavour, segment, initial_window, ..SenderConfig::default() };
        let mut congestion = Congestion::new(&config);
        let path = Path {
            now: Time::ZERO + Duration::from_millis(100),
            round_trip: Some(Duration::from_millis(100)),
            smoothed_round_trip: Some(Duration::from_millis(100)),
            unacknowledged: 1_001,
            next: 10_001,
        };
        let event = Event::NewAck { is_cwnd_limited: false };
        let (acked, flight) = (segment, Bytes::new(9_000));
        congestion.observe_path(newreno::Observation { event, acked, flight }, path);
        (congestion, Path { now: path.now + Duration::from_millis(50), round_trip: None, ..path })
    }

    /// Verifies: [linux-cwr]: the threshold of the law, whatever is in flight, and never up.
    #[test]
    fn a_reduction_without_a_loss_never_widens_the_window() {
        for flavour in Flavour::ALL {
            let (mut congestion, path) = after_an_ack(flavour, 10);
            congestion.reduce(path);
            // half of 10; seven tenths. The two that measure bandwidth have no sample yet: half, too
            let segments = if flavour == Flavour::Cubic { 7 } else { 5 };
            assert_eq!(congestion.cwnd_segments(), segments, "{flavour:?}");
            assert_eq!(congestion.ssthresh_segments(), segments, "{flavour:?}");
            let (mut smallest, path) = after_an_ack(flavour, 1);
            smallest.reduce(path);
            assert_eq!((smallest.cwnd_segments(), smallest.ssthresh_segments()), (1, 2));
        }
    }

    /// The measurements of Westwood stay: nothing has arrived.
    #[test]
    fn a_reduction_is_no_sample_of_the_bandwidth() {
        for flavour in [Flavour::Westwood, Flavour::WestwoodPlus] {
            let (mut congestion, path) = after_an_ack(flavour, 10);
            let before = format!("{:?}", congestion.law);
            congestion.reduce(path);
            assert_eq!(format!("{:?}", congestion.law), before);
        }
    }
}
