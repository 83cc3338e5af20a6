//! Frames of several users in the model: what the access point sends to several stations together, what they send
//! together because it triggers them, and the MU EDCA timers.  [80211ax-2021 §26.2.7, §26.4.4, §26.5]
//!
//! Only the choice of stations is the law's own, as rate control is in `laws`.

use airfair_laws::multi_user::{self as law, Backlog, Candidate};
use airfair_laws::uora::{self, Event};
use airfair_wlan::multi_user::{MultiUserAck, Ofdma, Scheduler};
use airfair_wlan::phy::allocation::equal_units;
use airfair_wlan::phy::mode::Parameters;
use airfair_wlan::phy::multi_user::MultiUser as Ppdu;
use airfair_wlan::phy::ppdu::PacketPadding;
use airfair_wlan::phy::symbols::Symbols;
use airfair_wlan::phy::{Band, GuardInterval, Mode, PpduKind, Unit, Width};

use super::medium::destroyed;
use super::sharing::Sharing;
use super::*;

/// Turn of an exchange of several users, with the place of the user that it concerns alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    CtsToSelf,
    /// MU-RTS, which `Clears` answer.
    Call,
    Clears,
    Data,
    Request(usize),
    Answer(usize),
    Trigger,
    Answers,
    Uplink,
    Reports,
    BlockAck,
    Announcement,
    /// NDP.
    Sounding,
    Feedback,
}

impl Turn {
    fn is_down(self) -> bool {
        use Turn::{Answer, Answers, Clears, Feedback, Reports, Uplink};
        !matches!(self, Clears | Answer(_) | Answers | Uplink | Reports | Feedback)
    }

    fn kind(self) -> FrameKind {
        match self {
            Self::Data => FrameKind::MultiUser,
            Self::Request(_) => FrameKind::BlockAckRequest,
            Self::Answer(_) => FrameKind::BlockAck,
            Self::CtsToSelf => FrameKind::CtsToSelf,
            Self::Trigger | Self::Call => FrameKind::Trigger,
            Self::Announcement => FrameKind::NdpAnnouncement,
            Self::Sounding => FrameKind::Ndp,
            Self::Answers | Self::Uplink | Self::Reports | Self::Clears | Self::Feedback => {
                FrameKind::TriggerBased
            }
            Self::BlockAck => FrameKind::MultiBlockAck,
        }
    }
}

/// Part of a frame for one user, or from one.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent")]
pub(super) struct Part {
    /// Place of the user in the exchange.
    user: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) mpdus: Vec<u64>,
    pub(super) errored: Vec<u64>,
    /// Parts of an aggregate that other frames destroy, from the first microsecond to the one after the last.
    pub(super) hits: Vec<(u64, u64)>,
    /// True if other frames have destroyed the part as a whole, beside neighbours.
    pub(super) collided: bool,
    /// True if the receiver senses and decodes the part's sender.
    pub(super) is_readable: bool,
    /// Resource unit that the sender has chosen at random.
    random: Option<u16>,
    /// True if another part in the same unit reaches the receiver.
    pub(super) collides: bool,
    /// True if noise leaves nothing of the part.
    is_lost: bool,
    /// Backlog that the sender reports.
    report: Backlog,
}

/// User of an exchange.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent")]
pub(super) struct User {
    station: usize,
    /// Index of the station, a member with a category, whose data it sends.
    sender: usize,
    pub(super) data: TxVector,
    /// Resource unit that the station has chosen at random; `None` if the trigger names the station.
    random: Option<u16>,
    pub(super) answer: (TxVector, u64),
    mpdus: Vec<u64>,
    octets: u64,
    /// True if the user answers the last frame of the access point.
    hears: bool,
    /// True if the access point has decoded an answer.
    is_answered: bool,
    /// True if the user has sent data whose fate it does not know.
    waits: bool,
    is_whole: bool,
    /// Sequence numbers of the downlink MPDUs that the user has acknowledged.
    acknowledged: Option<BTreeSet<u64>>,
}

/// Exchange of several users.
#[derive(Clone, Debug)]
pub(super) struct Group {
    by: usize,
    pub(super) turns: Vec<(Turn, TxVector, u64)>,
    at: usize,
    users: Vec<User>,
    /// Number of units that stations access at random, and their vector.
    random: Option<(u16, TxVector)>,
    /// True if an answer was missing, so that others may have begun to transmit.
    has_timed_out: bool,
}

impl Group {
    pub(super) fn new(by: usize, turns: Vec<(Turn, TxVector, u64)>, users: Vec<User>) -> Self {
        Self { by, turns, at: 0, users, random: None, has_timed_out: false }
    }

    fn turn(&self) -> Turn {
        self.turns[self.at].0
    }

    /// Turn for which the exchange takes place, and its duration.
    fn content(&self) -> (Turn, u64) {
        use Turn::{Data, Feedback, Reports, Uplink};
        let is_it = |turn: Turn| matches!(turn, Data | Uplink | Reports | Feedback);
        let found = self.turns.iter().find(|it| is_it(it.0));
        found.map_or((Turn::Trigger, 0), |it| (it.0, it.2))
    }

    /// True if data of the access point were on the air.
    fn has_sent(&self) -> bool {
        self.turns[..=self.at].iter().any(|it| it.0 == Turn::Data)
    }

    /// Time from the end of a turn to the end of the exchange.
    pub(super) fn rest(&self, at: usize, sifs: u64) -> u64 {
        self.turns[at + 1..].iter().map(|(.., duration)| sifs + duration).sum()
    }
}

/// Running MU EDCA timer: station, end, usual AIFSN and contention windows.
type Timer = (usize, u64, u8, (u16, Option<u16>));

/// Law of one direction.
pub(super) struct Schedule(pub(super) law::Params, pub(super) law::State);

/// Frames of several users of the access point.
pub(super) struct MultiUser {
    pub(super) ofdma: Ofdma,
    pub(super) sharing: Option<Sharing>,
    pub(super) width: Width,
    pub(super) guard: GuardInterval,
    pub(super) down: Option<Schedule>,
    up: Option<Schedule>,
    /// Station, a member with a category, that sends triggers.
    by: usize,
    is_due: bool,
    due_at: u64,
    is_polled: bool,
    reports: Vec<(Backlog, u64)>,
    group: Option<Group>,
    timers: Vec<Timer>,
    /// Random access of each station, with its random numbers.
    access: Vec<(uora::State, Stream)>,
}

/// Octets of a `QoS` Null with its delimiter.
const NULL: u64 = 34;
/// Octets of the MU-BAR in an aggregate, with its delimiter.
const TRIGGER: u64 = 28 + 9 + 4;
/// Octets of a part with a packet of 1500 octets.
const ORDINARY: u64 = 1_544;
/// Longest PPDU [µs].
pub(super) const LONGEST: u64 = 5_484;

/// Numbers of equal units of a width, with their tones.
fn splits(width: Width) -> Vec<(u16, u16, Unit)> {
    let (mut all, mut most) = (Vec::new(), usize::MAX);
    while most > 0 {
        let (unit, count) = equal_units(Format::He, width, most);
        let of = |count: u64| u16::try_from(count).expect("few units");
        all.push((of(count as u64), of(unit.tones(width)), unit));
        most = count - 1;
    }
    all
}

/// PPDU of several users, with its band.
pub(super) struct Together(Ppdu, Band);

impl Together {
    fn of(vectors: impl Iterator<Item = TxVector>, band: Band) -> Self {
        let mode = |tx| match tx {
            TxVector::Mode(mode) => mode,
            _ => unreachable!("users have modes"),
        };
        let modes: Vec<Mode> = vectors.map(mode).collect();
        Self(Ppdu::new(&modes).expect("equal units"), band)
    }

