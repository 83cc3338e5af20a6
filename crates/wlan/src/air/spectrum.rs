//! Spectrum of a cell whose neighbours occupy other blocks, which overlap its own.
//!
//! ```text
//!   channel            36        40        44        48
//!   this cell       [ primary │ secondary │ secondary 40 MHz ]
//!   a neighbour                [ primary ]
//! ```
//!
//! A frame of a neighbour on the cell's primary channel is sensed as any other. It is decoded if it is a legacy frame,
//! or if the neighbour has the same primary channel and the frame is no wider than the cell; otherwise it is mere energy.
//! A frame that leaves the primary channel free does not touch carrier sense. It makes secondary channels busy: whoever
//! wins the channel sends a narrower PPDU, or waits, by [`WidthRule`]. It also destroys wide PPDUs at receivers that
//! hear it, and adds to the [interference](super::interference) in cells with a radio.  [80211-2020 §10.23.2.5]
//!
//! Control frames around a wide PPDU are non-HT duplicates over its width. Their receivers need only the copy on their
//! primary channel.  [80211-2020 §10.6.6.6, §10.6.12]  Deviates: [D-272], [D-273], [D-274]

use airfair_units::{Dbm, Decibels, Duration, Time};

use crate::config::{CellConfig, WidthRule};
use crate::frame::Frame;
use crate::node::NodeId;
use crate::phy::{Block, Standard, TxVector, Width};

/// Number of secondary channels of the widest block: of 20, 40, 80 and 160 MHz.
const SECONDARIES: usize = Width::ALL.len() - 1;

/// Channels of a frame, as one cell sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Channels {
    /// Channels of 20 MHz in the block of the cell, one bit for each.
    within: u16,
    /// Those that its receiver needs.
    needed: u16,
    /// Number of all channels of the frame, also outside of the block.
    count: u8,
}

impl Channels {
    /// Channels of a frame in a cell whose neighbours all have the same block.
    pub(crate) const WHOLE: Self = Self { within: 1, needed: 1, count: 1 };

    /// Share of the power of this frame that disturbs the reception of `other`.
    pub(crate) fn share_in(self, other: Self) -> f64 {
        if self.within & other.needed == 0 {
            return 0.0;
        }
        f64::from((self.within & other.within).count_ones()) / f64::from(self.count)
    }

    /// Power of the frame outside of the block, as a loss; `None` if there is none, or if all of it is outside.
    pub(crate) fn loss(self) -> Option<Decibels> {
        let within = self.within.count_ones();
        let share = f64::from(within) / f64::from(self.count);
        (within > 0 && within < self.count.into())
            .then(|| Decibels::rounded(-10.0 * libm::log10(share)))
    }
}

/// Frame of a neighbour that leaves the primary channel free.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    pub(super) from: NodeId,
    pub(super) channels: Channels,
    /// Members that hear the frame.
    pub(super) heard_by: Vec<NodeId>,
}

/// Spectrum of a cell and of its neighbours.
#[derive(Clone, Debug)]
pub(crate) struct Spectrum {
    pub(super) own: Block,
    pub(super) rule: WidthRule,
    standard: Standard,
    /// Channels of the parts of the block around the primary channel, by width.
    nested: Vec<u16>,
    /// Block of the cell of each foreign member.
    foreign: Vec<Block>,
    /// Times until which the secondary channels of 20, 40, 80 and 160 MHz are busy, for each member.
    busy_until: Vec<[Time; SECONDARIES]>,
    /// Widest idle part of the block when a member won the channel for the last time.
    pub(super) widest: Vec<Width>,
    /// Frames on the air that leave the primary channel free.
    pub(super) beside: Vec<Beside>,
}

impl Spectrum {
    /// Spectrum of a cell; `None` if all its neighbours have the same block.
    pub(crate) fn of(config: &CellConfig) -> Option<Box<Self>> {
        let own = config.rules.block?;
        let foreign: Option<Vec<Block>> = config.foreign.iter().map(|it| it.block).collect();
        let foreign = foreign.filter(|all| all.iter().any(|it| *it != own))?;
        let widths = Width::ALL.into_iter().filter(|it| *it <= own.width());
        let members = config.stations.len() + 1;
        Some(Box::new(Self {
            own,
            rule: config.rules.width_rule,
            standard: config.rules.standard,
            nested: widths.map(|it| common(own, own.within(it))).collect(),
            foreign,
            busy_until: vec![[Time::ZERO; SECONDARIES]; members],
            widest: vec![own.width(); members],
            beside: Vec::new(),
        }))
    }

