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
//! A station advances its state, which holds tables, with each frame that it hears. So the state is changed in place:
//! passed by value, as that of other laws, it cost more than the arithmetic.

mod table;

use airfair_units::{Bytes, Duration, Time};

use crate::Direction;

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
pub struct Frame {
    /// Time at which it left the air.
    pub end: Time,
    /// Time on the air.
    pub duration: Duration,
    /// Duration field: how long the exchange lasts after it.
    pub rest: Duration,
    /// Receiver's address.
    pub to: u16,
    /// Back-off that the station has counted before it, if it is the first of an own exchange.
    pub backoff: Option<Duration>,
    /// Kind of frame.
    pub kind: Kind,
}

/// Kind of a frame, with what only this kind tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    /// Carries a packet.
    Data {
        /// Transmitter.
        from: u16,
        /// The part that is sent at the data rate: header, packet and check sequence.
        psdu: Bytes,
        /// The transport's packet in it, if the station is one of its ends.
        packet: Option<Packet>,
    },
    /// Acknowledges a data frame.
    Ack,
    /// Announces the cell.
    Beacon,
}

/// A packet of a flow of the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The flow.
    pub flow: u16,
    /// Application octets; none in an ACK or a report.
    pub payload: u32,
}

/// Exchanges of one kind within a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Frames and SIFS of those that were answered.
    pub exchange: Duration,
    /// Frames that had no answer.
    pub failed: Duration,
    /// Number of times that the channel was won for them.
    pub accesses: u32,
}

impl Share {
    fn add(&mut self, other: Self) {
        self.exchange += other.exchange;
        self.failed += other.failed;
        self.accesses += other.accesses;
    }

    /// The channel occupancy time, where each of them costs `access`: a DIFS and a mean back-off.
    /// [arf-window eq. 2 to 4], [occupancy-tfrc fig. 1]
    pub fn occupancy(&self, access: Duration) -> Duration {
        self.exchange + self.failed + access * u64::from(self.accesses)
    }
}

/// Exchanges of one station, or of one of its flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Those of its own data.
    pub up: Share,
    /// Those of data to it.
    pub down: Share,
}

impl Usage {
    fn in_direction(&mut self, direction: Direction) -> &mut Share {
        match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
        }
    }

    fn add(&mut self, other: &Self) {
        self.up.add(other.up);
        self.down.add(other.down);
    }

    /// Channel occupancy time, both ways.
    pub fn occupancy(&self, access: Access) -> Duration {
        self.up.occupancy(access.up) + self.down.occupancy(access.down)
    }
}

/// Times before an exchange, of a station's own data and of data to it: a DIFS and a mean back-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Before its own.
    pub up: Duration,
    /// Before the access point's.
    pub down: Duration,
}

/// Use that a flow of the station has had in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowUsage {
    /// Its exchanges, of data and of what answers it.
    pub usage: Usage,
    /// Packets with data.
    pub packets: u32,
    /// Application octets in them.
    pub octets: Bytes,
    /// Packets without: ACKs, reports.
    pub answers: u32,
}

impl FlowUsage {
    fn add(&mut self, other: &Self) {
        self.usage.add(&other.usage);
        self.packets += other.packets;
        self.octets += other.octets;
        self.answers += other.answers;
    }
}

/// Back-offs that were counted before own accesses to the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backoffs {
    /// All of them.
    pub total: Duration,
    /// Their number.
    pub count: u32,
}

impl Backoffs {
    /// Their mean, `t_BO`; `None` without any.
    pub fn mean(&self) -> Option<Duration> {
        (self.count > 0).then(|| self.total / u64::from(self.count))
    }
}

/// Use of the channel in an observation slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Stations that were active, whichever end of an exchange.
    pub stations: Table<Usage>,
    /// Flows of the station.
    pub flows: Table<FlowUsage>,
    /// Its own back-offs.
    pub backoffs: Backoffs,
    /// Octets that the station has sent and received at data rates.
    pub adapted_up: Bytes,
    /// Those that it has received.
    pub adapted_down: Bytes,
    /// Beacons on the air.
    pub beacons: Duration,
}

