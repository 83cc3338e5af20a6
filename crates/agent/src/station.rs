//! ARF-aware TCP at a station: the ratio by which senders are limited, from the estimated rate of
//! the link.
//!
//! The ratio is that of the law [arf-aware-tcp §3]. The window itself is computed in the kernel,
//! with the same law in C (`bpf/law.h`).

use airfair_laws::arf_aware;
use airfair_units::DataRate;

use crate::configuration::{ArfAware, LARGEST_RATIO};
use crate::decision::Decision;
use crate::estimate::{Estimate, Estimator, LinkEstimate};
use crate::sample::Sample;

/// ARF-aware TCP at a station, with its state.
#[derive(Clone, Debug)]
pub struct Station {
    settings: ArfAware,
    estimator: Estimator,
    /// Present ratio k by which windows are divided; 1 for no limit.
    k: u32,
}

impl Station {
    /// Makes a station without a limit. Link rates are medians of the last `polls` samples.
    pub fn new(settings: ArfAware, polls: usize) -> Self {
        Self { settings, estimator: Estimator::new(polls), k: 1 }
    }

    /// Present ratio k by which windows are divided; 1 for no limit.
    pub fn ratio(&self) -> u32 {
        self.k
    }

    /// Processes a sample. Returns the estimates, and the decision if it has changed. If there are
    /// several links, none can be the station's own, and there is no limit.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let k = match &seen.links[..] {
            [link] => self.ratio_of(link),
            _ => 1,
        };
        if k == self.k {
            return (seen, None);
        }
        self.k = k;
        (seen, Some(if k > 1 { Decision::Limit { k } } else { Decision::Lift }))
    }

    fn ratio_of(&self, link: &LinkEstimate) -> u32 {
        let highest: Option<DataRate> = self.settings.highest_rate.or(link.up.highest);
        let (Some(rate), Some(highest)) = (link.up.rate, highest) else { return 1 };
        arf_aware::ratio(highest, rate).min(self.settings.largest_ratio).min(LARGEST_RATIO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{DirectionCounters, LinkCounters};

    fn sample(rates: &[u64]) -> Sample {
        let link = |(index, mbps): (usize, &u64)| LinkCounters {
            name: format!("{index}"),
            up: DirectionCounters {
                rate_bps: Some(mbps * 1_000_000),
                ..DirectionCounters::default()
            },
            down: DirectionCounters::default(),
        };
        Sample { links: rates.iter().enumerate().map(link).collect(), ..Sample::default() }
    }

    fn station(settings: ArfAware) -> Station {
        Station::new(settings, 1)
    }

    /// A link below the highest rate that it has had limits senders to 1/k, with k = ⌈11 / 2⌉ = 6
    /// at 2 Mb/s, and lifts the limit at that rate.
    ///
    /// Verifies: [arf-aware-tcp §3]
    #[test]
    fn a_link_below_the_rate_that_it_had_limits_senders_and_lifts_when_it_comes_back() {
        let mut station = station(ArfAware::default());
        let mut decide = |mbps: u64| station.take(&sample(&[mbps])).1;
        assert_eq!(decide(11), None);
        assert_eq!(decide(2), Some(Decision::Limit { k: 6 }));
        assert_eq!(decide(2), None);
        assert_eq!(decide(1), Some(Decision::Limit { k: 11 }));
        assert_eq!(decide(11), Some(Decision::Lift));
    }

    #[test]
    fn the_highest_rate_can_be_configured_and_the_ratio_is_bounded() {
        let told = ArfAware { highest_rate: Some(DataRate::from_mbps(54)), ..ArfAware::default() };
        assert_eq!(station(told.clone()).take(&sample(&[6])).1, Some(Decision::Limit { k: 9 }));
        let bounded = ArfAware { largest_ratio: 4, ..told };
        assert_eq!(station(bounded).take(&sample(&[6])).1, Some(Decision::Limit { k: 4 }));
        let far =
            ArfAware { highest_rate: Some(DataRate::from_mbps(9_600)), ..ArfAware::default() };
        assert_eq!(station(far).take(&sample(&[1])).1, Some(Decision::Limit { k: 100 }));
    }

    #[test]
    fn a_source_that_fails_lifts_the_limit() {
        let mut station = station(ArfAware::default());
        station.take(&sample(&[11]));
        station.take(&sample(&[1]));
        assert_eq!(station.take(&Sample::default()).1, Some(Decision::Lift));
    }

    #[test]
    fn of_several_links_none_is_the_stations_own() {
        let mut station = station(ArfAware::default());
        station.take(&sample(&[11, 11]));
        assert_eq!(station.take(&sample(&[1, 1])).1, None);
    }
}
