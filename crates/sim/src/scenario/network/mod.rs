//! The network that a scenario describes: its cells, stations, links and flows, with all their settings.

mod access;
mod bss;
mod flow;
mod hearing;
mod link;
mod neighbours;
mod queue;
mod radio;
mod scenario;
mod station;
mod trajectory;
mod transport;

pub use access::Access;
pub use airfair_wlan::WidthRule;
pub use bss::{AccessPoint, Beacons, Bss};
pub use flow::{Endpoint, Flow};
pub use hearing::{Heard, Member};
pub use link::{Capacity, GilbertElliott, Heading, Link, LinkQueue, Loss, Node, Red};
pub use queue::Queue;
pub(crate) use radio::{CellRates, NotThere};
pub use radio::{PathLossModel, Radio, RangeRate};
pub use scenario::Scenario;
pub(crate) use station::highest;
pub use station::{RateControl, Station};
pub use trajectory::{Area, Begin, Motion, Trajectory};
pub use transport::{Quic, Tcp, Tfrc, Transport, Workload};
