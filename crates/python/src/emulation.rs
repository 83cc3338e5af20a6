//! Emulations, for `airfair emulate`: the engine, and calls to the operating system.

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use airfair_emulator::emulation::{
    self as emulator, Change, Frames, Member, NamedFlow, NodeView, Options, Traces, View,
};
use airfair_emulator::laws::{LawTime, Laws};
use airfair_emulator::os::{self, Backend, Entrance};
use airfair_emulator::plan::{Node, Plan};
use airfair_emulator::verdict::LateShare;
use airfair_sim::packet::{External, FlowId};
use airfair_sim::scenario::{Endpoint, ErrorModel, Weights};
use airfair_sim::world::Direction;
use airfair_units::{DataRate, Duration, Probability, Time};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::batch::Outcome;
use crate::emulated_laws;
use crate::exceptions::RunError;
use crate::panics;
use crate::scenario::Scenario;
use crate::trace::{TraceWriters, Tracing};

/// Octets of each real packet that a capture contains, from the IP header on: all headers of IPv6 and TCP.
const SHOWN: usize = 128;

/// Running emulation: a scenario at the pace of the wall clock, with a network namespace for each
/// station and host.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Emulation {
    inner: std::sync::Mutex<Option<emulator::Emulation>>,
    /// Names of the nodes of the emulation, in the engine's order.
    names: Vec<String>,
    cells: Vec<String>,
    /// 802.11 standard of each cell.
    standards: Vec<String>,
    laws: Arc<emulated_laws::Shared>,
}

