//! State of a contender: queue, channel access and retry counters; and state of the member that owns it.

use airfair_laws::Direction;
use airfair_units::{Duration, Time};
use rand_core::Rng;

use crate::airtime::Protection;
use crate::edca::{AccessParameters, Attempts};
use crate::frame::FrameKind;
use crate::link_rate::{Chain, LinkRate};
use crate::node::NodeId;
use crate::phy::{Timing, TxVector};
use crate::queue::config::QueueConfig;
use crate::queue::headers::Headers;
use crate::queue::{InService, TransmitQueue};
use crate::random::Stream;

/// State of one contender's channel access.  [80211-2020 §10.3.4]
///
/// ```text
///            packet comes                due                     response missing
///   Idle ─────────────────► Contending ───────► Exchange ───────────────────┐
///    ▲                          ▲  ▲             ▲ │ ACK received           │ back-off from a
///    │ queue empty              │  └─────────────┼─┼────────────────────────┘ doubled window
///    └──────────────────────────┴─── back-off ◄──┴─┘
///                                    the next frame fits the TXOP: at once
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The contender has nothing to send. The back-off after its last exchange continues.
    Idle,
    /// The contender counts down its back-off, or waits for an idle medium to do so.
    Contending,
    /// The contender has won the channel, and the frames of its exchange follow each other.
    Exchange(Exchange),
}

/// An exchange: a data frame with its protection, which are fixed at the start, and the progress of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) step: Step,
    pub(crate) content: Content,
    pub(crate) to: NodeId,
    pub(crate) tx: TxVector,
    /// Duration of the frame that carries the content; `ack` is the duration of the response to it.
    pub(crate) data: Duration,
    pub(crate) ack: Duration,
    pub(crate) protection: Protection,
    /// Start of the first frame of the TXOP.
    pub(crate) txop_start: Time,
    /// End of the initiator's own last frame.
    pub(crate) own_end: Time,
}

/// Content of an exchange, which decides the kind of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// A packet without a block ack agreement, answered by an ACK.
    Packet,
    /// A single MPDU under a block ack agreement, answered by an ACK.
    Mpdu,
    /// An A-MPDU, answered by a `BlockAck`.
    Aggregate,
    /// A `BlockAckReq`, answered by a `BlockAck`.
    Request,
}

impl Content {
    /// Kind of frame that carries the content.
    pub(crate) fn kind(self) -> FrameKind {
        match self {
            Self::Packet | Self::Mpdu | Self::Aggregate => FrameKind::Data,
            Self::Request => FrameKind::BlockAckRequest,
        }
    }

    /// Kind of frame that answers the content.
    #[inline]
    pub(crate) fn response(self) -> FrameKind {
        match self {
            Self::Packet | Self::Mpdu => FrameKind::Ack,
            Self::Aggregate | Self::Request => FrameKind::BlockAck,
        }
    }
}

/// Step of the sequence RTS–CTS–data–ACK, or of its part without protection.  [80211-2020 §10.3.2]
///
/// ```text
///             a SIFS later
///   Following ────────────► OnAir ───────────► done
///       ▲                   │   │ the response comes
///       └───────────────────┘   │
///         decoded               └─────► Unanswered ──────► failed
///                                  not               time-out
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A frame of the exchange is on the air, from the initiator or the responder.
    OnAir,
    /// The next frame starts at this time.
    Following(FrameKind, Time),
    /// No response to this frame of the initiator will come. The initiator learns it at the deadline.
    Unanswered(FrameKind, Deadline),
}

/// Time at which an initiator learns that no response comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deadline {
    /// The initiator of the exchange notices the missing response at this time, its response time-out.
    At(Time),
    /// The initiator of the exchange notices the collision when its medium becomes idle, under a model in which senders
    /// notice collisions.
    Idle,
}

/// Contention windows, retry limits and TXOP limit of one contender: those of its configuration, or else the cell's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessLimits {
    cw_min: u16,
    cw_max: u16,
    attempts: Attempts,
    pub(crate) txop: Duration,
}

impl AccessLimits {
    pub(crate) fn new(access: &AccessParameters, timing: &Timing, attempts: Attempts) -> Self {
        Self {
            cw_min: access.cw_min.unwrap_or(timing.cw_min),
            cw_max: access.cw_max.unwrap_or(timing.cw_max),
            attempts: access.attempts.unwrap_or(attempts),
            txop: access.txop_limit,
        }
    }

    /// Largest number of transmissions of an MPDU under a block ack agreement.  [80211-2020 §10.23.2.12]
    ///
    /// `planned` is the length of the longest retry chain of the rate control, which replaces the standard's limits.
    pub(crate) fn mpdu_attempts(&self, is_protected: bool, planned: Option<u16>) -> u16 {
        match (self.attempts, planned) {
            (Attempts::Unlimited, _) => u16::MAX,
            (Attempts::Max(limit), _) => limit,
            (Attempts::Limits { .. }, Some(planned)) => planned,
            (Attempts::Limits { long, .. }, None) if is_protected => long,
            (Attempts::Limits { short, .. }, None) => short,
        }
    }
}

