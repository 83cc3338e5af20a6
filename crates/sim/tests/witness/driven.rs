//! Worlds whose owner drives them as the emulator does: the owner steps the world, injects packets, fetches outputs and
//! changes settings.

use std::fmt::Write as _;

use airfair_sim::clock::FreeRunning;
use airfair_sim::link::LinkId;
use airfair_sim::metrics::Metrics;
use airfair_sim::outcome::Outcome;
use airfair_sim::packet::{Connection, External, ExternalTcp, FlowId, Handle, Side, TcpFlags};
use airfair_sim::random::Streams;
use airfair_sim::scenario::{ErrorModel, Loss, Scenario, Transport};
use airfair_sim::world::{Direction, Output, Outside, OutsideTcp, Pause, ReleaseReason, World};
use airfair_units::{Bytes, DataRate, Duration, Probability, Time};
use airfair_wlan::Weights;

use crate::cells;
use crate::digest::Digest;
use crate::luck::Luck;

const STANDARDS: [&str; 6] = ["802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax"];
const TRANSPORTS: [&str; 5] = [
    "{ kind = \"external\" }",
    "{ kind = \"external\" }",
    "{ kind = \"tcp\", stack = \"kernel\" }",
    "{ kind = \"tfrc\", stack = \"kernel\" }",
    "{ kind = \"tcp\" }",
];
const CONTROLS: [&str; 6] = [
    "",
    "",
    "control = \"arf-aware\"\n",
    "control = \"arf-window\"\n",
    "control = \"occupancy\"\n",
    "control = \"rate-cap\"\n",
];

/// Draws the text of a scenario in which the test sends the packets of the first flow, as the emulator does for
/// programs.
pub(crate) fn text(luck: &mut Luck) -> String {
    let standard = *luck.pick(&STANDARDS);
    let mut text = format!(
        "duration = \"250 ms\"\nseries = \"30 ms\"\n[bss.c]\nstandard = \"{standard}\"\n\
         beacon = {{ interval = \"20 ms\" }}\nap.queue = {{ {} }}\n",
        cells::queue(luck)
    );
    text += *luck.pick(&["", "ap.occupancy = { beacons = 1 }\n", "ap.window_sharing = true\n"]);
    text += *luck.pick(&[
        "",
        "errors = { model = \"snr\", snr = \"21 dB\" }\n",
        "errors = { model = \"bernoulli\", probability = 0.2 }\n",
    ]);
    text +=
        "[station.s0]\n[station.s1]\n[host.h]\nlink = { rate = \"50 Mb/s\", delay = \"1 ms\" }\n";
    for index in 0..2 + luck.below(3) {
        let (from, to) = *luck.pick(&[("h", "s0"), ("s0", "h"), ("s1", "h"), ("s0", "s1")]);
        let transport = if index == 0 { TRANSPORTS[0] } else { *luck.pick(&TRANSPORTS) };
        let control = if index == 0 { "" } else { *luck.pick(&CONTROLS) };
        let _ = write!(
            text,
            "[flow.f{index}]\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\n{control}"
        );
    }
    text
}

/// Runs a scenario as a program would that advances the simulated network, injects packets and changes settings.
/// Returns the outcome, and a hash of all that the network has put out and of whether it accepted each action.
pub(crate) fn run(scenario: &Scenario, seed: u64, metrics: Metrics) -> (Outcome, Digest) {
    let world = World::new(scenario, Streams::new(seed, 0), metrics, FreeRunning);
    let mut owner =
        Owner { world, luck: Luck::of_seed(!seed), seen: Digest::default(), handles: 0 };
    let end = Time::ZERO + scenario.duration;
    while owner.world.now() < end {
        let wait = Duration::from_micros(1 + owner.luck.below(3_000) as u64);
        owner.advance((owner.world.now() + wait).min(end));
        owner.act(scenario);
    }
    let Owner { world, mut seen, .. } = owner;
    let mut finished = world.finish();
    for output in std::mem::take(&mut finished.outputs) {
        see(&mut seen, output);
    }
    (finished.outcome(scenario, seed, 0), seen)
}

struct Owner {
    world: World<Metrics, FreeRunning>,
    luck: Luck,
    seen: Digest,
    /// Number of handles given out so far.
    handles: u64,
}

impl Owner {
    fn advance(&mut self, until: Time) {
        while self.world.advance(until) == Pause::Output {
            while let Some(output) = self.world.poll_output() {
                self.seen.add(self.world.now().as_nanos());
                see(&mut self.seen, output);
            }
        }
    }

