//! Airtime fairness between stations, by deficits that are charged after airtime was used. [hoiland-2017 §3.2],
//! [linux-atf]
//!
//! ```text
//!                 flow by hash        ┌ CoDel ┐
//!  packet ─► station ─────────────► flow queues ──► by octets ┐
//!            station ─────────────► flow queues ──► by octets ┴─► by airtime ─► in service
//! ```
//!
//! Instead of the flow queues, a station can have two [coupled](super::dual) queues, for Classic traffic and for low
//! latency. An aggregate takes packets of both, in the order of their scheduler.

use std::collections::VecDeque;

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Duration, Time};

use super::charge::Charge;
use super::config::{AirtimeQueueLimits, AirtimeSharing, HardwareQueue};
use super::headers::Headers;
use super::own_queues::{Key, OwnQueues};
use super::sub_queue::{SubQueue, SubQueues};

/// Time for which a station without packets in the queue is still charged.  [linux-atf]
const ACTIVE: Duration = Duration::from_millis(100);

/// Weight of a station in Linux unless another is set, `IEEE80211_DEFAULT_AIRTIME_WEIGHT`.  [linux-atf]
pub(super) const WEIGHT: u16 = 256;

/// Octets that Linux expects around a packet; `FRAME` is the time that it expects around a frame.  [linux-aql]
const LINUX_HEADERS: Bytes = Bytes::new(38);
const FRAME: Duration = Duration::from_micros(40);

/// Deficit round robin of airtime between stations, in which new stations come first.  Deviates: [D-105]
#[derive(Clone, Debug)]
pub(super) struct AirtimeFair {
    rule: AirtimeSharing,
    /// Stations that may have packets and are new; `old` has the others.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    stations: Vec<Station>,
    /// Station to which each queue belongs.
    owners: Vec<usize>,
    /// Expected airtime of the packets of this access category that the driver holds; `ahead_of_others` is that of the
    /// other
    /// categories.
    ahead: Duration,
    ahead_of_others: Duration,
}

#[derive(Clone, Debug)]
struct Station {
    /// Airtime that the station may use before others have their turn [ns].
    deficit: i64,
    /// Weight by which the airtime of each turn is multiplied, in units of 1 / [`WEIGHT`].
    weight: u16,
    is_listed: bool,
    last_active: Time,
    /// Rate of the last frame to the station.
    rate: Option<DataRate>,
    /// Expected airtime of each of the station's packets that the driver holds; `ahead` is the sum.
    taken: VecDeque<Duration>,
    ahead: Duration,
    /// True if bulk for the station waits.
    is_held: bool,
    own: OwnQueues,
}

/// Packets that a station may have in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Allowed {
    All,
    /// Packets of short queues, while bulk waits.
    Short,
    /// MPDUs that were lost. Nothing holds them back, since the driver has already taken them.
    Again,
    Nothing,
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).expect("less than 292 years")
}

impl AirtimeFair {
    pub(super) fn new(rule: AirtimeSharing) -> Self {
        let (new, old) = (VecDeque::new(), VecDeque::new());
        let (stations, owners) = (Vec::new(), Vec::new());
        let (ahead, ahead_of_others) = (Duration::ZERO, Duration::ZERO);
        Self { rule, new, old, stations, owners, ahead, ahead_of_others }
    }

    fn station(&mut self, index: usize) -> &mut Station {
        if index >= self.stations.len() {
            self.stations.resize_with(index + 1, || Station::new(&self.rule));
        }
        &mut self.stations[index]
    }

    /// Sets the weight of a station's airtime, in units of 1 / [`WEIGHT`].
    pub(super) fn set_weight(&mut self, station: usize, weight: u16) {
        self.station(station).weight = weight;
    }

    /// Queue for a packet that has come for `station`. `key` chooses among the station's queues.
    pub(super) fn classify(&mut self, now: Time, station: usize, key: Key) -> usize {
        let next = self.owners.len();
        let of = self.station(station);
        of.last_active = now;
        let (queue, created) = of.own.classify(key, next);
        self.owners.resize(next + created, station);
        queue
    }

    /// Queues that a flow with this key to `station` may be in.
    pub(super) fn find(&self, station: usize, key: Key) -> [Option<usize>; 2] {
        self.stations.get(station).map_or([None; 2], |it| it.own.find(key))
    }

