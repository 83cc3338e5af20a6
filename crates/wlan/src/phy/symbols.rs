//! Number of symbols in a data field: service, tail and padding around the PSDU, and the addition of LDPC.
//! [80211-2020 §19.3.11.7.5, §21.3.10.5.4], [80211ax-2021 §27.3.12.5]

use airfair_units::Bytes;

use super::mode::{Coding, Format, Mode};
use super::modulation::ModulationAndCoding;

/// Length of the SERVICE field [bits].
const SERVICE: u64 = 16;
/// Tail bits of each convolutional encoder.
const TAIL: u64 = 6;

/// Number of symbols of a data field, and the part of the last one that carries data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// Number of symbols in the data field, `N_SYM`.
    pub count: u64,
    /// Segments of the last symbol before the decoder's extra time, 1 to 4: the pre-FEC padding factor of HE and
    /// EHT; 4 in HT and VHT. [80211ax-2021 §27.3.12.2]
    pub last_segments: u64,
}

/// Numbers of bits in the symbols of a mode, which are computed once for several PSDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SymbolBits {
    format: Format,
    coding: Coding,
    /// Code rate: data bits of so many coded bits.
    rate: (u64, u64),
    /// Data bits and coded bits of a symbol, `N_DBPS` and `N_CBPS`.
    whole: (u64, u64),
    /// Data bits and coded bits of a segment, `N_DBPS,short` and `N_CBPS,short`. HT and VHT have only whole symbols.
    /// [80211ax-2021 Table 27-33], [80211be-2024 §36.3.13.3.5]
    short: (u64, u64),
    /// Bits of the data field beside the PSDU and padding: service and tail.
    around: u64,
}

/// Symbols of the data field for a PSDU of `size`.
pub fn symbols(mode: Mode, size: Bytes) -> Symbols {
    SymbolBits::of(mode).symbols(size)
}

/// Largest PSDU whose data field has at most `count` symbols. `count` is at least 1.
pub fn largest_psdu(mode: Mode, count: u64) -> Bytes {
    let bits = SymbolBits::of(mode);
    // For the last bits LDPC may need one more symbol. The fewer bits there are, the less often it does.
    let of = |last_segments| bits.padded_psdu(Symbols { count, last_segments });
    let fits = |size: &Bytes| bits.symbols(*size).count <= count;
    [4, 3, 2, 1].into_iter().map(of).find(fits).unwrap_or_else(|| of(0))
}

/// Common symbols of the data fields of several users with these modes and PSDUs, of HE or EHT: those of the longest
/// user, with the addition of LDPC if the code of any user needs it.  [80211ax-2021 §27.3.12.5.2, §27.3.12.5.3]
pub(super) fn common_symbols(users: &[SymbolBits], sizes: &[Bytes]) -> Symbols {
    let of = |(bits, size): (&SymbolBits, &Bytes)| bits.before_addition(bits.data_field(*size));
    let longest = |it: &Symbols| (it.count, it.last_segments);
    let first = users.iter().zip(sizes).map(of).max_by_key(longest).expect("a user");
    let more = users.iter().any(|bits| bits.needs_more(0, first));
    if more { users[0].with_addition(first) } else { first }
}

/// Symbols that the data of users with these modes, of HE or EHT, may fill so that all symbols are at most `count`: the
/// last one only up to its third segment if the code of a user would add to a full one.
pub(super) fn full_symbols(users: &[SymbolBits], count: u64) -> Symbols {
    let full = Symbols { count, last_segments: 4 };
    let more = users.iter().any(|bits| bits.needs_more(0, full));
    Symbols { last_segments: if more { 3 } else { 4 }, ..full }
}

impl SymbolBits {
    pub(super) fn of(mode: Mode) -> Self {
        let (format, coding) = (mode.format(), mode.coding());
        let ModulationAndCoding { constellation, code_rate } = mode.modulation();
        let rate @ (data, coded) = code_rate.fraction();
        let of = |coded_bits: u64| (coded_bits * data / coded, coded_bits);
        let whole = of(mode.coded_bits());
        let short = if format.has_units() {
            let subcarriers = mode.unit().short_subcarriers(mode.width());
            of(subcarriers * constellation.bits() * u64::from(mode.streams()))
        } else {
            whole
        };
        let around = SERVICE + TAIL * mode.encoders();
        Self { format, coding, rate, whole, short, around }
    }

