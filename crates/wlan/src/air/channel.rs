//! State of one channel, and its next event.

use airfair_units::{Duration, Time};

use super::access::{Access, AccessState, Deadline, FrameAhead, Unanswered};
use super::contention::Contention;
use super::emission::Emissions;
use super::hearing::Hearing;
use super::interference::Interference;
use super::mpdu_errors::MpduErrors;
use super::noise::Noise;
use super::on_air::OnAir;
use super::sequence::Sequence;
use super::spatial_reuse::SpatialReuse;
use super::spectrum::Spectrum;
use super::target_power::TargetPower;
use super::turns::MultiUserExchange;
use crate::airtime::Airtime;
use crate::config::{AfterCollision, CellConfig};
use crate::elements::Elements;
use crate::errors::ErrorModel;
use crate::frame::{Beacon, Frame, FrameKind, LONGEST_NAV, Mpdu, Ppdu};
use crate::moment::{Moment, Phase};
use crate::node::NodeId;
use crate::random::Stream;
use crate::record::{CategoryEvent, DropCause, Record};
use crate::roster::{ContenderId, Roster};
use crate::sizes::{CF_END_SIZE, CTS_SIZE};

/// One channel with its members: contention, the frames on the air, their reception, and the account of airtime. A
/// [`Mac`](super::mac::Mac) above it fills the frames. `P` is the payload of packets.
#[derive(Clone, Debug)]
pub(crate) struct Air<P> {
    pub(crate) airtime: Airtime,
    pub(super) response_timeout: Duration,
    pub(super) after_collision: AfterCollision,
    pub(super) post_backoff: bool,
    pub(crate) contention: Contention,
    pub(crate) roster: Roster,
    /// Channel access of each contender.
    pub(crate) accesses: Vec<Access>,
    pub(crate) frames: OnAir<P>,
    pub(crate) noise: Noise,
    pub(super) beacons: Beacons,
    /// Multi-user exchange of the access point; `None` if it has no multi-user frames.
    pub(crate) multi_user: Option<Box<MultiUserExchange>>,
    pub(super) observers: Observers,
    /// Frames that other cells may hear; `None` if no other cell is on the channel.
    pub(crate) emissions: Option<Box<Emissions>>,
    /// True while frames that start now are on the air and members do not know yet that the medium is busy, because other
    /// cells come first.
    pub(super) is_starting: bool,
    /// Time after the start of a foreign frame at which members sense it.
    pub(super) cca_time: Duration,
    /// Cell of each foreign member.
    pub(super) foreign: Vec<u16>,
    /// Blocks of other cells on the channel, if some differ from that of this cell.
    pub(super) spectrum: Option<Box<Spectrum>>,
    /// Powers of frames that overlap, in a cell with a radio that shares its channel.
    pub(super) interference: Option<Box<Interference>>,
    /// Spatial reuse, in a cell with a colour and a radio that shares its channel.
    pub(super) reuse: Option<Box<SpatialReuse>>,
    /// Power of answers to triggers, in a cell whose triggers have a target.
    pub(super) target: Option<Box<TargetPower>>,
    /// True if noise may make errors in some frame.
    pub(super) is_noisy: bool,
    /// Next event of the channel, which is kept because it is asked for more often than it changes.
    pub(super) next: Moment,
    /// Time at which the MAC wants to be called.
    pub(super) timer: Option<Time>,
    /// Frames that are due after a SIFS; `unanswered` are those whose initiators wait for a time-out.
    pub(super) following: Vec<FrameAhead>,
    pub(super) unanswered: Vec<Unanswered>,
    pub(super) winners: Vec<ContenderId>,
    /// Contenders that have won the channel and given way to another category of their member.
    pub(super) yielding: Vec<ContenderId>,
    pub(super) ended: Vec<Ppdu<P>>,
    /// Members for which noise has destroyed a frame to all members that leaves the air, ascending.
    pub(crate) missed: Vec<NodeId>,
    /// Errors of the MPDUs of the undisturbed aggregate that leaves the air.
    pub(crate) errors: MpduErrors,
    /// Spare buffers for the MPDUs of the next PPDUs.
    pub(super) spare: Vec<Vec<Mpdu<P>>>,
}

/// Frame by which an access point grants time to a station, or ends a grant, by the NAV of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NavFrame {
    /// CTS to the station, whose duration field is the time that the station has.
    Begin(NodeId, Duration),
    /// CF-End.
    End,
}

