//! Channel occupancy as a station can measure it: from the frames that it decodes, and from its own.
//!
//! Source: [arf-window §III-A, eq. 1 to 4]. An exchange occupies the channel from its DIFS to the end of
//! its ACK. The first frame of it that the station hears says how long it will last, in its duration field:
//!
//! ```text
//!   DIFS  back-off │ RTS │ SIFS │ CTS │ SIFS │ DATA │ SIFS │ ACK │
//!                  ├ t ──┼─────────── duration field of the RTS ─┤   eq. 2 and 3
//!                  ├ ─ estimated ─ t ──┼─────── that of the CTS ─┤   eq. 4, where the RTS was not heard
//!                                      without RTS: ├ t ──┼──────┤   by analogy: data and its field
//! ```
//!
//! The paper shows the case with RTS/CTS and says that the other is alike; its two gaps of contention are
//! means and not measured, so exchanges (frames and SIFS) and accesses to the channel are counted apart.
//! A station cannot see collisions of others, nor an exchange none of whose frames it decodes.
//!
//! An aggregate is an exchange with several packets. Its time and its access are the station's as a whole; flows of the
//! station whose packets share it have parts of both by their octets. A packet of its own counts if the `BlockAck` says
//! that it has come; what one receives has.  Deviates: [D-157]
//!
//! A station advances its state, which holds tables, with each frame that it hears. So the state is changed in place:
//! passed by value, as that of other laws, it cost more than the arithmetic.

mod packets;
mod slot;
mod table;

use airfair_units::{Bytes, Duration, Time};

use crate::Direction;

pub use packets::Packets;
pub use slot::{Access, Accesses, Backoffs, FlowUsage, Share, Slot, Usage};
pub use table::Table;

/// Facts that the station knows of its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Its own address.
    pub me: u16,
    /// That of the access point.
    pub access_point: u16,
    /// Length of an observation slot, T.
    pub slot: Duration,
    /// Shortest gap.
    pub sifs: Duration,
    /// Gap before back-off counts.
    pub difs: Duration,
    /// A slot of back-off.
    pub backoff_slot: Duration,
    /// Smallest contention window, `CWmin` [slots].
    pub cw_min: u16,
}

/// A frame that the station has decoded or sent, as its header tells. CTS and ACK name no transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'p> {
    /// Time at which it left the air.
    pub end: Time,
    /// Time on the air.
    pub duration: Duration,
    /// Duration field: how long the exchange lasts after it.
    pub duration_field: Duration,
    /// Receiver's address.
    pub to: u16,
    /// Back-off that the station has counted before it, if it is the first of an own exchange.
    pub backoff: Option<Duration>,
    /// Kind of frame.
    pub kind: Kind<'p>,
}

/// Kind of a frame, with what only this kind tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'p> {
    /// Asks for the channel.
    Rts {
        /// Transmitter.
        from: u16,
    },
    /// Grants it.
    Cts {
        /// Duration of an RTS at its rate: what went before, if it was not heard. Zero where the
        /// station knows that there was none, its own CTS to itself.
        request: Duration,
    },
    /// Carries packets.
    Data {
        /// Transmitter.
        from: u16,
        /// The part that is sent at the data rate: header, packet and check sequence.
        psdu: Bytes,
        /// The transports' packets in it by flow, if the station is one of its ends: all that it sends, and those that
        /// it receives without an error.
        packets: &'p [Packets],
    },
    /// Acknowledges a data frame.
    Ack,
    /// Acknowledges packets of an aggregate that the station has sent.
    BlockAck {
        /// Those that have come, by flow.
        come: &'p [Packets],
    },
    /// Announces the cell.
    Beacon,
}

/// A slot that is over, and the silence after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Begin of the slot.
    pub from: Time,
    /// Use of the channel in it.
    pub slot: Slot,
    /// Number of slots without a frame that have passed since.
    pub silent: u64,
}

