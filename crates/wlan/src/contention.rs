//! Who gets the channel next, at a cost that does not grow with the number of contenders.
//!
//! A lane counts its idle slots since the start of the run. A member with `b` slots of back-off left
//! when the lane has counted `s` is due at slot `s + b` and waits in a heap under that number: while
//! the lane is frozen nothing is touched, and the next winner is the smallest number in the lane.
//!
//! ```text
//!            frame                 AIFS or EIFS      slot slot slot
//!   ─────┬───────────────┬─────────────────────────┬────┬────┬────┬──
//!     counted: s         │ idle                    │ s+1  s+2  s+3
//!                        └ end_busy          access_start
//! ```
//!
//! A member whose idle time began otherwise than its lane's (it was in a collision, or it transmits
//! at once after an idle AIFS) counts alone, as a [`Solo`], until the next frame that all hear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airfair_units::{Duration, Time};

use crate::config::{AfterCollision, Eifs, NodeId, Rules};
use crate::hearing::LaneId;
use crate::phy::Timing;

/// Which gap follows a frame.  [80211-2020 §10.3.2.3]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// AIFS, which is the DIFS where the AIFSN is 2.
    Aifs,
    /// EIFS.
    Eifs,
}

/// What decides which gap follows a frame that was not decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    pub(crate) after_collision: AfterCollision,
    pub(crate) eifs: Eifs,
    /// The EIFS that is a NAV.
    pub(crate) nav: Duration,
}

impl Waits {
    pub(crate) fn new(rules: &Rules, timing: &Timing) -> Self {
        Self { after_collision: rules.after_collision, eifs: rules.eifs, nav: timing.eifs }
    }
}

/// Countdown of the members that hear alike and have the same AIFSN.
#[derive(Debug, Default)]
struct Lane {
    /// What follows a frame that was decoded, and one that was not.
    aifs: Duration,
    eifs: Duration,
    /// Frames on the air now.
    busy: u32,
    /// When the last idle period began.
    idle_since: Time,
    /// When the last busy period began.
    busy_since: Time,
    /// When the next slot starts to count, if the medium stays idle.
    access_start: Time,
    /// Virtual carrier sense: busy until then.
    nav_until: Time,
    /// Members whose own NAV ends before the lane's: parties of a frame that set it, whom it left alone.
    spared: Vec<(NodeId, Time)>,
    /// When the gap after the last frame is over, whatever the NAV.
    gap_over: Time,
    /// Members whose slots start to count otherwise than the lane's, and when; until the next frame.
    apart: Vec<(NodeId, Time)>,
    /// Slots that resting members have counted more than the lane, or less.
    ahead: Vec<(NodeId, i64)>,
    /// Slots counted until the medium was last busy.
    slots: u64,
    /// Slot at which each contender is due.
    due: BinaryHeap<Reverse<(u64, NodeId)>>,
}

impl Lane {
    /// A lane that has heard nothing yet.
    fn new(timing: &Timing, aifsn: u8) -> Self {
        let aifs = timing.sifs + timing.slot * u64::from(aifsn);
        let eifs = timing.eifs - timing.difs + aifs;
        Self { aifs, eifs, access_start: Time::ZERO + aifs, ..Self::default() }
    }

    fn length_of(&self, gap: Gap) -> Duration {
        match gap {
            Gap::Aifs => self.aifs,
            Gap::Eifs => self.eifs,
        }
    }

    /// Slots counted at `now`, if they count from `start`.
    fn slots_at(&self, now: Time, start: Time, slot: Duration) -> u64 {
        if self.busy > 0 {
            return self.slots;
        }
        self.slots + now.saturating_since(start).whole_steps(slot)
    }

    /// Until when virtual carrier sense is busy for `node`.
    fn nav_of(&self, node: NodeId) -> Time {
        of(&self.spared, node).unwrap_or(self.nav_until)
    }

