//! Model of a TFRC flow over a path with random loss, without endpoints; times are in round trips.

use std::collections::VecDeque;

use airfair_laws::tfrc::{Discounting, Equation, LossIntervals, throughput_factor};

use crate::path::Random;

/// Number of later packets after which a missing one counts as lost.
const LATER: u32 = 3;
const RFC: Discounting = Discounting::Threshold(0.25);

/// State of a TFRC flow in the model: its receiver, its path and its sender. Of the sender, the model has
/// only `rates`: the rates that reports, still on their way to the sender, will set. Times are in round
/// trips.
struct Flow {
    intervals: LossIntervals,
    /// Number and time of the first packet of the newest loss event.
    event: (f64, f64),
    events: f64,
    newest: f64,
    /// Missing packets: number, time, and later packets so far.
    missing: VecDeque<(f64, f64, u32)>,
    has_news: bool,
    reported: f64,
    /// Time of the next report; infinite if it is due with the next packet.
    due: f64,
    rates: VecDeque<(f64, f64)>,
}

impl Flow {
    fn p(&self) -> f64 {
        // The current interval has S_C - S_A + 1 packets.
        self.intervals.loss_event_rate(self.newest - self.event.0 + 1.0, RFC)
    }

    /// Sends a report. The rate changes a round trip after the packet that the report answers.
    fn report(&mut self, now: f64) {
        self.reported = self.p();
        let rate = 1.0 / throughput_factor(&Equation::default(), self.reported);
        self.rates.push_back((now + 1.0, rate));
        (self.has_news, self.due) = (false, now + 1.0);
    }

    fn arrive(&mut self, number: f64, now: f64) {
        (self.newest, self.has_news) = (number, true);
        for missing in &mut self.missing {
            missing.2 += 1;
        }
        let before = self.events;
        while let Some(&(lost, at, _)) = self.missing.front().filter(|missing| missing.2 >= LATER) {
            self.missing.pop_front();
            if at > self.event.1 + 1.0 {
                self.intervals = self.intervals.complete(lost - self.event.0, RFC);
                (self.event, self.events) = ((lost, at), self.events + 1.0);
            }
        }
        if self.due.is_infinite() || self.events > before && self.p() > self.reported {
            self.report(now);
        }
    }
}

/// Rate divided by X(p) over `packets` packets, where p is the number of loss events per packet.
pub(crate) fn rate_over_equation(millionths: u64, packets: u32, seed: u64) -> f64 {
    let mut random = Random(seed);
    let mut flow = Flow {
        intervals: LossIntervals::default().complete(100.0, RFC),
        event: (0.0, 0.0),
        events: 0.0,
        newest: 0.0,
        missing: VecDeque::new(),
        has_news: false,
        reported: 0.01,
        due: f64::INFINITY,
        rates: VecDeque::new(),
    };
    let (mut now, mut rate) = (0.0, 1.0);
    let warmup = packets / 10;
    let mut start = (0.0, 0.0);
    for number in 0..packets {
        let last: f64 = now;
        now = last + 1.0 / rate;
        loop {
            if let Some(&(at, new)) = flow.rates.front().filter(|change| change.0 <= now) {
                flow.rates.pop_front();
                rate = new;
                now = at.max(last + 1.0 / rate);
            } else if flow.due < now {
                let due = flow.due;
                if flow.has_news { flow.report(due) } else { flow.due = f64::INFINITY }
            } else {
                break;
            }
        }
        if number == warmup {
            start = (now, flow.events);
        }
        if random.chance(millionths) {
            flow.missing.push_back((f64::from(number), now, 0));
        } else {
            flow.arrive(f64::from(number), now);
        }
    }
    let count = f64::from(packets - warmup);
    let p = (flow.events - start.1) / count;
    count / (now - start.0) * throughput_factor(&Equation::default(), p)
}
