//! Blocks of spectrum that cells occupy: the channels of the standard's operating classes, by band, primary channel and
//! width.  [80211-2020 Table E-4], [80211ax-2021 Table E-4], [80211be-2024 Table E-4]
//!
//! A channel of 20 MHz has a number; channels that touch are four numbers apart. Left out are the channels from 169 on at
//! 5 GHz, which few countries have, and channel 2 at 6 GHz.

use std::fmt;

use airfair_units::Frequency;

use super::{Band, Width};

/// Numbers from one channel of 20 MHz to the next that does not overlap it.
const STEP: u16 = 4;
/// Largest number of channels that an error lists one by one.
const MOST_LISTED: usize = 26;

/// Block of spectrum that a cell occupies: one or more neighbouring channels of 20 MHz, one of which is the primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    band: Band,
    /// Number of the primary channel.
    primary: u8,
    /// Number of the lowest channel of 20 MHz.
    lowest: u8,
    width: Width,
}

impl Block {
    /// Block of this width around a primary channel. At 2.4 GHz, the secondary channel of 40 MHz is above the primary
    /// where operating class 83 has this (primary channels 1 to 9), otherwise below it (class 84). At 6 GHz, blocks of
    /// 320 MHz overlap: the block is one of the 320-1 channels if the primary is in one of them, otherwise of 320-2.
    ///
    /// # Errors
    /// [`NoSuchBlock`] if the band has no block of this width with this primary channel.
    pub fn of(band: Band, primary: u8, width: Width) -> Result<Self, NoSuchBlock> {
        let block =
            lowest(band, primary, width).map(|lowest| Self { band, primary, lowest, width });
        block.ok_or_else(|| {
            let allowed = Self::primaries(band, width).collect();
            NoSuchBlock { band, primary, width, allowed }
        })
    }

    /// Primary channels of the blocks of this width, ascending. At 2.4 GHz, channel 14 is for 802.11b only.
    pub fn primaries(band: Band, width: Width) -> impl Iterator<Item = u8> {
        (1..=u8::MAX).filter(move |primary| lowest(band, *primary, width).is_some())
    }

    /// Number of the primary channel.
    pub fn primary(self) -> u8 {
        self.primary
    }

    /// Width of the block.
    pub fn width(self) -> Width {
        self.width
    }

    /// Part of the block that has this width, or less if the block is narrower, around the same primary channel.
    #[must_use]
    pub fn within(self, width: Width) -> Self {
        let width = width.min(self.width);
        Self::of(self.band, self.primary, width).expect("blocks of a band are nested")
    }

    /// Centre frequency of the block.
    pub fn centre(self) -> Frequency {
        let centre = centre(self.band, self.lowest) - 10 + self.width.mhz() / 2;
        Frequency::from_megahertz(u64::from(centre))
    }

    /// Numbers of the block's channels of 20 MHz, ascending.
    pub fn channels(self) -> impl Iterator<Item = u8> + Clone {
        (self.lowest..).step_by(usize::from(STEP)).take(usize::from(self.width.mhz() / 20))
    }

    /// True if the blocks have a channel of 20 MHz in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.band == other.band && self.channels().any(|it| other.channels().any(|own| own == it))
    }

    /// True if the primary channel of `other` is one of this block's channels.
    pub fn contains_primary_of(self, other: Self) -> bool {
        self.band == other.band && self.channels().any(|it| it == other.primary)
    }

    /// True if channels of the two blocks overlap, but none is the same, which only the band at 2.4 GHz allows. With
    /// `has_dsss`, one of the cells has DSSS, whose channels have 22 MHz instead of 20.  [80211-2020 §15.4]
    pub fn overlaps_in_part(self, other: Self, has_dsss: bool) -> bool {
        let least = if has_dsss { 22 } else { 20 };
        let is_close = |a, b| centre(self.band, a).abs_diff(centre(self.band, b)) < least;
        let is_near = |it| other.channels().any(|own| is_close(it, own));
        self.band == other.band && !self.overlaps(other) && self.channels().any(is_near)
    }
}

/// Number of the lowest channel of the block of this width around a primary channel; `None` if there is no such block.
fn lowest(band: Band, primary: u8, width: Width) -> Option<u8> {
    match (band, width) {
        (Band::Ghz2, Width::Mhz20) => (1..=14).contains(&primary).then_some(primary),
        (Band::Ghz2, Width::Mhz40) => match primary {
            1..=9 => Some(primary),
            10..=13 => Some(primary - 4),
            _ => None,
        },
        (Band::Ghz2, _) => None,
        (Band::Ghz5, _) => lowest_in(&[(36, 64), (100, 144), (149, 165)], primary, width),
        // The channels 320-2 begin at channel 33.
        (Band::Ghz6, Width::Mhz320) => lowest_in(&[(1, 233), (33, 233)], primary, width),
        (Band::Ghz6, _) => lowest_in(&[(1, 233)], primary, width),
    }
}

