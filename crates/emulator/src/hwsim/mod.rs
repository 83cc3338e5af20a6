//! The medium of a scenario for the kernel's simulated radios (mac80211_hwsim), over generic
//! netlink.
//!
//! The kernel's MAC (mac80211) chooses rates and keeps queues. It hands each frame over with a
//! retry chain. The [medium](airfair_wlan::medium) contends for the channel, simulates collisions
//! and airtime, and reports the attempts made and the acknowledgment, from which the kernel's
//! Minstrel learns. Radios become members of the scenario's cell in the order of their numbers: the
//! first is the access point, the others are the stations in the scenario's order. The user sets up
//! namespaces, hostapd and addresses.
//!
//! There is no aggregation. The kernel negotiates block ack sessions, but hands each MPDU over
//! separately, and the message does not show if the MPDU belongs to such a session. The reply can
//! carry an acknowledgment but no A-MPDU status, without which Minstrel ignores frames of the
//! session and never finds a rate. [linux-hwsim]
//!
//! When the socket is closed, for whatever reason, the kernel returns to its built-in medium, which
//! delivers frames at once.

mod air;
mod protocol;
mod words;

use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

use airfair_sim::clock::{Clock, Woken};
use airfair_sim::scenario::Scenario;
use airfair_units::{Duration, Time};

use self::air::{Air, Path, Reply};
use self::protocol::{FAMILY, Frame, GROUP, RadioName, command};
use crate::lateness::Histogram;
use crate::os::generic::{Input, Subscription};
use crate::os::{self, Bell, Poller};
use crate::pace::Pace;
use crate::verdict::{FlowLateness, Punctuality};

pub use self::air::Account;
pub use crate::os::Signals;

/// Time between two snapshots that are published for viewers.
const VIEW: Duration = Duration::from_millis(100);
/// Length of collected messages to the kernel above which they are sent [octets].
const BATCH: usize = 1 << 14;

/// Reason why the medium could not start or had to end.
#[derive(Debug)]
pub enum Error {
    /// The scenario is not suitable for simulated radios; the text is a message for the user.
    Scenario(&'static str),
    /// The module mac80211_hwsim is not loaded.
    NoModule,
    /// The process is not root, so it may not become the medium.
    NotPermitted,
    /// Another program is the medium of these radios.
    Busy,
    /// The radios support several channels at once, which the medium does not.
    ManyChannels,
    /// There are fewer radios than members of the cell.
    TooFewRadios {
        /// Number of radios that the kernel has.
        found: usize,
        /// Number of members of the cell, each of which needs a radio.
        needed: usize,
        /// Name of the first member without a radio.
        without: String,
    },
    /// A radio was removed: names of the radio and of its member of the cell.
    RadioGone(String, String),
    /// The module mac80211_hwsim was unloaded.
    ModuleGone,
    /// The operating system returned an error: operation that failed, and its error.
    System(&'static str, io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(problem) => to.write_str(problem),
            Self::NoModule => to.write_str(
                "the kernel has no simulated radios; make them with: modprobe mac80211_hwsim radios=N",
            ),
            Self::NotPermitted => to.write_str(
                "the medium of the kernel's simulated radios needs root",
            ),
            Self::Busy => to.write_str(
                "another program is the medium of these radios (airfair or wmediumd); end it first",
            ),
            Self::ManyChannels => to.write_str(
                "the radios can be on several channels at once; load them with: modprobe mac80211_hwsim channels=1",
            ),
            Self::TooFewRadios { found, needed, without } => write!(
                to,
                "{found} radios for a cell of {needed}: none is left for {without:?}; load them with: modprobe \
                 mac80211_hwsim radios={needed}"
            ),
            Self::RadioGone(radio, member) => {
                write!(to, "radio {radio:?}, which was {member:?}, was removed")
            }
            Self::ModuleGone => to.write_str(
                "the module mac80211_hwsim and its radios were removed",
            ),
            Self::System(what, why) => write!(to, "{what}: {why}"),
        }
    }
}

impl std::error::Error for Error {}

/// Simulated radio of the kernel that belongs to a member of the cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Radio {
    /// Name of the member of the cell. The access point has the name of the cell.
    pub member: String,
    /// Name of the radio in the kernel.
    pub name: String,
}

