//! Airtime shared between stations: deficits of time, charged when it has been used.
//! [hoiland-2017 §3.2], [linux-atf]
//!
//! ```text
//!                 flow by hash        ┌ CoDel ┐
//!  packet ─► station ─────────────► flow queues ──► by octets ┐
//!            station ─────────────► flow queues ──► by octets ┴─► by airtime ─► in service
//! ```

use std::collections::{BTreeMap, VecDeque};

use airfair_laws::Direction;
use airfair_units::{Bytes, Duration, Time};

use super::Charge;
use super::config::AirtimeSharing;
use super::scheduler::Fair;
use super::sub_queue::SubQueues;

/// A station is charged only while it has packets here, or had some so long ago.  [linux-atf]
const ACTIVE: Duration = Duration::from_millis(100);

/// Deficit round robin of airtime between stations; one that has just come goes first.
/// Deviates: [D-105]
#[derive(Debug)]
pub(super) struct AirtimeFair {
    rule: AirtimeSharing,
    /// Stations that may have packets.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    stations: Vec<Station>,
    /// Station of each flow queue.
    owners: Vec<usize>,
}

#[derive(Debug)]
struct Station {
    /// Time that it may use before others have their turn [ns].
    deficit: i64,
    is_listed: bool,
    is_slow: bool,
    last_active: Time,
    flows: Fair,
    /// Flow queue of each hash.
    queues: BTreeMap<usize, usize>,
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).expect("less than 292 years")
}

impl AirtimeFair {
    pub(super) fn new(rule: AirtimeSharing) -> Self {
        let (new, old) = (VecDeque::new(), VecDeque::new());
        Self { rule, new, old, stations: Vec::new(), owners: Vec::new() }
    }

    fn station(&mut self, index: usize) -> &mut Station {
        let AirtimeSharing { quantum, flow_quantum, .. } = self.rule;
        if index >= self.stations.len() {
            self.stations.resize_with(index + 1, || Station::new(quantum, flow_quantum));
        }
        &mut self.stations[index]
    }

    /// The queue of a packet that has come for `station`, with its flow's place among so many queues.
    pub(super) fn classify(
        &mut self,
        now: Time,
        station: usize,
        hash: impl Fn(u16) -> usize,
    ) -> usize {
        let (hash, next) = (hash(self.rule.queues), self.owners.len());
        let of = self.station(station);
        of.last_active = now;
        let queue = *of.queues.entry(hash).or_insert(next);
        if queue == next {
            self.owners.push(station);
        }
        queue
    }

    /// Queue `index` is no longer empty.
    pub(super) fn activate<P>(&mut self, queues: &mut SubQueues<P>, index: usize) {
        let owner = self.owners[index];
        let station = &mut self.stations[owner];
        station.flows.activate(&mut queues.get(index).turn, index);
        if !station.is_listed {
            station.is_listed = true;
            self.new.push_back(owner);
        }
    }

    /// [hoiland-2017 §3.2]
    #[inline(never)]
    pub(super) fn choose<P>(&mut self, now: Time, queues: &mut SubQueues<P>) -> Option<usize> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let station = &mut self.stations[index];
            if station.deficit <= 0 {
                station.deficit += nanos(self.rule.quantum);
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let codel = if station.is_slow { &self.rule.slow_codel } else { &self.rule.codel };
            if let Some(queue) = station.flows.choose(codel, now, queues) {
                station.last_active = now;
                return Some(queue);
            }
            list.pop_front();
            // As among flows: whoever has run empty waits for a turn before it is new again.
            if is_new && !self.old.is_empty() {
                self.old.push_back(index);
            } else {
                station.is_listed = false;
            }
        }
    }

    /// The flow queue of a station whose turn it is, as far as it has packets.
    pub(super) fn select_of<P>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        station: usize,
    ) -> Option<usize> {
        let station = &mut self.stations[station];
        let codel = if station.is_slow { &self.rule.slow_codel } else { &self.rule.codel };
        station.flows.select(codel, now, queues, |it| it.again.is_empty() && !it.packets.is_empty())
    }

    /// The queue with the most octets.  [hoiland-2017 §3.1]
    pub(super) fn fattest<P>(&self, queues: &SubQueues<P>) -> Option<usize> {
        let stations = self.new.iter().chain(&self.old);
        let listed = stations.flat_map(|index| self.stations[*index].flows.listed());
        listed.max_by_key(|index| queues.bytes(*index))
    }

    /// Time on the air has been used.
    pub(super) fn charge(&mut self, now: Time, charge: &Charge) {
        let AirtimeSharing { slow_below, charges_uplink, .. } = self.rule;
        let station = self.station(charge.station.index());
        let is_down = charge.direction == Direction::Down;
        if is_down {
            station.is_slow = charge.rate < slow_below;
        }
        let is_active = now.saturating_since(station.last_active) <= ACTIVE;
        if is_active && (charges_uplink || is_down) {
            station.deficit -= nanos(charge.airtime);
        }
    }
}

impl Station {
    fn new(quantum: Duration, flow_quantum: Bytes) -> Self {
        Self {
            deficit: nanos(quantum),
            is_listed: false,
            is_slow: false,
            last_active: Time::ZERO,
            flows: Fair::new(flow_quantum),
            queues: BTreeMap::new(),
        }
    }
}
