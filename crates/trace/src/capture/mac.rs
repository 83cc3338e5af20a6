//! MAC headers of 802.11 frames, and bodies of beacons.  [80211-2020 §9.2, §9.3]

use airfair_laws::multi_user::Backlog;
use airfair_sim::scenario::Bss;
use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::block_ack::Bitmap;
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::{Preamble, TxVector};
use airfair_wlan::{Elements, Frame, FrameKind, Mpdu};

use super::addresses::Mac;

/// LLC and SNAP headers of an IPv4 packet.  [RFC1042]
pub(super) const LLC_SNAP_IPV4: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
/// Length of the frame check sequence [octets].
pub(super) const FCS: usize = 4;

/// Organisation identifier of airfair's vendor specific elements, locally administered so that it belongs to
/// nobody else.
const OUI: [u8; 3] = [0x02, 0xaf, 0x00];
/// Type of airfair's vendor specific element that fills a frame to its size.
const FILLING: u8 = 0;
const SCHEME: u8 = 1;

/// Element ID of a vendor specific element.  [80211-2020 §9.4.2.25]
const VENDOR: u8 = 221;

/// A-MSDU present bit in the first octet of the `QoS` control field.  [80211-2020 §9.2.4.5]
const AMSDU_PRESENT: u8 = 0x80;
/// Compressed variant of a `BlockAck` or a `BlockAckReq`, in its control field.
const COMPRESSED: u8 = 0x04;

/// Bit in the `QoS` control field of a station's frame: the queue size follows.  [80211-2020 §9.2.4.5.6]
const QUEUE_SIZE: u8 = 0x10;

/// To DS bit in the second octet of the frame control field; the bits of From DS and retry follow.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;

/// Addresses of a data frame: transmitter and receiver on this hop, source and destination of the packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataAddresses {
    pub(super) transmitter: Mac,
    pub(super) receiver: Mac,
    pub(super) source: Mac,
    pub(super) destination: Mac,
    pub(super) is_up: bool,
}

/// MAC header of a data MPDU. HT, VHT and HE use `QoS` data with the traffic identifier of the access
/// category. `backlog` is the queue size that a triggered station reports. [80211-2020 §9.3.2.1]
pub(super) fn data<P>(
    frame: &Frame,
    mpdu: &Mpdu<P>,
    way: DataAddresses,
    (category, backlog): (AccessCategory, Option<Bytes>),
) -> Vec<u8> {
    let direction = if way.is_up { TO_DS } else { FROM_DS };
    let has_qos = matches!(frame.tx, TxVector::Mode(_));
    let subtype = if has_qos { 0x88 } else { 0x08 };
    let mut octets = vec![subtype, direction | if mpdu.retry { RETRY } else { 0 }];
    octets.extend(duration(frame.duration_field));
    let third = if way.is_up { way.destination } else { way.source };
    octets.extend([way.receiver, way.transmitter, third].concat());
    octets.extend((mpdu.sequence << 4).to_le_bytes());
    if has_qos {
        let amsdu = if mpdu.amsdu.is_some() { AMSDU_PRESENT } else { 0 };
        let [tid, queue] = reported(category, backlog);
        octets.extend([tid | amsdu, queue]);
    }
    octets
}

/// `QoS` control field without its A-MSDU bit: traffic identifier and, if the frame reports it, the queue size.
fn reported(category: AccessCategory, backlog: Option<Bytes>) -> [u8; 2] {
    let tid = category.user_priority();
    backlog.map_or([tid, 0], |octets| [tid | QUEUE_SIZE, Backlog::Octets(octets).report()])
}

/// `QoS` Null of a station with its queue size, without its check sequence.  [80211-2020 §9.3.2.1]
pub(super) fn null(
    frame: &Frame,
    (transmitter, receiver): (Mac, Mac),
    (category, backlog): (AccessCategory, Option<Bytes>),
) -> Vec<u8> {
    let mut octets = vec![0xc8, TO_DS];
    octets.extend(duration(frame.duration_field));
    octets.extend([receiver, transmitter, receiver].concat());
    octets.extend([0, 0]);
    octets.extend(reported(category, backlog));
    octets
}

/// Subframe header of the first packet of an A-MSDU; the packet has `octets` octets with LLC and SNAP.
/// [80211-2020 §9.3.2.2.2]
pub(super) fn amsdu_subframe(way: DataAddresses, octets: u16) -> Vec<u8> {
    [&way.destination[..], &way.source, &octets.to_be_bytes()].concat()
}