    /// When the slots of `node` start to count.
    fn access_start_of(&self, node: NodeId) -> Time {
        of(&self.apart, node).unwrap_or(self.access_start)
    }

    /// The medium gets busy.
    fn freeze(&mut self, now: Time, slot: Duration) {
        let counted = self.slots_at(now, self.access_start, slot);
        for index in 0..self.apart.len() {
            let (node, start) = self.apart[index];
            let more = self.slots_at(now, start, slot).cast_signed() - counted.cast_signed();
            match self.ahead.iter_mut().find(|(known, _)| *known == node) {
                Some((_, ahead)) => *ahead += more,
                None => self.ahead.push((node, more)),
            }
        }
        self.apart.clear();
        (self.slots, self.busy_since) = (counted, now);
    }

    /// By how much `node` was ahead of its lane until now.
    fn take_ahead(&mut self, node: NodeId) -> i64 {
        let index = self.ahead.iter().position(|(known, _)| *known == node);
        index.map_or(0, |index| self.ahead.swap_remove(index).1)
    }

    fn next_access(&self, slot: Duration) -> Option<Time> {
        let Reverse((due, _)) = self.due.peek().filter(|_| self.busy == 0)?;
        Some(self.access_start + slot * (due - self.slots))
    }
}

/// What a short list says of a member.
fn of(list: &[(NodeId, Time)], node: NodeId) -> Option<Time> {
    list.iter().find(|(known, _)| *known == node).map(|(_, time)| *time)
}

/// A contender that counts alone.
#[derive(Clone, Copy, Debug)]
struct Solo {
    node: NodeId,
    lane: LaneId,
    /// When its first slot starts; `None` until the medium is idle.
    access_start: Option<Time>,
    backoff: u64,
    /// Whether it found the medium idle and waits for the end of the gap without a back-off.
    is_immediate: bool,
}

/// A member whose transmission has had no response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed {
    pub(crate) node: NodeId,
    pub(crate) lane: LaneId,
    /// When its frame left the air.
    pub(crate) own_end: Time,
}

/// The countdowns of one channel.
#[derive(Debug)]
pub(crate) struct Contention {
    slot: Duration,
    lanes: Vec<Lane>,
    solos: Vec<Solo>,
    /// Members whose immediate access the present frame has forestalled: they must draw a back-off.
    forestalled: Vec<NodeId>,
}

impl Contention {
    /// One lane for each AIFSN.
    pub(crate) fn new(timing: &Timing, aifsns: impl Iterator<Item = u8>) -> Self {
        let lanes = aifsns.map(|aifsn| Lane::new(timing, aifsn)).collect();
        Self { slot: timing.slot, lanes, solos: Vec::new(), forestalled: Vec::new() }
    }

    /// A frame starts: every lane that senses it freezes.
    pub(crate) fn begin_busy(&mut self, now: Time) {
        for lane in &mut self.lanes {
            if lane.busy == 0 {
                lane.freeze(now, self.slot);
            }
            lane.busy += 1;
        }
        for solo in self.solos.drain(..) {
            if solo.is_immediate {
                self.forestalled.push(solo.node);
                continue;
            }
            let lane = &mut self.lanes[solo.lane.index()];
            let counted = solo.access_start.map_or(0, |start| {
                now.saturating_since(start).whole_steps(self.slot).min(solo.backoff)
            });
            lane.due.push(Reverse((lane.slots + solo.backoff - counted, solo.node)));
        }
    }

    /// A member that wanted to transmit at the end of the gap, and has found the medium busy before:
    /// it must draw a back-off.  [80211-2020 §10.3.4.2]
    pub(crate) fn pop_forestalled(&mut self) -> Option<NodeId> {
        self.forestalled.pop()
    }

