//! Configuration of the TFRC endpoints. [`Profile`] selects the rules of a specification or implementation.

use airfair_laws::tfrc::{Discounting, Equation, Params, Variant};
use airfair_units::{Bytes, Duration};

use crate::application::Traffic;

/// Specification or implementation of TFRC to follow. For the differences see [`airfair_laws::tfrc`] and
/// [`super`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// TFRC by RFC 5348 of 2008.
    #[default]
    Rfc5348,
    /// TFRC by RFC 3448 of 2003, with its errata.
    Rfc3448,
    /// TFRC as implemented in ns-2.35.
    Ns2,
}

impl Profile {
    /// The variant of the rate law that the sender uses.
    pub fn variant(self) -> Variant {
        match self {
            Self::Rfc5348 => Variant::Rfc5348,
            Self::Rfc3448 => Variant::Rfc3448,
            Self::Ns2 => Variant::Ns2,
        }
    }
}

/// Configuration of a TFRC [`Sender`](super::Sender).
#[derive(Clone, Debug, PartialEq)]
pub struct SenderConfig {
    /// Parameters of the rate law, including the segment size s.
    pub law: Params,
    /// Traffic that the application gives the sender.
    pub traffic: Traffic,
    /// Buffer for packets that wait to be sent; packets that exceed it are dropped. `None` is no limit
    /// [octets].
    pub buffer: Option<Bytes>,
    /// SSRC: identifier of the sender in its packets.
    pub ssrc: u32,
    /// Sequence number of the first packet.
    pub initial_seq: u16,
    /// Granularity `t_gran` of the owner's timers. A packet may be sent half of it early.  [RFC5348 §8.3]
    pub granularity: Duration,
    /// Smallest no-feedback timer, for owners whose timers expire late; zero in the standards.
    pub least_no_feedback: Duration,
}

impl SenderConfig {
    /// Default configuration for a profile: greedy traffic, and timers that are exact to the nanosecond.
    pub fn new(profile: Profile, segment: Bytes) -> Self {
        Self {
            law: Params::new(profile.variant(), segment),
            traffic: Traffic::Greedy,
            buffer: None,
            ssrc: 1,
            initial_seq: 0,
            granularity: Duration::ZERO,
            least_no_feedback: Duration::ZERO,
        }
    }
}

/// Rule for the time at which a packet was lost, interpolated from the packets around it.  [RFC5348 §5.2]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossTime {
    /// Interpolate between the arrival times of the packets around a loss.
    #[default]
    ByArrival,
    /// Interpolate between the send timestamps of the packets around a loss (ns-2, `estimate_tstamp`).
    BySending,
}

/// Rule for when the receiver sends a report, besides those for new losses and for the first packet.
/// [RFC5348 §6.1 and §6.2]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reports {
    /// Report a round trip after the last report or, if nothing had arrived by then, with the next packet.
    #[default]
    EachRoundTrip,
    /// Report with the first packet that arrives a round trip after the last report, or one and a half round
    /// trips after it (ns-2, `recv` and `nextpkt`); and at every loss event, whether p rises or not.
    OnArrival,
}

/// Receive rate from which the length of the loss interval before the first loss is derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstInterval {
    /// The first loss interval follows from the largest receive rate so far.  [RFC5348 §6.3.1]
    #[default]
    LargestSoFar,
    /// The first loss interval follows from the receive rate of the last round trip.  [RFC3448 §6.3.1]
    LastRoundTrip,
}

/// Configuration of a TFRC [`Receiver`](super::Receiver).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverConfig {
    /// SSRC: identifier of the receiver in its reports.
    pub reporter: u32,
    /// SSRC of the only sender to accept; `None` accepts the first one that is received.
    pub sender: Option<u32>,
    /// `NDUPACK`: number of later packets after which a missing one counts as lost, at least 1.
    /// [RFC5348 §5.1]
    pub later_packets: u32,
    /// Rule for the time at which a packet was lost.
    pub loss_time: LossTime,
    /// History discounting of the loss intervals.  [RFC5348 §5.5]
    pub discounting: Discounting,
    /// Rule for when the receiver sends reports.
    pub reports: Reports,
    /// True if the current loss interval includes the newest packet, `S_C - S_A + 1`, as in [RFC5348 §5.3];
    /// false if it has only the packets since the loss, as in [RFC3448 §5.4].
    pub counts_newest: bool,
    /// Receive rate from which the first loss interval is derived.
    pub first_interval: FirstInterval,
    /// Throughput equation that converts the receive rate to the first loss interval.  [RFC5348 §6.3.1]
    pub equation: Equation,
}

impl ReceiverConfig {
    /// Default configuration of a receiver for a profile.
    pub fn new(profile: Profile) -> Self {
        let standard = Self {
            reporter: 2,
            sender: None,
            later_packets: 3,
            loss_time: LossTime::ByArrival,
            discounting: Discounting::Threshold(0.25),
            reports: Reports::EachRoundTrip,
            counts_newest: true,
            first_interval: FirstInterval::LargestSoFar,
            equation: Equation::default(),
        };
        let before_2008 =
            Self { counts_newest: false, first_interval: FirstInterval::LastRoundTrip, ..standard };
        match profile {
            Profile::Rfc5348 => standard,
            Profile::Rfc3448 => before_2008,
            Profile::Ns2 => Self {
                later_packets: 1,
                loss_time: LossTime::BySending,
                discounting: Discounting::Threshold(0.5),
                reports: Reports::OnArrival,
                equation: Equation { clamp_timeout_probability: true, ..standard.equation },
                ..before_2008
            },
        }
    }
}
