//! Resource units: groups of tones, the data and pilot subcarriers of HE and EHT. A user of a PPDU has the full width,
//! a resource unit (RU) or, in EHT, a multiple resource unit (MRU).  [80211ax-2021 §27.3.2], [80211be-2024 §36.3.2]

use std::fmt;

use airfair_units::Decibels;

use super::Width;
use super::format::{Format, PpduKind};

/// Part of a PPDU's width that carries the data of a user, by its number of tones. The variants after the full width
/// are in the order of radiotap's RU/MRU sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Full width of the PPDU.
    #[default]
    Full,
    /// 26 tones, 2 MHz.
    Tones26,
    /// 52 tones, 4 MHz.
    Tones52,
    /// 106 tones, 8 MHz.
    Tones106,
    /// 242 tones, 20 MHz.
    Tones242,
    /// 484 tones, 40 MHz.
    Tones484,
    /// 996 tones, 80 MHz.
    Tones996,
    /// Twice 996 tones, 160 MHz.
    Tones2x996,
    /// Four times 996 tones, 320 MHz, in EHT.
    Tones4x996,
    /// 52 + 26 tones, in EHT.
    Tones52And26,
    /// 106 + 26 tones, in EHT.
    Tones106And26,
    /// 484 + 242 tones, 60 of 80 MHz, in EHT.
    Tones484And242,
    /// 996 + 484 tones, 120 of 160 MHz, in EHT.
    Tones996And484,
    /// 996 + 484 + 242 tones, 140 of 160 MHz, in EHT; only for all users of a PPDU.
    Tones996And484And242,
    /// Twice 996 + 484 tones, 200 of 320 MHz, in EHT.
    Tones2x996And484,
    /// Three times 996 tones, 240 of 320 MHz, in EHT.
    Tones3x996,
    /// Three times 996 + 484 tones, 280 of 320 MHz, in EHT.
    Tones3x996And484,
}

use Unit::{
    Full, Tones2x996, Tones2x996And484, Tones3x996, Tones3x996And484, Tones4x996, Tones26, Tones52,
    Tones52And26, Tones106, Tones106And26, Tones242, Tones484, Tones484And242, Tones996,
    Tones996And484, Tones996And484And242,
};

impl Unit {
    /// The full width and all units, in the order of the variants.
    pub const ALL: [Self; 17] = [
        Full,
        Tones26,
        Tones52,
        Tones106,
        Tones242,
        Tones484,
        Tones996,
        Tones2x996,
        Tones4x996,
        Tones52And26,
        Tones106And26,
        Tones484And242,
        Tones996And484,
        Tones996And484And242,
        Tones2x996And484,
        Tones3x996,
        Tones3x996And484,
    ];

    /// Unit that fills this width in HE and EHT.
    pub const fn filling(width: Width) -> Self {
        match width {
            Width::Mhz20 => Tones242,
            Width::Mhz40 => Tones484,
            Width::Mhz80 => Tones996,
            Width::Mhz160 => Tones2x996,
            Width::Mhz320 => Tones4x996,
        }
    }

    /// This unit, or for the full width the unit that fills it.
    #[must_use]
    pub const fn within(self, width: Width) -> Self {
        if matches!(self, Full) { Self::filling(width) } else { self }
    }

    /// Tones of the unit in a PPDU of this width, pilots included.
    pub const fn tones(self, width: Width) -> u64 {
        self.within(width).counts()[0]
    }

    /// Number of these units beside each other in a PPDU of this width: 0 if the width has none. A multiple unit counts
    /// once.  [80211ax-2021 §27.3.2.2]
    pub const fn places(self, width: Width) -> u16 {
        let parts = width.mhz() / 20;
        match self.within(width) {
            Tones26 => [9, 18, 37, 74, 148][width as usize],
            Tones52 => 4 * parts,
            Tones106 => 2 * parts,
            Tones242 => parts,
            Tones484 => parts / 2,
            Tones996 => parts / 4,
            Tones2x996 => parts / 8,
            Tones4x996 => parts / 16,
            _ => 1,
        }
    }

    /// Data subcarriers of the unit in a PPDU of this width, `N_SD`.  [80211ax-2021 §27.3.9], [80211be-2024 §36.3.10]
    pub const fn data_subcarriers(self, width: Width) -> u64 {
        self.within(width).counts()[1]
    }

    /// Data subcarriers in a segment, a quarter of a symbol, in a PPDU of this width, `N_SD,short`.  [80211ax-2021
    /// Table 27-33], [80211be-2024 §36.3.13.3.5]
    pub const fn short_subcarriers(self, width: Width) -> u64 {
        self.within(width).counts()[2]
    }

