//! CPU time of a link per packet, beside that of a run in which a flow of the scenario sends as many packets.
//!
//! Run it as `cargo bench -p airfair-link`. The fastest of several runs counts, because noise only adds time.

use std::hint::black_box;

use airfair_link::{Bytes, Event, Link, Scenario};
use airfair_sim::run::{Control, run};
use cpu_time::ProcessTime;

/// Number of runs per line, of which the fastest counts.
const RUNS: u32 = 7;

fn main() {
    println!(
        "{:<10} {:>9} {:>14} {:>13}",
        "standard", "packets", "link ns/packet", "run ns/packet"
    );
    for standard in ["802.11b", "802.11g", "802.11ax"] {
        let by_link = fastest(|| through_a_link(standard));
        let by_run = fastest(|| in_a_run(standard));
        let [link, run] = [by_link, by_run].map(|(ns, packets)| ns / packets);
        println!("{standard:<10} {:>9} {link:>14} {run:>13}", by_link.1);
    }
}

/// CPU time of the process since `began` [ns].
fn nanos(began: ProcessTime) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).expect("less than 500 years")
}

/// CPU time [ns] and packets of the fastest run.
fn fastest(measure: impl Fn() -> (u64, u64)) -> (u64, u64) {
    (0..RUNS).map(|_| measure()).min().expect("a run")
}

fn scenario(standard: &str, transport: &str) -> Scenario {
    let text = format!(
        "duration = \"10 s\"\nseries = \"off\"\n[bss.home]\nstandard = \"{standard}\"\n[station.laptop]\n\
         [host.server]\nlink = {{ rate = \"1 Gb/s\" }}\n[flow.f]\nfrom = \"laptop\"\n\
         to = \"server\"\ntransport = {{ {transport} }}\n"
    );
    Scenario::parse(&text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Keeps the queue of a station full, and polls at each time-out of the link.
fn through_a_link(standard: &str) -> (u64, u64) {
    let scenario = scenario(standard, "kind = \"external\"");
    let began = ProcessTime::now();
    let mut link = Link::new(&scenario, 1).expect("an external flow");
    let [laptop, _] = link.ends("f").expect("a flow");
    let mut delivered = 0;
    let mut has_room = true;
    loop {
        while has_room {
            has_room = link.send(link.now(), laptop, Bytes::new(1_500), [0u8; 32]).is_ok();
        }
        let Some(at) = link.next_timeout() else { break };
        match link.poll(at).expect("time goes on") {
            Some(Event::Delivered(packet)) => {
                delivered += u64::from(black_box(packet.payload)[0] == 0);
            }
            Some(Event::Room(..)) => has_room = true,
            _ => {}
        }
    }
    (nanos(began), delivered)
}

fn in_a_run(standard: &str) -> (u64, u64) {
    let udp = "kind = \"udp\", payload = \"1472 B\", rate = \"saturated\"";
    let scenario = scenario(standard, udp);
    let began = ProcessTime::now();
    let outcome = run(&scenario, 1, 0, &Control::default()).expect("nobody cancels it");
    (nanos(began), outcome.flows[0].packets_received)
}
