//! Events and counters of the TCP endpoints.

use airfair_units::{Bytes, Duration};

/// An event at a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderEvent {
    /// The connection is open and data may flow.
    Established,
    /// A round trip was measured; the value is rounded to the sender's clock tick.  [RFC6298 §3]
    RttSample(Duration),
    /// Three duplicate ACKs started fast recovery.  [RFC6582 §3.2]
    FastRetransmit,
    /// The retransmission timer expired.  [RFC6298 §5]
    Timeout,
    /// Octets were retransmitted, for whatever reason.
    Retransmission,
    /// The window was reduced because the receiver has echoed a mark.  [RFC3168 §6.1.2]
    MarkAnswered,
    /// All data, including the FIN, is acknowledged. This is the last event.
    Finished,
}

/// Counters of a TCP sender since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Number of segments with payload sent, retransmissions included.
    pub segments_sent: u64,
    /// Number of segments sent whose payload, or a part of it, had been sent before.
    pub retransmissions: u64,
    /// Octets of payload sent, retransmissions included.
    pub bytes_sent: Bytes,
    /// Octets of payload acknowledged.
    pub bytes_acked: Bytes,
    /// Number of expiries of the retransmission timer, including those for SYN and FIN.
    pub timeouts: u64,
    /// Number of tail loss probes sent.  [RFC8985 §7]
    pub tail_probes: u64,
    /// Number of entries into fast recovery.
    pub fast_retransmits: u64,
    /// ACKs that counted as duplicates.  [RFC5681 §2], [RFC6675 §2]
    pub duplicate_acks: u64,
    /// ACKs that report a duplicate segment: a retransmission was needless, or the network duplicated it.
    /// [RFC2883 §4]
    pub duplicate_sacks: u64,
    /// Number of round-trip samples taken.
    pub rtt_samples: u64,
    /// Window reductions that answered marks.  [RFC3168 §6.1.2]
    pub marks_answered: u64,
    /// Segments that the sender's own host refused. Refused new data does not count as sent.
    pub refusals: u64,
}

/// Counters of a TCP receiver since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments with payload received, including duplicates and segments out of order, beyond the window or
    /// below the highest octet.
    pub segments_received: u64,
    /// Number of segments received without any new octet.
    pub duplicates: u64,
    /// Number of segments received with new data beyond a gap.
    pub out_of_order: u64,
    /// Number of segments dropped because they exceed the receive buffer.
    pub beyond_window: u64,
    /// Segments that began below the highest octet received. If the network does not reorder, these are
    /// retransmissions.
    pub below_highest: u64,
    /// Segments with payload received that a queue had marked.
    pub marked: u64,
    /// Number of ACKs and SYN-ACKs sent.
    pub acks_sent: u64,
}

/// Events not yet fetched, as counters instead of a queue, so that an owner who never polls needs no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingEvents {
    pending: u32,
    established: bool,
    finished: bool,
    rtt_sample: Option<Duration>,
    timeouts: u32,
    fast_retransmits: u32,
    retransmissions: u32,
    marks_answered: u32,
}

impl PendingEvents {
    pub(crate) fn push(&mut self, event: SenderEvent) {
        match event {
            SenderEvent::Established => self.established = true,
            SenderEvent::Finished => self.finished = true,
            // A newer sample replaces one that nobody fetched.
            SenderEvent::RttSample(rtt) => {
                if self.rtt_sample.replace(rtt).is_some() {
                    return;
                }
            }
            SenderEvent::Timeout => self.timeouts += 1,
            SenderEvent::FastRetransmit => self.fast_retransmits += 1,
            SenderEvent::Retransmission => self.retransmissions += 1,
            SenderEvent::MarkAnswered => self.marks_answered += 1,
        }
        self.pending += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<SenderEvent> {
        if self.pending == 0 {
            return None;
        }
        self.pending -= 1;
        self.next()
    }

    fn next(&mut self) -> Option<SenderEvent> {
        if std::mem::take(&mut self.established) {
            return Some(SenderEvent::Established);
        }
        if let Some(rtt) = self.rtt_sample.take() {
            return Some(SenderEvent::RttSample(rtt));
        }
        let counters = [
            (&mut self.timeouts, SenderEvent::Timeout),
            (&mut self.fast_retransmits, SenderEvent::FastRetransmit),
            (&mut self.retransmissions, SenderEvent::Retransmission),
            (&mut self.marks_answered, SenderEvent::MarkAnswered),
        ];
        for (count, event) in counters {
            if *count > 0 {
                *count -= 1;
                return Some(event);
            }
        }
        std::mem::take(&mut self.finished).then_some(SenderEvent::Finished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_comes_out_once_and_the_end_comes_last() {
        let rtt = |ms| SenderEvent::RttSample(Duration::from_millis(ms));
        let mut events = PendingEvents::default();
        for event in [
            SenderEvent::Finished,
            SenderEvent::Retransmission,
            rtt(1),
            SenderEvent::Timeout,
            SenderEvent::Retransmission,
            rtt(2),
            SenderEvent::Established,
            SenderEvent::FastRetransmit,
        ] {
            events.push(event);
        }
        let out: Vec<_> = std::iter::from_fn(|| events.pop()).collect();
        assert_eq!(
            out,
            [
                SenderEvent::Established,
                rtt(2),
                SenderEvent::Timeout,
                SenderEvent::FastRetransmit,
                SenderEvent::Retransmission,
                SenderEvent::Retransmission,
                SenderEvent::Finished,
            ]
        );
        assert_eq!(events.pop(), None);
    }
}
