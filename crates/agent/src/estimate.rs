//! Estimates from counters: throughput, airtime, and a rate that single probe frames do not change.

use std::collections::{BTreeMap, VecDeque};

use airfair_laws::exchange::Exchange;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::phy::{Preamble, Standard, TxVector, dsss, ofdm};

use crate::sample::{DirectionCounters, LinkCounters, Sample};

/// Length of the ACK frame of 802.11 [octets].  [80211-2020 §9.3.1.4]
const ACK: Bytes = Bytes::new(14);
/// Length of MAC header, frame check sequence, and LLC and SNAP headers together
/// [octets].  [80211-2020 §9.3.2.1]
const OVERHEAD: Bytes = Bytes::new(36);

/// Estimated traffic in one direction of a link between two samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirectionEstimate {
    /// Octets of the packets that were delivered in this direction.
    pub moved: Bytes,
    /// Number of packets that were delivered in this direction.
    pub packets: u64,
    /// Number of transmission attempts in this direction, retransmissions included.
    pub frames: u64,
    /// Airtime of the frames in this direction, without the gaps before them.
    pub air: Duration,
    /// True if the source measures airtime; false if airtime is estimated from other counters.
    pub is_measured: bool,
    /// Median of the latest rates of this direction; `None` if no rate is known.
    pub rate: Option<DataRate>,
    /// Highest median of the rates of this direction since the link appeared.
    pub highest: Option<DataRate>,
}

/// Estimated traffic of a link between two samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkEstimate {
    /// Name of the link: name of the interface, or of the station in an emulation, and a MAC
    /// address.
    pub name: String,
    /// Traffic from the station to the access point.
    pub up: DirectionEstimate,
    /// Traffic from the access point to the station.
    pub down: DirectionEstimate,
}

impl LinkEstimate {
    /// MAC address of the link's station: the last word of the link's name.
    pub fn address(&self) -> &str {
        self.name.rsplit(' ').next().unwrap_or_default()
    }
}

/// Estimated traffic of all links between two samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Time of the later of the two samples between which the traffic is estimated.
    pub at: Time,
    /// Time between the two samples of counters; zero for the first sample.
    pub elapsed: Duration,
    /// Estimates for each link that is in the later of the two samples.
    pub links: Vec<LinkEstimate>,
}

#[derive(Clone, Debug, Default)]
struct DirectionState {
    last: DirectionCounters,
    rates: VecDeque<u64>,
    highest: Option<DataRate>,
}

/// Estimator of traffic, airtime and rates, with its state.
#[derive(Clone, Debug)]
pub struct Estimator {
    polls: usize,
    last: Option<Time>,
    links: BTreeMap<String, [DirectionState; 2]>,
}

impl Estimator {
    /// Makes an estimator whose rates are medians of the last `polls` samples.
    pub fn new(polls: usize) -> Self {
        Self { polls: polls.max(1), last: None, links: BTreeMap::new() }
    }

    /// Processes a sample. A link that is new or was missing in the last sample has no traffic
    /// until the next one.
    pub fn take(&mut self, sample: &Sample) -> Estimate {
        let at = Time::from_nanos(sample.at_ns);
        let elapsed = self.last.map_or(Duration::ZERO, |last| at.saturating_since(last));
        self.last = Some(at);
        self.links.retain(|name, _| sample.links.iter().any(|link| link.name == *name));
        let links = sample.links.iter().map(|link| self.link(link)).collect();
        Estimate { at, elapsed, links }
    }

    fn link(&mut self, link: &LinkCounters) -> LinkEstimate {
        let polls = self.polls;
        let memory = self.links.entry(link.name.clone()).or_insert_with(|| {
            [&link.up, &link.down]
                .map(|way| DirectionState { last: way.clone(), ..DirectionState::default() })
        });
        let [up, down] = memory;
        let [above, below] = [up.moved(&link.up), down.moved(&link.down)];
        LinkEstimate {
            name: link.name.clone(),
            up: up.take(&link.up, &above.like(&below), polls),
            down: down.take(&link.down, &below.like(&above), polls),
        }
    }
}

impl DirectionState {
    /// Traffic in this direction since the last sample, from the counters `now`.
    fn moved(&self, now: &DirectionCounters) -> Attempts {
        let retries = now.retries.map(|now| increase(self.last.retries.unwrap_or(now), now));
        Attempts {
            moved: Bytes::new(increase(self.last.bytes, now.bytes)),
            packets: increase(self.last.packets, now.packets),
            retries,
        }
    }

