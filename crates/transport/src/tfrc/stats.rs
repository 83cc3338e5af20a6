//! Events and counters of the TFRC endpoints.

use airfair_units::{Bytes, Duration};

/// An event at a TFRC sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderEvent {
    /// A report gave a round-trip sample.
    RttSample(Duration),
    /// The allowed rate changed.
    RateChange,
    /// The no-feedback timer expired.  [RFC5348 §4.4]
    NoFeedback,
    /// All frames of the trace are sent. This is the last event.
    Finished,
}

/// Counters of a TFRC sender since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Number of data packets sent.
    pub packets_sent: u64,
    /// Octets of payload sent.
    pub bytes_sent: Bytes,
    /// Octets of data dropped because the application's buffer was full.
    pub bytes_dropped: Bytes,
    /// Number of feedback reports processed.
    pub feedbacks: u64,
    /// Number of processed reports that covered a data-limited interval.  [RFC5348 §8.2.1]
    pub limited_feedbacks: u64,
    /// Number of expiries of the no-feedback timer.
    pub no_feedback_timeouts: u64,
    /// Reports ignored because they are about another sender, or from another receiver than the first.
    pub strangers: u64,
    /// Reports ignored because they are not newer than one processed before.
    pub stale: u64,
    /// Reports ignored because they echo a packet that cannot have been sent.
    pub implausible: u64,
}

/// An event at a TFRC receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverEvent {
    /// A new loss event was detected.  [RFC5348 §5.2]
    LossEvent,
}

/// Counters of a TFRC receiver since its creation. The number of arrivals is
/// `packets_received + late + copies + strangers`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Number of distinct packets received, without late ones.
    pub packets_received: u64,
    /// Octets of payload in the packets received.
    pub bytes_received: Bytes,
    /// Number of packets received that filled a gap.
    pub reordered: u64,
    /// Packets that arrived when they already counted as lost, or that were sent before the first one that
    /// arrived.
    pub late: u64,
    /// Number of duplicates of packets received before.
    pub copies: u64,
    /// Packets ignored because they are from another sender.
    pub strangers: u64,
    /// Number of packets that count as lost.
    pub lost: u64,
    /// Number of loss events detected.
    pub loss_events: u64,
    /// Number of feedback reports sent.
    pub feedbacks_sent: u64,
}

/// Events not yet fetched, as counters instead of a queue, so that an owner who never polls needs no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingEvents {
    rtt_sample: Option<Duration>,
    rate_change: bool,
    no_feedback: u64,
    finished: bool,
}

impl PendingEvents {
    pub(crate) fn push(&mut self, event: SenderEvent) {
        match event {
            // A newer sample replaces one that nobody fetched.
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
