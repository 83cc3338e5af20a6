//! Reasons for which a setting of the owner, or an action of an agent, is not allowed.

use std::fmt;

/// Reason for which a setting of the world's owner, or an action of an agent, is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAllowed {
    /// The value lies outside the range of the setting; with a sentence on the allowed range.
    OutOfRange(&'static str),
    /// The member is an access point: rates, errors and airtime weights belong to stations.
    IsAccessPoint,
    /// The member is a station.
    IsStation,
    /// The station's standard does not have the rate or, in a cell with a radio, the scenario does not mention the
    /// rate.
    NoSuchRate,
    /// Rate control chooses the rate, so that it cannot be set.
    RateIsFound,
    /// The cell has a radio, in which powers decide which frames are errored.
    PowersDecide,
    /// The queue has no weights for DATA and ACKs.
    NoWeights,
    /// The access point's queue does not share airtime between stations, so stations have no weights.
    NoAirtimeWeights,
    /// The member's frames carry one MPDU each.
    NoAggregates,
    /// The flow's transport has no window that can be limited at this end, or not in this unit.
    NoWindow,
    /// The TCP is the kernel's, whose congestion window nobody else sets.
    KernelsCwnd,
    /// The flow's transport has no rate that can be limited at this end.
    NoRate,
    /// The flow has already started.
    HasStarted,
    /// The flow has not started yet, or has already stopped.
    IsNotOpen,
    /// The end of the flow is at another node, or its transport cannot be limited.
    NotHere,
    /// The access point sends to one station at a time.
    NoMultiUser,
    /// No packet passes at this moment.
    NoPacket,
    /// No beacon is due at this moment, or the node sends none.
    NoBeacon,
    /// The beacon has no room for the elements.
    BeaconFull,
    /// The time has passed.
    InThePast,
    /// The time is later than any run can last.
    TooLate,
}

impl NotAllowed {
    /// The reason in words, with what is allowed.
    pub fn reason(self) -> &'static str {
        match self {
            Self::OutOfRange(allowed) => allowed,
            Self::IsAccessPoint => "the node is an access point; allowed at a station",
            Self::IsStation => "the node is a station; allowed at an access point",
            Self::NoSuchRate => {
                "not a rate of the station's standard, or none that its radio model knows"
            }
            Self::RateIsFound => {
                "rate control chooses the rate; allowed where the scenario gives a rate"
            }
            Self::PowersDecide => {
                "the radio model decides which frames are errored; allowed in a cell without a radio"
            }
            Self::NoWeights => {
                "the queue has no weights of data and ACKs; allowed with the discipline \"data-ack\""
            }
            Self::NoAirtimeWeights => {
                "the access point's queue has no weights of stations; allowed with the discipline \"airtime\" and a \
                 quantum"
            }
            Self::NoAggregates => {
                "the frames carry one MPDU each, so there are no aggregates to limit; allowed where frames carry several"
            }
            Self::NoWindow => {
                "the flow has no such window; a TCP sender's can be limited in segments, in octets or by a divisor, \
                 a receiver's in octets"
            }
            Self::KernelsCwnd => {
                "the flow is the kernel's TCP, which alone sets its congestion window; allowed is limit_window"
            }
            Self::NoRate => "the flow has no rate that can be limited; allowed with TFRC",
            Self::HasStarted => "the flow has already started; allowed once",
            Self::IsNotOpen => {
                "the flow has not started yet, or has already stopped; allowed while it runs"
            }
            Self::NotHere => {
                "this end of the flow is not at the node, or its transport has no limits"
            }
            Self::NoMultiUser => {
                "the access point sends no PPDUs for several stations; allowed in a cell with `ofdma`"
            }
            Self::NoPacket => {
                "no packet passes; allowed while an access point's agent handles a packet"
            }
            Self::NoBeacon => {
                "no beacon is due; allowed while an access point's agent composes a beacon"
            }
            Self::BeaconFull => {
                "the beacon has no room for the elements; allowed are 23 octets for all laws together, with 2 for the \
                 header of each element"
            }
            Self::InThePast => "the time has passed; allowed are times from now on",
            Self::TooLate => "no run lasts as long; allowed are times within 100 years",
        }
    }
}

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}

impl std::error::Error for NotAllowed {}
