//! Settings of ARF-aware TCP.

use airfair_units::DataRate;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::bounds::{LARGEST_RATIO, LEAST_WINDOW, check_least};

/// Mechanism that limits the window of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SenderWindow {
    /// Windows of senders are limited by a congestion control in BPF, or by a clamp where the
    /// kernel does not support such a congestion control.
    #[default]
    CongestionControl,
    /// Windows of senders are limited by a clamp on the sender's socket (`TCP_WINDOW_CLAMP`).
    Clamp,
}

/// Settings of the scheme `arf-aware`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArfAware {
    /// Highest rate of the link; `None` for the highest one seen.
    pub highest_rate: Option<DataRate>,
    /// Minimum window of a limited connection [segments].
    pub least_window: u32,
    /// Largest ratio k by which windows are divided.
    pub largest_ratio: u32,
    /// Congestion controls whose connections may be limited.
    pub replaces: Vec<String>,
    /// Mechanism that limits the window of a sender.
    pub senders: SenderWindow,
    /// True to limit the windows for received data too.
    pub receivers: bool,
}

impl Default for ArfAware {
    fn default() -> Self {
        Self {
            highest_rate: None,
            least_window: LEAST_WINDOW,
            largest_ratio: LARGEST_RATIO,
            replaces: vec!["reno".into(), "cubic".into()],
            senders: SenderWindow::default(),
            receivers: false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    highest_rate: Option<String>,
    least_window: Option<u32>,
    one_segment: Option<bool>,
    largest_ratio: Option<u32>,
    replaces: Option<Vec<String>>,
    senders: Option<SenderWindow>,
    receivers: Option<bool>,
}

impl Written {
    pub(super) fn checked(&self) -> Result<ArfAware> {
        let default = ArfAware::default();
        let highest_rate = match self.highest_rate.as_deref() {
            None | Some("seen") => None,
            Some(text) => Some(text.parse().with_context(|| format!("highest_rate = {text:?}"))?),
        };
        let it = ArfAware {
            highest_rate,
            least_window: self.least_window.unwrap_or(default.least_window),
            largest_ratio: self.largest_ratio.unwrap_or(default.largest_ratio),
            replaces: self.replaces.clone().unwrap_or(default.replaces),
            senders: self.senders.unwrap_or(default.senders),
            receivers: self.receivers.unwrap_or(default.receivers),
        };
        let ratio = it.largest_ratio;
        ensure!(
            (2..=LARGEST_RATIO).contains(&ratio),
            "largest_ratio = {ratio}: allowed is 2 to {LARGEST_RATIO}"
        );
        check_least(it.least_window, self.one_segment)?;
        for name in &it.replaces {
            let fits = !name.is_empty() && name.len() < 16 && name.is_ascii();
            ensure!(fits, "replaces: {name:?}; allowed is the name of a congestion control");
        }
        ensure!(it.replaces.len() <= 16, "replaces: too many names; allowed are 16");
        Ok(it)
    }
}
