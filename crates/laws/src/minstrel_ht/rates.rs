//! Rates of a link: their groups, the rates that are selected from them, and the stages of the retry chain.

use std::ops::Range;

use airfair_units::Duration;

/// Number of rates in a retry chain that are selected for their throughput.
pub(super) const BEST: usize = 3;
/// Number of stages of the retry chain: the number of rates that mac80211 passes to a driver.
pub(super) const STAGES: usize = BEST + 1;

/// A PHY rate of the link, with the group that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupedRate {
    /// Number of the rate's group: the rates of a group have the same streams, width and guard interval.
    pub group: u8,
    /// Number of spatial streams of the rate.
    pub streams: u8,
    /// Time of one MPDU of 1200 octets in a long aggregate; Linux uses a sixteenth of an aggregate of
    /// sixteen.
    pub time: Duration,
}

/// A group of rates with the same streams, width and guard interval, and the best rates of the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) levels: Range<u16>,
    pub(super) streams: u8,
    /// The two rates of the group with the highest throughput.
    pub(super) best: [u16; 2],
    pub(super) probable: u16,
    /// Next position in the random order in which the group's rates are sampled.
    pub(super) turn: u16,
}

impl Group {
    /// Divides `rates` into their groups.
    ///
    /// # Panics
    ///
    /// Panics if there is no rate, or if the rates of a group are not adjacent.
    pub(super) fn all(rates: &[GroupedRate]) -> Vec<Self> {
        assert!(!rates.is_empty(), "a link has a rate");
        let place = |level: usize| u16::try_from(level).expect("some hundred rates");
        let mut start = 0;
        let mut groups = Vec::new();
        for of_group in rates.chunk_by(|one, next| one.group == next.group) {
            let is_new = rates[..start].iter().all(|rate| rate.group != of_group[0].group);
            assert!(is_new, "the rates of a group are adjacent");
            let (first, end) = (place(start), place(start + of_group.len()));
            groups.push(Self {
                levels: first..end,
                streams: of_group[0].streams,
                best: [first; 2],
                probable: first,
                turn: 0,
            });
            start += of_group.len();
        }
        groups
    }

    pub(super) fn levels(&self) -> Range<u16> {
        self.levels.clone()
    }
}

/// Rates that Minstrel-HT has selected for its retry chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// The rates with the highest throughput of all; the first rate if fewer deliver anything.
    pub(super) best: [u16; BEST],
    pub(super) probable: u16,
}

/// A stage of Minstrel-HT's retry chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) level: u16,
    pub(super) attempts: u8,
}
