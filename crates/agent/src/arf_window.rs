//! TCP windows at a station from the measured use of its channel, at each change of its rate.
//!
//! Source: [arf-window §III]. The law itself computes the time that a change of rate frees or
//! takes, the throughput that remains for a connection, and the window. The paper's station hears
//! every frame; this agent reads counters.  Deviates: [D-210], [D-211], [D-212]

use std::collections::{BTreeMap, VecDeque};

use airfair_laws::Direction::{self, Down, Up};
use airfair_laws::arf_window::{
    Connection, ExtraTime, Measured, Observation, Params, State, step, window,
};
use airfair_laws::exchange::Exchange;
use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::configuration::ArfWindow as Settings;
use crate::connections::{ConnectionTracker, ConnectionTraffic, Ends, FORGOTTEN, Traffic};
use crate::decision::{ConnectionLimit, Decision};
use crate::estimate::{self, DirectionEstimate, Estimate, Estimator, LinkEstimate, increase, sum};
use crate::sample::{LocalEnd, Sample};

/// Lengths of IPv4 and IPv6 headers [octets].  [RFC791 §3.1], [RFC8200 §3]
const HEADERS: [u64; 2] = [20, 40];

/// Use of the channel by the station and others between two samples.
#[derive(Clone, Debug)]
struct Interval {
    length: Duration,
    /// Traffic of the station's own link in the interval.
    link: LinkEstimate,
    /// Traffic of the links of other stations that were heard and had frames.
    others: Vec<LinkEstimate>,
    /// Time for which the channel was busy in the interval, where the driver measures it.
    busy: Option<Duration>,
    connections: BTreeMap<Ends, [Traffic; 2]>,
}

/// Connection of the station: state of its local end, and octets so far.
#[derive(Clone, Debug)]
struct KnownConnection {
    own: LocalEnd,
    largest: [Bytes; 2],
    /// Octets of the connection since the SYN, in both directions.
    moved: u64,
    /// Minimum of the round trips that this machine has estimated as a receiver.
    least: Option<Duration>,
    seen: Time,
}

/// Use of the channel in an observation slot.
#[derive(Clone, Debug, Default)]
struct Slot {
    length: Duration,
    /// Number of stations that were active in the slot.
    active: u32,
    occupied: Duration,
    /// Octets that the station's link, whose rate is adapted, has carried in this observation slot,
    /// up and down.
    adapted: [Bytes; 2],
    connections: BTreeMap<Ends, Usage>,
}

/// Use of the channel by a connection in an observation slot.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    moved: [Traffic; 2],
    /// Channel occupancy of the connection's data in each direction, with the ACKs for it.
    occupied: [Duration; 2],
}

/// Change of the link's rate in one direction, and the channel time that the change frees or takes.
#[derive(Clone, Copy, Debug)]
struct Change {
    direction: Direction,
    rate: DataRate,
    extra: ExtraTime,
    params: Params,
    /// Number of stations that were active in the observation slot before the link's rate changed.
    active: u32,
}

/// Law `arf-window` with its state: windows at a station from the use of the channel.
#[derive(Clone, Debug)]
pub struct ArfWindow {
    settings: Settings,
    polls: usize,
    estimator: Estimator,
    others: Estimator,
    tracker: ConnectionTracker,
    busy_ns: Option<u64>,
    intervals: VecDeque<Interval>,
    known: BTreeMap<Ends, KnownConnection>,
    /// Rate of the station's link in each direction, up and down, as last confirmed.
    rates: [State; 2],
    is_limiting: bool,
}

impl ArfWindow {
    /// Makes the law `arf-window`. Link rates are medians of the last `polls` samples.
    pub fn new(settings: Settings, polls: usize) -> Self {
        Self {
            settings,
            polls,
            estimator: Estimator::new(polls),
            others: Estimator::new(polls),
            tracker: ConnectionTracker::default(),
            busy_ns: None,
            intervals: VecDeque::new(),
            known: BTreeMap::new(),
            rates: [State::default(); 2],
            is_limiting: false,
        }
    }