    /// A frame ends: `gap` follows, and access no sooner than an AIFS after the NAV.
    pub(crate) fn end_busy(&mut self, lane: LaneId, now: Time, gap: Gap) {
        let lane = &mut self.lanes[lane.index()];
        lane.busy -= 1;
        if lane.busy == 0 {
            lane.idle_since = now;
            lane.gap_over = now + lane.length_of(gap);
            lane.access_start = lane.gap_over.max(lane.nav_until + lane.aifs);
        }
    }

    /// No response follows the frame that has just ended: members whose own gap or NAV is over at
    /// another time than their lane's count for themselves. `others` are those who know the frame otherwise
    /// than their lane, each with its gap: a receiver that could not decode it, or the sender of a beacon.
    #[inline]
    pub(crate) fn part(&mut self, lane: LaneId, now: Time, others: &[(NodeId, Gap)]) {
        let state = &mut self.lanes[lane.index()];
        if others.is_empty() && (state.spared.is_empty() || state.nav_until <= now) {
            return;
        }
        for &(node, gap) in others {
            let start = (now + state.length_of(gap)).max(state.nav_of(node) + state.aifs);
            state.apart.push((node, start));
        }
        for &(node, nav) in &state.spared {
            if of(&state.apart, node).is_none() {
                state.apart.push((node, state.gap_over.max(nav + state.aifs)));
            }
        }
        state.apart.retain(|(_, start)| *start != state.access_start);
        if !state.apart.is_empty() {
            self.take_apart(lane);
        }
    }

    /// Contenders of the lane that are apart go on alone.
    fn take_apart(&mut self, lane: LaneId) {
        let state = &mut self.lanes[lane.index()];
        let mut due = std::mem::take(&mut state.due).into_vec();
        due.retain(|Reverse((slot, node))| {
            let Some(start) = of(&state.apart, *node) else { return true };
            let (access_start, backoff) = (Some(start), slot - state.slots);
            self.solos.push(Solo { node: *node, lane, access_start, backoff, is_immediate: false });
            false
        });
        state.due = due.into();
    }

    /// The wait of a receiver that could not decode a frame, where it is a NAV.
    pub(crate) fn set_own_nav(&mut self, node: NodeId, lane: LaneId, until: Time) {
        let lane = &mut self.lanes[lane.index()];
        let nav = lane.nav_of(node).max(until);
        lane.spared.retain(|(spared, _)| *spared != node);
        lane.spared.push((node, nav));
    }

    /// Contenders who transmitted during all of the busy period resume an AIFS after it.
    pub(crate) fn resume_solos(&mut self, now: Time) {
        for solo in &mut self.solos {
            let aifs = self.lanes[solo.lane.index()].aifs;
            solo.access_start.get_or_insert(now + aifs);
        }
    }

    /// Whoever decodes a frame keeps quiet until its exchange is over, except its two parties.
    /// [80211-2020 §10.3.2.4]
    pub(crate) fn set_nav(&mut self, lane: LaneId, now: Time, until: Time, parties: &[NodeId]) {
        let lane = &mut self.lanes[lane.index()];
        if lane.nav_until <= now {
            // No NAV is left, as before most frames: the new one holds all but its parties.
            lane.spared.clear();
            lane.spared.extend(parties.iter().map(|party| (*party, lane.nav_until)));
            lane.nav_until = until;
            return;
        }
        for party in parties {
            if of(&lane.spared, *party).is_none() {
                lane.spared.push((*party, lane.nav_until));
            }
        }
        for (node, nav) in &mut lane.spared {
            if !parties.contains(node) {
                *nav = until.max(*nav);
            }
        }
        lane.nav_until = lane.nav_until.max(until);
        let whole = lane.nav_until;
        lane.spared.retain(|(_, nav)| *nav < whole);
    }

    /// Whether the virtual carrier sense of `node` is clear.
    pub(crate) fn nav_is_clear(&self, lane: LaneId, node: NodeId, now: Time) -> bool {
        self.lanes[lane.index()].nav_of(node) <= now
    }

