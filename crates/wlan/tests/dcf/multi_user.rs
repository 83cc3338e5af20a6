//! Multi-user frames: exchanges calculated by hand, and quantities that are conserved.

use airfair_laws::Direction;
use airfair_units::{Duration, Time};
use airfair_wlan::aggregation::{Agreement, BlockAckWindow};
use airfair_wlan::multi_user::{MuEdca, MultiUser, MultiUserAck, Ofdma, Scheduler};
use airfair_wlan::phy::mode::{Format, Mode};
use airfair_wlan::phy::{GuardInterval, Standard, TxVector, Width};
use airfair_wlan::{CellConfig, FrameKind, Listen, NodeId, QueueConfig};

use proptest::prelude::*;

use crate::aggregates::{bursts, check_order, disciplines, links, run};
use crate::bench::{Bench, MBPS, config};
use crate::properties::{cells, check_air, check_packets};

fn he(mcs: u8) -> Mode {
    Mode::all(Format::He, Width::Mhz80, GuardInterval::Ns800)
        .find(|mode| mode.mcs() == mcs && mode.streams() == 1)
        .expect("a mode")
}

const OFDMA: Ofdma = Ofdma {
    down: Some(Scheduler::RoundRobin),
    up: None,
    users: 8,
    ack: MultiUserAck::MuBar,
    trigger_every: None,
    poll: false,
    up_guard_interval: GuardInterval::Ns1600,
    random: 0,
};

fn stations(count: usize, ofdma: Ofdma) -> CellConfig {
    let mut config = config(Standard::Ax, &vec![MBPS(54); count]);
    config.rules.channel.width = Width::Mhz80;
    config.rules.multi_user.ofdma = Some(ofdma);
    config.ap_queue = QueueConfig::fifo(5_000);
    config.stations.iter_mut().for_each(|station| station.queue = QueueConfig::fifo(5_000));
    config
}

fn bench(count: usize, ofdma: Ofdma) -> Bench {
    let mut bench = Bench::new(&stations(count, ofdma));
    for station in (0..count).map(NodeId::station) {
        for direction in [Direction::Up, Direction::Down] {
            bench.cell.set_vector(station, direction, TxVector::Mode(he(11)));
            bench.cell.agree(
                station,
                direction,
                Agreement::of(Format::He, BlockAckWindow::Mpdus64),
            );
        }
    }
    bench.cell.monitor();
    bench
}

fn print(bench: &mut Bench, until: u64) {
    let mut at = Time::ZERO;
    while let Some(it) = bench.cell.poll_monitored() {
        let ppdu = &it.ppdu;
        if ppdu.start < Time::ZERO + Duration::from_micros(until) {
            println!(
                "{} +{} {} {:?} {}→{:?} {} mpdus {} psdu {} nav {} to {:?}",
                ppdu.start,
                ppdu.start.saturating_since(at),
                ppdu.frame.duration,
                ppdu.frame.kind,
                ppdu.frame.from.0,
                ppdu.frame.to.map(|it| it.0),
                ppdu.frame.tx,
                ppdu.mpdus.len(),
                ppdu.frame.psdu.get(),
                ppdu.frame.duration_field,
                it.receivers
            );
        }
        at = ppdu.end;
    }
}

#[test]
fn show() {
    for poll in [false, true] {
        let up = Some(Scheduler::RoundRobin);
        let mut bench =
            bench(4, Ofdma { up, poll, trigger_every: Some(Duration::from_millis(1)), ..OFDMA });
        for _ in 0..200 {
            for station in (0..4).map(NodeId::station) {
                bench.send(NodeId::AP, station, 1_508);
                bench.send(station, NodeId::AP, 1_508);
            }
        }
        bench.run_until(Time::ZERO + Duration::from_millis(60));
        println!("poll {poll} delivered {}", bench.delivered.len());
        print(&mut bench, 30_000);
    }
}