/// State of a member as a receiver of data frames, and rates between it and the access point.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Sequence number that the access point received last from this member; `last_received_down` is for the other
    /// direction.  [80211-2020 §10.3.2.14]
    pub(crate) last_received_up: Option<u16>,
    pub(crate) last_received_down: Option<u16>,
    /// Rate of data frames from this station to the access point; `rate_down` is for the other direction.
    pub(crate) rate_up: LinkRate,
    pub(crate) rate_down: LinkRate,
}

impl Member {
    pub(crate) fn new([rate_up, rate_down]: [LinkRate; 2]) -> Self {
        Self { last_received_up: None, last_received_down: None, rate_up, rate_down }
    }

    /// Rate of data frames between this station and the access point in this direction.
    pub(crate) fn rate(&mut self, direction: Direction) -> &mut LinkRate {
        match direction {
            Direction::Up => &mut self.rate_up,
            Direction::Down => &mut self.rate_down,
        }
    }
}

/// State of one contender of a cell.
#[derive(Clone, Debug)]
pub(crate) struct Contender<P> {
    pub(crate) access: Access,
    pub(crate) queue: TransmitQueue<P>,
    contention_window: u16,
    pub(crate) limits: AccessLimits,
    /// Failed attempts of the frame in service without RTS protection; `long_retries` counts those with it.
    short_retries: u16,
    long_retries: u16,
    /// Failed attempts of the frame in service that were internal collisions, without a frame on the air.
    internal: u16,
    /// Slots of back-off counted so far for the current access, while the packet waits.
    pub(crate) backoff: u64,
    stream: Stream,
}

/// Consequence of a failed attempt: another attempt, or the end of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Retry,
    GiveUp,
}

impl<P: Copy + Headers> Contender<P> {
    pub(crate) fn new(queue: QueueConfig, limits: AccessLimits, stream: Stream) -> Self {
        Self {
            access: Access::Idle,
            queue: TransmitQueue::new(queue),
            contention_window: limits.cw_min,
            limits,
            short_retries: 0,
            long_retries: 0,
            internal: 0,
            backoff: 0,
            stream,
        }
    }

    /// The packet in service.
    ///
    /// # Panics
    /// If there is none. There is one while the contender contends or has won the channel and its receiver takes no
    /// aggregates.
    pub(crate) fn serving(&self) -> &InService<P> {
        self.queue.packet().expect("a packet in service")
    }

    /// Receiver of the packet or aggregate in service.
    ///
    /// # Panics
    /// If nothing is in service. Something is while the contender contends or has won the channel.
    pub(crate) fn receiver(&self) -> NodeId {
        self.queue.receiver().expect("something in service")
    }

    /// Notes that the packet with this sequence number has reached its receiver.
    pub(crate) fn note_arrival(&mut self, sequence: u16) {
        if let Some(served) = self.queue.packet_mut().filter(|it| it.mpdu.sequence == sequence) {
            served.has_arrived = true;
        }
    }

    /// True if an attempt for the packet in service has failed on the air.
    pub(crate) fn is_retrying(&self) -> bool {
        self.short_retries > self.internal || self.long_retries > 0
    }

    /// Draws a back-off, uniform in 0 … contention window [slots].  [80211-2020 §10.3.3]
    pub(crate) fn draw_backoff(&mut self) -> u16 {
        // For a window of 2^k - 1 these are the upper k bits of the draw.
        let draw =
            (u64::from(self.stream.next_u32()) * (u64::from(self.contention_window) + 1)) >> 32;
        u16::try_from(draw).expect("at most the window")
    }

    /// Counts a failed attempt and doubles the window.  [80211-2020 §10.3.3, §10.3.4.4]
    ///
    /// With a retry chain, the end of the chain decides when the frame is given up, and not the standard's limits.
    /// [linux-minstrel]
    pub(crate) fn fail(&mut self, protected_data: bool, chain: Chain) -> Verdict {
        let counter = if protected_data { &mut self.long_retries } else { &mut self.short_retries };
        *counter = counter.saturating_add(1);
        let gives_up = match (self.limits.attempts, chain) {
            (Attempts::Unlimited, _) => false,
            (Attempts::Max(limit), _) if self.short_retries + self.long_retries >= limit => true,
            (Attempts::Limits { short, long }, Chain::None) => {
                self.short_retries >= short || self.long_retries >= long
            }
            (_, chain) => chain == Chain::Ended,
        };
        if gives_up {
            return Verdict::GiveUp;
        }
        let next = self.contention_window.saturating_mul(2).saturating_add(1);
        self.contention_window = next.min(self.limits.cw_max);
        Verdict::Retry
    }

