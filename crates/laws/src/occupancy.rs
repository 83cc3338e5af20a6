//! Equal shares of the channel, granted by the access point and kept by the transports.
//!
//! Source: [occupancy-tfrc §III]. Each beacon tells all stations how much of the channel each may hold;
//! a station turns its share into a limit of the rate of each of its flows.
//!
//! ```text
//!   access point                        beacon                       station
//!   occupancy of all   ── eq. 2–6 ──►  [Grant]  ── eq. 7–15 ──►  share of each flow
//!   active stations                                             ── eq. 16–18 ──►  its highest rate θ
//! ```

mod grant;

pub use grant::Grant;