    /// Injects a packet in most cases, or changes a setting.
    fn act(&mut self, scenario: &Scenario) {
        let station = self.luck.below(scenario.stations.len());
        let rates = [1, 2, 6, 11, 24, 54].map(DataRate::from_mbps);
        let (rate, direction) = (*self.luck.pick(&rates), self.direction());
        let probability = *self.luck.pick(&[Probability::ZERO, Probability::literal(0.3)]);
        let member = self.world.station(station);
        let is_done = match self.luck.below(24) {
            0 => self.world.set_rate(member, direction, rate).is_ok(),
            1 => self.world.set_errors(member, ErrorModel::Bernoulli(probability)).is_ok(),
            2 => {
                self.world.set_loss(LinkId::forth(0), Loss::Bernoulli(probability));
                true
            }
            3 => {
                let weights = Weights { data: 3, ack: 1 };
                self.world.set_weights(self.world.access_point(0), weights).is_ok()
            }
            4 => self.set_queue(scenario),
            5..8 => self.update(scenario),
            _ => self.inject(scenario),
        };
        self.seen.add(u64::from(is_done));
    }

    fn direction(&mut self) -> Direction {
        *self.luck.pick(&[Direction::Up, Direction::Down])
    }

    fn set_queue(&mut self, scenario: &Scenario) -> bool {
        let text = format!(
            "duration = \"1 s\"\n[bss.c]\nstandard = \"{}\"\nap.queue = {{ {} }}\n[station.s]\n[host.h]\n\
             [flow.f]\nfrom = \"h\"\nto = \"s\"\ntransport = {{ kind = \"tcp\" }}\n",
            scenario.cells[0].rules.standard,
            cells::queue(&mut self.luck)
        );
        let Ok(other) = Scenario::parse(&text, &[]) else { return false };
        let access_point = self.world.access_point(0);
        let set = self.world.set_queue(access_point, other.cells[0].ap.queue);
        assert_eq!(set, Ok(()));
        true
    }

    /// Random end of a random flow; `None` if the flow's packets do not come from the owner of the world.
    fn end(&mut self, scenario: &Scenario) -> Option<(FlowId, Side)> {
        let index = self.luck.below(scenario.flows.len());
        let side = *self.luck.pick(&[Side::Sender, Side::Sender, Side::Receiver]);
        let flow = &scenario.flows[index];
        let is_outside = flow.transport.is_kernels() || flow.transport == Transport::External;
        is_outside.then(|| (FlowId::new(index), side))
    }

    fn update(&mut self, scenario: &Scenario) -> bool {
        let Some((flow, side)) = self.end(scenario) else { return false };
        let round_trip = Some(Duration::from_micros(2_000 + self.luck.below(20_000) as u64));
        let cwnd = *self.luck.pick(&[2, 10, 80]);
        let outside = match scenario.flows[flow.index()].transport {
            Transport::Tfrc(_) => Outside::Tfrc { round_trip },
            _ => Outside::Tcp(OutsideTcp {
                cwnd,
                segment: Bytes::new(1_448),
                smoothed_round_trip: round_trip,
                least_round_trip: Some(Duration::from_millis(2)),
            }),
        };
        self.world.update(flow, side, outside);
        true
    }

    fn inject(&mut self, scenario: &Scenario) -> bool {
        let Some((flow, side)) = self.end(scenario) else { return false };
        let mut is_done = false;
        for _ in 0..=self.luck.below(8) {
            self.handles += 1;
            let (octets, payload) =
                *self.luck.pick(&[(1_500, 1_448), (52, 0), (52, 0), (400, 348)]);
            let tcp = ExternalTcp {
                seq: 1_448 * self.handles,
                ack: 1_448 * self.handles,
                payload,
                flags: TcpFlags::ACK,
                is_selective: self.luck.one_in(5),
                window: None,
                limit: None,
            };
            let number = u16::try_from(1_000 + self.luck.below(3)).expect("small");
            let is_other = side == Side::Receiver;
            let packet = External {
                connection: self.luck.one_in(2).then_some(Connection { number, is_other }),
                tcp: (!self.luck.one_in(4)).then_some(tcp),
                ..External::new(Bytes::new(octets), Handle(self.handles))
            };
            is_done = self.world.inject(self.world.now(), flow, side, packet).is_ok();
        }
        is_done
    }
}

fn see(seen: &mut Digest, output: Output) {
    let end = |flow: FlowId, side| u64::from(flow.0) << 1 | u64::from(side == Side::Receiver);
    match output {
        Output::Released(released) => {
            let reason = match released.reason {
                ReleaseReason::Delivered => 1,
                ReleaseReason::Lost => 2,
                ReleaseReason::RunEnded => 3,
            };
            seen.add(reason << 32 | end(released.flow, released.origin));
            seen.add(released.handle.0);
            seen.add(released.window.map_or(0, |window| window.get() + 1));
        }
        Output::Room(flow, side) => seen.add(4 << 32 | end(flow, side)),
        Output::RateLimit(flow, side, rate) => {
            seen.add(5 << 32 | end(flow, side));
            seen.add(rate.map_or(0, DataRate::bps));
        }
    }
}
