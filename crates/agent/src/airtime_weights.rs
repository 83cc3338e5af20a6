//! Airtime weights at an access point: a station of twice the weight has twice the air of downloads, where the driver shares it
//! out by weights.
//!
//! mac80211 gives all stations the same unless it is told otherwise; what it is told here is the configuration's.  [linux-atf]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::configuration::AirtimeWeights as Settings;
use crate::decision::Decision;
use crate::estimate::{Estimator, Seen};
use crate::sample::Sample;

/// Weight that a station is to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// Address of the station on the air.
    pub station: String,
    /// The weight; 256 is the driver's own.
    pub weight: u16,
}

/// Memory from sample to sample.
#[derive(Clone, Debug)]
pub struct AirtimeWeights {
    settings: Settings,
    estimator: Estimator,
    /// Weights at the last sample.
    last: BTreeMap<String, u16>,
}

impl AirtimeWeights {
    /// One with such settings; rates are medians of so many.
    pub fn new(settings: Settings, polls: usize) -> Self {
        Self { settings, estimator: Estimator::new(polls), last: BTreeMap::new() }
    }

    /// Takes in a sample: what was seen, and weights that are not yet as they are to be. A station that comes back has the
    /// driver's own weight again.
    pub fn take(&mut self, sample: &Sample) -> (Seen, Option<Decision>) {
        let seen = self.estimator.take(sample);
        if sample.links.is_empty() {
            let last = std::mem::take(&mut self.last);
            return (seen, (!last.is_empty()).then_some(Decision::Lift));
        }
        let mut weights = Vec::new();
        for (station, has) in &sample.weights {
            let weight = self.settings.weight(station);
            // A driver that has refused it once is not asked each time.
            let is_new = self.last.insert(station.clone(), *has) != Some(*has);
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
    use crate::sample::Link;

    fn sample(weights: &[(&str, u16)]) -> Sample {
        let links = weights.iter().map(|it| Link { name: it.0.into(), ..Link::default() });
        let links = links.collect();
        let weights = weights.iter().map(|it| (it.0.into(), it.1)).collect();
        Sample { links, weights, ..Sample::default() }
    }

    #[test]
    fn stations_have_the_weights_that_are_written_and_nobody_elses_is_touched() {
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

    #[test]
    fn a_driver_without_weights_is_told_nothing() {
        let mut law = AirtimeWeights::new(Settings::default(), 1);
        let links = vec![Link { name: "it".into(), ..Link::default() }];
        assert_eq!(law.take(&Sample { links, ..Sample::default() }).1, None);
    }
}
