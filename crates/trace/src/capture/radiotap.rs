//! Radiotap headers, which describe how a PPDU was sent.  [radiotap]
//!
//! ```text
//! version, pad, length, presence │ TSFT, flags, rate, channel, signal and noise (if powers are known), then
//! for
//!                                 │ HT, VHT and HE their own field instead of the rate, and the A-MPDU field;
//!                                 │ HE MU PPDUs also that of their signal field, HE-SIG-B;
//!                                 │ for EHT TLVs instead of the rate, which come last: U-SIG and EHT
//! ```

use airfair_sim::scenario::Bss;
use airfair_sim::trace::Monitored;
use airfair_units::{Dbm, Duration, Frequency, Time};
use airfair_wlan::phy::mode::{Coding, Format, HeLtf, PpduKind, Unit};
use airfair_wlan::phy::{Band, GuardInterval, Mode, Preamble, TxVector, Width};
use airfair_wlan::{Frame, FrameKind, Part, Signal};

use super::multi_user;

/// Presence bit of the TSFT field in a radiotap header; the bits of other fields follow.
const TSFT: u32 = 1 << 0;
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const SIGNAL: u32 = 1 << 5;
const NOISE: u32 = 1 << 6;
const MCS: u32 = 1 << 19;
const AMPDU: u32 = 1 << 20;
const VHT: u32 = 1 << 21;
const HE: u32 = 1 << 23;
const HE_MU: u32 = 1 << 24;
const ZERO_LENGTH: u32 = 1 << 26;
const TLVS: u32 = 1 << 28;

/// Type of the U-SIG TLV in a radiotap header.
const U_SIG: u16 = 33;
/// Type of the EHT TLV in a radiotap header.
const EHT: u16 = 34;

/// Type of a PPDU without a PSDU: a sounding PPDU.
const SOUNDING: u8 = 0;

/// Short preamble bit in the flags field of a radiotap header; the other flags follow.
const SHORT_PREAMBLE: u8 = 0x02;
const HAS_FCS: u8 = 0x10;
const BAD_FCS: u8 = 0x40;

/// Bit of the A-MPDU status field that marks the last subframe as known; the other flags follow.
const LAST_KNOWN: u16 = 0x0004;
const LAST: u16 = 0x0008;
const EOF: u16 = 0x0040;
const EOF_KNOWN: u16 = 0x0080;

/// CCK bit in the channel flags of a radiotap header; the other flags follow.
const CCK: u16 = 0x0020;
const OFDM: u16 = 0x0040;
const BAND_2_GHZ: u16 = 0x0080;
const BAND_5_GHZ: u16 = 0x0100;

/// Channel and BSS colour shown in radiotap headers for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    /// Centre frequency of the primary channel of 20 MHz.
    megahertz: u16,
    /// BSS colour; 0 for none.
    colour: u8,
}

impl Channel {
    /// Channel shown for cell number `cell`: its primary channel, or an invented one if it has a channel of its own.
    pub(super) fn of(cell: usize, bss: &Bss) -> Self {
        let primary = bss.block().map(|block| block.within(Width::Mhz20).centre());
        let megahertz = |it: Frequency| u16::try_from(it.hertz() / 1_000_000).expect("below 8 GHz");
        let megahertz = primary.map_or(Self::invented(cell, bss.rules.channel.band), megahertz);
        Self { megahertz, colour: bss.colour.unwrap_or(0) }
    }

    fn invented(cell: usize, band: Band) -> u16 {
        match band {
            Band::Ghz2 => [2_412, 2_437, 2_462][cell % 3],
            Band::Ghz5 => [5_180, 5_200, 5_220, 5_240, 5_260, 5_280, 5_300, 5_320][cell % 8],
            // Preferred scanning channels 5, 21, 37, …
            Band::Ghz6 => [5_975, 6_055, 6_135, 6_215, 6_295, 6_375, 6_455, 6_535][cell % 8],
        }
    }

    fn flags(self, tx: TxVector) -> u16 {
        // There is no flag for 6 GHz; Linux uses that of 5 GHz.
        let band = if self.megahertz < 5_000 { BAND_2_GHZ } else { BAND_5_GHZ };
        band | if tx.is_dsss() { CCK } else { OFDM }
    }
}

/// Position of an MPDU in its A-MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subframe {
    /// Reference number of the A-MPDU at its interface.
    pub(super) reference: u32,
    pub(super) is_last: bool,
    /// True for an S-MPDU, which is alone and whose delimiter has the EOF bit.  [80211-2020 §9.7.3]
    pub(super) is_alone: bool,
}

