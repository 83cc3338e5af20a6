//! Length of trigger-based PPDUs: the announcement of an access point, and the symbols that a station derives from it.
//! [80211ax-2021 §26.5.2.3, §27.3.11.5.2, §27.3.13], [80211be-2024 §36.3.12.5]

use airfair_units::Duration;

use super::format::Format;
use super::multi_user::MultiUser;
use super::ppdu::{LEGACY_PREAMBLE, PacketPadding, SIGNAL_SYMBOL};
use super::symbols::Symbols;

/// Fields of a trigger that announce the length of the PPDUs that it solicits.
///
/// L-SIG counts symbols of 4 µs, with three octets each. The UL Length is the LENGTH of L-SIG in HE TB PPDUs, whose
/// remainder by three is 1. EHT TB PPDUs have 2 more, so that a receiver tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UlLength {
    /// UL Length [octets].
    pub octets: u16,
    /// PE Disambiguity: packet extension and rounding together are at least a symbol long.
    pub disambiguity: bool,
}

impl UlLength {
    /// Announcement of PPDUs with these symbols.
    ///
    /// # Panics
    /// If the PPDUs take longer than [`MAX_PPDU_DURATION`](super::ppdu::MAX_PPDU_DURATION).
    pub fn of(ppdu: &MultiUser, symbols: Symbols, padding: PacketPadding) -> Self {
        let symbol = ppdu.modes()[0].symbol();
        let extension = padding.extension(symbols.last_segments);
        let after_legacy = ppdu.preamble() + symbol * symbols.count + extension - LEGACY_PREAMBLE;
        let steps = after_legacy.as_nanos().div_ceil(SIGNAL_SYMBOL.as_nanos());
        let rounding = SIGNAL_SYMBOL * steps - after_legacy;
        let octets = u16::try_from(3 * steps - 5).ok().filter(|octets| *octets < 4_096);
        let octets = octets.expect("L-SIG has room for the duration");
        Self { octets, disambiguity: extension + rounding >= symbol }
    }

    /// Number of symbols of the data field, and duration of the packet extension, of each solicited PPDU.
    pub fn symbols(self, ppdu: &MultiUser) -> (u64, Duration) {
        let symbol = ppdu.modes()[0].symbol();
        let after_legacy = SIGNAL_SYMBOL * (u64::from(self.octets + 5) / 3);
        let after_preamble = after_legacy - (ppdu.preamble() - LEGACY_PREAMBLE);
        let count = after_preamble.whole_steps(symbol) - u64::from(self.disambiguity);
        let rest = after_preamble - symbol * count;
        (count, SIGNAL_SYMBOL * rest.whole_steps(SIGNAL_SYMBOL))
    }

    /// LENGTH of L-SIG in the solicited PPDUs.
    pub fn l_sig(self, format: Format) -> u16 {
        if format == Format::Eht { self.octets + 2 } else { self.octets }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::mode::Parameters;
    use crate::phy::{Band, GuardInterval, Mode, PpduKind, Unit, Width};

    fn triggered(format: Format, guard: GuardInterval, unit: Unit) -> MultiUser {
        let of = Parameters::of(format, 0, 1, Width::Mhz20, guard);
        let mode = Mode::new(Parameters { unit, kind: PpduKind::Triggered, ..of });
        MultiUser::new(&[mode.expect("a mode of a unit")]).expect("a user")
    }

    /// Announcement of 69 symbols of 14.4 µs after a preamble of 48 µs: 28 + 993.6 = 1021.6 µs after the legacy
    /// preamble are 256 steps of 4 µs, 3·256 - 5 = 763 octets. A station reads 1024 µs; 996/14.4 = 69.2 → 69 symbols,
    /// and 2.4 µs remain, no packet extension. In EHT TB the LENGTH is 765, a multiple of three. With a packet
    /// extension of 16 µs: 1037.6 µs → 260 steps, 775 octets. A station reads 1040 - 28 = 1012 µs, which would hold 70
    /// symbols, so that the disambiguity takes one away: 18.4 µs remain, 16 of packet extension.
    ///
    /// Verifies: [80211ax-2021 §27.3.11.5.2, §27.3.13], [80211be-2024 §36.3.12.5]
    #[test]
    fn a_station_reads_the_symbols_that_the_trigger_announces() {
        let of = |format| triggered(format, GuardInterval::Ns1600, Unit::Tones26);
        let symbols = Symbols { count: 69, last_segments: 4 };
        let he = UlLength::of(&of(Format::He), symbols, PacketPadding::None);
        assert_eq!(he, UlLength { octets: 763, disambiguity: false });
        assert_eq!(he.symbols(&of(Format::He)), (69, Duration::ZERO));
        assert_eq!((he.l_sig(Format::He), he.l_sig(Format::Eht)), (763, 765));
        let padded = UlLength::of(&of(Format::Eht), symbols, PacketPadding::Us16);
        assert_eq!(padded, UlLength { octets: 775, disambiguity: true });
        assert_eq!(padded.symbols(&of(Format::Eht)), (69, Duration::from_micros(16)));
    }

    /// Every number of symbols with every packet extension is read as it was announced, up to the longest PPDU, whose
    /// LENGTH fits 12 bits: 3·1366 - 5 = 4093 octets.
    #[test]
    fn every_length_is_read_as_it_was_announced() {
        for guard in [GuardInterval::Ns1600, GuardInterval::Ns3200] {
            let ppdu = triggered(Format::He, guard, Unit::Full);
            for padding in [PacketPadding::None, PacketPadding::Us8, PacketPadding::Us16] {
                for last_segments in 1..=4 {
                    for count in 1..330 {
                        let symbols = Symbols { count, last_segments };
                        let read = UlLength::of(&ppdu, symbols, padding).symbols(&ppdu);
                        assert_eq!(read, (count, padding.extension(last_segments)));
                    }
                }
            }
            let longest = crate::phy::ppdu::MAX_PPDU_DURATION;
            let room = ppdu.room(longest, Band::Ghz5, PacketPadding::None).expect("room");
            let octets = UlLength::of(&ppdu, room, PacketPadding::None).octets;
            assert!((4_080..=4_093).contains(&octets), "{octets}");
        }
    }
}