#[pymethods]
impl Emulation {
    /// Sets up an emulation and starts it; raises `OSError` if the operating system refuses. `laws`
    /// are laws at members: the index of a station, or -1 - c for the access point of cell c. `joined`
    /// has the paths of existing network namespaces, and `congestion` names of TCP congestion controls
    /// that are permitted, by node. `tracing` are open trace files of the
    /// scenario that `emulated` returns.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "all but one have names in Python")]
    #[pyo3(signature = (scenario, *, backend, seed, duration_ns = None, spin = false, laws = Vec::new(), joined = BTreeMap::new(), congestion = BTreeMap::new(), tracing = None))]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        backend: &str,
        seed: u64,
        duration_ns: Option<u64>,
        spin: bool,
        laws: Vec<(isize, Py<PyAny>)>,
        joined: BTreeMap<String, PathBuf>,
        congestion: BTreeMap<String, String>,
        tracing: Option<Py<Tracing>>,
    ) -> PyResult<Self> {
        let duration = duration_ns.map(Duration::from_nanos);
        let options = Options { backend: kind(backend)?, seed, spin, duration };
        let scenario = scenario.inner.clone();
        let cells = scenario.cells.iter().map(|cell| cell.name.clone()).collect();
        let standards = scenario.cells.iter().map(|cell| cell.rules.standard.to_string()).collect();
        let plan = emulator::Emulation::plan(scenario, &options).map_err(not_started)?;
        let shared = Arc::<emulated_laws::Shared>::default();
        let of_nodes = emulated_laws::agents(py, &plan, seed, &laws, &shared)?;
        let laws = if of_nodes.is_empty() {
            Laws::default()
        } else {
            Laws { of_nodes, around: emulated_laws::known_to_python }
        };
        let namespaces = (&joined, &congestion);
        let started = if let Some(tracing) = tracing {
            let traces = writers(tracing.get());
            py.detach(|| emulator::Emulation::start(plan, options, laws, namespaces, traces))
        } else {
            let traces = Traces::<()>::default();
            py.detach(|| emulator::Emulation::start(plan, options, laws, namespaces, traces))
        };
        let inner = started.map_err(not_started)?;
        let names = inner.nodes().iter().map(|node| node.name.clone()).collect();
        let inner = std::sync::Mutex::new(Some(inner));
        Ok(Self { inner, names, cells, standards, laws: shared })
    }

    /// Exception of the law that has ended the emulation; `None` if no law has.
    #[getter]
    fn raised(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.laws.exception(py)
    }

    /// Identifier of the thread that calls the laws, as in `threading.get_ident`; `None` without laws.
    #[getter]
    fn law_thread(&self) -> Option<u64> {
        self.laws.thread()
    }

    /// True once the laws have been told of the end.
    #[getter]
    fn laws_are_ending(&self) -> bool {
        self.laws.is_ending()
    }

    /// Asks the emulation to end, without waiting for it.
    fn stop(&self) -> PyResult<()> {
        self.with(|emulation| {
            emulation.stop();
            Ok(())
        })
    }

    /// Nodes, one dictionary per station and host: name, kind, interface, mac, ipv4, ipv6,
    /// descriptor, and the rates that `set_rate` permits [bit/s].
    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.with(|emulation| {
            let describe = |(at, node): (usize, &Node)| {
                let row = PyDict::new(py);
                row.set_item("name", &node.name)?;
                row.set_item("kind", kind_of(node.end))?;
                row.set_item("interface", node.interface())?;
                row.set_item("mac", mac(node))?;
                row.set_item("ipv4", node.v4().to_string())?;
                row.set_item("ipv6", node.v6().to_string())?;
                row.set_item("descriptor", emulation.descriptor(at))?;
                let rates: Vec<_> = emulation.rates(at).iter().map(|rate| rate.bps()).collect();
                row.set_item("rates_bps", rates)?;
                Ok(row)
            };
            emulation.nodes().iter().enumerate().map(describe).collect()
        })
    }

    /// Programs that carry flows, one dictionary each: node, arguments of `airfair`, start and end
    /// [s], and the index of the flow whose rate limits the program reads.
    #[getter]
    fn programs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let seconds = |time: Time| (time - Time::ZERO).as_secs_f64();
        self.with(|emulation| {
            let describe = |program: airfair_emulator::emulation::Program| {
                let row = PyDict::new(py);
                row.set_item("node", &self.names[program.node])?;
                row.set_item("arguments", program.arguments)?;
                row.set_item("start_s", seconds(program.start))?;
                row.set_item("stop_s", program.stop.map(seconds))?;
                row.set_item("limited", program.limited.map(FlowId::index))?;
                Ok(row)
            };
            emulation.programs().into_iter().map(describe).collect()
        })
    }

    /// Contents of `/etc/hosts` in the namespace of each node.
    #[getter]
    fn hosts_file(&self) -> PyResult<String> {
        self.with(|emulation| Ok(emulation.hosts_file()))
    }

    /// Default TCP congestion control in the namespaces of the nodes.
    #[getter]
    fn congestion_control(&self) -> PyResult<String> {
        self.with(|emulation| Ok(emulation.congestion_control().to_owned()))
    }

    /// True if the engine's thread runs with real-time priority.
    #[getter]
    fn goes_before_others(&self) -> PyResult<bool> {
        self.with(|emulation| Ok(emulation.is_realtime()))
    }

    /// True once the emulation has ended by itself.
    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        self.with(|emulation| Ok(emulation.is_over()))
    }

    /// State of the emulation as a JSON document.
    fn view(&self) -> PyResult<String> {
        self.with(|emulation| Ok(self.document(&emulation.view(), emulation).to_string()))
    }

    /// Sets the rate of a station's link in [bit/s]; `direction` is `up`, `down` or `both`. Raises
    /// `ValueError` if this is not possible.
    fn set_rate(&self, station: &str, direction: &str, rate: f64) -> PyResult<()> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rate that is none is refused"
        )]
        let bps = rate.round() as u64;
        if bps == 0 {
            return Err(PyValueError::new_err("a rate is more than nothing"));
        }
        let directions: &[Direction] = match direction {
            "up" => &[Direction::Up],
            "down" => &[Direction::Down],
            "both" => &[Direction::Up, Direction::Down],
            _ => return Err(PyValueError::new_err("allowed are up, down and both")),
        };
        let station = self.station(station)?;
        for direction in directions {
            self.change(Change::Rate(station, *direction, DataRate::from_bps(bps)))?;
        }
        Ok(())
    }

    /// Sets the frame error probability of a station's link.
    fn set_errors(&self, station: &str, probability: f64) -> PyResult<()> {
        let probability = Probability::new(probability)
            .ok_or_else(|| PyValueError::new_err("a probability is from 0 to 1"))?;
        let station = self.station(station)?;
        self.change(Change::Errors(station, ErrorModel::Bernoulli(probability)))
    }

    /// Sets the weights of data and ACKs in the queue of a cell's access point.
    fn set_weights(&self, cell: &str, data: u32, acks: u32) -> PyResult<()> {
        let at = self.cell(cell)?;
        if data == 0 || acks == 0 {
            return Err(PyValueError::new_err("a weight must be at least 1"));
        }
        self.change(Change::Weights(at, Weights { data, ack: acks }))
    }

    /// Replaces the transmit queue of a cell's access point. `queue` is a TOML table. Raises
    /// `ValueError` if this is not possible.
    fn set_queue(&self, cell: &str, queue: &str) -> PyResult<()> {
        let at = self.cell(cell)?;
        // A scenario with only this queue, which cannot refer to files.
        let text = format!(
            "duration = \"1 s\"\n[bss.{cell}]\nstandard = \"{}\"\nap.queue = {queue}\n\
             [station.a-station]\nbss = \"{cell}\"\n[host.a-host]\n",
            self.standards[at]
        );
        let mut no_file = |_: &str| Err("there are no files here".to_owned());
        let driver = airfair_sim::scenario::Driver::Emulation;
        let parsed =
            airfair_sim::scenario::Scenario::load(text.as_bytes(), &[], &mut no_file, driver);
        let parsed = parsed.map_err(|problems| {
            let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
            PyValueError::new_err(told.join("; "))
        })?;
        self.change(Change::Queue(at, parsed.cells[0].ap.queue))
    }

    /// Starts a program in the namespace of a node, with `hosts` as its `/etc/hosts`; returns the
    /// process id. With `to_errors` the program's standard output goes to standard error. With
    /// `limited`, the index of a flow, the program reads the rate limits of this flow from standard
    /// input.
    #[expect(clippy::too_many_arguments, reason = "options have names in Python")]
    #[pyo3(signature = (node, command, hosts, *, to_errors = false, limited = None))]
    fn spawn(
        &self,
        node: &str,
        command: Vec<String>,
        hosts: PathBuf,
        to_errors: bool,
        limited: Option<usize>,
    ) -> PyResult<u32> {
        let at = self.names.iter().position(|name| name == node);
        let at = at.ok_or_else(|| PyValueError::new_err(format!("{node}: no such node")))?;
        let [program, rest @ ..] = &command[..] else {
            return Err(PyValueError::new_err("no program"));
        };
        self.with(|emulation| {
            let mut program = Command::new(program);
            if to_errors {
                program.stdout(std::io::stderr().as_fd().try_clone_to_owned()?);
            }
            if let Some(flow) = limited {
                program.stdin(emulation.limits(FlowId::new(flow))?);
            }
            Ok(emulation.spawn(at, program.args(rest), &hosts)?.id())
        })
    }

    /// Ends the emulation. Returns the scenario as emulated, the outcome (`None` if the emulation
    /// ended during the warm-up), and the last state as a JSON document.
    fn end(&self, py: Python<'_>) -> PyResult<(Scenario, Option<Outcome>, String)> {
        let taken = self.inner.lock().expect("nobody panics with it").take();
        let emulation = taken.ok_or_else(over)?;
        let (nodes, flows) = (emulation.nodes().to_vec(), emulation.flows());
        let ended = py.detach(|| emulation.end());
        let ended = ended.map_err(|panic| RunError::new_err(panics::of_thread(&*panic)))?;
        let view = document(&ended.view, (&nodes, &flows, &self.cells)).to_string();
        let outcome = ended.outcome.map(|inner| Outcome { inner });
        Ok((Scenario { inner: ended.scenario }, outcome, view))
    }
}

