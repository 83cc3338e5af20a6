//! A trace of every frame, for a consumer that wants one.

use airfair_sim::metrics::Fingerprint;
use airfair_sim::packet::Packet;
use airfair_sim::random::Streams;
use airfair_sim::record::{CellId, Record, Recorder};
use airfair_sim::run::{Control, simulate};
use airfair_units::{Duration, Time};
use airfair_wlan::{FrameKind, NodeId, Ppdu, Record as CellRecord};

use crate::common::parse;

/// Frames as the account has them and as the trace has them.
#[derive(Debug, Default)]
struct Frames {
    sent: Vec<(NodeId, bool, bool)>,
    collided: u64,
    traced: Vec<Ppdu<Packet>>,
}

impl Recorder for Frames {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, record: &Record) {
        if let Record::Cell(_, CellRecord::Sent { node, retry, collided, .. }) = *record {
            self.sent.push((node, retry, collided));
            self.collided += u64::from(collided);
        }
    }

    fn trace(&mut self, _cell: CellId, ppdu: &Ppdu<Packet>) {
        self.traced.push(ppdu.clone());
    }
}

const TEXT: &str = "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\nrts_threshold = \"600 B\"\n\
    [station.near]\n[station.far]\nerrors = { model = \"bernoulli\", probability = 0.2 }\n[host.h]\n\
    [flow.up]\nfrom = \"near\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\n\
    [flow.down]\nfrom = \"h\"\nto = \"far\"\ntransport = { kind = \"udp\", payload = \"400 B\", rate = \"2 Mb/s\" }\n";

#[test]
fn the_trace_has_every_frame_once_with_its_times_and_its_packets() {
    let run = simulate(&parse(TEXT), Streams::new(1, 0), Frames::default(), &Control::default());
    let Frames { sent, collided, traced } = run.expect("nobody cancels").recorder;
    let told = |ppdu: &Ppdu<Packet>| (ppdu.frame.from, ppdu.frame.retry, ppdu.collided);
    assert_eq!(traced.iter().map(told).collect::<Vec<_>>(), sent);
    assert!(collided > 0 && traced.len() > 1_000);
    for ppdu in &traced {
        assert_eq!(ppdu.end - ppdu.start, ppdu.frame.duration);
        let is_data = ppdu.frame.kind == FrameKind::Data;
        assert_eq!(ppdu.mpdus.len(), usize::from(is_data));
        for mpdu in &ppdu.mpdus {
            let packet = mpdu.msdu.payload;
            assert_eq!(mpdu.size(), ppdu.frame.psdu);
            assert!(packet.flow.0 < 2 && packet.sent_at <= ppdu.start);
        }
    }
    // Frames that did not collide follow each other with a gap of a SIFS at least.
    let alone: Vec<_> = traced.iter().filter(|ppdu| !ppdu.collided).collect();
    let sifs = Duration::from_micros(10);
    assert!(alone.windows(2).all(|pair| pair[0].end + sifs <= pair[1].start));
}

#[test]
fn a_trace_moves_no_record() {
    let streams = Streams::new(1, 0);
    let plain = simulate(&parse(TEXT), streams, Fingerprint::default(), &Control::default());
    let both = (Fingerprint::default(), Frames::default());
    let traced = simulate(&parse(TEXT), streams, both, &Control::default());
    let (plain, traced) = (plain.expect("a run"), traced.expect("a run"));
    let (fingerprint, frames) = traced.recorder;
    assert_eq!(plain.recorder.get(), fingerprint.get());
    assert!(!frames.sent.is_empty() && frames.traced.len() == frames.sent.len());
}
