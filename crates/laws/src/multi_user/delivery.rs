//! Comparison of a multi-user PPDU with single-user PPDUs in turn.

use std::iter::Sum;
use std::ops::Add;

use airfair_units::{Bytes, Duration};

/// Delivery of an exchange, or of several in turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Data that are delivered.
    pub octets: Bytes,
    /// Time from the access to the end of the acknowledgements, with contention between exchanges.
    pub duration: Duration,
}

impl Add for Delivery {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { octets: self.octets + other.octets, duration: self.duration + other.duration }
    }
}

impl Sum for Delivery {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

/// True if a multi-user PPDU delivers at least as much per time as single-user PPDUs.
///
/// A multi-user PPDU lasts as long as its slowest user needs, and the others send padding. Its preamble and its
/// acknowledgements are longer. It saves preambles, gaps and back-offs.
pub fn is_multi_user_better(multi: Delivery, single: Delivery) -> bool {
    let product = |one: Delivery, other: Delivery| {
        u128::from(one.octets.get()) * u128::from(other.duration.as_nanos())
    };
    product(multi, single) >= product(single, multi)
}
