//! Errors of links.

use std::error::Error;
use std::fmt::{self, Debug, Display, Formatter};

use airfair_sim::scenario::escaped;
use airfair_units::{Bytes, Time};

/// Reason for which a scenario has no such link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// No flow of the scenario is external, so that the caller could not send a packet.
    NoExternalFlow,
    /// The scenario has no external flow of the name `found`.
    NoSuchFlow {
        /// Name that was asked for.
        found: String,
        /// Names of the external flows.
        allowed: Vec<String>,
    },
    /// The scenario has no station and no host of the name `found`.
    NoSuchNode {
        /// Name that was asked for.
        found: String,
        /// Names of the stations and hosts.
        allowed: Vec<String>,
    },
    /// Both ends of the link are the same node.
    SameNode(String),
    /// There is no route between these nodes.
    NoRoute([String; 2]),
}

impl Display for LinkError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoExternalFlow => f.write_str(
                "the scenario has no flow for packets of the caller; \
                 allowed is a flow with transport = { kind = \"external\" }",
            ),
            Self::NoSuchFlow { found, allowed } => {
                write!(f, "no external flow is named {}; allowed {}", shown(found), list(allowed))
            }
            Self::NoSuchNode { found, allowed } => {
                let allowed = list(allowed);
                write!(f, "no station and no host is named {}; allowed {allowed}", shown(found))
            }
            Self::SameNode(name) => {
                write!(f, "a link from {} to itself; allowed are two nodes", shown(name))
            }
            Self::NoRoute([from, to]) => {
                write!(f, "no route leads from {} to {}", shown(from), shown(to))
            }
        }
    }
}

impl Error for LinkError {}

fn shown(name: &str) -> String {
    format!("\"{}\"", escaped(name))
}

/// Names in a row, the first few of many.
fn list(names: &[String]) -> String {
    const MOST: usize = 12;
    let mut list: Vec<_> = names.iter().take(MOST).map(|name| shown(name)).collect();
    if names.len() > MOST {
        list.push(format!("… ({} names)", names.len()));
    }
    list.join(", ")
}

/// Reason for which a link does nothing at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeError {
    /// The link has passed the time `asked`.
    Past {
        /// Time of the call.
        asked: Time,
        /// Time that the link has reached.
        now: Time,
    },
    /// The time `asked` is not before the end of the scenario.
    Over {
        /// Time of the call.
        asked: Time,
        /// End of the scenario.
        end: Time,
    },
}

impl Display for TimeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Past { asked, now } => {
                write!(f, "{asked} has passed: allowed are {now} and later")
            }
            Self::Over { asked, end } => write!(
                f,
                "{asked} is not before the end of the scenario, whose duration allows times before {end}"
            ),
        }
    }
}

impl Error for TimeError {}

/// Reason for which a link does not take a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The queue of the sending node is full. [`Event::Room`](crate::Event::Room) follows when it has room.
    Full,
    /// The packet is empty, or longer than the hops of its flow carry.
    Size {
        /// Size of the packet.
        found: Bytes,
        /// Size of the longest packet.
        longest: Bytes,
    },
    /// The link sends nothing at this time.
    Time(TimeError),
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the queue of the sending node is full"),
            Self::Size { found, longest } => {
                write!(f, "a packet of {found}: allowed are 1 B to {longest}")
            }
            Self::Time(error) => Display::fmt(error, f),
        }
    }
}

/// A refused packet, which has never been in the link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<P> {
    /// Payload of the packet, which the caller gets back.
    pub payload: P,
    /// Reason of the refusal.
    pub reason: Refusal,
}

impl<P> Debug for SendError<P> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendError").field("reason", &self.reason).finish_non_exhaustive()
    }
}

impl<P> Display for SendError<P> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.reason, f)
    }
}

impl<P> Error for SendError<P> {}
