//! BBR version 3: as version 1, but losses limit the rate and the data in flight, and it probes less often.
//!
//! Source: [draft-bbr §5]. Names of the draft: `inflight_longterm` (`inflight_hi`) is the data in flight at which
//! probing has lost too much; `bw_shortterm` and `inflight_shortterm` (`bw_lo`, `inflight_lo`) are what the last
//! rounds with losses delivered. Marks of ECN would be further signals of [`adapt_to_losses`]; they are not built.
//!
//! ```text
//!  Startup ──no growth, or losses──► Drain ──► Down ──► Cruise ──2 to 3 s, or 63 rounds──► Refill ──a round──► Up
//!     ▲                                         ▲                                                              │
//!     │                                         └──────────── no growth, or losses ────────────────────────────┘
//!     └── pipe not full ── ProbeRTT ◄── 5 s without a shorter round trip, from anywhere; back to Cruise
//! ```

#![expect(
    clippy::large_types_passed_by_value,
    reason = "each part of a step takes the state and returns the next one"
)]

use airfair_units::{Duration, Time};

use crate::bbr::{
    Control, FULL_GROWTH, FULL_ROUNDS, LEAST_WINDOW, LostSegment, MaxFilter, PACING_MARGIN,
    PROBE_RTT_TIME, Phase, Sample, Seen, first_rate, float, volume, whole,
};

/// `StartupPacingGain`: 4·ln 2.  [draft-bbr §2.5]
pub const STARTUP_GAIN: f64 = 2.77;
/// `DrainPacingGain`.  [draft-bbr §2.5]
pub const DRAIN_GAIN: f64 = 0.5;
/// Pacing gain of `ProbeBW_DOWN`.  [draft-bbr §5.3.3.1]
pub const DOWN_GAIN: f64 = 0.9;
/// Pacing gain of `ProbeBW_UP`.  [draft-bbr §5.3.3.4]
pub const UP_GAIN: f64 = 1.25;
/// `DefaultCwndGain`.  [draft-bbr §2.6]
pub const WINDOW_GAIN: f64 = 2.0;
/// Gain of the window in `ProbeBW_UP`.  [draft-bbr §5.3.3.4]
pub const UP_WINDOW_GAIN: f64 = 2.25;
/// `ProbeRTTCwndGain`.  [draft-bbr §2.16.2]
pub const PROBE_RTT_WINDOW_GAIN: f64 = 0.5;
/// `LossThresh`: largest fraction of lost data per round that probing tolerates.  [draft-bbr §2.8]
pub const LOSS_THRESHOLD: f64 = 0.02;
/// Beta: fraction that a round with losses leaves at least.  [draft-bbr §2.8]
pub const BETA: f64 = 0.7;
/// Headroom: fraction of `inflight_longterm` that is left to others.  [draft-bbr §2.8]
pub const HEADROOM: f64 = 0.15;
/// `ExtraAckedFilterLen` [rounds].  [draft-bbr §2.12]
pub const EXTRA_ROUNDS: u32 = 10;
/// `MinRTTFilterLen`.  [draft-bbr §2.16.1]
pub const ROUND_TRIP_TIME: Duration = Duration::from_secs(10);
/// `ProbeRTTInterval`.  [draft-bbr §2.16.2]
pub const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);
/// `BBRStartupFullLossCnt`: ACKs with losses in a round that end Startup.  [draft-bbr §5.3.1.3]
pub const STARTUP_LOSSES: u32 = 6;
/// Largest number of rounds between two probes for bandwidth.  [draft-bbr §5.3.3.8]
pub const MOST_ROUNDS: u64 = 63;
/// Rounds after which Drain ends in any case.  [draft-bbr §5.3.2]
const DRAIN_ROUNDS: u32 = 3;

/// State of BBR's state machine.  [draft-bbr §5.1.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Searches for the bandwidth by doubling the rate.
    #[default]
    Startup,
    /// Empties the queue that Startup has built.
    Drain {
        /// Number of the round in which the state began.
        since: u32,
    },
    /// `ProbeBW_DOWN`: empties the queue and leaves headroom.
    Down,
    /// `ProbeBW_CRUISE`: sends at the bandwidth.
    Cruise,
    /// `ProbeBW_REFILL`: fills the pipe for one round, before it probes.
    Refill,
    /// `ProbeBW_UP`: probes for more bandwidth.
    Up,
    /// Holds the data in flight at half of the product, to measure the round trip without a queue.
    ProbeRtt {
        /// Time from which on the state may end; `None` until the data in flight is small.
        until: Option<Time>,
        /// True once a round has passed since the data in flight is small.
        is_round_over: bool,
    },
}

