use airfair_units::{Bytes, Duration, Time};

use super::kinds::{Extreme, RTP_HEADER};
use super::*;
use crate::limit::Limit;
use crate::udp::{SendRate, Sender, SenderConfig};

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn sender(live: Live, seed: u64) -> Sender {
    let payload = Bytes::new(1_200);
    let mut sender = Sender::new(SenderConfig { payload, rate: SendRate::Live(live) });
    sender.set_seed(seed);
    sender.open(Time::ZERO);
    sender
}

/// All datagrams up to `end`: time and payload of each.
fn sent(sender: &mut Sender, end: Time) -> Vec<(Time, u64)> {
    let mut all = Vec::new();
    while let Some(now) = sender.next_timeout().filter(|now| *now <= end) {
        while let Some(datagram) = sender.poll_transmit(now) {
            all.push((now, u64::from(datagram.payload)));
        }
    }
    all
}

fn call(codec: Codec, talk: u64, silence: u64) -> Live {
    let [talk, silence] = [talk, silence].map(Duration::from_millis);
    Live { model: Model::Call(Call { codec, talk, silence }), ..Live::call() }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn mean(values: impl ExactSizeIterator<Item = u64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<u64>() as f64 / count
}

/// Someone who never stops talking sends 50 frames a second, of 160 octets and RTP's 12 in G.711.
/// Verifies: [RFC3551 §4.5.14]
#[test]
fn a_call_without_silences_has_a_frame_each_20_ms() {
    let mut call = sender(call(Codec::G711, 50, 0), 1);
    let frames: Vec<_> = (0..=50).map(|k| (ms(20 * k), 172)).collect();
    assert_eq!(sent(&mut call, ms(1_000)), frames);
    assert_eq!(call.limit(), Some(Limit::Application));
}

/// In 1000 s half of the time is talk, with 50 frames of 45 octets a second, and half silence, with a frame of 19 octets each
/// 160 ms. A part of 1.25 s has half a frame more than its length over the interval: 63 of voice and 8.31 of noise.
/// Verifies: [80211-14-0571 Annex 2]
#[test]
fn a_call_with_silences_has_frames_of_voice_and_of_noise() {
    let all = sent(&mut sender(Live::call(), 7), ms(1_000_000));
    let of = |size| all.iter().filter(|(_, it)| *it == size).count();
    let (voice, noise) = (of(45), of(19));
    assert_eq!(voice + noise, all.len());
    // 400 pairs of parts; the deviation of a sum of 400 exponential lengths is 5 % of it.
    assert!((400 * 63 * 85 / 100..400 * 63 * 115 / 100).contains(&voice), "{voice}");
    assert!((400 * 8 * 85 / 100..400 * 9 * 115 / 100).contains(&noise), "{noise}");
}

/// G.711 and G.729 send nothing in a silence: the longest gap is a silence, and the others are of 20 ms or less.
#[test]
fn codecs_without_noise_frames_are_silent() {
    let all = sent(&mut sender(call(Codec::G729, 1_000, 1_000), 3), ms(60_000));
    let gaps: Vec<_> = all.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.iter().all(|gap| *gap >= Duration::from_nanos(1)));
    assert!(gaps.iter().max().is_some_and(|gap| *gap > Duration::from_secs(1)));
    assert!(all.iter().all(|(_, size)| *size == 32));
}

/// The Largest Extreme Value distribution has its location at the probability 1/e, and its median 0.3665 scales above.
#[test]
fn quantiles_of_the_largest_extreme_value() {
    let size = Extreme { location: 210.0, scale: 35.0 };
    assert!((size.quantile((-1.0_f64).exp()) - 210.0).abs() < 1e-9);
    // −ln(−ln 0.5) = −ln 0.693147 = 0.366513
    assert!((size.quantile(0.5) - (210.0 + 35.0 * 0.366_513)).abs() < 1e-4);
}

/// The mean of the distribution is its location and 0.5772 scales, Euler's constant: 230.2 octets, less a half for the
/// octets that are cut off, each 30.42 ms from a server in lockstep; 113.4 octets each 23.96 ms from a player.
/// Verifies: [80211-18-2009 §4.1.4]
#[test]
fn a_game_has_the_means_of_its_distributions() {
    let player = |game| Game { end: GameEnd::Player, ..game };
    let Model::Game(server) = Live::game().model else { unreachable!("a game") };
    for (game, size, interval) in [(server, 229.7, 30.42), (player(server), 113.4, 23.96)] {
        let live = Live { model: Model::Game(game), ..Live::game() };
        let all = sent(&mut sender(live, 11), ms(600_000));
        let mean_size = mean(all.iter().map(|(_, size)| *size));
        let mean_interval = all.last().expect("frames").0.as_secs_f64() * 1e3
            / mean(std::iter::once(all.len() as u64));
        assert!((mean_size - size).abs() < 1.5, "{mean_size}");
        assert!((mean_interval - interval).abs() < 0.2, "{mean_interval}");
        assert!(all[0].0 > Time::ZERO);
    }
}

