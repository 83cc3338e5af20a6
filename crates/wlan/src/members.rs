//! Who gets the channel next where not all members sense each other: everyone listens and counts alone.
//!
//! A member's busy period lasts from the first frame that it senses or sends to the end of the last one
//! that overlaps it. What the member makes of it is its [`Ear`]:
//!
//! ```text
//!                        one frame        another one
//!                      ┌──────────► Frame ───────────► Clash ──┐
//!   Idle ──────────────┤              │ it transmits   │       │
//!    ▲                 │              ▼                ▼       │
//!    │                 └──► Own ───► Energy ◄──────────┘       │
//!    │            transmits    any other                       │
//!    └── nothing on the air that it senses or sends ◄──────────┘
//! ```
//!
//! Decisions, for a receiver and for anyone who listens:
//!
//! - Only a frame that is alone from its start to its end is decoded: `Frame`; with capture, also one that was
//!   there first, or started together with others, and is stronger than all of them by a margin.
//! - Frames that overlap while the member is in step with the first are an error of reception, and EIFS
//!   follows the last of them [80211-2020 §10.3.2.3.7]: `Clash`.
//! - Whoever transmits gives up what it was receiving. What it hears of a frame whose start it has
//!   missed so, or that starts meanwhile, is energy without a preamble: busy, and no error: `Energy`.
//! - Responses, and data after a CTS, go out a SIFS after the frame that they follow, whatever carrier
//!   sense says [80211-2020 §10.3.2.3.3]; only the NAV keeps a station from answering an RTS
//!   [80211-2020 §10.3.2.9]. Nobody has to send two frames at once: the frame before was decoded, so it was
//!   the last that the member sensed, and its own access comes an AIFS, more than a SIFS, after it; a
//!   second frame that asked for a response within the same SIFS would have overlapped the first.
//! - A response whose start finds its addressee's medium busy, or that does not reach it, gives no sign of
//!   itself within the time-out, which then counts [80211-2020 §10.3.2.11]. One that began well and was
//!   overlapped later fails the attempt at its end, as one that noise has spoilt.
//! - What the members make of the frames of one instant is decided when all of them have started: two
//!   that start together are heard together.

use airfair_units::{Dbm, Decibels, Duration, Time};

use crate::config::{AfterCollision, CellConfig, Eifs, NodeId};
use crate::contention::Waits;
use crate::frame::{Frame, FrameKind, Transmission};
use crate::hearing::{Reach, Relation};
use crate::phy::{Standard, Timing};
use crate::radio::milliwatts;

/// What a member makes of its medium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ear {
    /// Nothing on the air.
    #[default]
    Idle,
    /// One frame of another member, from its start.
    Frame,
    /// Frames that overlap, the first from its start.
    Clash,
    /// Its own frame alone.
    Own,
    /// Frames of which it has missed the start, for it transmitted.
    Energy,
}

impl Ear {
    /// Frames start: its own (`sends`), or `others` that it senses.
    fn after(self, sends: bool, others: usize) -> Self {
        match (self, sends, others) {
            (same, false, 0) => same,
            (Self::Idle, true, 0) => Self::Own,
            (Self::Idle, false, 1) => Self::Frame,
            (Self::Idle | Self::Frame | Self::Clash, false, _) => Self::Clash,
            _ => Self::Energy,
        }
    }
}

/// What a member wants of the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Want {
    /// It rests, or is in an exchange.
    #[default]
    Nothing,
    /// To transmit when its idle medium has been so for long enough.
    Immediate,
    /// To transmit when its back-off is done.
    Backoff,
}