impl Mode {
    /// True in the four states of `ProbeBW`.
    fn is_probe_bandwidth(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// True in the states that fill the pipe or more.  `IsProbingBW` [draft-bbr §5.3.3.9]
    fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }

    /// Gain of the pacing rate.  [draft-bbr §5.6.1]
    #[must_use]
    pub fn pacing_gain(self) -> f64 {
        match self {
            Self::Startup => STARTUP_GAIN,
            Self::Drain { .. } => DRAIN_GAIN,
            Self::Down => DOWN_GAIN,
            Self::Cruise | Self::Refill | Self::ProbeRtt { .. } => 1.0,
            Self::Up => UP_GAIN,
        }
    }

    /// Gain of the window.  [draft-bbr §5.6.1]
    #[must_use]
    pub fn window_gain(self) -> f64 {
        match self {
            Self::Up => UP_WINDOW_GAIN,
            Self::ProbeRtt { .. } => PROBE_RTT_WINDOW_GAIN,
            _ => WINDOW_GAIN,
        }
    }
}

/// Relation of ACKs to probing for bandwidth.  `ack_phase` [draft-bbr §2.14]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckPhase {
    /// No feedback about probing.
    #[default]
    Init,
    /// The pipe is being refilled.
    Refilling,
    /// Data of the probe is under way.
    Starting,
    /// ACKs are feedback about the probe.
    Feedback,
    /// The probe is over, and its ACKs still arrive.
    Stopping,
}

/// Values to restore if a recovery was needless.  [draft-bbr §2.15]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saved {
    /// State that losses have ended; `None` if they have ended none.
    pub mode: Option<Mode>,
    /// `bw_shortterm` [octets/s].
    pub bandwidth: f64,
    /// `inflight_shortterm` [octets].
    pub short_term: f64,
    /// `inflight_longterm` [octets].
    pub long_term: f64,
}

/// State of BBR version 3.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "the independent flags of the pseudo-code")]
pub struct State {
    /// State of the state machine.
    pub mode: Mode,
    /// `max_bw_filter`: largest delivery rate of the previous and of this cycle [octets/s].
    pub cycles: [f64; 2],
    /// `bw_shortterm`: bandwidth after losses; infinite without them [octets/s].
    pub short_bandwidth: f64,
    /// `inflight_shortterm` [octets].
    pub short_term: f64,
    /// `inflight_longterm` [octets].
    pub long_term: f64,
    /// `bw_latest`: largest delivery rate of the round [octets/s].
    pub latest_rate: f64,
    /// `inflight_latest`: largest number of octets delivered in a round trip of the round.
    pub latest_volume: f64,
    /// `round_count`.
    pub rounds: u32,
    /// `next_round_delivered`.
    pub round_end: u64,
    /// `round_start`: true if the last ACK began a round.
    pub is_round_start: bool,
    /// `loss_round_delivered`: octets delivered at which the round of losses ends.
    pub loss_round_end: u64,
    /// `loss_round_start`.
    pub is_loss_round_start: bool,
    /// `is_loss_in_round`.
    pub has_loss: bool,
    /// ACKs with losses in the round of losses.
    pub losses: u32,
    /// `full_bw`, `full_bw_count` and `full_bw_now`.
    pub full: Full,
    /// `full_bw_reached`.
    pub is_full: bool,
    /// `min_rtt`, and the time of its sample.
    pub round_trip: Option<Duration>,
    /// Time of the sample of `round_trip`.
    pub round_trip_at: Time,
    /// `probe_rtt_min_delay`.
    pub recent_round_trip: Option<Duration>,
    /// `probe_rtt_min_stamp`.
    pub recent_at: Time,
    /// `extra_acked_filter`.
    pub extra: MaxFilter,
    /// `extra_acked_interval_start`.
    pub extra_since: Time,
    /// `extra_acked_delivered`.
    pub extra_acked: f64,
    /// `ack_phase`.
    pub ack_phase: AckPhase,
    /// `is_bw_probe_sample`.
    pub is_probe_sample: bool,
    /// `bw_probe_up_acked` [octets].
    pub up_acked: u64,
    /// `probe_up_acked_per_inc` [octets]; the largest number if the limit does not grow.
    pub up_step: u64,
    /// `bw_probe_up_rounds`.
    pub up_rounds: u32,
    /// `rounds_since_probe_up`.
    pub since_up: u64,
    /// `bw_probe_wait`.
    pub wait: Duration,
    /// `cycle_stamp`.
    pub cycle_at: Time,
    /// `prev_probe_too_high`.
    pub was_too_high: bool,
    /// `prev_probe_precautionary`.
    pub was_precautionary: bool,
    /// `prior_cwnd` [octets].
    pub saved_window: u64,
    /// Values to restore if a recovery was needless.
    pub saved: Saved,
    /// Phase of loss recovery after the last ACK.
    pub phase: Phase,
    /// `idle_restart`.
    pub is_restarting: bool,
    /// True once the first rate was set from a measured round trip.
    pub has_rate: bool,
    /// Pacing rate [octets/s].
    pub pacing_rate: f64,
}

