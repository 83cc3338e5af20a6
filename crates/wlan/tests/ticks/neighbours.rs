//! Random cells on one channel whose members hear each other or not, compared with the model.

use airfair_wlan::phy::{Band, Block, Width};
use airfair_wlan::{self as wlan, CellConfig, Neighbourhood, WidthRule};
use proptest::prelude::*;

use crate::aggregates::{Case, happens};
use crate::categories::all;
use crate::model::CellMember;
use crate::{Hears, Street, Way, compare_street, multi_user};

/// Relation between members of different cells.
#[derive(Clone, Debug)]
struct Relation {
    /// True if members hear each other, unless they are an exception.
    is_loud: bool,
    /// True if the access points hear no other cell.
    are_access_points_deaf: bool,
    /// Listeners and transmitters that are exceptions: in this direction only, or in both.
    exceptions: Vec<(CellMember, CellMember)>,
    is_mutual: bool,
}

impl Relation {
    /// True if the first member hears the second one, which is in another cell.
    fn hears(&self, listener: CellMember, from: CellMember) -> bool {
        let is_listed = |pair| self.exceptions.contains(&pair);
        let is_exception =
            is_listed((listener, from)) || self.is_mutual && is_listed((from, listener));
        self.is_loud != is_exception && !(self.are_access_points_deaf && listener.1 == 0)
    }
}

fn relations() -> impl Strategy<Value = Relation> {
    let member = || (0usize..3, 0usize..4);
    let exceptions = prop::collection::vec((member(), member()), 0..12);
    let deaf = prop::bool::weighted(0.2);
    (any::<bool>(), deaf, exceptions, any::<bool>()).prop_map(
        |(is_loud, are_access_points_deaf, exceptions, is_mutual)| {
            let exceptions = exceptions.into_iter().filter(|(one, other)| one.0 != other.0);
            let exceptions = exceptions.collect();
            Relation { is_loud, are_access_points_deaf, exceptions, is_mutual }
        },
    )
}

/// Random cells with and without categories, aggregates and frames of several users. They need not be in one band,
/// because only the durations of their frames matter.
fn streets(hears: Hears) -> impl Strategy<Value = (Vec<Case>, Relation)> {
    let cell = prop_oneof![2 => all(hears), 1 => multi_user::cases(hears)];
    (prop::collection::vec(cell, 2..4), relations())
}

/// Cells whose blocks of 20 and 40 MHz overlap.
fn blocks(hears: Hears) -> impl Strategy<Value = (Vec<Case>, Relation)> {
    let place = (prop::sample::select(&[36_u8, 36, 40][..]), any::<bool>());
    let cell = (all(hears), place).prop_map(|(mut case, (primary, is_static))| {
        let rules = &mut case.0.rules;
        let width = rules.standard.format().map_or(Width::Mhz20, |_| rules.channel.width);
        rules.block = Block::of(Band::Ghz5, primary, width).ok();
        rules.width_rule = if is_static { WidthRule::Static } else { WidthRule::Dynamic };
        case
    });
    (prop::collection::vec(cell, 2..4), relations())
}

fn compare_cells((cases, relation): &(Vec<Case>, Relation), way: Way) {
    let mut configs: Vec<CellConfig> = cases.iter().map(|case| case.0.clone()).collect();
    let blocks: Vec<Option<Block>> = configs.iter().map(|config| config.rules.block).collect();
    let overlap = |one: usize, other: usize| match (blocks[one], blocks[other]) {
        (Some(one), Some(other)) => one.overlaps(other),
        _ => true,
    };
    let hears = |listener: CellMember, from: CellMember| {
        overlap(listener.0, from.0) && relation.hears(listener, from)
    };
    let member = |(cell, id): wlan::CellMember| (cell, id.index());
    let neighbourhood = Neighbourhood::new(&mut configs, overlap, |listener, from| {
        hears(member(listener), member(from))
    });
    let cells = configs.iter().zip(cases).map(|(config, case)| (config, happens(case))).collect();
    compare_street(&Street { cells, neighbourhood }, hears, way);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Cells on one channel send the same frames at the same times as their models.
    ///
    /// Verifies: [80211-2020 §10.3.2.1, §10.3.2.3.7, §10.3.2.4, §10.3.4.3]
    #[test]
    fn cells_on_one_channel_send_when_a_station_by_station_model_says(
        street in prop_oneof![
            streets(Hears::Everyone),
            streets(Hears::AccessPoint),
            streets(Hears::Noise),
        ],
        is_fixed in any::<bool>(),
    ) {
        compare_cells(&street, if is_fixed { Way::Fixed } else { Way::Changing });
    }

    #[test]
    fn so_they_do_where_members_of_a_cell_do_not_sense_each_other(
        street in streets(Hears::NotAll),
        is_fixed in any::<bool>(),
    ) {
        compare_cells(&street, if is_fixed { Way::Fixed } else { Way::Changing });
    }

    /// Cells whose blocks overlap send the same frames as their models, in the same widths.
    ///
    /// Verifies: [80211-2020 §10.23.2.5]
    #[test]
    fn so_they_do_where_their_channels_overlap(
        street in prop_oneof![
            blocks(Hears::Everyone),
            blocks(Hears::AccessPoint),
            blocks(Hears::NotAll),
        ],
        is_fixed in any::<bool>(),
    ) {
        compare_cells(&street, if is_fixed { Way::Fixed } else { Way::Changing });
    }
}
