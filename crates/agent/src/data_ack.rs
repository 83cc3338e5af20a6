//! Separate queues for DATA and ACKs at an access point: from the forwarded traffic to weights and
//! rate of two classes.
//!
//! The weights are configured, or follow from the number of connections by the law [updown-fairness
//! §IV]. They have an effect only if packets queue in the classes and not behind them in the
//! driver. So the rate of the classes stays just below the capacity of the channel, which
//! [`Capacity`] finds.  Deviates: [D-180], [D-183]

use std::collections::BTreeMap;
use std::net::SocketAddr;

use airfair_laws::Direction::{Down, Up};
use airfair_laws::ack_separation::{self, Counts, Params};
use airfair_laws::connections::Connections;
use airfair_units::{Bytes, Duration, Time};

use crate::configuration::{DataAck, Weights};
use crate::decision::{Decision, Share};
use crate::estimate::{Estimate, Estimator, increase};
use crate::sample::{Connection, QueueCounters, Sample};

/// Time between two decisions on weights and rate.  [D-180]
const PERIOD: Duration = Duration::from_secs(1);

/// Law of separate queues for DATA and ACKs at an access point, with its state.
#[derive(Clone, Debug)]
pub struct TwoQueues {
    settings: DataAck,
    estimator: Estimator,
    delivered: Delivered,
    capacity: Capacity,
    separation: Separation,
    began: Option<PeriodStart>,
    share: Option<Share>,
}

/// Counters of links and queues at the start of a period between two decisions.
#[derive(Clone, Copy, Debug)]
struct PeriodStart {
    at_ns: u64,
    delivered: u64,
    queue: Option<QueueCounters>,
}

impl TwoQueues {
    /// Makes the law of separate queues. Displayed rates are medians of the last `polls` samples.
    pub fn new(settings: DataAck, polls: usize) -> Self {
        Self {
            settings,
            estimator: Estimator::new(polls),
            delivered: Delivered::default(),
            capacity: Capacity::default(),
            separation: Separation::default(),
            began: None,
            share: None,
        }
    }

    /// Present weights and rate of the queues for DATA and ACKs; `None` before the first decision.
    pub fn share(&self) -> Option<Share> {
        self.share
    }

    /// Processes a sample. Returns the estimates and, once per second, the decision if it has
    /// changed.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        let seen = self.estimator.take(sample);
        self.separation.take(sample);
        let now = PeriodStart {
            at_ns: sample.at_ns,
            delivered: self.delivered.take(sample),
            queue: sample.queue,
        };
        // The source has failed, or there are no stations: the period is void, and limits are
        // lifted.
        if sample.links.is_empty() {
            self.began = None;
            return (seen, self.share.take().map(|_| Decision::Lift));
        }
        let Some(began) = self.began else {
            self.began = Some(now);
            return (seen, None);
        };
        if sample.at_ns.saturating_sub(began.at_ns) < PERIOD.as_nanos() {
            return (seen, None);
        }
        self.began = Some(now);
        let share = self.decide(&began, &now);
        if self.share == Some(share) {
            return (seen, None);
        }
        self.share = Some(share);
        (seen, Some(Decision::Share(share)))
    }

    fn decide(&mut self, began: &PeriodStart, now: &PeriodStart) -> Share {
        let per_second = |count: u64| {
            let ns = u128::from(now.at_ns - began.at_ns);
            u32::try_from(u128::from(count) * 1_000_000_000 / ns).unwrap_or(u32::MAX)
        };
        let sent = began.queue.zip(now.queue).map(|(before, now)| increase(before.sent, now.sent));
        let measured = Measured {
            delivered: per_second(now.delivered - began.delivered),
            sent: sent.map(per_second),
            waiting: now.queue.map_or(0, |it| it.waiting),
        };
        let packets_per_second =
            self.settings.packets_per_second.unwrap_or_else(|| self.capacity.take(&measured));
        let (data, ack) = match self.settings.weights {
            Weights::Fixed { data, ack } => (data, ack),
            Weights::Connections => self.separation.weights,
        };
        Share { data, ack, packets_per_second }
    }
}

