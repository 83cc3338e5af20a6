//! Airtime weights at an access point: a station with twice the weight gets twice the airtime for
//! downloads, where the driver schedules stations by weight.
//!
//! By default mac80211 gives all stations the same weight. The agent sets configured weights, or
//! weights in proportion to a station's number of active connections.  [linux-atf]  Deviates:
//! [D-199]

use std::collections::BTreeMap;

use airfair_laws::connections::ACTIVE;
use airfair_units::{Duration, Time};

use crate::configuration::AirtimeWeights as Settings;
use crate::connections::{ConnectionTracker, Ends};
use crate::decision::{Decision, Weight};
use crate::estimate::{Estimate, Estimator};
use crate::sample::Sample;

/// Time between two counts of active connections. It limits the number of messages to the driver.
/// [D-199]
const PERIOD: Duration = Duration::from_secs(1);

/// Scheme of airtime weights at an access point, with its state.
#[derive(Clone, Debug)]
pub struct AirtimeWeights {
    settings: Settings,
    estimator: Estimator,
    active: Active,
    /// Weight in the driver and wanted weight of each station at the last sample.
    last: BTreeMap<String, (u16, u16)>,
}

/// Connections with data within the last two seconds.
#[derive(Clone, Debug, Default)]
struct Active {
    tracker: ConnectionTracker,
    /// Station of each connection, and time of the connection's last data.
    seen: BTreeMap<Ends, (String, Time)>,
    counted_at: Option<Time>,
    /// Number of active connections of each station at the last count.
    counts: BTreeMap<String, u32>,
}

impl Active {
    fn take(&mut self, now: Time, sample: &Sample) {
        for it in self.tracker.take(sample) {
            if it.up.packets > 0 || it.down.packets > 0 {
                self.seen.insert(it.ends, (it.station, now));
            }
        }
        self.seen.retain(|_, (_, at)| now.saturating_since(*at) < ACTIVE);
        if self.counted_at.is_some_and(|at| now.saturating_since(at) < PERIOD) {
            return;
        }
        self.counted_at = Some(now);
        self.counts.clear();
        for (station, _) in self.seen.values() {
            *self.counts.entry(station.clone()).or_default() += 1;
        }
    }

    fn count(&self, station: &str) -> u32 {
        self.counts.get(station).copied().unwrap_or_default()
    }
}

impl AirtimeWeights {
    /// Makes the scheme of airtime weights. Displayed rates are medians of the last `polls`
    /// samples.
    pub fn new(settings: Settings, polls: usize) -> Self {
        let (estimator, active) = (Estimator::new(polls), Active::default());
        Self { settings, estimator, active, last: BTreeMap::new() }
    }

