//! A round trip as a receiver can estimate it.  [linux-rcv-rtt]
//!
//! With timestamps a data segment echoes the clock of the ACK that released it: samples are averaged. Without,
//! data beyond a window takes a round trip at least, so the smallest sample counts.

use airfair_units::{Duration, Time};

use super::segment::{Segment, Timestamps};

/// The window's worth under way.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// One past the last octet that was allowed when it began.
    edge: u64,
    since: Time,
}

/// The estimate so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReceiverRtt {
    estimate: Option<Duration>,
    least: Option<Duration>,
    window: Option<Window>,
    /// Echo that was sampled last: one sample for each.
    last_echo: u32,
    /// Largest segment: smaller ones may have waited for the application.
    largest: u32,
}

impl ReceiverRtt {
    pub(crate) fn get(&self) -> Option<Duration> {
        self.estimate
    }

    /// The least sample so far.
    pub(crate) fn least(&self) -> Option<Duration> {
        self.least
    }

    /// A segment with data has come, up to `next` all is there, and up to `edge` all has been allowed.
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

    /// Octets beyond the edge can only have been sent after a later ACK, whatever became of the window.
    fn on_window(&mut self, now: Time, next: u64, edge: u64) {
        if self.window.is_some_and(|window| next <= window.edge) {
            return;
        }
        if let Some(Window { since, .. }) = self.window {
            self.keep_least(now - since);
            self.estimate = self.least;
        }
        self.window = Some(Window { edge, since: now });
    }
}
