//! DSSS and HR/DSSS (CCK), the PHYs of 802.11b: a serial bit stream after a PLCP preamble and header.

use airfair_units::{Bytes, DataRate, Duration};

/// Rates of HR/DSSS, ascending.  [80211-2020 §16.2.3.3]
pub const RATES: [DataRate; 4] = [
    DataRate::from_mbps(1),
    DataRate::from_mbps(2),
    DataRate::from_kbps(5_500),
    DataRate::from_mbps(11),
];

/// Modulations of HR/DSSS, each with the data rate at its index in [`RATES`].  [80211-2020 §15.4.4.4, §16.3.6]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modulation {
    /// Differential BPSK with the Barker code, 1 Mb/s.
    Dbpsk,
    /// Differential QPSK with the Barker code, 2 Mb/s.
    Dqpsk,
    /// CCK with 4 bits a symbol, 5.5 Mb/s.
    Cck4,
    /// CCK with 8 bits a symbol, 11 Mb/s.
    Cck8,
}

impl Modulation {
    /// All modulations, in ascending order of rate.
    pub const ALL: [Self; 4] = [Self::Dbpsk, Self::Dqpsk, Self::Cck4, Self::Cck8];
}

/// PLCP preamble of DSSS and CCK frames.  [80211-2020 §16.2.2]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preamble {
    /// Long preamble, 144 bits.
    #[default]
    Long,
    /// Short preamble, 72 bits; not for 1 Mb/s.
    Short,
}

/// Duration of the long PLCP preamble and header: 144 + 48 bits at 1 Mb/s.  [80211-2020 §16.2.2.2]
const LONG_PREAMBLE_AND_HEADER: Duration = Duration::from_micros(192);
/// Duration of the short PLCP preamble and header: 72 bits at 1 Mb/s and 48 bits at 2 Mb/s.  [80211-2020 §16.2.2.3]
const SHORT_PREAMBLE_AND_HEADER: Duration = Duration::from_micros(96);

/// Duration of preamble and header before the PSDU. A PSDU at 1 Mb/s always has the long preamble.
pub const fn preamble_and_header(preamble: Preamble, rate: DataRate) -> Duration {
    match preamble {
        Preamble::Short if rate.bps() > 1_000_000 => SHORT_PREAMBLE_AND_HEADER,
        _ => LONG_PREAMBLE_AND_HEADER,
    }
}

/// Duration of a DSSS/CCK PPDU on the air, the PSDU rounded up to a whole µs.  [80211-2020 §16.3.4]
pub fn ppdu_duration(psdu: Bytes, rate: DataRate, preamble: Preamble) -> Duration {
    let psdu_us = (psdu.bits() * 1_000_000).div_ceil(rate.bps());
    preamble_and_header(preamble, rate) + Duration::from_micros(psdu_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verifies: [80211-2020 §16.3.4]
    #[test]
    fn a_1528_byte_psdu_lasts_as_long_as_its_bits_and_the_long_preamble() {
        // 12 224 bits: /1 = 12 224, /2 = 6 112, /5.5 = 2 222.5… → 2 223, /11 = 1 111.3 → 1 112 µs; + 192
        let durations = RATES.map(|rate| ppdu_duration(Bytes::new(1528), rate, Preamble::Long));
        assert_eq!(durations, [12_416, 6_304, 2_415, 1_304].map(Duration::from_micros));
    }

    /// Verifies: [80211-2020 §16.2.2.3]
    #[test]
    fn the_short_preamble_saves_96_us_except_at_1_mbps() {
        // 14 octets = 112 bits: 112 µs at 1 Mb/s, 56 µs at 2 Mb/s
        let ack = Bytes::new(14);
        assert_eq!(ppdu_duration(ack, RATES[0], Preamble::Short), Duration::from_micros(304));
        assert_eq!(ppdu_duration(ack, RATES[1], Preamble::Short), Duration::from_micros(152));
        assert_eq!(ppdu_duration(ack, RATES[1], Preamble::Long), Duration::from_micros(248));
    }
}
