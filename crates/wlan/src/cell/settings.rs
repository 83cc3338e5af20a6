//! Settings of a cell that its owner may change during a run.

use airfair_laws::Direction;
use airfair_units::{Duration, Time};

use super::interface::Cell;
use crate::aggregation::AmpduLimits;
use crate::edca::AccessCategory;
use crate::errors::ErrorModel;
use crate::node::{Link, NodeId};
use crate::phy::{Rate, TxVector};
use crate::queue::config::{QueueConfig, Weights};
use crate::queue::headers::Headers;
use crate::random::Stream;
use crate::roster::ContenderId;

impl<P: Copy + Headers> Cell<P> {
    /// Sets the rate of data frames from or to a station, from its next attempt on.
    ///
    /// # Panics
    /// If no legacy amendment has this rate.
    pub fn set_rate(&mut self, station: NodeId, direction: Direction, rate: impl Into<Rate>) {
        let tx = self.air.airtime.vector(rate);
        self.set_vector(station, direction, tx);
    }

    /// Sets the vector of data frames from or to a station, from its next attempt on.
    pub fn set_vector(&mut self, station: NodeId, direction: Direction, tx: TxVector) {
        self.mac.rate_on(Link { station, direction }).set(tx);
    }

    /// Sets the error model of frames between a station and the access point, from those on the air on. A link that
    /// had no errors before draws from `stream`.
    ///
    /// # Panics
    /// If the cell was made [`with_propagation`](Self::with_propagation), where powers decide.
    pub fn set_errors(&mut self, station: NodeId, model: ErrorModel, stream: Stream) {
        self.air.set_errors(station, model, stream);
    }

    /// Lets stations access the [random units](crate::multi_user::Ofdma::random) of triggers, if the cell has any. Each
    /// draws from its own stream. Without streams the access point offers no such units.
    ///
    /// # Panics
    /// If the number of streams does not match the stations.
    pub fn access_at_random(&mut self, streams: Vec<Stream>) {
        self.mac.let_access_at_random(streams);
    }

    /// Sets the weights by which the queues of `node` serve DATA and pure ACKs, from the next packet on.
    pub fn set_weights(&mut self, node: NodeId, weights: Weights) {
        for id in self.air.roster.of(node) {
            self.mac.queues[id.index()].set_weights(weights);
        }
    }

    /// Replaces the configuration of the queues of `node`, one for each category: see
    /// [`TransmitQueue::reconfigure`](crate::queue::TransmitQueue::reconfigure).
    #[cold]
    pub fn set_queue(&mut self, now: Time, node: NodeId, config: QueueConfig) {
        for id in self.air.roster.of(node) {
            self.mac.queues[id.index()].reconfigure(now, config);
            self.mac.report_dropped(&mut self.air, id);
        }
        if node.is_ap() {
            self.mac.shares_time = config.discipline.shares_time();
        }
        for id in self.air.roster.of(node) {
            self.mac.queues[id.index()].release(now);
            self.mac.seek_access(&mut self.air, now, id);
        }
        self.mac.plan_release(&mut self.air);
        self.air.plan_next(now);
    }

    /// Contenders of a member: the one of `category`, or all.
    fn contenders_of(
        &self,
        node: NodeId,
        category: Option<AccessCategory>,
    ) -> impl Iterator<Item = ContenderId> + use<P> {
        let is_meant =
            |id: &ContenderId| category.is_none_or(|it| self.air.roster.category(*id) == it);
        self.air.roster.of(node).filter(is_meant).collect::<Vec<_>>().into_iter()
    }

    /// Sets the smallest and largest contention window of a member for one of its access categories, or for all
    /// [slots]. A back-off that has been drawn goes on.
    ///
    /// # Panics
    /// If `smallest` exceeds `largest`.
    pub fn set_contention_window(
        &mut self,
        node: NodeId,
        category: Option<AccessCategory>,
        (smallest, largest): (u16, u16),
    ) {
        assert!(smallest <= largest, "a smallest window is at most the largest");
        // Learners set the windows of all members in each step of 10 ms, so no list is made.
        for id in self.air.roster.of(node) {
            if category.is_none_or(|it| self.air.roster.category(id) == it) {
                self.air.accesses[id.index()].set_contention_window(smallest, largest);
            }
        }
    }

    /// Sets the AIFSN of a member for one of its access categories, or for all. It applies to an interframe space that
    /// has not ended, and to all later ones.  [80211-2020 §10.3.2.3.6]
    ///
    /// # Panics
    /// If `aifsn` is 0.
    pub fn set_aifsn(
        &mut self,
        now: Time,
        node: NodeId,
        category: Option<AccessCategory>,
        aifsn: u8,
    ) {
        for id in self.contenders_of(node, category) {
            self.air.contention.set_aifsn(now, id, &self.air.airtime.timing, aifsn);
        }
        self.air.plan_next(now);
    }

    /// Sets the TXOP limit of a member for one of its access categories, or for all, from the next frame on. Zero
    /// allows one frame.  [80211-2020 §10.23.2.9]
    pub fn set_txop_limit(
        &mut self,
        node: NodeId,
        category: Option<AccessCategory>,
        limit: Duration,
    ) {
        for id in self.contenders_of(node, category) {
            self.air.accesses[id.index()].limits.txop = limit;
        }
    }

    /// Limits of A-MPDUs from or to a station; `None` if there is no block ack agreement.
    pub fn ampdu_limits(&self, station: NodeId, direction: Direction) -> Option<AmpduLimits> {
        let (from, to) = Link { station, direction }.ends();
        let id = ContenderId::first(from);
        let agreement = self.mac.queues[id.index()].agreement(to);
        agreement.filter(|it| it.has_block_ack()).map(|it| it.limits)
    }

    /// Sets the limits of A-MPDUs from or to a station, from the next one on; no effect without a block ack agreement.
    pub fn set_ampdu_limits(&mut self, station: NodeId, direction: Direction, limits: AmpduLimits) {
        let (from, to) = Link { station, direction }.ends();
        if self.ampdu_limits(station, direction).is_none() {
            return;
        }
        for id in self.contenders_of(from, None) {
            let link = self.mac.queues[id.index()].link(to);
            link.agreement.limits = limits;
            link.frames = None;
        }
    }

    /// True if the access point's queues share airtime between stations by turns, which weights can change.
    pub fn has_airtime_weights(&self) -> bool {
        let id = ContenderId::first(NodeId::AP);
        self.mac.queues[id.index()].has_airtime_weights()
    }

    /// Sets the weight of a station in the queues of the access point if they share airtime, from the station's next
    /// turn on. A station of twice the weight gets twice the airtime.  [linux-atf]
    pub fn set_airtime_weight(&mut self, station: NodeId, weight: u16) {
        for id in self.contenders_of(NodeId::AP, None) {
            self.mac.queues[id.index()].set_airtime_weight(station, weight);
        }
    }
}
