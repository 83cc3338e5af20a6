//! BBR version 1: paces at the estimated bandwidth, with a window of twice the bandwidth-delay product.
//!
//! Source: [bbr-v1 §4], with Linux's compensation of aggregated ACKs and its packet conservation [linux-bbr].
//! Linux's long-term bandwidth of policers is not built.  Deviates: [D-323]
//!
//! ```text
//!  Startup ──3 rounds without 25 % growth──► Drain ──in flight ≤ BDP──► ProbeBW (5/4, 3/4, 1 × 6)
//!     ▲                                                                   │  ▲
//!     └─────────── pipe not full ─────────── ProbeRTT ◄──── 10 s ─────────┘  │
//!                                                └──── 200 ms, a round ──────┘
//! ```

use airfair_units::{Duration, Time};

use crate::bbr::{
    Control, FULL_GROWTH, FULL_ROUNDS, LEAST_WINDOW, MaxFilter, PACING_MARGIN, PROBE_RTT_TIME,
    Phase, Sample, Seen, first_rate, volume, whole,
};

/// 2/ln 2: smallest gain that doubles the rate per round, as Linux rounds it, 739/256.
pub const HIGH_GAIN: f64 = 739.0 / 256.0;
/// Gain that drains the queue of Startup in a round, as Linux rounds it, 88/256.
pub const DRAIN_GAIN: f64 = 88.0 / 256.0;
/// Gain of the window after Startup.
pub const WINDOW_GAIN: f64 = 2.0;
/// Gains of the eight phases of `ProbeBW`.
pub const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Length of the bandwidth filter [rounds].
pub const BANDWIDTH_ROUNDS: u32 = 10;
/// Length of the round-trip filter.
pub const ROUND_TRIP_TIME: Duration = Duration::from_secs(10);
/// Length of each of the two halves of the filter of aggregation [rounds].
const EXTRA_ROUNDS: u32 = 5;
/// Longest time whose octets the aggregation may add to the window.
const EXTRA_TIME: Duration = Duration::from_millis(100);
/// Pacing rate below which the smallest burst is one segment instead of two [octets/s]: 1.2 Mb/s.
const SLOW_RATE: f64 = 150_000.0;

/// State of BBR's state machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Searches for the bandwidth by doubling the rate.
    #[default]
    Startup,
    /// Empties the queue that Startup has built.
    Drain,
    /// Cycles through eight gains around the bandwidth.
    ProbeBw {
        /// Index of the gain in [`CYCLE`].
        index: usize,
        /// Start of the phase.
        since: Time,
    },
    /// Holds the data in flight at four segments, to measure the round trip without a queue.
    ProbeRtt {
        /// Time from which on the state may end; `None` until the data in flight is small.
        until: Option<Time>,
        /// True once a round has passed since the data in flight is small.
        is_round_over: bool,
    },
}

/// State of BBR version 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "the independent flags of the source")]
pub struct State {
    /// State of the state machine.
    pub mode: Mode,
    /// Largest delivery rate of the last ten rounds [octets/s].
    pub bandwidth: MaxFilter,
    /// Number of rounds.
    pub rounds: u32,
    /// Octets delivered when the round began.
    pub round_end: u64,
    /// True if the last ACK began a round.
    pub is_round_start: bool,
    /// Smallest round trip of the last ten seconds.
    pub round_trip: Option<Duration>,
    /// Time of the smallest round trip.
    pub round_trip_at: Time,
    /// Bandwidth from which the next growth counts [octets/s].
    pub full_bandwidth: f64,
    /// Number of rounds without growth.
    pub full_rounds: u32,
    /// True once the pipe was full.
    pub is_full: bool,
    /// Window to restore after a recovery or `ProbeRTT` [octets].
    pub saved_window: u64,
    /// Phase of loss recovery after the last ACK.
    pub phase: Phase,
    /// True in the first round of a recovery, which sends a segment for each that arrives.
    pub conserves: bool,
    /// Largest excess of acknowledged octets in two spans of five rounds.
    pub extra: [u64; 2],
    /// Rounds of the current span of five.
    pub extra_rounds: u32,
    /// Start of the period in which the excess is measured.
    pub extra_since: Time,
    /// Octets acknowledged in that period.
    pub extra_acked: u64,
    /// True from a restart after idling until the next delivery.
    pub is_restarting: bool,
    /// True once the first rate was set from a measured round trip.
    pub has_rate: bool,
    /// Pacing rate [octets/s].
    pub pacing_rate: f64,
}

