//! Settings that change during a run.

use airfair_sim::clock::FreeRunning;
use airfair_sim::link::LinkId;
use airfair_sim::metrics::Metrics;
use airfair_sim::not_allowed::NotAllowed;
use airfair_sim::outcome::Outcome;
use airfair_sim::random::Streams;
use airfair_sim::scenario::{ErrorModel, Loss, Scenario};
use airfair_sim::world::{Direction, Pause, World};
use airfair_units::{DataRate, Duration, Probability, Time};
use airfair_wlan::Weights;

use crate::common::{SATURATED, TCP, parse, run_once, uploads};

type Driven = World<Metrics, FreeRunning>;

/// Outcome of a run whose owner changes a setting by `set` at a time without other events.
fn driven(scenario: &Scenario, at_ns: u64, set: impl FnOnce(&mut Driven)) -> Outcome {
    let metrics = Metrics::new(scenario);
    let mut world = World::new(scenario, Streams::new(1, 0), metrics, FreeRunning);
    assert_eq!(world.advance(Time::from_nanos(at_ns)), Pause::Reached);
    set(&mut world);
    assert_eq!(world.advance(Time::ZERO + scenario.duration), Pause::Reached);
    world.finish().recorder.finish(scenario)
}

/// Scenario of a station of 802.11b whose scheme divides its window while its rate is low.
fn changing(rate: &str) -> Scenario {
    parse(&format!(
        "duration = \"2 s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11b\"\n\
         [station.s]\nrate = {{ up = {rate}, down = \"11 Mb/s\" }}\n[host.h]\n\
         [flow.f]\nfrom = \"s\"\nto = \"h\"\ntransport = {TCP}\ncontrol = \"arf-aware\"\n"
    ))
}

#[test]
fn a_rate_that_is_set_is_as_one_that_the_scenario_changes() {
    let by_scenario =
        run_once(&changing("[[\"0 s\", \"11 Mb/s\"], [\"1000000111 ns\", \"1 Mb/s\"]]"), 0);
    let by_owner = driven(&changing("\"11 Mb/s\""), 1_000_000_111, |world| {
        let station = world.station(0);
        assert_eq!(world.set_rate(station, Direction::Up, DataRate::from_mbps(1)), Ok(()));
        let no_rate = world.set_rate(station, Direction::Up, DataRate::from_mbps(54));
        assert_eq!(no_rate, Err(NotAllowed::NoSuchRate));
    });
    assert_eq!(by_owner.flows[0].delivered, by_scenario.flows[0].delivered);
    assert_eq!(by_owner.channels, by_scenario.channels);
    // Each rate holds for half of the time; the mean is exact to a bit or two.
    let rates = [&by_owner, &by_scenario].map(|outcome| outcome.stations[0].mean_rate_up);
    assert_eq!(rates.map(|rate| rate.map(|rate| rate.bps() / 10)), [Some(600_000); 2]);
}

#[test]
fn a_link_whose_errors_are_set_loses_all_and_then_nothing() {
    let scenario = parse(&uploads("standard = \"802.11b\"", &["11 Mb/s"], SATURATED, 2));
    let outcome = driven(&scenario, 500_000_007, |world| {
        let station = world.station(0);
        let delivered = |world: &mut Driven, ms: u64| {
            let until = world.now() + Duration::from_millis(ms);
            assert_eq!(world.advance(until), Pause::Reached);
        };
        let always = ErrorModel::Bernoulli(Probability::ONE);
        assert_eq!(world.set_errors(station, always), Ok(()));
        delivered(world, 1_000);
        assert_eq!(world.set_errors(station, ErrorModel::None), Ok(()));
    });
    let plain = run_once(&scenario, 0).flows[0].packets_received;
    let received = outcome.flows[0].packets_received;
    // Half of the time, minus the longest back-off before the first frame that gets through.
    assert!(received > plain * 48 / 100 && received < plain * 51 / 100, "{received} of {plain}");
    assert!(outcome.stations[0].radio.frame_errors > 50);
}

#[test]
fn a_direction_of_a_wire_loses_what_it_is_told_to() {
    let scenario = parse(&uploads("standard = \"802.11b\"", &["11 Mb/s"], SATURATED, 2));
    let lost = driven(&scenario, 1_000_000_007, |world| {
        // A host's own link leads away from the host, and these packets go to it.
        world.set_loss(LinkId::forth(0).reversed(), Loss::Bernoulli(Probability::ONE));
    });
    let plain = run_once(&scenario, 0);
    let link = &lost.links[1];
    assert_eq!(link.packets_sent, plain.links[1].packets_sent);
    assert!(link.lost.abs_diff(link.packets) < 10, "{link:?}");
    assert_eq!(lost.links[0].lost, 0);
}

#[test]
fn weights_that_are_set_at_the_start_are_those_of_the_scenario() {
    let text = |weights: &str| {
        format!(
            "duration = \"2 s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11b\"\n\
             ap.queue = {{ discipline = \"data-ack\", packets = 50, weights = {weights} }}\n\
             [station.up]\n[station.down]\n[host.h]\n\
             [flow.up]\nfrom = \"up\"\nto = \"h\"\ntransport = {TCP}\n\
             [flow.down]\nfrom = \"h\"\nto = \"down\"\ntransport = {TCP}\n"
        )
    };
    let [equal, other] = ["{ data = 1, ack = 1 }", "{ data = 4, ack = 1 }"].map(text);
    let (equal, other) = (parse(&equal), parse(&other));
    let weights = Weights { data: 4, ack: 1 };
    let set = driven(&equal, 0, |world| {
        assert_eq!(world.set_weights(world.access_point(0), weights), Ok(()));
        let none = world.set_weights(world.station(0), weights);
        assert_eq!(none, Err(NotAllowed::NoWeights));
    });
    let [set, other, equal] =
        [set, run_once(&other, 0), run_once(&equal, 0)].map(|it| it.record_hash);
    assert_eq!(set, other);
    assert_ne!(set, equal);
}

