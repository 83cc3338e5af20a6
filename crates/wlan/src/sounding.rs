//! Sounding: sizes and durations of the frames by which an access point measures its channels to several stations for
//! MU-MIMO.  [80211ax-2021 §26.7]
//!
//! ```text
//!   NDP announcement ─ NDP ─ BFRP trigger ─ reports of all stations together
//! ```
//!
//! The announcement names the stations, which measure the NDP. A beamforming report poll (BFRP) triggers their reports.
//! The sequence without a trigger, for one station, has feedback for a single user only, so one station is triggered,
//! too.  [80211ax-2021 §26.7.3]

use airfair_units::{Bytes, Duration};

use crate::aggregation::padded;
use crate::phy::mode::{Format, NoSuchMode, Parameters};
use crate::phy::ppdu::preamble;
use crate::phy::{Band, GuardInterval, Mode, Width};
use crate::sizes::DELIMITER;

/// Packet extension of an NDP, which has no data field.  [80211ax-2021 §27.3.17]
const NDP_EXTENSION: Duration = Duration::from_micros(4);
/// Bits of each angle φ and ψ in the larger codebook of feedback for several users.  [80211ax-2021 §9.4.1.64]
const CODEBOOK: [u64; 2] = [9, 7];
/// Bits of each difference from the average signal-to-noise ratio.  [80211ax-2021 §9.4.1.66]
const DELTA_SNR: u64 = 4;
/// Largest frame with a report. A longer report is divided into segments.  [80211ax-2021 §26.7.4]
const LARGEST_FRAME: u64 = 11_454;
/// Octets around a report or a segment in its frame: header of a management frame, 24, category and action, 2, HE MIMO
/// Control, 5, and frame check sequence, 4.  [80211ax-2021 §9.4.1.64, §9.6.31.2]
pub const AROUND_REPORT: u64 = 24 + 2 + 5 + 4;

/// Size of an announcement to this number of stations: header, 16 octets, dialog token, 1, STA Info, 4 for each, and
/// frame check sequence, 4.  [80211ax-2021 §9.3.1.19]
pub fn announcement(stations: usize) -> Bytes {
    Bytes::new(16 + 1 + 4 * u64::try_from(stations).expect("a few stations") + 4)
}

/// Vector of an NDP with all streams of an access point, whose HE-LTFs are those of data with this guard interval.
///
/// # Errors
/// [`NoSuchMode`] if the format does not have the width, the streams or the guard interval.
pub fn ndp(width: Width, streams: u8, guard: GuardInterval) -> Result<Mode, NoSuchMode> {
    Mode::new(Parameters::of(Format::He, 0, streams, width, guard))
}

/// Time on the air of an NDP: the preamble of an HE SU PPDU, the packet extension, and the band's signal extension.
/// [80211ax-2021 §27.3.17]
pub fn ndp_duration(ndp: Mode, band: Band) -> Duration {
    preamble(ndp) + NDP_EXTENSION + band.signal_extension()
}

/// Subcarriers for which a station reports, every fourth of its width and those at the edges.  [80211ax-2021
/// §9.4.1.65]
pub const fn subcarriers(width: Width) -> u64 {
    match width {
        Width::Mhz20 => 64,
        Width::Mhz40 => 122,
        Width::Mhz80 => 250,
        Width::Mhz160 => 500,
        Width::Mhz320 => 1_000,
    }
}

/// Angles of a matrix with a row for each stream of the access point and a column for each of the station; half of them
/// are φ and half ψ.  [80211-2020 Table 9-70]
pub fn angles(rows: u8, columns: u8) -> u64 {
    (1..=columns.min(rows - 1)).map(|column| 2 * u64::from(rows - column)).sum()
}

/// Size of a report without its frame: for each column the average signal-to-noise ratio, 1 octet; for each subcarrier
/// the angles and, for each column, a difference from the average.  [80211ax-2021 §9.4.1.65, §9.4.1.66]
pub fn report(width: Width, (rows, columns): (u8, u8)) -> Bytes {
    let columns_bits = u64::from(columns);
    let angles = angles(rows, columns) / 2 * CODEBOOK.iter().sum::<u64>();
    let bits = 8 * columns_bits + subcarriers(width) * (angles + DELTA_SNR * columns_bits);
    Bytes::new(bits.div_ceil(8))
}

/// Sizes of the frames that carry a report: one, or several of the largest size with the rest in the last one.
/// [80211ax-2021 §26.7.4]
pub fn segments(report: Bytes) -> impl Iterator<Item = Bytes> {
    let most = LARGEST_FRAME - AROUND_REPORT;
    let count = report.get().div_ceil(most).max(1);
    (0..count).map(move |place| Bytes::new((report.get() - place * most).min(most) + AROUND_REPORT))
}

