//! A model of the cell that advances microsecond by microsecond, written from the standard's text: every station has
//! its own carrier sense and NAV, and a counter for each of its access categories. It has no groups, no heap and no
//! slot numbers. With any load, options and hearing, the cell must send the same frames at the same times.
//!
//! Each frame on the air has, for each member, whether the member senses it, whether it has received its start, and
//! whether another frame has overlapped it there.

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

use self::multi_user::{MultiUser, Part};
pub(crate) use self::neighbours::{CellMember, run_all};
use self::widths::Spectrum;
use crate::laws::{Law, RateEvent};

mod exchange;
mod medium;
mod multi_user;
mod neighbours;
mod plan;
mod rates;
mod sharing;
mod widths;

/// A packet between a station and the access point that arrives at a time [µs].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) at: u64,
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) size: Bytes,
    pub(crate) category: AccessCategory,
}

/// A beacon that the access point is to send from a time on [µs].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Announced {
    pub(crate) at: u64,
    pub(crate) psdu: Bytes,
}

/// A change of audibility: from a time on [µs], `listener` hears frames of `from` with another audibility.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) at: u64,
    pub(crate) listener: NodeId,
    pub(crate) from: NodeId,
    pub(crate) audibility: Audibility,
}

/// Aggregation agreement between the access point and a station, for both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreed {
    /// Format of the PPDUs under the agreement.
    pub(crate) format: Format,
    pub(crate) octets: u64,
    /// Largest number of octets of an A-MSDU; 0 without A-MSDUs.
    pub(crate) amsdu: u64,
    pub(crate) mpdus: usize,
    pub(crate) window: u64,
    /// True if the sender asks for a `BlockAck` after a missing response.
    pub(crate) asks: bool,
}

/// Frame for comparison: end [µs], sender, kind, true if another frame overlapped the frame.
pub(crate) type Sent = (u64, u16, u8, bool);

/// Frame that a listener receives, for comparison: end [µs], listener, kind, and the back-off before the frame [µs] if
/// the listener sent it as the first frame of an exchange. Only beacons and such first frames are compared.
pub(crate) type Heard = (u64, u16, u8, Option<u64>);

/// All that happens from outside in a run of the model, which simulates a cell microsecond by microsecond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Happens<'a> {
    /// Aggregation agreement of each station, if any.
    pub(crate) agreed: &'a [Option<Agreed>],
    pub(crate) arrivals: &'a [Arrival],
    pub(crate) changes: &'a [Change],
    pub(crate) beacons: &'a [Announced],
}

/// Exchange that a station has begun or will begin next.
#[derive(Clone, Debug)]
struct Plan {
    to: usize,
    tx: TxVector,
    /// Duration of the frame that is answered [µs]; `answer` is that of the response.
    data: u64,
    answer: u64,
    protection: Protection,
    kind: FrameKind,
    answered_by: FrameKind,
    /// Sequence numbers of the MPDUs of an aggregate.
    mpdus: Vec<u64>,
}

/// An MPDU that has a sequence number, and is not finished or waits for earlier MPDUs to be finished.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    number: u64,
    size: u64,
    /// Number of packets in the MPDU.
    packets: usize,
    attempts: u16,
    /// True if the MPDU has been sent and its outcome is not known.
    is_open: bool,
    /// True if the MPDU is acknowledged, false if it is given up, `None` if it is neither.
    done: Option<bool>,
}

/// State of a link with aggregates: that of the sender, and the sequence numbers received.
#[derive(Clone, Debug, Default)]
struct BlockAckLink {
    numbered: VecDeque<Numbered>,
    next: u64,
    received: BTreeSet<u64>,
    /// True if the sender must tell the receiver that it has given up an MPDU.
    has_moved: bool,
    /// True if the sender must ask for a `BlockAck`.
    asks: bool,
    silences: u16,
    /// Octets of the largest packet so far.
    largest: u64,
}

