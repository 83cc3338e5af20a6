//! The distributed coordination function (DCF): state of the medium as one station perceives it, and the times at
//! which the station may transmit.  [80211-2020 §10.3]
//!
//! A busy period lasts from the first frame that the station senses or sends to the end of the last frame that
//! overlaps it. [`CarrierSense`] is the station's physical carrier sense in this period:
//!
//! ```text
//!                        one frame         another one
//!                      ┌──────────► Frame ───────────► Overlap ─┐
//!   Idle ──────────────┤              │ it transmits    │       │
//!    ▲                 │              ▼                 ▼       │
//!    │                 └──► Own ───► Energy ◄───────────┘       │
//!    │            transmits    any other                        │
//!    └── nothing on the air that it senses or sends ◄───────────┘
//! ```
//!
//! Rules for receivers and for listeners:
//!
//! - A frame is decoded only if it is alone from its start to its end: `Frame`. With capture, a frame is also decoded
//!   if it was there first, or started together with others, and exceeds the power of all others by a margin.
//! - If frames overlap while the station is synchronised to the first one, this is a reception error, and an EIFS
//!   follows the last of them [80211-2020 §10.3.2.3.7]: `Overlap`.
//! - A station that transmits stops to receive. Frames whose start it has missed in this way, and frames that start
//!   in the meantime, are energy without a preamble: the medium is busy, but there is no reception error: `Energy`.
//!   With interference by power and a capture margin, the station then receives a frame that exceeds all others.
//!
//! After the busy period the station defers for an interframe space, and until its NAV ends. Then it counts slots
//! until the medium is busy again [80211-2020 §10.3.4.3]. A back-off ends at a certain number of this count:
//!
//! ```text
//!            frame                 AIFS or EIFS      slot slot slot
//!   ─────┬───────────────┬─────────────────────────┬────┬────┬────┬──
//!     slots: s           │ idle                    │ s+1  s+2  s+3
//!                        └ end_frames          access_start
//! ```
//!
//! EDCA counts a slot when it begins: the count is `s+1` in the first slot already, and stays so if a frame starts in
//! this slot [80211-2020 §10.23.2.4]. Without a frame, back-offs of both kinds end at the same time.

use airfair_units::{Duration, Time};

use super::access::ChannelAccess;
use crate::config::{AfterCollision, Eifs, Rules};
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::phy::Timing;

/// Physical carrier sense of a station, with its knowledge of the busy period.  [80211-2020 §10.3.2.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CarrierSense {
    /// The station neither senses nor sends a frame.
    #[default]
    Idle,
    /// One frame of another station is on the air, and the station has received it from its start.
    Frame,
    /// Frames overlap, and the station has received the first of them from its start.
    Overlap,
    /// Only the station's own frame is on the air.
    Own,
    /// Frames are on the air whose start the station has missed because it transmitted.
    Energy,
}

impl CarrierSense {
    /// Carrier sense after frames start: the station's own (`sends`), and `others` that it senses.
    fn after(self, sends: bool, others: u32) -> Self {
        match (self, sends, others) {
            (same, false, 0) => same,
            (Self::Idle, true, 0) => Self::Own,
            (Self::Idle, false, 1) => Self::Frame,
            (Self::Idle | Self::Frame | Self::Overlap, false, _) => Self::Overlap,
            _ => Self::Energy,
        }
    }
}

/// Interframe spaces of a station, by its AIFSN.  [80211-2020 §10.3.2.3]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct InterframeSpaces {
    /// Space after a decoded frame.
    pub(crate) aifs: Duration,
    /// Space after a frame that was not decoded.
    pub(crate) eifs: Duration,
    /// True if a slot counts when it begins, as in EDCA.
    counts_at_start: bool,
}

impl InterframeSpaces {
    /// Interframe spaces of a station with this AIFSN. Its EIFS exceeds its AIFS by as much as the DCF's EIFS exceeds
    /// the DIFS.
    pub(crate) fn new(timing: &Timing, aifsn: u8, counts_at_start: bool) -> Self {
        assert!(aifsn > 0, "an AIFSN of at least 1: a SIFS alone is for responses");
        let aifs = timing.sifs + timing.slot * u64::from(aifsn);
        Self { aifs, eifs: timing.eifs - timing.difs + aifs, counts_at_start }
    }

