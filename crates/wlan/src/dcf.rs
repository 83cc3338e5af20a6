//! The distributed coordination function: what a station makes of its medium, and when it may transmit.
//! [80211-2020 §10.3]
//!
//! A busy period lasts from the first frame that the station senses or sends to the end of the last one that
//! overlaps it. What the station makes of it is its physical [`CarrierSense`]:
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
//! Decisions, for a receiver and for anyone who listens:
//!
//! - Only a frame that is alone from its start to its end is decoded: `Frame`; with capture, also one that was
//!   there first, or started together with others, and is stronger than all of them by a margin.
//! - Frames that overlap while the station is in step with the first are an error of reception, and EIFS
//!   follows the last of them [80211-2020 §10.3.2.3.7]: `Overlap`.
//! - Whoever transmits gives up what it was receiving. What it hears of a frame whose start it has
//!   missed so, or that starts meanwhile, is energy without a preamble: busy, and no error: `Energy`.
//!
//! Afterwards the station defers for an interframe space, and while its NAV lasts; then slots count, one after
//! the other, until the medium gets busy again [80211-2020 §10.3.4.3]. A back-off is done at a number of this count:
//!
//! ```text
//!            frame                 AIFS or EIFS      slot slot slot
//!   ─────┬───────────────┬─────────────────────────┬────┬────┬────┬──
//!     slots: s           │ idle                    │ s+1  s+2  s+3
//!                        └ end_frames          access_start
//! ```
//!
//! EDCA's slots count when they begin: in the first one it is `s+1` already, and so it is afterwards if a frame comes then
//! [80211-2020 §10.23.2.4]. As long as none comes both end a back-off at the same time.

use airfair_units::{Duration, Time};

use crate::cell::ChannelAccess;
use crate::config::{AfterCollision, Eifs, NodeId, Rules};
use crate::frame::{Frame, Ppdu};
use crate::phy::Timing;

/// Physical carrier sense of a station, with what it makes of the busy period.  [80211-2020 §10.3.2.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CarrierSense {
    /// Nothing on the air.
    #[default]
    Idle,
    /// One frame of another station, from its start.
    Frame,
    /// Frames that overlap, the first from its start.
    Overlap,
    /// Its own frame alone.
    Own,
    /// Frames of which it has missed the start, for it transmitted.
    Energy,
}

impl CarrierSense {
    /// Frames start: its own (`sends`), or `others` that it senses.
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
    /// Space after a frame that was decoded.
    pub(crate) aifs: Duration,
    /// Space after one that was not.
    pub(crate) eifs: Duration,
    /// True if a slot counts when it begins, as EDCA has it.
    counts_at_start: bool,
}

impl InterframeSpaces {
    /// The spaces of a station with this AIFSN: EIFS is longer than its AIFS by as much as by the DIFS.
    pub(crate) fn new(timing: &Timing, aifsn: u8, counts_at_start: bool) -> Self {
        assert!(aifsn > 0, "an AIFSN of at least 1: a SIFS alone is for responses");
        let aifs = timing.sifs + timing.slot * u64::from(aifsn);
        Self { aifs, eifs: timing.eifs - timing.difs + aifs, counts_at_start }
    }
}

/// Rules of a cell on what follows a frame that was not decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    after_collision: AfterCollision,
    eifs: Eifs,
    /// Length of the EIFS where it is a NAV.
    nav: Duration,
}

impl Waits {
    pub(crate) fn new(rules: &Rules, timing: &Timing) -> Self {
        Self { after_collision: rules.after_collision, eifs: rules.eifs, nav: timing.eifs }
    }

    /// True if an EIFS is a NAV, which no later frame shortens.
    #[inline]
    pub(crate) fn is_nav(&self) -> bool {
        self.eifs == Eifs::Nav
    }

    /// True if an EIFS follows a frame that the station has not decoded. `collided`: the frame was its own, or
    /// another's, and has collided.
    fn ask_eifs(&self, carrier: CarrierSense, collided: bool) -> bool {
        let is_error = matches!(carrier, CarrierSense::Frame | CarrierSense::Overlap);
        match self.after_collision {
            AfterCollision::Standard => is_error,
            AfterCollision::Difs => carrier == CarrierSense::Frame,
            // Senders know that their frame collided, although they have not heard it.
            AfterCollision::Eifs => is_error || carrier == CarrierSense::Energy || collided,
        }
    }
}

