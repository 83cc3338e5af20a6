//! Flows between stations and hosts.

use airfair_units::{Duration, Time};
use airfair_wlan::edca::AccessCategory;

use super::super::schemes::Scheme;
use super::{Tcp, Transport};

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Station, as an index into [`Scenario::stations`](super::Scenario::stations).
    Station(usize),
    /// Host, as an index into [`Scenario::hosts`](super::Scenario::hosts).
    Host(usize),
}

/// A flow from one end to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Name of the flow.
    pub name: String,
    /// End that sends the data.
    pub from: Endpoint,
    /// Receiving end, which is never the sending end.
    pub to: Endpoint,
    /// Time of the flow's start, without the random delay.
    pub start: Time,
    /// Upper bound of a random delay of the start, uniform from zero and drawn in each replication.
    pub start_jitter: Duration,
    /// Time at which the source stops; `None` for the end of the run.
    pub stop: Option<Time>,
    /// Transport protocol with its settings.
    pub transport: Transport,
    /// Cross-layer control of the flow.
    pub control: Scheme,
    /// Access category of the flow's packets, both directions. A given `dscp` takes precedence.
    pub access_category: AccessCategory,
    /// Differentiated services code point of the flow's packets, if given. A given code point decides the access
    /// category.
    pub dscp: Option<u8>,
}

impl Flow {
    /// Creates a flow that starts at time zero and does not stop.
    pub fn new(name: &str, from: Endpoint, to: Endpoint) -> Self {
        Self {
            name: name.to_owned(),
            from,
            to,
            start: Time::ZERO,
            start_jitter: Duration::ZERO,
            stop: None,
            transport: Transport::Tcp(Tcp::default()),
            control: Scheme::None,
            access_category: AccessCategory::default(),
            dscp: None,
        }
    }

    /// Access category of the flow's packets on the air.
    pub fn category(&self) -> AccessCategory {
        let of_dscp = self.dscp.and_then(AccessCategory::of_dscp);
        of_dscp.unwrap_or(self.access_category)
    }

    /// True if the flow's sender or receiver is a station.
    pub fn is_on_air(&self) -> bool {
        [self.from, self.to].iter().any(|end| matches!(end, Endpoint::Station(_)))
    }
}
