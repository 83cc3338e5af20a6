//! Tests of the occupancy meter: observation slots computed frame by frame.

use super::*;
use crate::fixture::{AP, CONTROL, ME, METER, OTHER, ack, at_ms, at_us, data, frame, packet, us};
use proptest::prelude::*;

fn rts(end: u64, from: u16, to: u16) -> Frame<'static> {
    frame(end, to, Kind::Rts { from })
}

fn cts(end: u64, to: u16) -> Frame<'static> {
    frame(end, to, Kind::Cts { request: CONTROL })
}

/// Usage of the channel in the current slot after `frames` and a beacon, by which all exchanges are over.
fn slot(frames: &[Frame]) -> Slot {
    let mut state = after(frames);
    step(&METER, &mut state, &frame(200_000, AP, Kind::Beacon));
    state.current
}

fn after(frames: &[Frame]) -> State {
    let mut state = State::default();
    for seen in frames {
        step(&METER, &mut state, seen);
    }
    state
}

/// Channel time with this number of accesses, all answered unless `failed` is greater than zero.
fn share(exchange: u64, failed: u64, accesses: u32) -> ChannelTime {
    let of = |number| {
        (0..number).fold(Accesses::default(), |mut all, _| {
            all += Accesses::ONE;
            all
        })
    };
    let answered = of(if failed == 0 { accesses } else { 0 });
    ChannelTime { exchange: us(exchange), failed: us(failed), accesses: of(accesses), answered }
}

/// The mean back-off is 15 / (N + 1) slots of 9 µs among N active stations.
///
/// Verifies: [arf-window eq. 1]
#[test]
fn the_mean_backoff_falls_with_the_number_of_active_stations() {
    let backoffs = [1, 2, 4].map(|active| mean_backoff(&METER, active).as_nanos());
    assert_eq!(backoffs, [67_500, 45_000, 27_000]);
}

/// The RTS and its duration field give the time of an exchange: 28 + 352 = 380 µs, after DIFS 34 and a
/// back-off of 67.5 with one active station.
///
/// Verifies: [arf-window eq. 2], [arf-window eq. 3]
#[test]
fn an_exchange_has_the_duration_in_its_rts() {
    let down = [rts(100, AP, ME), cts(144, AP), data(408, AP, ME), ack(452, AP)];
    let seen = slot(&down);
    assert_eq!(seen.stations[ME].down, share(380, 0, 1));
    assert_eq!(seen.stations[ME].up, ChannelTime::default());
    let access = METER.difs + mean_backoff(&METER, seen.active());
    let access = Access { up: access, down: access };
    assert_eq!(seen.occupied(access).as_nanos(), 380_000 + 34_000 + 67_500);
    let up = [rts(100, ME, AP), cts(144, ME), data(408, ME, AP), ack(452, ME)];
    assert_eq!(slot(&up).stations[ME].up, share(380, 0, 1));
    // The CTS to another station shows that its RTS was granted.
    let other = [rts(100, AP, OTHER), cts(144, AP)];
    assert_eq!(slot(&other).stations[OTHER].down, share(380, 0, 1));
}

/// A CTS alone gives the time of an exchange whose RTS, from a hidden station, was not decoded: the estimate
/// 28, SIFS 16, CTS 28 and duration field 308 are also 380 µs.
///
/// Verifies: [arf-window eq. 4]
#[test]
fn a_cts_alone_is_enough() {
    let seen = slot(&[cts(144, OTHER), ack(452, OTHER)]);
    assert_eq!(seen.stations[OTHER].up, share(380, 0, 1));
    assert_eq!(seen.active(), 1);
    // No RTS precedes the station's own CTS-to-self: 28 + 308.
    let own = [frame(144, ME, Kind::Cts { request: Duration::ZERO }), data(408, ME, AP)];
    assert_eq!(slot(&own).stations[ME].up, share(336, 0, 1));
    // The data after the access point's CTS-to-self shows for which station it is.
    let access_point = [cts(144, AP), data(408, AP, OTHER)];
    assert_eq!(slot(&access_point).stations[OTHER].down, share(380, 0, 1));
}

