//! Events of a sender.

use airfair_units::Duration;

/// An event at a sender of TCP or QUIC.
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
