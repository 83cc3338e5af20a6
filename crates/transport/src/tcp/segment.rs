//! TCP segments that travel between the endpoints.

use std::num::NonZeroU32;

use airfair_units::{Bytes, Duration, Time};

use crate::ecn::Ecn;

/// Sequence number of the first octet of data; the SYN is number 0.
pub(crate) const FIRST_OCTET: u64 = 1;

/// Length of the IPv4 header without options [octets].  [RFC791 §3.1]
const IP_HEADER: u64 = 20;
/// Length of the TCP header without options [octets].  [RFC9293 §3.1]
const TCP_HEADER: u64 = 20;

/// Length of the headers of IP and TCP together, without options [octets].
pub(crate) const HEADERS: u64 = IP_HEADER + TCP_HEADER;
/// Length of the timestamps option with its padding [octets].  [RFC7323 §3.2]
pub(crate) const TIMESTAMPS_OPTION: u16 = 12;

/// Control bits of a TCP segment [RFC9293 §3.1], and the ECN field of its IP header [RFC3168 §5].
///
/// Both are in one word, and a segment's length of options has as many bits, because a further field or a gap would cost
/// instructions wherever a packet is copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

/// Place of the ECN field above the control bits.
const ECN_SHIFT: u32 = 8;

impl Flags {
    /// No control bit is set.
    pub const NONE: Self = Self(0);
    /// Control bit FIN: no more data follows from the sender of the segment.
    pub const FIN: Self = Self(1);
    /// Control bit SYN: synchronise sequence numbers; set in the first segment of each direction.
    pub const SYN: Self = Self(2);
    /// Push: no more data may follow soon, so the receiver does not delay its ACK.  [RFC9293 §3.9.1.2],
    /// [linux-push]
    pub const PSH: Self = Self(8);
    /// Control bit ACK: the acknowledgment field is valid, as in all segments but the first SYN.
    pub const ACK: Self = Self(16);
    /// ECN-Echo: a marked segment has arrived. In a SYN: the host takes part in ECN.  [RFC3168 §6.1]
    pub const ECE: Self = Self(64);
    /// Congestion window reduced: the sender has answered an ECN-Echo.  [RFC3168 §6.1.2]
    pub const CWR: Self = Self(128);
    /// Accurate ECN: third bit of the ACE field, beside CWR and ECE. It is the lowest bit of the octet before the other
    /// control bits.  [RFC9768 §3.2.2]
    pub const AE: Self = Self(1 << 10);
    /// Control bits of the answer to a SYN.
    pub const SYN_ACK: Self = Self::SYN.and(Self::ACK);
    /// Control bits of the last segment of the data sender.
    pub const FIN_ACK: Self = Self::FIN.and(Self::ACK);
    /// Control bits by which the ends agree on ECN in a SYN, and notify each other later.
    pub const ECN: Self = Self::ECE.and(Self::CWR);
    /// The ACE field with all bits set, as in a SYN that asks for accurate ECN.  [RFC9768 §3.1.1]
    pub const ACE: Self = Self::ECN.and(Self::AE);

    /// Returns the union of two sets of control bits.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the control bits without those of `other`.
    #[must_use]
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// True if all control bits of `other` are set.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The control bits as in the TCP header.
    pub const fn bits(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    /// ECN field of the IP header.
    #[inline]
    pub const fn ecn(self) -> Ecn {
        Ecn::of_bits(self.0.to_le_bytes()[1])
    }

    /// Returns the same control bits with this ECN field of the IP header.
    #[must_use]
    pub fn with_ecn(self, ecn: Ecn) -> Self {
        Self((self.0 & !(3 << ECN_SHIFT)) | u16::from(ecn.bits()) << ECN_SHIFT)
    }

    /// The ACE field: AE, CWR and ECE as a number.  [RFC9768 §3.2.2]
    pub fn ace(self) -> u8 {
        let value = |bit, value| if self.has(bit) { value } else { 0 };
        value(Self::AE, 4) + value(Self::CWR, 2) + value(Self::ECE, 1)
    }

    /// Returns the control bits with this ACE field. Further bits of `ace` are ignored.
    #[must_use]
    pub fn with_ace(self, ace: u8) -> Self {
        let bit = |bit, value| if ace & value != 0 { bit } else { Self::NONE };
        let set = bit(Self::AE, 4).and(bit(Self::CWR, 2)).and(bit(Self::ECE, 1));
        self.without(Self::ACE).and(set)
    }
}

/// Values of the timestamps option.  [RFC7323 §3.2]
///
/// The clock ticks in microseconds and wraps after 71 minutes; differences are computed modulo 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// `TSval`: the sender's clock. Never zero, so that the optional struct fits eight octets.
    pub value: NonZeroU32,
    /// `TSecr`: the last value received from the other end; 0 before the first.
    pub echo: u32,
}