/// A frame that ends, as one station has it, or several that nobody has decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) from: NodeId,
    pub(crate) count: u32,
    /// True if the station has decoded it.
    pub(crate) decoded: bool,
    /// Until when its duration field reserves the medium for others than this station.
    pub(crate) reserved_until: Option<Time>,
    /// True if it has collided, as far as its sender can know.
    pub(crate) collided: bool,
}

impl Ended {
    /// A frame that ends, for a station that has decoded it and is not its addressee.
    #[inline]
    pub(crate) fn of<P>(ppdu: &Ppdu<P>, now: Time) -> Self {
        let Frame { from, to, duration_field, .. } = ppdu.frame;
        let reserved_until = (!duration_field.is_zero()).then(|| now + duration_field);
        // Nobody tells the sender of a beacon what became of it.
        let collided = ppdu.collided && to.is_some();
        Self { from, count: 1, decoded: true, reserved_until, collided }
    }

    /// A frame that ends an exchange, and that nobody has disturbed.
    #[inline]
    pub(crate) fn last(from: NodeId, decoded: bool) -> Self {
        Self { from, count: 1, decoded, reserved_until: None, collided: false }
    }
}

/// The medium as one station knows it: physical and virtual carrier sense, and the slots counted since it was
/// idle. Stations that know the same have equal states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MediumState {
    carrier: CarrierSense,
    /// Frames on the air that it sends or senses.
    on_air: u32,
    /// Transmitter of the frame that it is in step with, where frames are captured: the only one, or one so
    /// strong that others do not matter.
    follows: Option<NodeId>,
    /// Network allocation vector: virtual carrier sense is busy until then.  [80211-2020 §10.3.2.4]
    nav_until: Time,
    /// End of the interframe space and of the NAV, if the medium stays idle.
    access_start: Time,
    /// Time from which on slots count: `access_start`, or the end of the slot in which a back-off was drawn.
    counts_from: Time,
    /// Slots counted until `counts_from`.
    slots: u64,
    /// True if a slot counts when it begins: one in which the medium gets busy does, too.
    counts_at_start: bool,
}

impl MediumState {
    /// A medium on which nothing has been heard yet.
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

    /// True if the station is in step with the frame of `from`, which is on the air.
    #[inline]
    pub(crate) fn receives(&self, from: NodeId) -> bool {
        self.carrier == CarrierSense::Frame
            || (self.carrier == CarrierSense::Overlap && self.follows == Some(from))
    }

    /// Sense: frames start, its own (`sends`) or `others` that it senses. The count of slots stops at the last
    /// whole one; where slots count when they begin, at the last one that has begun.  [80211-2020 §10.3.4.3, §10.23.2.4]
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

    /// Another frame takes the place of the only one on the air, its own (`sends`) or one that it senses.
    #[inline]
    pub(crate) fn continue_with(&mut self, sends: bool) {
        self.carrier = if sends { CarrierSense::Own } else { CarrierSense::Frame };
    }

    /// A frame that it has not decoded ends, and another one comes before any space is over: of an EIFS only one
    /// that [is a NAV](Waits::is_nav) stays.
    pub(crate) fn hold_undecoded(&mut self, now: Time, waits: &Waits) {
        self.reserve(now + waits.nav);
    }

    /// The NAV lasts until then at least.  [80211-2020 §10.3.2.4]
    #[inline]
    fn reserve(&mut self, until: Time) {
        self.nav_until = self.nav_until.max(until);
    }

