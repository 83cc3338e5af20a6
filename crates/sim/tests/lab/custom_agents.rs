//! Agents from outside of the simulator's crate.

#[path = "../../examples/own_scheme.rs"]
mod own_scheme;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use airfair_laws::arf_aware;
use airfair_sim::clock::FreeRunning;
use airfair_sim::coupling::{Action, CustomAgent, LocalEnd, Passage, Seen, View};
use airfair_sim::metrics::Metrics;
use airfair_sim::not_allowed::NotAllowed;
use airfair_sim::outcome::{Outcome, StationOutcome};
use airfair_sim::packet::Side;
use airfair_sim::random::Streams;
use airfair_sim::record::Member;
use airfair_sim::scenario::Scenario;
use airfair_sim::world::{Pause, World};
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::{FrameKind, Listen, NodeId, UsersDue, UsersServed, Weights};

use crate::common::{TCP, parse, run_once, uploads};

/// Runs a scenario with an agent that `make` creates at each of the members.
fn run_with(
    scenario: &Scenario,
    at: impl Fn(&World<Metrics, FreeRunning>) -> Vec<Member>,
    make: impl Fn() -> Box<dyn CustomAgent>,
) -> Outcome {
    let mut world = World::new(scenario, Streams::new(1, 0), Metrics::new(scenario), FreeRunning);
    for member in at(&world) {
        world.add_agent(member, make());
    }
    let middle = Time::from_nanos(scenario.duration.as_nanos() / 3);
    assert_eq!(world.advance(middle), Pause::Reached);
    // A copy has copies of the agents, so that the original is unaffected by what the copy does.
    let mut copy = world.clone();
    let mut outcomes = Vec::new();
    for it in [&mut copy, &mut world] {
        assert_eq!(it.advance(Time::ZERO + scenario.duration), Pause::Reached);
    }
    for it in [copy, world] {
        outcomes.push(it.finish().outcome(scenario, 1, 0));
    }
    assert_eq!(outcomes[0], outcomes[1]);
    outcomes.remove(0)
}

#[test]
fn a_scheme_in_another_crate_takes_less_than_eighty_lines() {
    assert!(include_str!("../../examples/own_scheme.rs").lines().count() < 80);
    own_scheme::main();
}

/// ARF-aware TCP as an agent from outside, notified of each rate at once.
#[derive(Clone, Debug, Default)]
struct ArfAware {
    senders: Vec<(LocalEnd, arf_aware::State)>,
}

impl CustomAgent for ArfAware {
    fn handle(&mut self, _now: Time, seen: &Seen<'_>, view: &View<'_>, actions: &mut Vec<Action>) {
        match *seen {
            Seen::Start => {
                let senders = view.ends().filter(|end| end.side == Side::Sender);
                self.senders = senders.map(|end| (end, arf_aware::State::default())).collect();
            }
            Seen::Rate { rate, highest_rate } => {
                for (end, state) in &mut self.senders {
                    let cwnd = view.end(*end).and_then(|it| it.cwnd()).expect("a TCP sender");
                    let observed = arf_aware::Observation { highest_rate, rate, cwnd };
                    let (next, action) =
                        arf_aware::step(&arf_aware::Params::default(), *state, &observed);
                    *state = next;
                    actions.push(Action::LimitWindow(*end, action.window_limit));
                    actions.extend(action.cwnd.map(|cwnd| Action::SetCwnd(*end, cwnd)));
                }
            }
            _ => {}
        }
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.clone())
    }
}

#[test]
fn arf_aware_tcp_from_outside_has_the_records_of_the_built_in_one() {
    let text = |control: &str| {
        let rate = "rate = [[\"0 s\", \"11 Mb/s\"], [\"2 s\", \"1 Mb/s\"], [\"4 s\", \"11 Mb/s\"]]";
        let cell = uploads("standard = \"802.11b\"", &["11 Mb/s", "11 Mb/s"], TCP, 6);
        let cell = cell.replacen("rate = \"11 Mb/s\"", rate, 1);
        parse(&cell.replace("to = \"server\"", &format!("to = \"server\"\n{control}")))
    };
    let built_in = run_once(&text("control = \"arf-aware\""), 0);
    let plain = text("");
    let stations =
        |world: &World<Metrics, FreeRunning>| (0..2).map(|it| world.station(it)).collect();
    let own = run_with(&plain, stations, || Box::new(ArfAware::default()));
    assert_eq!(own.record_hash, built_in.record_hash);
    assert_ne!(own.record_hash, run_once(&plain, 0).record_hash);
}

/// Agent of an access point that does one thing with each tenth packet to the stations.
#[derive(Clone, Debug)]
struct Tenth {
    passage: Passage,
    action: fn(Time) -> Action,
    seen: u32,
}

impl CustomAgent for Tenth {
    fn handle(&mut self, now: Time, seen: &Seen<'_>, _view: &View<'_>, actions: &mut Vec<Action>) {
        match seen {
            Seen::Start => actions.push(Action::WatchPackets),
            Seen::Packet { passage, .. } if *passage == self.passage => {
                self.seen += 1;
                if self.seen.is_multiple_of(10) {
                    actions.push((self.action)(now));
                }
            }
            _ => {}
        }
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.clone())
    }
}

