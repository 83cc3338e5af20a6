//! Panics of the simulator: one message that asks for a report, instead of a traceback.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

thread_local! {
    /// Location of the last panic of this thread.
    static PLACE: Cell<Option<String>> = const { Cell::new(None) };
}

/// Location of the last panic of any thread.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Stops the output of panics. The code that catches a panic reports it with its location.
pub(crate) fn silence() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        if let Ok(mut last) = LAST.lock() {
            last.clone_from(&place);
        }
        PLACE.set(place);
    }));
}

/// Runs `work`; a panic becomes an error message.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|panic| bug_report(&*panic, PLACE.take()))
}

/// Message of the panic with which another thread has just ended.
pub(crate) fn of_thread(panic: &(dyn Any + Send)) -> String {
    bug_report(panic, LAST.lock().ok().and_then(|mut last| last.take()))
}

fn bug_report(panic: &(dyn Any + Send), place: Option<String>) -> String {
    let place = place.unwrap_or_else(|| "an unknown place".to_owned());
    let version = env!("CARGO_PKG_VERSION");
    let sentence = sentence(panic);
    format!("this is a bug in airfair, please report it: {sentence} ({place}, version {version})")
}

/// Text of a panic, from its payload.
fn sentence(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no sentence")
}