    /// Defer: frames that it sensed or sent end. If they were the last, slots count after an interframe space and
    /// the NAV.  [80211-2020 §10.3.2.4, §10.3.4.2]
    #[inline]
    pub(crate) fn end_frames(
        &mut self,
        now: Time,
        frame: &Ended,
        spaces: InterframeSpaces,
        waits: &Waits,
    ) {
        let mut space = spaces.aifs;
        if frame.decoded {
            if let Some(until) = frame.reserved_until {
                self.reserve(until);
            }
        } else if waits.ask_eifs(self.carrier, frame.collided) {
            match waits.eifs {
                Eifs::Standard => space = spaces.eifs,
                Eifs::Nav => self.reserve(now + waits.nav),
            }
        }
        self.on_air -= frame.count;
        if self.on_air == 0 {
            (self.carrier, self.follows) = (CarrierSense::Idle, None);
            self.access_start = (now + space).max(self.nav_until + spaces.aifs);
            self.counts_from = self.access_start;
        } else if self.follows == Some(frame.from) {
            // What is left of the others has no beginning that it could make out.
            self.follows = None;
        }
    }

    /// The medium is as good as busy until then: afterwards slots count after an interframe space, from the time that is
    /// given back, if it is idle.
    pub(crate) fn wait_until(&mut self, until: Time, spaces: InterframeSpaces) -> Option<Time> {
        if !self.is_idle() {
            return None;
        }
        self.access_start = self.access_start.max(until + spaces.aifs);
        self.counts_from = self.access_start;
        Some(self.access_start)
    }

    /// True if the two know the same of what is on the air.
    pub(crate) fn hears_as(&self, other: &Self) -> bool {
        (self.carrier, self.on_air, self.follows) == (other.carrier, other.on_air, other.follows)
    }

    /// Slots counted at `now`, whole ones alone.
    pub(crate) fn slots_at(&self, now: Time, slot: Duration) -> u64 {
        let passed = now.saturating_since(self.counts_from);
        // Most frames come before the end of the space or of the first slot: a division is what costs here.
        if !self.is_idle() || passed < slot {
            return self.slots;
        }
        self.slots + passed.whole_steps(slot)
    }

    /// Slots that a back-off has counted by `now`: where they count when they begin, those that began before.
    #[inline]
    pub(crate) fn counted_at(&self, now: Time, slot: Duration) -> u64 {
        if self.counts_at_start && self.is_idle() {
            let passed = now.saturating_since(self.counts_from);
            return self.slots + passed.as_nanos().div_ceil(slot.as_nanos());
        }
        self.slots_at(now, slot)
    }

    /// Time at which slot `due` of the count is over, if the medium is idle and stays so.
    #[inline]
    pub(crate) fn time_of(&self, due: u64, slot: Duration) -> Option<Time> {
        self.is_idle().then(|| self.counts_from + slot * (due - self.slots))
    }

    /// Progress of a back-off that is done at slot `due` of the count.
    pub(crate) fn countdown(&self, due: u64) -> ChannelAccess {
        let slots = due.saturating_sub(self.slots);
        if self.is_idle() {
            ChannelAccess::CountingDown { from: self.counts_from, slots }
        } else {
            ChannelAccess::Deferring { slots }
        }
    }

    /// True if slots count already: a back-off that is drawn now counts from the end of the present one.
    pub(crate) fn is_counting(&self, now: Time) -> bool {
        self.is_idle() && now > self.counts_from
    }

    /// Back off: the number at which the count has `backoff` more slots, from the end of the present one on.
    /// [80211-2020 §10.3.3]
    pub(crate) fn draw(&mut self, now: Time, backoff: u16, slot: Duration) -> u64 {
        if self.is_counting(now) {
            self.slots = self.slots_at(now, slot);
            let since = (now - self.access_start).as_nanos();
            self.counts_from = self.access_start + slot * since.div_ceil(slot.as_nanos());
        }
        self.slots + u64::from(backoff)
    }

    /// Ppdu without a back-off, where the medium is idle, physically and virtually: as soon as it has
    /// been so for an AIFS.  [80211-2020 §10.3.4.2]
    pub(crate) fn immediate_access(&self, now: Time) -> Option<Time> {
        (self.is_idle() && self.nav_is_clear(now)).then(|| self.access_start.max(now))
    }

    /// Time at which the medium has been idle for a `space` if it stays so, where the space before a back-off is
    /// an AIFS; nothing if it is busy.
    pub(crate) fn idle_for(&self, space: Duration, spaces: InterframeSpaces) -> Option<Time> {
        self.is_idle().then(|| self.access_start - (spaces.aifs - space))
    }

