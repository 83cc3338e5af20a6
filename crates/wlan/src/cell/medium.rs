//! Who gets the channel next and what a frame leaves behind, kept in one of two ways.
//!
//! Where all members sense each other they count in [`Lanes`], at a cost that does not grow with them.
//! Where some are hidden, or may come to be, each of the [`Members`] has its own carrier sense.

use airfair_units::{Duration, Time};

use crate::config::{AfterCollision, CellConfig, Eifs, NodeId};
use crate::contention::{Contention, Failed, Gap, Waits};
use crate::frame::{Frame, Transmission};
use crate::hearing::{Hearing, LaneId};
use crate::members::Members;
use crate::phy::{Standard, Timing};

// A tag of its own is cheaper to look at than a niche, and it is looked at several times per frame.
#[derive(Debug)]
#[repr(u8)]
pub(super) enum Medium {
    /// All sense each other, for good.
    Lanes(Lanes),
    /// Who senses whom is a relation.
    Members(Members),
}

impl Medium {
    pub(super) fn lanes(config: &CellConfig, timing: &Timing) -> Self {
        let hearing = Hearing::new(config);
        let contention = Contention::new(timing, hearing.aifsns());
        let waits = Waits::new(&config.rules, timing);
        let others = Vec::new();
        Self::Lanes(Lanes { hearing, contention, waits, sends_beacon: false, others })
    }

    pub(super) fn members(config: &CellConfig, timing: &Timing) -> Self {
        Self::Members(Members::new(config, timing))
    }

    /// When the next contender transmits, if its medium stays idle.
    #[inline]
    pub(super) fn next_access(&self) -> Option<Time> {
        match self {
            Self::Lanes(lanes) => lanes.contention.next_access(),
            Self::Members(members) => members.next_access(),
        }
    }

    /// Removes those who transmit at `now` and appends them to `winners`.
    #[inline]
    pub(super) fn take_winners(&mut self, now: Time, winners: &mut Vec<NodeId>) {
        match self {
            Self::Lanes(lanes) => lanes.contention.take_winners(now, winners),
            Self::Members(members) => members.take_winners(now, winners),
        }
    }

    /// A member that must draw a back-off, because the frames that start have forestalled it.
    #[inline]
    pub(super) fn pop_forestalled(&mut self) -> Option<NodeId> {
        match self {
            Self::Lanes(lanes) => lanes.contention.pop_forestalled(),
            Self::Members(members) => members.pop_forestalled(),
        }
    }

    /// Whether `to` decodes a frame of `from` that ends now, if it has not collided and noise allows.
    #[inline]
    pub(super) fn decodes(&self, to: NodeId, frame: &Frame) -> bool {
        match self {
            Self::Lanes(Lanes { hearing, .. }) => {
                hearing.decodes(hearing.lane_of(to), frame.from, Standard::is_dsss(frame.rate))
            }
            Self::Members(members) => members.decodes(to, frame.from),
        }
    }

    /// Whether `listener` decodes a frame that ends now, as far as noise allows.
    #[cold]
    pub(super) fn hears(&self, listener: NodeId, transmission: &Transmission) -> bool {
        // Where all sense each other a collision is one for everybody.
        let is_lost = matches!(self, Self::Lanes(_)) && transmission.collided;
        !is_lost && self.decodes(listener, &transmission.frame)
    }

    /// Whether the virtual carrier sense of `node` is clear.
    #[inline]
    pub(super) fn nav_is_clear(&self, node: NodeId, now: Time) -> bool {
        match self {
            Self::Lanes(Lanes { hearing, contention, .. }) => {
                contention.nav_is_clear(hearing.lane_of(node), node, now)
            }
            Self::Members(members) => members.nav_is_clear(node, now),
        }
    }

    /// Since when the medium of `node` has been idle for a `gap` if it stays so, physically and virtually, where
    /// the gap before its back-off is an AIFS or an EIFS; nothing if it is busy. `own_end` is when its last frame
    /// without response left the air.
    pub(super) fn idle_for(&self, node: NodeId, gap: Duration, own_end: Time) -> Option<Time> {
        match self {
            Self::Lanes(Lanes { hearing, contention, .. }) => {
                contention.idle_for((node, hearing.lane_of(node)), gap, own_end)
            }
            Self::Members(members) => members.idle_for(node, gap),
        }
    }

    /// Starts a back-off of `backoff` slots. The slot of its lane at which it is done, where there are
    /// lanes.
    #[inline]
    pub(super) fn draw(&mut self, node: NodeId, now: Time, backoff: u16) -> u64 {
        match self {
            Self::Lanes(Lanes { hearing, contention, .. }) => {
                contention.slot_after(node, hearing.lane_of(node), now, backoff)
            }
            Self::Members(members) => {
                members.draw(node, now, backoff);
                0
            }
        }
    }

    /// Contends with a back-off that [`draw`](Self::draw) said is done at `done`.
    #[inline]
    pub(super) fn join(&mut self, node: NodeId, done: u64) {
        match self {
            Self::Lanes(Lanes { hearing, contention, .. }) => {
                contention.join(node, hearing.lane_of(node), done);
            }
            Self::Members(members) => members.contend(node),
        }
    }