/// Beacons of the access point, which has a separate queue for one beacon, without back-off, and for one frame about a
/// grant behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beacons {
    pub(super) waiting: Option<Beacon>,
    /// Frame about a grant of time that waits.
    grant: Option<NavFrame>,
    /// Start of the frame that waits, if the access point's medium stays idle.
    pub(super) due: Option<Time>,
    on_air: Option<Beacon>,
    /// Contenders of the access point that would transmit now, and give way to the beacon that starts.
    pub(super) yielding: Vec<ContenderId>,
}

impl Beacons {
    /// True if a frame waits.
    #[inline]
    fn is_waiting(&self) -> bool {
        self.waiting.is_some() || self.grant.is_some()
    }
}

/// Observers of a channel, and the frames that they need: whoever needs none costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Observers {
    /// True if some members listen, so that frames that leave the air are passed to the MAC.
    pub(crate) listen: bool,
    /// True if events of access categories are recorded.
    pub(crate) categories: bool,
    /// True if every frame must be a PPDU, because a monitor or the MAC looks at it.
    pub(crate) every_ppdu: bool,
}

impl Observers {
    /// True if some observer needs frames that leave the air.
    #[inline]
    pub(super) fn is_any(self) -> bool {
        self.listen | self.categories | self.every_ppdu
    }
}

impl<P: Copy> Air<P> {
    /// Creates a silent channel with the rules of `config`. `accesses` has the channel access of each contender.
    pub(crate) fn new(
        config: &CellConfig,
        airtime: Airtime,
        (hearing, roster): (Hearing, Roster),
        accesses: Vec<Access>,
        noise: Noise,
    ) -> Self {
        Self {
            response_timeout: airtime.response_timeout(),
            after_collision: config.rules.after_collision,
            post_backoff: config.rules.post_backoff,
            contention: Contention::new(config, &airtime.timing, (hearing, roster.clone())),
            roster,
            airtime,
            accesses,
            frames: OnAir::default(),
            observers: Observers::default(),
            emissions: None,
            is_starting: false,
            cca_time: config.rules.cca_time,
            foreign: config.foreign.iter().map(|it| it.cell).collect(),
            spectrum: Spectrum::of(config),
            interference: None,
            reuse: SpatialReuse::new(&config.rules).map(Box::new),
            target: TargetPower::new(&config.rules).map(Box::new),
            is_noisy: noise.is_on_anywhere(),
            noise,
            beacons: Beacons::default(),
            multi_user: config.rules.multi_user.has_exchanges().then(Box::default),
            next: Moment::NEVER,
            timer: None,
            following: Vec::new(),
            unanswered: Vec::new(),
            winners: Vec::new(),
            yielding: Vec::new(),
            ended: Vec::new(),
            missed: Vec::new(),
            errors: MpduErrors::default(),
            spare: Vec::new(),
        }
    }

    /// All members.
    pub(crate) fn members(&self) -> impl Iterator<Item = NodeId> + use<P> {
        (0..self.roster.members()).map(NodeId)
    }

    /// Observers of the channel, to add some.
    pub(crate) fn observers_mut(&mut self) -> &mut Observers {
        &mut self.observers
    }

    /// Sets the error model of frames between a station and the access point, from those on the air on. A link that had
    /// no errors before draws from `stream`.
    ///
    /// # Panics
    /// In a cell with a radio, where powers decide.
    pub(crate) fn set_errors(&mut self, station: NodeId, model: ErrorModel, stream: Stream) {
        self.noise.set_model(station, model, stream);
        self.is_noisy = true;
    }

    /// Elements of the beacon that leaves the air, if `frame` is it.
    pub(crate) fn elements_of(&self, frame: &Frame) -> Elements {
        match &self.beacons.on_air {
            Some(beacon) if frame.kind == FrameKind::Beacon => beacon.elements,
            _ => Elements::default(),
        }
    }

    /// True if member `id` decodes the frame of `from` that leaves the air, unless noise destroys it. All members are
    /// synchronised to an undisturbed exchange.
    #[inline]
    pub(crate) fn decodes(&self, id: NodeId, from: NodeId) -> bool {
        match self.frames.undisturbed {
            Some(_) => self.contention.reaches(id, from),
            None => self.contention.decodes(id, from),
        }
    }

    /// Sets the time at which the MAC wants to be called; `None` for never.
    #[inline]
    pub(crate) fn set_timer(&mut self, at: Option<Time>) {
        self.timer = at;
    }

    /// Time at which the MAC wants to be called.
    #[cfg(test)]
    pub(crate) fn timer(&self) -> Option<Time> {
        self.timer
    }

    // ------------------------------------------------------------------------------------------------- access

