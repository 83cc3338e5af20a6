//! Packets of a QUIC connection, with the lengths of their encrypted contents.  [RFC9000 §12, §17.3], [RFC9001 §5]

use airfair_units::{Bytes, Duration};

use crate::ecn::Ecn;

/// Length of the IPv4 and UDP headers [octets].  [RFC791 §3.1], [RFC768]
pub(super) const IP_UDP: u64 = 28;
/// Length of the flags in the short header [octets].  [RFC9000 §17.3.1]
const FLAGS: u64 = 1;
/// Length of the connection identifiers of both ends [octets].  Deviates: [D-371]
pub const CONNECTION_ID: u64 = 8;
/// Length of the tag that authenticates a packet [octets].  [RFC9001 §5.3]
pub const TAG: u64 = 16;
/// Length of type and stream identifier of a STREAM frame of the first stream [octets].  [RFC9000 §19.8]
const STREAM_HEADER: u64 = 2;
/// Length of a frame's type [octets].
const TYPE: u64 = 1;
/// Least length of a packet number and the frames, so that there are octets to sample.  [RFC9001 §5.4.2]
const LEAST_PROTECTED: u64 = 4;
/// Unit of the delay in an ACK frame, with the default exponent 3 [µs].  [RFC9000 §18.2]
const DELAY_UNIT: u64 = 8;
/// Octets of a full datagram that are not application data, with two octets of packet number and four of offset.
pub(crate) const USUAL_OVERHEAD: u64 = FLAGS + CONNECTION_ID + 2 + STREAM_HEADER + 4 + TAG;

/// Length of a variable-length integer [octets].  [RFC9000 §16]
pub(crate) const fn varint(value: u64) -> u64 {
    match value {
        0..64 => 1,
        64..16_384 => 2,
        16_384..1_073_741_824 => 4,
        _ => 8,
    }
}

/// Length of a packet number, when all packets from `first_unacked` on are not acknowledged [octets]. At least
/// two, so that packets sent again keep their size.  [RFC9000 §17.1, §A.2]
pub(crate) fn number_length(number: u64, first_unacked: u64) -> u8 {
    match number + 1 - first_unacked {
        ..=0x8000 => 2,
        0x8001..=0x80_0000 => 3,
        _ => 4,
    }
}

/// Packet of the sender: a STREAM frame, or without data a PING or a `DATA_BLOCKED` frame. The payload has a length but
/// no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Packet number, which no other packet of the sender has.
    pub number: u64,
    /// Position in the stream of the first octet. Without data, the limit that blocks the sender, or 0 in a PING frame.
    pub offset: u64,
    /// Application data in the packet; 0 for a PING or a `DATA_BLOCKED` frame [octets].
    pub payload: u32,
    /// Length of the packet number [octets].
    pub number_length: u8,
    /// ECN field of the IP header.
    pub ecn: Ecn,
}

impl Data {
    /// Application data that fits into a datagram of `datagram` octets, from `offset` in the stream on [octets].
    pub(crate) fn room(datagram: u64, offset: u64, number_length: u8) -> u64 {
        datagram - Self::overhead(offset, number_length)
    }

    /// Octets of a datagram other than the application data. The frame is the last one in the packet, so that it has
    /// no length field, and the offset 0 is left out.  [RFC9000 §19.8]
    fn overhead(offset: u64, number_length: u8) -> u64 {
        let position = if offset == 0 { 0 } else { varint(offset) };
        FLAGS + CONNECTION_ID + u64::from(number_length) + STREAM_HEADER + position + TAG
    }

    /// Position in the stream after the last octet.
    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.payload)
    }

    /// Length of the UDP payload, which counts against the congestion window.  [RFC9002 §2]
    pub fn datagram(&self) -> Bytes {
        Bytes::new(match self.payload {
            0 => {
                let limit = if self.offset == 0 { 0 } else { varint(self.offset) };
                FLAGS + CONNECTION_ID + protected(self.number_length, TYPE + limit) + TAG
            }
            _ => Self::overhead(self.offset, self.number_length) + u64::from(self.payload),
        })
    }

    /// Size of the IP packet.
    pub fn size(&self) -> Bytes {
        Bytes::new(IP_UDP) + self.datagram()
    }
}

/// Ranges of packet numbers that an ACK frame reports below the first one, from the newest to the oldest: the number
/// of packets missing above each, and of those in it.
pub(crate) type Further = [(u16, u16); Ack::RANGES - 1];

/// Numbers of packets that a receiver has received with each codepoint of the ECN field. The count of ECT(1) is zero,
/// because no sender uses it.  [RFC9000 §13.4.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnCounts {
    /// Packets with ECT(0).
    pub ect: u32,
    /// Packets with a mark, CE.
    pub ce: u32,
}