/// Weights of DATA and ACKs by the number of connections, with the state of the law that computes
/// them.
#[derive(Clone, Debug)]
struct Separation {
    state: ack_separation::State,
    counts: Counts,
    connections: Connections,
    /// Number of each connection, and its counters in the last sample.
    known: BTreeMap<[SocketAddr; 2], (u16, Connection)>,
    /// Number of ACKs sent to stations up to the last sample; `None` before the first sample.
    acks: Option<u64>,
    weights: (u32, u32),
}

impl Default for Separation {
    fn default() -> Self {
        Self {
            state: ack_separation::State::default(),
            counts: Counts::default(),
            connections: Connections::default(),
            known: BTreeMap::new(),
            acks: None,
            // Weights of the paper.
            weights: (2, 1),
        }
    }
}

impl Separation {
    fn take(&mut self, sample: &Sample) {
        let now = Time::from_nanos(sample.at_ns);
        for connection in &sample.connections {
            self.note(now, connection);
        }
        let acks = sample.queue.map(|it| it.acks);
        let more = self.acks.zip(acks).map_or(0, |(before, now)| increase(before, now));
        self.acks = acks;
        self.counts.acks = sum(self.counts.acks, more);
        let Some(seen) = self.counts.end(now, &self.connections) else { return };
        let (state, action) = ack_separation::step(&Params::default(), self.state, &seen);
        self.state = state;
        self.weights = (action.data, action.ack);
    }

    fn note(&mut self, now: Time, connection: &Connection) {
        let Ok(next) = u16::try_from(self.known.len()) else { return };
        let known = self.known.entry(connection.ends);
        let (flow, before) = known.or_insert_with(|| (next, connection.clone()));
        let segments = increase(before.up.packets.into(), connection.up.packets.into());
        let down = increase(before.down.packets.into(), connection.down.packets.into());
        *before = connection.clone();
        for (direction, packets) in [(Up, segments), (Down, down)] {
            if packets > 0 {
                self.connections.note(now, *flow, direction, Bytes::ZERO);
            }
        }
        self.counts.segments = sum(self.counts.segments, segments);
    }
}

fn sum(count: u32, more: u64) -> u32 {
    count.saturating_add(u32::try_from(more).unwrap_or(u32::MAX))
}

/// Total of packets delivered to all stations so far, including stations that have left.
#[derive(Clone, Debug, Default)]
struct Delivered {
    total: u64,
    last: BTreeMap<String, u64>,
}

impl Delivered {
    fn take(&mut self, sample: &Sample) -> u64 {
        let now: BTreeMap<String, u64> =
            sample.links.iter().map(|link| (link.name.clone(), link.down.packets)).collect();
        let grown =
            now.iter().filter_map(|(name, count)| Some(increase(*self.last.get(name)?, *count)));
        self.total = grown.fold(self.total, u64::saturating_add);
        self.last = now;
        self.total
    }
}

/// Measurements of packets in a period between two decisions.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Number of packets that the driver has delivered to stations, per second.
    delivered: u32,
    /// Number of packets that the HTB classes for DATA and for ACKs have sent to the driver in
    /// total, per second; `None` without classes.
    sent: Option<u32>,
    /// Number of packets that wait in both HTB classes at the end of the period.
    waiting: u32,
}

/// Search for the packet rate that the channel can carry.  [D-180]
///
/// If DATA and ACKs together are more than the channel carries, packets queue in the driver. The rate grows
/// until the driver holds packets for an eighth of a second. Then the rate is an eighth below the
/// measured capacity until this queue has drained.
#[derive(Clone, Copy, Debug, Default)]
struct Capacity {
    /// Packet rate of both HTB classes in total [packets/s]; `None` before the first period.
    rate: Option<u32>,
    state: Search,
    /// True once the driver has held packets, so that the capacity of the channel is known.
    is_found: bool,
}

#[derive(Clone, Copy, Debug)]
enum Search {
    /// State in which the driver's queue drains, because DATA and ACKs together are fewer than the
    /// `carried` packets per second that the channel carries.
    Draining { carried: u32 },
    /// State in which the packet rate of the classes may grow. The driver is estimated to hold
    /// `behind` packets that it has not yet delivered.
    Growing { behind: u32 },
}

impl Default for Search {
    fn default() -> Self {
        Self::Growing { behind: 0 }
    }
}

