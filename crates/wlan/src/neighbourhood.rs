//! Neighbourhood: cells that share a channel, and pass on their frames to the cells that hear them.
//!
//! ```text
//!             start of a frame                 end of a frame
//!   Cell ───────────┬─────────────► Cell ◄──────────┬──────── Cell
//!      puts it on the air      hears it          ends it
//! ```
//!
//! Cells are coupled only by the starts and ends of frames. So a frame costs time for each cell that hears it, and none
//! for the others, and a cell without neighbours keeps its shortcuts.

use airfair_units::Time;

use crate::air::emission::Emission;
use crate::cell::Cell;
use crate::config::{CellConfig, ForeignMember};
use crate::frame::Frame;
use crate::moment::{Moment, Phase};
use crate::node::NodeId;
use crate::queue::headers::Headers;

/// Cells of an owner, by index.
pub trait Cells<P> {
    /// Calls `act` with cell `index`, which it may change.
    fn with<R>(&mut self, index: usize, act: impl FnOnce(&mut Cell<P>) -> R) -> R;
}

impl<P> Cells<P> for Vec<Cell<P>> {
    fn with<R>(&mut self, index: usize, act: impl FnOnce(&mut Cell<P>) -> R) -> R {
        act(&mut self[index])
    }
}

/// A member of one of several cells: the index of its cell, and its number there.
pub type CellMember = (usize, NodeId);

/// A cell that hears a member of another cell, and the number of this member in it.
#[derive(Clone, Copy, Debug)]
struct Listener {
    cell: u16,
    number: NodeId,
}

/// Relation between the cells of a scenario: which of them hear each member of the others.
#[derive(Clone, Debug, Default)]
pub struct Neighbourhood {
    /// Cells that hear each member, by cell and member; empty for a cell that has no neighbours.
    listeners: Vec<Vec<Vec<Listener>>>,
    /// Cells that hear some member of each cell, ascending.
    around: Vec<Vec<u16>>,
    /// Cells that hear some member of each cell, or of which it hears a member, ascending.
    near: Vec<Vec<u16>>,
    /// Cells in which frames start now; `to_start` are those that have not put them on the air yet.
    starting: Vec<u16>,
    to_start: Vec<u16>,
    /// Cells in which members do not know yet that the medium is busy.
    hearing: Vec<u16>,
}

impl Neighbourhood {
    /// Creates the relation between cells, and gives each of `configs` its foreign members. `hears` is true if its first
    /// member senses and decodes the frames of the second one, which is in another cell; it is asked for members of cells
    /// that `may_hear` each other. Returns `None` if no member hears another cell.
    ///
    /// # Panics
    /// If there are more than 65 535 cells, or more than 65 535 members of other cells around one cell.
    pub fn new(
        configs: &mut [CellConfig],
        may_hear: impl Fn(usize, usize) -> bool,
        hears: impl Fn(CellMember, CellMember) -> bool,
    ) -> Option<Self> {
        let members =
            |config: &CellConfig| (0..=config.stations.len()).map(|it| NodeId(number(it)));
        let mut listeners: Vec<Vec<Vec<Listener>>> =
            configs.iter().map(|it| vec![Vec::new(); it.stations.len() + 1]).collect();
        let mut around = vec![Vec::new(); configs.len()];
        for cell in 0..configs.len() {
            for other in (0..configs.len()).filter(|other| *other != cell && may_hear(cell, *other))
            {
                for from in members(&configs[other]) {
                    let senses = |to: &NodeId| hears((cell, *to), (other, from));
                    let hidden_from: Vec<NodeId> =
                        members(&configs[cell]).filter(|to| !senses(to)).collect();
                    if hidden_from.len() > configs[cell].stations.len() {
                        continue;
                    }
                    let number = NodeId(number(configs[cell].transmitters()));
                    let listener = Listener { cell: self::number(cell), number };
                    listeners[other][from.index()].push(listener);
                    let (of, block) = (self::number(other), configs[other].rules.block);
                    let foreign = ForeignMember { cell: of, block, hidden_from };
                    configs[cell].foreign.push(foreign);
                    around[other].push(self::number(cell));
                }
                around[other].dedup();
            }
        }
        let mut near = around.clone();
        for (cell, others) in around.iter().enumerate() {
            for other in others {
                near[usize::from(*other)].push(self::number(cell));
            }
        }
        for others in &mut near {
            others.sort_unstable();
            others.dedup();
        }
        let is_coupled = around.iter().any(|it| !it.is_empty());
        let [starting, to_start, hearing] = [const { Vec::new() }; 3];
        is_coupled.then_some(Self { listeners, around, near, starting, to_start, hearing })
    }

