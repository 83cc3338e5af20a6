//! Metrics of a running agent for monitoring systems, in the text format of Prometheus.
//!
//! The agent serves them over HTTP only if its configuration asks for it, and only on this machine:
//! MAC addresses of stations are among them.

mod address;
mod request;
mod server;
mod text;

pub use address::MetricsAddress;
pub use server::MetricsServer;
pub use text::text;
