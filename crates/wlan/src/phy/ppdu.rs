//! Time on the air of an HT, VHT, HE or EHT PPDU, field by field, and the largest PPDUs. [80211-2020 §19.4.3, §21.4.3],
//! [80211ax-2021 §27.4.3], [80211be-2024 §36.4.3]

use airfair_units::{Bytes, Duration};

use super::mode::{Format, HeLtf, Mode, PpduKind};
use super::symbols::{Symbols, largest_psdu, symbols};
use super::{Band, GuardInterval};

/// Longest PPDU, aPPDUMaxTime, as L-SIG can announce it.  [80211-2020 Table 19-25, Table 21-28], [80211ax-2021 Table
/// 27-54]
pub const MAX_PPDU_DURATION: Duration = Duration::from_micros(5_484);

/// Duration of L-STF, L-LTF and L-SIG, which are OFDM's.  [80211-2020 Table 19-6]
pub(super) const LEGACY_PREAMBLE: Duration = Duration::from_micros(20);
/// Duration of a symbol of a signal field. A data field with the short guard interval lasts a multiple of this
/// duration.
pub(super) const SIGNAL_SYMBOL: Duration = Duration::from_micros(4);

/// Nominal packet padding: time after the last bits that a receiver of HE or EHT requires.  [80211ax-2021 §27.3.13]
///
/// Receivers announce the padding in their capabilities for each constellation; in this model a link has one value. The
/// default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PacketPadding {
    /// Padding of 0 µs.
    #[default]
    None,
    /// Padding of 8 µs.
    Us8,
    /// Padding of 16 µs.
    Us16,
}

impl PacketPadding {
    /// Packet extension after a last symbol with this number of used segments, under this nominal padding.
    /// [80211ax-2021 Table 27-46]
    pub(super) const fn extension(self, last_segments: u64) -> Duration {
        Duration::from_micros(match self {
            Self::None => 0,
            Self::Us8 => 4 * last_segments.saturating_sub(2),
            Self::Us16 => 4 * last_segments,
        })
    }
}

/// Number of long training symbols for this number of streams.  [80211-2020 Table 19-13, Table 21-13], [80211ax-2021
/// §27.3.11.10]
pub const fn training_symbols(streams: u8) -> u64 {
    match streams {
        0..=2 => streams as u64,
        3..=4 => 4,
        5..=6 => 6,
        _ => 8,
    }
}

/// Duration of all fields of a PPDU before the data field. For a user of an MU PPDU it is the duration without HE-SIG-B
/// or EHT-SIG; [`MultiUser::preamble`](super::multi_user::MultiUser::preamble) knows all users.
///
/// ```text
///   HT      legacy 20 │ HT-SIG 8 │ HT-STF 4 │ HT-LTF 4 each
///   VHT     legacy 20 │ VHT-SIG-A 8 │ VHT-STF 4 │ VHT-LTF 4 each │ VHT-SIG-B 4
///   HE      legacy 20 │ RL-SIG 4 │ HE-SIG-A 8 │ HE-STF 4 │ HE-LTF 3.2, 6.4, 12.8 and a guard interval each
///   EHT     legacy 20 │ RL-SIG 4 │ U-SIG 8 │ EHT-SIG 4 each │ EHT-STF 4 │ EHT-LTF as in HE
/// ```
/// [80211-2020 §19.3.2, §21.3.2], [80211ax-2021 §27.3.4], [80211be-2024 §36.3.5]
pub fn preamble(mode: Mode) -> Duration {
    let us = Duration::from_micros;
    let trained = training_symbols(mode.streams());
    match mode.format() {
        Format::Ht => LEGACY_PREAMBLE + us(8 + 4) + us(4) * trained,
        Format::Vht => LEGACY_PREAMBLE + us(8 + 4 + 4) + us(4) * trained,
        Format::He | Format::Eht => preamble_of_users(mode, mode.streams(), eht_sig(mode)),
    }
}

/// Symbols of EHT-SIG in a PPDU for a single user; none in other PPDUs. Its 52 bits are the common field without OFDMA,
/// 20, the user field, 22, CRC, 4, and tail, 6. They take two symbols of 26 bits at MCS 0, and one at MCS 1, at which
/// EHT-SIG is sent if the data is at MCS 1 or above.  [80211be-2024 §36.3.12.8]
fn eht_sig(mode: Mode) -> u64 {
    match (mode.format(), mode.kind(), mode.mcs()) {
        (Format::Eht, PpduKind::Single, 0) => 2,
        (Format::Eht, PpduKind::Single, _) => 1,
        _ => 0,
    }
}

