//! A model that goes microsecond by microsecond: every station has its own carrier sense, its own NAV
//! and its own counter, one for each of its access categories, as the standard's text has it. No groups, no heap, no slot numbers. Whatever the
//! load, the options and the hearing, the cell must send the same frames at the same times.
//!
//! Each frame on the air knows, station by station, who senses it, who noticed its start and for whom
//! another frame has overlapped it.

use std::collections::{BTreeSet, VecDeque};

use airfair_units::{Bytes, Duration};
use airfair_wlan::airtime::{Airtime, Protection};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::{Standard, Timing, TxVector};
use airfair_wlan::{
    AccessParameters, AfterCollision, Attempts, Audibility, CellConfig, Eifs, ErrorModel,
    FrameKind, NodeId, Stream,
};
use rand_core::{Rng, SeedableRng};

use crate::laws::{Law, Told};

/// A packet that comes [us]. Stations send to the access point and it to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) at: u64,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) size: Bytes,
    pub(crate) category: AccessCategory,
}

/// A beacon that is to be sent from a time on [us].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Announced {
    pub(crate) at: u64,
    pub(crate) psdu: Bytes,
}

/// From a time on [us], frames of `from` are something else to `listener`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) at: u64,
    pub(crate) listener: NodeId,
    pub(crate) from: NodeId,
    pub(crate) audibility: Audibility,
}

/// Aggregation between the access point and a station, in both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreed {
    /// Format of its frames.
    pub(crate) format: Format,
    pub(crate) octets: u64,
    /// Octets of an A-MSDU, 0 if there are none.
    pub(crate) amsdu: u64,
    pub(crate) mpdus: usize,
    pub(crate) window: u64,
    /// True if silence is followed by a request.
    pub(crate) asks: bool,
}

/// Frame that can be compared: its end [us], its sender, its kind, true if another overlapped it.
pub(crate) type Sent = (u64, u16, u8, bool);

/// Frame that a member knows: its end [us], the member, its kind, and before an own exchange the back-off [us]. Beacons,
/// and first frames of their own.
pub(crate) type Heard = (u64, u16, u8, Option<u64>);

/// All that comes from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Happens<'a> {
    /// Links that have agreed to aggregate, by station.
    pub(crate) agreed: &'a [Option<Agreed>],
    pub(crate) arrivals: &'a [Arrival],
    pub(crate) changes: &'a [Change],
    pub(crate) beacons: &'a [Announced],
}

/// Exchange that a station has begun, or is about to.
#[derive(Clone, Debug)]
struct Plan {
    to: usize,
    tx: TxVector,
    /// Time on the air of what is answered, and of the answer [us].
    data: u64,
    answer: u64,
    protection: Protection,
    kind: FrameKind,
    answered_by: FrameKind,
    /// Numbers of the MPDUs of an aggregate.
    mpdus: Vec<u64>,
}

/// An MPDU that has a number and is not done, or waits for others before it to be done.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    number: u64,
    size: u64,
    /// Packets in it.
    packets: usize,
    attempts: u16,
    /// True if it has been sent and nothing is known of it.
    is_open: bool,
    /// True if it is acknowledged; false if it was given up; nothing otherwise.
    done: Option<bool>,
}

/// A link with aggregates as its sender knows it, and the numbers that its receiver has.
#[derive(Clone, Debug, Default)]
struct Link {
    numbered: VecDeque<Numbered>,
    next: u64,
    received: BTreeSet<u64>,
    /// True if the receiver must be told that something does not come any more.
    has_moved: bool,
    /// True if it must be asked what has come.
    asks: bool,
    silences: u16,
}

/// A frame on the air.
#[derive(Clone, Debug)]
struct OnAir {
    kind: FrameKind,
    /// Numbers of the MPDUs of an aggregate; those of them that are errored.
    mpdus: Vec<u64>,
    errored: Vec<u64>,
    from: usize,
    to: usize,
    /// Place of the one whose exchange it is of.
    by: usize,
    tx: TxVector,
    end: u64,
    nav: u64,
    /// True if another frame has overlapped it at its receiver.
    collided: bool,
    /// Members for whom it is errored: its receiver at most, or anyone if it is a beacon.
    noisy_for: Vec<bool>,
    /// Back-off counted before it, if an exchange begins with it.
    backoff: Option<u64>,
    /// True for those near enough to find the medium busy, and to read the frame.
    sensed_by: Vec<bool>,
    readable_by: Vec<bool>,
    /// True for those who have listened since it began: neither transmitting nor deafened by a frame whose start they
    /// missed.
    heard_by: Vec<bool>,
    /// True for those at whom another frame has overlapped it: one that they sense too, or their own.
    lost_to: Vec<bool>,
    /// True if it is a response that gave no sign of its start to the one who waits for it.
    missed: bool,
}

impl OnAir {
    /// True if it makes the medium busy for `id`.
    fn occupies(&self, id: usize) -> bool {
        self.from == id || self.sensed_by[id]
    }