    /// Symbols of the data field for a PSDU of `size`.
    fn symbols(&self, size: Bytes) -> Symbols {
        let bits = self.data_field(size);
        let first = self.before_addition(bits);
        if self.needs_more(bits, first) { self.with_addition(first) } else { first }
    }

    /// Largest PSDU whose data fill these symbols, without the addition of LDPC.
    pub(super) fn padded_psdu(&self, symbols: Symbols) -> Bytes {
        Bytes::new(self.held(symbols).0.saturating_sub(self.around) / 8)
    }

    /// Data bits and coded bits that these symbols hold.
    fn held(&self, Symbols { count, last_segments }: Symbols) -> (u64, u64) {
        let ((data, coded), (short_data, short_coded)) = (self.whole, self.short);
        if last_segments == 4 {
            return (count * data, count * coded);
        }
        let (whole, short) = (count - 1, last_segments);
        (whole * data + short * short_data, whole * coded + short * short_coded)
    }

    /// Bits of the data field without padding: service, PSDU and tail.
    fn data_field(&self, size: Bytes) -> u64 {
        size.bits() + self.around
    }

    /// Symbols that the bits of the data field fill, `N_SYM,init` and `a_init`.  [80211ax-2021 §27.3.12.5.1]
    fn before_addition(&self, bits: u64) -> Symbols {
        let (whole, excess) = (bits / self.whole.0, bits % self.whole.0);
        let is_full = excess == 0 || !self.format.has_units();
        let last_segments = if is_full { 4 } else { excess.div_ceil(self.short.0).min(4) };
        Symbols { count: whole + u64::from(excess > 0), last_segments }
    }

    /// Symbols with the addition of LDPC: a segment in HE and EHT, or a symbol in HT and VHT.
    fn with_addition(&self, Symbols { count, last_segments }: Symbols) -> Symbols {
        match last_segments {
            4 if self.format.has_units() => Symbols { count: count + 1, last_segments: 1 },
            4 => Symbols { count: count + 1, last_segments: 4 },
            _ => Symbols { count, last_segments: last_segments + 1 },
        }
    }

    /// True if LDPC would have to puncture so many parity bits that the standard requires one more symbol or segment.
    /// Only in HT does this depend on the data bits: the later formats also encode their padding.
    /// [80211-2020 §19.3.11.7.5 steps a to d, §21.3.10.5.4], [80211ax-2021 §27.3.12.5.2]
    fn needs_more(&self, bits: u64, first: Symbols) -> bool {
        if self.coding == Coding::Bcc {
            return false;
        }
        let (data, coded) = self.rate;
        let parity = coded - data;
        // Data bits to encode, `N_pld`, and bits that the symbols hold, `N_avbits`.
        let (padded, available) = self.held(first);
        let payload = if self.format == Format::Ht { bits } else { padded };
        let (words, length) = codewords(payload, available, (data, coded));
        let total = words * length;
        // Shortened bits are data bits of codewords that are known zeros. Punctured bits are parity bits that are not
        // sent.
        let shortened = (total * data / coded).saturating_sub(payload);
        let punctured = total.saturating_sub(available + shortened);
        let share = 10 * punctured * coded;
        (share > total * parity && 10 * shortened * parity < 12 * punctured * data)
            || share > 3 * total * parity
    }
}

