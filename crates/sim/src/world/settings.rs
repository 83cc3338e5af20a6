//! Settings that the owner of a world may change during a run.
//!
//! A setting takes effect with the next frame, packet or attempt, never within one. A value that a scheme, rate control
//! or the propagation model decides is [not allowed](NotAllowed). If a scheme of the scenario acts on the same setting,
//! the last one to act wins.

use airfair_laws::Direction;
use airfair_laws::window_limit::WindowLimit;
use airfair_units::{DataRate, Duration};
use airfair_wlan::aggregation::AmpduLimits;
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::Rate;
use airfair_wlan::{Discipline, ErrorModel, NodeId, Weights};

use super::World;
use crate::clock::Clock;
use crate::coupling::{Agent, LocalEnd, Seen};
use crate::endpoint::{Sink, Source};
use crate::flow::FlowPhase;
use crate::link::LinkId;
use crate::not_allowed::NotAllowed;
use crate::packet::{FlowId, Side};
use crate::record::{CellId, Member, Record};
use crate::recorder::Recorder;
use crate::scenario::{Loss, Queue};
use crate::settable::AggregateLimits;

/// Largest contention window that can be announced [slots].  [80211-2020 §9.4.2.28]
const LARGEST_WINDOW: u16 = 32_767;

/// Longest TXOP limit that can be announced: a field of 8 bits of 32 µs.  [80211-2020 §9.4.2.28]
const LONGEST_TXOP: Duration = Duration::from_micros(8_160);

impl<R: Recorder, C: Clock> World<R, C> {
    /// The `index`-th station of the scenario.
    pub fn station(&self, index: usize) -> Member {
        self.stations[index]
    }

    /// The access point of the `index`-th cell of the scenario.
    pub fn access_point(&self, index: usize) -> Member {
        Member { cell: CellId::new(index), node: NodeId::AP }
    }

    /// Rates that the data frames from or to a station may have, in ascending order; empty for an access point.
    pub fn rates(&self, of: Member) -> &[Rate] {
        &self.cells[of.cell.index()].members[of.node.index()].rates
    }

    /// Rates that [`set_rate`](Self::set_rate) permits in a direction of a station's link, in ascending order. There are
    /// none if rate control chooses the rate, and none of an access point.
    pub fn settable_rates(&self, of: Member, direction: Direction) -> &[Rate] {
        let member = &self.cells[of.cell.index()].members[of.node.index()];
        if member.is_adapted[direction as usize] { &[] } else { &member.rates }
    }

    /// Sets the rate of data frames from or to a station, from its next attempt on. Results then contain the mean of
    /// the rates that the link really had.
    ///
    /// # Errors
    /// [`NotAllowed`] if the link does not have this rate, if rate control chooses it, or for an access point.
    pub fn set_rate(
        &mut self,
        Member { cell, node: station }: Member,
        direction: Direction,
        rate: impl Into<Rate>,
    ) -> Result<(), NotAllowed> {
        let rate = rate.into();
        if station.is_ap() {
            return Err(NotAllowed::IsAccessPoint);
        }
        let bss = &mut self.cells[cell.index()];
        let member = &bss.members[station.index()];
        if !member.rates.contains(&rate) {
            return Err(NotAllowed::NoSuchRate);
        }
        if member.is_adapted[direction as usize] {
            return Err(NotAllowed::RateIsFound);
        }
        bss.cell.set_rate(station, direction, rate);
        let rate = rate.data_rate();
        let record = airfair_wlan::Record::Rate { station, direction, rate };
        self.recorder.record(self.now, &Record::Cell(cell, record));
        if direction == Direction::Up {
            self.tell_of_rate(cell, station, rate);
            self.drain_cells();
        }
        Ok(())
    }

    /// Sets the error model of frames between a station and its access point. It applies to frames on the air as well.
    ///
    /// # Errors
    /// [`NotAllowed`] in a cell with a radio, and for an access point.
    pub fn set_errors(&mut self, station: Member, errors: ErrorModel) -> Result<(), NotAllowed> {
        if station.node.is_ap() {
            return Err(NotAllowed::IsAccessPoint);
        }
        let bss = &mut self.cells[station.cell.index()];
        let stream = bss.members[station.node.index()].errors.clone();
        let stream = stream.ok_or(NotAllowed::PowersDecide)?;
        bss.cell.set_errors(station.node, errors, stream);
        Ok(())
    }

    /// Sets the loss model of one direction of a link, from the next packet on.
    pub fn set_loss(&mut self, link: LinkId, loss: Loss) {
        self.links[link.index()].set_loss(loss);
    }

