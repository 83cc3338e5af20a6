//! Multi-user frames of an access point: what it sends to several stations together, when it triggers them, and what
//! becomes of both.  [80211ax-2021 §26.4.4, §26.5]
//!
//! A [law](airfair_laws::multi_user) chooses the stations and their resource units, in either direction. The turns of
//! an exchange and their lengths are planned here, and [`air::multi_user`](crate::air) performs them.
//!
//! | module | content |
//! | --- | --- |
//! | `schedule` | laws of both directions, and what the access point knows of the stations |
//! | `downlink` | data for several stations, and the turns that acknowledge them |
//! | `sharing` | MU-MIMO: stations that share a PPDU, each on streams of its own |
//! | `sounding`, `channels` | measurements of the channels that MU-MIMO needs, and their age |
//! | `uplink` | trigger frames, and the stations' answers |
//! | `random`, `uora` | random access of stations to units of trigger frames, and its state |
//! | `parts` | content of the part of each station |
//! | `settlement` | end of an exchange: what has arrived, credits, charges of airtime |
//! | `lent`, `asking` | scheduler of the cell's owner, which may choose instead of a law |
//! | `edca` | channel access of stations after they have been triggered |

mod asking;
mod channels;
mod downlink;
mod edca;
pub(super) mod lent;
mod parts;
mod random;
pub(super) mod schedule;
mod settlement;
mod sharing;
mod sounding;
mod uora;
mod uplink;

use airfair_units::{Bytes, Time};

use super::aggregates::rest_of_txop;
use super::mac::CellMac;
use crate::air::Air;
use crate::air::sequence::{Content, Sequence};
use crate::air::turns::Turn;
use crate::airtime::Protection;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

impl<P: Copy + Headers> CellMac<P> {
    /// Plans a multi-user exchange of contender `id` of the access point; `None` if the next frame is for one user.
    #[cold]
    pub(super) fn plan_multi_user(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        txop_start: Time,
    ) -> Option<Sequence> {
        let (mut mu, mut exchange) = (self.multi_user.take()?, air.multi_user.take()?);
        let rest = rest_of_txop(air, now, id, txop_start);
        exchange.begin(id);
        let is_first = now == txop_start;
        let is_planned = if mu.is_due(id) {
            self.plan_uplink(air, now, (&mut mu, &mut exchange), (rest, is_first))
        } else {
            self.plan_downlink(air, now, (&mut mu, &mut exchange), (id, rest, is_first))
                && (is_first || self.fits_txop(air, now, &exchange, (id, rest)))
        };
        let first = exchange.turns.first().filter(|_| is_planned).copied();
        let sequence = first.map(|Turn { tx, psdu, duration, .. }| Sequence {
            content: Content::MultiUser,
            to: None,
            protection: Protection::None,
            tx,
            psdu,
            data: duration,
            response: (Bytes::ZERO, exchange.length(&air.airtime) - duration),
            retry: false,
        });
        if sequence.is_none() {
            exchange.end();
        }
        (self.multi_user, air.multi_user) = (Some(mu), Some(exchange));
        sequence
    }

    /// Makes a trigger due if its time has come, and ends MU EDCA timers.
    #[cold]
    pub(super) fn handle_multi_user_timeout(&mut self, air: &mut Air<P>, now: Time) {
        let Some(mut mu) = self.multi_user.take() else { return };
        if let Some(edca) = &mut mu.edca {
            edca.handle_timeout(air, now);
        }
        let is_now = mu.due_at().is_some_and(|at| at <= now);
        if is_now {
            mu.note_access(now, now);
            mu.is_due = self.may_trigger(air, &mu);
        }
        let contender = mu.contender;
        self.multi_user = Some(mu);
        if is_now {
            self.seek_access(air, now, contender);
        }
    }
}
