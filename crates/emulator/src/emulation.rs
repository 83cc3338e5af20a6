//! Set-up, running and shutdown of an emulation.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use airfair_sim::outcome::Outcome;
use airfair_sim::packet::FlowId;
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario::{Endpoint, Flow, Scenario};
use airfair_units::{Bytes, DataRate, Duration};

use crate::engine::{Done, Engine, Shared};
use crate::files::FileServer;
use crate::kernel_flow::{Carrier, place};
use crate::laws::Laws;
use crate::limits::TfrcLimits;
use crate::os::{self, Bell, Namespace, Port};
use crate::plan::{Node, Plan};
use crate::traffic::{self, Account, Generator};

pub use crate::engine::{Change, Options, Traces};
pub use crate::live::{ChannelUse, Member, Simulated, SimulatedFlow};
pub use crate::store::Frames;
pub use crate::traffic::Program;
pub use crate::view::{NodeView, Traffic, View};

/// Paths of existing network namespaces, by the name of the node that joins them.
pub type Joined = BTreeMap<String, PathBuf>;

/// TCP congestion control of namespaces, by the name of the node.
pub type Congestion = BTreeMap<String, String>;

/// Duration of an emulation without a given duration.
const FOREVER: Duration = Duration::from_secs(100 * 86_400);

/// Reason why an emulation could not start.
#[derive(Debug)]
pub enum Error {
    /// The scenario cannot be emulated; the text is a message for the user.
    Scenario(String),
    /// The operating system returned an error: operation that failed, and its error.
    System(String, io::Error),
    /// The engine's thread panicked at the start; the value is the payload of the panic.
    Engine(Box<dyn Any + Send>),
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(problem) => to.write_str(problem),
            Self::System(what, why) => write!(to, "{what}: {why}"),
            Self::Engine(_) => to.write_str("the engine failed when it started"),
        }
    }
}

impl std::error::Error for Error {}

/// Results of an emulation that has ended.
#[derive(Debug)]
pub struct Ended {
    /// The scenario as emulated: with its actual duration, and with a flow for each pair of nodes
    /// between which programs have sent packets.
    pub scenario: Scenario,
    /// Measurements; `None` if the emulation ended during the warm-up.
    pub outcome: Option<Outcome>,
    /// Snapshot at the end of the emulation.
    pub view: View,
}

/// Flow of the scenario, with the names of the nodes at both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFlow {
    /// Name of the flow.
    pub name: String,
    /// Name of the node that sends.
    pub from: String,
    /// Name of the node that receives.
    pub to: String,
}

/// Handle of the engine's thread, which returns `None` if it could not start.
type Running = JoinHandle<Option<Done>>;

/// Handle of a running emulation.
#[derive(Debug)]
pub struct Emulation {
    plan: Arc<Plan>,
    shared: Arc<Shared>,
    namespaces: Vec<Namespace>,
    engine: Option<Running>,
    _servers: Vec<FileServer>,
    _generator: Generator,
    /// Sockets from which the programs of TFRC flows read their rate limits.
    limits: BTreeMap<FlowId, OwnedFd>,
    seed: u64,
    congestion_control: String,
    started: Started,
}

/// Properties of an emulation that are known once its engine has started.
#[derive(Debug)]
struct Started {
    is_realtime: bool,
    /// Rates that may be set for each station.
    rates: Vec<Vec<DataRate>>,
}

impl Emulation {
    /// Makes the plan of the emulation of a scenario.
    ///
    /// # Errors
    /// Returns an [`Error`] if the scenario cannot be emulated.
    pub fn plan(scenario: Scenario, options: &Options) -> Result<Plan, Error> {
        let duration = options.duration.unwrap_or(FOREVER);
        let scenario = Scenario { duration, series_step: None, replications: 1, ..scenario };
        Plan::new(scenario).map_err(Error::Scenario)
    }