    /// Sets the rate of one direction of a link, from the next packet on. Packets in the queue keep their departures.
    pub fn set_link_rate(&mut self, link: LinkId, rate: DataRate) {
        self.links[link.index()].set_rate(rate);
    }

    /// Sets the weights of DATA and ACKs in the queue of a member, from the next packet on.
    ///
    /// # Errors
    /// [`NotAllowed`] if the queue has no weights, and for a weight of 0.
    pub fn set_weights(&mut self, of: Member, weights: Weights) -> Result<(), NotAllowed> {
        let bss = &mut self.cells[of.cell.index()];
        bss.members[of.node.index()].check_weights(weights)?;
        bss.cell.set_weights(of.node, weights);
        Ok(())
    }

    /// Replaces the queue of a member, for every access category. Waiting packets move to the new queue, and those for
    /// which it has no room are dropped. Packets in service and in aggregates are not affected. Weights of stations
    /// start anew.
    ///
    /// # Errors
    /// [`NotAllowed::IsStation`] for a station if the queue shares airtime or counts flows.
    pub fn set_queue(&mut self, of: Member, queue: Queue) -> Result<(), NotAllowed> {
        let discipline = queue.config.discipline;
        if !of.node.is_ap() && (discipline.shares_time() || queue.counts_flows) {
            return Err(NotAllowed::IsStation);
        }
        let bss = &mut self.cells[of.cell.index()];
        bss.cell.set_queue(self.now, of.node, queue.config);
        bss.members[of.node.index()].has_weights = matches!(discipline, Discipline::DataAck { .. });
        if of.node.is_ap() {
            let was_told = bss.watches_packets;
            Agent::follow_queue(&mut bss.agents, &queue);
            if !was_told && !bss.agents.is_empty() {
                self.tell(of.cell, of.node, &Seen::Start);
            }
        }
        self.drain_cells();
        Ok(())
    }

    /// Sets the weight of a station's airtime in the queue of its access point, from 1 to 65 535. The default is 256; a
    /// station of twice the weight gets twice the airtime.
    ///
    /// # Errors
    /// [`NotAllowed`] if the queue does not share airtime by turns, for an access point, and for a weight of 0.
    pub fn set_airtime_weight(&mut self, station: Member, weight: u16) -> Result<(), NotAllowed> {
        if station.node.is_ap() {
            return Err(NotAllowed::IsAccessPoint);
        }
        let bss = &mut self.cells[station.cell.index()];
        if !bss.cell.has_airtime_weights() {
            return Err(NotAllowed::NoAirtimeWeights);
        }
        if weight == 0 {
            return Err(NotAllowed::OutOfRange("allowed are weights from 1 to 65535"));
        }
        bss.cell.set_airtime_weight(station.node, weight);
        Ok(())
    }

    /// Sets the smallest and largest contention window of a member for one of its access categories, or for all
    /// [slots]. A back-off that has been drawn goes on.
    ///
    /// # Errors
    /// [`NotAllowed::OutOfRange`] if the smallest window exceeds the largest, or the largest exceeds 32 767.
    pub fn set_contention_window(
        &mut self,
        of: Member,
        category: Option<AccessCategory>,
        (smallest, largest): (u16, u16),
    ) -> Result<(), NotAllowed> {
        if smallest > largest || largest > LARGEST_WINDOW {
            return Err(NotAllowed::OutOfRange(
                "allowed are windows up to 32767, of which the smallest does not exceed the largest",
            ));
        }
        let cell = &mut self.cells[of.cell.index()].cell;
        cell.set_contention_window(of.node, category, (smallest, largest));
        Ok(())
    }

    /// Sets the AIFSN of a member for one of its access categories, or for all. It applies to an interframe space that
    /// has not ended, and to all later ones.
    ///
    /// # Errors
    /// [`NotAllowed::OutOfRange`] unless the AIFSN is from 1 to 15.
    pub fn set_aifsn(
        &mut self,
        of: Member,
        category: Option<AccessCategory>,
        aifsn: u8,
    ) -> Result<(), NotAllowed> {
        if !(1..=15).contains(&aifsn) {
            return Err(NotAllowed::OutOfRange("allowed is an AIFSN from 1 to 15"));
        }
        self.cells[of.cell.index()].cell.set_aifsn(self.now, of.node, category, aifsn);
        Ok(())
    }

    /// Sets the TXOP limit of a member for one of its access categories, or for all. Zero allows one frame.
    ///
    /// # Errors
    /// [`NotAllowed::OutOfRange`] above 8160 µs, the largest value of the field that announces it.
    pub fn set_txop_limit(
        &mut self,
        of: Member,
        category: Option<AccessCategory>,
        limit: Duration,
    ) -> Result<(), NotAllowed> {
        if limit > LONGEST_TXOP {
            return Err(NotAllowed::OutOfRange("allowed are limits up to 8.16 ms"));
        }
        self.cells[of.cell.index()].cell.set_txop_limit(of.node, category, limit);
        Ok(())
    }