impl State {
    /// State at the start of a connection whose initial window is `window` octets.
    #[must_use]
    pub fn new(window: u64) -> Self {
        Self { pacing_rate: PACING_MARGIN * first_rate(HIGH_GAIN, window, None), ..Self::default() }
    }

    /// Returns the state when a recovery or `ProbeRTT` begins, at a window of `cwnd`.  `bbr_save_cwnd`
    /// [linux-bbr]
    #[must_use]
    pub fn saved(self, cwnd: u64) -> Self {
        let is_good = self.phase == Phase::Open && !matches!(self.mode, Mode::ProbeRtt { .. });
        let saved_window = if is_good { cwnd } else { self.saved_window.max(cwnd) };
        Self { saved_window, ..self }
    }

    /// Returns the state after a retransmission time-out at a window of `cwnd`.  `bbr_set_state` [linux-bbr]
    #[must_use]
    pub fn timed_out(self, cwnd: u64) -> Self {
        Self { phase: Phase::Loss, full_bandwidth: 0.0, is_round_start: true, ..self.saved(cwnd) }
    }

    /// Returns the state after a recovery that was needless.  `bbr_undo_cwnd` [linux-bbr]
    #[must_use]
    pub fn undone(self) -> Self {
        Self { full_bandwidth: 0.0, full_rounds: 0, ..self }
    }

    /// Returns the state when the sender, limited by its application, sends again with nothing in flight, and the
    /// window.  `bbr_cwnd_event` [linux-bbr]
    #[must_use]
    pub fn restarted(mut self, now: Time, cwnd: u64, random: u64) -> (Self, u64) {
        (self.is_restarting, self.extra_since, self.extra_acked) = (true, now, 0);
        match self.mode {
            Mode::ProbeBw { .. } => {
                self.pacing_rate = PACING_MARGIN * self.bandwidth.get();
                (self, cwnd)
            }
            Mode::ProbeRtt { until, .. } => self.end_probe_rtt(until, now, cwnd, random),
            Mode::Startup | Mode::Drain => (self, cwnd),
        }
    }

    /// Gain of the pacing rate.
    #[must_use]
    pub fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBw { index, .. } => CYCLE[index],
            Mode::ProbeRtt { .. } => 1.0,
        }
    }

    fn window_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBw { .. } => WINDOW_GAIN,
            Mode::ProbeRtt { .. } => 1.0,
        }
    }

    /// Leaves `ProbeRTT` if its time is over, and restores the window.  `bbr_check_probe_rtt_done` [linux-bbr]
    fn end_probe_rtt(
        mut self,
        until: Option<Time>,
        now: Time,
        cwnd: u64,
        random: u64,
    ) -> (Self, u64) {
        if until.is_none_or(|until| now <= until) {
            return (self, cwnd);
        }
        self.round_trip_at = now;
        self.mode = if self.is_full { probe_bandwidth(now, random) } else { Mode::Startup };
        (self, cwnd.max(self.saved_window))
    }

    /// Octets of `gain` bandwidth-delay products; the initial window before a round trip is known.  `bbr_bdp`
    /// [linux-bbr]
    fn product(&self, seen: &Seen, gain: f64) -> u64 {
        let Some(round_trip) = self.round_trip else { return seen.initial_window };
        whole(gain * volume(self.bandwidth.get(), round_trip))
    }

    /// `octets` with room for the bursts at both ends.  `bbr_quantization_budget` [linux-bbr]
    fn with_bursts(&self, seen: &Seen, octets: u64) -> u64 {
        let slow = if self.pacing_rate < SLOW_RATE { seen.segment } else { seen.burst };
        let pair = 2 * seen.segment;
        let even = (octets + 3 * slow).div_ceil(pair) * pair;
        even + if matches!(self.mode, Mode::ProbeBw { index: 0, .. }) { pair } else { 0 }
    }

    fn in_flight(&self, seen: &Seen, gain: f64) -> u64 {
        self.with_bursts(seen, self.product(seen, gain))
    }

    /// Octets in the network when the next burst leaves.  `bbr_packets_in_net_at_edt` [linux-bbr]
    fn in_network_at_next(&self, seen: &Seen, in_flight: u64) -> u64 {
        let burst = if self.pacing_gain() > 1.0 { seen.burst } else { 0 };
        let delivered = whole(volume(self.bandwidth.get(), seen.until_next));
        (in_flight + burst).saturating_sub(delivered)
    }
}

