//! Part of a run that results count.

use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::phy::Rate;

/// Measured time of a run: from the end of the warm-up to the end of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeasuredTime {
    pub(super) from: Time,
    pub(super) to: Time,
}

impl MeasuredTime {
    /// True if `now` lies in the measured time.
    pub(super) fn contains(&self, now: Time) -> bool {
        self.from <= now && now < self.to
    }

    /// Duration of the part of an interval that lies in the measured time.
    pub(super) fn clip(&self, from: Time, to: Time) -> Duration {
        to.min(self.to).saturating_since(from.max(self.from))
    }

    /// Mean rate of a schedule over the measured time.
    pub(super) fn mean_of(self, schedule: &[(Time, Rate)]) -> DataRate {
        let ends = schedule[1..].iter().map(|(at, _)| *at).chain([self.to]);
        let weighted = schedule.iter().zip(ends).map(|((from, rate), to)| {
            u128::from(rate.data_rate().bps()) * u128::from(self.clip(*from, to).as_nanos())
        });
        let mean = weighted.sum::<u128>() / u128::from((self.to - self.from).as_nanos());
        DataRate::from_bps(u64::try_from(mean).expect("a mean of rates"))
    }
}