/// Carrier sense and countdown of one member.
#[derive(Clone, Debug, Default)]
struct Member {
    /// What follows a frame that was decoded, and one that was not.
    aifs: Duration,
    eifs: Duration,
    ear: Ear,
    /// Whether it sends, and how many frames are on the air that it sends or senses.
    sends: bool,
    on_air: u32,
    /// Virtual carrier sense: busy until then.
    nav_until: Time,
    /// When slots start to count, if the medium stays idle.
    access_start: Time,
    want: Want,
    /// Slots still to count, and since when they do.
    backoff: u64,
    counts_from: Time,
    /// What its own frame on the air is to each member.
    reach: Vec<Reach>,
    /// The power that it arrives with, where frames are captured.
    power: Vec<Dbm>,
    /// Whose frame it is in step with: the only one, or one so strong that others do not matter.
    follows: Option<NodeId>,
}

impl Member {
    fn new(timing: &Timing, aifsn: u8) -> Self {
        assert!(aifsn > 0, "an AIFSN of at least 1: a SIFS alone is for responses");
        let aifs = timing.sifs + timing.slot * u64::from(aifsn);
        let eifs = timing.eifs - timing.difs + aifs;
        let start = Time::ZERO + aifs;
        Self { aifs, eifs, access_start: start, counts_from: start, ..Self::default() }
    }

    fn is_idle(&self) -> bool {
        self.ear == Ear::Idle
    }

    /// Whole slots that have counted until `now`.
    fn counted(&self, now: Time, slot: Duration) -> u64 {
        let passed = now.saturating_since(self.counts_from);
        // Most have a while to go, or nothing: a division is what costs here.
        if passed < slot || self.backoff == 0 {
            return 0;
        }
        if passed >= slot * self.backoff {
            return self.backoff;
        }
        passed.whole_steps(slot)
    }

    /// When it transmits, if its medium stays idle.
    fn next_access(&self, slot: Duration) -> Option<Time> {
        let wants = self.want != Want::Nothing && self.is_idle();
        wants.then(|| self.counts_from + slot * self.backoff)
    }

    /// Whether it is receiving the frame of `from`.
    fn receives(&self, from: NodeId) -> bool {
        self.ear == Ear::Frame || (self.ear == Ear::Clash && self.follows == Some(from))
    }

    /// A back-off that starts now; from inside a slot it counts from that slot's end.
    fn draw(&mut self, now: Time, backoff: u16, slot: Duration) {
        let begun = now.saturating_since(self.access_start).as_nanos().div_ceil(slot.as_nanos());
        self.backoff = u64::from(backoff);
        self.counts_from = self.access_start + slot * begun;
    }

    /// A frame that it sensed or sent has ended, and `gap` follows if it was the last.
    fn release(&mut self, now: Time, gap: Duration) {
        self.on_air -= 1;
        if self.on_air == 0 {
            (self.ear, self.follows) = (Ear::Idle, None);
            self.access_start = (now + gap).max(self.nav_until + self.aifs);
            self.counts_from = self.access_start;
        }
    }
}

/// A frame that starts now.
#[derive(Clone, Copy, Debug)]
struct Start {
    from: NodeId,
    is_dsss: bool,
}

/// The carrier sense of each member, and what it waits for.
#[derive(Debug)]
pub(crate) struct Members {
    slot: Duration,
    waits: Waits,
    relation: Relation,
    each: Vec<Member>,
    starting: Vec<Start>,
    /// Members whose immediate access the frames that start have forestalled: they must draw a back-off.
    forestalled: Vec<NodeId>,
    /// By how much a frame must be stronger than all that overlap it to survive.
    capture: Option<Decibels>,
}

// What the cell calls here is `cold`: kept out of line, so that cells with lanes stay as fast as without it.
impl Members {
    pub(crate) fn new(config: &CellConfig, timing: &Timing) -> Self {
        let stations = config.stations.iter().map(|station| station.access.aifsn);
        let aifsns = std::iter::once(config.ap_access.aifsn).chain(stations);
        Self {
            slot: timing.slot,
            waits: Waits::new(&config.rules, timing),
            relation: Relation::new(config),
            each: aifsns.map(|aifsn| Member::new(timing, aifsn)).collect(),
            starting: Vec::new(),
            forestalled: Vec::new(),
            capture: None,
        }
    }

