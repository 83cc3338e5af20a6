//! Physical quantities of the laboratory, as types: [`Time`], [`Duration`], [`Bytes`], [`DataRate`],
//! [`Probability`], [`Decibels`], [`Dbm`], [`Length`], [`Speed`], [`Frequency`].
//!
//! All that adds up is an integer, so every sum is exact on every platform. Only meaningful arithmetic exists
//! (`Time - Time = Duration`, no `Time + Time`); overflow and negative intervals are bugs and panic, in release builds as in
//! others. Who calculates with numbers from outside uses the `saturating` functions.
//! Quantities are written with their unit at the text rim: `"54 Mb/s"`, `"60 ms"`, `"1460 B"`.

mod bytes;
mod decibels;
mod frequency;
mod length;
pub mod printable;
mod probability;
mod rate;
mod text;
mod time;

pub use bytes::Bytes;
pub use decibels::{Dbm, Decibels};
pub use frequency::Frequency;
pub use length::{Length, Speed};
pub use probability::Probability;
pub use rate::DataRate;
pub use text::ParseQuantityError;
pub use time::{Duration, Time};

/// Asserts that a calculation panics.
#[cfg(test)]
fn assert_panics(calculation: impl FnOnce() -> u64 + std::panic::UnwindSafe) {
    let outcome = std::panic::catch_unwind(calculation);
    assert!(outcome.is_err(), "{outcome:?}");
}
