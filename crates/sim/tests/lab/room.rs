//! Sources whose host's queue is full, and their notification of room.

use airfair_sim::packet::Side;
use airfair_sim::random::Streams;
use airfair_sim::record::{FlowRecord, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, simulate};
use airfair_sim::world::Finished;
use airfair_units::Time;

use crate::common::{SATURATED, parse, run_once};

/// Number of packets of each flow that have arrived.
fn received(text: &str) -> Vec<u64> {
    run_once(&parse(text), 0).flows.iter().map(|flow| flow.packets_received).collect()
}

/// A saturated source that comes to a full queue at 1 s delivers more than 100 packets. Another flow of 20 Mb/s has
/// filled the queue of the station, which sends about 6 Mb/s: 500 frames of 1500 octets in the second that is left.
/// Two packets of the saturated source wait for room, which any departing packet leaves. When one of its own packets
/// leaves, the source takes the room at once.
#[test]
fn a_saturated_source_that_comes_to_a_full_queue_has_its_turn() {
    let text = format!(
        "duration = \"2 s\"\n[bss.c]\nstandard = \"802.11b\"\n[station.s]\nqueue = {{ packets = 5 }}\n[host.h]\n\
         [flow.first]\nfrom = \"s\"\nto = \"h\"\n\
         transport = {{ kind = \"udp\", payload = \"1472 B\", rate = \"20 Mb/s\" }}\n\
         [flow.late]\nfrom = \"s\"\nto = \"h\"\nstart = \"1 s\"\ntransport = {SATURATED}\n"
    );
    let received = received(&text);
    assert!(received[1] > 100, "{received:?}");
}

/// Two saturated sources of a wired host share a queue with room for one packet equally. At 8 Mb/s, 1333 packets of
/// 1500 octets are sent in 2 s.
#[test]
fn saturated_sources_of_a_wired_host_share_a_queue_with_one_place() {
    let text = format!(
        "duration = \"2 s\"\n[router.r]\n[host.a]\nlink = {{ to = \"r\", rate = \"8 Mb/s\", queue = {{ packets = 1 }} }}\n\
         [host.b]\nlink = {{ to = \"r\" }}\n\
         [flow.f]\nfrom = \"a\"\nto = \"b\"\ncount = 2\ntransport = {SATURATED}\n"
    );
    let received = received(&text);
    assert_eq!(received.iter().sum::<u64>(), 1_333);
    assert!(received[0].abs_diff(received[1]) <= 1, "{received:?}");
}

/// A saturated source goes on after random early detection has dropped one of its packets. Each packet finds up to
/// three others in the queue; the thresholds are average lengths of 1 and 2 packets, so many packets are dropped
/// early.
#[test]
fn a_saturated_source_goes_on_after_an_early_drop() {
    let text = format!(
        "duration = \"2 s\"\n[router.r]\n\
         [host.a]\nlink = {{ to = \"r\", rate = \"8 Mb/s\", queue = {{ packets = 10, discipline = \"red\", red = {{ min = 1, max = 2, weight = 0.5 }} }} }}\n\
         [host.b]\nlink = {{ to = \"r\" }}\n\
         [flow.f]\nfrom = \"a\"\nto = \"b\"\ncount = 2\ntransport = {SATURATED}\n"
    );
    let outcome = run_once(&parse(&text), 0);
    assert!(outcome.links[0].dropped_early > 10, "{:?}", outcome.links[0]);
    assert!(outcome.flows.iter().all(|flow| flow.packets_received > 300), "{:?}", outcome.flows);
}

/// A saturated source at a station with room for one packet loses nothing: its second packet waits for room.
#[test]
fn a_saturated_source_loses_nothing_in_its_own_queue() {
    let text = format!(
        "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\n[station.s]\nqueue = {{ packets = 1 }}\n[host.h]\n\
         [flow.f]\nfrom = \"s\"\nto = \"h\"\ncount = 3\ntransport = {SATURATED}\n"
    );
    let outcome = run_once(&parse(&text), 0);
    assert!(outcome.flows.iter().all(|flow| flow.packets_dropped == 0 && flow.packets_sent > 50));
    assert_eq!(outcome.stations[0].radio.dropped_queue_full, 0);
}

/// Records of one flow: packets sent, packets that arrived or were lost, and packets taken back.
#[derive(Debug, Default)]
struct Packets {
    sent: u64,
    ended: u64,
    refused: u64,
}

impl Recorder for Packets {
    fn record(&mut self, _now: Time, record: &Record) {
        match record {
            Record::Flow(_, FlowRecord::Sent) => self.sent += 1,
            Record::Flow(_, FlowRecord::Received(_) | FlowRecord::Lost(Side::Sender, _)) => {
                self.ended += 1;
            }
            Record::Flow(_, FlowRecord::Refused) => self.refused += 1,
            _ => {}
        }
    }
}

#[test]
fn a_packet_that_is_taken_back_was_never_sent() {
    let text = "duration = \"2 s\"\n[bss.c]\nstandard = \"802.11b\"\n[station.s]\nqueue = { packets = 3 }\n[host.h]\n\
                [flow.f]\nfrom = \"s\"\nto = \"h\"\ntransport = { kind = \"tcp\", full_queue = \"hold\" }\n";
    let run = simulate(&parse(text), Streams::new(1, 0), Packets::default(), &Control::default());
    let Finished { recorder, in_flight, .. } = run.expect("nobody cancels");
    assert!(recorder.refused > 0);
    assert_eq!(recorder.sent, recorder.ended + in_flight[0], "{recorder:?}");
}
