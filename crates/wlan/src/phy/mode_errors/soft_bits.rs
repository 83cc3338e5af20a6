//! Soft bits of a constellation in white Gaussian noise.

use libm::{erfc, exp, log, log2, sqrt};

use crate::phy::modulation::Constellation;

/// Statistics of the soft bits that a demapper produces.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoftBits {
    /// Mean mutual information of a coded bit [bit].
    pub(super) capacity: f64,
    /// Variance of the information of a coded bit [bit²].
    dispersion: f64,
    /// Bhattacharyya parameter of a coded bit: the mean of e^(-Λ/2), where Λ is the log-likelihood ratio in favour of
    /// the correct value. Each bit in which a wrong path differs makes the path less likely by this factor.
    pub(super) bhattacharyya: f64,
    /// Mean of Λ², weighted by e^(-Λ/2), where Λ is the log-likelihood ratio in favour of the correct value of a coded
    /// bit.
    spread: f64,
}

impl SoftBits {
    /// Calculates the statistics of a constellation. Both dimensions are equal, and Gray labels divide the bits
    /// between them. The integral over the noise is a trapezoidal sum over 6.5 standard deviations to each side,
    /// which is practically exact for a function that decays so fast.
    pub(super) fn of(constellation: Constellation, snr: f64) -> Self {
        const STEPS: i32 = 52;
        let bits = Pam::bits(constellation);
        let pam = Pam::new(constellation, snr);
        let (mut mean, mut square, mut factor, mut spread, mut weights) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for step in -STEPS..=STEPS {
            let noise = f64::from(step) * 6.5 / f64::from(STEPS);
            let weight = exp(-noise * noise / 2.0);
            // The other half of the points is the mirror image.
            for sent in 0..pam.points.len() / 2 {
                let odds = odds(&pam.likelihoods(pam.points[sent] + noise), sent);
                for odds in &odds[..bits] {
                    let density = 1.0 - log2(1.0 + odds);
                    mean += weight * density;
                    square += weight * density * density;
                    if *odds > 0.0 {
                        let (root, logarithm) = (sqrt(*odds), log(*odds));
                        factor += weight * root;
                        spread += weight * root * logarithm * logarithm;
                    }
                    weights += weight;
                }
            }
        }
        let capacity = mean / weights;
        let dispersion = square / weights - capacity * capacity;
        let spread = if factor > 0.0 { spread / factor } else { 0.0 };
        Self { capacity, dispersion, bhattacharyya: (factor / weights).min(1.0), spread }
    }

    /// Probability that a codeword of `length` coded bits is wrong: Q((n(C - R) + ½ log2 n) / √(nV)).
    /// [polyanskiy-2010 §IV]
    pub(super) fn word_error(self, length: f64, rate: f64) -> f64 {
        let margin = length * (self.capacity - rate) + 0.5 * log2(length);
        let deviation = sqrt(length * self.dispersion.max(1e-15));
        gaussian_tail(margin / deviation)
    }

    /// Probability that a wrong path of weight `d` beats the correct one. The sum Λ of the bits' log-likelihood
    /// ratios, tilted by e^(-Λ/2), is assumed to be normal with a variance of d times the spread s:
    /// B^d·e^(ds/8)·Q(√(ds)/2). For BPSK it is normal. [martinez-2006 §III]
    pub(super) fn pairwise(self, d: f64) -> f64 {
        exp(d * log(self.bhattacharyya)) * scaled_tail(sqrt(d * self.spread) / 2.0)
    }
}

/// Q function: probability that a standard normal variable is larger than `x`.
fn gaussian_tail(x: f64) -> f64 {
    0.5 * erfc(x / std::f64::consts::SQRT_2)
}

/// Q function times e^(x²/2), which stays in range.
fn scaled_tail(x: f64) -> f64 {
    if x < 30.0 {
        exp(x * x / 2.0) * gaussian_tail(x)
    } else {
        1.0 / (x * sqrt(2.0 * std::f64::consts::PI))
    }
}

/// Likelihood ratio of the wrong to the correct value, for each bit of the point that was sent; 0 for bits that the
/// constellation does not have.
fn odds(likelihoods: &[f64], sent: usize) -> [f64; MOST_BITS] {
    let label = |place: usize| place ^ (place >> 1);
    let (mut right, mut wrong) = ([0.0; MOST_BITS], [0.0; MOST_BITS]);
    // All bits at once, in independent sums.
    for (place, likelihood) in likelihoods.iter().enumerate() {
        let differing = label(place) ^ label(sent);
        for bit in 0..MOST_BITS {
            let is_right = differing >> bit & 1 == 0;
            right[bit] += if is_right { *likelihood } else { 0.0 };
            wrong[bit] += if is_right { 0.0 } else { *likelihood };
        }
    }
    std::array::from_fn(|bit| wrong[bit] / right[bit])
}

