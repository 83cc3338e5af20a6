//! Schedulers: choice among the queues of a transmitter.

use std::collections::VecDeque;

use airfair_units::{Bytes, Time};

use super::airtime::AirtimeFair;
use super::codel_drops::settle as drop_by_codel;
use super::config::{CoDel, Discipline, Weights};
use super::dual::{CLASSIC, Dual, LOW};
use super::fair::{Fair, octets};
use super::headers::Headers;
use super::regulator::Regulator;
use super::sub_queue::SubQueues;
use crate::node::NodeId;

/// Scheduler of one transmitter, which chooses the queue that is served next.
#[derive(Clone, Debug)]
pub(super) enum Scheduler {
    Single,
    CoDel(CoDel),
    Weighted(Weighted),
    Dual(Box<Dual>),
    RoundRobin(VecDeque<usize>),
    Deficit(Deficit),
    Fair(CoDel, Fair),
    Airtime(Box<AirtimeFair>),
    Regulated(Box<Regulator>),
}

impl Scheduler {
    pub(super) fn new(discipline: Discipline) -> Self {
        match discipline {
            Discipline::Fifo | Discipline::MarkingFifo { .. } => Self::Single,
            Discipline::CoDel(codel) => Self::CoDel(codel),
            Discipline::DualPi2(params) => Self::Dual(Box::new(Dual::new(params, [CLASSIC, LOW]))),
            Discipline::DataAck { weights, .. } => Self::Weighted(Weighted::new(weights)),
            Discipline::RoundRobin => Self::RoundRobin(VecDeque::new()),
            Discipline::DeficitRoundRobin { quantum } => Self::Deficit(Deficit::new(quantum)),
            Discipline::FqCoDel { codel, quantum, isolation, .. } => {
                Self::Fair(codel, Fair::with(quantum, isolation))
            }
            Discipline::Airtime(rule) => Self::Airtime(Box::new(AirtimeFair::new(rule))),
            Discipline::TimeRegulator(rule) => Self::Regulated(Box::new(Regulator::new(rule))),
        }
    }

    /// Notes that queue `index` is no longer empty.
    #[expect(clippy::inline_always, reason = "it is small where the rule is known")]
    #[inline(always)]
    pub(super) fn activate<P>(&mut self, now: Time, queues: &mut SubQueues<P>, index: usize) {
        match self {
            Self::Single | Self::CoDel(_) | Self::Weighted(_) | Self::Dual(_) => {}
            Self::RoundRobin(active) => active.push_back(index),
            Self::Deficit(deficit) => deficit.active.push_back(index),
            Self::Fair(_, fair) => fair.activate(queues.get(index), index),
            Self::Airtime(airtime) => airtime.activate(queues, index),
            Self::Regulated(regulator) => regulator.activate(now, index),
        }
    }