impl Emulation {
    fn with<T>(&self, work: impl FnOnce(&emulator::Emulation) -> PyResult<T>) -> PyResult<T> {
        let guard = self.inner.lock().expect("nobody panics with it");
        work(guard.as_ref().ok_or_else(over)?)
    }

    fn change(&self, change: Change) -> PyResult<()> {
        self.with(|emulation| emulation.change(change).map_err(PyValueError::new_err))
    }

    /// Index of a cell in the scenario.
    fn cell(&self, name: &str) -> PyResult<usize> {
        let at = self.cells.iter().position(|it| it == name);
        at.ok_or_else(|| PyValueError::new_err(format!("{name}: no such cell")))
    }

    /// Index of a station in the scenario. Stations come first among the nodes.
    fn station(&self, name: &str) -> PyResult<usize> {
        self.with(|emulation| {
            let is = |node: &Node| node.name == name && matches!(node.end, Endpoint::Station(_));
            let found = emulation.nodes().iter().position(is);
            found.ok_or_else(|| PyValueError::new_err(format!("{name}: no such station")))
        })
    }

    fn document(&self, view: &View, emulation: &emulator::Emulation) -> Value {
        document(view, (emulation.nodes(), &emulation.flows(), &self.cells))
    }
}

/// Writers of trace files, which read the octets of real packets for a capture.
fn writers(tracing: &Tracing) -> Traces<TraceWriters> {
    let frames = Frames::default();
    let shared = frames.clone();
    let read = move |packet: &External, to: &mut Vec<u8>| shared.read(packet, SHOWN, to);
    Traces { recorder: tracing.lend().with_contents(Box::new(read)), frames }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("the emulation is over")
}