    /// Vector for a PPDU of member `id`, which is as wide as the part of the block that was idle when the member won the
    /// channel.
    #[cold]
    pub(super) fn narrowed(&self, id: NodeId, tx: TxVector) -> TxVector {
        let widest = self.widest[id.index()];
        match tx {
            TxVector::Mode(mode) if mode.width() > widest => TxVector::Mode(mode.narrowed(widest)),
            _ => tx,
        }
    }

    /// Channels of a frame of the cell in a PPDU of this width, whose receiver needs all of them or, for a duplicate,
    /// the primary channel.
    pub(super) fn of_own(&self, width: Width, is_duplicate: bool) -> Channels {
        let within = self.nested[usize::from(width.min(self.own.width()) as u8)];
        let needed = if is_duplicate { self.nested[0] } else { within };
        Channels { within, needed, count: count(width) }
    }

    /// Channels of a PPDU of this width of the foreign member at `place`.
    pub(super) fn of_foreign(&self, place: usize, width: Width) -> Channels {
        let within = common(self.own, self.foreign[place].within(width));
        Channels { within, needed: within, count: count(width) }
    }

    /// True if the frame occupies the primary channel of the cell.
    pub(super) fn has_primary(&self, channels: Channels) -> bool {
        channels.within & self.nested[0] != 0
    }

    /// True if members of the cell decode a frame of the foreign member at `place` that occupies their primary channel.
    pub(super) fn decodes(&self, place: usize, frame: &Frame) -> bool {
        let is_alike = self.foreign[place].primary() == self.own.primary();
        frame.tx.mode().is_none_or(|mode| is_alike && mode.width() <= self.own.width())
    }

    /// Power from which a neighbour's PPDU of this width makes a secondary channel busy, in a cell with a radio. 802.11n
    /// detects nothing but energy there; later standards detect preambles.  [80211-2020 §19.3.19.5.4, §21.3.18.5.4]
    /// Deviates: [D-273]
    pub(super) fn sensed_from(&self, width: Width) -> Dbm {
        match (self.standard, width) {
            (Standard::B | Standard::A | Standard::G | Standard::N, _) => Dbm::new(-62),
            (_, Width::Mhz20 | Width::Mhz40) => Dbm::new(-72),
            (_, _) => Dbm::new(-69),
        }
    }

    /// Begins a frame that leaves the primary channel free: secondary channels of the members that hear it are busy until
    /// its end.
    pub(super) fn begin_beside(&mut self, end: Time, beside: Beside) {
        let secondaries = self.nested.windows(2).map(|it| it[1] & !it[0]);
        for (level, channels) in secondaries.enumerate() {
            for member in &beside.heard_by {
                let until = &mut self.busy_until[member.index()][level];
                if channels & beside.channels.within != 0 {
                    *until = end.max(*until);
                }
            }
        }
        self.beside.push(beside);
    }

    /// Ends a frame of a foreign member. Returns true if the frame has left the primary channel free.
    pub(super) fn end_beside(&mut self, from: NodeId) -> bool {
        let before = self.beside.len();
        self.beside.retain(|it| it.from != from);
        self.beside.len() < before
    }

    /// Widest part of the block around the primary channel whose secondary channels have been idle for a PIFS.
    pub(super) fn idle_width(&self, member: NodeId, now: Time, pifs: Duration) -> Width {
        let secondaries = &self.busy_until[member.index()][..self.nested.len() - 1];
        let busy = secondaries.iter().position(|until| *until + pifs > now);
        busy.map_or(self.own.width(), |level| Width::ALL[level])
    }

    /// True if a frame of a neighbour destroys the frame at member `to`, whose carrier sense does not notice it.
    pub(super) fn disturbs(&self, frame: &Frame, to: NodeId) -> bool {
        let own = self.of_own(frame.tx.width(), frame.tx.mode().is_none());
        let overlaps = |it: &Beside| it.channels.within & own.needed != 0;
        self.beside.iter().any(|it| overlaps(it) && it.heard_by.contains(&to))
    }
}

/// Channels of a block that another one has as well, one bit for each.
fn common(block: Block, other: Block) -> u16 {
    let is_common = |channel: u8| u16::from(other.channels().any(|it| it == channel));
    block.channels().zip(0..).fold(0, |all, (channel, place)| all | is_common(channel) << place)
}

fn count(width: Width) -> u8 {
    1 << width as u8
}
