//! Occupancy meter: channel occupancy as a station can measure it from the frames that it decodes and sends.
//!
//! Source: [arf-window §III-A, eq. 1 to 4]. An exchange occupies the channel from its DIFS to the end of its
//! ACK. The duration field of its first decoded frame gives its remaining time:
//!
//! ```text
//!   DIFS  back-off │ RTS │ SIFS │ CTS │ SIFS │ DATA │ SIFS │ ACK │
//!                  ├ t ──┼─────────── duration field of the RTS ─┤   eq. 2 and 3
//!                  ├ ─ estimated ─ t ──┼─────── that of the CTS ─┤   eq. 4, where the RTS was not heard
//!                                      without RTS: ├ t ──┼──────┤   by analogy: data and its field
//! ```
//!
//! The paper shows the case with RTS/CTS and says that the other is similar. Its two contention times are
//! means and not measured, so this meter counts exchanges (frames and SIFS) and channel accesses separately.
//! A station cannot observe collisions of others, nor an exchange of which it decodes no frame.
//!
//! An aggregate is an exchange with several packets. Its time and its access belong to the station as a
//! whole; the station's flows whose packets share it get parts of both in proportion to their octets. A sent
//! packet counts if the `BlockAck` acknowledges it; a received one always counts.  Deviates: [D-157]
//!
//! The state contains tables and changes with each frame, so it is updated in place; passing it by value, as
//! other laws do, would cost more than the arithmetic.

mod packets;
mod slot;
mod table;

use airfair_units::{Bytes, Duration, Time};

use crate::Direction;

pub use packets::Packets;
pub use slot::{Access, Accesses, Backoffs, ChannelTime, FlowUsage, Slot, Usage};
pub use table::Table;

/// Parameters of the occupancy meter: the measuring station and its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Address of the measuring station.
    pub me: u16,
    /// Address of the access point of the measuring station's cell.
    pub access_point: u16,
    /// T: length of an observation slot.
    pub slot: Duration,
    /// Duration of the short interframe space.
    pub sifs: Duration,
    /// Duration of the DCF interframe space.
    pub difs: Duration,
    /// Slot time of the back-off.
    pub backoff_slot: Duration,
    /// Smallest contention window `CWmin` [slots].
    pub cw_min: u16,
}

/// A frame that the measuring station has decoded or sent, with the fields of its header. CTS and ACK have no
/// transmitter address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'p> {
    /// Time at which the frame ends.
    pub end: Time,
    /// Duration of the frame on the air.
    pub duration: Duration,
    /// Duration field of the header: rest of the exchange after this frame.
    pub duration_field: Duration,
    /// Address of the receiver of the frame.
    pub to: u16,
    /// Back-off that the measuring station counted down before the frame, if the frame is the first of its
    /// own exchange.
    pub backoff: Option<Duration>,
    /// Type of the frame, with the fields of this type.
    pub kind: Kind<'p>,
}

/// Type of an 802.11 frame, with the fields of this type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'p> {
    /// RTS frame: request to send.
    Rts {
        /// Address of the transmitter of the RTS.
        from: u16,
    },
    /// CTS frame: clear to send.
    Cts {
        /// Duration of an RTS at the rate of the CTS, which is assumed if the RTS was not decoded. Zero for
        /// the station's own CTS-to-self, before which there is no RTS.
        request: Duration,
    },
    /// Data frame with transport packets.
    Data {
        /// Address of the transmitter of the data frame.
        from: u16,
        /// Octets sent at the data rate: header, packets and frame check sequence.
        psdu: Bytes,
        /// Transport packets of the measuring station's own flows in the frame: all that it sends, and those
        /// that it receives without error.
        packets: &'p [Packets],
    },
    /// ACK frame: acknowledgment of a data frame.
    Ack,
    /// `BlockAck` for an aggregate that the measuring station has sent.
    BlockAck {
        /// Packets that the `BlockAck` acknowledges, by flow.
        acknowledged: &'p [Packets],
    },
    /// `BlockAckRequest` frame, which asks the receiver of an aggregate for its `BlockAck`.
    BlockAckRequest {
        /// Address of the transmitter of the request.
        from: u16,
    },
    /// Beacon frame of an access point.
    Beacon,
    /// Frame of another cell, which takes the time of a beacon: its own on the air.  Deviates: [D-292]
    Foreign,
}