/// Detector of a full pipe.  [draft-bbr §5.3.1.2]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Full {
    /// `full_bw`: rate from which the next growth counts [octets/s].
    pub rate: f64,
    /// `full_bw_count`: rounds without growth.
    pub rounds: u32,
    /// `full_bw_now`.
    pub is_now: bool,
}

impl State {
    /// State at the start of a connection whose initial window is `window` octets.  `OnInit` [draft-bbr §5.2.1]
    #[must_use]
    pub fn new(window: u64) -> Self {
        let infinite = f64::INFINITY;
        Self {
            mode: Mode::Startup,
            cycles: [0.0; 2],
            short_bandwidth: infinite,
            short_term: infinite,
            long_term: infinite,
            latest_rate: 0.0,
            latest_volume: 0.0,
            rounds: 0,
            round_end: 0,
            is_round_start: false,
            loss_round_end: 0,
            is_loss_round_start: false,
            has_loss: false,
            losses: 0,
            full: Full::default(),
            is_full: false,
            round_trip: None,
            round_trip_at: Time::ZERO,
            recent_round_trip: None,
            recent_at: Time::ZERO,
            extra: MaxFilter::default(),
            extra_since: Time::ZERO,
            extra_acked: 0.0,
            ack_phase: AckPhase::Init,
            is_probe_sample: false,
            up_acked: 0,
            up_step: u64::MAX,
            up_rounds: 0,
            since_up: 0,
            wait: Duration::ZERO,
            cycle_at: Time::ZERO,
            was_too_high: false,
            was_precautionary: false,
            saved_window: 0,
            saved: Saved { mode: None, bandwidth: 0.0, short_term: 0.0, long_term: 0.0 },
            phase: Phase::Open,
            is_restarting: false,
            has_rate: false,
            pacing_rate: first_rate(STARTUP_GAIN, window, None),
        }
    }

    /// `max_bw`: largest delivery rate of the last two cycles [octets/s].
    #[must_use]
    pub fn max_bandwidth(&self) -> f64 {
        self.cycles[0].max(self.cycles[1])
    }

    /// `BBR.bw`: bandwidth that the model allows [octets/s].  `BoundBWForModel` [draft-bbr §5.5.10.3]
    #[must_use]
    pub fn bandwidth(&self) -> f64 {
        self.max_bandwidth().min(self.short_bandwidth)
    }

    /// Returns the state when a recovery begins, at a window of `cwnd`.  `OnEnterFastRecovery` [draft-bbr §5.6.4.4]
    #[must_use]
    pub fn saved(self, cwnd: u64) -> Self {
        self.with_window_saved(cwnd).with_bounds_saved()
    }

    /// Returns the state after a retransmission time-out at a window of `cwnd`.  `OnEnterRTO` [draft-bbr §5.6.4.4]
    #[must_use]
    pub fn timed_out(self, cwnd: u64) -> Self {
        Self { phase: Phase::Loss, ..self.saved(cwnd) }
    }

    /// `SaveCwnd` [draft-bbr §5.6.4.4]
    fn with_window_saved(self, cwnd: u64) -> Self {
        let is_good = self.phase == Phase::Open && !matches!(self.mode, Mode::ProbeRtt { .. });
        Self { saved_window: if is_good { cwnd } else { self.saved_window.max(cwnd) }, ..self }
    }

    /// `SaveStateUponLoss`, except for the window [draft-bbr §5.5.11.1]
    fn with_bounds_saved(self) -> Self {
        let saved = Saved {
            mode: None,
            bandwidth: self.short_bandwidth,
            short_term: self.short_term,
            long_term: self.long_term,
        };
        Self { saved, ..self }
    }

