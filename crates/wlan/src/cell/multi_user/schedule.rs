//! Schedules of multi-user frames: the laws of both directions, and what the access point knows of the stations.

use airfair_laws::Direction;
use airfair_laws::multi_user::{
    self as law, Action, Backlog, Candidate, Observation, Order, Policy, Served, Split,
};
use airfair_units::{Duration, Time};

use super::channels::Sharing;
use super::edca::MuEdcaTimers;
use super::lent::Lent;
use super::uora::RandomAccess;
use crate::config::CellConfig;
use crate::edca::AccessCategory;
use crate::multi_user::{MultiUser, Ofdma, Scheduler};
use crate::node::NodeId;
use crate::phy::allocation::equal_units;
use crate::phy::mode::{Format, Parameters};
use crate::phy::multi_user::MultiUser as Ppdu;
use crate::phy::{GuardInterval, Mode, PpduKind, TxVector, Unit, Width};
use crate::queue::Waits;
use crate::roster::{ContenderId, Roster};

/// Time for which a report of a station's backlog is valid.  [ns3-multi-user §`BsrLifetime`]
const REPORT_LIFETIME: Duration = Duration::from_millis(20);
/// Number of sets of users whose preambles are kept.
const KNOWN: usize = 32;

/// Law of one direction with its state.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pub(super) params: law::Params,
    pub(super) state: law::State,
}

impl Schedule {
    fn new(ofdma: &Ofdma, scheduler: Scheduler, members: u16) -> Self {
        let policy = match scheduler {
            Scheduler::RoundRobin => Policy::RoundRobin,
            Scheduler::ProportionalFair => Policy::ProportionalFair,
            Scheduler::LargestBacklog => Policy::LargestBacklog,
            Scheduler::Deadline => Policy::Deadline,
        };
        let params = law::Params { policy, max_users: ofdma.users, ..law::Params::default() };
        Self { params, state: law::State::new(members) }
    }
}

/// Multi-user frames of an access point: its laws, and what it knows of the stations.
#[derive(Clone, Debug)]
pub(crate) struct MultiUserMac {
    pub(super) ofdma: Ofdma,
    /// Format, width and guard interval of PPDUs for several users.
    pub(super) format: Format,
    pub(super) width: Width,
    pub(super) guard: GuardInterval,
    pub(super) down: Option<Schedule>,
    pub(super) up: Option<Schedule>,
    /// MU-MIMO; `None` without it.
    pub(super) sharing: Option<Sharing>,
    /// Divisions of the width into equal units, from the most to the whole, and the unit of each.
    pub(super) splits: Vec<Split>,
    pub(super) units: Vec<Unit>,
    /// Contender of the access point that sends trigger frames.
    pub(super) contender: ContenderId,
    /// True if the access point is to trigger the stations at its next access.
    pub(super) is_due: bool,
    /// Time at which a trigger becomes due unless the access point has access before.
    pub(super) due_at: Option<Time>,
    /// True if the stations have been polled for their backlogs since the last trigger for data.
    pub(super) is_polled: bool,
    /// Backlog of each member as it has reported it last, with the time of the report.
    pub(super) reports: Vec<(Backlog, Option<Time>)>,
    /// Channel access of stations after they have been triggered; `None` if it stays the same.
    pub(super) edca: Option<MuEdcaTimers>,
    /// Random access of stations to units; `None` if there is none.
    pub(super) random: Option<RandomAccess>,
    /// PPDUs of the sets of users that came last, because a preamble takes long to compute.
    pub(super) known: Vec<Ppdu>,
    /// Buffers that are reused. The first has the divisions that the law may use, without the units for random access.
    pub(super) offered: Vec<Split>,
    pub(super) order: Order,
    pub(super) candidates: Vec<Candidate>,
    /// Indices of the candidates that have a unit.
    pub(super) granted: Vec<usize>,
    pub(super) waits: Vec<Waits>,
    pub(super) served: Vec<Served>,
    /// Scheduler of the cell's owner, during an event.
    pub(super) lent: Lent,
}