    /// True if another cell hears a member of this one, or a member of this one hears another cell.
    pub fn is_coupled(&self, cell: usize) -> bool {
        !self.near[cell].is_empty()
    }

    /// Passes on the frames of a cell that has just handled the event `next`, in which they have started or ended. Returns
    /// the cell that must handle the event `next` as well, after which this function must be called for it in turn.
    ///
    /// Frames that start together start in two steps: all their cells put them on the air, and then all cells that have
    /// sent or heard one let their members find the medium busy.
    pub fn after<P: Copy + Headers>(
        &mut self,
        cells: &mut impl Cells<P>,
        (cell, next): (usize, Moment),
    ) -> Option<usize> {
        if next.phase() != Phase::Start {
            self.end(cells, cell, next.at());
            return None;
        }
        if self.hearing.is_empty() {
            if self.starting.is_empty() {
                self.find_starting(cells, (cell, next));
            }
            let ahead = self.to_start.pop();
            if ahead.is_some() {
                return ahead.map(usize::from);
            }
            self.pass_on_starts(cells, next.at());
        }
        self.hearing.pop().map(usize::from)
    }

    /// Notes the cells near `cell` with frames that start at the same moment.
    fn find_starting<P: Copy + Headers>(
        &mut self,
        cells: &mut impl Cells<P>,
        (cell, next): (usize, Moment),
    ) {
        let Self { near, starting, to_start, .. } = self;
        starting.push(number(cell));
        let mut at = 0;
        while let Some(&cell) = starting.get(at) {
            for other in &near[usize::from(cell)] {
                if !starting.contains(other)
                    && cells.with(usize::from(*other), |it| it.next_event()) == next
                {
                    starting.push(*other);
                }
            }
            at += 1;
        }
        to_start.extend_from_slice(&starting[1..]);
        to_start.reverse();
    }

    /// Passes on the frames that start now to the cells that hear them.
    fn pass_on_starts<P: Copy + Headers>(&mut self, cells: &mut impl Cells<P>, now: Time) {
        let Self { listeners, around, starting, hearing, .. } = self;
        for cell in starting.drain(..) {
            let at = usize::from(cell);
            let started = cells.with(at, Cell::take_started);
            if !started.is_empty() && !hearing.contains(&cell) {
                hearing.push(cell);
            }
            for emission in &started {
                for &other in &around[at] {
                    let Some(heard) = heard_in(other, &listeners[at], emission) else { continue };
                    let is_sensed = cells.with(usize::from(other), |it| it.hear(now, heard));
                    if is_sensed && !hearing.contains(&other) {
                        hearing.push(other);
                    }
                }
            }
            cells.with(at, |it| it.keep_started(started));
        }
    }

    /// Ends the frames of `cell` that end now in the cells that hear them.
    fn end<P: Copy + Headers>(&self, cells: &mut impl Cells<P>, cell: usize, now: Time) {
        while let Some(emission) = cells.with(cell, Cell::take_ended) {
            for &other in &self.around[cell] {
                if let Some(heard) = heard_in(other, &self.listeners[cell], &emission) {
                    cells.with(usize::from(other), |it| it.cease(now, heard.frame));
                }
            }
        }
    }
}

/// Frame as cell `other` hears it; `None` if it does not.
fn heard_in(other: u16, listeners: &[Vec<Listener>], emission: &Emission) -> Option<Emission> {
    let number_of = |member: NodeId| {
        let found = listeners[member.index()].iter().find(|it| it.cell == other);
        found.map(|it| it.number)
    };
    let mut heard = emission.senders().filter_map(|(it, source)| Some((number_of(it)?, source)));
    let (from, source) = heard.next()?;
    let frame = Frame { from, to: None, ..emission.frame };
    let Emission { width, colour, .. } = *emission;
    Some(Emission { frame, width, source, fellows: heard.collect(), colour })
}

fn number(index: usize) -> u16 {
    u16::try_from(index).expect("at most 65 535 cells, and members on a channel")
}