impl Timestamps {
    /// Value of the timestamp clock at `now`.
    #[expect(clippy::cast_possible_truncation, reason = "the clock wraps")]
    pub(crate) fn clock(now: Time) -> NonZeroU32 {
        let ticks = (now.as_nanos() / 1_000 + 1) as u32;
        NonZeroU32::new(ticks).unwrap_or(NonZeroU32::MIN)
    }

    /// True if tick `earlier` is before `later` on the wrapping timestamp clock.  [RFC7323 §5.2]
    pub(crate) fn is_before(earlier: u32, later: u32) -> bool {
        earlier.wrapping_sub(later).cast_signed() < 0
    }

    /// Time since this end sent the value that the other end echoes; `None` without an echo.
    pub(crate) fn round_trip(self, now: Time) -> Option<Duration> {
        let ticks = Self::clock(now).get().wrapping_sub(self.echo);
        (self.echo != 0).then(|| Duration::from_micros(u64::from(ticks)))
    }
}

/// Up to four SACK blocks: ranges of octets that have arrived, as offsets from the acknowledgment number.
/// [RFC2018 §3]
///
/// A block below that number reports a duplicate segment [RFC2883 §4]. The last place may have the counters of the
/// `AccECN` option instead, beside which there is no room for a fourth block: its first number is then the larger one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks([(i32, i32); SackBlocks::ROOM]);

impl SackBlocks {
    /// An empty list of SACK blocks.
    pub const NONE: Self = Self([(0, 0); Self::ROOM]);
    /// Number of SACK blocks that fit if no other option is present.  [RFC2018 §3]
    pub const ROOM: usize = 4;

    /// Appends the block `start..end` of a segment that acknowledges `ack`. Drops it if there is no room or
    /// if it is more than 2 GiB away from `ack`.
    pub fn push(&mut self, ack: u64, start: u64, end: u64) {
        let offset = |octet: u64| i32::try_from(octet.wrapping_sub(ack).cast_signed());
        let free = self.0.iter_mut().find(|block| block.0 == block.1);
        if let (Ok(start), Ok(end), Some(block)) = (offset(start), offset(end), free) {
            *block = (start, end);
        }
    }

    /// The SACK blocks in transmission order as sequence numbers, for a segment that acknowledges `ack`.
    pub fn iter(&self, ack: u64) -> impl Iterator<Item = (u64, u64)> {
        let number = move |offset: i32| ack.wrapping_add_signed(i64::from(offset));
        let used = self.0.into_iter().take_while(|block| block.0 < block.1);
        used.map(move |(start, end)| (number(start), number(end)))
    }

    /// True if there are no SACK blocks.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0[0].0 == self.0[0].1
    }

    /// Length of the SACK option with its padding [octets].  [RFC2018 §3]
    pub(crate) fn option(&self) -> u16 {
        let used = self.0.iter().take_while(|block| block.0 < block.1);
        used.fold(0, |option, _| if option == 0 { 12 } else { option + 8 })
    }

    /// Removes the SACK blocks from the `room`-th on.
    pub(crate) fn truncate(&mut self, room: usize) {
        self.0[room..].fill((0, 0));
    }

    /// Puts the counters of the `AccECN` option into the last place.
    #[expect(clippy::cast_possible_wrap, reason = "26 bits")]
    pub(crate) fn set_counters(&mut self, OctetCounters { is_order_1, ect, ce }: OctetCounters) {
        let bits = u32::from(is_order_1) << 24 | u32::from(ce.is_some()) << 25;
        let low = |octets: u32| octets & OctetCounters::MASK;
        self.0[Self::ROOM - 1] = ((low(ect) | bits) as i32, !(low(ce.unwrap_or(0)) as i32));
    }

    /// Counters of the `AccECN` option, if there is one.
    pub fn counters(&self) -> Option<OctetCounters> {
        let (first, second) = self.0[Self::ROOM - 1];
        let bits = first.cast_unsigned();
        (first > second).then(|| OctetCounters {
            is_order_1: bits >> 24 & 1 == 1,
            ect: bits & OctetCounters::MASK,
            ce: (bits >> 25 == 1).then_some((!second).cast_unsigned()),
        })
    }
}

