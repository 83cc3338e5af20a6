//! The medium alone, for MACs that are somebody else's: who transmits next, for how long, and who receives it.
//!
//! A [`Cell`](crate::Cell) chooses rates, retries and queues by its own rules. Here frames come with a *retry chain*, and
//! what the medium adds is what no MAC above it can do: it contends for the channel by the same rules of the DCF
//! ([`crate::contention`]), lets frames collide, take their time and be errored, answers them, and says at which attempt
//! one has been acknowledged. Any member may send to any other. A member sends its frames one after the other.
//!
//! ```text
//!            enqueue                  Received, once for each attempt that arrives
//!   MAC ───────────────► Medium ─────► MAC of the receiver
//!    ▲                     │
//!    └─────────────────────┘ Done: attempts of each stage, acknowledged or not
//! ```

mod exchange;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::airtime::Airtime;
use crate::config::{AfterCollision, CellConfig, NodeId};
use crate::contender::{Access, Contender, Deadline, Exchange, Limits, Step, Stream};
use crate::contention::Contention;
use crate::errors::LinkErrors;
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::hearing::Hearing;
use crate::moment::{Moment, Phase};
use crate::phy::TxVector;
use crate::queue::config::QueueConfig;
use crate::roster::{ContenderId, Roster};

/// Most stages of a retry chain.
pub const STAGES: usize = 4;

/// Attempts at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Vector of the frame.
    pub tx: TxVector,
    /// Number of attempts, at least one.
    pub attempts: u8,
    /// True if RTS and CTS go before it.
    pub rts: bool,
}

/// Those whom a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// Everyone: nobody answers.
    All,
    /// A member, which answers.
    One(NodeId),
    /// An address that no member has: it is not answered, and sent again.
    Unknown,
}

/// A frame that a MAC hands over; `T` is what it knows it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job<T> {
    /// The owner's part.
    pub tag: T,
    /// Those whom it is for.
    pub to: Addressee,
    /// Octets of its PSDU, check sequence included.
    pub psdu: Bytes,
    /// Retry chain; what follows the first empty stage does not count.
    pub chain: [Option<Stage>; STAGES],
    /// True for a beacon, which goes before the frames that wait.
    pub is_urgent: bool,
}

/// An end that a frame has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<T> {
    /// The owner's part.
    pub tag: T,
    /// Its transmitter.
    pub from: NodeId,
    /// Attempts of each stage.
    pub attempts: [u8; STAGES],
    /// True if its transmitter has heard the ACK.
    pub acknowledged: bool,
    /// Time on the air of all frames of its exchanges.
    pub airtime: Duration,
}

/// What the medium has to tell the MACs, in the order in which it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News<T> {
    /// A frame has arrived.
    Received {
        /// The owner's part.
        tag: T,
        /// The member that it has come to.
        by: NodeId,
        /// Vector that it was sent with.
        tx: TxVector,
        /// True if it was not its first attempt: it may have come before.
        again: bool,
    },
    /// A frame is done.
    Done(Done<T>),
}

/// A member: the frames that it has to send, and how far the first of them has come.
#[derive(Debug)]
struct Sender<T> {
    queue: VecDeque<Job<T>>,
    capacity: usize,
    /// Windows, back-offs and the rule that ends a chain.
    contender: Contender<()>,
    access: Access,
    attempts: [u8; STAGES],
    airtime: Duration,
}

impl<T: Copy> Sender<T> {
    fn new(queue: QueueConfig, limits: Limits, stream: Stream) -> Self {
        Self {
            queue: VecDeque::new(),
            capacity: usize::try_from(queue.packets).unwrap_or(usize::MAX),
            contender: Contender::new(queue, limits, stream),
            access: Access::Idle,
            attempts: [0; STAGES],
            airtime: Duration::ZERO,
        }
    }

    fn job(&self) -> &Job<T> {
        self.queue.front().expect("a frame wherever it contends or has won the channel")
    }

    /// Stage of the next attempt; none if all have been made.
    fn stage(&self) -> Option<(usize, Stage)> {
        let stages = self.job().chain.iter().map_while(|stage| *stage);
        stages.enumerate().find(|(at, stage)| self.attempts[*at] < stage.attempts)
    }

    fn has_begun(&self) -> bool {
        self.attempts != [0; STAGES] || matches!(self.access, Access::Exchange(_))
    }
}

/// One channel, and the members that share it.
#[derive(Debug)]
pub struct Medium<T> {
    airtime: Airtime,
    after_collision: AfterCollision,
    post_backoff: bool,
    contention: Contention,
    senders: Vec<Sender<T>>,
    /// Errors of frames between each station and the access point.
    links: LinkErrors,
    /// Highest rates at which frames of each station, and to it, get through.
    ceilings: Vec<[DataRate; 2]>,
    on_air: Vec<Ppdu<()>>,
    /// Initiators of exchanges whose next frame is due, and of those that wait in vain.
    following: Vec<NodeId>,
    unanswered: Vec<NodeId>,
    /// Members for which a frame for all, which has just left the air, is errored, ascending.
    missed: Vec<NodeId>,
    news: VecDeque<News<T>>,
}