    /// True if `id` decodes it, as far as noise allows.
    fn is_decoded_by(&self, id: usize) -> bool {
        self.sensed_by[id] && self.readable_by[id] && !self.lost_to[id]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Nothing,
    /// The medium was idle when the packet came: at once, as soon as it has been idle for long enough.
    Immediate,
    /// Access when the counter is down.
    Backoff,
    /// In an exchange.
    Response,
}

/// A station with one of its categories; places of the first ones are those of their members.
struct Station {
    member: usize,
    category: AccessCategory,
    stream: Stream,
    queue: VecDeque<Arrival>,
    /// Links with aggregates, by receiver; to whom one has been in service and has more to send.
    links: Vec<Link>,
    again: Option<usize>,
    plan: Option<Plan>,
    want: Want,
    window: u32,
    /// Smallest window.
    smallest: u16,
    access: AccessParameters,
    /// Wait after a frame that it decoded, and after one that it did not.
    aifs: u64,
    eifs: u64,
    /// Time at which its TXOP began.
    txop_start: u64,
    /// Slots to go, and since when they count.
    counter: u32,
    drawn_at: u64,
    /// Slots counted while its packet waited for this access.
    waited: u64,
    /// The medium was physically idle for so long; physically and virtually.
    idle: u64,
    clear: u64,
    /// IFS after the last frame: AIFS or EIFS.
    gap: u64,
    /// Time since the IFS was over.
    ready: Option<u64>,
    nav: u64,
    /// Another category of its member awaits a response for so long.
    held: u64,
    short: u16,
    long: u16,
    /// Failures of these in which nothing went out.
    internal: u16,
    /// Frame whose response it misses, and when it gives up waiting.
    timeout: Option<(u64, FrameKind)>,
    /// In a collision that everyone notices at once.
    notices: Option<FrameKind>,
}

impl Station {
    fn new(
        (member, stream): (usize, Stream),
        (category, access): (AccessCategory, AccessParameters),
        (timing, smallest): (&Timing, u16),
    ) -> Self {
        let smallest = access.cw_min.unwrap_or(smallest);
        let aifs = us(timing.sifs) + u64::from(access.aifsn) * us(timing.slot);
        Self {
            member,
            category,
            stream,
            queue: VecDeque::new(),
            links: Vec::new(),
            again: None,
            plan: None,
            want: Want::Nothing,
            window: u32::from(smallest),
            smallest,
            access,
            aifs,
            eifs: us(timing.eifs) - us(timing.difs) + aifs,
            txop_start: 0,
            counter: 0,
            drawn_at: 0,
            waited: 0,
            idle: 0,
            clear: 0,
            gap: aifs,
            ready: None,
            nav: 0,
            held: 0,
            short: 0,
            long: 0,
            internal: 0,
            timeout: None,
            notices: None,
        }
    }

    /// A slot is counted.
    fn count(&mut self) {
        self.waited += u64::from(self.want == Want::Backoff && self.counter > 0);
        self.counter = self.counter.saturating_sub(1);
    }
}

pub(crate) struct Model<'a> {
    config: &'a CellConfig,
    /// By station.
    agreed: &'a [Option<Agreed>],
    airtime: Airtime,
    /// Laws of the rates of each station's link, up and down.
    laws: Vec<[Option<Law>; 2]>,
    stations: Vec<Station>,
    links: Vec<Stream>,
    air: Vec<OnAir>,
    pending: Vec<(u64, OnAir)>,
    /// Octets of the beacon that waits.
    beacon: Option<Bytes>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) heard: Vec<Heard>,
    until: u64,
    /// Changes that have come to pass, the latest last.
    changed: Vec<Change>,
}

fn us(duration: Duration) -> u64 {
    assert!(duration.as_nanos().is_multiple_of(1000), "everything lasts whole microseconds");
    duration.as_nanos() / 1000
}

/// Standard of a member.
fn standard_of(config: &CellConfig, member: usize) -> Standard {
    let station = member.checked_sub(1).map(|index| config.stations[index].standard);
    station.unwrap_or(config.rules.standard)
}

pub(crate) fn class(kind: FrameKind) -> u8 {
    match kind {
        FrameKind::Data => 0,
        FrameKind::Rts => 1,
        FrameKind::Beacon => 3,
        _ => 2,
    }
}

impl<'a> Model<'a> {
    pub(crate) fn new(config: &'a CellConfig, agreed: &'a [Option<Agreed>], until: u64) -> Self {
        let airtime = Airtime::new(config);
        let members = config.stations.len() + 1;
        // 31 for the PHY of 802.11b, whatever the others have.
        let smallest = |member| match standard_of(config, member) {
            Standard::B => config.rules.cw_min.unwrap_or(31),
            _ => airtime.timing.cw_min,
        };
        let stations = config.stations.iter().map(|it| (&it.categories, it.access));
        let accesses = std::iter::once((&config.ap_categories, config.ap_access)).chain(stations);
        let (mut first, mut others) = (Vec::new(), Vec::new());
        for (member, (categories, access)) in accesses.enumerate() {
            let only = [(AccessCategory::default(), access)];
            let all = if categories.is_empty() { &only[..] } else { &categories[..] };
            let mut own = stream(member);
            for (place, category) in all.iter().enumerate() {
                let station = Station::new(
                    (member, own.clone()),
                    *category,
                    (&airtime.timing, smallest(member)),
                );
                let station = Station { links: vec![Link::default(); members], ..station };
                if place == 0 { &mut first } else { &mut others }.push(station);
                own.jump();
            }
        }
        first.append(&mut others);
        Self {
            agreed,
            laws: Law::all(config, &airtime),
            stations: first,
            links: (0..config.stations.len()).map(error_stream).collect(),
            config,
            airtime: airtime.clone(),
            air: Vec::new(),
            pending: Vec::new(),
            beacon: None,
            sent: Vec::new(),
            heard: Vec::new(),
            until,
            changed: Vec::new(),
        }
    }

    pub(crate) fn run(mut self, happens: Happens<'_>) -> Self {
        let Happens { arrivals, changes, beacons, .. } = happens;
        for now in 0..self.until {
            self.changed.extend(changes.iter().filter(|change| change.at == now));
            self.listen(now);
            for arrival in arrivals.iter().filter(|arrival| arrival.at == now) {
                self.arrive(now, *arrival);
            }
            if let Some(beacon) = beacons.iter().rfind(|beacon| beacon.at == now) {
                self.beacon = Some(beacon.psdu);
            }
            self.end(now);
            for id in 0..self.stations.len() {
                if let Some((_, kind)) = self.stations[id].timeout.filter(|(at, _)| *at == now) {
                    self.stations[id].timeout = None;
                    self.fail(now, id, kind);
                }
            }
            self.start(now);
            if now >= self.until {
                break;
            }
        }
        self
    }

    /// Accounts for the microsecond before `now`.
    fn listen(&mut self, now: u64) {
        if now == 0 {
            return;
        }
        let slot = us(self.airtime.timing.slot);
        for s in &mut self.stations {
            let busy = self.air.iter().any(|frame| frame.occupies(s.member));
            s.idle = if busy { 0 } else { s.idle + 1 };
            s.clear = if busy || s.nav >= now || s.held >= now { 0 } else { s.clear + 1 };
            let over = s.idle >= s.gap && s.clear >= s.aifs;
            s.ready = over.then(|| s.ready.map_or(0, |ready| ready + 1));
            let slot_ends = s.ready.is_some_and(|ready| ready > 0 && ready.is_multiple_of(slot));
            if !s.access.counts_at_start && slot_ends && s.drawn_at + slot <= now {
                s.count();
            }
        }
    }

