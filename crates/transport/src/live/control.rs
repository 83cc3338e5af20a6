//! Control of a call's rate: reports of the receiver give the law its input, and the law the target rate.

use airfair_laws::{gcc, nada};
use airfair_units::{Bytes, DataRate, Duration, Time};

use super::departures::{Contents, Departures, Measures};
use super::kinds::{RateControl, VideoCall};
use super::pacer::{Pacer, Part};
use super::reporter::{Format, Report};

/// Ratio of the rate of the pacer to the target of Google congestion control, in halves.  Deviates: [D-342]
const PACE: u64 = 5;
/// T: time over which Google congestion control measures the incoming rate.  [draft-gcc §5.5]
const WINDOW: Duration = Duration::from_secs(1);

/// Control law with its settings and state.
#[derive(Clone, Debug)]
enum Law {
    Gcc(gcc::Params, Box<gcc::State>),
    Nada(nada::Params, Box<nada::State>),
}

/// Sender's side of a call whose rate is controlled.
#[derive(Clone, Debug)]
pub(super) struct Controlled {
    law: Law,
    target: DataRate,
    /// Time from picture to picture.
    interval: Duration,
    pacer: Pacer,
    departures: Departures,
    /// Last round-trip time.
    round_trip: Duration,
}

/// Changes by a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// Target rate, if it is another one.
    pub(super) target: Option<DataRate>,
    /// Round-trip time that the report shows.
    pub(super) round_trip: Option<Duration>,
}

impl Controlled {
    /// Sender of a call that has sent nothing; `None` for a call whose rate nobody controls.
    pub(super) fn new(video: &VideoCall) -> Option<Self> {
        let VideoCall { rate: most, interval, control } = *video;
        let least = control.bounds()?.least;
        let start = control.start(most);
        let (law, window) = match control {
            RateControl::None => return None,
            RateControl::Gcc(_) => {
                let params = gcc::Params { start, least, most };
                (Law::Gcc(params, Box::new(gcc::State::new(&params))), WINDOW)
            }
            RateControl::Nada(_) => {
                let params = nada::Params { start, least, most };
                (Law::Nada(params, Box::new(nada::State::new(&params))), nada::WINDOW)
            }
        };
        let tick = Format::of(control).tick();
        Some(Self {
            law,
            target: start,
            interval,
            pacer: Pacer::default(),
            departures: Departures::new(Measures { tick, window }),
            round_trip: Duration::ZERO,
        })
    }

    /// Target rate of the law.
    pub(super) fn target(&self) -> DataRate {
        self.target
    }

    /// Rate at which the next picture is made.
    pub(super) fn video_rate(&self) -> DataRate {
        match &self.law {
            Law::Gcc(..) => self.target,
            Law::Nada(params, _) => self.shaped(params).video,
        }
    }

    /// Rate at which packets leave.
    fn pace(&self) -> DataRate {
        match &self.law {
            Law::Gcc(..) => DataRate::from_bps((self.target.bps() * PACE / 2).max(1)),
            Law::Nada(params, _) => self.shaped(params).send,
        }
    }

    fn shaped(&self, params: &nada::Params) -> nada::Shaped {
        nada::shaped(params, self.target, Bytes::new(self.pacer.octets()), self.interval)
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
        let rate = self.pace();
        let part = self.pacer.poll(now, rate, room)?;
        self.departures.add(now, part.octets);
        Some(part)
    }

    /// Notes the arrival of the datagram with the number `seq`, which a report will name.
    pub(super) fn arrive(&mut self, now: Time, seq: u64, is_marked: bool) {
        self.departures.arrive(now, seq, is_marked);
    }

    /// Handles a report.
    pub(super) fn handle_report(&mut self, now: Time, report: &Report) -> Change {
        let contents = self.departures.read(now, report);
        self.round_trip = contents.round_trip.unwrap_or(self.round_trip);
        let before = self.target;
        self.target = step(&mut self.law, now, &contents, self.round_trip);
        let target = (self.target != before).then_some(self.target);
        Change { target, round_trip: contents.round_trip }
    }
}

/// Advances the law by a report, and returns the target rate.
fn step(law: &mut Law, now: Time, contents: &Contents, round_trip: Duration) -> DataRate {
    let &Contents { expected, lost, incoming, ref recent, .. } = contents;
    match law {
        Law::Gcc(params, state) => {
            let arrivals = &contents.arrivals;
            let report = gcc::Report { now, arrivals, expected, lost, incoming, round_trip };
            let (next, target) = gcc::step(params, **state, &report);
            **state = next;
            target
        }
        Law::Nada(params, state) => {
            let (lost, marked) = recent.shares();
            let packets = &contents.packets;
            let report = nada::Report { now, packets, lost, marked, incoming, round_trip };
            let (next, target) = nada::step(params, **state, &report);
            **state = next;
            target
        }
    }
}