/// A frame on the air.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent")]
struct OnAir {
    kind: FrameKind,
    /// Sequence numbers of the MPDUs, if the frame is an aggregate; `errored` has those of them that noise has made
    /// errors in.
    mpdus: Vec<u64>,
    errored: Vec<u64>,
    /// Parts of an aggregate that other frames destroy, from the first microsecond to the one after the last.
    hits: Vec<(u64, u64)>,
    from: usize,
    /// For a frame of another cell: for each member, true if it hears the frame's transmitter.
    foreign: Option<Vec<bool>>,
    /// Members that send the frame together with `from`; `parts` has what each sends or receives, if the frame has
    /// several users.
    also: Vec<usize>,
    parts: Vec<Part>,
    /// True if the frame is a turn of an exchange of several users.
    is_turn: bool,
    to: usize,
    /// Index of the station whose exchange the frame belongs to.
    by: usize,
    tx: TxVector,
    start: u64,
    end: u64,
    nav: u64,
    /// True if another frame has overlapped this one at its receiver.
    collided: bool,
    /// Members for which noise makes the frame errored: at most its receiver, or any member for a beacon.
    noisy_for: Vec<bool>,
    /// Back-off counted before the frame, if an exchange begins with it.
    backoff: Option<u64>,
    /// For each member: true if it senses the frame. `readable_by`: true if it can decode the frame.
    sensed_by: Vec<bool>,
    readable_by: Vec<bool>,
    /// For each member: true if it has listened since the frame began, and has neither transmitted nor been receiving
    /// another frame whose start it missed.
    heard_by: Vec<bool>,
    /// For each member: true if it could decode the frame, which started alone on a silent medium.
    locked_by: Vec<bool>,
    /// For each member: true if another frame that it senses, or its own, has overlapped this one.
    lost_to: Vec<bool>,
    /// True if the frame is a response whose start the member that waits for it does not sense.
    missed: bool,
    /// True if a frame on a secondary channel has destroyed the frame at its receiver, whose carrier sense does not
    /// notice it.
    is_disturbed: bool,
    /// True if the frame is of another cell, and wider than this one or on another primary channel.
    is_energy: bool,
}

impl OnAir {
    /// True if the frame makes the medium busy for member `id`.
    fn occupies(&self, id: usize) -> bool {
        self.is_from(id) || self.sensed_by[id]
    }

    /// True if member `id` sends the frame, alone or together with others.
    fn is_from(&self, id: usize) -> bool {
        self.from == id || self.also.contains(&id)
    }

    /// True if the frame is for all members or for several ones.
    fn is_for_all(&self) -> bool {
        use FrameKind::{Beacon, MultiBlockAck, MultiUser, Ndp, NdpAnnouncement, Trigger};
        let kind = self.kind;
        matches!(kind, Beacon | MultiUser | Trigger | MultiBlockAck | NdpAnnouncement | Ndp)
    }

    /// True if the receiver of a part decodes the part in the absence of noise.
    fn brings(&self, part: &Part) -> bool {
        let is_alone = part.is_readable && !part.collides;
        let is_in_part = !part.hits.is_empty() && !part.collided;
        self.sensed_by[part.to] && is_alone && (!self.lost_to[part.to] || is_in_part)
    }

    /// True if the frame is an aggregate of which other frames have destroyed a part only.
    fn is_in_part(&self) -> bool {
        !self.hits.is_empty() && !self.collided
    }