    /// Sets up namespaces, interfaces and threads, tells the laws of the start, and starts channel
    /// time. A node in `joined` gets an interface in an existing namespace, in which nothing else
    /// changes. Every other node gets a namespace of its own, with a file server, and the TCP congestion control that
    /// `congestion` names for it; it must be [permitted](os::permits_congestion_control). `traces` consumes the records.
    ///
    /// # Errors
    /// Returns an [`Error`] if a step fails. Everything set up so far is removed.
    pub fn start<T: Recorder + Send + 'static>(
        mut plan: Plan,
        options: Options,
        laws: Laws,
        (joined, congestion): (&Joined, &Congestion),
        traces: Traces<T>,
    ) -> Result<Self, Error> {
        plan.join(joined.keys().map(String::as_str))
            .map_err(|name| Error::Scenario(format!("{name}: no such station or host")))?;
        let plan = Arc::new(plan);
        let namespaces = namespaces(&plan, joined)?;
        let congestion_control = congestion_control(&plan, &namespaces)?;
        let (mut ports, mut servers) = (Vec::new(), Vec::new());
        for (node, namespace) in plan.nodes.iter().zip(&namespaces) {
            let of = |what: &str| system(&format!("{what} of {}", node.name));
            let congestion = congestion.get(&node.name).unwrap_or(&congestion_control);
            let port = Port::create(node, namespace, options.backend, congestion);
            ports.push(port.map_err(of("interface"))?);
            if !node.is_joined {
                servers.push(FileServer::start(namespace).map_err(of("file server"))?);
            }
        }
        let shared = Arc::new(Shared::new(Bell::new().map_err(system("bell"))?));
        let accounts: Arc<Vec<Account>> =
            Arc::new(plan.kernel_flows.iter().map(|_| Account::default()).collect());
        let (limits, sockets) = tfrc_limits(&plan).map_err(system("limits"))?;
        let (engine, started) =
            start_engine(&plan, ports, (&shared, &accounts), (limits, laws), (options, traces))?;
        let generator = Generator::start(&plan, &namespaces, &accounts)
            .inspect_err(|_| shared.stop())
            .map_err(system("flows of the kernel's TCP"))?;
        Ok(Self {
            plan,
            shared,
            namespaces,
            engine: Some(engine),
            _servers: servers,
            _generator: generator,
            limits: sockets,
            seed: options.seed,
            congestion_control,
            started,
        })
    }

    /// Stations and hosts of the emulation, each with a namespace of its own.
    pub fn nodes(&self) -> &[Node] {
        &self.plan.nodes
    }

    /// Flows of the scenario.
    pub fn flows(&self) -> Vec<NamedFlow> {
        let scenario = &self.plan.scenario;
        let node = |end| self.plan.nodes[place(scenario, end)].name.clone();
        let own = scenario.flows.iter().take(self.plan.own_flows);
        let named = |flow: &Flow| NamedFlow {
            name: flow.name.clone(),
            from: node(flow.from),
            to: node(flow.to),
        };
        own.map(named).collect()
    }

    /// Programs that carry flows of the scenario. The owner of the emulation starts and ends them.
    /// Each receiver precedes its sender.
    pub fn programs(&self) -> Vec<Program> {
        traffic::programs(&self.plan)
    }

    /// Standard input for the sender's program of a TFRC flow, which reads rate limits from it, one
    /// per line.
    ///
    /// # Errors
    /// Returns the error of the operating system, or [`NotFound`](io::ErrorKind::NotFound) if the
    /// flow is not TFRC over real sockets.
    pub fn limits(&self, flow: FlowId) -> io::Result<OwnedFd> {
        self.limits.get(&flow).ok_or(io::ErrorKind::NotFound)?.try_clone()
    }

    /// Names and addresses of all nodes in the format of `/etc/hosts`.
    pub fn hosts_file(&self) -> String {
        self.plan.hosts_file()
    }

    /// File descriptor of a node's namespace in this process, for the path `/proc/PID/fd/…`.
    pub fn descriptor(&self, node: usize) -> i32 {
        self.namespaces[node].as_fd().as_raw_fd()
    }

    /// Default TCP congestion control in the nodes' namespaces.
    pub fn congestion_control(&self) -> &str {
        &self.congestion_control
    }

    /// True if the engine's thread runs with real-time priority.
    pub fn is_realtime(&self) -> bool {
        self.started.is_realtime
    }

    /// Rates that [`Change::Rate`] permits for both directions of a station's link, in ascending
    /// order. There are none if rate control chooses the rate, and none of a host.
    pub fn rates(&self, node: usize) -> &[DataRate] {
        match self.plan.nodes[node].end {
            Endpoint::Station(index) => &self.started.rates[index],
            Endpoint::Host(_) => &[],
        }
    }

    /// Latest snapshot of the emulation, at most 0.1 s old.
    pub fn view(&self) -> View {
        self.shared.view()
    }

    /// True once the engine's thread has ended.
    pub fn is_over(&self) -> bool {
        self.engine.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Changes the emulation while it runs, and waits for the reply.
    ///
    /// # Errors
    /// Returns a message if the change is not possible, or if there is no reply within one second.
    #[expect(clippy::disallowed_types, reason = "the standard library waits by its own durations")]
    pub fn change(&self, change: Change) -> Result<(), &'static str> {
        let (answer, answers) = mpsc::channel();
        self.shared.request((change, answer));
        let patience = std::time::Duration::from_secs(1);
        answers.recv_timeout(patience).unwrap_or(Err("the emulation is over"))
    }

    /// Starts a program in the namespace of a node, with the file `hosts` as its `/etc/hosts`.
    ///
    /// # Errors
    /// Returns the error of the operating system, for example if there is no such program.
    pub fn spawn(&self, node: usize, program: &mut Command, hosts: &Path) -> io::Result<Child> {
        os::start(program, &self.namespaces[node], hosts)
    }

    /// Asks the engine to end, without waiting for it.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Stops the emulation and returns its results.
    ///
    /// # Errors
    /// Returns the payload of the panic if the engine's thread has panicked.
    pub fn end(mut self) -> Result<Ended, Box<dyn Any + Send>> {
        self.shared.stop();
        let engine = self.engine.take().expect("it ends once");
        let done = engine.join()?;
        let Done { finished, view, carried } = done.expect("an engine that has started");
        let mut scenario = self.plan.scenario.clone();
        let own_flows = self.plan.own_flows;
        scenario.duration = view.elapsed;
        if view.elapsed <= scenario.warmup {
            scenario.flows.truncate(own_flows);
            return Ok(Ended { scenario, outcome: None, view });
        }
        let mut outcome = finished.outcome(&scenario, self.seed, 0);
        for (flow, [delivered, retransmissions]) in self.plan.kernel_flows.iter().zip(carried) {
            let row = &mut outcome.flows[flow.flow.index()];
            row.delivered = Bytes::new(delivered);
            row.retransmissions = retransmissions;
        }
        let is_used: Vec<bool> = (0_usize..)
            .zip(&outcome.flows)
            .map(|(at, flow)| at < own_flows || flow.packets_sent + flow.packets_refused > 0)
            .collect();
        let mut used = is_used.iter();
        outcome.flows.retain(|_| used.next() == Some(&true));
        let mut used = is_used.iter();
        scenario.flows.retain(|_| used.next() == Some(&true));
        Ok(Ended { scenario, outcome: Some(outcome), view })
    }
}

