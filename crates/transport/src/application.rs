//! Traffic sources: the packets that an application generates, and their times.

use std::collections::VecDeque;

use airfair_units::{Bytes, DataRate, Duration, Time};

/// One frame of a trace, such as a video frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Time from the previous frame, or from the start, to this frame.
    pub after: Duration,
    /// Size of the frame. It is sent in packets of at most the segment size [octets].
    pub size: Bytes,
}

/// Traffic that an application gives a sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Unlimited data, always available, in packets of the segment size.
    Greedy,
    /// Full-size packets at a constant rate of payload.
    Constant(DataRate),
    /// A constant rate for `on`, then a pause for `off`, repeated.
    OnOff {
        /// Rate of payload during an on-period.
        rate: DataRate,
        /// Length of an on-period.
        on: Duration,
        /// Length of an off-period.
        off: Duration,
    },
    /// Frames of a trace, for instance of a video.
    Frames {
        /// Frames in the order in which they are generated.
        frames: Vec<Frame>,
        /// True to restart the trace at its end. The trace must then have a length greater than zero.
        repeat: bool,
    },
}

/// Data of the application that waits to be sent.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    octets: u64,
    since: Time,
}

/// Payload of one data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) octets: u64,
    /// Time at which the application generated the data.
    pub(crate) since: Time,
    /// True for the last packet of a frame.
    pub(crate) is_frame_end: bool,
}

/// State of an application that generates traffic.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    traffic: Traffic,
    segment: u64,
    buffer: u64,
    /// Octets that the sender has taken and not sent, which occupy the buffer as well.
    backlog: u64,
    waiting: VecDeque<Waiting>,
    waiting_octets: u64,
    /// Time at which the application generates its next packet or frame.
    next: Option<Time>,
    /// Start of the current on-period, or of the flow if the traffic has no on-periods.
    period: Time,
    /// Number of packets generated in this period, or of frames generated since the start.
    count: u64,
    dropped: u64,
}

impl Application {
    pub(crate) fn new(traffic: Traffic, segment: Bytes, buffer: Option<Bytes>) -> Self {
        if let Traffic::Frames { frames, repeat: true } = &traffic {
            let total: Duration = frames.iter().map(|frame| frame.after).sum();
            assert!(!total.is_zero(), "a trace that repeats without taking time");
        }
        if let Traffic::OnOff { on, .. } = &traffic {
            assert!(!on.is_zero(), "an on-period of no length");
        }
        Self {
            traffic,
            segment: segment.get(),
            buffer: buffer.map_or(u64::MAX, Bytes::get),
            backlog: 0,
            waiting: VecDeque::new(),
            waiting_octets: 0,
            next: None,
            period: Time::ZERO,
            count: 0,
            dropped: 0,
        }
    }

    /// Restarts the traffic when the flow opens.
    pub(crate) fn open(&mut self, now: Time) {
        self.period = now;
        self.count = 0;
        self.waiting.clear();
        self.waiting_octets = 0;
        self.next = match &self.traffic {
            Traffic::Greedy => None,
            Traffic::Constant(_) | Traffic::OnOff { .. } => Some(now),
            Traffic::Frames { frames, .. } => frames.first().map(|frame| now + frame.after),
        };
    }

    /// Generates all data that is due by `now`.
    #[inline]
    pub(crate) fn advance(&mut self, now: Time) {
        while let Some(at) = self.next.filter(|&at| at <= now) {
            match self.traffic {
                Traffic::Constant(rate) if !self.has_room(self.segment) => self.skip(now, rate),
                _ => self.produce(at),
            }
        }
    }

    /// Sets the octets that the sender has taken and not sent, which occupy the buffer as well.
    pub(crate) fn set_backlog(&mut self, octets: u64) {
        self.backlog = octets;
    }

    fn has_room(&self, octets: u64) -> bool {
        octets <= self.buffer.saturating_sub(self.waiting_octets + self.backlog)
    }

    /// Drops all packets of a constant rate that are due by `now`, in constant time.
    fn skip(&mut self, now: Time, rate: DataRate) {
        // The next packet is the first whose offset is later than the elapsed time: ⌊count · segment / rate⌋
        // > passed.
        let passed = u128::from(now.saturating_since(self.period).as_nanos()) + 1;
        let spacing = u128::from(self.segment) * 8_000_000_000;
        let first = passed.saturating_mul(rate.bps().into()).div_ceil(spacing);
        // The source ends after 2⁶⁴ packets.
        let next = u64::try_from(first).ok();
        let packets = next.unwrap_or(u64::MAX) - self.count;
        self.dropped = self.dropped.saturating_add(packets.saturating_mul(self.segment));
        self.count += packets;
        self.next = next.map(|count| self.period + self.spacing(rate, count));
    }

