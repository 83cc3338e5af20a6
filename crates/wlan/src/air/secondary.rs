//! Secondary channels of a cell: PPDUs that must be narrower, and frames of neighbours that leave the primary channel free.
//! See [`spectrum`](super::spectrum).

use airfair_units::{Dbm, Time};

use super::channel::Air;
use super::emission::Emission;
use super::mac::Mac;
use super::spectrum::{Beside, Channels};
use crate::config::WidthRule;
use crate::frame::Frame;
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::roster::ContenderId;

impl<P: Copy> Air<P> {
    /// Vector for a PPDU of member `id`, which is narrower than `tx` if the member has won the channel while a part of it
    /// was busy. Rate control does not learn of it.  Deviates: [D-273]
    #[inline]
    pub(crate) fn narrowed(&self, id: NodeId, tx: TxVector) -> TxVector {
        match &self.spectrum {
            None => tx,
            Some(spectrum) => spectrum.narrowed(id, tx),
        }
    }

    /// True if member `id` has won the whole channel of its cell.
    pub(crate) fn has_whole_width(&self, id: NodeId) -> bool {
        self.spectrum.as_ref().is_none_or(|it| it.widest[id.index()] == it.own.width())
    }

    /// Lets contenders that have won the primary channel find the widest idle part of the channel. If their PPDU does not
    /// fit in, and may not be narrower, they draw a new back-off from the same window.  [80211-2020 §10.23.2.5]
    #[cold]
    pub(super) fn heed_secondary<M: Mac<P>>(
        &mut self,
        mac: &M,
        now: Time,
        winners: &mut Vec<ContenderId>,
    ) {
        let Some(spectrum) = &mut self.spectrum else { return };
        let pifs = self.airtime.timing.sifs + self.airtime.timing.slot;
        winners.retain(|id| {
            let idle = spectrum.idle_width(id.member(), now, pifs);
            spectrum.widest[id.member().index()] = idle;
            let fits = |width| width <= idle || spectrum.rule == WidthRule::Dynamic;
            let sends = idle == spectrum.own.width() || mac.next_width(*id).is_some_and(fits);
            if !sends {
                // The slot that begins now does not count.
                let access = &mut self.accesses[id.index()];
                let backoff = access.draw_backoff();
                access.backoff += u64::from(backoff);
                self.contention.draw(*id, now, backoff + 1);
                self.contention.contend(*id);
            }
            sends
        });
    }

    /// Hears a frame of a neighbour that leaves the primary channel free.
    #[cold]
    pub(super) fn hear_beside(&mut self, now: Time, emission: &Emission, channels: Channels) {
        let mut heard_by: Vec<NodeId> = Vec::new();
        for (from, source) in emission.senders() {
            let Some(source) = source else {
                heard_by.extend(self.members().filter(|id| self.contention.hears(*id, from)));
                continue;
            };
            let powers = self.receive_power(now, (&emission.frame, channels), (from, &source));
            let level = self.spectrum.as_ref().map(|it| it.sensed_from(emission.width));
            let senses = |(_, power): &(NodeId, Dbm)| level.is_some_and(|it| *power >= it);
            heard_by.extend(self.members().zip(powers).filter(senses).map(|it| it.0));
        }
        if let Some(spectrum) = &mut self.spectrum {
            let Frame { from, duration, .. } = emission.frame;
            spectrum
                .begin_beside(now - self.cca_time + duration, Beside { from, channels, heard_by });
        }
        self.disturb();
    }

    /// Marks frames on the air that a frame of a neighbour on other channels than the primary destroys. In a cell with a
    /// radio, powers decide instead.
    #[cold]
    pub(super) fn disturb(&mut self) {
        if let (Some(spectrum), None) = (&self.spectrum, &self.interference)
            && !spectrum.beside.is_empty()
        {
            self.frames.disturb(|frame, to| spectrum.disturbs(frame, to));
        }
    }
}
