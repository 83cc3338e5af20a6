//! Airtime charges: each exchange is charged to the access point's queue, if that shares time between stations.
//! [hoiland-2017 §3.2], [tan-2004 §4.2]

use airfair_laws::Direction;
use airfair_units::{Duration, Time};

use super::Cell;
use crate::airtime::Protection;
use crate::contender::{Access, Exchange};
use crate::frame::FrameKind;
use crate::node::NodeId;
use crate::queue::Charge;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

impl<P: Copy + Headers> Cell<P> {
    /// Charges the exchange of contender `id`, whose last frame was of kind `last`, to its station. The access point
    /// does not know frames that it did not receive, so failed attempts of stations are charged to nobody.
    #[cold]
    pub(super) fn charge_airtime(&mut self, now: Time, id: ContenderId, last: FrameKind) {
        let Access::Exchange(plan) = self.contenders[id.index()].access else { return };
        let from = id.member();
        let sifs = self.airtime.timing.sifs;
        let before = match plan.protection {
            Protection::None => Duration::ZERO,
            Protection::RtsCts(tx) => self.airtime.rts(tx) + sifs + self.airtime.cts(tx) + sifs,
            Protection::CtsToSelf(tx) => self.airtime.cts(tx) + sifs,
        };
        let airtime = match (last, plan.protection) {
            (FrameKind::Rts, Protection::RtsCts(tx)) => self.airtime.rts(tx),
            (FrameKind::Data | FrameKind::BlockAckRequest, _) => before + plan.data,
            _ => before + plan.data + sifs + plan.ack,
        };
        let to_own_end = if last == FrameKind::Rts { airtime } else { before + plan.data };
        // Further exchanges of a TXOP follow after a SIFS.
        let (gap, backoff) = if plan.own_end == plan.txop_start + to_own_end {
            (self.airtime.timing.difs, self.airtime.mean_backoff())
        } else {
            (sifs, Duration::ZERO)
        };
        let Exchange { to, tx, .. } = plan;
        let (station, direction) =
            if from.is_ap() { (to, Direction::Down) } else { (from, Direction::Up) };
        let charge = Charge { station, direction, rate: tx.rate(), airtime, gap, backoff };
        // Deficits belong to one category, and a share of the channel belongs to all.  Deviates: [D-150]
        let own = self.roster.find(NodeId::AP, || self.roster.category(id));
        for queue in self.roster.of(NodeId::AP) {
            let queue_of = &mut self.contenders[queue.index()].queue;
            if queue == own || queue_of.shares_channel() {
                queue_of.charge(now, &charge);
            }
        }
        self.plan_release();
    }

    /// Releases packets that the access point's queue has held back, and packets whose reorder buffers have timed
    /// out.
    #[cold]
    pub(super) fn release(&mut self, now: Time) {
        self.release_buffers(now);
        for id in self.roster.of(NodeId::AP) {
            self.contenders[id.index()].queue.release(now);
            self.take_dropped(id);
            self.seek_access(now, id);
        }
        self.plan_release();
    }

    /// Sets, for the queue of each access category of the access point, the expected airtime of the other categories'
    /// packets in the driver.
    fn tell_airtime_ahead(&mut self) {
        let ahead =
            |cell: &Self, id: ContenderId| cell.contenders[id.index()].queue.airtime_ahead();
        let all: Duration = self.roster.of(NodeId::AP).map(|id| ahead(self, id)).sum();
        for id in self.roster.of(NodeId::AP) {
            let others = all.saturating_sub(ahead(self, id));
            self.contenders[id.index()].queue.note_airtime_of_others(others);
        }
    }

