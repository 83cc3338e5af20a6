//! Verdict on an emulation: do its figures describe the simulated cell, or the machine that it ran
//! on?
//!
//! In an ideal emulation the simulated cell alone delays and loses packets. A real machine adds
//! lateness, and its kernel drops packets that are not read in time. The lateness of a packet is
//! compared with the round trip of its own flow. Both the whole emulation and its worst second must
//! pass, because the average over a long session hides a stall of any length.

use std::fmt;

use airfair_units::{Duration, Time};

/// A packet is late if its lateness exceeds the round trip of its flow divided by this number.
pub const TOLERATED: u64 = 10;
/// Lateness that is always tolerated, however short the round trip. A wake-up on a quiet machine
/// takes as long.
pub const PROMPT: Duration = Duration::from_micros(100);
/// Number of late packets of a flow up to which there is no objection.
pub const FEW: u64 = 5;
/// Limit over a whole emulation [%]: of a flow's packets that may be late, and of the time for
/// which channel time, the clock of the simulated cell, may be stopped.
pub const OF_ALL: u64 = 1;
/// Limit over any single second [%]: of a flow's packets that may be late, and of the time for
/// which channel time, the clock of the simulated cell, may be stopped.
pub const OF_A_SECOND: u64 = 5;
/// Limit of load [%]: the part of a second in which the engine may work, or in which a node may
/// send as many frames as the engine at most reads from one node.
pub const BUSY: u64 = 95;
/// Most nodes that an objection lists by name.
const NAMED: usize = 4;

const SECOND: Duration = Duration::from_secs(1);

/// Index of the second of channel time that contains `at`.
fn second_of(at: Time) -> u64 {
    (at - Time::ZERO).whole_steps(SECOND)
}

/// Count of late packets among all packets of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Number of packets of the flow in total.
    pub packets: u64,
    /// Number of packets whose lateness exceeded the tolerated one.
    pub late: u64,
    /// Number of late packets that would not have been late without the time in laws.
    pub late_by_laws: u64,
}

/// Time of one kind, such as lateness or standstill, and the part of it that is due to laws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) time: Duration,
    pub(crate) in_laws: Duration,
}

impl From<Duration> for Span {
    /// Time without laws.
    fn from(time: Duration) -> Self {
        Self { time, in_laws: Duration::ZERO }
    }
}

impl Share {
    /// Share of late packets among all packets of the flow [%]; zero without packets.
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    pub fn per_cent(self) -> f64 {
        if self.packets == 0 { 0.0 } else { self.late as f64 / self.packets as f64 * 100.0 }
    }

    /// Share of packets that are late because of laws [%].
    fn per_cent_by_laws(self) -> f64 {
        Self { late: self.late_by_laws, ..self }.per_cent()
    }

    fn exceeds(self, per_cent: u64) -> bool {
        self.late > FEW && self.late * 100 > self.packets * per_cent
    }

    fn is_worse_than(self, other: Self) -> bool {
        self.late > FEW && self.per_cent() > other.per_cent()
    }
}

/// A flow's share of late packets, over one second or over the whole emulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateShare<F> {
    /// Identification of the flow: an index or a name.
    pub flow: F,
    /// Late packets among the packets of one direction of the flow, in the second or in the whole
    /// emulation.
    pub share: Share,
    /// Tolerated lateness at the end of the second or of the emulation. It varies with the flow's
    /// smoothed round trip.
    pub tolerated: Duration,
    /// Start of the second in which the packets are counted, in channel time, the clock of the
    /// simulated cell [s]; `None` for the whole emulation.
    pub second: Option<u64>,
}

impl<F> LateShare<F> {
    fn named<N>(self, name: impl FnOnce(F) -> N) -> LateShare<N> {
        let Self { flow, share, tolerated, second } = self;
        LateShare { flow: name(flow), share, tolerated, second }
    }
}

/// Delay and late packets of one direction of a flow, from which the tolerated lateness follows.
#[derive(Clone, Debug, Default)]
struct Direction {
    /// Index of the opposite direction between the same nodes, if any.
    opposite: Option<usize>,
    /// Smoothed time that packets take through the cell; zero before the first packet.
    delay: Duration,
    /// Lateness that was tolerated for the last packet.
    tolerated: Duration,
    /// Second of channel time in which `in_second` counts packets.
    second: u64,
    in_second: Share,
    in_all: Share,
}

