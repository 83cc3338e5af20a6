//! Parameters of Minstrel-HT.

use airfair_units::Duration;

use super::rates::STAGES;

/// Parameters of Minstrel-HT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Time between two updates of the rates' statistics.
    pub interval: Duration,
    /// Shortest time between two samples.
    pub sample_interval: Duration,
    /// Longest time of one stage of the retry chain, unless the stage has two attempts only.
    pub segment: Duration,
    /// Largest number of attempts of a stage, at least two.
    pub attempts: u8,
    /// Slot time of the back-off, which is included in the time of a stage.
    pub slot: Duration,
    /// Smallest and largest contention window of the back-off that is included in the time of a stage
    /// [slots].
    pub window: [u16; 2],
}

impl Default for Params {
    /// The values of Linux: interval 50 ms, samples every 20 ms, stage 6 ms, 7 attempts; slots of 9 µs,
    /// contention windows of 15 to 1023.
    /// [linux-minstrel-ht §`minstrel_ht_alloc`, §`minstrel_calc_retransmit`]
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(50),
            sample_interval: Duration::from_millis(20),
            segment: Duration::from_millis(6),
            attempts: 7,
            slot: Duration::from_micros(9),
            window: [15, 1023],
        }
    }
}

impl Params {
    /// Largest number of attempts of an aggregate over all stages.
    pub fn longest_chain(&self) -> u16 {
        let stages = u16::try_from(STAGES).expect("four");
        stages * u16::from(self.attempts)
    }
}
