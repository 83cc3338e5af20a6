//! Backlogs of stations, as an access point knows them, and the length of triggered PPDUs.

use airfair_units::{Bytes, Duration};

use super::params::Params;

/// Unit of a report of a buffer's size.
const UNIT: Bytes = Bytes::new(256);

/// Data that wait for a station, or in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backlog {
    /// The station has not reported its backlog.
    Unknown,
    /// This amount waits. In a report it is rounded up.
    Octets(Bytes),
    /// More waits than a report can express.
    Large,
}

impl Backlog {
    /// Backlog that the field Queue Size of a `QoS` frame reports.  [80211-2020 §9.2.4.5.6]
    ///
    /// The unit is 256 octets; 254 is any larger backlog, and 255 is no report.
    pub fn reported(field: u8) -> Self {
        match field {
            255 => Self::Unknown,
            254 => Self::Large,
            units => Self::Octets(UNIT * u64::from(units)),
        }
    }

    /// Field Queue Size of a `QoS` frame that reports the backlog, rounded up.  [80211-2020 §9.2.4.5.6]
    pub fn report(self) -> u8 {
        match self {
            Self::Unknown => 255,
            Self::Large => 254,
            Self::Octets(octets) => {
                u8::try_from(octets.get().div_ceil(UNIT.get())).map_or(254, |units| units.min(254))
            }
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::Octets(Bytes::ZERO)
    }

    /// Size of the backlog; `None` if it has no known limit.
    fn size(self, params: &Params) -> Option<Bytes> {
        match self {
            Self::Unknown => Some(params.unknown_backlog),
            Self::Octets(octets) => Some(octets),
            Self::Large => None,
        }
    }

    /// Rank of the backlog: the lower, the larger it is.
    pub(super) fn rank(self, params: &Params) -> u64 {
        self.size(params).map_or(0, |size| u64::MAX - size.get())
    }
}

/// Duration of the PPDU for which an access point triggers stations: time for the largest of their backlogs, at
/// most `longest`.  [ns3-multi-user §`TrySendingBasicTf`]
///
/// `time` is the duration of the PPDU if each station sends this amount of data: that of the slowest user.
pub fn triggered_duration(
    params: &Params,
    longest: Duration,
    backlogs: impl IntoIterator<Item = Backlog>,
    time: impl FnOnce(Bytes) -> Duration,
) -> Duration {
    let sizes = backlogs.into_iter().map(|it| it.size(params));
    let largest = sizes.reduce(|most, it| Some(most?.max(it?))).unwrap_or(Some(Bytes::ZERO));
    largest.map_or(longest, |size| time(size).min(longest))
}