    /// Returns the state after a recovery that was needless.  `HandleSpuriousLossDetection` [draft-bbr §5.5.11.2]
    #[must_use]
    pub fn undone(mut self) -> Self {
        (self.has_loss, self.full) = (false, Full::default());
        self.short_bandwidth = self.short_bandwidth.max(self.saved.bandwidth);
        self.short_term = self.short_term.max(self.saved.short_term);
        self.long_term = self.long_term.max(self.saved.long_term);
        let is_probing_rtt = matches!(self.mode, Mode::ProbeRtt { .. });
        match self.saved.mode.take() {
            Some(Mode::Startup) if self.mode != Mode::Startup => {
                self.is_full = false;
                self.mode = if is_probing_rtt { self.mode } else { Mode::Startup };
            }
            Some(Mode::Up) if self.mode != Mode::Up && !is_probing_rtt => {
                self = self.refilling(self.round_end);
            }
            _ => {}
        }
        self
    }

    /// Returns the state when the sender, limited by its application, sends again with nothing in flight, and the
    /// window.  `HandleRestartFromIdle` [draft-bbr §5.4.1]
    #[must_use]
    pub fn restarted(mut self, now: Time, cwnd: u64, random: u64) -> (Self, u64) {
        (self.is_restarting, self.extra_since) = (true, now);
        if self.mode.is_probe_bandwidth() {
            self.pacing_rate = PACING_MARGIN * self.bandwidth();
        } else if let Mode::ProbeRtt { until, .. } = self.mode {
            return self.end_probe_rtt(until, (now, cwnd), random, self.round_end);
        }
        (self, cwnd)
    }

    /// Leaves `ProbeRTT` if its time is over, and restores the window.  `CheckProbeRTTDone`, `ExitProbeRTT`
    /// [draft-bbr §5.3.4]
    fn end_probe_rtt(
        mut self,
        until: Option<Time>,
        (now, cwnd): (Time, u64),
        random: u64,
        delivered: u64,
    ) -> (Self, u64) {
        if until.is_none_or(|until| now <= until) {
            return (self, cwnd);
        }
        self.recent_at = now;
        self = self.without_short_term();
        if self.is_full {
            self = self.going_down(now, delivered, random);
            self.mode = Mode::Cruise;
        } else {
            self.mode = Mode::Startup;
        }
        (self, cwnd.max(self.saved_window))
    }

    /// `ResetShortTermModel` [draft-bbr §5.5.10.3]
    fn without_short_term(self) -> Self {
        Self { short_bandwidth: f64::INFINITY, short_term: f64::INFINITY, ..self }
    }

    /// `StartProbeBW_DOWN` [draft-bbr §5.3.3.9]
    fn going_down(mut self, now: Time, delivered: u64, random: u64) -> Self {
        (self.has_loss, self.latest_rate, self.latest_volume) = (false, 0.0, 0.0);
        self.up_step = u64::MAX;
        // `PickProbeWait`: 0 or 1 rounds, and 2 to 3 seconds.
        self.since_up = random & 1;
        self.wait = Duration::from_secs(2) + Duration::from_nanos((random >> 1) % 1_000_000_000);
        (self.cycle_at, self.ack_phase) = (now, AckPhase::Stopping);
        (self.round_end, self.mode) = (delivered, Mode::Down);
        self
    }

    /// `StartProbeBW_REFILL` [draft-bbr §5.3.3.9]
    fn refilling(self, delivered: u64) -> Self {
        Self {
            up_rounds: 0,
            up_acked: 0,
            was_precautionary: false,
            ack_phase: AckPhase::Refilling,
            round_end: delivered,
            mode: Mode::Refill,
            ..self.without_short_term()
        }
    }

    /// `BDPMultiple` [draft-bbr §5.6.4.2]
    fn product(&self, seen: &Seen, gain: f64, bandwidth: f64) -> f64 {
        match self.round_trip {
            Some(round_trip) => gain * volume(bandwidth, round_trip),
            None => float(seen.initial_window),
        }
    }

    /// `QuantizationBudget`, with Linux's three bursts of TCP [draft-bbr §5.6.4.2, §5.5.8.1]
    fn with_bursts(&self, seen: &Seen, octets: f64) -> f64 {
        let least = float((3 * seen.burst).max(LEAST_WINDOW * seen.segment));
        let pair = if self.mode == Mode::Up { 2 * seen.segment } else { 0 };
        octets.max(least) + float(pair)
    }