/// Number and length of the codewords.  [80211-2020 Table 19-16]
fn codewords(payload: u64, available: u64, (data, coded): (u64, u64)) -> (u64, u64) {
    // True if the symbols hold the parity bits of `whole` coded bits beside the data.
    let has_room = |whole: u64| available.saturating_sub(payload) * coded >= whole * (coded - data);
    match available {
        0..=648 => (1, if has_room(912) { 1_296 } else { 648 }),
        649..=1_296 => (1, if has_room(1_464) { 1_944 } else { 1_296 }),
        1_297..=1_944 => (1, 1_944),
        1_945..=2_592 => (2, if has_room(2_916) { 1_944 } else { 1_296 }),
        _ => ((payload * coded).div_ceil(1_944 * data), 1_944),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::GuardInterval::Ns800;
    use crate::phy::Width;
    use crate::phy::mode::Parameters;

    fn mode(format: Format, mcs: u8, width: Width, coding: Coding) -> Mode {
        let of = Parameters { coding, ..Parameters::of(format, mcs, 1, width, Ns800) };
        Mode::new(of).expect("a mode of the standard")
    }

    /// A packet of 1500 octets takes 47 symbols with BCC and with LDPC. HT MCS 7, 20 MHz: 12 000 + 16 + 6 = 12 022
    /// bits; /260 = 46.2 → 47 symbols. LDPC: 12 016/260 → 47 symbols of 312 = 14 664 bits. 12 016/(1944·5/6) = 7.4 → 8
    /// codewords, 15 552 bits with 12 960 of data; 944 are shortened, and none is punctured: 15 552 - 14 664 - 944 < 0.
    ///
    /// Verifies: [80211-2020 §19.3.11.7.5]
    #[test]
    fn an_ordinary_packet_takes_as_many_symbols_with_either_code() {
        let of = |coding| symbols(mode(Format::Ht, 7, Width::Mhz20, coding), Bytes::new(1_500));
        assert_eq!(of(Coding::Bcc), Symbols { count: 47, last_segments: 4 });
        assert_eq!(of(Coding::Ldpc), of(Coding::Bcc));
    }

    /// A PSDU takes one more symbol with LDPC if too many parity bits of its codeword would be punctured. VHT MCS 0 at
    /// 20 MHz: 100 octets, 816 bits at 26 per symbol → 32 symbols: 832 data bits in 1664, one codeword of 1944. 972 -
    /// 832 = 140 are shortened, and 1944 - 1664 - 140 = 140 are punctured: 14.4 % of 972 parity bits, and 140 <
    /// 1.2·140.
    ///
    /// Verifies: [80211-2020 §21.3.10.5.4]
    #[test]
    fn a_codeword_with_too_few_parity_bits_takes_a_symbol_more() {
        let of =
            |coding| symbols(mode(Format::Vht, 0, Width::Mhz20, coding), Bytes::new(100)).count;
        assert_eq!((of(Coding::Bcc), of(Coding::Ldpc)), (32, 33));
    }

    /// The data fills a number of segments of HE's last symbol. HE MCS 0 at 20 MHz, 117 bits per symbol and 30 per
    /// segment. 14 octets: 112 + 22 = 134 = 117 + 17 → 2 symbols, one segment. 26 octets: 208 + 22 = 230 = 117 + 113,
    /// and 113/30 → 4 segments.
    ///
    /// Verifies: [80211ax-2021 §27.3.12.5.1]
    #[test]
    fn the_last_symbol_of_he_is_counted_in_segments() {
        let of = |size| symbols(mode(Format::He, 0, Width::Mhz20, Coding::Bcc), Bytes::new(size));
        assert_eq!(of(14), Symbols { count: 2, last_segments: 1 });
        assert_eq!(of(26), Symbols { count: 2, last_segments: 4 });
    }

    #[test]
    fn the_largest_psdu_of_so_many_symbols_is_the_largest() {
        for format in Format::ALL {
            for coding in [Coding::Bcc, Coding::Ldpc] {
                for mcs in [0, 4, 7] {
                    let mode = mode(format, mcs, Width::Mhz20, coding);
                    for count in 3..60 {
                        let most = largest_psdu(mode, count);
                        let next = most + Bytes::new(1);
                        assert!(symbols(mode, most).count <= count);
                        let is_exact = symbols(mode, next).count > count;
                        assert!(is_exact || coding == Coding::Ldpc, "{mode:?} {count}");
                    }
                }
            }
        }
    }
}
