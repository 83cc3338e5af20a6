//! NADA, network-assisted dynamic adaptation: the rate of a call from one congestion signal, which adds delays, marks and
//! losses.  [RFC8698]
//!
//! While nothing delays, marks or loses packets, the rate follows what arrives with a margin. Otherwise it moves towards the
//! rate at which the signal is in balance with the call's priority.

mod losses;

use airfair_units::{Bytes, DataRate, Duration, Time};

use losses::Losses;

/// `DELTA`: interval of reports.  [RFC8698 §6.3]
pub const INTERVAL: Duration = Duration::from_millis(100);
/// `LOGWIN`: time over which losses, marks and the incoming rate are measured.  [RFC8698 §6.3]
pub const WINDOW: Duration = Duration::from_millis(500);
/// `PRIO`: priority of the call.  [RFC8698 §6.3]
const PRIORITY: f64 = 1.0;
/// `XREF`: congestion signal at the highest rate in balance [ms].  [RFC8698 §6.3]
const REFERENCE: f64 = 10.0;
/// `KAPPA`: gain of the gradual update.  [RFC8698 §6.3]
const KAPPA: f64 = 0.5;
/// `ETA`: weight of a change of the signal.  [RFC8698 §6.3]
const ETA: f64 = 2.0;
/// `TAU`: upper bound of the round-trip time [ms].  [RFC8698 §6.3]
const TAU: f64 = 500.0;
/// `QEPS`: queueing delay above which there is no ramp-up [ms].  [RFC8698 §6.3]
const QUIET: f64 = 10.0;
/// `DFILT`: bound of the delay of the filters [ms].  [RFC8698 §6.3]
const FILTER: f64 = 120.0;
/// `GAMMA_MAX`: largest margin of the ramp-up.  [RFC8698 §6.3]
const MARGIN: f64 = 0.5;
/// `QBOUND`: bound of the delay that the ramp-up may cause [ms].  [RFC8698 §6.3]
const BOUND: f64 = 50.0;
/// `MULTILOSS`: number of loss intervals for which a loss counts.  [RFC8698 §6.3]
const EXPIRY: f64 = 7.0;
/// `QTH`: delay above which losses make the delay count less [ms].  [RFC8698 §6.3]
const WARPED: f64 = 50.0;
/// `LAMBDA`: exponent with which it counts less.  [RFC8698 §6.3]
const LAMBDA: f64 = 0.5;
/// `PLRREF`, `PMRREF`: share of lost or marked packets with the penalties that follow.  [RFC8698 §6.3]
const SHARE: f64 = 0.01;
/// `DLOSS`: penalty of losses [ms].  [RFC8698 §6.3]
const LOSS_PENALTY: f64 = 10.0;
/// `DMARK`: penalty of marks [ms].  [RFC8698 §6.3]
const MARK_PENALTY: f64 = 2.0;
/// `ALPHA`: weight of the last shares of lost and marked packets.  [RFC8698 §6.3]
const ALPHA: f64 = 0.1;
/// `BETA_S`, `BETA_V`: weights of the sender's buffer.  [RFC8698 §6.3]
const BUFFER: f64 = 0.1;
/// Number of delays of which the least counts.  [RFC8698 §5.1.1]
const DELAYS: usize = 15;

/// Settings of the control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Rate before the first report.
    pub start: DataRate,
    /// `RMIN`: lowest rate.
    pub least: DataRate,
    /// `RMAX`: highest rate.
    pub most: DataRate,
}

/// State of the control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// `r_ref`: reference rate [bit/s].
    rate: f64,
    /// `d_base`: least delay so far; `None` before the first packet.
    base: Option<Duration>,
    /// Queueing delays of the last packets, as a ring [ms].
    delays: [f64; DELAYS],
    /// Number of delays so far.
    count: usize,
    losses: Losses,
    /// `p_loss`, `p_mark`: smoothed shares of lost and of marked packets.
    lost: f64,
    marked: f64,
    /// `x_curr`: congestion signal [ms].
    signal: f64,
    /// Time of the last report.
    at: Option<Time>,
    /// Time until which the ramp-up waits, because of a delay or a loss.
    disturbed_until: Time,
}

/// A packet that a report covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Time at which the sender sent it.
    pub sent: Time,
    /// Time at which it arrived, by the receiver's clock; `None` if it is lost.
    pub arrived: Option<Time>,
}

/// A report of the receiver, as the sender sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report<'a> {
    /// Time at which the report arrived.
    pub now: Time,
    /// Packets that the report is the first to cover, in the order in which they were sent.
    pub packets: &'a [Packet],
    /// Share of the packets of the last [`WINDOW`] that were lost.
    pub lost: f64,
    /// Share of the packets of the last [`WINDOW`] that were marked.
    pub marked: f64,
    /// `r_recv`: rate at which payload arrives; `None` before it is known.
    pub incoming: Option<DataRate>,
    /// Round-trip time.
    pub round_trip: Duration,
}

impl State {
    /// State before the first report.
    pub fn new(params: &Params) -> Self {
        Self {
            rate: bits(params.start),
            base: None,
            delays: [f64::MAX; DELAYS],
            count: 0,
            losses: Losses::default(),
            lost: 0.0,
            marked: 0.0,
            signal: 0.0,
            at: None,
            disturbed_until: Time::ZERO,
        }
    }

