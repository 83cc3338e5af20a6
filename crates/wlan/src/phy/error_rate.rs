//! Probability that noise makes an error in a PPDU, by its vector, its length and the signal-to-noise ratio.
//!
//! The noise is white and Gaussian, without fading. DSSS and CCK follow [pei-2009], and OFDM follows [miller-2003],
//! with a union bound over the weight spectra of the convolutional code in [haccoun-1989]. Preamble and header have
//! their own rates. Transcendental functions come from `libm`, so that results are equal on every platform.

use airfair_units::{Bytes, Decibels};
use libm::{erf, erfc, exp, pow, sqrt};

use super::survival::log_success;
use super::{TxVector, dsss, mode_errors, ofdm};

pub use super::survival::LogSurvival;

/// Bandwidth of the noise in front of the DSSS correlator [Hz].
const DSSS_BANDWIDTH: f64 = 22e6;
/// CCK symbols per second.
const CCK_SYMBOL_RATE: f64 = 1.375e6;
/// PLCP header of DSSS and CCK [bits]; with the long preamble it is sent at 1 Mb/s.  [80211-2020 §16.2.2]
const PLCP_HEADER_BITS: f64 = 48.0;
/// SIGNAL field of OFDM [bits], sent at 6 Mb/s.  [80211-2020 §17.3.4]
const SIGNAL_BITS: f64 = 24.0;
/// SERVICE and tail bits around the PSDU.  [80211-2020 §17.3.5]
const SERVICE_AND_TAIL_BITS: f64 = 22.0;

/// Probability that a PPDU with this vector and `psdu` octets is not decoded.
///
/// `snr` is the ratio of powers in the channel's bandwidth. This is 22 MHz in DSSS. In OFDM it consists of the
/// occupied subcarriers, so that `snr` equals Es/N0 of each of them.
pub fn frame_error_rate(tx: TxVector, psdu: Bytes, snr: Decibels) -> f64 {
    log_survival(tx, snr).frame_error_rate(psdu)
}

/// Probabilities that the parts of a PPDU with this vector survive, for any length. `snr` is as in
/// [`frame_error_rate`].
pub fn log_survival(tx: TxVector, snr: Decibels) -> LogSurvival {
    let ratio = pow(10.0, snr.get() / 10.0);
    match tx {
        TxVector::Dsss(modulation, _) => LogSurvival {
            header: log_success(dbpsk(ratio), PLCP_HEADER_BITS),
            per_bit: dsss_log_success(modulation, ratio),
            overhead_bits: 0.0,
        },
        TxVector::Ofdm(modulation) => LogSurvival {
            header: log_success(ofdm_bit_error(ofdm::Modulation::Bpsk12, ratio), SIGNAL_BITS),
            per_bit: log_success(ofdm_bit_error(modulation, ratio), 1.0),
            overhead_bits: SERVICE_AND_TAIL_BITS,
        },
        TxVector::Mode(mode) => mode_errors::log_survival(mode, snr),
    }
}

/// Probability that `psdu` octets contain a wrong bit, if each bit is wrong with probability `ber`.
pub fn independent_bits(ber: f64, psdu: Bytes) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "the bits of one frame")]
    let bits = psdu.bits() as f64;
    1.0 - exp(log_success(ber, bits))
}

fn dsss_log_success(modulation: dsss::Modulation, snr: f64) -> f64 {
    match modulation {
        dsss::Modulation::Dbpsk => log_success(dbpsk(snr), 1.0),
        dsss::Modulation::Dqpsk => log_success(dqpsk(snr), 1.0),
        // Es/N0 of a symbol of 4 bits, which is one of 16 biorthogonal codewords.
        dsss::Modulation::Cck4 => {
            log_success(biorthogonal_16(snr * DSSS_BANDWIDTH / CCK_SYMBOL_RATE / 2.0), 1.0 / 4.0)
        }
        // 8 bits: two such codewords in parallel, with half of the energy each.
        dsss::Modulation::Cck8 => {
            let half = biorthogonal_16(snr * DSSS_BANDWIDTH / CCK_SYMBOL_RATE / 4.0);
            log_success(half, 2.0 / 8.0)
        }
    }
}

/// Bit error rate of differential BPSK at 1 Mb/s: ½·exp(-Eb/N0).
fn dbpsk(snr: f64) -> f64 {
    0.5 * exp(-snr * DSSS_BANDWIDTH / 1e6)
}

/// Bit error rate of differential QPSK at 2 Mb/s, by the usual approximation.
fn dqpsk(snr: f64) -> f64 {
    let root = std::f64::consts::SQRT_2;
    let eb_n0 = snr * DSSS_BANDWIDTH / 2e6;
    let scale = (root + 1.0) / sqrt(8.0 * std::f64::consts::PI * root);
    (scale / sqrt(eb_n0) * exp(-(2.0 - root) * eb_n0)).min(0.5)
}