    /// Tones of the unit in a PPDU of this width, over the 242 of 20 MHz. At the same power per tone, noise and signal
    /// in the unit differ by this ratio from those in 20 MHz.
    pub const fn over_20_mhz(self, width: Width) -> Decibels {
        Decibels::from_thousandths(match self.within(width) {
            Tones26 => -9_688,
            Tones52 => -6_678,
            Tones52And26 => -4_917,
            Tones106 => -3_585,
            Tones106And26 => -2_632,
            Full | Tones242 => 0,
            Tones484 => 3_010,
            Tones484And242 => 4_771,
            Tones996 => 6_144,
            Tones996And484 => 7_864,
            Tones996And484And242 => 8_522,
            Tones2x996 => 9_155,
            Tones2x996And484 => 10_099,
            Tones3x996 => 10_916,
            Tones3x996And484 => 11_568,
            Tones4x996 => 12_165,
        })
    }

    /// Unit over whose tones the transmit power is spread. A station concentrates its power in its unit. An access
    /// point spreads its power over the full width, with the same power for each tone.
    #[must_use]
    pub const fn powered(self, kind: PpduKind) -> Self {
        match kind {
            PpduKind::Multi => Full,
            PpduKind::Single | PpduKind::Triggered => self,
        }
    }

    /// Power in the tones of the unit over the transmit power: 0 dB for a station, and for an access point the unit's
    /// share of the width.
    pub fn power_share(self, kind: PpduKind, width: Width) -> Decibels {
        self.over_20_mhz(width) - self.powered(kind).over_20_mhz(width)
    }

    /// Signal-to-noise ratio in the tones of the unit over that in the full width, at the same transmit power: 0 dB
    /// down from an access point, and as much more for a station as its unit is narrower than the width.
    pub fn snr_gain(self, kind: PpduKind, width: Width) -> Decibels {
        Full.over_20_mhz(width) - self.powered(kind).over_20_mhz(width)
    }

    /// True if the unit consists of several resource units for one user, which only EHT has.
    pub const fn is_multiple(self) -> bool {
        self as u8 > Tones4x996 as u8
    }

    /// Tones, data subcarriers and data subcarriers of a segment. Those of a multiple resource unit are sums.
    const fn counts(self) -> [u64; 3] {
        match self {
            Tones26 => [26, 24, 6],
            Tones52 => [52, 48, 12],
            Tones106 => [106, 102, 24],
            Full | Tones242 => [242, 234, 60],
            Tones484 => [484, 468, 120],
            Tones996 => [996, 980, 240],
            Tones2x996 => [1_992, 1_960, 492],
            Tones4x996 => [3_984, 3_920, 984],
            Tones52And26 => [78, 72, 18],
            Tones106And26 => [132, 126, 30],
            Tones484And242 => [726, 702, 180],
            Tones996And484 => [1_480, 1_448, 360],
            Tones996And484And242 => [1_722, 1_682, 420],
            Tones2x996And484 => [2_476, 2_428, 612],
            Tones3x996 => [2_988, 2_940, 732],
            Tones3x996And484 => [3_472, 3_408, 852],
        }
    }

    /// Units, the full width included, that a PPDU of this format and width may have beside units for other users.
    pub fn of_ofdma(format: Format, width: Width) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |unit| unit.is_of_ofdma(format, width))
    }

    /// True for a unit that a PPDU of this format and width may have beside units for other users.
    pub(super) fn is_of_ofdma(self, format: Format, width: Width) -> bool {
        match self {
            Full => true,
            Tones996And484And242 => false,
            _ if !format.has_units() || self.is_multiple() && format != Format::Eht => false,
            _ => self.tones(width) <= Self::filling(width).tones(width),
        }
    }

    /// Units, the full width included, that a PPDU of this format and width may have for all its users together. In
    /// EHT those without the full width leave punctured subchannels empty.  [80211be-2024 §36.3.12.11]
    pub const fn without_ofdma(format: Format, width: Width) -> &'static [Self] {
        match (format, width) {
            (Format::Eht, Width::Mhz80) => &[Full, Tones484And242],
            (Format::Eht, Width::Mhz160) => &[Full, Tones996And484, Tones996And484And242],
            (Format::Eht, Width::Mhz320) => &[Full, Tones2x996And484, Tones3x996, Tones3x996And484],
            _ => &[Full],
        }
    }
}

