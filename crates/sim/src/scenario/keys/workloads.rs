//! Keys of the applications of TCP and QUIC flows, and of the amount of their data.

use airfair_transport::stream::Transfer;
use airfair_units::{Bytes, DataRate, Duration};

use super::super::Workload;
use super::super::declare::{Choice, Form, Keys};
use super::super::kind::{Absent, Kind, Scalar};
use super::super::reader::Entry;
use super::ranges::{DELAY, PERIOD, bytes, integer};

/// Amount of data of a sender.
const SIZE: Kind = Kind::Either(&[Kind::Word(&["endless"]), bytes(1, 1_000_000_000_000_000)]);
/// Size of an object or of an answer.
const OBJECT: Kind = bytes(1, 1_000_000_000);
const SIZES: Kind = Kind::List(&bytes(1, 10_000_000));
const RATES: Kind = Kind::List(&Kind::Rate);
const ANY_TIME: Duration = Duration::from_secs(1);

pub(crate) const WORKLOADS: Choice<Workload> = Choice {
    key: "model",
    noun: "application of TCP",
    says: "Name of the application.",
    name: |workload| match workload {
        Workload::Bulk => "bulk",
        Workload::Constant(_) => "constant",
        Workload::OnOff { .. } => "on-off",
        Workload::Frames { .. } => "frames",
        Workload::Rpc { .. } => "rpc",
        Workload::Responsiveness { .. } => "responsiveness",
        Workload::Web { .. } => "web",
        Workload::Video { .. } => "video",
    },
    alone: || vec![Workload::Bulk, Workload::web(), Workload::video(), Workload::responsiveness()],
    tables: || {
        let rate = DataRate::from_mbps(1);
        vec![
            Workload::Constant(rate),
            Workload::OnOff { rate, on: ANY_TIME, off: ANY_TIME },
            Workload::Frames { interval: ANY_TIME, sizes: Vec::new() },
            Workload::Rpc { size: Bytes::new(1_000), think: Duration::ZERO },
            Workload::web(),
            Workload::video(),
            Workload::responsiveness(),
        ]
    },
    has_default: false,
    settings,
};

/// Declares the key for the amount of data of a sender.
pub(super) fn size(keys: &mut Keys, transfer: &mut Transfer) {
    let mut size = match *transfer {
        Transfer::Endless => None,
        Transfer::Bytes(size) => Some(size),
    };
    keys.optional("size", &mut size, SIZE, "\"10 MB\"").says("Amount of data to send.");
    *transfer = size.map_or(Transfer::Endless, Transfer::Bytes);
}

/// Declares the key for the application of a sender.
pub(super) fn source(keys: &mut Keys, it: &mut Workload) {
    let is_written = *it != Workload::Bulk;
    let example = "{ model = \"rpc\", size = \"10 kB\", think = \"100 ms\" }";
    keys.choice("source", it, &WORKLOADS, example).written_if(is_written).says(
        "Application that writes the data over time. `bulk`: all data is there from the start. `web`, `video` and \
         `responsiveness` are their tables with the defaults. A `size` is for `bulk` alone.",
    );
}

fn settings(keys: &mut Keys, workload: &mut Workload) {
    keys.of("an application of TCP");
    match workload {
        Workload::Bulk => {}
        Workload::Constant(rate) => {
            keys.key("rate", rate, Kind::Rate, "\"300 kb/s\"")
                .required()
                .says("Rate of the application's data, which come in segments.");
        }
        Workload::OnOff { rate, on, off } => {
            keys.key("rate", rate, Kind::Rate, "\"300 kb/s\"").required().says(
                "Rate of the application during an on-period, in whole segments; the first one comes at its start.",
            );
            keys.key("on", on, PERIOD, "\"500 ms\"").required().says("Length of each on-period.");
            keys.key("off", off, DELAY, "\"3 s\"").required().says("Length of each off-period.");
        }
        Workload::Frames { interval, sizes } => {
            keys.key("interval", interval, PERIOD, "\"40 ms\"")
                .required()
                .says("Time from frame to frame, and from the start to the first frame.");
            let sizes =
                list("sizes", keys, (sizes, "[\"8 kB\", \"2 kB\"]"), (SIZES, Absent::Required));
            sizes.says(
                "Sizes of the frames, at most 100000; after the last one the list starts again. A frame is dropped as \
                 a whole if more than 50 segments' worth of data waits to be sent.",
            );
        }
        Workload::Rpc { size, think } => {
            keys.key("size", size, OBJECT, "\"10 kB\"").required().says("Size of an answer.");
            keys.key("think", think, DELAY, "\"100 ms\"")
                .says("Time from the arrival of an answer to the next call.");
        }
        Workload::Responsiveness { think } => {
            keys.key("think", think, DELAY, "\"100 ms\"")
                .says("Time from the arrival of an answer, of one octet, to the next request.");
        }
        Workload::Web { document, objects, object, think } => {
            keys.key("document", document, OBJECT, "\"10 kB\"").says("Size of a page's document.");
            keys.key("objects", objects, integer(0, 10_000), "20").says(
                "Number of a page's objects, which are requested together once the document has arrived.",
            );
            keys.key("object", object, OBJECT, "\"100 kB\"").says("Size of each object.");
            keys.key("think", think, DELAY, "\"30 s\"")
                .says("Time from the end of a page to the request of the next one.");
        }
        Workload::Video { chunk, rates, buffer, reservoir, cushion } => {
            keys.key("chunk", chunk, PERIOD, "\"2 s\"").says("Play time of a chunk.");
            let absent = Absent::Follows("nine rates from 235 kb/s to 5.8 Mb/s");
            list("rates", keys, (rates, "[\"1 Mb/s\", \"5 Mb/s\"]"), (RATES, absent))
                .says("Rates of the video, from the lowest to the highest.");
            keys.key("buffer", buffer, PERIOD, "\"30 s\"").says(
                "Play time that the player buffers at most. It requests the next chunk when there is room for it.",
            );
            keys.key("reservoir", reservoir, DELAY, "\"10 s\"")
                .says("Play time in the buffer up to which the player requests the lowest rate.");
            keys.key("cushion", cushion, DELAY, "\"20 s\"").says(
                "Play time above the reservoir over which the requested rate rises to the highest one.",
            );
        }
    }
}

/// Declares a key that holds a list of amounts or of rates.
fn list<'a, 'k, T: Scalar>(
    name: &'static str,
    keys: &'a mut Keys<'k>,
    (values, example): (&mut Vec<T>, &'static str),
    (kind, absent): (Kind, Absent),
) -> &'a mut Keys<'k> {
    let describe = move |_: &mut Vec<T>| (kind, absent);
    let read = |entry: &Entry, _: &Vec<T>| entry.items().iter().map(Entry::value).collect();
    let write = |values: &Vec<T>| {
        let items = values.iter().map(|it| it.plain().to_string());
        format!("[{}]", items.collect::<Vec<_>>().join(", "))
    };
    keys.any(name, values, example, Form { describe, read, write })
}