    /// Interframe spaces of the same station with another AIFSN.
    pub(crate) fn with_aifsn(self, timing: &Timing, aifsn: u8) -> Self {
        Self::new(timing, aifsn, self.counts_at_start)
    }
}

/// Frames, of those that a station has not decoded, after which the rule for the EIFS applies.
#[derive(Clone, Copy, Debug)]
enum Asks {
    /// Those after a reception error.
    Errors,
    /// Those that have not overlapped.
    Frames,
    /// Those after a reception error, and those in a collision.
    Collisions,
    Never,
    Always,
}

/// Rules of a cell for the wait after a frame that was not decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    after_collision: AfterCollision,
    eifs: Eifs,
    /// Frames after which the rule of `eifs` applies.
    asks: Asks,
    /// Length of the NAV that replaces an EIFS, under [`Eifs::Nav`].
    nav: Duration,
    /// True if an EIFS follows reception errors alone, as in the standard.
    is_standard: bool,
}

impl Waits {
    pub(crate) fn new(rules: &Rules, timing: &Timing) -> Self {
        let Rules { after_collision, eifs, .. } = *rules;
        let asks = match (eifs, after_collision) {
            (Eifs::None, _) => Asks::Never,
            (Eifs::Ns3, _) => Asks::Always,
            (_, AfterCollision::Standard) => Asks::Errors,
            (_, AfterCollision::Difs) => Asks::Frames,
            (_, AfterCollision::Eifs) => Asks::Collisions,
        };
        let is_standard = (eifs, after_collision) == (Eifs::Standard, AfterCollision::Standard);
        Self { after_collision, eifs, asks, nav: timing.eifs, is_standard }
    }

    /// True if an EIFS may outlast the next frame: as a NAV, or if the next frame is not decoded.
    #[inline]
    pub(crate) fn outlasts_frames(&self) -> bool {
        matches!(self.eifs, Eifs::Nav | Eifs::Ns3)
    }

    /// True if an EIFS depends on the frame to which a station is synchronised.
    #[inline]
    pub(crate) fn is_ns3(&self) -> bool {
        self.eifs == Eifs::Ns3
    }

    /// True if the rule for the EIFS applies after a frame that the station has not decoded. `collided` is true if the
    /// frame, the station's own or another's, has collided.
    fn ask_eifs(&self, carrier: CarrierSense, collided: bool) -> bool {
        let is_error = matches!(carrier, CarrierSense::Frame | CarrierSense::Overlap);
        match self.asks {
            Asks::Errors => is_error,
            Asks::Frames => carrier == CarrierSense::Frame,
            // Senders know that their frame collided, although they have not heard the other one.
            Asks::Collisions => is_error || carrier == CarrierSense::Energy || collided,
            Asks::Never => false,
            Asks::Always => true,
        }
    }
}

/// Reception of a frame at one station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    /// The station has decoded the frame.
    Decoded,
    /// Noise, other frames or a transmission of the station have destroyed the frame.
    Failed,
    /// The frame is mere energy for the station.
    Energy,
}

/// End of a frame as one station perceives it, or of several frames that nobody has decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) from: NodeId,
    pub(crate) count: u32,
    pub(crate) reception: Reception,
    /// End of the reservation by the duration field, for stations other than the addressee.
    pub(crate) reserved_until: Option<Time>,
    /// True if the frame resets the NAV.
    pub(crate) resets_nav: bool,
    /// True if the frame has collided, as far as its sender can know.
    pub(crate) collided: bool,
}

impl Ended {
    /// End of a frame, as a station perceives it that has decoded the frame and is not its addressee.
    #[inline]
    pub(crate) fn of<P>(ppdu: &Ppdu<P>, now: Time) -> Self {
        let Frame { kind, from, to, duration_field, .. } = ppdu.frame;
        let reserved_until = (!duration_field.is_zero()).then(|| now + duration_field);
        // The sender of a beacon, or of a frame about a grant, never learns whether the frame collided.
        let collided = ppdu.collided && to.is_some() && !kind.is_apart();
        let (reception, resets_nav) = (Reception::Decoded, kind == FrameKind::CfEnd);
        Self { from, count: 1, reception, reserved_until, resets_nav, collided }
    }

