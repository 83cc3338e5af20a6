//! The witness: record hashes and figures of a fixed list of short runs, compared with `runs.txt` beside this file.
//!
//! `make witness` runs the list. `AIRFAIR_WITNESS=write make witness` rewrites the file.

#[path = "../draw/cells.rs"]
mod cells;
mod compare;
mod coverage;
mod digest;
mod driven;
mod grids;
mod key_values;
mod list;
#[path = "../draw/luck.rs"]
mod luck;
mod measure;
mod quic;
#[path = "../draw/small_cells.rs"]
mod small_cells;

#[test]
fn the_list_covers_each_key_and_each_kind_of_run() {
    coverage::check(&list::LIST);
}

#[test]
fn no_run_has_moved() {
    compare::check(&list::LIST.runs);
}
