//! Tests of whole runs of whole scenarios.

mod access;
mod access_point;
mod accounts;
mod air;
#[path = "../balance/mod.rs"]
mod balance;
#[path = "../../benches/engine/bare_dcf.rs"]
mod bare_dcf;
mod calls;
#[path = "../draw/cells.rs"]
mod cells;
mod closed_forms;
mod common;
mod conservation;
mod copies;
mod custom_agents;
mod determinism;
mod drivers;
mod edca;
mod eras;
mod examples;
mod external;
mod fair;
mod floor;
mod golden;
mod held_air;
mod limits;
#[path = "../draw/luck.rs"]
mod luck;
mod marks;
mod messages;
mod modern;
mod neighbours;
mod networks;
mod quic;
mod radio;
mod radio_cells;
mod rate_cap;
mod rates;
mod room;
mod settings;
mod shares;
mod trace;
mod transports;
mod uplink_share;
mod windows;