    /// Duration [µs] with a part of this size for each user.
    pub(super) fn lasts(&self, sizes: &[u64]) -> u64 {
        let sizes: Vec<Bytes> = sizes.iter().copied().map(Bytes::new).collect();
        us(self.0.duration(&sizes, self.1, PacketPadding::default()))
    }

    /// Duration [µs] with parts of the same size.
    fn lasts_with(&self, octets: u64) -> u64 {
        self.lasts(&vec![octets; self.0.modes().len()])
    }

    /// Symbols that fit a time [µs].
    fn room(&self, longest: u64) -> Option<Symbols> {
        self.0.room(Duration::from_micros(longest), self.1, PacketPadding::default())
    }

    /// Largest part of a user in a time [µs].
    pub(super) fn largest(&self, user: usize, longest: u64) -> u64 {
        self.room(longest).map_or(0, |room| self.0.largest_psdu(user, room).get())
    }

    /// Duration [µs] if all symbols that fit a time are filled.
    fn full(&self, longest: u64) -> Option<u64> {
        let last = |room| us(self.0.lasting(room, self.1, PacketPadding::default()));
        self.room(longest).map(last)
    }
}

/// Stations of a PPDU with the vectors of their parts, and the kind of unit in which they answer together.
pub(super) type Receivers = (Vec<(usize, TxVector)>, Unit);

impl MultiUser {
    pub(super) fn new((index, config): (usize, &CellConfig), by: usize) -> Option<Self> {
        let rules = &config.rules.multi_user;
        let without = Ofdma { down: None, ..Ofdma::default() };
        let ofdma = rules.ofdma.or(rules.mu_mimo.map(|_| without))?;
        let members = config.stations.len() + 1;
        let streams = config.rules.channel.streams;
        let sharing = rules.mu_mimo.map(|rule| Sharing::new(rule, streams, members));
        let schedule = |scheduler: Option<Scheduler>| {
            let policy = match scheduler? {
                Scheduler::RoundRobin => law::Policy::RoundRobin,
                Scheduler::ProportionalFair => law::Policy::ProportionalFair,
                Scheduler::LargestBacklog => law::Policy::LargestBacklog,
                Scheduler::Deadline => law::Policy::Deadline,
            };
            let params = law::Params { policy, max_users: ofdma.users, ..law::Params::default() };
            let state = law::State::new(u16::try_from(members).expect("few stations"));
            Some(Schedule(params, state))
        };
        let every = ofdma.trigger_every.filter(|_| ofdma.up.is_some());
        Some(Self {
            ofdma,
            width: config.rules.channel.width,
            guard: config.rules.channel.guard,
            down: schedule(ofdma.down.or(sharing.as_ref().map(|_| Scheduler::RoundRobin))),
            sharing,
            up: schedule(ofdma.up),
            by,
            is_due: false,
            due_at: every.map_or(u64::MAX, us),
            is_polled: false,
            reports: vec![(Backlog::Unknown, 0); members],
            group: None,
            timers: Vec::new(),
            access: (0..config.stations.len())
                .map(|station| Self::new_access(access_stream(index, station)))
                .collect(),
        })
    }

    fn new_access(mut stream: Stream) -> (uora::State, Stream) {
        (uora::State::new(&uora::Params::default(), stream.next_u32()), stream)
    }

    /// Tells the law of random access of a station what happens. Returns the unit in which the station sends.
    fn step(&mut self, station: usize, event: impl FnOnce(u32) -> Event) -> Option<u16> {
        let (state, stream) = &mut self.access[station - 1];
        let unit;
        (*state, unit) = uora::step(&uora::Params::default(), *state, event(stream.next_u32()));
        unit
    }

    /// Octets of the trigger in each part of the data.
    fn trigger_in_data(&self) -> u64 {
        if self.ofdma.ack == MultiUserAck::AggregatedMuBar { TRIGGER } else { 0 }
    }

    /// Number of units for random access in the next trigger.
    fn random_units(&self) -> u16 {
        if self.polls() { 0 } else { self.ofdma.random }
    }

    /// True if the next trigger asks for reports.
    fn polls(&self) -> bool {
        self.ofdma.poll && !self.is_polled
    }

    /// Widest unit of which there are so many, if it suits.
    pub(super) fn widest(&self, count: u16, suits: impl Fn(Unit) -> bool) -> Option<Unit> {
        let all = splits(self.width).into_iter().rev().filter(|it| it.0 >= count);
        all.map(|it| it.2).find(|unit| suits(*unit))
    }

    /// Vector of a part in this unit, at the MCS and streams of `tx`, for a station that is wide enough.
    pub(super) fn on_unit(&self, tx: TxVector, unit: Unit, kind: PpduKind) -> Option<TxVector> {
        let TxVector::Mode(mode) = tx else { return None };
        let Parameters { format, mcs, streams, width: own, .. } = mode.parameters();
        let widest = Unit::filling(own).tones(own);
        if format != Format::He || unit.tones(self.width) > widest {
            return None;
        }
        let guard =
            if kind == PpduKind::Triggered { self.ofdma.up_guard_interval } else { self.guard };
        let of = Parameters::of(format, mcs, streams, self.width, guard);
        Mode::new(Parameters { unit, kind, ..of }).ok().map(TxVector::Mode)
    }

    /// True if a station with this vector can have the narrowest unit.
    fn is_able(&self, tx: TxVector) -> bool {
        self.on_unit(tx, splits(self.width)[0].2, PpduKind::Multi).is_some()
    }

    /// Vector of a `BlockAck` in this unit: MCS 5 at most, one stream.
    pub(super) fn answer_on_unit(&self, tx: TxVector, unit: Unit) -> Option<TxVector> {
        let TxVector::Mode(mode) = tx else { return None };
        let own = mode.parameters();
        let slow = Mode::new(Parameters { mcs: own.mcs.min(5), streams: 1, ..own }).ok()?;
        self.on_unit(TxVector::Mode(slow), unit, PpduKind::Triggered)
    }

    /// Lets the law choose, among wider units where one is too narrow for a station. Returns the chosen members and
    /// their unit.
    fn choose(
        &self,
        (schedule, reserved): (Option<&Schedule>, u16),
        candidates: &[Candidate],
        fits: impl Fn(usize, Unit) -> bool,
    ) -> Option<(Vec<usize>, Unit)> {
        let Schedule(params, state) = schedule?;
        let all = splits(self.width);
        for widest in 0..all.len() {
            let splits: Vec<law::Split> = all[widest..]
                .iter()
                .map(|(units, tones, _)| law::Split {
                    units: units.saturating_sub(reserved),
                    tones: *tones,
                })
                .collect();
            let mut order = law::Order::default();
            let seen = law::Observation { candidates, splits: &splits };
            let split = match law::step(params, state, &seen, &mut order) {
                law::Action::Nothing => return None,
                law::Action::SingleUser(station) if reserved == 0 => {
                    return Some((vec![station.into()], Unit::Full));
                }
                law::Action::SingleUser(station) => {
                    let station = station.into();
                    let unit = self.widest(reserved + 1, |unit| fits(station, unit))?;
                    return Some((vec![station], unit));
                }
                law::Action::MultiUser(split) => split,
            };
            let unit = all.iter().find(|it| it.1 == split.tones).expect("one of them").2;
            let chosen: Vec<usize> = order.assignments().map(|it| it.station.into()).collect();
            if chosen.iter().all(|it| fits(*it, unit)) {
                return Some((chosen, unit));
            }
        }
        None
    }

