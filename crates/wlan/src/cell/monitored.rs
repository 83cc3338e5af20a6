//! PPDUs as a trace needs them: with their outcome at their receivers.

use std::collections::VecDeque;

use airfair_units::Bytes;

use crate::air::access::ChannelAccess;
use crate::air::noise::Signal;
use crate::edca::AccessCategory;
use crate::elements::Elements;
use crate::frame::{Mpdu, Ppdu, Trigger, User};
use crate::node::NodeId;
use crate::phy::{Mode, PpduKind, TxVector, Unit};

/// A PPDU that has left the air, with facts that no single member knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitored<P> {
    /// The PPDU, as it was on the air.
    pub ppdu: Ppdu<P>,
    /// Elements of the beacon; empty if the PPDU is no beacon.
    pub elements: Elements,
    /// Members that the PPDU is addressed to and that have decoded it, ascending. Only a beacon, a trigger frame and a
    /// `BlockAck` for several stations may have several.
    pub receivers: Vec<NodeId>,
    /// Power and noise of the PPDU at its addressee, in a cell with a radio.
    pub signal: Option<Signal>,
    /// Access category of the exchange to which the PPDU belongs; without meaning for a beacon.
    pub category: AccessCategory,
    /// Facts about the part of a multi-user PPDU, or the triggered PPDU, that this is; `None` for other PPDUs.
    pub part: Option<Part>,
}

/// Part of a multi-user PPDU, or PPDU of one of the stations that an access point has triggered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Place of its resource unit among the equal units of the width, also of the `BlockAck` for which it asks, from 0.
    pub place: u16,
    /// Number of parts of the turn.
    pub users: u16,
    /// Octets that wait in the station after this part, as it reports them; `None` if it reports nothing.
    pub backlog: Option<Bytes>,
    /// Vector of the `BlockAck` for which an MU-BAR in the part asks, and the MU-BAR; `None` if it has none.
    pub asks: Option<(TxVector, Trigger)>,
}

impl Part {
    /// Part of `user` in a PPDU.
    pub(super) fn of<P>(ppdu: &Ppdu<P>, user: &User<P>) -> Self {
        let asks = ppdu.trigger().map(|it| (user.answer, it));
        let users = u16::try_from(ppdu.users().len()).expect("at most 148 units");
        Self { place: user.place, users, backlog: user.backlog, asks }
    }

    /// True if all users of the PPDU share the tones of this part by MU-MIMO.
    pub fn shares_tones(&self, mode: Mode) -> bool {
        self.users > 1 && mode.kind() == PpduKind::Multi && mode.unit() == Unit::Full
    }

    /// Words for the part's resource unit or streams, and the number of equal shares of the PPDU, among which it has its
    /// place.
    pub fn share(&self, mode: Mode) -> (String, u16) {
        if self.shares_tones(mode) {
            let plural = if mode.streams() == 1 { "" } else { "s" };
            return (format!("{} stream{plural}", mode.streams()), self.users);
        }
        let unit = mode.unit().within(mode.width());
        (unit.to_string(), unit.places(mode.width()))
    }
}

/// Outcome of a PPDU at its receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameOutcome {
    /// The addressee has decoded the PPDU; for a beacon or a CTS-to-self, any member has.
    Received,
    /// Another frame overlapped the PPDU.
    Collided,
    /// Noise has destroyed the PPDU.
    Errored,
    /// The addressee did not receive the PPDU: it was not synchronised to the PPDU, or does not decode such PPDUs.
    Missed,
}

impl<P> Monitored<P> {
    /// Outcome of the PPDU at its receivers.
    pub fn outcome(&self) -> FrameOutcome {
        match &self.ppdu {
            Ppdu { collided: true, .. } => FrameOutcome::Collided,
            _ if !self.receivers.is_empty() => FrameOutcome::Received,
            Ppdu { errored: true, .. } => FrameOutcome::Errored,
            _ => FrameOutcome::Missed,
        }
    }

    /// Outcome of one MPDU of the PPDU, since noise affects each MPDU by itself.
    pub fn outcome_of(&self, mpdu: &Mpdu<P>) -> FrameOutcome {
        match self.outcome() {
            FrameOutcome::Received if mpdu.errored => FrameOutcome::Errored,
            outcome => outcome,
        }
    }

    /// Number of MPDUs of the PPDU that have not arrived.
    pub fn lost_mpdus(&self) -> usize {
        self.ppdu
            .mpdus
            .iter()
            .filter(|mpdu| self.outcome_of(mpdu) != FrameOutcome::Received)
            .count()
    }
}

/// State of the monitor of a cell.
#[derive(Clone, Debug)]
pub(super) struct Monitor<P> {
    pub(super) frames: VecDeque<Monitored<P>>,
    /// State of each member's channel access when it was last reported.
    pub(super) reported: Vec<ChannelAccess>,
}