impl<T: Copy> Medium<T> {
    /// A silent channel by the rules of `config`, with its members. Of these count: queue lengths, channel access, who hears
    /// whom, errors, and rates as ceilings. `streams` are the members' back-off generators, the access point's first;
    /// `error_streams` those of the stations' links.
    ///
    /// # Panics
    /// If there is not one stream per member, and one per link.
    pub fn new(config: &CellConfig, streams: Vec<Stream>, error_streams: Vec<Stream>) -> Self {
        assert_eq!(streams.len(), config.stations.len() + 1, "one stream per member");
        assert_eq!(error_streams.len(), config.stations.len(), "one stream per link");
        let config = CellConfig {
            ap_categories: Vec::new(),
            stations: config
                .stations
                .iter()
                .cloned()
                .map(|mut station| {
                    station.categories.clear();
                    station
                })
                .collect(),
            ..config.clone()
        };
        let airtime = Airtime::new(&config);
        let roster = Roster::new(&config);
        let hearing = Hearing::fixed(&config, &roster);
        let stations = config.stations.iter();
        let queues = std::iter::once((config.ap_queue, config.ap_access))
            .chain(stations.clone().map(|station| (station.queue, station.access)));
        let sender = |((queue, access), stream)| {
            Sender::new(queue, Limits::new(&access, &airtime.timing, config.rules.attempts), stream)
        };
        let senders = queues.zip(streams).map(sender).collect();
        let models = stations.clone().map(|station| station.errors);
        Self {
            after_collision: config.rules.after_collision,
            post_backoff: config.rules.post_backoff,
            contention: Contention::new(&config, &airtime.timing, (hearing, roster)),
            airtime,
            senders,
            links: LinkErrors::new(models.zip(error_streams)),
            ceilings: stations
                .map(|it| [it.rate_up.data_rate(), it.rate_down.data_rate()])
                .collect(),
            on_air: Vec::new(),
            following: Vec::new(),
            unanswered: Vec::new(),
            missed: Vec::new(),
            news: VecDeque::new(),
        }
    }

    /// Durations of its frames.
    pub fn airtime(&self) -> &Airtime {
        &self.airtime
    }

    /// From the next frame that ends on, those of a station in one direction get through at this rate and below.
    pub fn set_ceiling(&mut self, station: NodeId, direction: Direction, rate: DataRate) {
        self.ceilings[station.index() - 1][direction as usize] = rate;
    }

    /// A frame joins the queue of `from`.
    ///
    /// # Errors
    /// The frame, if the queue has no room for it, or its chain no stage.
    pub fn enqueue(&mut self, now: Time, from: NodeId, job: Job<T>) -> Result<(), Job<T>> {
        let sender = &mut self.senders[from.index()];
        let has_room = job.is_urgent || sender.queue.len() < sender.capacity;
        if !has_room || job.chain[0].is_none_or(|stage| stage.attempts == 0) {
            return Err(job);
        }
        if job.is_urgent {
            let place = usize::from(!sender.queue.is_empty() && sender.has_begun());
            sender.queue.insert(place, job);
        } else {
            sender.queue.push_back(job);
        }
        if sender.access == Access::Idle {
            sender.access = Access::Contending;
            let id = ContenderId::first(from);
            if self.contention.try_access(id, now).is_none() {
                self.back_off(now, id);
            }
        }
        Ok(())
    }

    /// Moment at which it next needs [`handle_event`](Self::handle_event).
    pub fn next_event(&mut self) -> Moment {
        let end = self.on_air.iter().map(|ppdu| ppdu.end).min();
        let timeout = self.unanswered.iter().filter_map(|id| match self.deadline(*id) {
            Deadline::At(at) => Some(at),
            Deadline::Idle => None,
        });
        let timeout = timeout.min();
        let response = self.following.iter().map(|id| self.due(*id)).min();
        Moment::of(end, Phase::End)
            .min(Moment::of(timeout, Phase::Timeout))
            .min(Moment::of(response, Phase::Start))
            .min(Moment::of(self.contention.next_access(), Phase::Start))
    }

    /// Lets happen what [`next_event`](Self::next_event) announced. A spurious call is a no-op.
    pub fn handle_event(&mut self, now: Time, phase: Phase) {
        match phase {
            Phase::End => self.end(now),
            Phase::Timeout => self.fail_where(|_, _, deadline| deadline == Deadline::At(now), now),
            Phase::Start => self.start(now),
        }
    }

    /// The oldest news that have not been asked for.
    pub fn poll_news(&mut self) -> Option<News<T>> {
        self.news.pop_front()
    }

    fn exchange(&self, id: NodeId) -> &Exchange {
        match &self.senders[id.index()].access {
            Access::Exchange(exchange) => exchange,
            _ => unreachable!("it is in an exchange"),
        }
    }

    fn set_step(&mut self, id: NodeId, step: Step) {
        if let Access::Exchange(exchange) = &mut self.senders[id.index()].access {
            exchange.step = step;
        }
    }

