//! The sender's congestion window. This is the only module that calls the window laws of `airfair_laws`.
//!
//! The flavour selects the law; the rest of the sender is the same for all flavours.

use airfair_laws::bbr::{LostSegment, Seen};
use airfair_laws::newreno::{self, Event, Params, State};
use airfair_laws::window::{Observation, Path};
use airfair_laws::{
    cubic, hystart, linux_cubic, linux_reno, prague, vegas, westwood, westwood_plus,
};
use airfair_units::{Bytes, Time};

use super::config::{Arithmetic, ControlConfig, SlowStart};
use super::flavour::Flavour;
use super::model::Model;
use super::start::Start;

/// Window law of a TCP sender, with the state that the law keeps beside cwnd and ssthresh.
#[derive(Clone, Copy, Debug)]
enum Law {
    /// Law of Reno, NewReno and SACK, which needs no further state.
    NewReno,
    Westwood(westwood::State),
    WestwoodPlus(westwood_plus::State),
    Vegas(vegas::State),
    Cubic(cubic::State),
    LinuxReno,
    /// Law of NewReno but in congestion avoidance.
    Prague,
    LinuxCubic(linux_cubic::State, Option<hystart::Params>),
    /// No law that sees events: the model of the path sets the window at each ACK.
    Model,
}

/// cwnd and ssthresh under the law of the connection's flavour.
#[derive(Clone, Debug)]
pub(crate) struct Congestion {
    params: Params,
    window: State,
    law: Law,
    /// Rule that ends slow start before there is a loss; `None` without one.
    start: Option<Box<Start>>,
    /// Model of the path; `None` for flavours without one.
    model: Option<Box<Model>>,
}

impl Congestion {
    pub(crate) fn new(config: &ControlConfig) -> Self {
        let ControlConfig { segment, byte_counting, deflation, .. } = *config;
        let ssthresh = match config.initial_ssthresh {
            Some(segments) => segment * u64::from(segments),
            None => Bytes::new(u64::MAX),
        };
        let cwnd = segment * u64::from(config.initial_window.max(1));
        // RFC 5681 leaves fast recovery with cwnd = ssthresh; NewReno introduced the choice that depends on
        // the flight.
        let deflation = match config.flavour {
            Flavour::Reno => newreno::Deflation::ToThreshold,
            _ => deflation,
        };
        let hystart = (config.slow_start == SlowStart::HyStart)
            .then_some(hystart::Params { segment, is_paced: config.is_paced });
        let is_linux = config.arithmetic == Arithmetic::Linux;
        Self {
            params: Params { segment, byte_counting, deflation },
            window: State { cwnd, ssthresh, credit: 0 },
            law: match config.flavour {
                Flavour::Reno | Flavour::NewReno | Flavour::Sack | Flavour::Dctcp if is_linux => {
                    Law::LinuxReno
                }
                Flavour::Cubic if is_linux => {
                    Law::LinuxCubic(linux_cubic::State::default(), hystart)
                }
                Flavour::Reno | Flavour::NewReno | Flavour::Sack | Flavour::Dctcp => Law::NewReno,
                Flavour::Westwood => Law::Westwood(westwood::State::default()),
                Flavour::WestwoodPlus => Law::WestwoodPlus(westwood_plus::State::default()),
                Flavour::Vegas => Law::Vegas(vegas::State::default()),
                Flavour::Cubic => Law::Cubic(cubic::State::default()),
                Flavour::Prague => Law::Prague,
                Flavour::Bbr1 | Flavour::Bbr => Law::Model,
            },
            model: Model::new(config),
            start: Start::new(config),
        }
    }

    /// Congestion window [octets].
    #[inline]
    pub(crate) fn cwnd(&self) -> u64 {
        self.window.cwnd.get()
    }

    /// Slow start threshold [octets].
    pub(crate) fn ssthresh(&self) -> u64 {
        self.window.ssthresh.get()
    }

    /// Congestion window, rounded down [segments].
    pub(crate) fn cwnd_segments(&self) -> u32 {
        self.in_segments(self.window.cwnd)
    }

    /// Slow start threshold, rounded down; `u32::MAX` if it is larger than that [segments].
    pub(crate) fn ssthresh_segments(&self) -> u32 {
        self.in_segments(self.window.ssthresh)
    }

