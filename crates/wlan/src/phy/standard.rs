//! Amendments of 802.11: the three legacy ones with their rates, interframe spaces and contention windows, and later
//! ones that build on them.

use std::fmt;

use airfair_units::{Bytes, DataRate, Duration};

use super::dsss::{self, Preamble};
use super::generation::Generation;
use super::mode::Format;
use super::ppdu::{self, PacketPadding};
use super::{Band, TxVector, ofdm};

/// An amendment of 802.11. The first three have their own rates, interframe spaces and durations. Later ones take
/// these from the [legacy amendment](Standard::legacy) of their band, and add a [format](Standard::format) of PPDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standard {
    /// 802.11b: HR/DSSS, 2.4 GHz.  [80211-2020 §16]
    B,
    /// 802.11a: OFDM, 5 GHz, 20 MHz channels.  [80211-2020 §17]
    A,
    /// 802.11g: ERP, 2.4 GHz; DSSS/CCK and OFDM rates.  [80211-2020 §18]
    G,
    /// 802.11n: HT, 2.4 and 5 GHz.  [80211-2020 §19]
    N,
    /// 802.11ac: VHT, 5 GHz.  [80211-2020 §21]
    Ac,
    /// 802.11ax: HE, all bands.  [80211ax-2021 §27]
    Ax,
    /// 802.11be: EHT, all bands.  [80211be-2024 §36]
    Be,
}

/// Interframe spaces, slot time and contention windows of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Slot time, aSlotTime.
    pub slot: Duration,
    /// Short interframe space, aSIFSTime.
    pub sifs: Duration,
    /// DCF interframe space: SIFS + 2 slots.  [80211-2020 §10.3.7]
    pub difs: Duration,
    /// Extended interframe space: SIFS + DIFS + an ACK at the lowest mandatory rate.  [80211-2020 §10.3.7]
    pub eifs: Duration,
    /// Delay of the PHY until it indicates the start of a frame, aRxPHYStartDelay, for the slowest response. It is a
    /// part of the ACK time-out.
    pub rx_phy_start_delay: Duration,
    /// Smallest contention window, aCWmin [slots].
    pub cw_min: u16,
    /// Largest contention window, aCWmax [slots].
    pub cw_max: u16,
}

impl Standard {
    /// All amendments, in the order of the file format's documentation.
    pub const ALL: [Self; 7] = [Self::B, Self::A, Self::G, Self::N, Self::Ac, Self::Ax, Self::Be];

    /// Amendments whose frames are only DSSS and OFDM.
    pub const LEGACY: [Self; 3] = [Self::B, Self::A, Self::G];

    /// Format of the amendment's own PPDUs; `None` for a legacy amendment.
    pub const fn format(self) -> Option<Format> {
        match self {
            Self::B | Self::A | Self::G => None,
            Self::N => Some(Format::Ht),
            Self::Ac => Some(Format::Vht),
            Self::Ax => Some(Format::He),
            Self::Be => Some(Format::Eht),
        }
    }

    /// Legacy amendment on which this amendment builds in this band; for a legacy amendment, itself. The 6 GHz band has
    /// the interframe spaces and control frames of 802.11a, and no stations of it.
    #[must_use]
    pub const fn legacy(self, band: Band) -> Self {
        match (self, band) {
            (Self::B | Self::A | Self::G, _) => self,
            (_, Band::Ghz2) => Self::G,
            (_, Band::Ghz5 | Band::Ghz6) => Self::A,
        }
    }

    /// Newest kind of PPDU that a station of this amendment recognises.
    pub const fn generation(self) -> Generation {
        match self {
            Self::B => Generation::Dsss,
            Self::A | Self::G => Generation::Ofdm,
            Self::N => Generation::Ht,
            Self::Ac => Generation::Vht,
            Self::Ax => Generation::He,
            Self::Be => Generation::Eht,
        }
    }

