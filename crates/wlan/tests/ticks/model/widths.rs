//! Blocks of spectrum of the model's cells: neighbours on secondary channels, which make PPDUs narrower and destroy
//! wide ones.  [80211-2020 §10.23.2.5]

use airfair_wlan::WidthRule;
use airfair_wlan::phy::mode::Parameters;
use airfair_wlan::phy::{Block, Mode, Width};

use super::*;

/// Spectrum of a cell whose neighbours have other blocks.
pub(super) struct Spectrum {
    own: Block,
    rule: WidthRule,
    /// For each member, the time until which each channel of the block is busy, if it is not the primary.
    busy_until: Vec<Vec<(u8, u64)>>,
    /// Idle part of the block when each member won the channel for the last time.
    widest: Vec<Width>,
    beside: Vec<Beside>,
}

/// Frame of another cell that leaves the primary channel free, until its end, and the members that hear it.
struct Beside {
    end: u64,
    channels: Vec<u8>,
    heard_by: Vec<bool>,
}

impl Spectrum {
    fn new(config: &CellConfig, own: Block) -> Self {
        let idle = own.channels().map(|channel| (channel, 0)).collect();
        let members = config.stations.len() + 1;
        Self {
            own,
            rule: config.rules.width_rule,
            busy_until: vec![idle; members],
            widest: vec![own.width(); members],
            beside: Vec::new(),
        }
    }

    /// Widths of the parts of the block around the primary channel, ascending.
    fn widths(&self) -> impl Iterator<Item = Width> {
        let widest = self.own.width();
        Width::ALL.into_iter().filter(move |it| *it <= widest)
    }

    /// Widest part around the primary channel whose other channels have been idle for a PIFS.
    fn idle_width(&self, now: u64, member: usize, pifs: u64) -> Width {
        let is_busy = |channel: u8| {
            let busy = self.busy_until[member].iter().find(|it| it.0 == channel);
            channel != self.own.primary() && busy.is_some_and(|it| it.1 + pifs > now)
        };
        let is_idle = |width: &Width| !self.own.within(*width).channels().any(is_busy);
        self.widths().take_while(is_idle).last().expect("the primary channel")
    }

    /// True if a frame on other channels destroys a frame of this cell at a member: they have a channel in common that
    /// the member needs to decode the frame. Of a frame that is repeated on each channel this is the primary.
    fn disturbs(&self, tx: TxVector, member: usize) -> bool {
        let width = tx.mode().map_or(Width::Mhz20, Mode::width);
        let mut needed = self.own.within(width).channels();
        let meets = |it: &Beside| {
            it.heard_by[member] && needed.any(|channel| it.channels.contains(&channel))
        };
        self.beside.iter().any(meets)
    }
}

