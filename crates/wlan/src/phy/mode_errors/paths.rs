//! Wrong paths through the trellis of the convolutional code.

use crate::phy::modulation::CodeRate;

/// The code of 133 and 171 octal, plain or punctured: number of wrong paths of each weight, by the bit at which they
/// leave the correct path, summed over a puncturing period.  [haccoun-1989], [80211-2020 §17.3.5.6, §19.3.11.6]
#[derive(Debug)]
pub(super) struct Code {
    /// Data bits per puncturing period.
    period: f64,
    free_distance: i32,
    /// Difference between consecutive weights of wrong paths.
    step: i32,
    paths: [f64; 7],
}

const HALF: Code = Code {
    period: 1.0,
    free_distance: 10,
    step: 2,
    paths: [11.0, 38.0, 193.0, 1_331.0, 7_275.0, 40_406.0, 234_969.0],
};
const TWO_THIRDS: Code = Code {
    period: 2.0,
    free_distance: 6,
    step: 1,
    paths: [1.0, 16.0, 48.0, 158.0, 642.0, 2_435.0, 9_174.0],
};
const THREE_QUARTERS: Code = Code {
    period: 3.0,
    free_distance: 5,
    step: 1,
    paths: [8.0, 31.0, 160.0, 892.0, 4_512.0, 23_297.0, 120_976.0],
};
const FIVE_SIXTHS: Code = Code {
    period: 5.0,
    free_distance: 4,
    step: 1,
    paths: [14.0, 69.0, 654.0, 4_996.0, 39_677.0, 314_973.0, 2_503_576.0],
};

impl Code {
    pub(super) fn of(code_rate: CodeRate) -> &'static Self {
        match code_rate {
            CodeRate::Half => &HALF,
            CodeRate::TwoThirds => &TWO_THIRDS,
            CodeRate::ThreeQuarters => &THREE_QUARTERS,
            CodeRate::FiveSixths => &FIVE_SIXTHS,
        }
    }

    /// Probability that a wrong path begins at a bit: the union bound, at most one. `pairwise` is the probability of
    /// one wrong path of a given weight.
    pub(super) fn path(&self, pairwise: impl Fn(f64) -> f64) -> f64 {
        let weights = (0..).map(|place| f64::from(self.free_distance + place * self.step));
        let bound: f64 =
            weights.zip(&self.paths).map(|(weight, paths)| paths * pairwise(weight)).sum();
        (bound / self.period).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts wrong paths by weight up to `heaviest`, bit by bit. From each position of the puncturing pattern, which
    /// has one bit of `sent` for each output, a wrong bit leaves state 0 of the encoder, and the path ends when it is
    /// back in state 0. The last six bits are the state of the encoder.
    fn counted(sent: [&[u8]; 2], heaviest: usize) -> Vec<f64> {
        let period = sent[0].len();
        let mut ended = vec![0.0; heaviest + 1];
        for start in 0..period {
            let mut under_way = vec![vec![0.0; heaviest + 1]; 64];
            under_way[0][0] = 1.0;
            for place in start.. {
                let mut next = vec![vec![0.0; heaviest + 1]; 64];
                for (state, paths) in under_way.iter().enumerate() {
                    for bit in 0..2 {
                        // The correct path continues in state 0.
                        if state == 0 && (place > start || bit == 0) {
                            continue;
                        }
                        let register = bit << 6 | state;
                        let output = |taps: usize, of: usize| {
                            (register & taps).count_ones() % 2 * u32::from(sent[of][place % period])
                        };
                        let weight = usize::try_from(output(0o133, 0) + output(0o171, 1)).unwrap();
                        let to = &mut next[register >> 1];
                        for (less, paths) in paths.iter().enumerate().take(heaviest + 1 - weight) {
                            to[less + weight] += paths;
                        }
                    }
                }
                let back = std::mem::replace(&mut next[0], vec![0.0; heaviest + 1]);
                ended.iter_mut().zip(back).for_each(|(all, more)| *all += more);
                under_way = next;
                if under_way.iter().flatten().all(|paths| *paths < 0.5) {
                    break;
                }
            }
        }
        ended
    }

    /// Puncturing patterns are those of the standard, and the numbers of wrong paths of each weight are as published.
    /// The numbers at rates 1/2, 2/3 and 3/4 equal those of [haccoun-1989]; at 5/6 the last three differ, which are 39
    /// 699, 315 371 and 2 507 890 there.
    ///
    /// Verifies: [80211-2020 §17.3.5.6, §19.3.11.6]
    #[test]
    fn wrong_paths_are_those_of_the_trellis() {
        let patterns: [(&Code, [&[u8]; 2]); 4] = [
            (&HALF, [&[1], &[1]]),
            (&TWO_THIRDS, [&[1, 1], &[1, 0]]),
            (&THREE_QUARTERS, [&[1, 1, 0], &[1, 0, 1]]),
            (&FIVE_SIXTHS, [&[1, 1, 0, 1, 0], &[1, 0, 1, 0, 1]]),
        ];
        for (code, sent) in patterns {
            let weights = (0..7)
                .map(|place| usize::try_from(code.free_distance + place * code.step).unwrap());
            let weights: Vec<usize> = weights.collect();
            let counted = counted(sent, weights[6]);
            let paths: Vec<f64> = weights.iter().map(|weight| counted[*weight]).collect();
            assert_eq!(paths, code.paths, "{code:?}");
            let lighter = &counted[..weights[0]];
            assert!(lighter.iter().all(|paths| *paths < 0.5), "{code:?}");
        }
    }

    /// The probability that a wrong path begins is the sum over the paths of each weight. BPSK with Es/N0 = 1 and rate
    /// 1/2: 11·Q(√20) + 38·Q(√24) + 193·Q(√28) + 1331·Q(√32) = 4.259e-5 + 1.830e-5 + 1.169e-5 + 1.023e-5, and less for
    /// each further weight.
    #[test]
    fn paths_add_up() {
        let q = |weight: f64| 0.5 * libm::erfc(libm::sqrt(weight));
        let first = 11.0 * 3.872e-6 + 38.0 * 4.817e-7 + 193.0 * 6.055e-8 + 1_331.0 * 7.687e-9;
        let all = HALF.path(q);
        assert!(all > first && all < 1.3 * first, "{all} {first}");
        assert!((FIVE_SIXTHS.path(|_| 1.0) - 1.0).abs() < 1e-12, "no more than one");
    }
}
