//! TXVECTOR of a PPDU: modulation and coding, width, streams, guard interval, preamble.
//! [80211-2020 §15.3.3, §16.3.4, §17.2.2]

use airfair_units::{DataRate, Duration};

use super::{Preamble, dsss, ofdm};

/// TXVECTOR of a PPDU, as its preamble tells a receiver; its rate follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TxVector {
    /// DSSS or HR/DSSS.
    Dsss(dsss::Modulation, Preamble),
    /// OFDM, ERP-OFDM included.
    Ofdm(ofdm::Modulation),
}

impl TxVector {
    /// Number of vectors, each with an [`index`](Self::index) below it.
    pub const COUNT: usize = 2 * dsss::Modulation::ALL.len() + ofdm::Modulation::ALL.len();

    /// The vector of a legacy `rate`, where DSSS has this `preamble` if it can; nothing if no legacy amendment has
    /// such a rate.
    pub fn of(rate: DataRate, preamble: Preamble) -> Option<Self> {
        let dsss = dsss::RATES.iter().position(|it| *it == rate);
        let ofdm = || ofdm::RATES.iter().position(|it| *it == rate);
        match dsss {
            // [80211-2020 §16.2.2.3]
            Some(0) => Some(Self::Dsss(dsss::Modulation::ALL[0], Preamble::Long)),
            Some(place) => Some(Self::Dsss(dsss::Modulation::ALL[place], preamble)),
            None => Some(Self::Ofdm(ofdm::Modulation::ALL[ofdm()?])),
        }
    }

    /// All vectors, by their index.
    pub fn all() -> impl Iterator<Item = Self> {
        let dsss = |preamble| move |modulation| Self::Dsss(modulation, preamble);
        let long = dsss::Modulation::ALL.into_iter().map(dsss(Preamble::Long));
        let short = dsss::Modulation::ALL.into_iter().map(dsss(Preamble::Short));
        long.chain(short).chain(ofdm::Modulation::ALL.into_iter().map(Self::Ofdm))
    }

    /// Place in a table of all vectors.
    #[inline]
    pub fn index(self) -> usize {
        let count = dsss::Modulation::ALL.len();
        match self {
            Self::Dsss(modulation, Preamble::Long) => modulation as usize,
            Self::Dsss(modulation, Preamble::Short) => count + modulation as usize,
            Self::Ofdm(modulation) => 2 * count + modulation as usize,
        }
    }

    /// Data rate of the PSDU.
    #[inline]
    pub fn rate(self) -> DataRate {
        match self {
            Self::Dsss(modulation, _) => dsss::RATES[modulation as usize],
            Self::Ofdm(modulation) => ofdm::RATES[modulation as usize],
        }
    }

    /// True if it is DSSS or CCK, which an OFDM-only station and an 802.11b station hear differently.
    #[inline]
    pub fn is_dsss(self) -> bool {
        matches!(self, Self::Dsss(..))
    }

    /// Channel width [MHz].
    pub fn width_mhz(self) -> u16 {
        if self.is_dsss() { 22 } else { 20 }
    }

    /// Spatial streams.
    pub fn streams(self) -> u8 {
        1
    }

    /// Guard interval of an OFDM symbol.  [80211-2020 §17.3.2.3]
    pub fn guard_interval(self) -> Option<Duration> {
        (!self.is_dsss()).then_some(Duration::from_nanos(800))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Standard;

    #[test]
    fn each_vector_has_an_index_of_its_own_and_a_rate_that_leads_back_to_it() {
        let indices: Vec<usize> = TxVector::all().map(TxVector::index).collect();
        assert_eq!(indices, (0..TxVector::COUNT).collect::<Vec<_>>());
        let preamble = |tx| if let TxVector::Dsss(_, it) = tx { it } else { Preamble::Long };
        let back = |tx: TxVector| TxVector::of(tx.rate(), preamble(tx));
        let other: Vec<_> = TxVector::all().filter(|tx| back(*tx) != Some(*tx)).collect();
        assert_eq!(other, [TxVector::Dsss(dsss::Modulation::Dbpsk, Preamble::Short)]);
    }

    #[test]
    fn every_rate_of_every_amendment_has_a_vector_and_no_other_rate_has() {
        for standard in Standard::ALL {
            for rate in standard.rates() {
                let tx = TxVector::of(*rate, Preamble::Short).expect("a legacy rate");
                assert_eq!(tx.rate(), *rate);
                assert_eq!((tx.streams(), tx.width_mhz() == 22), (1, tx.is_dsss()));
                assert_eq!(tx.guard_interval().is_none(), tx.is_dsss());
            }
        }
        assert_eq!(TxVector::of(DataRate::from_mbps(7), Preamble::Long), None);
    }
}