    /// True if member `id` decodes the frame in the absence of noise.
    fn is_decoded_by(&self, id: usize) -> bool {
        self.sensed_by[id] && self.readable_by[id] && !self.lost_to[id]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PendingAccess {
    None,
    /// Transmission without a back-off, because the medium was idle when the packet came.
    Immediate,
    /// Transmission when the counter reaches zero.
    Backoff,
    /// No access: the station is in an exchange.
    Response,
}

/// A member with one of its access categories. The first category of each member has the member's index.
struct Station {
    member: usize,
    category: AccessCategory,
    stream: Stream,
    queue: VecDeque<Arrival>,
    /// State of the station's links with aggregates, by receiver. `serving` is the receiver of the next exchange, and
    /// `again` has those with lost MPDUs or a `BlockAckReq`, whose turns come before those of packets in the queue.
    links: Vec<BlockAckLink>,
    serving: Option<usize>,
    again: VecDeque<usize>,
    plan: Option<Plan>,
    pending: PendingAccess,
    window: u32,
    /// Smallest contention window of the station.
    smallest: u16,
    access: AccessParameters,
    /// Wait after a frame that the station has decoded; `eifs` is the wait after one that it has not.
    aifs: u64,
    eifs: u64,
    /// End of the frame whose reception failed last, if the station counts its EIFS from there, as in ns-3.
    failed: Option<u64>,
    /// Time at which the station's TXOP began.
    txop_start: u64,
    /// Slots of the back-off left to count, of which the next one begins at `drawn_at` or later.
    counter: u32,
    drawn_at: u64,
    /// True if the next slot belongs to no back-off.
    skips: bool,
    /// Slots of the back-off counted while the packet at the head of the queue waited.
    waited: u64,
    /// Time for which the medium has been physically idle; `clear` is that for which it has been virtually idle as
    /// well.
    idle: u64,
    clear: u64,
    /// Interframe space that the station must wait after the last frame: AIFS or EIFS.
    gap: u64,
    /// Time after the end of the NAV that the station must wait.
    clear_gap: u64,
    /// Time that has passed since the interframe space ended; `None` before its end.
    ready: Option<u64>,
    nav: u64,
    /// End of the NAV that frames of other cells have set.
    basic_nav: u64,
    /// Time until which another category of the same member waits for a response.
    held: u64,
    /// Time until which the station does not contend, because its MU EDCA timer runs.
    still: u64,
    short: u16,
    long: u16,
    /// Number of failed attempts that were internal collisions, without a transmission.
    internal: u16,
    /// End of the wait for a response that will not come, and the kind of the frame that it would answer.
    timeout: Option<(u64, FrameKind)>,
    /// Kind of the station's frame, if the frame is in a collision that all members notice at once.
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
            serving: None,
            again: VecDeque::new(),
            plan: None,
            pending: PendingAccess::None,
            window: u32::from(smallest),
            smallest,
            access,
            aifs,
            eifs: us(timing.eifs) - us(timing.difs) + aifs,
            failed: None,
            txop_start: 0,
            counter: 0,
            drawn_at: 0,
            skips: false,
            waited: 0,
            idle: 0,
            clear: 0,
            gap: aifs,
            clear_gap: aifs,
            ready: None,
            nav: 0,
            basic_nav: 0,
            held: 0,
            still: 0,
            short: 0,
            long: 0,
            internal: 0,
            timeout: None,
            notices: None,
        }
    }

    /// Counts one slot of the station's back-off.
    fn count(&mut self) {
        let is_own = !std::mem::take(&mut self.skips) && self.pending == PendingAccess::Backoff;
        self.waited += u64::from(is_own && self.counter > 0);
        self.counter = self.counter.saturating_sub(1);
    }
}

pub(crate) struct Model<'a> {
    config: &'a CellConfig,
    /// Aggregation agreement of each station, if any.
    agreed: &'a [Option<Agreed>],
    airtime: Airtime,
    /// Frames of several users, if the access point sends or triggers them.
    multi_user: Option<MultiUser>,
    /// Spectrum, if a neighbour has another block.
    spectrum: Option<Spectrum>,
    /// Rate control of each station's link, uplink and downlink.
    laws: Vec<[Option<Law>; 2]>,
    stations: Vec<Station>,
    links: Vec<Stream>,
    air: Vec<OnAir>,
    pending: Vec<(u64, OnAir)>,
    /// Octets of the beacon that waits, if any.
    beacon: Option<Bytes>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) heard: Vec<Heard>,
    until: u64,
    /// Changes of audibility that have happened, the latest last.
    changed: Vec<Change>,
    /// True if the cell hears another one, or is heard by one.
    pub(super) shares: bool,
    /// Time [µs] for which the access point has sensed frames of other cells: alone, and together with frames of this
    /// cell.
    pub(crate) foreign_air: [u64; 2],
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
        FrameKind::Data | FrameKind::MultiUser => 0,
        FrameKind::Rts => 1,
        FrameKind::Beacon => 3,
        _ => 2,
    }
}