/// Without RTS a data frame of 248 µs and its duration field of 44 give the time of an exchange.
///
/// Verifies: [arf-window §III]
#[test]
fn without_rts_data_counts_with_its_duration_field() {
    let frames = [data(300, AP, ME), ack(344, AP), data(800, OTHER, AP), ack(844, OTHER)];
    let seen = slot(&[&frames[..], &[data(1_200, ME, AP), ack(1_244, ME)]].concat());
    assert_eq!(seen.stations[ME], Usage { up: share(292, 0, 1), down: share(292, 0, 1) });
    assert_eq!(seen.stations[OTHER].up, share(292, 0, 1));
    assert_eq!(seen.active(), 2);
    let (up, down) = (seen.adapted_up, seen.adapted_down);
    assert_eq!((up, down), (Bytes::new(1_536), Bytes::new(1_536)));
    let flow = seen.flows[7];
    assert_eq!(flow.usage, Usage { up: share(292, 0, 1), down: share(292, 0, 1) });
    assert_eq!((flow.packets, flow.answers, flow.octets), (2, 0, Bytes::new(2_920)));
}

#[test]
fn exchanges_without_an_answer_count_as_failed() {
    assert_eq!(slot(&[rts(100, ME, AP)]).stations[ME].up, share(0, 28, 1));
    assert_eq!(slot(&[data(300, ME, AP)]).stations[ME].up, share(0, 248, 1));
    // Another station's data counts as answered, because its ACK may be out of range.
    assert_eq!(slot(&[data(300, OTHER, AP)]).stations[OTHER].up, share(292, 0, 1));
    // An ACK whose data was not decoded counts with SIFS and its own duration.
    assert_eq!(slot(&[ack(344, OTHER)]).stations[OTHER].up, share(44, 0, 1));
    // A station's ACK without the access point's data belongs to no known station.
    assert!(slot(&[ack(344, AP)]).stations.is_empty());
}

/// An exchange that another frame interrupts has at most the time until then. An RTS announces 352 µs after
/// its end, data 44 µs; another frame of 28 µs begins earlier.
#[test]
fn an_exchange_that_another_one_cuts_off_has_no_more_than_its_time() {
    // The CTS was lost, so the access point repeats the RTS 56 µs later.
    let again = [rts(100, AP, ME), cts(144, AP), rts(228, AP, ME), cts(272, AP), data(536, AP, ME)];
    let seen = slot(&[&again[..], &[ack(580, AP)]].concat());
    assert_eq!(seen.stations[ME].down.exchange, us(380));
    assert_eq!(seen.stations[ME].down.failed, us(28));
    // The data is on the air from 52 to 300 µs, and the next frame from 320 µs on, before an ACK.
    let seen = slot(&[data(300, OTHER, AP), rts(348, AP, ME)]);
    assert_eq!(seen.stations[OTHER].up, share(268, 0, 1));
    // A frame that ends after the announced end has begun before it, too.
    let seen = slot(&[data(300, OTHER, AP), frame(350, AP, Kind::Beacon)]);
    assert_eq!(seen.stations[OTHER].up, share(270, 0, 1));
}

/// A `BlockAckRequest` begins an exchange: 28 + 44 µs with its `BlockAck`, 28 µs without. Another station's counts as
/// answered, as its data does.
#[test]
fn a_block_ack_request_begins_an_exchange() {
    let request = |end, from, to| frame(end, to, Kind::BlockAckRequest { from });
    let answer = frame(144, ME, Kind::BlockAck { acknowledged: &[] });
    assert_eq!(slot(&[request(100, ME, AP), answer]).stations[ME].up, share(72, 0, 1));
    assert_eq!(slot(&[request(100, ME, AP)]).stations[ME].up, share(0, 28, 1));
    assert_eq!(slot(&[request(100, AP, OTHER)]).stations[OTHER].down, share(72, 0, 1));
    // The CTS was lost. So the access point sends no data, and the station requests its BlockAck 28 µs later.
    let lost = [rts(100, AP, ME), cts(144, AP), request(200, ME, AP), frame(244, ME, answer.kind)];
    let seen = slot(&lost);
    assert_eq!((seen.stations[ME].down, seen.stations[ME].up), (share(0, 28, 1), share(72, 0, 1)));
}

/// An ACK ends the exchange that it answers, even if the RTS has announced a longer one: 28 + 144 µs instead of 380.
#[test]
fn an_exchange_is_over_with_its_ack() {
    assert_eq!(slot(&[rts(100, AP, ME), ack(244, AP)]).stations[ME].down, share(172, 0, 1));
}