    /// End of the last frame of an undisturbed exchange, as a station perceives it that has decoded the frame.
    #[inline]
    pub(crate) fn last(from: NodeId) -> Self {
        let reception = Reception::Decoded;
        let (reserved_until, resets_nav, collided) = (None, false, false);
        Self { from, count: 1, reception, reserved_until, resets_nav, collided }
    }
}

/// Medium as one station knows it: physical and virtual carrier sense, and the slots counted since it was idle.
/// Stations with the same knowledge have equal states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MediumState {
    carrier: CarrierSense,
    /// Number of frames on the air that the station sends or senses.
    on_air: u32,
    /// Transmitter of the frame to which the station is synchronised, in cells with capture: the only frame, or one
    /// that exceeds all others by the margin.
    follows: Option<NodeId>,
    /// Transmitter of the frame to which the station was synchronised when others began to overlap it, under
    /// [`Eifs::Ns3`].
    first: Option<NodeId>,
    /// End of the network allocation vector, until which virtual carrier sense is busy.  [80211-2020 §10.3.2.4]
    nav_until: Time,
    /// End of the interframe space and of the NAV, if the medium stays idle. While the medium is busy, an EIFS under
    /// [`Eifs::Ns3`] may end here.
    access_start: Time,
    /// Time from which slots count: `access_start`, or the end of the slot in which a back-off was drawn.
    counts_from: Time,
    /// Slots counted before `counts_from`.
    slots: u64,
    /// True if a slot counts when it begins, even if the medium becomes busy in it.
    counts_at_start: bool,
}

impl MediumState {
    /// State of a medium on which nothing has been heard yet.
    pub(crate) fn new(spaces: InterframeSpaces) -> Self {
        let start = Time::ZERO + spaces.aifs;
        let counts_at_start = spaces.counts_at_start;
        Self { access_start: start, counts_from: start, counts_at_start, ..Self::default() }
    }

    /// True if physical carrier sense is idle.
    pub(crate) fn is_idle(&self) -> bool {
        self.carrier == CarrierSense::Idle
    }

    /// True if virtual carrier sense is idle.
    pub(crate) fn nav_is_clear(&self, now: Time) -> bool {
        self.nav_until <= now
    }

    /// True if the station is synchronised to the frame of `from`, which is on the air.
    #[inline]
    pub(crate) fn receives(&self, from: NodeId) -> bool {
        match self.carrier {
            CarrierSense::Frame => true,
            CarrierSense::Overlap | CarrierSense::Energy => self.follows == Some(from),
            CarrierSense::Idle | CarrierSense::Own => false,
        }
    }

    /// Handles the start of frames: the station's own (`sends`), and `others` that it senses. The count of slots
    /// stops at the last whole slot; where slots count when they begin, it stops at the last slot that has begun.
    /// [80211-2020 §10.3.4.3, §10.23.2.4]
    #[inline]
    pub(crate) fn begin_frames(&mut self, now: Time, sends: bool, others: u32, slot: Duration) {
        if self.is_idle() {
            self.slots = self.slots_at(now, slot);
            if self.counts_at_start && now >= self.counts_from {
                self.slots += 1;
            }
        }
        self.carrier = self.carrier.after(sends, others);
        self.on_air += u32::from(sends) + others;
    }

    /// Replaces the only frame on the air by another one: the station's own (`sends`), or one that the station senses.
    #[inline]
    pub(crate) fn continue_with(&mut self, sends: bool) {
        self.carrier = if sends { CarrierSense::Own } else { CarrierSense::Frame };
    }

    /// Handles the end of a frame that another frame follows before any interframe space is over. An EIFS has an effect
    /// then only if it may [outlast that frame](Waits::outlasts_frames).
    pub(crate) fn hold(&mut self, now: Time, decoded: bool, waits: &Waits) {
        match (waits.eifs, decoded) {
            (Eifs::Nav, false) => self.reserve(now + waits.nav),
            (Eifs::Ns3, true) => self.cancel_eifs(now),
            _ => {}
        }
    }

