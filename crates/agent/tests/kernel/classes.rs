//! DATA and ACKs apart: classes on the interface that the agent watches, with real TCP both ways through it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::rig::{Agent, Air, Flow, LIFTED, Rig, eventually, inside, may, sh, within};

/// Packets of both classes in a second: some 5 Mb/s of data, which the wire carries four times.
const RATE: u32 = 400;

/// `v0` without the rig's own limit: nobody has chosen its queueing. Both ends send segment by segment, as on the air, so
/// that two of them make an ACK.
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

/// Two flows down, whose data leaves by `v0`, and two up, whose ACKs do; of either one is IPv6.
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

/// Packets that DATA's class and that of ACKs have sent.
fn sent(rig: &Rig) -> Option<[u32; 2]> {
    let said = sh(&format!("ip netns exec {} tc -s class show dev v0", rig.station));
    let count = |class: &str| {
        let mut lines = said.lines().skip_while(|line| !line.contains(class));
        let line = lines.find(|line| line.contains(" pkt ("))?;
        line.split_whitespace().nth(3)?.parse().ok()
    };
    Some([count("class htb af1f:10 ")?, count("class htb af1f:20 ")?])
}

/// Packets of the classes while both have sent so many: of either one, and of both in a second, the least and the most that it
/// may be by the times of the looks.
struct Counted {
    data: f64,
    acks: f64,
    per_second: [f64; 2],
}

impl Counted {
    fn of(rig: &Rig, packets: u32) -> Self {
        let look = || {
            let begun = Instant::now();
            (begun, sent(rig).unwrap(), Instant::now())
        };
        let (before, first) = (look(), sum(rig));
        eventually("packets are sent", || sum(rig) >= first + packets);
        let after = look();
        let [data, acks] = [0, 1].map(|it| f64::from(after.1[it] - before.1[it]));
        let within = |from: Instant, to: Instant| (data + acks) / (to - from).as_secs_f64();
        Self { data, acks, per_second: [within(before.0, after.2), within(before.2, after.0)] }
    }
}

/// What the classes have sent when their ratio was the one expected, within a tolerance. A class whose senders had no time, on a
/// busy machine, was empty for a while and has sent less than its part, so that it has some more turns.
fn shared(rig: &Rig, expected: f64, tolerance: f64) -> Counted {
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let it = Counted::of(rig, 5 * RATE);
        let ratio = it.data / it.acks;
        eprintln!("{} packets of data, {} ACKs: {ratio:.3} of {expected}", it.data, it.acks);
        if (ratio / expected - 1.0).abs() < tolerance {
            return it;
        }
        ratios.push(ratio);
    }
    panic!("{ratios:?} in place of {expected}");
}

/// Packets that both classes have sent.
fn sum(rig: &Rig) -> u32 {
    sent(rig).unwrap().iter().sum()
}

/// Waits until slow start, and whatever it has lost, is over.
fn settle(rig: &Rig) {
    Counted::of(rig, 3 * RATE);
}

fn queueing(rig: &Rig) -> String {
    sh(&format!("ip netns exec {} tc qdisc show dev v0", rig.station))
}

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
        eventually("there are classes", || sent(&rig).is_some());
        let flows = flows(&rig);
        settle(&rig);
        let before = (other.acknowledged(), sum(&rig));
        let counted = shared(&rig, expected, 0.03);
        let others = u32::try_from(other.acknowledged() - before.0).unwrap();
        let packets = f64::from(sum(&rig) - before.1);
        let [least, most] = counted.per_second.map(|it| it / f64::from(RATE));
        // A machine whose timers are late sends less.
        assert!(least < 1.05 && most > 0.8, "{least} to {most} of the rate");
        // The negative control: the other wire has its 20 Mb/s, which are four times as many packets.
        let others = f64::from(others) / 1_448.0 / packets;
        assert!(others > 2.0, "{others} times as many on the other wire");
        drop(flows);
        let (status, said) = agent.end(libc::SIGTERM);
        assert_eq!(status, Some(0), "{said}");
        assert!(!queueing(&rig).contains("htb"));
    }
}

