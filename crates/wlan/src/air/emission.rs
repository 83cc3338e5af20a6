//! Frames of a cell as other cells hear them.

use std::collections::VecDeque;

use airfair_units::Time;

use crate::frame::Frame;
use crate::node::NodeId;
use crate::phy::Width;
use crate::radio::Source;

/// Frame of one cell as other cells hear it.
#[derive(Clone, Debug)]
pub(crate) struct Emission {
    pub(crate) frame: Frame,
    /// Width of its PPDU, or of its duplicates.
    pub(crate) width: Width,
    /// Place and power of its transmitter, in a cell with a radio.
    pub(crate) source: Option<Source>,
    /// Colour of its cell.
    pub(crate) colour: Option<u8>,
    /// Members that send the frame together with the one in its header; of most frames there are none.
    pub(crate) fellows: Vec<(NodeId, Option<Source>)>,
}

impl Emission {
    /// Transmitters of the frame, the one in its header first.
    pub(crate) fn senders(&self) -> impl Iterator<Item = (NodeId, Option<Source>)> {
        std::iter::once((self.frame.from, self.source)).chain(self.fellows.iter().copied())
    }
}

/// Frames of a cell that other cells may hear.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emissions {
    /// Frames that start now.
    pub(crate) started: Vec<Emission>,
    pub(crate) on_air: Vec<Emission>,
    /// Frames that end now.
    pub(crate) ended: Vec<Emission>,
    /// Frames of other cells that have started, with the times at which members sense them, ascending.
    pub(super) pending: VecDeque<(Time, Emission)>,
    /// Frames that have started, from the time on at which members sense them.
    pub(super) starting: Vec<Span>,
    /// Parts of aggregates on the air that other frames overlap.
    pub(super) hits: Vec<Hit>,
    /// Leaders and receivers of aggregates that end now and arrive without the MPDUs that others have destroyed.
    pub(super) in_part: Vec<(NodeId, NodeId)>,
    /// End of the basic NAV of each member, which frames of other cells have set; empty before the first of them, and in
    /// a cell without triggers.  [80211ax-2021 §26.2.4] Deviates: [D-293]
    basic_navs: Vec<Time>,
}

impl Emissions {
    /// Notes that the frame of member `from` ends.
    pub(super) fn end(&mut self, from: NodeId) {
        let place = self.on_air.iter().position(|it| it.frame.from == from);
        self.ended.push(self.on_air.swap_remove(place.expect("the frame is on the air")));
    }

    /// Extends the basic NAV of a member to `until`, unless it is longer.
    pub(super) fn reserve(&mut self, member: NodeId, until: Time) {
        if self.basic_navs.len() <= member.index() {
            self.basic_navs.resize(member.index() + 1, Time::ZERO);
        }
        let nav = &mut self.basic_navs[member.index()];
        *nav = until.max(*nav);
    }

    /// True if the basic NAV of a member has ended.
    pub(super) fn basic_nav_is_clear(&self, member: NodeId, now: Time) -> bool {
        self.basic_navs.get(member.index()).is_none_or(|until| *until <= now)
    }
}

/// Part of an aggregate that another frame overlaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Transmitter to whose frame the receiver is synchronised: that of the aggregate, or the first one of its turn.
    pub(super) leader: NodeId,
    /// Receiver of the aggregate.
    pub(super) to: NodeId,
    pub(super) start: Time,
    pub(super) end: Time,
}

/// Time for which a frame is on the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Transmitter of the frame.
    pub(super) from: NodeId,
    pub(super) start: Time,
    pub(super) end: Time,
}
