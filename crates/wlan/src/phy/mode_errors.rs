//! Probability that noise makes an error in an HT, VHT or HE PPDU, with BCC or LDPC.
//!
//! White Gaussian noise, no fading; each stream has the ratio of signal to noise that is given, as with as many antennas
//! at the receiver and a channel that keeps the streams apart. A demapper makes soft bits of each constellation, apart
//! from each other [caire-1998 §III]. BCC is the union bound over the weight spectra in [haccoun-1989], where a path of
//! weight d has the probability Q(√(-2·d·ln B)) with Bhattacharyya's factor B of such a bit [martinez-2006 §III], exact
//! for BPSK; OFDM's model ([`error_rate`]) has hard decisions. LDPC is the normal approximation of the best code of its length
//! [polyanskiy-2010 §IV]; the standard's codes of 1944 bits come near it, and nothing is added for the rest.

use airfair_units::{Dbm, Decibels};
use libm::{erfc, exp, log, log2, pow, sqrt};

use super::Mode;
use super::error_rate::{self, Code, LogSurvival, log_success};
use super::mode::{Coding, Format};
use super::modulation::{CodeRate, Constellation, ModulationAndCoding};

/// Coded bits of the longest codeword, which all but the shortest PPDUs use.  [80211-2020 §19.3.11.7.5]
const CODEWORD: f64 = 1_944.0;
/// L-SIG [bits].
const L_SIG: f64 = 24.0;
/// SERVICE field [bits].
const SERVICE: f64 = 16.0;

/// Probability that the parts of a PPDU survive, whatever its length.
///
/// `snr` is the ratio of powers in the occupied subcarriers, of each stream. The header is L-SIG with HT-SIG, VHT-SIG-A or
/// HE-SIG-A, BPSK with the code rate 1/2.
pub fn log_survival(mode: Mode, snr: Decibels) -> LogSurvival {
    let snr = pow(10.0, snr.get() / 10.0);
    match mode.coding() {
        Coding::Bcc => convolutional(mode, snr),
        Coding::Ldpc => low_density(mode, snr),
    }
}

/// Data bits of HT-SIG, VHT-SIG-A or HE-SIG-A.
fn header_bits(format: Format) -> f64 {
    match format {
        Format::Ht | Format::Vht => 48.0,
        Format::He => 52.0,
    }
}

fn convolutional(mode: Mode, snr: f64) -> LogSurvival {
    let ModulationAndCoding { constellation, code_rate } = mode.modulation();
    let factor = SoftBits::of(constellation, snr).bhattacharyya;
    let wrong = bit_error(code(code_rate), -log(factor));
    let per_bit = log_success(wrong, 1.0);
    #[expect(clippy::cast_precision_loss, reason = "at most a dozen encoders")]
    let tails = 6.0 * mode.encoders() as f64;
    LogSurvival { header: header(mode, snr), per_bit, overhead_bits: SERVICE + tails }
}

fn low_density(mode: Mode, snr: f64) -> LogSurvival {
    let ModulationAndCoding { constellation, code_rate } = mode.modulation();
    let rate = fraction(code_rate);
    let word = SoftBits::of(constellation, snr).word_error(CODEWORD, rate);
    // No codeword is lost for certain: its logarithm stays a number, between two of which a table draws its line.
    let per_bit = log_success(word.min(1.0 - f64::EPSILON), 1.0) / (CODEWORD * rate);
    LogSurvival { header: header(mode, snr), per_bit, overhead_bits: SERVICE }
}

/// L-SIG and HT-SIG, VHT-SIG-A or HE-SIG-A: BPSK, for which Bhattacharyya's factor is e^-Es/N0, with BCC at rate 1/2.
fn header(mode: Mode, snr: f64) -> f64 {
    log_success(bit_error(&error_rate::HALF, snr), L_SIG + header_bits(mode.format()))
}

/// Bit error rate of a code whose bits have Bhattacharyya's factor e^-`exponent`.  [martinez-2006 §III]
fn bit_error(code: &Code, exponent: f64) -> f64 {
    code.union_bound(|weight| gaussian_tail(sqrt(2.0 * weight * exponent))).min(0.5)
}

