//! The receiving QUIC endpoint: when to acknowledge, and what.  [RFC9000 §13.2]

use airfair_units::{Bytes, Time};

use super::config::ReceiverConfig;
use super::credit::Credit;
use super::handshake::{Handshake, Server};
use super::packet::{Ack, Data, EcnCounts};
use super::received::{Arrival, ReceivedPackets};
use super::stats::ReceiverStats;
use crate::ecn::Ecn;
use crate::stream::reassembly::Reassembly;

/// Receives the data of one QUIC connection, and acknowledges it.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    received: ReceivedPackets,
    stream: Reassembly,
    /// One past the highest octet received.
    highest: u64,
    credit: Credit,
    /// Number of packets received and not acknowledged.
    waiting: u32,
    /// Time at which the waiting packets are acknowledged at the latest.
    deadline: Option<Time>,
    is_ack_due: bool,
    /// The handshake, if configured.
    server: Option<Box<Server>>,
    /// Counts of the ECN fields of the packets received.
    marks: EcnCounts,
    stats: ReceiverStats,
}

impl Receiver {
    /// Creates a receiver.
    pub fn new(config: ReceiverConfig) -> Self {
        Self {
            config,
            received: ReceivedPackets::default(),
            stream: Reassembly::new(0),
            highest: 0,
            credit: Credit::new(config.window.get()),
            waiting: 0,
            deadline: None,
            is_ack_due: false,
            server: config.handshake.then(|| Box::new(Server::new(config.crypto))),
            marks: EcnCounts::default(),
            stats: ReceiverStats::default(),
        }
    }

    /// Processes a packet of the sender.
    pub fn handle_data(&mut self, now: Time, data: &Data) {
        self.stats.packets_received += 1;
        let arrival = self.received.insert(now, data.number);
        if arrival == Arrival::Duplicate {
            self.stats.duplicates += 1;
            return;
        }
        if data.payload > 0 {
            self.stats.below_highest += u64::from(data.offset < self.highest);
            self.highest = self.highest.max(data.end());
            self.stream.insert(data.offset, data.end());
            self.credit.on_read(self.stream.next());
        } else if data.offset > 0 {
            self.credit.ask();
        }
        self.waiting += 1;
        let is_marked = data.ecn == Ecn::CE;
        if data.ecn.is_capable() {
            self.marks.note(data.ecn);
            self.stats.marked += u64::from(is_marked);
        }
        // A packet out of order, or with a mark, is acknowledged at once.  [RFC9000 §13.2.1]
        if arrival == Arrival::OutOfOrder || is_marked || self.waiting >= self.config.ack_every {
            self.is_ack_due = true;
        } else if self.deadline.is_none() {
            self.deadline = Some(now + self.config.max_ack_delay);
        }
    }

    /// Acknowledges the waiting packets at their deadline. Calls before it change nothing.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            self.is_ack_due = true;
        }
    }

    /// Time at which the owner has to call [`handle_timeout`](Self::handle_timeout).
    pub fn next_timeout(&self) -> Option<Time> {
        self.deadline.filter(|_| !self.is_ack_due)
    }

    /// Processes a datagram of the sender's handshake.
    pub fn handle_handshake(&mut self, datagram: &Handshake) {
        if let Some(server) = &mut self.server {
            server.handle(datagram);
        }
    }

    /// Returns the next datagram of the handshake, if one may be sent.
    #[inline]
    pub fn poll_handshake(&mut self) -> Option<Handshake> {
        self.server.as_mut()?.poll_transmit()
    }

    /// Returns the next packet to send, if one is due.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Ack> {
        if !std::mem::take(&mut self.is_ack_due) {
            return None;
        }
        (self.waiting, self.deadline) = (0, None);
        let frame = self.received.frame(now, self.stats.acks_sent)?;
        self.stats.acks_sent += 1;
        let max_data = self.credit.take(self.highest).unwrap_or(0);
        Some(Ack { max_data, marks: self.marks, ..frame })
    }

    /// Octets that have been delivered to the application, in order.
    pub fn delivered(&self) -> Bytes {
        Bytes::new(self.stream.next())
    }

    /// Counters of the receiver since its creation.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
}