    /// Notes that an exchange of the access point ends, whose last access was at `access`.
    pub(super) fn note_access(&mut self, now: u64, access: u64) {
        if let (Some(every), Some(_)) = (self.ofdma.trigger_every, &self.up) {
            let steps = (1..).map(|step| access + step * us(every));
            self.due_at = steps.into_iter().find(|at| *at > now).expect("a multiple");
        }
    }

    /// Notes that an exchange for one station has ended, whose data lasted `data` [µs].
    pub(super) fn note_single(&mut self, to: usize, data: u64) {
        let Some(Schedule(params, state)) = &mut self.down else { return };
        let station = u16::try_from(to).expect("few stations");
        let served = law::Served { station, tones: 1, octets: Bytes::ZERO };
        law::settle(params, state, Duration::from_micros(data), &[served]);
    }
}

impl Model<'_> {
    /// True if station `id` has a packet, a `BlockAckReq` or a trigger to send.
    pub(super) fn has_content(&self, id: usize) -> bool {
        self.receiver(id).is_some() || self.is_trigger_due(id)
    }

    fn is_trigger_due(&self, id: usize) -> bool {
        self.multi_user.as_ref().is_some_and(|mu| mu.is_due && mu.by == id)
    }

    /// Width of the widest PPDU of the exchange of several users.
    pub(super) fn width_of_group(&self) -> Width {
        let group = self.multi_user.as_ref().and_then(|mu| mu.group.as_ref());
        let widths = group.into_iter().flat_map(|group| &group.turns).map(|turn| turn.1.width());
        widths.max().unwrap_or(Width::Mhz20)
    }

    /// True if station `id` is in an exchange of several users that it has begun.
    pub(super) fn has_group(&self, id: usize) -> bool {
        let group = self.multi_user.as_ref().and_then(|mu| mu.group.as_ref());
        group.is_some_and(|group| group.by == id)
    }

    /// Octets of the packets from station `id` to a member that wait, in the queue or to be sent again.
    pub(super) fn waiting(&self, id: usize, to: usize) -> u64 {
        let s = &self.stations[id];
        let queued = s.queue.iter().filter(|it| it.to.index() == to).map(|it| it.size.get());
        let lost = s.links[to].numbered.iter().filter(|it| it.done.is_none() && !it.is_open);
        queued.sum::<u64>() + lost.map(|it| it.size - 30).sum::<u64>()
    }

    /// Station of a member for best effort: its highest category that is not higher, or else its first.
    fn usual(&self, member: usize) -> usize {
        let of = (0..self.stations.len()).filter(|id| self.stations[*id].member == member);
        let lower = of.filter(|id| self.stations[*id].category <= AccessCategory::default());
        lower.max_by_key(|id| self.stations[*id].category).unwrap_or(member)
    }

    fn has_block_ack(&self, id: usize, to: usize) -> bool {
        self.agreed(id, to).is_some_and(|it| it.window > 1)
    }

    fn may_be_triggered(&self, mu: &MultiUser, member: usize) -> bool {
        let tx = self.vector_between(member, 0);
        self.has_block_ack(member, 0) && mu.is_able(tx)
    }

    fn may_trigger(&self, mu: &MultiUser) -> bool {
        mu.up.is_some() && (1..self.members()).any(|it| self.may_be_triggered(mu, it))
    }

    // --------------------------------------------------------------------------------------------------- plans

    /// First frame of an exchange of several users, or `None` if station `id` is to send to one.
    pub(super) fn first_turn(&mut self, now: u64, id: usize, is_first: bool) -> Option<OnAir> {
        if self.stations[id].member != 0 || is_first && !self.has_whole_width(0) {
            return None;
        }
        let mut mu = self.multi_user.take()?;
        let group = self.plan_group(now, (&mu, id), is_first);
        let is_planned = group.is_some();
        mu.group = group;
        self.multi_user = Some(mu);
        let at = if is_first { now } else { now + us(self.airtime.timing.sifs) };
        is_planned.then(|| self.turn_at(at))
    }

    fn plan_group(
        &mut self,
        now: u64,
        (mu, id): (&MultiUser, usize),
        is_first: bool,
    ) -> Option<Group> {
        let s = &self.stations[id];
        let sifs = us(self.airtime.timing.sifs);
        let limit = us(s.access.txop_limit);
        let start = if is_first { now } else { now + sifs };
        let rest = if limit == 0 { u64::MAX } else { (s.txop_start + limit).saturating_sub(start) };
        let is_due = mu.is_due && mu.by == id;
        let group = if is_due {
            self.plan_up(now, (mu, id), (rest, is_first))?
        } else {
            self.plan_down(now, (mu, id), (rest, is_first))?
        };
        // Only the first exchange of a TXOP may exceed its limit.
        if is_first || group.turns[0].2 + group.rest(0, sifs) <= rest {
            return Some(group);
        }
        if !is_due {
            self.return_parts(id, &group);
        }
        None
    }

    /// Lets the MPDUs of an exchange that were not sent wait for their turn.
    fn return_parts(&mut self, id: usize, group: &Group) {
        for to in group.users.iter().map(|user| user.station) {
            if self.receiver(id) != Some(to) {
                self.end_turn((id, to), false);
            }
        }
    }

    fn plan_down(
        &mut self,
        now: u64,
        (mu, id): (&MultiUser, usize),
        (rest, is_first): (u64, bool),
    ) -> Option<Group> {
        mu.down.as_ref()?;
        let first = self.receiver(id).filter(|to| self.agreed(id, *to).is_some())?;
        let candidates = self.candidates_down(mu, (id, first));
        let mut may_sound = is_first;
        let (parts, unit) = loop {
            let receivers = self.choose_receivers(now, (mu, id), &candidates, (rest, may_sound))?;
            let stations = mu.sharing.as_ref().and_then(|it| it.to_sound(now, &receivers.0));
            let Some(stations) = stations else { break receivers };
            if let Some(group) = self.plan_sounding((mu, id), &stations, rest) {
                return Some(group);
            }
            may_sound = false;
        };
        let mut users = self.users_down((mu, id), &parts, unit);
        if users.is_empty() {
            return None;
        }
        let ppdu = self.together(users.iter().map(|it| it.data));
        let mut turns = self.answers(mu, &users);
        let calls = if is_first { self.protecting(id, &users) } else { Vec::new() };
        let place = calls.len();
        turns.splice(0..0, calls);
        let sifs = us(self.airtime.timing.sifs);
        let around: u64 = turns.iter().map(|(.., duration)| sifs + duration).sum();
        let longest = rest.saturating_sub(around).min(LONGEST);
        let trigger = mu.trigger_in_data();
        let with_trigger = |octets: u64| match trigger {
            0 => octets,
            _ => octets.next_multiple_of(4) + trigger,
        };
        for (place, user) in users.iter_mut().enumerate() {
            let to = user.station;
            let agreed = self.agreed(id, to).expect("it has one");
            if self.receiver(id) != Some(to) {
                self.stations[id].again.retain(|it| *it != to);
            }
            let most = ppdu.largest(place, longest).min(agreed.octets);
            user.mpdus =
                self.batch_within((id, to), &agreed, |_, octets| with_trigger(octets) <= most);
            user.octets = Self::octets(&self.sizes(id, to, &user.mpdus), agreed.format);
        }
        let sizes: Vec<u64> = users.iter().map(|it| with_trigger(it.octets)).collect();
        turns.insert(place, (Turn::Data, users[0].data, ppdu.lasts(&sizes)));
        Some(Group::new(id, turns, users))
    }

    /// Stations for which station `id` of the access point has packets, the one in service first.
    fn candidates_down(&self, mu: &MultiUser, (id, first): (usize, usize)) -> Vec<Candidate> {
        let others = (1..self.members()).filter(|to| *to != first && self.waiting(id, *to) > 0);
        let candidate = |to: usize| {
            let tx = self.vector_between(0, to);
            let may = self.has_block_ack(id, to) && !self.requests(id, to);
            Candidate {
                station: u16::try_from(to).expect("few stations"),
                is_multi_user: may && mu.is_able(tx),
                backlog: Backlog::Octets(Bytes::new(self.waiting(id, to))),
                rate: tx.rate(),
                urgency: law::Urgency::Other,
                waiting: Duration::ZERO,
            }
        };
        std::iter::once(first).chain(others).map(candidate).collect()
    }

    /// True if a part with this vector may carry the largest packet from station `id` to a member.
    pub(super) fn holds_a_packet(
        &self,
        mu: &MultiUser,
        (id, to): (usize, usize),
        tx: TxVector,
    ) -> bool {
        let octets = self.largest(id, to) + 34 + mu.trigger_in_data();
        self.air(octets.next_multiple_of(4), tx) < LONGEST
    }

    /// Stations that the law chooses, each in a unit of its own, with their vectors and the unit.
    pub(super) fn choose_by_units(
        &self,
        (mu, id): (&MultiUser, usize),
        candidates: &[Candidate],
    ) -> Option<Receivers> {
        mu.ofdma.down?;
        let on_unit = |to, unit| mu.on_unit(self.vector_between(0, to), unit, PpduKind::Multi);
        let fits = |to: usize, unit| {
            on_unit(to, unit).is_some_and(|tx| self.holds_a_packet(mu, (id, to), tx))
        };
        let (chosen, unit) = mu.choose((mu.down.as_ref(), 0), candidates, fits)?;
        let parts = chosen.into_iter().filter_map(|to| Some((to, on_unit(to, unit)?)));
        (unit != Unit::Full).then(|| (parts.collect(), unit))
    }

    /// Users of data of the access point with these vectors, who answer together in units of this kind.
    pub(super) fn users_down(
        &self,
        (mu, id): (&MultiUser, usize),
        parts: &[(usize, TxVector)],
        unit: Unit,
    ) -> Vec<User> {
        let user = |(to, data): &(usize, TxVector)| {
            let tx = self.vector_between(0, *to);
            let size = answer_octets(&self.agreed(id, *to)?);
            let answer = mu.answer_on_unit(tx, unit)?;
            let answer = match mu.ofdma.ack {
                MultiUserAck::Bar => (self.airtime.response(tx), size),
                _ => (answer, size + 4),
            };
            Some(User::new(*to, id, (*data, answer)))
        };
        parts.iter().filter_map(user).collect()
    }

    /// Turns that protect data for these users. The station with the most octets decides.  [80211ax-2021 §26.2.6]
    fn protecting(&self, id: usize, users: &[User]) -> Vec<(Turn, TxVector, u64)> {
        let waits = |user: &&User| self.waiting(id, user.station);
        let Some(user) = users.iter().max_by_key(waits) else { return Vec::new() };
        let psdu = Bytes::new(waits(&user) + 30);
        match self.airtime.protection_of(psdu, user.data) {
            Protection::None => Vec::new(),
            Protection::CtsToSelf(tx) => vec![(Turn::CtsToSelf, tx, us(self.airtime.cts(tx)))],
            Protection::RtsCts(tx) => {
                let call = self.air(28 + 5 * users.len() as u64, tx);
                let clear = (Turn::Clears, self.airtime.response(tx), us(self.airtime.cts(tx)));
                vec![(Turn::Call, tx, call), clear]
            }
        }
    }

    pub(super) fn together(&self, vectors: impl Iterator<Item = TxVector>) -> Together {
        Together::of(vectors, self.config.rules.channel.band)
    }

    /// Octets of the largest packet from station `id` to a member so far, or of an A-MSDU that waits to be sent again.
    pub(super) fn largest(&self, id: usize, to: usize) -> u64 {
        let link = &self.stations[id].links[to];
        let lost = link.numbered.iter().filter(|it| it.done.is_none() && !it.is_open);
        lost.map(|it| it.size - 30).chain([link.largest]).max().unwrap_or(0)
    }

    /// Turns that acknowledge data of the access point.
    pub(super) fn answers(&self, mu: &MultiUser, users: &[User]) -> Vec<(Turn, TxVector, u64)> {
        let mut turns = Vec::new();
        let lasts = |(tx, octets): (TxVector, u64)| self.air(octets, tx);
        match mu.ofdma.ack {
            MultiUserAck::Bar => {
                for (place, user) in users.iter().enumerate() {
                    let (tx, _) = user.answer;
                    if place > 0 {
                        turns.push((Turn::Request(place), tx, lasts((tx, 24))));
                    }
                    turns.push((Turn::Answer(place), tx, lasts(user.answer)));
                }
                return turns;
            }
            MultiUserAck::MuBar => {
                let tx = self.for_all(users);
                turns.push((Turn::Trigger, tx, lasts((tx, 28 + 9 * users.len() as u64))));
            }
            MultiUserAck::AggregatedMuBar => {}
        }
        let sizes: Vec<u64> = users.iter().map(|it| it.answer.1).collect();
        let duration = self.together(users.iter().map(|it| it.answer.0)).lasts(&sizes);
        turns.push((Turn::Answers, users[0].answer.0, duration));
        turns
    }

    /// Vector of a control frame to all users: the slowest of those that answer their data.
    pub(super) fn for_all(&self, users: &[User]) -> TxVector {
        let all = users.iter().map(|it| self.airtime.response(it.data));
        all.min_by_key(|tx| tx.rate()).expect("users")
    }

    fn plan_up(
        &mut self,
        now: u64,
        (mu, id): (&MultiUser, usize),
        (rest, is_first): (u64, bool),
    ) -> Option<Group> {
        let polls = mu.polls();
        let nothing = Backlog::Octets(Bytes::ZERO);
        let is_random = mu.ofdma.random > 0;
        let report = |member: usize| match mu.reports[member] {
            (backlog, at) if !polls && now - at <= 20_000 && backlog != Backlog::Unknown => backlog,
            _ if is_random && !polls => nothing,
            _ => Backlog::Unknown,
        };
        let able = (1..self.members()).filter(|it| self.may_be_triggered(mu, *it));
        let candidate = |member: usize| Candidate {
            station: u16::try_from(member).expect("few stations"),
            is_multi_user: true,
            backlog: report(member),
            rate: self.vector_between(member, 0).rate(),
            urgency: law::Urgency::Other,
            waiting: Duration::ZERO,
        };
        let mut candidates: Vec<Candidate> = able.map(candidate).collect();
        if !is_random && candidates.iter().all(|it| it.backlog == nothing) {
            for it in &mut candidates {
                it.backlog = Backlog::Unknown;
            }
        }
        let fits = |member: usize, unit| {
            let tx = mu.on_unit(self.vector_between(member, 0), unit, PpduKind::Triggered);
            tx.is_some_and(|tx| self.air(ORDINARY, tx) < LONGEST)
        };
        let units = mu.random_units();
        let found = mu.choose((mu.up.as_ref(), units), &candidates, fits);
        let on_unit = |unit| self.modes_at_random(mu, &candidates, unit);
        let suits = |unit| on_unit(unit).len() == candidates.len();
        let of_all = found.as_ref().map(|it| it.1).or_else(|| mu.widest(units, suits));
        let slowest = of_all.and_then(|unit| on_unit(unit).into_iter().min_by_key(|it| it.mcs()));
        let random = slowest.filter(|_| units > 0).map(|mode| {
            let of = Parameters { streams: 1, ..mode.parameters() };
            (units, TxVector::Mode(Mode::new(of).expect("a mode")))
        });
        let (chosen, unit) = found.unwrap_or((Vec::new(), Unit::Full));
        let user = |member: usize| {
            let tx = self.vector_between(member, 0);
            let unit = match (unit, tx) {
                (Unit::Full, TxVector::Mode(mode)) => Unit::filling(mode.width()),
                _ => unit,
            };
            let data = mu.on_unit(tx, unit, PpduKind::Triggered)?;
            let window = self.agreed(member, 0)?.window;
            Some(User::new(member, self.usual(member), (data, (data, 4 + window / 8))))
        };
        let users: Vec<User> = chosen.iter().filter_map(|it| user(*it)).collect();
        let basic = self.airtime.beacon_vector();
        let per_user = if polls { 5 } else { 6 };
        // One entry of a trigger offers up to 32 units.
        let entries =
            users.len() as u64 + random.map_or(0, |(units, _)| u64::from(units.div_ceil(32)));
        let trigger = self.air(28 + per_user * entries, basic);
        let mut turns = vec![(Turn::Trigger, basic, trigger)];
        if entries == 0 {
            return Some(Group { random, ..Group::new(id, turns, users) });
        }
        let offered = random.map_or(Vec::new(), |(units, tx)| vec![tx; units.into()]);
        let all: Vec<TxVector> = users.iter().map(|it| it.data).chain(offered).collect();
        let ppdu = self.together(all.iter().copied());
        let null = ppdu.lasts_with(NULL);
        if polls {
            turns.push((Turn::Reports, users[0].data, null));
            return Some(Group { random, ..Group::new(id, turns, users) });
        }
        let sifs = us(self.airtime.timing.sifs);
        let responses = all.iter().map(|tx| self.airtime.response(*tx));
        let control = responses.min_by_key(|tx| tx.rate())?;
        let windows = (1..self.members()).map(|it| self.agreed(it, 0).map_or(64, |it| it.window));
        let longest = 4 + windows.max()? / 8;
        let entries: u64 = users.iter().map(|it| it.answer.1).sum();
        let block_ack =
            self.air(22 + entries + longest * random.map_or(0, |it| u64::from(it.0)), control);
        let longest = rest.saturating_sub(trigger + 2 * sifs + block_ack).min(LONGEST);
        let longest = ppdu.full(longest).unwrap_or(null);
        if !is_first && longest < ppdu.lasts_with(ORDINARY) {
            return None;
        }
        let backlog = |member: &usize| {
            let of = candidates.iter().find(|it| usize::from(it.station) == *member);
            of.expect("it was chosen").backlog
        };
        let params = &mu.up.as_ref()?.0;
        let duration = law::triggered_duration(
            params,
            Duration::from_micros(longest),
            chosen.iter().map(backlog).chain(random.map(|_| Backlog::Unknown)),
            |octets| Duration::from_micros(ppdu.lasts_with(octets.get())),
        );
        turns.push((Turn::Uplink, all[0], us(duration).max(null)));
        turns.push((Turn::BlockAck, control, block_ack));
        Some(Group { random, ..Group::new(id, turns, users) })
    }

    /// Modes of the candidates in a random unit, without those that are too narrow.
    fn modes_at_random(&self, mu: &MultiUser, candidates: &[Candidate], unit: Unit) -> Vec<Mode> {
        let unit = if unit == Unit::Full { Unit::filling(mu.width) } else { unit };
        let vectors = candidates.iter().map(|it| self.vector_between(it.station.into(), 0));
        let modes = vectors.filter_map(|tx| mu.on_unit(tx, unit, PpduKind::Triggered));
        modes.filter_map(TxVector::mode).collect()
    }

    /// Part of a station in a random unit of a trigger, which a PPDU of this duration follows.
    fn access_at_random(
        &mut self,
        mu: &mut MultiUser,
        member: usize,
        (units, tx, duration): (u16, TxVector, u64),
    ) -> Option<User> {
        let unit = tx.mode()?.unit();
        let unit = if unit == Unit::Full { Unit::filling(mu.width) } else { unit };
        mu.on_unit(self.vector_between(member, 0), unit, PpduKind::Triggered)?;
        if !self.may_be_triggered(mu, member) {
            return None;
        }
        self.ready_of(member)?;
        let random = mu.step(member, |draw| Event::Trigger { units, draw })?;
        let window = self.agreed(member, 0)?.window;
        let answer = (tx, 4 + window / 8);
        let user = User::new(member, self.usual(member), (tx, answer));
        let mut user = User { random: Some(random), hears: true, ..user };
        self.prepare(&mut user, duration);
        if !user.waits {
            mu.step(member, |draw| Event::Success { draw });
        }
        Some(user)
    }

    // --------------------------------------------------------------------------------------------------- frames

    /// Frame of the current turn, which starts at a time [µs].
    pub(super) fn turn_at(&mut self, at: u64) -> OnAir {
        let mut mu = self.multi_user.take().expect("an exchange of several users");
        let group = mu.group.as_mut().expect("an exchange of several users");
        let (turn, tx, mut duration) = group.turns[group.at];
        if turn == Turn::BlockAck {
            // A station whose MPDUs have all come needs no bitmap.
            let entry = |it: &User| match (it.waits && it.is_answered, it.is_whole) {
                (false, _) => 0,
                (true, true) => 2,
                (true, false) => it.answer.1,
            };
            duration = self.air(22 + group.users.iter().map(entry).sum::<u64>(), tx);
            group.turns[group.at].2 = duration;
        }
        let nav = group.rest(group.at, us(self.airtime.timing.sifs));
        let mut senders: Vec<usize> = match turn {
            Turn::Answer(place) => vec![group.users[place].station],
            _ if turn.is_down() => vec![0],
            _ => group.users.iter().filter(|it| it.hears).map(|it| it.station).collect(),
        };
        let to = match turn {
            Turn::Request(place) => group.users[place].station,
            Turn::CtsToSelf => group.users[0].station,
            _ if turn.is_down() => usize::MAX,
            _ => 0,
        };
        let from = senders.remove(0);
        let way = (from, to, group.by);
        let frame = self.frame(turn.kind(), way, (tx, at + duration, nav));
        let parts = match turn {
            Turn::Data
            | Turn::Answers
            | Turn::Uplink
            | Turn::Reports
            | Turn::Clears
            | Turn::Feedback => {
                let users = group.users.iter().enumerate();
                users
                    .filter(|(_, it)| turn == Turn::Data || it.hears)
                    .map(|(place, user)| {
                        let (from, to) =
                            if turn == Turn::Data { (0, user.station) } else { (user.station, 0) };
                        let has_data = turn == Turn::Data || (turn == Turn::Uplink && user.waits);
                        Part {
                            user: place,
                            from,
                            to,
                            mpdus: if has_data { user.mpdus.clone() } else { Vec::new() },
                            errored: Vec::new(),
                            hits: Vec::new(),
                            collided: false,
                            is_readable: false,
                            random: user.random,
                            collides: false,
                            is_lost: false,
                            report: Backlog::Unknown,
                        }
                    })
                    .collect()
            }
            _ => Vec::new(),
        };
        self.multi_user = Some(mu);
        OnAir { also: senders, parts, is_turn: true, ..frame }
    }

    /// Marks the MPDUs of a turn that starts now as sent, and lets stations report what else waits.
    pub(super) fn open_turn(&mut self, frame: &mut OnAir) {
        let Some(mu) = &self.multi_user else { return };
        let Some(group) = &mu.group else { return };
        let senders: Vec<usize> = group.users.iter().map(|it| it.sender).collect();
        let reports = matches!(group.turn(), Turn::Uplink | Turn::Reports);
        for part in &mut frame.parts {
            let link = &mut self.stations[senders[part.user]].links[part.to];
            for it in link.numbered.iter_mut().filter(|it| part.mpdus.contains(&it.number)) {
                (it.attempts, it.is_open) = (it.attempts + 1, true);
            }
            if reports {
                let of =
                    (0..self.stations.len()).filter(|id| self.stations[*id].member == part.from);
                let octets = of.map(|id| self.waiting(id, 0)).sum();
                // A report is a number of units of 256 octets, of which 254 is the largest.
                part.report = Backlog::reported(Backlog::Octets(Bytes::new(octets)).report());
            }
        }
    }

    /// Draws errors by noise in the parts of a frame.
    pub(super) fn spoil_parts(&mut self, frame: &mut OnAir) {
        for place in 0..frame.parts.len() {
            let part = &frame.parts[place];
            let link = part.from.max(part.to) - 1;
            let ErrorModel::Bernoulli(p) = self.config.stations[link].errors else { continue };
            if !frame.brings(part) {
                continue;
            }
            let stream = &mut self.links[link];
            let part = &mut frame.parts[place];
            if part.mpdus.is_empty() {
                part.is_lost = p.happens(stream.next_u64());
            } else {
                let errored = part.mpdus.iter().filter(|_| p.happens(stream.next_u64()));
                let errored = errored.filter(|it| !part.errored.contains(it)).copied();
                part.errored.extend(errored.collect::<Vec<u64>>());
                part.is_lost = part.errored.len() == part.mpdus.len();
            }
        }
    }

    // --------------------------------------------------------------------------------------------------- reception

    /// Handles a turn that has left the air.
    pub(super) fn end_of_turn(&mut self, now: u64, frame: &OnAir) {
        let mut mu = self.multi_user.take().expect("an exchange of several users");
        let mut group = mu.group.take().expect("an exchange of several users");
        let decodes = |member: usize| frame.is_decoded_by(member) && !frame.noisy_for[member];
        let turn = group.turn();
        match turn {
            Turn::Data => {
                for part in &frame.parts {
                    let hears = frame.brings(part) && !part.is_lost;
                    group.users[part.user].hears = hears;
                    if hears {
                        self.take(group.by, part);
                    }
                }
            }
            Turn::Request(place) => {
                group.users[place].hears = decodes(group.users[place].station);
            }
            Turn::Announcement | Turn::Sounding => {
                for user in &mut group.users {
                    let expects = turn == Turn::Announcement || user.hears;
                    user.hears = expects && decodes(user.station);
                }
            }
            Turn::Answer(place) if decodes(0) => {
                let user = &mut group.users[place];
                user.is_answered = true;
                let received = &self.stations[group.by].links[user.station].received;
                user.acknowledged = Some(received.clone());
            }
            Turn::CtsToSelf | Turn::Answer(_) => {}
            Turn::Trigger | Turn::Call => self.hear_trigger(now, frame, (&mut mu, &mut group)),
            Turn::Clears | Turn::Feedback => {
                for part in &frame.parts {
                    group.users[part.user].is_answered = frame.brings(part) && !part.is_lost;
                }
            }
            Turn::Answers | Turn::Uplink | Turn::Reports => {
                for part in &frame.parts {
                    self.hear_part(now, (frame, part), (&mut mu, &mut group));
                }
            }
            Turn::BlockAck => {
                for user in &mut group.users {
                    if decodes(user.station) && std::mem::take(&mut user.waits) {
                        self.settle_triggered(now, user, &mut mu, user.is_answered);
                    }
                }
            }
        }
        let next = group.turns.get(group.at + 1).map(|turn| turn.0);
        let goes_on = match next {
            None => false,
            _ if turn == Turn::Clears => group.users.iter().any(|it| it.is_answered),
            Some(Turn::Answer(place)) => group.users[place].hears,
            Some(Turn::BlockAck) => group.users.iter().any(|it| it.is_answered && it.waits),
            Some(next) => next.is_down() || group.users.iter().any(|it| it.hears),
        };
        let by = group.by;
        group.at += usize::from(goes_on);
        if goes_on && turn == Turn::Clears {
            group.users.iter_mut().for_each(|it| it.is_answered = false);
        }
        mu.group = Some(group);
        self.multi_user = Some(mu);
        if goes_on {
            let at = now + us(self.airtime.timing.sifs);
            let frame = self.turn_at(at);
            self.pending.push((at, frame));
        } else if turn.is_down() && next.is_some() {
            let at = now + us(self.airtime.response_timeout());
            self.give_up_at(by, at, turn.kind());
        } else {
            // The medium is busy until the end of this frame.
            self.finish_group(now, true);
        }
    }

    /// Lets stations that have decoded a trigger prepare their answers.
    fn hear_trigger(&mut self, now: u64, frame: &OnAir, (mu, group): (&mut MultiUser, &mut Group)) {
        let decodes = |member: usize| frame.is_decoded_by(member) && !frame.noisy_for[member];
        let asked = group.turns[group.at + 1];
        for user in &mut group.users {
            let is_free =
                |s: &Station| s.member != user.station || s.pending != PendingAccess::Response;
            let is_asked = asked.0 != Turn::Feedback || user.hears;
            let is_clear = self.may_answer(now, user.station, asked.0);
            user.hears =
                is_asked && is_clear && decodes(user.station) && self.stations.iter().all(is_free);
            if user.hears && asked.0 == Turn::Uplink {
                self.prepare(user, asked.2);
            }
        }
        for member in 1..self.members() {
            let Some((units, tx)) = group.random else { break };
            let is_named = group.users.iter().any(|it| it.station == member);
            let is_free = |s: &Station| s.member != member || s.pending != PendingAccess::Response;
            let is_clear = self.may_answer(now, member, Turn::Uplink);
            if !is_named && is_clear && decodes(member) && self.stations.iter().all(is_free) {
                let units = (units, tx, asked.2);
                group.users.extend(self.access_at_random(mu, member, units));
            }
        }
        group.users.sort_by_key(|it| it.random);
    }

    /// True if virtual carrier sense lets a member answer a trigger. Beside neighbours it looks at its basic NAV, unless it
    /// sends nothing but a `BlockAck`; otherwise at its NAV, before a CTS alone.  [80211ax-2021 §26.5.2.5]
    fn may_answer(&self, now: u64, member: usize, answer: Turn) -> bool {
        let s = &self.stations[member];
        match answer {
            Turn::Answers => true,
            _ if self.shares => s.basic_nav <= now,
            Turn::Clears => s.nav <= now,
            _ => true,
        }
    }

    /// Marks the MPDUs of each user that other frames have destroyed. A part without any other has collided.
    pub(super) fn hit_parts(&mut self, frame: &mut OnAir) {
        let group = self.multi_user.as_ref().and_then(|it| it.group.as_ref());
        let Some(group) = group.filter(|_| frame.parts.iter().any(|it| !it.hits.is_empty())) else {
            return;
        };
        let time = (frame.start, frame.end);
        for part in frame.parts.iter_mut().filter(|it| !it.hits.is_empty() && !it.collided) {
            let sizes = self.sizes(group.users[part.user].sender, part.to, &part.mpdus);
            part.errored = destroyed((&part.mpdus, &sizes), time, &part.hits);
            part.collided = part.errored.len() == part.mpdus.len();
        }
        frame.collided = frame.parts.iter().all(|it| it.collided || it.collides);
    }

    /// Handles a part that a user has sent together with others.
    fn hear_part(
        &mut self,
        now: u64,
        (frame, part): (&OnAir, &Part),
        (mu, group): (&mut MultiUser, &mut Group),
    ) {
        let (turn, by) = (group.turn(), group.by);
        let user = &mut group.users[part.user];
        user.is_answered = frame.brings(part) && !part.is_lost;
        user.is_whole = part.errored.is_empty();
        if !user.is_answered {
            user.octets = 0;
            return;
        }
        if turn == Turn::Answers {
            let received = &self.stations[by].links[user.station].received;
            user.acknowledged = Some(received.clone());
            return;
        }
        mu.reports[user.station] = (part.report, now);
        if turn == Turn::Uplink {
            let come = (part.mpdus.len() - part.errored.len()) as u64;
            user.octets = user.octets * come / (part.mpdus.len() as u64).max(1);
        }
        let sender = user.sender;
        self.take(sender, part);
    }

    /// Passes the MPDUs of a part to its receiver.
    fn take(&mut self, by: usize, part: &Part) {
        let come = part.mpdus.iter().filter(|it| !part.errored.contains(it)).copied();
        self.stations[by].links[part.to].received.extend(come);
    }

    /// Lets a triggered station choose MPDUs of its highest category that has some, if they fit the time.
    fn prepare(&mut self, user: &mut User, duration: u64) {
        let Some(id) = self.ready_of(user.station) else { return };
        let agreed = self.agreed(id, 0).expect("it has one");
        let ppdu = self.together(std::iter::once(user.data));
        let most = ppdu.largest(0, duration).min(agreed.octets);
        let numbers = self.batch_within((id, 0), &agreed, |_, octets| octets <= most);
        let octets = Self::octets(&self.sizes(id, 0, &numbers), agreed.format);
        user.waits = octets <= most;
        if user.waits {
            (user.sender, user.mpdus, user.octets) = (id, numbers, octets);
        }
    }

    /// Station of a member with data of its highest category that has some.
    fn ready_of(&self, member: usize) -> Option<usize> {
        let of = (0..self.stations.len()).filter(|id| self.stations[*id].member == member);
        let is_ready = |id: &usize| {
            let to = self.receiver(*id);
            to.is_some_and(|to| self.agreed(*id, to).is_some()) && !self.requests(*id, 0)
        };
        of.filter(is_ready).max_by_key(|id| self.stations[*id].category)
    }

    // --------------------------------------------------------------------------------------------------- outcome

    /// Handles an answer that has not come: the next `BlockAckReq` follows if the medium is idle and somebody has
    /// answered before.
    pub(super) fn go_on_without(&mut self, now: u64) {
        let is_idle = !self.is_busy(0);
        let mut mu = self.multi_user.take();
        let group = mu.as_mut().and_then(|mu| mu.group.as_mut()).expect("an exchange");
        group.has_timed_out = true;
        let ahead = (group.at + 1..group.turns.len()).find(|at| group.turns[*at].0.is_down());
        let request = ahead.filter(|at| matches!(group.turns[*at].0, Turn::Request(_)));
        let may_go_on = is_idle && group.users.iter().any(|it| it.is_answered);
        if let (true, Some(at)) = (may_go_on, request) {
            group.at = at;
            self.multi_user = mu;
            let frame = self.turn_at(now);
            self.pending.push((now, frame));
            return;
        }
        self.multi_user = mu;
        self.finish_group(now, false);
    }

    /// Notes the outcome of MPDUs of station `id` to a member. Returns the number of those that have come.
    fn settle_user(
        &mut self,
        now: u64,
        (id, to): (usize, usize),
        mpdus: &[u64],
        (acknowledged, is_random): (Option<&BTreeSet<u64>>, bool),
    ) -> u64 {
        let has_come = |number: &u64| acknowledged.is_some_and(|it| it.contains(number));
        let come = mpdus.iter().filter(|it| has_come(it)).count();
        let event = RateEvent::Block { sent: mpdus.len(), acknowledged: come };
        if !is_random {
            self.tell_law(now, (id, to), event);
        }
        let planned = self.law(id, to).and_then(|law| law.longest_chain());
        let limit = self.attempts(id, false, planned);
        if acknowledged.is_none() {
            self.hear_nothing((id, to), limit);
            return 0;
        }
        let link = &mut self.stations[id].links[to];
        (link.silences, link.asks) = (0, false);
        self.settle((id, to), limit, |number| has_come(&number));
        self.end_turn((id, to), true);
        come as u64
    }

    /// Notes the outcome of data that a station was triggered to send, and starts its MU EDCA timer.
    fn settle_triggered(&mut self, now: u64, user: &User, mu: &mut MultiUser, is_answered: bool) {
        let id = user.sender;
        let received = is_answered.then(|| self.stations[id].links[0].received.clone());
        if user.random.is_some() {
            let event =
                |draw| if is_answered { Event::Success { draw } } else { Event::Failure { draw } };
            mu.step(user.station, event);
        }
        let fate = (received.as_ref(), user.random.is_some());
        self.settle_user(now, (id, 0), &user.mpdus, fate);
        if !self.has_content(id) {
            (self.stations[id].pending, self.stations[id].waited) = (PendingAccess::None, 0);
        }
        let is_told = is_answered && user.random.is_none();
        let Some(rule) = self.config.rules.multi_user.mu_edca.filter(|_| is_told) else {
            return;
        };
        let until = now + us(rule.timer);
        let s = &mut self.stations[id];
        let timers = &mut mu.timers;
        if let Some(running) = timers.iter_mut().find(|it| it.0 == id) {
            running.1 = until;
        } else {
            timers.push((id, until, s.access.aifsn, (s.smallest, s.access.cw_max)));
            s.set_windows((rule.cw_min, Some(rule.cw_max)), self.airtime.timing.cw_max);
            if rule.aifsn > 0 {
                s.set_aifsn(rule.aifsn, &self.airtime.timing);
            }
        }
        if rule.aifsn == 0 {
            s.still = until;
        }
    }

    /// Ends an exchange, which has failed if nobody has answered.
    fn finish_group(&mut self, now: u64, is_busy: bool) {
        let mut mu = self.multi_user.take().expect("an exchange of several users");
        let mut group = mu.group.take().expect("an exchange of several users");
        for user in &mut group.users {
            if std::mem::take(&mut user.waits) {
                self.settle_triggered(now, user, &mut mu, false);
            }
        }
        let (id, is_answered) = (group.by, group.users.iter().any(|it| it.is_answered));
        let names_nobody =
            group.random.is_some() && group.users.iter().all(|it| it.random.is_some());
        group.users.retain(|it| it.random.is_none() || it.is_answered);
        let served = self.settle_users(now, &group);
        let settle = |schedule: &mut Option<Schedule>, duration| {
            let Some(Schedule(params, state)) = schedule.as_mut().filter(|_| !served.is_empty())
            else {
                return;
            };
            law::settle(params, state, Duration::from_micros(duration), &served);
        };
        match group.content() {
            (Turn::Feedback, _) => {}
            (Turn::Reports, _) => {
                mu.is_polled = true;
                let nothing = Backlog::Octets(Bytes::ZERO);
                let has_more = |user: &User| {
                    let (backlog, at) = mu.reports[user.station];
                    backlog != nothing || now - at > 20_000
                };
                mu.is_due = group.users.iter().any(has_more);
            }
            (Turn::Data, duration) => {
                settle(&mut mu.down, duration);
                mu.is_due = self.may_trigger(&mu);
            }
            (_, duration) => {
                settle(&mut mu.up, duration);
                (mu.is_due, mu.is_polled) = (false, false);
            }
        }
        mu.note_access(now, self.last_access(now, id));
        let triggers = mu.is_due.then_some(mu.by);
        self.multi_user = Some(mu);
        self.stations[id].pending = PendingAccess::Response;
        let fails = !is_answered && !names_nobody;
        let is_over = self.conclude(id, fails);
        let has_sounded = group.content().0 == Turn::Feedback;
        let sharing = self.multi_user.as_mut().and_then(|mu| mu.sharing.as_mut());
        if let Some(sharing) = sharing.filter(|_| has_sounded) {
            let users = group.users.iter().map(|it| (it.station, it.is_answered));
            sharing.note(now, users, is_over);
        }
        let may_go_on = is_answered && !group.has_timed_out;
        self.go_on(now, id, (is_answered, may_go_on, has_sounded));
        if let Some(by) = triggers {
            self.seek(now, by, is_busy);
        }
    }

    /// Notes the outcome of the data of an exchange. Returns the share of each user, the one in service last.
    fn settle_users(&mut self, now: u64, group: &Group) -> Vec<law::Served> {
        let (id, is_down) = (group.by, group.content().0 == Turn::Data);
        if is_down && !group.has_sent() {
            self.return_parts(id, group);
        }
        let mut served = Vec::new();
        let in_service = self.stations[id].serving;
        let is_last = |user: &&User| in_service == Some(user.station);
        let others = group.users.iter().filter(|user| !is_last(user));
        for user in others.chain(group.users.iter().filter(is_last)) {
            let mut octets = user.octets;
            if is_down && group.has_sent() {
                let way = (id, user.station);
                let fate = (user.acknowledged.as_ref(), false);
                let come = self.settle_user(now, way, &user.mpdus, fate);
                octets = octets * come / user.mpdus.len() as u64;
            } else if is_down {
                octets = 0;
            }
            served.push(law::Served {
                station: u16::try_from(user.station).expect("few stations"),
                tones: u16::try_from(user.data.share()).expect("a width"),
                octets: Bytes::new(octets),
            });
        }
        served
    }

    /// Counts an exchange of station `id` that has failed. Returns true if it is not to be tried again.
    fn conclude(&mut self, id: usize, fails: bool) -> bool {
        if fails {
            self.stations[id].short += 1;
        }
        let is_over = !fails || self.widen(id, None);
        if is_over {
            self.start_afresh(id);
        }
        is_over
    }

    /// Continues the TXOP of station `id` after an exchange of several users, or lets it contend. Data may follow a
    /// sounding also without a TXOP limit.  [80211-2020 §10.23.2.9]
    fn go_on(
        &mut self,
        now: u64,
        id: usize,
        (is_answered, may_go_on, has_sounded): (bool, bool, bool),
    ) {
        let has_content = self.has_content(id);
        self.stations[id].pending =
            if has_content { PendingAccess::Backoff } else { PendingAccess::None };
        let has_time = us(self.stations[id].access.txop_limit) > 0;
        if may_go_on && has_content && (has_time || has_sounded) {
            let at = now + us(self.airtime.timing.sifs);
            let next = self.first_turn(now, id, false);
            if let Some(frame) = next {
                self.pending.push((at, frame));
            } else if self.fits_txop(now, id) {
                self.send_data(now, id);
            } else {
                return self.draw(now, id);
            }
            self.stations[id].pending = PendingAccess::Response;
            return;
        }
        if !is_answered || has_content || self.config.rules.post_backoff {
            self.draw(now, id);
        }
    }

    /// Makes a trigger due whose time has come, and ends MU EDCA timers.
    pub(super) fn end_timers(&mut self, now: u64) {
        let Some(mut mu) = self.multi_user.take() else { return };
        let timing = self.airtime.timing;
        let has_aifsn = self.config.rules.multi_user.mu_edca.is_some_and(|it| it.aifsn > 0);
        for (id, _, aifsn, windows) in mu.timers.extract_if(.., |it| it.1 <= now) {
            self.stations[id].set_windows(windows, timing.cw_max);
            if has_aifsn {
                self.stations[id].set_aifsn(aifsn, &timing);
            }
        }
        let is_now = !mu.is_due && mu.due_at <= now;
        if is_now {
            mu.note_access(now, now);
            mu.is_due = self.may_trigger(&mu);
        }
        let by = mu.by;
        self.multi_user = Some(mu);
        if is_now && self.has_content(by) {
            self.seek(now, by, false);
        }
    }
}

