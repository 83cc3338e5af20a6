//! Cells of the model on one channel: members of one cell sense and decode frames of others.

use airfair_wlan::phy::{Block, Width};

use super::*;

/// A member of one of several cells: the index of its cell, and its number there.
pub(crate) type CellMember = (usize, usize);

/// Number of a transmitter or receiver that is no member of the cell.
const ELSEWHERE: usize = usize::MAX;

/// Runs cells on one channel together. `hears` is true if its first member hears its second one, which is in another
/// cell.
pub(crate) fn run_all(
    cells: &mut [Model<'_>],
    happens: &[Happens<'_>],
    hears: impl Fn(CellMember, CellMember) -> bool,
) {
    let members: Vec<usize> = cells.iter().map(Model::members).collect();
    let all: Vec<CellMember> =
        (0..members.len()).flat_map(|cell| (0..members[cell]).map(move |id| (cell, id))).collect();
    for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (*one, *other))) {
        if one.0 != other.0 && hears(one, other) {
            (cells[one.0].shares, cells[other.0].shares) = (true, true);
        }
    }
    let blocks: Vec<Option<Block>> = cells.iter().map(|cell| cell.config.rules.block).collect();
    for (index, cell) in cells.iter_mut().enumerate() {
        let hears_of = |other: &usize| {
            let mut pairs = all.iter().filter(|it| it.0 == index).flat_map(|one| {
                all.iter().filter(|it| it.0 == *other).map(move |from| (*one, *from))
            });
            *other != index && pairs.any(|(one, from)| hears(one, from))
        };
        let around: Vec<Block> =
            (0..blocks.len()).filter(hears_of).filter_map(|other| blocks[other]).collect();
        cell.share_spectrum(&around);
    }
    let until = cells.first().map_or(0, |cell| cell.until);
    for now in 0..until {
        for (cell, happens) in cells.iter_mut().zip(happens) {
            cell.take_in(now, *happens);
        }
        for cell in cells.iter_mut() {
            cell.end_beside(now);
            cell.end(now);
        }
        for cell in cells.iter_mut() {
            cell.time_out(now);
        }
        let all: Vec<Vec<(OnAir, Width)>> = cells
            .iter_mut()
            .map(|cell| {
                let starting = cell.starting(now).into_iter();
                starting.map(|frame| (frame.clone(), cell.occupied(&frame))).collect()
            })
            .collect();
        for (index, cell) in cells.iter_mut().enumerate() {
            let own = all[index].iter().map(|(frame, _)| frame.clone());
            let mut starting: Vec<OnAir> = own.collect();
            for (other, frames) in all.iter().enumerate().filter(|(other, _)| *other != index) {
                for (frame, width) in frames {
                    let senders = || std::iter::once(&frame.from).chain(&frame.also);
                    let senses = |id| senders().any(|from| hears((index, id), (other, *from)));
                    let sensing: Vec<bool> = (0..cell.members()).map(senses).collect();
                    if sensing.contains(&true) {
                        let abroad = frame.abroad(sensing.clone());
                        starting.extend(cell.hear_on(abroad, (blocks[other], *width), &sensing));
                    }
                }
            }
            cell.start(now, starting);
            cell.disturb();
        }
    }
    for cell in cells.iter_mut() {
        cell.count_foreign();
    }
}

impl OnAir {
    /// The frame in another cell, whose members hear it or not.
    fn abroad(&self, heard: Vec<bool>) -> Self {
        let nobody = vec![false; heard.len()];
        Self {
            mpdus: Vec::new(),
            hits: Vec::new(),
            from: ELSEWHERE,
            foreign: Some(heard),
            also: Vec::new(),
            parts: Vec::new(),
            is_turn: false,
            to: ELSEWHERE,
            noisy_for: nobody.clone(),
            sensed_by: nobody.clone(),
            readable_by: nobody.clone(),
            heard_by: nobody.clone(),
            locked_by: nobody.clone(),
            lost_to: nobody,
            ..self.clone()
        }
    }
}

impl Model<'_> {
    /// Counts the microsecond that has just passed if the access point has sensed a frame of another cell in it.
    pub(super) fn count_foreign(&mut self) {
        let (foreign, own): (Vec<&OnAir>, Vec<&OnAir>) =
            self.air.iter().partition(|frame| frame.foreign.is_some());
        if foreign.iter().any(|frame| frame.sensed_by[0]) {
            self.foreign_air[usize::from(!own.is_empty())] += 1;
        }
    }
}
