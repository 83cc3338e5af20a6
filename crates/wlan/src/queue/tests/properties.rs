//! Properties of all disciplines, for random histories.

use airfair_laws::dualpi2;

use super::*;

fn any_discipline() -> impl Strategy<Value = Discipline> {
    let weights = (1u32..8, 1u32..8).prop_map(|(data, ack)| Weights { data, ack });
    let quantum = || (64u64..3_000).prop_map(Bytes::new);
    let codel = || {
        let time = |range| prop::num::u64::ANY.prop_map(move |n: u64| n % range + 1);
        (time(20), time(50), any::<bool>()).prop_map(|(target, interval, marks)| CoDel {
            target: Duration::from_millis(target),
            interval: Duration::from_millis(interval),
            marks,
        })
    };
    prop_oneof![
        Just(Discipline::Fifo),
        Just(Discipline::MarkingFifo { mark_above: 3 }),
        Just(Discipline::DualPi2(dualpi2::Params::default())),
        weights.prop_map(Discipline::data_ack),
        Just(Discipline::RoundRobin),
        quantum().prop_map(|quantum| Discipline::DeficitRoundRobin { quantum }),
        codel().prop_map(Discipline::CoDel),
        (codel(), quantum(), 1u16..6, any::<bool>()).prop_map(|(codel, quantum, queues, hosts)| {
            let isolation = if hosts { Isolation::Receivers } else { Isolation::Flows };
            Discipline::FqCoDel { codel, quantum, queues, isolation }
        }),
        (codel(), quantum(), 1u16..6, any::<bool>()).prop_map(
            |(codel, quantum, queues, charges_uplink)| {
                let flows = FlowQueues { quantum, queues, codel, ..FlowQueues::default() };
                let queues = StationQueues::Flows(flows);
                let rule = AirtimeSharing { charges_uplink, queues, ..AirtimeSharing::default() };
                Discipline::Airtime(rule)
            }
        ),
        (1u64..20, 1u64..20).prop_map(|(target, step)| {
            let time = Duration::from_millis;
            let (target, step) = (time(target), time(step));
            let rule = dualpi2::Params { target, step, ..dualpi2::Params::default() };
            Discipline::Airtime(coupled(rule))
        }),
        (1u64..20, 1u64..90, any::<bool>()).prop_map(|(bucket, adjustment, charges_backoff)| {
            Discipline::TimeRegulator(TimeRegulation {
                bucket: Duration::from_millis(bucket),
                adjustment: Duration::from_millis(adjustment),
                charges_backoff,
            })
        }),
    ]
}

fn any_config() -> impl Strategy<Value = QueueConfig> {
    let limit = prop::sample::select(vec![Limit::Shared, Limit::Each]);
    let overflow = prop::sample::select(vec![Overflow::Tail, Overflow::LongestFlow]);
    (1u32..12, limit, any_discipline(), overflow, any::<bool>()).prop_map(
        |(packets, limit, discipline, overflow, ack_filter)| QueueConfig {
            packets,
            limit,
            discipline,
            overflow,
            ack_filter,
        },
    )
}