impl Slot {
    /// Active stations, N; one at least.  [arf-window §III-A]
    pub fn active(&self) -> u32 {
        u32::try_from(self.stations.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Exchanges that were answered, their contention apart: those of `station`, and all others'.
    pub fn exchanges(&self, station: u16) -> (Duration, Duration) {
        let sum = |is_own: bool| -> Duration {
            let chosen = self.stations.iter().filter(|(id, _)| (*id == station) == is_own);
            chosen.map(|(_, usage)| usage.up.exchange + usage.down.exchange).sum()
        };
        (sum(true), sum(false))
    }

    /// Channel occupancy time of all stations.
    pub fn occupied(&self, access: Access) -> Duration {
        self.stations.values().map(|usage| usage.occupancy(access)).sum()
    }

    /// Takes in what another slot has seen.
    pub fn add(&mut self, other: &Self) {
        for (station, usage) in other.stations.iter() {
            self.stations.or_default(station).add(usage);
        }
        for (flow, seen) in other.flows.iter() {
            self.flows.or_default(flow).add(seen);
        }
        self.backoffs.total += other.backoffs.total;
        self.backoffs.count += other.backoffs.count;
        self.adapted_up += other.adapted_up;
        self.adapted_down += other.adapted_down;
        self.beacons += other.beacons;
    }
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
    packet: Option<Packet>,
}

/// Memory from frame to frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    start: Time,
    open: Option<Exchange>,
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
pub fn step(params: &Params, state: &mut State, frame: &Frame) {
    let _ = close(params, state, frame.end);
    if state.open.is_some_and(|open| open.until < frame.end) {
        settle(params, state);
    }
    let &Frame { end, duration, rest, to, backoff, kind } = frame;
    if let Some(backoff) = backoff {
        state.current.backoffs.total += backoff;
        state.current.backoffs.count += 1;
    }
    let until = end + rest;
    match kind {
        Kind::Rts { from } => {
            let asked = Exchange::new(params, from, Some(to));
            open(params, state, Exchange { spent: duration, promised: rest, until, ..asked });
        }
        Kind::Cts { request } => match &mut state.open {
            Some(open) if open.sender == to && !open.has_data => open.is_answered = true,
            _ => {
                let before = if request.is_zero() { request } else { request + params.sifs };
                let spent = before + duration;
                let granted = Exchange::new(params, to, None);
                let granted = Exchange { spent, promised: rest, until, ..granted };
                open(params, state, Exchange { is_answered: true, ..granted });
            }
        },
        Kind::Data { from, psdu, packet } => {
            if from == params.me {
                state.current.adapted_up += psdu;
            } else if to == params.me {
                state.current.adapted_down += psdu;
            }
            let follows = |open: &&mut Exchange| open.sender == from && !open.has_data;
            if let Some(open) = state.open.as_mut().filter(follows) {
                let station = Exchange::station(params, from, Some(to));
                *open = Exchange { is_answered: true, has_data: true, station, packet, ..*open };
                return;
            }
            let exchange = Exchange::new(params, from, Some(to));
            let exchange = Exchange { spent: duration, promised: rest, until, ..exchange };
            // Of its own frames it knows whether an ACK came; of others' it takes that for granted.
            let is_answered = from != params.me;
            let exchange = Exchange { is_answered, has_data: true, packet, ..exchange };
            open(params, state, exchange);
        }
        Kind::Ack => match &mut state.open {
            Some(open) if open.sender == to => {
                open.is_answered = true;
                settle(params, state);
            }
            // Data that it could not decode: all that it knows is this.
            _ if to != params.access_point => {
                settle(params, state);
                let exchange = params.sifs + duration;
                let usage = state.current.stations.or_default(to);
                usage.up.add(Share { exchange, failed: Duration::ZERO, accesses: 1 });
            }
            _ => {}
        },
        Kind::Beacon => state.current.beacons += duration,
    }
}

impl Exchange {
    /// An exchange that takes no time yet.
    fn new(params: &Params, sender: u16, to: Option<u16>) -> Self {
        Self {
            sender,
            station: Self::station(params, sender, to),
            spent: Duration::ZERO,
            promised: Duration::ZERO,
            is_answered: false,
            has_data: false,
            until: Time::ZERO,
            packet: None,
        }
    }

    /// Whose exchange it is: that of the end that is no access point.
    fn station(params: &Params, sender: u16, to: Option<u16>) -> Option<u16> {
        if sender == params.access_point { to } else { Some(sender) }
    }
}

fn open(params: &Params, state: &mut State, exchange: Exchange) {
    settle(params, state);
    state.open = Some(exchange);
}

/// Charges the exchange that is over to its station. An RTS that neither CTS nor data has followed has
/// reserved nothing [80211-2020 §10.3.2.4], nor has the station's own data without an ACK.
fn settle(params: &Params, state: &mut State) {
    let State { open: under_way, current, .. } = state;
    let Some(open) = under_way else { return };
    let (exchange, failed) = if open.is_answered {
        (open.spent + open.promised, Duration::ZERO)
    } else {
        (Duration::ZERO, open.spent)
    };
    let share = Share { exchange, failed, accesses: 1 };
    let is_down = open.sender == params.access_point;
    let direction = if is_down { Direction::Down } else { Direction::Up };
    if let Some(station) = open.station {
        current.stations.or_default(station).in_direction(direction).add(share);
        if let Some(Packet { flow, payload }) = open.packet {
            let seen = current.flows.or_default(flow);
            seen.usage.in_direction(direction).add(share);
            if open.is_answered {
                seen.packets += u32::from(payload > 0);
                seen.answers += u32::from(payload == 0);
                seen.octets += Bytes::new(payload.into());
            }
        }
    }
    *under_way = None;
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AP: u16 = 0;
    const ME: u16 = 1;
    const OTHER: u16 = 2;

    const fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    /// 802.11a.
    const PARAMS: Params = Params {
        me: ME,
        access_point: AP,
        slot: Duration::from_millis(300),
        sifs: us(16),
        difs: us(34),
        backoff_slot: us(9),
        cw_min: 15,
    };

    /// RTS, CTS and ACK at 24 Mb/s last 28 µs, 1536 octets at 54 Mb/s 248 µs.
    const CONTROL: u64 = 28;
    const DATA: u64 = 248;

    /// A frame that ends at `end` µs; its duration field is what the exchange takes after it.
    fn frame(end: u64, to: u16, kind: Kind) -> Frame {
        let data = matches!(kind, Kind::Data { .. });
        let rest = match kind {
            // 3 · 16 + 28 + 248 + 28
            Kind::Rts { .. } => 352,
            // 2 · 16 + 248 + 28
            Kind::Cts { .. } => 308,
            // 16 + 28
            Kind::Data { .. } => 44,
            Kind::Ack | Kind::Beacon => 0,
        };
        let duration = us(if data { DATA } else { CONTROL });
        Frame { end: Time::ZERO + us(end), duration, rest: us(rest), to, backoff: None, kind }
    }

    fn rts(end: u64, from: u16, to: u16) -> Frame {
        frame(end, to, Kind::Rts { from })
    }

    fn cts(end: u64, to: u16) -> Frame {
        frame(end, to, Kind::Cts { request: us(CONTROL) })
    }

    fn data(end: u64, from: u16, to: u16) -> Frame {
        let packet = (from == ME || to == ME).then_some(Packet { flow: 7, payload: 1_460 });
        frame(end, to, Kind::Data { from, psdu: Bytes::new(1_536), packet })
    }

    fn ack(end: u64, to: u16) -> Frame {
        frame(end, to, Kind::Ack)
    }

    /// The slot under way after these frames and one that shows that all is over.
    fn slot(frames: &[Frame]) -> Slot {
        let mut state = after(frames);
        step(&PARAMS, &mut state, &frame(200_000, AP, Kind::Beacon));
        state.current
    }

    fn after(frames: &[Frame]) -> State {
        let mut state = State::default();
        for seen in frames {
            step(&PARAMS, &mut state, seen);
        }
        state
    }

    fn share(exchange: u64, failed: u64, accesses: u32) -> Share {
        Share { exchange: us(exchange), failed: us(failed), accesses }
    }

    /// Verifies: [arf-window eq. 1]: 15 / (N + 1) slots of 9 µs.
    #[test]
    fn the_mean_backoff_falls_with_the_number_of_active_stations() {
        let backoffs = [1, 2, 4].map(|active| mean_backoff(&PARAMS, active).as_nanos());
        assert_eq!(backoffs, [67_500, 45_000, 27_000]);
    }

    /// RTS 28 and its field 352: 380 µs; DIFS 34 and a back-off of 67.5 among one.
    ///
    /// Verifies: [arf-window eq. 2], [arf-window eq. 3]
    #[test]
    fn an_exchange_lasts_as_its_rts_says() {
        let down = [rts(100, AP, ME), cts(144, AP), data(408, AP, ME), ack(452, AP)];
        let seen = slot(&down);
        assert_eq!(seen.stations[ME].down, share(380, 0, 1));
        assert_eq!(seen.stations[ME].up, Share::default());
        let access = PARAMS.difs + mean_backoff(&PARAMS, seen.active());
        let access = Access { up: access, down: access };
        assert_eq!(seen.occupied(access).as_nanos(), 380_000 + 34_000 + 67_500);
        let up = [rts(100, ME, AP), cts(144, ME), data(408, ME, AP), ack(452, ME)];
        assert_eq!(slot(&up).stations[ME].up, share(380, 0, 1));
        // of another station, whose CTS is enough to know that its RTS was granted
        let other = [rts(100, AP, OTHER), cts(144, AP)];
        assert_eq!(slot(&other).stations[OTHER].down, share(380, 0, 1));
    }

    /// A hidden station's RTS is not heard. Estimated 28, SIFS 16, CTS 28, field 308: 380 µs, too.
    ///
    /// Verifies: [arf-window eq. 4]
    #[test]
    fn a_cts_alone_is_enough() {
        let seen = slot(&[cts(144, OTHER), ack(452, OTHER)]);
        assert_eq!(seen.stations[OTHER].up, share(380, 0, 1));
        assert_eq!(seen.active(), 1);
        // one's own CTS to oneself follows nothing: 28 + 308
        let own = [frame(144, ME, Kind::Cts { request: Duration::ZERO }), data(408, ME, AP)];
        assert_eq!(slot(&own).stations[ME].up, share(336, 0, 1));
        // the access point's CTS to itself says with its data whose it is
        let access_point = [cts(144, AP), data(408, AP, OTHER)];
        assert_eq!(slot(&access_point).stations[OTHER].down, share(380, 0, 1));
    }

    /// Without RTS: data 248, and its field 44.
    ///
    /// Verifies: [arf-window §III]
    #[test]
    fn without_rts_data_counts_with_its_duration_field() {
        let frames = [data(300, AP, ME), ack(344, AP), data(800, OTHER, AP), ack(844, OTHER)];
        let seen = slot(&[&frames[..], &[data(1_200, ME, AP), ack(1_244, ME)]].concat());
        assert_eq!(seen.stations[ME], Usage { up: share(292, 0, 1), down: share(292, 0, 1) });
        assert_eq!(seen.stations[OTHER].up, share(292, 0, 1));
        assert_eq!(seen.active(), 2);
        let (up, down) = (seen.adapted_up, seen.adapted_down);
        assert_eq!((up, down), (Bytes::new(1_536), Bytes::new(1_536)));
        let flow = seen.flows[7];
        assert_eq!(flow.usage, Usage { up: share(292, 0, 1), down: share(292, 0, 1) });
        assert_eq!((flow.packets, flow.answers, flow.octets), (2, 0, Bytes::new(2_920)));
    }

    #[test]
    fn what_has_no_answer_counts_as_failed() {
        assert_eq!(slot(&[rts(100, ME, AP)]).stations[ME].up, share(0, 28, 1));
        assert_eq!(slot(&[data(300, ME, AP)]).stations[ME].up, share(0, 248, 1));
        // another's data is taken for answered: its ACK may be out of hearing
        assert_eq!(slot(&[data(300, OTHER, AP)]).stations[OTHER].up, share(292, 0, 1));
        // an ACK without data that was decoded: SIFS and itself
        assert_eq!(slot(&[ack(344, OTHER)]).stations[OTHER].up, share(44, 0, 1));
        // a station's ACK, when neither the access point's data nor anything else was decoded: nobody's
        assert!(slot(&[ack(344, AP)]).stations.is_empty());
    }

    #[test]
    fn slots_follow_each_other_and_forget() {
        let ms = |ms: u64| ms * 1_000;
        let heard = [data(ms(1), ME, AP), ack(ms(1) + 44, ME)];
        let mut state = after(&heard);
        assert_eq!(state.last(), None);
        // ends in the next slot, and counts there
        step(&PARAMS, &mut state, &data(ms(300) - 10, OTHER, AP));
        step(&PARAMS, &mut state, &ack(ms(300) + 34, OTHER));
        let last = state.last().expect("a slot is over");
        assert_eq!(last.stations.numbers().collect::<Vec<_>>(), [ME]);
        assert_eq!(state.current().stations.numbers().collect::<Vec<_>>(), [OTHER]);
        step(&PARAMS, &mut state, &frame(ms(950), AP, Kind::Beacon));
        assert_eq!(state.last(), Some(&Slot::default()));
        assert_eq!(state.current().beacons, us(28));
    }

    /// The exchange of 292 µs ends at 1.044 ms; two slots of silence follow, and half of another.
    #[test]
    fn closing_tells_what_was_seen_and_how_long_there_was_silence() {
        let heard = [data(1_000, ME, AP), ack(1_044, ME)];
        let mut state = after(&heard);
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        assert_eq!(close(&PARAMS, &mut state, at(299)), None);
        let ended = close(&PARAMS, &mut state, at(1_050));
        let ended = ended.expect("three slots are over");
        assert_eq!((ended.from, ended.silent), (Time::ZERO, 2));
        assert_eq!(ended.slot.exchanges(ME), (us(292), Duration::ZERO));
        assert_eq!(ended.slot.exchanges(OTHER), (Duration::ZERO, us(292)));
        let ended = close(&PARAMS, &mut state, at(1_200));
        assert_eq!(ended.map(|it| (it.from, it.silent)), Some((at(900), 0)));
    }

    /// Two exchanges of 292 µs, cut in the middle of the second: it counts in the next slot. Back-offs of 45
    /// and 90 µs.
    #[test]
    fn a_slot_may_be_cut_at_any_time() {
        let own = |frame, backoff| Frame { backoff: Some(us(backoff)), ..frame };
        let first = [own(data(1_000, ME, AP), 45), ack(1_044, ME), own(data(2_000, ME, AP), 90)];
        let mut state = after(&first);
        let at = |us: u64| Time::from_nanos(us * 1_000);
        let slot = cut(&PARAMS, &mut state, at(2_010));
        assert_eq!(slot.stations[ME].up, share(292, 0, 1));
        assert_eq!(slot.backoffs.mean(), Some(Duration::from_nanos(67_500)));
        step(&PARAMS, &mut state, &ack(2_044, ME));
        let second = cut(&PARAMS, &mut state, at(2_044));
        assert_eq!((second.stations[ME].up, second.backoffs.mean()), (share(292, 0, 1), None));
        assert_eq!(cut(&PARAMS, &mut state, at(9_000)), Slot::default());
        let mut both = slot;
        both.add(&second);
        assert_eq!((both.stations[ME].up, both.flows[7].packets), (share(584, 0, 2), 2));
    }

    fn any_frame() -> impl Strategy<Value = (u64, Frame)> {
        let kind = prop_oneof![
            (0..4u16).prop_map(|from| Kind::Rts { from }),
            (0..50u64).prop_map(|request| Kind::Cts { request: us(request) }),
            (0..4u16, 1..2_000u64).prop_map(|(from, psdu)| Kind::Data {
                from,
                psdu: Bytes::new(psdu),
                packet: Some(Packet { flow: from, payload: 1 }),
            }),
            Just(Kind::Ack),
            Just(Kind::Beacon),
        ];
        (0..400_000u64, 0..4u16, kind).prop_map(|(gap, to, kind)| (gap, frame(0, to, kind)))
    }

    proptest! {
        /// Whatever is heard in whatever order: a frame is counted once at the most, with what it promises.
        #[test]
        fn nothing_is_counted_twice(heard in prop::collection::vec(any_frame(), 0..60)) {
            let mut state = State::default();
            let (mut now, mut most, mut total) = (0, Duration::ZERO, Duration::ZERO);
            let mut start = Time::ZERO;
            let sum = |slot: &Slot| -> Duration {
                let shares = slot.stations.values().flat_map(|usage| [usage.up, usage.down]);
                shares.map(|share| share.exchange + share.failed).sum()
            };
            for (gap, seen) in heard {
                now += gap;
                let request = if let Kind::Cts { request } = seen.kind { request } else { Duration::ZERO };
                most += seen.duration + seen.rest + request + PARAMS.sifs;
                let before = state.last.clone();
                step(&PARAMS, &mut state, &Frame { end: Time::ZERO + us(now), ..seen });
                if state.start != start || state.last != before {
                    total += state.last.as_ref().map_or(Duration::ZERO, sum);
                    start = state.start;
                }
                prop_assert!(total + sum(&state.current) <= most);
            }
        }
    }
}
