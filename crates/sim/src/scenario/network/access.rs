//! Channel access of stations and access points.

use airfair_units::Duration;
use airfair_wlan::AccessParameters;
use airfair_wlan::edca::{AccessCategory, Defaults};
use airfair_wlan::phy::{Standard, Timing};

/// Channel access of a station or an access point, per access category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Access parameters of best effort. If no flow uses another category, they apply to all packets. Their retry
    /// limits apply to every category.
    pub best_effort: AccessParameters,
    /// Access parameters of background. Contention windows that are not set are the standard's for this category.
    pub background: AccessParameters,
    /// Access parameters of video. Contention windows that are not set are the standard's for this category.
    pub video: AccessParameters,
    /// Access parameters of voice. Contention windows that are not set are the standard's for this category.
    pub voice: AccessParameters,
}

impl Access {
    /// Default channel access of a member of this standard.  [80211-2020 Table 9-155]  Deviates: [D-139]
    pub fn of(standard: Standard) -> Self {
        let best_effort = AccessParameters::of(standard);
        let own = |category| {
            let default = Defaults::Standard.parameters(category, (0, 0), false);
            AccessParameters { cw_min: None, cw_max: None, ..default }
        };
        let background =
            AccessParameters { txop_limit: Duration::ZERO, ..own(AccessCategory::Background) };
        let (video, voice) = (own(AccessCategory::Video), own(AccessCategory::Voice));
        Self { best_effort, background, video, voice }
    }

    /// Access parameters of `category`, for a member of a cell with several categories and with this timing.
    pub(crate) fn category(&self, category: AccessCategory, timing: &Timing) -> AccessParameters {
        let own = match category {
            AccessCategory::Background => self.background,
            AccessCategory::BestEffort => self.best_effort,
            AccessCategory::Video => self.video,
            AccessCategory::Voice => self.voice,
        };
        let windows = (timing.cw_min, timing.cw_max);
        let default = Defaults::Standard.parameters(category, windows, false);
        AccessParameters {
            cw_min: own.cw_min.or(default.cw_min),
            cw_max: own.cw_max.or(default.cw_max),
            attempts: self.best_effort.attempts,
            counts_at_start: true,
            ..own
        }
    }
}