/// Size of the aggregate with all frames of a report.
pub fn report_psdu(report: Bytes) -> Bytes {
    let mut all = segments(report);
    let first = all.next().unwrap_or(Bytes::ZERO) + DELIMITER;
    all.fold(first, |before, segment| padded(before) + DELIMITER + segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Size of an announcement: 2 + 2 + 6 + 6 octets of header, 1 and 4 of frame check sequence are 21, and 4 for each
    /// station.
    ///
    /// Verifies: [80211ax-2021 §9.3.1.19]
    #[test]
    fn an_announcement_has_a_field_for_each_station() {
        assert_eq!([1, 4, 8].map(|stations| announcement(stations).get()), [25, 37, 53]);
    }

    /// Duration of an NDP: 20 + 4 + 8 + 4 = 36 µs, an HE-LTF of 7.2 µs for each of 2, 4, 6 or 8 streams, 57.6 µs for
    /// eight, and 4 µs of packet extension. Three streams have four. With a guard interval of 3.2 µs an HE-LTF lasts 16
    /// µs, and at 2.4 GHz the signal extension 6 µs.
    ///
    /// Verifies: [80211ax-2021 §27.3.17]
    #[test]
    fn an_ndp_trains_all_streams_of_the_access_point() {
        let of = |streams, guard, band| {
            ndp_duration(ndp(Width::Mhz20, streams, guard).expect("a mode"), band).as_nanos()
        };
        let short = |streams| of(streams, GuardInterval::Ns800, Band::Ghz5);
        assert_eq!([2, 3, 4, 6, 8].map(short), [54_400, 68_800, 68_800, 83_200, 97_600]);
        assert_eq!(of(4, GuardInterval::Ns3200, Band::Ghz5), 36_000 + 4 * 16_000 + 4_000);
        assert_eq!(of(4, GuardInterval::Ns800, Band::Ghz2), 68_800 + 6_000);
    }

    /// Numbers of angles of the standard's table, by rows and columns.
    ///
    /// Verifies: [80211-2020 Table 9-70]
    #[test]
    fn a_matrix_has_as_many_angles_as_the_table_lists() {
        let table = [
            ((2, 1), 2),
            ((2, 2), 2),
            ((3, 1), 4),
            ((3, 2), 6),
            ((3, 3), 6),
            ((4, 1), 6),
            ((4, 2), 10),
            ((4, 3), 12),
            ((4, 4), 12),
            ((5, 1), 8),
            ((6, 2), 18),
            ((7, 3), 30),
            ((8, 1), 14),
            ((8, 4), 44),
            ((8, 8), 56),
        ];
        for ((rows, columns), expected) in table {
            assert_eq!(angles(rows, columns), expected, "{rows} x {columns}");
        }
    }

    /// Size of a report of one stream to four at 80 MHz: 6 angles, 3 of 9 and 3 of 7 bits, 48 bits for each of 250
    /// subcarriers; 4 bits more for each; and 1 octet: 12 000 + 1000 + 8 = 13 008 bits, 1626 octets. Its frame has 35
    /// more, and its PSDU the delimiter.
    ///
    /// Two streams to eight at 20 MHz: 26 angles, 13·16 = 208 bits and 8 for each of 64 subcarriers, 13 824 + 16 bits:
    /// 1730 octets.
    ///
    /// Verifies: [80211ax-2021 §9.4.1.65, §9.4.1.66]
    #[test]
    fn a_report_has_angles_for_each_subcarrier() {
        assert_eq!(report(Width::Mhz80, (4, 1)).get(), 1_626);
        assert_eq!(report_psdu(Bytes::new(1_626)).get(), 1_626 + 35 + 4);
        assert_eq!(report(Width::Mhz20, (8, 2)).get(), 1_730);
        assert_eq!(report(Width::Mhz40, (2, 1)).get(), (122 * (16 + 4) + 8) / 8);
    }

    /// Segments of a report of four streams to eight at 160 MHz: 44 angles, 352 bits and 16 for each of 500 subcarriers,
    /// 184 000 + 32 bits: 23 004 octets. A segment has 11 454 - 35 = 11 419: two of them, and 166 octets in the third.
    /// PSDU: 2·(4 + 11 454 + 2 of padding) + 4 + 201.
    ///
    /// Verifies: [80211ax-2021 §26.7.4]
    #[test]
    fn a_long_report_has_segments() {
        let long = report(Width::Mhz160, (8, 4));
        assert_eq!(long.get(), 23_004);
        let sizes: Vec<u64> = segments(long).map(Bytes::get).collect();
        assert_eq!(sizes, [11_454, 11_454, 166 + 35]);
        assert_eq!(report_psdu(long).get(), 2 * (4 + 11_454 + 2) + 4 + 201);
        assert_eq!(segments(Bytes::new(11_419)).count(), 1);
    }
}