/// Marks the parts in random units that another part overlaps at the receiver.
pub(super) fn collide_in_units(parts: &mut [Part]) {
    for place in 0..parts.len() {
        let Part { from, random, .. } = parts[place];
        let overlaps = |it: &Part| it.from != from && it.random == random && it.is_readable;
        parts[place].collides = random.is_some() && parts.iter().any(overlaps);
    }
}

impl User {
    pub(super) fn new(
        station: usize,
        sender: usize,
        (data, answer): (TxVector, (TxVector, u64)),
    ) -> Self {
        Self {
            station,
            sender,
            data,
            random: None,
            answer,
            mpdus: Vec::new(),
            octets: 0,
            hears: false,
            is_answered: false,
            waits: false,
            is_whole: false,
            acknowledged: None,
        }
    }
}

impl Station {
    /// Sets the smallest and the largest contention window. The current one is moved between them.
    fn set_windows(&mut self, (smallest, largest): (u16, Option<u16>), usual: u16) {
        let most = u32::from(largest.unwrap_or(usual));
        let is_first = self.window == u32::from(self.smallest);
        let within = self.window.clamp(u32::from(smallest), most.max(u32::from(smallest)));
        self.window = if is_first { u32::from(smallest) } else { within };
        (self.smallest, self.access.cw_max) = (smallest, largest);
    }

