//! Resource unit allocation: the places of units in a PPDU's width, and splits of the width into equal units.
//! [80211ax-2021 §27.3.2, §27.3.11.8.3], [80211be-2024 §36.3.2]
//!
//! A channel of 20 MHz has nine places of 26 tones, of which the middle one lies around its centre. Larger units have
//! fixed positions. In HE, each 80 MHz have one more place in their centre, which only a unit of 26 tones can have.
//!
//! ```text
//!    0   1   2   3   4   5   6   7   8     26 tones
//!   └──0──┘ └──1──┘     └──2──┘ └──3──┘    52 tones
//!   └──────0──────┘     └──────1──────┘   106 tones
//!   └────────────────0────────────────┘   242 tones
//! ```

use std::fmt;
use std::ops::Range;

use super::Width;
use super::format::Format;
use super::unit::Unit;

/// Places of 26 tones in a channel of 20 MHz.
const PLACES: usize = 9;
/// Place around the centre of a channel.
const CENTRE: usize = 4;
/// The two places of each unit of 52 tones in a channel.
const QUARTERS: [Range<usize>; 4] = [0..2, 2..4, 5..7, 7..9];

/// Largest equal units whose number in the width is at most `most`, and their number. The units fill the width but for
/// the [central units](central_units). HE has 9, 4, 2 or 1 at 20 MHz, 18, 8, 4, 2 or 1 at 40 MHz, and 37, 16, 8, 4, 2
/// or 1 at 80 MHz; EHT has 36 of 26 tones at 80 MHz.
///
/// # Panics
/// If `most` is 0.
pub fn equal_units(format: Format, width: Width, most: usize) -> (Unit, usize) {
    assert!(most > 0, "a PPDU has a user");
    let is_plain = |unit: &Unit| !unit.is_multiple() && *unit != Unit::filling(width);
    let units = Unit::of_ofdma(format, width).filter(is_plain);
    let counted = units.map(|unit| (unit, most_units(format, width, unit)));
    counted
        .filter(|(_, count)| *count <= most)
        .max_by_key(|(_, count)| *count)
        .expect("the full width")
}

/// Number of 26-tone units that remain in the centres of channels beside [equal units](equal_units) of this size.
pub fn central_units(format: Format, width: Width, unit: Unit) -> usize {
    let plan = Plan { format, width };
    let of_channels = match unit {
        Unit::Tones52 | Unit::Tones106 => plan.channels(),
        _ => 0,
    };
    let is_narrow = unit.tones(width) < Unit::Tones996.tones(width) && unit != Unit::Tones26;
    of_channels + if is_narrow { plan.centres() } else { 0 }
}

/// Largest number of units of one size in a PPDU of this format and width; 0 if it cannot have the unit.
pub fn most_units(format: Format, width: Width, unit: Unit) -> usize {
    let plan = Plan { format, width };
    if !Unit::of_ofdma(format, width).any(|it| it == unit) {
        return 0;
    }
    match shape(unit.within(width)) {
        Shape::Inside(_) if unit == Unit::Tones26 => plan.channels() * PLACES + plan.centres(),
        Shape::Inside(positions) => {
            let disjoint = if unit == Unit::Tones106And26 { 1 } else { positions.len() };
            plan.channels() * disjoint
        }
        Shape::Channels { span, .. } => plan.channels() / span,
    }
}

/// Unit at its place in a PPDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Unit with its size.
    pub unit: Unit,
    /// Places of 26 tones that the unit covers, in the order of frequency, as one or more ranges. Place 0 is the
    /// lowest; a channel of 20 MHz has nine, and in HE each 80 MHz have one more in their middle.
    pub places: Vec<Range<usize>>,
}

/// Allocation of the width of a PPDU to units that do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    plan: Plan,
    placed: Vec<Placed>,
}

impl Allocation {
    /// Allocation of these units, in any order. Larger units are placed first, each at its lowest free position.
    ///
    /// # Errors
    /// [`IllegalAllocation`] if the width does not hold the units.
    pub fn new(format: Format, width: Width, units: &[Unit]) -> Result<Self, IllegalAllocation> {
        let plan = Plan { format, width };
        let refuse = |unit: Unit| IllegalAllocation::of(format, width, units, unit);
        let mut order: Vec<usize> = (0..units.len()).collect();
        order.sort_by_key(|user| std::cmp::Reverse(rank(units[*user].within(width))));
        let mut free = vec![true; plan.places()];
        let mut placed = vec![None; units.len()];
        for user in order {
            let unit = units[user].within(width);
            let is_known = Unit::of_ofdma(format, width).any(|it| it == units[user]);
            let found = if is_known { plan.take(unit, &mut free) } else { None };
            placed[user] = Some(Placed { unit, places: found.ok_or_else(|| refuse(units[user]))? });
        }
        Ok(Self { plan, placed: placed.into_iter().flatten().collect() })
    }

