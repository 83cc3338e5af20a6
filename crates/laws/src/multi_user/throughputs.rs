//! Average throughputs of stations, for proportional fairness.

use airfair_units::Duration;

use super::observation::{Candidate, Served};
use super::params::Params;

/// Weight of new data above which all weights are divided by it.
const HEAVY: f64 = 1e30;

/// Exponential averages of the throughputs of all stations.  [tse-2005 §6.7.1]
///
/// After a time t, older data have e^(-t/window) of their weight. Instead the weight of new data grows by
/// e^(t/window), so that a PPDU changes only the stations that it serves. The source counts slots of one length;
/// here the time t is that of all PPDUs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Throughputs {
    /// Weight of data that are delivered now.
    weight: f64,
    /// Sum of each station's delivered data, with their weights [bit].
    delivered: Vec<f64>,
}

impl Throughputs {
    pub(super) fn new(stations: u16) -> Self {
        Self { weight: 1.0, delivered: vec![0.0; stations.into()] }
    }

    /// Average throughput of a station [bit/s].
    pub(super) fn of(&self, params: &Params, station: u16) -> f64 {
        self.delivered[usize::from(station)] / self.weight / params.window.as_secs_f64()
    }

    /// Rank of a candidate: the lower, the higher its rate in relation to its average throughput.
    pub(super) fn rank(&self, candidate: &Candidate) -> u64 {
        #[expect(clippy::cast_precision_loss, reason = "rates below 9 Pb/s are exact")]
        let rate = candidate.rate.bps() as f64;
        // A station without data has an infinite ratio. The bits of positive numbers have the numbers' order.
        !(rate / self.delivered[usize::from(candidate.station)]).to_bits()
    }

    pub(super) fn settle(&mut self, params: &Params, duration: Duration, served: &[Served]) {
        self.weight *= libm::exp(duration.as_secs_f64() / params.window.as_secs_f64());
        assert!(self.weight.is_finite(), "a window that is far shorter than a PPDU");
        for it in served {
            #[expect(clippy::cast_precision_loss, reason = "a PPDU has less than 2^53 bits")]
            let bits = it.octets.bits() as f64;
            self.delivered[usize::from(it.station)] += bits * self.weight;
        }
        if self.weight > HEAVY {
            self.weight /= HEAVY;
            self.delivered.iter_mut().for_each(|it| *it /= HEAVY);
        }
    }
}
