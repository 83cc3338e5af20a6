//! The kernel's own Wi-Fi over the medium of a scenario: radios of `mac80211_hwsim`, whose frames come by generic netlink.
//!
//! mac80211 chooses rates, keeps its queues and repeats nothing itself: it hands a frame over with its retry chain. The
//! [medium](airfair_wlan::medium) contends, lets frames collide and take their time, and says which attempt was
//! acknowledged, which is what minstrel learns from. Radios become members of the scenario's cell in the order of their
//! numbers: the first one is the access point, the others are its stations as the scenario has them. All else (namespaces,
//! hostapd, addresses) is whoever's radios they are.
//!
//! There are no aggregates. The kernel negotiates block ack sessions and hands each MPDU over for itself, of which the
//! message does not say whether it belongs to one. In its answer there is room for an acknowledgment and none for the status
//! of an aggregate, without which minstrel ignores frames of such a session: it would never find a rate.  [linux-hwsim]
//!
//! The kernel forgets the medium when its socket is closed, however that happens: frames then go from radio to radio at
//! once, as before.

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

use self::air::{Air, Passage, Word};
use self::protocol::{FAMILY, Frame, GROUP, RadioName, command};
use crate::lateness::{Histogram, Punctuality};
use crate::os::generic::{Input, Line};
use crate::os::{self, Bell, Poller};
use crate::pace::Pace;
use crate::verdict::Watch;

pub use self::air::Account;
pub use crate::os::generic::Signals;

/// Time between two views for whoever watches.
const VIEW: Duration = Duration::from_millis(100);
/// Octets of messages that are sent together at most, and one more message.
const BATCH: usize = 1 << 14;
/// More than any message of the kernel.
const LONGEST: usize = 1 << 16;

/// The reason why there is no medium, or none any more.
#[derive(Debug)]
pub enum Error {
    /// The scenario is none for this.
    Scenario(&'static str),
    /// The kernel has no radios of this kind.
    NoModule,
    /// Only root may do this.
    NotPermitted,
    /// Another program is the medium of these radios already.
    Busy,
    /// Radios may be on several channels at once.
    ManyChannels,
    /// There are fewer radios than members.
    TooFewRadios {
        /// Radios that there are.
        found: usize,
        /// Members of the cell.
        needed: usize,
        /// The first member without one.
        without: String,
    },
    /// The radio of a member has gone: names of both.
    RadioGone(String, String),
    /// The module has gone, with all radios.
    ModuleGone,
    /// The operating system refused something: what, and why.
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

/// A radio that is a member of the cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Radio {
    /// Name of the member: the access point's is its cell's.
    pub member: String,
    /// Name of the radio.
    pub name: String,
}

/// The medium while it goes on.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// How well it keeps to the wall clock, and channel time.
    pub punctuality: Punctuality,
    /// One per radio.
    pub accounts: Vec<Account>,
    /// Frames of radios that are no members: nobody has received them.
    pub unknown: u64,
    /// Times that frames were lost since nobody had read them.
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

/// A medium that goes on.
#[derive(Debug)]
pub struct Hwsim {
    radios: Vec<Radio>,
    shared: Arc<Shared>,
    engine: Option<JoinHandle<Option<Error>>>,
}

impl Hwsim {
    /// Becomes the medium of the kernel's radios, for so long or until it is ended.
    ///
    /// # Errors
    /// [`Error`], with nothing left behind.
    pub fn start(scenario: Scenario, seed: u64, duration: Option<Duration>) -> Result<Self, Error> {
        let members = members(&scenario)?;
        let line = Line::open(FAMILY, GROUP).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::NoModule,
            _ => Error::System("generic netlink", error),
        })?;
        let mut found = Vec::new();
        let tell = |told: os::generic::Told<'_>| {
            let radio = RadioName::read(told.attributes);
            found.extend(radio.filter(|_| told.command == command::GET_RADIO));
        };
        line.list(command::GET_RADIO, tell).map_err(|error| Error::System("radios", error))?;
        found.sort_unstable();
        if found.len() < members.len() {
            let (found, needed) = (found.len(), members.len());
            let without = members[found].clone();
            return Err(Error::TooFewRadios { found, needed, without });
        }
        found.truncate(members.len());
        let register = protocol::register(|command, flags| line.message(command, flags));
        line.ask(register, |_| {}).map_err(|error| match error.raw_os_error() {
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
            // Without it the medium is later, and that is told.
            let _ = os::prefer();
            let poller = Poller::new(&own.bell, Duration::ZERO).map_err(system("waiting"));
            match poller.and_then(|it| it.add(&line, 0).map(|()| it).map_err(system("waiting"))) {
                Ok(poller) => {
                    Engine::new(&own, &line, air, Pace::new(poller)).run(end, &named, &found)
                }
                Err(error) => Some(error),
            }
        };
        let engine = thread::Builder::new().name("medium".to_owned()).spawn(run);
        let engine = Some(engine.map_err(system("thread"))?);
        Ok(Self { radios, shared, engine })
    }

    /// Its radios, members of the cell in their order.
    pub fn radios(&self) -> &[Radio] {
        &self.radios
    }

    /// Its state, at most a tenth of a second old.
    pub fn view(&self) -> View {
        self.shared.view().clone()
    }

    /// True if it is over by itself.
    pub fn is_over(&self) -> bool {
        self.engine.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends it: its last state, or the reason why it had ended already.
    ///
    /// # Errors
    /// [`Error`]: the radios have gone.
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

/// Names of the members of a scenario's cell, the access point's first.
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
            "a cell of 802.11n, ac or ax is not possible, because the kernel passes frames one by one, without \
             aggregates; allowed are 802.11b, 802.11g and 802.11a",
        ));
    }
    let stations = scenario.stations.iter().map(|station| station.name.clone());
    Ok(std::iter::once(cell.name.clone()).chain(stations).collect())
}