    /// `TargetInflight` [draft-bbr §5.3.3.8]
    fn target(&self, seen: &Seen) -> f64 {
        self.product(seen, 1.0, self.bandwidth()).min(float(seen.cwnd))
    }

    /// `InflightWithHeadroom` [draft-bbr §5.3.3.9]
    fn with_headroom(&self, seen: &Seen) -> f64 {
        let headroom = float(seen.segment).max(HEADROOM * self.long_term);
        if self.long_term.is_infinite() {
            return f64::INFINITY;
        }
        (self.long_term - headroom).max(float(LEAST_WINDOW * seen.segment))
    }
}

/// `IsInflightTooHigh`, for a connection with selective acknowledgments [draft-bbr §5.5.10.2]
fn is_too_high(lost: u64, sent_in_flight: f64) -> bool {
    float(lost) > sent_in_flight * LOSS_THRESHOLD
}

/// Processes a segment that was marked lost.  `HandleLostPacket` [draft-bbr §5.5.10.2]
#[must_use]
pub fn lose(mut state: State, segment: &LostSegment, seen: &Seen) -> State {
    if !state.has_loss {
        state.loss_round_end = seen.delivered;
        state = state.saved(seen.cwnd);
    }
    state.has_loss = true;
    let in_flight = float(segment.sent_in_flight);
    if !state.is_probe_sample || !is_too_high(segment.lost, in_flight) {
        return state;
    }
    // `InflightAtLoss`: the prefix of this segment at which the losses cross the threshold.
    let size = float(segment.size);
    let (before, lost_before) = (in_flight - size, float(segment.lost) - size);
    let prefix = (LOSS_THRESHOLD * before - lost_before) / (1.0 - LOSS_THRESHOLD);
    reduce(state, before + prefix, segment.is_app_limited, seen)
}

/// `HandleInflightTooHigh` [draft-bbr §5.5.10.2]
fn reduce(mut state: State, in_flight: f64, is_app_limited: bool, seen: &Seen) -> State {
    (state.was_too_high, state.is_probe_sample) = (true, false);
    if !is_app_limited {
        state.long_term = in_flight.max(BETA * state.target(seen));
    }
    if state.mode == Mode::Up {
        state.saved.mode = Some(Mode::Up);
        state = state.going_down(seen.now, seen.delivered, seen.random);
    }
    state
}

/// Processes an ACK. Returns the new state and the setting of the sender.  `UpdateOnACK` [draft-bbr §5.2.3]
#[must_use]
pub fn step(state: State, seen: &Seen) -> (State, Control) {
    let state = update_signals(state, seen);
    let state = adapt_to_losses(state, seen);
    let state = update_extra(state, seen);
    let state = check_full(state, seen);
    let state = check_startup(state, seen);
    let state = check_drain(state, seen);
    let state = probe_bandwidth(state, seen);
    let (state, is_expired) = update_round_trip(state, seen);
    let (mut state, cwnd) = probe_round_trip(state, seen, is_expired);
    if state.is_loss_round_start {
        let sample = seen.sample.unwrap_or_default();
        (state.latest_rate, state.latest_volume) = (sample.rate, float(sample.delivered));
    }
    let state = set_rate(state, seen);
    let (state, cwnd) = set_window(state, seen, cwnd);
    let is_app_limited = matches!(state.mode, Mode::ProbeRtt { .. });
    (state, Control { cwnd, pacing_rate: state.pacing_rate, is_app_limited })
}

/// `UpdateLatestDeliverySignals`, `UpdateRound`, `UpdateMaxBw` [draft-bbr §5.5]
fn update_signals(mut state: State, seen: &Seen) -> State {
    (state.is_round_start, state.is_loss_round_start) = (false, false);
    let Some(sample) = seen.sample else { return state };
    state.latest_rate = state.latest_rate.max(sample.rate);
    state.latest_volume = state.latest_volume.max(float(sample.delivered));
    if sample.delivered_before >= state.loss_round_end {
        (state.loss_round_end, state.is_loss_round_start) = (seen.delivered, true);
    }
    if sample.delivered_before >= state.round_end {
        (state.round_end, state.is_round_start) = (seen.delivered, true);
        state.rounds += 1;
        state.since_up += 1;
    }
    let counts = sample.rate >= state.max_bandwidth() || !sample.is_app_limited;
    if sample.rate > 0.0 && counts {
        state.cycles[1] = state.cycles[1].max(sample.rate);
    }
    state
}

