//! Channel access, aggregates, wires and flows that the owner of a world changes during a run.

use std::fmt::Write as _;

use airfair_sim::clock::FreeRunning;
use airfair_sim::link::LinkId;
use airfair_sim::metrics::Metrics;
use airfair_sim::not_allowed::NotAllowed;
use airfair_sim::outcome::Outcome;
use airfair_sim::packet::{FlowId, Side};
use airfair_sim::random::Streams;
use airfair_sim::scenario::Scenario;
use airfair_sim::world::{AggregateLimits, Direction, Pause, WindowLimit, World};
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::edca::AccessCategory;

use crate::common::{SATURATED, TCP, parse, run_once, uploads};

type Driven = World<Metrics, FreeRunning>;

/// Change of a setting.
type Set = fn(&mut Driven) -> Result<(), NotAllowed>;

/// A run of `scenario` whose owner calls `set` after each of the `steps` [ns].
fn stepped(scenario: &Scenario, steps: &[u64], mut set: impl FnMut(&mut Driven)) -> Outcome {
    let mut world = World::new(scenario, Streams::new(1, 0), Metrics::new(scenario), FreeRunning);
    for step in steps {
        assert_eq!(world.advance(world.now() + Duration::from_nanos(*step)), Pause::Reached);
        set(&mut world);
    }
    assert_eq!(world.advance(Time::ZERO + scenario.duration), Pause::Reached);
    world.finish().recorder.finish(scenario)
}

/// A run whose owner calls `set` at the start.
fn driven(scenario: &Scenario, set: impl FnMut(&mut Driven)) -> Outcome {
    stepped(scenario, &[0], set)
}

/// Cells whose contenders (queues of members that compete for the channel) count slots together or alone, are hidden
/// from each other, or have access categories and aggregates.
fn cells() -> Vec<Scenario> {
    let up = |cell: &str, stations: &str| {
        let category = if cell.contains("802.11ax") { "dscp = 46" } else { "" };
        let mut text =
            format!("duration = \"300 ms\"\nseries = \"off\"\n[bss.cell]\n{cell}\n[host.h]\n");
        for (index, keys) in (1..).zip(stations.split(';')) {
            let _ = write!(
                text,
                "[station.s{index}]\n{keys}\n[flow.up{index}]\nfrom = \"s{index}\"\nto = \"h\"\n\
                 transport = {SATURATED}\n[flow.down{index}]\nfrom = \"h\"\nto = \"s{index}\"\n\
                 transport = {TCP}\n{category}\n"
            );
        }
        parse(&text)
    };
    let position = |at: u32| format!("position = [\"{at} m\", \"0 m\"]\nrate = \"6 Mb/s\"");
    vec![
        up("standard = \"802.11b\"", "rate = \"11 Mb/s\";rate = \"1 Mb/s\";"),
        up("standard = \"802.11g\"", "rate = \"54 Mb/s\";hidden_from = [\"s1\"];"),
        up("standard = \"802.11ax\"", "rate = \"he-mcs7x1\";rate = \"he-mcs0x1\";"),
        up(
            "standard = \"802.11a\"\nradio = { propagation = { model = \"log-distance\", exponent = 3 } }",
            &[5, 60, 200].map(position).join(";"),
        ),
    ]
}

/// Sets each setting of each member to the value that it has.
fn set_all_to_what_they_are(world: &mut Driven, scenario: &Scenario) {
    let members = (0..scenario.stations.len()).map(|it| world.station(it));
    let members: Vec<_> = members.chain([world.access_point(0)]).collect();
    let defaults = [AccessCategory::BestEffort, AccessCategory::Voice];
    for member in members {
        for category in defaults {
            let aifsn = if category == AccessCategory::Voice { 2 } else { 3 };
            let aifsn = if is_edca(scenario) { aifsn } else { 2 };
            assert_eq!(world.set_aifsn(member, Some(category), aifsn), Ok(()));
        }
    }
    for station in (0..scenario.stations.len()).map(|it| world.station(it)).collect::<Vec<_>>() {
        let same = world.set_aggregate_limits(station, Direction::Up, AggregateLimits::default());
        let has_aggregates = scenario.stations[0].link.is_some();
        assert_eq!(same, if has_aggregates { Ok(()) } else { Err(NotAllowed::NoAggregates) });
    }
    world.set_link_rate(LinkId::forth(0), scenario.links[0].rate);
}

fn is_edca(scenario: &Scenario) -> bool {
    scenario.cells[0].rules.standard.format().is_some() || scenario.categories().len() > 1
}

