//! The sending TFRC endpoint: pacing, round trips and reports.  [RFC5348 §4]

use airfair_laws::tfrc::{
    Event, Observation, Params, State as Law, Variant, initial_action, start, step,
};
use airfair_units::{Bytes, DataRate, Duration, Time};

use super::config::SenderConfig;
use super::limited::Limited;
use super::pacing::Pacing;
use super::packet::{Data, Feedback, micros, wrapping};
use super::sequence::wrapped;
use super::stats::{PendingEvents, SenderEvent, SenderStats};
use super::wire::MAX_RTT;
use crate::application::Application;
use crate::limit::Limit;

/// Half the range of a timestamp of 32 bits. Older timestamps are ambiguous [µs].
const HALF_CIRCLE: u32 = 1 << 31;

/// State of the TFRC flow at its sender. A closed flow may be opened again, as another flow.
///
/// ```text
///  Closed ──open──► Open ──last frame sent──► Open, and `Finished` once
///     ▲────close──────┘
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Open,
}

/// Order of reports: send time of the echoed packet, and delay of the report.
type Order = (u64, u32);

/// Sends the packets of one TFRC flow.
#[derive(Clone, Debug)]
pub struct Sender {
    params: Params,
    ssrc: u32,
    granularity: Duration,
    least_no_feedback: Duration,
    state: State,
    law: Law,
    /// `X_inst`: rate that the law allows [octets/s].
    rate: f64,
    /// Rate limit that the control scheme has set [octets/s].
    limit: f64,
    pacing: Pacing,
    application: Application,
    limited: Limited,
    /// Deadline of the no-feedback timer, which runs from the first packet to the last.
    no_feedback: Option<Time>,
    /// True if a packet was sent since the no-feedback timer was set.
    has_sent: bool,
    next: u64,
    opened: Time,
    last_sent: u64,
    /// SSRC of the receiver whose reports are accepted; `None` before the first report.
    reporter: Option<u32>,
    newest: Option<Order>,
    /// Round-trip estimate as sent in packets [µs].
    rtt_field: u32,
    is_finished: bool,
    events: PendingEvents,
    stats: SenderStats,
}

impl Sender {
    /// Creates a closed sender. [`open`](Self::open) starts the flow.
    pub fn new(config: SenderConfig) -> Self {
        let params = config.law;
        let segment = params.segment.get();
        assert!((1..=65_000).contains(&segment), "a packet of no or more than 65 000 octets");
        Self {
            params,
            ssrc: config.ssrc,
            granularity: config.granularity,
            least_no_feedback: config.least_no_feedback,
            state: State::Closed,
            law: start(&params, Time::ZERO),
            rate: start(&params, Time::ZERO).rate,
            limit: f64::INFINITY,
            pacing: Pacing::new(Time::ZERO),
            application: Application::new(config.traffic, params.segment, config.buffer),
            limited: Limited::default(),
            no_feedback: None,
            has_sent: false,
            next: u64::from(config.initial_seq),
            opened: Time::ZERO,
            last_sent: 0,
            reporter: None,
            newest: None,
            rtt_field: 0,
            is_finished: false,
            events: PendingEvents::default(),
            stats: SenderStats::default(),
        }
    }

    /// Opens the flow. A second call changes nothing.  [RFC5348 §4.2]
    pub fn open(&mut self, now: Time) {
        if self.state == State::Open {
            return;
        }
        self.state = State::Open;
        self.law = start(&self.params, now);
        self.rate = self.law.rate;
        self.pacing = Pacing::new(now);
        self.limited = Limited::default();
        (self.no_feedback, self.has_sent, self.is_finished) = (None, false, false);
        (self.opened, self.newest, self.rtt_field) = (now, None, 0);
        self.application.open(now);
    }

    /// Closes the flow at once. Nothing more is sent, and reports are ignored.
    pub fn close(&mut self, _now: Time) {
        self.state = State::Closed;
    }

    /// Limits the rate of payload in addition to TFRC; `None` ends the limit. A sender under this limit
    /// counts as data-limited.
    pub fn set_rate_limit(&mut self, now: Time, limit: Option<DataRate>) {
        self.limit = limit.map_or(f64::INFINITY, octets_per_second);
        let interval = self.interval();
        self.pacing.change(now, interval);
    }