/// Once per round with losses, lowers the short-term bounds to what the round delivered, but at most by 30 %.
/// `AdaptLowerBoundsFromCongestion` [draft-bbr §5.5.10.3]
fn adapt_to_losses(mut state: State, seen: &Seen) -> State {
    state.losses += u32::from(seen.lost > 0);
    if !state.is_loss_round_start {
        return state;
    }
    if state.has_loss && !state.mode.is_probing() {
        if state.short_bandwidth.is_infinite() {
            state.short_bandwidth = state.max_bandwidth();
        }
        if state.short_term.is_infinite() {
            state.short_term = float(seen.cwnd);
        }
        state.short_bandwidth = state.latest_rate.max(BETA * state.short_bandwidth);
        state.short_term = state.latest_volume.max(BETA * state.short_term);
    }
    state.has_loss = false;
    state
}

/// `UpdateACKAggregation` [draft-bbr §5.5.9]
fn update_extra(mut state: State, seen: &Seen) -> State {
    if seen.acked == 0 {
        return state;
    }
    let period = seen.now.saturating_since(state.extra_since);
    let mut expected = volume(state.bandwidth(), period);
    if state.extra_acked <= expected {
        (state.extra_acked, state.extra_since, expected) = (0.0, seen.now, 0.0);
    }
    state.extra_acked += float(seen.acked);
    let extra = (state.extra_acked - expected).min(float(seen.cwnd));
    let window = if state.is_full { EXTRA_ROUNDS } else { 1 };
    state.extra = state.extra.with(window, state.rounds, extra);
    state
}

/// `CheckFullBWReached` [draft-bbr §5.3.1.2]
fn check_full(mut state: State, seen: &Seen) -> State {
    let Some(sample) = seen.sample.filter(|sample| !sample.is_app_limited) else { return state };
    if state.full.is_now || !state.is_round_start {
        return state;
    }
    if sample.rate >= FULL_GROWTH * state.full.rate {
        state.full = Full { rate: sample.rate, ..Full::default() };
        return state;
    }
    state.full.rounds += 1;
    state.full.is_now = state.full.rounds >= FULL_ROUNDS;
    state.is_full |= state.full.is_now;
    state
}

/// `CheckStartupDone`, `CheckStartupHighLoss` [draft-bbr §5.3.1]
fn check_startup(mut state: State, seen: &Seen) -> State {
    if state.mode == Mode::Startup
        && state.is_loss_round_start
        && seen.phase == Phase::Recovery
        && state.losses >= STARTUP_LOSSES
        && seen.sample.is_some_and(|it| is_too_high(it.lost, float(it.sent_in_flight)))
    {
        (state.is_full, state.saved.mode) = (true, Some(Mode::Startup));
        let product = state.product(seen, 1.0, state.bandwidth());
        state.long_term = product.max(state.latest_volume);
    }
    if state.is_loss_round_start {
        state.losses = 0;
    }
    if state.mode == Mode::Startup && state.is_full {
        state.mode = Mode::Drain { since: state.rounds };
    }
    state
}

/// `CheckDrainDone` [draft-bbr §5.3.2]
fn check_drain(state: State, seen: &Seen) -> State {
    let Mode::Drain { since } = state.mode else { return state };
    let product = state.product(seen, 1.0, state.bandwidth());
    let is_empty = float(seen.in_flight) <= state.with_bursts(seen, product);
    if is_empty || state.rounds > since + DRAIN_ROUNDS {
        return state.going_down(seen.now, seen.delivered, seen.random);
    }
    state
}

/// `UpdateProbeBWCyclePhase` [draft-bbr §5.3.3.9]
fn probe_bandwidth(state: State, seen: &Seen) -> State {
    let Some(sample) = seen.sample.filter(|_| state.is_full) else { return state };
    let (mut state, has_moved) = adapt_long_term(state, seen, &sample);
    if has_moved {
        return state;
    }
    match state.mode {
        Mode::Down | Mode::Cruise if is_time_to_probe(&state, seen) => {
            state.refilling(seen.delivered)
        }
        Mode::Down if is_time_to_cruise(&state, seen) => {
            state.mode = Mode::Cruise;
            state
        }
        Mode::Refill if state.is_round_start => {
            state.is_probe_sample = true;
            state.ack_phase = AckPhase::Starting;
            state.round_end = seen.delivered;
            state.full = Full { rate: sample.rate, ..Full::default() };
            state.mode = Mode::Up;
            raise_slope(state, seen)
        }
        Mode::Up => probe_up(state, seen, &sample),
        _ => state,
    }
}