impl Subframe {
    fn flags(self) -> u16 {
        let last = if self.is_last { LAST } else { 0 };
        let eof = if self.is_alone { EOF } else { 0 };
        LAST_KNOWN | EOF_KNOWN | last | eof
    }
}

/// Radiotap header of a PPDU, or of an MPDU of an A-MPDU. `has_bad_fcs` is true if the check sequence is
/// wrong.
pub(super) fn header<P>(
    heard: &Monitored<P>,
    channel: Channel,
    (subframe, has_bad_fcs): (Option<Subframe>, bool),
) -> Vec<u8> {
    let (ppdu, signal) = (&heard.ppdu, heard.signal);
    let tx = ppdu.frame.tx;
    let powers = if signal.is_some() { SIGNAL | NOISE } else { 0 };
    let rate = match tx {
        TxVector::Mode(mode) => presence(mode),
        TxVector::Dsss(..) | TxVector::Ofdm(_) => RATE,
    };
    let ampdu = if subframe.is_some() { AMPDU } else { 0 };
    let is_ndp = ppdu.frame.kind == FrameKind::Ndp;
    let empty = if is_ndp { ZERO_LENGTH } else { 0 };
    let present = TSFT | FLAGS | rate | CHANNEL | powers | ampdu | empty;
    let mut octets = vec![0; 4];
    octets.extend(present.to_le_bytes());
    // The specification defines the start of the MPDU. Wireshark by default assumes the end of the PPDU and
    // computes gaps from it.
    octets.extend(micros(ppdu.end).to_le_bytes());
    let is_short = matches!(tx, TxVector::Dsss(_, Preamble::Short));
    let preamble = if is_short { SHORT_PREAMBLE } else { 0 };
    let sequence = if is_ndp { 0 } else { HAS_FCS };
    octets.push(sequence | preamble | if has_bad_fcs { BAD_FCS } else { 0 });
    // Without a rate there is a padding octet, which aligns the channel field.
    let units = tx.rate().bps() / 500_000;
    octets.push(if rate == RATE { u8::try_from(units).expect("a legacy rate") } else { 0 });
    octets.extend(channel.megahertz.to_le_bytes());
    octets.extend(channel.flags(tx).to_le_bytes());
    if let Some(Signal { power, noise }) = signal {
        octets.extend([decibels(power), decibels(noise)].map(i8::cast_unsigned));
    }
    match tx {
        TxVector::Mode(mode) if mode.format() == Format::Ht => {
            put_mode(&mut octets, mode, channel.colour);
            put_subframe(&mut octets, subframe);
        }
        TxVector::Mode(mode) => {
            put_subframe(&mut octets, subframe);
            match heard.part {
                Some(part) if mode.format() == Format::He => {
                    put_part(&mut octets, &ppdu.frame, (mode, channel.colour), part);
                }
                _ => put_mode(&mut octets, mode, channel.colour),
            }
        }
        TxVector::Dsss(..) | TxVector::Ofdm(_) => put_subframe(&mut octets, subframe),
    }
    if is_ndp {
        octets.push(SOUNDING);
    }
    octets[2] = u8::try_from(octets.len()).expect("a short header");
    octets
}

/// Appends the A-MPDU status field, aligned to four octets.
fn put_subframe(octets: &mut Vec<u8>, subframe: Option<Subframe>) {
    let Some(subframe) = subframe else { return };
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets.extend(subframe.reference.to_le_bytes());
    octets.extend(subframe.flags().to_le_bytes());
    octets.extend([0; 2]);
}

fn presence(mode: Mode) -> u32 {
    match mode.format() {
        Format::Ht => MCS,
        Format::Vht => VHT,
        Format::He if mode.kind() == PpduKind::Multi => HE | HE_MU,
        Format::He => HE,
        Format::Eht => TLVS,
    }
}