    /// Queue to be served next, which has a packet or a receiver to be served again.
    #[expect(clippy::inline_always, reason = "it is small where the rule is known")]
    #[inline(always)]
    pub(super) fn choose<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
    ) -> Option<usize> {
        match self {
            Self::Single => (queues.waiting > 0).then_some(0),
            Self::CoDel(rule) => drop_by_codel(rule, now, queues, 0).then_some(0),
            Self::Weighted(weighted) => weighted.choose(queues),
            Self::Dual(dual) => dual.choose(now, queues),
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

    /// Takes back the choice of queue `index`, which was [chosen](Self::choose), because the receiver of its packet is
    /// served for lost MPDUs first. The packet pays for its octets when it is sent.
    #[cold]
    pub(super) fn take_back<P>(&mut self, now: Time, queues: &mut SubQueues<P>, index: usize) {
        match self {
            Self::Single | Self::CoDel(_) | Self::Weighted(_) => {}
            Self::Dual(dual) => dual.take_back(),
            Self::Airtime(airtime) => airtime.take_back(queues, index),
            Self::Fair(..) => {
                let size = queues.head_size(index).expect("a packet that was chosen");
                queues.get(index).turn.credit += octets(size);
            }
            // With these schedulers all packets for a receiver are in one queue, in which lost MPDUs come first. Only
            // a single packet can be left here.
            Self::RoundRobin(_) | Self::Deficit(_) | Self::Regulated(_) => {
                if queues.len(index) == 1 {
                    self.activate(now, queues, index);
                }
            }
        }
    }

    /// True if the discipline has only one queue, served in order.
    #[inline]
    pub(super) fn is_single(&self) -> bool {
        matches!(self, Self::Single)
    }

    /// True if all packets for a receiver are in one queue, from which an aggregate takes them in their order.
    #[inline]
    pub(super) fn serves_in_order(&self) -> bool {
        matches!(self, Self::Single | Self::RoundRobin(_))
    }

    /// Queue in which the part for `to` of a PPDU for several receivers begins: its own, or the first of all, in which the
    /// scheduler finds its packets. Disciplines that choose the receivers themselves have no such PPDUs.
    pub(super) fn queue_of_part(&self, to: NodeId) -> usize {
        if let Self::RoundRobin(_) = self { to.index() } else { 0 }
    }

    /// Finds the next packet that may join an aggregate for `to` which was begun with a packet of queue `index`.
    /// Returns the packet's queue and its place there. Packets before place `from` of queue `index` are for other
    /// receivers.  Deviates: [D-130]
    pub(super) fn find_more<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        (index, from): (usize, usize),
        to: NodeId,
    ) -> Option<(usize, usize)> {
        let head = |index| Some((index, 0));
        match self {
            Self::Single | Self::Weighted(_) => Some((index, queues.find(index, to, from)?)),
            Self::Dual(dual) => Some((index, dual.find_more(now, queues, (index, from), to)?)),
            Self::CoDel(rule) => {
                drop_by_codel(rule, now, queues, index);
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

    /// Charges queue `index` for a packet of this size that has left it to join the next aggregate.
    pub(super) fn charge_more<P>(&mut self, queues: &mut SubQueues<P>, index: usize, size: Bytes) {
        let is_empty = |queues: &SubQueues<P>| queues.len(index) == 0;
        match self {
            Self::Single | Self::CoDel(_) => {}
            Self::Weighted(weighted) => weighted.charge(queues, index),
            Self::Dual(dual) => dual.charge(queues, index, size),
            Self::RoundRobin(active) => {
                if is_empty(queues) {
                    active.retain(|it| *it != index);
                }
            }
            Self::Deficit(deficit) => deficit.charge(index, size, is_empty(queues)),
            Self::Fair(..) => queues.get(index).turn.credit -= octets(size),
            Self::Airtime(airtime) => airtime.charge_more(queues, index, size),
            Self::Regulated(regulator) => {
                if is_empty(queues) {
                    regulator.forget(index);
                }
            }
        }
    }

    /// Cancels the turn of queue `index`, if the last that waited in it has been sent out of turn. Disciplines that are
    /// not named here look into their queues before they choose one.
    #[inline]
    pub(super) fn cancel_empty_turn<P>(&mut self, queues: &SubQueues<P>, index: usize) {
        if queues.len(index) > 0 {
            return;
        }
        match self {
            Self::RoundRobin(active) => active.retain(|it| *it != index),
            Self::Regulated(regulator) => regulator.forget(index),
            Self::Deficit(deficit) => deficit.active.retain(|it| *it != index),
            _ => {}
        }
    }

    /// True if the airtime queue limits allow the driver to take packets for `to`.
    pub(super) fn may_take(&self, to: NodeId) -> bool {
        if let Self::Airtime(airtime) = self { airtime.may_take(to.index()) } else { true }
    }

    /// Notes that the driver has taken a packet for `to`. `aggregates` is true if the packet may become part of an
    /// aggregate.
    pub(super) fn note_taken(&mut self, to: NodeId, size: Bytes, aggregates: bool) {
        if let Self::Airtime(airtime) = self {
            airtime.note_taken(to.index(), size, aggregates);
        }
    }

    /// Notes that packets for `to` have left the driver.
    pub(super) fn note_done(&mut self, to: NodeId, packets: usize) {
        if let Self::Airtime(airtime) = self {
            airtime.note_done(to.index(), packets);
        }
    }

    /// Queue with the most octets, under a discipline that drops from the longest one.  [RFC8290 §4.1.3]
    pub(super) fn fattest<P>(&self, queues: &SubQueues<P>) -> Option<usize> {
        match self {
            Self::Fair(_, fair) => fair.listed().max_by_key(|index| queues.bytes(*index)),
            Self::Airtime(airtime) => airtime.fattest(queues),
            _ => None,
        }
    }
}

/// Smooth weighted round robin over two queues. A round has as many packets as the sum of the weights, and each queue
/// has its weight in it, evenly spread. An empty queue gives up its turn and saves nothing.
#[derive(Clone, Debug)]
pub(super) struct Weighted {
    weights: [u32; 2],
    /// Service that each queue is owed [packets times the sum of weights].
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

    /// Accounts for a packet that has left queue `chosen` as if it were its turn.
    fn charge<P>(&mut self, queues: &SubQueues<P>, chosen: usize) {
        if queues.len(0) > 0 && queues.len(1) > 0 {
            self.begin_turn();
            self.take_turn(chosen);
        }
    }
}

/// Deficit round robin between queues, by octets.  [drr-1995 §3]
#[derive(Clone, Debug)]
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
                    // A queue that is empty keeps no octets.
                    self.end_turn(index, Bytes::ZERO);
                    self.active.pop_front();
                }
                return Some(index);
            }
            self.end_turn(index, deficit);
            self.active.rotate_left(1);
        }
    }

    /// True if it is the turn of queue `index`, and the rest of the turn is enough for its first packet.
    fn goes_on<P>(&mut self, queues: &SubQueues<P>, index: usize) -> bool {
        if self.active.front() != Some(&index) || queues.packets(index) == 0 {
            return false;
        }
        queues.size_at(index, 0) <= self.deficit(index)
    }

    /// Octets that queue `index` may send in its turn, which is the current one or its next.
    fn deficit(&mut self, index: usize) -> Bytes {
        if index >= self.kept.len() {
            self.kept.resize(index + 1, Bytes::ZERO);
        }
        self.turn.unwrap_or(self.kept[index] + self.quantum)
    }

    /// Accounts for a packet that has left queue `index` in its turn.
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
