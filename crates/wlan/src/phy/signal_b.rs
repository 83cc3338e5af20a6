//! HE-SIG-B and EHT-SIG: the signal field of an MU PPDU that describes the users, in one or two content channels.
//! [80211ax-2021 §27.3.11.8], [80211be-2024 §36.3.12.8]

use super::Width;
use super::format::Format;

/// Check sequence, 4 bits, and tail, 6, after each block of a content channel that is encoded by itself.
const CHECK_AND_TAIL: u64 = 4 + 6;
/// Data bits of a symbol of 52 subcarriers in 20 MHz, by MCS.  [80211-2020 §21.5]
const DATA_BITS: [u64; 6] = [26, 52, 78, 104, 156, 208];

/// User fields of an MU PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserFields {
    /// Fields in each content channel, with OFDMA.
    Ofdma([usize; 2]),
    /// Users that share all tones of the PPDU, whose fields are divided evenly between the content channels.
    Shared(usize),
}

/// Highest MCS of HE-SIG-B or EHT-SIG that each user can receive, if `lowest` is the lowest MCS of their data. HE-SIG-B
/// has MCS 0 to 5, and EHT-SIG 0, 1 and 3.  [80211ax-2021 Table 27-20], [80211be-2024 §36.3.12.7]
pub const fn signal_mcs(format: Format, lowest: u8) -> u8 {
    match (format, lowest) {
        (Format::Eht, 0) => 0,
        (Format::Eht, 1 | 2) => 1,
        (Format::Eht, _) => 3,
        (_, 0..=4) => lowest,
        _ => 5,
    }
}

/// Number of symbols of HE-SIG-B or EHT-SIG at this MCS, each of 4 µs.
pub(super) fn symbols(format: Format, width: Width, fields: UserFields, mcs: u8) -> u64 {
    let bits = match format {
        Format::Eht => eht_bits(width, fields),
        _ => he_bits(width, fields),
    };
    bits.div_ceil(DATA_BITS[usize::from(mcs)])
}

/// Bits of the fuller content channel of HE-SIG-B. The common field has 8 bits for each channel of 20 MHz of its
/// content channel and, from 80 MHz on, one for the centre. If the users share all tones, there is no common field.
/// User fields have 21 bits; two of them are encoded together.  [80211ax-2021 §27.3.11.8.3, §27.3.11.8.4]
fn he_bits(width: Width, fields: UserFields) -> u64 {
    let common = match fields {
        UserFields::Shared(_) => 0,
        UserFields::Ofdma(_) if width < Width::Mhz80 => 8 + CHECK_AND_TAIL,
        UserFields::Ofdma(_) => 8 * subfields(width) + 1 + CHECK_AND_TAIL,
    };
    common + user_blocks(most_fields(width, fields), 21)
}

/// Bits of the fuller content channel of EHT-SIG. With OFDMA the common field has 17 bits and 9 for each channel of 20
/// MHz of its content channel; from the third of these on they are encoded by themselves. If the users share all tones,
/// it has 20 bits and is encoded with the first user field. User fields have 22 bits.  [80211be-2024 §36.3.12.8]
fn eht_bits(width: Width, fields: UserFields) -> u64 {
    let most = most_fields(width, fields);
    match fields {
        UserFields::Shared(_) => 20 + 22 + CHECK_AND_TAIL + user_blocks(most - 1, 22),
        UserFields::Ofdma(_) => {
            let first = subfields(width).min(2);
            let second = subfields(width) - first;
            let others = if second == 0 { 0 } else { 9 * second + CHECK_AND_TAIL };
            17 + 9 * first + CHECK_AND_TAIL + others + user_blocks(most, 22)
        }
    }
}

/// Channels of 20 MHz that a content channel describes.
fn subfields(width: Width) -> u64 {
    (u64::from(width.mhz()) / 40).max(1)
}

/// User fields in the fuller content channel. At 20 MHz there is only one.
fn most_fields(width: Width, fields: UserFields) -> u64 {
    let most = match fields {
        UserFields::Ofdma([first, second]) => first.max(second),
        UserFields::Shared(users) if width == Width::Mhz20 => users,
        UserFields::Shared(users) => users.div_ceil(2),
    };
    u64::try_from(most).expect("a few dozen")
}

/// Bits of user fields of this length, two in a block, and in the last block one or two.
fn user_blocks(fields: u64, length: u64) -> u64 {
    fields * length + fields.div_ceil(2) * CHECK_AND_TAIL
}

