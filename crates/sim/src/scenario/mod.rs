//! Scenarios: complete and valid descriptions of one simulated network.
//!
//! [`Scenario::parse`] turns a TOML text into a [`Scenario`], or reports *all* its mistakes at once. A parsed
//! scenario needs no further check. Values carry their units, and every key has a documented default.
//! [`Scenario::to_toml`] writes the scenario back with every default spelled out.
//!
//! | files | content |
//! | --- | --- |
//! | `document.rs`, `kind.rs`, `reader.rs`, `declare.rs` and others | tree of a file, kinds of values, and the declaration of keys |
//! | `keys/{limits,ranges}.rs` | limits of a scenario, and ranges of values of several keys |
//! | `network/`, `schemes.rs` | the types of a scenario, such as [`Bss`], [`Station`], [`Link`] and [`Flow`]; control schemes, with their keys and conditions |
//! | `keys/` | the keys of the file, one declaration for each |
//! | `cell.rs`, `stations.rs`, `links.rs`, `flows.rs` and others | checks that a declaration cannot make, for one section each |
//! | `eras/` | defaults that depend on the standards of cells |
//! | `parse.rs`, `parts.rs`, `write.rs`, `schema.rs`, `reference.rs` | scenarios from a file or in Rust; the file, the JSON Schema and the reference as text |
//!
//! A file uses only files of its own row and of the rows above it.

mod access;
mod beacons;
mod capabilities;
mod cell;
mod context;
mod declare;
mod document;
mod driver;
mod eras;
mod error;
mod fair;
mod flows;
mod keys;
mod kind;
mod legacy_rates;
mod links;
mod multi_user;
mod names;
mod neighbours;
mod network;
mod overrides;
mod parse;
mod parts;
mod plain;
mod printed;
mod queues;
mod quic;
mod radio;
mod rates;
mod reader;
mod reference;
pub(crate) mod routes;
mod schema;
mod schemes;
mod size;
mod stations;
mod traces;
mod workloads;
mod write;

pub use driver::Driver;
pub use eras::AppliedDefault;
pub use error::{ScenarioError, escaped};
pub(crate) use network::CellRates;
pub use network::{
    Access, AccessPoint, Area, Beacons, Begin, Bss, Capacity, Endpoint, Flow, GilbertElliott,
    Heading, Heard, Link, LinkQueue, Loss, Member, Motion, Node, PathLossModel, Queue, Quic, Radio,
    RangeRate, RateControl, Red, Scenario, Station, Tcp, Tfrc, Trajectory, Transport, WidthRule,
    Workload,
};
use network::{NotThere, highest};
pub use reference::reference_markdown;
pub use schema::schema;
pub use schemes::{ApScheme, ArfAware, Scheme};
pub use size::MAX_FILE;
pub use traces::{MAX_TRACE, ReadFile};

pub use airfair_transport::tcp::Transfer as TcpTransfer;
pub use airfair_transport::tfrc::{Profile as TfrcProfile, Traffic as TfrcTraffic};
pub use airfair_transport::udp::SendRate as UdpRate;
pub use airfair_wlan::radio::Fading;
pub use airfair_wlan::{
    AccessParameters, AfterCollision, Aggregation, AirtimeSharing, Attempts, Channel, CoDel,
    Discipline, Eifs, ErrorModel, Limit, LinkCapabilities, Overflow, Periods, QueueConfig, Rules,
    TimeRegulation, Weights,
};

#[cfg(test)]
mod tests;