/// Lowest packet rate of both HTB classes in total [packets/s]: 10 frames of 12 000 bits at 1 Mb/s
/// take an eighth of the airtime.
const LOWEST: u32 = 10;
/// Highest packet rate of both HTB classes in total [packets/s], above that of any Wi-Fi.
const HIGHEST: u32 = 2_000_000;

impl Capacity {
    fn take(&mut self, seen: &Measured) -> u32 {
        let rate = match (self.rate, seen.sent) {
            (Some(rate), Some(sent)) => self.next(rate, sent, seen),
            // Packets may already be queued in the driver.
            (None, _) => self.drain(seen.delivered),
            // Without classes the delivered rate is the capacity.
            (Some(_), None) => seen.delivered,
        };
        let rate = rate.clamp(LOWEST, HIGHEST);
        self.rate = Some(rate);
        rate
    }

    fn drain(&mut self, carried: u32) -> u32 {
        self.state = Search::Draining { carried };
        carried - carried / 8
    }

    fn next(&mut self, rate: u32, sent: u32, seen: &Measured) -> u32 {
        // Counters that were not updated carry no information.
        if seen.delivered == 0 {
            return rate;
        }
        match self.state {
            Search::Draining { .. } if seen.delivered > sent.saturating_add(sent / 16) => rate,
            Search::Draining { carried } => {
                self.state = Search::default();
                carried - carried / 16
            }
            Search::Growing { behind } => self.grow(rate, behind, (sent, seen)),
        }
    }

