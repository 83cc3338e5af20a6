//! Totals of each station since the start of the agent: airtime, octets, packets and retries.
//!
//! The kernel's counters start again when a station comes back. Totals only grow, so that sums over
//! weeks are right.

use std::collections::{BTreeMap, BTreeSet};

use airfair_units::{DataRate, Duration, Time};
use serde::{Deserialize, Serialize};

use crate::estimate::{DirectionEstimate, Estimate, LinkEstimate, increase};
use crate::sample::{DirectionCounters, LinkCounters, Sample};

/// Most stations that have totals. Their totals, about 440 octets each in the status document, fit
/// into the smallest buffer that Linux gives a Unix socket by default, 212992 octets.
const MOST: usize = 256;
/// Time for which a station that has left keeps its totals: longer than the intervals at which
/// monitoring systems read them, so that the last totals are read.
const KEPT: Duration = Duration::from_secs(600);

/// Totals of a station.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StationTotals {
    /// Name of the station's link.
    pub station: String,
    /// True while the station is in the network.
    pub is_present: bool,
    /// Totals from the station to the access point.
    pub up: DirectionTotals,
    /// Totals from the access point to the station.
    pub down: DirectionTotals,
}

/// Totals in one direction of a station's link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectionTotals {
    /// Airtime of the frames, measured or estimated [s].
    pub airtime_s: f64,
    /// True if the driver measures the airtime; false if the agent estimates it.
    pub is_measured: bool,
    /// Octets of the packets that were delivered.
    pub octets: u64,
    /// Number of packets that were delivered.
    pub packets: u64,
    /// Retransmissions, where the source counts them.
    pub retries: Option<u64>,
    /// Median of the latest rates; `None` if no rate is known [bit/s].
    pub rate_bps: Option<u64>,
}

/// Station with its totals, and with the counters that the next increase of the retries needs.
#[derive(Clone, Debug)]
struct Counted {
    totals: StationTotals,
    seen: Time,
    /// Retries in the last sample, up and down; `None` if the station was not in it.
    last: Option<[Option<u64>; 2]>,
}

/// Sums up samples to totals of stations.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    stations: BTreeMap<String, Counted>,
}

impl Totals {
    /// Adds a sample and the estimates that a law made of it.
    pub fn add(&mut self, sample: &Sample, seen: &Estimate) {
        let now = Time::from_nanos(sample.at_ns);
        self.forget(now, sample);
        for link in &seen.links {
            if let Some(it) = self.entry(&link.name, now) {
                it.add_estimate(link, now);
            }
        }
        for link in &sample.links {
            if let Some(it) = self.stations.get_mut(&link.name) {
                it.add_retries(link);
            }
        }
    }

    /// Totals of all stations, by name.
    pub fn stations(&self) -> Vec<StationTotals> {
        self.stations.values().map(|it| it.totals.clone()).collect()
    }

    /// Notes which stations have left, and forgets those that left long ago.
    fn forget(&mut self, now: Time, sample: &Sample) {
        let present: BTreeSet<&str> = sample.links.iter().map(|it| &*it.name).collect();
        self.stations.retain(|name, it| {
            if !present.contains(name.as_str()) {
                (it.totals.is_present, it.last) = (false, None);
            }
            it.totals.is_present || now.saturating_since(it.seen) < KEPT
        });
    }

    /// Entry of a station, which takes the place of the one that left first if there is no room;
    /// `None` if all stations with totals are present.
    fn entry(&mut self, name: &str, now: Time) -> Option<&mut Counted> {
        if !self.stations.contains_key(name) {
            if self.stations.len() >= MOST {
                let gone = self.stations.values().filter(|it| !it.totals.is_present);
                let first = gone.min_by_key(|it| it.seen)?.totals.station.clone();
                self.stations.remove(&first);
            }
            let totals = StationTotals { station: name.to_owned(), ..StationTotals::default() };
            self.stations.insert(name.to_owned(), Counted { totals, seen: now, last: None });
        }
        self.stations.get_mut(name)
    }
}

