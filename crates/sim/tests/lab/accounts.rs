//! Figures of a run: packets of the measured time up to their end, lives of flows, delays, time series.

use airfair_sim::outcome::{FlowOutcome, Outcome};
use airfair_sim::packet::Side;
use airfair_sim::random::Streams;
use airfair_sim::record::{FlowRecord, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, simulate};
use airfair_units::{Duration, Time};

use crate::common::{parse, run_once};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Index of the direction from the router to the receiver, among the directions of all links.
const LAST: usize = 3;

/// Outcome of a flow between two hosts at a router. A packet of 972 + 28 octets takes 1 µs to the router. It then
/// needs 1 ms to be sent over a link of 8 Mb/s, and 2 ms to arrive.
fn wire(head: &str, flow: &str) -> Outcome {
    let text = format!(
        "{head}\n[router.r]\n[host.a]\nlink = {{ to = \"r\", rate = \"8 Gb/s\", delay = \"0 s\" }}\n\
         [host.b]\nlink = {{ to = \"r\", rate = \"8 Mb/s\", delay = \"2 ms\" }}\n\
         [flow.f]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    );
    run_once(&parse(&text), 0)
}

/// Transport of a voice flow: a packet of 1000 octets every 10 ms.
const VOICE: &str = "transport = { kind = \"udp\", payload = \"972 B\", rate = \"777.6 kb/s\" }";

/// Text of a scenario with uploads and downloads of many stations behind `FQ-CoDel`, and with voice flows that end
/// soon after the warm-up.
fn conference() -> String {
    "duration = \"3 s\"\nwarmup = \"1 s\"\n[bss.hall]\nstandard = \"802.11b\"\n\
     ap.queue = { packets = 60, discipline = \"fq-codel\" }\n\
     [station.s]\ncount = 20\nrate = \"2 Mb/s\"\nqueue = { packets = 200 }\n[host.server]\n\
     link = { rate = \"100 Mb/s\", delay = \"10 ms\", queue = { packets = 500 } }\n\
     [flow.down]\nfrom = \"server\"\nto = \"s\"\ntransport = { kind = \"tcp\" }\n\
     [flow.up]\nfrom = \"s\"\nto = \"server\"\ntransport = { kind = \"tcp\" }\n\
     [flow.talk]\nfrom = \"server\"\nto = \"s\"\nstop = \"1100 ms\"\n\
     transport = { kind = \"udp\", payload = \"500 B\", rate = \"400 kb/s\" }\n"
        .to_owned()
}

/// Packets sent and packets dropped after the first second, by flow. A packet dropped then may have been sent earlier.
struct Events(Vec<[u64; 2]>);

impl Recorder for Events {
    fn record(&mut self, now: Time, record: &Record) {
        let Record::Flow(flow, record) = record else { return };
        let is_counted = now >= Time::ZERO + ms(1_000);
        let [sent, dropped] = &mut self.0[flow.index()];
        match record {
            FlowRecord::Sent => *sent += u64::from(is_counted),
            FlowRecord::Lost(Side::Sender, _) => *dropped += u64::from(is_counted),
            _ => {}
        }
    }
}

#[test]
fn no_more_is_lost_than_was_sent_whatever_the_warm_up_has_left_in_the_queues() {
    let scenario = parse(&conference());
    let outcome = run_once(&scenario, 0);
    for flow in &outcome.flows {
        assert!(flow.packets_received + flow.packets_dropped <= flow.packets_sent, "{flow:?}");
    }
    assert!(outcome.flows.iter().any(|flow| flow.packets_dropped > 0));
    // The test needs a case in which more packets are dropped after the warm-up than are sent.
    let events = Events(vec![[0; 2]; scenario.flows.len()]);
    let events = simulate(&scenario, Streams::new(1, 0), events, &Control::default());
    let events = events.expect("nobody cancels").recorder.0;
    assert!(events.iter().any(|[sent, dropped]| dropped > sent), "{events:?}");
}

/// A packet that has not arrived at the end of the run counts as in flight. A source sends one packet every 10 ms, 200
/// in total; the first 100 are sent in the warm-up. At 2 s less 1 ms, the packet sent at 1.99 s has arrived. At 2.995
/// s of 3 s, the last packet has not arrived.
#[test]
fn a_packet_under_way_at_the_end_is_in_flight() {
    let measured = |duration: &str| {
        let head = format!("duration = \"{duration}\"\nwarmup = \"1 s\"");
        let FlowOutcome { packets_sent, packets_received, packets_in_flight, .. } =
            wire(&head, VOICE).flows[0];
        (packets_sent, packets_received, packets_in_flight)
    };
    assert_eq!(measured("2 s"), (100, 100, 0));
    assert_eq!(measured("1.992 s"), (100, 99, 1));
}

/// A packet that was given to a link before the end of the warm-up does not count in the results of the link.
#[test]
fn a_link_counts_what_it_was_given_in_the_measured_time() {
    let outcome = wire("duration = \"2 s\"\nwarmup = \"1.001 s\"", VOICE);
    let link = &outcome.links[LAST];
    // The packet of 1.000 s is on the wire until 1.003 s.
    assert_eq!((link.packets_sent, link.packets), (99, 99));
    assert_eq!(outcome.flows[0].packets_received, 99);
}

/// The flow's life lasts from 50 ms to 150 ms, and 3.001 ms more until the last packet has arrived.
#[test]
fn a_flow_lives_from_its_start_until_it_is_done_within_the_measured_time() {
    let life = |head: &str, life: &str| {
        wire(&format!("duration = \"1 s\"\n{head}"), &format!("{life}\n{VOICE}")).flows[0].active
    };
    assert_eq!(life("", ""), ms(1_000));
    assert_eq!(life("", "start = \"50 ms\"\nstop = \"151 ms\""), ms(103) + us(1));
    assert_eq!(life("warmup = \"100 ms\"", "start = \"50 ms\"\nstop = \"151 ms\""), ms(53) + us(1));
    assert_eq!(life("warmup = \"600 ms\"", "start = \"50 ms\"\nstop = \"151 ms\""), Duration::ZERO);
    assert_eq!(life("warmup = \"400 ms\"", "start = \"300 ms\""), ms(600));
}

#[test]
fn a_transfer_lives_as_long_as_it_takes() {
    let flow = "start = \"2 s\"\ntransport = { kind = \"tcp\", size = \"500 kB\" }";
    let flow = wire("duration = \"20 s\"\nwarmup = \"1 s\"", flow).flows.remove(0);
    assert_eq!((flow.delivered.get(), Some(flow.active)), (500_000, flow.completion));
    assert!((ms(540)..ms(800)).contains(&flow.active), "{:?}", flow.active);
}

/// The delay of each packet is 3.001 ms: 1 µs to the router, 1 ms to be sent on, and 2 ms to arrive.
#[test]
fn the_delay_of_a_packet_is_that_from_host_to_host() {
    let outcome = wire("duration = \"2 s\"", VOICE);
    let FlowOutcome { delay, jitter, .. } = outcome.flows[0];
    assert_eq!([delay.min, delay.mean, delay.p50, delay.p99, delay.max], [ms(3) + us(1); 5]);
    assert_eq!((delay.count, jitter), (200, Some(Duration::ZERO)));
}

/// A window of 10 packets at 8 Mb/s takes 10 ms to send. 4 ms of that overlap with the round trip, so a packet waits
/// 4 to 6 ms in the queue before the 2 ms of propagation.
#[test]
fn a_full_window_waits_in_the_queue_in_front_of_the_link() {
    let flow = "transport = { kind = \"tcp\", segment = \"960 B\", receive_window = \"9600 B\" }";
    let outcome = wire("duration = \"10 s\"\nseries = \"100 ms\"", flow);
    let delay = outcome.flows[0].delay;
    assert!((ms(6)..ms(8)).contains(&delay.p50), "{delay:?}");
    let last = outcome.series.flows[0].last().expect("100 steps");
    let queue = outcome.series.links[LAST].last().expect("100 steps");
    let mean = last.delay_sum / last.delays;
    // Little's law: packets in the system equal their rate times the time they spend there, without the 2 ms of
    // propagation.
    let little = ((mean - ms(2)) * last.delays).as_secs_f64() / 0.1;
    assert!((queue - little).abs() < 0.05 * queue, "{queue} against {little}");
    assert!(last.window.expect("open").cwnd >= 10);
}

#[test]
fn a_window_is_sampled_while_a_flow_is_open() {
    let flow = "start = \"150 ms\"\ntransport = { kind = \"tcp\", size = \"100 kB\" }";
    let outcome = wire("duration = \"1 s\"\nseries = \"100 ms\"", flow);
    let open: Vec<bool> =
        outcome.series.flows[0].iter().map(|step| step.window.is_some()).collect();
    // The flow starts in the second step. 100 kB take a little more than 0.1 s.
    assert_eq!(open[..2], [false, true]);
    assert_eq!(open[5..], [false; 5]);
}

#[test]
fn a_series_changes_no_record_and_no_figure() {
    let run = |series: &str| {
        let text = conference().replacen("warmup", &format!("series = \"{series}\"\nwarmup"), 1);
        let mut outcome = run_once(&parse(&text), 0);
        outcome.series = airfair_sim::outcome::Series::default();
        outcome
    };
    assert_eq!(run("off"), run("30 ms"));
}