impl Model<'_> {
    /// Gives the cells their spectrum, if a cell that one of them hears has another block than it.
    pub(super) fn share_spectrum(&mut self, around: &[Block]) {
        let own = self.config.rules.block;
        if let Some(own) = own.filter(|own| around.iter().any(|it| it != own)) {
            self.spectrum = Some(Spectrum::new(self.config, own));
        }
    }

    /// Width that a frame of this cell occupies. Control frames around data are repeated over the width of the data.
    pub(super) fn occupied(&self, frame: &OnAir) -> Width {
        match frame.tx {
            TxVector::Ofdm(_) if frame.is_turn => self.width_of_group(),
            TxVector::Ofdm(_) if frame.kind != FrameKind::Beacon => {
                self.stations[frame.by].plan.as_ref().map_or(Width::Mhz20, |it| it.tx.width())
            }
            tx => tx.width(),
        }
    }

    /// The frame of another cell that occupies these channels, as this cell hears it. `None` if its primary channel stays
    /// free; secondary channels are then busy for the members that hear the frame.
    pub(super) fn hear_on(
        &mut self,
        frame: OnAir,
        (theirs, width): (Option<Block>, Width),
        heard_by: &[bool],
    ) -> Option<OnAir> {
        let (Some(spectrum), Some(theirs)) = (&mut self.spectrum, theirs) else {
            return Some(frame);
        };
        let own: Vec<u8> = spectrum.own.channels().collect();
        let channels = theirs.within(width).channels().filter(|it| own.contains(it));
        let channels: Vec<u8> = channels.collect();
        if channels.contains(&spectrum.own.primary()) {
            let is_alike = theirs.primary() == spectrum.own.primary();
            let fits = |mode: Mode| is_alike && mode.width() <= spectrum.own.width();
            let is_energy = !frame.tx.mode().is_none_or(fits);
            return Some(OnAir { is_energy, ..frame });
        }
        for (member, _) in heard_by.iter().enumerate().filter(|it| *it.1) {
            let busy = spectrum.busy_until[member].iter_mut();
            for (_, until) in busy.filter(|it| channels.contains(&it.0)) {
                *until = frame.end.max(*until);
            }
        }
        let heard_by = heard_by.to_vec();
        spectrum.beside.push(Beside { end: frame.end, channels, heard_by });
        None
    }

    /// Ends frames that have left the primary channel free.
    pub(super) fn end_beside(&mut self, now: u64) {
        if let Some(spectrum) = &mut self.spectrum {
            spectrum.beside.retain(|it| it.end > now);
        }
    }

    /// Marks frames on the air that others on secondary channels destroy.
    pub(super) fn disturb(&mut self) {
        let Some(spectrum) = self.spectrum.as_ref().filter(|it| !it.beside.is_empty()) else {
            return;
        };
        for frame in self.air.iter_mut().filter(|it| it.foreign.is_none()) {
            let is_addressed =
                frame.to < self.config.stations.len() + 1 && frame.kind != FrameKind::CtsToSelf;
            if is_addressed && spectrum.disturbs(frame.tx, frame.to) {
                (frame.is_disturbed, frame.collided) = (true, true);
            }
            for part in &mut frame.parts {
                part.collides |= spectrum.disturbs(frame.tx, part.to);
            }
        }
    }

    /// Lets stations that have won the primary channel find the idle part of the block. Those that need more of it draw
    /// another back-off, which begins with the next slot.
    pub(super) fn heed_secondary(&mut self, now: u64, winners: &mut Vec<usize>) {
        if self.spectrum.is_none() {
            return;
        }
        let (slot, sifs) = (us(self.airtime.timing.slot), us(self.airtime.timing.sifs));
        winners.retain(|id| {
            let member = self.stations[*id].member;
            let next = self.receiver(*id).map(|to| self.vector_between(member, to).width());
            let spectrum = self.spectrum.as_mut().expect("it has one");
            let idle = spectrum.idle_width(now, member, sifs + slot);
            spectrum.widest[member] = idle;
            let fits = |width| width <= idle || spectrum.rule == WidthRule::Dynamic;
            let sends = idle == spectrum.own.width() || next.is_some_and(fits);
            if !sends {
                self.draw(now, *id);
                let s = &mut self.stations[*id];
                let begins =
                    s.access.counts_at_start && s.ready.is_some_and(|it| it.is_multiple_of(slot));
                s.counter += u32::from(!begins);
                (s.pending, s.skips) = (PendingAccess::Backoff, !begins);
            }
            sends
        });
    }

    /// True if a member has won the whole block.
    pub(super) fn has_whole_width(&self, member: usize) -> bool {
        self.spectrum.as_ref().is_none_or(|it| it.widest[member] == it.own.width())
    }

    /// Vector of data from one member to another, no wider than what the sender has won: at the highest MCS up to its own
    /// that the width has.
    pub(super) fn vector_for(&self, from: usize, to: usize) -> TxVector {
        let tx = self.vector_between(from, to);
        let (Some(spectrum), TxVector::Mode(mode)) = (&self.spectrum, tx) else { return tx };
        let width = spectrum.widest[from];
        if mode.width() <= width {
            return tx;
        }
        let of = Parameters { width, ..mode.parameters() };
        let narrow = |mcs| Mode::new(Parameters { mcs, ..of }).ok();
        TxVector::Mode((0..=of.mcs).rev().find_map(narrow).expect("MCS 0 has each width"))
    }
}
