//! Packets that a sender has sent, and the detection of those that are lost.  [RFC9002 §6.1, §A.10]
//!
//! ```text
//!             newer packet acknowledged, and three numbers or 9/8 of a round trip older
//!   in flight ──────────────────────────────────────────────────────────────────────────► lost
//!       └────── acknowledged ──► acknowledged
//! ```

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::packet::{Ack, Data};
use crate::control::delivery::RateSampler;
use crate::stream::ranges::Range;

/// Distance from the largest acknowledged number at which a packet counts as lost, `kPacketThreshold`.
/// [RFC9002 §6.1.1]
const PACKET_THRESHOLD: u64 = 3;

/// A packet that has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SentPacket {
    /// Position in the stream of its data.
    pub(super) offset: u64,
    pub(super) payload: u32,
    /// Length of the UDP payload [octets].
    pub(super) size: u32,
    pub(super) at: Time,
    is_acknowledged: bool,
}

impl SentPacket {
    /// Octets of the stream that the packet carries.
    pub(super) fn range(&self) -> Range {
        Range { start: self.offset, end: self.offset + u64::from(self.payload) }
    }
}

/// A packet that counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostPacket {
    /// Number of the packet.
    pub number: u64,
    /// True if the packet is lost because of its age, false if because of the numbers acknowledged after it.
    pub is_by_time: bool,
    pub(super) packet: SentPacket,
}

/// Result of one run of loss detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Losses {
    /// Time at which further packets count as lost unless they are acknowledged; `None` if there are none.
    pub(super) next: Option<Time>,
    /// True if all packets of a time as long as the given one are lost.  [RFC9002 §7.6]
    pub(super) is_persistent: bool,
}

/// Times of loss detection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    /// Age at which a packet counts as lost.
    pub(super) loss_delay: Duration,
    /// Time over which all packets must be lost for persistent congestion.
    pub(super) persistent: Duration,
    /// Time of the first round-trip sample. Packets sent before it count for no persistent congestion.
    pub(super) first_sample: Option<Time>,
}

/// Packets in flight, and acknowledged ones among them, by number.
#[derive(Clone, Debug)]
pub(super) struct SentPackets {
    packets: VecDeque<SentPacket>,
    /// Number of the first packet in `packets`; all before it are acknowledged or lost.
    first: u64,
    /// One past the largest number acknowledged.
    acknowledged_end: u64,
    /// Length of the UDP payloads in flight, `bytes_in_flight` [octets].
    in_flight: u64,
    /// Transmission of the first one of the packets before `first` that are lost in a row.
    lost_since: Option<Time>,
    /// Delivery rate sampler, of controls with a model of the path.
    pub(super) sampler: Option<Box<RateSampler>>,
}

impl SentPackets {
    /// Creates an empty list, with delivery rate samples if `samples`.
    pub(super) fn new(samples: bool) -> Self {
        Self {
            packets: VecDeque::new(),
            first: 0,
            acknowledged_end: 0,
            in_flight: 0,
            lost_since: None,
            sampler: samples.then(Box::default),
        }
    }

    #[inline]
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Number of the next packet.
    #[inline]
    pub(super) fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// One past the largest number acknowledged.
    #[inline]
    pub(super) fn acknowledged_end(&self) -> u64 {
        self.acknowledged_end
    }

    /// Time at which the last packet was sent, if some packet is in flight.
    pub(super) fn last_sent(&self) -> Option<Time> {
        self.packets.back().map(|last| last.at)
    }

    /// Packets in flight, from the oldest.
    pub(super) fn outstanding(&self) -> impl Iterator<Item = &SentPacket> {
        self.packets.iter().filter(|it| !it.is_acknowledged)
    }

