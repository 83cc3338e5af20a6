//! Channels from an access point to its stations: when each was measured.  [80211ax-2021 §26.7]

use airfair_laws::multi_user::Candidate;
use airfair_units::Time;

use crate::air::turns::MultiUserExchange;
use crate::config::CellConfig;
use crate::multi_user::MuMimo;
use crate::node::NodeId;

/// Times at which the channel to a station was measured.
#[derive(Clone, Copy, Debug, Default)]
struct Measurement {
    /// Arrival of the last report.
    reported: Option<Time>,
    /// End of the last sounding with the station, whether it has brought a report or not.
    asked: Option<Time>,
}

/// MU-MIMO of an access point, and what it knows of the channels.
#[derive(Clone, Debug)]
pub(super) struct Sharing {
    pub(super) rule: MuMimo,
    /// Streams of the access point.
    pub(super) streams: u8,
    /// Measurement of the channel to each member.
    measured: Vec<Measurement>,
    /// Candidates for a PPDU by MU-MIMO: a buffer that is reused.
    pub(super) candidates: Vec<Candidate>,
}

impl Sharing {
    pub(super) fn new(rule: MuMimo, config: &CellConfig) -> Self {
        let measured = vec![Measurement::default(); config.stations.len() + 1];
        let streams = config.rules.channel.streams;
        Self { rule, streams, measured, candidates: Vec::new() }
    }

    /// True if a time is at most the interval of soundings ago.
    fn is_recent(&self, now: Time, at: Option<Time>) -> bool {
        at.is_some_and(|at| now.saturating_since(at) <= self.rule.sounding_every)
    }

    /// True if the access point knows the channel to a station.
    pub(super) fn knows(&self, now: Time, station: NodeId) -> bool {
        self.is_recent(now, self.measured[station.index()].reported)
    }

    /// True if a station may share a PPDU: its channel is known, or may be measured before. A station whose report was
    /// missing is asked again when the interval is over.
    pub(super) fn may_share(&self, now: Time, station: NodeId, may_sound: bool) -> bool {
        let asked = self.measured[station.index()].asked;
        self.knows(now, station) || (may_sound && !self.is_recent(now, asked))
    }

    /// Notes the reports of a sounding that has ended. `is_over` is true if it will not be tried again at once.
    pub(super) fn settle(&mut self, now: Time, exchange: &MultiUserExchange, is_over: bool) {
        if !exchange.is_sounding() {
            return;
        }
        for participant in &exchange.participants {
            let of = &mut self.measured[participant.station().index()];
            if participant.is_answered {
                of.reported = Some(now);
            }
            if is_over {
                of.asked = Some(now);
            }
        }
    }
}
