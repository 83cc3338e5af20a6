//! Settings of the fair access point.

use airfair_laws::fair::Params;
use airfair_units::{Duration, Probability};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::bounds::{LEAST_WINDOW, check_least};

/// Settings of the scheme `fair`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fair {
    /// Parameters of the law. Packets and ACKs of single stations never wait.
    pub params: Params,
    /// Minimum window of a connection [segments].
    pub least_window: u32,
}

impl Default for Fair {
    fn default() -> Self {
        let params = Params { holds: false, ..Params::default() };
        Self { params, least_window: LEAST_WINDOW }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    unused: Option<f64>,
    level_time: Option<String>,
    window_time: Option<String>,
    least_window: Option<u32>,
    one_segment: Option<bool>,
}

impl Written {
    pub(super) fn checked(&self) -> Result<Fair> {
        let Fair { mut params, least_window } = Fair::default();
        if let Some(unused) = self.unused {
            ensure!(
                0.0 < unused && unused < 1.0,
                "unused = {unused}: allowed is a number between 0 and 1, such as 0.01"
            );
            params.unused = Probability::new(unused).expect("between 0 and 1");
        }
        params.level_time = time("level_time", self.level_time.as_deref(), params.level_time)?;
        params.window_time = time("window_time", self.window_time.as_deref(), params.window_time)?;
        let least_window = self.least_window.unwrap_or(least_window);
        check_least(least_window, self.one_segment)?;
        Ok(Fair { params, least_window })
    }
}

/// Reads a time constant, or returns its default.
fn time(key: &str, text: Option<&str>, default: Duration) -> Result<Duration> {
    let Some(text) = text else { return Ok(default) };
    let time: Duration = text.parse().with_context(|| format!("{key} = {text:?}"))?;
    let allowed = Duration::from_millis(100)..=Duration::from_secs(60);
    ensure!(allowed.contains(&time), "{key} = {text:?}: allowed is 100 ms to 60 s");
    Ok(time)
}