/// `ProbeBW` in a random phase other than that of 3/4.  `bbr_reset_probe_bw_mode` [linux-bbr]
fn probe_bandwidth(now: Time, random: u64) -> Mode {
    let skipped = usize::try_from(random % 7).unwrap_or(0);
    Mode::ProbeBw { index: (CYCLE.len() - skipped) % CYCLE.len(), since: now }
}

/// Processes an ACK. Returns the new state and the setting of the sender.  `bbr_main` [linux-bbr]
#[must_use]
pub fn step(state: State, seen: &Seen) -> (State, Control) {
    let state = update_bandwidth(state, seen);
    let state = update_extra(state, seen);
    let state = advance_cycle(state, seen);
    let state = check_full(state, seen);
    let state = check_drain(state, seen);
    let (state, cwnd) = update_round_trip(state, seen);
    let state = set_rate(state, seen);
    let (state, cwnd) = set_window(state, seen, cwnd);
    let is_app_limited = matches!(state.mode, Mode::ProbeRtt { .. });
    (state, Control { cwnd, pacing_rate: state.pacing_rate, is_app_limited })
}

/// The sample of an ACK if it is a valid observation of the rate.
fn rated(seen: &Seen) -> Option<Sample> {
    seen.sample.filter(|sample| sample.rate > 0.0)
}

fn update_bandwidth(mut state: State, seen: &Seen) -> State {
    state.is_round_start = false;
    let Some(sample) = rated(seen) else { return state };
    if sample.delivered_before >= state.round_end {
        state.round_end = seen.delivered;
        state.rounds += 1;
        (state.is_round_start, state.conserves) = (true, false);
    }
    if !sample.is_app_limited || sample.rate >= state.bandwidth.get() {
        state.bandwidth = state.bandwidth.with(BANDWIDTH_ROUNDS, state.rounds, sample.rate);
    }
    state
}

/// Measures the excess of acknowledged octets over the bandwidth.  `bbr_update_ack_aggregation` [linux-bbr]
fn update_extra(mut state: State, seen: &Seen) -> State {
    if rated(seen).is_none() || seen.acked == 0 {
        return state;
    }
    if state.is_round_start {
        state.extra_rounds += 1;
        if state.extra_rounds >= EXTRA_ROUNDS {
            state.extra_rounds = 0;
            state.extra = [0, state.extra[0]];
        }
    }
    let period = seen.now.saturating_since(state.extra_since);
    let mut expected = whole(volume(state.bandwidth.get(), period));
    if state.extra_acked <= expected {
        (state.extra_acked, state.extra_since, expected) = (0, seen.now, 0);
    }
    state.extra_acked += seen.acked;
    let extra = state.extra_acked.saturating_sub(expected).min(seen.cwnd);
    state.extra[0] = state.extra[0].max(extra);
    state
}

/// `bbr_is_next_cycle_phase` [linux-bbr]
fn advance_cycle(mut state: State, seen: &Seen) -> State {
    let Mode::ProbeBw { index, since } = state.mode else { return state };
    let gain = CYCLE[index];
    let is_over = state.round_trip.is_some_and(|it| seen.now.saturating_since(since) > it);
    let in_network = || state.in_network_at_next(seen, seen.in_flight_before);
    let advances = if gain > 1.0 {
        is_over && (seen.lost > 0 || in_network() >= state.in_flight(seen, gain))
    } else if gain < 1.0 {
        is_over || in_network() <= state.in_flight(seen, 1.0)
    } else {
        is_over
    };
    if advances {
        state.mode = Mode::ProbeBw { index: (index + 1) % CYCLE.len(), since: seen.now };
    }
    state
}

/// `bbr_check_full_bw_reached` [linux-bbr]
fn check_full(mut state: State, seen: &Seen) -> State {
    let is_app_limited = seen.sample.is_some_and(|sample| sample.is_app_limited);
    if state.is_full || !state.is_round_start || is_app_limited {
        return state;
    }
    if state.bandwidth.get() >= FULL_GROWTH * state.full_bandwidth {
        (state.full_bandwidth, state.full_rounds) = (state.bandwidth.get(), 0);
        return state;
    }
    state.full_rounds += 1;
    state.is_full = state.full_rounds >= FULL_ROUNDS;
    state
}

/// `bbr_check_drain` [linux-bbr]
fn check_drain(mut state: State, seen: &Seen) -> State {
    if state.mode == Mode::Startup && state.is_full {
        state.mode = Mode::Drain;
    }
    if state.mode == Mode::Drain
        && state.in_network_at_next(seen, seen.in_flight) <= state.in_flight(seen, 1.0)
    {
        state.mode = probe_bandwidth(seen.now, seen.random);
    }
    state
}

