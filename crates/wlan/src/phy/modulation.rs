//! Modulation and coding of HT, VHT, HE and EHT: constellation and code rate of each MCS.

use super::ofdm;

/// Constellation of a data subcarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constellation {
    /// BPSK, 2 points.
    Bpsk,
    /// QPSK, 4 points.
    Qpsk,
    /// 16-QAM.
    Qam16,
    /// 64-QAM.
    Qam64,
    /// 256-QAM, from VHT on.
    Qam256,
    /// 1024-QAM, in HE and EHT.
    Qam1024,
    /// 4096-QAM, in EHT only.
    Qam4096,
}

impl Constellation {
    /// Coded bits per subcarrier and stream, `N_BPSCS`.  [80211-2020 §19.3.5]
    pub const fn bits(self) -> u64 {
        match self {
            Self::Bpsk => 1,
            Self::Qpsk => 2,
            Self::Qam16 => 4,
            Self::Qam64 => 6,
            Self::Qam256 => 8,
            Self::Qam1024 => 10,
            Self::Qam4096 => 12,
        }
    }

    /// Number of points.
    pub const fn points(self) -> u32 {
        1 << self.bits()
    }
}

/// Code rate: data bits per coded bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeRate {
    /// Code rate 1/2.
    Half,
    /// Code rate 2/3.
    TwoThirds,
    /// Code rate 3/4.
    ThreeQuarters,
    /// Code rate 5/6.
    FiveSixths,
}

impl CodeRate {
    /// Numerator and denominator: data bits, and the coded bits that carry them.
    pub const fn fraction(self) -> (u64, u64) {
        match self {
            Self::Half => (1, 2),
            Self::TwoThirds => (2, 3),
            Self::ThreeQuarters => (3, 4),
            Self::FiveSixths => (5, 6),
        }
    }
}

/// Constellation and code rate of an MCS, which are the same in all formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModulationAndCoding {
    /// Constellation of each data subcarrier.
    pub constellation: Constellation,
    /// Code rate of the convolutional code or LDPC.
    pub code_rate: CodeRate,
}

/// Modulation and coding by MCS. HT ends with MCS 7, VHT with 9 and HE with 11.  [80211-2020 §19.5, §21.5],
/// [80211ax-2021 §27.5], [80211be-2024 §36.5]
const SCHEMES: [ModulationAndCoding; 14] = {
    use CodeRate::{FiveSixths, Half, ThreeQuarters, TwoThirds};
    use Constellation::{Bpsk, Qam16, Qam64, Qam256, Qam1024, Qam4096, Qpsk};
    [
        scheme(Bpsk, Half),
        scheme(Qpsk, Half),
        scheme(Qpsk, ThreeQuarters),
        scheme(Qam16, Half),
        scheme(Qam16, ThreeQuarters),
        scheme(Qam64, TwoThirds),
        scheme(Qam64, ThreeQuarters),
        scheme(Qam64, FiveSixths),
        scheme(Qam256, ThreeQuarters),
        scheme(Qam256, FiveSixths),
        scheme(Qam1024, ThreeQuarters),
        scheme(Qam1024, FiveSixths),
        scheme(Qam4096, ThreeQuarters),
        scheme(Qam4096, FiveSixths),
    ]
};

const fn scheme(constellation: Constellation, code_rate: CodeRate) -> ModulationAndCoding {
    ModulationAndCoding { constellation, code_rate }
}

impl ModulationAndCoding {
    /// Modulation and coding of an MCS, counted for one stream.
    ///
    /// # Panics
    /// If `mcs` is above 13.
    #[inline]
    pub const fn of(mcs: u8) -> Self {
        SCHEMES[mcs as usize]
    }

    /// OFDM modulation of the non-HT reference rate, which decides the rate of responses.  [80211-2020 §10.6.11]
    pub const fn reference(self) -> ofdm::Modulation {
        use ofdm::Modulation::{
            Bpsk12, Bpsk34, Qam16R12, Qam16R34, Qam64R23, Qam64R34, Qpsk12, Qpsk34,
        };
        match (self.constellation, self.code_rate) {
            (Constellation::Bpsk, CodeRate::Half) => Bpsk12,
            (Constellation::Bpsk, _) => Bpsk34,
            (Constellation::Qpsk, CodeRate::Half) => Qpsk12,
            (Constellation::Qpsk, _) => Qpsk34,
            (Constellation::Qam16, CodeRate::Half) => Qam16R12,
            (Constellation::Qam16, _) => Qam16R34,
            (Constellation::Qam64, CodeRate::Half | CodeRate::TwoThirds) => Qam64R23,
            (
                Constellation::Qam64
                | Constellation::Qam256
                | Constellation::Qam1024
                | Constellation::Qam4096,
                _,
            ) => Qam64R34,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mcs_carries_more_bits_than_the_one_below() {
        let bits = SCHEMES.map(|it| {
            let (data, coded) = it.code_rate.fraction();
            it.constellation.bits() * 60 * data / coded
        });
        assert!(bits.is_sorted_by(|a, b| a < b), "{bits:?}");
    }

    /// The non-HT reference rate of an MCS has the constellation and code rate of the MCS, if OFDM has them.
    ///
    /// Verifies: [80211-2020 §10.6.11]
    #[test]
    fn the_reference_rate_has_the_same_constellation_and_code_as_far_as_ofdm_has_them() {
        let rate = |mcs| ofdm::RATES[ModulationAndCoding::of(mcs).reference() as usize];
        let mbps = [6, 12, 18, 24, 36, 48, 54, 54, 54, 54, 54, 54, 54, 54];
        let rates: Vec<u64> = (0..14).map(|mcs| rate(mcs).bps() / 1_000_000).collect();
        assert_eq!(rates, mbps);
    }
}