impl EcnCounts {
    /// Counts a packet.
    pub(crate) fn note(&mut self, ecn: Ecn) {
        match ecn {
            Ecn::CE => self.ce += 1,
            Ecn::ECT_0 => self.ect += 1,
            _ => {}
        }
    }

    /// Number of packets with ECT(0) or a mark.
    pub fn all(self) -> u64 {
        u64::from(self.ect) + u64::from(self.ce)
    }

    /// Length of the counts in an ACK frame, where there are any [octets].  [RFC9000 §19.3.2]
    fn length(self) -> u64 {
        match self.all() {
            0 => 0,
            _ => varint(self.ect.into()) + varint(0) + varint(self.ce.into()),
        }
    }
}

/// Packet of the receiver: an ACK frame and, while the sender needs more credit, a `MAX_DATA` frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Packet number, which no other packet of the receiver has.
    pub number: u32,
    /// Counts of the ECN fields of the packets received; both zero before a packet with a codepoint has arrived.
    pub marks: EcnCounts,
    /// Largest packet number received.
    pub largest: u64,
    /// New limit of the data in the stream; 0 without a `MAX_DATA` frame [octets].
    pub max_data: u64,
    /// Time from the arrival of the largest packet to this packet [8 µs].
    pub(crate) delay: u32,
    /// Number of packets in a row received directly below the largest one.
    pub(crate) first: u32,
    /// Further ranges; unused ones are zero.
    pub(crate) further: Further,
}

impl Ack {
    /// Largest number of ranges that a frame reports, and that the receiver remembers.  Deviates: [D-373]
    pub const RANGES: usize = 10;

    /// Time from the arrival of the largest packet to this one, as the frame has it.
    pub fn delay(&self) -> Duration {
        Duration::from_micros(u64::from(self.delay) * DELAY_UNIT)
    }

    /// A delay in the unit of the frame, rounded down.
    pub(crate) fn in_units(delay: Duration) -> u32 {
        u32::try_from(delay.as_nanos() / (DELAY_UNIT * 1_000)).unwrap_or(u32::MAX)
    }

    /// Acknowledged ranges of packet numbers, first and last, from the newest to the oldest.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let mut start = self.largest - u64::from(self.first);
        let used = self.further.into_iter().take_while(|it| it.1 > 0);
        let further = used.map(move |(missing, received)| {
            let last = start - u64::from(missing) - 1;
            start = last + 1 - u64::from(received);
            (start, last)
        });
        std::iter::once((start, self.largest)).chain(further)
    }

    /// Length of the UDP payload.  [RFC9000 §19.3, §19.9]
    pub fn datagram(&self) -> Bytes {
        let used = || self.further.iter().take_while(|it| it.1 > 0);
        let length = |it: u16| varint(u64::from(it) - 1);
        let further: u64 = used().map(|it| length(it.0) + length(it.1)).sum();
        let head = varint(self.largest) + varint(self.delay.into()) + varint(self.first.into());
        let ack = TYPE + head + varint(used().count() as u64) + further + self.marks.length();
        let credit = if self.max_data > 0 { TYPE + varint(self.max_data) } else { 0 };
        // The sender never acknowledges packets without data, so that the length of their numbers grows.
        let number = number_length(self.number.into(), 0);
        Bytes::new(FLAGS + CONNECTION_ID + protected(number, ack + credit) + TAG)
    }

    /// Size of the IP packet.
    pub fn size(&self) -> Bytes {
        Bytes::new(IP_UDP) + self.datagram()
    }
}