    fn draw(&mut self, now: u64, id: usize) {
        let s = &mut self.stations[id];
        let word = u64::from(s.stream.next_u32());
        s.counter = u32::try_from((word * u64::from(s.window + 1)) >> 32).expect("a slot count");
        s.drawn_at = now;
    }

    fn arrive(&mut self, now: u64, arrival: Arrival) {
        let from = arrival.from.index();
        let of = (0..self.stations.len()).filter(|id| self.stations[*id].member == from);
        let lower = of.filter(|id| self.stations[*id].category <= arrival.category);
        let id = lower.max_by_key(|id| self.stations[*id].category).unwrap_or(from);
        let s = &self.stations[id];
        let busy = self.is_busy(from) || s.nav > now || s.held > now;
        let s = &mut self.stations[id];
        s.queue.push_back(arrival);
        if s.want != Want::Nothing {
            return;
        }
        s.want = if s.counter > 0 || busy { Want::Backoff } else { Want::Immediate };
        if s.counter == 0 && busy {
            self.draw(now, id);
        }
    }

    fn members(&self) -> usize {
        self.config.stations.len() + 1
    }

    fn is_busy(&self, id: usize) -> bool {
        self.air.iter().any(|frame| frame.occupies(id))
    }

    /// Audibility of frames of `from` to `listener` now.
    fn audibility(&self, listener: usize, from: usize) -> Audibility {
        let id = |member: usize| NodeId(u16::try_from(member).expect("few stations"));
        let is_it = |change: &&Change| (change.listener, change.from) == (id(listener), id(from));
        if let Some(change) = self.changed.iter().rfind(is_it) {
            return change.audibility;
        }
        let station = |member: usize| Some(&self.config.stations[member.checked_sub(1)?]);
        let lists = |one, other| station(one).is_some_and(|s| s.hidden_from.contains(&id(other)));
        if lists(listener, from) || lists(from, listener) {
            Audibility::Nothing
        } else if station(listener).is_some_and(|s| s.senses_only.contains(&id(from))) {
            Audibility::Senses
        } else {
            Audibility::Decodes
        }
    }

    /// True if the receiver of `listener` understands frames that are sent so.
    fn understands(&self, listener: usize, tx: TxVector) -> bool {
        match tx {
            TxVector::Dsss(..) => true,
            TxVector::Ofdm(_) => standard_of(self.config, listener) != Standard::B,
            TxVector::Mode(mode) => {
                standard_of(self.config, listener).format().is_some_and(|it| it >= mode.format())
            }
        }
    }

    fn end(&mut self, now: u64) {
        let (mut ended, still): (Vec<OnAir>, Vec<OnAir>) =
            self.air.drain(..).partition(|frame| frame.end == now);
        self.air = still;
        if ended.is_empty() {
            return;
        }
        for frame in &mut ended {
            self.spoil(frame);
            frame.noisy_for = (0..self.members())
                .map(|id| {
                    (frame.to == id || frame.kind == FrameKind::Beacon) && self.is_noisy(frame, id)
                })
                .collect();
        }
        for frame in &ended {
            let from = u16::try_from(frame.from).expect("few stations");
            self.sent.push((now, from, class(frame.kind), frame.collided));
            self.tell(now, frame);
            self.outcome(now, frame);
        }
        self.hear(now, &ended);
        for id in 0..self.stations.len() {
            if self.is_busy(self.stations[id].member) {
                continue;
            }
            if let Some(kind) = self.stations[id].notices.take() {
                self.fail(now, id, kind);
            }
        }
    }

    /// Notes who knows of a beacon, and what a sender has counted before its exchange.
    fn tell(&mut self, now: u64, frame: &OnAir) {
        let class = class(frame.kind);
        for (id, member) in (0u16..).take(self.members()).enumerate() {
            if frame.from == id && frame.backoff.is_some() {
                self.heard.push((now, member, class, frame.backoff));
            }
            let decoded = frame.is_decoded_by(id) && !frame.noisy_for[id];
            if frame.kind == FrameKind::Beacon && (frame.from == id || decoded) {
                self.heard.push((now, member, class, None));
            }
        }
    }

    /// Noise makes errors in the MPDUs of an aggregate, one by one.
    fn spoil(&mut self, frame: &mut OnAir) {
        let link = frame.from.max(frame.to).max(1) - 1;
        let ErrorModel::Bernoulli(p) = self.config.stations[link].errors else { return };
        if frame.is_decoded_by(frame.to) {
            let stream = &mut self.links[link];
            let errored = frame.mpdus.iter().filter(|_| p.happens(stream.next_u64()));
            frame.errored = errored.copied().collect();
        }
    }

    /// True if noise leaves nothing of a frame that `id` would decode.
    fn is_noisy(&mut self, frame: &OnAir, id: usize) -> bool {
        if frame.kind == FrameKind::CtsToSelf || !frame.is_decoded_by(id) {
            return false;
        }
        if !frame.mpdus.is_empty() {
            return frame.errored.len() == frame.mpdus.len();
        }
        let link = frame.from.max(id) - 1;
        let ErrorModel::Bernoulli(p) = self.config.stations[link].errors else { return false };
        p.happens(self.links[link].next_u64())
    }

    /// Tells each station's carrier sense of the frames that have just ended.
    fn hear(&mut self, now: u64, ended: &[OnAir]) {
        let eifs = us(self.airtime.timing.eifs);
        for place in 0..self.stations.len() {
            let id = self.stations[place].member;
            let concerning: Vec<&OnAir> = ended.iter().filter(|f| f.occupies(id)).collect();
            if concerning.is_empty() {
                continue;
            }
            let mut gap = self.stations[place].aifs;
            for frame in concerning {
                let decoded = !frame.noisy_for[id] && frame.is_decoded_by(id);
                // A sender that is told of collisions is told of its own.
                let is_told = frame.kind != FrameKind::Beacon;
                let collision = frame.lost_to[id] || frame.from == id && frame.collided && is_told;
                let for_it = frame.to == id && frame.kind != FrameKind::CtsToSelf;
                if decoded && frame.heard_by[id] && !for_it && frame.nav > 0 {
                    self.stations[place].nav = self.stations[place].nav.max(now + frame.nav);
                }
                let sensed = frame.heard_by[id] && !decoded;
                let wait = match self.config.rules.after_collision {
                    AfterCollision::Standard => sensed,
                    AfterCollision::Difs => sensed && !collision,
                    AfterCollision::Eifs => sensed || collision,
                };
                if wait && self.config.rules.eifs == Eifs::Nav {
                    self.stations[place].nav = self.stations[place].nav.max(now + eifs);
                } else if wait {
                    gap = self.stations[place].eifs;
                }
            }
            self.stations[place].gap = gap;
        }
    }