/// Preamble of HE and EHT with this number of streams to train, and with `signal` symbols of HE-SIG-B or EHT-SIG. The
/// short training field of a trigger-based PPDU lasts 8 µs, that of others 4 µs.  [80211ax-2021 §27.3.4], [80211be-2024
/// §36.3.5]
pub(super) fn preamble_of_users(mode: Mode, streams: u8, signal: u64) -> Duration {
    let short = if mode.kind() == PpduKind::Triggered { 8 } else { 4 };
    let ltf = mode.ltf().map_or(Duration::ZERO, HeLtf::duration) + mode.guard().duration();
    LEGACY_PREAMBLE
        + Duration::from_micros(4 + 8 + short)
        + SIGNAL_SYMBOL * signal
        + ltf * training_symbols(streams)
}

/// Time on the air, TXTIME, of a PPDU with a PSDU of this size, signal extension included.
// Not inlined, so that frames of legacy vectors do not pay for it.
#[inline(never)]
pub fn duration(mode: Mode, psdu: Bytes, band: Band, padding: PacketPadding) -> Duration {
    let symbols = symbols(mode, psdu);
    preamble(mode) + data_field(mode, symbols) + tail(mode, symbols, band, padding)
}

/// Duration of the data symbols. With the short guard interval of HT and VHT it is a multiple of 4 µs, the long symbol.
/// [80211-2020 §19.4.3, §21.4.3]
fn data_field(mode: Mode, Symbols { count, .. }: Symbols) -> Duration {
    let time = mode.symbol() * count;
    if mode.guard() == GuardInterval::Ns400 {
        SIGNAL_SYMBOL * time.as_nanos().div_ceil(SIGNAL_SYMBOL.as_nanos())
    } else {
        time
    }
}

/// Duration of the packet extension of HE and EHT, and of the band's signal extension, after the data field.
pub(super) fn tail(mode: Mode, symbols: Symbols, band: Band, padding: PacketPadding) -> Duration {
    let extension = match mode.format() {
        Format::He | Format::Eht => padding.extension(symbols.last_segments),
        Format::Ht | Format::Vht => Duration::ZERO,
    };
    extension + band.signal_extension()
}

/// Largest PSDU whose PPDU takes at most `limit`; `None` if the preamble alone takes longer.
pub fn largest_psdu_within(
    mode: Mode,
    limit: Duration,
    band: Band,
    padding: PacketPadding,
) -> Option<Bytes> {
    // The packet extension is at most that of a full last symbol.
    let full = Symbols { count: 1, last_segments: 4 };
    let around = preamble(mode) + tail(mode, full, band, padding);
    let count = limit.saturating_sub(around).whole_steps(mode.symbol());
    let fits = |count: &u64| {
        let size = largest_psdu(mode, *count);
        !size.is_zero() && duration(mode, size, band, padding) <= limit
    };
    // Rounding to long symbols costs at most one short symbol, and another one if the next would have ended on a
    // multiple.
    let best = (count.saturating_sub(2)..=count).rev().find(|count| *count > 0 && fits(count))?;
    Some(largest_psdu(mode, best).min(max_psdu(mode.format())))
}