/// Appends the radiotap field of an HT, VHT, HE or EHT mode. Values that are not marked as known are zero.
fn put_mode(octets: &mut Vec<u8>, mode: Mode, colour: u8) {
    if mode.format() != Format::Ht {
        octets.resize(octets.len().next_multiple_of(2), 0);
    }
    let (mcs, streams, width) = (mode.mcs(), mode.streams(), mode.width() as usize);
    let is_short = mode.guard() == GuardInterval::Ns400;
    let is_ldpc = mode.coding() == Coding::Ldpc;
    match mode.format() {
        Format::Ht => {
            // Known: bandwidth, MCS, guard interval, format, coding; no STBC, no extension streams.
            let flags = width.to_le_bytes()[0] | u8::from(is_short) << 2 | u8::from(is_ldpc) << 4;
            octets.extend([0x7f, flags, 8 * (streams - 1) + mcs]);
        }
        Format::Vht => {
            // Known: no STBC, guard interval, bandwidth.
            let bandwidth = [0, 1, 4, 11][width];
            octets.extend(0x0045_u16.to_le_bytes());
            octets.extend([u8::from(is_short) << 2, bandwidth, mcs << 4 | streams, 0, 0, 0]);
            octets.extend([u8::from(is_ldpc), 0, 0, 0]);
        }
        Format::He => {
            let width = u16::from(width.to_le_bytes()[0]);
            // Known: single user with MCS, coding and bandwidth; guard interval.
            let [coding, symbol] = he_mode(mode);
            let [colour_known, colour] = he_colour(colour);
            let (known, third) = (0x40a0 | colour_known, coding | colour);
            put_words(octets, &[known, 0x0002, third, 0, width | symbol, u16::from(streams)]);
        }
        Format::Eht => put_eht(octets, mode, colour),
    }
}

/// Fields 3 and 5 of the radiotap field for HE: MCS and coding; guard interval and HE-LTF.
fn he_mode(mode: Mode) -> [u16; 2] {
    let ltf = match mode.ltf() {
        Some(HeLtf::X1) => 1,
        Some(HeLtf::X2) => 2,
        Some(HeLtf::X4) | None => 3,
    };
    let guard = mode.guard() as u16 - GuardInterval::Ns800 as u16;
    let is_ldpc = mode.coding() == Coding::Ldpc;
    [u16::from(mode.mcs()) << 8 | u16::from(is_ldpc) << 13, guard << 4 | ltf << 6]
}

/// BSS colour for fields 1 and 3 of the radiotap field for HE: the bit that marks it as known, and its value.
fn he_colour(colour: u8) -> [u16; 2] {
    [if colour > 0 { 0x0004 } else { 0 }, colour.into()]
}

