//! Interface between the channel and the MAC above it.

use airfair_units::{Bytes, Duration, Time};

use super::channel::Air;
use super::sequence::Sequence;
use super::turns::{Participant, TurnKind};
use crate::block_ack::Bitmap;
use crate::frame::{Frame, FrameKind, Mpdu, Ppdu, RandomUnits, Rest, User};
use crate::node::NodeId;
use crate::phy::Width;
use crate::record::Record;
use crate::roster::ContenderId;

/// MAC of the members of a channel: queues, rates, windows of block ack agreements and sequence numbers.
///
/// The channel asks for the sequence of a contender that has won access, passes on what receivers have decoded, and
/// reports the end of each sequence.
///
/// ```text
///            begin                 deliver              answered, unanswered
///   Mac ──────────────► Air ─────────────────► Mac ◄─────────────────────── Air
///        sequence            at the receiver        at the initiator
/// ```
pub(crate) trait Mac<P> {
    /// Plans the sequence of contender `id`, which has won the channel now.
    fn begin(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) -> Sequence;

    /// Handles content, also a frame to all members, that member `to` has decoded.
    fn deliver(&mut self, air: &mut Air<P>, now: Time, ppdu: &Ppdu<P>, to: NodeId);

    /// Handles the answer to the sequence of contender `id`, or the end of a sequence that has none. Returns the next
    /// sequence if the TXOP continues with one, a SIFS later.
    ///
    /// `block_ack` is the content of a `BlockAck` that was on the air as a PPDU. It is `None` after an undisturbed
    /// exchange: the recipient has it, and its scoreboard has not changed.
    fn answered(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        block_ack: Option<&Bitmap>,
    ) -> Option<Sequence>;

    /// Handles the missing response to the frame `failed` of contender `id`.
    fn unanswered(&mut self, air: &mut Air<P>, now: Time, id: ContenderId, failed: FrameKind);

    /// True if contender `id` has something to send.
    fn has_content(&self, id: ContenderId) -> bool;

    /// Width of the next PPDU for one member of contender `id`, which has something to send; `None` if it has only
    /// frames for several members.
    fn next_width(&self, _id: ContenderId) -> Option<Width> {
        None
    }

    /// Handles an internal collision: contender `id` has won the channel and given way to a higher category of its
    /// member.  [80211-2020 §10.23.2.4]
    fn gave_way(&mut self, _air: &mut Air<P>, _now: Time, _id: ContenderId) {}

    /// Handles the time for which the MAC has set the [timer](Air::set_timer).
    fn handle_timeout(&mut self, _air: &mut Air<P>, _now: Time) {}

    /// Notes that the content of the sequence of contender `id` is on the air from now on.
    fn send(&mut self, _id: ContenderId, _sequence: &Sequence) {}

    /// Appends the MPDUs of contender `id` that are on the air to `mpdus`. Returns the packets of their A-MSDUs.
    fn fill(
        &mut self,
        _id: ContenderId,
        _sequence: &Sequence,
        _mpdus: &mut Vec<Mpdu<P>>,
    ) -> Option<Box<Rest<P>>> {
        None
    }

    /// Content of the `BlockAck` or `BlockAckReq` that starts now in the sequence of contender `id`. It stays the same
    /// until the frame ends, because a time-out of the reorder buffer does not move the scoreboard.
    fn block_ack(&mut self, _air: &Air<P>, _id: ContenderId, _kind: FrameKind) -> Option<Bitmap> {
        None
    }

    /// Notes that a frame of the sequence of contender `id` starts.
    fn begin_frame(&mut self, _id: ContenderId, _frame: &Frame) {}

    /// Records the content of a PPDU that leaves the air, before any error is drawn.
    fn record_content(&mut self, _ppdu: &Ppdu<P>, _records: &mut Vec<Record>) {}

    /// Passes a PPDU that leaves the air to listeners, before it has any effect.
    fn overhear(&mut self, _air: &Air<P>, _now: Time, _ppdu: &Ppdu<P>) {}

    /// Passes a frame of another cell that leaves the air to listeners, before it has any effect.
    fn overhear_foreign(&mut self, _air: &Air<P>, _now: Time, _frame: &Frame) {}

    /// Passes frames that leave the air to a monitor, before they have any effect.
    fn monitor(&mut self, _air: &mut Air<P>, _now: Time, _ended: &[Ppdu<P>]) {}

    /// Handles the content of an undisturbed sequence from a contender to a member that has decoded it, as
    /// [`record_content`](Self::record_content) and [`deliver`](Self::deliver) do. There is no PPDU, and the errors of
    /// MPDUs are in [`Air::errors`]. Not called if the MAC wants every PPDU.
    fn deliver_undisturbed(&mut self, _air: &mut Air<P>, _now: Time, _: (ContenderId, NodeId)) {}

    /// Passes the frame that leaves the air in an undisturbed sequence to listeners, as [`overhear`](Self::overhear)
    /// does.
    fn overhear_undisturbed(&mut self, _air: &Air<P>, _now: Time, _id: ContenderId, _: &Frame) {}

    /// Part of the turn `kind` of a multi-user exchange of contender `id`, for or from one participant. `spare` is an
    /// empty buffer for MPDUs.
    fn part(
        &mut self,
        _air: &Air<P>,
        _id: ContenderId,
        (kind, participant): (TurnKind, &Participant),
        _spare: Vec<Mpdu<P>>,
    ) -> User<P> {
        User::new(participant.station(), kind.frame(), participant.answer)
    }

    /// Asks a station for its part of a turn that starts a SIFS from now, with the time that the part may take.
    fn triggered(
        &mut self,
        _air: &mut Air<P>,
        _now: Time,
        _asked: (TurnKind, Duration),
        _participant: &mut Participant,
    ) {
    }

    /// Lets a station access the random units of a trigger, which a PPDU of this duration follows. Returns the station's
    /// part in it; `None` if the station sends nothing.
    fn access_at_random(
        &mut self,
        _air: &mut Air<P>,
        _now: Time,
        _units: (RandomUnits, Duration),
        _station: NodeId,
    ) -> Option<Participant> {
        None
    }

    /// Handles the part of a turn that its receiver has decoded. `id` is the contender whose packets it carries.
    fn deliver_part(&mut self, _air: &mut Air<P>, _now: Time, _id: ContenderId, _user: &User<P>) {}

    /// Handles the fate of the data that a station was triggered to send: the `BlockAck` for it, or `None` if there is
    /// none.
    fn settle_triggered(
        &mut self,
        _air: &mut Air<P>,
        _now: Time,
        _participant: &Participant,
        _block_ack: Option<&Bitmap>,
    ) {
    }

    /// Sizes of the MPDUs on the air from contender `id` to a member with a block ack agreement, without delimiters.
    fn sizes(&mut self, _id: ContenderId, _to: NodeId) -> impl Iterator<Item = Bytes> {
        std::iter::empty()
    }
}