/// Length of a packet number and of frames, padded if need be [octets].
fn protected(number_length: u8, frames: u64) -> u64 {
    (u64::from(number_length) + frames).max(LEAST_PROTECTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: Ack = Ack {
        number: 0,
        marks: EcnCounts { ect: 0, ce: 0 },
        largest: 9,
        max_data: 0,
        delay: 0,
        first: 9,
        further: [(0, 0); 9],
    };

    /// Verifies: [RFC9000 §16], [RFC9000 §A.2]
    #[test]
    fn integers_have_one_to_eight_octets() {
        assert_eq!([63, 64, 16_383, 16_384].map(varint), [1, 2, 2, 4]);
        assert_eq!([(1 << 30) - 1, 1 << 30].map(varint), [4, 8]);
        // 0x8000 packets without an answer need 16 bits, one more needs 17.
        assert_eq!([0x7fff, 0x8000].map(|it| number_length(it, 0)), [2, 3]);
        assert_eq!(number_length(0x8000, 1), 2);
        // [RFC9000 §A.2]: with 0xabe8b3 acknowledged, 0xac5c02 has 16 bits, and 0xace8fe has 18: three octets.
        let next = 0x00ab_e8b3 + 1;
        assert_eq!([0x00ac_5c02, 0x00ac_e8fe].map(|it| number_length(it, next)), [2, 3]);
    }

    /// A datagram of 1200 octets has 1 octet of flags, 8 of connection identifier, 2 of packet number, 1 of type, 1
    /// of stream identifier, the offset, and 16 of tag: 29 octets without the offset.
    ///
    /// Verifies: [RFC9000 §17.3.1], [RFC9000 §19.8], [RFC9001 §5.3]
    #[test]
    fn a_full_datagram_has_its_size_whatever_the_offset() {
        for (offset, payload) in
            [(0, 1_171), (63, 1_170), (64, 1_169), (16_384, 1_167), (1 << 30, 1_163)]
        {
            assert_eq!(Data::room(1_200, offset, 2), payload);
            let payload = u32::try_from(payload).unwrap();
            let data = Data { number: 7, offset, payload, number_length: 2, ecn: Ecn::NOT_ECT };
            assert_eq!((data.datagram(), data.size()), (Bytes::new(1_200), Bytes::new(1_228)));
        }
        assert_eq!(1_200 - USUAL_OVERHEAD, 1_167);
        // A PING: 1 + 8 + 2 + 1 octets, one of padding, 16 of tag.
        let ping = Data { number: 7, offset: 0, payload: 0, number_length: 2, ecn: Ecn::NOT_ECT };
        assert_eq!(ping.datagram(), Bytes::new(29));
        // DATA_BLOCKED at 5000: 1 + 8 + 2 + 1 + 2 octets, 16 of tag.
        assert_eq!(Data { offset: 5_000, ..ping }.datagram(), Bytes::new(30));
    }

    /// A packet with one range has 1 + 8 + 2 octets of header, an ACK frame of 1 + 1 + 1 + 1 + 1, and 16 of tag.
    ///
    /// Verifies: [RFC9000 §19.3], [RFC9000 §19.9]
    #[test]
    fn an_acknowledgement_grows_with_its_ranges() {
        assert_eq!(ACK.size(), Bytes::new(28 + 11 + 5 + 16));
        // Largest 1000 (2 octets), delay 800 µs = 100 units (2 octets), 99 below it (2), two ranges: after 1
        // missing 64 packets (gap 0: 1 octet, length 63: 1), after 65 missing 65 packets (2 octets each: gap 64).
        let mut further = ACK.further;
        (further[0], further[1]) = ((1, 64), (65, 65));
        let ack = Ack { largest: 1_000, delay: 100, first: 99, further, ..ACK };
        assert_eq!(ack.delay(), Duration::from_micros(800));
        assert_eq!(ack.size(), Bytes::new(28 + 11 + (1 + 2 + 2 + 1 + 2) + (1 + 1) + (2 + 2) + 16));
        // 1000 to 901; 900 missing; 899 to 836; 835 to 771 missing; 770 to 706.
        let ranges: Vec<_> = ack.ranges().collect();
        assert_eq!(ranges, [(901, 1_000), (836, 899), (706, 770)]);
        // MAX_DATA of 10 MB: 1 + 4 octets.
        let credit = Ack { max_data: 10_000_000, ..ack };
        assert_eq!(credit.size() - ack.size(), Bytes::new(5));
    }

    /// Counts take an octet each up to 63, and two from 64 on. A frame without counts has another type.
    ///
    /// Verifies: [RFC9000 §19.3.2], [RFC9000 §13.4.1]
    #[test]
    fn counts_of_marks_take_their_octets() {
        let longer = |ect, ce| Ack { marks: EcnCounts { ect, ce }, ..ACK }.size() - ACK.size();
        assert_eq!([longer(0, 0), longer(1, 0), longer(0, 1)], [0, 3, 3].map(Bytes::new));
        assert_eq!([longer(63, 64), longer(64, 16_384)], [4, 7].map(Bytes::new));
        let mut counts = EcnCounts::default();
        for ecn in [Ecn::NOT_ECT, Ecn::ECT_0, Ecn::CE, Ecn::ECT_0] {
            counts.note(ecn);
        }
        assert_eq!(counts, EcnCounts { ect: 2, ce: 1 });
    }

    #[test]
    fn a_packet_is_no_larger_than_a_segment() {
        use crate::tcp::Segment;
        assert!(size_of::<Ack>() <= size_of::<Segment>() && size_of::<Data>() <= 24);
    }
}