    /// Cancels an EIFS that has outlasted the idle period before, under [`Eifs::Ns3`].
    pub(crate) fn cancel_eifs(&mut self, now: Time) {
        self.access_start = self.access_start.min(now);
    }

    /// Notes, under [`Eifs::Ns3`], the frame to which the station is synchronised before more frames start. `only`
    /// returns the transmitter of the only frame on the air, if the station would decode this frame.
    pub(crate) fn note_first(&mut self, now: Time, only: impl FnOnce() -> Option<NodeId>) {
        match self.carrier {
            CarrierSense::Idle => self.first = None,
            CarrierSense::Frame => self.first = only(),
            CarrierSense::Overlap | CarrierSense::Own | CarrierSense::Energy => {}
        }
        if self.carrier == CarrierSense::Own || self.first.is_some() && !self.is_idle() {
            self.cancel_eifs(now);
        }
    }

    /// Notes, under [`Eifs::Ns3`], the frame that the station receives by capture, although others have started
    /// together with it.
    pub(crate) fn note_captured(&mut self, now: Time) {
        if self.carrier == CarrierSense::Overlap && self.first.is_none() && self.follows.is_some() {
            self.first = self.follows;
            self.cancel_eifs(now);
        }
    }

    /// Interframe space after a frame that was not decoded and to which the rule for the EIFS applies.
    #[cold]
    fn space_by_rule(
        &mut self,
        now: Time,
        frame: &Ended,
        spaces: InterframeSpaces,
        waits: &Waits,
    ) -> Duration {
        match waits.eifs {
            Eifs::Standard => spaces.eifs,
            Eifs::Nav => {
                self.reserve(now + waits.nav);
                spaces.aifs
            }
            Eifs::None => spaces.aifs,
            Eifs::Ns3 => self.space_as_in_ns3(now, frame, spaces, waits),
        }
    }

    /// Interframe space after a frame that was not decoded, under [`Eifs::Ns3`]: an EIFS after the frame to which the
    /// station was synchronised, and otherwise an AIFS, or the rest of an earlier EIFS.
    fn space_as_in_ns3(
        &mut self,
        now: Time,
        frame: &Ended,
        spaces: InterframeSpaces,
        waits: &Waits,
    ) -> Duration {
        use CarrierSense::{Energy, Frame, Overlap, Own};
        let is_first = self.carrier == Overlap && self.first == Some(frame.from);
        let is_alone = self.carrier == Frame && frame.reception == Reception::Failed;
        let is_eifs = match waits.after_collision {
            AfterCollision::Standard => is_first || is_alone,
            AfterCollision::Difs => is_alone,
            AfterCollision::Eifs => match self.carrier {
                Overlap | Energy => true,
                _ => is_alone || self.carrier == Own && frame.collided,
            },
        };
        if is_first {
            self.first = None;
        }
        if is_eifs {
            self.access_start = now + spaces.eifs;
        } else if self.carrier == Own {
            self.cancel_eifs(now);
        }
        self.access_start.saturating_since(now).max(spaces.aifs)
    }

    /// Extends the NAV to `until`, unless it is longer.  [80211-2020 §10.3.2.4]
    #[inline]
    fn reserve(&mut self, until: Time) {
        self.nav_until = self.nav_until.max(until);
    }

    /// Handles the end of frames that the station sensed or sent. If they were the last on the air, slots count after
    /// an interframe space and the NAV.  [80211-2020 §10.3.2.4, §10.3.4.2]
    #[expect(clippy::inline_always, reason = "few instructions for each frame")]
    #[inline(always)]
    pub(crate) fn end_frames(
        &mut self,
        now: Time,
        frame: &Ended,
        spaces: InterframeSpaces,
        waits: &Waits,
    ) {
        let mut space = spaces.aifs;
        if frame.reception == Reception::Decoded {
            if let Some(until) = frame.reserved_until {
                self.reserve(until);
            } else if frame.resets_nav {
                self.nav_until = now;
            }
        } else if waits.is_standard {
            if matches!(self.carrier, CarrierSense::Frame | CarrierSense::Overlap) {
                space = spaces.eifs;
            }
        } else if waits.ask_eifs(self.carrier, frame.collided) {
            space = self.space_by_rule(now, frame, spaces, waits);
        }
        self.on_air -= frame.count;
        if self.on_air == 0 {
            (self.carrier, self.follows) = (CarrierSense::Idle, None);
            self.access_start = (now + space).max(self.nav_until + spaces.aifs);
            self.counts_from = self.access_start;
        } else if self.follows == Some(frame.from) {
            // The station has missed the start of the remaining frames.
            self.follows = None;
        }
    }

