//! Settings that the owner of a world may change during a run.

use airfair_laws::Direction;
use airfair_units::DataRate;
use airfair_wlan::phy::Rate;
use airfair_wlan::{Discipline, ErrorModel, NodeId, Stream, Weights};

use super::World;
use crate::clock::Clock;
use crate::coupling::{Agent, Seen};
use crate::link::LinkId;
use crate::record::{CellId, Member, Record, Recorder};
use crate::scenario::{Loss, Queue};

/// Possible values of a member's settings, without the present values.
#[derive(Debug)]
pub(crate) struct Settable {
    /// Highest rate of the member's link.
    pub(crate) highest: DataRate,
    /// Rates at which the member may send frames on its link.
    pub(crate) rates: Vec<Rate>,
    /// True where rate control chooses the rate, up and down.
    pub(crate) is_adapted: [bool; 2],
    /// True if the member's queue has weights for DATA and ACKs.
    pub(crate) has_weights: bool,
    /// Random stream for the frame errors of a link without an error model; `None` in a cell with a radio, where
    /// powers decide which frames are errored.
    pub(crate) errors: Option<Stream>,
}

/// Reason for which a setting cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsettable {
    /// The station's standard does not have the rate or, in a cell with a radio, the scenario does not mention the
    /// rate.
    NoSuchRate,
    /// Rate control chooses the rate, so that it cannot be set.
    RateIsFound,
    /// The cell has a radio, in which powers decide which frames are errored.
    PowersDecide,
    /// The queue has no weights for DATA and ACKs.
    NoWeights,
}

impl<R: Recorder, C: Clock> World<R, C> {
    /// The `index`-th station of the scenario.
    pub fn station(&self, index: usize) -> Member {
        self.stations[index]
    }

    /// The access point of the `index`-th cell of the scenario.
    pub fn access_point(&self, index: usize) -> Member {
        Member { cell: CellId::new(index), node: NodeId::AP }
    }

    /// Sets the rate of data frames from or to a station, from its next attempt on. Results then contain the mean of
    /// the rates that the link really had.
    ///
    /// # Errors
    /// [`Unsettable`] if the link does not have this rate, or if rate control chooses it.
    ///
    /// # Panics
    /// If the member is an access point.
    pub fn set_rate(
        &mut self,
        Member { cell, node: station }: Member,
        direction: Direction,
        rate: impl Into<Rate>,
    ) -> Result<(), Unsettable> {
        let rate = rate.into();
        assert!(!station.is_ap(), "an access point has a rate for each station");
        let bss = &mut self.cells[cell.index()];
        let member = &bss.members[station.index()];
        if !member.rates.contains(&rate) {
            return Err(Unsettable::NoSuchRate);
        }
        if member.is_adapted[direction as usize] {
            return Err(Unsettable::RateIsFound);
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
    /// [`Unsettable::PowersDecide`] in a cell with a radio.
    ///
    /// # Panics
    /// If the member is an access point.
    pub fn set_errors(&mut self, station: Member, errors: ErrorModel) -> Result<(), Unsettable> {
        assert!(!station.node.is_ap(), "errors are a station's");
        let bss = &mut self.cells[station.cell.index()];
        let stream = bss.members[station.node.index()].errors.clone();
        let stream = stream.ok_or(Unsettable::PowersDecide)?;
        bss.cell.set_errors(station.node, errors, stream);
        Ok(())
    }

    /// Sets the loss model of one direction of a link, from the next packet on.
    pub fn set_loss(&mut self, link: LinkId, loss: Loss) {
        self.links[link.index()].set_loss(loss);
    }

    /// Sets the weights of DATA and ACKs in the queue of a member, from the next packet on.
    ///
    /// # Errors
    /// [`Unsettable::NoWeights`] if the queue has no weights.
    pub fn set_weights(&mut self, of: Member, weights: Weights) -> Result<(), Unsettable> {
        let bss = &mut self.cells[of.cell.index()];
        if !bss.members[of.node.index()].has_weights {
            return Err(Unsettable::NoWeights);
        }
        bss.cell.set_weights(of.node, weights);
        Ok(())
    }

    /// Replaces the queue of an access point, for every access category. Waiting packets move to the new queue, and
    /// those for which it has no room are dropped. Packets in service and in aggregates are not affected.
    ///
    /// # Panics
    /// If the member is a station.
    pub fn set_queue(&mut self, of: Member, queue: Queue) {
        assert!(of.node.is_ap(), "a station's queue is its own");
        let bss = &mut self.cells[of.cell.index()];
        bss.cell.set_queue(self.now, of.node, queue.config);
        let discipline = queue.config.discipline;
        bss.members[of.node.index()].has_weights = matches!(discipline, Discipline::DataAck { .. });
        let was_told = bss.watches_packets;
        Agent::follow_queue(&mut bss.agents, &queue);
        if !was_told && !bss.agents.is_empty() {
            self.tell(of.cell, of.node, &Seen::Start);
        }
        self.drain_cells();
    }
}