    fn outcome(&mut self, now: u64, frame: &OnAir) {
        if frame.missed || frame.kind == FrameKind::Beacon {
            return;
        }
        let received = !frame.noisy_for[frame.to] && frame.is_decoded_by(frame.to);
        let (sifs, tx) = (us(self.airtime.timing.sifs), self.airtime.response(frame.tx));
        match frame.kind {
            FrameKind::Data | FrameKind::BlockAckRequest if received => {
                let come = frame.mpdus.iter().filter(|it| !frame.errored.contains(it)).copied();
                self.stations[frame.by].links[frame.to].received.extend(come);
                let Some(plan) = &self.stations[frame.by].plan else { return };
                let (kind, answer) = (plan.answered_by, plan.answer);
                self.follow(now, kind, (frame.to, frame.from, frame.by), (tx, answer, 0));
            }
            FrameKind::Rts if received && self.stations[frame.to].nav <= now => {
                let cts = us(self.airtime.cts(tx));
                let left = frame.nav - sifs - cts;
                self.follow(now, FrameKind::Cts, (frame.to, frame.from, frame.by), (tx, cts, left));
            }
            FrameKind::Data | FrameKind::Rts | FrameKind::BlockAckRequest => {
                if frame.collided && self.config.rules.after_collision != AfterCollision::Standard {
                    self.stations[frame.by].notices = Some(frame.kind);
                } else {
                    let at = now + us(self.airtime.response_timeout());
                    self.give_up_at(frame.by, at, frame.kind);
                }
            }
            FrameKind::Cts if received => self.send_data(now, frame.by),
            FrameKind::CtsToSelf => self.send_data(now, frame.by),
            FrameKind::Ack | FrameKind::BlockAck if received => self.succeed(now, frame.by),
            FrameKind::Ack | FrameKind::BlockAck => self.fail(now, frame.by, FrameKind::Data),
            FrameKind::Cts => self.fail(now, frame.by, FrameKind::Rts),
            FrameKind::Beacon => unreachable!("nobody answers it"),
        }
    }

    /// No response comes: `id` knows it at that time, and its member's other categories hold still until then.
    fn give_up_at(&mut self, id: usize, at: u64, kind: FrameKind) {
        self.stations[id].timeout = Some((at, kind));
        let member = self.stations[id].member;
        for (other, s) in self.stations.iter_mut().enumerate() {
            if other != id && s.member == member {
                s.held = at;
            }
        }
    }

    /// A frame a SIFS later: vector, duration and NAV.
    fn follow(
        &mut self,
        now: u64,
        kind: FrameKind,
        way: (usize, usize, usize),
        (tx, duration, nav): (TxVector, u64, u64),
    ) {
        let at = now + us(self.airtime.timing.sifs);
        let frame = self.frame(kind, way, (tx, at + duration, nav));
        self.pending.push((at, frame));
    }

    fn frame(
        &self,
        kind: FrameKind,
        (from, to, by): (usize, usize, usize),
        (tx, end, nav): (TxVector, u64, u64),
    ) -> OnAir {
        let nobody = || vec![false; self.members()];
        OnAir {
            kind,
            mpdus: Vec::new(),
            errored: Vec::new(),
            from,
            to,
            by,
            tx,
            end,
            nav,
            collided: false,
            noisy_for: nobody(),
            backoff: None,
            sensed_by: nobody(),
            readable_by: nobody(),
            heard_by: nobody(),
            lost_to: nobody(),
            missed: false,
        }
    }

    fn vector_of(&self, packet: &Arrival) -> TxVector {
        self.vector_between(packet.from.index(), packet.to.index())
    }

    /// Vector of data frames from one member to another.
    fn vector_between(&self, from: usize, to: usize) -> TxVector {
        if let Some(law) = &self.laws[from.max(to) - 1][usize::from(from == 0)] {
            return law.vector();
        }
        let station = &self.config.stations[from.max(to) - 1];
        self.airtime.vector(if from == 0 { station.rate_down } else { station.rate_up })
    }

    /// The law of the rate at which `id` sends to another member.
    fn law(&mut self, id: usize, to: usize) -> Option<&mut Law> {
        let from = self.stations[id].member;
        self.laws[from.max(to) - 1][usize::from(from == 0)].as_mut()
    }

    /// The law is told, if it has a law and sends data.
    fn tell_law(&mut self, now: u64, (id, to): (usize, usize), told: Told) {
        if let Some(law) = self.law(id, to) {
            law.tell(now, told);
        }
    }

    /// True if `id` next asks `to` for a `BlockAck`.
    fn requests(&self, id: usize, to: usize) -> bool {
        let link = &self.stations[id].links[to];
        self.agreed(id, to).is_some() && (link.has_moved || link.asks)
    }

    /// A frame is about to go out.
    fn tell_of_sending(&mut self, now: u64, id: usize) {
        let to = self.receiver(id).expect("something to send");
        if !self.requests(id, to) {
            let s = &self.stations[id];
            let is_first = s.short == s.internal && s.long == 0;
            self.tell_law(now, (id, to), Told::Sending { is_first });
        }
    }

    /// The exchange of `id` is over, with an answer or without one to a frame of this kind.
    fn tell_of_outcome(&mut self, now: u64, id: usize, failed: Option<FrameKind>) {
        let plan = self.stations[id].plan.clone().expect("it was in an exchange");
        if plan.kind == FrameKind::BlockAckRequest {
            return;
        }
        let received = &self.stations[id].links[plan.to].received;
        let sent = plan.mpdus.len().max(1);
        let told = match failed {
            Some(FrameKind::Rts) => Told::RtsFailure { mpdus: sent },
            Some(_) => Told::Block { sent, acknowledged: 0 },
            None if plan.answered_by == FrameKind::Ack => Told::Block { sent, acknowledged: sent },
            None => {
                let acknowledged = plan.mpdus.iter().filter(|it| received.contains(it)).count();
                Told::Block { sent, acknowledged }
            }
        };
        self.tell_law(now, (id, plan.to), told);
    }

