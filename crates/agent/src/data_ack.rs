//! DATA and ACKs apart at an access point: from what it forwards to the shares of its classes.
//!
//! Weights are the configuration's, or the law's by the number of connections [updown-fairness §IV]. The classes decide
//! nothing unless packets wait in them and not behind them, in the driver; so their rate stays just below what the channel
//! carries, which [`Capacity`] finds.  Deviates: [D-180], [D-183]

use std::collections::BTreeMap;
use std::net::SocketAddr;

use airfair_laws::Direction::{Down, Up};
use airfair_laws::ack_separation::{self, Counts, Params};
use airfair_laws::connections::Connections;
use airfair_units::{Bytes, Duration, Time};

use crate::configuration::{DataAck, Weights};
use crate::decision::{Decision, Share};
use crate::estimate::{Estimator, Seen, increase};
use crate::sample::{Connection, Queue, Sample};

/// Time between two decisions.  [D-180]
const PERIOD: Duration = Duration::from_secs(1);

/// Memory from sample to sample.
#[derive(Clone, Debug)]
pub struct TwoQueues {
    settings: DataAck,
    estimator: Estimator,
    delivered: Delivered,
    capacity: Capacity,
    separation: Separation,
    began: Option<Began>,
    share: Option<Share>,
}

/// Counters at the beginning of a period.
#[derive(Clone, Copy, Debug)]
struct Began {
    at_ns: u64,
    delivered: u64,
    queue: Option<Queue>,
}

impl TwoQueues {
    /// One with such settings.
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

    /// Shares that hold now.
    pub fn share(&self) -> Option<Share> {
        self.share
    }

    /// Takes in a sample: what was seen, and what changes, once in a second at most.
    pub fn take(&mut self, sample: &Sample) -> (Seen, Option<Decision>) {
        let seen = self.estimator.take(sample);
        self.separation.take(sample);
        let now = Began {
            at_ns: sample.at_ns,
            delivered: self.delivered.take(sample),
            queue: sample.queue,
        };
        // A source that has failed, or an access point without stations: nothing to share out, and no period goes on.
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

    fn decide(&mut self, began: &Began, now: &Began) -> Share {
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

/// The law by connections, and what it remembers.
#[derive(Clone, Debug)]
struct Separation {
    state: ack_separation::State,
    counts: Counts,
    connections: Connections,
    /// Numbers of connections, and their counters when they were seen last.
    known: BTreeMap<[SocketAddr; 2], (u16, Connection)>,
    /// ACKs that stations have been sent so far, of all that came to the queue.
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
            // The paper's own.
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

/// Packets that stations have been sent, whoever of them came and went.
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

/// A period at the interface, in packets per second.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Packets that the driver has sent to stations.
    delivered: u32,
    /// Packets that the classes have handed to the driver; unknown where there are no classes.
    sent: Option<u32>,
    /// Packets that wait in the classes at its end.
    waiting: u32,
}

/// The search for the rate that the channel carries.  [D-180]
///
/// A channel that carries less than the classes send it lets packets wait in the driver. The rate grows until these are
/// those of an eighth of a second, and is then an eighth below what was carried until they are sent.
#[derive(Clone, Copy, Debug, Default)]
struct Capacity {
    /// Unknown before the first period.
    rate: Option<u32>,
    state: Search,
    /// True once the channel has been found to carry less.
    is_found: bool,
}

#[derive(Clone, Copy, Debug)]
enum Search {
    /// What waits in the driver is sent; the channel carries so many packets in a second.
    Draining { carried: u32 },
    /// So many packets are to be in the driver by now.
    Growing { behind: u32 },
}

impl Default for Search {
    fn default() -> Self {
        Self::Growing { behind: 0 }
    }
}

/// Lowest rate of the classes [packets/s]: 10 frames of 12 000 bits at 1 Mb/s take an eighth of the air.
const LOWEST: u32 = 10;
/// Highest rate of the classes [packets/s], beyond any Wi-Fi.
const HIGHEST: u32 = 2_000_000;

impl Capacity {
    fn take(&mut self, seen: &Measured) -> u32 {
        let rate = match (self.rate, seen.sent) {
            (Some(rate), Some(sent)) => self.next(rate, sent, seen),
            // Packets may wait in the driver already.
            (None, _) => self.drain(seen.delivered),
            // Without classes what is measured is what is carried.
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
        // Counters that stand still tell nothing.
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
        // Frames for all are sent and not counted as any station's; they count for much where little else is sent.
        let is_used = sent > rate / 2;
        if is_used && behind > rate / 8 {
            self.is_found = true;
            // Less than a quarter at once may be counters that are late.
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
    use crate::sample::{Link, Sent, Way};

    /// A channel of so many packets per second behind the classes, whose senders always have something to send.
    #[derive(Default)]
    struct Channel {
        at_s: u64,
        in_driver: u64,
        sent: u64,
        delivered: u64,
    }

    /// Packets under way at most, as the windows of some connections have it.
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
            sample(self.at_s, self.delivered, Some(Queue { sent: self.sent, waiting, acks: 0 }))
        }
    }

    fn sample(at_s: u64, packets: u64, queue: Option<Queue>) -> Sample {
        let down = Way { packets, ..Way::default() };
        let links = vec![Link { name: "it".into(), down, ..Link::default() }];
        Sample { at_ns: at_s * 1_000_000_000, links, queue, ..Sample::default() }
    }

    /// One that has moved 40 segments a second.
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

    /// From the start, and behind a change, the rate is found; from then on it is 7/8 to 9/8 of what the channel carries, and
    /// less than a quarter of a second's packets wait in the driver.
    #[test]
    fn the_rate_stays_about_what_the_channel_carries() {
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

    /// Counters that come late by a twentieth of a second, now and then, and some that stand still.
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
        // Two of ten are for all.
        let idle = Measured { delivered: 8, sent: Some(10), waiting: 0 };
        assert_eq!(capacity.take(&idle), 400);
    }

    /// Verifies: [updown-fairness §IV]
    #[test]
    fn weights_are_fixed_or_follow_the_connections() {
        let decided = |weights, down, up| {
            let settings = DataAck { weights, packets_per_second: Some(300), ..DataAck::default() };
            let mut point = access_point(settings);
            let at = |at: u32| {
                let connections = (0..down + up).map(|it| connection(it, at, it < down)).collect();
                // Each other segment is acknowledged.
                let queue = Queue { acks: u64::from(20 * up * at), ..Queue::default() };
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