fn not_started(error: emulator::Error) -> PyErr {
    match error {
        emulator::Error::Scenario(problem) => PyValueError::new_err(problem),
        emulator::Error::System(what, why) => {
            PyOSError::new_err((why.raw_os_error(), format!("{what}: {why}")))
        }
        emulator::Error::Engine(panic) => RunError::new_err(panics::of_thread(&*panic)),
    }
}

/// Error of the operating system with its number, from which the caller knows the remedy.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it so")]
fn refused(error: std::io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error(), error.to_string()))
}

fn kind(backend: &str) -> PyResult<Backend> {
    match backend {
        "TAP" => Ok(Backend::Tap),
        "veth" => Ok(Backend::Veth),
        _ => Err(PyValueError::new_err("unknown backend; allowed are TAP and veth")),
    }
}

fn kind_of(end: Endpoint) -> &'static str {
    match end {
        Endpoint::Station(_) => "station",
        Endpoint::Host(_) => "host",
    }
}

/// Ethernet address of a node as text.
fn mac(node: &Node) -> String {
    node.mac().map(|octet| format!("{octet:02x}")).join(":")
}

/// State of an emulation as a JSON document.
fn document(view: &View, (nodes, flows, cells): (&[Node], &[NamedFlow], &[String])) -> Value {
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let it = &view.punctuality;
    let objections: Vec<String> = view.objections.iter().map(ToString::to_string).collect();
    let late = |it: &Option<LateShare<String>>| {
        it.as_ref().map(|LateShare { flow, share, tolerated, second }| {
            json!({
                "flow": flow,
                "from_s": second,
                "packets": share.packets,
                "late": share.late,
                "late_by_laws": share.late_by_laws,
                "tolerated_us": us(*tolerated),
            })
        })
    };
    let laws = view.laws.iter().map(|LawTime { law, node, calls, time, longest }| {
        json!({
            "law": law,
            "node": node,
            "calls": calls,
            "time_s": time.as_secs_f64(),
            "longest_us": us(*longest),
        })
    });
    let nodes = nodes.iter().zip(&view.nodes).map(|(of, seen)| node(of, seen));
    let flows = flows.iter().zip(&view.flows).filter_map(|(flow, counted)| {
        counted.map(|it| {
            json!({
                "name": flow.name,
                "from": flow.from,
                "to": flow.to,
                "delivered_bytes": it.delivered_bytes,
                "received_packets": it.received_packets,
                "delay_s": it.delay.as_secs_f64(),
            })
        })
    });
    let points = cells.iter().zip(view.access_points.iter().zip(&view.channels));
    let points = points.map(|(name, (seen, channel))| {
        let mut document = radio(seen);
        document["name"] = json!(name);
        for (key, time) in [
            ("collision_s", channel.collision),
            ("beacon_s", channel.beacon),
            ("contention_s", channel.contention),
            ("neighbour_s", channel.neighbour),
        ] {
            document[key] = json!(time.as_secs_f64());
        }
        document
    });
    json!({
        "elapsed_s": view.elapsed.as_secs_f64(),
        "lateness": {
            "packets": it.packets,
            "p50_us": us(it.p50),
            "p99_us": us(it.p99),
            "p999_us": us(it.p999),
            "longest_stall_us": us(it.longest_stall),
            "slips": it.slips,
            "slipped_s": it.slipped.as_secs_f64(),
            "slipped_in_laws_s": it.slipped_in_laws.as_secs_f64(),
            "stillest_second": {
                "from_s": it.stillest.second,
                "slipped_s": it.stillest.time.as_secs_f64(),
            },
            "worst_second": late(&it.worst_second),
            "worst_flow": late(&it.worst_flow),
        },
        "valid": objections.is_empty(),
        "objections": objections,
        "laws": laws.collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
        "flows": flows.collect::<Vec<_>>(),
        "access_points": points.collect::<Vec<_>>(),
    })
}