impl Counted {
    fn add_estimate(&mut self, link: &LinkEstimate, now: Time) {
        self.seen = now;
        self.totals.is_present = true;
        self.totals.up.add(&link.up);
        self.totals.down.add(&link.down);
    }

    fn add_retries(&mut self, link: &LinkCounters) {
        let now = [&link.up, &link.down].map(|it: &DirectionCounters| it.retries);
        let before = self.last.replace(now).unwrap_or(now);
        let ways = [&mut self.totals.up, &mut self.totals.down];
        for ((way, before), now) in ways.into_iter().zip(before).zip(now) {
            let Some(now) = now else { continue };
            let grown = increase(before.unwrap_or(now), now);
            way.retries = Some(way.retries.unwrap_or(0).saturating_add(grown));
        }
    }
}

impl DirectionTotals {
    fn add(&mut self, seen: &DirectionEstimate) {
        self.airtime_s += seen.air.as_secs_f64();
        self.is_measured = seen.is_measured;
        self.octets = self.octets.saturating_add(seen.moved.get());
        self.packets = self.packets.saturating_add(seen.packets);
        self.rate_bps = seen.rate.map(DataRate::bps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimator;

    /// Sample at `at` [s] with a link that has sent `packets` packets of 1000 octets, with one
    /// retry and 2 ms of airtime each.
    fn sample(at: u64, name: &str, packets: u64) -> Sample {
        let up = DirectionCounters {
            bytes: packets * 1_000,
            packets,
            retries: Some(packets),
            airtime_ns: Some(packets * 2_000_000),
            rate_bps: Some(11_000_000),
            expected_bps: None,
        };
        let link = LinkCounters { name: name.into(), up, down: DirectionCounters::default() };
        Sample { at_ns: at * 1_000_000_000, links: vec![link], ..Sample::default() }
    }

    fn totals(samples: &[Sample]) -> Vec<StationTotals> {
        let (mut totals, mut estimator) = (Totals::default(), Estimator::new(1));
        for it in samples {
            totals.add(it, &estimator.take(it));
        }
        totals.stations()
    }

    /// Counters of 10, 15 and, after the station has left and come back, 3 and 4 packets: the
    /// totals have the increases 5 and 1, of 6 packets, 6 retries and 12 ms.
    #[test]
    fn totals_go_on_when_a_station_comes_back() {
        let away = Sample { at_ns: 3_000_000_000, ..Sample::default() };
        let it = |at, packets| sample(at, "it", packets);
        let samples = [it(1, 10), it(2, 15), away, it(4, 3), it(5, 4)];
        let [station] = &totals(&samples)[..] else { panic!("one station") };
        assert!(station.is_present);
        let DirectionTotals { airtime_s, is_measured, octets, packets, retries, rate_bps } =
            station.up;
        assert!((airtime_s - 0.012).abs() < 1e-12 && is_measured, "{airtime_s}");
        assert_eq!((octets, packets, retries), (6_000, 6, Some(6)));
        assert_eq!(rate_bps, Some(11_000_000));
        assert_eq!(station.down.retries, None, "a receiver counts no retries");
    }

    #[test]
    fn a_station_that_left_is_kept_for_ten_minutes() {
        let of = |at| totals(&[sample(1, "it", 1), Sample { at_ns: at, ..Sample::default() }]);
        let kept = of(600_999_999_999);
        assert!(!kept[0].is_present);
        assert!(of(601_000_000_000).is_empty());
    }

    #[test]
    fn the_number_of_stations_is_bounded() {
        let crowd = |first: u64, count: u64| {
            let links = (first..first + count).flat_map(|it| sample(0, &it.to_string(), 1).links);
            Sample { at_ns: first, links: links.collect(), ..Sample::default() }
        };
        assert_eq!(totals(&[crowd(0, 300)]).len(), MOST);
        // A station that is present has the place of one that left.
        let after = totals(&[crowd(0, 300), crowd(1_000, 1)]);
        assert_eq!(after.len(), MOST);
        assert!(after.iter().any(|it| it.station == "1000" && it.is_present));
    }
}
