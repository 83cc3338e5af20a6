//! Captures and timelines of multi-user exchanges.

use std::collections::BTreeSet;

use airfair_sim::random::Streams;
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, simulate};
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::Trace;
use airfair_trace::{Capture, Selection, Timeline};
use airfair_units::Time;
use airfair_wlan::phy::TxVector;
use airfair_wlan::phy::mode::PpduKind;
use airfair_wlan::{FrameKind, TriggerVariant};
use serde_json::Value;

/// Kinds of frames and triggers that a run has had, and frames that nobody has received.
#[derive(Debug, Default)]
struct Seen {
    kinds: BTreeSet<String>,
    frames: usize,
    lost: usize,
}

impl Recorder for Seen {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, _record: &Record) {}

    fn trace(&mut self, _now: Time, trace: Trace<'_>) {
        let Trace::Frame(_, heard) = trace else { return };
        let frame = &heard.ppdu.frame;
        self.frames += 1;
        self.lost += usize::from(heard.receivers.is_empty() && !heard.ppdu.collided);
        self.kinds.insert(match (frame.kind, heard.ppdu.trigger()) {
            (FrameKind::Trigger, Some(it)) if it.random.is_some() => "random access".to_owned(),
            (FrameKind::Trigger, Some(it)) => format!("{:?}", it.variant),
            (kind, _) => format!("{kind:?}"),
        });
        if heard.part.is_some_and(|part| part.asks.is_some()) {
            self.kinds.insert(format!("{:?} in data", TriggerVariant::BlockAckRequest));
        }
        let TxVector::Mode(mode) = frame.tx else { return };
        assert_eq!(heard.part.is_some(), mode.kind() != PpduKind::Single);
    }
}

/// Cell of 80 MHz with four stations that receive all the time, in units or on streams of their own, and send at times.
fn scenario(ack: &str, up: &str, shares: bool) -> Scenario {
    let station = |name: &str| {
        format!(
            "[station.{name}]\n[flow.down-{name}]\nfrom = \"server\"\nto = \"{name}\"\n\
             transport = {{ kind = \"udp\", payload = \"1470 B\", rate = \"saturated\" }}\n\
             [flow.up-{name}]\nfrom = \"{name}\"\nto = \"server\"\n\
             transport = {{ kind = \"udp\", payload = \"1470 B\", rate = \"5 Mb/s\" }}\n"
        )
    };
    let (down, keys) = if shares {
        ("off", "streams = 4\nmu_mimo = { users = 4, sounding_every = \"20 ms\" }\n")
    } else {
        ("round-robin", "")
    };
    let text = format!(
        "duration = \"60 ms\"\n[bss.home]\nstandard = \"802.11ax\"\nwidth = \"80 MHz\"\n{keys}\
         ofdma = {{ down = \"{down}\", up = \"round-robin\", ack = \"{ack}\", {up}, \
         trigger_every = \"5 ms\" }}\n[host.server]\n{}",
        ["a", "b", "c", "d"].map(station).concat()
    );
    Scenario::parse(&text, &[]).expect("a scenario without mistakes")
}

/// Every kind of frame is in the capture, and on a track of the timeline that no other frame has at that time. Parts
/// that are sent together are all received if there are no errors.
#[test]
fn each_kind_of_frame_is_captured_and_has_its_place_on_a_timeline() {
    let common = ["Ack", "BlockAck", "Data", "MultiBlockAck", "TriggerBased"];
    let of_sounding = ["NdpAnnouncement", "Ndp", "BeamformingReport"];
    let polled = ["Basic", "BufferStatus"];
    let cells = [
        ("bar", "poll = true", "BlockAckRequest", &polled[..]),
        ("mu-bar", "poll = true", "BlockAckRequest", &polled[..]),
        ("aggregated-mu-bar", "poll = true", "BlockAckRequest in data", &polled[..]),
        ("mu-bar", "random = 4", "BlockAckRequest", &["random access"]),
    ];
    for ((ack, up, request, others), shares) in
        cells.iter().flat_map(|it| [(it, false), (it, true)])
    {
        let scenario = scenario(ack, up, shares);
        let all = Selection::all(&scenario);
        let capture = Capture::new(&scenario, all.clone(), "", Vec::new());
        let timeline = Timeline::new(&scenario, all, "", Vec::new());
        let recorder = (Seen::default(), (capture, timeline));
        let run = simulate(&scenario, Streams::new(1, 0), recorder, &Control::default());
        let (seen, (capture, timeline)) = run.expect("nobody cancels").recorder;
        assert!(capture.finish().error.is_none());
        let expected: BTreeSet<String> =
            common.iter().chain([request]).chain(*others).map(|it| (*it).to_owned()).collect();
        let sounding = of_sounding.iter().filter(|_| shares).map(|it| (*it).to_owned());
        let expected: BTreeSet<String> = expected.into_iter().chain(sounding).collect();
        assert_eq!(seen.kinds, expected, "{ack} {shares}");
        assert_eq!(seen.lost, 0, "{ack} {shares}");

        let sheet: Value = serde_json::from_slice(&timeline.finish().to).expect("JSON");
        let events = sheet["traceEvents"].as_array().expect("events");
        let names = events.iter().filter(|event| event["name"] == "thread_name");
        let of_ap: Vec<_> = names
            .map(|event| &event["args"])
            .filter(|args| args["of"] == "home")
            .map(|args| args["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(of_ap, ["home", "home, unit 2", "home, unit 3", "home, unit 4"]);
        let frames = events.iter().filter(|event| event["cat"] == "frame");
        let mut spans: Vec<_> = frames
            .map(|event| {
                let number = |key: &str| event[key].as_f64().expect("a number");
                let (start, end) = (number("ts"), number("ts") + number("dur"));
                (event["tid"].as_u64().expect("a number"), start, end)
            })
            .collect();
        assert_eq!(spans.len(), seen.frames);
        spans.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        assert!(spans.windows(2).all(|it| it[0].0 != it[1].0 || it[0].2 <= it[1].1 + 1e-4));
        let part = if shares { "1 stream" } else { "242 tones" };
        assert!(events.iter().any(|event| event["args"]["unit"] == part));
    }
}
