//! Promises that the simulator broke: one sentence that asks for a report, in place of a traceback.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// Place of this thread's last panic.
    static PLACE: Cell<Option<String>> = const { Cell::new(None) };
}

/// Makes panics silent: whoever catches one tells it, with its place.
pub(crate) fn silence() {
    panic::set_hook(Box::new(|info| {
        PLACE.set(info.location().map(ToString::to_string));
    }));
}

/// Result of `work`; a panic becomes a sentence.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let place = PLACE.take().unwrap_or_else(|| "an unknown place".to_owned());
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "this is a bug in airfair, please report: {} ({place}, version {version})",
            sentence(&*panic)
        )
    })
}

/// The sentence of a panic.
fn sentence(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no sentence")
}