/// Octets of a control frame of `size` octets, but for its check sequence and for what only multi-user exchanges have.
/// `numbers` is the bitmap of a `BlockAck` or a `BlockAckReq`. [80211-2020 §9.3.1]
pub(super) fn control(
    frame: &Frame,
    transmitter: Mac,
    receiver: Mac,
    (category, numbers, size): (AccessCategory, Option<&Bitmap>, usize),
) -> Vec<u8> {
    let (subtype, addresses) = match frame.kind {
        FrameKind::Rts => (0xb4, [receiver, transmitter].concat()),
        FrameKind::Cts | FrameKind::CtsToOther => (0xc4, receiver.to_vec()),
        FrameKind::CtsToSelf => (0xc4, transmitter.to_vec()),
        FrameKind::CfEnd => (0xe4, [[0xff; 6], transmitter].concat()),
        FrameKind::Ack => (0xd4, receiver.to_vec()),
        FrameKind::BlockAckRequest => (0x84, [receiver, transmitter].concat()),
        FrameKind::BlockAck | FrameKind::MultiBlockAck => (0x94, [receiver, transmitter].concat()),
        // A trigger frame, or one in a part of a multi-user PPDU.
        FrameKind::Trigger | FrameKind::Data => (0x24, [receiver, transmitter].concat()),
        FrameKind::NdpAnnouncement => (0x54, [receiver, transmitter].concat()),
        FrameKind::Beacon
        | FrameKind::MultiUser
        | FrameKind::TriggerBased
        | FrameKind::Ndp
        | FrameKind::BeamformingReport => unreachable!("no control frame"),
    };
    let mut octets = vec![subtype, 0];
    octets.extend(duration(frame.duration_field));
    octets.extend(addresses);
    if matches!(frame.kind, FrameKind::BlockAck | FrameKind::BlockAckRequest) {
        let length = size - FCS - octets.len() - 4;
        put_numbers(&mut octets, category, numbers.unwrap_or(&Bitmap::default()), length);
    }
    octets
}

/// Appends control field, starting sequence number and bitmap of a compressed `BlockAck`, with `length` octets of bitmap;
/// a `BlockAckReq` has none.  [80211-2020 §9.3.1.7, §9.3.1.8.2]
pub(super) fn put_numbers(
    octets: &mut Vec<u8>,
    category: AccessCategory,
    numbers: &Bitmap,
    length: usize,
) {
    octets.extend([COMPRESSED, category.user_priority() << 4]);
    put_bitmap(octets, numbers, length);
}

/// Appends starting sequence number and `length` octets of bitmap of a `BlockAck`.  [80211ax-2021 Table 9-28a],
/// [80211be-2024 §9.3.1.8.2]
pub(super) fn put_bitmap(octets: &mut Vec<u8>, numbers: &Bitmap, length: usize) {
    // The fragment number encodes the length of the bitmap.
    let fragment = match length {
        32 => 4,
        64 => 8,
        128 => 10,
        _ => 0,
    };
    octets.extend((numbers.start().get() << 4 | fragment).to_le_bytes());
    octets.extend(numbers.octets().chain(std::iter::repeat(0)).take(length));
}

/// Octets of a beacon of the cell `bss` without its check sequence, filled to its size with vendor specific
/// elements. [80211-2020 §9.3.3.2]
pub(super) fn beacon(frame: &Frame, from: Mac, bss: &Bss, heard: (&Elements, u64, u16)) -> Vec<u8> {
    let (elements, micros, sequence) = heard;
    let mut octets = vec![0x80, 0];
    octets.extend(duration(frame.duration_field));
    octets.extend([[0xff; 6], from, from].concat());
    octets.extend((sequence << 4).to_le_bytes());
    octets.extend(micros.to_le_bytes());
    octets.extend(time_units(bss).to_le_bytes());
    // Capability information: an infrastructure BSS, with the short preamble if the cell uses it.
    octets.extend([0x01 | if bss.rules.preamble == Preamble::Short { 0x20 } else { 0 }, 0]);
    let name = &bss.name.as_bytes()[..bss.name.len().min(32)];
    put(&mut octets, 0, name);
    let rates = rates(bss);
    put(&mut octets, 1, &rates[..rates.len().min(8)]);
    let mut others = Vec::new();
    if rates.len() > 8 {
        put(&mut others, 50, &rates[8..]);
    }
    for (id, payload) in elements.iter() {
        let ours = [&OUI[..], &[SCHEME], payload].concat();
        put(&mut others, id, if id == VENDOR { &ours } else { payload });
    }
    // The TIM bitmap is empty because nobody sleeps. It is extended if the rest is too short for an element.
    let mut map = vec![0, 1, 0, 0];
    let psdu = usize::try_from(frame.psdu.get()).expect("a beacon is short");
    let size = psdu.saturating_sub(FCS);
    let rest = size.saturating_sub(octets.len() + 2 + map.len() + others.len());
    map.resize(map.len() + if rest < SMALLEST { rest } else { 0 }, 0);
    put(&mut octets, 5, &map);
    octets.extend(others);
    fill(&mut octets, size);
    octets
}

