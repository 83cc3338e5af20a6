//! Airtime charges: each exchange is charged to the access point's queue, if that shares time between stations.
//! [hoiland-2017 §3.2], [tan-2004 §4.2]

use airfair_units::{Duration, Time};

use super::mac::CellMac;
use crate::air::Air;
use crate::air::access::Exchange;
use crate::frame::FrameKind;
use crate::node::{Link, NodeId};
use crate::queue::Charge;
use crate::queue::headers::Headers;
use crate::roster::ContenderId;

impl<P: Copy + Headers> CellMac<P> {
    /// Charges the airtime of content that the access point has received, if its queue shares time between stations.
    #[inline]
    pub(super) fn charge_received(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        sender: ContenderId,
        to: NodeId,
    ) {
        if self.shares_time && to.is_ap() {
            self.charge_airtime(air, now, sender, FrameKind::Ack);
        }
    }

    /// Charges the exchange of contender `id`, whose last frame was of kind `last`, to its station. The access point
    /// does not know frames that it did not receive, so failed attempts of stations are charged to nobody.
    #[cold]
    pub(super) fn charge_airtime(
        &mut self,
        air: &mut Air<P>,
        now: Time,
        id: ContenderId,
        last: FrameKind,
    ) {
        let Exchange { sequence, own_end, txop_start, .. } = air.accesses[id.index()].exchange();
        let span = |last| sequence.span(last, &air.airtime);
        let airtime = span(last);
        let to_own_end = if last == FrameKind::Rts { airtime } else { span(FrameKind::Data) };
        // Further exchanges of a TXOP follow after a SIFS.
        let timing = &air.airtime.timing;
        let (gap, backoff) = if *own_end == *txop_start + to_own_end {
            (timing.difs, air.airtime.mean_backoff())
        } else {
            (timing.sifs, Duration::ZERO)
        };
        let Link { station, direction } = Link::between(id.member(), sequence.responder());
        let rate = sequence.tx.rate();
        let charge = Charge { station, direction, rate, airtime, gap, backoff };
        // Deficits belong to one category, and a share of the channel belongs to all.  Deviates: [D-150]
        let own = air.roster.find(NodeId::AP, || air.roster.category(id));
        for queue in air.roster.of(NodeId::AP) {
            let queue_of = &mut self.queues[queue.index()];
            if queue == own || queue_of.shares_channel() {
                queue_of.charge(now, &charge);
            }
        }
        self.plan_release(air);
    }

    /// Sets, for the queue of each access category of the access point, the expected airtime of the other categories'
    /// packets in the driver.
    fn tell_airtime_ahead(&mut self, air: &Air<P>) {
        let ahead = |mac: &Self, id: ContenderId| mac.queues[id.index()].airtime_ahead();
        let all: Duration = air.roster.of(NodeId::AP).map(|id| ahead(self, id)).sum();
        for id in air.roster.of(NodeId::AP) {
            let others = all.saturating_sub(ahead(self, id));
            self.queues[id.index()].note_airtime_of_others(others);
        }
    }

    /// Determines the next time at which the access point's queue may release a packet, or a reorder buffer times out.
    pub(super) fn plan_release(&mut self, air: &mut Air<P>) {
        if self.shares_time && !air.roster.is_plain() {
            self.tell_airtime_ahead(air);
        }
        let queues = air.roster.of(NodeId::AP);
        let releases = queues.filter_map(|id| self.queues[id.index()].next_release());
        let due = self.multi_user.as_ref().and_then(|mu| mu.next_timeout());
        air.set_timer(releases.chain(self.recipients.next_timeout).chain(due).min());
    }
}

#[cfg(test)]
mod tests {
    use super::super::interface::Cell;
    use super::super::tests::{config, with};
    use super::*;
    use crate::edca::AccessCategory;
    use crate::frame::Msdu;
    use crate::phy::Standard;
    use crate::{
        AirtimeQueueLimits, AirtimeSharing, CellConfig, Discipline, HardwareQueue, Limit,
        QueueConfig, Rules, TimeRegulation,
    };
    use airfair_laws::Direction;
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
        finish(&mut cell, Time::ZERO);
        cell
    }

    /// Takes the packet in service of the access point from its queue, which then holds the next one back.
    fn finish<P: Copy + Headers>(cell: &mut Cell<P>, now: Time) {
        let Cell { air, mac } = cell;
        let sequence = mac.queues[0].packet().expect("a packet in service").mpdu.sequence;
        air.accesses[0].start_afresh();
        mac.queues[0].finish(now, sequence);
        mac.plan_release(air);
    }

    /// Time from which the access point may send to the first station again [µs], after an exchange of `from` whose
    /// last frame was of kind `last`. The last frame of `from` itself ended `own_end` [µs] after its TXOP began.
    fn release(rts: bool, from: NodeId, last: FrameKind, own_end: u64) -> u64 {
        let mut cell = cell(rts);
        let id = ContenderId::first(from);
        let Cell { air, mac } = &mut cell;
        air.begin_exchange(mac, Time::ZERO, id);
        air.accesses[from.index()].exchange_mut().own_end =
            Time::ZERO + Duration::from_micros(own_end);
        mac.charge_airtime(air, Time::ZERO, id, last);
        finish(&mut cell, Time::ZERO);
        let release = cell.air.timer().expect("it has no tokens") - Duration::from_nanos(1);
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
            let id = ContenderId::first(from);
            let Cell { air, mac } = &mut cell;
            let sequence = air.begin_exchange(mac, Time::ZERO, id);
            let frame = air.frame_of(id, &sequence, sequence.first());
            let end = Time::ZERO + frame.duration;
            air.transmit(mac, Time::ZERO, id, frame);
            air.contention.begin_busy(Time::ZERO);
            let mut ppdu = air.ppdu(mac, Time::ZERO, id, frame);
            ppdu.errored = errored;
            air.receive(mac, end, &ppdu);
            let timeout = end + air.airtime.response_timeout();
            air.time_out(mac, timeout);
            finish(&mut cell, timeout);
            cell.air.timer().is_some()
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
            let id = cell.air.roster.find(from, || category);
            cell.mac.queues[id.index()].airtime_ahead().as_nanos() / 1_000
        };
        for category in [BestEffort, Video] {
            let id = cell.air.roster.find(NodeId::AP, || category);
            for station in stations {
                let (rate, direction) = (DataRate::from_mbps(8), Direction::Down);
                let [airtime, gap, backoff] = [Duration::ZERO; 3];
                let charge = Charge { station, direction, rate, airtime, gap, backoff };
                cell.mac.queues[id.index()].charge(Time::ZERO, &charge);
            }
        }
        assert_eq!(fill(&mut cell, BestEffort, stations[0]), 12 * 1_040);
        assert_eq!(fill(&mut cell, BestEffort, stations[1]), 24 * 1_040);
        assert_eq!(fill(&mut cell, Video, stations[0]), 5 * 1_040);
    }
}
