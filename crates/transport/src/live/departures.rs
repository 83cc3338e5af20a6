//! Datagrams of a call that have left, and the part of them of which the receiver has reported.

use std::collections::VecDeque;

use airfair_laws::gcc::Arrival;
use airfair_laws::nada::Packet;
use airfair_units::{DataRate, Duration, Time};

use super::reporter::Report;

/// Time after which the incoming rate is known.  [draft-gcc §5.5], [RFC8698 §6.3]
const KNOWN: Duration = Duration::from_millis(500);
/// Time for which a datagram is remembered that has not arrived.
const MEMORY: Duration = Duration::from_secs(10);

/// A datagram that has left.
#[derive(Clone, Copy, Debug)]
struct Departure {
    sent: Time,
    octets: u64,
    /// Time at which it arrived. The sender looks at it when a report says so.
    arrived: Option<Time>,
    /// True if it arrived with a mark.
    is_marked: bool,
    /// True once a report has covered its number.
    is_covered: bool,
    /// True once a report has named its arrival.
    is_reported: bool,
}

/// Datagrams that have left, in the order of their numbers.
#[derive(Clone, Debug)]
pub(super) struct Departures {
    measures: Measures,
    /// Number of the first one that is remembered.
    first: u64,
    all: VecDeque<Departure>,
    incoming: Incoming,
    recent: Recent,
}

/// Resolutions of what reports show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measures {
    /// Ticks of the arrival times.
    pub(super) tick: Duration,
    /// Time over which the incoming rate, losses and marks are measured.
    pub(super) window: Duration,
}

/// Packets of the last reports, within a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recent {
    reports: VecDeque<(Time, [u64; 3])>,
}

impl Recent {
    /// Adds a report with these numbers of packets: all, lost and marked ones.
    fn add(&mut self, now: Time, counts: [u64; 3], window: Duration) {
        self.reports.push_back((now, counts));
        while self.reports.front().is_some_and(|(at, _)| now - *at >= window) {
            self.reports.pop_front();
        }
    }

    /// Shares of the packets that were lost, and that were marked.
    #[expect(clippy::cast_precision_loss, reason = "counts of packets are small")]
    pub(super) fn shares(&self) -> (f64, f64) {
        let sum = |place: usize| self.reports.iter().map(|(_, it)| it[place]).sum::<u64>() as f64;
        let all = sum(0).max(1.0);
        (sum(1) / all, sum(2) / all)
    }
}

/// Contents of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    /// Datagrams whose arrival the report is the first to name.
    pub(super) arrivals: Vec<Arrival>,
    /// Packets that the report is the first to cover.
    pub(super) packets: Vec<Packet>,
    /// Counts of the last reports.
    pub(super) recent: Recent,
    /// Numbers that the report is the first to cover.
    pub(super) expected: u64,
    /// Those of them that had not arrived.
    pub(super) lost: u64,
    /// Rate at which octets arrive; `None` in the first half second.
    pub(super) incoming: Option<DataRate>,
    /// Round-trip time without the time for which the receiver held the last datagram; `None` without an arrival.
    pub(super) round_trip: Option<Duration>,
}

impl Departures {
    /// No datagrams.
    pub(super) fn new(measures: Measures) -> Self {
        Self {
            measures,
            first: 0,
            all: VecDeque::new(),
            incoming: Incoming::default(),
            recent: Recent::default(),
        }
    }

    /// Notes the next datagram with this payload.
    pub(super) fn add(&mut self, now: Time, octets: u64) {
        self.all.push_back(Departure {
            sent: now,
            octets,
            arrived: None,
            is_marked: false,
            is_covered: false,
            is_reported: false,
        });
    }

    /// Notes the arrival of the datagram with the number `seq`.
    pub(super) fn arrive(&mut self, now: Time, seq: u64, is_marked: bool) {
        let place = seq.checked_sub(self.first).and_then(|it| usize::try_from(it).ok());
        if let Some(departure) = place.and_then(|it| self.all.get_mut(it)) {
            (departure.arrived, departure.is_marked) = (Some(now), is_marked);
        }
    }

    /// Reads a report.
    pub(super) fn read(&mut self, now: Time, report: &Report) -> Contents {
        let (mut arrivals, mut packets, mut round_trip) = (Vec::new(), Vec::new(), None);
        let mut marked = 0;
        let tick = self.measures.tick.as_nanos();
        let place = |seq: u64| {
            let place = usize::try_from(seq.saturating_sub(self.first));
            place.unwrap_or(usize::MAX).min(self.all.len())
        };
        for departure in self.all.range_mut(place(report.first)..place(report.end)) {
            let arrived = departure.arrived.filter(|at| *at <= report.made);
            if !departure.is_covered {
                packets.push(Packet { sent: departure.sent, arrived });
                marked += u64::from(arrived.is_some() && departure.is_marked);
            }
            departure.is_covered = true;
            if let Some(arrived) = arrived.filter(|_| !departure.is_reported) {
                departure.is_reported = true;
                let hold = report.made - arrived;
                round_trip = Some((now - departure.sent).saturating_sub(hold));
                let arrived = Time::from_nanos(arrived.as_nanos() / tick * tick);
                arrivals.push(Arrival { sent: departure.sent, arrived });
                self.incoming.add(arrived, departure.octets, self.measures.window);
            }
        }
        self.forget(now);
        let expected = packets.len() as u64;
        let lost = packets.iter().filter(|it| it.arrived.is_none()).count() as u64;
        self.recent.add(now, [expected, lost, marked], self.measures.window);
        let (incoming, recent) = (self.incoming.rate(self.measures.window), self.recent.clone());
        Contents { arrivals, packets, recent, expected, lost, incoming, round_trip }
    }