/// `IsTimeToGoDown` [draft-bbr §5.3.3.9]
fn probe_up(mut state: State, seen: &Seen, sample: &Sample) -> State {
    let is_cautious = state.was_too_high && float(seen.in_flight) >= state.long_term;
    let is_bound = seen.is_cwnd_limited && float(seen.cwnd) >= state.long_term;
    if is_cautious {
        state.was_precautionary = true;
    } else if is_bound {
        state.full = Full { rate: sample.rate, ..Full::default() };
    }
    if is_cautious || (!is_bound && state.full.is_now) {
        state.was_too_high = false;
        return state.going_down(seen.now, seen.delivered, seen.random);
    }
    state
}

/// `IsTimeToProbeBW`, `IsRenoCoexistenceProbeTime` [draft-bbr §5.3.3.8]
fn is_time_to_probe(state: &State, seen: &Seen) -> bool {
    let reno = whole(state.target(seen)) / seen.segment;
    seen.now > state.cycle_at + state.wait || state.since_up >= reno.min(MOST_ROUNDS)
}

/// `IsTimeToCruise` [draft-bbr §5.3.3.9]
fn is_time_to_cruise(state: &State, seen: &Seen) -> bool {
    let product = state.product(seen, 1.0, state.max_bandwidth());
    let most = state.with_headroom(seen).min(state.with_bursts(seen, product));
    float(seen.in_flight) <= most
}

/// Returns the state, and true if it has changed to another state of `ProbeBW`.  `AdaptLongTermModel`
/// [draft-bbr §5.3.3.9]
fn adapt_long_term(mut state: State, seen: &Seen, sample: &Sample) -> (State, bool) {
    if state.ack_phase == AckPhase::Starting && state.is_round_start {
        state.ack_phase = AckPhase::Feedback;
    }
    if state.ack_phase == AckPhase::Stopping && state.is_round_start {
        (state.is_probe_sample, state.ack_phase) = (false, AckPhase::Init);
        let is_probe_bandwidth = state.mode.is_probe_bandwidth();
        if is_probe_bandwidth && !sample.is_app_limited {
            // `AdvanceMaxBwFilter`. An empty cycle keeps the maximum of the one before.
            if state.cycles[1] > 0.0 {
                state.cycles = [state.cycles[1], 0.0];
            }
        }
        if is_probe_bandwidth && state.was_precautionary && !state.was_too_high {
            return (state.refilling(seen.delivered), true);
        }
    }
    if is_too_high(sample.lost, float(sample.sent_in_flight)) || state.long_term.is_infinite() {
        return (state, false);
    }
    state.long_term = state.long_term.max(float(sample.sent_in_flight));
    if state.mode == Mode::Up {
        state = raise_long_term(state, seen);
    }
    (state, false)
}

/// `ProbeInflightLongtermUpward` [draft-bbr §5.3.3.9]
fn raise_long_term(mut state: State, seen: &Seen) -> State {
    if !seen.is_cwnd_limited || float(seen.cwnd) < state.long_term {
        return state;
    }
    state.up_acked += seen.acked;
    if state.up_acked >= state.up_step {
        let steps = state.up_acked / state.up_step;
        state.up_acked -= steps * state.up_step;
        state.long_term += float(steps * seen.segment);
    }
    if state.is_round_start { raise_slope(state, seen) } else { state }
}

/// `RaiseInflightLongtermSlope` [draft-bbr §5.3.3.9]
fn raise_slope(state: State, seen: &Seen) -> State {
    let up_step = (seen.cwnd >> state.up_rounds).max(seen.segment);
    State { up_step, up_rounds: (state.up_rounds + 1).min(30), ..state }
}

