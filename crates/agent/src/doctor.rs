//! Doctor: reports what the kernel, the driver and this build offer, and which schemes can act here.
//!
//! Nothing on the machine is changed. The doctor reads files and asks netlink for lists. It does not
//! try out programs or queueing disciplines, because the kernel would load modules for them.

mod anonymous;
mod capture;
mod finding;
mod kernel;
mod radio;
mod report;
mod schemes;
mod seen;

pub use anonymous::Anonymiser;
pub use capture::{CaptureOptions, capture};
pub use finding::{Answer, Finding, Findings, Subject};
pub use kernel::Kernel;
pub use radio::examine;
pub use report::{document, table};
pub use schemes::{Acts, Missing, Verdict, verdicts};
pub use seen::{Place, SeenCounters};
