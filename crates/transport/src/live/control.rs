//! Control of a call's rate: reports of the receiver give the law its input, and the law the target rate.

use airfair_laws::gcc;
use airfair_units::{DataRate, Duration, Time};

use super::departures::Departures;
use super::kinds::VideoCall;
use super::pacer::{Pacer, Part};
use super::reporter::Report;

/// Ratio of the rate of the pacer to the target, in halves.  Deviates: [D-342]
const PACE: u64 = 5;

/// Sender's side of a call whose rate is controlled.
#[derive(Clone, Debug)]
pub(super) struct Controlled {
    params: gcc::Params,
    state: gcc::State,
    target: DataRate,
    pacer: Pacer,
    departures: Departures,
    /// Last round-trip time.
    round_trip: Duration,
}

/// What a report has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// Target rate, if it is another one.
    pub(super) target: Option<DataRate>,
    /// Round-trip time that the report shows.
    pub(super) round_trip: Option<Duration>,
}

impl Controlled {
    /// Sender of a call that has sent nothing.
    pub(super) fn new(video: &VideoCall) -> Self {
        let VideoCall { rate: most, least, .. } = *video;
        let params = gcc::Params { start: video.start(), least, most };
        Self {
            params,
            state: gcc::State::new(&params),
            target: params.start,
            pacer: Pacer::default(),
            departures: Departures::default(),
            round_trip: Duration::ZERO,
        }
    }

    /// Rate at which pictures are made.
    pub(super) fn target(&self) -> DataRate {
        self.target
    }

    /// Frames that wait.
    pub(super) fn pacer(&mut self) -> &mut Pacer {
        &mut self.pacer
    }

    /// Time of the next burst; `None` while nothing waits.
    pub(super) fn next(&self) -> Option<Time> {
        self.pacer.next()
    }

    /// Next datagram that leaves.
    pub(super) fn poll(&mut self, now: Time, room: u64) -> Option<Part> {
        let rate = DataRate::from_bps((self.target.bps() * PACE / 2).max(1));
        let part = self.pacer.poll(now, rate, room)?;
        self.departures.add(now, part.octets);
        Some(part)
    }

    /// Notes the arrival of the datagram with the number `seq`, which a report will name.
    pub(super) fn arrive(&mut self, now: Time, seq: u64) {
        self.departures.arrive(now, seq);
    }

    /// Handles a report.
    pub(super) fn handle_report(&mut self, now: Time, report: &Report) -> Change {
        let contents = self.departures.read(now, report);
        self.round_trip = contents.round_trip.unwrap_or(self.round_trip);
        let seen = gcc::Report {
            now,
            arrivals: &contents.arrivals,
            expected: contents.expected,
            lost: contents.lost,
            incoming: contents.incoming,
            round_trip: self.round_trip,
        };
        let before = self.target;
        (self.state, self.target) = gcc::step(&self.params, self.state, &seen);
        let target = (self.target != before).then_some(self.target);
        Change { target, round_trip: contents.round_trip }
    }
}
