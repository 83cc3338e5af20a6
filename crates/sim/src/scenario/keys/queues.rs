//! Keys of the transmit queue of a station or an access point.

use airfair_laws::dualpi2;
use airfair_units::{Bytes, Duration};
use airfair_wlan::{
    AirtimeQueueLimits, AirtimeSharing, CoDel, Counts, Discipline, FlowQueues, HardwareQueue,
    Isolation, Limit, Overflow, StationQueues, TimeRegulation, Weights,
};

use super::super::Queue;
use super::super::declare::{Choice, Keys, OrNone};
use super::super::kind::{Kind, Plain, words};
use super::ranges::{CAPACITY, MARK_ABOVE, PACKETS, bytes, integer, time};

words!(Limit { Each = "each", Shared = "shared" });
words!(Counts { Aggregates = "aggregates", Packets = "packets" });
words!(Isolation { Flows = "flows", Receivers = "dual-dsthost" });
words!(Overflow { Tail = "tail", LongestFlow = "longest-flow" });

const CODEL_TIME: Kind = time(Duration::from_micros(1), Duration::from_secs(60));
const QUANTUM_TIME: Kind =
    Kind::Either(&[time(Duration::from_micros(10), Duration::from_secs(1)), Kind::Word(&["off"])]);
const SHARE_TIME: Kind = time(Duration::from_millis(1), Duration::from_secs(60));
const AHEAD: Kind = Kind::Either(&[integer(1, 16_384), Kind::Word(&["off"])]);
const AHEAD_TIME: Kind = time(Duration::from_micros(1), Duration::from_secs(60));
const SLOW_BELOW: Kind = Kind::Either(&[Kind::Rate, Kind::Word(&["off"])]);
const QUANTUM: Kind = bytes(64, 65_535);
const QUEUES: Kind = integer(1, 65_535);
const WEIGHT: Kind = integer(1, 1_000);
const MARKS: &str = "Packets whose transport has `ecn` are marked instead of dropped.";

/// Queue disciplines of a transmit queue; a queue without a named discipline is FIFO.
pub(crate) const QUEUE: Choice<Queue> = Choice {
    key: "discipline",
    noun: "discipline",
    says: "Queue discipline: the order in which packets leave.",
    name: |queue| match queue.config.discipline {
        Discipline::Fifo | Discipline::MarkingFifo { .. } => "fifo",
        Discipline::DataAck { .. } => "data-ack",
        Discipline::RoundRobin => "round-robin",
        Discipline::DeficitRoundRobin { .. } => "deficit-round-robin",
        Discipline::CoDel(_) => "codel",
        Discipline::DualPi2(_) => "dualpi2",
        Discipline::FqCoDel { .. } => "fq-codel",
        Discipline::Airtime(AirtimeSharing { queues: StationQueues::Flows(_), .. }) => "airtime",
        Discipline::Airtime(AirtimeSharing { queues: StationQueues::Coupled(_), .. }) => {
            "airtime-dualpi2"
        }
        Discipline::TimeRegulator(_) => "time-regulator",
    },
    alone: Vec::new,
    tables: || {
        let quantum = Bytes::new(1_514);
        let codel = CoDel::default();
        let fair = codel.marking();
        let coupled = dualpi2::Params::default();
        let airtime = AirtimeSharing::default();
        let coupled_airtime = AirtimeSharing { queues: StationQueues::Coupled(coupled), ..airtime };
        vec![
            Queue::default(),
            Queue::new(50, Limit::Each, Discipline::data_ack(Weights::default())),
            Queue::new(50, Limit::Each, Discipline::RoundRobin),
            Queue::new(50, Limit::Each, Discipline::DeficitRoundRobin { quantum }),
            Queue::new(1_000, Limit::Shared, Discipline::CoDel(codel)),
            Queue::new(10_000, Limit::Shared, Discipline::DualPi2(coupled)),
            Queue::new(
                10_240,
                Limit::Shared,
                Discipline::FqCoDel {
                    codel: fair,
                    quantum,
                    queues: 1_024,
                    isolation: Isolation::default(),
                },
            ),
            Queue::new(8_192, Limit::Shared, Discipline::Airtime(airtime)),
            Queue::new(8_192, Limit::Shared, Discipline::Airtime(coupled_airtime)),
            Queue::new(50, Limit::Each, Discipline::TimeRegulator(TimeRegulation::default())),
        ]
    },
    has_default: true,
    settings: queue,
};

