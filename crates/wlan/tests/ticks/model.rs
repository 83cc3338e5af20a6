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

mod exchange;
mod medium;
mod plan;
mod rates;

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
