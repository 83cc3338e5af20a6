//! Pacing at the sender: waiting for the time of the next burst, and the rate.  [linux-pacing]

use airfair_units::{Duration, Time};

use super::{Sender, State};
use crate::tcp::flavour::Flavour;
use crate::tcp::pacing::Rate;

impl Sender {
    /// Earlier one of the deadlines of the sender's timer and of pacing.
    pub(super) fn next_paced_timeout(&self) -> Option<Time> {
        let paced = self.pacer.as_ref().and_then(|pacer| pacer.deadline());
        [self.timer, paced].into_iter().flatten().min()
    }

    /// True if the next segment with data must wait for its time. SYN and ACKs without data are not paced.
    #[inline(never)]
    pub(super) fn waits_for_pacing(&mut self, now: Time) -> bool {
        let is_data = self.state == State::Open && !self.is_ack_due;
        let has_data = self.next < self.available || self.unacknowledged < self.sent_end;
        if is_data && has_data {
            self.restart_model_if_idle(now);
        }
        let segment = self.segment;
        let Some(pacer) = &mut self.pacer else { return false };
        if is_data && has_data {
            return pacer.must_wait(now, segment);
        }
        pacer.stop_waiting();
        false
    }

    /// Records a segment with `payload` octets of data that has just been sent.
    #[inline]
    pub(super) fn note_paced(&mut self, now: Time, payload: u32) {
        if self.pacer.is_some() && payload > 0 {
            let rate = self.pacing_rate();
            if let Some(pacer) = &mut self.pacer {
                pacer.on_sent(now, u64::from(payload), self.segment, rate);
            }
        }
    }

    /// Pacing rate: that of the model if the flavour has one, otherwise twice cwnd per round trip while cwnd is
    /// below half of ssthresh, else 1.2 times cwnd, or cwnd for Prague. `None` before it is known.  `tcp_update_pacing_rate`
    /// [linux-pacing]
    pub(super) fn pacing_rate(&self) -> Option<Rate> {
        if let Some(octets) = self.congestion.pacing_rate() {
            return Some(Rate { octets, time: Duration::from_secs(1) });
        }
        let round_trip = self.rtt.smoothed()?;
        let window = self.congestion.cwnd().max(self.flight_octets());
        let is_fast = self.congestion.is_below_half_of_ssthresh();
        let tenths = match (is_fast, self.config.flavour) {
            (true, _) => 20,
            (false, Flavour::Prague) => 10,
            (false, _) => 12,
        };
        let time = Duration::from_nanos(round_trip.as_nanos().max(1).saturating_mul(10));
        Some(Rate { octets: window.saturating_mul(tenths).max(1), time })
    }
}
