//! Events for which laws in Python ask by a word.

use airfair_sim::coupling::Action;
use airfair_wlan::Listen;

/// Words for what a law may listen to.
pub(super) const LISTEN: &str = "\"own\", \"all\", \"neighbours\", \"packets\", \"users\"";

/// Request of a law that listens to this word.
pub(super) fn listening(to: &str) -> Option<Action> {
    match to {
        "own" => Some(Action::Listen(Listen::Own)),
        "all" => Some(Action::Listen(Listen::All)),
        "neighbours" => Some(Action::Listen(Listen::Neighbours)),
        "packets" => Some(Action::WatchPackets),
        "users" => Some(Action::ScheduleUsers),
        _ => None,
    }
}