    /// If a law plans the attempts of what `id` has sent or is about to send, true at the last of them.
    fn chain_ends(&mut self, id: usize) -> Option<bool> {
        let to = self.receiver(id).expect("something to send");
        let requests = self.requests(id, to);
        self.law(id, to).filter(|_| !requests).and_then(|law| law.chain_ends())
    }

    fn send_data(&mut self, now: u64, id: usize) {
        let at = now + us(self.airtime.timing.sifs);
        let frame = self.planned(at, id);
        self.pending.push((at, frame));
    }

    /// The frame that is answered of the exchange that `id` has planned.
    fn planned(&self, at: u64, id: usize) -> OnAir {
        let plan = self.stations[id].plan.clone().expect("a plan");
        let nav = us(self.airtime.timing.sifs) + plan.answer;
        let way = (self.stations[id].member, plan.to, id);
        let frame = self.frame(plan.kind, way, (plan.tx, at + plan.data, nav));
        OnAir { mpdus: plan.mpdus, ..frame }
    }

    /// Aggregation between two members.
    fn agreed(&self, id: usize, to: usize) -> Option<Agreed> {
        let from = self.stations[id].member;
        self.agreed.get(from.max(to) - 1).copied().flatten()
    }

    /// Receiver of what `id` sends next: whoever has been in service and is not done, else of its oldest packet.
    fn receiver(&self, id: usize) -> Option<usize> {
        let s = &self.stations[id];
        s.again.or_else(|| s.queue.front().map(|packet| packet.to.index()))
    }

    /// Plans the next exchange, whose first frame starts at `start`: alone, or behind another one of the TXOP.
    fn plan(&mut self, start: u64, id: usize, is_first: bool) {
        let to = self.receiver(id).expect("something to send");
        let plan = match self.agreed(id, to) {
            None => self.plan_packet(id),
            Some(agreed) => self.plan_link((start, is_first), (id, to), &agreed),
        };
        let protection = if is_first { plan.protection } else { Protection::None };
        self.stations[id].plan = Some(Plan { protection, ..plan });
    }

    fn plan_packet(&self, id: usize) -> Plan {
        let packet = self.stations[id].queue[0];
        let (tx, to) = (self.vector_of(&packet), packet.to.index());
        Plan {
            to,
            tx,
            data: us(self.airtime.data(packet.size, tx)),
            answer: us(self.airtime.ack(tx)),
            protection: self.airtime.protection(packet.size, tx),
            kind: FrameKind::Data,
            answered_by: FrameKind::Ack,
            mpdus: Vec::new(),
        }
    }

    /// Time on the air of a frame of so many octets [us].
    fn air(&self, octets: u64, tx: TxVector) -> u64 {
        us(self.config.rules.legacy().ppdu_duration(Bytes::new(octets), tx))
    }

    fn plan_link(
        &mut self,
        (start, is_first): (u64, bool),
        (id, to): (usize, usize),
        agreed: &Agreed,
    ) -> Plan {
        let tx = self.vector_between(self.stations[id].member, to);
        let control = self.airtime.response(tx);
        let block_ack = self.air(answer_octets(agreed), control);
        let link = &self.stations[id].links[to];
        if link.has_moved || link.asks {
            return Plan {
                to,
                tx: control,
                data: self.air(24, control),
                answer: block_ack,
                protection: Protection::None,
                kind: FrameKind::BlockAckRequest,
                answered_by: FrameKind::BlockAck,
                mpdus: Vec::new(),
            };
        }
        let s = &self.stations[id];
        let limit = us(s.access.txop_limit);
        let end = if limit == 0 { u64::MAX } else { s.txop_start + limit };
        let mut mpdus = self.batch((start, end), (id, to), agreed);
        let octets = Self::octets(&self.sizes(id, to, &mpdus), agreed.format);
        let psdu = Bytes::new(octets);
        let protection =
            if is_first { self.airtime.protection_of(psdu, tx) } else { Protection::None };
        if let (Protection::RtsCts(guard), true) = (protection, limit > 0) {
            let call = us(self.airtime.rts(guard)) + us(self.airtime.cts(guard));
            let start = start + call + 2 * us(self.airtime.timing.sifs);
            mpdus = self.batch((start, end), (id, to), agreed);
        }
        let is_alone = mpdus.len() == 1;
        let octets = Self::octets(&self.sizes(id, to, &mpdus), agreed.format);
        Plan {
            to,
            tx,
            data: self.air(octets, tx),
            answer: if is_alone { us(self.airtime.ack(tx)) } else { block_ack },
            protection,
            kind: FrameKind::Data,
            answered_by: if is_alone { FrameKind::Ack } else { FrameKind::BlockAck },
            mpdus,
        }
    }

    /// Sizes of MPDUs of a link.
    fn sizes(&self, id: usize, to: usize, mpdus: &[u64]) -> Vec<u64> {
        let numbered = &self.stations[id].links[to].numbered;
        let size =
            |it: &u64| numbered.iter().find(|mpdu| mpdu.number == *it).expect("it waits").size;
        mpdus.iter().map(size).collect()
    }

    /// Octets of a PSDU: a delimiter of four before each MPDU, and all but the last one filled up to a multiple of four.
    /// An HT MPDU alone goes without.
    fn octets(sizes: &[u64], format: Format) -> u64 {
        if let ([size], Format::Ht) = (sizes, format) {
            return *size;
        }
        let Some((last, others)) = sizes.split_last() else { return 0 };
        let filled = |size: &u64| 4 + size + (4 - size % 4) % 4;
        others.iter().map(filled).sum::<u64>() + 4 + last
    }