/// An exchange under way, or whose end is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exchange {
    /// Sender of its data; the access point may have asked for the channel without saying for whom.
    sender: u16,
    /// The station that it is for or from.
    station: Option<u16>,
    /// Time that it has taken so far, estimates included.
    spent: Duration,
    /// Time that it takes more if it is answered.
    promised: Duration,
    is_answered: bool,
    has_data: bool,
    /// Its end.
    until: Time,
}

/// Memory from frame to frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    start: Time,
    open: Option<Exchange>,
    /// Packets that the open exchange carries: octets on the air, and what has got through, as far as is known.
    carried: Vec<Packets>,
    current: Slot,
    last: Option<Slot>,
}

impl State {
    /// The last slot that is complete; `None` before the first is.
    pub fn last(&self) -> Option<&Slot> {
        self.last.as_ref()
    }

    /// The slot under way.
    pub fn current(&self) -> &Slot {
        &self.current
    }
}

/// Mean back-off before an exchange, as the paper assumes it among `active` stations.  [arf-window eq. 1]
pub fn mean_backoff(params: &Params, active: u32) -> Duration {
    params.backoff_slot * u64::from(params.cw_min) / (u64::from(active) + 1)
}

/// One frame.  [arf-window §III-A]
#[inline]
pub fn step(params: &Params, state: &mut State, frame: &Frame) {
    if frame.end - state.start >= params.slot {
        let _ = close(params, state, frame.end);
    }
    if state.open.is_some_and(|open| open.until < frame.end) {
        give_way(params, state, frame);
    }
    let &Frame { duration, to, backoff, kind, .. } = frame;
    if let Some(backoff) = backoff {
        state.current.backoffs.total += backoff;
        state.current.backoffs.count += 1;
    }
    match kind {
        Kind::Rts { from } => {
            give_way(params, state, frame);
            state.open = Some(Exchange::new(params, from, Some(to), frame));
        }
        Kind::Cts { request } => match &mut state.open {
            Some(open) if open.sender == to && !open.has_data => open.is_answered = true,
            _ => {
                let before = if request.is_zero() { request } else { request + params.sifs };
                let mut granted = Exchange::new(params, to, None, frame);
                granted.spent += before;
                granted.is_answered = true;
                give_way(params, state, frame);
                state.open = Some(granted);
            }
        },
        Kind::Data { from, psdu, packets } => {
            if from == params.me {
                state.current.adapted_up += psdu;
            } else if to == params.me {
                state.current.adapted_down += psdu;
            }
            let follows = |open: &&mut Exchange| open.sender == from && !open.has_data;
            if let Some(open) = state.open.as_mut().filter(follows) {
                let station = Exchange::station(params, from, Some(to));
                *open = Exchange { is_answered: true, has_data: true, station, ..*open };
                state.carried.extend_from_slice(packets);
                return;
            }
            let mut exchange = Exchange::new(params, from, Some(to), frame);
            // Of its own frames it knows whether an ACK came; of others' it takes that for granted.
            exchange.is_answered = from != params.me;
            exchange.has_data = true;
            give_way(params, state, frame);
            state.open = Some(exchange);
            state.carried.extend_from_slice(packets);
        }
        Kind::Ack | Kind::BlockAck { .. } => match &mut state.open {
            Some(open) if open.sender == to => {
                open.is_answered = true;
                if let Kind::BlockAck { come } = kind {
                    state.carried.iter_mut().for_each(|sent| sent.keep(come));
                }
                settle(params, state);
            }
            // Data that it could not decode: all that it knows is this.
            _ if to != params.access_point => {
                give_way(params, state, frame);
                let exchange = params.sifs + duration;
                state.current.early[usize::from(to != params.me)] +=
                    exchange.saturating_sub(frame.end.saturating_since(state.start));
                let usage = state.current.stations.or_default(to);
                usage.up.add(Share::answered(exchange));
            }
            _ => {}
        },
        Kind::Beacon => state.current.beacons += duration,
    }
}