impl MultiUserMac {
    /// Multi-user frames of a cell with this configuration; `None` if it has none.
    pub(crate) fn new(config: &CellConfig, roster: &Roster) -> Option<Box<Self>> {
        let MultiUser { ofdma, mu_mimo, .. } = config.rules.multi_user;
        let without = Ofdma { down: None, ..Ofdma::default() };
        let ofdma = ofdma.or(mu_mimo.map(|_| without))?;
        let sharing = mu_mimo.map(|rule| Sharing::new(rule, config));
        let members = roster.members();
        let schedule = |of: Option<Scheduler>| of.map(|it| Schedule::new(&ofdma, it, members));
        let (width, guard) = (config.rules.channel.width, config.rules.channel.guard);
        let format = config.rules.standard.format().filter(|it| it.has_units())?;
        let (splits, units) = splits(format, width);
        let trigger_every = ofdma.trigger_every.filter(|_| ofdma.up.is_some());
        Some(Box::new(Self {
            ofdma,
            format,
            width,
            guard,
            down: schedule(ofdma.down.or(sharing.as_ref().map(|_| Scheduler::default()))),
            up: schedule(ofdma.up),
            sharing,
            splits,
            units,
            contender: roster.find(NodeId::AP, AccessCategory::default),
            is_due: false,
            due_at: trigger_every.map(|every| Time::ZERO + every),
            is_polled: false,
            edca: MuEdcaTimers::new(config, roster),
            random: None,
            known: Vec::new(),
            offered: Vec::new(),
            reports: vec![(Backlog::Unknown, None); members.into()],
            order: Order::default(),
            candidates: Vec::new(),
            granted: Vec::new(),
            waits: vec![Waits::default(); members.into()],
            served: Vec::new(),
            lent: Lent::default(),
        }))
    }

    /// Lets the owner's scheduler or the law of one direction choose among the candidates. Returns the unit that each
    /// granted station gets. `fits` is true if a unit is wide enough for a candidate. If one is too narrow for any
    /// station with a unit, the law chooses again among wider ones. Units for random access remain.
    pub(super) fn choose(
        &mut self,
        now: Time,
        direction: Direction,
        fits: impl Fn(&Self, Unit, &Candidate) -> bool,
    ) -> Option<Unit> {
        let reserved = if direction == Direction::Up { self.random_units() } else { 0 };
        self.offer(0, reserved);
        let is_chosen = self.ask_owner(now, direction);
        if is_chosen && direction == Direction::Down && self.lent.users.len() < 2 {
            return self.serve_alone(fits);
        }
        for widest in 0..self.splits.len() {
            self.granted.clear();
            self.offer(widest, reserved);
            let schedule = match direction {
                Direction::Down => self.down.as_ref()?,
                Direction::Up => self.up.as_ref()?,
            };
            let seen = Observation { candidates: &self.candidates, splits: &self.offered };
            let action = if is_chosen {
                let stations = self.lent.users.iter().map(|it| it.0);
                law::serve(&schedule.params, &seen, stations, &mut self.order)
            } else {
                law::step(&schedule.params, &schedule.state, &seen, &mut self.order)
            };
            let unit = match action {
                Action::MultiUser(split) => {
                    let places = self.order.assignments().map(|it| usize::from(it.candidate));
                    self.granted.extend(places);
                    self.units[self.splits.iter().position(|it| it.tones == split.tones)?]
                }
                Action::SingleUser(station) if direction == Direction::Up => {
                    let place = self.candidates.iter().position(|it| it.station == station)?;
                    let candidate = &self.candidates[place];
                    let unit = match reserved {
                        0 => Unit::Full,
                        _ => self.widest(reserved + 1, |unit| fits(self, unit, candidate))?,
                    };
                    self.granted.push(place);
                    return Some(unit);
                }
                Action::SingleUser(_) | Action::Nothing => return None,
            };
            if self.granted.iter().all(|place| fits(self, unit, &self.candidates[*place])) {
                return Some(unit);
            }
        }
        None
    }

    /// Offers the law the divisions from place `widest` on, without the units that are reserved for random access.
    fn offer(&mut self, widest: usize, reserved: u16) {
        let left = |it: &Split| Split { units: it.units.saturating_sub(reserved), ..*it };
        self.offered.clear();
        self.offered.extend(self.splits[widest..].iter().map(left));
    }

    /// Widest equal units of which the width has at least `count`, and that are not too wide or narrow for their users.
    pub(super) fn widest(&self, count: u16, suits: impl Fn(Unit) -> bool) -> Option<Unit> {
        let splits = self.splits.iter().zip(&self.units).rev();
        splits
            .filter(|(split, _)| split.units >= count)
            .map(|(_, unit)| *unit)
            .find(|it| suits(*it))
    }

    /// True if the access point triggers stations.
    pub(crate) fn has_triggers(&self) -> bool {
        self.up.is_some()
    }

    /// True if the next trigger asks for buffer reports.
    pub(super) fn polls(&self) -> bool {
        self.ofdma.poll && !self.is_polled
    }

    /// Number of units of the next trigger that stations access at random.
    pub(super) fn random_units(&self) -> u16 {
        if self.random.is_none() || self.polls() { 0 } else { self.ofdma.random }
    }