/// Snapshot of the running medium of the kernel's simulated radios.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Lateness of the medium against the wall clock.
    pub punctuality: Punctuality,
    /// Counters of each radio, in the order of [`Hwsim::radios`].
    pub accounts: Vec<Account>,
    /// Number of frames of radios that are not members. Nobody receives them.
    pub unknown: u64,
    /// Number of times that frames were lost because the socket's buffer was full.
    pub overruns: u64,
}

#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    bell: Bell,
    view: Mutex<View>,
}

impl Shared {
    fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().expect("nobody panics while it holds the lock")
    }
}

/// Handle of the running medium of the kernel's simulated radios.
#[derive(Debug)]
pub struct Hwsim {
    radios: Vec<Radio>,
    shared: Arc<Shared>,
    engine: Option<JoinHandle<Option<Error>>>,
}

impl Hwsim {
    /// Becomes the medium of the kernel's radios, until `duration` has passed or [`Hwsim::end`] is
    /// called.
    ///
    /// # Errors
    /// Returns an [`Error`] if a step fails. Everything set up so far is removed.
    pub fn start(scenario: Scenario, seed: u64, duration: Option<Duration>) -> Result<Self, Error> {
        let members = members(&scenario)?;
        let socket = Subscription::open(FAMILY, GROUP).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::NoModule,
            _ => Error::System("generic netlink", error),
        })?;
        let found = socket.ask(&mut socket.family().dump(command::GET_RADIO));
        let found = found.map_err(|error| Error::System("radios", error))?;
        let mut found: Vec<_> = found.iter().filter_map(|radio| RadioName::read(radio)).collect();
        found.sort_unstable();
        if found.len() < members.len() {
            let (found, needed) = (found.len(), members.len());
            let without = members[found].clone();
            return Err(Error::TooFewRadios { found, needed, without });
        }
        found.truncate(members.len());
        // The sender of this request becomes the medium of all radios.
        let registered = socket.ask(&mut socket.family().request(command::REGISTER));
        registered.map_err(|error| match error.raw_os_error() {
            Some(libc::EPERM) => Error::NotPermitted,
            Some(libc::EBUSY) => Error::Busy,
            Some(libc::EOPNOTSUPP) => Error::ManyChannels,
            _ => Error::System("registration", error),
        })?;
        let radios = members
            .into_iter()
            .zip(&found)
            .map(|(member, radio)| Radio { member, name: radio.name.clone() })
            .collect::<Vec<_>>();
        let system = |what| move |error| Error::System(what, error);
        let shared = Arc::new(Shared {
            stop: AtomicBool::new(false),
            bell: Bell::new().map_err(system("bell"))?,
            view: Mutex::new(View::default()),
        });
        let air = Air::new(scenario, seed, found.iter().map(|radio| radio.address).collect());
        let end = Time::ZERO + duration.unwrap_or(Duration::from_secs(100 * 86_400));
        let (own, named) = (Arc::clone(&shared), radios.clone());
        let run = move || {
            // Without real-time priority the medium is later, which the lateness figures show.
            let _ = os::set_realtime();
            let poller = Poller::new(&own.bell, Duration::ZERO).map_err(system("waiting"));
            match poller.and_then(|it| it.add(&socket, 0).map(|()| it).map_err(system("waiting"))) {
                Ok(poller) => {
                    Engine::new(&own, &socket, air, Pace::new(poller)).run(end, &named, &found)
                }
                Err(error) => Some(error),
            }
        };
        let engine = thread::Builder::new().name("medium".to_owned()).spawn(run);
        let engine = Some(engine.map_err(system("thread"))?);
        Ok(Self { radios, shared, engine })
    }

    /// Radios of the kernel, in the order of the cell's members.
    pub fn radios(&self) -> &[Radio] {
        &self.radios
    }

    /// Latest snapshot of the medium, at most 0.1 s old.
    pub fn view(&self) -> View {
        self.shared.view().clone()
    }

    /// True once the medium has ended by itself.
    pub fn is_over(&self) -> bool {
        self.engine.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the medium and returns its last snapshot.
    ///
    /// # Errors
    /// Returns the [`Error`] for which the medium had ended by itself, such as removed radios.
    pub fn end(mut self) -> Result<View, Error> {
        self.stop();
        let engine = self.engine.take().expect("it ends once");
        match engine.join() {
            Ok(None) => Ok(self.view()),
            Ok(Some(error)) => Err(error),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.bell.ring();
    }
}

impl Drop for Hwsim {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Names of the members of the scenario's only cell, the access point first.
fn members(scenario: &Scenario) -> Result<Vec<String>, Error> {
    let [cell] = &scenario.cells[..] else {
        return Err(Error::Scenario("the scenario has several cells or none; allowed is one"));
    };
    if cell.radio.is_some() {
        return Err(Error::Scenario(
            "the cell has a radio, which is not possible here; allowed are error models of links",
        ));
    }
    let stations = scenario.stations.iter().map(|station| station.standard);
    if stations.chain([cell.rules.standard]).any(|standard| standard.format().is_some()) {
        return Err(Error::Scenario(
            "a cell of 802.11n or later is not possible, because the kernel passes frames one by one, without \
             aggregates; allowed are 802.11b, 802.11g and 802.11a",
        ));
    }
    let stations = scenario.stations.iter().map(|station| station.name.clone());
    Ok(std::iter::once(cell.name.clone()).chain(stations).collect())
}

/// Event loop of the medium: passes frames from the kernel to the channels, and receptions and
/// reports back.
struct Engine<'s> {
    shared: &'s Shared,
    socket: &'s Subscription,
    air: Air,
    pace: Pace<Poller<'s>>,
    outbox: Outbox<'s>,
    overruns: u64,
}

/// Messages that are to be sent to the kernel, and the lateness of those sent.
struct Outbox<'s> {
    socket: &'s Subscription,
    octets: Vec<u8>,
    lateness: Histogram,
    /// Lateness of frames by sender and receiver.
    flow_lateness: FlowLateness,
}

