//! Settings of shared windows.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use super::bounds::{LEAST_WINDOW, check_least};

/// Settings of the scheme `shared-windows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedWindows {
    /// Capacity of the access point's buffer [packets].
    pub buffer: u32,
    /// Minimum window of a connection [segments].
    pub least_window: u32,
}

impl Default for SharedWindows {
    /// Default settings: the buffer of the access point in [occupancy-tfrc §IV], 150 kB.
    fn default() -> Self {
        Self { buffer: 100, least_window: LEAST_WINDOW }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    buffer: Option<u32>,
    least_window: Option<u32>,
    one_segment: Option<bool>,
}

impl Written {
    pub(super) fn checked(&self) -> Result<SharedWindows> {
        let default = SharedWindows::default();
        let buffer = self.buffer.unwrap_or(default.buffer);
        ensure!(
            (1..=100_000).contains(&buffer),
            "buffer = {buffer}: allowed is 1 to 100000 packets"
        );
        let least_window = self.least_window.unwrap_or(default.least_window);
        check_least(least_window, self.one_segment)?;
        Ok(SharedWindows { buffer, least_window })
    }
}
