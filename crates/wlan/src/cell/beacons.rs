//! Beacons: transmission before all other frames of the access point, and stations that miss a beacon.
//!
//! The access point has a separate queue for one beacon, without back-off. The beacon is sent as soon as the access
//! point's medium has been idle for a PIFS, as in real access points and ns-3.  [80211-2020 §11.1.3.2, §10.3.2.3.4]
//! Deviates: [D-100], [D-101], [D-102], [D-103]

use airfair_units::{Duration, Time};

use super::Cell;
use crate::frame::{Beacon, Frame, FrameKind, Ppdu};
use crate::moment::{Moment, Phase};
use crate::node::NodeId;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

/// State of a cell's beacons.
#[derive(Clone, Debug, Default)]
pub(super) struct Beacons {
    pub(super) waiting: Option<Beacon>,
    /// Start of the beacon that waits, if the access point's medium stays idle.
    pub(super) due: Option<Time>,
    pub(super) on_air: Option<Beacon>,
    /// Stations for which noise has destroyed the beacon that has just left the air, ascending.
    pub(super) missed: Vec<NodeId>,
    /// Contenders of the access point that would transmit now, and give way to the beacon that starts.
    pub(super) yielding: Vec<ContenderId>,
}

impl<P: Copy + Headers> Cell<P> {
    /// Sends a beacon as soon as the access point's medium has been idle for a PIFS and the access point's own exchange
    /// is over. The beacon replaces an earlier one that still waits.
    pub fn send_beacon(&mut self, now: Time, beacon: Beacon) {
        if self.beacons.waiting.replace(beacon).is_none() {
            self.channel.begin_waiting(now);
        }
        self.plan_next(now);
    }

    /// Recalculates the start of the waiting beacon after each event.
    #[cold]
    pub(super) fn await_beacon(&mut self, now: Time) {
        let timing = &self.airtime.timing;
        let pifs = timing.sifs + timing.slot;
        let is_in_exchange = self.in_exchange(NodeId::AP).is_some();
        let idle = self.contention.idle_for(NodeId::AP, pifs);
        self.beacons.due = idle.filter(|_| !is_in_exchange).map(|at| at.max(now));
        self.next = self.next.min(Moment::of(self.beacons.due, Phase::Start));
    }

    /// Starts the beacon together with other frames that start now. A frame of the access point that is due now gives
    /// way.
    #[cold]
    pub(super) fn start_beacon(&mut self, now: Time) {
        let beacon = self.beacons.waiting.take().expect("a beacon is due");
        (self.beacons.due, self.beacons.on_air) = (None, Some(beacon));
        self.channel.end_waiting(now);
        let frame = Frame {
            kind: FrameKind::Beacon,
            from: NodeId::AP,
            to: None,
            tx: self.airtime.beacon_vector(),
            duration: self.airtime.beacon(beacon.psdu),
            duration_field: Duration::ZERO,
            psdu: beacon.psdu,
            retry: false,
        };
        self.transmit(now, ContenderId::first(NodeId::AP), frame);
    }

    /// Draws the errors of the beacon that ends now, for each station that could decode it.
    #[cold]
    pub(super) fn add_noise_to_beacon(&mut self, now: Time, ppdu: &mut Ppdu<P>) {
        self.beacons.missed.clear();
        for station in (0..self.members.len() - 1).map(NodeId::station) {
            if self.noise.is_on(station)
                && self.contention.decodes(station, ppdu.frame.from)
                && self.noise.errs(now, station, ppdu.frame.tx, ppdu.frame.psdu)
            {
                self.beacons.missed.push(station);
            }
        }
        ppdu.errored = !self.beacons.missed.is_empty();
    }
}
