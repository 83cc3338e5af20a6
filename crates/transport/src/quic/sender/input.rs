//! Input of a QUIC sender: acknowledgments and time-outs.  [RFC9002 §A.7 to §A.10, §B]

use airfair_laws::newreno::{Event, Observation};
use airfair_laws::window::Path;
use airfair_units::{Bytes, Duration, Time};

use super::model::ModelInput;
use super::{Sender, State};
use crate::control::SenderEvent;
use crate::quic::packet::Ack;
use crate::quic::sent::{LostPacket, SentPacket, Thresholds};

/// Number of probes that a time-out sends.  [RFC9002 §6.2.4]
const PROBES: u32 = 2;
/// Largest back-off of the probe time-out, as a power of two.
const MOST_BACK_OFF: u32 = 20;
/// Window after persistent congestion, `kMinimumWindow` [datagrams].  [RFC9002 §7.2]
const LEAST_WINDOW: u32 = 2;

impl Sender {
    /// Processes a packet of the receiver.  `OnAckReceived` [RFC9002 §A.7]
    pub fn handle_ack(&mut self, now: Time, ack: &Ack) {
        if self.state != State::Open || ack.largest >= self.sent.next() {
            return;
        }
        self.lost.clear();
        self.outgoing.raise_max_data(ack.max_data);
        self.blocked_at = None;
        let before = self.sent.in_flight();
        let is_newest = ack.largest >= self.sent.acknowledged_end();
        self.check_application_limit();
        let mut news = std::mem::take(&mut self.news);
        news.clear();
        let has_largest = self.sent.acknowledge(now, ack, &mut news);
        if let Some(newest) = news.last() {
            let round_trip = has_largest.then(|| now - newest.at);
            if let Some(latest) = round_trip {
                self.sample_round_trip(now, latest, ack.delay());
            }
            let newest_at = newest.at;
            self.accept(&news);
            if self.ecn.is_some() {
                self.handle_marks(now, ack, (&news, newest_at), is_newest);
            }
            self.detect_losses(now);
            let is_cwnd_limited = !self.is_underused;
            self.widen(now, &news, round_trip);
            self.timeouts_in_a_row = 0;
            self.probes = 0;
            let delivered = news.iter().map(|it| u64::from(it.size)).sum();
            self.run_model(now, ModelInput { before, delivered, round_trip, is_cwnd_limited });
            self.set_timer();
            self.finish_if_done();
        }
        self.news = news;
    }

    /// Processes an expiry of the sender's timer. Calls before the deadline change nothing.  `OnLossDetectionTimeout`
    /// [RFC9002 §A.9]
    pub fn handle_timeout(&mut self, now: Time) {
        if self.state == State::Connecting {
            let client = self.client.as_mut();
            if client.is_some_and(|client| client.handle_timeout(now)) {
                self.stats.timeouts += 1;
                self.events.push(SenderEvent::Timeout);
            }
            return;
        }
        if self.state != State::Open || self.timer.is_none_or(|deadline| now < deadline) {
            return;
        }
        self.lost.clear();
        if self.loss_at.is_some() {
            self.detect_losses(now);
        } else {
            self.timeouts_in_a_row += 1;
            self.probes = PROBES;
            self.stats.timeouts += 1;
            self.events.push(SenderEvent::Timeout);
        }
        self.set_timer();
    }

    pub(super) fn sample_round_trip(&mut self, now: Time, latest: Duration, ack_delay: Duration) {
        self.rtt.update(now, latest, ack_delay);
        self.stats.rtt_samples += 1;
        self.events.push(SenderEvent::RttSample(latest));
    }

    /// Records the data of newly acknowledged packets.
    fn accept(&mut self, news: &[SentPacket]) {
        for packet in news {
            let range = packet.range();
            if range.start < range.end {
                self.acknowledged.insert(range.start, range.end);
            }
            if let Some(end) = self.recovery.collapse_end
                && self.sent.acknowledged_end() >= end
            {
                self.recovery.collapse_end = None;
            }
        }
        self.stats.bytes_acked = Bytes::new(self.acknowledged.next());
    }

