//! Rules of service between several queues.

use std::collections::VecDeque;

use airfair_units::{Bytes, Time};

use super::airtime::AirtimeFair;
use super::codel;
use super::config::{CoDel, Discipline, Weights};
use super::regulator::Regulator;
use super::sub_queue::{SubQueue, SubQueues, Turn};
use crate::config::NodeId;

/// The rule of one transmitter.
#[derive(Debug)]
pub(super) enum Scheduler {
    Single,
    CoDel(CoDel),
    Weighted(Weighted),
    RoundRobin(VecDeque<usize>),
    Deficit(Deficit),
    Fair(CoDel, Fair),
    Airtime(Box<AirtimeFair>),
    Regulated(Box<Regulator>),
}

impl Scheduler {
    pub(super) fn new(discipline: Discipline) -> Self {
        match discipline {
            Discipline::Fifo => Self::Single,
            Discipline::CoDel(codel) => Self::CoDel(codel),
            Discipline::DataAck { weights, .. } => Self::Weighted(Weighted::new(weights)),
            Discipline::RoundRobin => Self::RoundRobin(VecDeque::new()),
            Discipline::DeficitRoundRobin { quantum } => Self::Deficit(Deficit::new(quantum)),
            Discipline::FqCoDel { codel, quantum, .. } => Self::Fair(codel, Fair::new(quantum)),
            Discipline::Airtime(rule) => Self::Airtime(Box::new(AirtimeFair::new(rule))),
            Discipline::TimeRegulator(rule) => Self::Regulated(Box::new(Regulator::new(rule))),
        }
    }

    /// Queue `index` is no longer empty.
    #[expect(clippy::inline_always, reason = "it is small where the rule is known")]
    #[inline(always)]
    pub(super) fn activate<P>(&mut self, now: Time, queues: &mut SubQueues<P>, index: usize) {
        match self {
            Self::Single | Self::CoDel(_) | Self::Weighted(_) => {}
            Self::RoundRobin(active) => active.push_back(index),
            Self::Deficit(deficit) => deficit.active.push_back(index),
            Self::Fair(_, fair) => fair.activate(&mut queues.get(index).turn, index),
            Self::Airtime(airtime) => airtime.activate(queues, index),
            Self::Regulated(regulator) => regulator.activate(now, index),
        }
    }

    /// The queue to be served next, with a packet in it.
    #[expect(clippy::inline_always, reason = "it is small where the rule is known")]
    #[inline(always)]
    pub(super) fn choose<P>(&mut self, now: Time, queues: &mut SubQueues<P>) -> Option<usize> {
        match self {
            Self::Single => (queues.waiting > 0).then_some(0),
            Self::CoDel(rule) => codel::settle(rule, now, queues, 0).then_some(0),
            Self::Weighted(weighted) => weighted.choose(queues),
            Self::RoundRobin(active) => {
                let index = active.pop_front()?;
                if queues.len(index) > 1 {
                    active.push_back(index);
                }
                Some(index)
            }
            Self::Deficit(deficit) => deficit.choose(queues),
            Self::Fair(codel, fair) => fair.choose(codel, now, queues),
            Self::Airtime(airtime) => airtime.choose(now, queues),
            Self::Regulated(regulator) => regulator.choose(now, queues),
        }
    }

    /// The packet of queue `index` that was [chosen](Self::choose) stays where it is, since its receiver is served for what was
    /// lost before. It pays for its octets when it goes.
    #[cold]
    pub(super) fn take_back<P>(&mut self, now: Time, queues: &mut SubQueues<P>, index: usize) {
        match self {
            Self::Single | Self::CoDel(_) | Self::Weighted(_) => {}
            Self::Fair(..) | Self::Airtime(_) => {
                let size = queues.head_size(index).expect("a packet that was chosen");
                queues.get(index).turn.credit += octets(size);
            }
            // All packets for a receiver are in one queue, in which what was lost is first: it is not got here.
            Self::RoundRobin(_) | Self::Deficit(_) | Self::Regulated(_) => {
                if queues.len(index) == 1 {
                    self.activate(now, queues, index);
                }
            }
        }
    }

    /// True if there is one queue, which is served in its order.
    #[inline]
    pub(super) fn is_single(&self) -> bool {
        matches!(self, Self::Single)
    }

