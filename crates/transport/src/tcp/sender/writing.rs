//! Data that the application of a TCP sender writes over time.

use airfair_units::{Bytes, Time};

use super::{Sender, State};
use crate::control::Arithmetic;
use crate::tcp::segment::FIRST_OCTET;
use crate::tcp::source::Completed;

impl Sender {
    /// True if an application writes the sender's data over time.
    #[inline]
    pub fn has_source(&self) -> bool {
        self.writer.is_some()
    }

    /// Returns the next message that is complete at the receiver, to which this many octets have been delivered in order.
    pub fn poll_completed(&mut self, now: Time, delivered: Bytes) -> Option<Completed> {
        self.writer.as_mut()?.complete(now, FIRST_OCTET + delivered.get())
    }

    /// Takes what the application has written by now.
    pub(super) fn take_written(&mut self, now: Time) {
        if self.state != State::Open {
            return;
        }
        let Some(writer) = &mut self.writer else { return };
        let before = self.available;
        self.available = writer.write(now, before, (self.unacknowledged, self.sent_end));
        if self.next >= self.available {
            return;
        }
        let idle = now - std::mem::replace(&mut writer.last_sent, now);
        let was_idle = before == self.unacknowledged && before > FIRST_OCTET;
        if was_idle && idle > self.rtt.rto() {
            self.restart(idle.as_nanos(), self.rtt.rto().as_nanos());
        }
    }

    /// Reduces cwnd after an idle time [ns] of more than a retransmission time-out [ns]: to the initial window, or, in
    /// Linux, by half for each time-out, but not below the initial window.  [RFC5681 §4.1], `tcp_cwnd_restart`
    fn restart(&mut self, idle: u64, timeout: u64) {
        let cwnd = self.congestion.cwnd_segments();
        let restart = self.config.initial_window.min(cwnd);
        let reduced = match self.config.arithmetic {
            Arithmetic::Rfc => restart,
            Arithmetic::Linux => {
                let halvings = u32::try_from((idle - 1) / timeout).unwrap_or(u32::MAX);
                cwnd.checked_shr(halvings).unwrap_or(0).max(restart)
            }
        };
        self.congestion.set_cwnd_segments(reduced);
    }
}
