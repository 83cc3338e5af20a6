//! Parameters of the fair access point.

use airfair_units::{Duration, Probability};

/// Parameters of the fair access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Time between two updates of the level and the windows.
    pub period: Duration,
    /// f*: part of the time that the level leaves unused, more than zero.
    pub unused: Probability,
    /// Least airtime of an access to the channel with aggregates, for which contention may take a whole gap.
    pub access: Duration,
    /// 1/γ: time in which the level changes by a factor e at most.
    pub level_time: Duration,
    /// 1/κ: time in which a window changes by a factor e at most.
    pub window_time: Duration,
    /// Time constant with which the use of a station is smoothed.
    pub smoothing: Duration,
    /// V₀: airtime beyond its share after which bulk for a station waits.
    pub debt: Duration,
    /// Airtime that a station may save for later.
    pub credit: Duration,
    /// True if bulk for a station in debt waits.
    pub holds: bool,
    /// True if the access point lowers the windows of TCP uploads.
    pub windows: bool,
    /// True if the access point grants time, so that stations that TCP's windows cannot limit are silent.
    pub grants: bool,
    /// Length of a grant.
    pub grant: Duration,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            period: Duration::from_millis(50),
            unused: Probability::literal(0.01),
            access: Duration::from_micros(400),
            level_time: Duration::from_secs(1),
            window_time: Duration::from_millis(500),
            smoothing: Duration::from_millis(300),
            debt: Duration::from_millis(5),
            credit: Duration::from_millis(10),
            holds: true,
            windows: true,
            grants: false,
            grant: Duration::from_millis(5),
        }
    }
}
