//! Accumulation of the records of one direction of a link.

use airfair_units::Time;

use super::level::Level;
use super::measured_time::MeasuredTime;
use crate::outcome::LinkOutcome;
use crate::record::LinkRecord;

/// Packets and queue of one direction of a link.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkAccount {
    outcome: LinkOutcome,
    pub(super) level: Level,
    /// Number of packets on the link that entered it before the measured time. They leave the link before all packets
    /// that entered it later.
    older: u64,
}

impl LinkAccount {
    /// Counts packets that entered the link within the measured time, up to their arrival or loss.
    #[inline]
    pub(super) fn count(&mut self, now: Time, record: LinkRecord, measured_time: MeasuredTime) {
        let is_given_now = u64::from(measured_time.contains(now));
        let outcome = &mut self.outcome;
        match record {
            LinkRecord::Queued(length) => {
                self.level.set(now, length.into(), measured_time);
                outcome.packets_sent += is_given_now;
                self.older += 1 - is_given_now;
            }
            LinkRecord::Arrived(length) => {
                self.level.set(now, length.into(), measured_time);
                if self.older == 0 {
                    outcome.packets += 1;
                }
                self.older = self.older.saturating_sub(1);
            }
            LinkRecord::Lost(length) => {
                self.level.set(now, length.into(), measured_time);
                if self.older == 0 {
                    outcome.lost += 1;
                }
                self.older = self.older.saturating_sub(1);
            }
            LinkRecord::Dropped => {
                outcome.packets_sent += is_given_now;
                outcome.dropped_queue_full += is_given_now;
            }
            LinkRecord::DroppedEarly => {
                outcome.packets_sent += is_given_now;
                outcome.dropped_early += is_given_now;
            }
        }
    }

    pub(super) fn finish(self, measured_time: MeasuredTime) -> LinkOutcome {
        LinkOutcome {
            queue_max: self.level.max(),
            queue_mean: self.level.mean(measured_time),
            ..self.outcome
        }
    }
}
