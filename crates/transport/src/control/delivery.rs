//! Delivery rate samples: the rate at which the network delivered data, measured at each ACK.
//!
//! Sources: [draft-delivery-rate §3], [draft-bbr §4.1.2], [linux-rate]. Each segment keeps what was delivered
//! when it was sent. Its acknowledgment gives a sample: the octets delivered since, over the longer one of the
//! time in which they were sent and the time in which they were acknowledged.

use std::collections::VecDeque;

use airfair_laws::bbr::{LostSegment, Sample};
use airfair_units::{Duration, Time};

/// Delivery of the connection when a segment was sent, and the time of its transmission.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    sent_at: Time,
    /// `P.delivered`: octets delivered.
    delivered: u64,
    /// `P.delivered_time`: time of the last delivery.
    delivered_at: Time,
    /// `P.first_send_time`: start of the time in which the octets of a sample were sent.
    first_sent_at: Time,
    /// `P.tx_in_flight`: octets in flight, the segment included.
    in_flight: u64,
    /// `P.lost`: octets marked lost.
    lost: u64,
    is_app_limited: bool,
}

/// Delivery rate sampler of a sender. Its segments are those of RACK, in the same order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateSampler {
    segments: VecDeque<Snapshot>,
    /// `C.delivered`: octets delivered so far.
    delivered: u64,
    /// `C.delivered_time`: time of the last delivery.
    delivered_at: Time,
    /// `C.first_send_time`: time at which the newest delivered segment was sent.
    first_sent_at: Time,
    /// `C.lost`: octets marked lost so far.
    lost: u64,
    /// `C.app_limited`: number of delivered octets until which samples are limited by the application; 0 if they
    /// are not.
    app_limited: u64,
    /// Newest segment that the current ACK delivers, and its end.
    newest: Option<(Snapshot, u64)>,
    /// Segments marked lost since the last call of [`take_lost`](Self::take_lost).
    newly_lost: Vec<LostSegment>,
}

