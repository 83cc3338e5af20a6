//! State of a member as a receiver of data frames, and the rates of its links.

use airfair_laws::Direction;

use crate::link_rate::LinkRate;

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
