//! Receivers with block ack agreements: with any losses, no packet vanishes and none waits for ever.

use airfair_laws::dualpi2::Params;

use super::*;
use crate::aggregation::{Agreement, BlockAckWindow};
use crate::block_ack::{AfterSilence, REORDER_TIMEOUT, Recipient, Sequence};
use crate::phy::mode::{Format, Mode};
use crate::phy::{GuardInterval, TxVector, Width};

const STATIONS: usize = 3;
/// Largest number of transmissions of an MPDU.
const ATTEMPTS: u16 = 4;

/// Outcome of the data frame of an exchange.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// MPDUs are lost if the bit of their index in the aggregate is set in this number. The others are acknowledged.
    Lost(u64),
    Unanswered,
    /// No CTS came for any of the RTS attempts.
    NoCts,
}

/// A transmit queue and its receivers.
struct LossyLink {
    queue: TransmitQueue<Tagged>,
    recipients: Vec<Option<Recipient<()>>>,
    came: u32,
    gone: u32,
}

impl LossyLink {
    fn new(config: QueueConfig, agreements: [Option<Agreement>; STATIONS]) -> Self {
        let mut queue = TransmitQueue::new(config);
        for (index, agreement) in agreements.into_iter().enumerate() {
            if let Some(agreement) = agreement {
                queue.agree(NodeId::station(index), agreement);
            }
        }
        let recipient = |agreement: Agreement| {
            Recipient::new(agreement.window.mpdus(), REORDER_TIMEOUT, Sequence::default())
        };
        let recipients = agreements.map(|agreement| agreement.map(recipient)).into();
        Self { queue, recipients, came: 0, gone: 0 }
    }

    fn push(&mut self, now: Time, flow: u64, size: u64) {
        self.came += 1;
        self.gone += u32::from(!self.queue.push(now, packet(flow, u64::from(self.came), size)));
    }

    /// Performs one exchange with the receiver in service, with this outcome of its data frame.
    fn exchange(&mut self, now: Time, frame: Frame) {
        let Some(to) = self.queue.link_in_service() else {
            self.gone += u32::from(finish(&mut self.queue, now).is_some());
            return;
        };
        let link = self.queue.link(to);
        let (agreement, request) = (link.agreement, link.originator.request());
        let recipient = self.recipients[to.index() - 1].as_mut().expect("a receiver of aggregates");
        if let Some(start) = request {
            recipient.handle_request(start);
        } else {
            self.send(now, to, &agreement, frame);
        }
        self.settle(now, to, request.is_some(), frame);
    }

    /// Sends the data frame of an exchange, as a cell does.
    fn send(&mut self, now: Time, to: NodeId, agreement: &Agreement, frame: Frame) {
        self.queue.prepare(now, to, &room(agreement));
        assert!(self.queue.batch(to).mpdus() > 0, "a frame with nothing in it");
        self.transmit(now, to, frame);
    }

    /// Puts the batch for `to` on the air.
    fn transmit(&mut self, now: Time, to: NodeId, frame: Frame) {
        let mode = Mode::all(Format::Ht, Width::Mhz20, GuardInterval::Ns800).next().expect("MCS 0");
        let (tx, block_ack) = (TxVector::Mode(mode), Duration::from_micros(32));
        let mpdus = self.queue.batch(to).mpdus();
        let recipient = self.recipients[to.index() - 1].as_mut().expect("a receiver of aggregates");
        let link = self.queue.link(to);
        link.frames = Some(Frames { tx, control: tx, block_ack, room: room(&link.agreement) });
        link.originator.set_attempts(ATTEMPTS);
        if matches!(frame, Frame::NoCts) {
            return;
        }
        link.originator.send(mpdus);
        for (place, mpdu) in link.originator.on_air().enumerate() {
            if matches!(frame, Frame::Lost(lost) if lost >> (place % 64) & 1 == 0) {
                recipient.receive(now, mpdu.sequence, || ());
                mpdu.packet.has_arrived = true;
            }
        }
    }

    fn settle(&mut self, now: Time, to: NodeId, is_request: bool, frame: Frame) {
        let Self { queue, recipients, gone, .. } = self;
        let recipient = recipients[to.index() - 1].as_mut().expect("a receiver of aggregates");
        while recipient.poll_released().is_some() {}
        let come = recipient.block_ack();
        let response = match frame {
            Frame::Lost(_) => Response::BlockAck(&come),
            Frame::NoCts if !is_request => Response::NoCts,
            Frame::Unanswered | Frame::NoCts => Response::Silence,
        };
        queue.charge(now, &exchange(to.index() - 1, Down, 900));
        queue.settle_part(now, to, response, |queued, _| {
            *gone += u32::try_from(queued.packets().count()).expect("a few");
        });
    }