/// Lateness of the packets of all flows, by direction.
#[derive(Debug)]
pub(crate) struct FlowLateness {
    directions: Vec<Direction>,
    /// Indices of the directions that have carried packets.
    used: Vec<usize>,
    worst_second: Option<LateShare<usize>>,
}

impl FlowLateness {
    /// Makes counters for all directions; `opposites` has the index of the opposite of each, if
    /// any.
    pub(crate) fn new(opposites: impl Iterator<Item = Option<usize>>) -> Self {
        let directions = opposites.map(|opposite| Direction { opposite, ..Direction::default() });
        Self { directions: directions.collect(), used: Vec::new(), worst_second: None }
    }

    /// Records that a packet of a direction left the cell at `now`, after `delay` in the cell, and
    /// reached its interface `lateness` later.
    pub(crate) fn note(
        &mut self,
        at: usize,
        now: Time,
        delay: Duration,
        lateness: impl Into<Span>,
    ) {
        let Span { time: lateness, in_laws } = lateness.into();
        if self.directions[at].second != second_of(now) {
            self.close(at);
        }
        let back =
            self.directions[at].opposite.map_or(Duration::ZERO, |it| self.directions[it].delay);
        let direction = &mut self.directions[at];
        direction.second = second_of(now);
        if direction.in_all.packets == 0 {
            self.used.push(at);
            direction.delay = delay;
        }
        // The same gain of 1/8 with which TCP smooths its round-trip time.  [RFC6298 §2]
        direction.delay = (direction.delay * 7 + delay) / 8;
        direction.tolerated = ((direction.delay + back) / TOLERATED).max(PROMPT);
        let is_late = lateness > direction.tolerated;
        let by_laws = is_late && lateness.saturating_sub(in_laws) <= direction.tolerated;
        for share in [&mut direction.in_second, &mut direction.in_all] {
            share.packets += 1;
            share.late += u64::from(is_late);
            share.late_by_laws += u64::from(by_laws);
        }
    }

    /// Ends the second that is being counted for the direction `at`, and keeps its share of late
    /// packets if that is the largest so far.
    fn close(&mut self, at: usize) {
        let direction = &mut self.directions[at];
        let share = std::mem::take(&mut direction.in_second);
        let worst = self.worst_second.as_ref().map_or(Share::default(), |it| it.share);
        if share.is_worse_than(worst) {
            let (tolerated, second) = (direction.tolerated, Some(direction.second));
            self.worst_second = Some(LateShare { flow: at, share, tolerated, second });
        }
    }

    /// Flows with the largest share of late packets: in one second that is over at `now`, and over
    /// the whole emulation. `name` returns the name of a direction's flow.
    pub(crate) fn worst(
        &mut self,
        now: Time,
        name: impl Fn(usize) -> String,
    ) -> [Option<LateShare<String>>; 2] {
        let mut in_all: Option<LateShare<usize>> = None;
        for place in 0..self.used.len() {
            let at = self.used[place];
            if self.directions[at].second < second_of(now) {
                self.close(at);
            }
            let Direction { in_all: share, tolerated, .. } = self.directions[at];
            if share.is_worse_than(in_all.as_ref().map_or(Share::default(), |it| it.share)) {
                in_all = Some(LateShare { flow: at, share, tolerated, second: None });
            }
        }
        [self.worst_second.clone(), in_all].map(|it| it.map(|it| it.named(&name)))
    }
}

/// Second of channel time, the clock of the simulated cell, with the total time in it of one kind,
/// such as standstill or work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InSecond {
    /// Start of the second, in channel time [s].
    pub second: u64,
    /// Total time, within the worst second, in which the simulated channel did not advance, the
    /// engine worked, or a node sent as many frames as are read from it.
    pub time: Duration,
    /// Part of this time that is due to laws.
    pub in_laws: Duration,
}

/// Sums durations of one kind in each second of channel time, and keeps the largest sum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BySecond {
    current: InSecond,
    pub(crate) most: InSecond,
}

