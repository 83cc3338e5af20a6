//! Survival of frames, computed once in a process for each kind of frame and ratio of signal to noise.
//!
//! A mode of HT, VHT or HE takes up to a millisecond of integrals for each ratio, and nothing else decides the outcome:
//! all cells, runs and replications share it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use airfair_units::{Bytes, Decibels};

use super::TxVector;
use super::error_rate::{self, LogSurvival};
use super::mode_errors::ErrorClass;

/// Frames that survive alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Legacy(TxVector),
    Modes(ErrorClass),
}

/// Survival of a kind of frame at a ratio. The first caller computes it; others that need the same value wait.
type Entry = Arc<OnceLock<LogSurvival>>;

static KNOWN: Mutex<BTreeMap<(Kind, Decibels), Entry>> = Mutex::new(BTreeMap::new());

/// Probability that the parts of a PPDU that is sent so survive: [`error_rate::log_survival`], computed once.
///
/// It takes a lock, so a caller that needs the value for each frame should keep it.
pub(crate) fn log_survival(tx: TxVector, snr: Decibels) -> LogSurvival {
    let kind = match tx {
        TxVector::Mode(mode) => Kind::Modes(ErrorClass::of(mode)),
        _ => Kind::Legacy(tx),
    };
    let entry = {
        // An entry is whole or not there, so that a panic elsewhere spoils none.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry((kind, snr)).or_default())
    };
    *entry.get_or_init(|| error_rate::log_survival(tx, snr))
}

/// Probability that a PPDU with `psdu` octets that is sent so is not decoded, from what is known.
pub(crate) fn frame_error_rate(tx: TxVector, psdu: Bytes, snr: Decibels) -> f64 {
    log_survival(tx, snr).frame_error_rate(psdu)
}