/// An exchange counts in the slot in which it ends, and `early` is its part before that slot: of an exchange
/// from 299.762 ms to 300.054 ms, 238 µs are before the second slot.
#[test]
fn a_slot_has_the_part_of_its_exchanges_before_it() {
    let heard = [data(300_010, ME, AP), ack(300_054, ME), data(310_000, OTHER, AP)];
    let seen = after(&[&heard[..], &[ack(310_044, OTHER)]].concat()).current;
    assert_eq!(seen.exchanges(ME), (us(292), us(292)));
    assert_eq!(seen.early, [us(238), Duration::ZERO]);
    let others = after(&[data(300_010, OTHER, AP), ack(300_054, OTHER)]).current;
    assert_eq!(others.early, [Duration::ZERO, us(238)]);
    // For merged slots only the part before the first one counts.
    let mut both = seen.clone();
    both.add(&others);
    assert_eq!(both.early, seen.early);
}

#[test]
fn slots_follow_each_other_and_forget() {
    let ms = |ms: u64| ms * 1_000;
    let heard = [data(ms(1), ME, AP), ack(ms(1) + 44, ME)];
    let mut state = after(&heard);
    assert_eq!(state.last(), None);
    // Ends in the next slot and counts there.
    step(&METER, &mut state, &data(ms(300) - 10, OTHER, AP));
    step(&METER, &mut state, &ack(ms(300) + 34, OTHER));
    let last = state.last().expect("a slot is over");
    assert_eq!(last.stations.numbers().collect::<Vec<_>>(), [ME]);
    assert_eq!(state.current().stations.numbers().collect::<Vec<_>>(), [OTHER]);
    step(&METER, &mut state, &frame(ms(950), AP, Kind::Beacon));
    assert_eq!(state.last(), Some(&Slot::default()));
    assert_eq!(state.current().beacons, us(28));
}

/// A frame of another cell counts with its time of 28 µs, and does not cut off the exchange of 248 + 44 µs during which it
/// begins. A beacon of 28 µs follows.
#[test]
fn a_frame_of_another_cell_takes_time_and_ends_no_exchange() {
    let seen = slot(&[data(300, OTHER, AP), frame(350, AP, Kind::Foreign)]);
    assert_eq!(seen.stations[OTHER].up, share(292, 0, 1));
    assert_eq!(seen.beacons, us(28 + 28));
}

/// The end of a slot gives its usage and the number of empty slots after it. The exchange of 292 µs ends at
/// 1.044 ms; two empty slots follow, and half of another.
#[test]
fn ending_slots_returns_the_usage_and_the_silence_after_it() {
    let heard = [data(1_000, ME, AP), ack(1_044, ME)];
    let mut state = after(&heard);
    assert_eq!(end_slots(&METER, &mut state, None, at_ms(299)), None);
    let ended = end_slots(&METER, &mut state, None, at_ms(1_050));
    let ended = ended.expect("three slots are over");
    assert_eq!((ended.from, ended.silent), (Time::ZERO, 2));
    assert_eq!(ended.slot.exchanges(ME), (us(292), Duration::ZERO));
    assert_eq!(ended.slot.exchanges(OTHER), (Duration::ZERO, us(292)));
    let ended = end_slots(&METER, &mut state, None, at_ms(1_200));
    assert_eq!(ended.map(|it| (it.from, it.silent)), Some((at_ms(900), 0)));
}

/// An exchange whose ACK was assumed ends where the next frame begins, even if that frame ends after the slot: the
/// exchange of 248 + 44 µs would end at 299 944 µs, and a frame of 248 µs begins at 299 920 µs. An ACK that ends with
/// the slot belongs to its exchange, which counts once, in the next slot.
#[test]
fn a_frame_across_the_end_of_a_slot_cuts_off_the_exchange_before_it() {
    let cut = after(&[data(299_900, OTHER, AP), data(300_168, OTHER, AP)]);
    let last = cut.last().expect("a slot is over");
    assert_eq!(last.exchanges(OTHER), (us(268), Duration::ZERO));
    let answered = after(&[data(299_956, ME, AP), ack(300_000, ME)]);
    let last = answered.last().expect("a slot is over");
    assert_eq!(last.exchanges(ME), (Duration::ZERO, Duration::ZERO));
    assert_eq!(answered.current().exchanges(ME), (us(292), Duration::ZERO));
}

