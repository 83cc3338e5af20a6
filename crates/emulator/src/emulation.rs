//! An emulation: set up, running, and ended.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use airfair_sim::outcome::Outcome;
use airfair_sim::packet::FlowId;
use airfair_sim::scenario::Scenario;
use airfair_units::{Bytes, Duration};

use crate::engine::{Done, Engine, Shared};
use crate::files::FileServer;
use crate::kernel_flow::Carrier;
use crate::limits::Limits;
use crate::os::{self, Bell, Namespace, Port};
use crate::plan::{Node, Plan};
use crate::traffic::{self, Account, Generator};

pub use crate::engine::{Options, Wish};
pub use crate::live::{Member, Simulated};
pub use crate::traffic::Program;
pub use crate::view::{NodeView, Traffic, View};

/// An emulation that nothing else ends is over after so long.
const FOREVER: Duration = Duration::from_secs(100 * 86_400);

/// The reason why nothing could be set up.
#[derive(Debug)]
pub enum Error {
    /// The scenario is none that can be emulated.
    Scenario(String),
    /// The operating system refused something: what, and why.
    System(String, io::Error),
    /// The engine has broken a promise as it started: its panic.
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

/// The result of an emulation.
#[derive(Debug)]
pub struct Ended {
    /// The scenario as emulated: as long as it went on, and with a flow for each way that packets have taken.
    pub scenario: Scenario,
    /// Its measurements; none if it ended before its warm-up.
    pub outcome: Option<Outcome>,
    /// Its last view.
    pub view: View,
}

/// The thread of the engine, which ends with nothing if it could not start.
type Running = JoinHandle<Option<Done>>;

/// An emulation that goes on.
#[derive(Debug)]
pub struct Emulation {
    plan: Arc<Plan>,
    shared: Arc<Shared>,
    namespaces: Vec<Namespace>,
    engine: Option<Running>,
    _servers: Vec<FileServer>,
    _generator: Generator,
    /// Where programs read the limits of flows that are TFRC's.
    limits: BTreeMap<FlowId, OwnedFd>,
    seed: u64,
    congestion_control: String,
    goes_before_others: bool,
}

impl Emulation {
    /// Sets everything up and lets time begin.
    ///
    /// # Errors
    /// [`Error`], with nothing left behind.
    pub fn start(scenario: Scenario, options: Options) -> Result<Self, Error> {
        let system = |what: &str| {
            let what = what.to_owned();
            |why| Error::System(what, why)
        };
        let duration = options.duration.unwrap_or(FOREVER);
        let scenario = Scenario { duration, series_step: None, replications: 1, ..scenario };
        let plan = Arc::new(Plan::new(scenario).map_err(Error::Scenario)?);
        let mut namespaces: Vec<Namespace> = Vec::new();
        let (mut ports, mut servers) = (Vec::new(), Vec::new());
        let mut congestion_control = String::new();
        for node in &plan.nodes {
            let of = |what: &str| system(&format!("{what} of {}", node.name));
            let namespace = Namespace::new().map_err(of("network namespace"))?;
            if namespaces.is_empty() {
                congestion_control =
                    namespace.congestion_control().map_err(of("congestion control"))?;
            }
            let port = namespace.equip(node, options.backend, &congestion_control);
            ports.push(port.map_err(of("interface"))?);
            servers.push(FileServer::start(&namespace).map_err(of("file server"))?);
            namespaces.push(namespace);
        }
        let shared = Arc::new(Shared::new(Bell::new().map_err(system("bell"))?));
        let accounts: Arc<Vec<Account>> =
            Arc::new(plan.kernel_flows.iter().map(|_| Account::default()).collect());
        let (told, limits) = limits_of(&plan).map_err(system("limits"))?;
        let (engine, goes_before_others) =
            start_engine(&plan, ports, (&shared, &accounts), told, options)?;
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
            limits,
            seed: options.seed,
            congestion_control,
            goes_before_others,
        })
    }

    /// Its stations and hosts.
    pub fn nodes(&self) -> &[Node] {
        &self.plan.nodes
    }

    /// Programs that carry flows of the scenario, which its owner starts and ends; receivers come ahead of their senders.
    pub fn programs(&self) -> Vec<Program> {
        traffic::programs(&self.plan)
    }

    /// Standard input of a program that carries an end of such a flow: a line for each limit of its rate.
    ///
    /// # Errors
    /// The operating system's; [`NotFound`](io::ErrorKind::NotFound) if the flow has none.
    pub fn limits(&self, flow: FlowId) -> io::Result<OwnedFd> {
        self.limits.get(&flow).ok_or(io::ErrorKind::NotFound)?.try_clone()
    }

    /// Names of all nodes, as `/etc/hosts` has them.
    pub fn hosts_file(&self) -> String {
        self.plan.hosts_file()
    }

    /// Descriptor by which this process holds the namespace of a node: `/proc/PID/fd/…` leads there.
    pub fn descriptor(&self, node: usize) -> i32 {
        self.namespaces[node].as_fd().as_raw_fd()
    }

    /// Congestion control of the kernel's TCP in the namespaces, unless a program chooses.
    pub fn congestion_control(&self) -> &str {
        &self.congestion_control
    }

    /// True if the engine goes before all other programs.
    pub fn goes_before_others(&self) -> bool {
        self.goes_before_others
    }

    /// Its state, at most a tenth of a second old.
    pub fn view(&self) -> View {
        self.shared.view()
    }

    /// True once it is over by itself.
    pub fn is_over(&self) -> bool {
        self.engine.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Asks for a change of the radio and waits for the answer.
    ///
    /// # Errors
    /// A sentence, if that cannot be set.
    #[expect(clippy::disallowed_types, reason = "the standard library waits by its own durations")]
    pub fn wish(&self, wish: Wish) -> Result<(), &'static str> {
        let (answer, answers) = mpsc::channel();
        self.shared.order((wish, answer));
        let patience = std::time::Duration::from_secs(1);
        answers.recv_timeout(patience).unwrap_or(Err("the emulation is over"))
    }

    /// Starts a program in the namespace of a node, where the file `hosts` is `/etc/hosts`.
    ///
    /// # Errors
    /// The operating system's: no such program, above all.
    pub fn spawn(&self, node: usize, program: &mut Command, hosts: &Path) -> io::Result<Child> {
        os::start(program, &self.namespaces[node], hosts)
    }

    /// Ends it.
    ///
    /// # Errors
    /// The sentence of the engine, if that has broken a promise.
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

