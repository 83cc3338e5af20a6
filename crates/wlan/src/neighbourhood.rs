//! Neighbourhood: cells that share a channel, and pass on their frames to the cells that hear them.
//!
//! ```text
//!             start of a frame                 end of a frame
//!   Cell ───────────┬─────────────► Cell ◄──────────┬──────── Cell
//!      puts it on the air      hears it          ends it
//! ```
//!
//! Cells are coupled only by the starts and ends of frames. So a frame costs time for each cell that hears it, and none
//! for the others, and a cell that no other cell hears keeps its shortcuts.

use airfair_units::Time;

use crate::air::shared::Emission;
use crate::cell::Cell;
use crate::config::{CellConfig, ForeignMember};
use crate::frame::Frame;
use crate::moment::{Moment, Phase};
use crate::node::NodeId;
use crate::queue::headers::Headers;

/// Cells of an owner, by index.
pub trait Cells<P> {
    /// Calls `act` with cell `index`.
    fn with<R>(&mut self, index: usize, act: impl FnOnce(&mut Cell<P>) -> R) -> R;
}

impl<P> Cells<P> for [Cell<P>] {
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
    /// Cells in which frames start now, and cells that hear some of them.
    starting: Vec<u16>,
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
                    let foreign = ForeignMember { cell: self::number(other), hidden_from };
                    configs[cell].foreign.push(foreign);
                    around[other].push(self::number(cell));
                }
                around[other].dedup();
            }
        }
        let is_coupled = around.iter().any(|it| !it.is_empty());
        let (starting, hearing) = (Vec::new(), Vec::new());
        is_coupled.then_some(Self { listeners, around, starting, hearing })
    }

    /// True if another cell hears a member of this one, or a member of this one hears another cell.
    pub fn is_coupled(&self, cell: usize) -> bool {
        let number = number(cell);
        !self.around[cell].is_empty() || self.around.iter().any(|it| it.contains(&number))
    }

    /// Handles the event of a cell that its [`next_event`](Cell::next_event) has announced, with its effects in the cells
    /// around it. Calls `changed` with each cell that may have a new next event.
    pub fn handle_event<P: Copy + Headers>(
        &mut self,
        cells: &mut (impl Cells<P> + ?Sized),
        (cell, next): (usize, Moment),
        changed: impl FnMut(usize),
    ) {
        match next.phase() {
            Phase::Start => self.start(cells, (cell, next), changed),
            phase => self.end(cells, (cell, next.at(), phase), changed),
        }
    }

    /// Starts the frames of `cell`, and of all cells nearby with frames that start at the same moment.
    fn start<P: Copy + Headers>(
        &mut self,
        cells: &mut (impl Cells<P> + ?Sized),
        (cell, next): (usize, Moment),
        mut changed: impl FnMut(usize),
    ) {
        let Self { listeners, around, starting, hearing } = self;
        let now = next.at();
        starting.push(number(cell));
        let mut at = 0;
        while let Some(&cell) = starting.get(at) {
            for other in &around[usize::from(cell)] {
                let mut is_due = || cells.with(usize::from(*other), |it| it.next_event()) == next;
                if !starting.contains(other) && is_due() {
                    starting.push(*other);
                }
            }
            at += 1;
        }
        for &cell in &*starting {
            cells.with(usize::from(cell), |it| it.put_on_air(now));
        }
        hearing.extend_from_slice(starting);
        for &cell in &*starting {
            let listeners = &listeners[usize::from(cell)];
            let around = &around[usize::from(cell)];
            let started = cells.with(usize::from(cell), Cell::take_started);
            for emission in &started {
                for &other in around {
                    if let Some(heard) = heard_in(other, listeners, emission) {
                        cells.with(usize::from(other), |it| it.hear(now, &heard));
                        if !hearing.contains(&other) {
                            hearing.push(other);
                        }
                    }
                }
            }
            cells.with(usize::from(cell), |it| it.keep_started(started));
        }
        starting.clear();
        for cell in hearing.drain(..).map(usize::from) {
            cells.with(cell, |it| it.begin_busy(now));
            changed(cell);
        }
    }

    /// Handles another event of `cell`, and ends its frames in the cells that hear them.
    fn end<P: Copy + Headers>(
        &self,
        cells: &mut (impl Cells<P> + ?Sized),
        (cell, now, phase): (usize, Time, Phase),
        mut changed: impl FnMut(usize),
    ) {
        cells.with(cell, |it| it.handle_event(now, phase));
        changed(cell);
        while let Some(emission) = cells.with(cell, Cell::take_ended) {
            for &other in &self.around[cell] {
                if let Some(heard) = heard_in(other, &self.listeners[cell], &emission) {
                    cells.with(usize::from(other), |it| it.cease(now, heard.frame));
                    changed(usize::from(other));
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
    Some(Emission { frame, source, fellows: heard.collect() })
}

fn number(index: usize) -> u16 {
    u16::try_from(index).expect("at most 65 535 cells, and members on a channel")
}