fn queue(keys: &mut Keys, Queue { config, counts_flows }: &mut Queue) {
    keys.of("a queue");
    keys.key("packets", &mut config.packets, PACKETS, "20").says(CAPACITY);
    let mut limit = |keys: &mut Keys| {
        keys.word("limit", &mut config.limit, "\"shared\"")
            .says(
                "Queues to which `packets` applies: each queue by itself (`each`), or all queues together (`shared`).",
            );
    };
    // A discipline with one queue per flow drops from the longest queue, and has no `overflow`.
    let mut has_overflow = true;
    match &mut config.discipline {
        Discipline::Fifo | Discipline::MarkingFifo { .. } => marking(keys, &mut config.discipline),
        Discipline::DataAck { weights, hardware_queue: ahead } => {
            limit(keys);
            let mut fixed = (!*counts_flows).then_some(*weights);
            let by_flows = Plain::Word("active-flows");
            let default = Weights::default();
            keys.table_or("weights", &mut fixed, OrNone { none: by_flows, default, declare: self::weights }, "\"active-flows\"").says(
                "Packets that each queue sends in a round: fixed numbers, or the numbers of connections up and down \
                 that the access point sees (`active-flows`).",
            );
            (*counts_flows, *weights) = (fixed.is_none(), fixed.unwrap_or_default());
            hardware_queue(keys, ahead);
        }
        Discipline::RoundRobin => limit(keys),
        Discipline::DeficitRoundRobin { quantum } => {
            limit(keys);
            quantum_of_queue(keys, quantum);
        }
        Discipline::CoDel(rule) => codel(keys, rule, false),
        Discipline::DualPi2(rule) => dual(keys, rule),
        Discipline::FqCoDel { codel: rule, quantum, queues, isolation } => {
            codel(keys, rule, true);
            quantum_of_queue(keys, quantum);
            keys.key("queues", queues, QUEUES, "16")
                .says("Number of queues to which flows are hashed.");
            let is_other = *isolation != Isolation::default();
            keys.word("isolation", isolation, "\"dual-dsthost\"").written_if(is_other).says(
                "Owners of equal shares: each flow (`flows`), or each station to which the access point sends, with \
                 equal parts for its flows (`dual-dsthost`, as in CAKE).",
            );
            has_overflow = false;
        }
        Discipline::Airtime(rule) => {
            airtime(keys, rule);
            has_overflow = false;
        }
        Discipline::TimeRegulator(rule) => {
            limit(keys);
            time_regulation(keys, rule);
        }
    }
    if has_overflow {
        keys.word("overflow", &mut config.overflow, "\"longest-flow\"").says(
            "Packet that is dropped when the queue is full: the arriving one (`tail`), or the oldest of the flow with \
             most packets in the same queue (`longest-flow`).",
        );
    }
    keys.key("ack_filter", &mut config.ack_filter, Kind::Flag, "true").says(
        "An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate ACKs and ACKs with SACK \
         blocks are kept.",
    );
}

/// Declares the threshold of a FIFO that marks.
fn marking(keys: &mut Keys, it: &mut Discipline) {
    let mut mark_above = match *it {
        Discipline::MarkingFifo { mark_above } => Some(mark_above),
        _ => None,
    };
    keys.maybe("mark_above", &mut mark_above, PACKETS, "10").follows("no marks").says(MARK_ABOVE);
    if let Some(mark_above) = mark_above {
        *it = Discipline::MarkingFifo { mark_above };
    }
}

