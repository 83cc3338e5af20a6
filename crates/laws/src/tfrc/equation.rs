//! TCP's throughput equation: the rate as a function of round-trip time and loss.  [RFC5348 §3.1]

/// Number of bisections when the equation is solved for p: enough for every bit of an `f64`.
const BISECTIONS: u32 = 64;

/// Smallest loss event rate that the inverse returns: one event in 10⁸ packets.
const SMALLEST: f64 = 1e-8;

/// Parameters of TCP's throughput equation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equation {
    /// b: number of packets that TCP acknowledges with one ACK. The RFC recommends 1.  [RFC5348 §3.1]
    pub acked_per_ack: f64,
    /// Retransmission time-out in round trips. The RFC recommends 4.  [RFC5348 §3.1]
    pub rto_per_rtt: f64,
    /// Limit the probability 3·√(3bp/8) of a time-out to 1, as in TCP's model and ns-2.
    pub clamp_timeout_probability: bool,
}

impl Default for Equation {
    fn default() -> Self {
        Self { acked_per_ack: 1.0, rto_per_rtt: 4.0, clamp_timeout_probability: false }
    }
}

impl Equation {
    /// Time between packets by the equation, for a time-out of `rto` seconds [s].
    fn interval(&self, rtt: f64, rto: f64, p: f64) -> f64 {
        let b = self.acked_per_ack;
        let timeout_probability = 3.0 * (3.0 * b * p / 8.0).sqrt();
        let timeout_probability = if self.clamp_timeout_probability {
            timeout_probability.min(1.0)
        } else {
            timeout_probability
        };
        rtt * (2.0 * b * p / 3.0).sqrt() + rto * timeout_probability * p * (1.0 + 32.0 * p * p)
    }

    /// Rate of a TCP flow with packets of `segment` octets [octets/s].  [RFC5348 §3.1]
    pub(crate) fn rate(&self, segment: f64, (rtt, rto): (f64, f64), p: f64) -> f64 {
        segment / self.interval(rtt, rto, p)
    }
}

/// f(p): time between packets in round trips.  [RFC5348 §3.1]
///
/// √(2bp/3) + `t_RTO`/R · 3·√(3bp/8)·p·(1 + 32p²), for 0 < p ≤ 1.
#[must_use]
pub fn throughput_factor(equation: &Equation, p: f64) -> f64 {
    equation.interval(1.0, equation.rto_per_rtt, p)
}

/// X = s/(R·f(p)): throughput for segments of `segment` octets and a round trip of `rtt` seconds [octets/s].
/// [RFC5348 §3.1]
#[must_use]
pub fn throughput(equation: &Equation, segment: f64, rtt: f64, p: f64) -> f64 {
    segment / (rtt * throughput_factor(equation, p))
}

