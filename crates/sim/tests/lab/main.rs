//! The laboratory as a whole: whole runs of whole scenarios.

mod access_point;
mod accounts;
mod closed_forms;
mod common;
mod conservation;
mod determinism;
mod golden;
mod networks;
mod radio;
mod rate_cap;
mod rates;
mod shares;
mod transports;
mod windows;
