//! Aggregates that lose a part to frames of a shared channel: only the MPDUs that another frame overlaps are destroyed.
//!
//! In a PPDU of several users each user has an aggregate with a receiver of its own, or the access point receives all. The
//! receiver is synchronised to the aggregate, and a later frame destroys the MPDUs that are on the air at the same
//! time. So hidden senders with aggregates of some milliseconds get far more through than if a whole aggregate were lost.
//! In a cell alone on its channel, and for a frame without several MPDUs, an overlap destroys the whole frame.
//! Deviates: [D-276]

use airfair_units::{Bytes, Time};

use super::channel::Air;
use super::emission::Hit;
use super::noise::{Noise, Signal};
use super::target_power;
use crate::frame::{Frame, Mpdu, Ppdu};
use crate::node::{Link, NodeId};
use crate::phy::TxVector;
use crate::record::Record;

/// Transmitter and receiver of a frame, and the member in its header, which may be another one in a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) leader: NodeId,
}

impl<P: Copy> Air<P> {
    /// Marks frames on the air that others have overlapped from now on at their receivers as collided, or the parts of
    /// aggregates that are overlapped as hit.
    #[cold]
    pub(super) fn collide_in_part(&mut self, now: Time) {
        let Self { frames, contention, emissions, .. } = self;
        let Some(emissions) = emissions else { return };
        let (starting, hits) = (&mut emissions.starting, &mut emissions.hits);
        starting.retain(|it| it.start == now);
        // An aggregate that was received until now loses what overlaps the frames that its receiver senses.
        let mut destroys = |was_received: bool, (leader, to): (NodeId, NodeId)| {
            let was_received = was_received && contention.reaches(to, leader);
            let sensed = starting.iter().filter(|it| contention.senses(to, it.from));
            if was_received {
                hits.extend(sensed.map(|it| Hit { leader, to, start: it.start, end: it.end }));
            }
            !was_received || starting.iter().any(|it| it.from == to)
        };
        frames.note_collision(|ppdu| {
            let (leader, is_old, mut is_hit) = (ppdu.frame.from, ppdu.start < now, false);
            if !ppdu.has_parts() {
                is_hit = contention.overlapped(&ppdu.frame);
                let was_received = is_old && !ppdu.collided && ppdu.mpdus.len() > 1;
                let to = ppdu.frame.to.filter(|_| is_hit);
                ppdu.collided |= to.map_or(is_hit, |to| destroys(was_received, (leader, to)));
                return;
            }
            let ap = ppdu.initiator.member();
            for user in ppdu.users_mut() {
                let to = if leader == ap { user.station } else { ap };
                if contention.overlapped_at(to, leader) {
                    let was_received = is_old && !user.collided && user.mpdus.len() > 1;
                    user.collided |= destroys(was_received, (leader, to));
                    is_hit = true;
                }
            }
            ppdu.collided |= is_hit && ppdu.users().iter().all(|it| it.collided);
        });
        starting.clear();
    }

    /// Marks the MPDUs of the aggregates in a PPDU that leaves the air that other frames have overlapped. An aggregate
    /// without any other has collided.
    #[cold]
    pub(super) fn settle_hits(&mut self, ppdu: &mut Ppdu<P>) {
        let Some(emissions) = &mut self.emissions else { return };
        let Frame { from: leader, to, tx, .. } = ppdu.frame;
        let hits: Vec<Hit> = emissions.hits.extract_if(.., |it| it.leader == leader).collect();
        if hits.is_empty() || ppdu.collided {
            return;
        }
        let (time, ap, records) =
            ((ppdu.start, ppdu.end), ppdu.initiator.member(), &mut self.frames.records);
        let mut settle = |(node, to): (NodeId, NodeId), tx, mpdus: &mut [Mpdu<P>]| {
            let lost = lose(mpdus, tx, time, (&hits, to));
            if lost > 0 && lost < mpdus.len() {
                emissions.in_part.push((leader, to));
                records.extend(std::iter::repeat_n(Record::Errored { node }, lost));
            }
            lost > 0 && lost == mpdus.len()
        };
        if let Some(to) = to.filter(|_| !ppdu.mpdus.is_empty()) {
            ppdu.collided = settle((leader, to), tx, &mut ppdu.mpdus);
            return;
        }
        for user in ppdu.users_mut().iter_mut().filter(|it| !it.collided) {
            let ends = if leader == ap { (ap, user.station) } else { (user.station, ap) };
            user.collided = settle(ends, user.tx, &mut user.mpdus);
        }
        ppdu.collided = ppdu.users().iter().all(|it| it.collided);
    }