/// The loop: frames from the kernel into the air, and what comes of them back.
struct Engine<'s> {
    shared: &'s Shared,
    line: &'s Line,
    air: Air,
    pace: Pace<Poller<'s>>,
    outbox: Outbox<'s>,
    overruns: u64,
}

/// Messages that are to be sent, and how late they are.
struct Outbox<'s> {
    line: &'s Line,
    octets: Vec<u8>,
    lateness: Histogram,
    /// Lateness of frames from each radio to each, by the places of both.
    watch: Watch,
}

impl Outbox<'_> {
    fn put(&mut self, word: &Word<'_>) {
        let which = match word {
            Word::Received(..) => command::FRAME,
            Word::Report(..) => command::TX_INFO,
        };
        let mut message = self.line.message(which, 0);
        match word {
            Word::Received(by, octets, how, _) => {
                protocol::receive(&mut message, *by, octets, *how);
            }
            Word::Report(of, chain, end) => protocol::report(&mut message, *of, chain, *end),
        }
        self.octets.extend(message.finish());
        if self.octets.len() > BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.octets.is_empty() {
            // A radio that takes nothing answers so, and one that has gone is told of.
            let _ = self.line.send(&self.octets);
            self.octets.clear();
        }
    }
}

impl<'s> Engine<'s> {
    fn new(shared: &'s Shared, line: &'s Line, air: Air, pace: Pace<Poller<'s>>) -> Self {
        let count = air.accounts().len();
        let opposites = (0..count * count).map(|track| Some(track % count * count + track / count));
        let (lateness, watch) = (Histogram::default(), Watch::new(opposites));
        let outbox = Outbox { line, octets: Vec::new(), lateness, watch };
        Self { shared, line, air, pace, outbox, overruns: 0 }
    }

    /// Runs until then, or until it is stopped; an error if the radios have gone.
    fn run(mut self, end: Time, radios: &[Radio], found: &[RadioName]) -> Option<Error> {
        let (mut buffer, mut next_view) = (vec![0; LONGEST], Time::ZERO);
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
                    self.show(wake, wake, radios);
                }
            }
            why = self.take_input(&mut buffer, radios, found);
            self.outbox.flush();
        }
        let now = self.pace.now();
        self.show(now.min(end), Time::MAX, radios);
        why
    }

    fn advance(&mut self, until: Time) {
        let Self { air, outbox, pace, .. } = self;
        let members = air.accounts().len();
        air.advance(until, &mut |due, word| {
            if let Word::Received(.., Passage { from, to, since }) = word {
                let late = pace.now().saturating_since(due);
                let track = from * members + to;
                outbox.lateness.add(late);
                outbox.watch.note(track, due, due - since, late);
            }
            outbox.put(&word);
        });
    }

    /// Takes what the kernel has said; the reason why it says no more.
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
        let Self { line, air, outbox, .. } = self;
        let is_whole = line.read(buffer, |input| match input {
            Input::Told(told) if told.command == command::FRAME => {
                if let Some(frame) = Frame::read(told.attributes) {
                    air.send(now, &frame, &mut |_, word| outbox.put(&word));
                }
            }
            Input::Told(told) if told.command == command::DELETE_RADIO => {
                let gone = RadioName::read(told.attributes).map(|it| it.number);
                if let Some(place) = found.iter().position(|it| Some(it.number) == gone) {
                    let Radio { member, name } = radios[place].clone();
                    why = Some(Error::RadioGone(name, member));
                }
            }
            Input::Gone | Input::Answer(libc::ENOENT) => why = Some(Error::ModuleGone),
            // A radio is asleep, or on another channel.
            Input::Answer(_) | Input::Told(_) => {}
        });
        match is_whole {
            Ok(is_whole) => self.overruns += u64::from(!is_whole),
            Err(error) => why = Some(Error::System("generic netlink", error)),
        }
        why
    }

    /// Shows the state now, with a verdict on the seconds that are over then.
    fn show(&mut self, now: Time, then: Time, radios: &[Radio]) {
        let name = |track: usize| {
            let [from, to] =
                [track / radios.len(), track % radios.len()].map(|at| &radios[at].member);
            format!("{from} to {to}")
        };
        let [worst_second, worst_flow] = self.outbox.watch.worst(then, name);
        let late = |per_mille| self.outbox.lateness.quantile(per_mille);
        let punctuality = Punctuality {
            packets: self.outbox.lateness.count(),
            p50: late(500),
            p99: late(10),
            p999: late(1),
            longest_stall: self.pace.longest,
            slips: self.pace.slips,
            slipped: self.pace.slipped,
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
        for standard in ["802.11n", "802.11ac", "802.11ax"] {
            let modern = one.replace("802.11b", standard);
            let refused = members_of(&modern).expect_err("no aggregates");
            assert!(refused.starts_with("a cell of 802.11n, ac or ax"), "{refused}");
        }
    }

    #[test]
    fn whatever_is_missing_is_said_with_what_helps() {
        let few = Error::TooFewRadios { found: 2, needed: 3, without: "far".to_owned() };
        let told = "2 radios for a cell of 3: none is left for \"far\"; load them with: modprobe mac80211_hwsim radios=3";
        assert_eq!(few.to_string(), told);
        let gone = Error::RadioGone("phy1".to_owned(), "near".to_owned());
        assert_eq!(gone.to_string(), "radio \"phy1\", which was \"near\", was removed");
    }
}
