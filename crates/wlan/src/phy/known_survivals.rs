//! Process-wide table of survival probabilities, each computed once per kind of frame and signal-to-noise ratio.
//!
//! One value for an HT, VHT or HE mode takes up to a millisecond of numerical integration. All cells, runs and
//! replications share the table, because a value depends on nothing but the kind of frame and the ratio.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use airfair_units::{Bytes, Decibels};

use super::TxVector;
use super::error_rate::{self, LogSurvival};
use super::mode_errors::ErrorClass;

/// Kind of frames with equal survival of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Legacy(TxVector),
    Modes(ErrorClass),
}

/// Survival probabilities of a kind of frame at one signal-to-noise ratio. The first caller computes them, and others
/// that need them at the same time wait.
type Entry = Arc<OnceLock<LogSurvival>>;

static KNOWN: Mutex<BTreeMap<(Kind, Decibels), Entry>> = Mutex::new(BTreeMap::new());

/// Survival probabilities of a PPDU with this vector, as [`error_rate::log_survival`], computed once.
///
/// The function takes a lock. A caller that needs the value for each frame should keep it.
pub(crate) fn log_survival(tx: TxVector, snr: Decibels) -> LogSurvival {
    let kind = match tx {
        TxVector::Mode(mode) => Kind::Modes(ErrorClass::of(mode)),
        _ => Kind::Legacy(tx),
    };
    let entry = {
        // An entry is complete or missing, so a panic in another thread corrupts none.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry((kind, snr)).or_default())
    };
    *entry.get_or_init(|| error_rate::log_survival(tx, snr))
}

/// Probability that a PPDU with this vector and `psdu` octets is not decoded, from the table.
pub(crate) fn frame_error_rate(tx: TxVector, psdu: Bytes, snr: Decibels) -> f64 {
    log_survival(tx, snr).frame_error_rate(psdu)
}
