//! Points in simulated time and the distances between them.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Rem, Sub, SubAssign};
use std::str::FromStr;

use crate::text::{Dimension, ParseQuantityError, write_scaled};

/// Message of the panic when an interval of time does not fit into 64 bits.
const OVERFLOW: &str = "duration overflows 584 years";

/// A point in simulated time, counted from the start of the run [ns].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// An interval of time, never negative [ns].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Duration(u64);

/// Units in which texts give an interval of time.
const DURATION: Dimension = Dimension {
    units: &[
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ],
    allowed: "ns, us, ms, s, min, h",
    example: "20 ms",
    step: "1 ns",
};

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// The latest possible time, after every event.
    pub const MAX: Self = Self(u64::MAX);

    /// The time `ns` nanoseconds after the start of the run.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Time since the start of the run in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Time since the start of the run in seconds, rounded to the nearest `f64`.
    pub fn as_secs_f64(self) -> f64 {
        Duration(self.0).as_secs_f64()
    }

    /// Interval since `earlier`, or zero if `earlier` is later.
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// An interval of zero.
    pub const ZERO: Self = Self(0);
    /// The longest possible interval.
    pub const MAX: Self = Self(u64::MAX);

    /// An interval of this many nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// An interval of this many microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Self(us.checked_mul(1_000).expect(OVERFLOW))
    }

    /// An interval of this many milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms.checked_mul(1_000_000).expect(OVERFLOW))
    }

    /// An interval of this many seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s.checked_mul(1_000_000_000).expect(OVERFLOW))
    }

    /// The length of the interval in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The length of the interval in seconds, rounded to the nearest `f64`.
    #[expect(clippy::cast_precision_loss, reason = "a run shorter than 104 days is exact")]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// True if the interval is empty.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self + other`, or [`Duration::MAX`] if that overflows.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// `self - other`, or zero if `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self · factor`, or [`Duration::MAX`] if that overflows.
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// Number of whole `step`s in the interval.
    pub const fn whole_steps(self, step: Self) -> u64 {
        self.0 / step.0
    }
}

impl Add<Duration> for Time {
    type Output = Self;
    fn add(self, rhs: Duration) -> Self {
        Self(self.0.checked_add(rhs.0).expect("time overflows 584 years"))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, rhs: Duration) {
        *self = *self + rhs;
    }
}

impl Sub<Duration> for Time {
    type Output = Self;
    fn sub(self, rhs: Duration) -> Self {
        Self(self.0.checked_sub(rhs.0).expect("a point before the start of the run"))
    }
}

impl Sub for Time {
    type Output = Duration;
    fn sub(self, rhs: Self) -> Duration {
        Duration(self.0.checked_sub(rhs.0).expect("negative interval"))
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Self(self.0.checked_add(rhs.0).expect(OVERFLOW))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

impl Sub for Duration {
    type Output = Self;
    fn sub(self, rhs: Self) -> Self {
        Self(self.0.checked_sub(rhs.0).expect("negative interval"))
    }
}

impl SubAssign for Duration {
    fn sub_assign(&mut self, rhs: Self) {
        *self = *self - rhs;
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, rhs: u64) -> Self {
        Self(self.0.checked_mul(rhs).expect(OVERFLOW))
    }
}

impl Div<u64> for Duration {
    type Output = Self;
    fn div(self, rhs: u64) -> Self {
        Self(self.0 / rhs)
    }
}

impl Rem for Duration {
    type Output = Self;
    fn rem(self, rhs: Self) -> Self {
        Self(self.0 % rhs.0)
    }
}

impl Sum for Duration {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// Parses a duration: `"60 ms"`, `"1.5 s"`, `"2 min"`.
impl FromStr for Duration {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DURATION.parse(text).map(Self::from_nanos)
    }
}

/// Writes the interval in its shortest exact form: `20 us`, `1.5 s`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_scaled(
            f,
            self.0,
            &[(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")],
        )
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Duration(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_panics;

    #[test]
    fn a_difference_of_times_is_a_duration() {
        assert_eq!(Time::from_nanos(50) - Time::from_nanos(20), Duration::from_nanos(30));
    }

    #[test]
    #[should_panic(expected = "negative interval")]
    fn a_negative_interval_is_a_bug() {
        let _ = Time::from_nanos(1) - Time::from_nanos(2);
    }

    #[test]
    fn an_interval_that_has_no_room_is_a_bug_in_any_build() {
        for from in [Duration::from_micros, Duration::from_millis, Duration::from_secs] {
            assert_panics(|| from(1 << 62).as_nanos());
        }
        assert_panics(|| (Duration::MAX + Duration::from_nanos(1)).as_nanos());
        assert_panics(|| (Duration::MAX * 2).as_nanos());
        assert_panics(|| (Time::MAX + Duration::from_nanos(1)).as_nanos());
        assert_eq!(Duration::MAX.saturating_add(Duration::MAX), Duration::MAX);
    }

    #[test]
    fn durations_print_with_the_largest_unit_that_is_short() {
        assert_eq!(Duration::from_micros(20).to_string(), "20 us");
        assert_eq!(Duration::from_millis(1500).to_string(), "1.5 s");
        assert_eq!(Duration::ZERO.to_string(), "0 s");
        assert_eq!(Duration::from_nanos(1).to_string(), "1 ns");
    }
}
