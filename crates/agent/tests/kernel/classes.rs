//! Tests of separate queues for DATA and ACKs: HTB classes on the interface that the agent watches,
//! with real TCP in both directions.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::rig::{Agent, Air, Flow, LIFTED, Rig, eventually, inside, may, sh, within};

/// Packets per second of both HTB classes: about 5 Mb/s of data, a quarter of what the wire
/// carries.
const RATE: u32 = 400;

/// Rig whose interface `v0` has no limit and no configured queueing discipline. Both ends send
/// segment by segment, as on the air, so that two segments cause one ACK.
fn rig() -> Rig {
    let rig = Rig::new();
    sh(&format!("ip netns exec {} tc qdisc del dev v0 root", rig.station));
    sh(&format!("ip -n {} link set v0 gso_max_segs 1", rig.station));
    sh(&format!("ip -n {} link set v1 gso_max_segs 1", rig.server));
    rig
}

fn agent(rig: &Rig, air: &Air, settings: &str, more: &[&str]) -> Agent {
    let config = rig.runtime.join("data-ack.toml");
    let text = format!("scheme = \"data-ack\"\n[data-ack]\n{settings}\n");
    fs::write(&config, text).unwrap();
    rig.agent(air, &[&["--config", &config.to_string_lossy()], more].concat())
}

/// Begins two flows from the station, whose data leaves through `v0`, and two flows to the station,
/// whose ACKs leave through `v0`. One flow of each pair uses IPv6.
fn flows(rig: &Rig) -> [Flow; 4] {
    sh(&format!("ip -n {0} addr replace 10.11.0.1/24 dev v0", rig.station));
    let (station, server) = (&*rig.station, &*rig.server);
    [
        Flow::begin(station, server, "10.11.0.2:0", "reno"),
        Flow::begin(station, server, "[fd11::2]:0", "reno"),
        Flow::begin(server, station, "10.11.0.1:0", "reno"),
        Flow::begin(server, station, "[fd11::1]:0", "reno"),
    ]
}

/// Counters of the HTB classes at one time: that of data first, then that of ACKs.
#[derive(Clone, Copy)]
struct Classes {
    /// Number of packets that each class has sent: data, then ACKs.
    sent: [u32; 2],
    /// Number of packets that wait in each class: data, then ACKs.
    waiting: [u32; 2],
}

impl Classes {
    /// Reads the counters of the HTB classes; `None` if there are no classes.
    fn look(rig: &Rig) -> Option<Self> {
        let said = sh(&format!("ip netns exec {} tc -s class show dev v0", rig.station));
        let of = |class: &str| -> Option<[u32; 2]> {
            let lines = said.lines().skip_while(|line| !line.contains(class));
            let words: Vec<&str> = lines.take(4).flat_map(str::split_whitespace).collect();
            let behind = |word: &str, by: usize| {
                let at = words.iter().position(|it| *it == word)?;
                words.get(at + by)?.trim_end_matches('p').parse().ok()
            };
            Some([behind("Sent", 3)?, behind("backlog", 2)?])
        };
        let ([data, data_waiting], [acks, acks_waiting]) =
            (of("class htb af1f:10 ")?, of("class htb af1f:20 ")?);
        Some(Self { sent: [data, acks], waiting: [data_waiting, acks_waiting] })
    }

    /// Number of packets that both HTB classes have sent together.
    fn sum(&self) -> u32 {
        self.sent.iter().sum()
    }

    fn since(&self, before: &Self) -> [u32; 2] {
        [0, 1].map(|it| self.sent[it] - before.sent[it])
    }
}

fn are_there(rig: &Rig) -> bool {
    Classes::look(rig).is_some()
}

/// Number of packets that both HTB classes have sent together so far.
fn sum(rig: &Rig) -> u32 {
    Classes::look(rig).unwrap().sum()
}

/// Waits until the HTB classes have sent this number of further packets.
fn go_on(rig: &Rig, packets: u32) {
    let end = sum(rig) + packets;
    eventually("packets are sent", || sum(rig) >= end);
}

/// Waits until the flows' slow start and the recovery from its losses are over.
fn settle(rig: &Rig) {
    go_on(rig, 3 * RATE);
}

fn ratio([data, acks]: [u32; 2]) -> f64 {
    f64::from(data) / f64::from(acks)
}