    /// Units at their places, in the order in which they were given.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// Numbers of user fields in the two content channels of HE-SIG-B or EHT-SIG; at 20 MHz there is only the first.
    /// [80211ax-2021 §27.3.11.8.4]
    ///
    /// The first content channel has the fields of the odd channels of 20 MHz, and the second those of the even ones.
    /// Units of more than one channel go where fewer fields are. A position without a user has a field, too, unless it
    /// is a whole channel, or the centre of a channel without other units of 26 tones.
    pub(super) fn user_fields(&self) -> [usize; 2] {
        let sides = |channel: usize| if self.plan.width == Width::Mhz20 { 0 } else { channel % 2 };
        let mut fields = [0, 0];
        for channel in 0..self.plan.channels() {
            fields[sides(channel)] += self.fields_of(channel);
        }
        let centre = |placed: &&Placed| self.plan.centre_of(placed.places[0].start);
        for segment in self.placed.iter().filter_map(|it| centre(&it)) {
            fields[segment % 2] += 1;
        }
        let is_wide = |placed: &&Placed| placed.unit.tones(self.plan.width) > 242;
        for _ in 0..self.placed.iter().filter(is_wide).count() {
            fields[usize::from(fields[1] < fields[0])] += 1;
        }
        fields
    }

    /// User fields of units within one channel of 20 MHz.
    fn fields_of(&self, channel: usize) -> usize {
        let whole = self.plan.block(channel, 1);
        let inside = |places: &Range<usize>| {
            let is_in = whole.start <= places.start && places.end <= whole.end;
            is_in.then(|| places.start - whole.start..places.end - whole.start)
        };
        let single = self.placed.iter().filter(|it| it.places.len() == 1);
        let units: Vec<Range<usize>> = single.filter_map(|it| inside(&it.places[0])).collect();
        if units.is_empty() {
            return 0;
        }
        let is_taken = |place: usize| units.iter().any(|unit| unit.contains(&place));
        let free = |quarter: &Range<usize>| quarter.clone().filter(|it| !is_taken(*it)).count();
        let halves = QUARTERS.chunks(2).map(|half| match (free(&half[0]), free(&half[1])) {
            // Without users, a half is one field of 106 tones, a quarter one of 52, and a place one of 26.
            (2, 2) => 1,
            (first, second) => first.min(1) + second.min(1),
        });
        let has_smallest = units.iter().any(|unit| unit.len() == 1 && unit.start != CENTRE);
        let centre = usize::from(!is_taken(CENTRE) && has_smallest);
        units.len() + halves.sum::<usize>() + centre
    }
}

/// Order in which units are placed. 52+26 tones come before 106 tones, which leave them no choice.
fn rank(unit: Unit) -> u64 {
    if unit == Unit::Tones52And26 { 107 } else { unit.tones(Width::Mhz20) }
}

/// Geometry of a unit.
enum Shape {
    /// Positions in a channel of 20 MHz, the preferred ones first.
    Inside(&'static [Range<usize>]),
    /// Blocks of whole channels, by their numbers of channels, within `span` channels.
    Channels { span: usize, blocks: &'static [usize] },
}

/// Geometry of a unit other than the full width.
fn shape(unit: Unit) -> Shape {
    use Shape::{Channels, Inside};
    match unit {
        Unit::Tones26 => Inside(&[0..1, 1..2, 2..3, 3..4, 4..5, 5..6, 6..7, 7..8, 8..9]),
        Unit::Tones52 => Inside(&QUARTERS),
        Unit::Tones52And26 => Inside(&[2..5, 5..8]),
        Unit::Tones106 => Inside(&[0..4, 5..9]),
        Unit::Tones106And26 => Inside(&[0..5, 4..9]),
        Unit::Full | Unit::Tones242 => Channels { span: 1, blocks: &[1] },
        Unit::Tones484 => Channels { span: 2, blocks: &[2] },
        Unit::Tones484And242 => Channels { span: 4, blocks: &[2, 1] },
        Unit::Tones996 => Channels { span: 4, blocks: &[4] },
        Unit::Tones996And484 => Channels { span: 8, blocks: &[4, 2] },
        Unit::Tones996And484And242 => Channels { span: 8, blocks: &[4, 2, 1] },
        Unit::Tones2x996 => Channels { span: 8, blocks: &[8] },
        Unit::Tones2x996And484 => Channels { span: 16, blocks: &[4, 4, 2] },
        Unit::Tones3x996 => Channels { span: 16, blocks: &[4, 4, 4] },
        Unit::Tones3x996And484 => Channels { span: 16, blocks: &[4, 4, 4, 2] },
        Unit::Tones4x996 => Channels { span: 16, blocks: &[16] },
    }
}

/// Tone plan of a width, in places of 26 tones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    format: Format,
    width: Width,
}

impl Plan {
    /// Channels of 20 MHz.
    fn channels(self) -> usize {
        usize::from(self.width.mhz() / 20)
    }