/// A slot that is ended early has the exchanges that have ended in it, and the next slot has the others.
/// There are two exchanges of 292 µs; the slot ends during the second. The back-offs are 45 and 90 µs.
#[test]
fn a_slot_may_be_cut_at_any_time() {
    let own = |frame, backoff| Frame { backoff: Some(us(backoff)), ..frame };
    let first = [own(data(1_000, ME, AP), 45), ack(1_044, ME), own(data(2_000, ME, AP), 90)];
    let mut state = after(&first);
    let slot = end_slot_at(&METER, &mut state, at_us(2_010));
    assert_eq!(slot.stations[ME].up, share(292, 0, 1));
    assert_eq!(slot.backoffs.mean(), Some(Duration::from_nanos(67_500)));
    step(&METER, &mut state, &ack(2_044, ME));
    let second = end_slot_at(&METER, &mut state, at_us(2_044));
    assert_eq!((second.stations[ME].up, second.backoffs.mean()), (share(292, 0, 1), None));
    assert_eq!(end_slot_at(&METER, &mut state, at_us(9_000)), Slot::default());
    let mut both = slot;
    both.add(&second);
    assert_eq!((both.stations[ME].up, both.flows[7].packets), (share(584, 0, 2), 2));
}

/// A packet of flow 8 with 52 octets of headers and this payload; an ACK if the payload is zero.
fn of_flow_8(payload: u64) -> Packets {
    Packets::one(8, Bytes::new(payload), Bytes::new(payload + 52))
}

/// Packets of a frame, grouped by flow.
fn frame_of(packets: &[Packets]) -> Vec<Packets> {
    let mut all = Vec::new();
    for packet in packets {
        Packets::gather(&mut all, *packet);
    }
    all
}

/// The flows in an aggregate get parts of its time in proportion to their octets. Two packets of flow 7 have
/// 1508 and 508 octets, and one of flow 8 has 1008: 3024 octets. Data 248 and its duration field 44 are
/// 292 µs. Flow 7 gets 2016 / 3024, two thirds: 194.666 µs, and nearly 60 of an access time of 90 µs; flow 8 gets
/// the rest.
#[test]
fn flows_share_an_aggregate_by_their_octets() {
    let packets = frame_of(&[packet(1_460), of_flow_8(956), packet(460)]);
    let received =
        frame(300, ME, Kind::Data { from: AP, psdu: Bytes::new(3_138), packets: &packets });
    let seen = slot(&[received, ack(344, AP)]);
    assert_eq!(seen.stations[ME].down, share(292, 0, 1));
    let of = |flow: u16| {
        let FlowUsage { usage, packets, octets, answers } = seen.flows[flow];
        let down = usage.down;
        let access = down.accesses.time(us(90)).as_nanos();
        ((down.exchange.as_nanos(), access), (packets, answers, octets.get()))
    };
    assert_eq!(of(7), ((194_666, 59_999), (2, 0, 1_920)));
    assert_eq!(of(8), ((97_334, 30_000), (1, 0, 956)));
    // Two packets in two thirds of a frame correspond to three in a whole frame.
    let each = [7, 8].map(|flow| seen.flows[flow].packets_each(Direction::Down));
    assert_eq!((each, seen.flows[8].answers_each(Direction::Up)), ([3, 3], 1));
}

/// Of the aggregates that the station sends, only packets acknowledged by a `BlockAck` count as packets. It
/// sends two packets of flow 7 and one of flow 8, and the `BlockAck` acknowledges only the shorter one of
/// flow 7: the time is still divided among all. Without a `BlockAck` all have failed: 248 µs, of which flow 7
/// gets two thirds.
#[test]
fn only_acknowledged_packets_of_a_sent_aggregate_count() {
    let packets = frame_of(&[packet(1_460), of_flow_8(956), packet(460)]);
    let acknowledged = frame_of(&[packet(460)]);
    let data = Kind::Data { from: ME, psdu: Bytes::new(3_138), packets: &packets };
    let seen = slot(&[
        frame(300, AP, data),
        frame(344, ME, Kind::BlockAck { acknowledged: &acknowledged }),
    ]);
    let of = |seen: &Slot, flow: u16| {
        let FlowUsage { usage: Usage { up, .. }, packets, octets, .. } = seen.flows[flow];
        (up.exchange.as_nanos(), up.failed.as_nanos(), packets, octets.get())
    };
    assert_eq!(seen.stations[ME].up, share(292, 0, 1));
    assert_eq!((of(&seen, 7), of(&seen, 8)), ((194_666, 0, 1, 460), (97_334, 0, 0, 0)));
    let silent = slot(&[frame(300, AP, data)]);
    assert_eq!(silent.stations[ME].up, share(0, 248, 1));
    assert_eq!((of(&silent, 7), of(&silent, 8)), ((0, 165_333, 0, 0), (0, 82_667, 0, 0)));
    // Another station's BlockAck is an answer, but shows no packets.
    let other = [
        crate::fixture::data(300, OTHER, AP),
        frame(344, OTHER, Kind::BlockAck { acknowledged: &[] }),
    ];
    assert_eq!(slot(&other).stations[OTHER].up, share(292, 0, 1));
}

