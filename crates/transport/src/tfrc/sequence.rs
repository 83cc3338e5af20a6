//! Conversion of 16-bit sequence numbers to numbers that never wrap.

/// Unwrapped value of sequence number 0 at the start, so that earlier numbers stay positive.
const START: u64 = 1 << 32;

/// Unwraps sequence numbers relative to the highest one received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unwrapper {
    highest: Option<u64>,
}

impl Unwrapper {
    /// Returns the unwrapped number nearest to the highest one received. A distance of exactly half the range
    /// counts as behind.
    pub(crate) fn unwrap(&mut self, seq: u16) -> u64 {
        let Some(highest) = self.highest else {
            let first = START + u64::from(seq);
            self.highest = Some(first);
            return first;
        };
        let ahead = seq.wrapping_sub(wrapped(highest));
        if ahead < 1 << 15 {
            let number = highest + u64::from(ahead);
            self.highest = Some(number);
            number
        } else {
            highest - u64::from(ahead.wrapping_neg())
        }
    }
}

/// Low 16 bits of `number`, as in the header.
#[expect(clippy::cast_possible_truncation, reason = "the field wraps")]
pub(crate) fn wrapped(number: u64) -> u16 {
    number as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_and_may_be_late() {
        let mut unwrapper = Unwrapper::default();
        let numbers =
            [65_534, 65_535, 1, 0, 65_533, 32_768, 1, 32_769].map(|seq| unwrapper.unwrap(seq));
        // 32 768 is 32 767 ahead of 1; then 1 is 32 767 behind; 32 769 is one ahead.
        let expected = [-2, -1, 1, 0, -3, 32_768, 1, 32_769i64];
        for (number, offset) in numbers.into_iter().zip(expected) {
            assert_eq!(number, (START + 65_536).wrapping_add_signed(offset));
        }
    }

    #[test]
    fn a_number_half_the_range_away_is_behind() {
        let mut unwrapper = Unwrapper::default();
        let first = unwrapper.unwrap(5);
        assert_eq!(unwrapper.unwrap(5 + 32_768), first - 32_768);
        assert_eq!(unwrapper.unwrap(6), first + 1);
    }

    #[test]
    fn a_long_flow_never_wraps() {
        let mut unwrapper = Unwrapper::default();
        for number in 0..300_000u64 {
            assert_eq!(unwrapper.unwrap(wrapped(number)), START + number);
        }
    }
}