/// A contender whose AIFSN was set counts alone, outside of its group, and a changed link has no cached times. Neither
/// may change a record, at whatever moment it happens.
#[test]
fn a_setting_to_the_value_that_holds_changes_no_record() {
    for (index, scenario) in cells().iter().enumerate() {
        let plain = run_once(scenario, 0).record_hash;
        for first in [0, 1, 977, 50_111, 333_333] {
            let steps: Vec<u64> = (1..40).map(|it| first + it * it * 3_517).collect();
            let set = stepped(scenario, &steps, |world| set_all_to_what_they_are(world, scenario));
            assert_eq!(set.record_hash, plain, "cell {index}, first step {first}");
        }
    }
}

#[test]
fn channel_access_that_is_set_at_the_start_is_that_of_the_scenario() {
    let text = |keys: &str| {
        parse(&format!(
            "duration = \"500 ms\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11a\"\n\
             [station.one]\n{keys}\n[station.two]\n[host.h]\n\
             [flow.one]\nfrom = \"one\"\nto = \"h\"\ntransport = {SATURATED}\n\
             [flow.two]\nfrom = \"two\"\nto = \"h\"\ntransport = {SATURATED}\n"
        ))
    };
    let plain = text("");
    let settings: [(&str, Set); 4] = [
        ("edca = { cw_min = 63, cw_max = 255 }", |it| {
            it.set_contention_window(it.station(0), None, (63, 255))
        }),
        ("edca = { cw_min = 3, cw_max = 3 }", |it| {
            it.set_contention_window(it.station(0), Some(AccessCategory::BestEffort), (3, 3))
        }),
        ("edca = { aifsn = 7 }", |it| it.set_aifsn(it.station(0), None, 7)),
        ("edca = { txop_limit = \"3008 us\" }", |it| {
            it.set_txop_limit(it.station(0), None, Duration::from_micros(3_008))
        }),
    ];
    for (keys, set) in settings {
        let set = driven(&plain, |world| assert_eq!(set(world), Ok(()), "{keys}"));
        assert_eq!(set.record_hash, run_once(&text(keys), 0).record_hash, "{keys}");
        assert_ne!(set.record_hash, run_once(&plain, 0).record_hash, "{keys}");
    }
}

/// The mean of the draws from a window of 0 … 20 is 10 slots of 9 µs, which no window of 2^k - 1 has.
#[test]
fn a_window_need_not_be_a_power_of_two() {
    let scenario = parse(&uploads("standard = \"802.11a\"", &["54 Mb/s"], SATURATED, 2));
    let frames = |window: u16| {
        let outcome = driven(&scenario, |world| {
            assert_eq!(
                world.set_contention_window(world.station(0), None, (window, window)),
                Ok(())
            );
        });
        outcome.stations[0].radio.frames
    };
    let [fifteen, twenty, thirty_one] = [15, 20, 31].map(frames);
    #[expect(clippy::cast_precision_loss, reason = "counts of a short run")]
    let period = |frames: u64| 2e6 / frames as f64;
    // 2.5 slots of 9 µs lie between the means of 15 and 20, and 5.5 between those of 20 and 31.
    assert!((period(twenty) - period(fifteen) - 22.5).abs() < 2.0, "{fifteen} {twenty}");
    assert!((period(thirty_one) - period(twenty) - 49.5).abs() < 2.0, "{twenty} {thirty_one}");
}

#[test]
fn aggregates_that_are_set_at_the_start_are_those_of_the_scenario() {
    let text = |keys: &str| {
        let cell = format!("standard = \"802.11n\"\n{keys}");
        parse(&uploads(&cell, &["ht-mcs7"], SATURATED, 1))
    };
    let plain = text("");
    for (keys, limits) in [
        (
            "aggregation = { max_bytes = \"8000 B\" }",
            AggregateLimits { bytes: Some(Bytes::new(8_000)), ..Default::default() },
        ),
        (
            "aggregation = { max_duration = \"1 ms\" }",
            AggregateLimits { duration: Some(Duration::from_millis(1)), ..Default::default() },
        ),
    ] {
        let set = driven(&plain, |world| {
            for direction in [Direction::Up, Direction::Down] {
                let station = world.station(0);
                assert_eq!(world.set_aggregate_limits(station, direction, limits), Ok(()));
            }
        });
        assert_eq!(set.record_hash, run_once(&text(keys), 0).record_hash, "{keys}");
        assert_ne!(set.record_hash, run_once(&plain, 0).record_hash, "{keys}");
    }
    // Three MPDUs of 1540 octets per aggregate.
    let three = driven(&plain, |world| {
        let limits = AggregateLimits { mpdus: Some(3), ..Default::default() };
        assert_eq!(world.set_aggregate_limits(world.station(0), Direction::Up, limits), Ok(()));
        let none = AggregateLimits { mpdus: Some(0), ..Default::default() };
        let refused = world.set_aggregate_limits(world.station(0), Direction::Up, none);
        assert!(matches!(refused, Err(NotAllowed::OutOfRange(_))));
    });
    let radio = &three.stations[0].radio;
    assert_eq!(radio.aggregated_mpdus, 3 * radio.aggregates);
}

