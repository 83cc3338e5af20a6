//! Least powers that the standard asks a receiver to decode, and what "decode" means there.

use airfair_units::{Bytes, DataRate, Dbm};

use crate::phy::Standard;

/// The least power at which every receiver decodes `rate`, at the antenna connector.
///
/// OFDM [80211-2020 Table 17-18]. The standard asks for 2 Mb/s [80211-2020 §15.4.6.2] and for 11 Mb/s
/// [80211-2020 §16.3.8.2] alone of DSSS and CCK: 1 Mb/s is taken as 2, and 5.5 as 11 Mb/s.
///
/// # Panics
/// If `rate` is of no mode of 802.11a, b or g.
pub fn sensitivity(rate: DataRate) -> Dbm {
    Dbm::new(match rate.bps() / 100_000 {
        10 | 20 => -80,
        55 | 110 => -76,
        60 => -82,
        90 => -81,
        120 => -79,
        180 => -77,
        240 => -74,
        360 => -70,
        480 => -66,
        540 => -65,
        _ => unreachable!("a rate of 802.11a, b or g"),
    })
}

/// QualNet 4's sensitivity of `rate` in 802.11a, for a frame sent with the power of its lowest rate: the
/// table of the sensitivities, and 4 dB less power at 54 Mb/s than at 6, in one.  [qualnet4]
///
/// # Panics
/// If `rate` is of no mode of 802.11a.
pub fn qualnet4(rate: DataRate) -> Dbm {
    let (sensitivity, less_power) = match rate.bps() / 1_000_000 {
        6 | 9 => (-85, 0),
        12 | 18 => (-83, 1),
        24 | 36 => (-78, 2),
        48 | 54 => (-69, 4),
        _ => unreachable!("a rate of 802.11a"),
    };
    Dbm::new(sensitivity + less_power)
}

/// The frame and the error rate at which a receiver's sensitivity is measured: 10 % of 1000 octets in
/// OFDM [80211-2020 §17.3.10.2], 8 % of 1024 octets in DSSS and CCK [80211-2020 §15.4.6.2, §16.3.8.2].
pub(super) fn criterion(rate: DataRate) -> (Bytes, f64) {
    if Standard::is_dsss(rate) { (Bytes::new(1_024), 0.08) } else { (Bytes::new(1_000), 0.1) }
}

/// The power from which a frame makes the medium busy for a receiver of `standard`, unless told otherwise:
/// the sensitivity of the most robust rate; -82 dBm where there is OFDM.  [80211-2020 §17.3.10.6]
pub fn carrier_sense_threshold(standard: Standard) -> Dbm {
    let rates = standard.rates().iter();
    rates.map(|rate| sensitivity(*rate)).min().expect("every amendment has rates")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{dsss, ofdm};

    /// Verifies: [80211-2020 Table 17-18] [80211-2020 §15.4.6.2] [80211-2020 §16.3.8.2]
    #[test]
    fn sensitivities_are_the_standards() {
        let levels = ofdm::RATES.map(sensitivity);
        assert_eq!(levels, [-82, -81, -79, -77, -74, -70, -66, -65].map(Dbm::new));
        assert_eq!(dsss::RATES.map(sensitivity), [-80, -80, -76, -76].map(Dbm::new));
    }

    /// Verifies: [80211-2020 §17.3.10.6]
    #[test]
    fn the_medium_is_busy_from_the_most_robust_rate_on() {
        let [b, a, g] = Standard::ALL.map(carrier_sense_threshold);
        assert_eq!([b, a, g], [Dbm::new(-80), Dbm::new(-82), Dbm::new(-82)]);
    }
}