    /// Notes that queue `index` is no longer empty.
    pub(super) fn activate<P>(&mut self, queues: &mut SubQueues<P>, index: usize) {
        let owner = self.owners[index];
        let station = &mut self.stations[owner];
        station.own.activate(queues, index);
        if !station.is_listed {
            station.is_listed = true;
            self.new.push_back(owner);
        }
    }

    /// Chooses the queue that is served next.  [hoiland-2017 §3.2]
    #[inline(never)]
    pub(super) fn choose<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
    ) -> Option<usize> {
        let mut held_back = 0;
        loop {
            let is_new = !self.new.is_empty();
            let index = *self.new.front().or(self.old.front())?;
            let allowed = self.allowed(queues, index);
            let may_go = allowed != Allowed::Nothing;
            let list = if is_new { &mut self.new } else { &mut self.old };
            let station = &mut self.stations[index];
            held_back = if may_go { 0 } else { held_back + 1 };
            let is_in_debt = self.rule.quantum.is_some() && station.deficit <= 0;
            if is_in_debt || !may_go {
                // A station that AQL holds back saves no airtime for its next turn.
                if let Some(quantum) = self.rule.quantum.filter(|_| is_in_debt) {
                    station.deficit +=
                        nanos(quantum * u64::from(station.weight)) / i64::from(WEIGHT);
                }
                list.pop_front();
                self.old.push_back(index);
                if held_back > self.new.len() + self.old.len() {
                    return None;
                }
                continue;
            }
            let queue = match allowed {
                Allowed::All => station.own.choose(now, queues),
                Allowed::Short => station.own.choose_among(now, queues, SubQueue::is_short),
                _ => station.own.select(now, queues, |it| !it.again.is_empty()),
            };
            if let Some(queue) = queue {
                station.last_active = now;
                if self.rule.quantum.is_none() {
                    list.pop_front();
                    self.old.push_back(index);
                }
                return Some(queue);
            }
            list.pop_front();
            if allowed == Allowed::Short {
                // CoDel has emptied its short queues, and others wait.
                self.old.push_back(index);
                continue;
            }
            // As with flows, a station that has run empty waits for a turn before it counts as new again.
            if is_new && !self.old.is_empty() {
                self.old.push_back(index);
            } else {
                station.is_listed = false;
            }
        }
    }

    /// Packets that a station may have now. A station without bulk is served as if it were not held.
    #[inline]
    fn allowed<P>(&self, queues: &SubQueues<P>, index: usize) -> Allowed {
        let may_take = self.may_take(index);
        let station = &self.stations[index];
        if may_take && !self.holds_bulk(queues, index) {
            Allowed::All
        } else if self.goes_again(queues, index) {
            Allowed::Again
        } else if may_take && station.own.listed().any(|queue| queues.is_short(queue)) {
            Allowed::Short
        } else {
            Allowed::Nothing
        }
    }

    /// True if bulk for a station waits.
    pub(super) fn has_bulk<P>(&self, queues: &SubQueues<P>, station: usize) -> bool {
        let own = self.stations.get(station).map(|it| it.own.listed());
        own.is_some_and(|mut listed| listed.any(|queue| queues.is_bulk(queue)))
    }

    /// True if bulk for a station has to wait.
    #[inline]
    pub(super) fn holds_bulk<P>(&self, queues: &SubQueues<P>, station: usize) -> bool {
        let is_held = self.stations.get(station).is_some_and(|it| it.is_held);
        is_held && self.has_bulk(queues, station)
    }

    /// Makes bulk for a station wait, or go on.
    pub(super) fn hold(&mut self, station: usize, is_held: bool) {
        self.station(station).is_held = is_held;
    }

    /// True if lost MPDUs must be sent to the station again.
    #[cold]
    fn goes_again<P>(&self, queues: &SubQueues<P>, station: usize) -> bool {
        self.stations[station].own.listed().any(|index| queues.goes_again(index))
    }

    /// Queue whose turn it is among those of a station that have packets.
    pub(super) fn select_of<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        station: usize,
    ) -> Option<usize> {
        let of = &mut self.stations[station];
        if of.is_held {
            return of.own.select(now, queues, SubQueue::is_short);
        }
        of.own.select(now, queues, |it| it.again.is_empty() && !it.packets.is_empty())
    }

    /// Charges queue `index` for a packet of this size that has left it to join an aggregate.
    pub(super) fn charge_more<P>(&mut self, queues: &mut SubQueues<P>, index: usize, size: Bytes) {
        self.stations[self.owners[index]].own.charge(queues, index, size);
    }

    /// Takes back the charge of queue `index`, which was [chosen](Self::choose), for its first packet.
    pub(super) fn take_back<P>(&mut self, queues: &mut SubQueues<P>, index: usize) {
        self.stations[self.owners[index]].own.take_back(queues, index);
    }

    /// True if AQL allows the driver to take packets of a station.  [linux-aql]
    pub(super) fn may_take(&self, station: usize) -> bool {
        let HardwareQueue { most: Some(_), .. } = self.rule.hardware_queue else { return true };
        let Some(limits) = self.rule.aql else { return true };
        let AirtimeQueueLimits { low, high, threshold } = limits;
        let own = self.stations[station].ahead;
        own < low || (self.ahead + self.ahead_of_others < threshold && own < high)
    }

    /// Expected airtime of packets of all stations that the driver holds.
    pub(super) fn ahead(&self) -> Duration {
        self.ahead
    }

    /// Sets the expected airtime of packets of the transmitter's other access categories that the driver holds.
    pub(super) fn note_others(&mut self, ahead: Duration) {
        self.ahead_of_others = ahead;
    }

    /// Notes that the driver has taken a packet of a station. `aggregates` is true if the packet may become part of an
    /// aggregate.
    pub(super) fn note_taken(&mut self, station: usize, size: Bytes, aggregates: bool) {
        let expected = self.stations[station].expected(size, aggregates);
        let station = &mut self.stations[station];
        station.taken.push_back(expected);
        station.ahead += expected;
        self.ahead += expected;
    }

    /// Notes that packets of a station have left the driver.
    pub(super) fn note_done(&mut self, station: usize, packets: usize) {
        let station = &mut self.stations[station];
        for expected in station.taken.drain(..packets) {
            station.ahead -= expected;
            self.ahead -= expected;
        }
    }

    /// Queue with the most octets, of all stations.  [hoiland-2017 §3.1]
    pub(super) fn fattest<P>(&self, queues: &SubQueues<P>) -> Option<usize> {
        let stations = self.new.iter().chain(&self.old);
        let listed = stations.flat_map(|index| self.stations[*index].own.listed());
        listed.max_by_key(|index| queues.bytes(*index))
    }

    /// Charges a station for the airtime of an exchange.
    pub(super) fn charge(&mut self, now: Time, charge: &Charge) {
        let AirtimeSharing { quantum, charges_uplink, .. } = self.rule;
        let station = self.station(charge.station.index());
        let is_down = charge.direction == Direction::Down;
        if is_down {
            station.rate = Some(charge.rate);
            station.own.note_rate(charge.rate);
        }
        let is_active = now.saturating_since(station.last_active) <= ACTIVE;
        if quantum.is_some() && is_active && (charges_uplink || is_down) {
            station.deficit -= nanos(charge.airtime);
        }
    }
}

impl Station {
    fn new(rule: &AirtimeSharing) -> Self {
        Self {
            deficit: rule.quantum.map_or(0, nanos),
            weight: WEIGHT,
            is_listed: false,
            last_active: Time::ZERO,
            rate: None,
            taken: VecDeque::new(),
            ahead: Duration::ZERO,
            is_held: false,
            own: OwnQueues::new(rule.queues),
        }
    }

    /// Airtime that Linux expects of a packet at the rate of the last frame to the station: that of its octets, and a
    /// part of the overhead of a frame, which is smaller the longer aggregates should be at this rate. Zero before the
    /// first frame.  [linux-aql]
    fn expected(&self, size: Bytes, aggregates: bool) -> Duration {
        let Some(rate) = self.rate else { return Duration::ZERO };
        let air = rate.time_to_send(size + LINUX_HEADERS);
        if !aggregates {
            return air + FRAME;
        }
        let shortest = [400, 250, 150, 70, 20].map(Duration::from_micros);
        let kilobyte = rate.time_to_send(Bytes::new(1_024));
        let halvings = 1 + shortest.iter().filter(|it| kilobyte <= **it).count();
        (air + FRAME / (1 << halvings)).max(Duration::from_micros(4))
    }
}