/// Packets that each HTB class sends in about five seconds during which neither class is empty. On
/// a busy machine the programs that cause ACKs may have no time, and the DATA class takes the
/// capacity that the ACK class does not need. An interval is full if at its start data waited, and
/// at least as many ACKs as were sent in the interval. Full intervals count if the interval before
/// was full too: after a gap a class may have saved some capacity. The kernel's senders always keep
/// a few packets of data in their class.
fn shared(rig: &Rig) -> [u32; 2] {
    let (mut counted, mut was_full) = ([0; 2], false);
    let mut before = Classes::look(rig).unwrap();
    eventually("both classes have packets", || {
        let now = Classes::look(rig).unwrap();
        let sent = now.since(&before);
        let is_full = before.waiting[0] > 0 && before.waiting[1] >= sent[1];
        if is_full && was_full {
            counted = [0, 1].map(|it| counted[it] + sent[it]);
        }
        (before, was_full) = (now, is_full);
        counted.iter().sum::<u32>() >= 5 * RATE
    });
    counted
}

fn queueing(rig: &Rig) -> String {
    sh(&format!("ip netns exec {} tc qdisc show dev v0", rig.station))
}

/// While both HTB classes have packets, they send data and ACKs in the proportion of their weights.
///
/// Verifies: [updown-fairness §IV]
#[test]
fn packets_of_data_and_acks_are_sent_by_their_weights() {
    if !may() {
        return;
    }
    for (weights, expected) in [("2:1", 2.0), ("1:2", 0.5), ("3:1", 3.0)] {
        let rig = rig();
        let air = Air::new(&rig, 11);
        let other = rig.flow("10.12.0.2:0", "reno");
        let settings = format!("weights = \"{weights}\"\npackets_per_second = {RATE}");
        let agent = agent(&rig, &air, &settings, &[]);
        eventually("there are classes", || are_there(&rig));
        let flows = flows(&rig);
        settle(&rig);
        let (before, others, begun) = (sum(&rig), other.acknowledged(), Instant::now());
        let counted = shared(&rig);
        let took = begun.elapsed().as_secs_f64();
        let others = u32::try_from(other.acknowledged() - others).unwrap();
        let packets = f64::from(sum(&rig) - before);
        let rate = packets / took / f64::from(RATE);
        eprintln!("{weights}: {counted:?}, {:.3}; {rate:.3} of the rate", ratio(counted));
        assert!((ratio(counted) / expected - 1.0).abs() < 0.03, "{weights}: {counted:?}");
        // Packets of the last look are counted without its time. A machine whose timers are late sends less.
        assert!((0.7..1.1).contains(&rate), "{rate} of the rate");
        // The negative control: the other wire has its 20 Mb/s, which are four times as many packets.
        let others = f64::from(others) / 1_448.0 / packets;
        assert!(others > 2.0, "{others} times as many on the other wire");
        drop(flows);
        let (status, said) = agent.end(libc::SIGTERM);
        assert_eq!(status, Some(0), "{said}");
        assert!(!queueing(&rig).contains("htb"));
    }
}

/// Within a second after SIGKILL no packet is limited by the classes, and `restore` recognises the
/// remaining qdisc by its handle and removes it.
#[test]
fn classes_let_go_within_a_second_of_kill_9_and_restore_takes_them_away() {
    if !may() {
        return;
    }
    let rig = rig();
    let air = Air::new(&rig, 11);
    let settings = format!("packets_per_second = {RATE}");
    let first = agent(&rig, &air, &settings, &[]);
    eventually("there are classes", || are_there(&rig));
    let flow = rig.watched_flow();
    // Octets that have arrived, and not by the classes. Both are seen one after the other, and the classes are counted first:
    // in some tenths of a second between the looks 600 kB/s come by them.
    let past = || {
        let by_classes = u64::from(sum(&rig)) * 1_448;
        flow.acknowledged().saturating_sub(by_classes)
    };
    flow.move_on(1_000_000, || assert!(past() < 500_000, "{} octets", past()));
    let (_, _) = first.end(libc::SIGKILL);
    let before = past();
    within(LIFTED, "nothing is limited", || past() > before + 1_500_000);
    assert!(queueing(&rig).contains("qdisc htb af1f:"));
    let said = String::from_utf8(rig.ask(&["restore", "--json"]).stdout).unwrap();
    assert!(said.contains("\"interfaces\":1"), "{said}");
    assert!(!queueing(&rig).contains("htb"));
    // The next start does the same.
    let second = agent(&rig, &air, &settings, &[]);
    eventually("there are classes", || are_there(&rig));
    second.end(libc::SIGKILL);
    let third = agent(&rig, &air, &settings, &[]);
    eventually("there are classes", || are_there(&rig));
    assert!(third.said().contains("classes that another one had left"), "{}", third.said());
    third.end(libc::SIGTERM);
    assert!(!queueing(&rig).contains("htb"));
}

