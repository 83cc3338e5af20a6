//! Who gets the channel next, at a cost that does not grow with the number of contenders.
//!
//! A lane counts its idle slots since the start of the run. A member with `b` slots of back-off left
//! when the lane has counted `s` is due at slot `s + b` and waits in a heap under that number: while
//! the lane is frozen nothing is touched, and the next winner is the smallest number in the lane.
//!
//! ```text
//!            frame                 DIFS or EIFS      slot slot slot
//!   ─────┬───────────────┬─────────────────────────┬────┬────┬────┬──
//!     counted: s         │ idle                    │ s+1  s+2  s+3
//!                        └ end_busy          access_start
//! ```
//!
//! A member whose idle time began otherwise than its lane's (it was in a collision, or it transmits
//! at once after an idle DIFS) counts alone, as a [`Solo`], until the next frame that all hear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airfair_units::{Duration, Time};

use crate::config::NodeId;
use crate::hearing::LaneId;

/// Countdown of the members that hear alike.
#[derive(Debug, Default)]
struct Lane {
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
    /// Whom the last frame that set the NAV was addressed to, and its own NAV, which that frame left alone.
    spared: Option<(NodeId, Time)>,
    /// Slots counted until the medium was last busy.
    slots: u64,
    /// Slot at which each contender is due.
    due: BinaryHeap<Reverse<(u64, NodeId)>>,
}

impl Lane {
    /// Slots counted at `now`.
    fn slots_at(&self, now: Time, slot: Duration) -> u64 {
        if self.busy > 0 {
            return self.slots;
        }
        self.slots + now.saturating_since(self.access_start).whole_steps(slot)
    }

    /// Until when virtual carrier sense is busy for `node`.
    fn nav_of(&self, node: NodeId) -> Time {
        self.spared.filter(|(spared, _)| *spared == node).map_or(self.nav_until, |(_, nav)| nav)
    }

    fn next_access(&self, slot: Duration) -> Option<Time> {
        let Reverse((due, _)) = self.due.peek().filter(|_| self.busy == 0)?;
        Some(self.access_start + slot * (due - self.slots))
    }
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
    difs: Duration,
    lanes: Vec<Lane>,
    solos: Vec<Solo>,
    /// Members whose immediate access the present frame has forestalled: they must draw a back-off.
    forestalled: Vec<NodeId>,
}

impl Contention {
    pub(crate) fn new(lanes: usize, slot: Duration, difs: Duration) -> Self {
        let idle = || Lane { access_start: Time::ZERO + difs, ..Lane::default() };
        let lanes = (0..lanes).map(|_| idle()).collect();
        Self { slot, difs, lanes, solos: Vec::new(), forestalled: Vec::new() }
    }

