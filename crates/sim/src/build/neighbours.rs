//! Cells that share a channel: which of their members hear each other, by lists or by powers.

use airfair_units::{Dbm, Decibels, Duration};
use airfair_wlan::radio::{Layout, Mobility, Position};
use airfair_wlan::{CellConfig, CellMember, Neighbourhood, NodeId};

use crate::scenario::{Bss, CellRates, Member, Scenario};

/// Thermal noise at 290 K in 20 MHz: k·290 K·20 MHz.
const THERMAL_NOISE: Dbm = Dbm::from_thousandths(-100_965);
/// Ratio of the noise to the power below which a frame of another cell is left out.  Deviates: [D-271]
const BELOW_NOISE: Decibels = Decibels::new(10);
/// Gain by shadowing that a frame of another cell may have [standard deviations].  Deviates: [D-271]
const DEVIATIONS: i64 = 3;

/// Relation between cells that share a channel, whose members get numbers in the cells that hear them.
pub(super) fn neighbourhood(
    scenario: &Scenario,
    configs: &mut [CellConfig],
) -> Option<Neighbourhood> {
    if !scenario.cells.iter().any(|bss| bss.channel.is_some()) {
        return None;
    }
    let mut stations = vec![Vec::new(); scenario.cells.len()];
    for (index, station) in scenario.stations.iter().enumerate() {
        stations[station.cell].push(index);
    }
    let places: Vec<Option<Places>> = scenario
        .cells
        .iter()
        .zip(&stations)
        .map(|(bss, stations)| Places::of(scenario, bss, stations))
        .collect();
    let blocks: Vec<_> = scenario.cells.iter().map(Bss::block).collect();
    let admitted = scenario.admitted_cells();
    let may_hear = |one: usize, other: usize| {
        let admits =
            |one: usize, other| admitted[one].as_ref().is_none_or(|it| it.contains(&other));
        let overlap = blocks[one].zip(blocks[other]).is_some_and(|(own, it)| own.overlaps(it));
        overlap
            && match (&places[one], &places[other]) {
                (Some(own), Some(other)) => own.may_receive(other),
                _ => admits(one, other) && admits(other, one),
            }
    };
    let member = |(cell, node): CellMember| match node.index().checked_sub(1) {
        None => Member::AccessPoint(cell),
        Some(place) => Member::Station(stations[cell][place]),
    };
    let hears = |one: CellMember, other: CellMember| match (&places[one.0], &places[other.0]) {
        (Some(own), Some(from)) => own.receives(one.1, (from, other.1)),
        _ => scenario.hears(member(one), member(other)),
    };
    for config in &mut *configs {
        config.rules.cca_time = cca_time(config);
    }
    Neighbourhood::new(configs, may_hear, hears)
}

/// Time in which the PHY of a cell finds out that a frame has started: aCCATime of DSSS with its long slot, otherwise
/// that of OFDM.  [80211-2020 Table 15-5, Table 17-21, Table 18-5]
fn cca_time(config: &CellConfig) -> Duration {
    const LONG_SLOT: Duration = Duration::from_micros(20);
    let timing = config.rules.timing(config.stations.iter().map(|it| it.standard));
    Duration::from_micros(if timing.slot == LONG_SLOT { 15 } else { 4 })
}

/// Members of a cell with a radio in the plane of all cells.
struct Places {
    /// Layout of the cell without its stations.
    layout: Layout,
    /// Position of each member that does not move.
    members: Vec<Option<Position>>,
    /// Largest distance of a member from the access point [m]; infinite if one moves.
    radius: f64,
    /// Smallest power without shadowing with which a frame of another cell counts.
    least: Dbm,
}

impl Places {
    /// Members of a cell, of which `stations` are the stations; `None` if it has no radio.
    fn of(scenario: &Scenario, bss: &Bss, stations: &[usize]) -> Option<Self> {
        let radio = bss.radio.as_ref()?;
        let rates = CellRates::of(bss.rules.standard, bss.rules.channel);
        let (layout, origin) = (radio.layout(rates, Vec::new(), Vec::new()), bss.ap.origin());
        let position = |index: &usize| {
            let way = scenario.stations[*index].trajectory.as_ref().expect("a cell with a radio");
            let Mobility::Fixed(Position { x, y }) = way.mobility() else { return None };
            Some(Position { x: origin.x + x, y: origin.y + y })
        };
        let members: Vec<Option<Position>> =
            std::iter::once(Some(origin)).chain(stations.iter().map(position)).collect();
        let distance = |it: &Option<Position>| it.map_or(f64::INFINITY, |it| it.distance(origin));
        let radius = members.iter().map(distance).fold(0.0, f64::max);
        let shadowing = Decibels::from_thousandths(DEVIATIONS * layout.shadowing.as_thousandths());
        let noticed = THERMAL_NOISE + radio.noise_figure - BELOW_NOISE;
        let least = noticed.min(layout.radio.carrier_sense) - shadowing;
        Some(Self { layout, members, radius, least })
    }

    /// True if a frame of member `from` of another cell can count at member `to` of this one. A member that moves counts
    /// always.
    fn receives(&self, to: NodeId, (other, from): (&Self, NodeId)) -> bool {
        let (here, there) = (self.members[to.index()], other.members[from.index()]);
        let Some((here, there)) = here.zip(there) else { return true };
        let Layout { radio, between, .. } = &self.layout;
        let path_loss = if to.is_ap() == from.is_ap() { between } else { &radio.path_loss };
        self.counts(other, path_loss.loss(here.distance(there)))
    }

    /// False if the distance between the access points excludes that a frame of another cell counts in this one.
    fn may_receive(&self, other: &Self) -> bool {
        let apart = self.members[0].zip(other.members[0]).map_or(0.0, |(a, b)| a.distance(b));
        let nearest = (apart - self.radius - other.radius).max(0.0);
        let Layout { radio, between, .. } = &self.layout;
        self.counts(other, radio.path_loss.loss(nearest).min(between.loss(nearest)))
    }

    /// True if a frame of another cell counts in this one after this path loss.
    fn counts(&self, other: &Self, loss: Decibels) -> bool {
        let power = other.layout.transmit_power - loss - self.layout.walls - other.layout.walls;
        power >= self.least
    }
}
