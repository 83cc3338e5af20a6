//! Settings that the owner of a world may change while it runs.

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

/// Which settings a member has, apart from their values.
#[derive(Debug)]
pub(crate) struct Settable {
    /// The highest rate of its link.
    pub(crate) highest: DataRate,
    /// Rates that its frames may have.
    pub(crate) rates: Vec<Rate>,
    /// True where a law finds the rate, up and down.
    pub(crate) is_adapted: [bool; 2],
    /// True if its queue tells data from ACKs.
    pub(crate) has_weights: bool,
    /// Stream of a link that has no errors yet; none where powers decide.
    pub(crate) errors: Option<Stream>,
}

/// The reason why a setting stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsettable {
    /// No rate of the station's standard; in a cell with a radio, none that the scenario mentions.
    NoSuchRate,
    /// A law finds this rate.
    RateIsFound,
    /// Powers decide which frames are errored.
    PowersDecide,
    /// The queue does not tell data from ACKs.
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

    /// Sets the rate of data frames from or to a station, from its next attempt on. Results then have the mean of
    /// the rates that were set, whatever a schedule has changed in between.
    ///
    /// # Errors
    /// [`Unsettable`], if there is no such rate, or a law finds it.
    ///
    /// # Panics
    /// For an access point.
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

    /// Sets which frames between a station and its access point are errored, those on the air included.
    ///
    /// # Errors
    /// [`Unsettable::PowersDecide`] in a cell with a radio.
    ///
    /// # Panics
    /// For an access point.
    pub fn set_errors(&mut self, station: Member, errors: ErrorModel) -> Result<(), Unsettable> {
        assert!(!station.node.is_ap(), "errors are a station's");
        let bss = &mut self.cells[station.cell.index()];
        let stream = bss.members[station.node.index()].errors.clone();
        let stream = stream.ok_or(Unsettable::PowersDecide)?;
        bss.cell.set_errors(station.node, errors, stream);
        Ok(())
    }

    /// Sets what a direction of a link loses, from the next packet on.
    pub fn set_loss(&mut self, link: LinkId, loss: Loss) {
        self.links[link.index()].set_loss(loss);
    }

    /// Sets the weights of data and ACKs in the queue of a member, from the next packet on.
    ///
    /// # Errors
    /// [`Unsettable::NoWeights`], if its queue has none.
    pub fn set_weights(&mut self, of: Member, weights: Weights) -> Result<(), Unsettable> {
        let bss = &mut self.cells[of.cell.index()];
        if !bss.members[of.node.index()].has_weights {
            return Err(Unsettable::NoWeights);
        }
        bss.cell.set_weights(of.node, weights);
        Ok(())
    }

    /// Gives an access point another queue, of each access category, which what waits joins. What has no room there is dropped;
    /// what is in service or under way in aggregates stays.
    ///
    /// # Panics
    /// For a station.
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