    /// Backlog of a station as far as the access point knows it now.
    pub(super) fn report_of(&self, now: Time, station: NodeId) -> Backlog {
        match self.reports[station.index()] {
            (backlog, Some(at)) if now.saturating_since(at) <= REPORT_LIFETIME => backlog,
            _ => Backlog::Unknown,
        }
    }

    /// Notes that the access point's exchange ends, whose last access was at `access`. A trigger becomes due a multiple
    /// of the time between triggers after that.  [ns3-multi-user §`AccessReqTimeout`]
    pub(super) fn note_access(&mut self, now: Time, access: Time) {
        if let (Some(every), Some(_)) = (self.ofdma.trigger_every, &self.up) {
            let passed = now.saturating_since(access).whole_steps(every);
            self.due_at = Some(access + every * (passed + 1));
        }
    }

    /// True if contender `id` has stations to trigger.
    pub(crate) fn is_due(&self, id: ContenderId) -> bool {
        self.is_due && id == self.contender
    }

    /// Time at which a trigger becomes due, unless one is.
    pub(super) fn due_at(&self) -> Option<Time> {
        self.due_at.filter(|_| !self.is_due)
    }

    /// Time at which a trigger becomes due or a MU EDCA timer ends.
    pub(crate) fn next_timeout(&self) -> Option<Time> {
        let edca = self.edca.as_ref().and_then(MuEdcaTimers::next_timeout);
        self.due_at().into_iter().chain(edca).min()
    }

    /// Mode of a station's part of a PPDU in this unit, at the MCS and streams of `tx`; `None` if the station does not
    /// have the format of the cell, or is too narrow for the unit.
    pub(super) fn on_unit(&self, tx: TxVector, unit: Unit, kind: PpduKind) -> Option<Mode> {
        let TxVector::Mode(mode) = tx else { return None };
        let Parameters { format, mcs, streams, width: own, .. } = mode.parameters();
        if format != self.format || unit.tones(self.width) > Unit::filling(own).tones(own) {
            return None;
        }
        let guard = match kind {
            PpduKind::Triggered => self.ofdma.up_guard_interval,
            PpduKind::Single | PpduKind::Multi => self.guard,
        };
        let of = Parameters::of(format, mcs, streams, self.width, guard);
        Mode::new(Parameters { unit, kind, ..of }).ok()
    }

    /// Mode of a station's part of a PPDU in which users share all tones, at the MCS of `tx` and with this number of
    /// streams; `None` if the station does not have the format of the cell, or not its width.
    pub(super) fn on_streams(&self, tx: TxVector, streams: u8) -> Option<Mode> {
        let of = tx.mode()?.parameters();
        let tx = TxVector::Mode(Mode::new(Parameters { streams, ..of }).ok()?);
        self.on_unit(tx, Unit::Full, PpduKind::Multi)
    }

    /// Widest unit of which the width has at least this number.
    pub(super) fn unit_for(&self, users: usize) -> Unit {
        let has_all = |it: &Split| usize::from(it.units) >= users;
        let place = self.splits.iter().rposition(has_all).unwrap_or(0);
        self.units[place]
    }

    /// True if a station with this rate may have a part in a PPDU.
    pub(super) fn is_able(&self, tx: TxVector) -> bool {
        self.on_unit(tx, self.units[0], PpduKind::Multi).is_some()
    }

    /// PPDU of users with these modes; `None` if the modes do not go together.
    pub(super) fn ppdu(&mut self, modes: impl Iterator<Item = Mode> + Clone) -> Option<&Ppdu> {
        let is_of_modes = |it: &Ppdu| it.modes().iter().copied().eq(modes.clone());
        let place = if let Some(place) = self.known.iter().position(is_of_modes) {
            place
        } else {
            let new = Ppdu::new(&modes.collect::<Vec<_>>()).ok()?;
            if self.known.len() == KNOWN {
                self.known.remove(0);
            }
            self.known.push(new);
            self.known.len() - 1
        };
        self.known.get(place)
    }
}

/// Divisions of a width into equal units, from the most to the whole, and the unit of each. The central units of 26
/// tones stay empty.
fn splits(format: Format, width: Width) -> (Vec<Split>, Vec<Unit>) {
    let mut all = Vec::new();
    let mut most = usize::MAX;
    while most > 0 {
        let (unit, count) = equal_units(format, width, most);
        let of = |count: u64| u16::try_from(count).expect("at most a few thousand");
        all.push((Split { units: of(count as u64), tones: of(unit.tones(width)) }, unit));
        most = count - 1;
    }
    all.into_iter().unzip()
}
