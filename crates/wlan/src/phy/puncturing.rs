//! Punctured subchannels: parts of 20 MHz of a cell's channel that its PPDUs leave empty.  [80211be-2024 §36.3.12.11.3]

use super::{Unit, Width};

/// Subchannels of 20 MHz that all PPDUs of a cell leave empty, by their place from the lowest frequency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Punctured(u16);

impl Punctured {
    /// No punctured subchannel.
    pub const NONE: Self = Self(0);

    /// Punctured subchannels at these places; the lowest frequency has place 0.
    ///
    /// # Panics
    /// If a place is above 15.
    pub fn at(places: impl IntoIterator<Item = u8>) -> Self {
        Self(places.into_iter().fold(0, |all, place| all | 1 << place))
    }

    /// Places of the punctured subchannels, ascending.
    pub fn places(self) -> impl Iterator<Item = u8> {
        (0..16).filter(move |place| self.0 >> place & 1 == 1)
    }

    /// Patterns that a PPDU of EHT for a single user may have in a channel of this width: in 80 MHz one subchannel, in
    /// 160 MHz one or an aligned pair, in 320 MHz an aligned pair, an aligned four, or the four at an edge and a pair
    /// elsewhere.  [80211be-2024 Table 36-30]
    pub fn patterns(width: Width) -> Vec<Self> {
        let aligned = |size: u8| {
            let count = u8::try_from(width.mhz() / 20).expect("16 subchannels") / size;
            (0..count).map(move |it| Self::at(it * size..(it + 1) * size))
        };
        match width {
            Width::Mhz20 | Width::Mhz40 => Vec::new(),
            Width::Mhz80 => aligned(1).collect(),
            Width::Mhz160 => aligned(1).chain(aligned(2)).collect(),
            Width::Mhz320 => {
                let edges = [Self::at(0..4), Self::at(12..16)];
                let with_pair = |edge: Self| {
                    let others = aligned(2).filter(move |pair| pair.0 & edge.0 == 0);
                    others.map(move |pair| Self(edge.0 | pair.0))
                };
                aligned(2).chain(aligned(4)).chain(edges.into_iter().flat_map(with_pair)).collect()
            }
        }
    }

    /// Unit that is left for the data of a single user in a channel of this width.
    ///
    /// # Panics
    /// If the pattern is none of the [patterns](Self::patterns) of the width.
    pub fn unit(self, width: Width) -> Unit {
        match (width, self.0.count_ones()) {
            (_, 0) => Unit::Full,
            (Width::Mhz80, 1) => Unit::Tones484And242,
            (Width::Mhz160, 1) => Unit::Tones996And484And242,
            (Width::Mhz160, 2) => Unit::Tones996And484,
            (Width::Mhz320, 2) => Unit::Tones3x996And484,
            (Width::Mhz320, 4) => Unit::Tones3x996,
            (Width::Mhz320, 6) => Unit::Tones2x996And484,
            _ => unreachable!("no pattern of {width}: {self:?}"),
        }
    }
}

impl Unit {
    /// Widest part of a channel of this width, around its primary channel, that has no punctured subchannel, if a
    /// single user has this unit: the whole for the full width; else half of it, or a quarter with 2x996+484 tones,
    /// which may puncture both halves.
    pub const fn widest_part(self, width: Width) -> Width {
        match (self, width) {
            (Self::Full, _) => width,
            (Self::Tones2x996And484, _) | (_, Width::Mhz160) => Width::Mhz80,
            (_, Width::Mhz320) => Width::Mhz160,
            (_, Width::Mhz20) => Width::Mhz20,
            (_, Width::Mhz40 | Width::Mhz80) => Width::Mhz40,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Patterns are those of the standard: 4 in 80 MHz, 8 + 4 in 160 MHz, and 8 + 4 + 12 in 320 MHz. Each leaves as
    /// much of the width as its unit fills: 20 MHz for each 242 tones, 40 for 484 and 80 for 996.
    ///
    /// Verifies: [80211be-2024 Table 36-30]
    #[test]
    fn each_pattern_leaves_a_unit_of_a_single_user() {
        let counts = Width::ALL.map(|width| Punctured::patterns(width).len());
        assert_eq!(counts, [0, 0, 4, 12, 24]);
        let mhz = |unit| match unit {
            Unit::Tones484And242 => 60,
            Unit::Tones996And484 => 120,
            Unit::Tones996And484And242 => 140,
            Unit::Tones2x996And484 => 200,
            Unit::Tones3x996 => 240,
            Unit::Tones3x996And484 => 280,
            _ => unreachable!("not of a single user"),
        };
        for width in Width::ALL {
            for pattern in Punctured::patterns(width) {
                let holes = u16::try_from(pattern.places().count()).expect("a few");
                assert_eq!(mhz(pattern.unit(width)) + 20 * holes, width.mhz());
                assert_eq!(Punctured::at(pattern.places()), pattern);
            }
        }
        assert_eq!(Punctured::NONE.unit(Width::Mhz20), Unit::Full);
        let edge = Punctured::at([0, 1, 2, 3, 14, 15]);
        assert!(Punctured::patterns(Width::Mhz320).contains(&edge));
        let middle = Punctured::at([4, 5, 6, 7, 14, 15]);
        assert!(!Punctured::patterns(Width::Mhz320).contains(&middle));
    }

    /// A part of the widest kind without a punctured subchannel exists in each pattern, aligned to its own width.
    #[test]
    fn the_widest_part_has_no_punctured_subchannel() {
        for width in Width::ALL {
            for pattern in Punctured::patterns(width) {
                let size = pattern.unit(width).widest_part(width).mhz() / 20;
                let is_free = |it: u16| pattern.places().all(|place| u16::from(place) / size != it);
                assert!((0..width.mhz() / 20 / size).any(is_free), "{width} {pattern:?}");
            }
            assert_eq!(Unit::Full.widest_part(width), width);
        }
    }
}