    fn due(&self, id: NodeId) -> Time {
        match self.exchange(id).step {
            Step::Following(_, at) => at,
            _ => unreachable!("it is listed as following"),
        }
    }

    fn deadline(&self, id: NodeId) -> Deadline {
        match self.exchange(id).step {
            Step::Unanswered(_, deadline) => deadline,
            _ => unreachable!("it is listed as unanswered"),
        }
    }

    fn start(&mut self, now: Time) {
        let mut winners = Vec::new();
        // Winners first: a response that starts now would freeze them.
        self.contention.take_winners(now, &mut winners);
        let due: Vec<NodeId> =
            self.following.iter().copied().filter(|id| self.due(*id) == now).collect();
        self.following.retain(|id| !due.contains(id));
        for initiator in due {
            let frame = self.next_frame(initiator);
            self.transmit(now, initiator, frame);
        }
        for id in winners {
            let frame = self.begin_exchange(id.member());
            self.transmit(now, id.member(), frame);
        }
        self.contention.begin_busy(now);
        self.meet(now);
        while let Some(id) = self.contention.pop_forestalled() {
            self.back_off(now, id);
        }
    }

    fn transmit(&mut self, now: Time, initiator: NodeId, frame: Frame) {
        self.contention.announce(&frame);
        self.senders[initiator.index()].airtime += frame.duration;
        self.on_air.push(Ppdu::new(now, (ContenderId::first(initiator), frame), Vec::new()));
    }

    /// Frames have started: those that overlap where their receiver is collide. Whoever misses the start of its response
    /// waits for nothing but its time-out.
    fn meet(&mut self, now: Time) {
        if self.contention.is_undisturbed() {
            return;
        }
        for ppdu in &mut self.on_air {
            ppdu.collided |= self.contention.overlapped(&ppdu.frame);
        }
        let timeout = self.airtime.response_timeout();
        for ppdu in self.on_air.iter_mut().filter(|ppdu| ppdu.start == now) {
            if !self.contention.misses(&ppdu.frame) {
                continue;
            }
            ppdu.missed = true;
            let id = ppdu.initiator.member();
            if let Access::Exchange(exchange) = &mut self.senders[id.index()].access {
                let deadline = Deadline::At(exchange.own_end + timeout);
                exchange.step = Step::Unanswered(ppdu.frame.kind.answers(), deadline);
                self.unanswered.push(id);
            }
        }
    }

    fn back_off(&mut self, now: Time, id: ContenderId) {
        let slots = self.senders[id.member().index()].contender.draw_backoff();
        self.contention.draw(id, now, slots);
        self.contention.contend(id);
    }

    fn end(&mut self, now: Time) {
        let mut ended: Vec<Ppdu<()>> = self.on_air.extract_if(.., |ppdu| ppdu.end == now).collect();
        self.missed.clear();
        for ppdu in &mut ended {
            self.add_noise(now, ppdu);
        }
        self.missed.sort_unstable();
        // Responses are decided before the NAV of the frame they answer is set.
        for ppdu in &ended {
            self.receive(now, ppdu);
        }
        self.contention.end_busy(now, &ended, &self.missed);
        if self.after_collision != AfterCollision::Standard {
            let knows =
                |it: &Self, id, deadline| deadline == Deadline::Idle && it.contention.is_idle(id);
            self.fail_where(knows, now);
        }
    }

    /// Noise adds errors to what would be decoded of a frame.
    fn add_noise(&mut self, now: Time, ppdu: &mut Ppdu<()>) {
        let Frame { kind, from, to, tx, psdu, .. } = ppdu.frame;
        if kind == FrameKind::CtsToSelf {
            return;
        }
        if let Some(to) = to {
            ppdu.errored = !ppdu.collided
                && self.contention.decodes(to, from)
                && self.errs(now, (from, to), (tx, psdu), kind == FrameKind::Data);
        } else if kind == FrameKind::Beacon {
            for by in self.members().filter(|by| *by != from) {
                if self.contention.decodes(by, from)
                    && self.errs(now, (from, by), (tx, psdu), false)
                {
                    self.missed.push(by);
                    ppdu.errored = true;
                }
            }
        }
    }

    /// True if noise makes an error in a frame on its way between two members; one for a single member has a ceiling.
    fn errs(
        &mut self,
        now: Time,
        (from, to): (NodeId, NodeId),
        (tx, psdu): (TxVector, Bytes),
        is_limited: bool,
    ) -> bool {
        // Between two stations it is the transmitter's link that counts.
        let (station, direction) =
            if from.is_ap() { (to, Direction::Down) } else { (from, Direction::Up) };
        let at = station.index() - 1;
        let is_beyond = is_limited && tx.rate() > self.ceilings[at][direction as usize];
        is_beyond || self.links.errs(at, now, tx, psdu)
    }

    fn members(&self) -> impl Iterator<Item = NodeId> + use<T> {
        (0..).map(NodeId).take(self.senders.len())
    }
}