    /// Treats an idle medium as busy until `until`. Slots then count after an interframe space, from the returned
    /// time on. Returns `None` if the medium is not idle.
    pub(crate) fn wait_until(&mut self, until: Time, spaces: InterframeSpaces) -> Option<Time> {
        if !self.is_idle() {
            return None;
        }
        self.access_start = self.access_start.max(until + spaces.aifs);
        self.counts_from = self.access_start;
        Some(self.access_start)
    }

    /// Replaces the interframe spaces `before` by `spaces`. A space that has not ended yet becomes longer or shorter; it
    /// ends at `now` at the earliest.
    pub(crate) fn set_spaces(
        &mut self,
        now: Time,
        before: InterframeSpaces,
        spaces: InterframeSpaces,
    ) {
        if now < self.access_start {
            self.access_start = (self.access_start + spaces.aifs - before.aifs).max(now);
            self.counts_from = self.access_start;
        }
    }

    /// True if both states have the same knowledge of the frames on the air.
    pub(crate) fn hears_as(&self, other: &Self) -> bool {
        (self.carrier, self.on_air, self.follows) == (other.carrier, other.on_air, other.follows)
    }

    /// Whole slots counted at `now`.
    pub(crate) fn slots_at(&self, now: Time, slot: Duration) -> u64 {
        let passed = now.saturating_since(self.counts_from);
        // Most frames start within the interframe space or the first slot, where this avoids a division.
        if !self.is_idle() || passed < slot {
            return self.slots;
        }
        self.slots + passed.whole_steps(slot)
    }

    /// Slots that a back-off has counted at `now`. Where slots count when they begin, these are the slots that have
    /// begun.
    #[inline]
    pub(crate) fn counted_at(&self, now: Time, slot: Duration) -> u64 {
        if self.counts_at_start && self.is_idle() {
            let passed = now.saturating_since(self.counts_from);
            return self.slots + passed.as_nanos().div_ceil(slot.as_nanos());
        }
        self.slots_at(now, slot)
    }

    /// Time at which the count of back-off slots reaches `due`, if the medium stays idle; `None` unless the medium is
    /// idle. The count goes on from one idle period to the next.
    #[inline]
    pub(crate) fn time_of(&self, due: u64, slot: Duration) -> Option<Time> {
        self.is_idle().then(|| self.counts_from + slot * (due - self.slots))
    }

    /// Progress of a back-off that ends when the count of back-off slots, which goes on from one idle period to the
    /// next, reaches `due`.
    pub(crate) fn countdown(&self, due: u64) -> ChannelAccess {
        let slots = due.saturating_sub(self.slots);
        if self.is_idle() {
            ChannelAccess::CountingDown { from: self.counts_from, slots }
        } else {
            ChannelAccess::Deferring { slots }
        }
    }

    /// True if slots count already, so that a back-off that is drawn now begins with the next slot.
    pub(crate) fn is_counting(&self, now: Time) -> bool {
        self.is_idle() && now > self.counts_from
    }

    /// Value of the count of back-off slots, over all idle periods, at which a back-off of `backoff` slots ends, if it
    /// is drawn now. The current slot does not count. [80211-2020 §10.3.3]
    pub(crate) fn draw(&mut self, now: Time, backoff: u16, slot: Duration) -> u64 {
        if self.is_counting(now) {
            self.slots = self.slots_at(now, slot);
            let since = (now - self.access_start).as_nanos();
            self.counts_from = self.access_start + slot * since.div_ceil(slot.as_nanos());
        }
        self.slots + u64::from(backoff)
    }

    /// Earliest start of a transmission without back-off: when the medium has been idle for an AIFS. `None` while
    /// physical or virtual carrier sense is busy.  [80211-2020 §10.3.4.2]
    pub(crate) fn immediate_access(&self, now: Time) -> Option<Time> {
        (self.is_idle() && self.nav_is_clear(now)).then(|| self.access_start.max(now))
    }