    /// A frame starts: every lane that senses it freezes.
    pub(crate) fn begin_busy(&mut self, now: Time) {
        for lane in &mut self.lanes {
            if lane.busy == 0 {
                lane.slots = lane.slots_at(now, self.slot);
                lane.busy_since = now;
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

    /// A frame ends: `gap` (DIFS or EIFS) follows, and no sooner than a DIFS after the NAV.
    pub(crate) fn end_busy(&mut self, lane: LaneId, now: Time, gap: Duration) {
        let lane = &mut self.lanes[lane.index()];
        lane.busy -= 1;
        if lane.busy == 0 {
            lane.idle_since = now;
            lane.access_start = (now + gap).max(lane.nav_until + self.difs);
        }
    }

    /// Contenders who transmitted during all of the busy period resume a DIFS after it.
    pub(crate) fn resume_solos(&mut self, now: Time) {
        for solo in &mut self.solos {
            solo.access_start.get_or_insert(now + self.difs);
        }
    }

    /// Whoever decodes a frame keeps quiet until its exchange is over, except its receiver.
    /// [80211-2020 §10.3.2.4]
    pub(crate) fn set_nav(&mut self, lane: LaneId, until: Time, receiver: Option<NodeId>) {
        let lane = &mut self.lanes[lane.index()];
        if let Some(node) = receiver {
            lane.spared = Some((node, lane.nav_of(node)));
        } else if let Some((_, nav)) = &mut lane.spared {
            *nav = until.max(*nav);
        }
        lane.nav_until = lane.nav_until.max(until);
    }

    /// Whether the virtual carrier sense of `node` is clear.
    pub(crate) fn nav_is_clear(&self, lane: LaneId, node: NodeId, now: Time) -> bool {
        self.lanes[lane.index()].nav_of(node) <= now
    }

    /// Slot at which a back-off of `backoff` slots that starts now would be done; from inside a slot
    /// it counts from that slot's end.
    pub(crate) fn slot_after(&self, lane: LaneId, now: Time, backoff: u16) -> u64 {
        let lane = &self.lanes[lane.index()];
        let counting =
            if lane.busy > 0 { Duration::ZERO } else { now.saturating_since(lane.access_start) };
        let begun = counting.as_nanos().div_ceil(self.slot.as_nanos());
        lane.slots + begun + u64::from(backoff)
    }

    /// Contends with a back-off that is done at lane slot `due`.
    pub(crate) fn join(&mut self, node: NodeId, lane: LaneId, due: u64) {
        self.lanes[lane.index()].due.push(Reverse((due, node)));
    }

    /// Contends again after a transmission that failed, with a back-off of `backoff` slots.
    pub(crate) fn rejoin(&mut self, failed: Failed, now: Time, backoff: u16) {
        let Failed { node, lane, own_end } = failed;
        let state = &self.lanes[lane.index()];
        let (is_busy, idle_since) = (state.busy > 0, state.idle_since);
        if state.busy_since > own_end {
            // It has heard a later frame from its beginning, as its lane has.
            let due = self.slot_after(lane, now, backoff);
            self.join(node, lane, due);
            return;
        }
        // Its idle time follows its own frame, or the rest of a frame of which it decoded nothing.
        let access_start = (!is_busy).then(|| {
            let first = idle_since + self.difs;
            let passed = now.saturating_since(first).as_nanos().div_ceil(self.slot.as_nanos());
            first + self.slot * passed
        });
        let backoff = u64::from(backoff);
        self.solos.push(Solo { node, lane, access_start, backoff, is_immediate: false });
    }

    /// A frame has come to a member whose last back-off was done at lane slot `done`: contends with
    /// what is left of it, or at once after an idle DIFS. False if a new back-off must be drawn,
    /// because the medium is busy.  [80211-2020 §10.3.4.2]
    pub(crate) fn try_access(&mut self, node: NodeId, lane: LaneId, done: u64, now: Time) -> bool {
        let state = &self.lanes[lane.index()];
        if done > state.slots_at(now, self.slot) {
            self.join(node, lane, done);
        } else if state.busy > 0 || state.nav_until > now {
            return false;
        } else {
            let access_start = Some(state.access_start.max(now));
            self.solos.push(Solo { node, lane, access_start, backoff: 0, is_immediate: true });
        }
        true
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

    const US: fn(u64) -> Time = |us| Time::from_nanos(us * 1000);
    const LANE: LaneId = LaneId::FIRST;

    /// One lane, slot 20 µs, DIFS 50 µs: slots start at 50, 70, 90 … µs.
    fn contention() -> Contention {
        Contention::new(1, Duration::from_micros(20), Duration::from_micros(50))
    }

    #[test]
    fn a_back_off_that_starts_inside_a_slot_counts_from_its_end() {
        let contention = contention();
        // In the gap: slot 3 is the first three slots. At 70 one slot has passed, at 71 the second runs.
        let done = [10, 50, 70, 71, 90].map(|us| contention.slot_after(LANE, US(us), 3));
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
        assert_eq!(contention.slot_after(LANE, US(500), 0), 2);
        contention.end_busy(LANE, US(1000), Duration::from_micros(364));
        assert_eq!(contention.next_access(), Some(US(1404)));
    }

    #[test]
    fn all_that_are_due_win_together() {
        let mut contention = contention();
        for (node, due) in [(1, 2), (2, 3), (3, 2)] {
            contention.join(NodeId(node), LANE, due);
        }
        // Alone, at the same instant: due at once after an idle DIFS.
        assert!(contention.try_access(NodeId(4), LANE, 0, US(90)));
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
        contention.set_nav(LANE, US(900), Some(NodeId(2)));
        contention.end_busy(LANE, US(500), Duration::from_micros(50));
        let clear = |node, us| contention.nav_is_clear(LANE, NodeId(node), US(us));
        assert!(!clear(1, 899) && clear(1, 900) && clear(2, 500));
        assert!(!contention.try_access(NodeId(1), LANE, 0, US(600)));
        let due = contention.slot_after(LANE, US(600), 0);
        contention.join(NodeId(1), LANE, due);
        assert_eq!(contention.next_access(), Some(US(950)));
    }
}