    /// Since when the medium of `node` has been idle for a `gap` if it stays so, where the gap before back-off is
    /// an AIFS; nothing if it is busy. `own_end` is when a frame of its own left the air, on which no response
    /// followed.
    pub(crate) fn idle_for(
        &self,
        (node, lane): (NodeId, LaneId),
        gap: Duration,
        own_end: Time,
    ) -> Option<Time> {
        let state = &self.lanes[lane.index()];
        if state.busy > 0 {
            return None;
        }
        if state.busy_since > own_end {
            // It has heard a later frame from its beginning, as its lane has.
            return Some(state.access_start_of(node) - (state.aifs - gap));
        }
        // Its idle time follows its own frame, or the rest of a frame of which it decoded nothing.
        Some(state.idle_since + gap)
    }

    /// Slot at which a back-off of `backoff` slots that starts now would be done; from inside a slot
    /// it counts from that slot's end.
    pub(crate) fn slot_after(
        &mut self,
        node: NodeId,
        lane: LaneId,
        now: Time,
        backoff: u16,
    ) -> u64 {
        let lane = &mut self.lanes[lane.index()];
        lane.take_ahead(node);
        let start = lane.access_start_of(node);
        let counting = if lane.busy > 0 { Duration::ZERO } else { now.saturating_since(start) };
        let begun = counting.as_nanos().div_ceil(self.slot.as_nanos());
        lane.slots + begun + u64::from(backoff)
    }

    /// Contends with a back-off that is done at lane slot `due`.
    pub(crate) fn join(&mut self, node: NodeId, lane: LaneId, due: u64) {
        let state = &mut self.lanes[lane.index()];
        if let Some(start) = of(&state.apart, node) {
            let (access_start, backoff) = (Some(start), due - state.slots);
            self.solos.push(Solo { node, lane, access_start, backoff, is_immediate: false });
        } else {
            state.due.push(Reverse((due, node)));
        }
    }

    /// Contends again after a transmission that failed, with a back-off of `backoff` slots.
    pub(crate) fn rejoin(&mut self, failed: Failed, now: Time, backoff: u16) {
        let Failed { node, lane, own_end } = failed;
        let state = &self.lanes[lane.index()];
        let (is_busy, idle_since, aifs) = (state.busy > 0, state.idle_since, state.aifs);
        if state.busy_since > own_end {
            // It has heard a later frame from its beginning, as its lane has.
            let due = self.slot_after(node, lane, now, backoff);
            self.join(node, lane, due);
            return;
        }
        // Its idle time follows its own frame, or the rest of a frame of which it decoded nothing.
        let access_start = (!is_busy).then(|| {
            let first = idle_since + aifs;
            let passed = now.saturating_since(first).as_nanos().div_ceil(self.slot.as_nanos());
            first + self.slot * passed
        });
        let backoff = u64::from(backoff);
        self.solos.push(Solo { node, lane, access_start, backoff, is_immediate: false });
    }

    /// A frame has come to a member whose last back-off was done at lane slot `done`: contends with
    /// what is left of it, or at once after an idle AIFS. The slots left; nothing if a new back-off must be
    /// drawn, because the medium is busy.  [80211-2020 §10.3.4.2]
    pub(crate) fn try_access(
        &mut self,
        node: NodeId,
        lane: LaneId,
        done: u64,
        now: Time,
    ) -> Option<u64> {
        let state = &mut self.lanes[lane.index()];
        let done = done.saturating_add_signed(-state.take_ahead(node));
        let start = state.access_start_of(node);
        let counted = state.slots_at(now, start, self.slot);
        if done > counted {
            self.join(node, lane, done);
            return Some(done - counted);
        }
        if state.busy > 0 || state.nav_of(node) > now {
            return None;
        }
        let access_start = Some(start.max(now));
        self.solos.push(Solo { node, lane, access_start, backoff: 0, is_immediate: true });
        Some(0)
    }

    /// How many count alone.
    #[cfg(test)]
    pub(crate) fn alone(&self) -> usize {
        self.solos.len()
    }