    /// Processes a sample. Returns the estimates, and the weights to be set if there are any. A
    /// station that has reconnected has the driver's default again, so its weight is set anew.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        let seen = self.estimator.take(sample);
        self.active.take(seen.at, sample);
        if sample.links.is_empty() {
            let last = std::mem::take(&mut self.last);
            return (seen, (!last.is_empty()).then_some(Decision::Lift));
        }
        let mut weights = Vec::new();
        for (station, has) in &sample.weights {
            let weight = self.settings.weight(station, self.active.count(station));
            // A weight that the driver has refused is not sent again.
            let now = (*has, weight);
            let is_new = self.last.insert(station.clone(), now) != Some(now);
            if weight != *has && is_new {
                weights.push(Weight { station: station.clone(), weight });
            }
        }
        self.last.retain(|station, _| sample.weights.contains_key(station));
        (seen, (!weights.is_empty()).then_some(Decision::Weights(weights)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::parse;
    use crate::sample::{Connection, LinkCounters, Sent};

    fn sample(weights: &[(&str, u16)]) -> Sample {
        let links =
            weights.iter().map(|it| LinkCounters { name: it.0.into(), ..LinkCounters::default() });
        let links = links.collect();
        let weights = weights.iter().map(|it| (it.0.into(), it.1)).collect();
        Sample { links, weights, ..Sample::default() }
    }

    #[test]
    fn stations_have_the_configured_weights_and_no_other_is_changed() {
        let text = "[airtime-weights]\nstations = { \"02:00:00:00:01:00\" = 512 }";
        let settings = parse(text).unwrap().checked().unwrap().airtime_weights;
        let mut law = AirtimeWeights::new(settings, 1);
        let both = |first| sample(&[("02:00:00:00:01:00", first), ("02:00:00:00:02:00", 256)]);
        let wanted = Weight { station: "02:00:00:00:01:00".into(), weight: 512 };
        assert_eq!(law.take(&both(256)).1, Some(Decision::Weights(vec![wanted.clone()])));
        assert_eq!(law.take(&both(512)).1, None);
        assert_eq!(law.take(&both(256)).1, Some(Decision::Weights(vec![wanted])), "it came back");
        assert_eq!(law.take(&Sample::default()).1, Some(Decision::Lift));
        assert_eq!(law.take(&Sample::default()).1, None);
    }

    /// Simulated driver that applies all weights, for two stations with a number of connections
    /// that send one segment per sample.
    struct Driver {
        law: AirtimeWeights,
        weights: BTreeMap<String, u16>,
        at: u64,
        messages: usize,
    }

    const STATIONS: [&str; 2] = ["02:00:00:00:01:00", "02:00:00:00:02:00"];

    impl Driver {
        fn new(text: &str) -> Self {
            let settings = parse(text).unwrap().checked().unwrap().airtime_weights;
            let weights = STATIONS.map(|it| (it.to_owned(), 256)).into();
            Self { law: AirtimeWeights::new(settings, 1), weights, at: 0, messages: 0 }
        }

        /// Runs the scheme for some samples of 100 ms, with these numbers of active connections;
        /// returns the weights of both stations.
        fn run(&mut self, samples: u64, connections: [u16; 2]) -> [u16; 2] {
            for _ in 0..samples {
                self.at += 1;
                let at = self.at;
                let weights: Vec<(&str, u16)> =
                    STATIONS.iter().map(|it| (*it, self.weights[*it])).collect();
                let of = |(station, count): (usize, u16)| {
                    (0..count).map(move |port| connection(station, port, at))
                };
                let connections = connections.into_iter().enumerate().flat_map(of).collect();
                let at_ns = at * 100_000_000;
                let sample = Sample { at_ns, connections, ..sample(&weights) };
                let Some(Decision::Weights(wanted)) = self.law.take(&sample).1 else { continue };
                self.messages += wanted.len();
                self.weights.extend(wanted.into_iter().map(|it| (it.station, it.weight)));
            }
            STATIONS.map(|it| self.weights[it])
        }
    }

    fn connection(station: usize, port: u16, packets: u64) -> Connection {
        let host = u8::try_from(station + 2).unwrap();
        let packets = u32::try_from(packets).unwrap();
        Connection {
            station: STATIONS[station].into(),
            ends: [([10, 0, 0, host], 4_000 + port).into(), ([10, 1, 0, 1], 80).into()],
            up: Sent::default(),
            down: Sent { packets, octets: u64::from(packets) * 1_448, ..Sent::default() },
            own: None,
        }
    }

    /// A station has its weight once for each active connection, at most 4096, and once without
    /// connections. Three connections at 256 have 768, two at 512 have 1024. 17 connections would
    /// have 4352, and get the maximum.
    #[test]
    fn stations_have_a_weight_for_each_active_connection_and_the_normal_one_without() {
        let mut driver = Driver::new("[airtime-weights]\nweights = \"connections\"");
        assert_eq!(driver.run(5, [3, 0]), [256, 256], "counted once in a second");
        assert_eq!(driver.run(7, [3, 0]), [768, 256]);
        assert_eq!(driver.run(20, [3, 1]), [768, 256]);
        assert_eq!(driver.messages, 1);
        assert_eq!(driver.run(20, [17, 2]), [4_096, 512]);
        assert_eq!(driver.messages, 3);
        // Silent connections count for two seconds, and until the next count.
        assert_eq!(driver.run(10, [0, 0]), [4_096, 512]);
        assert_eq!(driver.run(20, [0, 0]), [256, 256]);
        let text = "[airtime-weights]\nweights = \"connections\"\nstations = { \"02:00:00:00:01:00\" = 512 }";
        assert_eq!(Driver::new(text).run(20, [2, 2]), [1_024, 512]);
    }

    #[test]
    fn connections_mean_nothing_where_weights_are_of_stations() {
        let mut driver = Driver::new("");
        assert_eq!(driver.run(30, [5, 2]), [256, 256]);
        assert_eq!(driver.messages, 0);
    }

    #[test]
    fn a_driver_without_weights_gets_none() {
        let mut law = AirtimeWeights::new(Settings::default(), 1);
        let links = vec![LinkCounters { name: "it".into(), ..LinkCounters::default() }];
        assert_eq!(law.take(&Sample { links, ..Sample::default() }).1, None);
    }
}
