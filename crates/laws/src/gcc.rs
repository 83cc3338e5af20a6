//! Google congestion control: the target rate of a call from the times at which its packets arrive, and from losses.
//! [draft-gcc §5]
//!
//! Packets that leave in one burst are a group. The delay variation between groups passes a Kalman filter, whose
//! estimate is compared with a threshold that adapts. Over-use lowers the rate below that which arrives; otherwise it
//! grows by 8 % a second, or by half a packet per response time near the rate of earlier over-use. A second estimate
//! follows losses alone, and the lower of the two is the target.  Deviates: [D-341]

mod arrival;
mod detector;
mod kalman;
mod loss;
mod rate;

use airfair_units::{DataRate, Duration, Time};

pub use arrival::Arrival;
pub use detector::Signal;
pub use rate::Mode;

/// Settings of the control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Target before the first report.
    pub start: DataRate,
    /// Lowest target.
    pub least: DataRate,
    /// Highest target.
    pub most: DataRate,
}

/// State of the control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    groups: arrival::State,
    filter: kalman::State,
    detector: detector::State,
    delay: rate::State,
    loss: loss::State,
}

/// A report of the receiver, as the sender sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report<'a> {
    /// Time at which the report arrived.
    pub now: Time,
    /// Packets that the report says have arrived, in the order in which they were sent.
    pub arrivals: &'a [Arrival],
    /// Number of packets that the report is the first to cover.
    pub expected: u64,
    /// Those of them that have not arrived.
    pub lost: u64,
    /// Rate at which payload arrives, `R_hat`; `None` before it is known.
    pub incoming: Option<DataRate>,
    /// Round-trip time.
    pub round_trip: Duration,
}

impl State {
    /// State before the first report.
    pub fn new(params: &Params) -> Self {
        Self {
            groups: arrival::State::default(),
            filter: kalman::State::default(),
            detector: detector::State::default(),
            delay: rate::State::new(bits(params.start)),
            loss: loss::State::new(bits(params.start)),
        }
    }

    /// State of the channel by the over-use detector.
    pub fn signal(&self) -> Signal {
        self.detector.signal()
    }

    /// State of the controller of the rate.
    pub fn mode(&self) -> Mode {
        self.delay.mode()
    }

    /// Target rate: the lower one of both estimates, within the limits.  [draft-gcc §6]
    pub fn target(&self, params: &Params) -> DataRate {
        rate_of(self.delay.estimate().min(self.loss.estimate())).clamp(params.least, params.most)
    }
}

/// Returns the state after a report, and the target rate.
#[must_use]
pub fn step(params: &Params, state: State, report: &Report<'_>) -> (State, DataRate) {
    let State { mut groups, mut filter, mut detector, delay, loss } = state;
    for arrival in report.arrivals {
        let (next, variation) = arrival::step(groups, arrival);
        groups = next;
        if let Some(variation) = variation {
            let rate = groups.highest_rate();
            filter = kalman::step(filter, variation.ms, rate);
            detector = detector::step(detector, filter.estimate(), variation.at);
        }
    }
    let seen = rate::Seen {
        now: report.now,
        signal: detector.signal(),
        incoming: report.incoming.map(bits),
        round_trip: report.round_trip,
    };
    let limits = (bits(params.least), bits(params.most));
    let delay = rate::step(delay, seen).clamp(limits);
    let loss = loss::step(loss, report.expected, report.lost).clamp(limits);
    let state = State { groups, filter, detector, delay, loss };
    (state, state.target(params))
}

/// The rate [bit/s].
#[expect(clippy::cast_precision_loss, reason = "a rate has at most 12 digits")]
fn bits(rate: DataRate) -> f64 {
    rate.bps() as f64
}

/// Rate of these bit/s, rounded down.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is positive")]
fn rate_of(bits: f64) -> DataRate {
    DataRate::from_bps((bits as u64).max(1))
}

#[cfg(test)]
mod tests;
