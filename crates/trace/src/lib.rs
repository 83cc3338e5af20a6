//! Files that show what happens inside a run: a capture for Wireshark, a timeline for Perfetto.
//!
//! Each is a consumer of records that writes to an [`io::Write`](std::io::Write) as the run goes on, and keeps nothing
//! that grows with it. A write that fails ends the file, not the run: [`Outlet`] keeps the error.
//!
//! | module | concept |
//! | --- | --- |
//! | [`selection`] | the part of a run that is traced: a window of time, members |
//! | [`capture`] | pcapng: interfaces, radiotap, 802.11 and IP headers |
//! | [`timeline`] | Chrome's JSON of trace events: tracks and counters |
//! | [`lanes`] | what a member does, as intervals |
//! | [`fate`] | words for what became of a frame |
//! | [`outlet`] | where octets go, and what became of them |

pub mod capture;
pub mod fate;
pub mod lanes;
pub mod outlet;
pub mod selection;
pub mod timeline;

pub use capture::Capture;
pub use outlet::{Outlet, Written};
pub use selection::Selection;
pub use timeline::Timeline;