    /// Time at which the medium will have been idle for `space`, if it stays idle; `None` if it is busy. The space
    /// before a back-off must be an AIFS.
    pub(crate) fn idle_for(&self, space: Duration, spaces: InterframeSpaces) -> Option<Time> {
        self.is_idle().then(|| {
            Time::ZERO + (self.access_start + space).saturating_since(Time::ZERO + spaces.aifs)
        })
    }

    /// True if a station in this state, whose busy period has just ended, and a station in the `other` state will
    /// behave alike from now on.
    pub(crate) fn agrees_with(&self, other: &Self, now: Time) -> bool {
        let is_fresh = |it: &Self| it.is_idle() && it.counts_from == it.access_start;
        let same_nav = self.nav_until == other.nav_until
            || (self.nav_is_clear(now) && other.nav_is_clear(now));
        is_fresh(self) && is_fresh(other) && self.access_start == other.access_start && same_nav
    }

    /// Slot number, in the count of the `other` state, of the slot that has number `due` in the count of this state.
    /// Both counts go on together.
    pub(crate) fn translate(&self, due: u64, other: &Self) -> u64 {
        other.slots + due.saturating_sub(self.slots)
    }

    /// Physical carrier sense of the station.
    pub(crate) fn carrier(&self) -> CarrierSense {
        self.carrier
    }

    /// Number of frames on the air that the station sends or senses.
    pub(crate) fn on_air(&self) -> u32 {
        self.on_air
    }

    /// Transmitter of the frame to which the station is synchronised, in cells with capture.
    pub(crate) fn followed(&self) -> Option<NodeId> {
        self.follows
    }

    /// Sets the transmitter of the frame to which the station is synchronised.
    pub(crate) fn follow(&mut self, from: Option<NodeId>) {
        self.follows = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Preamble, Standard};

    const US: fn(u64) -> Time = |us| Time::from_nanos(us * 1000);
    const SLOT: Duration = Duration::from_micros(20);
    const FROM: NodeId = NodeId(1);

    /// 802.11b: SIFS 10 µs, slot 20 µs, AIFS 50 µs, EIFS 10 + 304 + 50 = 364 µs.
    fn rules() -> (InterframeSpaces, Waits) {
        let timing = Standard::B.timing(false, Preamble::Long);
        let waits = Waits::new(&Rules::of(Standard::B), &timing);
        (InterframeSpaces::new(&timing, 2, false), waits)
    }

    /// State after a frame of another station from 99 to 1000 µs, with a duration field that reserves the medium
    /// until 1300 µs for stations that decode the frame.
    fn after_a_frame(decoded: bool) -> MediumState {
        let (spaces, waits) = rules();
        let mut medium = MediumState::new(spaces);
        medium.begin_frames(US(99), false, 1, SLOT);
        let reserved_until = Some(US(1300));
        let reception = if decoded { Reception::Decoded } else { Reception::Failed };
        let (resets_nav, collided) = (false, false);
        let seen = Ended { from: FROM, count: 1, reception, reserved_until, resets_nav, collided };
        medium.end_frames(US(1000), &seen, spaces, &waits);
        medium
    }

    /// Two stations behave differently while only one of them has a NAV, in which it would not answer an RTS. Both have
    /// an EIFS until 1364 µs, and the NAV ends at 1100 µs.
    ///
    /// Verifies: [80211-2020 §10.3.2.9]
    #[test]
    fn stations_do_not_agree_while_the_nav_of_one_lasts() {
        let free = after_a_frame(false);
        let bound = MediumState { nav_until: US(1_100), ..free };
        let agree = |us| free.agrees_with(&bound, US(us));
        assert_eq!([1_000, 1_099, 1_100].map(agree), [false, false, true]);
    }

