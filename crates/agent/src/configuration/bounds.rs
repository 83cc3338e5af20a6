//! Bounds of values that several schemes have.

use anyhow::{Result, ensure};

/// Largest ratio k of rates that can be configured.
pub const LARGEST_RATIO: u32 = 100;
/// Window below which delayed ACKs wait for their timer [segments].
pub const LEAST_WINDOW: u32 = 2;

/// Checks a minimum window [segments]. A window of one segment must be allowed explicitly.
pub(super) fn check_least(window: u32, one_segment: Option<bool>) -> Result<()> {
    let least = if one_segment == Some(true) { 1 } else { LEAST_WINDOW };
    ensure!(
        (least..=1_000).contains(&window),
        "least_window = {window}: allowed is {least} to 1000 segments; one_segment = true allows 1"
    );
    Ok(())
}
