//! Marks instead of losses in whole runs: queues of access points and of wires.

use airfair_sim::outcome::Outcome;
use airfair_sim::scenario::Scenario;

use crate::common::{parse, run_once};

/// A download and an upload of CUBIC with ECN through a cell whose access point and whose wire have these queues.
fn cell(queue: &str, wire: &str, transport: &str) -> Scenario {
    let transport = format!("{{ kind = \"tcp\", flavour = \"cubic\", {transport} }}");
    parse(&format!(
        "duration = \"6 s\"\n[bss.c]\nstandard = \"802.11g\"\nap.queue = {{ {queue} }}\n[station.s]\n[host.h]\n\
         link = {{ rate = \"100 Mb/s\", delay = \"10 ms\", queue = {{ {wire} }} }}\n\
         [flow.down]\nfrom = \"h\"\nto = \"s\"\ntransport = {transport}\n"
    ))
}

const ECN: &str = "ecn = true, receive_window = \"1 MB\", window_scaling = true";

fn drops(outcome: &Outcome) -> u64 {
    outcome.access_points[0].dropped_codel
        + outcome.links.iter().map(|it| it.dropped_early).sum::<u64>()
}

/// Each queue that marks holds the delay as it does by drops, with no packet dropped. A flow that does not take part,
/// or a queue without `ecn`, has drops.
///
/// Verifies: [RFC3168 §5], [RFC8289 §3.3], [RFC8290 §1.2]
#[test]
fn queues_mark_flows_that_answer_and_drop_packets_of_others() {
    let red = "discipline = \"red\", packets = 500, red = { ecn = true }";
    let slow = red.to_owned();
    for (queue, wire, rate) in [
        ("discipline = \"codel\", ecn = true", "packets = 500", "100 Mb/s"),
        ("discipline = \"fq-codel\"", "packets = 500", "100 Mb/s"),
        ("discipline = \"airtime\"", "packets = 500", "100 Mb/s"),
        ("packets = 500", slow.as_str(), "10 Mb/s"),
    ] {
        let run = |queue: &str, wire: &str, transport: &str| {
            let mut scenario = cell(queue, wire, transport);
            scenario.links[0].rate = rate.parse().expect("a rate");
            run_once(&scenario, 0)
        };
        let marked = run(queue, wire, ECN);
        let marks = marked.marks[0];
        assert!(marks.packets > 0 && marks.answered > 0, "{queue}, {wire}: {marks:?}");
        // One answer per window of data, and each needs a mark.
        assert!(marks.answered <= marks.packets, "{queue}, {wire}: {marks:?}");
        assert_eq!(drops(&marked), 0, "{queue}, {wire}");
        assert_eq!(marked.flows[0].retransmissions, 0, "{queue}, {wire}");
        let plain = run(queue, wire, &ECN.replace("true, r", "false, r"));
        assert!(drops(&plain) > 0 && plain.marks.is_empty(), "{queue}, {wire}");
        let [queue, wire] = [queue, wire].map(|it| it.replace("ecn = true", "ecn = false"));
        let queue = if queue.contains("fq") || queue.contains("air") {
            format!("{queue}, ecn = false")
        } else {
            queue
        };
        let dropped = run(&queue, &wire, ECN);
        assert!(drops(&dropped) > 0, "{queue}, {wire}");
        assert_eq!(dropped.marks[0].packets, 0, "{queue}, {wire}");
        let delay = |it: &Outcome| it.flows[0].delay.p50;
        assert!(delay(&marked) < delay(&dropped) * 2, "{queue}, {wire}");
    }
}