/// An observation slot that has ended, and the number of empty slots after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedSlot {
    /// Start of the observation slot that has ended.
    pub from: Time,
    /// Usage of the channel in the observation slot that has ended.
    pub slot: Slot,
    /// Number of slots without a frame that have passed since the ended slot.
    pub silent: u64,
}

/// A frame exchange that is not complete, as far as the measuring station knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exchange {
    /// Sender of the data. If only a CTS to the access point was heard, the sender is the access point, and the
    /// station that the data is for is unknown.
    sender: u16,
    /// Station for which the channel time of the exchange counts: the end other than the access point, once
    /// known.
    station: Option<u16>,
    /// Channel time used by the exchange so far, including estimates.
    spent: Duration,
    /// Channel time that the exchange will use in addition if it is answered.
    promised: Duration,
    is_answered: bool,
    has_data: bool,
    /// End of the exchange by the duration field of its frames.
    until: Time,
}

/// State of the occupancy meter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    start: Time,
    open: Option<Exchange>,
    /// Packets in the open exchange: their octets on the air, and their delivered part as far as known.
    carried: Vec<Packets>,
    current: Slot,
    last: Option<Slot>,
}

impl State {
    /// Usage of the channel in the last complete observation slot; `None` before the first.
    pub fn last(&self) -> Option<&Slot> {
        self.last.as_ref()
    }

    /// Usage of the channel in the current observation slot.
    pub fn current(&self) -> &Slot {
        &self.current
    }
}

/// Mean back-off before an exchange among `active` stations, as the paper assumes.  [arf-window eq. 1]
pub fn mean_backoff(params: &Params, active: u32) -> Duration {
    params.backoff_slot * u64::from(params.cw_min) / (u64::from(active) + 1)
}

/// Processes one frame that the measuring station has decoded or sent.  [arf-window §III-A]
#[inline]
pub fn step(params: &Params, state: &mut State, frame: &Frame) {
    // A sender of another cell need not have heard the open exchange, which may go on.
    let may_be_over = !matches!(frame.kind, Kind::Foreign);
    if frame.end - state.start >= params.slot {
        let began = may_be_over.then(|| frame.began());
        let _ = end_slots(params, state, began, frame.end);
    }
    if may_be_over && state.open.is_some_and(|open| open.until < frame.end) {
        end_open_exchange(params, state, frame.began());
    }
    let &Frame { duration, to, backoff, kind, .. } = frame;
    if let Some(backoff) = backoff {
        state.current.backoffs.total += backoff;
        state.current.backoffs.count += 1;
    }
    match kind {
        Kind::Rts { from } => {
            end_open_exchange(params, state, frame.began());
            state.open = Some(Exchange::new(params, from, Some(to), frame));
        }
        Kind::Cts { request } => match &mut state.open {
            Some(open) if open.sender == to && !open.has_data => open.is_answered = true,
            _ => {
                let before = if request.is_zero() { request } else { request + params.sifs };
                let mut granted = Exchange::new(params, to, None, frame);
                granted.spent += before;
                granted.is_answered = true;
                end_open_exchange(params, state, frame.began());
                state.open = Some(granted);
            }
        },
        Kind::Data { from, psdu, packets } => {
            if from == params.me {
                state.current.adapted_up += psdu;
            } else if to == params.me {
                state.current.adapted_down += psdu;
            }
            carry(params, state, from, frame);
            state.carried.extend_from_slice(packets);
        }
        Kind::BlockAckRequest { from } => carry(params, state, from, frame),
        Kind::Ack | Kind::BlockAck { .. } => match &mut state.open {
            Some(open) if open.sender == to => {
                open.is_answered = true;
                open.shorten(open.until.saturating_since(frame.end));
                if let Kind::BlockAck { acknowledged } = kind {
                    state.carried.iter_mut().for_each(|sent| sent.keep(acknowledged));
                }
                settle(params, state);
            }
            // The station could not decode the data, so the ACK is all it knows of the exchange.
            _ if to != params.access_point => {
                end_open_exchange(params, state, frame.began());
                let exchange = params.sifs + duration;
                state.current.early[usize::from(to != params.me)] +=
                    exchange.saturating_sub(frame.end.saturating_since(state.start));
                let usage = state.current.stations.or_default(to);
                usage.up.add(ChannelTime::answered(exchange));
            }
            _ => {}
        },
        Kind::Beacon | Kind::Foreign => state.current.beacons += duration,
    }
}