/// Limits of all flows that are TFRC's, and where their programs read them.
fn limits_of(plan: &Plan) -> io::Result<(BTreeMap<FlowId, Limits>, BTreeMap<FlowId, OwnedFd>)> {
    let (mut told, mut read) = (BTreeMap::new(), BTreeMap::new());
    for flow in &plan.kernel_flows {
        if matches!(flow.carrier, Carrier::Tfrc { .. }) {
            let (limits, line) = Limits::new()?;
            told.insert(flow.flow, limits);
            read.insert(flow.flow, line);
        }
    }
    Ok((told, read))
}

/// Starts the thread of the engine; true beside it if that goes before all other programs.
fn start_engine(
    plan: &Arc<Plan>,
    ports: Vec<Port>,
    (shared, accounts): (&Arc<Shared>, &Arc<Vec<Account>>),
    limits: BTreeMap<FlowId, Limits>,
    options: Options,
) -> Result<(Running, bool), Error> {
    let (plan, shared) = (Arc::clone(plan), Arc::clone(shared));
    let accounts = Arc::clone(accounts);
    launch(move |started| {
        let preferred = os::prefer().is_ok();
        let engine = Engine::new(&plan, &ports, (&shared, &accounts), limits, &options);
        let (engine, told) = match engine {
            Ok(engine) => (Some(engine), Ok(preferred)),
            Err(error) => (None, Err(error)),
        };
        // Whoever waits for this is there.
        let _ = started.send(told);
        engine.map(Engine::run)
    })
}

/// Starts a thread, and waits for what it has to say once it has started.
fn launch<T: Send + 'static, S: Send + 'static>(
    run: impl FnOnce(Sender<io::Result<S>>) -> T + Send + 'static,
) -> Result<(JoinHandle<T>, S), Error> {
    let system = |why| Error::System("engine".to_owned(), why);
    let (started, starts) = mpsc::channel();
    let thread = thread::Builder::new().name("engine".to_owned()).spawn(move || run(started));
    let thread = thread.map_err(system)?;
    match starts.recv() {
        Ok(told) => Ok((thread, told.map_err(system)?)),
        // A thread that ends without a word has panicked.
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
    fn an_engine_that_fails_as_it_starts_says_why() {
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
