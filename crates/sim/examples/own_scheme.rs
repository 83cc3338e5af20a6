//! A scheme that is written outside of the laboratory: while the link of a station is slow, each of its TCP senders
//! uses a part of its window. Run it with `cargo run -p airfair-sim --example own_scheme`.

use airfair_sim::clock::FreeRunning;
use airfair_sim::coupling::{Action, CustomAgent, LocalEnd, Seen, View};
use airfair_sim::metrics::Metrics;
use airfair_sim::outcome::Outcome;
use airfair_sim::packet::Side;
use airfair_sim::random::Streams;
use airfair_sim::scenario::Scenario;
use airfair_sim::world::{Pause, WindowLimit, World};
use airfair_units::Time;

/// Agent that divides the windows of a station's TCP senders by the ratio of the highest rate to the current rate.
#[derive(Clone, Debug, Default)]
struct Divide {
    senders: Vec<LocalEnd>,
}

impl CustomAgent for Divide {
    fn handle(&mut self, _now: Time, seen: &Seen<'_>, view: &View<'_>, actions: &mut Vec<Action>) {
        match *seen {
            Seen::Start => {
                self.senders = view.ends().filter(|end| end.side == Side::Sender).collect();
            }
            Seen::Rate { rate, highest_rate } => {
                let ratio = u32::try_from(highest_rate.bps().div_ceil(rate.bps()));
                let limit = match ratio.unwrap_or(u32::MAX) {
                    1 => WindowLimit::None,
                    ratio => WindowLimit::DividedBy(ratio),
                };
                actions.extend(self.senders.iter().map(|end| Action::LimitWindow(*end, limit)));
            }
            _ => {}
        }
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.clone())
    }
}

fn run(scenario: &Scenario, with_agents: bool) -> Outcome {
    let metrics = Metrics::new(scenario);
    let mut world = World::new(scenario, Streams::new(1, 0), metrics, FreeRunning);
    for station in (0..scenario.stations.len()).filter(|_| with_agents) {
        world.add_agent(world.station(station), Box::new(Divide::default()));
    }
    assert_eq!(world.advance(Time::ZERO + scenario.duration), Pause::Reached);
    world.finish().outcome(scenario, 1, 0)
}

pub(crate) fn main() {
    let text = include_str!("../../../scenarios/one-slow-station.toml");
    let scenario = Scenario::parse(text, &[]).expect("an example of the laboratory");
    let goodput = |outcome: &Outcome| {
        [0, 1].map(|flow: usize| {
            let kilobits = u32::try_from(outcome.flows[flow].delivered.bits() / 1_000);
            f64::from(kilobits.expect("a short run")) / 1e3 / outcome.elapsed.as_secs_f64()
        })
    };
    let (nothing, ours) = (goodput(&run(&scenario, false)), goodput(&run(&scenario, true)));
    println!("slow station and fast station, without the scheme: {nothing:.2?} Mb/s");
    println!("slow station and fast station, with the scheme:    {ours:.2?} Mb/s");
    assert!(ours[1] > nothing[1]);
}