    fn produce(&mut self, at: Time) {
        let octets = match &self.traffic {
            Traffic::Greedy => return,
            &Traffic::Constant(rate) => {
                self.count += 1;
                self.next = Some(self.period + self.spacing(rate, self.count));
                self.segment
            }
            &Traffic::OnOff { rate, on, off } => {
                self.count += 1;
                let offset = self.spacing(rate, self.count);
                if offset >= on {
                    self.period = self.period + on + off;
                    self.count = 0;
                }
                self.next = Some(if self.count == 0 { self.period } else { self.period + offset });
                self.segment
            }
            Traffic::Frames { frames, repeat } => {
                let length = frames.len() as u64;
                let size = frames[index(self.count, length)].size.get();
                self.count += 1;
                let has_more = *repeat || self.count < length;
                self.next = has_more.then(|| at + frames[index(self.count, length)].after);
                size
            }
        };
        if !self.has_room(octets) {
            self.dropped = self.dropped.saturating_add(octets);
        } else if octets > 0 {
            self.waiting_octets += octets;
            self.waiting.push_back(Waiting { octets, since: at });
        }
    }

    /// Offset of packet number `count`, from zero on, at `rate`, rounded down. It counts from the start of the
    /// on-period, or of the flow if the traffic has no on-periods.
    fn spacing(&self, rate: DataRate, count: u64) -> Duration {
        let ns =
            u128::from(count) * u128::from(self.segment) * 8_000_000_000 / u128::from(rate.bps());
        Duration::from_nanos(u64::try_from(ns).expect("a flow longer than 584 years"))
    }

    /// Generation time of the oldest waiting data; `now` for greedy traffic.
    #[inline]
    pub(crate) fn waits_since(&self, now: Time) -> Option<Time> {
        match self.traffic {
            Traffic::Greedy => Some(now),
            _ => self.waiting.front().map(|waiting| waiting.since),
        }
    }

    /// Time at which the application generates its next packet or frame.
    #[inline]
    pub(crate) fn next(&self) -> Option<Time> {
        self.next
    }

    /// Removes from the waiting data the payload of the next packet, and returns it.
    #[inline]
    pub(crate) fn take(&mut self, now: Time) -> Option<Piece> {
        if self.traffic == Traffic::Greedy {
            return Some(Piece { octets: self.segment, since: now, is_frame_end: true });
        }
        let first = self.waiting.front_mut()?;
        let octets = first.octets.min(self.segment);
        let since = first.since;
        first.octets -= octets;
        let is_frame_end = first.octets == 0;
        if is_frame_end {
            self.waiting.pop_front();
        }
        self.waiting_octets -= octets;
        Some(Piece { octets, since, is_frame_end })
    }

    /// True if no data is waiting and none will be generated.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.traffic != Traffic::Greedy && self.waiting.is_empty() && self.next.is_none()
    }

    /// Octets of data dropped because the application's buffer was full.
    pub(crate) fn dropped(&self) -> Bytes {
        Bytes::new(self.dropped)
    }
}

