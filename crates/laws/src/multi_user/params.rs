//! Parameters of the multi-user scheduler.

use airfair_units::{Bytes, Duration};

/// Rule by which stations are chosen for a PPDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The stations with the highest credits: equal time × width.
    #[default]
    RoundRobin,
    /// The stations whose rate is highest in relation to their average throughput.
    ProportionalFair,
    /// The stations with the largest backlogs.
    LargestBacklog,
    /// The stations whose oldest packets are nearest to their deadlines; others after them, by credits.
    Deadline,
}

/// Parameters of the multi-user scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Rule by which stations are chosen.
    pub policy: Policy,
    /// Largest number of users of a PPDU.
    pub max_users: u16,
    /// Largest credit of a station.
    pub credit_cap: Duration,
    /// Time constant of the average throughput of proportional fairness, counted in time of PPDUs.
    pub window: Duration,
    /// Time from the arrival of a voice packet to its deadline.
    pub voice_deadline: Duration,
    /// Time from the arrival of a video packet to its deadline.
    pub video_deadline: Duration,
    /// Backlog that is assumed for a station whose backlog is unknown.
    pub unknown_backlog: Bytes,
}

impl Default for Params {
    /// Users, bound of credits and unknown backlogs as in ns-3 [ns3-multi-user §`NStations`, §`MaxCredits`,
    /// §`UlPsduSize`]; a window of 1000 slots of 5/3 ms [jalali-2000]; the delay budgets of conversational
    /// voice and video [3gpp-23203 Table 6.1.7].
    fn default() -> Self {
        Self {
            policy: Policy::RoundRobin,
            max_users: 4,
            credit_cap: Duration::from_secs(1),
            window: Duration::from_micros(1_666_667),
            voice_deadline: Duration::from_millis(100),
            video_deadline: Duration::from_millis(150),
            unknown_backlog: Bytes::new(500),
        }
    }
}
