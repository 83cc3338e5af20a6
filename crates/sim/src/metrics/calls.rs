//! Pictures of a video call: its target rate, and freezes.

use std::collections::VecDeque;

use airfair_units::{DataRate, Duration, Time};

use super::measured_time::MeasuredTime;
use crate::outcome::CallOutcome;

/// Number of pictures over which the time of a picture is averaged.  [webrtc-stats freezeCount]
const PICTURES: usize = 30;
/// Number of pictures without which nothing is a freeze.  Deviates: [D-343]
const FEWEST: usize = 5;
/// Time beyond the average for which a picture is shown in a freeze.  [webrtc-stats freezeCount]
const LONGER: Duration = Duration::from_millis(150);

/// Pictures of one direction of a video call.
#[derive(Clone, Debug, Default)]
pub(super) struct PictureAccount {
    /// Target rate, and the time since which it holds; `None` without a control.
    target: Option<(Time, DataRate)>,
    /// Sum over the measured time of target rates and the times for which they held [bit/s · ns].
    weighted: u128,
    /// Time for which there was a target within the measured time.
    held: Duration,
    /// Time at which the last picture was complete.
    last: Option<Time>,
    /// Times from picture to picture, of the last pictures.
    times: VecDeque<Duration>,
    freezes: u64,
    frozen: Duration,
}

impl PictureAccount {
    /// Notes a new target rate.
    pub(super) fn change_target(&mut self, now: Time, rate: DataRate, measured: MeasuredTime) {
        self.hold(now, measured);
        self.target = Some((now, rate));
    }

    /// Adds the time until `now` for which the last target has held.
    fn hold(&mut self, now: Time, measured: MeasuredTime) {
        let Some((since, rate)) = self.target else { return };
        let time = measured.clip(since, now);
        self.weighted += u128::from(rate.bps()) * u128::from(time.as_nanos());
        self.held += time;
    }

    /// Shows a picture that is complete. The one before it was frozen if it was shown for three times the average, and
    /// 150 ms longer, at least.  [webrtc-stats freezeCount]
    pub(super) fn show(&mut self, now: Time) {
        let Some(last) = self.last.replace(now) else { return };
        let (time, count) = (now - last, self.times.len());
        let sum: Duration = self.times.iter().copied().sum();
        // Three times the average is at most `time`: both sides times the number of pictures.
        let of_all = time.saturating_mul(count as u64);
        if count >= FEWEST && of_all >= (sum * 3).max(sum + LONGER * count as u64) {
            self.freezes += 1;
            self.frozen += time;
        }
        self.times.push_back(time);
        if self.times.len() > PICTURES {
            self.times.pop_front();
        }
    }

    /// Results of a call that ends at `stop` or with the measured time.
    pub(super) fn finish(&self, stop: Option<Time>, measured: MeasuredTime) -> CallOutcome {
        let mut whole = Self { times: VecDeque::new(), ..self.clone() };
        whole.hold(stop.unwrap_or(measured.to), measured);
        let Self { weighted, held, freezes, frozen, .. } = whole;
        let mean = weighted.checked_div(u128::from(held.as_nanos())).unwrap_or(0);
        let target = u64::try_from(mean).ok().filter(|it| *it > 0).map(DataRate::from_bps);
        CallOutcome { flow: 0, target, freezes, frozen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn freezes(times: &[u64]) -> (u64, Duration) {
        let mut account = PictureAccount::default();
        for at in times {
            account.show(ms(*at));
        }
        (account.freezes, account.frozen)
    }

    /// Pictures each 40 ms: 190 ms are the average and 150 ms more, and so a freeze; 189 ms are none, and neither are 190 ms
    /// with four times before it.  With pictures each 100 ms three times the average counts: 300 ms.
    ///
    /// Verifies: [webrtc-stats freezeCount]
    #[test]
    fn a_freeze_is_a_picture_that_is_shown_too_long() {
        let even = |count: u64, step: u64| (0..count).map(move |k| step * k).collect::<Vec<_>>();
        let with = |count, step, long: u64| {
            let mut times = even(count, step);
            times.push(times[times.len() - 1] + long);
            freezes(&times)
        };
        assert_eq!(with(6, 40, 190), (1, Duration::from_millis(190)));
        assert_eq!(with(6, 40, 189), (0, Duration::ZERO));
        assert_eq!(with(5, 40, 190), (0, Duration::ZERO));
        assert_eq!(with(40, 100, 300), (1, Duration::from_millis(300)));
        assert_eq!(with(40, 100, 299), (0, Duration::ZERO));
        // The last thirty times count: after thirty of 20 ms, 170 ms are a freeze, whatever came before.
        let mut times = even(10, 100);
        times.extend((1..=30).map(|k| 900 + 20 * k));
        times.push(1_500 + 170);
        assert_eq!(freezes(&times), (1, Duration::from_millis(170)));
    }

    /// 1 Mb/s for 2 s and 2 Mb/s for 1 s, of which the first second is not measured: (1 · 1 + 1 · 2) / 2 = 1.5 Mb/s. The call
    /// stops a second before the end.
    #[test]
    fn the_target_is_averaged_over_the_time_of_the_call() {
        let measured = MeasuredTime { from: ms(1_000), to: ms(4_000) };
        let mut account = PictureAccount::default();
        assert_eq!(account.finish(None, measured).target, None);
        account.change_target(ms(0), DataRate::from_mbps(1), measured);
        account.change_target(ms(2_000), DataRate::from_mbps(2), measured);
        let mean = |stop| account.finish(stop, measured).target.map(DataRate::bps);
        assert_eq!(mean(Some(ms(3_000))), Some(1_500_000));
        assert_eq!(mean(None), Some(1_666_666));
    }
}