    /// Performs one exchange with all stations that have a block ack agreement and something to send, or an exchange with
    /// the receiver in service, if it may not be one of several. Each station loses MPDUs of its own; it does not answer
    /// if the last bit of its number is set.
    fn exchange_with_several(&mut self, now: Time, lost: [u64; STATIONS]) {
        let mut waits = [Waits::default(); 1 + STATIONS];
        self.queue.add_backlogs(&mut waits);
        let in_service = self.queue.link_in_service();
        let has_content =
            |to: &NodeId| in_service == Some(*to) || !waits[to.index()].octets.is_zero();
        let parts: Vec<(NodeId, Room)> = (0..STATIONS)
            .map(NodeId::station)
            .filter(has_content)
            .filter_map(|to| {
                let link = self.queue.link_of(to)?;
                let is_able = link.agreement.has_block_ack() && link.originator.request().is_none();
                is_able.then(|| (to, room(&link.agreement)))
            })
            .collect();
        let is_able = |to: &NodeId| parts.iter().any(|part| part.0 == *to);
        let first = in_service.filter(is_able).filter(|_| self.queue.serves_several());
        let Some(first) = first else {
            return self.exchange(now, Frame::Lost(lost[0]));
        };
        self.queue.prepare_parts(now, &parts);
        let (mut sent, left_out): (Vec<_>, Vec<_>) =
            parts.iter().map(|part| part.0).partition(|to| self.queue.batch(*to).mpdus() > 0);
        assert!(sent.contains(&first), "a frame without the receiver in service");
        for to in left_out {
            self.queue.return_part(now, to);
        }
        let frame = |to: NodeId| match lost[to.index() - 1] {
            lost if lost >> 63 == 1 => Frame::Unanswered,
            lost => Frame::Lost(lost),
        };
        for to in &sent {
            self.transmit(now, *to, frame(*to));
        }
        sent.sort_by_key(|to| *to == first);
        for to in sent {
            self.settle(now, to, false, frame(to));
            self.queue.release(now);
        }
    }

    /// Checks that every packet is done, dropped, refused or queued, and that none waits while nothing is in service.
    fn check(&mut self) {
        self.gone +=
            u32::try_from(std::iter::from_fn(|| self.queue.poll_dropped()).count()).unwrap();
        let queue = &self.queue;
        let under_way: usize = queue.under_way().map(|queued| queued.packets().count()).sum();
        let in_service = usize::from(queue.packet().is_some());
        let left = queue.len();
        assert_eq!(self.came - self.gone, left, "packets that came, less those gone");
        assert_eq!(queue.waiting().count() + under_way + in_service, left as usize);
        let may_hold = matches!(queue.config.discipline, Discipline::TimeRegulator(_));
        assert!(left == 0 || !queue.is_empty() || may_hold, "packets wait for nothing");
        assert!(left > 0 || queue.airtime_ahead().is_zero(), "airtime of nothing");
    }

    /// Performs exchanges without errors until the queue is empty.
    fn drain(&mut self, mut now: Time) {
        for _ in 0..10_000 {
            match self.queue.next_release() {
                Some(release) => {
                    now = now.max(release);
                    self.queue.release(now);
                }
                None if self.queue.is_empty() => break,
                None => self.exchange(now, Frame::Lost(0)),
            }
            self.check();
        }
        assert_eq!(self.queue.len(), 0, "what was let in goes in the end");
    }
}

fn room(agreement: &Agreement) -> Room {
    Room { octets: Bytes::new(9_000), mpdus: agreement.most_mpdus() }
}

/// Agreement with A-MPDUs of up to 9000 octets and a window of 64.
fn agreement() -> Agreement {
    Agreement::of(Format::Ht, BlockAckWindow::Mpdus64)
}

/// No packet vanishes while the block ack window has no room. In two flows to one station, the first MPDU of each frame
/// is lost three times out of four. The window of 64 moves only with every fourth frame of 63 packets. Meanwhile
/// packets of both flows wait in their queues.
#[test]
fn a_window_without_room_lets_no_packet_vanish() {
    let airtime = |hardware_queue| {
        let rule = AirtimeSharing { hardware_queue, ..AirtimeSharing::default() };
        Discipline::Airtime(AirtimeSharing { aql: None, ..rule })
    };
    for discipline in [
        FAIR,
        Discipline::data_ack(Weights::default()),
        airtime(HardwareQueue::default()),
        airtime(HardwareQueue::aggregates(2)),
        airtime(HardwareQueue::aggregates(16)),
        airtime(HardwareQueue::packets(200)),
    ] {
        let config = QueueConfig { discipline, ..QueueConfig::fifo(400) };
        let mut link = LossyLink::new(config, [Some(agreement()), None, None]);
        for _ in 0..100 {
            (0..60).for_each(|number| link.push(ms(0), number % 2, 100));
            link.exchange(ms(0), Frame::Lost(1));
            link.check();
        }
        link.drain(ms(1));
    }
}

