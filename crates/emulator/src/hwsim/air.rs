//! Radios of the kernel as members of a scenario's cell, with a separate channel for each
//! frequency.

use std::collections::BTreeMap;

use airfair_sim::build;
use airfair_sim::random::Streams;
use airfair_sim::scenario::{ErrorModel, Scenario};
use airfair_sim::world::Direction;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::medium::{Addressee, Done, Job, Medium, News, STAGES, Stage};
use airfair_wlan::phy::mode::{Format, Parameters};
use airfair_wlan::phy::{GuardInterval, Mode, TxVector, Width, dsss, ofdm};
use airfair_wlan::{Moment, NodeId};

use super::protocol::{
    Address, Attempts, Frame, IS_40_MHZ, IS_HT, IS_SHORT, IS_VHT, NO_ACK, WITH_RTS,
};

/// Length of the frame check sequence, which frames from the kernel lack [octets].
const CHECK_SEQUENCE: u64 = 4;
/// Lower edge of the 5 GHz band, in which there is no DSSS [MHz].
const GHZ5: u32 = 4_900;
/// Received power on links for which the scenario gives no SNR [dBm].
const SIGNAL_DBM: i32 = -50;
/// Noise power on links for which the scenario gives an SNR [dBm].
const NOISE_DBM: i32 = -95;
/// Retry bit in the second octet of an 802.11 frame.  [80211-2020 §9.2.4.1.7]
const RETRY: u8 = 0x08;

/// Mask of the frame type in the first octet of an 802.11 frame.  [80211-2020 §9.2.4.1.3]
const KIND: u8 = 0x0c;
/// Frame type of data frames, under the mask `KIND`.
const DATA: u8 = 0x08;

/// Counters of one simulated radio of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Frames that the radio has sent, with or without success.
    pub frames: u64,
    /// Transmission attempts of the frames sent, retries included.
    pub attempts: u64,
    /// Frames sent that required an acknowledgment and got none.
    pub lost: u64,
    /// Number of frames that the radio's full transmit queue refused.
    pub refused: u64,
    /// Octets in frames that the radio has received.
    pub received_bytes: u64,
    /// Airtime of the exchanges that the radio itself began.
    pub airtime: Duration,
    /// Airtime of other radios' exchanges that were addressed to this radio alone.
    pub airtime_to: Duration,
    /// Number of frames in the radio's transmit queue.
    pub queue: u64,
}

/// Indices of the sender and of a receiver of a frame, and the time at which the frame was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) since: Time,
}

/// Frame of a radio that is queued or on the air.
#[derive(Clone, Debug, Default)]
struct InFlight {
    octets: Vec<u8>,
    from: usize,
    since: Time,
    cookie: u64,
    flags: u32,
    chain: [Attempts; STAGES],
}

/// Message to `mac80211_hwsim` about a frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply<'a> {
    /// Reception of a frame by a radio: the radio's address; the frame; rate index, power [dBm] and
    /// frequency [MHz]; and the frame's path.
    Received(Address, &'a [u8], (u32, i32, u32), Path),
    /// Report to the transmitter that a frame is done: transmitter, cookie and flags; attempts made
    /// in each stage of the retry chain; and whether the frame was acknowledged, with the power
    /// [dBm].
    Report((Address, u64, u32), [Attempts; STAGES], (bool, i32)),
}

/// Radios of the kernel as members of a cell, and a channel for each frequency.
#[derive(Debug)]
pub(super) struct Air {
    scenario: Scenario,
    seed: u64,
    /// Addresses by which the kernel identifies the radios, in the order of the members.
    radios: Vec<Address>,
    /// Frequency of each radio's last frame [MHz].
    tuned: Vec<u32>,
    /// Radios by MAC address, learnt from the frames that they have sent.
    senders: BTreeMap<Address, NodeId>,
    channels: BTreeMap<u32, Medium<usize>>,
    sent: Vec<InFlight>,
    free: Vec<usize>,
    /// Future rate changes from the schedules of stations, in the order of time.
    changes: Vec<(Time, NodeId, Direction, DataRate)>,
    accounts: Vec<Account>,
    pub(super) unknown: u64,
}