impl RateSampler {
    /// Records the transmission of the segment at `index`, when `in_flight` octets are in flight, of which the
    /// segment has `length`.
    pub(crate) fn on_sent(&mut self, now: Time, index: usize, length: u64, in_flight: u64) {
        if in_flight == length {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        let snapshot = Snapshot {
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            in_flight,
            lost: self.lost,
            is_app_limited: self.app_limited > 0,
        };
        match self.segments.get_mut(index) {
            Some(segment) => *segment = snapshot,
            None => self.segments.push_back(snapshot),
        }
    }

    /// Splits the segment at `index` into two.
    pub(crate) fn split(&mut self, index: usize) {
        let segment = self.segments[index];
        self.segments.insert(index, segment);
    }

    /// Records the delivery of the `length` octets of the segment at `index` that ends at `end`.
    pub(crate) fn on_delivered(&mut self, now: Time, index: usize, length: u64, end: u64) {
        self.delivered += length;
        self.delivered_at = now;
        let segment = self.segments[index];
        let is_newest = self
            .newest
            .is_none_or(|(newest, last)| (segment.sent_at, end) > (newest.sent_at, last));
        if is_newest {
            self.newest = Some((segment, end));
        }
    }

    /// Records the delivery of `length` octets at the start of the first segment.
    pub(crate) fn on_part_delivered(&mut self, length: u64) {
        self.delivered += length;
    }

    pub(crate) fn pop_front(&mut self) {
        self.segments.pop_front();
    }

    pub(crate) fn pop_back(&mut self) {
        self.segments.pop_back();
    }

    /// Records that the segment at `index`, of `size` octets, was marked lost.
    pub(crate) fn on_lost(&mut self, index: usize, size: u64) {
        self.lost += size;
        let segment = self.segments[index];
        self.newly_lost.push(LostSegment {
            size,
            sent_in_flight: segment.in_flight,
            lost: self.lost - segment.lost,
            is_app_limited: segment.is_app_limited,
        });
    }

    /// Sample of the current ACK; `None` if it delivers nothing. A sample over less than the `least` round trip is
    /// not reliable and has the rate 0.  `GenerateRateSample` [draft-bbr §4.1.2.3]
    pub(crate) fn take_sample(&mut self, least: Option<Duration>) -> Option<Sample> {
        if self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let (newest, _) = self.newest.take()?;
        self.first_sent_at = newest.sent_at;
        let sending = newest.sent_at.saturating_since(newest.first_sent_at);
        let acknowledging = self.delivered_at.saturating_since(newest.delivered_at);
        let interval = sending.max(acknowledging);
        let delivered = self.delivered - newest.delivered;
        let is_reliable = !interval.is_zero() && least.is_none_or(|least| interval >= least);
        Some(Sample {
            delivered,
            rate: if is_reliable { octets(delivered) / interval.as_secs_f64() } else { 0.0 },
            delivered_before: newest.delivered,
            is_app_limited: newest.is_app_limited,
            sent_in_flight: newest.in_flight,
            lost: self.lost - newest.lost,
        })
    }

    /// Marks all that is in flight as limited by the application.  `MarkConnectionAppLimited` [draft-bbr §4.1.2.4]
    pub(crate) fn limit_by_application(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// True while samples are limited by the application.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// Octets delivered so far.
    pub(crate) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Takes the segments marked lost since the last call.
    pub(crate) fn take_lost(&mut self) -> Vec<LostSegment> {
        std::mem::take(&mut self.newly_lost)
    }
}

#[expect(clippy::cast_precision_loss, reason = "an interval has far less than 2^53 octets")]
fn octets(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn sample(sampler: &mut RateSampler, ms: u64, end: u64) -> Sample {
        sampler.on_delivered(at(ms), 0, 1_000, end);
        sampler.pop_front();
        sampler.take_sample(None).expect("a delivery")
    }

    /// The interval is the longer one of the times of sending and of acknowledging.
    ///
    /// Verifies: [draft-bbr §4.1.2.3], [linux-rate]
    #[test]
    fn a_sample_takes_the_slower_one_of_sending_and_acknowledging() {
        let mut sampler = RateSampler::default();
        for (index, ms) in [(0, 0), (1, 10), (2, 20)] {
            sampler.on_sent(at(ms), index, 1_000, 1_000 * (index as u64 + 1));
        }
        // The first segment: from 0 on nothing was delivered, and it arrives at 100: 1000 octets in 100 ms.
        let first = sample(&mut sampler, 100, 1_000);
        assert_eq!((first.delivered, first.rate, first.sent_in_flight), (1_000, 10_000.0, 1_000));
        // ACKs are compressed: 2 at 101, sent 10 ms after 1; 2000 octets in 101 ms since the start.
        let second = sample(&mut sampler, 101, 2_000);
        assert_eq!((second.delivered, second.rate), (2_000, 2_000.0 / 0.101));
        // Sent at 110 with 1 delivered at 101: delivered at 130 together with segment 3.
        sampler.on_sent(at(110), 1, 1_000, 2_000);
        sampler.on_delivered(at(130), 0, 1_000, 3_000);
        sampler.on_delivered(at(130), 1, 1_000, 4_000);
        let last = sampler.take_sample(None).expect("a delivery");
        // Delivered since the transmission: 2000 octets. Sending took 110 − 10 = 100 ms, ACKs 130 − 101 = 29.
        assert_eq!((last.delivered, last.rate), (2_000, 20_000.0));
        assert!(sampler.take_sample(None).is_none());
    }

    /// A sample over less than the smallest round trip has no rate, and data sent while the application limited
    /// the sender marks its samples until it is delivered.
    ///
    /// Verifies: [draft-bbr §4.1.2.3], [draft-bbr §4.1.2.4]
    #[test]
    fn short_and_limited_samples_are_marked() {
        let mut sampler = RateSampler::default();
        sampler.on_sent(at(0), 0, 1_000, 1_000);
        sampler.limit_by_application(1_000);
        sampler.on_sent(at(1), 1, 1_000, 2_000);
        sampler.on_delivered(at(20), 0, 1_000, 1_000);
        let first = sampler.take_sample(Some(Duration::from_millis(21))).expect("a delivery");
        assert!(first.rate == 0.0 && !first.is_app_limited && sampler.is_app_limited());
        sampler.on_delivered(at(21), 1, 1_000, 2_000);
        let second = sampler.take_sample(Some(Duration::from_millis(20))).expect("a delivery");
        assert!(second.rate > 0.0 && second.is_app_limited && !sampler.is_app_limited());
    }

    /// A lost segment reports the octets in flight when it was sent, and those lost since.
    ///
    /// Verifies: [draft-bbr §5.5.10.2]
    #[test]
    fn a_lost_segment_has_the_losses_since_its_transmission() {
        let mut sampler = RateSampler::default();
        for index in 0..3 {
            sampler.on_sent(at(0), index, 1_000, 1_000 * (index as u64 + 1));
        }
        sampler.on_lost(0, 1_000);
        sampler.on_lost(2, 1_000);
        let lost = sampler.take_lost();
        let seen: Vec<_> = lost.iter().map(|it| (it.sent_in_flight, it.lost)).collect();
        assert_eq!(seen, [(1_000, 1_000), (3_000, 2_000)]);
        assert!(sampler.take_lost().is_empty());
    }
}
