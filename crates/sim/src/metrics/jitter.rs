//! Interarrival jitter of a flow's packets.  [RFC3550 §6.4.1]

use airfair_units::Duration;

/// Jitter J, which moves by a sixteenth of the difference between the delays of two consecutive packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jitter {
    last_delay: Option<Duration>,
    /// 16 times the jitter J, which is an integer without rounding loss.  [RFC3550 §A.8]
    sixteenfold: u64,
    /// Sum over the packets but the first of 16 times the jitter J after each.
    sum: u128,
    count: u64,
}

impl Jitter {
    /// Adds a packet's one-way delay.
    pub(super) fn add(&mut self, delay: Duration) {
        if let Some(last) = self.last_delay {
            let difference = delay.as_nanos().abs_diff(last.as_nanos());
            self.sixteenfold = self.sixteenfold + difference - ((self.sixteenfold + 8) >> 4);
            self.sum += u128::from(self.sixteenfold);
            self.count += 1;
        }
        self.last_delay = Some(delay);
    }

    /// Mean of the jitter J over all packets. The last value alone would reflect only a few packets.
    pub(super) fn mean(&self) -> Option<Duration> {
        let mean = (self.sum / 16).checked_div(u128::from(self.count))?;
        Some(Duration::from_nanos(u64::try_from(mean).expect("no more than the longest delay")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(delays_us: &[u64]) -> Option<u64> {
        let mut jitter = Jitter::default();
        for us in delays_us {
            jitter.add(Duration::from_micros(*us));
        }
        jitter.mean().map(Duration::as_nanos)
    }

    /// The jitter is the mean of J after each packet but the first. Delays of 5, 21 and 21 ms differ by 16 ms, then 0.
    /// J is 16/16 = 1 ms, then 1 − 1/16 = 0.9375 ms; the mean of both is 0.96875 ms.
    ///
    /// Verifies: [RFC3550 §6.4.1]
    #[test]
    fn jitter_follows_the_differences_of_the_delays() {
        assert_eq!(mean_of(&[5_000, 21_000, 21_000]), Some(968_750));
    }

    #[test]
    fn the_jitter_of_a_constant_delay_is_zero_and_of_one_packet_unknown() {
        assert_eq!(mean_of(&[7_000; 9]), Some(0));
        assert_eq!(mean_of(&[7_000]), None);
    }
}