/// Fails open: an agent that is gone limits nothing, and what is left of it is known by its number.
#[test]
fn classes_let_go_within_a_second_of_kill_9_and_restore_takes_them_away() {
    if !may() {
        return;
    }
    let rig = rig();
    let air = Air::new(&rig, 11);
    let settings = format!("packets_per_second = {RATE}");
    let first = agent(&rig, &air, &settings, &[]);
    eventually("there are classes", || sent(&rig).is_some());
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
    eventually("there are classes", || sent(&rig).is_some());
    second.end(libc::SIGKILL);
    let third = agent(&rig, &air, &settings, &[]);
    eventually("there are classes", || sent(&rig).is_some());
    assert!(third.said().contains("classes that another one had left"), "{}", third.said());
    third.end(libc::SIGTERM);
    assert!(!queueing(&rig).contains("htb"));
}

/// Two connections down and one up: what the one has, over what either of the two has.
fn up_over_down(weights: &str) -> f64 {
    let rig = rig();
    let air = Air::new(&rig, 11);
    let settings = format!("weights = \"{weights}\"\npackets_per_second = {RATE}");
    let agent = agent(&rig, &air, &settings, &[]);
    eventually("there are classes", || sent(&rig).is_some());
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

/// By the paper's weights the one up has as much as both others, or more where its ACKs find no room.
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

/// Puts a channel of `RATE` packets per second behind `v0`, with a buffer of its own: `v1` becomes a port of a bridge, and the
/// server is at the other end of `x0`, where the channel is.
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

/// Packets that the channel has carried. No other program is started for it: on a busy machine its number would come too late.
fn carried(rig: &Rig) -> u64 {
    let said = inside(&rig.server, || fs::read_to_string("/proc/thread-self/net/dev").unwrap());
    let of_channel = said.lines().find_map(|line| line.trim().strip_prefix("x0:")).unwrap();
    // Eight numbers are of what has come in, and the first one behind them is octets.
    of_channel.split_whitespace().nth(9).unwrap().parse().unwrap()
}

/// Packets that wait in its buffer.
fn waiting(rig: &Rig) -> u64 {
    let said = sh(&format!("ip netns exec {} tc -s qdisc show dev x0", rig.server));
    said.split_whitespace().find_map(|word| word.strip_suffix('p')?.parse().ok()).unwrap()
}

/// Has something go on no longer than this is there, whatever becomes of the test.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Where the rate is not told it is found, and then packets wait in the classes and not behind them.
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
        let (from, begun) = (sent(&rig), Instant::now());
        let (mut sum, mut count) = (0, 0);
        while begun.elapsed() < Duration::from_secs(seconds) {
            (sum, count) = (sum + waiting(&rig), count + 1);
            thread::sleep(Duration::from_millis(20));
        }
        let packets = |it: Option<[u32; 2]>| it.map_or(0, |it| it.iter().sum::<u32>());
        let packets = f64::from(packets(sent(&rig)) - packets(from));
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

/// A packet of many segments counts as these: else the kernel's own senders would have many times their weight.
#[test]
fn a_packet_of_many_segments_is_as_many() {
    if !may() {
        return;
    }
    let rig = rig();
    sh(&format!("ip -n {} link set v0 gso_max_segs 65535", rig.station));
    let air = Air::new(&rig, 11);
    let agent = agent(&rig, &air, &format!("packets_per_second = {RATE}"), &[]);
    eventually("there are classes", || sent(&rig).is_some());
    let flows = flows(&rig);
    settle(&rig);
    // At either end of the time one packet may be on its way, of up to 44 segments.
    shared(&rig, 2.0, 0.1);
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
    assert!(said.contains("v0 has a queueing discipline that somebody has chosen, tbf"), "{said}");
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
    eventually("there are classes", || sent(&rig).is_some());
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