    /// Lets a frame survive that is so much stronger than all that overlap it.
    pub(crate) fn set_capture(&mut self, margin: Decibels) {
        self.capture = Some(margin);
    }

    /// The powers that the frame of `from`, which is about to start, arrives with.
    #[cold]
    pub(crate) fn set_powers(&mut self, from: NodeId, powers: impl Iterator<Item = Dbm>) {
        let known = &mut self.each[from.index()].power;
        known.clear();
        known.extend(powers);
    }

    /// What frames of `from` that start from now on are to `listener`.
    pub(crate) fn set_reach(&mut self, listener: NodeId, from: NodeId, reach: Reach) {
        self.relation.set(listener, from, reach);
    }

    /// What `frame`, which is about to start, is to each member. To whom it is addressed it is a frame as soon
    /// as it is sensed: whether noise spoils it is drawn at its end.
    #[cold]
    pub(crate) fn set_row(&mut self, frame: &Frame, row: &[Reach]) {
        self.relation.set_row(frame.from, row);
        let mut address = |to: NodeId| {
            if row[to.index()] == Reach::Senses {
                self.relation.set(to, frame.from, Reach::Decodes);
            }
        };
        match frame.to {
            Some(to) => address(to),
            None => (0..).map(NodeId).take(row.len()).for_each(address),
        }
    }

    /// When the next contender transmits, if its medium stays idle.
    #[cold]
    pub(crate) fn next_access(&self) -> Option<Time> {
        self.each.iter().filter_map(|member| member.next_access(self.slot)).min()
    }

    /// Appends those who transmit at `now` to `winners`; they want nothing any more.
    #[cold]
    pub(crate) fn take_winners(&mut self, now: Time, winners: &mut Vec<NodeId>) {
        for (id, member) in (0..).map(NodeId).zip(&mut self.each) {
            if member.next_access(self.slot) == Some(now) {
                (member.want, member.backoff) = (Want::Nothing, 0);
                winners.push(id);
            }
        }
    }

    /// A frame starts; [`begin_busy`](Self::begin_busy) follows when all that start at this instant are known.
    #[cold]
    pub(crate) fn announce(&mut self, frame: &Frame) {
        let from = frame.from;
        let sends = &mut self.each[from.index()].sends;
        assert!(!std::mem::replace(sends, true), "a member sends one frame at a time");
        self.starting.push(Start { from, is_dsss: Standard::is_dsss(frame.rate) });
    }

    /// The frames announced start: whoever senses them freezes.
    #[cold]
    pub(crate) fn begin_busy(&mut self, now: Time) {
        let starting = std::mem::take(&mut self.starting);
        for &Start { from, is_dsss } in &starting {
            let reach = &mut self.each[from.index()].reach;
            reach.clear();
            reach.extend(self.relation.reach(from, is_dsss));
        }
        if let [Start { from, .. }] = starting[..] {
            self.begin_one(now, from);
        } else {
            for id in (0..).map(NodeId).take(self.each.len()) {
                let sends = starting.iter().any(|start| start.from == id);
                let others = starting.iter().filter(|start| self.senses(id, start.from)).count();
                if sends || others > 0 {
                    self.freeze(now, id, (sends, others));
                }
            }
        }
        if let Some(margin) = self.capture {
            self.follow(&starting, margin);
        }
        self.starting = starting;
        self.starting.clear();
    }

