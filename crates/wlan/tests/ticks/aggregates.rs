//! Random cells in which some links aggregate, compared with the model.

use airfair_laws::arf::{self, Timer};
use airfair_laws::{Direction, minstrel_ht};
use airfair_units::{Bytes, Duration};
use airfair_wlan::aggregation::{Agreement, BlockAckWindow};
use airfair_wlan::block_ack::AfterSilence;
use airfair_wlan::phy::mode::Format;
use airfair_wlan::{Cell, CellConfig, NodeId, RateLaw, StationConfig};
use proptest::prelude::*;

use crate::model::{Agreed, Announced, Arrival, Happens};
use crate::{Audience, Hears, Packet, Way, cells, compare_changing, compare_ways};

/// Sets the aggregation agreements between the access point and its stations, in both directions of each link.
pub(crate) fn agree(cell: &mut Cell<Packet>, agreed: &[Option<Agreed>]) {
    for (index, agreed) in agreed.iter().enumerate() {
        let Some(Agreed { format, octets, amsdu, mpdus, window, asks }) = *agreed else { continue };
        let window = match window {
            1 => BlockAckWindow::Single,
            64 => BlockAckWindow::Mpdus64,
            _ => BlockAckWindow::Mpdus256,
        };
        let mut agreement = Agreement::of(format, window);
        if amsdu > 0 && window == BlockAckWindow::Single {
            agreement = Agreement::without_block_ack(format, Bytes::new(amsdu));
        } else if amsdu > 0 {
            agreement = agreement.with_amsdu(format, Bytes::new(amsdu));
        }
        agreement.limits.max_bytes = Bytes::new(octets);
        agreement.limits.max_mpdus = u16::try_from(mpdus).expect("a window");
        if asks {
            agreement.after_silence = AfterSilence::Request;
        }
        for direction in [Direction::Up, Direction::Down] {
            cell.agree(NodeId::station(index), direction, agreement);
        }
    }
}

/// Random aggregation agreements of the stations whose standard has aggregation.
fn links(config: &CellConfig) -> impl Strategy<Value = Vec<Option<Agreed>>> + use<> {
    let formats: Vec<Option<Format>> =
        config.stations.iter().map(|it| it.link.map(|link| link.format.format)).collect();
    let octets = prop_oneof![100_u64..70_000, Just(65_535)];
    let mpdus = prop_oneof![1_usize..5, 1_usize..65, Just(64)];
    let windows = prop::sample::select(&[1_u64, 64, 64, 256, 256][..]);
    let amsdu = prop::sample::select(&[0_u64, 0, 3_839, 7_935, 11_398][..]);
    let link = (octets, mpdus, windows, prop::bool::weighted(0.3), amsdu);
    let links = prop::collection::vec(prop::option::weighted(0.8, link), formats.len());
    links.prop_map(move |links| {
        let agree = |(format, link): (&Option<Format>, _)| {
            let (octets, mpdus, window, asks, amsdu) = link?;
            let format = (*format)?;
            // A PSDU of HT has at most 65 535 octets.  [80211-2020 Table 19-25]
            let octets = if format == Format::Ht { u64::min(octets, 65_535) } else { octets };
            let mpdus = if window == 1 { 1 } else { mpdus };
            let asks = asks && window > 1;
            Some(Agreed { format, octets, amsdu, mpdus, window, asks })
        };
        formats.iter().zip(links).map(agree).collect()
    })
}

/// Rate control of a link, if any: ARF that changes its rate soon, or, for links of HT or later, Minstrel-HT whose
/// intervals are shorter than the run.
fn law(kind: u8, seed: u64, station: &StationConfig) -> Option<RateLaw> {
    let quick = minstrel_ht::Params {
        interval: Duration::from_millis(5),
        sample_interval: Duration::from_millis(2),
        attempts: 2 + kind % 3,
        ..minstrel_ht::Params::default()
    };
    match (kind, station.link) {
        (0..3, Some(_)) => Some(RateLaw::MinstrelHt { params: quick, seed }),
        (3, _) => Some(RateLaw::Arf(arf::Params {
            up: 2,
            timer: Timer::Attempts(5),
            ..arf::Params::default()
        })),
        _ => None,
    }
}

/// The cell of `case`, with random rate control of its stations.
pub(crate) fn with_laws(case: Case) -> impl Strategy<Value = Case> {
    let laws = prop::collection::vec(
        [(0u8..6, any::<u64>()), (0u8..6, any::<u64>())],
        case.0.stations.len(),
    );
    laws.prop_map(move |laws| {
        let mut case = case.clone();
        for (station, laws) in case.0.stations.iter_mut().zip(laws) {
            station.adaptation = laws.map(|(kind, seed)| law(kind, seed, station));
        }
        case
    })
}

pub(crate) type Case = (CellConfig, Vec<Option<Agreed>>, Vec<Arrival>, Vec<Announced>);

/// Random cells with bursts of packets, also of legacy standards and with legacy stations.
pub(crate) fn cases(hears: Hears) -> impl Strategy<Value = Case> {
    bursts(cells(hears)).prop_flat_map(with_laws)
}

/// The cells of these arrivals, with aggregates and bursts of packets.
pub(crate) fn bursts(
    cells: impl Strategy<Value = (CellConfig, Vec<Arrival>, Vec<Announced>)>,
) -> impl Strategy<Value = Case> {
    cells.prop_flat_map(|(config, arrivals, beacons)| {
        let bursts = prop::collection::vec(1_usize..40, arrivals.len());
        (links(&config), bursts).prop_map(move |(agreed, bursts)| {
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

    /// A cell in which some links aggregate sends the same frames at the same times as the model.
    ///
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
