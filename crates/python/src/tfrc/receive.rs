//! TFRC receiver on a real host.

use std::net::SocketAddr;

use airfair_transport::tfrc::{Data, Profile, Receiver, ReceiverConfig, ReceiverStats, wire};
use airfair_units::{Duration, Time};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::host::{Host, Meter};

/// Silence after which another sender may take the place of the present one. It is longer than the
/// pauses of a sender that starts, with one packet per second or one in two seconds.  [RFC5348 §4.2
/// and §4.4]
const SILENCE: Duration = Duration::from_secs(5);

/// Sender of the flow that is being received.
#[derive(Clone, Copy, Debug)]
struct Peer {
    address: SocketAddr,
    ssrc: u32,
    /// Arrival time of the sender's first packet.
    first: Time,
    /// Arrival time of the sender's last packet.
    last: Time,
}

/// TFRC receiver with the address of its sender.
pub(super) struct Incoming {
    config: ReceiverConfig,
    receiver: Receiver,
    peer: Option<Peer>,
    senders: u64,
    /// Totals of the senders before the present one.
    earlier: ReceiverStats,
    earlier_active: Duration,
    refused: u64,
    meter: Meter,
}

impl Incoming {
    pub(super) fn new(profile: Profile, reporter: u32) -> Self {
        let config = ReceiverConfig { reporter, ..ReceiverConfig::new(profile) };
        Self {
            config,
            receiver: Receiver::new(config),
            peer: None,
            senders: 0,
            earlier: ReceiverStats::default(),
            earlier_active: Duration::ZERO,
            refused: 0,
            meter: Meter::default(),
        }
    }

    /// Receives until the end of the run or Ctrl-C.
    pub(super) fn run(&mut self, host: &mut Host) -> PyResult<()> {
        loop {
            let now = host.now();
            if host.is_over(now) {
                return Ok(());
            }
            self.receiver.handle_timeout(now);
            // Each call returns at most one report. Only a packet or a timer makes another one due.
            if let (Some(peer), Some(feedback)) = (self.peer, self.receiver.poll_transmit(now)) {
                // A report that cannot be sent counts as lost.
                let _ = host.send(&wire::encode_feedback(&feedback), peer.address);
            }
            host.report_progress(now, |_, state| self.write_state(now, state))?;
            if let Some((octets, from)) = host.receive(self.receiver.next_timeout()) {
                let packet = wire::decode(octets);
                self.handle(host.now(), packet.ok(), from);
            }
        }
    }

    fn handle(&mut self, now: Time, packet: Option<wire::Packet>, from: SocketAddr) {
        match packet {
            // No reply can be sent to port 0.
            Some(wire::Packet::Data(data))
                if from.port() != 0 && self.accepts(now, &data, from) =>
            {
                self.receiver.handle_data(now, &data);
            }
            _ => self.refused += 1,
        }
    }

    /// True if the data packet belongs to the present flow or begins a new one.
    fn accepts(&mut self, now: Time, data: &Data, from: SocketAddr) -> bool {
        match &mut self.peer {
            Some(peer) if (peer.address, peer.ssrc) == (from, data.ssrc) => {
                peer.last = now;
                return true;
            }
            Some(peer) if now.saturating_since(peer.last) < SILENCE => return false,
            _ => {}
        }
        self.let_go();
        self.peer = Some(Peer { address: from, ssrc: data.ssrc, first: now, last: now });
        self.senders += 1;
        true
    }

    /// Forgets the present sender, and adds its totals to those of the senders before it.
    fn let_go(&mut self) {
        (self.earlier, self.earlier_active) = (self.stats(), self.active());
        self.peer = None;
        self.receiver = Receiver::new(self.config);
    }

    /// Sum over all senders of the time between the first and the last packet of a sender.
    fn active(&self) -> Duration {
        let current = self.peer.map_or(Duration::ZERO, |peer| peer.last - peer.first);
        self.earlier_active + current
    }

    /// Totals of all senders.
    fn stats(&self) -> ReceiverStats {
        let (earlier, current) = (self.earlier, self.receiver.stats());
        ReceiverStats {
            packets_received: earlier.packets_received + current.packets_received,
            bytes_received: earlier.bytes_received + current.bytes_received,
            reordered: earlier.reordered + current.reordered,
            late: earlier.late + current.late,
            copies: earlier.copies + current.copies,
            strangers: earlier.strangers + current.strangers,
            lost: earlier.lost + current.lost,
            loss_events: earlier.loss_events + current.loss_events,
            feedbacks_sent: earlier.feedbacks_sent + current.feedbacks_sent,
        }
    }

    /// Writes the state of the flow for the live display into `state`.
    fn write_state(&mut self, now: Time, state: &Bound<'_, PyDict>) -> PyResult<()> {
        let totals = self.stats();
        let silence = self.peer.map(|peer| now.saturating_since(peer.last).as_secs_f64());
        state.set_item("rate_bps", self.meter.rate(now, totals.bytes_received.get()))?;
        state.set_item("lost", totals.lost)?;
        state.set_item("loss_event_rate", self.receiver.loss_event_rate())?;
        state.set_item("silence_s", silence)
    }

    /// Writes the counters of all senders into `result`.
    pub(super) fn write_result(&self, host: &Host, result: &Bound<'_, PyDict>) -> PyResult<()> {
        let stats = self.stats();
        result.set_item("duration_s", self.active().as_secs_f64())?;
        result.set_item("senders", self.senders)?;
        result.set_item("packets_received", stats.packets_received)?;
        result.set_item("bytes_received", stats.bytes_received.get())?;
        result.set_item("lost", stats.lost)?;
        result.set_item("loss_events", stats.loss_events)?;
        result.set_item("loss_event_rate", self.receiver.loss_event_rate())?;
        result.set_item("reordered", stats.reordered)?;
        result.set_item("late", stats.late)?;
        result.set_item("duplicates", stats.copies)?;
        result.set_item("feedbacks_sent", host.sent.packets)?;
        result.set_item("unsent", host.sent.unsent)?;
        result.set_item("network_error", host.sent.error.as_deref())?;
        result.set_item("refused", self.refused + stats.strangers)
    }
}