    /// Queue and place of the packet that may join one for `to` from queue `index` in its aggregate; those before
    /// `from` in that queue are for others.
    /// Deviates: [D-130]
    pub(super) fn find_more<P>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        (index, from): (usize, usize),
        to: NodeId,
    ) -> Option<(usize, usize)> {
        let head = |index| Some((index, 0));
        match self {
            Self::Single | Self::Weighted(_) => Some((index, queues.find(index, to, from)?)),
            Self::CoDel(rule) => {
                codel::settle(rule, now, queues, index);
                Some((index, queues.find(index, to, 0)?))
            }
            Self::RoundRobin(_) | Self::Regulated(_) => {
                (queues.packets(index) > 0).then_some((index, 0))
            }
            Self::Deficit(deficit) => deficit.goes_on(queues, index).then_some((index, 0)),
            Self::Fair(codel, fair) => {
                fair.select(codel, now, queues, |it| it.is_for(to)).and_then(head)
            }
            Self::Airtime(airtime) => airtime.select_of(now, queues, to.index()).and_then(head),
        }
    }

    /// The packet of this size that was [found](Self::find_more) has left queue `index`.
    pub(super) fn charge_more<P>(&mut self, queues: &mut SubQueues<P>, index: usize, size: Bytes) {
        let is_empty = |queues: &SubQueues<P>| queues.len(index) == 0;
        match self {
            Self::Single | Self::CoDel(_) => {}
            Self::Weighted(weighted) => weighted.charge(queues, index),
            Self::RoundRobin(active) => {
                if is_empty(queues) {
                    active.retain(|it| *it != index);
                }
            }
            Self::Deficit(deficit) => deficit.charge(index, size, is_empty(queues)),
            Self::Fair(..) | Self::Airtime(_) => queues.get(index).turn.credit -= octets(size),
            Self::Regulated(regulator) => {
                if is_empty(queues) {
                    regulator.forget(index);
                }
            }
        }
    }

    /// True if the driver may take packets for `to`.
    pub(super) fn may_take(&self, to: NodeId) -> bool {
        if let Self::Airtime(airtime) = self { airtime.may_take(to.index()) } else { true }
    }

    /// The driver has taken a packet for `to`.
    pub(super) fn note_taken(&mut self, to: NodeId, size: Bytes, aggregates: bool) {
        if let Self::Airtime(airtime) = self {
            airtime.note_taken(to.index(), size, aggregates);
        }
    }

    /// So many packets for `to` are done that the driver had taken.
    pub(super) fn note_done(&mut self, to: NodeId, packets: usize) {
        if let Self::Airtime(airtime) = self {
            airtime.note_done(to.index(), packets);
        }
    }

    /// The queue with the most octets.  [RFC8290 §4.1.3]
    pub(super) fn fattest<P>(&self, queues: &SubQueues<P>) -> Option<usize> {
        match self {
            Self::Fair(_, fair) => fair.listed().max_by_key(|index| queues.bytes(*index)),
            Self::Airtime(airtime) => airtime.fattest(queues),
            _ => None,
        }
    }
}

/// Smooth weighted round robin over two queues: in each round of as many packets as the weights add up
/// to, each has its weight, evenly spread. An empty queue gives up its turn and saves nothing.
#[derive(Debug)]
pub(super) struct Weighted {
    weights: [u32; 2],
    /// Service that each is owed [packets times the sum of weights].
    credit: [i64; 2],
}

impl Weighted {
    fn new(weights: Weights) -> Self {
        Self { weights: [weights.data, weights.ack], credit: [0; 2] }
    }

    pub(super) fn set(&mut self, weights: Weights) {
        self.weights = [weights.data, weights.ack];
    }

    fn choose<P>(&mut self, queues: &SubQueues<P>) -> Option<usize> {
        match (queues.len(0) > 0, queues.len(1) > 0) {
            (true, true) => {}
            (has_data, has_acks) => {
                self.credit = [0; 2];
                return if has_data { Some(0) } else { has_acks.then_some(1) };
            }
        }
        self.begin_turn();
        let chosen = usize::from(self.credit[1] > self.credit[0]);
        self.take_turn(chosen);
        Some(chosen)
    }

    fn begin_turn(&mut self) {
        for (credit, weight) in self.credit.iter_mut().zip(self.weights) {
            *credit += i64::from(weight);
        }
    }

    fn take_turn(&mut self, chosen: usize) {
        self.credit[chosen] -= self.weights.map(i64::from).iter().sum::<i64>();
    }

    /// A packet has left queue `chosen` as if it had been its turn.
    fn charge<P>(&mut self, queues: &SubQueues<P>, chosen: usize) {
        if queues.len(0) > 0 && queues.len(1) > 0 {
            self.begin_turn();
            self.take_turn(chosen);
        }
    }
}

