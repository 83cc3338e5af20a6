//! Files that show what happens inside a run: a capture for Wireshark, a timeline for Perfetto, logs for qvis.
//!
//! Each writer is a recorder that writes to an [`io::Write`](std::io::Write) during the run; its memory does
//! not grow with the run. A write error ends the file but not the run; [`Outlet`] keeps the error.
//!
//! | module | concept |
//! | --- | --- |
//! | [`selection`] | the traced part of a run: an interval of time, and stations and access points |
//! | [`capture`] | pcapng: interfaces, radiotap, 802.11 and IP headers |
//! | [`timeline`] | Chrome's JSON of trace events: tracks and counters |
//! | [`qlog`] | logs of transports as JSON text sequences: packets, losses, windows, states |
//! | [`film`] | frames and waits of the last milliseconds, in memory |
//! | [`lanes`] | waits of a station as intervals |
//! | [`held`] | time for which neighbours hold the air of a cell, as intervals |
//! | [`fate`] | names of the outcomes of frames |
//! | [`outlet`] | output file with its first write error |

pub mod capture;
pub mod fate;
pub mod film;
pub mod held;
pub mod lanes;
pub mod outlet;
pub mod qlog;
pub mod selection;
pub mod timeline;

pub use capture::{Capture, Contents};
pub use film::Film;
pub use outlet::{Outlet, Written};
pub use qlog::Qlog;
pub use selection::Selection;
pub use timeline::Timeline;