/// Length of the shortest vendor specific element: ID, length, organisation, type [octets].
const SMALLEST: usize = 6;
/// Length of the longest vendor specific element: ID, length and 255 octets [octets].
const LONGEST: usize = 257;

/// Fills the frame in `octets` up to `size` with vendor specific elements without content.
fn fill(octets: &mut Vec<u8>, size: usize) {
    while octets.len() + SMALLEST <= size {
        let rest = size - octets.len();
        let element = if rest > LONGEST { LONGEST.min(rest - SMALLEST) } else { rest };
        let mut value = [&OUI[..], &[FILLING]].concat();
        value.resize(element - 2, 0);
        put(octets, VENDOR, &value);
    }
}

fn put(octets: &mut Vec<u8>, id: u8, value: &[u8]) {
    octets.extend([id, u8::try_from(value.len()).expect("an element of at most 255 octets")]);
    octets.extend(value);
}

/// Supported rates of the cell `bss` in units of 500 kb/s, with the basic rates marked.
/// [80211-2020 §9.4.2.3]
fn rates(bss: &Bss) -> Vec<u8> {
    let octet = |rate: &DataRate| {
        let units = u8::try_from(rate.bps() / 500_000).expect("a legacy rate");
        units | if bss.rules.basic_rates.contains(rate) { 0x80 } else { 0 }
    };
    bss.rules.legacy().rates().iter().map(octet).collect()
}

/// Beacon interval of the cell `bss` in time units of 1024 µs, rounded.
fn time_units(bss: &Bss) -> u16 {
    let interval = bss.beacons.map_or(Duration::ZERO, |beacons| beacons.interval);
    u16::try_from((interval.as_nanos() + 512_000) / 1_024_000).unwrap_or(u16::MAX)
}

/// Encodes a duration field, rounded up to whole microseconds.  [80211-2020 §9.2.5.1]
pub(super) fn duration(field: Duration) -> [u8; 2] {
    let micros = field.as_nanos().div_ceil(1_000).min(32_767);
    u16::try_from(micros).expect("15 bits").to_le_bytes()
}

/// Frame check sequence of a frame: CRC-32.  [80211-2020 §9.2.4.8]
pub(super) fn check_sequence(octets: &[u8]) -> [u8; FCS] {
    let mut register = u32::MAX;
    for octet in octets {
        register ^= u32::from(*octet);
        for _ in 0..8 {
            register = register >> 1 ^ if register & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    (!register).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use airfair_wlan::block_ack::Sequence;

    use super::*;

    /// The check sequence of the digits 1 to 9 is cbf43926, the check value of CRC-32.
    #[test]
    fn the_check_sequence_is_the_crc_of_the_standard() {
        assert_eq!(check_sequence(b"123456789"), 0xcbf4_3926_u32.to_le_bytes());
    }

    /// A compressed BlockAck has its variant, traffic identifier, starting sequence number and bits in the
    /// octets of the standard. Variant 2, compressed, is in bits 1 to 4 of the control field, and traffic
    /// identifier 5 in bits 12 to 15. The number 4095 is in bits 4 to 15, and fragment number 4 means 256
    /// bits. The bits of 4095 and of 2, three further, are 1001. [80211-2020 §9.3.1.8]
    ///
    /// Verifies: [80211-2020 §9.3.1.8]
    #[test]
    fn a_block_ack_has_its_starting_number_and_its_bits() {
        let mut bitmap = Bitmap::new(Sequence::new(4_095));
        bitmap.set_run(Sequence::new(4_095), 1);
        bitmap.set_run(Sequence::new(2), 1);
        let numbers = |bits: usize| {
            let mut octets = Vec::new();
            put_numbers(&mut octets, AccessCategory::Video, &bitmap, bits);
            octets
        };
        let short = numbers(8);
        assert_eq!(short, [0x04, 0x50, 0xf0, 0xff, 0b1001, 0, 0, 0, 0, 0, 0, 0]);
        let long = numbers(32);
        assert_eq!((&long[..6], long.len()), (&[0x04, 0x50, 0xf4, 0xff, 0b1001, 0][..], 36));
        assert_eq!(numbers(0), [0x04, 0x50, 0xf0, 0xff]);
        let fragments = [64, 128].map(|length| (numbers(length)[2], numbers(length).len()));
        assert_eq!(fragments, [(0xf8, 68), (0xfa, 132)]);
    }

    #[test]
    fn a_beacon_is_filled_to_its_size_wherever_an_element_fits() {
        for size in 0..1_200 {
            let mut octets = vec![0; 40];
            fill(&mut octets, size);
            assert_eq!(octets.len(), if size < 40 + SMALLEST { 40 } else { size });
        }
    }
}