/// Counters of the `AccECN` option: the receiver's octets with each codepoint, modulo 2²⁴.  [RFC9768 §3.2.3]
///
/// A sender uses one of the codepoints ECT(0) and ECT(1), so that the third field of the option never changes and is
/// left out, as is the second one before the first mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OctetCounters {
    /// True for the option with the octets of ECT(1) first, kind 174; false for that with ECT(0), kind 172.
    pub is_order_1: bool,
    /// Octets with the codepoint that the sender uses.
    pub ect: u32,
    /// Octets with a mark, `ECEB`; `None` while no segment was marked.
    pub ce: Option<u32>,
}

impl OctetCounters {
    /// Mask of the 24 bits of a counter.
    pub(crate) const MASK: u32 = (1 << 24) - 1;
    /// Length of the option with its padding: two octets, and one or two fields of three octets [octets].
    pub(crate) const OPTION: u16 = 8;
}

/// One TCP segment. The payload has a length but no content.  [RFC9293 §3.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first octet, unwrapped: an offset from the initial sequence number [octets].
    pub seq: u64,
    /// Acknowledgment number, unwrapped: the octet expected next; valid with the ACK bit [octets].
    pub ack: u64,
    /// Receive window that the segment advertises, after window scaling [octets].
    pub window: u64,
    /// Length of the application data in the segment [octets].
    pub payload: u32,
    /// Control bits of the segment's header, and ECN field of its IP header.
    pub flags: Flags,
    /// Length of all TCP options of the segment together, a multiple of four [octets].
    pub options: u16,
    /// SACK blocks of the segment; empty if none are sent.
    pub sack: SackBlocks,
    /// Timestamps option of the segment, if in use.
    pub timestamps: Option<Timestamps>,
}

impl Segment {
    /// A segment with all fields zero, as a base for others.
    pub const EMPTY: Self = Self {
        seq: 0,
        ack: 0,
        window: 0,
        payload: 0,
        flags: Flags::NONE,
        options: 0,
        sack: SackBlocks::NONE,
        timestamps: None,
    };

    /// Size of the IP packet: 20 octets IP, 20 octets TCP, options, payload [octets].  [RFC9293 §3.1]
    pub fn size(&self) -> Bytes {
        Bytes::new(HEADERS + u64::from(self.options) + u64::from(self.payload))
    }

    /// True if the segment is an ACK without data and without SYN or FIN. It may echo marks.
    pub fn is_pure_ack(&self) -> bool {
        self.payload == 0 && self.flags.without(Flags::ACE) == Flags::ACK
    }

    /// True if the segment echoes a timestamp from before `sent`, so that it does not answer what was sent at
    /// that time. False without an echo.
    pub(crate) fn echoes_before(&self, sent: Time) -> bool {
        let echo = self.timestamps.map_or(0, |timestamps| timestamps.echo);
        echo != 0 && Timestamps::is_before(echo, Timestamps::clock(sent).get())
    }

