//! Output of a QUIC sender: selection and timing of the packets to send.

use airfair_units::{Bytes, Duration, Time};

use super::{Sender, State};
use crate::control::SenderEvent;
use crate::control::pacing::Rate;
use crate::ecn::Ecn;
use crate::quic::packet::{Data, number_length};
use crate::stream::ranges::Range;

impl Sender {
    /// Returns the next packet to send, if one may be sent now.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Data> {
        if self.state != State::Open {
            return None;
        }
        self.take_written(now);
        if self.probes > 0 {
            self.probes -= 1;
            return Some(self.transmit_probe(now));
        }
        self.drop_acknowledged();
        let Some(range) = self.next_range() else {
            self.stop_waiting();
            self.note_blocked(now);
            self.is_underused = self.sent.in_flight() + self.datagram <= self.congestion.cwnd();
            return None;
        };
        let data = self.packet(range);
        let size = data.datagram().get();
        self.is_underused = false;
        if self.sent.in_flight() + size > self.congestion.cwnd() && !self.recovery.is_free {
            self.stop_waiting();
            return None;
        }
        self.restart_model_if_idle(now);
        if self.pacer.as_mut().is_some_and(|pacer| pacer.must_wait(now, size)) {
            self.is_underused = !self.could_fill_window();
            return None;
        }
        self.recovery.is_free = false;
        self.transmit(now, data);
        Some(data)
    }

    /// Starts the timer of a sender that has nothing in flight and no credit, because the packets with a new limit may be
    /// lost. Its probes are `DATA_BLOCKED` frames, which ask for the limit.  [RFC9000 §4.1]
    fn note_blocked(&mut self, now: Time) {
        if self.timer.is_none() && self.sent.in_flight() == 0 && self.outgoing.exceeds_credit() {
            self.blocked_at.get_or_insert(now);
            self.set_timer();
        }
    }

    /// True if the window would be full without pacing.  [RFC9002 §7.8]
    fn could_fill_window(&self) -> bool {
        let new = self.outgoing.new_data().map_or(0, |range| range.end - range.start);
        let most = self.sent.in_flight().saturating_add(new).saturating_add(self.datagram);
        self.outgoing.has_lost() || most > self.congestion.cwnd()
    }

    /// Takes what the application has written by now.
    fn take_written(&mut self, now: Time) {
        let Some(writer) = &mut self.writer else { return };
        let progress = (self.acknowledged.next(), self.outgoing.next);
        self.outgoing.available = writer.write(now, self.outgoing.available, progress);
    }

    /// Drops lost data at the front of the queue that has been acknowledged since.
    fn drop_acknowledged(&mut self) {
        while let Some(&lost) = self.outgoing.lost.front() {
            match self.unacknowledged(lost) {
                Some(rest) => {
                    self.outgoing.lost[0] = rest;
                    return;
                }
                None => self.outgoing.lost.pop_front(),
            };
        }
    }

    /// Data of the next packet: lost data first, then new data that the receiver allows.
    pub(super) fn next_range(&self) -> Option<Range> {
        self.outgoing.lost.front().copied().or_else(|| self.outgoing.new_data())
    }

    /// A packet with as much of `range` as fits.
    fn packet(&self, range: Range) -> Data {
        let number = self.sent.next();
        let number_length = number_length(number, self.sent.acknowledged_end());
        let room = Data::room(self.datagram, range.start, number_length);
        let payload = u32::try_from((range.end - range.start).min(room)).expect("a datagram");
        let ecn = if self.ecn.is_some() { Ecn::ECT_0 } else { Ecn::NOT_ECT };
        Data { number, offset: range.start, payload, number_length, ecn }
    }

    /// Sends a probe, whatever the window: lost data, new data, or the oldest data that is not acknowledged.
    /// [RFC9002 §6.2.4]
    fn transmit_probe(&mut self, now: Time) -> Data {
        self.drop_acknowledged();
        // The second probe repeats other data than the first one.
        let skipped = usize::from(self.probes == 0);
        let oldest = || {
            let ranges = self.sent.outstanding().map(super::super::sent::SentPacket::range);
            let mut open = ranges.filter_map(|range| self.unacknowledged(range));
            let first = open.next();
            if skipped == 0 { first } else { open.next().or(first) }
        };
        let range = self.next_range().or_else(oldest);
        let limit = self.blocked_at.map_or(0, |_| self.outgoing.next);
        let data = self.packet(range.unwrap_or(Range { start: limit, end: limit }));
        self.transmit(now, data);
        data
    }

    /// Sends `data`: moves its octets out of the queue, and starts the timer.
    fn transmit(&mut self, now: Time, data: Data) {
        let outgoing = &mut self.outgoing;
        if data.payload > 0 && data.offset == outgoing.next {
            outgoing.next = data.end();
        } else if data.payload > 0 {
            if let Some(lost) = outgoing.lost.front_mut().filter(|it| it.start == data.offset) {
                lost.start = data.end();
                if lost.start >= lost.end {
                    outgoing.lost.pop_front();
                }
            }
            self.stats.retransmissions += 1;
            self.events.push(SenderEvent::Retransmission);
        }
        self.stats.packets_sent += 1;
        self.stats.bytes_sent += Bytes::new(data.payload.into());
        self.sent.push(now, &data);
        let rate = self.pacing_rate();
        if let Some(pacer) = &mut self.pacer {
            pacer.on_sent(now, data.datagram().get(), self.datagram, rate);
        }
        self.set_timer();
    }

    /// Pacing rate: that of the model, otherwise 1.25 windows per round trip. `None` before it is known.
    /// [RFC9002 §7.7]
    pub(super) fn pacing_rate(&self) -> Option<Rate> {
        if let Some(octets) = self.congestion.pacing_rate() {
            return Some(Rate { octets, time: Duration::from_secs(1) });
        }
        let round_trip = self.rtt.smoothed()?;
        let time = Duration::from_nanos(round_trip.as_nanos().max(1).saturating_mul(4));
        Some(Rate { octets: self.congestion.cwnd().saturating_mul(5).max(1), time })
    }

    fn stop_waiting(&mut self) {
        if let Some(pacer) = &mut self.pacer {
            pacer.stop_waiting();
        }
    }
}
