//! Controls with a model of the path at a QUIC sender: samples and losses for the model, and its window.

use airfair_laws::bbr::{Phase, Seen};
use airfair_units::{Duration, Time};

use super::Sender;

/// Part of an acknowledgment that the model needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ModelInput {
    /// Octets in flight before the acknowledgment.
    pub(super) before: u64,
    /// Octets that the acknowledgment delivers.
    pub(super) delivered: u64,
    pub(super) round_trip: Option<Duration>,
    pub(super) is_cwnd_limited: bool,
}

impl Sender {
    /// Marks what is in flight as limited by the application if the sender has nothing more to send, and the window
    /// would allow more.  `CheckIfApplicationLimited` [draft-bbr §4.1.2.4]
    pub(super) fn check_application_limit(&mut self) {
        let in_flight = self.sent.in_flight();
        let is_idle = in_flight < self.congestion.cwnd() && self.next_range().is_none();
        if is_idle && let Some(sampler) = &mut self.sent.sampler {
            sampler.limit_by_application(in_flight);
        }
    }

    /// Lets the model process an acknowledgment, and sets the window.
    pub(super) fn run_model(&mut self, now: Time, ack: ModelInput) {
        let in_flight = self.sent.in_flight();
        let rate = self.pacing_rate();
        let Some(sampler) = &mut self.sent.sampler else { return };
        let lost = sampler.take_lost();
        let sample = sampler.take_sample(self.rtt.least());
        let seen = Seen {
            now,
            segment: self.datagram,
            initial_window: u64::from(self.config.initial_window.max(1)) * self.datagram,
            cwnd: self.congestion.cwnd(),
            in_flight,
            in_flight_before: ack.before,
            is_cwnd_limited: ack.is_cwnd_limited,
            round_trip: ack.round_trip,
            smoothed_round_trip: self.rtt.smoothed(),
            acked: ack.delivered,
            lost: lost.iter().map(|packet| packet.size).sum(),
            delivered: sampler.delivered(),
            sample,
            phase: match (self.recovery.collapse_end, self.recovery.is_under_way) {
                (Some(_), _) => Phase::Loss,
                (None, true) => Phase::Recovery,
                (None, false) => Phase::Open,
            },
            until_next: self.pacer.as_ref().map_or(Duration::ZERO, |it| it.until_due(now)),
            burst: rate.map_or(2 * self.datagram, |rate| rate.burst(self.datagram)),
            random: 0,
        };
        if self.congestion.run_model(&lost, seen) {
            sampler.limit_by_application(in_flight);
        }
    }

    /// Notifies the model of a restart, if the sender was limited by its application and nothing is in flight.
    /// `HandleRestartFromIdle` [draft-bbr §5.4.1]
    pub(super) fn restart_model_if_idle(&mut self, now: Time) {
        let is_limited = self.sent.in_flight() == 0
            && self.sent.sampler.as_ref().is_some_and(|sampler| sampler.is_app_limited());
        if is_limited {
            self.congestion.restart_model(now);
        }
    }
}