fn ofdmas() -> impl Strategy<Value = MultiUser> {
    let scheduler = || {
        prop::option::weighted(
            0.7,
            prop::sample::select(vec![
                Scheduler::RoundRobin,
                Scheduler::ProportionalFair,
                Scheduler::LargestBacklog,
                Scheduler::Deadline,
            ]),
        )
    };
    let acks = [MultiUserAck::Bar, MultiUserAck::MuBar, MultiUserAck::AggregatedMuBar];
    let edca = (0_u8..4, 0_u32..6, 1_u64..4).prop_map(|(aifsn, exponent, units)| MuEdca {
        aifsn,
        cw_min: (1 << exponent) - 1,
        cw_max: (1 << (exponent + 2)) - 1,
        timer: MuEdca::TIMER_UNIT * units,
    });
    let ofdma = (
        scheduler(),
        scheduler(),
        1_u16..9,
        prop::sample::select(acks.to_vec()),
        prop::option::of(200_u64..5_000),
        prop::bool::ANY,
        prop::bool::ANY,
    );
    (ofdma, prop::option::of(edca)).prop_map(|(ofdma, mu_edca)| {
        let (down, up, users, ack, trigger, poll, is_long) = ofdma;
        let up_guard_interval = if is_long { GuardInterval::Ns3200 } else { GuardInterval::Ns1600 };
        let trigger_every = trigger.map(Duration::from_micros);
        let ofdma =
            Ofdma { down, up, users, ack, trigger_every, poll, up_guard_interval, random: 0 };
        MultiUser { ofdma: Some(ofdma), mu_edca, mu_mimo: None }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Packets and airtime are conserved in cells of HT, VHT and HE stations with multi-user frames, errors, hidden
    /// stations and limited TXOPs, and packets stay in order.
    #[test]
    fn air_and_mpdus_of_several_users_are_conserved_and_stay_in_order(
        cell in cells(),
        multi_user in ofdmas(),
        discipline in disciplines(),
        (packets, txop) in (1_u32..200, prop::option::of(200_u64..6_000)),
        links in links(),
        bursts in bursts(),
    ) {
        let mut cell = cell;
        cell.rules.multi_user = multi_user;
        cell.ap_queue = QueueConfig { packets, discipline, ..cell.ap_queue };
        cell.ap_access.txop_limit = Duration::from_micros(txop.unwrap_or(0));
        cell.stations.iter_mut().for_each(|it| it.queue.packets = packets);
        let bench = run(&cell, &links, &bursts);
        check_air(&bench, true);
        check_packets(&bench);
        check_order(&bench);
    }
}

/// Each packet that arrives is acknowledged once, by an ACK or in a BlockAck that its sender hears: also in the answers
/// of several stations, which come together, and in the entries of a BlockAck for several stations.
#[test]
fn senders_hear_which_packets_the_block_acks_of_several_users_acknowledge() {
    let up = Some(Scheduler::RoundRobin);
    let trigger_every = Some(Duration::from_millis(1));
    for ack in [MultiUserAck::Bar, MultiUserAck::MuBar, MultiUserAck::AggregatedMuBar] {
        let mut bench = bench(4, Ofdma { up, ack, trigger_every, ..OFDMA });
        (0..5).for_each(|member| bench.cell.listen(NodeId(member), Listen::Own));
        for station in (0..4).map(NodeId::station).cycle().take(400) {
            bench.send(NodeId::AP, station, 1_508);
            bench.send(station, NodeId::AP, 1_508);
        }
        bench.run_until(Time::ZERO + Duration::from_millis(500));
        let heard = bench.heard();
        let count = |kind| -> usize {
            let to_me = heard.iter().filter(|it| it.is_receiver() && it.kind() == kind);
            let is_ack = kind == FrameKind::Ack;
            to_me.map(|it| if is_ack { 1 } else { it.packets().count() }).sum()
        };
        let [acks, block_acks, several] =
            [FrameKind::Ack, FrameKind::BlockAck, FrameKind::MultiBlockAck].map(count);
        assert!(several > 0, "{ack:?}");
        assert_eq!((bench.delivered.len(), acks + block_acks + several), (800, 800), "{ack:?}");
        let by_ap = heard.iter().filter(|it| it.kind() == FrameKind::MultiBlockAck);
        assert!(by_ap.filter(|it| it.listener.is_ap()).all(|it| it.packets().count() == 0));
    }
}
