//! TXVECTOR of a PPDU: modulation and coding, width, streams, guard interval, preamble. [80211-2020 §15.3.3, §16.3.4,
//! §17.2.2, §19.2.2, §21.2.2], [80211ax-2021 §27.2.2], [80211be-2024 §36.2.2]

use std::fmt;

use airfair_units::{DataRate, Duration};

use super::dsss::{self, Preamble};
use super::generation::Generation;
use super::mode::Format;
use super::rate_name::RateName;
use super::{Mode, PpduKind, Unit, Width, ofdm};

/// TXVECTOR of a PPDU, which a receiver reads from its preamble. It determines the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TxVector {
    /// DSSS or HR/DSSS with a preamble.
    Dsss(dsss::Modulation, Preamble),
    /// OFDM or ERP-OFDM.
    Ofdm(ofdm::Modulation),
    /// HT, VHT, HE or EHT.
    Mode(Mode),
}

impl TxVector {
    /// Number of legacy vectors.
    const LEGACY: usize = 2 * dsss::Modulation::ALL.len() + ofdm::Modulation::ALL.len();
    /// Size of tables that are indexed by [`index`](Self::index).
    pub const COUNT: usize = Self::LEGACY + ofdm::Modulation::ALL.len();

    /// Vector of a legacy `rate`. DSSS has this `preamble` if the rate allows it. `None` if no legacy amendment has
    /// the rate.
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

    /// All legacy vectors, in the order of their index.
    pub fn all() -> impl Iterator<Item = Self> {
        let dsss = |preamble| move |modulation| Self::Dsss(modulation, preamble);
        let long = dsss::Modulation::ALL.into_iter().map(dsss(Preamble::Long));
        let short = dsss::Modulation::ALL.into_iter().map(dsss(Preamble::Short));
        long.chain(short).chain(ofdm::Modulation::ALL.into_iter().map(Self::Ofdm))
    }

    /// For each value of [`index`](Self::index), the vector by which the control frames for a data frame are chosen:
    /// all legacy vectors, and then, for the modes of HT, VHT, HE and EHT, the OFDM vectors of their reference rates.
    pub fn references() -> impl Iterator<Item = Self> {
        Self::all().chain(ofdm::Modulation::ALL.into_iter().map(Self::Ofdm))
    }

    /// Index of the vector in tables with one entry for each of [`references`](Self::references). Modes of HT, VHT and
    /// HE with the same non-HT reference rate share one.  [80211-2020 §10.6.11]
    #[inline]
    pub fn index(self) -> usize {
        let count = dsss::Modulation::ALL.len();
        match self {
            Self::Dsss(modulation, Preamble::Long) => modulation as usize,
            Self::Dsss(modulation, Preamble::Short) => count + modulation as usize,
            Self::Ofdm(modulation) => 2 * count + modulation as usize,
            Self::Mode(mode) => Self::LEGACY + mode.reference() as usize,
        }
    }

    /// Data rate of the PSDU.
    #[inline]
    pub fn rate(self) -> DataRate {
        match self {
            Self::Dsss(modulation, _) => dsss::RATES[modulation as usize],
            Self::Ofdm(modulation) => ofdm::RATES[modulation as usize],
            Self::Mode(mode) => mode.rate(),
        }
    }

    /// True for DSSS and CCK, which 802.11b stations recognise, unlike OFDM.
    #[inline]
    pub fn is_dsss(self) -> bool {
        matches!(self, Self::Dsss(..))
    }

    /// Generation of PPDUs to which a PPDU with this vector belongs.
    #[inline]
    pub fn generation(self) -> Generation {
        match self {
            Self::Dsss(..) => Generation::Dsss,
            Self::Ofdm(_) => Generation::Ofdm,
            Self::Mode(mode) => match mode.format() {
                Format::Ht => Generation::Ht,
                Format::Vht => Generation::Vht,
                Format::He => Generation::He,
                Format::Eht => Generation::Eht,
            },
        }
    }

