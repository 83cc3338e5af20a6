//! Reports of a call's receiver on the datagrams that have arrived.  [draft-twcc §3.1], [RFC8888 §3.1]

use airfair_units::{Bytes, Duration, Time};

use super::kinds::RateControl;

/// Header of a report [octets]: RTCP, both sources, first number and count, reference time.  [draft-twcc §3.1]
const HEADER: u64 = 20;
/// Symbols of a chunk with two bits per datagram.  [draft-twcc §3.1.4]
const SYMBOLS: u64 = 7;
/// Shortest time between two arrivals that needs two octets: 256 ticks of 250 µs.  [draft-twcc §3.1.5]
const LONG: Duration = Duration::from_millis(64);
/// Header of a report of the other format [octets]: RTCP, both sources, first number and count, time.  [RFC8888 §3.1]
const CONGESTION_HEADER: u64 = 20;
/// Headers of IP and UDP [octets].
const IP_UDP: u64 = 28;

/// Format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Transport-wide feedback.  [draft-twcc §3.1]
    TransportWide,
    /// Congestion control feedback, with the ECN field of each packet.  [RFC8888 §3.1]
    Congestion,
}

impl Format {
    /// Format for a control of the rate.
    pub(crate) fn of(control: RateControl) -> Self {
        match control {
            RateControl::None | RateControl::Gcc(_) => Self::TransportWide,
            RateControl::Nada(_) => Self::Congestion,
        }
    }

    /// Ticks of the arrival times: 250 µs, or 1/1024 s.  [draft-twcc §3.1.5], [RFC8888 §3.1]
    pub(super) fn tick(self) -> Duration {
        match self {
            Self::TransportWide => Duration::from_micros(250),
            Self::Congestion => Duration::from_nanos(976_563),
        }
    }
}

/// Report of a receiver. It has the numbers that it covers; the arrival times, which a real report has, are kept with the
/// sender, who looks at them when the report arrives.  Deviates: [D-342]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// First number that the report covers.
    pub first: u64,
    /// One more than the last number.
    pub end: u64,
    /// Time at which the report was made. It has the datagrams that had arrived by then.
    pub made: Time,
    /// Length of the report [octets].
    pub octets: u32,
}

impl Report {
    /// Size of the IP packet [octets].
    pub fn size(&self) -> Bytes {
        Bytes::new(IP_UDP + u64::from(self.octets))
    }
}

/// Receiver's side of a call: it notes arrivals, and makes a report when one is due.
#[derive(Clone, Debug)]
pub(crate) struct Reporter {
    format: Format,
    /// Time from report to report; `None` for one with each frame.
    every: Option<Duration>,
    /// First number that no report has covered.
    next: u64,
    /// Arrivals since the last report; `None` without one.
    pending: Option<Pending>,
    /// Time of the last report.
    made: Option<Time>,
    /// Time at which the next report is due.
    due: Option<Time>,
}

/// Arrivals since the last report.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// Lowest number.
    first: u64,
    /// One more than the highest number.
    end: u64,
    /// Number of arrivals.
    arrived: u64,
    /// Arrivals so long after the one before that the time needs two octets.
    long: u64,
    /// Time of the last arrival.
    last: Time,
}

impl Reporter {
    /// Reporter that makes a report with each frame, or at these intervals.
    pub(crate) fn new(every: Option<Duration>, format: Format) -> Self {
        Self { format, every, next: 0, pending: None, made: None, due: None }
    }

    /// Notes the arrival of the datagram with the number `seq`, which may be the last of its frame.
    pub(crate) fn handle_arrival(&mut self, now: Time, seq: u64, is_last: bool) {
        let pending = self.pending.get_or_insert_with(|| {
            let first = self.next.min(seq);
            Pending { first, end: seq, arrived: 0, long: 0, last: now }
        });
        pending.first = pending.first.min(seq);
        pending.end = pending.end.max(seq + 1);
        pending.arrived += 1;
        pending.long += u64::from(now - pending.last >= LONG);
        pending.last = now;
        match self.every {
            None if is_last => self.due = Some(now),
            None => {}
            Some(every) => {
                let at = self.made.map(|made| made + every).filter(|at| *at > now);
                self.due.get_or_insert(at.unwrap_or(now + every));
            }
        }
    }

    /// Time at which the next report is due.
    pub(crate) fn next_timeout(&self) -> Option<Time> {
        self.due
    }

    /// Report that is due.
    pub(crate) fn poll_report(&mut self, now: Time) -> Option<Report> {
        self.due.filter(|due| *due <= now)?;
        self.due = None;
        let pending = self.pending.take()?;
        self.next = self.next.max(pending.end);
        self.made = Some(now);
        let Pending { first, end, .. } = pending;
        let octets = u32::try_from(pending.octets(self.format)).expect("a report of a few numbers");
        Some(Report { first, end, made: now, octets })
    }
}