    /// Contends again after a transmission that failed; `own_end` is when it left the air.
    #[inline]
    pub(super) fn rejoin(&mut self, node: NodeId, own_end: Time, now: Time, backoff: u16) {
        match self {
            Self::Lanes(Lanes { hearing, contention, .. }) => {
                let lane = hearing.lane_of(node);
                contention.rejoin(Failed { node, lane, own_end }, now, backoff);
            }
            Self::Members(members) => {
                members.draw(node, now, backoff);
                members.contend(node);
            }
        }
    }

    /// A packet has come to a resting member whose last back-off is done at `done`. The slots left of it;
    /// nothing if it must draw a new one.
    #[inline]
    pub(super) fn try_access(&mut self, node: NodeId, done: u64, now: Time) -> Option<u64> {
        match self {
            Self::Lanes(Lanes { hearing, contention, .. }) => {
                contention.try_access(node, hearing.lane_of(node), done, now)
            }
            Self::Members(members) => members.try_access(node, now),
        }
    }
}

/// Members that all sense each other.
#[derive(Debug)]
pub(super) struct Lanes {
    pub(super) hearing: Hearing,
    pub(super) contention: Contention,
    waits: Waits,
    /// Whether the access point's beacon is part of the present busy period.
    sends_beacon: bool,
    /// Members of a lane that know the last frame otherwise than it, each with its gap.
    others: Vec<(NodeId, Gap)>,
}

impl Lanes {
    /// Every lane resumes an AIFS or an EIFS after the frame, as it decoded it or not.
    pub(super) fn release(&mut self, now: Time, transmission: &Transmission) {
        let frame = &transmission.frame;
        let is_dsss = Standard::is_dsss(frame.rate);
        for lane in self.hearing.lanes() {
            let decoded = !transmission.collided && self.hearing.decodes(lane, frame.from, is_dsss);
            if decoded && !frame.nav.is_zero() {
                let addressee = frame.addressee();
                let parties = [frame.from, addressee.unwrap_or(frame.from)];
                let parties = &parties[..if addressee.is_none() { 1 } else { 2 }];
                self.contention.set_nav(lane, now, now + frame.nav, parties);
            }
            let gap = match self.waits.after_collision {
                _ if decoded => Gap::Aifs,
                AfterCollision::Difs if transmission.collided => Gap::Aifs,
                _ if self.waits.eifs == Eifs::Nav => {
                    let parties: &[NodeId] = if self.is_in_step() { &[NodeId::AP] } else { &[] };
                    self.contention.set_nav(lane, now, now + self.waits.nav, parties);
                    Gap::Aifs
                }
                _ => Gap::Eifs,
            };
            self.contention.end_busy(lane, now, gap);
        }
    }

    /// The access point's beacon starts.
    pub(super) fn begin_beacon(&mut self) {
        self.sends_beacon = true;
    }

    /// The busy period is over.
    #[inline]
    pub(super) fn end_beacon(&mut self) {
        self.sends_beacon = false;
    }

    /// Whether the access point goes on an AIFS after its beacon, whatever that has collided with: who
    /// transmits knows nothing of a collision.
    fn is_in_step(&self) -> bool {
        self.sends_beacon && self.waits.after_collision == AfterCollision::Standard
    }

    /// Where no response follows, whoever is not held back as its lane is counts for itself: the two
    /// parties of the frame, and a receiver that could not decode it, which waits EIFS; the sender of a beacon.
    /// [80211-2020 §10.3.2.3.7]
    pub(super) fn part(&mut self, now: Time, last: &Transmission, missed: &[NodeId]) {
        let is_alike = !last.spoilt && !self.sends_beacon;
        for lane in self.hearing.lanes() {
            if !is_alike {
                self.find_others(lane, now, (last, missed));
            }
            let others = if is_alike { &[] } else { self.others.as_slice() };
            self.contention.part(lane, now, others);
        }
    }

    /// Who of the lane knows the last frame otherwise than the others.
    #[cold]
    fn find_others(&mut self, lane: LaneId, now: Time, (last, missed): (&Transmission, &[NodeId])) {
        self.others.clear();
        if self.is_in_step() && self.hearing.lane_of(NodeId::AP) == lane {
            self.others.push((NodeId::AP, Gap::Aifs));
        }
        match last.frame.to {
            _ if !last.spoilt => {}
            Some(receiver) => self.spoil(lane, now, receiver),
            None => missed.iter().for_each(|station| self.spoil(lane, now, *station)),
        }
    }

    /// Noise has spoilt the last frame for `receiver`.
    fn spoil(&mut self, lane: LaneId, now: Time, receiver: NodeId) {
        if self.hearing.lane_of(receiver) != lane {
            return;
        }
        let gap = match self.waits.eifs {
            Eifs::Standard => Gap::Eifs,
            Eifs::Nav => {
                self.contention.set_own_nav(receiver, lane, now + self.waits.nav);
                Gap::Aifs
            }
        };
        self.others.push((receiver, gap));
    }
}
