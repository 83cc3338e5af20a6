//! Types for quantities such as times, amounts of data and powers. All quantities that are added up are
//! integers, so sums are exact on every platform. Only meaningful arithmetic exists
//! (`Time - Time = Duration`, but no `Time + Time`). Overflow and negative intervals are bugs and panic, in
//! release builds too. Use the `saturating` functions to calculate with numbers from outside. Configuration
//! and output write quantities with their unit: `"54 Mb/s"`, `"60 ms"`, `"1460 B"`.

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