/// Airtime limits do not hold back lost MPDUs that must be sent again. At 6 Mb/s a packet of 1500 octets is expected to
/// take 2.07 ms, so each of three stations has four packets in the driver, 24.8 ms together. All frames of the first
/// station are lost, and each carries one packet more than the one before; an MPDU is given up after four attempts.
/// When the fourth frame is lost, three packets wait in the window, 6.2 ms. Other access categories have packets of 24
/// ms in the driver, so that the station may have only 5 ms. Its lost packets are sent again nevertheless, because the
/// driver has taken them before.
#[test]
fn limits_of_airtime_hold_back_nothing_that_was_lost() {
    let rule = AirtimeSharing {
        hardware_queue: HardwareQueue::aggregates(64),
        ..AirtimeSharing::default()
    };
    let config = QueueConfig { discipline: Discipline::Airtime(rule), ..QueueConfig::fifo(1_000) };
    let mut link = LossyLink::new(config, [Some(agreement()); STATIONS]);
    let rate = DataRate::from_mbps(6);
    for index in 0..STATIONS {
        link.queue.charge(ms(0), &Charge { rate, ..exchange(index, Down, 0) });
    }
    for number in 0..300 {
        link.push(ms(0), 2 * (number % 3), 1_500);
    }
    link.queue.note_airtime_of_others(Duration::from_millis(24));
    let (first, mut frames) = (link.queue.link_in_service().expect("packets wait"), 0);
    while frames < 4 {
        let is_first = link.queue.link_in_service() == Some(first);
        frames += u32::from(is_first);
        link.exchange(ms(0), Frame::Lost(if is_first { !0 } else { 0 }));
        link.check();
    }
    let lost = link.queue.under_way().filter(|queued| queued.msdu.to == first).count();
    assert_eq!(lost, 3);
    link.drain(ms(1));
}

/// An aggregate for a station that is held has the two small packets of one flow, without those of another flow that are
/// bulk. Once the station is no longer held, the next one has these.
#[test]
fn an_aggregate_for_a_station_that_is_held_has_no_bulk() {
    let discipline = Discipline::Airtime(AirtimeSharing::default());
    let config = QueueConfig { discipline, ..QueueConfig::fifo(1_000) };
    let mut link = LossyLink::new(config, [Some(agreement()); STATIONS]);
    link.queue.hold(NodeId::station(0), true);
    for (flow, packets, size) in [(2, 1, 1_000), (0, 6, 1_000), (1, 2, 300)] {
        (0..packets).for_each(|_| link.push(ms(0), flow, size));
    }
    link.exchange(ms(0), Frame::Lost(0));
    let mpdus = |link: &mut LossyLink| {
        let to = link.queue.link_in_service()?;
        link.queue.prepare(ms(0), to, &room(&agreement()));
        let mpdus = link.queue.batch(to).mpdus();
        link.transmit(ms(0), to, Frame::Lost(0));
        link.settle(ms(0), to, false, Frame::Lost(0));
        Some((to, mpdus))
    };
    assert_eq!(mpdus(&mut link), Some((NodeId::station(0), 2)));
    assert_eq!(mpdus(&mut link), None);
    link.queue.hold(NodeId::station(0), false);
    link.queue.release(ms(1));
    assert_eq!(mpdus(&mut link), Some((NodeId::station(0), 6)));
}

fn any_agreement() -> impl Strategy<Value = Option<Agreement>> {
    let keys = (1u16..70, any::<bool>(), any::<bool>(), any::<bool>());
    let any = keys.prop_map(|(mpdus, joins, blocks, asks)| {
        let agreement = match (blocks, joins) {
            (true, false) => agreement(),
            (true, true) => agreement().with_amsdu(Format::Ht, Bytes::new(3_839)),
            (false, _) => Agreement::without_block_ack(Format::Ht, Bytes::new(3_839)),
        };
        let after_silence = if asks { AfterSilence::Request } else { AfterSilence::Retransmission };
        let limits = crate::aggregation::AmpduLimits { max_mpdus: mpdus, ..agreement.limits };
        Agreement { limits, after_silence, ..agreement }
    });
    prop::option::weighted(0.8, any)
}

