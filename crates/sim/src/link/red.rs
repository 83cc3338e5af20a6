//! Random early detection (RED).  [red-1993]

use airfair_units::{Bytes, DataRate, Duration, Probability, Time};
use airfair_wlan::Stream;
use rand_core::Rng;

use crate::scenario::Red;

/// Size of the packet whose transmission time is the unit of time in the decay of the average while the queue is idle:
/// `mean_pktsize_` of ns-2.
const TYPICAL_PACKET: Bytes = Bytes::new(500);

/// State of RED for one queue.
#[derive(Clone, Debug)]
pub(super) struct EarlyDetection {
    config: Red,
    /// Exponentially weighted average of the queue's length [packets], `avg`.
    average: f64,
    /// Packets accepted since the last drop; `None` while the average is below `min`.
    count: Option<u32>,
    /// Time at which the queue has become, or becomes, empty.
    idle_from: Time,
    typical_time: Duration,
    stream: Stream,
}

impl EarlyDetection {
    pub(super) fn new(config: Red, rate: DataRate, stream: Stream) -> Self {
        let typical_time = rate.time_to_send(TYPICAL_PACKET);
        Self { config, average: 0.0, count: None, idle_from: Time::ZERO, typical_time, stream }
    }

    /// Sets the rate of the link, by which the average decays while the queue is idle.
    pub(super) fn set_rate(&mut self, rate: DataRate) {
        self.typical_time = rate.time_to_send(TYPICAL_PACKET);
    }

    /// Updates the time at which the queue becomes empty.
    pub(super) fn busy_until(&mut self, departure: Time) {
        self.idle_from = departure;
    }

    /// True if packets are marked instead of dropped. Packets that RED drops with certainty are dropped, as in ns-2.
    /// Deviates: [D-302]
    pub(super) fn marks(&self) -> bool {
        self.config.marks && self.base_probability().is_some_and(|base| base < 1.0)
    }

    /// True if a packet that finds `queued` others in the queue is dropped.  [red-1993 fig. 2]
    pub(super) fn drops(&mut self, now: Time, queued: u32) -> bool {
        self.update_average(now, queued);
        let Some(base) = self.base_probability() else {
            self.count = None;
            return false;
        };
        let count = self.count.map_or(0, |count| count + 1);
        self.count = Some(count);
        let drops = spread(base, count).happens(self.stream.next_u64());
        if drops {
            self.count = Some(0);
        }
        drops
    }

    fn update_average(&mut self, now: Time, queued: u32) {
        let weight = self.config.weight.get();
        if queued == 0 {
            let idle = now.saturating_since(self.idle_from);
            let missed = idle.as_nanos() / self.typical_time.as_nanos().max(1);
            self.average *= power(1.0 - weight, missed);
        }
        self.average += weight * (f64::from(queued) - self.average);
    }

    /// Drop probability `p_b`, which depends on the average alone; `None` below `min`.
    fn base_probability(&self) -> Option<f64> {
        let Red { min, max, max_probability, gentle, .. } = self.config;
        let (min, max, top) = (f64::from(min), f64::from(max), max_probability.get());
        let average = self.average;
        if average < min {
            None
        } else if average < max {
            Some(top * (average - min) / (max - min))
        } else if gentle && average < 2.0 * max {
            Some(top + (1.0 - top) * (average - max) / max)
        } else {
            Some(1.0)
        }
    }
}

/// Drop probability `p_a`, with which the gap between two drops is uniform instead of geometric.
fn spread(base: f64, count: u32) -> Probability {
    let left = 1.0 - f64::from(count) * base;
    let spread = if left > base { base / left } else { 1.0 };
    Probability::new(spread).unwrap_or(Probability::ONE)
}

/// `base` to the power of `exponent`, the same on every platform.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut product = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Streams};

    fn red(weight: f64) -> EarlyDetection {
        let config = Red {
            min: 5,
            max: 15,
            max_probability: Probability::literal(0.1),
            weight: Probability::literal(weight),
            gentle: true,
            marks: false,
        };
        let stream = Streams::new(1, 0).stream("red", Purpose::RedForth);
        EarlyDetection::new(config, DataRate::from_mbps(4), stream)
    }

    /// The drop probability at an average queue between the thresholds, 5 and 15 packets, rises from 0 to `max_p` =
    /// 0.1, and then to 1 at 30 packets. 10 is half-way between 5 and 15, which gives 0.05; 22.5 is half-way between
    /// 15 and 30, which gives the middle of 0.1 and 1.
    #[test]
    fn the_probability_rises_from_min_to_max_and_gently_beyond() {
        let base = |queued| {
            let mut red = red(1.0);
            red.average = queued;
            red.base_probability()
        };
        let near =
            |queued, expected: f64| (base(queued).expect("above min") - expected).abs() < 1e-12;
        assert_eq!(base(4.9), None);
        assert!(near(10.0, 0.05) && near(15.0, 0.1) && near(22.5, 0.55) && near(30.0, 1.0));
    }

    /// With `p_a = p_b / (1 - count p_b)`, and count 1 for the first packet after a drop, every gap of 1 … `1/p_b - 1`
    /// packets between drops is equally likely. The mean gap is 10 at `p_b` = 0.05, where independent drops have 20.
    #[test]
    fn drops_are_spread_evenly() {
        let mut red = red(1.0);
        let packets = 200_000;
        let drops = (0..packets).filter(|_| red.drops(Time::ZERO, 10)).count();
        let gap = f64::from(packets) / f64::from(u32::try_from(drops).expect("few drops"));
        assert!((gap - 10.0).abs() < 0.1, "{gap}");
    }

    /// Each millisecond for which the queue is idle halves the average, because it counts as an empty sample with
    /// weight 0.5: 500 octets take 1 ms at 4 Mb/s.
    #[test]
    fn the_average_decays_while_the_queue_is_idle() {
        let mut red = red(0.5);
        red.average = 8.0;
        red.busy_until(Time::ZERO + Duration::from_millis(1));
        red.update_average(Time::ZERO + Duration::from_millis(4), 0);
        // 8 · 0.5^3 for the idle time, and half again for the empty queue that this packet finds
        assert!((red.average - 0.5).abs() < 1e-12, "{}", red.average);
    }

    #[test]
    fn a_power_is_the_product_that_it_stands_for() {
        assert!((power(0.998, 1_000) - 0.998_f64.powi(1_000)).abs() < 1e-12);
        assert!((power(0.3, 0) - 1.0).abs() < 1e-15);
    }
}