    /// Processes a sample. Returns the estimates, and the decision if it has changed. If there are
    /// several links, none can be the station's own, and there is no limit.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let others =
            Sample { at_ns: sample.at_ns, links: sample.others.clone(), ..Sample::default() };
        let others = self.others.take(&others).links;
        let connections = self.tracker.take(sample);
        let busy = self.busy(sample.busy_ns);
        let [link] = &seen.links[..] else {
            return (seen, self.forget());
        };
        self.know(sample, &connections, seen.at);
        if !seen.elapsed.is_zero() {
            let link = link.clone();
            self.note(Interval {
                length: seen.elapsed,
                link,
                others: others.into_iter().filter(is_active).collect(),
                busy,
                connections: connections.iter().map(|it| (it.ends, [it.up, it.down])).collect(),
            });
        }
        let windows = self.follow(link);
        self.is_limiting |= !windows.is_empty();
        (seen, (!windows.is_empty()).then_some(Decision::Windows(windows)))
    }

    /// Forgets all traffic and connections after a failed sample, and lifts the limits.
    fn forget(&mut self) -> Option<Decision> {
        self.intervals.clear();
        self.known.clear();
        self.rates = [State::default(); 2];
        std::mem::take(&mut self.is_limiting).then_some(Decision::Lift)
    }

    /// Time for which the channel was busy since the last sample, from the counter `now` [ns].
    fn busy(&mut self, now: Option<u64>) -> Option<Duration> {
        let before = std::mem::replace(&mut self.busy_ns, now);
        Some(Duration::from_nanos(increase(before?, now?)))
    }

    /// Records the state of the connections' ends on this machine.
    fn know(&mut self, sample: &Sample, connections: &[ConnectionTraffic], now: Time) {
        for (it, seen) in sample.connections.iter().zip(connections) {
            let Some(own) = it.own else { continue };
            let before = self.known.get(&it.ends).and_then(|it| it.least);
            let received = Some(own.receiver_round_trip()).filter(|it| !it.is_zero());
            let known = KnownConnection {
                own,
                largest: seen.largest,
                moved: it.up.octets.saturating_add(it.down.octets),
                least: [before, received].into_iter().flatten().min(),
                seen: now,
            };
            self.known.insert(it.ends, known);
        }
        self.known.retain(|_, it| now.saturating_since(it.seen) < FORGOTTEN);
    }

    /// Number of samples from a change of the rate until the median of the rates follows. These
    /// samples belong to the new rate.  Deviates: [D-210]
    fn lag(&self) -> usize {
        self.polls / 2 + 1
    }

    fn note(&mut self, interval: Interval) {
        self.intervals.push_back(interval);
        while self.intervals.len() > usize::from(self.settings.samples) + self.lag() {
            self.intervals.pop_front();
        }
    }

    /// Detects changes of the link's rate in both directions. Returns new windows for connections
    /// with data in a direction whose rate has changed.
    fn follow(&mut self, link: &LinkEstimate) -> Vec<ConnectionLimit> {
        let slot = self.slot();
        // The next slot is assumed to be as long as the last one.
        let length = slot.as_ref().map_or(self.settings.params.slot, |slot| slot.length);
        let params = Params { slot: length, ..self.settings.params };
        let mut windows: BTreeMap<Ends, ConnectionLimit> = BTreeMap::new();
        for direction in [Up, Down] {
            let Some(rate) = way(link, direction).rate else { continue };
            let measured = slot.as_ref().map(|slot| self.measured(slot, direction));
            let known = self.rates[direction as usize];
            let (next, extra) = step(&params, known, &Observation { rate, measured });
            self.rates[direction as usize] = next;
            let (Some(extra), Some(slot)) = (extra, &slot) else { continue };
            let change = Change { direction, rate, extra, params, active: slot.active };
            for (ends, known, usage) in self.long_lived(slot) {
                let Some(octets) = change.window(ends, known, usage) else { continue };
                let it = windows.entry(*ends).or_insert(ConnectionLimit {
                    ends: *ends,
                    up: None,
                    down: None,
                });
                match direction {
                    Up => it.up = Some(octets),
                    Down => it.down = Some(octets),
                }
            }
        }
        windows.into_values().collect()
    }

    /// Last observation slot that ended before the rate changed; `None` until there are enough
    /// samples.
    fn slot(&self) -> Option<Slot> {
        let samples = usize::from(self.settings.samples);
        if self.intervals.len() < samples + self.lag() {
            return None;
        }
        let intervals: Vec<&Interval> = self.intervals.iter().take(samples).collect();
        let active = 1 + others(&intervals);
        let mut slot = Slot { active, ..Slot::default() };
        for interval in intervals {
            slot.add(interval);
            for (ends, moved) in &interval.connections {
                let Some(known) = self.known.get(ends) else { continue };
                let time =
                    [Up, Down].map(|it| time(&interval.link, (ends, it), known, (moved, active)));
                let usage = slot.connections.entry(*ends).or_default();
                usage.moved.iter_mut().zip(moved).for_each(|(all, more)| all.add(more));
                usage.occupied.iter_mut().zip(time).for_each(|(all, more)| *all = sum(*all, more));
            }
        }
        Some(slot)
    }

    /// Connections that count as long-lived and had packets in the observation slot.
    fn long_lived<'s>(
        &'s self,
        slot: &'s Slot,
    ) -> impl Iterator<Item = (&'s Ends, &'s KnownConnection, &'s Usage)> {
        let least = self.settings.params.long_lived.get();
        let known = |(ends, it): (&'s Ends, &'s Usage)| Some((ends, self.known.get(ends)?, it));
        slot.connections.iter().filter_map(known).filter(move |(_, known, usage)| {
            known.moved >= least && usage.moved.iter().any(|it| it.packets > 0)
        })
    }

    fn measured(&self, slot: &Slot, direction: Direction) -> Measured {
        let connections = u32::try_from(self.long_lived(slot).count()).unwrap_or(u32::MAX);
        Measured {
            occupied: slot.occupied,
            // No counter shows beacons.
            beacons: Duration::ZERO,
            active: slot.active,
            adapted: slot.adapted[direction as usize],
            connections,
        }
    }
}