/// Q function: probability that a standard normal variable is larger than `x`.
fn gaussian_tail(x: f64) -> f64 {
    0.5 * erfc(x / std::f64::consts::SQRT_2)
}

fn code(code_rate: CodeRate) -> &'static Code {
    match code_rate {
        CodeRate::Half => &error_rate::HALF,
        CodeRate::TwoThirds => &error_rate::TWO_THIRDS,
        CodeRate::ThreeQuarters => &error_rate::THREE_QUARTERS,
        CodeRate::FiveSixths => &error_rate::FIVE_SIXTHS,
    }
}

/// The least power at which every receiver decodes a PPDU of this mode, at each of its antenna connectors.
/// [80211-2020 Table 19-23, Table 21-25], [80211ax-2021 Table 27-51]
pub fn sensitivity(mode: Mode) -> Dbm {
    const AT_20_MHZ: [i64; 12] = [-82, -79, -77, -74, -70, -66, -65, -64, -59, -57, -54, -52];
    Dbm::new(AT_20_MHZ[usize::from(mode.mcs())] + 3 * mode.width() as i64)
}

fn fraction(code_rate: CodeRate) -> f64 {
    match code_rate {
        CodeRate::Half => 1.0 / 2.0,
        CodeRate::TwoThirds => 2.0 / 3.0,
        CodeRate::ThreeQuarters => 3.0 / 4.0,
        CodeRate::FiveSixths => 5.0 / 6.0,
    }
}

/// Coded bits as a demapper hands them on: mean and variance of the information in one [bit, bit²], and the factor by
/// which each of them makes a wrong path less likely.
#[derive(Clone, Copy, Debug)]
struct SoftBits {
    capacity: f64,
    dispersion: f64,
    bhattacharyya: f64,
}

impl SoftBits {
    /// Both dimensions of a constellation are alike, and Gray labels split its bits between them. Noise is summed by the
    /// trapezoidal rule over 6.5 standard deviations to each side, which is exact for what decays so fast.
    fn of(constellation: Constellation, snr: f64) -> Self {
        const STEPS: i32 = 52;
        let bits = Pam::bits(constellation);
        let pam = Pam::new(constellation, snr);
        let (mut mean, mut square, mut factor, mut weights) = (0.0, 0.0, 0.0, 0.0);
        for step in -STEPS..=STEPS {
            let noise = f64::from(step) * 6.5 / f64::from(STEPS);
            let weight = exp(-noise * noise / 2.0);
            // The other half of the points is the mirror image.
            for sent in 0..pam.points.len() / 2 {
                let likelihoods = pam.likelihoods(pam.points[sent] + noise);
                for bit in 0..bits {
                    let right = right(&likelihoods, sent, bit);
                    let density = 1.0 + log2(right);
                    mean += weight * density;
                    square += weight * density * density;
                    factor += weight * sqrt((1.0 - right) / right);
                    weights += weight;
                }
            }
        }
        let capacity = mean / weights;
        let dispersion = square / weights - capacity * capacity;
        Self { capacity, dispersion, bhattacharyya: (factor / weights).min(1.0) }
    }

    /// Probability that a word of `length` coded bits is wrong: Q((n(C - R) + ½ log2 n) / √(nV)).
    /// [polyanskiy-2010 §IV]
    fn word_error(self, length: f64, rate: f64) -> f64 {
        let margin = length * (self.capacity - rate) + 0.5 * log2(length);
        let deviation = sqrt(length * self.dispersion.max(1e-15));
        gaussian_tail(margin / deviation)
    }
}

/// Probability, after what was received, of the value that one bit of the point that was sent has.
fn right(likelihoods: &[f64], sent: usize, bit: u32) -> f64 {
    let label = |place: usize| (place ^ (place >> 1)) >> bit & 1;
    let (mut right, mut wrong) = (0.0, 0.0);
    for (place, likelihood) in likelihoods.iter().enumerate() {
        *if label(place) == label(sent) { &mut right } else { &mut wrong } += likelihood;
    }
    right / (right + wrong)
}

/// One dimension of a constellation, in standard deviations of the noise.
struct Pam {
    points: Vec<f64>,
}

