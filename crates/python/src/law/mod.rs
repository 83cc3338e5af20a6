//! Laws that are written in Python, as agents of a world.
//!
//! [`PyLaw`] is the agent. It calls the methods that a law overrides, without the interpreter's lock for all other
//! events. A method acts through the [`Node`](node::Node) that it is given; the world applies the actions when the
//! method has returned. An exception of a law ends the step of the world in which it was raised.

mod cell;
mod failure;
mod flow_end;
mod listening;
mod names;
mod node;
mod random;
mod scope;
mod seen;
mod users;

use std::sync::{Arc, Mutex};

use airfair_sim::coupling::{Action, CustomAgent, LocalEnd, Passage, Seen, View};
use airfair_units::Time;
use airfair_wlan::{Elements, Listen, NodeId, UsersDue as Due, UsersServed as Served};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

pub(crate) use cell::Cell;
pub(crate) use failure::Failure;
pub(crate) use flow_end::FlowEnd;
pub(crate) use names::Names;
pub(crate) use node::Node;
pub(crate) use random::Random;
pub(crate) use seen::{Frame, Packet};
pub(crate) use users::{Candidate, UsersDue, UsersServed};

use crate::settings::{SettingError, narrow};
use listening::{LISTEN, listening};
use scope::Scope;

/// Number of the beacon element that a law's octets form: vendor specific.  [80211-2020 Table 9-92]
const VENDOR_SPECIFIC: u8 = 221;

/// Methods that a law overrides. The others are never called.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each method of a law")]
struct Methods {
    start: bool,
    end: bool,
    rate: bool,
    frame: bool,
    packet: bool,
    beacon: bool,
    users: bool,
    served: bool,
    timer: bool,
}

/// Law in Python at one node of a world.
#[derive(Debug)]
pub(crate) struct PyLaw {
    law: Py<PyAny>,
    node: Py<Node>,
    scope: Arc<Mutex<Scope>>,
    /// Ends of flows at the node.
    ends: Vec<LocalEnd>,
    names: Arc<Names>,
    /// Index of the node's cell.
    cell: usize,
    methods: Methods,
    /// Requests for frames, packets and users with which the law starts.
    listens: Vec<Action>,
    /// True if the law has asked for the users of PPDUs.
    schedules_users: bool,
}