    /// Sequence number after the last octet of data.
    pub(crate) fn payload_end(&self) -> u64 {
        self.seq + u64::from(self.payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size of a packet is that of the IP and TCP headers, the options and the payload.
    ///
    /// Verifies: [RFC9293 §3.1]
    #[test]
    fn a_packet_is_headers_options_and_payload() {
        let segment = Segment {
            seq: 1,
            ack: 1,
            window: 65_535,
            payload: 1_460,
            flags: Flags::ACK,
            ..Segment::EMPTY
        };
        // 20 + 20 + 1460 = 1500. A SYN with MSS and window scale: 20 + 20 + 8 = 48.
        assert_eq!(segment.size(), Bytes::new(1_500));
        let syn = Segment { payload: 0, options: 8, flags: Flags::SYN, ..segment };
        assert_eq!(syn.size(), Bytes::new(48));
    }

    #[test]
    fn a_segment_is_small_enough_to_copy() {
        assert!(size_of::<Segment>() <= 72);
    }

    /// SACK blocks are stored as offsets from the acknowledgment number, and read back unchanged. The option has 2
    /// octets and 8 per block, padded to a multiple of four.
    ///
    /// Verifies: [RFC2018 §3]
    #[test]
    fn blocks_are_kept_relative_to_the_acknowledgment() {
        let mut blocks = SackBlocks::NONE;
        let far = 10_000_000_000;
        let ranges =
            [(far + 5, far + 10), (far - 20, far - 10), (far + 20, far + 30), (far + 50, far + 60)];
        assert!(blocks.is_empty() && blocks.option() == 0);
        for (count, (start, end)) in (1..).zip(ranges) {
            blocks.push(far, start, end);
            assert_eq!(blocks.option(), 4 + 8 * count);
        }
        assert!(blocks.iter(far).eq(ranges));
        // A fifth block has no room, and a block beyond 31 bits is dropped.
        blocks.push(far, far + 70, far + 80);
        assert!(blocks.iter(far).eq(ranges));
        let mut blocks = SackBlocks::NONE;
        blocks.push(far, far + 5, far + (1 << 31));
        assert!(blocks.is_empty());
    }

    /// The ACE field is AE, CWR and ECE, in this order. It is independent of the ECN field of the IP header.
    ///
    /// Verifies: [RFC9768 §3.2.2]
    #[test]
    fn the_ace_field_has_three_bits() {
        for ace in 0..8 {
            let flags = Flags::ACK.with_ace(ace).with_ecn(Ecn::ECT_1);
            assert_eq!((flags.ace(), flags.ecn()), (ace, Ecn::ECT_1));
            assert_eq!(flags.with_ecn(Ecn::NOT_ECT).without(Flags::ACE), Flags::ACK);
        }
        assert_eq!([Flags::AE, Flags::CWR, Flags::ECE].map(Flags::ace), [4, 2, 1]);
    }

    /// Counters are read as they were set, and beside them are up to three blocks.
    ///
    /// Verifies: [RFC9768 §3.2.3]
    #[test]
    fn counters_take_the_place_of_the_fourth_block() {
        let largest = OctetCounters::MASK;
        for is_order_1 in [false, true] {
            for (ect, ce) in [(1, None), (largest, None), (1, Some(0)), (largest, Some(largest))] {
                let mut blocks = SackBlocks::NONE;
                blocks.push(10, 15, 20);
                let before = (blocks.option(), blocks.is_empty());
                let counters = OctetCounters { is_order_1, ect, ce };
                assert_eq!(blocks.counters(), None);
                blocks.set_counters(counters);
                assert_eq!(blocks.counters(), Some(counters));
                assert_eq!((blocks.option(), blocks.is_empty()), before);
                assert!(blocks.iter(10).eq([(15, 20)]));
                for start in [30, 40, 50] {
                    blocks.push(10, start, start + 5);
                }
                assert_eq!((blocks.counters(), blocks.iter(10).count()), (Some(counters), 3));
            }
        }
        let mut blocks = SackBlocks::NONE;
        for start in [20, 40, 60] {
            blocks.push(10, start, start + 5);
        }
        blocks.truncate(2);
        assert!(blocks.iter(10).eq([(20, 25), (40, 45)]));
    }

    /// Differences of timestamps are right where the clock has wrapped.
    ///
    /// Verifies: [RFC7323 §5.4]
    #[test]
    fn the_clock_wraps() {
        let at = |us: u64| Time::from_nanos(us * 1_000);
        let round_trip = |sent: u64, now: u64| {
            let value = Timestamps::clock(at(sent));
            Timestamps { value, echo: value.get() }.round_trip(at(now))
        };
        assert_eq!(round_trip(0, 250), Some(Duration::from_micros(250)));
        let wrap = 1 << 32;
        assert_eq!(round_trip(wrap - 100, wrap + 150), Some(Duration::from_micros(250)));
        // The value 0 would mean "no echo", so the clock skips it.
        assert_eq!(Timestamps::clock(at(wrap - 1)).get(), 1);
        assert_eq!(Timestamps { value: NonZeroU32::MIN, echo: 0 }.round_trip(at(9)), None);
    }
}
