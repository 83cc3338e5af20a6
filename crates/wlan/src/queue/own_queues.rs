//! Queues of one station under airtime fairness: one for each flow, or two that are coupled.

use std::collections::BTreeMap;

use airfair_laws::dualpi2;
use airfair_units::{Bytes, DataRate, Time};

use super::config::{CoDel, FlowQueues, StationQueues};
use super::dual::{CLASSIC, Dual, LOW};
use super::fair::{Fair, bucket, octets};
use super::headers::Headers;
use super::sub_queue::{SubQueue, SubQueues};

/// Properties of a packet by which a station's queue is chosen for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Key {
    /// Number of the packet's flow.
    pub(super) flow: u64,
    /// True if the packet belongs into the queue of low latency.
    pub(super) is_low_latency: bool,
}

/// Queues of one station, with their scheduler.
#[derive(Clone, Debug)]
pub(super) enum OwnQueues {
    Flows(Box<Flows>),
    Coupled(Coupled),
}

/// Queues of a station's flows.
#[derive(Clone, Debug)]
pub(super) struct Flows {
    rule: FlowQueues,
    /// CoDel parameters by the rate of the last frame to the station.
    codel: CoDel,
    fair: Fair,
    /// Index of the queue for each hash.
    queues: BTreeMap<usize, usize>,
}

/// Coupled queues of a station, which exist from its first packet on.
#[derive(Clone, Debug)]
pub(super) struct Coupled {
    params: dualpi2::Params,
    dual: Option<Box<Dual>>,
}

impl OwnQueues {
    pub(super) fn new(rule: StationQueues) -> Self {
        match rule {
            StationQueues::Flows(rule) => Self::Flows(Box::new(Flows {
                rule,
                codel: rule.codel,
                fair: Fair::new(rule.quantum),
                queues: BTreeMap::new(),
            })),
            StationQueues::Coupled(params) => Self::Coupled(Coupled { params, dual: None }),
        }
    }

    /// Index of the queue of a packet, and number of queues that are created for it. They have the indices from `next`
    /// on.
    pub(super) fn classify(&mut self, key: Key, next: usize) -> (usize, usize) {
        match self {
            Self::Flows(flows) => {
                let hash = bucket(key.flow, flows.rule.queues);
                let queue = *flows.queues.entry(hash).or_insert(next);
                (queue, usize::from(queue == next))
            }
            Self::Coupled(Coupled { params, dual }) => {
                let created = if dual.is_none() { 2 } else { 0 };
                let new = || Box::new(Dual::new(*params, [next + CLASSIC, next + LOW]));
                let [classic, low] = dual.get_or_insert_with(new).pair();
                (if key.is_low_latency { low } else { classic }, created)
            }
        }
    }

    /// Queues that packets of a flow may be in, if they exist: those of a coupled pair may be in either.
    pub(super) fn find(&self, key: Key) -> [Option<usize>; 2] {
        match self {
            Self::Flows(flows) => {
                let hash = bucket(key.flow, flows.rule.queues);
                [flows.queues.get(&hash).copied(), None]
            }
            Self::Coupled(coupled) => {
                coupled.dual.as_ref().map_or([None; 2], |dual| dual.pair().map(Some))
            }
        }
    }

    /// Notes that queue `index` is no longer empty.
    pub(super) fn activate<P>(&mut self, queues: &mut SubQueues<P>, index: usize) {
        if let Self::Flows(flows) = self {
            flows.fair.activate(queues.get(index), index);
        }
    }

    /// Chooses the queue that is served next, and charges it.
    pub(super) fn choose<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
    ) -> Option<usize> {
        match self {
            Self::Flows(flows) => flows.fair.choose(&flows.codel, now, queues),
            Self::Coupled(coupled) => coupled.dual.as_mut()?.choose(now, queues),
        }
    }

    /// Queue whose turn it is among those that are `wanted`. The queue is not charged yet.
    #[inline]
    pub(super) fn select<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        wanted: impl Fn(&SubQueue<P>) -> bool,
    ) -> Option<usize> {
        match self {
            Self::Flows(flows) => flows.fair.select(&flows.codel, now, queues, wanted),
            Self::Coupled(coupled) => coupled.dual.as_mut()?.select(now, queues, wanted),
        }
    }

    /// Chooses the queue that is served next among those that are `wanted`, and charges it.
    pub(super) fn choose_among<P: Headers>(
        &mut self,
        now: Time,
        queues: &mut SubQueues<P>,
        wanted: impl Fn(&SubQueue<P>) -> bool,
    ) -> Option<usize> {
        let index = self.select(now, queues, wanted)?;
        let size = queues.head_size(index).expect("it is not empty");
        self.charge(queues, index, size);
        Some(index)
    }

    /// Charges queue `index` for a packet of this size that has left it.
    pub(super) fn charge<P>(&mut self, queues: &mut SubQueues<P>, index: usize, size: Bytes) {
        match self {
            Self::Flows(_) => queues.get(index).turn.credit -= octets(size),
            Self::Coupled(Coupled { dual, .. }) => {
                if let Some(dual) = dual {
                    dual.charge(queues, index, size);
                }
            }
        }
    }

    /// Takes back the charge of queue `index`, which was [chosen](Self::choose), for its first packet.
    pub(super) fn take_back<P>(&mut self, queues: &mut SubQueues<P>, index: usize) {
        match self {
            Self::Flows(_) => {
                let size = queues.head_size(index).expect("a packet that was chosen");
                queues.get(index).turn.credit += octets(size);
            }
            Self::Coupled(Coupled { dual, .. }) => {
                if let Some(dual) = dual {
                    dual.take_back();
                }
            }
        }
    }

    /// Indices of the queues that may have packets.
    pub(super) fn listed(&self) -> impl Iterator<Item = usize> {
        let (flows, coupled) = match self {
            Self::Flows(flows) => (Some(flows.fair.listed()), None),
            Self::Coupled(coupled) => (None, coupled.dual.as_ref().map(|dual| dual.pair())),
        };
        flows.into_iter().flatten().chain(coupled.into_iter().flatten())
    }

    /// Notes the rate of a frame to the station.
    pub(super) fn note_rate(&mut self, rate: DataRate) {
        if let Self::Flows(flows) = self {
            let is_slow = flows.rule.slow_below.is_some_and(|below| rate < below);
            flows.codel = if is_slow { flows.rule.slow_codel } else { flows.rule.codel };
        }
    }
}
