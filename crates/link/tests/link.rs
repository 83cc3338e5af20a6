//! Links as their callers use them.

use std::collections::BTreeMap;

use airfair_link::{
    Bytes, Duration, End, Event, Link, LinkError, Packet, Refusal, Scenario, Time, TimeError,
};
use airfair_sim::run::{Control, run};
use proptest::prelude::*;

const fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// Cell in which two frames of ten are errored and queues have room for `packets`, with a lossy wired link. It has an
/// external flow to the host, one to another station, and TCP beside them.
fn lossy(packets: u32) -> Scenario {
    let text = format!(
        "duration = \"400 ms\"\n[bss.home]\nstandard = \"802.11b\"\nap.queue.packets = {packets}\n\
         [station.one]\nerrors = {{ model = \"bernoulli\", probability = 0.2 }}\nqueue.packets = {packets}\n\
         [station.two]\nerrors = {{ model = \"bernoulli\", probability = 0.2 }}\n\
         [host.server]\nlink = {{ rate = \"2 Mb/s\", queue.packets = {packets}, \
         loss = {{ model = \"bernoulli\", probability = 0.1 }} }}\n\
         [flow.wired]\nfrom = \"one\"\nto = \"server\"\ntransport = {{ kind = \"external\" }}\n\
         [flow.beside]\nfrom = \"one\"\nto = \"two\"\ntransport = {{ kind = \"external\" }}\n\
         [flow.tcp]\nfrom = \"one\"\nto = \"server\"\ntransport = {{ kind = \"tcp\" }}\n"
    );
    Scenario::parse(&text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Cell of one station and one host, lasting `duration`, with `flow` from the station to the host.
fn home(standard: &str, duration: &str, flow: &str) -> Scenario {
    let text = format!(
        "duration = \"{duration}\"\n[bss.home]\nstandard = \"{standard}\"\n[station.laptop]\n\
         [host.server]\nlink = {{ rate = \"1 Gb/s\", delay = \"5 ms\" }}\n\
         [flow.f]\nfrom = \"laptop\"\nto = \"server\"\ntransport = {{ {flow} }}\n"
    );
    Scenario::parse(&text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"))
}

const EXTERNAL: &str = "kind = \"external\"";

/// Caller that notes the outcome of each of its packets, which it numbers.
#[derive(Default)]
struct Caller {
    outcomes: BTreeMap<u64, &'static str>,
    full: Vec<End>,
    last: Time,
}

impl Caller {
    fn note(&mut self, number: u64, outcome: &'static str) {
        assert_eq!(self.outcomes.insert(number, outcome), None, "packet {number} comes back twice");
    }

    fn take(&mut self, event: &Event<u64>) {
        assert!(self.last <= event.at(), "events come in the order of their times");
        self.last = event.at();
        match event {
            Event::Delivered(packet) => self.take_packet(packet, "delivered"),
            Event::Lost(packet) => self.take_packet(packet, "lost"),
            Event::Room(end, _) => {
                let place = self.full.iter().position(|it| it == end);
                self.full.swap_remove(place.expect("room for an end that was refused"));
            }
            _ => unreachable!("there is no other event"),
        }
    }

    fn take_packet(&mut self, packet: &Packet<u64>, outcome: &'static str) {
        assert!(packet.sent_at <= packet.left_at);
        self.note(packet.payload, outcome);
    }
}

/// Step of a caller: the time that passes [µs], the end that sends, a size [octets], and true to poll before.
type Step = (u64, usize, u64, bool);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_packet_comes_back_exactly_once(
        packets in 1u32..6,
        seed in 0u64..100,
        steps in prop::collection::vec((0..4_000u64, 0..4usize, 0..2_400u64, any::<bool>()), 1..150),
    ) {
        let steps: Vec<Step> = steps;
        let mut link = Link::new(&lossy(packets), seed).expect("an external flow");
        let ends = ["wired", "beside"].map(|flow| link.ends(flow).expect("a flow")).concat();
        let mut caller = Caller::default();
        let mut now = Time::ZERO;
        for (number, (wait, end, size, polls)) in (0..).zip(steps.iter().copied()) {
            now += Duration::from_micros(wait);
            while polls && let Ok(Some(event)) = link.poll(now) {
                caller.take(&event);
            }
            if let Err(error) = link.send(now, ends[end], Bytes::new(size), number) {
                match error.reason {
                    Refusal::Full => caller.full.push(ends[end]),
                    Refusal::Size { found, longest } => {
                        prop_assert!(found.is_zero() || found > longest);
                    }
                    Refusal::Time(TimeError::Over { end, .. }) => prop_assert!(end <= now),
                    Refusal::Time(error) => panic!("{error}"),
                }
                caller.note(error.payload, "refused");
            }
        }
        while let Ok(Some(event)) = link.poll(link.end()) {
            caller.take(&event);
        }
        let under_way = link.under_way();
        let finished = link.finish();
        prop_assert_eq!(finished.under_way.len(), under_way);
        finished.events.iter().for_each(|event| caller.take(event));
        finished.under_way.iter().for_each(|packet| caller.take_packet(packet, "under way"));
        prop_assert_eq!(caller.outcomes.len(), steps.len());
        prop_assert!(finished.outcome.is_some());
    }
}

/// Sends a packet every 2 ms from each end for 300 ms, and returns all events.
fn events(link: &mut Link<u64>, from: u64) -> Vec<Event<u64>> {
    let [one, server] = link.ends("wired").expect("a flow");
    let mut seen = Vec::new();
    for number in (from..300).step_by(2) {
        while let Some(event) = link.poll(ms(number)).expect("time goes on") {
            seen.push(event);
        }
        for end in [one, server] {
            let _ = link.send(ms(number), end, Bytes::new(1_000), number);
        }
    }
    seen
}

#[test]
fn the_same_seed_gives_the_same_events_and_another_one_others() {
    let of = |seed| events(&mut Link::new(&lossy(5), seed).expect("an external flow"), 0);
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn a_copy_goes_on_as_its_original() {
    let mut link = Link::new(&lossy(5), 1).expect("an external flow");
    let [one, _] = link.ends("wired").expect("a flow");
    link.send(Time::ZERO, one, Bytes::new(700), 1_000).expect("an empty queue");
    let mut copy = link.clone();
    assert_eq!(events(&mut copy, 10), events(&mut link, 10));
}

/// One caller polls whenever the link wants it to, the other at the end of the period. Their events have the same
/// times.
#[test]
fn events_do_not_depend_on_how_often_a_caller_polls() {
    let mut patient = Link::new(&lossy(5), 1).expect("an external flow");
    let [one, _] = patient.ends("wired").expect("a flow");
    for number in 0..4 {
        patient.send(Time::ZERO, one, Bytes::new(1_000), number).expect("a queue with room");
    }
    let mut eager = patient.clone();
    let mut seen = [const { Vec::new() }; 2];
    while let Some(at) = eager.next_timeout().filter(|at| *at < ms(100)) {
        seen[0].extend(eager.poll(at).expect("time goes on"));
        assert_eq!(eager.now(), at, "an event at the requested time is included");
    }
    while let Some(event) = patient.poll(ms(100)).expect("time goes on") {
        seen[1].push(event);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].len(), 4);
}

/// A caller that always keeps the queue of its station full has the goodput of a saturated flow: 1472 octets of
/// payload and 28 of headers in each packet.
#[test]
fn a_full_queue_has_the_goodput_of_a_saturated_flow() {
    for standard in ["802.11b", "802.11g", "802.11ax"] {
        let udp = "kind = \"udp\", payload = \"1472 B\", rate = \"saturated\"";
        let outcome = run(&home(standard, "2 s", udp), 1, 0, &Control::default()).expect("a run");
        let ran = outcome.flows[0].packets_received;
        let mut link = Link::new(&home(standard, "2 s", EXTERNAL), 1).expect("an external flow");
        let [laptop, _] = link.ends("f").expect("a flow");
        let mut delivered = 0u32;
        loop {
            while link.now() < link.end()
                && link.send(link.now(), laptop, Bytes::new(1_500), ()).is_ok()
            {}
            match link.poll(link.end()) {
                Ok(Some(Event::Delivered(_))) => delivered += 1,
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
        let difference = u64::from(delivered).abs_diff(ran);
        assert!(100 * difference < ran, "{standard}: {delivered} packets, {ran} in a run");
        let flow = &link.finish().outcome.expect("a link without a warm-up").flows[0];
        assert_eq!(flow.packets_received, u64::from(delivered), "{standard}");
    }
}

/// A frame of 1500 octets takes some 0.3 ms at 54 Mb/s, and the wire 5 ms.
#[test]
fn both_ends_of_a_link_send_and_receive() {
    let scenario = home("802.11g", "1 s", EXTERNAL);
    let (mut link, [laptop, server]) =
        Link::between(&scenario, 1, ["laptop", "server"]).expect("two nodes");
    assert_eq!((laptop.flow(), laptop.other()), (1, server), "a flow beside the scenario's");
    link.send(ms(1), laptop, Bytes::new(1_500), "ping").expect("an empty queue");
    let Some(Event::Delivered(ping)) = link.poll(ms(100)).expect("time goes on") else {
        panic!("the packet")
    };
    assert_eq!((ping.payload, ping.to(), ping.sent_at), ("ping", server, ms(1)));
    assert!(ms(6) < ping.left_at && ping.left_at < ms(7), "{}", ping.left_at);
    assert_eq!(link.now(), ping.left_at);
    link.send(link.now(), server, Bytes::new(100), "pong").expect("an empty queue");
    assert_eq!(link.under_way(), 1);
    let Some(Event::Delivered(answer)) = link.poll(ms(100)).expect("time goes on") else {
        panic!("the packet")
    };
    assert_eq!((answer.payload, answer.from), ("pong", server));
    assert_eq!(link.poll(ms(100)), Ok(None));
    assert_eq!((link.now(), link.under_way()), (ms(100), 0));
}

#[test]
fn the_end_of_the_scenario_is_the_end_of_the_link() {
    let mut link = Link::new(&home("802.11g", "20 ms", EXTERNAL), 1).expect("an external flow");
    let [laptop, _] = link.ends("f").expect("a flow");
    link.send(ms(1), laptop, Bytes::new(500), 1).expect("an empty queue");
    link.send(ms(18), laptop, Bytes::new(500), 2).expect("an empty queue");
    let over = TimeError::Over { asked: ms(30), end: ms(20) };
    assert!(matches!(link.poll(ms(30)), Ok(Some(Event::Delivered(Packet { payload: 1, .. })))));
    assert_eq!((link.poll(ms(30)), link.next_timeout()), (Err(over), None));
    let refused = link.send(ms(30), laptop, Bytes::new(500), 3).expect_err("the link is over");
    assert_eq!((refused.payload, refused.reason), (3, Refusal::Time(over)));
    assert_eq!(
        refused.to_string(),
        "30 ms is not before the end of the scenario, whose duration allows times before 20 ms"
    );
    let [packet] = &link.finish().under_way[..] else { panic!("one packet") };
    assert_eq!((packet.payload, packet.left_at), (2, ms(20)));
}

#[test]
fn a_link_that_ends_in_its_warm_up_has_no_outcome() {
    let scenario =
        Scenario { warmup: Duration::from_millis(10), ..home("802.11g", "20 ms", EXTERNAL) };
    let mut link = Link::<()>::new(&scenario, 1).expect("an external flow");
    assert!(link.clone().finish().outcome.is_none());
    assert_eq!(link.poll(ms(11)), Ok(None));
    assert_eq!(link.finish().outcome.expect("1 ms").elapsed, Duration::from_millis(1));
}

#[test]
fn wrong_calls_are_errors_with_the_packet() {
    let mut link = Link::new(&home("802.11g", "1 s", EXTERNAL), 1).expect("an external flow");
    let [laptop, _] = link.ends("f").expect("a flow");
    let (found, longest) = (Bytes::new(2_297), Bytes::new(2_296));
    assert_eq!(link.longest_packet(laptop), longest, "2304 octets with LLC and SNAP");
    let mut send = |at, size| link.send(at, laptop, size, "packet").map_err(|it| it.reason);
    assert_eq!(send(ms(1), found), Err(Refusal::Size { found, longest }));
    let refused = send(ms(1), Bytes::ZERO).expect_err("no octet");
    assert_eq!(refused.to_string(), "a packet of 0 B: allowed are 1 B to 2296 B");
    assert_eq!(send(ms(2), longest), Ok(()));
    let past = TimeError::Past { asked: ms(1), now: ms(2) };
    assert_eq!(send(ms(1), longest), Err(Refusal::Time(past)));
    assert_eq!(past.to_string(), "1 ms has passed: allowed are 2 ms and later");
    assert_eq!(link.poll(ms(1)), Err(past));
}

#[test]
fn wrong_scenarios_are_errors_with_the_names_that_are_allowed() {
    let saturated = "kind = \"udp\", payload = \"1472 B\", rate = \"saturated\"";
    let scenario = home("802.11g", "1 s", saturated);
    let error = Link::<()>::new(&scenario, 1).expect_err("no external flow");
    assert_eq!(error, LinkError::NoExternalFlow);
    let between = |from, to| {
        Link::<()>::between(&scenario, 1, [from, to]).expect_err("no such link").to_string()
    };
    let no_node = "no station and no host is named \"phone\"; allowed \"laptop\", \"server\"";
    assert_eq!(between("phone", "server"), no_node);
    let itself = "a link from \"laptop\" to itself; allowed are two nodes";
    assert_eq!(between("laptop", "laptop"), itself);
    let link = Link::<()>::new(&home("802.11g", "1 s", EXTERNAL), 1).expect("an external flow");
    let error = link.ends("quic").expect_err("no such flow").to_string();
    assert_eq!(error, "no external flow is named \"quic\"; allowed \"f\"");
    let text = "duration = \"1 s\"\n[bss.home]\nstandard = \"802.11g\"\n[station.laptop]\n[router.r]\n\
                [host.here]\nlink.to = \"home\"\n[host.far]\nlink.to = \"r\"\n\
                [flow.f]\nfrom = \"here\"\nto = \"laptop\"\ntransport = { kind = \"external\" }\n";
    let scenario = Scenario::parse(text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"));
    let error = Link::<()>::between(&scenario, 1, ["laptop", "far"]).expect_err("no route");
    assert_eq!(error.to_string(), "no route leads from \"laptop\" to \"far\"");
}