    /// When the next contender transmits, if the medium stays idle.
    pub(crate) fn next_access(&self) -> Option<Time> {
        let lanes = self.lanes.iter().filter_map(|lane| lane.next_access(self.slot));
        let solos = self
            .solos
            .iter()
            .filter_map(|solo| Some(solo.access_start? + self.slot * solo.backoff));
        lanes.chain(solos).min()
    }

    /// Removes those who transmit at `now` and appends them to `winners`; several of them collide.
    pub(crate) fn take_winners(&mut self, now: Time, winners: &mut Vec<NodeId>) {
        for lane in &mut self.lanes {
            while lane.next_access(self.slot) == Some(now) {
                winners.extend(lane.due.pop().map(|Reverse((_, node))| node));
            }
        }
        let slot = self.slot;
        self.solos.retain(|solo| {
            let wins = solo.access_start.is_some_and(|start| start + slot * solo.backoff == now);
            if wins {
                winners.push(solo.node);
            }
            !wins
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Preamble, Standard};

    const US: fn(u64) -> Time = |us| Time::from_nanos(us * 1000);
    const LANE: LaneId = LaneId::FIRST;

    /// One lane of 802.11b, slot 20 µs, AIFS 50 µs: slots start at 50, 70, 90 … µs.
    fn contention() -> Contention {
        Contention::new(&Standard::B.timing(false, Preamble::Long), [2].into_iter())
    }

    #[test]
    fn a_back_off_that_starts_inside_a_slot_counts_from_its_end() {
        let mut contention = contention();
        // In the gap: slot 3 is the first three slots. At 70 one slot has passed, at 71 the second runs.
        let done = [10, 50, 70, 71, 90].map(|us| contention.slot_after(NodeId(1), LANE, US(us), 3));
        assert_eq!(done, [3, 3, 4, 5, 5]);
    }

    #[test]
    fn a_frozen_lane_counts_nothing() {
        let mut contention = contention();
        contention.join(NodeId(1), LANE, 4);
        assert_eq!(contention.next_access(), Some(US(130)));
        // Two whole slots of the four pass before the frame.
        contention.begin_busy(US(99));
        assert_eq!(contention.next_access(), None);
        assert_eq!(contention.slot_after(NodeId(1), LANE, US(500), 0), 2);
        // EIFS 364 µs.
        contention.end_busy(LANE, US(1000), Gap::Eifs);
        assert_eq!(contention.next_access(), Some(US(1404)));
    }

    #[test]
    fn all_that_are_due_win_together() {
        let mut contention = contention();
        for (node, due) in [(1, 2), (2, 3), (3, 2)] {
            contention.join(NodeId(node), LANE, due);
        }
        // Alone, at the same instant: due at once after an idle AIFS.
        assert_eq!(contention.try_access(NodeId(4), LANE, 0, US(90)), Some(0));
        let mut winners = Vec::new();
        contention.take_winners(US(90), &mut winners);
        winners.sort_unstable();
        assert_eq!(winners, [NodeId(1), NodeId(3), NodeId(4)]);
        assert_eq!(contention.next_access(), Some(US(110)));
    }

    #[test]
    fn virtual_carrier_sense_holds_access_back() {
        let mut contention = contention();
        contention.begin_busy(US(100));
        contention.set_nav(LANE, US(100), US(900), &[NodeId(2)]);
        contention.end_busy(LANE, US(500), Gap::Aifs);
        let clear = |node, us| contention.nav_is_clear(LANE, NodeId(node), US(us));
        assert!(!clear(1, 899) && clear(1, 900) && clear(2, 500));
        assert_eq!(contention.try_access(NodeId(1), LANE, 0, US(600)), None);
        let due = contention.slot_after(NodeId(1), LANE, US(600), 0);
        contention.join(NodeId(1), LANE, due);
        assert_eq!(contention.next_access(), Some(US(950)));
    }
}
