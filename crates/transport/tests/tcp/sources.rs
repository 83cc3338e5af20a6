//! Senders whose applications write over time: answers to calls, pages, frames, a constant rate, and videos.

use airfair_transport::tcp::{
    Arithmetic, Completed, Object, Receiver, ReceiverConfig, Sender, SenderConfig, Source, Video,
};
use airfair_transport::tfrc::{Frame, Traffic};
use airfair_units::{Bytes, DataRate, Duration, Time};

const ONE_WAY: Duration = Duration::from_millis(10);

/// Runs a connection over a wire of 10 ms in each direction without a limit of rate, and returns when messages were
/// complete, and the messages.
fn run(source: Source, until: Duration) -> (Vec<(Time, Completed)>, Sender) {
    run_with(config(), source, until)
}

fn config() -> SenderConfig {
    SenderConfig { segment: Bytes::new(1_000), ..SenderConfig::default() }
}

/// Runs a connection as `run` does, with a sender of this configuration.
fn run_with(
    config: SenderConfig,
    source: Source,
    until: Duration,
) -> (Vec<(Time, Completed)>, Sender) {
    let mut sender = Sender::with_source(config, source);
    let mut receiver = Receiver::new(ReceiverConfig::default());
    let mut wire = Vec::new();
    let mut done = Vec::new();
    let mut now = Time::ZERO;
    sender.open(now);
    loop {
        wire.extend(
            std::iter::from_fn(|| sender.poll_transmit(now)).map(|it| (now + ONE_WAY, true, it)),
        );
        let arrival = wire.iter().map(|it| it.0).min();
        let timers = [arrival, sender.next_timeout(), receiver.next_timeout()];
        let Some(next) = timers.into_iter().flatten().min() else { break };
        assert!(next >= now, "a timer in the past");
        if next > Time::ZERO + until {
            break;
        }
        now = next;
        sender.handle_timeout(now);
        receiver.handle_timeout(now);
        if let Some(first) = wire.iter().position(|it| it.0 == now) {
            let (_, is_data, segment) = wire.remove(first);
            if is_data {
                receiver.handle_segment(now, &segment);
                let delivered = receiver.delivered();
                let complete = std::iter::from_fn(|| sender.poll_completed(now, delivered));
                done.extend(complete.map(|it| (now, it)));
            } else {
                sender.handle_segment(now, &segment);
            }
        }
        let acks = std::iter::from_fn(|| receiver.poll_transmit(now));
        wire.extend(acks.map(|it| (now + ONE_WAY, false, it)));
    }
    (done, sender)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn object(pause: Duration, size: u64, ends_message: bool) -> Object {
    Object { pause, size: Bytes::new(size), ends_message }
}

fn waits(done: &[(Time, Completed)]) -> Vec<(u64, u64)> {
    let ms = |nanos: u64| nanos / 1_000_000;
    done.iter().map(|(at, it)| (ms(at.as_nanos()), ms(it.delay.as_nanos()))).collect()
}

/// The first answer comes after the handshake, 20 ms, and 10 ms on the wire. The next call is 100 ms later; it takes 10 ms,
/// and the answer 10 ms more.
#[test]
fn a_call_takes_a_round_trip() {
    let source = Source::Requested(vec![object(ms(100), 1_000, true)]);
    let (done, _) = run(source, ms(300));
    assert_eq!(waits(&done), [(30, 30), (150, 20), (270, 20)]);
}

/// A page is a document, which takes a round trip, and then its objects, which take another one: 12 segments of 1000 octets
/// pass in one window of 10 and a second one of what remains, a round trip later.
#[test]
fn a_page_takes_a_round_trip_for_its_document_and_more_for_its_objects() {
    let page =
        |objects| vec![object(ms(1_000), 1_000, false), object(Duration::ZERO, objects, true)];
    let waits_of = |objects| waits(&run(Source::Requested(page(objects)), ms(1_200)).0);
    assert_eq!(waits_of(10_000), [(50, 50), (1_090, 40)]);
    // After the document the window is 11 segments, so 12 need another round trip. The pause is longer than a time-out,
    // so that the next page starts with the initial window again.
    assert_eq!(waits_of(12_000), [(70, 70), (1_130, 60)]);
}

/// Frames of 1500 and 500 octets come every 40 ms, the first one 40 ms after the start. Each takes 10 ms.
#[test]
fn a_frame_is_a_message() {
    let frame = |size| Frame { after: ms(40), size: Bytes::new(size) };
    let traffic = Traffic::Frames { frames: vec![frame(1_500), frame(500)], repeat: true };
    let (done, sender) = run(Source::Offered { traffic, buffer: None }, ms(130));
    assert_eq!(waits(&done), [(50, 10), (90, 10), (130, 10)]);
    assert_eq!(sender.stats().bytes_sent, Bytes::new(3_500));
}

/// 8 Mb/s are a segment of 1000 octets per ms. Those of the first 20 ms wait for the handshake.
#[test]
fn a_constant_rate_is_sent_at_this_rate() {
    let traffic = Traffic::Constant(DataRate::from_mbps(8));
    let (done, sender) = run(Source::Offered { traffic, buffer: None }, ms(1_000));
    assert_eq!(sender.stats().bytes_sent, Bytes::new(1_001_000));
    assert_eq!(done.last().map(|it| it.1.delay), Some(ONE_WAY));
}

/// Chunks of 1 s at 80 kb/s are 10 000 octets. The player requests the lowest rate up to 1 s in its buffer, and the highest
/// one from 2 s on. At 2 s its buffer of 3 s has room for one more chunk, and at 3 s it has none: it waits for 1 s. As the
/// handshake takes 20 ms, the first chunk comes at 30 ms; the others take 20 ms.
#[test]
fn a_player_chooses_rates_by_its_buffer() {
    let kbps = |kbps: u64| DataRate::from_bps(kbps * 1_000);
    let video = Video {
        chunk: ms(1_000),
        rates: vec![kbps(40), kbps(60), kbps(80)],
        buffer: ms(3_000),
        reservoir: ms(1_000),
        cushion: ms(1_000),
    };
    let (done, _) = run(Source::Video(video), ms(3_000));
    let chunks: Vec<_> = done.iter().map(|(_, it)| it.chunk.map(|it| it.0)).collect();
    // In the buffer at the requests: 0, 1 s, 1.98 s, and then 2 s, as the player waits for room.
    assert_eq!(chunks[..4], [kbps(40), kbps(40), kbps(60), kbps(80)].map(Some));
    assert!(done.iter().all(|(_, it)| it.chunk.is_some_and(|it| it.1.is_zero())), "{done:?}");
    assert_eq!(waits(&done)[..3], [(30, 30), (50, 20), (70, 20)]);
    // The buffer has 2.94 s at 90 ms, when the fourth one could begin; there is room for it 960 ms later.
    assert!(waits(&done)[3].0 > 1_000, "{:?}", waits(&done));
}

/// Segments that a sender sends at once after a pause that follows its first 200 segments.
fn sent_after(pause: u64, arithmetic: Arithmetic) -> u64 {
    let config = SenderConfig { arithmetic, ..config() };
    let source = || Source::Requested(vec![object(ms(pause), 200_000, true)]);
    let (done, first) = run_with(config, source(), ms(800));
    let until = done[0].0 - Time::ZERO + ms(pause) + ms(15);
    let (_, sender) = run_with(config, source(), until);
    sender.stats().segments_sent - first.stats().segments_sent
}

/// After a pause of more than the retransmission time-out, which is 1 s here, a sender starts again with the initial window
/// of ten segments. After a shorter one it sends the 74 segments of the window that the first 200 have left.
///
/// Verifies: [RFC5681 §4.1]
#[test]
fn an_idle_sender_starts_again() {
    assert_eq!([900, 5_000].map(|pause| sent_after(pause, Arithmetic::Rfc)), [74, 10]);
}

/// Linux grows the window by each acknowledged segment, here to 106. After a pause it halves the window for each time-out
/// that has passed, but to no less than 10.
#[test]
fn an_idle_sender_of_linux_halves_its_window() {
    let sent = [900, 1_500, 2_500, 5_000].map(|pause| sent_after(pause, Arithmetic::Linux));
    assert_eq!(sent, [106, 53, 26, 10]);
}