    /// Who was in step with a frame stays so, and who hears several start together takes the strongest, if it
    /// is strong enough.
    fn follow(&mut self, starting: &[Start], margin: Decibels) {
        for id in (0..).map(NodeId).take(self.each.len()) {
            let Member { ear, follows, .. } = self.each[id.index()];
            if !matches!(ear, Ear::Frame | Ear::Clash) {
                continue;
            }
            let power = |from: NodeId| self.each[from.index()].power[id.index()];
            let heard =
                || starting.iter().map(|start| start.from).filter(|from| self.senses(id, *from));
            // The others that it senses have all just started.
            let is_first =
                heard().count() == usize::try_from(self.each[id.index()].on_air).unwrap_or(0);
            let first = if is_first { heard().max_by_key(|from| power(*from)) } else { follows };
            let survives = |from: &NodeId| {
                let all = (0..).map(NodeId).zip(&self.each);
                let others = all.filter(|(other, it)| it.sends && other != from && *other != id);
                let noise: f64 = others.map(|(other, _)| milliwatts(power(other))).sum();
                milliwatts(power(*from) - margin) >= noise
            };
            self.each[id.index()].follows = first.filter(survives);
        }
    }

    /// One frame starts, as nearly always.
    fn begin_one(&mut self, now: Time, from: NodeId) {
        let row = std::mem::take(&mut self.each[from.index()].reach);
        for (id, reach) in (0..).map(NodeId).zip(&row) {
            if id == from {
                self.freeze(now, id, (true, 0));
            } else if *reach != Reach::Nothing {
                self.freeze(now, id, (false, 1));
            }
        }
        self.each[from.index()].reach = row;
    }

    fn freeze(&mut self, now: Time, id: NodeId, (sends, others): (bool, usize)) {
        let member = &mut self.each[id.index()];
        if member.is_idle() {
            member.backoff -= member.counted(now, self.slot);
            if member.want == Want::Immediate {
                self.forestalled.push(id);
            }
        }
        member.ear = member.ear.after(sends, others);
        member.on_air += u32::from(sends) + u32::try_from(others).expect("one for each member");
    }

    /// A member that wanted to transmit at the end of the gap, and has found the medium busy before:
    /// it must draw a back-off.  [80211-2020 §10.3.4.2]
    #[cold]
    pub(crate) fn pop_forestalled(&mut self) -> Option<NodeId> {
        self.forestalled.pop()
    }

    /// Whether `id` senses the frame of `from` that is on the air.
    fn senses(&self, id: NodeId, from: NodeId) -> bool {
        id != from && self.each[from.index()].reach[id.index()] != Reach::Nothing
    }

    /// Whether another frame overlaps the one on the air where its receiver is, or anyone whom it is for.
    #[cold]
    pub(crate) fn overlapped(&self, frame: &Frame) -> bool {
        let at = |id| self.senses(id, frame.from) && !self.each[id.index()].receives(frame.from);
        match frame.to {
            Some(to) => at(to),
            None => (0..).map(NodeId).take(self.each.len()).any(at),
        }
    }

    /// Whether a frame that has just started is a response that its addressee cannot make out.
    #[cold]
    pub(crate) fn misses(&self, frame: &Frame) -> bool {
        let is_response = matches!(frame.kind, FrameKind::Ack | FrameKind::Cts);
        let senses = |to| self.senses(to, frame.from);
        is_response && (self.overlapped(frame) || !frame.to.is_some_and(senses))
    }

    /// Whether a frame that ends now is decoded by `id`, as far as noise allows.
    #[cold]
    pub(crate) fn decodes(&self, id: NodeId, from: NodeId) -> bool {
        self.each[id.index()].receives(from)
            && self.each[from.index()].reach[id.index()] == Reach::Decodes
    }

    /// Whether carrier sense of `id` is idle.
    #[cold]
    pub(crate) fn is_idle(&self, id: NodeId) -> bool {
        self.each[id.index()].is_idle()
    }

    /// Since when the medium of `id` has been idle for a `gap` if it stays so, where the gap before back-off
    /// is an AIFS; nothing if it is busy.
    #[cold]
    pub(crate) fn idle_for(&self, id: NodeId, gap: Duration) -> Option<Time> {
        let member = &self.each[id.index()];
        member.is_idle().then(|| member.access_start - (member.aifs - gap))
    }

