//! Account of a station at a fair access point: its airtime in both directions, and the window of its uploads.

use airfair_units::{Duration, Time};

use super::params::Params;
use super::uploads::InFlight;

/// Time that the window of a station may hold while the station is above the level, beside [`SLACK`] octets [s]. A
/// window of more than four times that is lifted.
const LONGEST: f64 = 0.6;
const SLACK: f64 = 65_536.0;

/// Airtime of the least window of a station [s].
const LEAST_AIRTIME: f64 = 0.002;

/// A window of at most this many least windows is low: ACKs to its station may wait.
const LOW: f64 = 2.0;

/// Content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Packets from the station, not only acknowledgments.
    Upload,
    /// Packets to the station, not only acknowledgments.
    Download,
    /// Anything else: acknowledgments, RTS, CTS.
    Other,
}

/// Demand of a station at the end of a period.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// True if bulk for the station waits at the access point.
    pub has_bulk: bool,
    /// TCP uploads of the station.
    pub uploads: InFlight,
}

/// Account of a station. Times are in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Account {
    /// Vᵢ: airtime beyond the station's share, at `updated`.
    pub(super) debt: f64,
    pub(super) updated: Time,
    pub(super) heard: Option<Time>,
    /// Airtime of uploads, less that of downloads, within the bounds of what a station may save.
    pub(super) lead: f64,
    /// Time of the station's last frame with data without TCP, which no window limits.
    pub(super) non_tcp: Option<Time>,
    pub(super) is_held: bool,
    /// True if a frame with several packets has come from the station or gone to it.
    pub(super) aggregates: bool,
    /// Number of accesses to the channel since the last update.
    pub(super) accesses: u32,
    pub(super) total: Usage,
    pub(super) uploads: Usage,
    /// Octets of the station's TCP uploads, per second.
    pub(super) octets: Usage,
    /// Wᵢ [octets]; `None` if the station's uploads are not limited.
    pub(super) window: Option<f64>,
    /// True if the window is not far from the least one.
    pub(super) is_low: bool,
}

/// Smoothed rate of something that is counted: per second of time, since the last update and before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Usage {
    pub(super) counted: f64,
    pub(super) rate: f64,
}

impl Usage {
    /// Ends a period, whose rate has this weight in the smoothed rate.
    pub(super) fn smooth(&mut self, elapsed: f64, weight: f64) {
        self.rate += weight * (self.counted / elapsed - self.rate);
        self.counted = 0.0;
    }
}

impl Account {
    /// Ends the count of accesses of a period. Returns the number for which contention may take a gap each.
    pub(super) fn close_accesses(&mut self, params: &Params) -> f64 {
        let accesses = f64::from(std::mem::take(&mut self.accesses));
        let longer = self.total.counted / params.access.as_secs_f64();
        if self.aggregates { accesses.min(longer) } else { accesses }
    }

    /// Brings the debt up to date.
    pub(super) fn advance(&mut self, params: &Params, level: f64, now: Time) {
        let elapsed = now.saturating_since(self.updated).as_secs_f64();
        self.debt = (self.debt - level * elapsed).max(-params.credit.as_secs_f64());
        self.updated = now;
    }

    /// Notes the airtime of uploads or downloads.
    pub(super) fn divide(&mut self, params: &Params, content: Content, airtime: f64) {
        let most = params.credit.as_secs_f64();
        match content {
            Content::Upload => {
                self.uploads.counted += airtime;
                self.lead = (self.lead + airtime).min(most);
            }
            Content::Download => self.lead = (self.lead - airtime).max(-most),
            Content::Other => {}
        }
    }

    /// V₀ of the station's uploads.
    pub(super) fn allowed_upload(&self, params: &Params) -> f64 {
        params.debt.as_secs_f64() - self.lead.max(0.0)
    }

    /// V₀ of the station's downloads.
    pub(super) fn allowed_download(&self, params: &Params) -> f64 {
        params.debt.as_secs_f64() + self.lead.min(0.0)
    }

    /// Time at which the debt has fallen to `allowed`.
    pub(super) fn falls_to(&self, allowed: f64, level: f64) -> Time {
        let excess = (self.debt - allowed).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
        let nanos = (excess / level * 1e9) as u64;
        // Rounding must not make the station wait for one more timer.
        self.updated + Duration::from_nanos(nanos + 1_000)
    }

    /// Decides whether bulk for the station waits. Returns the decision if it changes.
    pub(super) fn decide(&mut self, params: &Params, has_uploads: bool) -> Option<bool> {
        let is_in_debt = self.debt > self.allowed_download(params);
        let is_held = params.holds && has_uploads && is_in_debt;
        (std::mem::replace(&mut self.is_held, is_held) != is_held).then_some(is_held)
    }

    /// Adapts the window of the station's uploads over a time of `steps` times its time constant.
    pub(super) fn adapt(&mut self, level: f64, steps: f64, demand: &Demand) {
        let &Demand { has_bulk, uploads: in_flight } = demand;
        if in_flight.connections == 0 {
            self.window = None;
            return;
        }
        let most = if has_bulk { level / 2.0 } else { level };
        let excess = ((self.total.rate - level) / level).max((self.uploads.rate - most) / most);
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let [least, start] = [in_flight.least, in_flight.octets].map(|octets| octets as f64);
        // A smaller window would shorten the station's aggregates, and waste the air.
        let least = least.max(LEAST_AIRTIME * self.octets_per_airtime());
        let longest = LONGEST * self.octets.rate + SLACK;
        let window = if excess > 0.0 {
            Some(self.window.unwrap_or(start).min(longest))
        } else {
            self.window.filter(|window| *window <= 4.0 * longest)
        };
        self.window = window.map(|window| (window * (1.0 - excess * steps)).max(least));
        self.is_low = self.window.is_some_and(|window| window <= LOW * least);
    }

    /// Octets of TCP uploads that the station sends in a second of airtime.
    pub(super) fn octets_per_airtime(&self) -> f64 {
        if self.uploads.rate > 0.0 { self.octets.rate / self.uploads.rate } else { 0.0 }
    }
}