    /// True if a station in this state, whose busy period has just ended, and one in the `other` will act alike
    /// from now on.
    pub(crate) fn agrees_with(&self, other: &Self, now: Time) -> bool {
        let is_fresh = |it: &Self| it.is_idle() && it.counts_from == it.access_start;
        let same_nav = self.nav_until == other.nav_until
            || (self.nav_is_clear(now) && other.nav_is_clear(now));
        is_fresh(self) && is_fresh(other) && self.access_start == other.access_start && same_nav
    }

    /// The number at which the `other` count, which goes on as this one does, reaches what is `due` here.
    pub(crate) fn translate(&self, due: u64, other: &Self) -> u64 {
        other.slots + due.saturating_sub(self.slots)
    }

    /// Physical carrier sense.
    pub(crate) fn carrier(&self) -> CarrierSense {
        self.carrier
    }

    /// Frames on the air that it sends or senses.
    pub(crate) fn on_air(&self) -> u32 {
        self.on_air
    }

    /// Transmitter of the frame that it is in step with, where frames are captured.
    pub(crate) fn followed(&self) -> Option<NodeId> {
        self.follows
    }

    /// Sets the frame that it is in step with.
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

    /// A frame of another station from 99 to 1000 µs, which binds until 1300 µs if it is decoded.
    fn after_a_frame(decoded: bool) -> MediumState {
        let (spaces, waits) = rules();
        let mut medium = MediumState::new(spaces);
        medium.begin_frames(US(99), false, 1, SLOT);
        let reserved_until = Some(US(1300));
        let seen = Ended { from: FROM, count: 1, decoded, reserved_until, collided: false };
        medium.end_frames(US(1000), &seen, spaces, &waits);
        medium
    }

    /// An EIFS until 1364 µs, one of them with a NAV until 1100 µs, in which it would not answer an RTS.
    ///
    /// Verifies: [80211-2020 §10.3.2.9]
    #[test]
    fn stations_do_not_agree_while_the_nav_of_one_lasts() {
        let free = after_a_frame(false);
        let bound = MediumState { nav_until: US(1_100), ..free };
        let agree = |us| free.agrees_with(&bound, US(us));
        assert_eq!([1_000, 1_099, 1_100].map(agree), [false, false, true]);
    }

    /// Verifies: [80211-2020 §10.3.3]
    #[test]
    fn a_back_off_that_starts_inside_a_slot_counts_from_its_end() {
        // Slots start at 50, 70, 90 … µs. In the gap, three slots end at 110; at 71 the second runs until 90.
        let done = |us| {
            let mut medium = MediumState::new(rules().0);
            let due = medium.draw(US(us), 3, SLOT);
            medium.time_of(due, SLOT).map(|at| at.as_nanos() / 1000)
        };
        assert_eq!([10, 50, 70, 71, 90].map(done), [110, 110, 130, 150, 150].map(Some));
    }

    /// Verifies: [80211-2020 §10.3.4.3]
    #[test]
    fn a_busy_medium_counts_nothing_and_what_is_left_of_a_slot_is_lost() {
        let medium = after_a_frame(true);
        // Two whole slots since 50 µs until the frame came at 99.
        assert_eq!(medium.slots, 2);
        assert_eq!(medium.time_of(2, SLOT), Some(US(1350)));
    }

    /// Verifies: [80211-2020 §10.3.2.4, §10.3.2.3.7]
    #[test]
    fn the_nav_holds_who_decoded_a_frame_and_eifs_who_did_not() {
        // NAV until 1300, then AIFS 50; EIFS 364 from 1000 on.
        let (decoded, not) = (after_a_frame(true), after_a_frame(false));
        assert_eq!([decoded.access_start, not.access_start], [US(1350), US(1364)]);
        assert!(!decoded.nav_is_clear(US(1299)) && decoded.nav_is_clear(US(1300)));
        assert_eq!(decoded.immediate_access(US(1299)), None);
        assert_eq!(decoded.immediate_access(US(1300)), Some(US(1350)));
        assert_eq!(not.immediate_access(US(1400)), Some(US(1400)));
        assert!(!decoded.agrees_with(&not, US(1000)));
    }

    /// The diagram above, state by state: its own frame, one other, two others.
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
