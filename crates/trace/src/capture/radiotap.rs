//! Radiotap headers, which describe how a PPDU was sent.  [radiotap]
//!
//! ```text
//! version, pad, length, presence │ TSFT, flags, rate, channel, signal and noise (if powers are known), then
//! for
//!                                 │ HT, VHT and HE their own field instead of the rate, and the A-MPDU field;
//!                                 │ for EHT TLVs instead of the rate, which come last: U-SIG and EHT
//! ```

use airfair_units::{Dbm, Time};
use airfair_wlan::phy::mode::{Coding, Format, HeLtf};
use airfair_wlan::phy::{Band, GuardInterval, Mode, Preamble, TxVector, Unit};
use airfair_wlan::{Ppdu, Signal};

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
const TLVS: u32 = 1 << 28;

/// Type of the U-SIG TLV in a radiotap header.
const U_SIG: u16 = 33;
/// Type of the EHT TLV in a radiotap header.
const EHT: u16 = 34;

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

/// Channel shown in radiotap headers for a cell. A scenario has no channel numbers, because cells never share
/// a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    megahertz: u16,
}

impl Channel {
    /// Channel shown for cell number `cell`.
    pub(super) fn of(cell: usize, band: Band) -> Self {
        let megahertz = match band {
            Band::Ghz2 => [2_412, 2_437, 2_462][cell % 3],
            Band::Ghz5 => [5_180, 5_200, 5_220, 5_240, 5_260, 5_280, 5_300, 5_320][cell % 8],
            // Preferred scanning channels 5, 21, 37, …
            Band::Ghz6 => [5_975, 6_055, 6_135, 6_215, 6_295, 6_375, 6_455, 6_535][cell % 8],
        };
        Self { megahertz }
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
    ppdu: &Ppdu<P>,
    channel: Channel,
    signal: Option<Signal>,
    (subframe, has_bad_fcs): (Option<Subframe>, bool),
) -> Vec<u8> {
    let tx = ppdu.frame.tx;
    let powers = if signal.is_some() { SIGNAL | NOISE } else { 0 };
    let rate = match tx {
        TxVector::Mode(mode) => presence(mode.format()),
        TxVector::Dsss(..) | TxVector::Ofdm(_) => RATE,
    };
    let ampdu = if subframe.is_some() { AMPDU } else { 0 };
    let present = TSFT | FLAGS | rate | CHANNEL | powers | ampdu;
    let mut octets = vec![0; 4];
    octets.extend(present.to_le_bytes());
    // The specification defines the start of the MPDU. Wireshark by default assumes the end of the PPDU and
    // computes gaps from it.
    octets.extend(micros(ppdu.end).to_le_bytes());
    let is_short = matches!(tx, TxVector::Dsss(_, Preamble::Short));
    let preamble = if is_short { SHORT_PREAMBLE } else { 0 };
    octets.push(HAS_FCS | preamble | if has_bad_fcs { BAD_FCS } else { 0 });
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
            put_mode(&mut octets, mode);
            put_subframe(&mut octets, subframe);
        }
        TxVector::Mode(mode) => {
            put_subframe(&mut octets, subframe);
            put_mode(&mut octets, mode);
        }
        TxVector::Dsss(..) | TxVector::Ofdm(_) => put_subframe(&mut octets, subframe),
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

const fn presence(format: Format) -> u32 {
    match format {
        Format::Ht => MCS,
        Format::Vht => VHT,
        Format::He => HE,
        Format::Eht => TLVS,
    }
}

/// Appends the radiotap field of an HT, VHT, HE or EHT mode. Values that are not marked as known are zero.
fn put_mode(octets: &mut Vec<u8>, mode: Mode) {
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
            let ltf = match mode.ltf() {
                Some(HeLtf::X1) => 1,
                Some(HeLtf::X2) => 2,
                Some(HeLtf::X4) | None => 3,
            };
            let guard = mode.guard() as u16 - GuardInterval::Ns800 as u16;
            let width = u16::from(width.to_le_bytes()[0]);
            // Known: single user with MCS, coding and bandwidth; guard interval.
            let fields = [
                0x40a0,
                0x0002,
                u16::from(mcs) << 8 | u16::from(is_ldpc) << 13,
                0,
                width | guard << 4 | ltf << 6,
                u16::from(streams),
            ];
            octets.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
        }
        Format::Eht => put_eht(octets, mode),
    }
}

/// Appends the TLVs of an EHT PPDU for a single user. Values that are not marked as known are zero.
fn put_eht(octets: &mut Vec<u8>, mode: Mode) {
    octets.resize(octets.len().next_multiple_of(4), 0);
    // Known: bandwidth. The PPDU type, 1, means an EHT MU PPDU with one user.
    let bandwidth = mode.width() as u32;
    put_tlv(octets, U_SIG, &[0x02 | bandwidth << 15, 1 << 6, 3 << 6]);
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
    use airfair_wlan::phy::mode::Parameters;
    use airfair_wlan::phy::{GuardInterval, Width};

    use super::*;

    /// HT, VHT, HE and EHT modes each have their own radiotap field, with width, guard interval, streams and MCS.
    ///
    /// Verifies: [radiotap]
    #[test]
    fn each_format_has_its_own_field() {
        let of = |format, mcs, streams, width, guard| {
            let of = Parameters::of(format, mcs, streams, width, guard);
            let mut octets = Vec::new();
            put_mode(&mut octets, Mode::new(of).expect("a mode"));
            octets
        };
        let ht = of(Format::Ht, 7, 2, Width::Mhz40, GuardInterval::Ns400);
        assert_eq!(ht, [0x7f, 0x05, 15]);
        let vht = of(Format::Vht, 9, 2, Width::Mhz80, GuardInterval::Ns800);
        assert_eq!(vht, [0x45, 0, 0, 4, 0x92, 0, 0, 0, 0, 0, 0, 0]);
        let he = of(Format::He, 11, 1, Width::Mhz160, GuardInterval::Ns1600);
        assert_eq!(he, [0xa0, 0x40, 0x02, 0, 0, 0x2b, 0, 0, 0x93, 0, 1, 0]);
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
