//! Laws in Python at the nodes of an emulation.
//!
//! The engine's thread calls a law as a simulation does, and holds the interpreter's lock only during
//! the call. An exception of a law ends the emulation.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use airfair_emulator::laws::{AllLaws, Law, LawAccount, Place};
use airfair_emulator::plan::Plan;
use airfair_sim::coupling::{Action, CustomAgent, Seen, View};
use airfair_sim::random::{Purpose, Streams};
use airfair_units::Time;
use airfair_wlan::{NodeId, UsersDue, UsersServed};
use pyo3::intern;
use pyo3::prelude::*;

use crate::law::{Failure, Names, PyLaw, Random};

/// State of the laws of an emulation, which the engine's thread writes and Python's threads read.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    raised: Mutex<Option<PyErr>>,
    /// Identifier, as Python counts threads, of the thread that calls the laws; 0 before the first call.
    thread: AtomicU64,
    is_ending: AtomicBool,
}

impl Shared {
    fn raised(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.raised.lock().expect("nobody panics with it")
    }

    /// Exception of the law that has ended the emulation.
    pub(crate) fn exception(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let raised = self.raised();
        raised.as_ref().map(|error| error.clone_ref(py).into_value(py).into_any())
    }

    /// Identifier of the thread that calls the laws; `None` before the first call.
    pub(crate) fn thread(&self) -> Option<u64> {
        Some(self.thread.load(Ordering::Relaxed)).filter(|id| *id != 0)
    }

    /// True once the laws are told of the end.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }
}

/// Creates the agents of laws at members: the index of a station, or -1 - c for the access point of cell c.
pub(crate) fn agents(
    py: Python<'_>,
    plan: &Plan,
    seed: u64,
    laws: &[(isize, Py<PyAny>)],
    shared: &Arc<Shared>,
) -> PyResult<Vec<Law>> {
    let all = Arc::new(AllLaws::default());
    let scenario = &plan.scenario;
    let names = Arc::new(Names::of_emulation(py, scenario, plan.own_flows));
    let make = |(member, law): &(isize, Py<PyAny>)| {
        let (place, node) = if let Ok(station) = usize::try_from(*member) {
            (Place::Station(station), &scenario.stations[station].name)
        } else {
            let cell = member.unsigned_abs() - 1;
            (Place::AccessPoint(cell), &scenario.cells[cell].name)
        };
        let law = law.bind(py);
        let random = Random::new(Streams::new(seed, 0).stream(node, Purpose::Agent));
        let kind = law.get_type().name()?.to_string();
        let account = Arc::new(LawAccount::new(kind, node.clone(), &all));
        let law = PyLaw::new(py, law, node, &names, random)?;
        let (account_of_calls, all) = (Arc::clone(&account), Arc::clone(&all));
        let agent = EmulatedLaw { law, account: account_of_calls, all, shared: Arc::clone(shared) };
        Ok(Law { place, agent: Box::new(agent), account })
    };
    laws.iter().map(make).collect()
}

/// Runs the engine's loop on a thread that Python knows, so that a call of a law creates no thread state.
pub(crate) fn known_to_python(run: &mut (dyn FnMut() + Send)) {
    Python::attach(|py| py.detach(run));
}

/// Law in Python at a node of an emulation.
#[derive(Debug)]
struct EmulatedLaw {
    law: PyLaw,
    account: Arc<LawAccount>,
    all: Arc<AllLaws>,
    shared: Arc<Shared>,
}

impl EmulatedLaw {
    fn prepare(&self, seen: &Seen<'_>) {
        match seen {
            Seen::Start => Python::attach(|py| {
                let id =
                    || py.import("threading")?.call_method0(intern!(py, "get_ident"))?.extract();
                if let Ok(id) = id() {
                    self.shared.thread.store(id, Ordering::Relaxed);
                }
            }),
            Seen::End => self.shared.is_ending.store(true, Ordering::Relaxed),
            _ => {}
        }
    }

    /// Calls the law and measures the time. An exception of the law ends the emulation.
    fn measure<T>(&mut self, call: impl FnOnce(&mut PyLaw) -> T) -> T {
        let Self { law, account, .. } = self;
        let returned = account.measure(|| call(law));
        if let Some(error) = Failure::take() {
            self.shared.raised().get_or_insert(error);
            self.account.end_emulation();
        }
        returned
    }
}

impl CustomAgent for EmulatedLaw {
    fn handle(&mut self, now: Time, seen: &Seen<'_>, view: &View<'_>, actions: &mut Vec<Action>) {
        if self.all.is_over() || !self.law.wants(seen) {
            return;
        }
        self.prepare(seen);
        self.measure(|law| law.handle(now, seen, view, actions));
    }

    fn choose_users(&mut self, now: Time, due: &UsersDue<'_>, users: &mut Vec<NodeId>) -> bool {
        !self.all.is_over() && self.measure(|law| law.choose_users(now, due, users))
    }

    fn note_served(&mut self, now: Time, served: &UsersServed<'_>) {
        if !self.all.is_over() {
            self.measure(|law| law.note_served(now, served));
        }
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        let (account, all) = (Arc::clone(&self.account), Arc::clone(&self.all));
        let law = self.law.copied();
        Box::new(Self { law, account, all, shared: Arc::clone(&self.shared) })
    }
}