impl<'a> Model<'a> {
    /// Model of the cell with this index among those on the channel.
    pub(crate) fn new(
        (index, config): (usize, &'a CellConfig),
        agreed: &'a [Option<Agreed>],
        until: u64,
    ) -> Self {
        let airtime = Airtime::new(config);
        let members = config.stations.len() + 1;
        // The window is 31 for an 802.11b station, whatever the others have.
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
            let mut own = stream(index, member);
            for (place, category) in all.iter().enumerate() {
                let station = Station::new(
                    (member, own.clone()),
                    *category,
                    (&airtime.timing, smallest(member)),
                );
                let station = Station { links: vec![BlockAckLink::default(); members], ..station };
                if place == 0 { &mut first } else { &mut others }.push(station);
                own.jump();
            }
        }
        first.append(&mut others);
        // Triggers have the category best effort, or the next lower one that the access point has.
        let own = first.iter().enumerate().filter(|(_, s)| s.member == 0);
        let lower = own.filter(|(_, s)| s.category <= AccessCategory::default());
        let by = lower.max_by_key(|(_, s)| s.category).map_or(0, |(id, _)| id);
        Self {
            multi_user: MultiUser::new((index, config), by),
            spectrum: None,
            agreed,
            laws: Law::all(config, &airtime),
            stations: first,
            links: (0..config.stations.len()).map(|it| error_stream(index, it)).collect(),
            config,
            airtime: airtime.clone(),
            air: Vec::new(),
            pending: Vec::new(),
            beacon: None,
            sent: Vec::new(),
            heard: Vec::new(),
            until,
            changed: Vec::new(),
            shares: false,
            foreign_air: [0; 2],
        }
    }

    /// Handles what happens from outside at `now`.
    fn take_in(&mut self, now: u64, happens: Happens<'_>) {
        let Happens { arrivals, changes, beacons, .. } = happens;
        self.changed.extend(changes.iter().filter(|change| change.at == now));
        self.listen(now);
        for arrival in arrivals.iter().filter(|arrival| arrival.at == now) {
            self.arrive(now, *arrival);
        }
        if let Some(beacon) = beacons.iter().rfind(|beacon| beacon.at == now) {
            self.beacon = Some(beacon.psdu);
        }
    }

    /// Ends waits for responses and timers that end at `now`.
    fn time_out(&mut self, now: u64) {
        for id in 0..self.stations.len() {
            if let Some((_, kind)) = self.stations[id].timeout.filter(|(at, _)| *at == now) {
                self.stations[id].timeout = None;
                if self.has_group(id) {
                    self.go_on_without(now);
                } else {
                    self.fail(now, id, kind);
                }
            }
        }
        self.end_timers(now);
    }