    /// Numbers of the MPDUs that go next from `id` to `to`: those that have been sent in vain, then new ones in the order
    /// in which they came, as far as the window, the octets, the time of the PPDU and that of the TXOP go.
    fn batch(
        &mut self,
        (start, end): (u64, u64),
        (id, to): (usize, usize),
        agreed: &Agreed,
    ) -> Vec<u64> {
        let tx = self.vector_between(self.stations[id].member, to);
        let is_alone = self.law(id, to).is_some_and(|law| law.is_alone());
        let most = if is_alone { 1 } else { agreed.mpdus };
        let response = self.air(answer_octets(agreed), self.airtime.response(tx));
        let sifs = us(self.airtime.timing.sifs);
        let (mut numbers, mut sizes): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        loop {
            let link = &self.stations[id].links[to];
            let waits = |it: &&Numbered| {
                it.done.is_none()
                    && !it.is_open
                    && numbers.last().is_none_or(|last| it.number > *last)
            };
            let old = link.numbered.iter().find(waits).copied();
            let is_in_window =
                link.numbered.front().is_none_or(|first| link.next < first.number + agreed.window);
            let place = self.stations[id].queue.iter().position(|it| it.to.index() == to);
            let fits = |sizes: &[u64]| {
                let all = Self::octets(sizes, agreed.format);
                // A delimiter counts, whether it is sent or not.
                let octets = if let [size] = sizes { size + 4 } else { all };
                let air = self.air(octets, tx);
                octets <= agreed.octets
                    && sizes.len() <= most
                    && air <= 5_484
                    && start + air + sifs + response <= end
            };
            // A packet goes into the MPDU before it, if that is new and was the last.
            if let (None, Some(place), Some(last)) = (old, place, link.numbered.back())
                && numbers.last() == Some(&last.number)
                && last.attempts == 0
                && agreed.amsdu > 0
            {
                let packet = self.stations[id].queue[place].size.get();
                // Subframes of 14 octets and a packet, all but the last one filled up.
                let before = if last.packets == 1 { last.size - 30 + 14 } else { last.size - 30 };
                let amsdu = before + (4 - before % 4) % 4 + 14 + packet;
                let most = match (agreed.format, agreed.window) {
                    (Format::Ht, 2..) => agreed.amsdu.min(4_065),
                    _ => agreed.amsdu,
                };
                let mut grown = sizes.clone();
                grown.pop();
                grown.push(amsdu + 30);
                if amsdu <= most && fits(&grown) {
                    sizes = grown;
                    self.stations[id].queue.remove(place);
                    let last =
                        self.stations[id].links[to].numbered.back_mut().expect("it is there");
                    (last.size, last.packets) = (amsdu + 30, last.packets + 1);
                    continue;
                }
            }
            let new = place.filter(|_| is_in_window);
            let size = match (old, new) {
                (Some(old), _) => old.size,
                (None, Some(place)) => self.stations[id].queue[place].size.get() + 30,
                (None, None) => break,
            };
            sizes.push(size);
            if sizes.len() > 1 && !fits(&sizes) {
                break;
            }
            let link = &mut self.stations[id].links[to];
            if old.is_none() {
                let (number, packets, attempts) = (link.next, 1, 0);
                let (is_open, done) = (false, None);
                let new = Numbered { number, size, packets, attempts, is_open, done };
                link.numbered.push_back(new);
                link.next += 1;
            }
            numbers.push(old.map_or(link.next - 1, |old| old.number));
            if let (None, Some(place)) = (old, place) {
                self.stations[id].queue.remove(place);
                self.stations[id].again = Some(to);
            }
        }
        numbers
    }

    /// What was sent to `to` is known to have come, or not to have come, and is given up after so many attempts.
    fn settle(&mut self, (id, to): (usize, usize), limit: u16, has_come: impl Fn(u64) -> bool) {
        let has_block_ack = self.agreed(id, to).is_some_and(|agreed| agreed.window > 1);
        let link = &mut self.stations[id].links[to];
        for it in link.numbered.iter_mut().filter(|it| it.is_open) {
            it.is_open = false;
            if has_come(it.number) {
                it.done = Some(true);
            } else if it.attempts >= limit {
                it.done = Some(false);
            }
        }
        while let Some(Numbered { done: Some(is_acknowledged), .. }) = link.numbered.front() {
            // Without a block ack nobody waits for it.
            link.has_moved |= !is_acknowledged && has_block_ack;
            link.numbered.pop_front();
        }
        let goes_on = !link.numbered.is_empty() || link.has_moved || link.asks;
        self.stations[id].again = goes_on.then_some(to);
    }

    fn start(&mut self, now: u64) {
        let slot = us(self.airtime.timing.slot);
        let wins = |s: &Station| match s.want {
            Want::Immediate => s.ready.is_some(),
            Want::Backoff => s.counter == 0 && s.ready.is_some_and(|r| r.is_multiple_of(slot)),
            Want::Nothing | Want::Response => false,
        };
        let mut winners: Vec<usize> =
            (0..self.stations.len()).filter(|id| wins(&self.stations[*id])).collect();
        for id in (0..self.stations.len()).filter(|id| !winners.contains(id)) {
            // A slot begins in which it does not transmit.
            let s = &mut self.stations[id];
            if s.access.counts_at_start && s.ready.is_some_and(|r| r.is_multiple_of(slot)) {
                s.count();
            }
        }
        let mut starting: Vec<OnAir> = Vec::new();
        self.pending.retain(|(at, frame)| {
            starting.extend((*at == now).then(|| frame.clone()));
            *at != now
        });
        for frame in &starting {
            self.open(frame);
        }
        if let Some(psdu) = self.beacon.filter(|_| self.beacon_is_due()) {
            self.beacon = None;
            let (end, tx) = (now + us(self.airtime.beacon(psdu)), self.airtime.beacon_vector());
            starting.push(self.frame(FrameKind::Beacon, (0, 0, 0), (tx, end, 0)));
            // Its own data gives way: who has no back-off to draw below draws one here.
            let (own, others) = winners.iter().partition(|id| self.stations[**id].member == 0);
            let own: Vec<usize> = own;
            for id in own {
                if self.stations[id].want == Want::Backoff {
                    self.draw(now, id);
                }
            }
            winners = others;
        }
        // Of one member the highest category goes out.
        let is_beaten = |id: &usize| {
            let s = &self.stations[*id];
            let all = winners.iter().map(|other| &self.stations[*other]);
            all.filter(|it| it.member == s.member).any(|it| it.category > s.category)
        };
        let (beaten, winners): (Vec<usize>, Vec<usize>) =
            winners.iter().partition(|id| is_beaten(id));
        for id in beaten {
            self.give_way(now, id);
        }
        for id in winners {
            self.stations[id].want = Want::Response;
            self.stations[id].txop_start = now;
            let waited = std::mem::take(&mut self.stations[id].waited);
            let first = self.first_frame(now, id);
            starting.push(OnAir { backoff: Some(waited * slot), ..first });
        }
        if starting.is_empty() {
            return;
        }
        let before = self.air.len();
        self.begin(&mut starting);
        self.air.append(&mut starting);
        self.overlap();
        for index in before..self.air.len() {
            self.await_response(now, index);
        }
        // Whoever waited for the end of its IFS has found the medium busy before it could transmit.
        for id in 0..self.stations.len() {
            if self.stations[id].want == Want::Immediate && self.is_busy(self.stations[id].member) {
                self.stations[id].want = Want::Backoff;
                self.draw(now, id);
            }
        }
    }

