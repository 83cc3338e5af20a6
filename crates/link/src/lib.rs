//! A simulated Wi-Fi cell as a link, for tests of transports and congestion controls.
//!
//! The caller sends its own packets through a cell of a scenario, in simulated time and without I/O. Contention,
//! aggregation, rate control, queues, neighbours and background traffic are those of `airfair run`. The link is
//! deterministic: scenario, seed and calls determine every outcome. The caller chooses the type of its packets, and
//! gets each packet back exactly once.
//!
//! This program sends a request to a server, over a cell in which another station uploads at 1 Mb/s:
//!
//! ```
//! use airfair_link::{Bytes, Event, Link, Scenario, Time};
//!
//! let text = r#"
//! duration = "10 s"
//! [bss.home]
//! standard = "802.11g"
//! [station.laptop]
//! rate = "54 Mb/s"
//! [station.slow]
//! rate = "1 Mb/s"
//! [host.server]
//! link = { rate = "100 Mb/s", delay = "5 ms" }
//! [flow.quic]
//! from = "laptop"
//! to = "server"
//! transport = { kind = "external" }
//! [flow.upload]
//! from = "slow"
//! to = "server"
//! transport = { kind = "tcp" }
//! "#;
//! let scenario = Scenario::parse(text, &[]).expect("a scenario without mistakes");
//! let mut link = Link::new(&scenario, 1)?;
//! let [laptop, _server] = link.ends("quic")?;
//!
//! let start = Time::from_nanos(1_000_000_000);
//! link.send(start, laptop, Bytes::new(1_200), "a request")?;
//! let Some(Event::Delivered(packet)) = link.poll(Time::from_nanos(2_000_000_000))? else {
//!     panic!("one packet has one second")
//! };
//! assert_eq!((packet.payload, packet.from), ("a request", laptop));
//! let delay = packet.left_at - packet.sent_at;
//! assert!(delay.as_secs_f64() > 0.005, "the wire alone takes 5 ms");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Time
//!
//! [`Link::poll`] runs the cell up to a time and returns the first event; the link has then reached the time of this
//! event and not the requested time. So a program in simulated time polls up to its own next timer, handles the
//! event at [`Event::at`], and may answer at that time. A program with a clock polls at the current time until there
//! is no event, and again at [`Link::next_timeout`]. Events at a requested time are included. A link lasts as long as
//! its scenario.
//!
//! # Sizes
//!
//! The size of a packet is that of its IP packet. A UDP datagram has [`UDP_OVER_IPV4`] or [`UDP_OVER_IPV6`] octets more
//! than its payload.

mod error;
mod event;
mod link;
mod store;

pub use airfair_sim::outcome::Outcome;
pub use airfair_sim::scenario::{Scenario, ScenarioError};
pub use airfair_units::{Bytes, DataRate, Duration, Time};
pub use error::{LinkError, Refusal, SendError, TimeError};
pub use event::{End, Event, Packet};
pub use link::{Finished, Link};

/// Octets of the headers of UDP and IPv4.  [RFC768] [RFC791 §3.1]
pub const UDP_OVER_IPV4: Bytes = Bytes::new(28);
/// Octets of the headers of UDP and IPv6.  [RFC768] [RFC8200 §3]
pub const UDP_OVER_IPV6: Bytes = Bytes::new(48);