/// Number of the lowest channel of the block around `primary` in the first of `ranges` that has one. Each range, from
/// its first to its last channel, is divided into blocks from its start on.
fn lowest_in(ranges: &[(u16, u16)], primary: u8, width: Width) -> Option<u8> {
    let (primary, span) = (u16::from(primary), STEP * (width.mhz() / 20));
    let in_range = |(first, last): &(u16, u16)| {
        let offset = primary.checked_sub(*first).filter(|offset| offset.is_multiple_of(STEP))?;
        let lowest = first + offset / span * span;
        u8::try_from(lowest).ok().filter(|_| lowest + span - STEP <= *last)
    };
    ranges.iter().find_map(in_range)
}

/// Centre frequency of a channel of 20 MHz [MHz].  [80211-2020 §15.4.4.3, §17.3.8.4.2], [80211ax-2021 §27.3.23.2]
fn centre(band: Band, channel: u8) -> u16 {
    match (band, u16::from(channel)) {
        (Band::Ghz2, 14) => 2_484,
        (Band::Ghz2, channel) => 2_407 + 5 * channel,
        (Band::Ghz5, channel) => 5_000 + 5 * channel,
        (Band::Ghz6, channel) => 5_950 + 5 * channel,
    }
}

/// Error: a band has no block of this width with this primary channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchBlock {
    /// Band of the block.
    pub band: Band,
    /// Number of the primary channel.
    pub primary: u8,
    /// Width of the block.
    pub width: Width,
    /// Primary channels of the blocks of this width in this band.
    pub allowed: Vec<u8>,
}

impl NoSuchBlock {
    /// Allowed primary channels as text: all of them, or the first three and the last if there are many.
    pub fn allowed_channels(&self) -> String {
        let all: Vec<String> = self.allowed.iter().map(u8::to_string).collect();
        match &all[..] {
            [first, second, third, .., last] if all.len() > MOST_LISTED => {
                format!("{first}, {second}, {third}, … {last}")
            }
            _ => all.join(", "),
        }
    }
}

impl fmt::Display for NoSuchBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { band, primary, width, .. } = self;
        let allowed = self.allowed_channels();
        write!(f, "{primary} is no primary channel of {width} at {band}; allowed {allowed}")
    }
}

impl std::error::Error for NoSuchBlock {}

#[cfg(test)]
mod tests {
    use super::*;
    use Width::{Mhz20, Mhz40, Mhz80, Mhz160, Mhz320};

    fn block(band: Band, primary: u8, width: Width) -> Block {
        Block::of(band, primary, width).expect("a block of the standard")
    }

    /// Lowest and highest channel of a block, and its centre [MHz].
    fn extent(band: Band, primary: u8, width: Width) -> (u8, u8, u64) {
        let it = block(band, primary, width);
        let (first, last) = (it.channels().next(), it.channels().last());
        (first.expect("a channel"), last.expect("a channel"), it.centre().hertz() / 1_000_000)
    }

    /// Verifies: [80211-2020 Table E-4]
    #[test]
    fn blocks_at_5_ghz_are_those_of_the_standard() {
        // A channel n has its centre at 5000 + 5 n MHz, a block midway between its first and its last.
        assert_eq!(extent(Band::Ghz5, 36, Mhz20), (36, 36, 5_180));
        assert_eq!(extent(Band::Ghz5, 48, Mhz40), (44, 48, 5_230));
        for primary in [36, 40, 44, 48] {
            assert_eq!(extent(Band::Ghz5, primary, Mhz80), (36, 48, 5_000 + 5 * 42));
        }
        assert_eq!(extent(Band::Ghz5, 144, Mhz80), (132, 144, 5_000 + 5 * 138));
        assert_eq!(extent(Band::Ghz5, 161, Mhz80), (149, 161, 5_000 + 5 * 155));
        assert_eq!(extent(Band::Ghz5, 64, Mhz160), (36, 64, 5_000 + 5 * 50));
        assert_eq!(extent(Band::Ghz5, 100, Mhz160), (100, 128, 5_000 + 5 * 114));
        let widths = |primary| {
            let has = |width: &Width| Block::of(Band::Ghz5, primary, *width).is_ok();
            Width::ALL.into_iter().filter(has).collect::<Vec<_>>()
        };
        assert_eq!(widths(165), [Mhz20]);
        assert_eq!(widths(132), [Mhz20, Mhz40, Mhz80]);
        assert_eq!(widths(128), [Mhz20, Mhz40, Mhz80, Mhz160]);
        assert_eq!(widths(38), []);
        assert_eq!(widths(68), []);
        // 8 + 12 + 5 channels; 4 + 6 + 2 pairs; 2 + 3 + 1 fours; 1 + 1 eights.
        let counts = Width::ALL.map(|width| Block::primaries(Band::Ghz5, width).count());
        assert_eq!(counts, [25, 2 * 12, 4 * 6, 8 * 2, 0]);
    }