    /// Bands of the amendment's channels; the first is the default.
    pub const fn bands(self) -> &'static [Band] {
        match self {
            Self::B | Self::G => &[Band::Ghz2],
            Self::A | Self::Ac => &[Band::Ghz5],
            Self::N => &[Band::Ghz5, Band::Ghz2],
            Self::Ax | Self::Be => &[Band::Ghz5, Band::Ghz2, Band::Ghz6],
        }
    }

    /// DSSS and OFDM rates of a station of this amendment, ascending; for 802.11n and later, those at 5 GHz.
    pub fn rates(self) -> &'static [DataRate] {
        /// DSSS, CCK and OFDM rates in ascending order.  [80211-2020 §18.2]
        const ERP: [DataRate; 12] = [
            dsss::RATES[0],
            dsss::RATES[1],
            dsss::RATES[2],
            ofdm::RATES[0],
            ofdm::RATES[1],
            dsss::RATES[3],
            ofdm::RATES[2],
            ofdm::RATES[3],
            ofdm::RATES[4],
            ofdm::RATES[5],
            ofdm::RATES[6],
            ofdm::RATES[7],
        ];
        match self {
            Self::B => &dsss::RATES,
            Self::A | Self::N | Self::Ac | Self::Ax | Self::Be => &ofdm::RATES,
            Self::G => &ERP,
        }
    }

    /// Default basic rate set of a cell: rates that every station supports.
    ///
    /// 802.11b has 1 and 2 Mb/s, as access points are shipped. 802.11g has 1, 2, 5.5 and 11 Mb/s, and also 6, 12 and
    /// 24 Mb/s in a cell without b stations.  [80211-2020 §18.2.3.3]
    pub fn default_basic_rates(self, b_stations: bool) -> Vec<DataRate> {
        match self {
            Self::B => dsss::RATES[..2].to_vec(),
            Self::A | Self::N | Self::Ac | Self::Ax | Self::Be => ofdm::MANDATORY_RATES.to_vec(),
            Self::G if b_stations => dsss::RATES.to_vec(),
            Self::G => {
                let mut rates = [dsss::RATES.as_slice(), &ofdm::MANDATORY_RATES].concat();
                rates.sort_unstable();
                rates
            }
        }
    }

    /// Default band of the amendment's channels.
    pub const fn band(self) -> Band {
        match self {
            Self::B | Self::G => Band::Ghz2,
            Self::A | Self::N | Self::Ac | Self::Ax | Self::Be => Band::Ghz5,
        }
    }

    /// Duration of a PPDU until the medium is idle again, signal extension included.
    pub fn ppdu_duration(self, psdu: Bytes, tx: TxVector) -> Duration {
        match (tx, self) {
            (TxVector::Dsss(_, preamble), _) => dsss::ppdu_duration(psdu, tx.rate(), preamble),
            (TxVector::Ofdm(_), Self::G) => {
                ofdm::ppdu_duration(psdu, tx.rate()) + ofdm::SIGNAL_EXTENSION
            }
            (TxVector::Ofdm(_), _) => ofdm::ppdu_duration(psdu, tx.rate()),
            (TxVector::Mode(mode), _) => {
                ppdu::duration(mode, psdu, self.band(), PacketPadding::default())
            }
        }
    }

    /// Timing of a cell in this band. For 802.11n and later, the smallest window is 15 even with b stations.
    /// [80211-2020 Table 9-155]
    pub fn timing_in(self, band: Band, b_stations: bool, preamble: Preamble) -> Timing {
        let timing = self.legacy(band).timing(b_stations, preamble);
        let cw_min = if self.format().is_some() { 15 } else { timing.cw_min };
        Timing { cw_min, ..timing }
    }

    /// Timing of a cell. An 802.11g cell with a b station has b's slot time and contention window.
    pub fn timing(self, b_stations: bool, preamble: Preamble) -> Timing {
        let long_slot = Duration::from_micros(20);
        let short_slot = Duration::from_micros(9);
        let (slot, sifs, cw_min) = match self {
            Self::B => (long_slot, Duration::from_micros(10), 31),
            Self::A | Self::N | Self::Ac | Self::Ax | Self::Be => {
                (short_slot, Duration::from_micros(16), 15)
            }
            Self::G if b_stations => (long_slot, Duration::from_micros(10), 31),
            Self::G => (short_slot, Duration::from_micros(10), 15),
        };
        let lowest = match self {
            Self::B | Self::G => dsss::RATES[0],
            Self::A | Self::N | Self::Ac | Self::Ax | Self::Be => ofdm::MANDATORY_RATES[0],
        };
        let difs = sifs + slot * 2;
        let tx = TxVector::of(lowest, preamble).expect("a rate of the standard");
        let ack = self.ppdu_duration(Bytes::new(14), tx);
        let rx_phy_start_delay = match self {
            Self::B | Self::G => dsss::preamble_and_header(Preamble::Long, lowest),
            Self::A | Self::N | Self::Ac | Self::Ax | Self::Be => ofdm::PREAMBLE_AND_SIGNAL,
        };
        Timing {
            slot,
            sifs,
            difs,
            eifs: sifs + ack + difs,
            rx_phy_start_delay,
            cw_min,
            cw_max: 1023,
        }
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::B => "802.11b",
            Self::A => "802.11a",
            Self::G => "802.11g",
            Self::N => "802.11n",
            Self::Ac => "802.11ac",
            Self::Ax => "802.11ax",
            Self::Be => "802.11be",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DIFS and EIFS of the legacy amendments follow from their slot time and SIFS.
    ///
    /// Verifies: [80211-2020 §10.3.7]
    #[test]
    fn the_gaps_follow_from_slot_and_sifs() {
        let us = Duration::from_micros;
        let b = Standard::B.timing(false, Preamble::Long);
        // DIFS 10 + 2·20 = 50; EIFS 10 + (192 + 112) + 50 = 364
        assert_eq!((b.difs, b.eifs, b.cw_min), (us(50), us(364), 31));
        let a = Standard::A.timing(false, Preamble::Long);
        // DIFS 16 + 2·9 = 34; EIFS 16 + 44 + 34 = 94
        assert_eq!((a.difs, a.eifs, a.cw_min), (us(34), us(94), 15));
        let g = Standard::G.timing(false, Preamble::Long);
        // DIFS 10 + 2·9 = 28; EIFS 10 + 304 + 28 = 342
        assert_eq!((g.difs, g.eifs, g.cw_min), (us(28), us(342), 15));
        assert_eq!(Standard::G.timing(true, Preamble::Long), b);
    }

    /// An OFDM PPDU of 802.11g lasts 6 µs longer than in 802.11a, and a CCK PPDU as long as in 802.11b.
    ///
    /// Verifies: [80211-2020 §18.3.2.4]
    #[test]
    fn erp_ofdm_adds_a_signal_extension_and_cck_does_not() {
        let size = Bytes::new(1536);
        let tx = |mbps| TxVector::of(DataRate::from_mbps(mbps), Preamble::Short).expect("a rate");
        let g = Standard::G.ppdu_duration(size, tx(54));
        assert_eq!(g, Standard::A.ppdu_duration(size, tx(54)) + Duration::from_micros(6));
        let cck = Standard::G.ppdu_duration(size, tx(11));
        assert_eq!(cck, Standard::B.ppdu_duration(size, tx(11)));
    }

    #[test]
    fn a_standard_builds_on_the_legacy_one_of_its_band() {
        let of =
            |standard: Standard| standard.bands().iter().map(move |band| standard.legacy(*band));
        let all = |standard| of(standard).collect::<Vec<_>>();
        assert_eq!(all(Standard::N), [Standard::A, Standard::G]);
        assert_eq!((all(Standard::Ac), all(Standard::G)), (vec![Standard::A], vec![Standard::G]));
        let generations = Standard::ALL.map(Standard::generation);
        assert!(generations.is_sorted());
        assert!(Standard::ALL.iter().all(|it| it.bands()[0] == it.band()));
    }

    #[test]
    fn every_list_of_rates_ascends() {
        for standard in Standard::ALL {
            assert!(standard.rates().is_sorted());
            assert!(standard.default_basic_rates(false).is_sorted());
        }
    }
}