/// The mean number of packets per aggregate is rounded to the nearest integer, at least one: 6 / 3 = 2; 5 / 2
/// = 2.5 gives 3; 4 / 3 = 1.33 gives 1; no packets, or no frame, give 1.
#[test]
fn a_mean_aggregate_is_rounded_and_has_a_packet_at_least() {
    let number = |packets, frames| share(0, 0, frames).answered.packets_each(packets);
    assert_eq!(
        [number(6, 3), number(5, 2), number(4, 3), number(0, 4), number(7, 0)],
        [2, 3, 1, 1, 1]
    );
}

fn any_frame() -> impl Strategy<Value = (u64, Frame<'static>)> {
    const PACKETS: [&[Packets]; 4] = {
        const fn of(flow: u16, msdus: u64) -> Packets {
            Packets { flow, msdus: Bytes::new(msdus), ..packet(1) }
        }
        [&[of(0, 49)], &[of(1, 1_508), of(0, 52)], &[of(2, 97), of(3, 1_501), of(1, 7)], &[]]
    };
    let kind = prop_oneof![
        (0..4u16).prop_map(|from| Kind::Rts { from }),
        (0..4u16).prop_map(|from| Kind::BlockAckRequest { from }),
        (0..50u64).prop_map(|request| Kind::Cts { request: us(request) }),
        (0..4u16, 1..2_000u64).prop_map(|(from, psdu)| Kind::Data {
            from,
            psdu: Bytes::new(psdu),
            packets: PACKETS[usize::from(from)],
        }),
        Just(Kind::Ack),
        (0..4usize).prop_map(|acknowledged| Kind::BlockAck { acknowledged: PACKETS[acknowledged] }),
        Just(Kind::Beacon),
    ];
    (0..400_000u64, 0..4u16, kind).prop_map(|(gap, to, kind)| (gap, frame(0, to, kind)))
}

proptest! {
    /// For any frames in any order, a frame counts at most once, with what its duration field announces.
    #[test]
    fn nothing_is_counted_twice(heard in prop::collection::vec(any_frame(), 0..60)) {
        let mut state = State::default();
        let (mut now, mut most, mut total) = (0, Duration::ZERO, Duration::ZERO);
        let mut start = Time::ZERO;
        let sum = |slot: &Slot| -> Duration {
            let shares = slot.stations.values().flat_map(|usage| [usage.up, usage.down]);
            shares.map(|share| share.exchange + share.failed).sum()
        };
        for (gap, seen) in heard {
            now += gap;
            let request = if let Kind::Cts { request } = seen.kind { request } else { Duration::ZERO };
            most += seen.duration + seen.duration_field + request + METER.sifs;
            let before = state.last.clone();
            step(&METER, &mut state, &Frame { end: at_us(now), ..seen });
            if state.start != start || state.last != before {
                total += state.last.as_ref().map_or(Duration::ZERO, sum);
                start = state.start;
            }
            prop_assert!(total + sum(&state.current) <= most);
        }
    }

    /// For any packets, the parts of the flows in an aggregate add up to the station's time and accesses.
    #[test]
    fn parts_of_flows_add_up_to_an_exchange(
        packets in prop::collection::vec((0..6u16, 0..3_000u64), 1..64),
        is_answered in prop::bool::ANY,
    ) {
        let all = packets.iter().map(|&(flow, payload)| {
            Packets::one(flow, Bytes::new(payload), Bytes::new(payload + 52))
        });
        let all = frame_of(&all.collect::<Vec<_>>());
        let data = Kind::Data { from: ME, psdu: Bytes::new(3_138), packets: &all };
        let mut frames = vec![frame(300, AP, data)];
        if is_answered {
            frames.push(frame(344, ME, Kind::BlockAck { acknowledged: &all }));
        }
        let seen = slot(&frames);
        let mut sum = Usage::default();
        seen.flows.values().for_each(|flow| sum.add(&flow.usage));
        prop_assert_eq!(sum, seen.stations[ME]);
        let counted: u32 = seen.flows.values().map(|flow| flow.packets + flow.answers).sum();
        prop_assert_eq!(counted as usize, if is_answered { packets.len() } else { 0 });
    }
}