    /// Records a packet that has just been sent.
    pub(super) fn push(&mut self, now: Time, data: &Data) {
        debug_assert!(data.number == self.next(), "numbers are used in turn");
        let size = u32::try_from(data.datagram().get()).expect("a datagram below 64 kB");
        let Data { offset, payload, .. } = *data;
        self.packets.push_back(SentPacket {
            offset,
            payload,
            size,
            at: now,
            is_acknowledged: false,
        });
        self.in_flight += u64::from(size);
        if let Some(sampler) = &mut self.sampler {
            sampler.on_sent(now, self.packets.len() - 1, size.into(), self.in_flight);
        }
    }

    /// Appends to `news` the packets that the frame newly acknowledges, from the oldest. Returns true if the largest
    /// number is among them.
    pub(super) fn acknowledge(&mut self, now: Time, ack: &Ack, news: &mut Vec<SentPacket>) -> bool {
        let mut ranges = [(0, 0); Ack::RANGES];
        let mut count = 0;
        for (slot, range) in ranges.iter_mut().zip(ack.ranges()) {
            if range.1 < self.first {
                break;
            }
            *slot = range;
            count += 1;
        }
        let end = self.next();
        let is_larger = ack.largest >= self.acknowledged_end && ack.largest < end;
        let mut has_largest = false;
        for (start, last) in ranges[..count].iter().rev() {
            for number in (*start).max(self.first)..=(*last).min(end.saturating_sub(1)) {
                if self.acknowledge_one(now, number, news) {
                    has_largest |= number == ack.largest;
                }
            }
        }
        if is_larger {
            self.acknowledged_end = ack.largest + 1;
        }
        has_largest
    }

    /// Acknowledges a packet. Returns true if it was not acknowledged before.
    fn acknowledge_one(&mut self, now: Time, number: u64, news: &mut Vec<SentPacket>) -> bool {
        let index = self.index(number);
        let packet = &mut self.packets[index];
        if std::mem::replace(&mut packet.is_acknowledged, true) {
            return false;
        }
        self.in_flight -= u64::from(packet.size);
        news.push(*packet);
        if let Some(sampler) = &mut self.sampler {
            sampler.on_delivered(now, index, packet.size.into(), number);
        }
        true
    }

    /// Removes the packets that are lost by now and appends them to `lost`, from the oldest.
    pub(super) fn detect(
        &mut self,
        now: Time,
        times: Thresholds,
        lost: &mut Vec<LostPacket>,
    ) -> Losses {
        let mut losses = Losses::default();
        while let Some(&packet) = self.packets.front() {
            if packet.is_acknowledged {
                self.lost_since = None;
                self.pop_front();
                continue;
            }
            if self.first >= self.acknowledged_end {
                break;
            }
            let number = self.first;
            let is_by_time = self.acknowledged_end - 1 < number + PACKET_THRESHOLD;
            if is_by_time && packet.at + times.loss_delay > now {
                losses.next = Some(packet.at + times.loss_delay);
                break;
            }
            losses.is_persistent |= self.note_lost(packet.at, times);
            self.in_flight -= u64::from(packet.size);
            if let Some(sampler) = &mut self.sampler {
                sampler.on_lost(0, packet.size.into());
            }
            self.pop_front();
            lost.push(LostPacket { number, is_by_time, packet });
        }
        losses
    }

    /// Records the loss of a packet sent at `at`, after all that was sent before it is settled. Returns true if the
    /// packets lost in a row span the time of persistent congestion.  [RFC9002 §7.6.2]
    fn note_lost(&mut self, at: Time, times: Thresholds) -> bool {
        if times.first_sample.is_none_or(|first| at <= first) {
            return false;
        }
        let since = *self.lost_since.get_or_insert(at);
        at - since > times.persistent
    }

    /// Begins a new row of lost packets, after persistent congestion.
    pub(super) fn forget_lost(&mut self) {
        self.lost_since = None;
    }

    fn pop_front(&mut self) {
        self.packets.pop_front();
        self.first += 1;
        if let Some(sampler) = &mut self.sampler {
            sampler.pop_front();
        }
    }

    fn index(&self, number: u64) -> usize {
        usize::try_from(number - self.first).expect("a packet of a list in memory")
    }
}
