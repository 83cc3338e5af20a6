//! The verdict: whether the figures of an emulation say something of the cell, or of the machine that it ran on.
//!
//! The cell alone decides when a packet comes out and which packets are lost. The machine adds lateness, and the kernel drops
//! packets that nobody reads in time. Lateness counts against the round trip of the packet's own flow. The worst second
//! decides as well as the whole: in the mean of a long session a stall of any length vanishes.

use std::fmt;

use airfair_units::{Duration, Time};

use crate::lateness::Punctuality;

/// Part of its flow's round trip by which a packet may be late: one in so many.
pub const TOLERATED: u64 = 10;
/// Lateness that is tolerated however short the round trip is: a wake-up on a quiet machine takes as long.
pub const PROMPT: Duration = Duration::from_micros(100);
/// Late packets of a flow that are too few to object to.
pub const FEW: u64 = 5;
/// Per cent of a flow's packets that may be late, and of the time that channel time may stand still, in all.
pub const OF_ALL: u64 = 1;
/// The same limit for any single second.
pub const OF_A_SECOND: u64 = 5;
/// Per cent of a second that the engine may be at work, or that a node may send as much as the engine reads.
pub const BUSY: u64 = 95;
/// Nodes that an objection names.
const NAMED: usize = 4;

const SECOND: Duration = Duration::from_secs(1);

/// Number of the second of channel time in which something happens.
fn second_of(at: Time) -> u64 {
    (at - Time::ZERO).whole_steps(SECOND)
}

/// Late packets among all of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// All packets.
    pub packets: u64,
    /// Packets that were later than tolerated.
    pub late: u64,
}

impl Share {
    /// Per cent of them that were late.
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    pub fn per_cent(self) -> f64 {
        if self.packets == 0 { 0.0 } else { self.late as f64 / self.packets as f64 * 100.0 }
    }

    fn exceeds(self, per_cent: u64) -> bool {
        self.late > FEW && self.late * 100 > self.packets * per_cent
    }

    fn is_worse_than(self, other: Self) -> bool {
        self.late > FEW && self.per_cent() > other.per_cent()
    }
}

/// The largest share of late packets of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late<F> {
    /// The flow.
    pub flow: F,
    /// Packets of the flow in one direction.
    pub share: Share,
    /// Lateness that was tolerated at the end of that time.
    pub tolerated: Duration,
    /// Start of the second of channel time [s]; `None` of the whole emulation.
    pub second: Option<u64>,
}

impl<F> Late<F> {
    fn named<N>(self, name: impl FnOnce(F) -> N) -> Late<N> {
        let Self { flow, share, tolerated, second } = self;
        Late { flow: name(flow), share, tolerated, second }
    }
}

/// Packets of one direction of a flow.
#[derive(Clone, Debug, Default)]
struct Track {
    /// Index of the track of the opposite direction.
    opposite: Option<usize>,
    /// Time that packets take through the cell, smoothed; zero before the first one.
    delay: Duration,
    /// Lateness that was tolerated last.
    tolerated: Duration,
    /// Number of the second that is counted.
    second: u64,
    in_second: Share,
    in_all: Share,
}

/// Lateness of all flows, direction by direction.
#[derive(Debug)]
pub(crate) struct Watch {
    tracks: Vec<Track>,
    /// Indices of the tracks that have had packets.
    used: Vec<usize>,
    worst_second: Option<Late<usize>>,
}

impl Watch {
    /// A watch over directions of flows, each with the place of its opposite one, or none.
    pub(crate) fn new(opposites: impl Iterator<Item = Option<usize>>) -> Self {
        let tracks = opposites.map(|opposite| Track { opposite, ..Track::default() });
        Self { tracks: tracks.collect(), used: Vec::new(), worst_second: None }
    }

