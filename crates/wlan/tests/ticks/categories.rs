//! Random cells whose members have access categories, compared with the model.

use airfair_wlan::edca::AccessCategory;
use airfair_wlan::{AccessParameters, CellConfig};
use proptest::prelude::*;

use crate::aggregates::{Case, cases, happens};
use crate::{Audience, Hears, Way, accesses, cells, compare_changing, compare_ways};

type Categories = Vec<(AccessCategory, AccessParameters)>;

/// Random access categories of a member, or none. Most count slots as EDCA does, a few as the DCF does.
fn categories() -> impl Strategy<Value = Categories> {
    let access = (accesses(), prop::bool::weighted(0.8))
        .prop_map(|(access, counts_at_start)| AccessParameters { counts_at_start, ..access });
    prop::collection::vec(prop::option::weighted(0.6, access), 4).prop_map(|accesses| {
        let all = AccessCategory::ALL.into_iter().zip(accesses);
        all.filter_map(|(category, access)| Some((category, access?))).collect()
    })
}

/// Random cases like `case`, in which members have random access categories and packets come in all categories.
pub(crate) fn divided(case: Case) -> impl Strategy<Value = Case> {
    let (config, agreed, arrivals, beacons) = case;
    let of = prop::collection::vec(categories(), config.stations.len() + 1);
    let each = prop::collection::vec(0..AccessCategory::ALL.len(), arrivals.len());
    (of, each).prop_map(move |(mut of, each)| {
        let (mut config, mut arrivals): (CellConfig, _) = (config.clone(), arrivals.clone());
        config.ap_categories = of.pop().unwrap_or_default();
        for (station, categories) in config.stations.iter_mut().zip(of) {
            station.categories = categories;
        }
        for (arrival, category) in arrivals.iter_mut().zip(each) {
            arrival.category = AccessCategory::ALL[category];
        }
        (config, agreed.clone(), arrivals, beacons.clone())
    })
}

/// Random cells with access categories, with and without aggregates.
pub(crate) fn all(hears: Hears) -> impl Strategy<Value = Case> {
    let alone = cells(hears).prop_map(|(config, arrivals, beacons)| {
        let agreed = vec![None; config.stations.len()];
        (config, agreed, arrivals, beacons)
    });
    prop_oneof![2 => alone, 1 => cases(hears)].prop_flat_map(divided)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A cell with access categories sends the same frames at the same times as the model.
    ///
    /// Verifies: [80211-2020 §10.23.2.2, §10.23.2.4, §10.23.2.8]
    #[test]
    fn categories_go_out_when_a_station_by_station_model_says(
        case in prop_oneof![all(Hears::Everyone), all(Hears::AccessPoint), all(Hears::Noise)]
    ) {
        compare_changing(&case.0, happens(&case), Way::Fixed);
    }

    #[test]
    fn so_they_do_where_members_do_not_sense_each_other(case in all(Hears::NotAll)) {
        compare_changing(&case.0, happens(&case), Way::Changing);
    }

    /// Listeners of a cell with access categories receive the same frames however contenders are grouped and whether or
    /// not PPDUs are constructed.
    #[test]
    fn categories_are_told_of_the_same(
        case in prop_oneof![all(Hears::Everyone), all(Hears::AccessPoint), all(Hears::Noise)]
    ) {
        for audience in [Audience::Listeners, Audience::Nobody] {
            let ways = [Audience::Monitor, audience].map(|audience| (Way::Fixed, audience));
            compare_ways(&case.0, happens(&case), ways);
        }
        let ways = [Way::Fixed, Way::Changing].map(|way| (way, Audience::Monitor));
        compare_ways(&case.0, happens(&case), ways);
    }
}