#[cfg(test)]
mod tests {
    use super::*;
    use Width::{Mhz20, Mhz40, Mhz80, Mhz160, Mhz320};

    fn he(width: Width, fields: [usize; 2], mcs: u8) -> u64 {
        symbols(Format::He, width, UserFields::Ofdma(fields), mcs)
    }

    fn eht(width: Width, fields: [usize; 2], mcs: u8) -> u64 {
        symbols(Format::Eht, width, UserFields::Ofdma(fields), mcs)
    }

    /// Symbols of HE-SIG-B. 20 MHz, one user: 18 + 31 = 49 bits, 2 symbols at MCS 0 and 1 at MCS 1 to 5. Nine users:
    /// 18, 4·52 and 31, 257 bits, 10 symbols of 26 and 2 of 208. 80 MHz with 19 fields in a content channel: 27, 9·52
    /// and 31, 526 bits, 3 symbols of 208. 160 MHz with 37: 43, 18·52 and 31, 1010 bits, 5 symbols.
    ///
    /// Verifies: [80211ax-2021 §27.3.11.8.3, §27.3.11.8.4]
    #[test]
    fn he_sig_b_lists_the_users_of_the_fuller_content_channel() {
        assert_eq!([0, 1, 5].map(|mcs| he(Mhz20, [1, 0], mcs)), [2, 1, 1]);
        assert_eq!([0, 5].map(|mcs| he(Mhz20, [9, 0], mcs)), [10, 2]);
        assert_eq!(he(Mhz40, [4, 4], 0), (18 + 2 * 52_u64).div_ceil(26));
        assert_eq!(he(Mhz80, [19, 18], 5), 3);
        assert_eq!(he(Mhz160, [37, 37], 5), 5);
    }

    /// Symbols for users that share the full width. HE: four users at 20 MHz have 2·52 = 104 bits, 4 symbols at MCS 0;
    /// at 40 MHz two in each content channel, 52 bits, 2 symbols. EHT: five users at 80 MHz, three in the first content
    /// channel: 52 + 54 = 106 bits, 5 symbols at MCS 0 and 2 at MCS 3.
    ///
    /// Verifies: [80211ax-2021 §27.3.11.8.4], [80211be-2024 §36.3.12.8]
    #[test]
    fn users_that_share_all_tones_need_no_allocation() {
        let of = |format, width, users, mcs| symbols(format, width, UserFields::Shared(users), mcs);
        assert_eq!((of(Format::He, Mhz20, 4, 0), of(Format::He, Mhz40, 4, 0)), (4, 2));
        assert_eq!((of(Format::Eht, Mhz80, 5, 0), of(Format::Eht, Mhz80, 5, 3)), (5, 2));
        assert_eq!((of(Format::Eht, Mhz20, 1, 0), of(Format::Eht, Mhz20, 1, 1)), (2, 1));
    }

    /// Symbols of EHT-SIG with OFDMA. 20 MHz, four users: 36 + 2·54 = 144 bits, 6 symbols of 26 and 2 of 104. 80 MHz
    /// with two fields in each content channel: 45 + 54 = 99 bits, 1 symbol at MCS 3. 160 MHz: 45 + 28 + 54 = 127, 2
    /// symbols. 320 MHz with four fields: 45 + 64 + 108 = 217, 3 symbols.
    ///
    /// Verifies: [80211be-2024 §36.3.12.8]
    #[test]
    fn eht_sig_lists_the_users_of_the_fuller_content_channel() {
        assert_eq!([0, 3].map(|mcs| eht(Mhz20, [4, 0], mcs)), [6, 2]);
        assert_eq!(eht(Mhz80, [2, 2], 3), 1);
        assert_eq!(eht(Mhz160, [2, 2], 3), 2);
        assert_eq!(eht(Mhz320, [4, 4], 3), 3);
    }

    #[test]
    fn the_signal_field_is_no_faster_than_the_slowest_user() {
        let of = |format, lowest: [u8; 7]| lowest.map(|mcs| signal_mcs(format, mcs));
        assert_eq!(of(Format::He, [0, 1, 2, 3, 4, 5, 11]), [0, 1, 2, 3, 4, 5, 5]);
        assert_eq!(of(Format::Eht, [0, 1, 2, 3, 4, 5, 13]), [0, 1, 1, 3, 3, 3, 3]);
    }
}