/// A queue that the owner sets before the first packet is equivalent to the same queue in the scenario. A queue whose
/// weights follow the number of connections watches connections from then on. With aggregates there is a queue for each
/// access category.
#[test]
fn a_queue_that_is_set_at_the_start_is_that_of_the_scenario() {
    let text = |standard: &str, queue: &str| {
        let category = if standard == "802.11b" { "" } else { "dscp = 34" };
        parse(&format!(
            "duration = \"500 ms\"\nseries = \"off\"\n[bss.c]\nstandard = \"{standard}\"\n\
             ap.queue = {{ {queue} }}\n[station.up]\n[station.down]\n[host.h]\n\
             [flow.up]\nfrom = \"up\"\nto = \"h\"\ntransport = {TCP}\n\
             [flow.down]\nfrom = \"h\"\nto = \"down\"\ntransport = {TCP}\n\
             [flow.other]\nfrom = \"h\"\nto = \"up\"\ntransport = {TCP}\n{category}\n"
        ))
    };
    for standard in ["802.11b", "802.11ac"] {
        let fifo = text(standard, "packets = 50");
        for queue in [
            "discipline = \"fq-codel\"",
            "discipline = \"round-robin\"",
            "discipline = \"time-regulator\"",
            "discipline = \"data-ack\", weights = \"active-flows\"",
            "discipline = \"airtime\", hardware_queue = 2",
            "discipline = \"airtime-dualpi2\"",
        ] {
            let wanted = text(standard, queue);
            let set = driven(&fifo, 0, |world| {
                let queue = wanted.cells[0].ap.queue;
                assert_eq!(world.set_queue(world.access_point(0), queue), Ok(()));
            });
            assert_eq!(set.record_hash, run_once(&wanted, 0).record_hash, "{standard} {queue}");
            assert_ne!(set.record_hash, run_once(&fifo, 0).record_hash, "{standard} {queue}");
        }
    }
}

/// No change of the access point's queue stops a cell. Saturated sources send aggregates to two stations, and every
/// tenth MPDU is errored. Packets that wait and packets in block ack windows survive 96 changes, each of which costs
/// some packets and no time.
#[test]
fn a_cell_goes_on_whatever_queue_it_is_given() {
    let text = |queue: &str| {
        parse(&format!(
            "duration = \"500 ms\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11ac\"\n\
             errors = {{ model = \"bernoulli\", probability = 0.1 }}\nap.queue = {{ {queue} }}\n\
             [station.one]\n[station.two]\n[host.h]\nlink = {{ rate = \"1 Gb/s\", delay = \"0 s\" }}\n\
             [flow.one]\nfrom = \"h\"\nto = \"one\"\ntransport = {SATURATED}\n\
             [flow.two]\nfrom = \"h\"\nto = \"two\"\ntransport = {SATURATED}\ndscp = 34\n"
        ))
    };
    let fifo = text("packets = 500");
    let queues = [
        "discipline = \"fq-codel\"",
        "discipline = \"airtime\", hardware_queue = 2",
        "discipline = \"round-robin\"",
        "discipline = \"time-regulator\"",
        "discipline = \"airtime-dualpi2\", hardware_queue = 2",
        "discipline = \"airtime\", hardware_queue = 1",
        "discipline = \"deficit-round-robin\"",
        "discipline = \"codel\"",
        "discipline = \"airtime\"",
    ];
    let queues = queues.map(|queue| text(queue).cells[0].ap.queue);
    let changed = driven(&fifo, 1_000_003, |world| {
        for queue in queues.iter().cycle().take(96) {
            assert_eq!(world.set_queue(world.access_point(0), *queue), Ok(()));
            let until = world.now() + Duration::from_micros(5_003);
            assert_eq!(world.advance(until), Pause::Reached);
        }
    });
    let delivered = |outcome: &Outcome| outcome.flows.iter().map(|it| it.delivered.bits()).sum();
    let (changed, plain): (u64, u64) = (delivered(&changed), delivered(&run_once(&fifo, 0)));
    assert!(changed > plain * 9 / 10, "{changed} of {plain}");
}

#[test]
fn what_a_law_or_powers_decide_cannot_be_set() {
    let text = "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\n\
                radio = { range = { \"11 Mb/s\" = \"30 m\" } }\n\
                [station.s]\nposition = [\"5 m\", \"0 m\"]\nrate = { up = { control = \"arf\" }, down = \"11 Mb/s\" }\n[host.h]\n\
                [flow.f]\nfrom = \"s\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\n";
    driven(&parse(text), 1_000, |world| {
        let (station, rate) = (world.station(0), DataRate::from_mbps(11));
        let [up, down] =
            [Direction::Up, Direction::Down].map(|it| world.set_rate(station, it, rate));
        assert_eq!((up, down), (Err(NotAllowed::RateIsFound), Ok(())));
        let errors = ErrorModel::Bernoulli(Probability::ONE);
        assert_eq!(world.set_errors(station, errors), Err(NotAllowed::PowersDecide));
    });
}
