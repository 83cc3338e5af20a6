//! Aggregates that lose a part to frames of a shared channel: only the MPDUs that another frame overlaps are destroyed.
//!
//! The receiver is synchronised to the aggregate, and a later frame destroys the MPDUs that are on the air at the same
//! time. So hidden senders with aggregates of some milliseconds get far more through than if a whole aggregate were lost.
//! In a cell alone on its channel, and for a frame without several MPDUs, an overlap destroys the whole frame.
//! Deviates: [D-276]

use airfair_units::{Bytes, Time};

use super::channel::Air;
use super::emission::Span;
use super::noise::{Noise, Signal};
use super::target_power;
use crate::frame::{Frame, FrameKind, Mpdu, Ppdu};
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
        frames.collide(|ppdu| {
            if !contention.overlapped(&ppdu.frame) {
                return false;
            }
            let is_received = ppdu.start < now && !ppdu.collided && ppdu.mpdus.len() > 1;
            let Some(to) = ppdu.frame.to.filter(|_| is_received) else { return true };
            // An aggregate that was received until now loses what overlaps the frames that its receiver senses.
            let sensed = starting.iter().filter(|it| contention.senses(to, it.from));
            hits.extend(sensed.map(|it| Span { from: ppdu.frame.from, ..*it }));
            starting.iter().any(|it| it.from == to)
        });
        starting.clear();
    }

    /// Marks the MPDUs of an aggregate that leaves the air that other frames have overlapped. If none is left, the
    /// aggregate has collided.
    #[cold]
    pub(super) fn settle_hits(&mut self, ppdu: &mut Ppdu<P>) {
        let Frame { from, tx, kind, .. } = ppdu.frame;
        let Some(emissions) = &mut self.emissions else { return };
        let hits: Vec<Span> = emissions.hits.extract_if(.., |it| it.from == from).collect();
        if hits.is_empty() || ppdu.collided || kind != FrameKind::Data {
            return;
        }
        let all: u64 = ppdu.mpdus.iter().map(|mpdu| mpdu.size(tx).get()).sum();
        let (mut start, mut octets) = (ppdu.start, 0);
        for mpdu in &mut ppdu.mpdus {
            octets += mpdu.size(tx).get();
            let end = ppdu.start + (ppdu.end - ppdu.start) * octets / all;
            mpdu.errored = hits.iter().any(|hit| hit.start < end && hit.end > start);
            start = end;
        }
        ppdu.collided = ppdu.mpdus.iter().all(|mpdu| mpdu.errored);
        if !ppdu.collided {
            emissions.in_part.push(from);
            let lost = ppdu.mpdus.iter().filter(|mpdu| mpdu.errored);
            self.frames.records.extend(lost.map(|_| Record::Errored { node: from }));
        }
    }

    /// True if member `to` receives the frame of a PPDU that ends now, unless noise destroys it: it has decoded the frame
    /// alone, or an aggregate of which other frames have destroyed a part.
    #[inline]
    pub(super) fn receives(&self, ppdu: &Ppdu<P>, to: NodeId) -> bool {
        let from = ppdu.frame.from;
        self.emissions.as_ref().is_some_and(|it| it.in_part.contains(&from))
            || self.contention.decodes(to, from)
    }

    // ------------------------------------------------------------------------------------------------- interference

    /// Draws the errors of a frame without MPDUs, from its start to its end, under interference.
    pub(super) fn errs_in_interference(
        &mut self,
        ends: Ends,
        content: (TxVector, Bytes),
        (start, end): (Time, Time),
    ) -> bool {
        self.part_errs(end, ends, content, (start, end))
    }

    /// Draws the errors of the part from `start` to `end` of a frame that ends now.
    #[cold]
    fn part_errs(
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
        let rise = propagation.rise(tx, level) + reduction;
        let station = Link::between(ends.from, ends.to).station;
        propagation.errs_above(now, station, (tx, psdu), rise)
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
            let errored = self.errs_in_interference(ends, (tx, psdu), (start, end));
            self.record_errors(ends.from, errored);
            return errored;
        }
        let all: u64 = mpdus.iter().map(|mpdu| mpdu.size(tx).get()).sum();
        let (mut from, mut octets, mut errored) = (start, 0, true);
        for mpdu in mpdus {
            octets += mpdu.size(tx).get();
            let until = start + (end - start) * octets / all;
            mpdu.errored = self.part_errs(end, ends, (tx, mpdu.size(tx)), (from, until));
            self.record_errors(ends.from, mpdu.errored);
            (from, errored) = (until, errored & mpdu.errored);
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