    fn take(
        &mut self,
        now: &DirectionCounters,
        attempts: &Attempts,
        polls: usize,
    ) -> DirectionEstimate {
        self.rates.extend(now.rate_bps.filter(|rate| *rate > 0));
        while self.rates.len() > polls {
            self.rates.pop_front();
        }
        let rate = median(&self.rates).map(DataRate::from_bps);
        self.highest = self.highest.max(rate);
        let before = std::mem::replace(&mut self.last, now.clone());
        let measured = match (before.airtime_ns, now.airtime_ns) {
            // Drivers without airtime measurement report zero.
            (Some(before), Some(now)) if now > 0 => Some(increase(before, now)),
            _ => None,
        };
        let air = measured.map(Duration::from_nanos);
        let air = air.or_else(|| rate.map(|rate| attempts.air(rate))).unwrap_or_default();
        DirectionEstimate {
            moved: attempts.moved,
            packets: attempts.packets,
            frames: attempts.frames(),
            air,
            is_measured: measured.is_some(),
            rate,
            highest: self.highest,
        }
    }
}

/// Growth of a counter from `before` to `now`. A large step back means that a 32-bit counter has
/// wrapped; a smaller one that the counter has started again from zero.
pub(crate) fn increase(before: u64, now: u64) -> u64 {
    const OVER: u64 = 1 << 32;
    if now >= before {
        now - before
    } else if before < OVER && before - now > OVER / 2 {
        now + OVER - before
    } else {
        now
    }
}

pub(crate) fn sum(one: Duration, other: Duration) -> Duration {
    one.saturating_add(other)
}