    /// Channel width [MHz].
    pub fn width_mhz(self) -> u16 {
        match self {
            Self::Dsss(..) => 22,
            Self::Ofdm(_) => 20,
            Self::Mode(mode) => mode.width().mhz(),
        }
    }

    /// Width of a PPDU with this vector, in channels of 20 MHz.
    #[inline]
    pub fn width(self) -> Width {
        match self {
            Self::Dsss(..) | Self::Ofdm(_) => Width::Mhz20,
            Self::Mode(mode) => mode.width(),
        }
    }

    /// Mode, if the vector is one of HT or later.
    pub fn mode(self) -> Option<Mode> {
        if let Self::Mode(mode) = self { Some(mode) } else { None }
    }

    /// Share of a PPDU's part with this vector, by which the users of a PPDU share its time: its streams if all users have
    /// all tones, and otherwise its tones.  Deviates: [D-263]
    pub fn share(self) -> u64 {
        match self {
            Self::Mode(mode) if mode.kind() == PpduKind::Multi && mode.unit() == Unit::Full => {
                mode.streams().into()
            }
            Self::Mode(mode) => mode.unit().tones(mode.width()),
            _ => 1,
        }
    }

    /// Number of spatial streams.
    pub fn streams(self) -> u8 {
        if let Self::Mode(mode) = self { mode.streams() } else { 1 }
    }

    /// Guard interval of an OFDM symbol; `None` for DSSS.  [80211-2020 §17.3.2.3]
    pub fn guard_interval(self) -> Option<Duration> {
        match self {
            Self::Dsss(..) => None,
            Self::Ofdm(_) => Some(Duration::from_nanos(800)),
            Self::Mode(mode) => Some(mode.guard().duration()),
        }
    }
}

/// Formats the vector as a scenario names its rate.
impl fmt::Display for TxVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dsss(..) | Self::Ofdm(_) => self.rate().fmt(f),
            Self::Mode(mode) => RateName::of(*mode).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::mode::Format;
    use crate::phy::{GuardInterval, Standard, Width};

    #[test]
    fn each_vector_has_an_index_of_its_own_and_a_rate_that_leads_back_to_it() {
        let indices: Vec<usize> = TxVector::all().map(TxVector::index).collect();
        assert_eq!(indices, (0..TxVector::LEGACY).collect::<Vec<_>>());
        assert_eq!(TxVector::references().count(), TxVector::COUNT);
        let preamble = |tx| if let TxVector::Dsss(_, it) = tx { it } else { Preamble::Long };
        let back = |tx: TxVector| TxVector::of(tx.rate(), preamble(tx));
        let other: Vec<_> = TxVector::all().filter(|tx| back(*tx) != Some(*tx)).collect();
        assert_eq!(other, [TxVector::Dsss(dsss::Modulation::Dbpsk, Preamble::Short)]);
    }

    /// A mode of HT, VHT, HE or EHT has an index of its own, above those of the legacy vectors. At this index,
    /// [`TxVector::references`] has the OFDM vector of the mode's reference rate.
    ///
    /// Verifies: [80211-2020 §10.6.11]
    #[test]
    fn a_mode_has_the_place_of_its_reference_rate_among_modes() {
        for mode in Mode::all(Format::He, Width::Mhz80, GuardInterval::Ns800) {
            let tx = TxVector::Mode(mode);
            let reference = TxVector::Ofdm(mode.reference());
            assert_eq!(TxVector::references().nth(tx.index()), Some(reference));
            assert_eq!((tx.index() < TxVector::LEGACY, tx.is_dsss()), (false, false));
            assert_eq!((tx.width_mhz(), tx.streams()), (80, mode.streams()));
            assert_eq!(tx.guard_interval(), reference.guard_interval());
            assert_eq!(tx.rate(), mode.rate());
        }
    }

    #[test]
    fn a_vector_is_as_small_as_the_bytes_of_a_legacy_one() {
        assert_eq!((size_of::<TxVector>(), size_of::<Option<TxVector>>()), (4, 4));
    }

    #[test]
    fn every_rate_of_every_amendment_has_a_vector_and_no_other_rate_has() {
        for standard in Standard::LEGACY {
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
