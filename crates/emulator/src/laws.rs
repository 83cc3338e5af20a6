//! Laws at nodes of an emulation: agents from outside, and the time that they use.
//!
//! Channel time goes on while a law runs, but the engine does not, so a law makes packets late. The
//! engine compares the time in laws with the lateness of packets. The verdict then says which part
//! of the lateness is due to laws.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use airfair_sim::coupling::CustomAgent;
use airfair_units::Duration;

use crate::os;

/// Node of an emulation at which a law runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Station with this index in the scenario.
    Station(usize),
    /// Access point of the cell with this index in the scenario.
    AccessPoint(usize),
}

/// Law at a node of an emulation. The agent measures its calls with the account.
#[derive(Debug)]
pub struct Law {
    /// Node at which the law runs.
    pub place: Place,
    /// Agent that runs the law.
    pub agent: Box<dyn CustomAgent>,
    /// Account of the agent's calls.
    pub account: Arc<LawAccount>,
}

/// Laws of an emulation.
#[derive(Debug)]
pub struct Laws {
    /// Laws at nodes. All share one [`AllLaws`].
    pub of_nodes: Vec<Law>,
    /// Function that runs the engine's loop, its argument, on the engine's thread. It prepares the
    /// thread for the calls of the laws.
    pub around: fn(&mut (dyn FnMut() + Send)),
}

impl Default for Laws {
    /// No laws.
    fn default() -> Self {
        Self { of_nodes: Vec::new(), around: |run| run() }
    }
}

/// Use of time by one law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LawTime {
    /// Name of the law.
    pub law: String,
    /// Name of the node at which the law runs.
    pub node: String,
    /// Number of calls.
    pub calls: u64,
    /// Wall time in all calls together.
    pub time: Duration,
    /// Wall time in the longest call.
    pub longest: Duration,
}

/// State that all laws of an emulation share.
#[derive(Debug, Default)]
pub struct AllLaws {
    /// Wall time in calls of all laws [ns].
    spent: AtomicU64,
    is_over: AtomicBool,
}

impl AllLaws {
    /// Wall time in calls of all laws.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed))
    }

    /// True once a law has ended the emulation.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Account of the calls of one law.
#[derive(Debug)]
pub struct LawAccount {
    law: String,
    node: String,
    calls: AtomicU64,
    spent: AtomicU64,
    longest: AtomicU64,
    all: Arc<AllLaws>,
}

impl LawAccount {
    /// Makes the account of a law with this name at the node `node`.
    pub fn new(law: String, node: String, all: &Arc<AllLaws>) -> Self {
        let [calls, spent, longest] = [0; 3].map(AtomicU64::new);
        Self { law, node, calls, spent, longest, all: Arc::clone(all) }
    }

    /// Makes a call of the law, and measures its wall time.
    pub fn measure<T>(&self, call: impl FnOnce() -> T) -> T {
        let start = os::monotonic();
        let value = call();
        self.add(os::monotonic() - start);
        value
    }

    fn add(&self, time: Duration) {
        let ns = time.as_nanos();
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.spent.fetch_add(ns, Ordering::Relaxed);
        self.longest.fetch_max(ns, Ordering::Relaxed);
        self.all.spent.fetch_add(ns, Ordering::Relaxed);
    }

    /// Ends the emulation, because the law has failed.
    pub fn end_emulation(&self) {
        self.all.is_over.store(true, Ordering::Relaxed);
    }

    /// State that all laws of the emulation share.
    pub(crate) fn all(&self) -> &Arc<AllLaws> {
        &self.all
    }

    /// Forgets the calls before the start of channel time.
    pub(crate) fn restart(&self) {
        for count in [&self.calls, &self.spent, &self.longest, &self.all.spent] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// Time that the law has used so far.
    pub(crate) fn read(&self) -> LawTime {
        let time = |ns: &AtomicU64| Duration::from_nanos(ns.load(Ordering::Relaxed));
        LawTime {
            law: self.law.clone(),
            node: self.node.clone(),
            calls: self.calls.load(Ordering::Relaxed),
            time: time(&self.spent),
            longest: time(&self.longest),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Adds the time of a call to an account, as a law that takes so long does.
    pub(crate) fn call(account: &LawAccount, time: Duration) {
        account.add(time);
    }

    /// Calls of 1, 5 and 2 ms of one law, and of 4 ms of another.
    #[test]
    fn each_law_has_its_own_account_and_all_have_a_sum() {
        let all = Arc::new(AllLaws::default());
        let account = |node: &str| LawAccount::new("Mine".to_owned(), node.to_owned(), &all);
        let (slow, fast) = (account("slow"), account("fast"));
        for ms in [1, 5, 2] {
            call(&slow, Duration::from_millis(ms));
        }
        call(&fast, Duration::from_millis(4));
        let read = slow.read();
        assert_eq!((read.law.as_str(), read.node.as_str(), read.calls), ("Mine", "slow", 3));
        assert_eq!([read.time, read.longest].map(Duration::as_nanos), [8_000_000, 5_000_000]);
        assert_eq!((fast.read().calls, all.spent()), (1, Duration::from_millis(12)));
        slow.restart();
        assert_eq!((slow.read().calls, all.spent()), (0, Duration::ZERO));
        slow.measure(|| os::sleep(Duration::from_millis(2)));
        assert!(slow.read().longest >= Duration::from_millis(2));
        assert!(!all.is_over());
        fast.end_emulation();
        assert!(all.is_over());
    }
}