    /// Sets the AIFSN. An interframe space that has not ended becomes longer or shorter; slots that count go on.
    fn set_aifsn(&mut self, aifsn: u8, timing: &Timing) {
        let aifs = us(timing.sifs) + u64::from(aifsn) * us(timing.slot);
        let of = |before: u64, aifs_before: u64| before + aifs - aifs_before;
        (self.eifs, self.access.aifsn) = (of(self.eifs, self.aifs), aifsn);
        if self.ready.is_none() {
            self.gap = of(self.gap, self.aifs);
            self.clear_gap = aifs;
            self.ready = (self.idle >= self.gap && self.clear >= aifs).then_some(0);
        }
        self.aifs = aifs;
    }
}

impl OnAir {
    /// Marks the parts that other frames have overlapped at their receivers from now on as collided, or what a later frame
    /// overlaps of an aggregate as hit, beside neighbours.
    pub(super) fn overlap_parts(&mut self, now: u64, starting: &[OnAir]) {
        let mut is_hit = false;
        for part in &mut self.parts {
            let to = part.to;
            if !self.sensed_by[to] || !self.lost_to[to] {
                continue;
            }
            is_hit = true;
            let is_whole = self.start < now && !part.collided && self.readable_by[to];
            let was_received = is_whole && part.mpdus.len() > 1;
            if was_received {
                let sensed = starting.iter().filter(|it| it.sensed_by[to]);
                part.hits.extend(sensed.map(|it| (now, it.end)));
            }
            part.collided |= !was_received || starting.iter().any(|it| it.is_from(to));
        }
        self.collided |= is_hit && self.parts.iter().all(|it| it.collided || it.collides);
    }
}