    /// Starts channel access for contender `id`, which has something to send, unless it has begun before.
    #[inline]
    pub(crate) fn seek_access(&mut self, now: Time, id: ContenderId) {
        if self.accesses[id.index()].state == AccessState::Idle {
            self.begin_access(now, id);
        }
    }

    #[inline(never)]
    fn begin_access(&mut self, now: Time, id: ContenderId) {
        self.frames.begin_waiting(now);
        let left = self.contention.try_access(id, now);
        self.accesses[id.index()].backoff = left.unwrap_or(0);
        if left.is_none() {
            self.back_off(now, id);
        }
        self.accesses[id.index()].state = AccessState::Contending;
        self.plan_next(now);
    }

    /// Ends channel access of contender `id`, which has nothing to send any more. Its back-off continues.
    #[cold]
    pub(crate) fn withdraw(&mut self, id: ContenderId) {
        if self.accesses[id.index()].state == AccessState::Contending {
            self.accesses[id.index()].state = AccessState::Idle;
            self.contention.withdraw(id);
        }
    }

    /// Draws a back-off for contender `id`, which has found the medium busy, and contends.
    pub(super) fn back_off(&mut self, now: Time, id: ContenderId) {
        self.draw(now, id);
        self.contention.contend(id);
    }

    /// Draws a back-off for contender `id`, in addition to what it has counted for its frame.
    #[inline]
    pub(super) fn draw(&mut self, now: Time, id: ContenderId) {
        let access = &mut self.accesses[id.index()];
        let backoff = access.draw_backoff();
        access.backoff += u64::from(backoff);
        self.contention.draw(id, now, backoff);
    }

    /// Draws back-offs for contenders that were to transmit without one and have found the medium busy.
    #[inline]
    pub(super) fn back_off_forestalled(&mut self, now: Time) {
        while let Some(id) = self.contention.pop_forestalled() {
            self.back_off(now, id);
        }
    }

    /// Contender of a member whose exchange is in progress.
    pub(crate) fn in_exchange(&self, member: NodeId) -> Option<ContenderId> {
        let is_in_exchange =
            |id: &ContenderId| matches!(self.accesses[id.index()].state, AccessState::Exchange(_));
        self.roster.of(member).find(is_in_exchange)
    }

    /// Number of exchanges that each event inspects one by one.
    #[cfg(test)]
    pub(crate) fn open_exchanges(&self) -> usize {
        self.unanswered.len() + self.following.len()
    }

    /// Sequence of contender `id`.
    ///
    /// # Panics
    /// If the contender is in no exchange.
    #[inline]
    pub(crate) fn sequence(&self, id: ContenderId) -> &Sequence {
        self.accesses[id.index()].sequence()
    }

    // ------------------------------------------------------------------------------------------------- next event

    /// Next event of the channel; [`Moment::NEVER`] if there is none.
    #[inline]
    pub(crate) fn next_event(&self) -> Moment {
        self.next
    }

    /// Determines the next event of the channel.
    #[inline]
    pub(crate) fn plan_next(&mut self, now: Time) {
        self.next = match &self.frames.undisturbed {
            // During the exchange, only events that do not need the air can come first.
            Some(frame) if self.unanswered.is_empty() && self.timer.is_none() => {
                Moment::new(frame.end, Phase::End)
            }
            _ => self.find_next(),
        };
        if self.beacons.is_waiting() {
            self.await_beacon(now);
        }
    }

    #[inline(never)]
    fn find_next(&mut self) -> Moment {
        let mut next = Moment::of(self.frames.next_end(), Phase::End);
        if !self.unanswered.is_empty() {
            next = next.min(Moment::of(self.next_timeout(), Phase::Timeout));
        }
        if self.timer.is_some() {
            next = next.min(Moment::of(self.timer, Phase::Timeout));
        }
        if !self.following.is_empty() {
            next = next.min(Moment::of(self.next_response(), Phase::Start));
        }
        if self.emissions.is_some() {
            next = next.min(Moment::of(self.next_sensed(), Phase::Start));
        }
        next.min(Moment::of(self.contention.next_access(), Phase::Start))
    }

    /// Time at which the next frame of any exchange follows another one after a SIFS.
    fn next_response(&self) -> Option<Time> {
        self.following.iter().map(|next| next.at).min()
    }

    /// Time of the next response time-out.
    fn next_timeout(&self) -> Option<Time> {
        let timeout = |frame: &Unanswered| match frame.until {
            Deadline::At(at) => Some(at),
            Deadline::Idle => None,
        };
        self.unanswered.iter().filter_map(timeout).min()
    }

    // ------------------------------------------------------------------------------------------------- beacons

