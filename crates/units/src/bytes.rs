//! Amounts of data.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};
use std::str::FromStr;

use crate::text::{Dimension, ParseQuantityError, write_scaled};

/// Message of the panic when an amount of data does not fit into 64 bits.
const OVERFLOW: &str = "an amount of data beyond 64 bits";

/// An amount of data, such as the size of a packet [octets].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bytes(u64);

/// Units in which texts give an amount of data.
const BYTES: Dimension = Dimension {
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
    ],
    allowed: "B, kB, KiB, MB, MiB, GB, GiB",
    example: "1460 B",
    step: "1 B",
};

impl Bytes {
    /// An amount of zero octets.
    pub const ZERO: Self = Self(0);

    /// An amount of this many octets.
    pub const fn new(octets: u64) -> Self {
        Self(octets)
    }

    /// The amount in octets.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The amount in bits.
    pub const fn bits(self) -> u64 {
        self.0.checked_mul(8).expect(OVERFLOW)
    }

    /// True if the amount is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self + other`, or the largest amount if that overflows.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// `self - other`, or zero if `other` is larger.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self · factor`, or the largest amount if that overflows.
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Self(self.0.checked_add(rhs.0).expect(OVERFLOW))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, rhs: Self) -> Self {
        Self(self.0.checked_sub(rhs.0).expect("negative amount of data"))
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, rhs: Self) {
        *self = *self - rhs;
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, rhs: u64) -> Self {
        Self(self.0.checked_mul(rhs).expect(OVERFLOW))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// Parses an amount of data: `"1460 B"`, `"10 MB"`, `"64 KiB"`.
impl FromStr for Bytes {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        BYTES.parse(text).map(Self::new)
    }
}

/// Writes the amount with decimal units, as usual in networking: `1460 B`, `10 MB`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 10_000 {
            return write!(f, "{} B", self.0);
        }
        write_scaled(
            f,
            self.0,
            &[(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"), (1, "B")],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_panics;

    #[test]
    fn amounts_print_with_a_unit() {
        assert_eq!(Bytes::new(1460).to_string(), "1460 B");
        assert_eq!(Bytes::new(10_000_000).to_string(), "10 MB");
    }

    /// An amount beyond 64 bits panics in every build, and so does its number of bits: 2^61 octets are 2^64
    /// bits.
    #[test]
    fn an_amount_that_has_no_room_is_a_bug_in_any_build() {
        let most = Bytes::new(u64::MAX);
        assert_panics(|| Bytes::new(1 << 61).bits());
        assert_panics(|| (most + Bytes::new(1)).get());
        assert_panics(|| (Bytes::new(1 << 63) * 2).get());
        assert_panics(|| [most, most].into_iter().sum::<Bytes>().get());
        let mut sum = most;
        assert_panics(move || {
            sum += most;
            sum.get()
        });
        assert_eq!(Bytes::new((1 << 61) - 1).bits(), u64::MAX - 7);
        assert_eq!(most.saturating_add(most), most);
        assert_eq!(Bytes::new(1 << 63).saturating_mul(2), most);
    }
}