impl Change {
    /// Window of a connection after the change of rate [octets]; `None` if the connection has no
    /// data in the direction of the change.
    fn window(&self, ends: &Ends, known: &KnownConnection, usage: &Usage) -> Option<u32> {
        let at = self.direction as usize;
        let (there, back) = (&usage.moved[at], &usage.moved[1 - at]);
        if there.packets == 0 {
            return None;
        }
        let (smoothed, least) = known.round_trips(self.direction)?;
        let (headers, segment, acks) = (known.headers(ends), there.mean(), back.answers.max(1));
        let exchange = |size| exchange(size, self.rate, self.active);
        let connection = Connection {
            occupied: usage.occupied[at],
            segment,
            largest_segment: known.largest[at],
            segments_per_ack: u32::try_from((there.packets + acks / 2) / acks).unwrap_or(u32::MAX),
            smoothed_round_trip: smoothed,
            least_round_trip: least,
            // The kernel grows its buffers as needed, so the buffer is no limit here.  Deviates:
            // [D-212]
            buffer: Bytes::new(u64::from(u32::MAX)),
            data: exchange(headers + segment.min(Bytes::new(estimate::LONGEST))),
            ack: exchange(headers),
        };
        let octets = window(&self.params, self.extra, &connection).get();
        Some(u32::try_from(octets).unwrap_or(u32::MAX))
    }
}

impl Slot {
    fn add(&mut self, interval: &Interval) {
        self.length = sum(self.length, interval.length);
        let link = &interval.link;
        let own = occupancy(link, self.active);
        let heard =
            interval.others.iter().map(|it| occupancy(it, self.active)).fold(Duration::ZERO, sum);
        // The driver's measurement does not include gaps, and does not distinguish stations.
        let busy = interval.busy.map(|busy| busy.saturating_sub(sum(link.up.air, link.down.air)));
        let others = if interval.others.is_empty() { busy.unwrap_or_default() } else { heard };
        self.occupied = sum(self.occupied, sum(own, others));
        for (all, way) in self.adapted.iter_mut().zip([&link.up, &link.down]) {
            *all = all.saturating_add(way.moved);
        }
    }
}