impl Pam {
    /// Bits of one dimension; BPSK has no other.
    fn bits(constellation: Constellation) -> u32 {
        match constellation {
            Constellation::Bpsk | Constellation::Qpsk => 1,
            Constellation::Qam16 => 2,
            Constellation::Qam64 => 3,
            Constellation::Qam256 => 4,
            Constellation::Qam1024 => 5,
        }
    }

    fn new(constellation: Constellation, snr: f64) -> Self {
        let count = f64::from(1 << Self::bits(constellation));
        // Energy of the dimension over N0/2: 2·snr for BPSK, half of it where there are two.
        let energy = if constellation == Constellation::Bpsk { 2.0 * snr } else { snr };
        // Points at ±1, ±3 … have the mean energy (L² - 1)/3.
        let scale = sqrt(energy * 3.0 / (count * count - 1.0));
        let point = |place: i32| (f64::from(2 * place + 1) - count) * scale;
        Self { points: (0..1 << Self::bits(constellation)).map(point).collect() }
    }

    fn likelihoods(&self, received: f64) -> Vec<f64> {
        let of = |point: &f64| exp(-(received - point) * (received - point) / 2.0);
        self.points.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::mode::Parameters;
    use crate::phy::{GuardInterval, Width};
    use airfair_units::Bytes;

    fn mode(format: Format, mcs: u8, coding: Coding) -> Mode {
        let of = Parameters::of(format, mcs, 1, Width::Mhz20, GuardInterval::Ns800);
        let streams = if format == Format::Vht && mcs == 9 { 3 } else { 1 };
        Mode::new(Parameters { streams, coding, ..of }).expect("a mode of the standard")
    }

    fn loss(mode: Mode, octets: u64, snr: Decibels) -> f64 {
        log_survival(mode, snr).frame_error_rate(Bytes::new(octets))
    }

    /// Half a bit comes through BPSK at Eb/N0 = 0.187 dB, Es/N0 = -2.823 dB, the limit that turbo codes are measured by.
    ///
    /// Verifies: [caire-1998 §III]
    #[test]
    fn half_a_bit_comes_through_bpsk_at_its_known_limit() {
        let of = |it, decibels: f64| SoftBits::of(it, pow(10.0, decibels / 10.0)).capacity;
        assert!((of(Constellation::Bpsk, -2.823) - 0.5).abs() < 1e-3);
        // QPSK has twice the bits for twice the energy.
        assert!((of(Constellation::Qpsk, -2.823 + 3.0103) - 0.5).abs() < 1e-3);
        for it in [Constellation::Qam16, Constellation::Qam256, Constellation::Qam1024] {
            assert!(of(it, -30.0) < 0.01 && of(it, 45.0) > 0.999, "{it:?}");
        }
    }

    /// BPSK: e^-Es/N0, at 3 dB e^-1.9953 = 0.13598.
    ///
    /// Verifies: [martinez-2006 §III]
    #[test]
    fn the_factor_of_bpsk_is_the_textbooks() {
        let at = SoftBits::of(Constellation::Bpsk, pow(10.0, 0.3)).bhattacharyya;
        assert!((at / 0.135_98 - 1.0).abs() < 1e-3, "{at}");
    }

    /// BPSK with Es/N0 = 1 and the code of rate 1/2: paths of weight 10 have Q(√20) = 3.872e-6, of 12 Q(√24) = 4.817e-7, of
    /// 14 6.055e-8, of 16 7.687e-9: 36·3.872e-6 + 211·4.817e-7 + 1404·6.055e-8 + 11 633·7.687e-9 + … = 1.394e-4 +
    /// 1.016e-4 + 8.50e-5 + 8.94e-5 + …
    ///
    /// Verifies: [martinez-2006 §III]
    #[test]
    fn paths_of_bpsk_have_the_textbooks_probability() {
        assert!((gaussian_tail(sqrt(20.0)) / 3.872e-6 - 1.0).abs() < 1e-3);
        let first = 36.0 * 3.872e-6 + 211.0 * 4.817e-7 + 1_404.0 * 6.055e-8 + 11_633.0 * 7.687e-9;
        let all = bit_error(&error_rate::HALF, 1.0);
        assert!(all > first && all < 2.0 * first, "{all} {first}");
    }

    /// Where as much comes through as the code asks, about half the words are wrong: ½ log2 1944 = 5.46 bits help against
    /// a deviation of √(1944·V).
    ///
    /// Verifies: [polyanskiy-2010 §IV]
    #[test]
    fn a_codeword_is_wrong_about_half_the_time_at_the_limit() {
        let at = |decibels: f64| {
            let snr = pow(10.0, decibels / 10.0);
            SoftBits::of(Constellation::Bpsk, snr).word_error(CODEWORD, 0.5)
        };
        assert!((0.35..0.5).contains(&at(-2.823)), "{}", at(-2.823));
        assert!(at(-3.8) > 0.99 && at(-1.5) < 1e-3);
    }

    /// Power less noise of -174 dBm/Hz in 20 MHz, -101 dBm, and what the standard leaves a receiver: 10 dB of noise figure
    /// and 5 dB of losses.
    ///
    /// Verifies: [80211-2020 Table 19-23, Table 21-25], [80211ax-2021 Table 27-51]
    #[test]
    fn every_mode_is_decoded_at_its_sensitivity() {
        let least = |mode| Decibels::rounded(sensitivity(mode).get() + 101.0 - 10.0);
        for mcs in 0..=9 {
            let mode = mode(Format::Vht, mcs, Coding::Bcc);
            let snr = Decibels::rounded(least(mode).get() - 5.0);
            assert!(loss(mode, 4_096, snr) < 0.1, "{mode:?} {}", loss(mode, 4_096, snr));
        }
        for mcs in 0..=11 {
            let mode = mode(Format::He, mcs, Coding::Ldpc);
            let snr = Decibels::rounded(least(mode).get() - 5.0);
            assert!(loss(mode, 4_096, snr) < 0.1, "{mode:?} {}", loss(mode, 4_096, snr));
        }
    }

    /// Verifies: [80211-2020 Table 21-25]
    #[test]
    fn a_wider_channel_needs_as_much_more_power_as_it_has_noise() {
        let at = |width| {
            let of = Parameters::of(Format::He, 7, 1, width, GuardInterval::Ns800);
            sensitivity(Mode::new(of).expect("a mode"))
        };
        assert_eq!(Width::ALL.map(at), [-64, -61, -58, -55].map(Dbm::new));
    }

    #[test]
    fn more_signal_less_length_and_a_lower_mcs_are_never_worse() {
        for mcs in [0, 2, 4, 5, 7, 9] {
            for coding in [Coding::Bcc, Coding::Ldpc] {
                let mode = mode(Format::He, mcs, coding);
                let mut last = 1.0;
                for decibels in -8..40 {
                    let now = loss(mode, 1_500, Decibels::new(decibels));
                    assert!(
                        (0.0..=1.0).contains(&now) && now <= last + 1e-9,
                        "{mode:?} {decibels}"
                    );
                    assert!(loss(mode, 100, Decibels::new(decibels)) <= now + 1e-12);
                    last = now;
                }
                assert!(last < 1e-6, "{mode:?}");
            }
        }
    }

    /// Signal that an MCS needs for one loss among ten: LDPC needs less than BCC, and each MCS more than the one below.
    #[test]
    fn ldpc_gains_on_bcc() {
        let needed = |coding, mcs| {
            let mode = mode(Format::He, mcs, coding);
            let steps = -40..200;
            let enough =
                |it: &i32| loss(mode, 1_458, Decibels::rounded(f64::from(*it) / 4.0)) < 0.1;
            steps.into_iter().find(enough).expect("enough signal")
        };
        let ldpc: Vec<i32> = [0, 1, 3, 4, 5, 7, 9].map(|mcs| needed(Coding::Ldpc, mcs)).to_vec();
        let bcc: Vec<i32> = [0, 1, 3, 4, 5, 7, 9].map(|mcs| needed(Coding::Bcc, mcs)).to_vec();
        assert!(ldpc.is_sorted_by(|a, b| a < b), "{ldpc:?}");
        let gains: Vec<i32> = bcc.iter().zip(&ldpc).map(|(bcc, ldpc)| bcc - ldpc).collect();
        assert!(
            gains.iter().all(|it| (0..=20).contains(it)),
            "quarters of a dB: {gains:?}, {ldpc:?}"
        );
    }
}