    /// Under ns-3's rule, frames that are mere energy leave an EIFS until 1364 µs, after a frame with an error, as it is.
    /// A decoded frame and one of the station's own cancel it, and another error begins a new one.
    ///
    /// Verifies: [ns-3]
    #[test]
    fn energy_neither_ends_nor_renews_an_eifs_of_ns_3() {
        use Reception::{Decoded, Energy, Failed};
        let timing = Standard::B.timing(false, Preamble::Long);
        let waits = Waits::new(&Rules { eifs: Eifs::Ns3, ..Rules::of(Standard::B) }, &timing);
        let (spaces, _) = rules();
        let resumes_after = |end: Time, is_own: bool, reception: Reception| {
            let mut medium = MediumState { access_start: US(1364), ..MediumState::new(spaces) };
            medium.begin_frames(US(1060), is_own, u32::from(!is_own), SLOT);
            let ended = Ended { reception, ..Ended::last(FROM) };
            medium.end_frames(end, &ended, spaces, &waits);
            medium.access_start
        };
        assert_eq!(resumes_after(US(1200), false, Energy), US(1364));
        assert_eq!(resumes_after(US(1350), false, Energy), US(1400));
        assert_eq!(resumes_after(US(1200), false, Decoded), US(1250));
        assert_eq!(resumes_after(US(1200), true, Failed), US(1250));
        assert_eq!(resumes_after(US(1200), false, Failed), US(1564));
    }

    /// A back-off that is drawn during a slot counts from the end of that slot.
    ///
    /// Verifies: [80211-2020 §10.3.3]
    #[test]
    fn a_back_off_that_starts_inside_a_slot_counts_from_its_end() {
        // Slots start at 50, 70, 90 … µs. Drawn before 50, three slots end at 110. At 71, the second slot runs until
        // 90.
        let done = |us| {
            let mut medium = MediumState::new(rules().0);
            let due = medium.draw(US(us), 3, SLOT);
            medium.time_of(due, SLOT).map(|at| at.as_nanos() / 1000)
        };
        assert_eq!([10, 50, 70, 71, 90].map(done), [110, 110, 130, 150, 150].map(Some));
    }

    /// A busy medium stops the count of slots, and a slot that a frame interrupts does not count.
    ///
    /// Verifies: [80211-2020 §10.3.4.3]
    #[test]
    fn a_busy_medium_counts_nothing_and_what_is_left_of_a_slot_is_lost() {
        let medium = after_a_frame(true);
        // Two whole slots from 50 µs until the frame starts at 99 µs.
        assert_eq!(medium.slots, 2);
        assert_eq!(medium.time_of(2, SLOT), Some(US(1350)));
    }

    /// A station that has decoded a frame waits until its NAV ends, and a station that has not waits for an EIFS.
    ///
    /// Verifies: [80211-2020 §10.3.2.4, §10.3.2.3.7]
    #[test]
    fn the_nav_holds_who_decoded_a_frame_and_eifs_who_did_not() {
        // NAV until 1300 µs, then an AIFS of 50; EIFS of 364 from 1000 on.
        let (decoded, not) = (after_a_frame(true), after_a_frame(false));
        assert_eq!([decoded.access_start, not.access_start], [US(1350), US(1364)]);
        assert!(!decoded.nav_is_clear(US(1299)) && decoded.nav_is_clear(US(1300)));
        assert_eq!(decoded.immediate_access(US(1299)), None);
        assert_eq!(decoded.immediate_access(US(1300)), Some(US(1350)));
        assert_eq!(not.immediate_access(US(1400)), Some(US(1400)));
        assert!(!decoded.agrees_with(&not, US(1000)));
    }

    /// Carrier sense moves from each state as in the diagram at the top of this file, when these frames start: the
    /// station's own, one of another station, two of others, or its own and one other. Frames that overlap are
    /// `Overlap` if the station has received the first one, and `Energy` if it has missed one because it transmits.
    #[test]
    fn carrier_sense_follows_its_diagram() {
        use CarrierSense::{Energy, Frame, Idle, Overlap, Own};
        let after = |state: CarrierSense| {
            [(true, 0), (false, 1), (false, 2), (true, 1)]
                .map(|(sends, others)| state.after(sends, others))
        };
        assert_eq!(after(Idle), [Own, Frame, Overlap, Energy]);
        assert_eq!(after(Frame), [Energy, Overlap, Overlap, Energy]);
        assert_eq!(after(Overlap), [Energy, Overlap, Overlap, Energy]);
        assert_eq!(after(Own), [Energy; 4]);
        assert_eq!(after(Energy), [Energy; 4]);
    }
}