    /// True if the access point has been idle for a PIFS, or an EIFS shorter by as many slots, its NAV over for a PIFS,
    /// and is in no exchange.
    fn beacon_is_due(&self) -> bool {
        let s = &self.stations[0];
        let pifs = us(self.airtime.timing.sifs) + us(self.airtime.timing.slot);
        let earlier = s.aifs - pifs;
        let rests = |s: &Station| s.member != 0 || s.want != Want::Response;
        self.stations.iter().all(rests) && s.idle + earlier >= s.gap && s.clear >= pifs
    }

    /// Finds who senses the frames that start, and who notices that they do.
    fn begin(&mut self, starting: &mut [OnAir]) {
        let senders: Vec<usize> = starting.iter().map(|frame| frame.from).collect();
        for (index, sender) in senders.iter().enumerate() {
            let twice = senders[..index].contains(sender);
            let still = self.air.iter().any(|frame| frame.from == *sender);
            assert!(!twice && !still, "nobody sends two frames at once");
        }
        for id in 0..self.members() {
            let sends = senders.contains(&id) || self.air.iter().any(|frame| frame.from == id);
            let in_step = self.air.iter().any(|frame| frame.heard_by[id]);
            let listens = !sends && (in_step || !self.is_busy(id));
            for frame in &mut *starting {
                let audibility = self.audibility(id, frame.from);
                frame.sensed_by[id] = frame.from != id && audibility != Audibility::Nothing;
                frame.readable_by[id] =
                    audibility == Audibility::Decodes && self.understands(id, frame.tx);
                frame.heard_by[id] = frame.sensed_by[id] && listens;
            }
            if sends {
                // It turns from reception to transmission and loses what it was receiving.
                self.air.iter_mut().for_each(|frame| frame.heard_by[id] = false);
            }
        }
    }

    /// Frames on the air together are lost to whoever is reached by both.
    fn overlap(&mut self) {
        let members = self.members();
        for one in 0..self.air.len() {
            for other in (0..self.air.len()).filter(|other| *other != one) {
                for id in 0..self.members() {
                    let both = self.air[one].occupies(id) && self.air[other].occupies(id);
                    self.air[one].lost_to[id] |= both;
                }
            }
            let frame = &mut self.air[one];
            let is_for = |id: usize| frame.to == id || frame.kind == FrameKind::Beacon;
            frame.collided =
                (0..members).any(|id| is_for(id) && frame.sensed_by[id] && frame.lost_to[id]);
        }
    }

    /// The sender of a frame hears its response begin, or only its own time-out counts.
    /// [80211-2020 §10.3.2.9, §10.3.2.11]
    fn await_response(&mut self, now: u64, index: usize) {
        let sent = now - us(self.airtime.timing.sifs).min(now);
        let gives_up = sent + us(self.airtime.response_timeout());
        let frame = &mut self.air[index];
        let answered = match frame.kind {
            FrameKind::Ack | FrameKind::BlockAck => FrameKind::Data,
            FrameKind::Cts => FrameKind::Rts,
            _ => return,
        };
        frame.missed = !frame.sensed_by[frame.to] || frame.lost_to[frame.to];
        if frame.missed {
            let by = frame.by;
            self.give_up_at(by, gives_up, answered);
        }
    }

    fn first_frame(&mut self, now: u64, id: usize) -> OnAir {
        self.tell_of_sending(now, id);
        self.plan(now, id, true);
        let Plan { to, data, answer: ack, protection, .. } =
            self.stations[id].plan.clone().expect("just planned");
        let way = (self.stations[id].member, to, id);
        let sifs = us(self.airtime.timing.sifs);
        match protection {
            Protection::None => self.begin_data(now, id),
            Protection::RtsCts(tx) => {
                let (rts, cts) = (us(self.airtime.rts(tx)), us(self.airtime.cts(tx)));
                let nav = cts + data + ack + 3 * sifs;
                self.frame(FrameKind::Rts, way, (tx, now + rts, nav))
            }
            Protection::CtsToSelf(tx) => {
                let end = now + us(self.airtime.cts(tx));
                self.frame(FrameKind::CtsToSelf, way, (tx, end, data + ack + 2 * sifs))
            }
        }
    }

    fn succeed(&mut self, now: u64, id: usize) {
        self.tell_of_outcome(now, id, None);
        self.take_answer(id);
        if self.fits_txop(now, id) {
            self.stations[id].want = Want::Response;
            self.send_data(now, id);
        } else if self.receiver(id).is_some() || self.config.rules.post_backoff {
            self.draw(now, id);
        }
    }

    /// The exchange of `id` has been answered.
    fn take_answer(&mut self, id: usize) {
        let plan = self.stations[id].plan.clone().expect("it was in an exchange");
        if self.agreed(id, plan.to).is_none() {
            return self.leave(id);
        }
        let planned = self.law(id, plan.to).and_then(|law| law.longest_chain());
        let limit = self.attempts(id, matches!(plan.protection, Protection::RtsCts(_)), planned);
        let link = &mut self.stations[id].links[plan.to];
        (link.silences, link.asks) = (0, false);
        link.has_moved &= plan.kind != FrameKind::BlockAckRequest;
        let received = link.received.clone();
        let is_ack = plan.answered_by == FrameKind::Ack;
        self.settle((id, plan.to), limit, |number| is_ack || received.contains(&number));
        self.start_afresh(id);
    }

