//! Scenarios as text: what is accepted, what is refused and in which words, what is written back.

mod cell_access;
mod eras;
mod limits;
mod mistakes;
mod printed_rates;
mod properties;
mod radio_mistakes;
mod schema;
