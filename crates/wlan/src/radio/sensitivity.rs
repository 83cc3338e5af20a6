//! Minimum receiver sensitivities of the standard, and the error rates that define them.

use airfair_units::{Bytes, Dbm};

use crate::phy::{Preamble, Standard, TxVector, dsss, mode_errors, ofdm};

/// Sensitivities of OFDM by modulation [dBm].  [80211-2020 Table 17-18]
const OFDM: [i64; 8] = [-82, -81, -79, -77, -74, -70, -66, -65];

/// Minimum receiver sensitivity for this vector, at the antenna connector.
///
/// For DSSS and CCK the standard specifies only 2 Mb/s [80211-2020 §15.4.6.2] and 11 Mb/s [80211-2020 §16.3.8.2].
/// Here 1 Mb/s has the value of 2 Mb/s, and 5.5 Mb/s that of 11 Mb/s.
pub fn sensitivity(tx: TxVector) -> Dbm {
    use dsss::Modulation::{Cck4, Cck8, Dbpsk, Dqpsk};
    match tx {
        TxVector::Dsss(Dbpsk | Dqpsk, _) => Dbm::new(-80),
        TxVector::Dsss(Cck4 | Cck8, _) => Dbm::new(-76),
        TxVector::Ofdm(modulation) => Dbm::new(OFDM[modulation as usize]),
        TxVector::Mode(mode) => mode_errors::sensitivity(mode),
    }
}

/// QualNet 4's sensitivity for a modulation of 802.11a, for a frame sent with the power of its lowest rate. It
/// combines the sensitivity and the lower transmit power of higher rates, such as 4 dB less at 54 Mb/s than at 6
/// Mb/s.  [qualnet4]
///
/// # Panics
/// If the vector is not one of 802.11a.
pub fn qualnet4(tx: TxVector) -> Dbm {
    use ofdm::Modulation as M;
    let TxVector::Ofdm(modulation) = tx else { unreachable!("a rate of 802.11a") };
    let (sensitivity, less_power) = match modulation {
        M::Bpsk12 | M::Bpsk34 => (-85, 0),
        M::Qpsk12 | M::Qpsk34 => (-83, 1),
        M::Qam16R12 | M::Qam16R34 => (-78, 2),
        M::Qam64R23 | M::Qam64R34 => (-69, 4),
    };
    Dbm::new(sensitivity + less_power)
}

/// Frame size and error rate by which a sensitivity is defined: 10 % of 1000 octets in OFDM [80211-2020 §17.3.10.2]
/// and of 4096 octets in HT, VHT and HE [80211-2020 Table 19-23], and 8 % of 1024 octets in DSSS and CCK [80211-2020
/// §15.4.6.2, §16.3.8.2].
pub(super) fn criterion(tx: TxVector) -> (Bytes, f64) {
    match tx {
        TxVector::Dsss(..) => (Bytes::new(1_024), 0.08),
        TxVector::Ofdm(_) => (Bytes::new(1_000), 0.1),
        TxVector::Mode(_) => (Bytes::new(4_096), 0.1),
    }
}

/// Default power from which a frame makes the medium busy for a receiver of `standard`: the sensitivity of the most
/// robust rate, which is -82 dBm for OFDM.  [80211-2020 §17.3.10.6]
pub fn carrier_sense_threshold(standard: Standard) -> Dbm {
    let vectors = standard.rates().iter().filter_map(|rate| TxVector::of(*rate, Preamble::Long));
    vectors.map(sensitivity).min().expect("every amendment has rates")
}

#[cfg(test)]
mod tests {
    use super::*;
    /// Sensitivities of OFDM, DSSS and CCK are those of the standard.
    ///
    /// Verifies: [80211-2020 Table 17-18] [80211-2020 §15.4.6.2] [80211-2020 §16.3.8.2]
    #[test]
    fn sensitivities_are_the_standards() {
        let levels = ofdm::Modulation::ALL.map(|it| sensitivity(TxVector::Ofdm(it)));
        assert_eq!(levels, [-82, -81, -79, -77, -74, -70, -66, -65].map(Dbm::new));
        let levels =
            dsss::Modulation::ALL.map(|it| sensitivity(TxVector::Dsss(it, Preamble::Short)));
        assert_eq!(levels, [-80, -80, -76, -76].map(Dbm::new));
    }

    /// Carrier sense becomes busy at the sensitivity of the most robust rate of a standard.
    ///
    /// Verifies: [80211-2020 §17.3.10.6]
    #[test]
    fn the_medium_is_busy_from_the_most_robust_rate_on() {
        let [b, a, g] = Standard::LEGACY.map(carrier_sense_threshold);
        assert_eq!([b, a, g], [Dbm::new(-80), Dbm::new(-82), Dbm::new(-82)]);
    }
}