    /// Places in the centres of 80 MHz.
    fn centres(self) -> usize {
        if self.format == Format::Eht { 0 } else { self.channels() / 4 }
    }

    fn places(self) -> usize {
        self.channels() * PLACES + self.centres()
    }

    /// Places of `count` channels from `first` on, with the centres between them.
    fn block(self, first: usize, count: usize) -> Range<usize> {
        let start = |channel: usize| channel * PLACES + (channel + 2) / 4 * self.centres().min(1);
        start(first)..start(first + count - 1) + PLACES
    }

    /// Segment of 80 MHz of which `place` is the centre.
    fn centre_of(self, place: usize) -> Option<usize> {
        (0..self.centres()).find(|segment| self.block(4 * segment + 1, 1).end == place)
    }

    /// Takes the lowest free position of a unit; `None` if there is none.
    fn take(self, unit: Unit, free: &mut [bool]) -> Option<Vec<Range<usize>>> {
        let found = match shape(unit) {
            Shape::Inside(positions) => self.inside(unit, positions, free).map(|it| vec![it]),
            Shape::Channels { span, blocks } => (0..self.channels())
                .step_by(span)
                .find_map(|first| self.blocks(first..first + span, blocks, free)),
        }?;
        found.iter().cloned().flatten().for_each(|place| free[place] = false);
        Some(found)
    }

    /// Free position of a unit within a channel or, for 26 tones, in the centre of 80 MHz. Units of 52+26 tones take
    /// the first position in all channels before the second one in any, which leaves less to others.
    fn inside(self, unit: Unit, positions: &[Range<usize>], free: &[bool]) -> Option<Range<usize>> {
        let at = |channel: usize, position: &Range<usize>| {
            let start = self.block(channel, 1).start;
            start + position.start..start + position.end
        };
        let is_free = |places: &Range<usize>| free[places.clone()].iter().all(|it| *it);
        let channels = 0..self.channels();
        if unit == Unit::Tones52And26 {
            let all = positions.iter().flat_map(|it| channels.clone().map(move |at| (at, it)));
            return all.map(|(channel, position)| at(channel, position)).find(is_free);
        }
        let all = channels.flat_map(|it| positions.iter().map(move |position| at(it, position)));
        let centre = |segment: usize| self.block(4 * segment + 1, 1).end;
        let centres = (0..self.centres()).map(|segment| centre(segment)..centre(segment) + 1);
        let centres = centres.filter(|_| unit == Unit::Tones26);
        all.chain(centres).find(is_free)
    }

    /// Free positions of all blocks within these channels.
    fn blocks(
        self,
        channels: Range<usize>,
        blocks: &[usize],
        free: &[bool],
    ) -> Option<Vec<Range<usize>>> {
        let mut free = free.to_vec();
        let mut found = Vec::with_capacity(blocks.len());
        for block in blocks {
            let all = channels.clone().step_by(*block).map(|first| self.block(first, *block));
            let places = all.into_iter().find(|it| free[it.clone()].iter().all(|it| *it))?;
            places.clone().for_each(|place| free[place] = false);
            found.push(places);
        }
        found.sort_unstable_by_key(|it: &Range<usize>| it.start);
        Some(found)
    }
}

/// Error: a width does not hold these units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalAllocation {
    /// Format of the PPDU.
    pub format: Format,
    /// Width of the PPDU.
    pub width: Width,
    /// First unit without a place.
    pub unit: Unit,
    /// All units, which do not fit together.
    pub units: Vec<Unit>,
    /// Units that the width may have, with the largest number of each.
    pub allowed: Vec<(Unit, usize)>,
}

impl IllegalAllocation {
    fn of(format: Format, width: Width, units: &[Unit], unit: Unit) -> Self {
        let all = Unit::of_ofdma(format, width).filter(|it| *it != Unit::Full);
        let allowed = all.map(|it| (it, most_units(format, width, it))).collect();
        Self { format, width, unit, units: units.to_vec(), allowed }
    }
}

impl fmt::Display for IllegalAllocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.format.word().to_uppercase();
        let units: Vec<String> = self.units.iter().map(Unit::to_string).collect();
        let allowed: Vec<String> =
            self.allowed.iter().map(|(unit, most)| format!("{most} of {unit}")).collect();
        let (units, allowed) = (units.join(", "), allowed.join(", "));
        let Self { unit, width, .. } = self;
        write!(f, "{unit} do not fit into {width} of {format} with {units}; at most {allowed}")
    }
}

impl std::error::Error for IllegalAllocation {}

#[cfg(test)]
mod tests;