    /// Whether the virtual carrier sense of `id` is clear.
    #[cold]
    pub(crate) fn nav_is_clear(&self, id: NodeId, now: Time) -> bool {
        self.each[id.index()].nav_until <= now
    }

    /// Frames have ended: everyone who sensed or sent them resumes an AIFS or an EIFS later.
    #[cold]
    pub(crate) fn end_busy(&mut self, now: Time, ended: &[Transmission], missed: &[NodeId]) {
        for transmission in ended {
            self.release(now, transmission, missed);
        }
    }

    fn release(&mut self, now: Time, transmission: &Transmission, missed: &[NodeId]) {
        let frame = &transmission.frame;
        // Nobody tells the sender of a beacon what became of it.
        let collided = transmission.collided && frame.to.is_some();
        let addressee = frame.addressee();
        let waits = self.waits;
        let as_nav = waits.eifs == Eifs::Nav;
        let row = std::mem::take(&mut self.each[frame.from.index()].reach);
        for ((id, reach), member) in (0..).map(NodeId).zip(&row).zip(&mut self.each) {
            let is_own = id == frame.from;
            if !is_own && *reach == Reach::Nothing {
                continue;
            }
            let heard = member.receives(frame.from) && *reach == Reach::Decodes;
            let decoded = heard && !is_own && !transmission.is_spoilt_for(id, missed);
            let waits_eifs = !decoded && waits_eifs(waits, member.ear, collided);
            if decoded && !frame.nav.is_zero() && addressee != Some(id) {
                member.nav_until = member.nav_until.max(now + frame.nav);
            }
            if waits_eifs && as_nav {
                member.nav_until = member.nav_until.max(now + waits.nav);
            }
            member.sends &= !is_own;
            // What is left of the others has no beginning that it could make out.
            member.follows = member.follows.filter(|from| *from != frame.from);
            member.release(now, if waits_eifs && !as_nav { member.eifs } else { member.aifs });
        }
        self.each[frame.from.index()].reach = row;
    }

    /// A back-off that starts now. It counts whether or not the member has something to send.
    #[cold]
    pub(crate) fn draw(&mut self, id: NodeId, now: Time, backoff: u16) {
        self.each[id.index()].draw(now, backoff, self.slot);
    }

    /// Contends with the back-off that it has drawn.
    #[cold]
    pub(crate) fn contend(&mut self, id: NodeId) {
        self.each[id.index()].want = Want::Backoff;
    }

    /// A packet has come to a resting member: contends with what is left of its last back-off, or at once
    /// after an idle AIFS. The slots left; nothing if a new back-off must be drawn, because the medium is busy.
    /// [80211-2020 §10.3.4.2]
    #[cold]
    pub(crate) fn try_access(&mut self, id: NodeId, now: Time) -> Option<u64> {
        let slot = self.slot;
        let member = &mut self.each[id.index()];
        let counted = if member.is_idle() { member.counted(now, slot) } else { 0 };
        if member.backoff > counted {
            member.want = Want::Backoff;
            return Some(member.backoff - counted);
        }
        if !member.is_idle() || member.nav_until > now {
            return None;
        }
        member.want = Want::Immediate;
        (member.backoff, member.counts_from) = (0, member.access_start.max(now));
        Some(0)
    }
}

/// Whether a member whose frame ends so, and who has not decoded it, waits EIFS after it.
fn waits_eifs(waits: Waits, ear: Ear, collided: bool) -> bool {
    let is_error = matches!(ear, Ear::Frame | Ear::Clash);
    match waits.after_collision {
        AfterCollision::Standard => is_error,
        AfterCollision::Difs => ear == Ear::Frame,
        // Senders know that their frame collided, although they have not heard it.
        AfterCollision::Eifs => is_error || ear == Ear::Energy || collided,
    }
}
