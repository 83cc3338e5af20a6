//! Minstrel's state of a link: statistics of its rates, and the retry chain of the current frame.

use airfair_units::{Duration, Time};

use super::params::Params;
use super::statistics::{Choice, RateStatistics, place};

/// Largest number of rates of a link that Minstrel supports.
pub const MAX_RATES: usize = 12;

/// Number of stages of Minstrel's retry chain.
const STAGES: usize = 4;

/// Fewest attempts of a stage of Minstrel's retry chain.
const FEWEST: u8 = 2;
/// Most attempts of a stage of Minstrel's retry chain.
const MOST: u8 = 7;

/// A stage of Minstrel's retry chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) level: u8,
    pub(super) attempts: u8,
}

/// State of Minstrel for one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub(super) rates: [RateStatistics; MAX_RATES],
    /// Number of rates of the link.
    pub(super) count: u8,
    pub(super) choice: Choice,
    pub(super) chain: [Stage; STAGES],
    /// Stage of the retry chain to which the current attempt belongs.
    pub(super) stage: u8,
    /// Number of attempts left in the current stage after the current attempt.
    pub(super) left: u8,
    pub(super) frames: u32,
    pub(super) samples: u32,
    /// Bit k is set if rate k was not sampled yet in the current round of samples.
    pub(super) waiting: u16,
    /// Time of the last update of the statistics; `None` before the first frame.
    pub(super) updated: Option<Time>,
}

impl State {
    /// Creates the state of Minstrel for a link.
    ///
    /// `times` are the durations of a frame of 1200 octets with its ACK and gaps at each rate, in ascending
    /// order of rates.
    ///
    /// # Panics
    ///
    /// Panics if there is no rate, if there are more than [`MAX_RATES`], or if a duration is zero.
    pub fn new(params: &Params, times: &[Duration]) -> Self {
        assert!((1..=MAX_RATES).contains(&times.len()), "one to {MAX_RATES} rates");
        assert!(times.iter().all(|time| !time.is_zero()), "a frame takes time");
        let rates = [RateStatistics::default(); MAX_RATES];
        let attempts = attempts(params, times[0], rates[0]);
        Self {
            rates,
            count: place(times.len()),
            choice: Choice::default(),
            chain: [Stage { level: 0, attempts }; STAGES],
            stage: 0,
            left: attempts - 1,
            frames: 0,
            samples: 0,
            waiting: 0,
            updated: None,
        }
    }

    /// Index of the rate of the current attempt in the ascending list of rates.
    pub fn level(&self) -> u16 {
        u16::from(self.chain[usize::from(self.stage)].level)
    }

    /// True if the current attempt is the last one of the frame's retry chain.
    pub fn is_last_attempt(&self) -> bool {
        self.left == 0 && usize::from(self.stage) + 1 == STAGES
    }
}

/// Attempts of a stage: as many as fit into its time, or few if the outcome is nearly certain.
pub(super) fn attempts(params: &Params, time: Duration, rate: RateStatistics) -> u8 {
    if rate.samples_left.is_some() {
        return FEWEST;
    }
    let fitting = params.segment.whole_steps(time).clamp(FEWEST.into(), MOST.into());
    u8::try_from(fitting).expect("seven at most")
}