/// Loss event rate at which the equation yields `rate`, between 10⁻⁸ and 1.  [RFC5348 §6.3.1]
///
/// The RFC accepts an error of 5 %; 64 bisections have the full precision of an `f64` and are deterministic.
#[must_use]
pub fn inverse_throughput(equation: &Equation, segment: f64, rtt: f64, rate: f64) -> f64 {
    let (mut low, mut high) = (SMALLEST, 1.0);
    if throughput(equation, segment, rtt, high) >= rate {
        return high;
    }
    if throughput(equation, segment, rtt, low) <= rate {
        return low;
    }
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if throughput(equation, segment, rtt, middle) > rate {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// f(p)·10⁶, rounded down, computed with integers only; each root is one integer square root.
    ///
    /// With p = n/d: √(2n/3d) and 12·√(3n/8d)·(n/d)·(1 + 32n²/d²), all in units of 10⁻¹⁵.
    fn exact_millionths(n: u128, d: u128) -> f64 {
        const SCALE: u128 = 1_000_000_000_000_000;
        let first = (2 * n * SCALE * SCALE / (3 * d)).isqrt();
        let root = (3 * n * SCALE * SCALE / (8 * d)).isqrt();
        // 12·root·n·(d² + 32n²)/d³, with the division last.
        let second = 12 * root * n * (d * d + 32 * n * n) / (d * d * d);
        #[expect(clippy::cast_precision_loss, reason = "a test value of at most 16 digits")]
        let sum = (first + second) as f64;
        sum / 1e9
    }

    /// f(p) agrees with a computation in integers for loss event rates n/d.
    ///
    /// Verifies: [RFC5348 §3.1]
    #[test]
    fn f_agrees_with_integer_arithmetic() {
        let standard = Equation::default();
        for d in [10_000u32, 9_973, 7_919] {
            for n in (1..=d).step_by(7) {
                let p = f64::from(n) / f64::from(d);
                let exact = exact_millionths(n.into(), d.into());
                let found = 1e6 * throughput_factor(&standard, p);
                assert!((found - exact).abs() < 1e-9 * exact, "p = {n}/{d}: {found} {exact}");
            }
        }
    }

    /// f(p) agrees with the lines of Linux's table `tfrc_calc_x_lookup` that `peers.md` quotes; the kernel
    /// rounds down.
    ///
    /// Verifies: [RFC5348 §3.1]
    #[test]
    fn f_agrees_with_the_linux_table() {
        let rows = [
            (0.0001, 8_172.0),
            (0.001, 26_052.0),
            (0.002, 37_172.0),
            (0.01, 89_022.0),
            (0.05, 271_305.0),
            (0.1, 564_939.0),
            (0.2, 1_863_717.0),
            (0.5, 23_960_036.0),
            (1.0, 243_315_981.0),
        ];
        for (p, millionths) in rows {
            let found = 1e6 * throughput_factor(&Equation::default(), p);
            assert!((found - millionths).abs() <= 1.0, "{p}: {found}");
        }
    }

    /// The packets per ACK and the time-out enter f(p) as in the equation, and the probability of a time-out
    /// is limited on request.
    ///
    /// Verifies: [RFC5348 §3.1]
    #[test]
    fn b_and_the_timeout_enter_as_the_equation_says() {
        // With b = 4, p = 3/8 makes both roots rational: √(2·4·3/8/3) = 1 and √(3·4·3/8/8) = 3/4;
        // f = 1 + 2·3·(3/4)·(3/8)·(1 + 32·9/64) = 1 + 1.6875·5.5 = 10.28125 with t_RTO = 2R
        let equation = Equation { acked_per_ack: 4.0, rto_per_rtt: 2.0, ..Equation::default() };
        assert!((throughput_factor(&equation, 0.375) - 10.281_25).abs() < 1e-12);
        // The time-out probability 9/4 is limited to 1: f = 1 + 2·(3/8)·5.5 = 5.125
        let clamped = Equation { clamp_timeout_probability: true, ..equation };
        assert!((throughput_factor(&clamped, 0.375) - 5.125).abs() < 1e-12);
        // 1000 octets per 100 ms / 10.28125
        assert!((throughput(&equation, 1_000.0, 0.1, 0.375) - 972.644_376_9).abs() < 1e-6);
    }

    /// Whatever the rate is, the inverse of the equation returns a loss event rate between its smallest value
    /// and 1.
    ///
    /// Verifies: [RFC5348 §6.3.1]
    #[test]
    fn the_inverse_stays_between_its_ends() {
        let inverse = |rate| inverse_throughput(&Equation::default(), 1_000.0, 0.1, rate);
        // 10⁴/f(1) = 41.1 octets/s is the smallest rate that the equation yields.
        assert!((inverse(41.0) - 1.0).abs() < f64::EPSILON);
        assert!((inverse(0.0) - 1.0).abs() < f64::EPSILON);
        assert!(inverse(f64::INFINITY) <= SMALLEST);
    }

    proptest! {
        /// For any p and round trip, the inverse of the equation at the rate X(p) is p.
        ///
        /// Verifies: [RFC5348 §6.3.1]
        #[test]
        fn the_inverse_undoes_the_equation(exponent in 1u32..70, steps in 0u32..100, rtt_ms in 1u32..2_000) {
            let mut p = 1.0 + f64::from(steps) / 100.0;
            for _ in 0..exponent / 3 {
                p /= 2.0;
            }
            let p = p.min(1.0);
            let rtt = f64::from(rtt_ms) / 1e3;
            for clamp_timeout_probability in [false, true] {
                let equation = Equation { clamp_timeout_probability, ..Equation::default() };
                let rate = throughput(&equation, 1_460.0, rtt, p);
                let found = inverse_throughput(&equation, 1_460.0, rtt, rate);
                prop_assert!((found - p).abs() < 1e-9 * p, "{found} {p}");
            }
        }
    }
}