fn put_words(octets: &mut Vec<u8>, words: &[u16]) {
    octets.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// Appends the radiotap fields of a part of an HE MU PPDU, or of an HE TB PPDU: its station, unit and TXOP; of an HE MU
/// PPDU also its width and units.
fn put_part(octets: &mut Vec<u8>, frame: &Frame, (mode, colour): (Mode, u8), part: Part) {
    octets.resize(octets.len().next_multiple_of(2), 0);
    let is_multi = mode.kind() == PpduKind::Multi;
    let (index, is_secondary) = multi_user::index(mode, part.place);
    let unit = mode.unit().within(mode.width());
    let size = unit as u16 - Unit::Tones26 as u16 + 4;
    let [coding, symbol] = he_mode(mode);
    let station = if is_multi { frame.to.map_or(0, |to| to.0) } else { 0 };
    // Known: format, direction, MCS, coding and unit; for HE MU, the station.
    let [colour_known, colour] = he_colour(colour);
    let known = colour_known | if is_multi { 0x48b2 } else { 0x40b3 };
    // Known: guard interval, TXOP, place of the unit; 80 MHz of the unit if there are two.
    let has_secondary = u16::from(mode.width() == Width::Mhz160 && unit != Unit::Tones2x996);
    let place_known = 0x4042 | has_secondary;
    put_words(
        octets,
        &[
            known,
            place_known | u16::from(index) << 8 | u16::from(is_secondary) << 15,
            coding | colour | if is_multi { 0 } else { 0x0080 },
            station << 4,
            size | symbol,
            u16::from(mode.streams()) | txop(frame.duration_field) << 8,
        ],
    );
    if part.shares_tones(mode) {
        put_shared(octets, mode, part.users);
    } else if is_multi {
        put_units(octets, mode);
    }
}

/// Appends the radiotap field for HE MU: width, and the unit of each 20 MHz as the content channels of HE-SIG-B have
/// them. All units of the width have the size of this one; those without a station are unassigned users.
fn put_units(octets: &mut Vec<u8>, mode: Mode) {
    let (width, unit) = (mode.width(), mode.unit().within(mode.width()));
    let parts = usize::from(width.mhz() / 20);
    // RU Allocation subfield, and the one of further 20 MHz of the same unit, without a user.
    let (first, others, span) = match unit {
        Unit::Tones26 => (0, 0, 1),
        Unit::Tones52 => (112, 112, 1),
        Unit::Tones106 => (96, 96, 1),
        Unit::Tones242 => (192, 192, 1),
        Unit::Tones484 => (200, 114, 2),
        _ => (208, 115, 4),
    };
    // Known: units of content channel 1, and of channel 2 if there is one; center unit of 80 MHz.
    let has_center = u16::from(unit == Unit::Tones26);
    let (mut flags, mut width_flags) = (0x0100, 0x0004 | width as u16);
    if parts > 1 {
        flags |= 0x0200;
    }
    if parts >= 4 {
        flags |= 0x1000 | has_center << 13;
    }
    if parts >= 8 {
        flags |= 0x0080;
        width_flags |= has_center << 11;
    }
    put_words(octets, &[flags, width_flags]);
    let mut channels = [[0; 4]; 2];
    for part in 0..parts.min(8) {
        channels[part % 2][part / 2] = if part % span == 0 { first } else { others };
    }
    octets.extend(channels.concat());
}

/// Appends the radiotap field for HE MU of a PPDU whose users share all tones: width, and their number less one, instead of
/// the units in HE-SIG-B, which is compressed.
fn put_shared(octets: &mut Vec<u8>, mode: Mode, users: u16) {
    // Known: compression, number of users.
    put_words(octets, &[0xc000, 0x000c | mode.width() as u16 | (users - 1) << 4]);
    octets.extend([0; 8]);
}

/// TXOP subfield of HE-SIG-A: rounded down to units of 8 µs below 512 µs, and of 128 µs above.  [80211ax-2021 Table
/// 27-18]
fn txop(left: Duration) -> u16 {
    let micros = left.as_nanos() / 1_000;
    let field = match micros.checked_sub(512) {
        None => (micros / 8) << 1,
        Some(rest) => ((rest / 128).min(62) << 1) | 1,
    };
    u16::try_from(field).expect("7 bits")
}

/// Appends the TLVs of an EHT PPDU for a single user. Values that are not marked as known are zero.
fn put_eht(octets: &mut Vec<u8>, mode: Mode, colour: u8) {
    octets.resize(octets.len().next_multiple_of(4), 0);
    // Known: bandwidth. The PPDU type, 1, means an EHT MU PPDU with one user.
    let bandwidth = mode.width() as u32;
    let known = if colour > 0 { 0x0a } else { 0x02 };
    let common = known | bandwidth << 15 | u32::from(colour) << 19;
    put_tlv(octets, U_SIG, &[common, 1 << 6, 3 << 6]);
    let guard = mode.guard() as u32 - GuardInterval::Ns800 as u32;
    let ltf = mode.ltf().unwrap_or(HeLtf::X4) as u32;
    let unit = mode.unit().within(mode.width()) as u32 - Unit::Tones26 as u32;
    let (mcs, streams) = (u32::from(mode.mcs()), u32::from(mode.streams()));
    // Known: guard interval, size of the unit; of the user MCS, coding and streams, and that the data is its.
    let user =
        0x96 | u32::from(mode.coding() == Coding::Ldpc) << 19 | mcs << 20 | (streams - 1) << 24;
    put_tlv(octets, EHT, &[0x0040_0004, guard << 7 | ltf << 9, unit, 0, 0, 0, 0, 0, 0, 0, user]);
}

/// Appends a field of a radiotap header with type and length, whose value consists of words of four octets.
fn put_tlv(octets: &mut Vec<u8>, kind: u16, words: &[u32]) {
    let length = u16::try_from(4 * words.len()).expect("a few words");
    octets.extend([kind, length].iter().flat_map(|field| field.to_le_bytes()));
    octets.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// Time in microseconds, rounded, as on the clock of a station.
fn micros(at: Time) -> u64 {
    (at.as_nanos() + 500) / 1_000
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn decibels(power: Dbm) -> i8 {
    power.get().round() as i8
}

#[cfg(test)]
mod tests {
    use airfair_units::Bytes;
    use airfair_wlan::NodeId;
    use airfair_wlan::phy::mode::Parameters;

    use super::*;

    /// A part of an HE MU PPDU of 80 MHz, for station 2 in the second unit of 242 tones, 88 µs before the end of the TXOP.
    ///
    /// Unit 7 is 242 tones, with place 1 in bits 8 to 13 of field 2. TXOP is 88/8 = 11 in bits 9 to 14 of field 6. Both
    /// content channels have RU Allocation 192, 242 tones for one user, twice.
    ///
    /// Verifies: [radiotap]
    #[test]
    fn a_part_has_its_unit_and_the_units_of_the_width() {
        let of = Parameters::of(Format::He, 11, 1, Width::Mhz80, GuardInterval::Ns800);
        let of = Parameters { unit: Unit::Tones242, kind: PpduKind::Multi, ..of };
        let mode = Mode::new(of).expect("a mode");
        let frame = Frame {
            kind: FrameKind::Data,
            from: NodeId::AP,
            to: Some(NodeId(2)),
            tx: TxVector::Mode(mode),
            psdu: Bytes::ZERO,
            duration: Duration::ZERO,
            duration_field: Duration::from_micros(88),
            retry: false,
        };
        let mut octets = Vec::new();
        let part = Part { place: 1, users: 4, backlog: None, asks: None };
        put_part(&mut octets, &frame, (mode, 0), part);
        let he = [0xb2, 0x48, 0x42, 0x41, 0, 0x2b, 0x20, 0, 0x87, 0, 1, 11 << 1];
        assert_eq!(octets[..12], he);
        assert_eq!(octets[12..], [0, 0x13, 0x06, 0, 192, 192, 0, 0, 192, 192, 0, 0]);
        // Four users share 80 MHz with two streams each: unit 9, 996 tones, in place 0; four less one, compressed, 80 MHz.
        let shared = Mode::new(Parameters { unit: Unit::Full, streams: 2, ..of }).expect("a mode");
        octets.clear();
        put_part(&mut octets, &frame, (shared, 0), part);
        assert_eq!(octets[..12], [0xb2, 0x48, 0x42, 0x40, 0, 0x2b, 0x20, 0, 0x89, 0, 2, 11 << 1]);
        assert_eq!(octets[12..], [0, 0xc0, 0x3e, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    /// HT, VHT, HE and EHT modes each have their own radiotap field, with width, guard interval, streams and MCS.
    ///
    /// Verifies: [radiotap]
    #[test]
    fn each_format_has_its_own_field() {
        let coloured = |colour, format, mcs, streams, width, guard| {
            let of = Parameters::of(format, mcs, streams, width, guard);
            let mut octets = Vec::new();
            put_mode(&mut octets, Mode::new(of).expect("a mode"), colour);
            octets
        };
        let of =
            |format, mcs, streams, width, guard| coloured(0, format, mcs, streams, width, guard);
        let ht = of(Format::Ht, 7, 2, Width::Mhz40, GuardInterval::Ns400);
        assert_eq!(ht, [0x7f, 0x05, 15]);
        let vht = of(Format::Vht, 9, 2, Width::Mhz80, GuardInterval::Ns800);
        assert_eq!(vht, [0x45, 0, 0, 4, 0x92, 0, 0, 0, 0, 0, 0, 0]);
        let he = of(Format::He, 11, 1, Width::Mhz160, GuardInterval::Ns1600);
        assert_eq!(he, [0xa0, 0x40, 0x02, 0, 0, 0x2b, 0, 0, 0x93, 0, 1, 0]);
        // BSS colour 5 is known: bit 2 of field 1, and bits 0 to 5 of field 3.
        let he = coloured(5, Format::He, 11, 1, Width::Mhz160, GuardInterval::Ns1600);
        assert_eq!(he, [0xa4, 0x40, 0x02, 0, 5, 0x2b, 0, 0, 0x93, 0, 1, 0]);
        // In U-SIG, bit 3 and bits 19 to 24.
        let eht = coloured(5, Format::Eht, 13, 2, Width::Mhz320, GuardInterval::Ns3200);
        assert_eq!(eht[4..8], [0x0a, 0, 5 << 3 | 2, 0]);
        let eht = of(Format::Eht, 13, 2, Width::Mhz320, GuardInterval::Ns3200);
        let word = |place: usize| {
            u32::from_le_bytes(eht[place..place + 4].try_into().expect("four octets"))
        };
        assert_eq!((eht.len(), word(0), word(16)), (64, 0x000c_0021, 0x002c_0022));
        assert_eq!([word(4), word(8), word(12)], [0x0002_0002, 0x40, 0xc0]);
        // 3200 ns is 2, 4x EHT-LTF is 2, and 4x996 tones are 7.
        assert_eq!([word(20), word(24), word(28)], [0x0040_0004, 2 << 7 | 2 << 9, 7]);
        assert_eq!(word(60), 0x96 | 1 << 19 | 13 << 20 | 1 << 24);
    }
}
