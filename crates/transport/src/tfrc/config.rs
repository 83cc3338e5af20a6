//! Configuration of an endpoint. [`Profile`] sets all that its authors chose.

use airfair_laws::tfrc::{Discounting, Equation, Params, Variant};
use airfair_units::{Bytes, Duration};

use super::application::Traffic;

/// Whose TFRC. The differences stand in [`airfair_laws::tfrc`] and in [`super`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The standard of 2008.
    #[default]
    Rfc5348,
    /// The standard of 2003, with its errata.
    Rfc3448,
    /// The simulator ns-2.35.
    Ns2,
}

impl Profile {
    /// The sender's rules.
    pub fn variant(self) -> Variant {
        match self {
            Self::Rfc5348 => Variant::Rfc5348,
            Self::Rfc3448 => Variant::Rfc3448,
            Self::Ns2 => Variant::Ns2,
        }
    }
}

/// Choices about a [`Sender`](super::Sender).
#[derive(Clone, Debug, PartialEq)]
pub struct SenderConfig {
    /// Rules and constants of the rate, segment size s included.
    pub law: Params,
    /// Packets that the application sends.
    pub traffic: Traffic,
    /// Room for those that wait to be sent; what comes on top is dropped. `None` is no limit [octets].
    pub buffer: Option<Bytes>,
    /// Name of the sender in its packets.
    pub ssrc: u32,
    /// Number of the first packet.
    pub initial_seq: u16,
    /// Granularity `t_gran` of the owner's timers: a packet may go half of it early.  [RFC5348 §8.3]
    pub granularity: Duration,
    /// Least no-feedback timer, for owners whose timers wake late; zero in the standards.
    pub least_no_feedback: Duration,
}

impl SenderConfig {
    /// Configuration of the profile: greedy, with a clock of whole nanoseconds.
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

/// Time at which a packet was lost, in terms of the packets around it.  [RFC5348 §5.2]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossTime {
    /// Between the arrivals.
    #[default]
    ByArrival,
    /// Between the send timestamps (ns-2, `estimate_tstamp`).
    BySending,
}

/// Occasions for a report, beyond new losses and the first packet.  [RFC5348 §6.1 and §6.2]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reports {
    /// A round trip after the last report; if nothing had come, with the next packet.
    #[default]
    EachRoundTrip,
    /// With the first packet a round trip after the last report, or one and a half after it (ns-2,
    /// `recv` and `nextpkt`); and at every loss event, whether p rises or not.
    OnArrival,
}

/// Rate that the interval before the first loss stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstInterval {
    /// The largest receive rate so far.  [RFC5348 §6.3.1]
    #[default]
    LargestSoFar,
    /// That of the last round trip.  [RFC3448 §6.3.1]
    LastRoundTrip,
}

/// Choices about a [`Receiver`](super::Receiver).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverConfig {
    /// Name of the receiver in its reports.
    pub reporter: u32,
    /// The only sender to listen to; `None` is the first one heard.
    pub sender: Option<u32>,
    /// Later packets that make a missing one lost, `NDUPACK`, at least 1.  [RFC5348 §5.1]
    pub later_packets: u32,
    /// Time at which a packet was lost.
    pub loss_time: LossTime,
    /// History discounting.
    pub discounting: Discounting,
    /// Occasions for a report.
    pub reports: Reports,
    /// True if the current loss interval counts the newest packet, `S_C - S_A + 1`, as
    /// [RFC5348 §5.3] has it; the packets since the loss in [RFC3448 §5.4].
    pub counts_newest: bool,
    /// Rate that the first loss interval stands for.
    pub first_interval: FirstInterval,
    /// The equation that turns the receive rate into the first loss interval.  [RFC5348 §6.3.1]
    pub equation: Equation,
}

impl ReceiverConfig {
    /// Configuration of the profile.
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