fn weights(keys: &mut Keys, it: &mut Weights) {
    keys.of("a pair of weights");
    keys.key("data", &mut it.data, WEIGHT, "3")
        .says("Packets of TCP data, and all others that are not pure ACKs.");
    keys.key("ack", &mut it.ack, WEIGHT, "3").says("Pure TCP ACKs.");
}

fn quantum_of_queue(keys: &mut Keys, quantum: &mut Bytes) {
    keys.key("quantum", quantum, QUANTUM, "\"300 B\"")
        .says("Quantum: octets that are added to a queue's deficit at each of its turns.");
}

/// Declares the keys of CoDel. `marks` is the default of `ecn`.
fn codel(keys: &mut Keys, it: &mut CoDel, marks: bool) {
    keys.key("target", &mut it.target, CODEL_TIME, "\"20 ms\"")
        .says("CoDel's target: the standing delay that it accepts.");
    keys.key("interval", &mut it.interval, CODEL_TIME, "\"300 ms\"")
        .says("CoDel's interval: the time within which the delay must fall below the target once.");
    let (is_usual, example) = (it.marks == marks, if marks { "false" } else { "true" });
    keys.key("ecn", &mut it.marks, Kind::Flag, example).written_if(!is_usual).says(MARKS);
}

/// Declares the keys of `DualPI2`: two coupled queues, for Classic traffic and for low latency.
fn dual(keys: &mut Keys, it: &mut dualpi2::Params) {
    keys.key("target", &mut it.target, CODEL_TIME, "\"20 ms\"")
        .says("Delay of the queue of Classic traffic at which DualPI2 aims.");
    keys.key("step", &mut it.step, CODEL_TIME, "\"2 ms\"").says(
        "Delay in the queue of low latency beyond which each packet is marked while another waits behind it. Packets \
         whose transport sends ECT(1), as `prague` does, are in this queue.",
    );
    keys.key("coupling", &mut it.coupling, integer(1, 10), "1").says(
        "Coupling factor: packets of the queue of low latency are marked with this times the square root of the \
         probability with which Classic packets are marked or dropped.",
    );
}

/// Declares the keys of airtime fairness between stations, with those of the queues that each station has.
fn airtime(keys: &mut Keys, it: &mut AirtimeSharing) {
    keys.optional("airtime_quantum", &mut it.quantum, QUANTUM_TIME, "\"256 us\"").says(
        "Airtime that is added to a station's deficit at each of its turns. With `off` each turn is one aggregate, \
         whatever airtime it takes, as in Linux before its airtime scheduler.",
    );
    keys.key("charges_uplink", &mut it.charges_uplink, Kind::Flag, "false").says(
        "A station is also charged for the frames that it sends, not only for those sent to it.",
    );
    match &mut it.queues {
        StationQueues::Flows(flows) => flow_queues(keys, flows),
        StationQueues::Coupled(rule) => dual(keys, rule),
    }
    hardware_queue(keys, &mut it.hardware_queue);
    let (has_driver, none) = (it.hardware_queue.most.is_some(), Plain::Word("off"));
    let default = AirtimeQueueLimits::default();
    let is_other = it.aql != Some(default);
    keys.table_or("aql", &mut it.aql, OrNone { none, default, declare: aql }, "\"off\"")
        .written_if(has_driver || is_other)
        .says(
            "Airtime queue limits (AQL) of the packets that the driver takes. They have no effect without \
             `hardware_queue`.",
        );
}