    /// Replaces the beacon that waits, and plans its start: see [`Beacons`].
    pub(crate) fn send_beacon(&mut self, now: Time, beacon: Beacon) {
        let was_waiting = self.beacons.is_waiting();
        self.beacons.waiting = Some(beacon);
        self.await_first(now, was_waiting);
    }

    /// Grants time to a station: as a beacon, a CTS to the station goes on the air, whose duration field is
    /// `duration`. Members that decode it keep quiet, and the access point and the station contend.  Deviates: [D-313]
    ///
    /// # Panics
    /// If a duration field cannot hold the duration.
    #[cold]
    pub(crate) fn grant(&mut self, now: Time, station: NodeId, duration: Duration) {
        assert!(duration <= LONGEST_NAV, "a duration field has 15 bits");
        self.send_about_grant(now, NavFrame::Begin(station, duration));
    }

    /// Ends a grant: as a beacon, a CF-End goes on the air, which resets the NAV of all members that decode it.
    /// [80211-2020 §10.3.2.4]
    #[cold]
    pub(crate) fn end_grant(&mut self, now: Time) {
        self.send_about_grant(now, NavFrame::End);
    }

    fn send_about_grant(&mut self, now: Time, frame: NavFrame) {
        let was_waiting = self.beacons.is_waiting();
        self.beacons.grant = Some(frame);
        self.await_first(now, was_waiting);
    }

    /// Plans the start of a frame that waits, before which another one may have waited.
    fn await_first(&mut self, now: Time, was_waiting: bool) {
        if !was_waiting {
            self.frames.begin_waiting(now);
        }
        self.plan_next(now);
    }

    /// Recalculates the start of the waiting beacon after each event: as soon as the access point's medium has been idle
    /// for a PIFS, as in real access points and ns-3.  [80211-2020 §11.1.3.2, §10.3.2.3.4]  Deviates: [D-100], [D-101],
    /// [D-102], [D-103]
    #[cold]
    fn await_beacon(&mut self, now: Time) {
        let timing = &self.airtime.timing;
        let pifs = timing.sifs + timing.slot;
        let is_in_exchange = self.in_exchange(NodeId::AP).is_some();
        let idle = self.contention.idle_for(NodeId::AP, pifs);
        self.beacons.due = idle.filter(|_| !is_in_exchange).map(|at| at.max(now));
        self.next = self.next.min(Moment::of(self.beacons.due, Phase::Start));
    }

    /// Beacon, or frame about a grant, that starts now, together with other frames.
    #[cold]
    pub(super) fn begin_beacon(&mut self, now: Time) -> Frame {
        self.beacons.due = None;
        self.beacons.on_air = self.beacons.waiting.take();
        let frame = match self.beacons.on_air {
            Some(beacon) => self.beacon_frame(&beacon),
            None => self.grant_frame(),
        };
        if !self.beacons.is_waiting() {
            self.frames.end_waiting(now);
        }
        frame
    }

    fn grant_frame(&mut self) -> Frame {
        let frame = self.beacons.grant.take().expect("a frame is due");
        let (kind, to, psdu, duration_field) = match frame {
            NavFrame::Begin(station, duration) => {
                (FrameKind::CtsToOther, Some(station), CTS_SIZE, duration)
            }
            NavFrame::End => (FrameKind::CfEnd, None, CF_END_SIZE, Duration::ZERO),
        };
        let (tx, duration) = (self.airtime.grant_vector(), self.airtime.grant(psdu));
        Frame { kind, from: NodeId::AP, to, tx, duration, duration_field, psdu, retry: false }
    }

    fn beacon_frame(&self, beacon: &Beacon) -> Frame {
        Frame {
            kind: FrameKind::Beacon,
            from: NodeId::AP,
            to: None,
            tx: self.airtime.beacon_vector(),
            duration: self.airtime.beacon(beacon.psdu),
            duration_field: Duration::ZERO,
            psdu: beacon.psdu,
            retry: false,
        }
    }

    // ------------------------------------------------------------------------------------------------- records

    /// Records a packet that contender `id` has dropped.
    pub(crate) fn record_drop(&mut self, id: ContenderId, cause: DropCause) {
        self.frames.records.push(Record::Dropped { node: id.member(), cause });
        self.record_category(id, CategoryEvent::Dropped);
    }

    /// Records an event of the category of a contender, if these events are recorded.
    #[inline]
    pub(crate) fn record_category(&mut self, id: ContenderId, event: CategoryEvent) {
        if self.observers.categories {
            self.frames.records.push(Record::Category(self.roster.category(id), event));
        }
    }
}