impl BySecond {
    /// Adds a duration that ends at `now`.
    pub(crate) fn add(&mut self, now: Time, span: impl Into<Span>) {
        let Span { time, in_laws } = span.into();
        let second = second_of(now);
        if second != self.current.second {
            self.current = InSecond { second, ..InSecond::default() };
        }
        self.current.time += time;
        self.current.in_laws += in_laws;
        if self.current.time > self.most.time {
            self.most = self.current;
        }
    }
}

/// Load of the engine, second by second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// Readings of the clocks at the start of the current second; none before the first call.
    start: Option<Readings>,
    /// Second with the highest load, and the time for which the engine worked in it, scaled to a
    /// whole second of wall time.
    pub(crate) most: InSecond,
}

/// Readings of the clocks at one moment: second of channel time, wall time, and idle time and time
/// in laws since the start.
#[derive(Clone, Copy, Debug)]
struct Readings {
    second: u64,
    wall: Duration,
    rest: Duration,
    in_laws: Duration,
}

impl Effort {
    /// Records readings of the clocks: channel time `now`, wall time, and idle time of the engine
    /// and time in laws since the start.
    pub(crate) fn note(&mut self, now: Time, wall: Duration, rest: Duration, in_laws: Duration) {
        let readings = Readings { second: second_of(now), wall, rest, in_laws };
        let start = *self.start.get_or_insert(readings);
        if readings.second == start.second {
            return;
        }
        self.start = Some(readings);
        let (all, rest) = (wall - start.wall, rest - start.rest);
        let in_a_second = |time: Duration| SECOND / 1_000 * (time * 1_000).whole_steps(all);
        let time = in_a_second(all.saturating_sub(rest));
        let in_laws = in_a_second(in_laws - start.in_laws);
        // The first second may be incomplete. Less than half a second is too short to measure the
        // load.
        if all >= SECOND / 2 && time > self.most.time {
            self.most = InSecond { second: start.second, time, in_laws };
        }
    }
}

/// Account of how closely the emulation has followed the wall clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Punctuality {
    /// Number of packets that have left the simulated channel.
    pub packets: u64,
    /// Median of the packets' lateness.
    pub p50: Duration,
    /// Lateness that 1 % of the packets exceed.
    pub p99: Duration,
    /// Lateness that 0.1 % of the packets exceed.
    pub p999: Duration,
    /// Greatest lateness of the emulator's clock.
    pub longest_stall: Duration,
    /// Number of stalls, in each of which channel time, the clock of the simulated cell, was
    /// stopped.
    pub slips: u64,
    /// Total time for which channel time, the clock of the simulated cell, was stopped after
    /// stalls.
    pub slipped: Duration,
    /// Part of `slipped` that is due to laws.
    pub slipped_in_laws: Duration,
    /// Second of wall-clock time in which the simulated channel did not advance for the longest
    /// time, and this time.
    pub stillest: InSecond,
    /// Flow and second with the largest share of late packets.
    pub worst_second: Option<LateShare<String>>,
    /// Flow with the largest share of late packets over the whole emulation.
    pub worst_flow: Option<LateShare<String>>,
    /// Channel time elapsed since the start of the emulation.
    pub elapsed: Duration,
}

/// Reason why the figures of an emulation are invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// Too many packets of a flow were late.
    Late(LateShare<String>),
    /// Channel time was stopped for too much of one second.
    StalledInSecond(InSecond),
    /// The simulated channel did not advance for too long in total.
    Stalled {
        /// Time for which the channel did not advance.
        time: Duration,
        /// Part of this time that is due to laws.
        in_laws: Duration,
        /// Simulated time that has passed.
        elapsed: Duration,
    },
    /// The kernel dropped packets before the emulator read them: the names of the sending nodes,
    /// with the numbers of packets.
    Unread(Vec<(String, u64)>),
    /// The kernel dropped packets after they had crossed the cell: the names of the receiving
    /// nodes, with the numbers of packets.
    Undelivered(Vec<(String, u64)>),
    /// The engine was busy for nearly all of one second.
    Effort(InSecond),
    /// For nearly all of one second, this node sent as many frames as the engine at most reads from
    /// one node. Further frames wait, and those that do not fit are dropped.
    Crowded(String, InSecond),
}