impl Outbox<'_> {
    fn put(&mut self, reply: &Reply<'_>) {
        let which = match reply {
            Reply::Received(..) => command::FRAME,
            Reply::Report(..) => command::TX_INFO,
        };
        let mut message = self.socket.family().unacknowledged(which);
        match reply {
            Reply::Received(by, octets, how, _) => {
                protocol::receive(&mut message, *by, octets, *how);
            }
            Reply::Report(of, chain, end) => protocol::report(&mut message, *of, chain, *end),
        }
        self.octets.extend(message.finish(0));
        if self.octets.len() > BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.octets.is_empty() {
            // The kernel's negative acknowledgments arrive as input, and so does the removal of a
            // radio.
            let _ = self.socket.send(&self.octets);
            self.octets.clear();
        }
    }
}

impl<'s> Engine<'s> {
    fn new(shared: &'s Shared, socket: &'s Subscription, air: Air, pace: Pace<Poller<'s>>) -> Self {
        let count = air.accounts().len();
        let opposites = (0..count * count).map(|track| Some(track % count * count + track / count));
        let (lateness, flow_lateness) = (Histogram::default(), FlowLateness::new(opposites));
        let outbox = Outbox { socket, octets: Vec::new(), lateness, flow_lateness };
        Self { shared, socket, air, pace, outbox, overruns: 0 }
    }

    /// Runs the medium until `end` or until it is stopped. Returns the reason if it has to end
    /// early.
    fn run(mut self, end: Time, radios: &[Radio], found: &[RadioName]) -> Option<Error> {
        let (mut buffer, mut next_view) = (vec![0; airfair_netlink::LONGEST], Time::ZERO);
        let mut why = None;
        while why.is_none() && !self.shared.stop.load(Ordering::Relaxed) {
            let next = self.air.next_event().map_or(Time::MAX, |(next, _)| next.at());
            let wake = next.min(next_view).min(end);
            if self.pace.wait_until(wake) != Woken::Input {
                if wake == end {
                    break;
                }
                self.advance(wake);
                if wake >= next_view {
                    next_view = wake + VIEW;
                    self.publish(wake, wake, radios);
                }
            }
            why = self.take_input(&mut buffer, radios, found);
            self.outbox.flush();
        }
        let now = self.pace.now();
        self.publish(now.min(end), Time::MAX, radios);
        why
    }

    fn advance(&mut self, until: Time) {
        let Self { air, outbox, pace, .. } = self;
        let members = air.accounts().len();
        air.advance(until, &mut |due, reply| {
            if let Reply::Received(.., Path { from, to, since }) = reply {
                let late = pace.now().saturating_since(due);
                let track = from * members + to;
                outbox.lateness.add(late);
                outbox.flow_lateness.note(track, due, due - since, late);
            }
            outbox.put(&reply);
        });
    }