    /// Finds lost packets, queues their data, and shrinks the window.  `OnPacketsLost` [RFC9002 §B.8]
    fn detect_losses(&mut self, now: Time) {
        let times = Thresholds {
            loss_delay: self.rtt.loss_delay(),
            persistent: self.rtt.persistent_duration(),
            first_sample: self.rtt.first_at(),
        };
        let mut lost = std::mem::take(&mut self.lost);
        let losses = self.sent.detect(now, times, &mut lost);
        self.loss_at = losses.next;
        self.stats.packets_lost += lost.len() as u64;
        for LostPacket { packet, .. } in &lost {
            if let Some(range) = self.unacknowledged(packet.range()) {
                self.outgoing.push_lost(range);
            }
        }
        if let Some(newest) = lost.last() {
            self.enter_recovery(now, newest.packet.at);
            if losses.is_persistent {
                self.collapse(now);
            }
        }
        self.lost = lost;
    }

    /// Begins a recovery period after the loss of a packet sent at `sent`, unless it was sent before the current one
    /// began.  `OnCongestionEvent` [RFC9002 §B.6]
    fn enter_recovery(&mut self, now: Time, sent: Time) {
        if self.begin_recovery(now, sent) {
            self.stats.recoveries += 1;
            self.events.push(SenderEvent::FastRetransmit);
        }
    }

    /// Shrinks the window and begins a recovery period, unless the packet sent at `sent`, which was lost or marked, was
    /// sent before the current one began. Returns true if it begins.
    pub(super) fn begin_recovery(&mut self, now: Time, sent: Time) -> bool {
        if self.recovery.since.is_some_and(|since| sent <= since) {
            return false;
        }
        self.recovery.since = Some(now);
        self.recovery.is_under_way = true;
        self.recovery.is_free = self.outgoing.has_lost();
        self.show(now, Event::SackLoss, 0, None);
        true
    }

    /// Reduces the window to its minimum after persistent congestion.  [RFC9002 §7.6.2]
    fn collapse(&mut self, now: Time) {
        self.stats.persistent_congestions += 1;
        if self.config.controller.has_model() {
            self.show(now, Event::Timeout { is_repeated: false, is_in_recovery: true }, 0, None);
        }
        self.congestion.set_cwnd_segments(LEAST_WINDOW);
        self.recovery.since = None;
        self.recovery.collapse_end = Some(self.sent.next());
        self.sent.forget_lost();
    }

    /// Widens the window by newly acknowledged packets, one by one, unless they were sent before the recovery began
    /// or the window was not used.  `OnPacketsAcked` [RFC9002 §B.5], [RFC9002 §7.8]
    fn widen(&mut self, now: Time, news: &[SentPacket], mut round_trip: Option<Duration>) {
        let is_cwnd_limited = !self.is_underused;
        for packet in news {
            if self.recovery.since.is_some_and(|since| packet.at <= since) {
                continue;
            }
            if std::mem::take(&mut self.recovery.is_under_way) {
                self.show(now, Event::SackRecovered, 0, None);
            }
            let event = Event::NewAck { is_cwnd_limited };
            self.show(now, event, packet.size.into(), round_trip.take());
        }
    }

    /// Passes an event to the window law. A reduction is a fraction of the window, not of what is in flight.
    /// [RFC9002 §7.3.2]
    fn show(&mut self, now: Time, event: Event, acked: u64, round_trip: Option<Duration>) {
        let flight = Bytes::new(self.congestion.cwnd());
        let seen = Observation { event, acked: Bytes::new(acked), flight };
        if !self.congestion.needs_path() {
            self.congestion.observe(&seen);
            return;
        }
        let path = Path {
            now,
            round_trip,
            smoothed_round_trip: self.rtt.smoothed(),
            // Rounds are counted by packet numbers.
            unacknowledged: self.sent.acknowledged_end(),
            next: self.sent.next(),
        };
        self.congestion.observe_path(seen, path);
    }

    /// Sets the timer: for loss detection, else for the probe time-out after the last packet, which doubles with each
    /// time-out in a row.  `SetLossDetectionTimer` [RFC9002 §A.8]
    pub(super) fn set_timer(&mut self) {
        self.timer = self.loss_at.or_else(|| {
            let last = self.sent.last_sent().filter(|_| self.sent.in_flight() > 0);
            let last = last.or(self.blocked_at)?;
            let factor = 1u64 << self.timeouts_in_a_row.min(MOST_BACK_OFF);
            Some(last + self.rtt.probe_timeout().saturating_mul(factor))
        });
    }
}
