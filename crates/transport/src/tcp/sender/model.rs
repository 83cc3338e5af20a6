//! Flavours with a model of the path at the sender: samples and losses for the model, and its window.

use airfair_laws::bbr::{Phase, Seen};
use airfair_units::{Duration, Time};

use super::Sender;
use crate::tcp::rack_tlp::RackTlp;

/// Part of an ACK that the model needs and RACK has measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelInput {
    /// Octets in flight before the ACK.
    pub(super) before: u64,
    /// Octets that the ACK delivers.
    pub(super) delivered: u64,
    pub(super) round_trip: Option<Duration>,
    pub(super) is_cwnd_limited: bool,
}

impl Sender {
    /// True if the flavour needs random numbers, so that the owner should key them with
    /// [`set_seed`](Self::set_seed).
    pub fn needs_seed(&self) -> bool {
        self.config.flavour.has_model()
    }

    /// Keys the random numbers of the flavour.
    pub fn set_seed(&mut self, seed: u64) {
        self.congestion.set_seed(seed);
    }

    /// Marks what is in flight as limited by the application if the sender has nothing more to send, and the
    /// window would allow more.  `CheckIfApplicationLimited` [draft-bbr §4.1.2.4]
    pub(super) fn check_application_limit(&self, rack_tlp: &mut RackTlp) {
        let in_network = rack_tlp.rack.in_network();
        let is_idle = self.next >= self.available
            && in_network < self.congestion.cwnd()
            && rack_tlp.rack.next_lost().is_none();
        if is_idle && let Some(sampler) = &mut rack_tlp.rack.sampler {
            sampler.limit_by_application(in_network);
        }
    }

    /// Lets the model process an ACK, and sets the window.
    pub(super) fn run_model(&mut self, now: Time, rack_tlp: &mut RackTlp, ack: ModelInput) {
        let in_flight = rack_tlp.rack.in_network();
        let Some(sampler) = &mut rack_tlp.rack.sampler else { return };
        let lost = sampler.take_lost();
        let sample = sampler.take_sample(self.rtt.least());
        let seen = Seen {
            lost: lost.iter().map(|segment| segment.size).sum(),
            delivered: sampler.delivered(),
            sample,
            in_flight,
            ..self.seen_by_model(now, ack)
        };
        if self.congestion.run_model(&lost, seen) {
            sampler.limit_by_application(in_flight);
        }
    }

    fn seen_by_model(&self, now: Time, ack: ModelInput) -> Seen {
        let is_repairing = self.recovery.is_repairing(self.unacknowledged);
        let rate = self.pacing_rate();
        Seen {
            now,
            segment: self.segment,
            initial_window: u64::from(self.config.initial_window.max(1)) * self.segment,
            cwnd: self.congestion.cwnd(),
            in_flight: 0,
            in_flight_before: ack.before,
            is_cwnd_limited: ack.is_cwnd_limited,
            round_trip: ack.round_trip,
            smoothed_round_trip: self.rtt.smoothed(),
            acked: ack.delivered,
            lost: 0,
            delivered: 0,
            sample: None,
            phase: match (self.recovery.is_fast(), is_repairing) {
                (true, _) => Phase::Recovery,
                (false, true) => Phase::Loss,
                (false, false) => Phase::Open,
            },
            until_next: self.pacer.as_ref().map_or(Duration::ZERO, |it| it.until_due(now)),
            burst: rate.map_or(2 * self.segment, |rate| rate.burst(self.segment)),
            random: 0,
        }
    }

    /// Notifies the model of a restart, if the sender was limited by its application and nothing is in flight.
    /// `HandleRestartFromIdle` [draft-bbr §5.4.1]
    pub(super) fn restart_model_if_idle(&mut self, now: Time) {
        let rack = self.rack_tlp.as_ref().map(|rack_tlp| &rack_tlp.rack);
        let is_limited = rack
            .filter(|rack| rack.in_network() == 0)
            .and_then(|rack| rack.sampler.as_ref())
            .is_some_and(|sampler| sampler.is_app_limited());
        if is_limited {
            self.congestion.restart_model(now);
        }
    }
}