    /// Updates carrier sense for the microsecond before `now`.
    fn listen(&mut self, now: u64) {
        if now == 0 {
            return;
        }
        self.count_foreign();
        let slot = us(self.airtime.timing.slot);
        for s in &mut self.stations {
            let busy = self.air.iter().any(|frame| frame.occupies(s.member));
            s.idle = if busy { 0 } else { s.idle + 1 };
            s.clear = if busy || [s.nav, s.held, s.still].iter().any(|it| *it >= now) {
                0
            } else {
                s.clear + 1
            };
            let over = s.idle >= s.gap && s.clear >= s.clear_gap;
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
        let largest = &mut self.stations[id].links[arrival.to.index()].largest;
        *largest = arrival.size.get().max(*largest);
        self.stations[id].queue.push_back(arrival);
        self.serve(id);
        self.seek(now, id, false);
    }

    /// Starts channel access of station `id`, which has something to send, unless it has begun before. The medium
    /// counts as busy if `is_busy`, and while it is busy.
    fn seek(&mut self, now: u64, id: usize, is_busy: bool) {
        let s = &self.stations[id];
        let busy = is_busy
            || self.is_busy(s.member)
            || [s.nav, s.held, s.still].iter().any(|it| *it > now);
        let s = &mut self.stations[id];
        if s.pending != PendingAccess::None {
            return;
        }
        s.pending =
            if s.counter > 0 || busy { PendingAccess::Backoff } else { PendingAccess::Immediate };
        if s.counter == 0 && busy {
            self.draw(now, id);
        }
    }

    /// Frames of the cell that start at `now`.
    fn starting(&mut self, now: u64) -> Vec<OnAir> {
        let slot = us(self.airtime.timing.slot);
        let wins = |s: &Station| match s.pending {
            PendingAccess::Immediate => s.ready.is_some(),
            PendingAccess::Backoff => {
                s.counter == 0 && s.ready.is_some_and(|r| r.is_multiple_of(slot))
            }
            PendingAccess::None | PendingAccess::Response => false,
        };
        let mut winners: Vec<usize> =
            (0..self.stations.len()).filter(|id| wins(&self.stations[*id])).collect();
        for id in (0..self.stations.len()).filter(|id| !winners.contains(id)) {
            // A slot begins in which the station does not transmit.
            let s = &mut self.stations[id];
            if s.access.counts_at_start && s.ready.is_some_and(|r| r.is_multiple_of(slot)) {
                s.count();
            }
        }
        self.heed_secondary(now, &mut winners);
        let mut starting: Vec<OnAir> = Vec::new();
        self.pending.retain(|(at, frame)| {
            starting.extend((*at == now).then(|| frame.clone()));
            *at != now
        });
        for frame in &mut starting {
            self.open(frame);
        }
        if let Some(psdu) = self.beacon.filter(|_| self.beacon_is_due()) {
            self.beacon = None;
            let (end, tx) = (now + us(self.airtime.beacon(psdu)), self.airtime.beacon_vector());
            starting.push(self.frame(FrameKind::Beacon, (0, 0, 0), (tx, end, 0)));
            // The access point's own data gives way to its beacon: a category without a back-off draws one here.
            let (own, others) = winners.iter().partition(|id| self.stations[**id].member == 0);
            let own: Vec<usize> = own;
            for id in own {
                if self.stations[id].pending == PendingAccess::Backoff {
                    self.draw(now, id);
                }
            }
            winners = others;
        }
        // Of several categories of one member the highest one transmits.
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
            self.stations[id].pending = PendingAccess::Response;
            self.stations[id].txop_start = now;
            let waited = std::mem::take(&mut self.stations[id].waited);
            let first = self.first_frame(now, id);
            starting.push(OnAir { backoff: Some(waited * slot), ..first });
        }
        starting
    }

    /// Puts frames of this cell and of others on the air.
    fn start(&mut self, now: u64, mut starting: Vec<OnAir>) {
        if starting.is_empty() {
            return;
        }
        let before = self.air.len();
        for frame in &mut starting {
            frame.start = now;
        }
        self.begin(&mut starting);
        self.air.append(&mut starting);
        self.overlap(now);
        for index in before..self.air.len() {
            self.await_response(now, index);
        }
        // Stations that waited for the end of their interframe space have found the medium busy before it ended.
        for id in 0..self.stations.len() {
            if self.stations[id].pending == PendingAccess::Immediate
                && self.is_busy(self.stations[id].member)
            {
                self.stations[id].pending = PendingAccess::Backoff;
                self.draw(now, id);
            }
        }
    }