    /// Takes note of a packet that has come out at `now` after `delay` in the cell, and was `late` at its interface.
    pub(crate) fn note(&mut self, at: usize, now: Time, delay: Duration, late: Duration) {
        if self.tracks[at].second != second_of(now) {
            self.close(at);
        }
        let back = self.tracks[at].opposite.map_or(Duration::ZERO, |it| self.tracks[it].delay);
        let track = &mut self.tracks[at];
        track.second = second_of(now);
        if track.in_all.packets == 0 {
            self.used.push(at);
            track.delay = delay;
        }
        // As slowly as TCP smooths its round trip.  [RFC6298 §2]
        track.delay = (track.delay * 7 + delay) / 8;
        track.tolerated = ((track.delay + back) / TOLERATED).max(PROMPT);
        let is_late = late > track.tolerated;
        for share in [&mut track.in_second, &mut track.in_all] {
            share.packets += 1;
            share.late += u64::from(is_late);
        }
    }

    /// The second that is counted is over.
    fn close(&mut self, at: usize) {
        let track = &mut self.tracks[at];
        let share = std::mem::take(&mut track.in_second);
        let worst = self.worst_second.as_ref().map_or(Share::default(), |it| it.share);
        if share.is_worse_than(worst) {
            let (tolerated, second) = (track.tolerated, Some(track.second));
            self.worst_second = Some(Late { flow: at, share, tolerated, second });
        }
    }

    /// The flows with the largest share of late packets: in a second that is over at `now`, and in all.
    pub(crate) fn worst(
        &mut self,
        now: Time,
        name: impl Fn(usize) -> String,
    ) -> [Option<Late<String>>; 2] {
        let mut in_all: Option<Late<usize>> = None;
        for place in 0..self.used.len() {
            let at = self.used[place];
            if self.tracks[at].second < second_of(now) {
                self.close(at);
            }
            let Track { in_all: share, tolerated, .. } = self.tracks[at];
            if share.is_worse_than(in_all.as_ref().map_or(Share::default(), |it| it.share)) {
                in_all = Some(Late { flow: at, share, tolerated, second: None });
            }
        }
        [self.worst_second.clone(), in_all].map(|it| it.map(|it| it.named(&name)))
    }
}

/// Time of a second of channel time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InSecond {
    /// Start of the second [s].
    pub second: u64,
    /// Time in it.
    pub time: Duration,
}

/// Sum of times in each second, of which the largest is kept.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BySecond {
    current: InSecond,
    pub(crate) most: InSecond,
}

impl BySecond {
    /// Adds some time at `now`.
    pub(crate) fn add(&mut self, now: Time, time: Duration) {
        let second = second_of(now);
        if second != self.current.second {
            self.current = InSecond { second, time: Duration::ZERO };
        }
        self.current.time += time;
        if self.current.time > self.most.time {
            self.most = self.current;
        }
    }
}

/// Work of the engine, second by second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// The look at the start of the second; none before the first one.
    start: Option<Look>,
    /// The second in which it had least rest, and its work in it, scaled to a whole second of the wall.
    pub(crate) most: InSecond,
}

/// A look at the clocks: second of channel time, wall time, and rest so far.
#[derive(Clone, Copy, Debug)]
struct Look {
    second: u64,
    wall: Duration,
    rest: Duration,
}

impl Effort {
    /// Takes note of the wall time at `now`, and for how long the engine has had nothing to do so far.
    pub(crate) fn note(&mut self, now: Time, wall: Duration, rest: Duration) {
        let look = Look { second: second_of(now), wall, rest };
        let start = *self.start.get_or_insert(look);
        if look.second == start.second {
            return;
        }
        self.start = Some(look);
        let (all, rest) = (wall - start.wall, rest - start.rest);
        let time = SECOND / 1_000 * (all.saturating_sub(rest) * 1_000).whole_steps(all);
        // What is left of a second in which the emulation began is too short to say something.
        if all >= SECOND / 2 && time > self.most.time {
            self.most = InSecond { second: start.second, time };
        }
    }
}

/// A reason for which the figures of an emulation are invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// Too many packets of a flow were late.
    Late(Late<String>),
    /// Channel time stood still for too much of a second.
    StoodStillInSecond(InSecond),
    /// Channel time stood still for too long in all: that time, and the channel time of the emulation.
    StoodStill(Duration, Duration),
    /// The kernel dropped packets, so many of each of these nodes, before they were read.
    Unread(Vec<(String, u64)>),
    /// The kernel dropped packets, so many for each of these nodes, on their way to them.
    Undelivered(Vec<(String, u64)>),
    /// The engine was at work for nearly all of a second.
    Effort(InSecond),
    /// This node sent as much as the engine reads for nearly all of a second.
    Crowded(String, InSecond),
}