impl Drop for Emulation {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.bell.ring();
    }
}

/// Function that makes the error of a step of the set-up.
fn system(what: &str) -> impl FnOnce(io::Error) -> Error + use<> {
    let what = what.to_owned();
    |why| Error::System(what, why)
}

/// Namespaces of all nodes: the joined ones, and new ones.
fn namespaces(plan: &Plan, joined: &Joined) -> Result<Vec<Namespace>, Error> {
    let mut found: Vec<Namespace> = Vec::new();
    for node in &plan.nodes {
        let of = |place: &str| system(&format!("network namespace {place}of {}", node.name));
        let Some(path) = joined.get(&node.name) else {
            found.push(Namespace::new().map_err(of(""))?);
            continue;
        };
        let place = format!("{} ", path.display());
        let namespace = Namespace::open(path).map_err(of(&place))?;
        for (other, theirs) in plan.nodes.iter().zip(&found) {
            if namespace.is_same(theirs).map_err(of(&place))? {
                let why = format!("{} has joined it already", other.name);
                return Err(of(&place)(io::Error::new(io::ErrorKind::AlreadyExists, why)));
            }
        }
        found.push(namespace);
    }
    Ok(found)
}

/// Default TCP congestion control of the namespaces, which is set in new ones.
fn congestion_control(plan: &Plan, namespaces: &[Namespace]) -> Result<String, Error> {
    let own = plan.nodes.iter().position(|node| !node.is_joined);
    let chosen = match own {
        Some(at) => namespaces[at].choose_congestion_control(),
        None => namespaces.first().map_or(Ok(String::new()), Namespace::congestion_control),
    };
    chosen.map_err(system("congestion control"))
}