/// Throughput of one upload over the mean throughput of two downloads, with these weights. The data
/// of downloads leaves through `v0`.
fn up_over_down(weights: &str) -> f64 {
    let rig = rig();
    let air = Air::new(&rig, 11);
    let settings = format!("weights = \"{weights}\"\npackets_per_second = {RATE}");
    let agent = agent(&rig, &air, &settings, &[]);
    eventually("there are classes", || are_there(&rig));
    // As on the air, the way up has a limit as well.
    sh(&format!(
        "ip netns exec {} tc qdisc add dev v1 root tbf rate 10mbit burst 20k limit 150k",
        rig.server
    ));
    let [down, down_too, up, up_too] = flows(&rig);
    drop(up_too);
    // The law's memory is 5 s, in which ACKs come to be worth more as their queue overflows.
    thread::sleep(Duration::from_secs(15));
    let moved = |flows: &[&Flow]| -> u64 {
        flows.iter().map(|flow| flow.number("bytes_acked:").unwrap()).sum()
    };
    let both = || [moved(&[&down, &down_too]) / 2, moved(&[&up])];
    let before = both();
    thread::sleep(Duration::from_secs(8));
    let after = both();
    let [down, up] = [0, 1].map(|it| f64::from(u32::try_from(after[it] - before[it]).unwrap()));
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    let left = sh(&format!("ip netns exec {} tc filter show dev v0 ingress", rig.station));
    assert!(left.is_empty() && !queueing(&rig).contains("htb"), "{left}");
    up / down
}

/// With weights by connections, each connection gets about the same throughput. By the paper's
/// fixed weights the one upload gets as much as both downloads together, or more if its ACKs find
/// no room.
///
/// Verifies: [updown-fairness §IV]
#[test]
fn weights_by_connections_give_each_of_them_about_as_much() {
    if !may() {
        return;
    }
    let (by_law, control) = (up_over_down("connections"), up_over_down("2:1"));
    eprintln!("up over down: {by_law:.2} by connections, {control:.2} by 2:1");
    assert!((0.67..1.5).contains(&by_law), "{by_law}");
    assert!(control > 1.8, "the negative control: {control}");
}

/// Puts a simulated channel of `RATE` packets per second, with a buffer of its own, behind `v0`:
/// `v1` becomes a port of a bridge, whose other port `x0` limits the rate towards the server.
fn put_channel(rig: &Rig) {
    let bits = RATE * 1_536 * 8;
    sh(&format!(
        "set -e; n={}; ip -n $n addr flush dev v1; ip -n $n link add x0 type veth peer name x1
        ip -n $n link add air type bridge; ip -n $n link set air up
        for it in v1 x0; do ip -n $n link set $it master air up; done
        ip -n $n addr add 10.11.0.2/24 dev x1; ip -n $n addr add fd11::2/64 dev x1 nodad; ip -n $n link set x1 up
        ip -n $n link set x1 gso_max_segs 1; ip netns exec $n sysctl -qw net.ipv4.conf.all.arp_ignore=1
        ip netns exec $n tc qdisc add dev x0 root stab mtu 2047 tsize 128 mpu 1536 overhead 0 \
            tbf rate {bits} burst 4k limit 400k",
        rig.server
    ));
    // The server's address is no longer that of the bridge.
    sh(&format!("ip -n {} neigh flush all", rig.station));
}

/// Packets that the simulated channel has carried. They are counted without starting a program,
/// whose result would come too late on a busy machine.
fn carried(rig: &Rig) -> u64 {
    let said = inside(&rig.server, || fs::read_to_string("/proc/thread-self/net/dev").unwrap());
    let of_channel = said.lines().find_map(|line| line.trim().strip_prefix("x0:")).unwrap();
    // Eight numbers are of what has come in, and the first one behind them is octets.
    of_channel.split_whitespace().nth(9).unwrap().parse().unwrap()
}

/// Number of packets that wait in the buffer of the simulated channel.
fn waiting(rig: &Rig) -> u64 {
    let said = sh(&format!("ip netns exec {} tc -s qdisc show dev x0", rig.server));
    said.split_whitespace().find_map(|word| word.strip_suffix('p')?.parse().ok()).unwrap()
}