/// Largest PSDU of a format, aPSDUMaxLength.  [80211-2020 Table 19-25, Table 21-28], [80211ax-2021 Table 27-54],
/// [80211be-2024 §36.4.4]
pub const fn max_psdu(format: Format) -> Bytes {
    Bytes::new(match format {
        Format::Ht => 65_535,
        Format::Vht => 4_692_480,
        Format::He => 6_500_631,
        Format::Eht => 15_523_200,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::mode::{Coding, Parameters};
    use crate::phy::{GuardInterval, Unit, Width};
    use GuardInterval::{Ns400, Ns800, Ns1600, Ns3200};

    fn bcc(format: Format, mcs: u8, streams: u8, width: Width, guard: GuardInterval) -> Mode {
        let of = Parameters::of(format, mcs, streams, width, guard);
        Mode::new(Parameters { coding: Coding::Bcc, ..of }).expect("a mode of the standard")
    }

    fn ns(mode: Mode, octets: u64, band: Band) -> u64 {
        duration(mode, Bytes::new(octets), band, PacketPadding::None).as_nanos()
    }

    /// Duration of an HT PPDU in mixed format. Preamble 20 + 8 + 4 + 4·2 = 40 µs. 1538 octets at MCS 15, 20 MHz:
    /// 12 304 + 22 = 12 326 bits at 520 per symbol → 24 symbols. Long guard interval: 96 µs. Short: 24·3.6 = 86.4 →
    /// 88 µs. At 2.4 GHz 6 µs more.
    ///
    /// Verifies: [80211-2020 §19.4.3]
    #[test]
    fn ht_in_mixed_format() {
        let at = |guard, band| ns(bcc(Format::Ht, 7, 2, Width::Mhz20, guard), 1_538, band);
        assert_eq!(at(Ns800, Band::Ghz5), 136_000);
        assert_eq!(at(Ns400, Band::Ghz5), 128_000);
        assert_eq!(at(Ns400, Band::Ghz2), 134_000);
    }

    /// Duration of the longest HT aggregate with three streams. Three streams have four LTFs: 20 + 12 + 16 = 48 µs. MCS
    /// 23 at 40 MHz has two encoders: 65 535 octets are 524 280 + 16 + 12 = 524 308 bits at 1620 per symbol → 324
    /// symbols, 1296 µs; short 1166.4 → 1168 µs.
    ///
    /// Verifies: [80211-2020 §19.4.3]
    #[test]
    fn the_longest_aggregate_of_ht_with_three_streams() {
        let at = |guard| ns(bcc(Format::Ht, 7, 3, Width::Mhz40, guard), 65_535, Band::Ghz5);
        assert_eq!((at(Ns800), at(Ns400)), (1_344_000, 1_216_000));
    }

    /// Duration of a VHT PPDU with one stream. Preamble 20 + 8 + 4 + 4 + 4 = 40 µs. 1536 octets at MCS 9, 80 MHz:
    /// 12 288 + 22 = 12 310 bits at 1560 per symbol → 8 symbols: 32 µs, short 28.8 → 32 µs.
    ///
    /// Verifies: [80211-2020 §21.4.3]
    #[test]
    fn vht_with_one_stream() {
        let at = |guard| ns(bcc(Format::Vht, 9, 1, Width::Mhz80, guard), 1_536, Band::Ghz5);
        assert_eq!((at(Ns800), at(Ns400)), (72_000, 72_000));
    }

    /// Duration of a VHT PPDU with eight streams and twelve encoders. Eight LTFs: 36 + 32 = 68 µs. MCS 9 at 160 MHz has
    /// 24 960 bits per symbol. 100 000 octets: 800 000 + 16 + 72 = 800 088 bits → 33 symbols, 132 µs.
    ///
    /// Verifies: [80211-2020 §21.4.3]
    #[test]
    fn vht_with_eight_streams() {
        let mode = bcc(Format::Vht, 9, 8, Width::Mhz160, Ns800);
        assert_eq!(mode.encoders(), 12);
        assert_eq!(ns(mode, 100_000, Band::Ghz5), 200_000);
    }

    /// Duration of an HE PPDU with one stream, for each guard interval. Preamble 20 + 4 + 8 + 4 = 36 µs, and one LTF of
    /// 6.4 + 0.8 = 7.2 µs. 1536 octets at MCS 7, 20 MHz, BCC: 12 310 bits at 1170 per symbol → 11 symbols. Symbols of
    /// 13.6 µs: 149.6 µs; of 14.4 µs: 158.4, with 8.0 of LTF; of 16 µs: 176, with 12.8 + 3.2 = 16 of LTF.
    ///
    /// Verifies: [80211ax-2021 §27.4.3]
    #[test]
    fn he_with_one_stream_and_each_guard_interval() {
        let at = |guard, band| ns(bcc(Format::He, 7, 1, Width::Mhz20, guard), 1_536, band);
        assert_eq!(at(Ns800, Band::Ghz5), 36_000 + 7_200 + 149_600);
        assert_eq!(at(Ns1600, Band::Ghz5), 36_000 + 8_000 + 158_400);
        assert_eq!(at(Ns3200, Band::Ghz5), 36_000 + 16_000 + 176_000);
        assert_eq!(at(Ns800, Band::Ghz2), 36_000 + 7_200 + 149_600 + 6_000);
    }

    /// Duration of an EHT PPDU for a single user. Preamble 20 + 4 + 8 + 4 = 36 µs, EHT-SIG of two symbols at MCS 0 and
    /// one above, 8 or 4 µs, and one LTF of 7.2 µs. 1536 octets, 12 304 bits with LDPC: at MCS 13, 80 MHz, 9800 per
    /// symbol → 2 symbols; at MCS 0, 320 MHz, 1960 → 7 symbols. In 996+484+242 tones of 160 MHz at MCS 0: 841 → 15
    /// symbols.
    ///
    /// Verifies: [80211be-2024 §36.4.3]
    #[test]
    fn eht_with_one_user() {
        let of = |mcs, width, unit| {
            let of = Parameters::of(Format::Eht, mcs, 1, width, Ns800);
            let mode = Mode::new(Parameters { unit, ..of }).expect("a mode of the standard");
            ns(mode, 1_536, Band::Ghz5)
        };
        assert_eq!(of(13, Width::Mhz80, Unit::Full), 36_000 + 4_000 + 7_200 + 2 * 13_600);
        assert_eq!(of(0, Width::Mhz320, Unit::Full), 36_000 + 8_000 + 7_200 + 7 * 13_600);
        let punctured = of(0, Width::Mhz160, Unit::Tones996And484And242);
        assert_eq!(punctured, 36_000 + 8_000 + 7_200 + 15 * 13_600);
    }

    /// Preamble of a trigger-based PPDU, whose STF lasts 8 µs: 20 + 4 + 8 + 8 = 40 µs, and LTFs: 1x 3.2 + 1.6 = 4.8
    /// µs, 2x 8 µs and 4x 16 µs, four of them for three streams.
    ///
    /// Verifies: [80211ax-2021 §27.3.4], [80211be-2024 §36.3.5]
    #[test]
    fn a_trigger_based_ppdu_has_a_longer_short_training_field() {
        let of = |format, streams, guard, ltf| {
            let of = Parameters::of(format, 5, streams, Width::Mhz20, guard);
            let (unit, kind, ltf) = (Unit::Tones106, PpduKind::Triggered, Some(ltf));
            preamble(Mode::new(Parameters { ltf, unit, kind, ..of }).expect("a mode")).as_nanos()
        };
        assert_eq!(of(Format::He, 1, Ns1600, HeLtf::X1), 44_800);
        assert_eq!(of(Format::He, 2, Ns1600, HeLtf::X2), 56_000);
        assert_eq!(of(Format::Eht, 3, Ns3200, HeLtf::X4), 104_000);
    }

    /// The packet extension of HE follows from the nominal padding and the segments used in the last symbol. 1536
    /// octets with BCC are 12 310 bits. At 1170 per symbol they end 610 bits into the last symbol, which has segments
    /// of 300: three segments.
    ///
    /// Verifies: [80211ax-2021 Table 27-46]
    #[test]
    fn a_packet_extension_gives_the_receiver_its_time() {
        let mode = bcc(Format::He, 7, 1, Width::Mhz20, Ns800);
        let at = |padding| duration(mode, Bytes::new(1_536), Band::Ghz5, padding);
        let without = at(PacketPadding::None);
        assert_eq!(at(PacketPadding::Us8), without + Duration::from_micros(4));
        assert_eq!(at(PacketPadding::Us16), without + Duration::from_micros(12));
    }

    #[test]
    fn the_largest_psdu_within_a_time_is_the_largest() {
        let limits = [60, 100, 547, 1_000, 3_008, 5_484].map(Duration::from_micros);
        for format in Format::ALL {
            for guard in format.guard_intervals() {
                for mode in Mode::all(format, Width::Mhz20, *guard).take(40) {
                    for limit in limits {
                        for band in Band::ALL {
                            holds(mode, limit, band);
                        }
                    }
                }
            }
        }
    }

    /// Checks that the largest PSDU whose PPDU takes at most `limit` fits, and that one with a symbol more does not.
    fn holds(mode: Mode, limit: Duration, band: Band) {
        let padding = PacketPadding::None;
        let time = |size| duration(mode, size, band, padding);
        let found = largest_psdu_within(mode, limit, band, padding);
        let Some(size) = found else {
            return assert!(time(Bytes::new(1)) > limit, "{mode:?} {limit:?}");
        };
        let beyond =
            if mode.coding() == Coding::Ldpc { mode.data_bits().div_ceil(8) + 1 } else { 1 };
        let is_largest = time(size + Bytes::new(beyond)) > limit || size == max_psdu(mode.format());
        assert!(time(size) <= limit && is_largest, "{mode:?} {limit:?} {size}");
    }

    /// The data fields of PPDUs have as many symbols as in the tests of ns-3, for 1536, 76 and 14 octets in one stream.
    /// The durations differ by conventions of ns-3: no VHT-SIG-B, no rounding to 4 µs with short symbols, HE-LTFs of 8
    /// µs, and a tail of 6 bits in HE with either code.
    ///
    /// Verifies: [ns-3]
    #[test]
    fn symbols_are_as_many_as_in_ns_3() {
        use Format::{He, Ht, Vht};
        use Width::{Mhz20, Mhz40, Mhz80, Mhz160};
        let published = [
            (Ht, 7, Mhz20, Ns800, [228_000, 48_000, 40_000]),
            (Ht, 0, Mhz20, Ns400, [1_742_400, 126_000, 57_600]),
            (Ht, 6, Mhz20, Ns400, [226_800, 46_800, 39_600]),
            (Ht, 7, Mhz40, Ns800, [128_000, 44_000, 40_000]),
            (Ht, 7, Mhz40, Ns400, [118_800, 43_200, 39_600]),
            (Vht, 8, Mhz20, Ns800, [196_000, 48_000, 40_000]),
            (Vht, 8, Mhz20, Ns400, [180_000, 46_800, 39_600]),
            (Vht, 9, Mhz40, Ns800, [108_000, 40_000, 40_000]),
            (Vht, 9, Mhz40, Ns400, [100_800, 39_600, 39_600]),
            (Vht, 0, Mhz80, Ns800, [460_000, 60_000, 44_000]),
            (Vht, 0, Mhz80, Ns400, [417_600, 57_600, 43_200]),
            (Vht, 9, Mhz80, Ns800, [68_000, 40_000, 40_000]),
            (Vht, 9, Mhz80, Ns400, [64_800, 39_600, 39_600]),
            (Vht, 8, Mhz160, Ns800, [56_000, 40_000, 40_000]),
            (Vht, 8, Mhz160, Ns400, [54_000, 39_600, 39_600]),
            (He, 0, Mhz20, Ns800, [1_485_600, 125_600, 71_200]),
            (He, 0, Mhz40, Ns800, [764_800, 84_800, 57_600]),
            (He, 0, Mhz80, Ns800, [397_600, 71_200, 57_600]),
            (He, 0, Mhz160, Ns800, [220_800, 57_600, 57_600]),
            (He, 0, Mhz20, Ns1600, [1_570_400, 130_400, 72_800]),
            (He, 0, Mhz40, Ns1600, [807_200, 87_200, 58_400]),
            (He, 0, Mhz80, Ns1600, [418_400, 72_800, 58_400]),
            (He, 0, Mhz160, Ns1600, [231_200, 58_400, 58_400]),
            (He, 0, Mhz20, Ns3200, [1_740_000, 140_000, 76_000]),
            (He, 0, Mhz40, Ns3200, [892_000, 92_000, 60_000]),
            (He, 0, Mhz80, Ns3200, [460_000, 76_000, 60_000]),
            (He, 0, Mhz160, Ns3200, [252_000, 60_000, 60_000]),
            (He, 11, Mhz20, Ns800, [139_200, 57_600, 57_600]),
            (He, 11, Mhz40, Ns800, [98_400, 57_600, 57_600]),
            (He, 11, Mhz80, Ns800, [71_200, 57_600, 57_600]),
            (He, 11, Mhz160, Ns800, [57_600, 57_600, 57_600]),
            (He, 11, Mhz20, Ns1600, [144_800, 58_400, 58_400]),
            (He, 11, Mhz40, Ns1600, [101_600, 58_400, 58_400]),
            (He, 11, Mhz80, Ns1600, [72_800, 58_400, 58_400]),
            (He, 11, Mhz160, Ns1600, [58_400, 58_400, 58_400]),
            (He, 11, Mhz20, Ns3200, [156_000, 60_000, 60_000]),
            (He, 11, Mhz40, Ns3200, [108_000, 60_000, 60_000]),
            (He, 11, Mhz80, Ns3200, [76_000, 60_000, 60_000]),
            (He, 11, Mhz160, Ns3200, [60_000, 60_000, 60_000]),
        ];
        for (format, mcs, width, guard, durations) in published {
            let mode = Mode::new(Parameters::of(format, mcs, 1, width, guard)).expect("a mode");
            let trained = mode.ltf().map_or(Duration::ZERO, |it| it.duration() + guard.duration());
            let (left_out, others) = match format {
                Ht => (Duration::ZERO, Duration::ZERO),
                Vht => (Duration::from_micros(4), Duration::ZERO),
                He | Format::Eht => (trained, Duration::from_micros(8)),
            };
            for (octets, published) in [1_536, 76, 14].into_iter().zip(durations) {
                let size = Bytes::new(octets);
                let count = if format == He {
                    (size.bits() + 22).div_ceil(mode.data_bits())
                } else {
                    symbols(mode, size).count
                };
                let here = preamble(mode) - left_out + others + mode.symbol() * count;
                assert_eq!(here.as_nanos(), published, "{mode:?} {octets}");
            }
        }
    }
}