/// Rate limits of all TFRC flows over real sockets, and the sockets from which their programs read
/// them.
fn tfrc_limits(
    plan: &Plan,
) -> io::Result<(BTreeMap<FlowId, TfrcLimits>, BTreeMap<FlowId, OwnedFd>)> {
    let (mut limits, mut sockets) = (BTreeMap::new(), BTreeMap::new());
    for flow in &plan.kernel_flows {
        if matches!(flow.carrier, Carrier::Tfrc { .. }) {
            let (own, socket) = TfrcLimits::new()?;
            limits.insert(flow.flow, own);
            sockets.insert(flow.flow, socket);
        }
    }
    Ok((limits, sockets))
}

/// Starts the engine's thread.
fn start_engine<T: Recorder + Send + 'static>(
    plan: &Arc<Plan>,
    ports: Vec<Port>,
    (shared, accounts): (&Arc<Shared>, &Arc<Vec<Account>>),
    (limits, laws): (BTreeMap<FlowId, TfrcLimits>, Laws),
    (options, traces): (Options, Traces<T>),
) -> Result<(Running, Started), Error> {
    let (plan, shared) = (Arc::clone(plan), Arc::clone(shared));
    let accounts = Arc::clone(accounts);
    launch(move |started| {
        let is_realtime = os::set_realtime().is_ok();
        let Laws { of_nodes, around } = laws;
        let limits = (limits, of_nodes);
        let engine = Engine::new(&plan, &ports, (&shared, &accounts), limits, (&options, traces));
        let (mut engine, told) = match engine {
            Ok(engine) => {
                let rates = engine.settable_rates();
                (Some(engine), Ok(Started { is_realtime, rates }))
            }
            Err(error) => (None, Err(error)),
        };
        // `launch` waits for this message.
        let _ = started.send(told);
        let mut done = None;
        around(&mut || done = engine.take().map(Engine::run));
        done
    })
}

/// Starts a thread that runs `run`, and waits until `run` has sent the result of its start.
fn launch<T: Send + 'static, S: Send + 'static>(
    run: impl FnOnce(Sender<io::Result<S>>) -> T + Send + 'static,
) -> Result<(JoinHandle<T>, S), Error> {
    let system = |why| Error::System("engine".to_owned(), why);
    let (started, starts) = mpsc::channel();
    let thread = thread::Builder::new().name("engine".to_owned()).spawn(move || run(started));
    let thread = thread.map_err(system)?;
    match starts.recv() {
        Ok(told) => Ok((thread, told.map_err(system)?)),
        // A thread that ends without a message has panicked.
        Err(_) => match thread.join() {
            Ok(_) => unreachable!("it says how it has started"),
            Err(panic) => Err(Error::Engine(panic)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_fails_at_its_start_returns_the_error() {
        let broken = launch(|_: Sender<io::Result<()>>| panic!("a queue of 2^32 packets"));
        let Err(Error::Engine(panic)) = broken.map(|_| ()) else { panic!("it has not started") };
        assert_eq!(panic.downcast_ref(), Some(&"a queue of 2^32 packets"));
        let refused = launch(|started| started.send(Err::<(), _>(io::ErrorKind::NotFound.into())));
        assert!(
            matches!(refused, Err(Error::System(_, why)) if why.kind() == io::ErrorKind::NotFound)
        );
        let (thread, said) = launch(|started| started.send(Ok(3)).is_ok()).expect("it starts");
        assert_eq!((said, thread.join().ok()), (3, Some(true)));
    }
}
