//! OFDM (802.11a) and ERP-OFDM (802.11g): symbols of 4 µs after a preamble and the SIGNAL field.

use airfair_units::{Bytes, DataRate, Duration};

/// Rates of OFDM in channels of 20 MHz, ascending.  [80211-2020 §17.2.3.3]
pub const RATES: [DataRate; 8] = [
    DataRate::from_mbps(6),
    DataRate::from_mbps(9),
    DataRate::from_mbps(12),
    DataRate::from_mbps(18),
    DataRate::from_mbps(24),
    DataRate::from_mbps(36),
    DataRate::from_mbps(48),
    DataRate::from_mbps(54),
];

/// Modulations with code rates of OFDM, each with the data rate at its index in [`RATES`].  [80211-2020 §17.3.2.3]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modulation {
    /// BPSK with code rate 1/2, 6 Mb/s.
    Bpsk12,
    /// BPSK with code rate 3/4, 9 Mb/s.
    Bpsk34,
    /// QPSK with code rate 1/2, 12 Mb/s.
    Qpsk12,
    /// QPSK with code rate 3/4, 18 Mb/s.
    Qpsk34,
    /// 16-QAM with code rate 1/2, 24 Mb/s.
    Qam16R12,
    /// 16-QAM with code rate 3/4, 36 Mb/s.
    Qam16R34,
    /// 64-QAM with code rate 2/3, 48 Mb/s.
    Qam64R23,
    /// 64-QAM with code rate 3/4, 54 Mb/s.
    Qam64R34,
}

impl Modulation {
    /// All modulations, in ascending order of rate.
    pub const ALL: [Self; 8] = [
        Self::Bpsk12,
        Self::Bpsk34,
        Self::Qpsk12,
        Self::Qpsk34,
        Self::Qam16R12,
        Self::Qam16R34,
        Self::Qam64R23,
        Self::Qam64R34,
    ];
}

/// Rates that every OFDM station supports.  [80211-2020 §17.2.3.3]
pub const MANDATORY_RATES: [DataRate; 3] =
    [DataRate::from_mbps(6), DataRate::from_mbps(12), DataRate::from_mbps(24)];

/// Duration of the preamble, 16 µs, and SIGNAL, one symbol.  [80211-2020 §17.4.3]
pub const PREAMBLE_AND_SIGNAL: Duration = Duration::from_micros(20);
/// Duration of a symbol.  [80211-2020 §17.4.3]
const SYMBOL: Duration = Duration::from_micros(4);
/// Number of SERVICE bits before and tail bits after the PSDU.  [80211-2020 §17.3.5.2, §17.3.5.3]
const SERVICE_AND_TAIL_BITS: u64 = 16 + 6;
/// Time without a signal at the end of an ERP-OFDM PPDU, which makes up for the shorter SIFS.  [80211-2020 §18.3.2.4]
pub const SIGNAL_EXTENSION: Duration = Duration::from_micros(6);

/// Duration of an OFDM PPDU on the air, preamble included.  [80211-2020 §17.4.3]
pub fn ppdu_duration(psdu: Bytes, rate: DataRate) -> Duration {
    let bits_per_symbol = rate.bps() * SYMBOL.as_nanos() / 1_000_000_000;
    let symbols = (SERVICE_AND_TAIL_BITS + psdu.bits()).div_ceil(bits_per_symbol);
    PREAMBLE_AND_SIGNAL + SYMBOL * symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verifies: [80211-2020 §17.4.3]
    #[test]
    fn a_1536_byte_psdu_at_54_mbps_lasts_248_us() {
        // 16 service + 8·1536 data + 6 tail = 12 310 bits; /216 per symbol → 57 symbols
        // 16 µs preamble + 4 µs SIGNAL + 57·4 µs = 248 µs
        let duration = ppdu_duration(Bytes::new(1536), DataRate::from_mbps(54));
        assert_eq!(duration, Duration::from_micros(248));
    }

    /// Verifies: [80211-2020 §17.4.3]
    #[test]
    fn an_ack_lasts_44_28_and_28_us_at_the_mandatory_rates() {
        // 22 + 112 = 134 bits: /24 → 6 symbols = 44 µs, /48 → 3 = 32 µs, /96 → 2 = 28 µs
        let acks = MANDATORY_RATES.map(|rate| ppdu_duration(Bytes::new(14), rate));
        assert_eq!(acks, [44, 32, 28].map(Duration::from_micros));
    }
}