    pub(crate) fn is_in_slow_start(&self) -> bool {
        self.window.cwnd < self.window.ssthresh
    }

    /// True while cwnd is less than half of ssthresh.
    pub(crate) fn is_below_half_of_ssthresh(&self) -> bool {
        self.window.cwnd.get() < self.window.ssthresh.get() / 2
    }

    /// Sets cwnd, to one segment at least [segments].
    pub(crate) fn set_cwnd_segments(&mut self, segments: u32) {
        self.window.cwnd = self.params.segment * u64::from(segments.max(1));
        self.window.credit = 0;
        match &mut self.law {
            Law::Cubic(state) => *state = state.restarted(),
            Law::LinuxCubic(state, _) => *state = state.restarted(),
            _ => {}
        }
    }

    /// Raises cwnd to `octets` if it is smaller.
    pub(crate) fn raise_cwnd(&mut self, octets: u64) {
        self.window.cwnd = self.window.cwnd.max(Bytes::new(octets));
    }

    /// Values of cwnd and ssthresh to restore if the recovery that begins now turns out to be needless.
    pub(crate) fn save_for_undo(&self) -> (Bytes, Bytes) {
        (self.window.cwnd, self.window.ssthresh)
    }

    /// Restores cwnd and ssthresh, where they were larger, after a needless recovery.
    pub(crate) fn undo(&mut self, (cwnd, ssthresh): (Bytes, Bytes)) {
        self.window.cwnd = self.window.cwnd.max(cwnd);
        self.window.ssthresh = self.window.ssthresh.max(ssthresh);
        if let Some(model) = &mut self.model {
            model.undo();
        }
    }

    /// True if the law needs measurements of the path. Call [`observe_path`](Self::observe_path) then,
    /// otherwise [`observe`](Self::observe).
    #[inline]
    pub(crate) fn needs_path(&self) -> bool {
        !matches!(self.law, Law::NewReno) || self.start.is_some()
    }

    /// Updates cwnd and ssthresh after an event, under a law that needs no measurements of the path.
    #[inline]
    pub(crate) fn observe(&mut self, seen: &newreno::Observation) {
        self.window = newreno::step(&self.params, self.window, seen);
    }

    /// Updates cwnd and ssthresh after an event, under any law, also one that needs `path`, measurements of the
    /// path such as its round-trip time.
    pub(crate) fn observe_path(&mut self, seen: newreno::Observation, path: Path) {
        let mut seen = Observation { window: self.window, seen, path };
        if let Some(start) = &mut self.start {
            (seen.window, seen.seen) = start.process(&seen);
        }
        self.window = self.step(&seen);
    }