    /// True if member `to` receives the frame of `leader` that ends now, or its part of that, unless noise destroys it: it
    /// has decoded the frame alone, or an aggregate of which other frames have destroyed a part.
    #[inline]
    pub(crate) fn receives(&self, to: NodeId, leader: NodeId) -> bool {
        self.emissions.as_ref().is_some_and(|it| it.in_part.contains(&(leader, to)))
            || self.contention.decodes(to, leader)
    }

    // ------------------------------------------------------------------------------------------------- interference

    /// Draws the errors of a frame that ends now, or of the part of it from `start` to `end`, under interference or with
    /// reduced power.
    #[cold]
    pub(super) fn errs_in_interference(
        &mut self,
        now: Time,
        ends: Ends,
        (tx, psdu): (TxVector, Bytes),
        (start, end): (Time, Time),
    ) -> bool {
        let Noise::Propagation(propagation) = &mut self.noise else { return false };
        let others = self.interference.as_ref();
        let level = others.map_or(0.0, |it| it.level(ends.to, ends.leader, (start, end)));
        let rules = (self.reuse.as_deref(), self.target.as_deref());
        let reduction = target_power::reduction(rules, ends.from);
        let station = Link::between(ends.from, ends.to).station;
        propagation.errs_among(now, station, (tx, psdu), (level, reduction))
    }

    /// Draws and records the errors of a frame under interference or with reduced power, or of each of its MPDUs, which
    /// take parts of its time by their sizes. Returns true if the frame is errored as a whole.
    #[cold]
    pub(super) fn add_interference(
        &mut self,
        ends: Ends,
        (tx, psdu, mpdus): (TxVector, Bytes, &mut [Mpdu<P>]),
        (start, end): (Time, Time),
    ) -> bool {
        if mpdus.is_empty() {
            let errored = self.errs_in_interference(end, ends, (tx, psdu), (start, end));
            self.record_errors(ends.from, errored);
            return errored;
        }
        let mut errored = true;
        for (mpdu, time) in times_of(mpdus, tx, (start, end)) {
            mpdu.errored = self.errs_in_interference(end, ends, (tx, mpdu.size(tx)), time);
            self.record_errors(ends.from, mpdu.errored);
            errored &= mpdu.errored;
        }
        errored
    }

    /// Power and noise of a frame between two members that ends now, in a cell with a radio. No random number is drawn.
    pub(crate) fn signal(
        &mut self,
        now: Time,
        (from, to): (NodeId, NodeId),
        tx: TxVector,
    ) -> Option<Signal> {
        let rules = (self.reuse.as_deref(), self.target.as_deref());
        let Signal { power, noise } = self.noise.signal(now, (from, to), tx)?;
        Some(Signal { power: power - target_power::reduction(rules, from), noise })
    }

    fn record_errors(&mut self, node: NodeId, errored: bool) {
        if errored {
            self.frames.records.push(Record::Errored { node });
        }
    }
}

/// Marks the MPDUs of an aggregate for member `to` that is on the air from `start` to `end` and that some of `hits` overlap,
/// and returns their number.
fn lose<P>(
    mpdus: &mut [Mpdu<P>],
    tx: TxVector,
    (start, end): (Time, Time),
    (hits, to): (&[Hit], NodeId),
) -> usize {
    let mut lost = 0;
    for (mpdu, (from, until)) in times_of(mpdus, tx, (start, end)) {
        mpdu.errored = hits.iter().any(|it| it.to == to && it.start < until && it.end > from);
        lost += usize::from(mpdu.errored);
    }
    lost
}

/// MPDUs of an aggregate that is on the air from `start` to `end`, each with the part of this time that it takes by its size.
fn times_of<P>(
    mpdus: &mut [Mpdu<P>],
    tx: TxVector,
    (start, end): (Time, Time),
) -> impl Iterator<Item = (&mut Mpdu<P>, (Time, Time))> {
    let all: u64 = mpdus.iter().map(|mpdu| mpdu.size(tx).get()).sum();
    let (mut from, mut octets) = (start, 0);
    mpdus.iter_mut().map(move |mpdu| {
        octets += mpdu.size(tx).get();
        let until = start + (end - start) * octets / all;
        (mpdu, (std::mem::replace(&mut from, until), until))
    })
}
