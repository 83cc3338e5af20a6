//! Checks of the applications of TCP and QUIC flows, and of frames.

use airfair_units::{Bytes, DataRate, Duration};

use super::Workload;
use super::error::Mistakes;
use super::keys::{MAX_FRAMES, MAX_RATES, WORKLOADS};
use super::reader::{Entry, Fields};

/// Checks the number of frames of a source.
pub(super) fn check_sizes(entry: &Entry, mistakes: &mut Mistakes) {
    let count = entry.items().len();
    if entry.given.is_some() && !(1..=MAX_FRAMES).contains(&count) {
        let problem = if count == 0 { "no frames" } else { "too many frames" };
        mistakes.add(entry.at, entry.mistake(problem, format!("1 to {MAX_FRAMES} sizes")));
    }
}

/// Checks the application of a TCP or QUIC flow.
pub(super) fn check_workload(fields: &Fields, mistakes: &mut Mistakes) {
    let (source, size) = (fields.get("source"), fields.get("size"));
    let Some(workload) = WORKLOADS.variant(source) else { return };
    if workload != Workload::Bulk && size.value::<Bytes>().is_some() {
        let allowed = "\"endless\", or a source \"bulk\"";
        return mistakes.add(size.at, size.mistake("set together with a source", allowed));
    }
    match (workload, source.fields()) {
        (Workload::Frames { .. }, Some(settings)) => check_sizes(settings.get("sizes"), mistakes),
        (Workload::Video { .. }, Some(settings)) => {
            let entry = settings.get("rates");
            let rates: Vec<DataRate> = entry.items().iter().filter_map(Entry::value).collect();
            let is_allowed = (1..=MAX_RATES).contains(&rates.len()) && rates.is_sorted();
            if entry.given.is_some() && rates.len() == entry.items().len() && !is_allowed {
                let allowed = format!("1 to {MAX_RATES} rates, the lowest first");
                mistakes.add(entry.at, entry.mistake("rates that a player cannot climb", allowed));
            }
            check_player(settings, mistakes);
        }
        _ => {}
    }
}

/// Checks that a chunk fits into the player's buffer; a longer one would never be requested.
fn check_player(settings: &Fields, mistakes: &mut Mistakes) {
    let (chunk, buffer) = (settings.get("chunk"), settings.get("buffer"));
    let Workload::Video { chunk: usual, buffer: room, .. } = Workload::video() else { return };
    let length = chunk.value::<Duration>().unwrap_or(usual);
    let room = buffer.value::<Duration>().unwrap_or(room);
    if length > room {
        let (entry, problem, allowed) = if chunk.is_set() {
            (chunk, "longer than the player's buffer", format!("at most {room}"))
        } else {
            (buffer, "shorter than a chunk", format!("at least {length}"))
        };
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}