    /// True if the medium has been idle for the access point for a PIFS, or for an EIFS minus the slots between PIFS
    /// and AIFS, its NAV has been over for a PIFS, and it is in no exchange.
    fn beacon_is_due(&self) -> bool {
        let s = &self.stations[0];
        let pifs = us(self.airtime.timing.sifs) + us(self.airtime.timing.slot);
        let earlier = s.aifs - pifs;
        let rests = |s: &Station| s.member != 0 || s.pending != PendingAccess::Response;
        self.stations.iter().all(rests) && s.idle + earlier >= s.gap && s.clear >= pifs
    }

    /// Finds the members that sense the frames that start, and those that receive their start.
    fn begin(&mut self, starting: &mut [OnAir]) {
        let each = |frame: &OnAir| {
            std::iter::once(frame.from).chain(frame.also.clone()).collect::<Vec<usize>>()
        };
        let own = starting.iter().filter(|frame| frame.foreign.is_none());
        let senders: Vec<usize> = own.flat_map(each).collect();
        for (index, sender) in senders.iter().enumerate() {
            let twice = senders[..index].contains(sender);
            let still = self.air.iter().any(|frame| frame.is_from(*sender));
            assert!(!twice && !still, "nobody sends two frames at once");
        }
        for frame in &mut *starting {
            for part in &mut frame.parts {
                let is_heard = self.audibility(part.to, part.from) == Audibility::Decodes;
                part.is_readable = is_heard && self.understands(part.to, frame.tx);
            }
            multi_user::collide_in_units(&mut frame.parts);
        }
        for id in 0..self.members() {
            let sends = senders.contains(&id) || self.air.iter().any(|frame| frame.is_from(id));
            let in_step = self.air.iter().any(|frame| frame.heard_by[id]);
            let listens = !sends && (in_step || !self.is_busy(id));
            for frame in &mut *starting {
                let audibility = self.audibility_of(frame, id);
                frame.sensed_by[id] = !frame.is_from(id) && audibility != Audibility::Nothing;
                frame.readable_by[id] =
                    audibility == Audibility::Decodes && self.understands(id, frame.tx);
                frame.heard_by[id] = frame.sensed_by[id] && listens;
            }
            let sensed = starting.iter().filter(|frame| frame.sensed_by[id]).count();
            let locks = !sends && !self.is_busy(id) && sensed == 1;
            for frame in &mut *starting {
                frame.locked_by[id] = locks && frame.sensed_by[id] && frame.readable_by[id];
            }
            if sends || starting.iter().any(|frame| frame.locked_by[id]) {
                let own = self.stations.iter_mut().filter(|s| s.member == id);
                own.for_each(|s| s.failed = None);
            }
            if sends {
                // The station turns from reception to transmission and loses the frames that it was receiving.
                self.air.iter_mut().for_each(|frame| frame.heard_by[id] = false);
            }
        }
    }
}

/// Octets of the response to an aggregate: a `BlockAck` with a bitmap, or an ACK where MPDUs are sent alone.
fn answer_octets(agreed: &Agreed) -> u64 {
    if agreed.window == 1 { 14 } else { 24 + agreed.window / 8 }
}

/// Random numbers for the errors on a station's link in the cell with this index.
pub(crate) fn error_stream(cell: usize, station: usize) -> Stream {
    Stream::seed_from_u64((1_000 + 100 * cell + station) as u64)
}

/// Random numbers of a station for random access to resource units.
pub(crate) fn access_stream(cell: usize, station: usize) -> Stream {
    Stream::seed_from_u64((2_000 + 100 * cell + station) as u64)
}

/// Random numbers for the back-offs of a member in the cell with this index.
pub(crate) fn stream(cell: usize, member: usize) -> Stream {
    Stream::seed_from_u64((100 * cell + member) as u64)
}