/// Keys replace the distributions of a game: without a scale all sizes and intervals are equal.
#[test]
fn a_game_of_given_sizes() {
    let Model::Game(game) = Live::game().model else { unreachable!("a game") };
    let game = Game {
        size: Some(Bytes::new(2_500)),
        size_scale: Some(Bytes::ZERO),
        interval: Some(Duration::from_millis(50)),
        interval_scale: Some(Duration::ZERO),
        ..game
    };
    let all = sent(&mut sender(Live { model: Model::Game(game), ..Live::game() }, 1), ms(100));
    let frame = |at| [(ms(at), 1_200), (ms(at), 1_200), (ms(at), 100)];
    assert_eq!(all, [frame(50), frame(100)].concat());
}

/// 2 Mb/s are 25 pictures a second of 10 000 octets on average. The document has a scale of 6950 octets for its 2 Mb/s;
/// 10 000 / Γ(1 + 1/0.8099) = 10 000 / 1.1229 = 8906 is that for 25 pictures a second and just this rate.
/// Verifies: [80211-14-0571 Annex 2]
#[test]
fn a_video_call_has_its_rate() {
    let all = sent(&mut sender(Live::video_call(), 5), ms(400_000));
    let octets: u64 = all.iter().map(|(_, size)| size - RTP_HEADER).sum();
    let pictures: std::collections::BTreeSet<_> = all.iter().map(|(at, _)| *at).collect();
    assert_eq!(pictures.len(), 10_001);
    // The deviation of a picture is 1.24 of its mean, that of the mean of 10 001 pictures 1.24 %.
    let mean_size = mean(std::iter::once(octets)) / 10_001.0;
    assert!((mean_size - 10_000.0).abs() < 400.0, "{mean_size}");
    assert!(all.iter().all(|(_, size)| (13..=1_200).contains(size)));
}

/// A server of a remote desktop has a packet each 60.2 ms on average, of (22.4 · 1478.3 + 53.7 · 41) / 76.1 = 464.1 octets
/// less a half for those that are cut off; a client has one of 50.1 octets each 48.3 ms.
/// Verifies: [80211-14-0571 Annex 2]
#[test]
fn a_desktop_has_the_means_of_its_distributions() {
    for (end, size, interval, error) in
        [(DesktopEnd::Server, 463.6, 60.2, 15.0), (DesktopEnd::Client, 50.1, 48.3, 0.2)]
    {
        let live = Live { model: Model::Desktop(Desktop { end }), ..Live::desktop() };
        let payload = Bytes::new(1_500);
        let mut sender = Sender::new(SenderConfig { payload, rate: SendRate::Live(live) });
        sender.set_seed(9);
        sender.open(Time::ZERO);
        let all = sent(&mut sender, ms(1_000_000));
        let mean_size = mean(all.iter().map(|(_, size)| *size));
        let mean_interval = 1_000_000.0 / mean(std::iter::once(all.len() as u64));
        assert!((mean_size - size).abs() < error, "{mean_size}");
        assert!((mean_interval - interval).abs() < 1.5, "{mean_interval}");
    }
}

/// A frame of three datagrams is complete with the last of them. One lost datagram loses the frame once, and the datagrams of
/// it that arrive complete nothing.
#[test]
fn frames_are_complete_or_lost_as_a_whole() {
    let Model::Game(game) = Live::game().model else { unreachable!("a game") };
    let (size, scale) = (Some(Bytes::new(2_500)), Some(Bytes::ZERO));
    let interval = Some(Duration::from_millis(10));
    let game =
        Game { size, size_scale: scale, interval, interval_scale: Some(Duration::ZERO), ..game };
    let mut game = sender(Live { model: Model::Game(game), ..Live::game() }, 1);
    assert_eq!(sent(&mut game, ms(30)).len(), 9);
    assert_eq!([0, 2].map(|seq| game.handle_arrival(ms(12), seq, false)), [None; 2]);
    assert_eq!(game.handle_arrival(ms(15), 1, false), Some(Duration::from_millis(5)));
    assert_eq!(game.handle_arrival(ms(31), 3, false), None);
    assert_eq!([4, 5].map(|seq| game.handle_loss(seq)), [true, false]);
    // The third frame arrives before the second one is settled in full.
    let arrivals = [6, 8, 7].map(|seq| game.handle_arrival(ms(40), seq, false));
    assert_eq!(arrivals, [None, None, Some(Duration::from_millis(10))]);
    game.close(ms(50));
    assert_eq!((game.next_timeout(), game.poll_transmit(ms(60))), (None, None));
}

#[test]
fn the_seed_alone_decides() {
    let of = |seed| sent(&mut sender(Live::call(), seed), ms(20_000));
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}