    /// Processes a report of the receiver.  [RFC5348 §4.3]
    pub fn handle_feedback(&mut self, now: Time, feedback: &Feedback) {
        if self.state == State::Closed {
            return;
        }
        let is_known = self.reporter.is_none_or(|reporter| reporter == feedback.reporter);
        if feedback.ssrc != self.ssrc || !is_known {
            self.stats.strangers += 1;
            return;
        }
        let Some((echoed, rtt_sample)) = self.round_trip(now, feedback) else {
            self.stats.implausible += 1;
            return;
        };
        let order = (echoed, feedback.delay);
        if self.newest.is_some_and(|newest| order <= newest) {
            self.stats.stale += 1;
            return;
        }
        self.newest = Some(order);
        self.reporter = Some(feedback.reporter);
        let is_data_limited = self.limited.cover(echoed);
        self.stats.feedbacks += 1;
        self.stats.limited_feedbacks += u64::from(is_data_limited);
        self.events.push(SenderEvent::RttSample(rtt_sample));
        self.observe(
            now,
            Event::Feedback {
                rtt_sample,
                receive_rate: f64::from(feedback.receive_rate),
                loss_event_rate: feedback.loss_event_fraction(),
                is_data_limited,
            },
        );
        // In slow start, ns-2 sends a packet at once with every report (`recv` calls `nextpkt`).
        if self.params.variant == Variant::Ns2 && feedback.loss_event_rate == 0 {
            self.pacing.send_now(now);
        }
    }

    /// Send time of the echoed packet [µs], and the round trip without the receiver's delay.
    ///
    /// `None` if no packet of this flow can have had that timestamp.  [RFC5348 §4.3 step 1]
    fn round_trip(&self, now: Time, feedback: &Feedback) -> Option<(u64, Duration)> {
        let micros_now = micros(now);
        let age = wrapping(micros_now).wrapping_sub(feedback.sent_at);
        let echoed = micros_now.checked_sub(age.into())?;
        let is_ours = micros(self.opened) <= echoed && echoed <= self.last_sent;
        if age >= HALF_CIRCLE || !is_ours || self.stats.packets_sent == 0 {
            return None;
        }
        // A round trip below the tick of the timestamps counts as one tick.
        let sample = age.checked_sub(feedback.delay)?.max(1);
        Some((echoed, Duration::from_micros(sample.into())))
    }

    /// Runs one step of TFRC's rate law and applies the rate that results.
    fn observe(&mut self, now: Time, event: Event) {
        let (law, action) = step(&self.params, self.law, &Observation { now, event });
        if (law.rate - self.law.rate).abs() > 0.0 {
            self.events.push(SenderEvent::RateChange);
        }
        self.law = law;
        self.rate = action.rate;
        self.rtt_field = law.rtt.map_or(0, rtt_field);
        let after = action.no_feedback_after.max(self.least_no_feedback);
        self.no_feedback = (!self.is_finished).then(|| now + after);
        self.has_sent = false;
        let interval = self.interval();
        self.pacing.change(now, interval);
    }

    /// Processes an expiry of the no-feedback timer. Calls before the deadline change nothing.
    /// [RFC5348 §4.4]
    pub fn handle_timeout(&mut self, now: Time) {
        if self.state == State::Closed || self.no_feedback.is_none_or(|deadline| now < deadline) {
            return;
        }
        self.stats.no_feedback_timeouts += 1;
        self.events.push(SenderEvent::NoFeedback);
        self.observe(now, Event::NoFeedback { is_idle: !self.has_sent });
    }