/// Declares the keys of the queues of a station's flows, each with `CoDel`.
fn flow_queues(keys: &mut Keys, it: &mut FlowQueues) {
    keys.key("target", &mut it.codel.target, CODEL_TIME, "\"7 ms\"")
        .says("CoDel's target: the standing delay that it accepts.");
    keys.key("interval", &mut it.codel.interval, CODEL_TIME, "\"50 ms\"")
        .says("CoDel's interval: the time within which the delay must fall below the target once.");
    keys.optional("slow_below", &mut it.slow_below, SLOW_BELOW, "\"2 Mb/s\"").says(
        "Rate of a station's last frame below which `slow_target` and `slow_interval` apply to it. With `off` they \
         apply to none, as in Linux since 6.16.",
    );
    keys.key("slow_target", &mut it.slow_codel.target, CODEL_TIME, "\"20 ms\"")
        .says("CoDel's target for a station at a low rate.");
    keys.key("slow_interval", &mut it.slow_codel.interval, CODEL_TIME, "\"100 ms\"")
        .says("CoDel's interval for a station at a low rate.");
    let mut marks = it.codel.marks;
    keys.key("ecn", &mut marks, Kind::Flag, "false").written_if(!marks).says(MARKS);
    (it.codel.marks, it.slow_codel.marks) = (marks, marks);
    keys.key("quantum", &mut it.quantum, QUANTUM, "\"600 B\"")
        .says("Quantum: octets that are added to a flow's deficit at each of its turns.");
    keys.key("queues", &mut it.queues, QUEUES, "16")
        .says("Number of queues to which the flows of a station are hashed.");
}

/// Declares the keys of the driver's queue in front of the air.
fn hardware_queue(keys: &mut Keys, it: &mut HardwareQueue) {
    let (has_driver, is_other) = (it.most.is_some(), it.counts != Counts::default());
    keys.optional("hardware_queue", &mut it.most, AHEAD, "2").written_if(has_driver).says(
        "Largest number of aggregates or packets that the driver holds before they are on the air, those in service \
         included; `hardware_queue_counts` chooses the unit. Without aggregation each packet counts as one. With \
         `off` packets leave their queues when the access point wins the medium; only the first packet of the next \
         frame leaves before that.",
    );
    keys.word("hardware_queue_counts", &mut it.counts, "\"packets\"").written_if(is_other).says(
        "Unit of `hardware_queue`. With `aggregates` the driver forms aggregates in advance; ath9k holds 2. With \
         `packets` the hardware forms an aggregate when it wins the medium, of all packets that it holds for one \
         station; ath10k holds up to 1424 packets and mt76 up to 2048, but `aql` of the airtime discipline usually \
         limits them first.",
    );
}

/// Declares the keys of airtime queue limits, for the driver's queue.
fn aql(keys: &mut Keys, it: &mut AirtimeQueueLimits) {
    keys.of("limits of airtime");
    keys.key("low", &mut it.low, AHEAD_TIME, "\"4 ms\"").says(
        "Limit for one station: the driver takes more of its packets while the expected airtime of those in the \
         driver is below this value, however many it holds for other stations.",
    );
    keys.key("high", &mut it.high, AHEAD_TIME, "\"8 ms\"")
        .says(
            "Higher limit for one station, which applies while the expected airtime of all packets in the driver is \
             below `threshold`.",
        );
    keys.key("threshold", &mut it.threshold, AHEAD_TIME, "\"20 ms\"").says(
        "Expected airtime of all packets in the driver, of all stations and categories, from which on `low` applies \
         instead of `high`.",
    );
}

/// Declares the keys of time regulation: a station that has used its share of the channel waits.
fn time_regulation(keys: &mut Keys, it: &mut TimeRegulation) {
    keys.key("bucket", &mut it.bucket, SHARE_TIME, "\"20 ms\"")
        .says("Largest amount of channel time that a station can save.");
    keys.key("adjustment", &mut it.adjustment, SHARE_TIME, "\"1 s\"")
        .says("Interval at which unused shares are given to stations that can use them.");
    keys.key("charges_backoff", &mut it.charges_backoff, Kind::Flag, "false").says(
        "The mean back-off before a frame counts as channel time. The interframe space before it always counts.",
    );
}
