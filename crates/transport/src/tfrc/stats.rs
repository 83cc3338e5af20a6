//! Counts and reports of the endpoints.

use airfair_units::{Bytes, Duration};

/// Something that happened to a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderEvent {
    /// A report measured a round trip.
    RttSample(Duration),
    /// A report changed the allowed rate.
    RateChange,
    /// The no-feedback timer expired.  [RFC5348 §4.4]
    NoFeedback,
    /// All frames of the trace are sent. The last event.
    Finished,
}

/// Totals of a sender since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Packets sent.
    pub packets_sent: u64,
    /// Payload sent [octets].
    pub bytes_sent: Bytes,
    /// Data that found the application's buffer full [octets].
    pub bytes_dropped: Bytes,
    /// Reports obeyed.
    pub feedbacks: u64,
    /// Of those, how many covered a data-limited interval.  [RFC5348 §8.2.1]
    pub limited_feedbacks: u64,
    /// Expiries of the no-feedback timer.
    pub no_feedback_timeouts: u64,
    /// Reports about another sender, or from another receiver than the first; refused.
    pub strangers: u64,
    /// Reports as old as one obeyed before, or older; refused.
    pub stale: u64,
    /// Reports about packets that cannot have been sent; refused.
    pub implausible: u64,
}

/// Something that happened to a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverEvent {
    /// A new loss event.  [RFC5348 §5.2]
    LossEvent,
}

/// Totals of a receiver since its creation; `packets_received + late + copies + strangers` is what
/// arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Packets, each counted once.
    pub packets_received: u64,
    /// Payload of those [octets].
    pub bytes_received: Bytes,
    /// Of those, how many filled a gap.
    pub reordered: u64,
    /// Packets that came when they counted as lost, or after one that was sent later and came first.
    pub late: u64,
    /// Packets that had come before.
    pub copies: u64,
    /// Packets of another sender; refused.
    pub strangers: u64,
    /// Packets that count as lost.
    pub lost: u64,
    /// Loss events.
    pub loss_events: u64,
    /// Reports sent.
    pub feedbacks_sent: u64,
}

/// Events not yet fetched. Counters and not a queue, so that an owner who never asks costs nothing.
#[derive(Debug, Default)]
pub(crate) struct PendingEvents {
    rtt_sample: Option<Duration>,
    rate_change: bool,
    no_feedback: u64,
    finished: bool,
}

impl PendingEvents {
    pub(crate) fn push(&mut self, event: SenderEvent) {
        match event {
            // An older sample that nobody fetched is superseded.
            SenderEvent::RttSample(rtt) => self.rtt_sample = Some(rtt),
            SenderEvent::RateChange => self.rate_change = true,
            SenderEvent::NoFeedback => self.no_feedback += 1,
            SenderEvent::Finished => self.finished = true,
        }
    }

    pub(crate) fn pop(&mut self) -> Option<SenderEvent> {
        if let Some(rtt) = self.rtt_sample.take() {
            return Some(SenderEvent::RttSample(rtt));
        }
        if self.no_feedback > 0 {
            self.no_feedback -= 1;
            return Some(SenderEvent::NoFeedback);
        }
        if std::mem::take(&mut self.rate_change) {
            return Some(SenderEvent::RateChange);
        }
        std::mem::take(&mut self.finished).then_some(SenderEvent::Finished)
    }
}