/// Bits in one dimension of the largest constellation.
const MOST_BITS: usize = 6;

/// Points in one dimension of a constellation, in standard deviations of the noise.
struct Pam {
    points: Vec<f64>,
}

impl Pam {
    /// Number of bits in one dimension of a constellation; BPSK has only one dimension.
    fn bits(constellation: Constellation) -> usize {
        match constellation {
            Constellation::Bpsk | Constellation::Qpsk => 1,
            Constellation::Qam16 => 2,
            Constellation::Qam64 => 3,
            Constellation::Qam256 => 4,
            Constellation::Qam1024 => 5,
            Constellation::Qam4096 => 6,
        }
    }

    fn new(constellation: Constellation, snr: f64) -> Self {
        let count = f64::from(1 << Self::bits(constellation));
        // Energy of the dimension over N0/2: 2·snr for BPSK, and half of this with two dimensions.
        let energy = if constellation == Constellation::Bpsk { 2.0 * snr } else { snr };
        // Points at ±1, ±3 … have a mean energy of (L² - 1)/3.
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
    use libm::pow;

    fn at(constellation: Constellation, decibels: f64) -> SoftBits {
        SoftBits::of(constellation, pow(10.0, decibels / 10.0))
    }

    /// BPSK has a capacity of half a bit at Eb/N0 = 0.187 dB, Es/N0 = -2.823 dB, the limit to which turbo codes are
    /// compared.
    ///
    /// Verifies: [caire-1998 §III]
    #[test]
    fn half_a_bit_comes_through_bpsk_at_its_known_limit() {
        let capacity = |it, decibels: f64| at(it, decibels).capacity;
        assert!((capacity(Constellation::Bpsk, -2.823) - 0.5).abs() < 1e-3);
        // QPSK has twice the bits with twice the energy.
        assert!((capacity(Constellation::Qpsk, -2.823 + 3.0103) - 0.5).abs() < 1e-3);
        for it in [Constellation::Qam16, Constellation::Qam1024, Constellation::Qam4096] {
            assert!(capacity(it, -30.0) < 0.01 && capacity(it, 50.0) > 0.999, "{it:?}");
        }
    }

    /// Wrong paths of BPSK have the probability of the closed form. BPSK has the factor e^-Es/N0, at 3 dB e^-1.9953 =
    /// 0.13598, and the spread 8·Es/N0 = 15.962. So a path of weight d has probability Q(√(2·d·Es/N0)): with Es/N0 = 1
    /// and weights 10, 12, 14, Q(√20) = 3.872e-6, Q(√24) = 4.817e-7 and Q(√28) = 6.055e-8.
    ///
    /// Verifies: [martinez-2006 §III]
    #[test]
    fn paths_of_bpsk_have_the_textbooks_probability() {
        let bits = at(Constellation::Bpsk, 3.0);
        assert!((bits.bhattacharyya / 0.135_98 - 1.0).abs() < 1e-3, "{bits:?}");
        assert!((bits.spread / 15.962 - 1.0).abs() < 1e-3, "{bits:?}");
        let bits = at(Constellation::Bpsk, 0.0);
        for (weight, probability) in [(10.0, 3.872e-6), (12.0, 4.817e-7), (14.0, 6.055e-8)] {
            let pairwise = bits.pairwise(weight);
            assert!((pairwise / probability - 1.0).abs() < 2e-3, "{pairwise}");
        }
    }

    #[test]
    fn a_path_has_a_probability_at_any_signal() {
        for it in [Constellation::Bpsk, Constellation::Qam64, Constellation::Qam4096] {
            for decibels in -40..=60 {
                for weight in [4.0, 22.0] {
                    let pairwise = at(it, f64::from(decibels)).pairwise(weight);
                    assert!((0.0..=0.5).contains(&pairwise), "{it:?} {decibels} {pairwise}");
                }
            }
        }
    }

    /// If the capacity equals the code rate, about half of the codewords are wrong: ½ log2 1944 = 5.46 bits help
    /// against a deviation of √(1944·V).
    ///
    /// Verifies: [polyanskiy-2010 §IV]
    #[test]
    fn a_codeword_is_wrong_about_half_the_time_at_the_limit() {
        let wrong = |decibels: f64| at(Constellation::Bpsk, decibels).word_error(1_944.0, 0.5);
        assert!((0.35..0.5).contains(&wrong(-2.823)), "{}", wrong(-2.823));
        assert!(wrong(-3.8) > 0.99 && wrong(-1.5) < 1e-3);
    }
}
