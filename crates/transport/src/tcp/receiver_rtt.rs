//! Round-trip estimate of a receiver.  [linux-rcv-rtt]
//!
//! With timestamps, a data segment echoes the clock of the ACK that released it, and samples are averaged.
//! Without timestamps, one window of data takes at least a round trip, so the smallest sample counts.

use airfair_units::{Duration, Time};

use super::segment::{Segment, Timestamps};

/// Measurement of the time in which one receive window of data arrives.
#[derive(Clone, Copy, Debug)]
struct WindowMeasurement {
    /// Right edge of the receive window when the measurement began.
    edge: u64,
    since: Time,
}

/// Round-trip estimator of one receiver.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReceiverRtt {
    estimate: Option<Duration>,
    least: Option<Duration>,
    window: Option<WindowMeasurement>,
    /// Last timestamp echo that gave a sample; each echo gives one sample.
    last_echo: u32,
    /// Largest payload seen. A smaller segment may have waited for the application, so it gives no sample.
    largest: u32,
}

impl ReceiverRtt {
    pub(crate) fn get(&self) -> Option<Duration> {
        self.estimate
    }

    pub(crate) fn least(&self) -> Option<Duration> {
        self.least
    }

    /// Processes a data segment, after which all octets below `next` have arrived. `edge` is the right edge
    /// of the advertised window.
    pub(crate) fn on_data(&mut self, now: Time, segment: &Segment, next: u64, edge: u64) {
        match segment.timestamps {
            Some(timestamps) => self.on_echo(now, segment.payload, timestamps),
            None => self.on_window(now, next, edge),
        }
    }

    fn on_echo(&mut self, now: Time, payload: u32, timestamps: Timestamps) {
        self.largest = self.largest.max(payload);
        if payload < self.largest || timestamps.echo == self.last_echo {
            return;
        }
        self.last_echo = timestamps.echo;
        let Some(sample) = timestamps.round_trip(now) else { return };
        self.keep_least(sample);
        self.estimate = Some(self.estimate.map_or(sample, |mean| (mean * 7 + sample) / 8));
    }

    fn keep_least(&mut self, sample: Duration) {
        self.least = Some(self.least.map_or(sample, |least| least.min(sample)));
    }

    /// Measures a round trip without timestamps: the time from the start of the measurement until data has
    /// arrived beyond the right edge that the window had then. Such data was sent after a later ACK, however
    /// the window has changed since.
    fn on_window(&mut self, now: Time, next: u64, edge: u64) {
        if self.window.is_some_and(|window| next <= window.edge) {
            return;
        }
        if let Some(WindowMeasurement { since, .. }) = self.window {
            self.keep_least(now - since);
            self.estimate = self.least;
        }
        self.window = Some(WindowMeasurement { edge, since: now });
    }
}