/// Symbol error rate of 16 biorthogonal signals, coherently detected, by Simpson's rule over
/// 1 - ∫ φ(x) (2Φ(x + β) - 1)^7 dx from -β, with β = √(2·Es/N0).  [proakis §5.2]
fn biorthogonal_16(es_n0: f64) -> f64 {
    const STEPS: u32 = 200;
    let beta = sqrt(2.0 * es_n0);
    let (from, to) = ((-beta).max(-8.0), 8.0);
    let width = (to - from) / f64::from(STEPS);
    let density = |x: f64| {
        let inside = erf((x + beta) / std::f64::consts::SQRT_2);
        exp(-x * x / 2.0) / sqrt(2.0 * std::f64::consts::PI) * (1.0 - pow(inside, 7.0))
    };
    let sum: f64 = (0..=STEPS)
        .map(|i| {
            let weight = match i {
                0 | STEPS => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * density(from + width * f64::from(i))
        })
        .sum();
    // Below -β the correct signal is never the largest in amplitude.
    let below = 0.5 * erfc(beta / std::f64::consts::SQRT_2);
    (sum * width / 3.0 + below).clamp(0.0, 1.0)
}

/// Bit error rate of an OFDM modulation after decoding.
fn ofdm_bit_error(modulation: ofdm::Modulation, snr: f64) -> f64 {
    use ofdm::Modulation as M;
    let (raw, code): (f64, &Code) = match modulation {
        M::Bpsk12 => (psk(snr), &HALF),
        M::Bpsk34 => (psk(snr), &THREE_QUARTERS),
        M::Qpsk12 => (psk(snr / 2.0), &HALF),
        M::Qpsk34 => (psk(snr / 2.0), &THREE_QUARTERS),
        M::Qam16R12 => (qam(16.0, snr), &HALF),
        M::Qam16R34 => (qam(16.0, snr), &THREE_QUARTERS),
        M::Qam64R23 => (qam(64.0, snr), &TWO_THIRDS),
        M::Qam64R34 => (qam(64.0, snr), &THREE_QUARTERS),
    };
    code.bit_error(raw)
}

/// Bit error rate of BPSK, and of QPSK at half the ratio: ½·erfc(√Es/N0).
fn psk(snr: f64) -> f64 {
    0.5 * erfc(sqrt(snr))
}

/// Bit error rate of square QAM with Gray labels: 2(1 - 1/√M)/log2 M · erfc(√(3/2 · snr/(M - 1))).
fn qam(order: f64, snr: f64) -> f64 {
    let bits = libm::log2(order);
    2.0 * (1.0 - 1.0 / sqrt(order)) / bits * erfc(sqrt(1.5 * snr / (order - 1.0)))
}

/// The convolutional code of 133 and 171 octal, plain or punctured: wrong bits on wrong paths of each weight, per
/// puncturing period.
struct Code {
    period: f64,
    free_distance: i32,
    /// Difference in Hamming weight between the wrong paths that consecutive entries of `spectrum` stand for.
    step: i32,
    spectrum: &'static [f64],
}

const HALF: Code = Code {
    period: 1.0,
    free_distance: 10,
    step: 2,
    spectrum: &[36.0, 211.0, 1_404.0, 11_633.0, 77_433.0, 502_690.0, 3_322_763.0],
};
const TWO_THIRDS: Code = Code {
    period: 2.0,
    free_distance: 6,
    step: 1,
    spectrum: &[3.0, 70.0, 285.0, 1_276.0, 6_160.0, 27_128.0, 117_019.0],
};
const THREE_QUARTERS: Code = Code {
    period: 3.0,
    free_distance: 5,
    step: 1,
    spectrum: &[42.0, 201.0, 1_492.0, 10_469.0, 62_935.0, 379_644.0, 2_253_373.0],
};

impl Code {
    /// Bit error rate after decoding for the raw bit error rate `raw`: union bound with Chernoff's D = √(4p(1 - p)) for
    /// a path of weight one.
    fn bit_error(&self, raw: f64) -> f64 {
        let chernoff = sqrt(4.0 * raw * (1.0 - raw));
        self.union_bound(|weight| pow(chernoff, weight)) / 2.0
    }

    /// Wrong bits per information bit, at most one. `pairwise` is the probability that the decoder takes a wrong path
    /// of a given weight.
    fn union_bound(&self, pairwise: impl Fn(f64) -> f64) -> f64 {
        let term =
            |(i, bits): (i32, &f64)| bits * pairwise(f64::from(self.free_distance + i * self.step));
        let bound: f64 = (0..).zip(self.spectrum).map(term).sum();
        (bound / self.period).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Preamble;

    const FRAME: Bytes = Bytes::new(1_000);

    fn near(value: f64, expected: f64) -> bool {
        (value / expected - 1.0).abs() < 1e-3
    }

    /// Eb/N0 = 22 · 0.4 = 8.8 at 1 Mb/s: ½ e^-8.8 = 7.537e-5.
    #[test]
    fn one_megabit_is_differential_bpsk() {
        assert!(near(dbpsk(0.4), 7.537e-5));
        assert!(near(dbpsk(0.0), 0.5));
    }

    /// Eb/N0 = 11: 2.41421/√35.5431 · 1/√11 · e^(-0.585786·11) = 0.40494 · 0.301511 · 0.0015900.
    #[test]
    fn two_megabits_are_differential_qpsk() {
        assert!(near(dqpsk(1.0), 1.9413e-4), "{}", dqpsk(1.0));
    }

    /// Without signal, all of the 16 codewords are equally likely; with a strong signal, the decision is never wrong.
    /// In between the union bound holds: 14 orthogonal codewords at ½ erfc(√(Es/2N0)), and the negative one at ½
    /// erfc(√Es/N0).
    #[test]
    fn sixteen_codewords_keep_to_their_limits() {
        assert!(near(biorthogonal_16(0.0), 15.0 / 16.0), "{}", biorthogonal_16(0.0));
        assert!(biorthogonal_16(100.0) < 1e-12);
        for es_n0 in [12.0, 16.0, 20.0] {
            let union = 7.0 * erfc(sqrt(es_n0 / 2.0)) + 0.5 * erfc(sqrt(es_n0));
            let exact = biorthogonal_16(es_n0);
            assert!(exact < union && exact > 0.8 * union, "{es_n0}: {exact} of {union}");
        }
    }

    /// BPSK at 4 dB: ½ erfc(√2.51189) = 0.012501. 16-QAM at a ratio of 10: 0.375 · erfc(1) = 0.058987. 64-QAM at a
    /// ratio of 42: 7/24 · erfc(1) = 0.045879.
    #[test]
    fn raw_bit_errors_are_the_textbooks() {
        assert!(near(psk(2.511_886), 0.012_501), "{}", psk(2.511_886));
        assert!(near(qam(16.0, 10.0), 0.058_987), "{}", qam(16.0, 10.0));
        assert!(near(qam(64.0, 42.0), 0.045_879), "{}", qam(64.0, 42.0));
    }

    /// The bit error rate after decoding at rate 1/2 is the union bound over the weight spectrum. p = 0.01: D² =
    /// 0.0396, and ½ (36·0.0396⁵ + 211·0.0396⁶ + 1404·0.0396⁷ + 11633·0.0396⁸ + …) = ½ (3.5057e-6 + 8.1368e-7 +
    /// 2.1441e-7 + 7.0351e-8 + 1.8544e-8 + 4.767e-9 + 1.248e-9).
    #[test]
    fn the_code_of_rate_one_half_follows_its_spectrum() {
        assert!(near(HALF.bit_error(0.01), 2.3144e-6), "{}", HALF.bit_error(0.01));
        assert!(near(HALF.bit_error(0.5), 0.5));
    }

    #[test]
    fn more_signal_less_length_and_lower_rates_are_never_worse() {
        for decibels in -10..40 {
            let snr = Decibels::new(decibels);
            let at = |tx, size, snr| frame_error_rate(tx, Bytes::new(size), snr);
            for tx in TxVector::all() {
                let here = at(tx, 1_000, snr);
                assert!((0.0..=1.0).contains(&here));
                assert!(at(tx, 1_000, Decibels::from_thousandths(500)).is_finite());
                assert!(at(tx, 500, snr) <= here + 1e-12);
                let better = Decibels::from_thousandths(1_000 * decibels + 500);
                assert!(at(tx, 1_000, better) <= here + 1e-9, "{tx} at {snr}");
            }
        }
        // 9 Mb/s, punctured BPSK, is worse than 12 Mb/s at low ratios. All other rates are in order.
        for pair in dsss::Modulation::ALL.windows(2) {
            let at =
                |it| frame_error_rate(TxVector::Dsss(it, Preamble::Long), FRAME, Decibels::new(3));
            assert!(at(pair[0]) <= at(pair[1]), "{pair:?}");
        }
    }

    /// 1 - (1 - 1e-5)^8000 = 1 - e^-0.0800004 = 0.076884.
    #[test]
    fn independent_bits_add_up_over_the_frame() {
        assert!(near(independent_bits(1e-5, FRAME), 0.076_884));
        assert!(near(independent_bits(1.0, FRAME), 1.0));
        assert!(independent_bits(0.0, FRAME).abs() < 1e-300);
    }
}