    /// Handles messages from the kernel; returns the reason if the medium has to end.
    fn take_input(
        &mut self,
        buffer: &mut [u8],
        radios: &[Radio],
        found: &[RadioName],
    ) -> Option<Error> {
        let ready = self.pace.wall.take();
        if ready.ports.is_empty() {
            return None;
        }
        let now = self.pace.now();
        self.advance(now);
        let mut why = None;
        let Self { socket, air, outbox, .. } = self;
        let is_whole = socket.read(buffer, |input| match input {
            Input::Message(message) if message.command == command::FRAME => {
                if let Some(frame) = Frame::read(message.attributes) {
                    air.send(now, &frame, &mut |_, reply| outbox.put(&reply));
                }
            }
            Input::Message(message) if message.command == command::DELETE_RADIO => {
                let gone = RadioName::read(message.attributes).map(|it| it.number);
                if let Some(place) = found.iter().position(|it| Some(it.number) == gone) {
                    let Radio { member, name } = radios[place].clone();
                    why = Some(Error::RadioGone(name, member));
                }
            }
            Input::Gone | Input::Ack(libc::ENOENT) => why = Some(Error::ModuleGone),
            // The radio is idle, or on another channel.
            Input::Ack(_) | Input::Message(_) => {}
        });
        match is_whole {
            Ok(is_whole) => self.overruns += u64::from(!is_whole),
            Err(error) => why = Some(Error::System("generic netlink", error)),
        }
        why
    }

    /// Publishes a snapshot for viewers at the channel time `now`. Its second with the largest
    /// share of late packets is one that is over at `then`, which is `now` during the emulation. At
    /// its end `then` is later, so that the last second counts even if it is incomplete.
    fn publish(&mut self, now: Time, then: Time, radios: &[Radio]) {
        let name = |track: usize| {
            let [from, to] =
                [track / radios.len(), track % radios.len()].map(|at| &radios[at].member);
            format!("{from} to {to}")
        };
        let [worst_second, worst_flow] = self.outbox.flow_lateness.worst(then, name);
        let late = |per_mille| self.outbox.lateness.quantile(per_mille);
        let punctuality = Punctuality {
            packets: self.outbox.lateness.count(),
            p50: late(500),
            p99: late(10),
            p999: late(1),
            longest_stall: self.pace.longest,
            slips: self.pace.slips,
            slipped: self.pace.slipped,
            slipped_in_laws: self.pace.slipped_in_laws,
            stillest: self.pace.by_second.most,
            worst_second,
            worst_flow,
            elapsed: now - Time::ZERO,
        };
        let (accounts, unknown) = (self.air.accounts().to_vec(), self.air.unknown);
        let overruns = self.overruns;
        *self.shared.view() = View { punctuality, accounts, unknown, overruns };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_sim::scenario::Driver;

    fn members_of(text: &str) -> Result<Vec<String>, String> {
        let text = format!("duration = '1 s'\n{text}");
        let mut none = |_: &str| Err("no file".to_owned());
        let scenario = Scenario::load(text.as_bytes(), &[], &mut none, Driver::Emulation);
        members(&scenario.expect("a scenario")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_access_point_comes_first_and_other_than_one_cell_is_refused() {
        let cell = |name| format!("[bss.{name}]\nstandard = '802.11b'\n");
        let station = |name, bss| format!("[station.{name}]\nbss = '{bss}'\n");
        let one = [cell("home"), station("near", "home"), station("far", "home")].concat();
        assert_eq!(members_of(&one), Ok(["home", "near", "far"].map(str::to_owned).to_vec()));
        let two = [one.clone(), cell("other"), station("else", "other")].concat();
        assert!(members_of(&two).is_err_and(|it| it.starts_with("the scenario has several cells")));
        for standard in ["802.11n", "802.11ac", "802.11ax", "802.11be"] {
            let modern = one.replace("802.11b", standard);
            let refused = members_of(&modern).expect_err("no aggregates");
            assert!(refused.starts_with("a cell of 802.11n or later"), "{refused}");
        }
    }

    #[test]
    fn errors_name_what_is_missing_and_how_to_get_it() {
        let few = Error::TooFewRadios { found: 2, needed: 3, without: "far".to_owned() };
        let message = "2 radios for a cell of 3: none is left for \"far\"; load them with: modprobe mac80211_hwsim radios=3";
        assert_eq!(few.to_string(), message);
        let gone = Error::RadioGone("phy1".to_owned(), "near".to_owned());
        assert_eq!(gone.to_string(), "radio \"phy1\", which was \"near\", was removed");
    }
}