    /// Sets limits of the A-MPDUs from or to a station. They cannot exceed those of the scenario.
    ///
    /// # Errors
    /// [`NotAllowed`] without a block ack agreement, for an access point, for a limit of 0, and beyond the scenario's
    /// limit.
    pub fn set_aggregate_limits(
        &mut self,
        station: Member,
        direction: Direction,
        limits: AggregateLimits,
    ) -> Result<(), NotAllowed> {
        if station.node.is_ap() {
            return Err(NotAllowed::IsAccessPoint);
        }
        let bss = &mut self.cells[station.cell.index()];
        let most = bss.members[station.node.index()].aggregates.ok_or(NotAllowed::NoAggregates)?;
        let now = bss.cell.ampdu_limits(station.node, direction).ok_or(NotAllowed::NoAggregates)?;
        let set = AmpduLimits {
            max_bytes: limits.bytes.unwrap_or(now.max_bytes),
            max_mpdus: limits.mpdus.unwrap_or(now.max_mpdus),
            max_duration: limits.duration.unwrap_or(now.max_duration),
            ..now
        };
        let is_allowed = set.max_bytes <= most.max_bytes
            && (1..=most.max_mpdus).contains(&set.max_mpdus)
            && !set.max_bytes.is_zero()
            && !set.max_duration.is_zero()
            && set.max_duration <= most.max_duration;
        if !is_allowed {
            return Err(NotAllowed::OutOfRange(
                "allowed are limits above 0, and up to those of the scenario",
            ));
        }
        bss.cell.set_ampdu_limits(station.node, direction, set);
        Ok(())
    }

    /// Limits the window of TCP at one end of a flow, in addition to its own window.
    ///
    /// # Errors
    /// [`NotAllowed::NoWindow`] for another transport, and for a receiver if the limit is not in octets.
    pub fn set_window_limit(
        &mut self,
        flow: FlowId,
        side: Side,
        limit: WindowLimit,
    ) -> Result<(), NotAllowed> {
        let of = &self.flows[flow.index()];
        match (side, &of.source, &of.sink, limit) {
            (_, Source::External(_), ..)
            | (Side::Sender, Source::Tcp(_), ..)
            | (Side::Receiver, _, Sink::Tcp(_), WindowLimit::Octets(_)) => {
                self.limit_window(LocalEnd { flow, side }, limit);
            }
            (Side::Receiver, _, Sink::Tcp(_), WindowLimit::None) => {
                self.lift(LocalEnd { flow, side });
            }
            _ => return Err(NotAllowed::NoWindow),
        }
        self.settle();
        Ok(())
    }

    /// Limits the rate of TFRC at one end of a flow; `None` removes the limit.
    ///
    /// # Errors
    /// [`NotAllowed::NoRate`] for another transport.
    pub fn set_rate_limit(
        &mut self,
        flow: FlowId,
        side: Side,
        limit: Option<DataRate>,
    ) -> Result<(), NotAllowed> {
        let of = &self.flows[flow.index()];
        match (side, &of.source, &of.sink) {
            (_, Source::External(_), _)
            | (Side::Sender, Source::Tfrc(_), _)
            | (Side::Receiver, _, Sink::Tfrc(_)) => self.limit_rate(LocalEnd { flow, side }, limit),
            _ => return Err(NotAllowed::NoRate),
        }
        self.settle();
        Ok(())
    }

    /// Starts a flow now. The start that the scenario has planned for it is then without effect.
    ///
    /// # Errors
    /// [`NotAllowed::HasStarted`] if the flow has started before.
    pub fn start_flow(&mut self, flow: FlowId) -> Result<(), NotAllowed> {
        if self.flows[flow.index()].phase != FlowPhase::Planned {
            return Err(NotAllowed::HasStarted);
        }
        self.start(flow);
        self.settle();
        Ok(())
    }

    /// Stops a flow now, as its `stop` would. A stopped flow cannot be started again.
    ///
    /// # Errors
    /// [`NotAllowed::IsNotOpen`] if the flow has not started yet, or has stopped.
    pub fn stop_flow(&mut self, flow: FlowId) -> Result<(), NotAllowed> {
        if self.flows[flow.index()].phase != FlowPhase::Open {
            return Err(NotAllowed::IsNotOpen);
        }
        self.stop(flow);
        self.settle();
        Ok(())
    }

    /// Lets senders that a setting has affected send, and processes the output of the cells.
    fn settle(&mut self) {
        self.drain_touched();
        self.drain_cells();
    }
}