    /// Time at which the owner has to call [`handle_timeout`](Self::handle_timeout) and then
    /// [`poll_transmit`](Self::poll_transmit).
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        if self.state == State::Closed {
            return None;
        }
        let data = match self.application.waits_since(self.pacing.due()) {
            Some(_) => Some(self.pacing.due()),
            None => self.application.next().map(|next| next.max(self.pacing.due())),
        };
        match (self.no_feedback, data) {
            (Some(timer), Some(data)) => Some(timer.min(data)),
            (timer, data) => timer.or(data),
        }
    }

    /// Returns the next packet, if one is due.  [RFC5348 §4.6]
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Data> {
        if self.state == State::Closed {
            return None;
        }
        self.application.advance(now);
        let since = self.application.waits_since(self.pacing.due().min(now))?;
        let due = self.pacing.due();
        if now < due && now + self.early() < due {
            return None;
        }
        let piece = self.application.take(now)?;
        // The packet is rate-limited if it waited for its time, and if the rate and not the control limit
        // decided.
        let is_full = since <= due && self.limit >= self.rate;
        let interval = self.interval();
        let credit = if since <= due { self.lateness() } else { half(interval) };
        self.pacing.sent(now, interval, credit);
        self.limited.on_sent(micros(now), is_full);
        self.last_sent = micros(now);
        self.has_sent = true;
        if self.no_feedback.is_none() {
            self.no_feedback =
                Some(now + initial_action(&self.params, &self.law).no_feedback_after);
        }
        Some(self.packet(now, piece))
    }

    fn packet(&mut self, now: Time, piece: crate::application::Piece) -> Data {
        let seq = wrapped(self.next);
        self.next += 1;
        self.stats.packets_sent += 1;
        self.stats.bytes_sent += Bytes::new(piece.octets);
        if self.application.is_exhausted() && !self.is_finished {
            self.is_finished = true;
            self.no_feedback = None;
            self.events.push(SenderEvent::Finished);
        }
        Data {
            ssrc: self.ssrc,
            seq,
            media_time: media_time(piece.since),
            is_frame_end: piece.is_frame_end,
            sent_at: wrapping(micros(now)),
            rtt: self.rtt_field,
            payload: u32::try_from(piece.octets).expect("a segment of 65 000 octets at most"),
        }
    }

    /// Interval between packets at the present rate [s].
    #[expect(clippy::cast_precision_loss, reason = "a segment of 65 000 octets at most")]
    fn interval(&self) -> f64 {
        self.params.segment.get() as f64 / self.rate.min(self.limit)
    }

    /// `t_delta`: time by which a packet may be sent early, the smallest of half the interval, half the
    /// timers' granularity and half the round trip.  [RFC5348 §8.3]
    fn early(&self) -> Duration {
        if self.granularity.is_zero() {
            return Duration::ZERO;
        }
        let rtt = Duration::from_micros(self.rtt_field.into()) / 2;
        (self.granularity / 2).min(half(self.interval())).min(rtt)
    }

    /// Time by which a sender may fall behind when its owner is late, and still catch up: a round trip.
    /// [RFC5348 §4.6]
    fn lateness(&self) -> Duration {
        Duration::from_micros(self.rtt_field.into()).max(half(self.interval()))
    }

    /// Returns the next event, the most urgent first. Events that the owner does not fetch are counted, not
    /// queued.
    #[inline]
    pub fn poll_event(&mut self) -> Option<SenderEvent> {
        self.events.pop()
    }

    /// Reason why [`poll_transmit`](Self::poll_transmit) returns nothing; `None` unless the flow is open.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        if self.state == State::Closed || self.is_finished {
            return None;
        }
        Some(match self.application.waits_since(self.pacing.due()) {
            None => Limit::Application,
            Some(_) if self.limit < self.rate => Limit::Control,
            Some(_) => Limit::Rate,
        })
    }

    /// Allowed sending rate X, before damping and before the control limit [octets/s].
    pub fn allowed_rate(&self) -> f64 {
        self.law.rate
    }

    /// Rate of the packets while there is data: the smaller of `X_inst` and the control limit [octets/s].
    pub fn pacing_rate(&self) -> f64 {
        self.rate.min(self.limit)
    }

    /// Round-trip estimate R; `None` before the first sample [s].
    pub fn smoothed_rtt(&self) -> Option<f64> {
        self.law.rtt
    }

    /// Round-trip estimate as sent in packets; `None` before the first sample.
    pub fn smoothed_round_trip(&self) -> Option<Duration> {
        let rtt = Duration::from_micros(self.rtt_field.into());
        (!rtt.is_zero()).then_some(rtt)
    }

    /// Loss event rate p in the last report.
    pub fn loss_event_rate(&self) -> f64 {
        self.law.loss_event_rate
    }

    /// True once all frames of a trace are sent.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Counters of the sender since its creation.
    pub fn stats(&self) -> SenderStats {
        SenderStats { bytes_dropped: self.application.dropped(), ..self.stats }
    }
}

/// Half of `seconds` as a duration.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "64 s at most")]
fn half(seconds: f64) -> Duration {
    Duration::from_nanos((seconds * 5e8) as u64)
}

/// `rate` in the unit of TFRC's rate law [octets/s].
#[expect(clippy::cast_precision_loss, reason = "a rate below 2^53 bit/s")]
fn octets_per_second(rate: DataRate) -> f64 {
    rate.bps() as f64 / 8.0
}

/// Round-trip estimate for the packet field: rounded, at least 1, at most what 24 bits can express [µs].
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn rtt_field(seconds: f64) -> u32 {
    ((seconds * 1e6 + 0.5) as u32).clamp(1, MAX_RTT)
}

/// `time` on the RTP clock of 90 kHz.
fn media_time(time: Time) -> u32 {
    let ticks = u128::from(time.as_nanos()) * 90_000 / 1_000_000_000;
    wrapping(u64::try_from(ticks).expect("less than a nanosecond's count"))
}