impl Air {
    pub(super) fn new(scenario: Scenario, seed: u64, radios: Vec<Address>) -> Self {
        let (count, members) = (radios.len(), (0..).map(NodeId::station));
        let mut changes = Vec::new();
        for (member, station) in members.zip(&scenario.stations) {
            let ways = [(Direction::Up, &station.rate_up), (Direction::Down, &station.rate_down)];
            for (direction, schedule) in ways {
                let later = schedule[1..].iter();
                changes.extend(later.map(|(at, rate)| (*at, member, direction, rate.data_rate())));
            }
        }
        changes.sort_by_key(|change| change.0);
        Self {
            scenario,
            seed,
            radios,
            tuned: vec![0; count],
            senders: BTreeMap::new(),
            channels: BTreeMap::new(),
            sent: Vec::new(),
            free: Vec::new(),
            changes,
            accounts: vec![Account::default(); count],
            unknown: 0,
        }
    }

    pub(super) fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// Time of the next event on any channel, and the frequency of that channel [MHz].
    pub(super) fn next_event(&mut self) -> Option<(Moment, u32)> {
        let each = self.channels.iter_mut().map(|(at, medium)| (medium.next_event(), *at));
        each.min().filter(|(next, _)| *next < Moment::NEVER)
    }

    /// Handles all events up to `until`. Calls `emit` with each message to the kernel and the time
    /// at which it was due.
    pub(super) fn advance(&mut self, until: Time, emit: &mut impl FnMut(Time, Reply<'_>)) {
        while let Some((next, frequency)) = self.next_event().filter(|(next, _)| next.at() <= until)
        {
            self.change_rates(next.at());
            let medium = self.channels.get_mut(&frequency).expect("it has just been asked");
            medium.handle_event(next.at(), next.phase());
            while let Some(news) = self.channels.get_mut(&frequency).and_then(Medium::poll_news) {
                self.pass_on(next.at(), frequency, news, emit);
            }
        }
    }

    fn change_rates(&mut self, now: Time) {
        let due = self.changes.iter().take_while(|change| change.0 <= now).count();
        for (_, station, direction, rate) in self.changes.drain(..due) {
            for medium in self.channels.values_mut() {
                medium.set_ceiling(station, direction, rate);
            }
            // Channels that are created later begin with this rate.
            let of = &mut self.scenario.stations[station.index() - 1];
            let way = if direction == Direction::Up { &mut of.rate_up } else { &mut of.rate_down };
            way.remove(0);
        }
    }

    /// Handles a frame that a radio of the kernel sends.
    pub(super) fn send(
        &mut self,
        now: Time,
        frame: &Frame<'_>,
        emit: &mut impl FnMut(Time, Reply<'_>),
    ) {
        let Some(at) = self.radios.iter().position(|it| *it == frame.transmitter) else {
            self.unknown += 1;
            let of = (frame.transmitter, frame.cookie, frame.flags);
            return emit(
                now,
                Reply::Report(of, [Attempts::default(); STAGES], (false, SIGNAL_DBM)),
            );
        };
        self.change_rates(now);
        let from = NodeId(u16::try_from(at).expect("as many as members"));
        let frequency = frame.frequency;
        self.tuned[at] = frequency;
        self.senders.insert(frame.sender(), from);
        let to = self.addressee(from, frame);
        if !self.channels.contains_key(&frequency) {
            let number = u32::try_from(self.channels.len()).expect("few frequencies");
            let medium = build::medium(&self.scenario, 0, Streams::new(self.seed, number));
            self.channels.insert(frequency, medium);
        }
        let medium = self.channels.get_mut(&frequency).expect("it is there now");
        let mut chain = chain_of(frame, medium);
        if chain[0].is_none() {
            let tx = medium.airtime().beacon_vector();
            chain[0] = Some(Stage { tx, attempts: 1, rts: false });
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.sent.push(InFlight::default());
            self.sent.len() - 1
        });
        let sent = &mut self.sent[place];
        sent.octets.clear();
        sent.octets.extend(frame.octets);
        (sent.cookie, sent.flags, sent.chain) = (frame.cookie, frame.flags, frame.chain);
        (sent.from, sent.since) = (at, now);
        let psdu = Bytes::new(frame.octets.len() as u64 + CHECK_SEQUENCE);
        let job = Job { tag: place, to, psdu, chain, is_urgent: frame.is_beacon() };
        if medium.enqueue(now, from, job).is_err() {
            self.accounts[at].refused += 1;
            // A full queue must not look like a lost frame, from which hostapd would conclude that
            // the station is gone.
            let sent = &mut self.sent[place];
            sent.flags |= if sent.octets[0] & KIND == DATA { NO_ACK } else { 0 };
            self.report(now, from, place, [0; STAGES], false, emit);
        } else {
            self.accounts[at].queue += 1;
        }
    }

    /// Receivers of a frame that the radio `from` sends. A radio on another channel counts as
    /// unknown.
    fn addressee(&self, from: NodeId, frame: &Frame<'_>) -> Addressee {
        let receiver = frame.receiver();
        if receiver[0] & 1 == 1 || frame.flags & NO_ACK != 0 {
            return Addressee::All;
        }
        let to = self
            .senders
            .get(&receiver)
            .filter(|to| **to != from && self.tuned[to.index()] == frame.frequency);
        to.map_or(Addressee::Unknown, |to| Addressee::One(*to))
    }

    fn pass_on(
        &mut self,
        now: Time,
        frequency: u32,
        news: News<usize>,
        emit: &mut impl FnMut(Time, Reply<'_>),
    ) {
        match news {
            News::Received { tag, by, tx, again } => {
                let signal = self.signal(by);
                let InFlight { octets, from, since, .. } = &mut self.sent[tag];
                let path = Path { from: *from, to: by.index(), since: *since };
                if again {
                    octets[1] |= RETRY;
                }
                self.accounts[by.index()].received_bytes += octets.len() as u64;
                let rate = place_of(tx, frequency);
                let how = (rate, signal, frequency);
                emit(now, Reply::Received(self.radios[by.index()], octets, how, path));
            }
            News::Done(Done { tag, from, attempts, acknowledged, airtime }) => {
                let account = &mut self.accounts[from.index()];
                account.frames += 1;
                account.queue -= 1;
                account.attempts += attempts.iter().map(|it| u64::from(*it)).sum::<u64>();
                account.airtime += airtime;
                let sent = &self.sent[tag];
                let is_for_all = sent.octets[4] & 1 == 1 || sent.flags & NO_ACK != 0;
                account.lost += u64::from(!acknowledged && !is_for_all);
                if let Some(to) = self.senders.get(&sent.octets[4..10]) {
                    self.accounts[to.index()].airtime_to += airtime;
                }
                self.report(now, from, tag, attempts, acknowledged, emit);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a frame's end has these parts")]
    fn report(
        &mut self,
        now: Time,
        from: NodeId,
        place: usize,
        attempts: [u8; STAGES],
        acknowledged: bool,
        emit: &mut impl FnMut(Time, Reply<'_>),
    ) {
        let InFlight { cookie, flags, chain, .. } = self.sent[place];
        let tried = std::array::from_fn(|at| Attempts { count: attempts[at], ..chain[at] });
        self.free.push(place);
        let of = (self.radios[from.index()], cookie, flags);
        emit(now, Reply::Report(of, tried, (acknowledged, self.signal(from))));
    }

    /// Power at which a radio receives frames, and at which others receive its frames, from the SNR
    /// in the scenario [dBm].
    fn signal(&self, radio: NodeId) -> i32 {
        let station = radio.index().checked_sub(1).map(|at| self.scenario.stations[at].errors);
        match station {
            Some(ErrorModel::Snr(snr)) => NOISE_DBM + whole(snr.get()),
            _ => SIGNAL_DBM,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a ratio of some decibels")]
fn whole(decibels: f64) -> i32 {
    decibels.round() as i32
}

/// Rates at a channel frequency [MHz], in the order of the kernel's rate indices: DSSS in the
/// 2.4 GHz band, then OFDM.
fn rates(frequency: u32) -> impl Iterator<Item = DataRate> {
    let dsss = if frequency < GHZ5 { &dsss::RATES[..] } else { &[] };
    dsss.iter().chain(&ofdm::RATES).copied()
}

fn place_of(tx: TxVector, frequency: u32) -> u32 {
    let place = rates(frequency).position(|rate| rate == tx.rate());
    place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0)
}

/// Retry chain of a frame, up to the first stage that is unused or unknown.
fn chain_of(frame: &Frame<'_>, medium: &Medium<usize>) -> [Option<Stage>; STAGES] {
    let mut chain = [None; STAGES];
    for (place, stage) in chain.iter_mut().zip(frame.chain) {
        let tx = vector_of(stage, frame.frequency, medium);
        let Some(tx) = tx.filter(|_| stage.count > 0) else { break };
        let rts = stage.flags & WITH_RTS != 0;
        *place = Some(Stage { tx, attempts: stage.count, rts });
    }
    chain
}

/// TX vector of a stage of a retry chain; `None` if the medium does not know the stage's rate.
fn vector_of(stage: Attempts, frequency: u32, medium: &Medium<usize>) -> Option<TxVector> {
    let at = u8::try_from(stage.rate).ok().filter(|_| stage.flags & IS_VHT == 0)?;
    if stage.flags & IS_HT == 0 {
        return rates(frequency).nth(usize::from(at)).map(|rate| medium.airtime().vector(rate));
    }
    let width = if stage.flags & IS_40_MHZ == 0 { Width::Mhz20 } else { Width::Mhz40 };
    let is_short = stage.flags & IS_SHORT != 0;
    let guard = if is_short { GuardInterval::Ns400 } else { GuardInterval::Ns800 };
    let (mcs, streams) = (at % 8, at / 8 + 1);
    let mode = Mode::new(Parameters::of(Format::Ht, mcs, streams, width, guard));
    mode.ok().map(TxVector::Mode)
}

#[cfg(test)]
mod tests {
    use super::super::protocol::tests::sent;
    use super::*;
    use airfair_sim::scenario::Driver;

    const TEXT: &str = "duration = '60 s'\n[bss.home]\nstandard = '802.11b'\n[station.near]\n\
                        rate = [['0 s', '11 Mb/s'], ['5 s', '1 Mb/s']]\n[station.far]\nrate = '1 Mb/s'";

    fn air(text: &str) -> Air {
        let mut none = |_: &str| Err("no file".to_owned());
        let scenario = Scenario::load(text.as_bytes(), &[], &mut none, Driver::Emulation);
        let radio = |number| [0x42, 0, 0, 0, number, 0];
        Air::new(scenario.expect("a scenario"), 1, (0..3).map(radio).collect())
    }

    /// Short text of a message to the kernel: `R2` is a reception by radio 2, `D7 2 1 !` the end of
    /// frame 7 after three attempts.
    fn note(reply: &Reply<'_>) -> String {
        match reply {
            Reply::Received(by, octets, (rate, ..), _) => {
                let again = if octets[1] & RETRY == 0 { "" } else { " again" };
                format!("R{} rate {rate}{again}", by[4])
            }
            Reply::Report((_, cookie, flags), chain, (acknowledged, _)) => {
                let tried = chain.map(|stage| stage.count.to_string()).join(" ");
                let is_no_loss = flags & NO_ACK != 0;
                let end = if *acknowledged {
                    "!"
                } else if is_no_loss {
                    "-"
                } else {
                    "?"
                };
                format!("D{cookie} {tried} {end}")
            }
        }
    }

    struct Bench {
        air: Air,
        replies: Vec<String>,
    }

    impl Bench {
        fn new(text: &str) -> Self {
            Self { air: air(text), replies: Vec::new() }
        }

        fn send(&mut self, ms: u64, attributes: &[u8]) {
            let frame = Frame::read(attributes).expect("a frame");
            let now = Time::ZERO + Duration::from_millis(ms);
            let replies = &mut self.replies;
            self.air.advance(now, &mut |_, reply| replies.push(note(&reply)));
            self.air.send(now, &frame, &mut |_, reply| replies.push(note(&reply)));
        }

        fn rest(mut self) -> (Vec<String>, Air) {
            let end = Time::ZERO + Duration::from_secs(60);
            let replies = &mut self.replies;
            self.air.advance(end, &mut |_, reply| replies.push(note(&reply)));
            (self.replies, self.air)
        }
    }

    /// Frame from `protocol::tests::sent`, changed to another radio and frequency.
    fn of(mut attributes: Vec<u8>, radio: u8, frequency: u32) -> Vec<u8> {
        // Transmitter: fifth octet after a header of 4. Sender: fifth octet of its address in the
        // frame that follows.
        attributes[8] = radio;
        attributes[12 + 4 + 14] = radio;
        let at = attributes.windows(4).position(|it| it == 2_437_u32.to_ne_bytes());
        let at = at.expect("its frequency");
        attributes[at..at + 4].copy_from_slice(&frequency.to_ne_bytes());
        attributes
    }

    const AP: Address = [2, 0, 0, 0, 0, 0];
    const ALL: Address = [0xff; 6];

    #[test]
    fn a_radio_is_identified_by_its_sent_frames_and_only_on_its_channel() {
        let mut bench = Bench::new(TEXT);
        // No radio has used 02:00:00:00:00:00 yet, so the whole chain fails: 2 attempts at 11 Mb/s,
        // 4 at 1 Mb/s.
        bench.send(0, &sent(AP, 1, 100));
        bench.send(100, &of(sent(ALL, 2, 100), 0, 2_437));
        bench.send(200, &sent(AP, 3, 100));
        bench.send(300, &of(sent(ALL, 4, 100), 0, 2_412));
        bench.send(400, &sent(AP, 5, 100));
        let (replies, air) = bench.rest();
        let all = "R1 rate 3, R2 rate 3";
        let expected = format!(
            "D1 2 4 0 0 ?, {all}, D2 1 0 0 0 ?, R0 rate 3, D3 1 0 0 0 !, {all}, D4 1 0 0 0 ?, D5 2 4 0 0 ?"
        );
        assert_eq!(replies.join(", "), expected);
        let accounts = air.accounts().iter().map(|it| (it.frames, it.attempts, it.lost, it.queue));
        assert_eq!(accounts.collect::<Vec<_>>(), [(2, 2, 0, 0), (3, 13, 2, 0), (0, 0, 0, 0)]);
    }

    #[test]
    fn a_rate_of_the_scenario_is_a_ceiling_that_follows_its_schedule() {
        let mut bench = Bench::new(TEXT);
        bench.send(0, &of(sent(ALL, 1, 100), 0, 2_437));
        for (ms, cookie) in [(4_900, 2), (5_100, 3)] {
            bench.send(ms, &sent(AP, cookie, 100));
        }
        bench.send(5_200, &of(sent(ALL, 4, 100), 0, 2_412));
        bench.send(5_300, &of(sent(AP, 5, 100), 1, 2_412));
        let (replies, _) = bench.rest();
        let ends: Vec<&String> = replies.iter().filter(|it| it.starts_with('D')).collect();
        let expected =
            ["D1 1 0 0 0 ?", "D2 1 0 0 0 !", "D3 2 1 0 0 !", "D4 1 0 0 0 ?", "D5 2 1 0 0 !"];
        assert_eq!(ends, expected);
        assert!(replies.contains(&"R0 rate 0 again".to_owned()));
    }

    #[test]
    fn full_queues_and_foreign_radios_are_reported_at_once() {
        let text = TEXT.replace("[station.far]", "queue = { packets = 2 }\n[station.far]");
        let mut bench = Bench::new(&text);
        for cookie in 1..=3 {
            bench.send(0, &sent(AP, cookie, 100));
        }
        assert_eq!(bench.replies, ["D3 0 0 0 0 -"]);
        bench.send(0, &of(sent(AP, 4, 100), 9, 2_437));
        assert_eq!(bench.replies[1], "D4 0 0 0 0 ?");
        let (replies, air) = bench.rest();
        assert_eq!((replies.len(), air.unknown, air.accounts()[1].refused), (4, 1, 1));
    }

    /// The index of a rate is that in the kernel's list for the band: 0 is 6 Mb/s in the 5 GHz
    /// band.
    #[test]
    fn places_of_rates_are_those_of_the_band() {
        let place = |mbps, frequency| {
            let rate = DataRate::from_mbps(mbps);
            let tx = TxVector::of(rate, airfair_wlan::phy::Preamble::Long).expect("a rate");
            place_of(tx, frequency)
        };
        assert_eq!(
            [place(1, 2_437), place(11, 2_437), place(6, 2_437), place(54, 2_437)],
            [0, 3, 4, 11]
        );
        assert_eq!([place(6, 5_180), place(54, 5_180)], [0, 7]);
    }

    /// A stage of a retry chain with an MCS of HT has its airtime, and one with an MCS of VHT ends
    /// the chain. MCS 15 at 40 MHz with the short guard interval is 300 Mb/s.  [80211-2020 §19.5]
    #[test]
    fn an_mcs_of_ht_is_known_and_one_of_vht_ends_the_chain() {
        let stage = |rate, flags| Attempts { rate, count: 1, flags };
        let none = stage(-1, 0);
        let airtime_of = |chain| {
            let frame = Frame {
                transmitter: [0x42, 0, 0, 0, 1, 0],
                octets: &[8; 1_000],
                flags: 0,
                cookie: 1,
                chain,
                frequency: 2_437,
            };
            let mut air = air(TEXT);
            air.send(Time::ZERO, &frame, &mut |_, _| {});
            air.advance(Time::ZERO + Duration::from_secs(1), &mut |_, _| {});
            air.accounts()[1].airtime
        };
        let (psdu, standard) = (Bytes::new(1_004), airfair_wlan::phy::Standard::B);
        let (width, guard) = (Width::Mhz40, GuardInterval::Ns400);
        let mode = Mode::new(Parameters::of(Format::Ht, 7, 2, width, guard)).expect("a mode");
        assert_eq!(mode.rate(), DataRate::from_mbps(300));
        let ht = standard.ppdu_duration(psdu, TxVector::Mode(mode));
        // 192 + 8 · 1004 µs at 1 Mb/s.
        let lowest = Duration::from_micros(192 + 8_032);
        let ht_chain = [stage(15, IS_HT | IS_40_MHZ | IS_SHORT), stage(0, 0), none, none];
        assert_eq!(airtime_of(ht_chain), ht + lowest);
        assert_eq!(airtime_of([stage(0, IS_VHT), none, none, none]), lowest);
    }
}