fn any_discipline() -> impl Strategy<Value = Discipline> {
    let hardware = (any::<bool>(), prop::sample::select(vec![1u16, 2, 3, 16, 64, 200]));
    let hardware = hardware.prop_map(|(ahead, most)| {
        if ahead { HardwareQueue::aggregates(most) } else { HardwareQueue::packets(most) }
    });
    let hardware = prop::option::weighted(0.8, hardware).prop_map(Option::unwrap_or_default);
    let aql = prop::option::weighted(0.7, (1u64..8_000, 1u64..20_000, 1u64..30_000));
    let queues = prop_oneof![
        3 => (1u16..5).prop_map(|queues| {
            StationQueues::Flows(FlowQueues { queues, codel: RULE, ..FlowQueues::default() })
        }),
        1 => Just(StationQueues::Coupled(Params::default())),
    ];
    let airtime = (hardware.clone(), aql, queues, any::<bool>()).prop_map(
        |(hardware_queue, aql, queues, has_quantum)| {
            let us = Duration::from_micros;
            let limits = |(low, high, threshold)| AirtimeQueueLimits {
                low: us(low),
                high: us(high),
                threshold: us(threshold),
            };
            let (aql, rule) = (aql.map(limits), AirtimeSharing::default());
            let quantum = rule.quantum.filter(|_| has_quantum);
            let rule = AirtimeSharing { quantum, queues, hardware_queue, aql, ..rule };
            Discipline::Airtime(rule)
        },
    );
    prop_oneof![
        4 => airtime,
        2 => (1u16..5, any::<bool>()).prop_map(|(queues, hosts)| {
            let isolation = if hosts { Isolation::Receivers } else { Isolation::Flows };
            Discipline::FqCoDel { codel: RULE, quantum: Bytes::new(1_514), queues, isolation }
        }),
        1 => hardware.prop_map(|hardware_queue| {
            Discipline::DataAck { weights: Weights::default(), hardware_queue }
        }),
        1 => Just(Discipline::Fifo),
        1 => Just(Discipline::CoDel(RULE)),
        1 => Just(Discipline::RoundRobin),
        1 => Just(DRR),
        1 => Just(Discipline::TimeRegulator(REGULATION)),
    ]
}

/// Event at a transmit queue.
#[derive(Clone, Debug)]
enum Step {
    /// Packets arrive at the transmit queue: their number, the number of their flow, and their size [octets].
    Come(u16, u64, u64),
    Sent(Frame),
    /// A frame goes to several stations. Each loses the MPDUs whose bits are set in its number.
    SentToSeveral([u64; STATIONS]),
    Changed(Discipline),
}

fn any_step() -> impl Strategy<Value = Step> {
    let frame = prop_oneof![
        6 => any::<u64>().prop_map(Frame::Lost),
        2 => Just(Frame::Lost(1)),
        2 => Just(Frame::Lost(0)),
        1 => Just(Frame::Unanswered),
        1 => Just(Frame::NoCts),
    ];
    prop_oneof![
        8 => (1u16..40, 0u64..6, 60u64..1_515).prop_map(|(n, flow, size)| Step::Come(n, flow, size)),
        12 => frame.prop_map(Step::Sent),
        8 => any::<[u64; STATIONS]>().prop_map(Step::SentToSeveral),
        1 => any_discipline().prop_map(Step::Changed),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 768, ..ProptestConfig::default() })]

    /// Every packet is done, dropped, refused or queued, and in the end all are gone: with any discipline, driver's
    /// queue, losses and frames to several stations, and with changes of the discipline.
    #[test]
    fn nothing_vanishes_and_nothing_is_stuck_in_aggregates(
        discipline in any_discipline(),
        packets in 4u32..400,
        agreements in prop::array::uniform3(any_agreement()),
        steps in prop::collection::vec((any_step(), 0u64..3), 0..200),
    ) {
        let config = QueueConfig { discipline, ..QueueConfig::fifo(packets) };
        let (mut link, mut now) = (LossyLink::new(config, agreements), ms(0));
        for (step, pause) in steps {
            match step {
                Step::Come(count, flow, size) => {
                    (0..count).for_each(|_| link.push(now, flow, size));
                }
                Step::Sent(frame) => link.exchange(now, frame),
                Step::SentToSeveral(lost) => link.exchange_with_several(now, lost),
                Step::Changed(discipline) => {
                    link.queue.reconfigure(now, QueueConfig { discipline, ..config });
                }
            }
            link.check();
            now += Duration::from_millis(pause);
            if link.queue.next_release().is_some_and(|release| release <= now) {
                link.queue.release(now);
            }
        }
        link.drain(now);
    }
}
