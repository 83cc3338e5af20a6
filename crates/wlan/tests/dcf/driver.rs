//! Driver of the access point, which takes aggregates from the queue in advance, with and without airtime queue
//! limits.

use airfair_laws::Direction;
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::aggregation::{Agreement, BlockAckWindow};
use airfair_wlan::phy::mode::{Format, Mode};
use airfair_wlan::phy::{GuardInterval, Standard, TxVector, Width};
use airfair_wlan::{
    AirtimeQueueLimits, AirtimeSharing, Discipline, HardwareQueue, NodeId, QueueConfig,
};

use crate::bench::{Bench, MBPS, config};

const PACKET: u64 = 1_508;

/// HT mode with this MCS index, which counts eight MCSs for each number of streams.
fn ht(mcs: u8) -> Mode {
    Mode::all(Format::Ht, Width::Mhz20, GuardInterval::Ns800)
        .find(|mode| mode.mcs() % 8 + 8 * (mode.streams() - 1) == mcs)
        .expect("a mode")
}

/// Delay of packets to the second station [ms], 95th percentile, and numbers of packets that the first and the third
/// station receive in two seconds. The first station is fast, and the third is at 6.5 Mb/s; packets always wait for
/// both. Now and then a packet comes for the second station, which is fast.
fn delay(hardware_queue: HardwareQueue, aql: Option<AirtimeQueueLimits>) -> (u64, [usize; 2]) {
    let mut config = config(Standard::N, &[MBPS(54); 3]);
    let rule = AirtimeSharing { hardware_queue, aql, ..AirtimeSharing::default() };
    config.ap_queue = QueueConfig {
        packets: 8_192,
        discipline: Discipline::Airtime(rule),
        ..QueueConfig::fifo(1)
    };
    let mut bench = Bench::new(&config);
    for (index, mcs) in [15, 15, 0].into_iter().enumerate() {
        let (station, agreement) =
            (NodeId::station(index), Agreement::of(Format::Ht, BlockAckWindow::Mpdus64));
        bench.cell.set_vector(station, Direction::Down, TxVector::Mode(ht(mcs)));
        bench.cell.agree(station, Direction::Down, agreement);
    }
    let mut asked = Vec::new();
    for step in 0..1_000_u64 {
        bench.run_until(Time::ZERO + Duration::from_millis(2 * step));
        for (index, packets) in [(0, 25), (2, 2)] {
            (0..packets).for_each(|_| _ = bench.send(NodeId::AP, NodeId::station(index), PACKET));
        }
        if step % 10 == 3 {
            asked.push((bench.now, bench.sent_so_far()));
            bench.send(NodeId::AP, NodeId::station(1), 200);
        }
    }
    bench.run_until(Time::ZERO + Duration::from_secs(2));
    let mut delays: Vec<u64> = (asked.iter())
        .filter_map(|(sent, number)| {
            let came = bench.delivered.iter().find(|(_, it)| it == number)?.0;
            Some((came - *sent).as_nanos() / 1_000_000)
        })
        .collect();
    delays.sort_unstable();
    let of = |index: usize| {
        let to = NodeId::station(index);
        bench.delivered.iter().filter(|(_, number)| bench.hop(*number).1 == to).count()
    };
    (delays[delays.len() * 95 / 100], [of(0), of(2)])
}

/// Airtime queue limits keep the delay behind a slow station short, whatever the length of the hardware queue. Without
/// a hardware queue, a packet to the second station waits for one aggregate on the air, 5.5 ms at most, and one for the
/// first station; with two aggregates in the hardware, for one more. A long hardware queue delays the packet by all of
/// its aggregates, unless the limits keep these few.
///
/// Verifies: [linux-aql], [linux-ath9k]
#[test]
fn airtime_queue_limits_keep_the_delay_behind_a_slow_station_short() {
    let limits = Some(AirtimeQueueLimits::default());
    let (without, shares) = delay(HardwareQueue::default(), None);
    let (two, _) = delay(HardwareQueue::aggregates(2), limits);
    assert!(without <= 12 && two <= without + 8, "{without} {two}");
    for hardware in [HardwareQueue::aggregates(64), HardwareQueue::packets(1_424)] {
        let (deep, _) = delay(hardware, None);
        let (bounded, bounded_shares) = delay(hardware, limits);
        assert!(bounded <= 40 && deep > 10 * bounded, "{hardware:?}: {deep} {bounded}");
        // Airtime is shared as without limits.
        for (free, bounded) in shares.into_iter().zip(bounded_shares) {
            assert!(free.abs_diff(bounded) * 100 <= 15 * free, "{shares:?} {bounded_shares:?}");
        }
    }
}

/// Packets that the driver has taken are all delivered or given up in the end, whatever is lost on the air.
#[test]
fn what_the_driver_has_taken_comes_in_the_end() {
    let limits = Some(AirtimeQueueLimits::default());
    for (hardware_queue, aql) in [
        (HardwareQueue::aggregates(1), None),
        (HardwareQueue::aggregates(2), limits),
        (HardwareQueue::aggregates(30), None),
        (HardwareQueue::packets(1), None),
        (HardwareQueue::packets(100), None),
        (HardwareQueue::packets(100), limits),
    ] {
        let mut config = config(Standard::Ax, &[MBPS(54); 2]);
        let rule = AirtimeSharing { hardware_queue, aql, ..AirtimeSharing::default() };
        let discipline = Discipline::Airtime(rule);
        config.ap_queue = QueueConfig { packets: 8_192, discipline, ..QueueConfig::fifo(1) };
        config.stations[0].errors = crate::aggregates::errors(0.4);
        let mut bench = Bench::new(&config);
        // The second station receives no aggregates.
        let agreement = Agreement::of(Format::Ht, BlockAckWindow::Mpdus64)
            .with_amsdu(Format::Ht, Bytes::new(3_839));
        bench.cell.set_vector(NodeId::station(0), Direction::Down, TxVector::Mode(ht(7)));
        bench.cell.agree(NodeId::station(0), Direction::Down, agreement);
        for number in 0..600_u64 {
            let to = NodeId::station(usize::from(number % 3 == 0));
            assert!(bench.send(NodeId::AP, to, 100 + number));
        }
        bench.run_until(Time::ZERO + Duration::from_secs(3));
        let lost = bench.departed.iter().filter(|it| it.lost).count();
        assert_eq!((bench.delivered.len() + lost, bench.cell.undelivered().count()), (600, 0));
    }
}