/// Reasons in lateness and stalls for which an emulation is invalid; none if it is valid so far.
pub fn objections(it: &Punctuality) -> Vec<Objection> {
    let late = it.worst_second.iter().chain(&it.worst_flow).cloned().map(Objection::Late);
    let mut found: Vec<Objection> = late.collect();
    found.push(Objection::StalledInSecond(it.stillest));
    let (time, in_laws, elapsed) = (it.slipped, it.slipped_in_laws, it.elapsed);
    found.push(Objection::Stalled { time, in_laws, elapsed });
    found.retain(Objection::holds);
    found
}

impl Objection {
    /// True if the measured quantity of the objection exceeds the limit for a valid emulation.
    pub(crate) fn holds(&self) -> bool {
        let is_more = |time: Duration, of: Duration, per_cent| {
            time.saturating_mul(100) > of.saturating_mul(per_cent)
        };
        match self {
            Self::Late(LateShare { share, second, .. }) => {
                share.exceeds(if second.is_some() { OF_A_SECOND } else { OF_ALL })
            }
            Self::StalledInSecond(it) => is_more(it.time, SECOND, OF_A_SECOND),
            Self::Stalled { time, elapsed, .. } => is_more(*time, *elapsed, OF_ALL),
            Self::Unread(of) | Self::Undelivered(of) => !of.is_empty(),
            Self::Effort(it) | Self::Crowded(_, it) => is_more(it.time, SECOND, BUSY),
        }
    }
}

impl fmt::Display for Objection {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late(LateShare { flow, share, tolerated, second }) => {
                let (per_cent, after) = (share.per_cent(), Ms(*tolerated));
                write!(to, "{per_cent:.1} % of the packets of {flow} were more than {after} late")?;
                match second {
                    Some(from) => {
                        write!(to, " in the second from {from} s on (at most {OF_A_SECOND} %)")?;
                    }
                    None => write!(to, " (at most {OF_ALL} %)")?,
                }
                if share.late_by_laws > 0 {
                    write!(to, "; {:.1} % because of laws", share.per_cent_by_laws())?;
                }
                Ok(())
            }
            Self::StalledInSecond(InSecond { second, time, in_laws }) => {
                let (stalled, most) = (Stalled(*time, *in_laws), SECOND * OF_A_SECOND / 100);
                write!(to, "{stalled} in the second from {second} s on (at most {most})")?;
                in_laws_of(to, *in_laws)
            }
            Self::Stalled { time, in_laws, elapsed } => {
                let (stalled, elapsed) = (Stalled(*time, *in_laws), elapsed.as_secs_f64());
                write!(to, "{stalled} of {elapsed:.1} s (at most {OF_ALL} %)")?;
                in_laws_of(to, *in_laws)
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
            Self::Effort(InSecond { second, in_laws, .. }) => {
                write!(
                    to,
                    "the emulation was busy for more than {BUSY} % of the second from {second} s on"
                )?;
                in_laws_of(to, *in_laws)
            }
            Self::Crowded(node, InSecond { second, .. }) => write!(
                to,
                "{node} sent as much as the emulation can read from one node in the second from {second} s on"
            ),
        }
    }
}

/// Displays counts of packets by node: the first few nodes by name, or with `#` the total.
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

/// Displays the time of a standstill, and names its cause if that is the machine alone.
struct Stalled(Duration, Duration);

impl fmt::Display for Stalled {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.1.is_zero() { "machine stalled" } else { "emulation stopped" };
        write!(to, "the {what} for {}", Ms(self.0))
    }
}

/// Writes the part of a time that is due to laws, if there is any.
fn in_laws_of(to: &mut fmt::Formatter<'_>, in_laws: Duration) -> fmt::Result {
    if in_laws.is_zero() { Ok(()) } else { write!(to, "; {} of it in laws", Ms(in_laws)) }
}

/// Displays a duration in milliseconds.
struct Ms(Duration);

impl fmt::Display for Ms {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:.1} ms", self.0.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests;
