//! Random cells with frames of several users, compared with the model.

use airfair_units::Duration;
use airfair_wlan::multi_user::{MuEdca, MuMimo, MultiUser, MultiUserAck, Ofdma, Scheduler};
use airfair_wlan::phy::{GuardInterval, Standard};
use proptest::prelude::*;

use crate::aggregates::{Case, bursts, happens, with_laws};
use crate::categories::divided;
use crate::model::Happens;
use crate::{Hears, Way, cells_of, changes, changes_in, compare_changing};

const ACKS: [MultiUserAck; 3] =
    [MultiUserAck::Bar, MultiUserAck::MuBar, MultiUserAck::AggregatedMuBar];

/// Schedulers without deadlines, which depend on the times of packets.
const SCHEDULERS: [Scheduler; 3] =
    [Scheduler::RoundRobin, Scheduler::ProportionalFair, Scheduler::LargestBacklog];

/// Random frames of several users. Symbols of trigger-based PPDUs last 16 µs.
fn multi_user() -> impl Strategy<Value = MultiUser> {
    let scheduler = || prop::option::weighted(0.8, prop::sample::select(&SCHEDULERS[..]));
    let trigger = prop::option::of(200_u64..5_000);
    let ofdma = (scheduler(), scheduler(), 1_u16..10, prop::sample::select(&ACKS[..]));
    let random = prop_oneof![1 => Just(0), 1 => 1_u16..9];
    let edca = (0_u8..4, 0_u32..6, 1_u64..4).prop_map(|(aifsn, exponent, units)| MuEdca {
        aifsn,
        cw_min: (1 << exponent) - 1,
        cw_max: (1 << (exponent + 2)) - 1,
        timer: MuEdca::TIMER_UNIT * units,
    });
    (ofdma, trigger, prop::bool::ANY, random, prop::option::of(edca)).prop_map(
        |((down, up, users, ack), trigger, poll, random, mu_edca)| {
            // 20 MHz have nine units.
            let random = random.min(9 - users);
            let trigger_every = trigger.map(Duration::from_micros);
            let of = Ofdma { down, up, users, ack, trigger_every, poll, ..Ofdma::default() };
            let ofdma = Ofdma { up_guard_interval: GuardInterval::Ns3200, random, ..of };
            MultiUser { ofdma: Some(ofdma), mu_edca, mu_mimo: None }
        },
    )
}

/// Random MU-MIMO, with OFDMA or without, and the streams of the access point.
fn mu_mimo() -> impl Strategy<Value = Option<(MuMimo, u8, bool)>> {
    let every = prop::sample::select(&[700_u64, 5_000, 102_400][..]);
    let some = (2_u16..5, every, prop::sample::select(&[2_u8, 4, 8][..]), any::<bool>());
    let some = some.prop_map(|(users, every, streams, has_ofdma)| {
        let sounding_every = Duration::from_micros(every);
        let users = users.min(streams.into());
        (MuMimo { users, sounding_every }, streams, has_ofdma)
    });
    prop::option::of(some)
}

/// Random cells of 802.11ax with frames of several users.
pub(crate) fn cases(hears: Hears) -> impl Strategy<Value = Case> {
    let cells = bursts(cells_of(&[Standard::Ax], hears));
    (cells, multi_user(), mu_mimo())
        .prop_filter("several stations", |((config, ..), ..)| config.stations.len() > 1)
        .prop_map(|(mut case, mut multi_user, mu_mimo)| {
            if let Some((rule, streams, has_ofdma)) = mu_mimo {
                multi_user.mu_mimo = Some(rule);
                multi_user.ofdma = multi_user.ofdma.filter(|_| has_ofdma);
                case.0.rules.channel.streams = streams;
            }
            case.0.rules.multi_user = multi_user;
            case
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// A cell with frames of several users sends the same frames at the same times as the model.
    ///
    /// Verifies: [80211ax-2021 §26.2.7, §26.4.4, §26.5]
    #[test]
    fn frames_of_several_users_go_out_when_a_station_by_station_model_says(
        case in prop_oneof![
            3 => cases(Hears::Everyone),
            2 => cases(Hears::AccessPoint),
            1 => cases(Hears::Noise),
        ]
    ) {
        compare_changing(&case.0, happens(&case), Way::Fixed);
    }

    #[test]
    fn so_they_do_where_members_do_not_sense_each_other(case in cases(Hears::NotAll)) {
        compare_changing(&case.0, happens(&case), Way::Changing);
    }

    #[test]
    fn so_they_do_where_members_have_categories(
        case in prop_oneof![cases(Hears::Everyone), cases(Hears::AccessPoint)]
            .prop_flat_map(divided)
    ) {
        compare_changing(&case.0, happens(&case), Way::Fixed);
    }

    #[test]
    fn so_they_do_where_rate_control_chooses_the_rates(
        case in cases(Hears::AccessPoint).prop_flat_map(with_laws)
    ) {
        compare_changing(&case.0, happens(&case), Way::Fixed);
    }

    #[test]
    fn so_they_do_where_members_come_and_go(
        case in prop_oneof![cases(Hears::AccessPoint), cases(Hears::NotAll)],
        drawn in changes(),
    ) {
        let changes = changes_in(&case.0, &drawn);
        let happens = Happens { changes: &changes, ..happens(&case) };
        compare_changing(&case.0, happens, Way::Changing);
    }
}
