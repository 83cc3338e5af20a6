//! Random networks that lose, delay and reorder packets.

use std::collections::{BTreeMap, BTreeSet};

use airfair_transport::quic::{
    Ack, Controller, Data, Receiver, ReceiverConfig, Sender, SenderConfig,
};
use airfair_transport::stream::Transfer;
use airfair_units::{Bytes, Duration, Time};
use proptest::prelude::*;

enum Packet {
    Data(Data),
    Ack(Ack),
}

/// Fates of packets, in turn: `None` for a loss, otherwise the delay [ms]. After the last one all packets take 10 ms.
type Fates = Vec<Option<u64>>;

struct Network {
    sender: Sender,
    receiver: Receiver,
    under_way: BTreeMap<(Time, u64), Packet>,
    fates: std::vec::IntoIter<Option<u64>>,
    count: u64,
    numbers: BTreeSet<u64>,
    /// Number of packets of which the network marks one; 0 without marks.
    marks_every: u64,
}

impl Network {
    fn new(sender: SenderConfig, receiver: ReceiverConfig, fates: Fates) -> Self {
        let (under_way, numbers) = (BTreeMap::new(), BTreeSet::new());
        let (sender, receiver) = (Sender::new(sender), Receiver::new(receiver));
        Self {
            sender,
            receiver,
            under_way,
            fates: fates.into_iter(),
            count: 0,
            numbers,
            marks_every: 0,
        }
    }

    fn put(&mut self, now: Time, packet: Packet) {
        self.count += 1;
        if let Some(delay) = self.fates.next().unwrap_or(Some(10)) {
            self.under_way.insert((now + Duration::from_millis(delay), self.count), packet);
        }
    }

    /// Marks some of the packets that may be marked.
    fn marked(&self, mut data: Data) -> Data {
        if self.marks_every > 0 && data.number.is_multiple_of(self.marks_every) {
            data.ecn.mark();
        }
        data
    }

    /// Sends all that both ends have to send.
    fn drain(&mut self, now: Time) -> Result<(), TestCaseError> {
        loop {
            // One packet may exceed the window at the start of a recovery, and two at a time-out.
            let before = self.sender.in_flight();
            let Some(data) = self.sender.poll_transmit(now) else { break };
            let extra = self.sender.datagram_size() * 3;
            prop_assert!(before <= self.sender.window().max(before) + extra);
            prop_assert!(self.numbers.insert(data.number), "a number is used twice");
            prop_assert!(data.datagram() <= self.sender.datagram_size());
            // The validation of marks never fails, because the network handles them.
            prop_assert_eq!(data.ecn.is_capable(), self.marks_every > 0);
            self.put(now, Packet::Data(self.marked(data)));
        }
        while let Some(ack) = self.receiver.poll_transmit(now) {
            self.put(now, Packet::Ack(ack));
        }
        Ok(())
    }

    /// Time of the next event.
    fn next(&self) -> Option<Time> {
        let packet = self.under_way.keys().next().map(|it| it.0);
        [packet, self.sender.next_timeout(), self.receiver.next_timeout()]
            .into_iter()
            .flatten()
            .min()
    }

    fn step(&mut self, now: Time) -> Result<(), TestCaseError> {
        while let Some(entry) = self.under_way.first_entry().filter(|it| it.key().0 <= now) {
            let delivered = self.receiver.delivered();
            match entry.remove() {
                Packet::Data(data) => self.receiver.handle_data(now, &data),
                Packet::Ack(ack) => self.sender.handle_ack(now, &ack),
            }
            prop_assert!(self.receiver.delivered() >= delivered, "data is taken back");
            self.drain(now)?;
        }
        self.sender.handle_timeout(now);
        self.receiver.handle_timeout(now);
        self.drain(now)
    }
}

fn controllers() -> impl Strategy<Value = Controller> {
    prop_oneof![
        Just(Controller::NewReno),
        Just(Controller::Cubic),
        Just(Controller::Bbr1),
        Just(Controller::Bbr),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever the network loses, delays or reorders, each octet is delivered, once and in order, under numbers that
    /// are never used again; and the sender notices.
    ///
    /// Verifies: [RFC9000 §2.2], [RFC9000 §12.3], [RFC9002 §6]
    #[test]
    fn each_octet_is_delivered_once_and_in_order(
        controller in controllers(),
        (size, window, pacing) in (1u64..200_000, 1_500u64..100_000, any::<bool>()),
        (ack_every, datagram, marks_every) in (1u32..12, 1_200u64..1_473, 0_u64..9),
        fates in prop::collection::vec(
            prop_oneof![4 => Just(Some(10)), 2 => (1u64..60).prop_map(Some), 1 => Just(None)], 0..300),
    ) {
        let window = Bytes::new(window);
        let transfer = Transfer::Bytes(Bytes::new(size));
        let receiver = ReceiverConfig { window, ack_every, ..ReceiverConfig::default() };
        let marks_every = if controller.has_model() { 0 } else { marks_every };
        let sender = SenderConfig {
            controller,
            ecn: marks_every > 0,
            pacing,
            transfer,
            datagram: Bytes::new(datagram),
            initial_max_data: window,
            ..SenderConfig::default()
        };
        let mut network = Network::new(sender, receiver, fates);
        network.marks_every = marks_every;
        network.sender.open(Time::ZERO);
        network.drain(Time::ZERO)?;
        let mut last = Time::ZERO;
        while !network.sender.is_finished() {
            let now = network.next().expect("the sender waits for something");
            prop_assert!(now < Time::ZERO + Duration::from_secs(3_600), "the sender is stuck");
            prop_assert!(now >= last);
            last = now;
            network.step(now)?;
        }
        prop_assert_eq!(network.receiver.delivered(), Bytes::new(size));
        let stats = *network.sender.stats();
        prop_assert_eq!(stats.bytes_acked, Bytes::new(size));
        prop_assert!(stats.bytes_sent >= Bytes::new(size));
        prop_assert_eq!(stats.packets_sent, network.numbers.len() as u64);
        let received = network.receiver.stats();
        prop_assert!(received.packets_received <= stats.packets_sent);
        // Each mark begins a recovery period at most, and packet 0 is marked.
        prop_assert!(stats.marks_answered <= received.marked);
        prop_assert!(marks_every != 1 || stats.marks_answered > 0);
    }
}