/// Steps of a history: the arrival of a packet with flow and size, or the end of a service; then a pause [ms].
fn any_history() -> impl Strategy<Value = Vec<(Option<(u64, u64)>, u64)>> {
    let arrival = prop::option::weighted(0.6, (0u64..6, 1u64..1_515));
    prop::collection::vec((arrival, 0u64..8), 0..400)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_024, ..ProptestConfig::default() })]

    /// Every packet is served, dropped, refused or queued. Each flow stays in order. No packet waits while nothing is
    /// in service, and the capacity is never exceeded.
    #[test]
    fn nothing_is_lost_overtaken_or_left_waiting(
        config in any_config(),
        history in any_history(),
    ) {
        let mut queue = TransmitQueue::new(config);
        let mut now = Time::ZERO;
        let (mut came, mut gone, mut last) = (0, 0, BTreeMap::new());
        for (number, (arrival, pause)) in (1u64..).zip(history) {
            if queue.next_release().is_some_and(|release| release <= now) {
                queue.release(now);
            }
            match arrival {
                Some((flow, size)) => {
                    came += 1;
                    // The last two flows are of low latency, and for stations that have others.
                    let msdu = match flow.checked_sub(4) {
                        Some(index) => Msdu {
                            to: NodeId::station(usize::try_from(index).unwrap()),
                            ..packet(LOW_LATENCY + index, number, size)
                        },
                        None => packet(flow, number, size),
                    };
                    gone += u32::from(!queue.push(now, msdu));
                }
                None if in_service(&queue).is_some() => {
                    let station = in_service(&queue).unwrap().to.index() - 1;
                    queue.charge(now, &exchange(station, Down, 700 * number % 9_000));
                    queue.charge(now, &exchange(usize::from(number % 2 > 0), Up, 900));
                    let msdu = finish(&mut queue, now).unwrap();
                    gone += 1;
                    let Tagged { flow, number, .. } = msdu.payload;
                    let number = number % MARK;
                    prop_assert!(last.insert(flow, number).is_none_or(|before| before < number));
                }
                None => queue.release(now),
            }
            while queue.poll_dropped().is_some() {
                gone += 1;
            }
            prop_assert_eq!(came - gone, queue.len());
            let in_service = usize::from(in_service(&queue).is_some());
            prop_assert_eq!(queue.waiting().count() + in_service, queue.len() as usize);
            let may_hold = matches!(config.discipline, Discipline::TimeRegulator(_));
            prop_assert!(queue.waiting().count() == 0 || in_service == 1 || may_hold);
            let is_held = in_service == 0 && queue.waiting().count() > 0;
            prop_assert_eq!(queue.next_release().is_some(), is_held);
            prop_assert!(queue.next_release().is_none_or(|release| release > now));
            let room = config.packets * if config.limit == Limit::Each { 7 } else { 1 };
            prop_assert!(queue.len() <= room);
            now += Duration::from_millis(pause);
        }
        // Every station that is held back gets its turn, at the latest when its debt is paid.
        let end = now + Duration::from_secs(60);
        while !queue.is_empty() || queue.next_release().is_some() {
            if in_service(&queue).is_some() {
                finish(&mut queue, now);
            } else {
                now = now.max(queue.next_release().expect("it waits for tokens"));
                queue.release(now);
            }
            prop_assert!(now < end);
        }
        prop_assert_eq!(queue.len(), 0);
    }

    /// Stations that always have packets use equally much airtime, within a quantum and their longest exchanges.
    #[test]
    fn airtime_is_fair(costs in prop::array::uniform3(50u64..13_000), quantum in 20u64..4_000) {
        let rule = AirtimeSharing {
            quantum: Some(Duration::from_micros(quantum)),
            ..AirtimeSharing::default()
        };
        let mut queue = queue(Discipline::Airtime(rule), 10_000, Limit::Shared);
        let mut used = [0u64; 3];
        (0..3).for_each(|station| _ = queue.push(ms(0), packet(2 * station, 0, 1_500)));
        for number in 1..2_000 {
            (0..3).for_each(|station| _ = queue.push(ms(0), packet(2 * station, number, 1_500)));
            let flow = serve(&mut queue, ms(0), costs).expect("packets wait");
            used[usize::try_from(flow / 2).unwrap()] += costs[usize::try_from(flow / 2).unwrap()];
            let spread = used.iter().max().unwrap() - used.iter().min().unwrap();
            prop_assert!(spread <= 2 * (quantum + costs.iter().max().unwrap()), "{used:?}");
        }
    }

    /// While both kinds wait, each has its weight in every round, and never deviates by more than one packet.
    #[test]
    fn weights_are_kept_within_a_packet(data in 1u32..40, ack in 1u32..40, rounds in 1usize..8) {
        let weights = Weights { data, ack };
        let mut queue = queue(Discipline::data_ack(weights), 10_000, Limit::Each);
        for number in 0..1_000 {
            queue.push(ms(0), packet(0, number, 1_500));
            queue.push(ms(0), packet(1, number, 52));
        }
        finish(&mut queue, ms(0));
        let total = data + ack;
        let mut served = [0u32; 2];
        for step in 1..=(rounds * total as usize) {
            let msdu = finish(&mut queue, ms(0)).expect("packets wait");
            served[usize::from(msdu.payload.is_ack)] += 1;
            let ideal = f64::from(u32::try_from(step).unwrap() * data) / f64::from(total);
            prop_assert!((f64::from(served[0]) - ideal).abs() <= 1.0, "{served:?} after {step}");
            if step % total as usize == 0 {
                prop_assert!(served[0].abs_diff(data * (served[0] + served[1]) / total) == 0);
            }
        }
    }

    /// Stations that always have packets send equally often and, under deficit round robin, equally much within a
    /// quantum and a packet.
    #[test]
    fn turns_are_fair(sizes in prop::collection::vec(64u64..1_515, 2..5), quantum in 1_514u64..4_000) {
        let station = |i: usize| 2 * u64::try_from(i).unwrap();
        for discipline in [
            Discipline::RoundRobin,
            Discipline::DeficitRoundRobin { quantum: Bytes::new(quantum) },
        ] {
            let mut queue = queue(discipline, 100_000, Limit::Shared);
            for number in 0..400 {
                for (i, size) in sizes.iter().enumerate() {
                    queue.push(ms(0), packet(station(i), number, *size));
                }
            }
            finish(&mut queue, ms(0));
            let mut sent = vec![(0i64, 0i64); sizes.len()];
            for _ in 0..300 {
                let msdu = finish(&mut queue, ms(0)).expect("packets wait");
                let (packets, octets) = &mut sent[msdu.to.index() - 1];
                *packets += 1;
                *octets += i64::try_from(msdu.size.get()).unwrap();
                let spread = |of: &dyn Fn(&(i64, i64)) -> i64| {
                    let values: Vec<i64> = sent.iter().map(of).collect();
                    values.iter().max().unwrap() - values.iter().min().unwrap()
                };
                match discipline {
                    Discipline::RoundRobin => prop_assert!(spread(&|(packets, _)| *packets) <= 1),
                    _ => prop_assert!(
                        spread(&|(_, octets)| *octets) <= i64::try_from(quantum + 2 * 1_514).unwrap()
                    ),
                }
            }
        }
    }
}