    /// Determines the next time at which the access point's queue may release a packet, or a reorder buffer times out.
    pub(super) fn plan_release(&mut self) {
        if self.shares_time && !self.roster.is_plain() {
            self.tell_airtime_ahead();
        }
        let queues = self.roster.of(NodeId::AP);
        let releases = queues.filter_map(|id| self.contenders[id.index()].queue.next_release());
        self.release = releases.chain(self.recipients.next_timeout).min();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{config, with};
    use super::*;
    use crate::edca::AccessCategory;
    use crate::frame::Msdu;
    use crate::phy::Standard;
    use crate::{
        AirtimeQueueLimits, AirtimeSharing, CellConfig, Discipline, HardwareQueue, Limit,
        QueueConfig, Rules, TimeRegulation,
    };
    use airfair_units::{Bytes, DataRate};

    /// An 802.11b cell of two stations, both known to a regulator with buckets of 500 µs. Two packets for the first
    /// station wait at the access point, and one packet waits at the first station.
    fn cell(rts: bool) -> Cell<u32> {
        let rule = TimeRegulation {
            bucket: Duration::from_micros(500),
            adjustment: Duration::from_secs(1),
            charges_backoff: true,
        };
        let rules = Rules {
            rts_threshold: rts.then_some(Bytes::new(500)),
            basic_rates: vec![DataRate::from_mbps(1), DataRate::from_mbps(2)],
            ..Rules::of(Standard::B)
        };
        let ap_queue = QueueConfig {
            limit: Limit::Each,
            discipline: Discipline::TimeRegulator(rule),
            ..QueueConfig::fifo(9)
        };
        let mut cell = with(&CellConfig { ap_queue, ..config(rules, 2, &[]) });
        let (first, other) = (NodeId::station(0), NodeId::station(1));
        for (from, to) in
            [(NodeId::AP, other), (NodeId::AP, first), (NodeId::AP, first), (first, NodeId::AP)]
        {
            cell.enqueue(Time::ZERO, Msdu { payload: &0, size: Bytes::new(1_500), from, to })
                .expect("room in the queue");
        }
        cell.contenders[0].finish(Time::ZERO);
        cell
    }

    /// Time from which the access point may send to the first station again [µs], after an exchange of `from` whose
    /// last frame was of kind `last`. The last frame of `from` itself ended `own_end` [µs] after its TXOP began.
    fn release(rts: bool, from: NodeId, last: FrameKind, own_end: u64) -> u64 {
        let mut cell = cell(rts);
        cell.begin_exchange(Time::ZERO, ContenderId::first(from));
        let Access::Exchange(plan) = &mut cell.contenders[from.index()].access else { panic!() };
        plan.own_end = Time::ZERO + Duration::from_micros(own_end);
        cell.charge_airtime(Time::ZERO, ContenderId::first(from), last);
        cell.contenders[0].finish(Time::ZERO);
        cell.plan_release();
        let release = cell.release.expect("it has no tokens") - Duration::from_nanos(1);
        release.as_nanos() / 1_000
    }

    /// An exchange is charged for those of its frames that were on the air, with the gaps between them, and for the
    /// interframe space and the mean back-off before them.
    ///
    /// Data: 192 + ⌈1528·8/11⌉ = 1304 µs; ACK and CTS 192 + 14·8/2 = 248; RTS 192 + 20·8/2 = 272; SIFS 10. Before each:
    /// DIFS 50, and 31/2 slots of 20. The station's bucket has tokens for 500 µs. As two stations share the channel,
    /// the bucket refills at half the speed of time, so that the station waits for twice the time that exceeds 500 µs.
    ///
    /// Verifies: [tan-2004 §4.2], [hoiland-2017 §3.2]
    #[test]
    fn an_exchange_costs_what_was_on_the_air_of_it() {
        use FrameKind::{Ack, Data, Rts};
        let before = 50 + 310;
        let twice = |cost: u64| 2 * (cost - 500);
        let whole = 1_304 + 10 + 248;
        assert_eq!(release(false, NodeId::AP, Ack, 1_304), twice(before + whole));
        assert_eq!(release(false, NodeId::AP, Data, 1_304), twice(before + 1_304));
        let call = 272 + 10 + 248 + 10;
        assert_eq!(release(true, NodeId::AP, Rts, 272), twice(before + 272));
        assert_eq!(release(true, NodeId::AP, Data, call + 1_304), twice(before + call + 1_304));
        assert_eq!(release(true, NodeId::AP, Ack, call + 1_304), twice(before + call + whole));
        // later in a TXOP
        assert_eq!(release(false, NodeId::AP, Ack, 5_000), twice(10 + whole));
    }

    /// The access point's queue is charged for frames that it receives and for its own failed attempts, and not for
    /// those of others.
    ///
    /// Verifies: [tan-2004 §4.2]
    #[test]
    fn what_arrives_and_what_fails_is_told() {
        let is_held = |from: NodeId, errored: bool| {
            let mut cell = cell(false);
            let plan = cell.begin_exchange(Time::ZERO, ContenderId::first(from));
            let frame = cell.first_frame(ContenderId::first(from), &plan);
            let end = Time::ZERO + frame.duration;
            cell.transmit(Time::ZERO, ContenderId::first(from), frame);
            cell.contention.begin_busy(Time::ZERO);
            let start = Time::ZERO;
            let mut ppdu = cell.ppdu(start, ContenderId::first(from), frame);
            ppdu.errored = errored;
            cell.receive(end, &ppdu);
            cell.time_out(end + cell.response_timeout);
            cell.contenders[0].finish(end + cell.response_timeout);
            cell.plan_release();
            cell.release.is_some()
        };
        let station = NodeId::station(0);
        assert!(is_held(station, false) && !is_held(station, true));
        // When the access point's own frame has arrived, its ACK is still to come.
        assert!(!is_held(NodeId::AP, false) && is_held(NodeId::AP, true));
    }

    /// Payload of a packet, which determines its access category.
    #[derive(Clone, Copy, Debug)]
    struct Of(AccessCategory);

    impl Headers for Of {
        fn category(&self) -> AccessCategory {
            self.0
        }
    }

    /// The airtime of all access categories' packets in the driver counts against one threshold. Linux expects packets
    /// of 1040 µs each. Best effort has twelve per station, which is more than 12 ms of one station and more than 24 ms
    /// of all. So video may have only `low`, 5 ms, and one packet that exceeds it. Alone it would have twelve.
    ///
    /// Verifies: [linux-aql]
    #[test]
    fn one_threshold_of_airtime_in_the_driver_holds_for_all_categories() {
        use AccessCategory::{BestEffort, Video};
        let rule = AirtimeSharing {
            hardware_queue: HardwareQueue::aggregates(64),
            aql: Some(AirtimeQueueLimits::default()),
            ..AirtimeSharing::default()
        };
        let ap_queue =
            QueueConfig { discipline: Discipline::Airtime(rule), ..QueueConfig::fifo(200) };
        let plain = config(Rules::of(Standard::G), 2, &[]);
        let ap_categories = [BestEffort, Video].map(|it| (it, plain.ap_access)).to_vec();
        let mut cell: Cell<Of> = with(&CellConfig { ap_queue, ap_categories, ..plain });
        let stations = [0, 1].map(NodeId::station);
        let fill = |cell: &mut Cell<Of>, category, to| {
            let (size, from) = (Bytes::new(962), NodeId::AP);
            for _ in 0..30 {
                let packet = Msdu { payload: &Of(category), size, from, to };
                cell.enqueue(Time::ZERO, packet).expect("room in the queue");
            }
            let id = cell.roster.find(from, || category);
            cell.contenders[id.index()].queue.airtime_ahead().as_nanos() / 1_000
        };
        for category in [BestEffort, Video] {
            let id = cell.roster.find(NodeId::AP, || category);
            for station in stations {
                let (rate, direction) = (DataRate::from_mbps(8), Direction::Down);
                let [airtime, gap, backoff] = [Duration::ZERO; 3];
                let charge = Charge { station, direction, rate, airtime, gap, backoff };
                cell.contenders[id.index()].queue.charge(Time::ZERO, &charge);
            }
        }
        assert_eq!(fill(&mut cell, BestEffort, stations[0]), 12 * 1_040);
        assert_eq!(fill(&mut cell, BestEffort, stations[1]), 24 * 1_040);
        assert_eq!(fill(&mut cell, Video, stations[0]), 5 * 1_040);
    }
}
