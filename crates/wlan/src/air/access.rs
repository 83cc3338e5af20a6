//! Channel access of a contender: the state machine of the DCF and of EDCA, contention window and retry counters.
//! [80211-2020 §10.3.4, §10.23.2]

use airfair_units::{Duration, Time};
use rand_core::Rng;

use super::sequence::Sequence;
use crate::airtime::Airtime;
use crate::config::CellConfig;
use crate::edca::{AccessParameters, Attempts};
use crate::frame::FrameKind;
use crate::link_rate::Chain;
use crate::phy::{Standard, Timing};
use crate::random::Stream;
use crate::roster::{ContenderId, Roster};

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
pub(crate) enum AccessState {
    /// The contender has nothing to send. The back-off after its last exchange continues.
    Idle,
    /// The contender counts down its back-off, or waits for an idle medium to do so.
    Contending,
    /// The contender has won the channel, and the frames of its exchange follow each other.
    Exchange(Exchange),
}

/// An exchange: a sequence of frames, and its place in time.  [80211-2020 §10.3.2]
///
/// ```text
///               a SIFS later
///   FrameAhead ────────────► on the air ───────────► done
///       ▲                      │   │ the response comes
///       └──────────────────────┘   │
///         decoded                  └─────► Unanswered ──────► failed
///                                     not               time-out
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) sequence: Sequence,
    /// Start of the first frame of the TXOP.
    pub(crate) txop_start: Time,
    /// End of the initiator's own last frame.
    pub(crate) own_end: Time,
}

/// Frame that follows in the exchange of a contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameAhead {
    pub(crate) initiator: ContenderId,
    pub(crate) kind: FrameKind,
    pub(crate) at: Time,
}

/// Frame of a contender to which no response comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unanswered {
    pub(crate) initiator: ContenderId,
    pub(crate) failed: FrameKind,
    /// Time at which the initiator learns it.
    pub(crate) until: Deadline,
}

/// Time at which an initiator learns that no response comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deadline {
    /// Response time-out of the initiator.
    At(Time),
    /// Moment at which the initiator's medium becomes idle, under a model in which senders notice collisions.
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

/// Channel access of one contender: an EDCAF, or the DCF of a member.  [80211-2020 §10.3.4, §10.23.2]
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) state: AccessState,
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

impl Access {
    pub(crate) fn new(limits: AccessLimits, stream: Stream) -> Self {
        Self {
            state: AccessState::Idle,
            contention_window: limits.cw_min,
            limits,
            short_retries: 0,
            long_retries: 0,
            internal: 0,
            backoff: 0,
            stream,
        }
    }

    /// Exchange in progress.
    ///
    /// # Panics
    /// If the contender is in no exchange.
    #[inline]
    pub(crate) fn exchange(&self) -> &Exchange {
        let AccessState::Exchange(exchange) = &self.state else {
            unreachable!("it is in an exchange")
        };
        exchange
    }

    /// Exchange in progress, mutable.
    ///
    /// # Panics
    /// As [`exchange`](Self::exchange).
    #[inline]
    pub(crate) fn exchange_mut(&mut self) -> &mut Exchange {
        let AccessState::Exchange(exchange) = &mut self.state else {
            unreachable!("it is in an exchange")
        };
        exchange
    }

    /// Sequence of the exchange in progress.
    ///
    /// # Panics
    /// As [`exchange`](Self::exchange).
    #[inline]
    pub(crate) fn sequence(&self) -> &Sequence {
        &self.exchange().sequence
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

    /// Smallest and largest contention window [slots].
    pub(crate) fn contention_windows(&self) -> (u16, u16) {
        (self.limits.cw_min, self.limits.cw_max)
    }

    /// Resets contention window and retry counters: the next attempt is a first one.  [80211-2020 §10.23.2.2]
    pub(crate) fn start_afresh(&mut self) {
        self.contention_window = self.limits.cw_min;
        (self.short_retries, self.long_retries, self.internal) = (0, 0, 0);
    }
}

/// Channel access of each contender. `streams` are the random streams of the members' back-offs, the access point's
/// first.
///
/// # Panics
/// If the number of streams does not match the members.
pub(crate) fn accesses(
    config: &CellConfig,
    airtime: &Airtime,
    roster: &Roster,
    mut streams: Vec<Stream>,
) -> Vec<Access> {
    assert_eq!(streams.len(), config.stations.len() + 1, "one stream per member");
    let dsss = dsss_timing(config, airtime);
    let access = |id: ContenderId| {
        let member = id.member();
        let station = member.index().checked_sub(1).map(|index| &config.stations[index]);
        let is_dsss = station.is_some_and(|it| it.standard == Standard::B);
        let timing = if is_dsss { &dsss } else { &airtime.timing };
        let limits = config.access(member, roster.category(id));
        // Streams of contenders of one member are disjoint.
        let stream = streams[member.index()].clone();
        streams[member.index()].jump();
        Access::new(AccessLimits::new(limits, timing, config.rules.attempts), stream)
    };
    roster.all().map(access).collect()
}

/// Timing of an 802.11b station, whose smallest contention window is that of its own PHY, even if EDCA's is
/// smaller.  [80211-2020 §16.3.4]
fn dsss_timing(config: &CellConfig, airtime: &Airtime) -> Timing {
    let own = Standard::B.timing(true, config.rules.preamble).cw_min;
    Timing { cw_min: config.rules.cw_min.unwrap_or(own), ..airtime.timing }
}

/// State of a member's channel access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChannelAccess {
    /// The member has nothing to send.
    #[default]
    Resting,
    /// A packet waits while the medium is busy, physically or virtually.
    Deferring {
        /// Slots of the back-off left to count.
        slots: u64,
    },
    /// A packet waits while the medium is idle: first for the end of the interframe space and of the NAV, and then for
    /// the slots of its back-off.
    CountingDown {
        /// Time from which slots of the back-off count.
        from: Time,
        /// Slots of the back-off left to count at the time `from`.
        slots: u64,
    },
    /// The member has won the channel: a frame of its exchange is on the air or due, or a response is awaited.
    InExchange,
}

