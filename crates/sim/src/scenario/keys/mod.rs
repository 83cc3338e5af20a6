//! Declarations of all keys of the scenario file: one function per table, one call per key, and one line for the
//! words of each enum. Checks across keys are in other modules: `super::cell`, `super::flows`, ….

mod cells;
mod errors;
mod flows;
mod limits;
mod live;
mod multi_user;
mod queues;
mod quic;
mod radio;
mod ranges;
mod rates;
mod root;
mod stations;
mod transports;
mod wires;
mod workloads;

pub(super) use cells::{PLACES, WrittenHears, access, aggregation, bss, edca};
pub(super) use errors::ERRORS;
pub(super) use flows::flow;
pub(super) use limits::{
    IP_TCP, IP_TFRC, IP_UDP, LLC_SNAP, MAX_CELLS, MAX_DURATION, MAX_FLOWS, MAX_FRAMES, MAX_HOSTS,
    MAX_LINKS, MAX_MSDU, MAX_RATES, MAX_ROUTERS, MAX_STATIONS, MAX_UNSCALED, TIMESTAMPS,
};
pub(super) use live::LIVE;
pub(super) use queues::QUEUE;
pub(super) use radio::{FAR, MOBILITY, point, radio, range_rate};
pub(super) use ranges::{OFF, TIME, bytes, time};
pub(super) use rates::{LAWS, OF_MINSTREL, OF_MINSTREL_HT, minstrel_ht};
pub(super) use root::{ROOT, root};
pub(super) use stations::{Written, station};
pub(super) use transports::{SOURCES, TRANSPORTS, UDP_PAYLOAD, UDP_RATE};
pub(super) use wires::{host, link, router};
pub(super) use workloads::WORKLOADS;