/// Index in the trace of the frame with number `count`, for a trace of `length` frames.
fn index(count: u64, length: u64) -> usize {
    usize::try_from(count % length).expect("a frame of a list in memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn application(traffic: Traffic) -> Application {
        let mut application = Application::new(traffic, Bytes::new(1_000), None);
        application.open(ms(10));
        application
    }

    /// All pieces generated up to `until`: time in ms, octets, end of frame.
    fn pieces(application: &mut Application, until: u64) -> Vec<(u64, u64, bool)> {
        application.advance(ms(until));
        std::iter::from_fn(|| application.take(ms(until)))
            .map(|piece| (piece.since.as_nanos() / 1_000_000, piece.octets, piece.is_frame_end))
            .collect()
    }

    #[test]
    fn a_constant_rate_has_a_packet_every_8_s_over_rate() {
        // 1000 octets at 1 Mb/s take 8 ms.
        let mut constant = application(Traffic::Constant(DataRate::from_mbps(1)));
        assert_eq!(pieces(&mut constant, 9), []);
        assert_eq!(
            pieces(&mut constant, 26),
            [(10, 1_000, true), (18, 1_000, true), (26, 1_000, true)]
        );
        assert_eq!(constant.next(), Some(ms(34)));
        assert!(!constant.is_exhausted());
    }

    #[test]
    fn on_and_off_alternate() {
        // On at 10, 18 and 26: the packet of 34 would be after the 20 ms from 10 on. Off until 60.
        let traffic = Traffic::OnOff {
            rate: DataRate::from_mbps(1),
            on: Duration::from_millis(20),
            off: Duration::from_millis(30),
        };
        let at: Vec<_> =
            pieces(&mut application(traffic), 111).iter().map(|piece| piece.0).collect();
        assert_eq!(at, [10, 18, 26, 60, 68, 76, 110]);
    }

    #[test]
    fn frames_are_cut_and_the_trace_ends_or_repeats() {
        let frame =
            |after, size| Frame { after: Duration::from_millis(after), size: Bytes::new(size) };
        let frames = vec![frame(0, 2_500), frame(40, 300), frame(40, 0)];
        let once = Traffic::Frames { frames: frames.clone(), repeat: false };
        let mut video = application(once);
        let first = [(10, 1_000, false), (10, 1_000, false), (10, 500, true)];
        assert_eq!(pieces(&mut video, 10), first);
        assert!(!video.is_exhausted());
        assert_eq!(pieces(&mut video, 1_000), [(50, 300, true)]);
        assert!(video.is_exhausted());
        let mut again = application(Traffic::Frames { frames, repeat: true });
        let at: Vec<_> = pieces(&mut again, 130).iter().map(|piece| piece.0).collect();
        assert_eq!(at, [10, 10, 10, 50, 90, 90, 90, 130]);
    }

    #[test]
    fn a_full_buffer_drops_new_data() {
        let traffic = Traffic::Constant(DataRate::from_mbps(1));
        let mut application = Application::new(traffic, Bytes::new(1_000), Some(Bytes::new(2_500)));
        application.open(ms(0));
        // Four packets are generated at 0, 8, 16 and 24 ms; two of them fit.
        assert_eq!(pieces(&mut application, 24).len(), 2);
        assert_eq!(application.dropped(), Bytes::new(2_000));
        assert_eq!(pieces(&mut application, 32).len(), 1);
    }

    /// The buffer of 3000 octets has room for frames of 2500 and 400 octets, but not for 200 more. After a packet of
    /// 1000 octets has left, the next 200 fit.
    #[test]
    fn a_frame_that_does_not_fit_is_dropped_whole_and_counted() {
        let frame = |size| Frame { after: Duration::from_millis(10), size: Bytes::new(size) };
        let traffic =
            Traffic::Frames { frames: [2_500, 400, 200, 200].map(frame).to_vec(), repeat: false };
        let mut video = Application::new(traffic, Bytes::new(1_000), Some(Bytes::new(3_000)));
        video.open(ms(0));
        video.advance(ms(30));
        assert_eq!(video.dropped(), Bytes::new(200));
        assert!(video.take(ms(30)).is_some());
        assert_eq!(pieces(&mut video, 40).len(), 4);
        assert_eq!(video.dropped(), Bytes::new(200));
    }

    #[test]
    fn any_amount_of_excess_data_is_dropped_at_once() {
        let application = |bps| {
            let traffic = Traffic::Constant(DataRate::from_bps(bps));
            let mut application = Application::new(traffic, Bytes::new(1), Some(Bytes::new(50)));
            application.open(ms(0));
            application.advance(Time::from_nanos(3_600_000_000_000));
            (application.waiting.len(), application.dropped().get(), application.next())
        };
        // Packet k is generated after 80·k ms: 0 to 45 000 in an hour, and the next 80 ms later.
        assert_eq!(application(100), (50, 45_001 - 50, Some(ms(3_600_080))));
        // 100 Gb/s are 12.5 packets per ns. An hour has 45 000 billion of them, and 13 more are generated
        // within the last nanosecond.
        let (waiting, dropped, next) = application(100_000_000_000);
        assert_eq!((waiting, dropped), (50, 45_000_000_000_013 - 50));
        assert_eq!(next, Some(Time::from_nanos(3_600_000_000_001)));
        // At the largest rate 2⁶⁴ packets take 8 s, and the source ends.
        assert_eq!(application(u64::MAX), (50, u64::MAX - 50, None));
    }
}