    /// `x_curr`: congestion signal [ms].
    pub fn signal(&self) -> f64 {
        self.signal
    }
}

/// Returns the state after a report, and the reference rate.
#[must_use]
pub fn step(params: &Params, state: State, report: &Report<'_>) -> (State, DataRate) {
    let mut state = state;
    for packet in report.packets {
        state = add(state, packet, report.now);
    }
    state.lost += ALPHA * (report.lost - state.lost);
    state.marked += ALPHA * (report.marked - state.marked);
    let before = state.signal;
    state.signal = signal(&state);
    let (least, most) = (bits(params.least), bits(params.most));
    let elapsed = state.at.map_or(ms(INTERVAL), |last| ms(report.now - last));
    let rate = if report.now > state.disturbed_until {
        ramped_up(state.rate, report)
    } else {
        gradual(state.rate, (before, state.signal), elapsed, most)
    };
    let state = State { rate: rate.clamp(least, most), at: Some(report.now), ..state };
    (state, rate_of(state.rate))
}

/// Adds a packet: its delay beyond the least, or its loss.
fn add(mut state: State, packet: &Packet, now: Time) -> State {
    state.losses = state.losses.add(packet.arrived.is_some());
    let Some(arrived) = packet.arrived else {
        return State { disturbed_until: now + WINDOW, ..state };
    };
    let delay = arrived.saturating_since(packet.sent);
    let base = state.base.map_or(delay, |base| base.min(delay));
    let queueing = ms(delay - base);
    state.delays[state.count % DELAYS] = queueing;
    let disturbed_until = if queueing > QUIET { now + WINDOW } else { state.disturbed_until };
    State { base: Some(base), count: state.count + 1, disturbed_until, ..state }
}

/// `x_curr`: congestion signal [ms].  [RFC8698 §4.2]
fn signal(state: &State) -> f64 {
    let delay = state.delays.into_iter().fold(f64::MAX, f64::min);
    let delay = if state.count == 0 { 0.0 } else { delay };
    let weight = state.losses.weight(EXPIRY);
    let counted = weight * warped(delay) + (1.0 - weight) * delay;
    counted + penalty(MARK_PENALTY, state.marked) + penalty(LOSS_PENALTY, state.lost)
}

/// `d_tilde`: delay after losses [ms].  [RFC8698 §4.2 eq. 1]
fn warped(delay: f64) -> f64 {
    if delay < WARPED { delay } else { WARPED * libm::exp(-LAMBDA * (delay - WARPED) / WARPED) }
}

/// Penalty of a share of lost or marked packets [ms].  [RFC8698 §4.2 eq. 2]
fn penalty(of_reference: f64, share: f64) -> f64 {
    of_reference * (share / SHARE) * (share / SHARE)
}

/// Rate of the accelerated ramp-up [bit/s].  [RFC8698 §4.3 eq. 3, 4]
fn ramped_up(rate: f64, report: &Report<'_>) -> f64 {
    let wait = ms(report.round_trip) + ms(INTERVAL) + FILTER;
    let margin = MARGIN.min(BOUND / wait);
    report.incoming.map_or(rate, |incoming| rate.max((1.0 + margin) * bits(incoming)))
}

/// Rate of the gradual update [bit/s], with the signal before and now [ms].  [RFC8698 §4.3 eq. 5 to 7]
fn gradual(rate: f64, (before, now): (f64, f64), elapsed: f64, most: f64) -> f64 {
    let offset = now - PRIORITY * REFERENCE * most / rate;
    let change = now - before;
    rate - KAPPA * (elapsed / TAU) * (offset / TAU) * rate - KAPPA * ETA * (change / TAU) * rate
}

/// Rates that the sender's buffer corrects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaped {
    /// `r_send`: rate at which packets leave.
    pub send: DataRate,
    /// `r_vin`: rate at which pictures are made.
    pub video: DataRate,
}

/// Rates of sender and encoder around the reference rate, with this much in the buffer between them, and a picture each
/// `interval`.  [RFC8698 §5.2.2]
#[must_use]
pub fn shaped(params: &Params, rate: DataRate, buffer: Bytes, interval: Duration) -> Shaped {
    #[expect(clippy::cast_precision_loss, reason = "a buffer of a few pictures")]
    let correction = BUFFER * buffer.bits() as f64 / interval.as_secs_f64();
    Shaped {
        send: rate_of(bits(rate) + correction).min(params.most),
        video: rate_of(bits(rate) - correction).max(params.least),
    }
}

/// The rate [bit/s].
#[expect(clippy::cast_precision_loss, reason = "a rate has at most 12 digits")]
fn bits(rate: DataRate) -> f64 {
    rate.bps() as f64
}

/// Rate of these bit/s, rounded down; of 1 bit/s if they are fewer.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn rate_of(bits: f64) -> DataRate {
    DataRate::from_bps((bits as u64).max(1))
}

/// The interval [ms].
fn ms(interval: Duration) -> f64 {
    interval.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests;