    /// Attempts after which an MPDU is given up.
    fn attempts(&self, id: usize, is_protected: bool, planned: Option<u16>) -> u16 {
        match self.stations[id].access.attempts.unwrap_or(self.config.rules.attempts) {
            Attempts::Limits { .. } if let Some(planned) = planned => planned,
            Attempts::Limits { long, .. } if is_protected => long,
            Attempts::Limits { short, .. } => short,
            Attempts::Max(limit) => limit,
            Attempts::Unlimited => u16::MAX,
        }
    }

    /// The window is the smallest again, and no attempt has failed.
    fn start_afresh(&mut self, id: usize) {
        let is_done = self.receiver(id).is_none();
        let s = &mut self.stations[id];
        s.window = u32::from(s.smallest);
        (s.short, s.long, s.internal) = (0, 0, 0);
        s.want = if is_done { Want::Nothing } else { Want::Backoff };
    }

    /// True if what comes next, without protection, and the answer to it end within the TXOP.
    fn fits_txop(&mut self, now: u64, id: usize) -> bool {
        let (limit, sifs) = (us(self.stations[id].access.txop_limit), us(self.airtime.timing.sifs));
        if limit == 0 || self.receiver(id).is_none() {
            return false;
        }
        self.tell_of_sending(now, id);
        self.plan(now + sifs, id, false);
        let s = &self.stations[id];
        let plan = s.plan.as_ref().expect("just planned");
        now + plan.data + plan.answer + 2 * sifs - s.txop_start <= limit
    }

    fn leave(&mut self, id: usize) {
        self.stations[id].queue.pop_front();
        self.start_afresh(id);
    }

    /// The frame that is answered starts: its MPDUs are on the air.
    fn begin_data(&mut self, at: u64, id: usize) -> OnAir {
        let frame = self.planned(at, id);
        self.open(&frame);
        frame
    }

    fn open(&mut self, frame: &OnAir) {
        let link = &mut self.stations[frame.by].links[frame.to];
        for it in link.numbered.iter_mut().filter(|it| frame.mpdus.contains(&it.number)) {
            (it.attempts, it.is_open) = (it.attempts + 1, true);
        }
    }

    /// No answer has come on a link with aggregates.
    fn fail_link(&mut self, id: usize, plan: &Plan, kind: FrameKind, gives_up: bool) {
        let is_protected = matches!(plan.protection, Protection::RtsCts(_));
        let planned = self.law(id, plan.to).and_then(|law| law.longest_chain());
        let planned = planned.filter(|_| plan.kind != FrameKind::BlockAckRequest);
        let limit = self.attempts(id, is_protected && kind == FrameKind::Data, planned);
        let asks_after = self.agreed(id, plan.to).is_some_and(|agreed| agreed.asks);
        let link = &mut self.stations[id].links[plan.to];
        if kind == FrameKind::Rts {
            if gives_up {
                for it in link.numbered.iter_mut().filter(|it| plan.mpdus.contains(&it.number)) {
                    it.is_open = true;
                }
                self.settle((id, plan.to), 0, |_| false);
            }
            return;
        }
        link.silences += 1;
        let has_open = link.numbered.iter().any(|it| it.is_open);
        if (!has_open || asks_after) && link.silences < limit {
            link.asks = has_open;
            return;
        }
        if !has_open || asks_after {
            link.has_moved = false;
        }
        (link.silences, link.asks) = (0, false);
        self.settle((id, plan.to), limit, |_| false);
    }

    /// A higher category of its member goes out instead: as after a collision, but that nothing was on the air.
    fn give_way(&mut self, now: u64, id: usize) {
        let to = self.receiver(id).expect("something to send");
        let has_link = self.agreed(id, to).is_some();
        self.stations[id].short += 1;
        self.stations[id].internal += 1;
        // No frame has failed: a chain of rates goes on.
        let chain_ends = self.chain_ends(id).map(|_| false);
        if !self.widen(id, chain_ends) {
            self.stations[id].want = Want::Backoff;
        } else if has_link {
            self.start_afresh(id);
        } else {
            self.leave(id);
            self.stations[id].waited = 0;
        }
        self.draw(now, id);
    }

    /// True if enough attempts have failed; else its window is doubled.
    fn widen(&mut self, id: usize, chain_ends: Option<bool>) -> bool {
        let s = &mut self.stations[id];
        let gives_up = match s.access.attempts.unwrap_or(self.config.rules.attempts) {
            Attempts::Max(limit) if s.short + s.long >= limit => true,
            Attempts::Limits { short, long } if chain_ends.is_none() => {
                s.short >= short || s.long >= long
            }
            Attempts::Max(_) | Attempts::Limits { .. } => chain_ends == Some(true),
            Attempts::Unlimited => false,
        };
        if !gives_up {
            let largest = s.access.cw_max.unwrap_or(self.airtime.timing.cw_max);
            s.window = (s.window * 2 + 1).min(u32::from(largest));
        }
        gives_up
    }

    fn fail(&mut self, now: u64, id: usize, kind: FrameKind) {
        let plan = self.stations[id].plan.clone().expect("it was in an exchange");
        self.tell_of_outcome(now, id, Some(kind));
        let has_link = self.agreed(id, plan.to).is_some();
        let s = &mut self.stations[id];
        let is_protected = matches!(plan.protection, Protection::RtsCts(_));
        let is_long = kind == FrameKind::Data && is_protected;
        *(if is_long { &mut s.long } else { &mut s.short }) += 1;
        let chain_ends = self.chain_ends(id);
        let gives_up = self.widen(id, chain_ends);
        if gives_up && has_link {
            self.fail_link(id, &plan, kind, true);
            self.start_afresh(id);
        } else if gives_up {
            self.leave(id);
        } else {
            self.stations[id].want = Want::Backoff;
            if has_link {
                self.fail_link(id, &plan, kind, false);
                if self.receiver(id).is_none() {
                    self.stations[id].want = Want::Nothing;
                }
            }
        }
        self.draw(now, id);
    }
}

/// Octets of what answers an aggregate: a `BlockAck` of a bitmap, or an ACK where MPDUs go alone.
fn answer_octets(agreed: &Agreed) -> u64 {
    if agreed.window == 1 { 14 } else { 24 + agreed.window / 8 }
}

pub(crate) fn error_stream(station: usize) -> Stream {
    Stream::seed_from_u64(1_000 + station as u64)
}

pub(crate) fn stream(member: usize) -> Stream {
    Stream::seed_from_u64(member as u64)
}