/// Limits of aggregates and the rate of a wire that are set in the middle of a run replace the times and sizes that were
/// computed before. The measured time begins later: each aggregate then has three MPDUs, and the wire carries 3 Mb/s.
#[test]
fn what_is_set_in_the_middle_replaces_what_was_computed_before() {
    let measured = |text: String| {
        parse(&text.replacen("duration = \"2 s\"", "duration = \"2 s\"\nwarmup = \"1 s\"", 1))
    };
    let aggregates = measured(uploads("standard = \"802.11n\"", &["ht-mcs7"], SATURATED, 2));
    let outcome = stepped(&aggregates, &[500_000_000], |world| {
        let limits = AggregateLimits { mpdus: Some(3), ..Default::default() };
        assert_eq!(world.set_aggregate_limits(world.station(0), Direction::Up, limits), Ok(()));
    });
    let radio = &outcome.stations[0].radio;
    assert!(radio.aggregates > 100);
    assert_eq!(radio.aggregated_mpdus, 3 * radio.aggregates);

    let wire = measured(uploads("standard = \"802.11a\"", &["54 Mb/s"], SATURATED, 2));
    let outcome = stepped(&wire, &[500_000_000], |world| {
        // Packets go from the access point to the host, against the heading of the host's own link.
        world.set_link_rate(LinkId::forth(0).reversed(), DataRate::from_mbps(3));
    });
    // 250 packets of 1500 octets are 3 Mb.
    let packets = outcome.flows[0].delivered.get() / 1_472;
    assert!((249..=251).contains(&packets), "{packets}");
}

/// Two downloads at equal rates; the weights are 256 and 768.
#[test]
fn a_station_of_three_times_the_weight_has_three_times_the_airtime() {
    let text = |queue: &str| {
        format!(
            "duration = \"5 s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11n\"\nap.queue = {{ {queue} }}\n\
             [station.one]\n[station.two]\n[host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"0 s\" }}\n\
             [flow.one]\nfrom = \"h\"\nto = \"one\"\ntransport = {SATURATED}\n\
             [flow.two]\nfrom = \"h\"\nto = \"two\"\ntransport = {SATURATED}\n"
        )
    };
    let set = |world: &mut Driven, weight| world.set_airtime_weight(world.station(1), weight);
    let airtime = parse(&text("discipline = \"airtime\""));
    let outcome = driven(&airtime, |world| {
        assert!(matches!(set(world, 0), Err(NotAllowed::OutOfRange(_))));
        assert_eq!(set(world, 768), Ok(()));
    });
    let [one, two] = [0, 1].map(|it: usize| outcome.stations[it].airtime_data_down.as_secs_f64());
    assert!((two / one - 3.0).abs() < 0.1, "{one} s and {two} s");
    let fifo = parse(&text("packets = 50"));
    driven(&fifo, |world| assert_eq!(set(world, 768), Err(NotAllowed::NoAirtimeWeights)));
}

#[test]
fn a_wire_whose_rate_is_set_at_the_start_is_that_of_the_scenario() {
    let text = |rate: &str| {
        let upload = uploads("standard = \"802.11a\"", &["54 Mb/s"], TCP, 1);
        parse(&upload.replace("100 Mb/s", rate))
    };
    let (fast, slow) = (text("100 Mb/s"), text("3 Mb/s"));
    let set = driven(&fast, |world| {
        for link in [LinkId::forth(0), LinkId::forth(0).reversed()] {
            world.set_link_rate(link, DataRate::from_mbps(3));
        }
    });
    assert_eq!(set.record_hash, run_once(&slow, 0).record_hash);
}

