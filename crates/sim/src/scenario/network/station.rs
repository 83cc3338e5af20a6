//! Wireless stations, with the rates of their links.

use airfair_laws::{arf, minstrel, minstrel_ht};
use airfair_units::{DataRate, Time};
use airfair_wlan::phy::{Rate, Standard};
use airfair_wlan::{ErrorModel, LinkCapabilities};

use super::{Access, Heard, Queue, Trajectory};

/// Rate control of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateControl {
    /// ARF or AARF.
    Arf(arf::Params),
    /// Minstrel, for rates of 802.11a, b and g.
    Minstrel(minstrel::Params),
    /// Minstrel-HT, for rates of 802.11n and later.
    MinstrelHt(minstrel_ht::Params),
    /// Ideal rate control, which knows the state of the channel.
    Oracle {
        /// Highest rate that it may choose, apart from the lowest of the link; `None` for all rates.
        highest: Option<DataRate>,
    },
}

/// A wireless station.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Name of the station.
    pub name: String,
    /// Cell of the station, as an index into [`Scenario::cells`](super::Scenario::cells).
    pub cell: usize,
    /// Standard of the station; the cell's by default.
    pub standard: Standard,
    /// Capabilities common to both ends of the link with the access point; `None` if one of the ends is older than
    /// HT.
    pub link: Option<LinkCapabilities>,
    /// Rates of the station's own frames, each with the time from which on it holds. The first time is [`Time::ZERO`],
    /// and times ascend.
    pub rate_up: Vec<(Time, Rate)>,
    /// Rates of the access point's frames to the station, each with the time from which on it holds. The first time is
    /// [`Time::ZERO`], and times ascend.
    pub rate_down: Vec<(Time, Rate)>,
    /// Rate control, up and down, in place of the rate schedules. The schedules then hold the initial rates.
    pub adaptation: [Option<RateControl>; 2],
    /// Transmit queue of the station.
    pub queue: Queue,
    /// Channel access of the station, per access category.
    pub access: Access,
    /// Stations that this station senses but does not decode, as ascending indices into
    /// [`Scenario::stations`](super::Scenario::stations). The relation is symmetric, and holds within one cell.
    pub senses_only: Vec<usize>,
    /// Stations whose frames this station does not sense, as ascending indices into
    /// [`Scenario::stations`](super::Scenario::stations). The relation is symmetric, and holds within one cell.
    pub hidden_from: Vec<usize>,
    /// Members of other cells that the station hears, ascending; `None` for those of its cell's list.
    pub hears: Option<Vec<Heard>>,
    /// Position and motion of the station; `None` in a cell without a radio.
    pub trajectory: Option<Trajectory>,
    /// Error model of the frames between the station and its access point.
    pub errors: ErrorModel,
}

impl Station {
    /// Creates a station of a cell, at the highest rate of its link.
    pub fn new(
        name: &str,
        cell: usize,
        standard: Standard,
        link: Option<LinkCapabilities>,
        errors: ErrorModel,
    ) -> Self {
        let highest = highest(standard, link);
        Self {
            name: name.to_owned(),
            cell,
            standard,
            link,
            rate_up: vec![(Time::ZERO, highest)],
            rate_down: vec![(Time::ZERO, highest)],
            adaptation: [None; 2],
            queue: Queue::default(),
            access: Access::of(standard),
            senses_only: Vec::new(),
            hidden_from: Vec::new(),
            hears: None,
            trajectory: None,
            errors,
        }
    }
}

/// The highest rate of a station with this standard and these capabilities of its link.
pub(crate) fn highest(standard: Standard, link: Option<LinkCapabilities>) -> Rate {
    let legacy = || Rate::Legacy(*standard.rates().last().expect("each standard has rates"));
    link.map_or_else(legacy, |link| Rate::Mode(link.fastest()))
}