fn download() -> Scenario {
    parse(
        "duration = \"3 s\"\n[bss.c]\nstandard = \"802.11a\"\n[station.s]\n[host.h]\n\
         [flow.f]\nfrom = \"h\"\nto = \"s\"\n\
         transport = { kind = \"udp\", payload = \"500 B\", rate = \"400 kb/s\" }\n",
    )
}

/// 100 packets per second for 3 s; each tenth of them is dropped, before the queue or behind the air. The access point
/// counts them as dropped by its scheme.
#[test]
fn an_agent_of_an_access_point_drops_packets() {
    for passage in [Passage::ToQueue, Passage::Delivered] {
        let drop = || Tenth { passage, action: |_| Action::DropPacket, seen: 0 };
        let outcome = run_with(&download(), |it| vec![it.access_point(0)], || Box::new(drop()));
        let flow = &outcome.flows[0];
        assert_eq!((flow.packets_sent, flow.packets_dropped), (300, 30), "{passage:?}");
        let rest = flow.packets_received + flow.packets_in_flight;
        assert_eq!((rest, outcome.access_points[0].dropped_by_scheme), (270, 30), "{passage:?}");
    }
}

/// Each tenth packet comes half a second later; the run ends with those of the last half second still delayed.
#[test]
fn an_agent_of_an_access_point_delays_packets() {
    for passage in [Passage::ToQueue, Passage::Delivered] {
        let late = |now| Action::DelayPacket(now + Duration::from_millis(500));
        let delay = || Tenth { passage, action: late, seen: 0 };
        let outcome = run_with(&download(), |it| vec![it.access_point(0)], || Box::new(delay()));
        let flow = &outcome.flows[0];
        assert_eq!((flow.packets_sent, flow.packets_dropped), (300, 0), "{passage:?}");
        assert_eq!(flow.packets_received + flow.packets_in_flight, 300, "{passage:?}");
        assert!(
            (5..=6).contains(&flow.packets_in_flight),
            "{passage:?}: {}",
            flow.packets_in_flight
        );
        let longest = flow.delay.max;
        assert!(longest >= Duration::from_millis(500) && longest < Duration::from_millis(510));
    }
}

/// Agent of an access point that serves the stations with the highest numbers, or any stations that it is given.
#[derive(Clone, Debug, Default)]
struct Serves {
    always: Option<Vec<NodeId>>,
    ppdus: usize,
}

impl CustomAgent for Serves {
    fn handle(&mut self, _now: Time, seen: &Seen<'_>, _: &View<'_>, actions: &mut Vec<Action>) {
        match seen {
            Seen::Start => actions.push(Action::ScheduleUsers),
            Seen::End => assert!(self.ppdus > 100),
            _ => {}
        }
    }

    fn choose_users(&mut self, _now: Time, due: &UsersDue<'_>, users: &mut Vec<NodeId>) -> bool {
        users.extend(due.candidates().map(|it| NodeId(it.station)));
        users.sort_unstable_by(|one, other| other.cmp(one));
        users.truncate(due.most.into());
        if let Some(always) = &self.always {
            users.clone_from(always);
        }
        true
    }

    fn note_served(&mut self, _now: Time, served: &UsersServed<'_>) {
        assert!(!served.duration.is_zero());
        self.ppdus += 1;
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.clone())
    }
}

fn shared_frames() -> Scenario {
    parse(
        "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11ax\"\nofdma = { users = 2 }\n[station.s]\ncount = 4\n\
         [host.h]\n[flow.f]\nfrom = \"h\"\nto = \"s\"\ntransport = { kind = \"udp\", payload = \"1 kB\", rate = \"60 Mb/s\" }\n",
    )
}

/// The stations with the highest numbers come first, and not those with the highest credits.
#[test]
fn an_agent_of_an_access_point_chooses_the_users_of_its_ppdus() {
    let serves = || Box::new(Serves::default()) as Box<dyn CustomAgent>;
    let outcome = run_with(&shared_frames(), |it| vec![it.access_point(0)], serves);
    let received: Vec<u64> = outcome.flows.iter().map(|it| it.packets_received).collect();
    assert!(received[3] > received[0], "{received:?}");
    assert_ne!(outcome.record_hash, run_once(&shared_frames(), 0).record_hash);
}

#[test]
#[should_panic(expected = "chooses [NodeId(2), NodeId(2)]: Err(Twice(NodeId(2)))")]
fn a_choice_of_users_that_is_not_allowed_is_a_broken_promise() {
    let twice = Serves { always: Some(vec![NodeId(2); 2]), ppdus: 0 };
    run_with(&shared_frames(), |it| vec![it.access_point(0)], || Box::new(twice.clone()));
}

/// Agent that adds up the airtime of all data that its access point sends or decodes.
#[derive(Clone, Debug, Default)]
struct AddsUp(Arc<AtomicU64>);

