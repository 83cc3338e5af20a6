//! Minstrel-HT's retry chain of an aggregate.

use airfair_units::Duration;

use super::State;
use super::params::Params;
use super::rates::{Choice, Stage};
use super::statistics::{USEFUL, percent};

/// Number of attempts of a stage whose rate seldom succeeds.
const FEW: u8 = 2;

impl State {
    /// Computes the retry chain of aggregates that are no samples.
    /// [linux-minstrel-ht §`minstrel_ht_update_rates`]
    pub(super) fn plan(&mut self, params: &Params) {
        let Choice { best: [best, second, third], probable } = self.choice;
        self.ordinary = [best, second, third, probable]
            .map(|level| Stage { level, attempts: self.attempts(params, level) });
    }

    /// Starts the retry chain of an aggregate at its first attempt.
    /// [linux-minstrel-ht §`minstrel_ht_get_rate`]
    pub(super) fn start_chain(&mut self, sample: Option<u16>) {
        self.chain = self.ordinary;
        if let Some(level) = sample {
            self.chain[0] = Stage { level, attempts: 1 };
        }
        self.has_sample = sample.is_some();
        (self.stage, self.left) = (0, self.chain[0].attempts - 1);
        self.is_fresh = true;
    }

    /// Advances to the next attempt of an aggregate. After the end of the chain the last rate stays.
    pub(super) fn continue_chain(&mut self) {
        if self.left > 0 {
            self.left -= 1;
        } else if let Some(stage) = self.chain.get(usize::from(self.stage) + 1) {
            (self.stage, self.left) = (self.stage + 1, stage.attempts - 1);
        }
    }

    /// Attempts of a stage: as many as fit into the time of a stage, back-off included, but at least two. A
    /// rate that seldom succeeds has two.
    /// [linux-minstrel-ht §`minstrel_calc_retransmit`, §`minstrel_ht_set_rate`]
    fn attempts(&self, params: &Params, level: u16) -> u8 {
        if self.statistics(level).probability < SELDOM {
            return FEW;
        }
        let aggregate = self.overhead + self.rate(level).time * self.lengths.mean();
        let [mut window, largest] = params.window;
        let mut time = Duration::ZERO;
        for attempts in 0..params.attempts {
            time += params.slot * u64::from(window) / 2 + aggregate;
            if time >= params.segment {
                return attempts.max(FEW);
            }
            window = (2 * window + 1).min(largest);
        }
        params.attempts
    }
}

/// 20 %: success probability below which a stage has few attempts.
const SELDOM: u32 = percent(20);
const _: () = assert!(SELDOM > USEFUL, "a useless rate has the fewest attempts too");