impl Frame<'_> {
    /// Time at which the frame begins.
    fn began(&self) -> Time {
        Time::ZERO + self.end.saturating_since(Time::ZERO + self.duration)
    }
}

impl Exchange {
    /// Starts an exchange with the first frame that was decoded of it.
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

    /// Shortens the announced time of an exchange by `rest`. Returns true if it is shorter then.
    #[inline]
    fn shorten(&mut self, rest: Duration) -> bool {
        let rest = rest.min(self.promised);
        self.promised -= rest;
        self.until = self.until - rest;
        !rest.is_zero()
    }

    /// Station of an exchange: its end other than the access point.
    fn station(params: &Params, sender: u16, to: Option<u16>) -> Option<u16> {
        if sender == params.access_point { to } else { Some(sender) }
    }
}

/// Adds a data frame or a `BlockAckRequest` to the exchange that its sender's RTS has begun, or begins an exchange with
/// it.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "each call for an overheard data frame costs twenty instructions"
)]
fn carry(params: &Params, state: &mut State, from: u16, frame: &Frame) {
    let begun = |open: &&mut Exchange| open.sender == from && !open.has_data;
    if let Some(open) = state.open.as_mut().filter(begun) {
        let station = Exchange::station(params, from, Some(frame.to));
        *open = Exchange { is_answered: true, has_data: true, station, ..*open };
        return;
    }
    let mut exchange = Exchange::new(params, from, Some(frame.to), frame);
    // The station sees whether its own frame is acknowledged; for others' frames it assumes so.
    exchange.is_answered = from != params.me;
    exchange.has_data = true;
    end_open_exchange(params, state, frame.began());
    state.open = Some(exchange);
}

/// Ends the open exchange when a frame of another exchange begins at `next`. If that is before the end of the open
/// exchange, the open one was interrupted: without data it has failed, with data it has lasted until
/// then.
/// Deviates: [D-084]
fn end_open_exchange(params: &Params, state: &mut State, next: Time) {
    if let Some(open) = &mut state.open
        && open.shorten(open.until.saturating_since(next))
    {
        open.is_answered &= open.has_data;
    }
    settle(params, state);
}

/// Adds the finished exchange to the usage of its station. An RTS without a CTS or data after it has reserved
/// nothing [80211-2020 §10.3.2.4], and neither has the station's own data without an ACK.
#[inline]
fn settle(params: &Params, state: &mut State) {
    let State { start, open: under_way, carried, current, .. } = state;
    let Some(open) = under_way.take() else { return };
    let share = if open.is_answered {
        ChannelTime::answered(open.spent + open.promised)
    } else {
        ChannelTime::failed(open.spent)
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

/// Divides `share`, the time and the access of an exchange, among the flows in that exchange, in proportion
/// to their octets.
/// Deviates: [D-157]
#[inline]
fn divide(carried: &[Packets], share: ChannelTime, mut give: impl FnMut(&Packets, ChannelTime)) {
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

/// Ends the observation slots that are over at `now`; `None` if the current slot continues. An exchange
/// counts in the slot in which it ends. `began` is the start of the frame of the cell that ends `now`, if there is
/// one: this frame has interrupted an exchange that would have ended later.
pub fn end_slots(
    params: &Params,
    state: &mut State,
    began: Option<Time>,
    now: Time,
) -> Option<EndedSlot> {
    let passed = now - state.start;
    if passed < params.slot {
        return None;
    }
    let steps = passed.whole_steps(params.slot);
    let end = state.start + params.slot;
    // A frame that ends with the slot may be the last one of the open exchange.
    let is_over = |open: Exchange| open.until <= end && (began.is_none() || open.until < now);
    if state.open.is_some_and(is_over) {
        end_open_exchange(params, state, began.unwrap_or(now));
    }
    let from = state.start;
    state.start += params.slot * steps;
    let slot = std::mem::take(&mut state.current);
    // If slots without a frame followed, the last slot is empty.
    state.last = Some(if steps == 1 { slot.clone() } else { Slot::default() });
    Some(EndedSlot { from, slot, silent: steps - 1 })
}

/// Ends the current observation slot at `now`, whatever its length. An exchange counts in the slot in which
/// it ends.
#[must_use]
pub fn end_slot_at(params: &Params, state: &mut State, now: Time) -> Slot {
    if state.open.is_some_and(|open| open.until <= now) {
        settle(params, state);
    }
    std::mem::take(&mut state.current)
}

#[cfg(test)]
mod tests;