/// Guard that sets a flag to false when it is dropped, so that a thread ends however the test ends.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Without a configured rate the agent finds the rate just below what the channel carries, and then
/// packets wait in the classes and not behind them.
#[test]
fn the_rate_of_the_classes_is_found_just_below_what_the_channel_carries() {
    if !may() {
        return;
    }
    let rig = rig();
    put_channel(&rig);
    let air = Air::new(&rig, 11);
    let flows = flows(&rig);
    let agent = agent(&rig, &air, "weights = \"2:1\"", &[]);
    let goes_on = AtomicBool::new(true);
    let tell = || {
        while goes_on.load(Ordering::Relaxed) {
            air.received(carried(&rig));
            thread::sleep(Duration::from_millis(10));
        }
    };
    // Mean of what waits in the channel, and the classes' part of its rate.
    let look = |seconds: u64| {
        let (from, begun) = (Classes::look(&rig), Instant::now());
        let (mut sum, mut count) = (0, 0);
        while begun.elapsed() < Duration::from_secs(seconds) {
            (sum, count) = (sum + waiting(&rig), count + 1);
            thread::sleep(Duration::from_millis(20));
        }
        let packets = |it: Option<Classes>| it.map_or(0, |it| it.sum());
        let packets = f64::from(packets(Classes::look(&rig)) - packets(from));
        (sum / count, packets / begun.elapsed().as_secs_f64() / f64::from(RATE))
    };
    thread::scope(|scope| {
        scope.spawn(tell);
        let _ending = Ending(&goes_on);
        let (before, _) = look(1);
        look(20);
        // Late counters of a busy machine cost some of the rate, which is found again.
        let is_found = (0..5).any(|_| {
            let (then, rate) = look(10);
            eprintln!("{rate:.3} of what the channel carries; {then} wait in it, and {before} did");
            (0.5..1.15).contains(&rate) && then < before / 2
        });
        assert!(is_found);
    });
    drop((flows, agent));
}

/// A packet of many segments counts as that many packets of a class. Otherwise the kernel's own
/// senders would have many times their weight.
#[test]
fn a_packet_of_many_segments_is_as_many() {
    if !may() {
        return;
    }
    let rig = rig();
    sh(&format!("ip -n {} link set v0 gso_max_segs 65535", rig.station));
    let air = Air::new(&rig, 11);
    let agent = agent(&rig, &air, &format!("packets_per_second = {RATE}"), &[]);
    eventually("there are classes", || are_there(&rig));
    let flows = flows(&rig);
    settle(&rig);
    let look = || Classes::look(&rig).unwrap();
    // Packets of 44 segments that count as one would make it some ten times as much. On a busy machine the class of ACKs is
    // empty now and then, and that of data has its part.
    let is_shared = (0..5).any(|_| {
        let before = look();
        go_on(&rig, 5 * RATE);
        let counted = look().since(&before);
        eprintln!("2:1 with packets of many segments: {counted:?}, {:.3}", ratio(counted));
        (1.8..6.0).contains(&ratio(counted))
    });
    assert!(is_shared);
    drop((flows, agent));
}

#[test]
fn queueing_that_somebody_has_chosen_is_left_alone_and_so_is_all_in_a_dry_run() {
    if !may() {
        return;
    }
    let rig = Rig::new();
    let air = Air::new(&rig, 11);
    let config = rig.runtime.join("data-ack.toml");
    fs::write(&config, "scheme = \"data-ack\"\n").unwrap();
    let config = config.to_string_lossy();
    let socket = air.path().to_string_lossy();
    let words = ["run", "--interface", "v0", "--config", &config, "--emulator", &socket];
    let refused = rig.ask(&words);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("v0: has the queueing discipline tbf"), "{said}");
    assert!(queueing(&rig).contains("qdisc tbf"));
    let file = rig.runtime.join("recording");
    let more = ["--dry-run", "--record", &file.to_string_lossy()];
    let dry = agent(&rig, &air, "packets_per_second = 400", &more);
    eventually("it is said", || {
        dry.said().contains("would be sent 2:1, now 400 packets per second")
    });
    assert!(queueing(&rig).contains("qdisc tbf"));
    dry.end(libc::SIGTERM);
    let replayed = rig.ask(&["replay", &file.to_string_lossy()]);
    let said = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success() && said.contains("1 decisions; 0 differ"), "{said}");
}

#[test]
fn an_interface_that_goes_away_and_down_is_borne() {
    if !may() {
        return;
    }
    let rig = rig();
    let air = Air::new(&rig, 11);
    let agent = agent(&rig, &air, "packets_per_second = 400", &[]);
    eventually("there are classes", || are_there(&rig));
    let renamed =
        "ip -n NS link set v0 down; ip -n NS link set v0 name v9; ip -n NS link set v9 up";
    sh(&renamed.replace("NS", &rig.station));
    // An interface is looked for once a second.
    rig.for_samples(15);
    let (status, said) = agent.end(libc::SIGTERM);
    assert_eq!(status, Some(0), "{said}");
    let left = sh(&format!("ip netns exec {} tc qdisc show dev v9", rig.station));
    assert!(!left.contains("htb"), "{left}");
}