/// Keeps the smallest round trip, and enters and leaves `ProbeRTT`. Returns the window, too.  `bbr_update_min_rtt`
/// [linux-bbr]
fn update_round_trip(mut state: State, seen: &Seen) -> (State, u64) {
    let is_expired = seen.now.saturating_since(state.round_trip_at) > ROUND_TRIP_TIME;
    if let Some(sample) = seen.round_trip
        && (is_expired || state.round_trip.is_none_or(|least| sample < least))
    {
        (state.round_trip, state.round_trip_at) = (Some(sample), seen.now);
    }
    let is_probing = matches!(state.mode, Mode::ProbeRtt { .. });
    if is_expired && !state.is_restarting && !is_probing {
        state = state.saved(seen.cwnd);
        state.mode = Mode::ProbeRtt { until: None, is_round_over: false };
    }
    let mut cwnd = seen.cwnd;
    if let Mode::ProbeRtt { until, is_round_over } = state.mode {
        let is_small = seen.in_flight <= LEAST_WINDOW * seen.segment;
        if until.is_none() && is_small {
            let until = Some(seen.now + PROBE_RTT_TIME);
            state.mode = Mode::ProbeRtt { until, is_round_over: false };
            state.round_end = seen.delivered;
        } else if until.is_some() {
            let is_round_over = is_round_over || state.is_round_start;
            state.mode = Mode::ProbeRtt { until, is_round_over };
            if is_round_over {
                (state, cwnd) = state.end_probe_rtt(until, seen.now, cwnd, seen.random);
            }
        }
    }
    if seen.sample.is_some() {
        state.is_restarting = false;
    }
    (state, cwnd)
}

/// `bbr_set_pacing_rate` [linux-bbr]
fn set_rate(mut state: State, seen: &Seen) -> State {
    if !state.has_rate && seen.smoothed_round_trip.is_some() {
        state.has_rate = true;
        let first = first_rate(HIGH_GAIN, seen.cwnd, seen.smoothed_round_trip);
        state.pacing_rate = PACING_MARGIN * first;
    }
    let rate = PACING_MARGIN * state.pacing_gain() * state.bandwidth.get();
    if state.is_full || rate > state.pacing_rate {
        state.pacing_rate = rate;
    }
    state
}

/// `bbr_set_cwnd` [linux-bbr]
fn set_window(mut state: State, seen: &Seen, cwnd: u64) -> (State, u64) {
    let mut cwnd = cwnd;
    if seen.acked > 0 {
        (state, cwnd) = recover_or_restore(state, seen, cwnd);
        if state.conserves {
            cwnd = cwnd.max(seen.in_flight + seen.acked);
        } else {
            cwnd = towards_target(&state, seen, cwnd);
        }
    }
    if matches!(state.mode, Mode::ProbeRtt { .. }) {
        cwnd = cwnd.min(LEAST_WINDOW * seen.segment);
    }
    (state, cwnd.max(seen.segment))
}

/// Moves the window to its target: up by the octets that arrive, and down at once.
fn towards_target(state: &State, seen: &Seen, cwnd: u64) -> u64 {
    let mut target = state.product(seen, state.window_gain());
    if state.is_full {
        let most = whole(volume(state.bandwidth.get(), EXTRA_TIME));
        target += state.extra[0].max(state.extra[1]).min(most);
    }
    let target = state.with_bursts(seen, target);
    let grown = if state.is_full {
        (cwnd + seen.acked).min(target)
    } else if cwnd < target || seen.delivered < seen.initial_window {
        cwnd + seen.acked
    } else {
        cwnd
    };
    grown.max(LEAST_WINDOW * seen.segment)
}

/// Takes losses from the window, and starts and ends packet conservation.  `bbr_set_cwnd_to_recover_or_restore`
/// [linux-bbr]
fn recover_or_restore(mut state: State, seen: &Seen, cwnd: u64) -> (State, u64) {
    let mut cwnd = cwnd.saturating_sub(seen.lost).max(seen.segment);
    if seen.phase == Phase::Recovery && state.phase != Phase::Recovery {
        state.conserves = true;
        state.round_end = seen.delivered;
        cwnd = seen.in_flight + seen.acked;
    } else if seen.phase == Phase::Open && state.phase != Phase::Open {
        cwnd = cwnd.max(state.saved_window);
        state.conserves = false;
    }
    state.phase = seen.phase;
    (state, cwnd)
}

#[cfg(test)]
#[path = "bbr1/tests.rs"]
mod tests;