/// Deficit round robin.  [drr-1995 §3]
#[derive(Debug)]
pub(super) struct Deficit {
    quantum: Bytes,
    active: VecDeque<usize>,
    /// Octets that the first active queue may still send in its turn; `None` before the turn.
    turn: Option<Bytes>,
    /// Octets that each queue has kept from its last turn.
    kept: Vec<Bytes>,
}

impl Deficit {
    fn new(quantum: Bytes) -> Self {
        Self { quantum, active: VecDeque::new(), turn: None, kept: Vec::new() }
    }

    fn choose<P>(&mut self, queues: &SubQueues<P>) -> Option<usize> {
        loop {
            let index = *self.active.front()?;
            let deficit = self.deficit(index);
            let size = queues.head_size(index).expect("an active queue has a packet");
            if size <= deficit {
                self.turn = Some(deficit - size);
                if queues.len(index) == 1 {
                    // Whoever has nothing left saves nothing.
                    self.end_turn(index, Bytes::ZERO);
                    self.active.pop_front();
                }
                return Some(index);
            }
            self.end_turn(index, deficit);
            self.active.rotate_left(1);
        }
    }

    /// True if it is the turn of queue `index`, and what is left of it is enough for its first packet.
    fn goes_on<P>(&mut self, queues: &SubQueues<P>, index: usize) -> bool {
        if self.active.front() != Some(&index) || queues.packets(index) == 0 {
            return false;
        }
        queues.size_at(index, 0) <= self.deficit(index)
    }

    /// Octets that queue `index` may send in its turn, which is under way or next.
    fn deficit(&mut self, index: usize) -> Bytes {
        if index >= self.kept.len() {
            self.kept.resize(index + 1, Bytes::ZERO);
        }
        self.turn.unwrap_or(self.kept[index] + self.quantum)
    }

    /// A packet has left queue `index` in its turn.
    fn charge(&mut self, index: usize, size: Bytes, is_empty: bool) {
        self.turn = Some(self.deficit(index) - size);
        if is_empty {
            self.end_turn(index, Bytes::ZERO);
            self.active.pop_front();
        }
    }

    fn end_turn(&mut self, index: usize, kept: Bytes) {
        (self.turn, self.kept[index]) = (None, kept);
    }
}

/// Deficit round robin between flows under `CoDel`; a flow that has just come goes first.  [RFC8290 §4]
#[derive(Debug)]
pub(super) struct Fair {
    quantum: i64,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

fn octets(bytes: Bytes) -> i64 {
    i64::try_from(bytes.get()).expect("less than 2^63 octets")
}

impl Fair {
    pub(super) fn new(quantum: Bytes) -> Self {
        Self { quantum: octets(quantum), new: VecDeque::new(), old: VecDeque::new() }
    }

    /// [RFC8290 §4.1]
    pub(super) fn activate(&mut self, turn: &mut Turn, index: usize) {
        if !turn.is_listed {
            *turn = Turn { credit: self.quantum, is_listed: true };
            self.new.push_back(index);
        }
    }

    /// [RFC8290 §4.2]
    pub(super) fn choose<P>(
        &mut self,
        codel: &CoDel,
        now: Time,
        queues: &mut SubQueues<P>,
    ) -> Option<usize> {
        let index = self.select(codel, now, queues, |_| true)?;
        let size = queues.head_size(index).expect("it is not empty");
        queues.get(index).turn.credit -= octets(size);
        Some(index)
    }

    /// The queue whose turn it is among those that are `wanted`: it has not been charged yet.
    #[inline]
    pub(super) fn select<P>(
        &mut self,
        codel: &CoDel,
        now: Time,
        queues: &mut SubQueues<P>,
        wanted: impl Fn(&SubQueue<P>) -> bool,
    ) -> Option<usize> {
        loop {
            let mut place =
                |list: &VecDeque<usize>| list.iter().position(|it| wanted(queues.get(*it)));
            let new = place(&self.new);
            let (is_new, place) = (new.is_some(), new.or_else(|| place(&self.old))?);
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = list[place];
            let turn = &mut queues.get(index).turn;
            if turn.credit <= 0 {
                turn.credit += self.quantum;
                list.remove(place);
                self.old.push_back(index);
                continue;
            }
            if codel::settle(codel, now, queues, index) {
                if wanted(queues.get(index)) {
                    return Some(index);
                }
                continue;
            }
            list.remove(place);
            // A new queue that has run empty passes through the old ones, or it would starve them.
            if is_new && !self.old.is_empty() {
                self.old.push_back(index);
            } else {
                queues.get(index).turn.is_listed = false;
            }
        }
    }

    /// Queues that may have packets.
    pub(super) fn listed(&self) -> impl Iterator<Item = usize> {
        self.new.iter().chain(&self.old).copied()
    }
}