/// Keeps the smallest round trips of five and of ten seconds. Returns true if that of five has expired.
/// `UpdateMinRTT` [draft-bbr §5.3.4.3]
fn update_round_trip(mut state: State, seen: &Seen) -> (State, bool) {
    let is_expired = seen.now > state.recent_at + PROBE_RTT_INTERVAL;
    if let Some(sample) = seen.round_trip
        && (is_expired || state.recent_round_trip.is_none_or(|least| sample < least))
    {
        (state.recent_round_trip, state.recent_at) = (Some(sample), seen.now);
    }
    let is_old = seen.now > state.round_trip_at + ROUND_TRIP_TIME;
    if let Some(recent) = state.recent_round_trip
        && (is_old || state.round_trip.is_none_or(|least| recent < least))
    {
        (state.round_trip, state.round_trip_at) = (Some(recent), state.recent_at);
    }
    (state, is_expired)
}

/// Enters, keeps and leaves `ProbeRTT`. Returns the window, too.  `CheckProbeRTT`, `HandleProbeRTT`
/// [draft-bbr §5.3.4.3]
fn probe_round_trip(mut state: State, seen: &Seen, is_expired: bool) -> (State, u64) {
    let is_probing = matches!(state.mode, Mode::ProbeRtt { .. });
    if is_expired && !is_probing && !state.is_restarting {
        state = state.with_window_saved(seen.cwnd);
        state.mode = Mode::ProbeRtt { until: None, is_round_over: false };
        (state.ack_phase, state.round_end) = (AckPhase::Stopping, seen.delivered);
    }
    let mut cwnd = seen.cwnd;
    if let Mode::ProbeRtt { until, is_round_over } = state.mode {
        if until.is_none() && float(seen.in_flight) <= probe_rtt_window(&state, seen) {
            let until = Some(seen.now + PROBE_RTT_TIME);
            state.mode = Mode::ProbeRtt { until, is_round_over: false };
            state.round_end = seen.delivered;
        } else if until.is_some() {
            let is_round_over = is_round_over || state.is_round_start;
            state.mode = Mode::ProbeRtt { until, is_round_over };
            if is_round_over {
                let now = (seen.now, cwnd);
                (state, cwnd) = state.end_probe_rtt(until, now, seen.random, seen.delivered);
            }
        }
    }
    if seen.sample.is_some() {
        state.is_restarting = false;
    }
    (state, cwnd)
}

/// `ProbeRTTCwnd` [draft-bbr §5.6.4.5]
fn probe_rtt_window(state: &State, seen: &Seen) -> f64 {
    let half = state.product(seen, PROBE_RTT_WINDOW_GAIN, state.bandwidth());
    half.max(float(LEAST_WINDOW * seen.segment))
}

/// `SetPacingRate` [draft-bbr §5.6.2]
fn set_rate(mut state: State, seen: &Seen) -> State {
    if !state.has_rate && seen.smoothed_round_trip.is_some() {
        state.has_rate = true;
        state.pacing_rate = first_rate(STARTUP_GAIN, seen.initial_window, seen.smoothed_round_trip);
    }
    let rate = PACING_MARGIN * state.mode.pacing_gain() * state.bandwidth();
    if state.is_full || rate > state.pacing_rate {
        state.pacing_rate = rate;
    }
    state
}

/// `SetCwnd`, and the window that returns after a recovery [draft-bbr §5.6.4.4 to §5.6.4.7]
fn set_window(mut state: State, seen: &Seen, cwnd: u64) -> (State, u64) {
    let mut cwnd = cwnd;
    if seen.phase == Phase::Open && state.phase != Phase::Open {
        cwnd = cwnd.max(state.saved_window);
    }
    state.phase = seen.phase;
    let product = state.product(seen, state.mode.window_gain(), state.bandwidth());
    let most = state.with_bursts(seen, product + state.extra.get());
    let grown = cwnd + seen.acked;
    if state.is_full {
        cwnd = grown.min(whole(most));
    } else if float(cwnd) < most || seen.delivered < seen.initial_window {
        cwnd = grown;
    }
    let least = LEAST_WINDOW * seen.segment;
    cwnd = cwnd.max(least);
    if matches!(state.mode, Mode::ProbeRtt { .. }) {
        cwnd = cwnd.min(whole(probe_rtt_window(&state, seen)));
    }
    // `BoundCwndForModel`
    let cap = match state.mode {
        Mode::Cruise | Mode::ProbeRtt { .. } => state.with_headroom(seen),
        Mode::Down | Mode::Refill | Mode::Up => state.long_term,
        Mode::Startup | Mode::Drain { .. } => f64::INFINITY,
    };
    let cap = whole(cap.min(state.short_term)).max(least);
    (state, cwnd.min(cap))
}

#[cfg(test)]
#[path = "bbr3/tests.rs"]
mod tests;