/// A flow that the owner of a world starts and stops has the records of a flow with the same `start` and `stop` in the
/// scenario. Nothing else happens at these times.
#[test]
fn a_flow_that_the_owner_starts_and_stops_is_as_one_with_a_start_and_a_stop() {
    for transport in [TCP, SATURATED, "{ kind = \"tfrc\" }"] {
        let text = |keys: &str| {
            let upload = uploads("standard = \"802.11a\"", &["54 Mb/s"], transport, 1);
            parse(&upload.replace("to = \"server\"", &format!("to = \"server\"\n{keys}")))
        };
        let planned = text("start = \"200000001 ns\"\nstop = \"600000001 ns\"");
        let owned = text("start = \"900 ms\"");
        let flow = FlowId(0);
        let mut changes = 0;
        let set = stepped(&owned, &[200_000_001, 400_000_000], |world| {
            changes += 1;
            if changes == 1 {
                assert_eq!(world.stop_flow(flow), Err(NotAllowed::IsNotOpen));
                assert_eq!(world.start_flow(flow), Ok(()));
            } else {
                assert_eq!(world.start_flow(flow), Err(NotAllowed::HasStarted));
                assert_eq!(world.stop_flow(flow), Ok(()));
                assert_eq!(world.stop_flow(flow), Err(NotAllowed::IsNotOpen));
            }
        });
        let planned = run_once(&planned, 0);
        assert!(planned.flows[0].packets_received > 100, "{transport}");
        assert_eq!(set.record_hash, planned.record_hash, "{transport}");
    }
}

#[test]
fn limits_of_flows_are_refused_where_the_transport_has_none() {
    let scenario =
        |transport| parse(&uploads("standard = \"802.11a\"", &["54 Mb/s"], transport, 1));
    let (flow, rate) = (FlowId(0), Some(DataRate::from_mbps(1)));
    let tcp = driven(&scenario(TCP), |world| {
        let octets = WindowLimit::Octets(Bytes::new(3_000));
        assert_eq!(world.set_window_limit(flow, Side::Receiver, octets), Ok(()));
        assert_eq!(world.set_window_limit(flow, Side::Receiver, WindowLimit::None), Ok(()));
        assert_eq!(world.set_window_limit(flow, Side::Sender, WindowLimit::Segments(2)), Ok(()));
        let segments = world.set_window_limit(flow, Side::Receiver, WindowLimit::Segments(2));
        assert_eq!(segments, Err(NotAllowed::NoWindow));
        assert_eq!(world.set_rate_limit(flow, Side::Sender, rate), Err(NotAllowed::NoRate));
    });
    // Two segments of 1460 octets per round trip of at least 4 ms.
    assert!(tcp.flows[0].delivered.bits() < 2 * 1_460 * 8 * 250, "{:?}", tcp.flows[0].delivered);
    let tfrc = driven(&scenario("{ kind = \"tfrc\" }"), |world| {
        assert_eq!(world.set_rate_limit(flow, Side::Sender, rate), Ok(()));
        let window = world.set_window_limit(flow, Side::Sender, WindowLimit::Segments(2));
        assert_eq!(window, Err(NotAllowed::NoWindow));
    });
    assert!(tfrc.flows[0].delivered.bits() <= 1_010_000, "{:?}", tfrc.flows[0].delivered);
}

#[test]
fn settings_of_members_that_have_none_are_refused() {
    let scenario = parse(&uploads("standard = \"802.11a\"", &["54 Mb/s"], TCP, 1));
    driven(&scenario, |world| {
        let (station, access_point) = (world.station(0), world.access_point(0));
        let rate = DataRate::from_mbps(6);
        let refused = [
            world.set_rate(access_point, Direction::Up, rate),
            world.set_airtime_weight(access_point, 256),
            world.set_aggregate_limits(access_point, Direction::Up, AggregateLimits::default()),
        ];
        assert_eq!(refused, [Err(NotAllowed::IsAccessPoint); 3]);
        let refused = [
            world.set_contention_window(station, None, (63, 31)),
            world.set_contention_window(station, None, (63, 65_535)),
            world.set_aifsn(station, None, 0),
            world.set_aifsn(station, None, 16),
            world.set_txop_limit(station, None, Duration::from_micros(8_161)),
        ];
        assert!(
            refused.iter().all(|it| matches!(it, Err(NotAllowed::OutOfRange(_)))),
            "{refused:?}"
        );
        let airtime = parse(
            "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11a\"\nap.queue = { discipline = \"airtime\" }\n\
             [station.s]\n[host.h]\n[flow.f]\nfrom = \"s\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\n",
        );
        let queue = airtime.cells[0].ap.queue;
        assert_eq!(world.set_queue(station, queue), Err(NotAllowed::IsStation));
        let fifo = airtime.stations[0].queue;
        assert_eq!(world.set_queue(station, fifo), Ok(()));
    });
}
