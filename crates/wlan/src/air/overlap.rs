//! Aggregates that lose a part to frames of a shared channel: only the MPDUs that another frame overlaps are destroyed.
//!
//! The receiver is synchronised to the aggregate, and a later frame destroys the MPDUs that are on the air at the same
//! time. So hidden senders with aggregates of some milliseconds get far more through than if a whole aggregate were lost.
//! In a cell alone on its channel, and for a frame without several MPDUs, an overlap destroys the whole frame.
//! Deviates: [D-276]

use airfair_units::Time;

use super::channel::Air;
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::record::Record;

/// Part of an aggregate on the air that other frames overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Transmitter of the aggregate.
    from: NodeId,
    start: Time,
    end: Time,
}

impl<P: Copy> Air<P> {
    /// Marks frames on the air that others have overlapped from now on at their receivers as collided, or the parts of
    /// aggregates that are overlapped as hit.
    #[cold]
    pub(super) fn collide_in_part(&mut self, now: Time) {
        let Self { frames, contention, emissions, .. } = self;
        let Some(emissions) = emissions else { return };
        let end = std::mem::take(&mut emissions.latest_end);
        let hits = &mut emissions.hits;
        frames.collide(|ppdu| {
            if !contention.overlapped(&ppdu.frame) {
                return false;
            }
            // An aggregate that was received until now has not collided.
            let is_received = ppdu.start < now && !ppdu.collided && ppdu.mpdus.len() > 1;
            if is_received && end > now {
                hits.push(Hit { from: ppdu.frame.from, start: now, end });
            }
            !is_received
        });
    }

    /// Marks the MPDUs of an aggregate that leaves the air that other frames have overlapped. If none is left, the
    /// aggregate has collided.
    #[cold]
    pub(super) fn settle_hits(&mut self, ppdu: &mut Ppdu<P>) {
        let Frame { from, tx, kind, .. } = ppdu.frame;
        let Some(emissions) = &mut self.emissions else { return };
        let hits: Vec<Hit> = emissions.hits.extract_if(.., |it| it.from == from).collect();
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
        ppdu.is_hit = !ppdu.collided;
        if ppdu.is_hit {
            let lost = ppdu.mpdus.iter().filter(|mpdu| mpdu.errored);
            self.frames.records.extend(lost.map(|_| Record::Errored { node: from }));
        }
    }

    /// True if member `to` receives the frame of a PPDU that ends now, unless noise destroys it: it has decoded the frame
    /// alone, or an aggregate of which other frames have destroyed a part.
    #[inline]
    pub(super) fn receives(&self, ppdu: &Ppdu<P>, to: NodeId) -> bool {
        ppdu.is_hit || self.contention.decodes(to, ppdu.frame.from)
    }
}