impl Exchange {
    /// An exchange that begins with this frame, as far as the station knows.
    #[inline]
    fn new(params: &Params, sender: u16, to: Option<u16>, first: &Frame) -> Self {
        Self {
            sender,
            station: Self::station(params, sender, to),
            spent: first.duration,
            promised: first.duration_field,
            is_answered: false,
            has_data: false,
            until: first.end + first.duration_field,
        }
    }

    /// Whose exchange it is: that of the end that is no access point.
    fn station(params: &Params, sender: u16, to: Option<u16>) -> Option<u16> {
        if sender == params.access_point { to } else { Some(sender) }
    }
}

/// Charges the exchange under way, which a frame of another one follows. If that has begun before the end of the first
/// one, the first was broken off: without data it has failed, with data it has lasted until then.  Deviates: [D-084]
fn give_way(params: &Params, state: &mut State, next: &Frame) {
    if let Some(open) = &mut state.open {
        let rest = (open.until + next.duration).saturating_since(next.end).min(open.promised);
        if !rest.is_zero() {
            open.is_answered &= open.has_data;
            open.promised -= rest;
            open.until = open.until - rest;
        }
    }
    settle(params, state);
}

/// Charges the exchange that is over to its station. An RTS that neither CTS nor data has followed has
/// reserved nothing [80211-2020 §10.3.2.4], nor has the station's own data without an ACK.
#[inline]
fn settle(params: &Params, state: &mut State) {
    let State { start, open: under_way, carried, current, .. } = state;
    let Some(open) = under_way.take() else { return };
    let share = if open.is_answered {
        Share::answered(open.spent + open.promised)
    } else {
        Share::failed(open.spent)
    };
    let is_down = open.sender == params.access_point;
    let direction = if is_down { Direction::Down } else { Direction::Up };
    if let Some(station) = open.station {
        current.early[usize::from(station != params.me)] +=
            share.exchange.saturating_sub(open.until.saturating_since(*start));
        current.stations.or_default(station).in_direction(direction).add(share);
        divide(carried, share, |sent, part| {
            let seen = current.flows.or_default(sent.flow);
            seen.usage.in_direction(direction).add(part);
            if open.is_answered {
                seen.packets += sent.data;
                seen.answers += sent.answers;
                seen.octets += sent.payload;
            }
        });
    }
    carried.clear();
}

/// Divides the time and the access of an exchange between the flows whose packets it carries, by their octets.
/// Deviates: [D-157]
#[inline]
fn divide(carried: &[Packets], share: Share, mut give: impl FnMut(&Packets, Share)) {
    if let [alone] = carried {
        return give(alone, share);
    }
    let all = carried.iter().map(|sent| sent.msdus).sum();
    let mut from = Bytes::ZERO;
    for sent in carried {
        let to = from + sent.msdus;
        give(sent, share.part(from, to, all));
        from = to;
    }
}

/// Closes the slots that have ended by `now`. An exchange belongs to the slot in which it ends.
pub fn close(params: &Params, state: &mut State, now: Time) -> Option<Ended> {
    let passed = now - state.start;
    if passed < params.slot {
        return None;
    }
    let steps = passed.whole_steps(params.slot);
    if state.open.is_some_and(|open| open.until <= state.start + params.slot) {
        settle(params, state);
    }
    let from = state.start;
    state.start += params.slot * steps;
    let slot = std::mem::take(&mut state.current);
    // Silence since: the last slot was empty.
    state.last = Some(if steps == 1 { slot.clone() } else { Slot::default() });
    Some(Ended { from, slot, silent: steps - 1 })
}

/// Ends the slot under way at `now`, whatever its length. An exchange belongs to the slot in which it ends.
#[must_use]
pub fn cut(params: &Params, state: &mut State, now: Time) -> Slot {
    if state.open.is_some_and(|open| open.until <= now) {
        settle(params, state);
    }
    std::mem::take(&mut state.current)
}

#[cfg(test)]
mod tests;
