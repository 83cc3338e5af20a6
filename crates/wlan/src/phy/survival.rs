//! Probabilities that the parts of a PPDU survive noise.

use airfair_units::Bytes;
use libm::{exp, log1p};

/// Natural logarithms of the probabilities that parts of a PPDU survive noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogSurvival {
    /// Logarithm of the probability that the PLCP header or the SIGNAL field survives.
    pub header: f64,
    /// Logarithm of the probability that one bit at the data rate survives; for a CCK symbol, the share of each of its
    /// bits.
    pub per_bit: f64,
    /// Number of bits at the data rate beside the PSDU.
    pub overhead_bits: f64,
}

impl LogSurvival {
    /// Probability that a PPDU with `psdu` octets is not decoded.
    pub fn frame_error_rate(self, psdu: Bytes) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "the bits of one frame")]
        let bits = psdu.bits() as f64;
        (1.0 - exp(self.header + self.per_bit * (bits + self.overhead_bits))).clamp(0.0, 1.0)
    }
}

/// Logarithm of the probability of `n` successes, ln (1 - p)^n; exact for small `p`.
pub(super) fn log_success(p: f64, n: f64) -> f64 {
    if p >= 1.0 { f64::NEG_INFINITY } else { n * log1p(-p) }
}