    fn grow(&mut self, rate: u32, behind: u32, (sent, seen): (u32, &Measured)) -> u32 {
        let behind = behind.saturating_add(sent).saturating_sub(seen.delivered);
        // Broadcast frames are sent but count for no station. Their part is large when little else
        // is sent.
        let is_used = sent > rate / 2;
        if is_used && behind > rate / 8 {
            self.is_found = true;
            // A drop to less than a quarter may come from a late update of the counters.
            let carried = if seen.delivered < rate / 4 { rate / 2 } else { seen.delivered };
            return self.drain(carried);
        }
        self.state = Search::Growing { behind: if is_used { behind } else { 0 } };
        match (seen.waiting, self.is_found) {
            (0, _) => rate,
            (_, true) => rate.saturating_add((rate / 32).max(1)),
            (_, false) => rate.saturating_mul(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{DirectionCounters, LinkCounters, Sent};

    /// Simulated channel that carries a given number of packets per second, with senders that
    /// always have data.
    #[derive(Default)]
    struct Channel {
        at_s: u64,
        in_driver: u64,
        sent: u64,
        delivered: u64,
    }

    /// Sum of the windows of all senders: the most packets that they keep in flight over the
    /// simulated channel.
    const WINDOWS: u64 = 256;

    impl Channel {
        fn second(&mut self, carries: u64, rate: u64) -> Sample {
            self.at_s += 1;
            let sent = rate.min(WINDOWS.saturating_sub(self.in_driver) + carries);
            let delivered = carries.min(self.in_driver + sent);
            self.in_driver = self.in_driver + sent - delivered;
            self.sent += sent;
            self.delivered += delivered;
            let left = if sent == rate { WINDOWS.saturating_sub(self.in_driver) } else { 0 };
            let waiting = u32::try_from(left).unwrap();
            sample(
                self.at_s,
                self.delivered,
                Some(QueueCounters { sent: self.sent, waiting, acks: 0 }),
            )
        }
    }

    fn sample(at_s: u64, packets: u64, queue: Option<QueueCounters>) -> Sample {
        let down = DirectionCounters { packets, ..DirectionCounters::default() };
        let links = vec![LinkCounters { name: "it".into(), down, ..LinkCounters::default() }];
        Sample { at_ns: at_s * 1_000_000_000, links, queue, ..Sample::default() }
    }

    /// Counters of a connection after some seconds with 40 segments each.
    fn connection(number: u32, seconds: u32, is_down: bool) -> Connection {
        let data = Sent { packets: 40 * seconds, ..Sent::default() };
        let port = u16::try_from(40_000 + number).unwrap();
        let ends = [([10, 0, 0, 2], port), ([10, 0, 0, 1], 80)].map(SocketAddr::from);
        let (up, down) = if is_down { (Sent::default(), data) } else { (data, Sent::default()) };
        Connection { station: String::new(), ends, up, down, own: None }
    }

    fn access_point(settings: DataAck) -> TwoQueues {
        TwoQueues::new(settings, 1)
    }

    /// The packet rate of the HTB classes for DATA and ACKs in total approaches the capacity of the
    /// channel, at the start and after each change of the channel. From then on it is 13/16 to 9/8
    /// of the capacity, and the driver holds packets for at most a quarter of a second.
    #[test]
    fn the_rate_stays_near_the_capacity_of_the_channel() {
        let mut point = access_point(DataAck::default());
        let mut channel = Channel::default();
        point.take(&channel.second(400, 20));
        for carries in [400, 150, 1_000] {
            for second in 0..200 {
                let rate = point.share().map_or(20, |share| share.packets_per_second);
                point.take(&channel.second(carries, rate.into()));
                if second > 150 {
                    let rate = u64::from(point.share().unwrap().packets_per_second);
                    assert!(
                        (carries * 13 / 16..=carries * 9 / 8).contains(&rate),
                        "{rate} of {carries}"
                    );
                    assert!(channel.in_driver <= carries / 4, "{} wait", channel.in_driver);
                }
            }
        }
    }

    /// The packet rate stays near the capacity if some counter updates are late by a twentieth of a
    /// second and some are missing.
    #[test]
    fn late_counters_do_not_drive_the_rate_down() {
        let mut capacity = Capacity { rate: Some(400), is_found: true, ..Capacity::default() };
        let mut least = u32::MAX;
        for second in 0..300_u32 {
            let sent = capacity.rate.unwrap().min(400);
            let late = if second % 3 == 0 { sent / 20 } else { 0 };
            let caught_up = if second % 3 == 1 { sent / 20 } else { 0 };
            let delivered = if second % 50 == 49 { 0 } else { sent - late + caught_up };
            capacity.take(&Measured { delivered, sent: Some(sent), waiting: 50 });
            least = least.min(capacity.rate.unwrap());
        }
        assert!(least >= 300, "{least}");
    }

    #[test]
    fn an_access_point_with_little_to_send_keeps_its_rate() {
        let mut capacity = Capacity { rate: Some(400), is_found: true, ..Capacity::default() };
        // Two of ten packets are broadcasts.
        let idle = Measured { delivered: 8, sent: Some(10), waiting: 0 };
        assert_eq!(capacity.take(&idle), 400);
    }

    /// The weights of DATA and ACKs are those configured, or follow from the numbers of
    /// connections.
    ///
    /// Verifies: [updown-fairness §IV]
    #[test]
    fn weights_are_fixed_or_follow_the_connections() {
        let decided = |weights, down, up| {
            let settings = DataAck { weights, packets_per_second: Some(300), ..DataAck::default() };
            let mut point = access_point(settings);
            let at = |at: u32| {
                let connections = (0..down + up).map(|it| connection(it, at, it < down)).collect();
                // Every second segment is acknowledged.
                let queue =
                    QueueCounters { acks: u64::from(20 * up * at), ..QueueCounters::default() };
                Sample { connections, ..sample(at.into(), 0, Some(queue)) }
            };
            point.take(&at(0));
            point.take(&at(1)).1
        };
        let share = |data, ack| Some(Decision::Share(Share { data, ack, packets_per_second: 300 }));
        assert_eq!(decided(Weights::Fixed { data: 3, ack: 1 }, 7, 1), share(3, 1));
        assert_eq!(decided(Weights::Connections, 1, 1), share(2, 1));
        assert_eq!(decided(Weights::Connections, 7, 1), share(14, 1));
    }

    #[test]
    fn nothing_changes_within_a_second_and_a_source_that_fails_lifts() {
        let mut point = access_point(DataAck { packets_per_second: Some(9), ..DataAck::default() });
        let at = |ms: u64| Sample { at_ns: ms * 1_000_000, ..sample(0, 0, None) };
        assert_eq!(point.take(&at(0)).1, None);
        assert_eq!(point.take(&at(999)).1, None);
        assert!(matches!(point.take(&at(1_000)).1, Some(Decision::Share(_))));
        assert_eq!(point.take(&at(2_000)).1, None);
        assert_eq!(point.take(&Sample::default()).1, Some(Decision::Lift));
        assert_eq!(point.take(&Sample::default()).1, None);
    }
}