/// The objections to an emulation that was as punctual as that; none if it is valid so far.
pub fn objections(it: &Punctuality) -> Vec<Objection> {
    let late = it.worst_second.iter().chain(&it.worst_flow).cloned().map(Objection::Late);
    let mut found: Vec<Objection> = late.collect();
    found.push(Objection::StoodStillInSecond(it.stillest));
    found.push(Objection::StoodStill(it.slipped, it.elapsed));
    found.retain(Objection::holds);
    found
}

impl Objection {
    /// True if there is as much of it as makes an emulation invalid.
    pub(crate) fn holds(&self) -> bool {
        let is_more = |time: Duration, of: Duration, per_cent| {
            time.saturating_mul(100) > of.saturating_mul(per_cent)
        };
        match self {
            Self::Late(Late { share, second, .. }) => {
                share.exceeds(if second.is_some() { OF_A_SECOND } else { OF_ALL })
            }
            Self::StoodStillInSecond(it) => is_more(it.time, SECOND, OF_A_SECOND),
            Self::StoodStill(time, elapsed) => is_more(*time, *elapsed, OF_ALL),
            Self::Unread(of) | Self::Undelivered(of) => !of.is_empty(),
            Self::Effort(it) | Self::Crowded(_, it) => is_more(it.time, SECOND, BUSY),
        }
    }
}

impl fmt::Display for Objection {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late(Late { flow, share, tolerated, second }) => {
                let (per_cent, after) = (share.per_cent(), Ms(*tolerated));
                write!(to, "{per_cent:.1} % of the packets of {flow} were more than {after} late")?;
                match second {
                    Some(from) => {
                        write!(to, " in the second from {from} s on (at most {OF_A_SECOND} %)")
                    }
                    None => write!(to, " (at most {OF_ALL} %)"),
                }
            }
            Self::StoodStillInSecond(InSecond { second, time }) => {
                let (time, most) = (Ms(*time), SECOND * OF_A_SECOND / 100);
                write!(
                    to,
                    "the machine stalled for {time} in the second from {second} s on (at most {most})"
                )
            }
            Self::StoodStill(time, elapsed) => {
                let (time, elapsed) = (Ms(*time), elapsed.as_secs_f64());
                write!(to, "the machine stalled for {time} of {elapsed:.1} s (at most {OF_ALL} %)")
            }
            Self::Unread(counts) => {
                let counts = Counts(counts);
                write!(
                    to,
                    "the kernel dropped {counts:#} before the emulation read them: of {counts}"
                )
            }
            Self::Undelivered(counts) => {
                let counts = Counts(counts);
                write!(to, "the kernel dropped {counts:#} that had crossed the cell: for {counts}")
            }
            Self::Effort(InSecond { second, .. }) => write!(
                to,
                "the emulation was busy for more than {BUSY} % of the second from {second} s on"
            ),
            Self::Crowded(node, InSecond { second, .. }) => write!(
                to,
                "{node} sent as much as the emulation can read from one node in the second from {second} s on"
            ),
        }
    }
}

/// Packets of nodes as people read them: the first few of these, or with `#` the sum.
struct Counts<'a>(&'a [(String, u64)]);

impl fmt::Display for Counts<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if to.alternate() {
            let sum: u64 = self.0.iter().map(|(_, count)| count).sum();
            return write!(to, "{sum} packet{}", if sum == 1 { "" } else { "s" });
        }
        for (place, (name, count)) in self.0.iter().take(NAMED).enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(to, "{comma}{name} {count}")?;
        }
        match self.0.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(to, ", and {more} more"),
        }
    }
}

/// A time in milliseconds, as people read it.
struct Ms(Duration);

impl fmt::Display for Ms {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:.1} ms", self.0.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests;