impl CustomAgent for AddsUp {
    fn handle(&mut self, _now: Time, seen: &Seen<'_>, _view: &View<'_>, actions: &mut Vec<Action>) {
        match seen {
            Seen::Start => actions.push(Action::Listen(Listen::All)),
            Seen::Frame(heard) if heard.kind() == FrameKind::Data => {
                self.0.fetch_add(heard.airtime().as_nanos(), Ordering::Relaxed);
            }
            _ => {}
        }
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.clone())
    }
}

/// Parts of a frame have their shares of its duration, so that the airtime of data that an access point adds up is that of
/// the outcome. Counted by durations, a frame with four parts would be four times as long.
#[test]
fn the_airtime_of_all_parts_of_a_frame_is_that_of_the_outcome() {
    let scenario = parse(
        "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11ax\"\n\
         ofdma = { up = \"round-robin\", ack = \"mu-bar\", trigger_every = \"1 ms\", poll = true }\n\
         mu_edca = { aifsn = 0 }\n[station.s]\ncount = 4\n[host.h]\n\
         [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = { kind = \"udp\", payload = \"1 kB\", rate = \"20 Mb/s\" }\n\
         [flow.up]\nfrom = \"s\"\nto = \"h\"\ntransport = { kind = \"udp\", payload = \"1 kB\", rate = \"20 Mb/s\" }\n",
    );
    let mut world = World::new(&scenario, Streams::new(1, 0), Metrics::new(&scenario), FreeRunning);
    let heard = AddsUp::default();
    world.add_agent(world.access_point(0), Box::new(heard.clone()));
    assert_eq!(world.advance(Time::ZERO + scenario.duration), Pause::Reached);
    let outcome = world.finish().outcome(&scenario, 1, 0);
    let of = |it: &StationOutcome| it.airtime_data_up + it.airtime_data_down;
    let all: Duration = outcome.stations.iter().map(of).sum();
    let heard = Duration::from_nanos(heard.0.load(Ordering::Relaxed));
    // The last frame may be on the air at the end.
    assert!(
        all >= heard && all.saturating_sub(heard) < Duration::from_millis(6),
        "{all:?} {heard:?}"
    );
    assert!(heard > Duration::from_millis(100), "{heard:?}");
}

/// Agent that asks for each action that its node may not have.
#[derive(Clone, Debug)]
struct Asks;

impl CustomAgent for Asks {
    fn handle(&mut self, now: Time, seen: &Seen<'_>, view: &View<'_>, actions: &mut Vec<Action>) {
        if !matches!(seen, Seen::Start) {
            return;
        }
        let is_ap = view.member().node.is_ap();
        let own = view.ends().next();
        assert_eq!(own.is_none(), is_ap);
        let end =
            own.unwrap_or(LocalEnd { flow: airfair_sim::packet::FlowId(0), side: Side::Sender });
        let checks = [
            (Action::SetCwnd(end, 4), if is_ap { Err(NotAllowed::NotHere) } else { Ok(()) }),
            (
                Action::LimitRate(end, airfair_units::DataRate::from_mbps(1)),
                Err(if is_ap { NotAllowed::NotHere } else { NotAllowed::NoRate }),
            ),
            (Action::SetWeights(Weights::default()), Err(NotAllowed::NoWeights)),
            (Action::RewriteWindow(Bytes::new(1)), Err(NotAllowed::NoPacket)),
            (Action::DropPacket, Err(NotAllowed::NoPacket)),
            (Action::DelayPacket(now), Err(NotAllowed::NoPacket)),
            (Action::AddElements(airfair_wlan::Elements::default()), Err(NotAllowed::NoBeacon)),
            (Action::WatchPackets, if is_ap { Ok(()) } else { Err(NotAllowed::IsStation) }),
            (
                Action::ScheduleUsers,
                Err(if is_ap { NotAllowed::NoMultiUser } else { NotAllowed::IsStation }),
            ),
            (Action::Listen(Listen::All), Ok(())),
            (Action::Wake(now), Ok(())),
        ];
        for (action, expected) in checks {
            assert_eq!(view.check(now, seen, &action), expected, "{action:?}");
        }
        actions.push(Action::DropPacket);
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.clone())
    }
}

#[test]
#[should_panic(expected = "Asks asks for DropPacket: Err(NoPacket)")]
fn an_action_that_is_not_allowed_is_a_broken_promise_at_a_station() {
    let scenario = parse(&uploads("standard = \"802.11a\"", &["54 Mb/s"], TCP, 1));
    run_with(&scenario, |world| vec![world.station(0)], || Box::new(Asks));
}

#[test]
#[should_panic(expected = "Asks asks for DropPacket: Err(NoPacket)")]
fn an_action_that_is_not_allowed_is_a_broken_promise_at_an_access_point() {
    let scenario = parse(&uploads("standard = \"802.11a\"", &["54 Mb/s"], TCP, 1));
    run_with(&scenario, |world| vec![world.access_point(0)], || Box::new(Asks));
}