impl PyLaw {
    /// Creates the agent of `law` at a node of this name. `stream` is the node's random stream for laws.
    pub(crate) fn new(
        py: Python<'_>,
        law: &Bound<'_, PyAny>,
        name: &str,
        names: &Arc<Names>,
        random: Random,
    ) -> PyResult<Self> {
        let base = py.import("airfair.law")?.getattr("Law")?;
        if !law.is_instance(&base)? {
            let kind = law.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a law of type {kind}: allowed is a subclass of Law"
            )));
        }
        let overrides = |method: &str| -> PyResult<bool> {
            Ok(!law.get_type().getattr(method)?.is(&base.getattr(method)?))
        };
        let methods = Methods {
            start: overrides("start")?,
            end: overrides("end")?,
            rate: overrides("rate")?,
            frame: overrides("frame")?,
            packet: overrides("packet")?,
            beacon: overrides("beacon")?,
            users: overrides("users")?,
            served: overrides("served")?,
            timer: overrides("timer")?,
        };
        let words: Vec<String> = match law.getattr("listen")? {
            none if none.is_none() => Vec::new(),
            word if word.is_instance_of::<PyString>() => vec![word.extract()?],
            words => words.extract()?,
        };
        let request = |word: &String| {
            listening(word).ok_or_else(|| {
                SettingError::new_err(format!("listen = {word:?}: allowed are {LISTEN} and None"))
            })
        };
        let mut listens: Vec<Action> = words.iter().map(request).collect::<PyResult<_>>()?;
        // Of the requests for own and for all frames the last one counts.
        listens.sort_by_key(|it| *it == Action::Listen(Listen::All));
        let scope = Arc::new(Mutex::new(Scope::default()));
        let node = Py::new(py, Node::new(name, Arc::clone(&scope), random))?;
        let law = law.clone().unbind();
        let (names, ends) = (Arc::clone(names), Vec::new());
        Ok(Self {
            law,
            node,
            scope,
            ends,
            names,
            cell: 0,
            methods,
            listens,
            schedules_users: false,
        })
    }

    /// True if the law has a method for an event.
    pub(crate) fn wants(&self, seen: &Seen<'_>) -> bool {
        match seen {
            // The ends of flows at the node become known at the start.
            Seen::Start => true,
            Seen::End => self.methods.end,
            Seen::Frame(_) => self.methods.frame,
            Seen::Rate { .. } => self.methods.rate,
            Seen::Packet { .. } => self.methods.packet,
            Seen::BeaconDue(_) => self.methods.beacon,
            Seen::Timer => self.methods.timer,
        }
    }

    /// Calls the method of the law for an event, and collects its actions.
    fn call(
        &mut self,
        py: Python<'_>,
        (now, seen): (Time, &Seen<'_>),
        view: &View<'_>,
        actions: &mut Vec<Action>,
    ) -> PyResult<()> {
        if matches!(seen, Seen::Start) {
            self.find_ends(py, view)?;
        }
        self.scope().enter(now, (view, &self.ends), matches!(seen, Seen::Packet { .. }));
        let (law, node) = (self.law.bind(py), self.node.bind(py));
        match seen {
            Seen::Start => {
                actions.extend_from_slice(&self.listens);
                if self.methods.start {
                    law.call_method1(intern!(py, "start"), (node,))?;
                }
            }
            Seen::End => {
                law.call_method1(intern!(py, "end"), (node,))?;
            }
            Seen::Rate { rate, highest_rate } => {
                law.call_method1(intern!(py, "rate"), (node, rate.bps(), highest_rate.bps()))?;
            }
            Seen::Frame(frame) => {
                let frame = Frame::of(py, frame, view, &self.names);
                law.call_method1(intern!(py, "frame"), (node, frame))?;
            }
            Seen::Packet { passage, station, packet } => {
                let point = match passage {
                    Passage::FromStation => "from-station",
                    Passage::ToQueue => "to-queue",
                    Passage::Delivered => "delivered",
                };
                let at = (point, self.members()[station.index()].clone_ref(py));
                let packet = Packet::passing(packet, &self.names, at, &self.scope);
                law.call_method1(intern!(py, "packet"), (node, packet))?;
            }
            Seen::BeaconDue(_) => {
                let octets = law.call_method1(intern!(py, "beacon"), (node,))?;
                if !octets.is_none() {
                    actions.push(Action::AddElements(elements(&octets)?));
                }
            }
            Seen::Timer => {
                // Only a timer that the law itself has set is its own.
                if self.scope().take_alarm(now) {
                    law.call_method1(intern!(py, "timer"), (node,))?;
                }
            }
        }
        actions.append(&mut self.scope().leave());
        for action in &*actions {
            view.check(now, seen, action)
                .map_err(|refused| SettingError::new_err(refused.to_string()))?;
        }
        self.schedules_users |= actions.contains(&Action::ScheduleUsers);
        Ok(())
    }

    /// Gives the node its cell, its link and its ends of flows.
    fn find_ends(&mut self, py: Python<'_>, view: &View<'_>) -> PyResult<()> {
        let is_limitable = |end: &LocalEnd| end.flow.index() < self.names.limitable_flows;
        self.cell = view.member().cell.index();
        self.ends = view.ends().filter(is_limitable).collect();
        self.scope().set_link(view.link());
        let mut ends = Vec::new();
        for (index, end) in self.ends.iter().copied().enumerate() {
            let flow = self.names.flows[end.flow.index()].bind(py).to_string();
            ends.push(Py::new(py, FlowEnd::new(flow, (index, end), &self.scope))?);
        }
        let cell = Py::new(py, Cell::of(py, view, &self.names)?)?;
        let mut node = self.node.borrow_mut(py);
        node.set_cell(cell);
        node.set_ends(py, &ends)
    }

    /// Names of the members of the node's cell.
    fn members(&self) -> &[Py<PyString>] {
        &self.names.members[self.cell]
    }

    /// Calls a method of an access point's law in the middle of an event of its cell.
    ///
    /// # Errors
    /// The exception of the law, or an error if the law asks for an action.
    fn call_within<'py>(
        &self,
        py: Python<'py>,
        now: Time,
        (method, seen): (&str, Bound<'py, PyAny>),
    ) -> PyResult<Bound<'py, PyAny>> {
        self.scope().enter_within(now);
        let returned = self.law.bind(py).call_method1(method, (self.node.bind(py), seen))?;
        if self.scope().leave().is_empty() {
            return Ok(returned);
        }
        Err(SettingError::new_err(format!(
            "{method}: an action of the node; allowed in the methods for other events"
        )))
    }

    /// Keeps an exception that the law has raised at `now`.
    fn fail(&self, py: Python<'_>, now: Time, error: PyErr) {
        self.scope().leave();
        let kind = self.law.bind(py).get_type().name();
        let kind = kind.map_or_else(|_| "a law".to_owned(), |name| name.to_string());
        let name = &self.node.borrow(py).name;
        let at_s = now.as_secs_f64();
        Failure::set(py, error, &format!("in {kind} at {name}, at {at_s} s of the run"));
    }

    fn scope(&self) -> std::sync::MutexGuard<'_, Scope> {
        self.scope.lock().expect("nobody panics with it")
    }

    /// Copy of the law. If it cannot be copied, there is a [`Failure`], and the copy does nothing.
    pub(crate) fn copied(&self) -> Self {
        Python::attach(|py| match self.try_copy(py) {
            Ok(copy) => copy,
            Err(error) => {
                Failure::set(py, error, "while a law was copied");
                Self {
                    law: self.law.clone_ref(py),
                    node: self.node.clone_ref(py),
                    scope: Arc::clone(&self.scope),
                    ends: Vec::new(),
                    names: Arc::clone(&self.names),
                    cell: self.cell,
                    methods: Methods::default(),
                    listens: Vec::new(),
                    schedules_users: false,
                }
            }
        })
    }

    /// Copies the law with everything that it refers to; its references to the node become references to the new node.
    fn try_copy(&self, py: Python<'_>) -> PyResult<Self> {
        let scope = Arc::new(Mutex::new(self.scope().clone()));
        let memo = PyDict::new(py);
        let identity = py.import("builtins")?.getattr("id")?;
        let mut remember = |old: &Bound<'_, PyAny>, new: Bound<'_, PyAny>| -> PyResult<()> {
            memo.set_item(identity.call1((old,))?, new)
        };
        let node = self.node.borrow(py).copy(py, &scope, &mut remember)?;
        let node = Py::new(py, node)?;
        remember(self.node.bind(py), node.bind(py).clone().into_any())?;
        let law = py.import("copy")?.getattr("deepcopy")?.call1((&self.law, memo))?.unbind();
        let (names, ends) = (Arc::clone(&self.names), self.ends.clone());
        let listens = self.listens.clone();
        let Self { cell, methods, schedules_users, .. } = *self;
        Ok(Self { law, node, scope, ends, names, cell, methods, listens, schedules_users })
    }
}