impl KnownConnection {
    /// Smoothed and minimum round trip of the connection: as a sender of data (up), or as a
    /// receiver (down).
    fn round_trips(&self, direction: Direction) -> Option<(Duration, Duration)> {
        let least = Some(self.own.least_round_trip()).filter(|it| !it.is_zero());
        let (smoothed, least) = match direction {
            Up => (self.own.sender_round_trip(), least),
            Down => {
                (self.own.receiver_round_trip(), [least, self.least].into_iter().flatten().min())
            }
        };
        let least = least?;
        Some((if smoothed.is_zero() { least } else { smoothed }, least))
    }

    fn headers(&self, ends: &Ends) -> Bytes {
        Bytes::new(HEADERS[usize::from(ends[0].is_ipv6())] + u64::from(self.own.header))
    }
}

/// Number of other stations that were active in a slot of these intervals. If the driver only
/// measures that others used the channel, they count as one.  Deviates: [D-211]
fn others(intervals: &[&Interval]) -> u32 {
    let names = intervals.iter().flat_map(|it| &it.others).map(|it| &*it.name);
    let heard = names.collect::<std::collections::BTreeSet<&str>>().len();
    let own = |it: &Interval| sum(it.link.up.air, it.link.down.air);
    let is_shared = intervals.iter().any(|it| it.busy.is_some_and(|busy| busy > own(it)));
    u32::try_from(heard).unwrap_or(u32::MAX).max(u32::from(is_shared))
}

fn is_active(link: &LinkEstimate) -> bool {
    [&link.up, &link.down].iter().any(|it| it.frames > 0 || !it.air.is_zero())
}

fn way(link: &LinkEstimate, direction: Direction) -> &DirectionEstimate {
    match direction {
        Up => &link.up,
        Down => &link.down,
    }
}

/// Channel occupancy time of a link: its frames, with gap and mean back-off before each.
/// [arf-window eq. 1]
fn occupancy(link: &LinkEstimate, active: u32) -> Duration {
    let one = |way: &DirectionEstimate| {
        let access = way.rate.map_or(Duration::ZERO, |rate| estimate::access(rate, active));
        sum(way.air, access.saturating_mul(way.frames))
    };
    sum(one(&link.up), one(&link.down))
}

/// Frame exchange of an IP packet among `active` stations.  [arf-window eq. 10]
fn exchange(packet: Bytes, rate: DataRate, active: u32) -> Exchange {
    Exchange { access: estimate::access(rate, active), ..estimate::exchange(packet, rate) }
}

/// Channel occupancy of a connection's data in a direction, with the ACKs for it.
fn time(
    link: &LinkEstimate,
    (ends, direction): (&Ends, Direction),
    known: &KnownConnection,
    (moved, active): (&[Traffic; 2], u32),
) -> Duration {
    let at = direction as usize;
    let (there, back) = (&moved[at], &moved[1 - at]);
    if there.packets == 0 {
        return Duration::ZERO;
    }
    let headers = known.headers(ends);
    let of = |way: &DirectionEstimate, packets: u64, size: Bytes| {
        let Some(rate) = way.rate else { return Duration::ZERO };
        let one = exchange(size, rate, active).time();
        // Retries are attributed to connections in proportion to their packets.
        let frames = u128::from(packets) * u128::from(way.frames) / u128::from(way.packets.max(1));
        one.saturating_mul(u64::try_from(frames).unwrap_or(u64::MAX).max(packets))
    };
    let mean = there.mean().min(Bytes::new(estimate::LONGEST));
    let ways = match direction {
        Up => [&link.up, &link.down],
        Down => [&link.down, &link.up],
    };
    sum(of(ways[0], there.packets, headers + mean), of(ways[1], back.answers, headers))
}

#[cfg(test)]
mod tests;