    /// Verifies: [80211ax-2021 Table E-4], [80211be-2024 Table E-4]
    #[test]
    fn blocks_at_6_ghz_are_those_of_the_standard() {
        assert_eq!(extent(Band::Ghz6, 1, Mhz20), (1, 1, 5_955));
        assert_eq!(extent(Band::Ghz6, 233, Mhz20), (233, 233, 7_115));
        assert_eq!(extent(Band::Ghz6, 229, Mhz40), (225, 229, 5_950 + 5 * 227));
        assert_eq!(extent(Band::Ghz6, 9, Mhz80), (1, 13, 5_950 + 5 * 7));
        assert_eq!(extent(Band::Ghz6, 221, Mhz160), (193, 221, 5_950 + 5 * 207));
        // 320-1 has the centres 31, 95 and 159; 320-2 has 63, 127 and 191.
        assert_eq!(extent(Band::Ghz6, 61, Mhz320), (1, 61, 5_950 + 5 * 31));
        assert_eq!(extent(Band::Ghz6, 189, Mhz320), (129, 189, 5_950 + 5 * 159));
        assert_eq!(extent(Band::Ghz6, 193, Mhz320), (161, 221, 5_950 + 5 * 191));
        // 59 channels make 29 pairs, 14 fours and 7 eights; 320 MHz has the 56 of 320-1 and 320-2.
        let counts = Width::ALL.map(|width| Block::primaries(Band::Ghz6, width).count());
        assert_eq!(counts, [59, 58, 56, 56, 56]);
    }

    /// Verifies: [80211-2020 Table E-4]
    #[test]
    fn blocks_at_2_4_ghz_have_their_secondary_channel_above_if_they_can() {
        assert_eq!(extent(Band::Ghz2, 6, Mhz20), (6, 6, 2_437));
        assert_eq!(extent(Band::Ghz2, 14, Mhz20), (14, 14, 2_484));
        assert_eq!(extent(Band::Ghz2, 1, Mhz40), (1, 5, 2_422));
        assert_eq!(extent(Band::Ghz2, 9, Mhz40), (9, 13, 2_462));
        assert_eq!(extent(Band::Ghz2, 13, Mhz40), (9, 13, 2_462));
        let error = Block::of(Band::Ghz2, 14, Mhz40).expect_err("20 MHz only");
        let text = "14 is no primary channel of 40 MHz at 2.4 GHz; allowed 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13";
        assert_eq!(error.to_string(), text);
        let error = Block::of(Band::Ghz6, 2, Mhz20).expect_err("another channel");
        assert_eq!(error.allowed_channels(), "1, 5, 9, … 233");
    }

    #[test]
    fn blocks_overlap_if_they_have_a_channel_in_common() {
        let wide = block(Band::Ghz5, 36, Mhz80);
        let narrow = block(Band::Ghz5, 44, Mhz20);
        assert!(wide.overlaps(narrow) && narrow.overlaps(wide));
        assert!(wide.contains_primary_of(narrow) && !narrow.contains_primary_of(wide));
        assert!(!wide.overlaps(block(Band::Ghz5, 52, Mhz80)));
        // Channels of two bands are different ones, even if they have the same number.
        assert!(!block(Band::Ghz6, 149, Mhz20).overlaps(block(Band::Ghz5, 149, Mhz20)));
        assert!(block(Band::Ghz6, 161, Mhz320).overlaps(block(Band::Ghz6, 193, Mhz320)));
    }

    #[test]
    fn narrower_blocks_around_a_primary_channel_are_parts_of_wider_ones() {
        for (band, width) in [Band::Ghz2, Band::Ghz5, Band::Ghz6]
            .into_iter()
            .flat_map(|band| Width::ALL.map(|width| (band, width)))
        {
            for wide in Block::primaries(band, width).map(|it| block(band, it, width)) {
                for part in Width::ALL.map(|it| wide.within(it)) {
                    assert_eq!(
                        (part.primary(), part.width().min(width)),
                        (wide.primary(), part.width())
                    );
                    assert!(part.channels().all(|it| wide.channels().any(|of| of == it)));
                }
            }
        }
    }

    #[test]
    fn channels_at_2_4_ghz_overlap_in_part_up_to_three_numbers_and_with_dsss_up_to_four() {
        let one = block(Band::Ghz2, 1, Mhz20);
        let in_part = |has_dsss| {
            let is_partial =
                |other: &u8| one.overlaps_in_part(block(Band::Ghz2, *other, Mhz20), has_dsss);
            (1..=13).filter(is_partial).collect::<Vec<u8>>()
        };
        assert_eq!(in_part(false), [2, 3, 4]);
        assert_eq!(in_part(true), [2, 3, 4, 5]);
        // Channels 14 and 11 are 22 MHz apart.
        let last = block(Band::Ghz2, 14, Mhz20);
        assert!(!last.overlaps_in_part(block(Band::Ghz2, 11, Mhz20), true));
        assert!(last.overlaps_in_part(block(Band::Ghz2, 12, Mhz20), true));
        // 1 with its secondary channel 5: the channel 5 is the same, 7 is half of it.
        let wide = block(Band::Ghz2, 1, Mhz40);
        assert!(!wide.overlaps_in_part(block(Band::Ghz2, 5, Mhz20), true));
        assert!(wide.overlaps_in_part(block(Band::Ghz2, 7, Mhz20), false));
        assert!(!wide.overlaps_in_part(one, true));
    }
}
