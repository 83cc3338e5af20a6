//! Content of the part of each station in the turns of a multi-user exchange.

use airfair_laws::multi_user::Backlog;
use airfair_units::{Bytes, Time};

use super::super::mac::CellMac;
use crate::air::Air;
use crate::air::turns::{Participant, TurnKind};
use crate::block_ack::Bitmap;
use crate::frame::{FrameKind, Mpdu, User};
use crate::node::NodeId;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;
use crate::sizes::{Acknowledgment, DELIMITER, QOS_NULL_SIZE, multi_sta_block_ack};

/// Size of a part with a buffer report alone: a `QoS` Null with its delimiter.
pub(super) const NULL: Bytes = Bytes::new(QOS_NULL_SIZE.get() + DELIMITER.get());

impl<P: Copy + Headers> CellMac<P> {
    /// Part of a turn for or from one participant.
    #[cold]
    pub(crate) fn part_of_turn(
        &mut self,
        air: &Air<P>,
        id: ContenderId,
        (kind, participant): (TurnKind, &Participant),
        spare: Vec<Mpdu<P>>,
    ) -> User<P> {
        let station = participant.station();
        let frame = kind.frame();
        match kind {
            TurnKind::Data => self.data_part((id, station), participant, spare),
            TurnKind::Uplink if participant.waits => {
                let from = participant.contender;
                let user = self.data_part((from, NodeId::AP), participant, spare);
                User { backlog: Some(self.backlog_of(air, station)), ..user }
            }
            TurnKind::Uplink | TurnKind::Reports => {
                let backlog = Some(self.backlog_of(air, station));
                User { backlog, ..User::new(station, frame, (participant.data.0, NULL)) }
            }
            TurnKind::Answer(_) | TurnKind::Answers => {
                let hop = air.roster.hop(id, station);
                let block_ack = Some(self.recipients.of(hop).block_ack());
                User { block_ack, ..User::new(station, FrameKind::BlockAck, participant.answer) }
            }
            TurnKind::Request(_) => {
                let start = self.queues[id.index()].link(station).originator.start();
                let block_ack = Some(Bitmap::new(start));
                User { block_ack, ..User::new(station, frame, participant.answer) }
            }
            TurnKind::Clears => User::new(station, FrameKind::Cts, participant.answer),
            TurnKind::Feedback => {
                User::new(station, FrameKind::BeamformingReport, participant.answer)
            }
            TurnKind::Trigger => {
                // Only an MU-BAR follows data.
                let link = self.queues[id.index()].link_of(station);
                let asked = link.filter(|_| !participant.data.1.is_zero());
                let block_ack = asked.map(|link| Bitmap::new(link.originator.start()));
                User { block_ack, ..User::new(station, frame, participant.answer) }
            }
            // The announcement asks for a report of this size.
            TurnKind::Announcement => User::new(station, frame, participant.answer),
            TurnKind::Call | TurnKind::CtsToSelf | TurnKind::Sounding => {
                User::new(station, frame, participant.data)
            }
            TurnKind::MultiBlockAck => self.acknowledgment(air, participant),
        }
    }

    /// Data from contender `id` to `to`, which count as sent from now on.
    fn data_part(
        &mut self,
        (id, to): (ContenderId, NodeId),
        participant: &Participant,
        mut mpdus: Vec<Mpdu<P>>,
    ) -> User<P> {
        self.send_batch(id, to);
        let joined = self.fill_batch(id, to, &mut mpdus);
        let user = User::new(participant.station(), FrameKind::Data, participant.data);
        User { mpdus, joined, ..user }
    }

    /// Entry of a participant in the access point's `BlockAck` for all: without a bitmap if all MPDUs have arrived, and
    /// empty if nothing has.
    fn acknowledgment(&mut self, air: &Air<P>, participant: &Participant) -> User<P> {
        let (from, tx) = (participant.contender, participant.data.0);
        let has_arrived = participant.waits && participant.is_answered;
        let window = self.queues[from.index()].link(NodeId::AP).agreement.window.mpdus();
        let answer =
            if participant.is_whole { Acknowledgment::All } else { Acknowledgment::Bitmap(window) };
        let size = multi_sta_block_ack(has_arrived.then_some(answer)) - multi_sta_block_ack([]);
        let hop = air.roster.hop(from, NodeId::AP);
        let block_ack = has_arrived.then(|| self.recipients.of(hop).block_ack());
        let user = User::new(participant.station(), FrameKind::MultiBlockAck, (tx, size));
        User { block_ack, ..user }
    }

    /// Octets that wait in a station and are not on the air.
    fn backlog_of(&self, air: &Air<P>, station: NodeId) -> Bytes {
        air.roster.of(station).map(|id| self.queues[id.index()].octets_waiting()).sum()
    }

    /// Handles the part of a turn that its receiver has decoded. `id` is the contender whose packets it carries.
    #[cold]
    pub(crate) fn take_part(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        user: &User<P>,
    ) {
        let to = if id.member().is_ap() { user.station } else { NodeId::AP };
        if let (Some(backlog), Some(mu)) = (user.backlog, &mut self.multi_user) {
            let report = Backlog::reported(Backlog::Octets(backlog).report());
            mu.reports[user.station.index()] = (report, Some(now));
        }
        if !user.mpdus.is_empty() {
            self.deliver_aggregate(air, now, (id, to), user.contents());
        }
    }
}