fn radio(seen: &Member) -> Value {
    json!({
        "frames": seen.frames,
        "retries": seen.retries,
        "drops": seen.drops,
        "queue_packets": seen.queue,
    })
}

fn node(of: &Node, seen: &NodeView) -> Value {
    let it = &seen.traffic;
    let mut document = json!({
        "name": of.name,
        "kind": kind_of(of.end),
        "mac": mac(of),
        "ipv4": of.v4().to_string(),
        "ipv6": of.v6().to_string(),
        "is_there": seen.has_interface,
        "sent_packets": it.sent_packets,
        "sent_bytes": it.sent_bytes,
        "received_packets": it.received_packets,
        "received_bytes": it.received_bytes,
        "refused_packets": it.refused,
        "lost_packets": it.lost,
        "not_taken_packets": it.not_taken,
        "delivered_packets": it.delivered_packets,
        "sent_delay_s": it.sent_delay.as_secs_f64(),
        "received_delay_s": it.received_delay.as_secs_f64(),
        "unread_packets": it.unread,
        "undelivered_packets": it.undelivered,
        "unknown_frames": it.unknown,
        "garbage_frames": it.garbage,
        "simulated_sent_bytes": seen.simulated.sent_bytes,
        "simulated_received_bytes": seen.simulated.received_bytes,
    });
    if let Some(member) = &seen.member {
        document["radio"] = radio(member);
        for (key, time) in [
            ("airtime_s", member.airtime()),
            ("airtime_up_s", member.airtime_up),
            ("airtime_down_s", member.airtime_down),
            ("airtime_control_s", member.airtime_control),
        ] {
            document["radio"][key] = json!(time.as_secs_f64());
        }
        let [up, down] = seen.rates.map(|rate| rate.map(DataRate::bps));
        document["radio"]["rate_up_bps"] = json!(up);
        document["radio"]["rate_down_bps"] = json!(down);
    }
    document
}

/// Scenario with the flows that an emulation adds for packets of programs, which its trace files contain. Raises
/// `ValueError` if the scenario cannot be emulated.
#[pyfunction]
pub(crate) fn emulated(scenario: &Scenario) -> PyResult<Scenario> {
    let planned = Plan::new(scenario.inner.clone()).map_err(PyValueError::new_err)?;
    Ok(Scenario { inner: planned.scenario })
}

/// Tests if a namespace may have this TCP congestion control; raises `OSError` if not.
#[pyfunction]
pub(crate) fn emulation_congestion(py: Python<'_>, name: &str) -> PyResult<()> {
    py.detach(|| os::permits_congestion_control(name)).map_err(refused)
}

/// Tests if this process may create namespaces with interfaces of the kind `backend`; raises
/// `OSError` if not.
#[pyfunction]
pub(crate) fn emulation_try(py: Python<'_>, backend: &str) -> PyResult<()> {
    let backend = kind(backend)?;
    py.detach(|| backend.attempt()).map_err(refused)
}

/// Moves this process, which must have one thread, into a new user namespace, in which it is root.
#[pyfunction]
pub(crate) fn emulation_isolate() -> PyResult<()> {
    if !os::has_one_thread() {
        return Err(PyRuntimeError::new_err("a process with several threads cannot be isolated"));
    }
    os::isolate().map_err(refused)
}

/// Moves this process, which must have one thread, into a namespace of a running emulation.
#[pyfunction]
#[pyo3(signature = (network, hosts, user = None))]
pub(crate) fn emulation_enter(
    network: PathBuf,
    hosts: PathBuf,
    user: Option<PathBuf>,
) -> PyResult<()> {
    Ok(os::enter(&Entrance { user, network, hosts })?)
}