/// Lower median of `rates`, which is always one of the values.
fn median(rates: &VecDeque<u64>) -> Option<u64> {
    let mut sorted: Vec<u64> = rates.iter().copied().collect();
    sorted.sort_unstable();
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// Packets and retries in one direction of a link between two samples.
#[derive(Clone, Copy, Debug)]
struct Attempts {
    moved: Bytes,
    packets: u64,
    retries: Option<u64>,
}

impl Attempts {
    /// Fills in retries that are unknown: as many per packet as in the direction `other`, because
    /// both directions contend for the same channel.  Deviates: [D-175]
    fn like(self, other: &Self) -> Self {
        let of_other = other.retries.filter(|_| other.packets > 0).map_or(0, |retries| {
            let retries =
                u128::from(retries) * u128::from(self.packets) / u128::from(other.packets);
            u64::try_from(retries).unwrap_or(u64::MAX)
        });
        Self { retries: self.retries.or(Some(of_other)), ..self }
    }

    fn frames(&self) -> u64 {
        let retries = self.retries.unwrap_or_default();
        if self.packets == 0 { 0 } else { self.packets.saturating_add(retries) }
    }

    /// Estimated airtime of the frames at this rate, without the gaps before them. All frames are
    /// assumed to have the mean length. For 802.11n and later the counters do not show aggregation,
    /// so the result is a lower bound: the time of the octets alone.
    fn air(&self, rate: DataRate) -> Duration {
        if self.packets == 0 {
            return Duration::ZERO;
        }
        let frames = self.frames();
        if TxVector::of(rate, Preamble::Long).is_none() {
            let octets =
                u128::from(self.moved.get()) * u128::from(frames) / u128::from(self.packets);
            return octets_alone(octets, rate);
        }
        let mean = Bytes::new((self.moved.get() / self.packets).min(LONGEST));
        let one = Exchange { access: Duration::ZERO, ..exchange(mean, rate) };
        one.time().saturating_mul(frames)
    }
}

fn octets_alone(octets: u128, rate: DataRate) -> Duration {
    let ns = octets.saturating_mul(8_000_000_000) / u128::from(rate.bps());
    Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

/// Standard and TX vector of a rate; `None` for a rate of 802.11n or a later standard.
fn legacy(rate: DataRate) -> Option<(Standard, TxVector)> {
    let vector = TxVector::of(rate, Preamble::Long)?;
    Some((if vector.is_dsss() { Standard::B } else { Standard::A }, vector))
}

/// Mean time before a frame at this rate among `active` stations: DIFS and an assumed mean
/// back-off, because no counter shows back-offs. Zero for 802.11n and later, where an unknown
/// number of frames in an aggregate share it.  [arf-window eq. 1]  Deviates: [D-174]
pub fn access(rate: DataRate, active: u32) -> Duration {
    let Some((standard, _)) = legacy(rate) else { return Duration::ZERO };
    let timing = standard.timing(false, Preamble::Long);
    timing.difs + timing.slot * u64::from(timing.cw_min) / (u64::from(active) + 1)
}

/// True for a rate of 802.11b, a or g, whose frames have one packet each.
pub fn is_legacy(rate: DataRate) -> bool {
    legacy(rate).is_some()
}

/// Mean idle time before an access to the channel of these links, DIFS and half of the smallest
/// contention window, and the SIFS within an exchange. A link at a DSSS rate slows all down.
pub fn gaps(links: &[LinkEstimate]) -> [Duration; 2] {
    let rates = links.iter().flat_map(|it| [it.up.rate, it.down.rate]).flatten();
    let is_slow = rates.filter_map(legacy).any(|(standard, _)| standard == Standard::B);
    let timing = if is_slow { Standard::B } else { Standard::A }.timing(false, Preamble::Long);
    [timing.difs + timing.slot * u64::from(timing.cw_min) / 2, timing.sifs]
}

/// Frame exchange of an IP packet at this rate. The back-off is half of the smallest contention
/// window.
pub fn exchange(packet: Bytes, rate: DataRate) -> Exchange {
    let access = access(rate, 1);
    let (protection, zero) = ([None; 2], Duration::ZERO);
    let Some((standard, vector)) = legacy(rate) else {
        let data = octets_alone(packet.get().into(), rate);
        return Exchange { access, protection, data, ack: zero, sifs: zero, packets: 1 };
    };
    let data = standard.ppdu_duration(packet + OVERHEAD, vector);
    let sifs = standard.timing(false, Preamble::Long).sifs;
    Exchange { access, protection, data, ack: ack(standard, vector), sifs, packets: 1 }
}

/// Longest MSDU [octets]. A longer mean length can only come from inconsistent counters.
pub const LONGEST: u64 = 2_304;

/// Duration of the ACK for a frame, at the highest mandatory rate that does not exceed the frame's
/// rate.  [80211-2020 §10.6.6.5.2]
fn ack(standard: Standard, of: TxVector) -> Duration {
    let rates: &[DataRate] = if of.is_dsss() { &dsss::RATES } else { &ofdm::MANDATORY_RATES };
    let rate = rates.iter().rfind(|rate| **rate <= of.rate()).unwrap_or(&rates[0]);
    let vector = TxVector::of(*rate, Preamble::Long).expect("a mandatory rate is a rate");
    standard.ppdu_duration(ACK, vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(bytes: u64, packets: u64, mbps: u64) -> DirectionCounters {
        DirectionCounters {
            bytes,
            packets,
            retries: Some(0),
            rate_bps: Some(mbps * 1_000_000),
            ..DirectionCounters::default()
        }
    }

    fn sample(at_ms: u64, up: DirectionCounters) -> Sample {
        let links =
            vec![LinkCounters { name: "it".into(), up, down: DirectionCounters::default() }];
        Sample { at_ns: at_ms * 1_000_000, links, ..Sample::default() }
    }

    /// Ten packets take the airtime of ten frames and their ACKs.
    ///
    /// Verifies: [80211-2020 §10.6.6.5.2]
    #[test]
    fn ten_packets_at_11_mbps_hold_the_air_for_ten_frames_and_acks() {
        let mut estimator = Estimator::new(1);
        estimator.take(&sample(0, way(0, 0, 11)));
        let seen = estimator.take(&sample(100, way(15_000, 10, 11)));
        // (1500 + 36)·8 bits at 11 Mb/s, 1117.1 → 1118 µs, and 192 µs of preamble; SIFS 10 µs;
        // an ACK at 11 Mb/s: 112 bits, 10.2 → 11 µs, and 192 µs. Ten times 1523 µs.
        assert_eq!(seen.links[0].up.air, Duration::from_micros(15_230));
        assert_eq!(seen.elapsed, Duration::from_millis(100));
        assert!(!seen.links[0].up.is_measured);
    }

    /// In 802.11a and g, DIFS 34 µs and half of 15 slots of 9 µs, and a SIFS of 16 µs. One link at a
    /// DSSS rate: DIFS 50 µs and half of 31 slots of 20 µs, and a SIFS of 10 µs.
    ///
    /// Verifies: [80211-2020 §10.3.7]
    #[test]
    fn a_link_at_a_dsss_rate_makes_the_gaps_of_all_longer() {
        let link = |mbps| {
            let rate = Some(DataRate::from_mbps(mbps));
            let up = DirectionEstimate { rate, ..DirectionEstimate::default() };
            LinkEstimate { up, ..LinkEstimate::default() }
        };
        let ns = |links: &[LinkEstimate]| gaps(links).map(Duration::as_nanos);
        assert_eq!(ns(&[link(54), link(866)]), [101_500, 16_000]);
        assert_eq!(ns(&[link(54), link(11)]), [360_000, 10_000]);
        assert_eq!(ns(&[]), [101_500, 16_000]);
    }

    #[test]
    fn retries_hold_the_air_as_well() {
        let mut estimator = Estimator::new(1);
        estimator.take(&sample(0, way(0, 0, 11)));
        let seen = estimator
            .take(&sample(100, DirectionCounters { retries: Some(10), ..way(15_000, 10, 11) }));
        assert_eq!(seen.links[0].up.air, Duration::from_micros(30_460));
    }

    /// Unknown retries are estimated as those of the other direction, in proportion to the packets.
    /// The other direction has half as many retries as packets, so ten packets take 15 frames.
    #[test]
    fn retries_that_are_unknown_are_as_frequent_as_in_the_other_direction() {
        let mut estimator = Estimator::new(1);
        let sample = |at_ms, up: DirectionCounters, retries| {
            let mut it = sample(at_ms, DirectionCounters { retries: None, ..up });
            it.links[0].down =
                DirectionCounters { retries: Some(retries), ..way(400, retries * 2, 11) };
            it
        };
        estimator.take(&sample(0, way(0, 0, 11), 0));
        let seen = estimator.take(&sample(100, way(15_000, 10, 11), 3));
        assert_eq!((seen.links[0].up.frames, seen.links[0].down.frames), (15, 9));
    }

    #[test]
    fn what_the_driver_measures_goes_before_an_estimate_and_zero_is_no_measurement() {
        let mut estimator = Estimator::new(1);
        let measured =
            |bytes, ns| DirectionCounters { airtime_ns: Some(ns), ..way(bytes, bytes / 1_500, 11) };
        estimator.take(&sample(0, measured(0, 0)));
        let silent = estimator.take(&sample(100, measured(15_000, 0)));
        assert!(!silent.links[0].up.is_measured);
        assert!(!silent.links[0].up.air.is_zero());
        let seen = estimator.take(&sample(200, measured(30_000, 7_000)));
        assert_eq!(seen.links[0].up.air, Duration::from_nanos(7_000));
        assert!(seen.links[0].up.is_measured);
    }

    #[test]
    fn a_probe_is_not_a_change_of_rate() {
        let mut estimator = Estimator::new(5);
        let rates = [11, 11, 11, 1, 11, 1, 11, 1, 1, 1];
        let medians = rates.map(|mbps| {
            let seen = estimator.take(&sample(0, way(0, 0, mbps)));
            seen.links[0].up.rate.unwrap().bps() / 1_000_000
        });
        // The median of five is slow when three of them are, first in the ninth sample.
        assert_eq!(medians, [11, 11, 11, 11, 11, 11, 11, 1, 1, 1]);
    }

    #[test]
    fn counters_that_wrap_or_start_anew_never_jump() {
        assert_eq!(increase(5, 8), 3);
        assert_eq!(increase(u64::from(u32::MAX) - 1, 3), 5);
        assert_eq!(increase(1_000_000, 200), 200);
        assert_eq!(increase(u64::MAX, 0), 0);
    }

    #[test]
    fn a_link_that_comes_back_has_moved_nothing_and_forgets_its_highest_rate() {
        let mut estimator = Estimator::new(1);
        estimator.take(&sample(0, way(0, 0, 54)));
        estimator.take(&Sample::default());
        let seen = estimator.take(&sample(200, way(9_000_000, 6_000, 6)));
        assert_eq!(seen.links[0].up.moved, Bytes::ZERO);
        assert_eq!(seen.links[0].up.highest, Some(DataRate::from_mbps(6)));
    }

    /// The estimator forgets stations that have left: of a thousand stations half are replaced with
    /// each sample.
    #[test]
    fn a_thousand_stations_come_and_go() {
        let mut estimator = Estimator::new(5);
        for round in 0..20 {
            let name = |it: usize| if it < 500 { format!("{it}") } else { format!("{it} {round}") };
            let link = |it| LinkCounters {
                name: name(it),
                up: way(round * 1_500, round, 11),
                ..LinkCounters::default()
            };
            let at_ns = round * 100_000_000;
            let links = (0..1_000).map(link).collect();
            let seen = estimator.take(&Sample { at_ns, links, ..Sample::default() });
            let moved = seen.links.iter().filter(|link| !link.up.moved.is_zero()).count();
            assert_eq!(moved, if round == 0 { 0 } else { 500 });
            assert_eq!(estimator.links.len(), 1_000);
        }
    }

    #[test]
    fn counters_that_make_no_sense_are_borne() {
        let mut estimator = Estimator::new(1);
        estimator.take(&sample(0, way(0, 0, 11)));
        let wild = DirectionCounters { retries: Some(u64::MAX), ..way(u64::MAX, 1, 11) };
        let seen = estimator.take(&sample(100, wild));
        assert!(!seen.links[0].up.air.is_zero());
        estimator.take(&sample(50, way(u64::MAX, u64::MAX, 600)));
    }
}