impl ChannelAccess {
    /// Rank of the state: of the states of a member's categories, the one with the lowest rank represents the member.
    pub(crate) fn order(&self) -> (u8, u64) {
        match *self {
            Self::InExchange => (0, 0),
            Self::CountingDown { slots, .. } | Self::Deferring { slots } => (1, slots),
            Self::Resting => (2, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    fn access(cw_min: u16, cw_max: u16, attempts: Attempts) -> Access {
        let limits = AccessLimits { cw_min, cw_max, attempts, txop: Duration::ZERO };
        Access::new(limits, Stream::seed_from_u64(1))
    }

    /// Each failed attempt doubles the contention window, up to the maximum, and the end of the frame resets it.
    ///
    /// Verifies: [80211-2020 §10.3.3]
    #[test]
    fn the_window_doubles_to_its_maximum_and_starts_afresh_after_the_frame() {
        let mut access = self::access(31, 1023, Attempts::Unlimited);
        let windows: Vec<u16> = (0..7)
            .map(|_| {
                assert_eq!(access.fail(false, Chain::None), Verdict::Retry);
                access.contention_window
            })
            .collect();
        assert_eq!(windows, [63, 127, 255, 511, 1023, 1023, 1023]);
        access.start_afresh();
        assert_eq!(access.contention_window, 31);
        assert!(!access.is_retrying());
    }

    /// A frame is given up after seven failed attempts without RTS protection, and after four with it.
    ///
    /// Verifies: [80211-2020 §10.3.4.4]
    #[test]
    fn seven_attempts_without_and_four_with_protection() {
        let count = |attempts, protected| {
            let mut access = self::access(31, 1023, attempts);
            (1..100).find(|_| access.fail(protected, Chain::None) == Verdict::GiveUp)
        };
        assert_eq!(count(Attempts::default(), false), Some(7));
        assert_eq!(count(Attempts::default(), true), Some(4));
        assert_eq!(count(Attempts::Max(3), true), Some(3));
    }

    #[test]
    fn a_retry_chain_counts_instead_of_the_standards_limits() {
        let count = |attempts, planned| {
            let mut access = self::access(31, 1023, attempts);
            let chain = |attempt| if attempt < planned { Chain::GoesOn } else { Chain::Ended };
            (1..100).find(|it| access.fail(false, chain(*it)) == Verdict::GiveUp)
        };
        assert_eq!(count(Attempts::default(), 19), Some(19));
        assert_eq!(count(Attempts::default(), 3), Some(3));
        assert_eq!(count(Attempts::Max(5), 19), Some(5));
        assert_eq!(count(Attempts::Unlimited, 19), None);
    }

    #[test]
    fn the_largest_and_the_smallest_window_there_are_work() {
        let mut widest = access(u16::MAX, u16::MAX, Attempts::Unlimited);
        assert_eq!(widest.fail(false, Chain::None), Verdict::Retry);
        assert_eq!(widest.contention_window, u16::MAX);
        assert!((0..100).any(|_| widest.draw_backoff() > 32_767));
        let mut none = access(0, 0, Attempts::Unlimited);
        assert_eq!(none.fail(false, Chain::None), Verdict::Retry);
        assert!((0..100).all(|_| none.draw_backoff() == 0));
    }

    #[test]
    fn every_back_off_of_the_window_is_drawn_about_equally_often() {
        let mut access = self::access(31, 1023, Attempts::Unlimited);
        let mut counts = [0u32; 32];
        for _ in 0..32_000 {
            counts[usize::from(access.draw_backoff())] += 1;
        }
        // Binomial(32 000, 1/32): mean 1000, σ = 31; the test allows six σ.
        assert!(counts.iter().all(|&n| (814..=1186).contains(&n)), "{counts:?}");
    }
}