    /// Forgets the datagrams at the front that are reported or old.
    fn forget(&mut self, now: Time) {
        let is_done = |it: &Departure| it.is_reported || now - it.sent > MEMORY;
        while self.all.front().is_some_and(is_done) {
            self.all.pop_front();
            self.first += 1;
        }
    }
}

/// Octets that have arrived within a window.
#[derive(Clone, Debug, Default)]
struct Incoming {
    /// First arrival of all.
    begun: Option<Time>,
    /// Time and octets of the arrivals within the window.
    recent: VecDeque<(Time, u64)>,
    /// Sum of their octets.
    octets: u64,
}

impl Incoming {
    fn add(&mut self, at: Time, octets: u64, window: Duration) {
        self.begun.get_or_insert(at);
        self.recent.push_back((at, octets));
        self.octets += octets;
        while let Some(&(first, old)) = self.recent.front()
            && at.saturating_since(first) >= window
        {
            self.recent.pop_front();
            self.octets -= old;
        }
    }

    /// `R_hat`; `None` before it is known.
    fn rate(&self, window: Duration) -> Option<DataRate> {
        let (last, _) = self.recent.back()?;
        let elapsed = last.saturating_since(self.begun?).min(window);
        if elapsed < KNOWN {
            return None;
        }
        let bits = u128::from(self.octets) * 8_000_000_000 / u128::from(elapsed.as_nanos());
        Some(DataRate::from_bps(u64::try_from(bits).expect("a rate of a call").max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    const WINDOW: Duration = Duration::from_secs(1);

    fn departures() -> Departures {
        Departures::new(Measures { tick: Duration::from_micros(250), window: WINDOW })
    }

    fn report(first: u64, end: u64, made: u64) -> Report {
        Report { first, end, made: ms(made), octets: 28 }
    }

    /// Of four datagrams the second is lost and the fourth arrives after the report was made. The report arrives at 60 ms, 20 ms
    /// after it was made, and has held the third datagram, sent at 20 ms, for 10 ms: 60 − 20 − 10 = 30 ms. The next report
    /// names the fourth.
    #[test]
    fn a_report_has_what_had_arrived_when_it_was_made() {
        let mut sent = departures();
        for k in 0..4 {
            sent.add(ms(10 * k), 1_000);
        }
        sent.arrive(ms(15), 0, false);
        sent.arrive(ms(30), 2, true);
        sent.arrive(ms(50), 3, false);
        let first = sent.read(ms(60), &report(0, 4, 40));
        let arrival = |sent, arrived| Arrival { sent: ms(sent), arrived: ms(arrived) };
        assert_eq!(first.arrivals, [arrival(0, 15), arrival(20, 30)]);
        assert_eq!((first.expected, first.lost), (4, 2));
        assert_eq!((first.round_trip, first.incoming), (Some(Duration::from_millis(30)), None));
        // One of four marked, two of four lost.
        assert_eq!(first.recent.shares(), (0.5, 0.25));
        let lost: Vec<_> = first.packets.iter().map(|it| it.arrived.is_none()).collect();
        assert_eq!(lost, [false, true, false, true]);
        let second = sent.read(ms(80), &report(3, 4, 70));
        assert_eq!(second.arrivals, [arrival(30, 50)]);
        assert_eq!((second.expected, second.lost), (0, 0));
        // Nothing is named twice, and a number from the future is ignored.
        let third = sent.read(ms(90), &report(0, 99, 90));
        assert_eq!((third.arrivals, third.expected, third.round_trip), (Vec::new(), 0, None));
        sent.add(ms(20_000), 1_000);
        sent.arrive(ms(20_010), 4, false);
        assert_eq!(sent.read(ms(20_020), &report(4, 5, 20_010)).arrivals.len(), 1);
        assert_eq!((sent.first, sent.all.len()), (5, 0));
        // The reports of the first second no longer count.
        assert_eq!(sent.recent.shares(), (0.0, 0.0));
    }

    /// 250 octets each 10 ms are 200 kb/s. The rate is known after half a second, and counts the last second alone. Times are
    /// rounded down to ticks of 250 µs.
    ///
    /// Verifies: [draft-gcc §5.5], [draft-twcc §3.1.5]
    #[test]
    fn the_incoming_rate_is_that_of_the_last_second() {
        let mut incoming = Incoming::default();
        for k in 0..50 {
            incoming.add(ms(10 * k), 250, WINDOW);
        }
        assert_eq!(incoming.rate(WINDOW), None);
        incoming.add(ms(500), 250, WINDOW);
        // 51 arrivals in 500 ms
        assert_eq!(incoming.rate(WINDOW), Some(DataRate::from_bps(204_000)));
        for k in 51..400 {
            incoming.add(ms(10 * k), 500, WINDOW);
        }
        assert_eq!(incoming.rate(WINDOW), Some(DataRate::from_bps(400_000)));
        let mut sent = departures();
        sent.add(ms(1), 9);
        sent.arrive(ms(5) + Duration::from_micros(499), 0, false);
        let contents = sent.read(ms(9), &report(0, 1, 6));
        assert_eq!(contents.arrivals[0].arrived, ms(5) + Duration::from_micros(250));
    }
}