/// Formats the number of tones, such as `106 tones` or `2x996+484 tones`.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tones = match self {
            Full => return f.write_str("full width"),
            Tones26 => "26",
            Tones52 => "52",
            Tones106 => "106",
            Tones242 => "242",
            Tones484 => "484",
            Tones996 => "996",
            Tones2x996 => "2x996",
            Tones4x996 => "4x996",
            Tones52And26 => "52+26",
            Tones106And26 => "106+26",
            Tones484And242 => "484+242",
            Tones996And484 => "996+484",
            Tones996And484And242 => "996+484+242",
            Tones2x996And484 => "2x996+484",
            Tones3x996 => "3x996",
            Tones3x996And484 => "3x996+484",
        };
        write!(f, "{tones} tones")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of a multiple unit are the sums of its parts, as its name lists them: 3x996+484 tones have 3·996 + 484 =
    /// 3472 tones and 3·980 + 468 = 3408 data subcarriers. A segment of two units of 996 tones has 492 subcarriers, 12
    /// more than two segments of 240.
    ///
    /// Verifies: [80211be-2024 §36.3.10, §36.3.13.3.5]
    #[test]
    fn a_multiple_unit_is_the_sum_of_its_parts() {
        let count = |name: &str, place: usize| -> u64 {
            let part = |part: &str| match part {
                "2x996" => Tones2x996.counts()[place],
                "3x996" => Tones2x996.counts()[place] + Tones996.counts()[place],
                "4x996" => 2 * Tones2x996.counts()[place],
                tones => {
                    let is_it = |unit: &&Unit| unit.to_string() == format!("{tones} tones");
                    Unit::ALL.iter().find(is_it).expect("a unit").counts()[place]
                }
            };
            name.trim_end_matches(" tones").split('+').map(part).sum()
        };
        for unit in Unit::ALL.into_iter().filter(|unit| unit.is_multiple()) {
            for place in 0..3 {
                assert_eq!(unit.counts()[place], count(&unit.to_string(), place), "{unit}");
            }
        }
        assert_eq!((Tones3x996And484.counts()[0], Tones3x996And484.counts()[1]), (3_472, 3_408));
    }

    /// 80 MHz have 37 units of 26 tones, 5 of them between the groups of 4, and 16 of 52 tones, not 996/52 = 19.
    ///
    /// Verifies: [80211ax-2021 §27.3.2.2]
    #[test]
    fn units_leave_the_center_of_a_width_free() {
        let of = |width| {
            [Tones26, Tones52, Tones106, Tones242, Tones484, Tones996]
                .map(|unit| unit.places(width))
        };
        assert_eq!(of(Width::Mhz20), [9, 4, 2, 1, 0, 0]);
        assert_eq!(of(Width::Mhz80), [37, 16, 8, 4, 2, 1]);
        assert_eq!([Tones2x996, Full].map(|unit| unit.places(Width::Mhz160)), [1, 1]);
    }

    /// Ratios of tones are 10 log10 (tones/242): 10 log10 (26/242) = -9.688 dB for 26 tones.
    #[test]
    fn ratios_of_tones_are_rounded_to_thousandths() {
        for unit in Unit::ALL {
            let tones = u32::try_from(unit.counts()[0]).expect("a few thousand");
            let exact = 10.0 * libm::log10(f64::from(tones) / 242.0);
            assert!((unit.over_20_mhz(Width::Mhz20).get() - exact).abs() < 6e-4, "{unit} {exact}");
        }
    }

    /// Power and signal-to-noise ratio in 106 of the 996 tones of 80 MHz: 10 log10 (106/996) = -9.729 dB. Down, the
    /// unit has this share of the power and the ratio of the full width; up, it has all the power of a station and
    /// 9.729 dB more.
    #[test]
    fn a_station_concentrates_its_power_in_its_unit() {
        let of = |kind| {
            let gain = Tones106.snr_gain(kind, Width::Mhz80);
            (Tones106.power_share(kind, Width::Mhz80), gain)
        };
        let ratio = Decibels::from_thousandths(9_729);
        assert_eq!(of(PpduKind::Multi), (-ratio, Decibels::ZERO));
        assert_eq!(of(PpduKind::Triggered), (Decibels::ZERO, ratio));
        assert_eq!(Full.snr_gain(PpduKind::Triggered, Width::Mhz20), Decibels::ZERO);
    }

    /// Units are those of the tone plans: in HE six single units up to 80 MHz, and in EHT also the multiple units.
    ///
    /// Verifies: [80211ax-2021 §27.3.2], [80211be-2024 §36.3.2]
    #[test]
    fn a_width_has_the_units_of_its_tone_plan() {
        let count = |format, width| Unit::of_ofdma(format, width).count();
        assert_eq!(
            [Width::Mhz20, Width::Mhz40, Width::Mhz80].map(|it| count(Format::He, it)),
            [5, 6, 7]
        );
        assert_eq!([Width::Mhz20, Width::Mhz80].map(|it| count(Format::Eht, it)), [7, 10]);
        // All but 996+484+242.
        assert_eq!(count(Format::Eht, Width::Mhz320), 16);
        assert_eq!(count(Format::Vht, Width::Mhz80), 1);
        for width in Width::ALL {
            assert_eq!(Full.tones(width), Unit::filling(width).tones(width));
            assert_eq!(Full.within(width), Unit::filling(width));
        }
    }
}