    /// Reduces cwnd without a loss, at once to the ssthresh of the law (Linux gets there by one segment for
    /// every second ACK). As in Linux the reduction is a fraction of cwnd and not of the flight, because the
    /// flight of a burst that the sender's own host has cut short is no measure of the path.  A model of the path is not affected.  [linux-cwr]
    pub(crate) fn reduce(&mut self, path: Path) {
        if self.model.is_some() {
            return;
        }
        let (before, law) = (self.window.cwnd, self.law);
        // The laws that measure bandwidth count every event except a time-out as an arrival of data; nothing
        // has arrived here.
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

    /// Starts a fast recovery in a window of data in which cwnd was reduced before, so that it is not reduced again. Three
    /// duplicates that have left the network count, unless SACK counts them.  [RFC3168 §6.1.2], [RFC5681 §3.2]
    pub(crate) fn recover(&mut self, event: Event) {
        if event == Event::ThirdDuplicate {
            self.window.cwnd += self.params.segment * u64::from(newreno::DUPLICATE_THRESHOLD);
        }
    }

    /// Sets ssthresh [octets].
    pub(crate) fn set_ssthresh(&mut self, octets: u64) {
        self.window.ssthresh = Bytes::new(octets);
    }

    /// Reduces cwnd and ssthresh to this window, if cwnd is larger.
    pub(crate) fn reduce_to(&mut self, cwnd: Bytes) {
        let cwnd = cwnd.min(self.window.cwnd);
        self.window = State { cwnd, ssthresh: cwnd, credit: 0 };
    }

    /// Keys the random numbers of the model.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        if let Some(model) = &mut self.model {
            model.set_seed(seed);
        }
    }

    /// Lets the model process an ACK and the segments marked lost since the last one, and sets the window. Returns
    /// true if the data in flight counts as limited by the application.
    pub(crate) fn run_model(&mut self, lost: &[LostSegment], seen: Seen) -> bool {
        let Some(model) = &mut self.model else { return false };
        if !lost.is_empty() {
            model.lose(lost, &seen);
        }
        let control = model.step(seen);
        self.window.cwnd = Bytes::new(control.cwnd);
        control.is_app_limited
    }

    /// Notifies the model that the sender restarts after idling.
    pub(crate) fn restart_model(&mut self, now: Time) {
        if let Some(model) = &mut self.model {
            self.window.cwnd = Bytes::new(model.restart(now, self.window.cwnd.get()));
        }
    }

    /// Pacing rate of the model; `None` without a model [octets/s].
    pub(crate) fn pacing_rate(&self) -> Option<u64> {
        self.model.as_ref().map(|model| model.pacing_rate())
    }

    /// Window after an event under a model: a time-out leaves room for one segment.
    fn notify_model(&mut self, seen: &Observation) -> State {
        let Some(model) = &mut self.model else { return seen.window };
        let cwnd = seen.window.cwnd.get();
        match seen.seen.event {
            Event::SackLoss => model.save(cwnd),
            Event::Timeout { .. } => {
                model.time_out(cwnd);
                return State { cwnd: self.params.segment, ..seen.window };
            }
            _ => {}
        }
        seen.window
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
            Law::Model => self.notify_model(seen),
            Law::LinuxReno => linux_reno::step(&window, seen),
            Law::Prague => {
                let grows = seen.seen.event == Event::NewAck { is_cwnd_limited: true };
                if grows && seen.window.cwnd >= seen.window.ssthresh {
                    let smoothed = seen.path.smoothed_round_trip;
                    return prague::grow(seen.window, seen.seen.acked, window.segment, smoothed);
                }
                newreno::step(&window, seen.window, &seen.seen)
            }
            Law::LinuxCubic(state, hystart) => {
                let params = linux_cubic::Params { window, hystart: *hystart };
                remember(state, linux_cubic::step(&params, *state, seen))
            }
        }
    }

    fn in_segments(&self, octets: Bytes) -> u32 {
        u32::try_from(octets.get() / self.params.segment.get()).unwrap_or(u32::MAX)
    }
}

/// Splits the result of a law: stores the law's new state in `memory` and returns cwnd and ssthresh.
fn remember<S>(memory: &mut S, (state, window): (S, State)) -> State {
    *memory = state;
    window
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::{Duration, Time};

    /// Window of `segments` under the law of `flavour`, after one ACK with a round trip of 100 ms.
    fn after_an_ack(flavour: Flavour, segments: u32) -> (Congestion, Path) {
        let segment = Bytes::new(1_000);
        let mut congestion = Congestion::new(&ControlConfig::new(flavour, segment, segments));
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

    /// A reduction without a loss sets cwnd to the ssthresh of the law, whatever the flight is, and never
    /// raises it.
    ///
    /// Verifies: [linux-cwr]
    #[test]
    fn a_reduction_without_a_loss_never_widens_the_window() {
        for flavour in Flavour::ALL {
            let (mut congestion, path) = after_an_ack(flavour, 10);
            congestion.reduce(path);
            // Half of 10; seven tenths of 10 for CUBIC. Westwood and Westwood+ have no bandwidth sample yet
            // and take half, too.
            let segments = if flavour == Flavour::Cubic { 7 } else { 5 };
            if flavour.has_model() {
                // A model of the path takes no notice.
                assert_eq!(congestion.cwnd_segments(), 10, "{flavour:?}");
                continue;
            }
            assert_eq!(congestion.cwnd_segments(), segments, "{flavour:?}");
            assert_eq!(congestion.ssthresh_segments(), segments, "{flavour:?}");
            let (mut smallest, path) = after_an_ack(flavour, 1);
            smallest.reduce(path);
            assert_eq!((smallest.cwnd_segments(), smallest.ssthresh_segments()), (1, 2));
        }
    }

    /// A reduction without a loss leaves Westwood's bandwidth estimate unchanged, because nothing has
    /// arrived.
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