impl CustomAgent for PyLaw {
    fn handle(&mut self, now: Time, seen: &Seen<'_>, view: &View<'_>, actions: &mut Vec<Action>) {
        if !self.wants(seen) || Failure::is_set() {
            return;
        }
        Python::attach(|py| {
            if let Err(error) = self.call(py, (now, seen), view, actions) {
                actions.clear();
                self.fail(py, now, error);
            }
        });
    }

    fn choose_users(&mut self, now: Time, due: &Due<'_>, users: &mut Vec<NodeId>) -> bool {
        if !(self.schedules_users && self.methods.users) || Failure::is_set() {
            return false;
        }
        Python::attach(|py| {
            let choice = UsersDue::of(py, due, self.members()).and_then(|seen| {
                let seen = Bound::new(py, seen)?.into_any();
                let returned = self.call_within(py, now, ("users", seen))?;
                let is_chosen = !returned.is_none();
                if is_chosen {
                    users.append(&mut users::chosen(&returned, due, self.members())?);
                }
                Ok(is_chosen)
            });
            choice.unwrap_or_else(|error| {
                self.fail(py, now, error);
                false
            })
        })
    }

    fn note_served(&mut self, now: Time, served: &Served<'_>) {
        if !(self.schedules_users && self.methods.served) || Failure::is_set() {
            return;
        }
        Python::attach(|py| {
            let seen = UsersServed::of(py, served, self.members());
            let seen = seen.and_then(|seen| Ok(Bound::new(py, seen)?.into_any()));
            if let Err(error) = seen.and_then(|seen| self.call_within(py, now, ("served", seen))) {
                self.fail(py, now, error);
            }
        });
    }

    fn copy(&self) -> Box<dyn CustomAgent> {
        Box::new(self.copied())
    }
}

/// Elements of a beacon from octets, which form one vendor-specific element, or from a dictionary of numbers and octets.
fn elements(from: &Bound<'_, PyAny>) -> PyResult<Elements> {
    let mut elements = Elements::default();
    let mut put = |number: u8, octets: &[u8]| {
        elements.put(number, octets).map_err(|_| {
            SettingError::new_err(
                "beacon: the elements are too long; allowed are 23 octets with 2 for each header",
            )
        })
    };
    if let Ok(octets) = from.cast::<PyBytes>() {
        put(VENDOR_SPECIFIC, octets.as_bytes())?;
        return Ok(elements);
    }
    let Ok(table) = from.cast::<PyDict>() else {
        return Err(PyTypeError::new_err(
            "beacon: allowed are bytes, a dict of element numbers and bytes, and None",
        ));
    };
    for (number, octets) in table {
        let number: u8 = narrow(number.extract()?, "element numbers from 0 to 255")?;
        put(number, octets.extract::<&[u8]>()?)?;
    }
    Ok(elements)
}
