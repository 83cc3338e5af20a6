//! Cells in which some links aggregate, against the model.

use airfair_laws::Direction;
use airfair_units::Bytes;
use airfair_wlan::aggregation::{Agreement, Window};
use airfair_wlan::block_ack::AfterSilence;
use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::{GuardInterval, Mode, Standard, TxVector, Width};
use airfair_wlan::{Cell, CellConfig, Channel, NodeId};
use proptest::prelude::*;

use crate::model::{Agreed, Announced, Arrival, Happens};
use crate::{Audience, Hears, Packet, Way, cells, compare_changing, compare_ways};

/// Makes the agreements of a cell.
pub(crate) fn agree(cell: &mut Cell<Packet>, agreed: &[Option<Agreed>]) {
    for (index, agreed) in agreed.iter().enumerate() {
        let Some(Agreed { mode, octets, mpdus, window, asks }) = *agreed else { continue };
        let window = if window == 64 { Window::Mpdus64 } else { Window::Mpdus256 };
        let mut agreement = Agreement::of(mode.format(), window);
        agreement.limits.max_bytes = Bytes::new(octets);
        agreement.limits.max_mpdus = u16::try_from(mpdus).expect("a window");
        if asks {
            agreement.after_silence = AfterSilence::Request;
        }
        for direction in [Direction::Up, Direction::Down] {
            cell.set_vector(NodeId::station(index), direction, TxVector::Mode(mode));
            cell.agree(NodeId::station(index), direction, agreement);
        }
    }
}

/// Links whose frames last whole microseconds: HT and VHT with the long guard interval.
fn links(count: usize) -> impl Strategy<Value = Vec<Option<Agreed>>> {
    let modes: Vec<Mode> = [Format::Ht, Format::Vht]
        .into_iter()
        .flat_map(|format| Mode::all(format, Width::Mhz20, GuardInterval::Ns800))
        .filter(|mode| mode.streams() < 3)
        .collect();
    let octets = prop_oneof![100_u64..70_000, Just(65_535)];
    let mpdus = prop_oneof![1_usize..5, 1_usize..65, Just(64)];
    let link =
        (prop::sample::select(modes), octets, mpdus, prop::bool::ANY, prop::bool::weighted(0.3))
            .prop_map(|(mode, octets, mpdus, is_wide, asks)| {
                let window = if is_wide { 256 } else { 64 };
                Agreed { mode, octets, mpdus, window, asks }
            });
    prop::collection::vec(prop::option::weighted(0.8, link), count)
}

pub(crate) type Case = (CellConfig, Vec<Option<Agreed>>, Vec<Arrival>, Vec<Announced>);

/// A cell of stations of 802.11ac in either band, with bursts of packets.
pub(crate) fn cases(hears: Hears) -> impl Strategy<Value = Case> {
    cells(hears).prop_flat_map(|(mut config, arrivals, beacons)| {
        let (standard, band) = (Standard::Ac, config.rules.standard.band());
        (config.rules.standard, config.rules.channel) = (standard, Channel::at(standard, band));
        for station in &mut config.stations {
            station.standard = standard;
            let lowest = standard.rates()[0].into();
            (station.rate_up, station.rate_down) = (lowest, lowest);
        }
        config.rules.basic_rates = config.rules.legacy().default_basic_rates(false);
        let bursts = prop::collection::vec(1_usize..40, arrivals.len());
        (links(config.stations.len()), bursts).prop_map(move |(agreed, bursts)| {
            let repeat = |(arrival, count): (&Arrival, usize)| vec![*arrival; count];
            let arrivals = arrivals.iter().zip(bursts).flat_map(repeat).take(400).collect();
            (config.clone(), agreed, arrivals, beacons.clone())
        })
    })
}

pub(crate) fn happens((_, agreed, arrivals, beacons): &Case) -> Happens<'_> {
    Happens { agreed, arrivals, changes: &[], beacons }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Verifies: [80211-2020 §10.12, §10.25]
    #[test]
    fn aggregates_go_out_when_a_station_by_station_model_says(
        case in prop_oneof![cases(Hears::Everyone), cases(Hears::AccessPoint), cases(Hears::Noise)]
    ) {
        compare_changing(&case.0, happens(&case), Way::Fixed);
    }

    #[test]
    fn so_they_do_where_members_do_not_sense_each_other(case in cases(Hears::NotAll)) {
        compare_changing(&case.0, happens(&case), Way::Changing);
    }

    #[test]
    fn aggregates_that_nobody_wants_to_see_are_told_of_the_same(
        case in prop_oneof![cases(Hears::Everyone), cases(Hears::AccessPoint), cases(Hears::Noise)]
    ) {
        for audience in [Audience::Listeners, Audience::Nobody] {
            let ways = [Audience::Monitor, audience].map(|audience| (Way::Fixed, audience));
            compare_ways(&case.0, happens(&case), ways);
        }
        let ways = [Way::Fixed, Way::Changing].map(|way| (way, Audience::Monitor));
        compare_ways(&case.0, happens(&case), ways);
    }
}