    /// Counts an internal collision, which the contender handles like a collision.  [80211-2020 §10.23.2.2]
    pub(crate) fn collide(&mut self, chain: Chain) -> Verdict {
        self.internal = self.internal.saturating_add(1);
        self.fail(false, chain)
    }

    /// Sets the smallest and largest contention window [slots]. The current window is moved into these bounds; a
    /// back-off that has been drawn goes on.
    pub(crate) fn set_contention_window(&mut self, smallest: u16, largest: u16) {
        let is_first = self.contention_window == self.limits.cw_min;
        (self.limits.cw_min, self.limits.cw_max) = (smallest, largest);
        let window = self.contention_window.clamp(smallest, largest);
        self.contention_window = if is_first { smallest } else { window };
    }

    /// Resets contention window and retry counters: the next attempt is a first one.  [80211-2020 §10.23.2.2]
    pub(crate) fn start_afresh(&mut self) {
        self.contention_window = self.limits.cw_min;
        (self.short_retries, self.long_retries, self.internal) = (0, 0, 0);
    }

    /// Removes the frame in service, received or given up, and resets contention window and retry counters.
    pub(crate) fn finish(&mut self, now: Time) {
        self.start_afresh();
        let sequence = self.serving().mpdu.sequence;
        self.queue.finish(now, sequence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Msdu;
    use airfair_units::Bytes;
    use rand_core::SeedableRng;

    fn contender(cw_min: u16, cw_max: u16, attempts: Attempts) -> Contender<()> {
        let limits = AccessLimits { cw_min, cw_max, attempts, txop: Duration::ZERO };
        Contender::new(QueueConfig::fifo(2), limits, Stream::seed_from_u64(1))
    }

    /// Each failed attempt doubles the contention window, up to the maximum, and the end of the frame resets it.
    ///
    /// Verifies: [80211-2020 §10.3.3]
    #[test]
    fn the_window_doubles_to_its_maximum_and_starts_afresh_after_the_frame() {
        let mut contender = contender(31, 1023, Attempts::Unlimited);
        let (from, to) = (NodeId(1), NodeId::AP);
        contender.queue.push(Time::ZERO, Msdu { payload: (), size: Bytes::new(1), from, to });
        let windows: Vec<u16> = (0..7)
            .map(|_| {
                assert_eq!(contender.fail(false, Chain::None), Verdict::Retry);
                contender.contention_window
            })
            .collect();
        assert_eq!(windows, [63, 127, 255, 511, 1023, 1023, 1023]);
        contender.finish(Time::ZERO);
        assert_eq!(contender.contention_window, 31);
        assert!(!contender.is_retrying());
    }

    /// A frame is given up after seven failed attempts without RTS protection, and after four with it.
    ///
    /// Verifies: [80211-2020 §10.3.4.4]
    #[test]
    fn seven_attempts_without_and_four_with_protection() {
        let count = |attempts, protected| {
            let mut contender = contender(31, 1023, attempts);
            (1..100).find(|_| contender.fail(protected, Chain::None) == Verdict::GiveUp)
        };
        assert_eq!(count(Attempts::default(), false), Some(7));
        assert_eq!(count(Attempts::default(), true), Some(4));
        assert_eq!(count(Attempts::Max(3), true), Some(3));
    }

    #[test]
    fn a_retry_chain_counts_instead_of_the_standards_limits() {
        let count = |attempts, planned| {
            let mut contender = contender(31, 1023, attempts);
            let chain = |attempt| if attempt < planned { Chain::GoesOn } else { Chain::Ended };
            (1..100).find(|it| contender.fail(false, chain(*it)) == Verdict::GiveUp)
        };
        assert_eq!(count(Attempts::default(), 19), Some(19));
        assert_eq!(count(Attempts::default(), 3), Some(3));
        assert_eq!(count(Attempts::Max(5), 19), Some(5));
        assert_eq!(count(Attempts::Unlimited, 19), None);
    }

    #[test]
    fn the_largest_and_the_smallest_window_there_are_work() {
        let mut widest = contender(u16::MAX, u16::MAX, Attempts::Unlimited);
        assert_eq!(widest.fail(false, Chain::None), Verdict::Retry);
        assert_eq!(widest.contention_window, u16::MAX);
        assert!((0..100).any(|_| widest.draw_backoff() > 32_767));
        let mut none = contender(0, 0, Attempts::Unlimited);
        assert_eq!(none.fail(false, Chain::None), Verdict::Retry);
        assert!((0..100).all(|_| none.draw_backoff() == 0));
    }

    #[test]
    fn every_back_off_of_the_window_is_drawn_about_equally_often() {
        let mut contender = contender(31, 1023, Attempts::Unlimited);
        let mut counts = [0u32; 32];
        for _ in 0..32_000 {
            counts[usize::from(contender.draw_backoff())] += 1;
        }
        // Binomial(32 000, 1/32): mean 1000, σ = 31; the test allows six σ.
        assert!(counts.iter().all(|&n| (814..=1186).contains(&n)), "{counts:?}");
    }
}