impl Pending {
    /// Length of the report. Transport-wide feedback has one chunk if all datagrams have arrived without long gaps, and
    /// congestion control feedback two octets for each number.  [draft-twcc §3.1], [RFC8888 §3.1]
    fn octets(&self, format: Format) -> u64 {
        let count = self.end - self.first;
        if format == Format::Congestion {
            return (CONGESTION_HEADER + 2 * count).next_multiple_of(4);
        }
        let is_run = self.arrived == count && self.long == 0;
        let chunks = if is_run { 1 } else { count.div_ceil(SYMBOLS) };
        (HEADER + 2 * chunks + self.arrived + self.long).next_multiple_of(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn arrive(reporter: &mut Reporter, at: u64, seq: u64, is_last: bool) -> Option<Report> {
        reporter.handle_arrival(ms(at), seq, is_last);
        reporter.poll_report(ms(at))
    }

    /// Three datagrams of a frame: 20 octets, one chunk of 2, three times of 1 octet, and padding: 28 octets. Of the next four
    /// one is missing: 20 + 2 + 3 = 25, padded to 28. Ten numbers of which two arrive, 70 ms apart: two chunks, 1 + 2 octets of
    /// times, 27 padded to 28; nineteen would need a third chunk.
    ///
    /// Verifies: [draft-twcc §3.1]
    #[test]
    fn each_frame_has_a_report_on_what_has_arrived() {
        let mut reporter = Reporter::new(None, Format::TransportWide);
        assert_eq!([0, 1].map(|seq| arrive(&mut reporter, seq, seq, false)), [None; 2]);
        let report = |first, end, made, octets| Some(Report { first, end, made: ms(made), octets });
        assert_eq!(arrive(&mut reporter, 2, 2, true), report(0, 3, 2, 28));
        assert_eq!([3, 5].map(|seq| arrive(&mut reporter, 42, seq, false)), [None; 2]);
        assert_eq!(arrive(&mut reporter, 43, 6, true), report(3, 7, 43, 28));
        assert_eq!(arrive(&mut reporter, 100, 8, false), None);
        assert_eq!(arrive(&mut reporter, 170, 16, true), report(7, 17, 170, 28));
        // The datagram that was overtaken is reported later: its number and those after it.
        assert_eq!(arrive(&mut reporter, 180, 15, false), None);
        assert_eq!(arrive(&mut reporter, 200, 17, true), report(15, 18, 200, 24));
        assert_eq!(arrive(&mut reporter, 300, 36, true), report(18, 37, 300, 28));
        // One is overtaken by the first of a report, and another one is reported alone.
        assert_eq!([40, 30].map(|seq| arrive(&mut reporter, 310, seq, false)), [None; 2]);
        assert_eq!(arrive(&mut reporter, 311, 41, true), report(30, 42, 311, 28));
        assert_eq!(arrive(&mut reporter, 320, 20, true), report(20, 21, 320, 24));
        assert_eq!(arrive(&mut reporter, 330, 42, true), report(42, 43, 330, 24));
        assert_eq!(reporter.next_timeout(), None);
        assert_eq!(Report { first: 0, end: 3, made: ms(2), octets: 28 }.size(), Bytes::new(56));
    }

    /// Congestion control feedback on three numbers has 20 + 6 octets, padded to 28, whether they have arrived or not.
    ///
    /// Verifies: [RFC8888 §3.1]
    #[test]
    fn congestion_control_feedback_has_two_octets_for_each_number() {
        let mut reporter = Reporter::new(None, Format::Congestion);
        let octets = [(1, 0), (2, 3), (90, 4)]
            .map(|(at, seq)| arrive(&mut reporter, at, seq, true).map(|report| report.octets));
        assert_eq!(octets, [Some(24), Some(28), Some(24)]);
    }

    /// At intervals of 100 ms the first report comes 100 ms after the first arrival, and the others 100 ms after the one before,
    /// or after an arrival that comes later.
    #[test]
    fn reports_come_at_intervals() {
        let mut reporter = Reporter::new(Some(Duration::from_millis(100)), Format::Congestion);
        let mut due = |at, seq| {
            assert_eq!(arrive(&mut reporter, at, seq, true), None);
            let due = reporter.next_timeout().expect("a report is due");
            (due, reporter.poll_report(due).map(|it| (it.first, it.end)))
        };
        assert_eq!(due(10, 0), (ms(110), Some((0, 1))));
        assert_eq!(due(150, 1), (ms(210), Some((1, 2))));
        assert_eq!(due(400, 2), (ms(500), Some((2, 3))));
        assert_eq!(reporter.poll_report(ms(900)), None);
    }
}
