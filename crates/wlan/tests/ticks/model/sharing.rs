//! MU-MIMO in the model: stations that share all tones of a PPDU, and soundings of the channels to them.
//! [80211ax-2021 §26.7, §27.3.3]

use airfair_laws::multi_user::{self as law, Action, Candidate, Delivery};
use airfair_wlan::multi_user::MuMimo;
use airfair_wlan::phy::mode::Parameters;
use airfair_wlan::phy::{Band, Mode, PpduKind, Unit, Width};

use super::multi_user::{Group, LONGEST, MultiUser, Receivers, Schedule, Turn, User};
use super::*;

/// MU-MIMO of an access point: its streams, and for each member the times [µs] of the last report and of the end of the
/// last sounding.
pub(super) struct Sharing {
    rule: MuMimo,
    streams: u8,
    reported: Vec<Option<u64>>,
    asked: Vec<Option<u64>>,
}

impl Sharing {
    pub(super) fn new(rule: MuMimo, streams: u8, members: usize) -> Self {
        Self { rule, streams, reported: vec![None; members], asked: vec![None; members] }
    }

    fn is_recent(&self, now: u64, at: Option<u64>) -> bool {
        at.is_some_and(|at| now - at <= us(self.rule.sounding_every))
    }

    /// Stations that are to be sounded before they share a PPDU, those without a recent report first; `None` if all have
    /// one, or if stations have units of their own.
    pub(super) fn to_sound(&self, now: u64, parts: &[(usize, TxVector)]) -> Option<Vec<usize>> {
        let shares = |tx: &TxVector| tx.mode().is_some_and(|mode| mode.unit() == Unit::Full);
        if !parts.iter().all(|(_, tx)| shares(tx)) {
            return None;
        }
        let all = parts.iter().map(|(to, _)| *to);
        let is_known = |to: &usize| self.is_recent(now, self.reported[*to]);
        let (known, unknown): (Vec<usize>, Vec<usize>) = all.partition(is_known);
        (!unknown.is_empty()).then(|| [unknown, known].concat())
    }

    /// Notes which stations have reported in a sounding that has ended. It is not tried again at once if `is_over`.
    pub(super) fn note(
        &mut self,
        now: u64,
        users: impl Iterator<Item = (usize, bool)>,
        is_over: bool,
    ) {
        for (station, is_answered) in users {
            if is_answered {
                self.reported[station] = Some(now);
            }
            if is_over {
                self.asked[station] = Some(now);
            }
        }
    }
}

/// Octets of the frame with a report of a sounding, with its delimiter: for each column an average of 8 bits, and for
/// each reported subcarrier 16 bits for each pair of angles and 4 for each column.
fn report(width: Width, (rows, columns): (u64, u64)) -> u64 {
    let subcarriers = if width == Width::Mhz20 { 64 } else { 122 };
    let pairs: u64 = (1..=columns.min(rows - 1)).map(|column| rows - column).sum();
    let bits = 8 * columns + subcarriers * (16 * pairs + 4 * columns);
    bits.div_ceil(8) + 35 + 4
}

/// Duration of an NDP [µs]: 36 µs of preamble, HE-LTFs of 16 µs, and a packet extension of 4 µs.
fn ndp_lasts(streams: u8, band: Band) -> u64 {
    let ltfs = if streams == 1 { 1 } else { u64::from(streams).next_multiple_of(2) };
    36 + 16 * ltfs + 4 + if band == Band::Ghz2 { 6 } else { 0 }
}

impl Model<'_> {
    /// Stations of the next PPDU: in units of their own or on streams of their own, by which more octets arrive per time.
    pub(super) fn choose_receivers(
        &mut self,
        now: u64,
        (mu, id): (&MultiUser, usize),
        candidates: &[Candidate],
        (rest, may_sound): (u64, bool),
    ) -> Option<Receivers> {
        let by_units = self.choose_by_units((mu, id), candidates);
        let by_streams = self.choose_by_streams(now, (mu, id), candidates, may_sound);
        let (Some(units), Some(streams)) = (&by_units, &by_streams) else {
            return by_units.or(by_streams);
        };
        let of_units = self.predict((mu, id), units, rest);
        let of_streams = self.predict((mu, id), streams, rest);
        if law::is_multi_user_better(of_streams, of_units) { by_streams } else { by_units }
    }

    /// Stations that share all tones: as many as may, if each packet fits the streams of its station.
    fn choose_by_streams(
        &self,
        now: u64,
        (mu, id): (&MultiUser, usize),
        candidates: &[Candidate],
        may_sound: bool,
    ) -> Option<Receivers> {
        let sharing = mu.sharing.as_ref()?;
        let on_streams = |to: usize, streams: u8| {
            let of = self.vector_between(0, to).mode()?.parameters();
            let tx = TxVector::Mode(Mode::new(Parameters { streams, ..of }).ok()?);
            mu.on_unit(tx, Unit::Full, PpduKind::Multi)
        };
        let may_share = |to: usize| {
            let is_known = sharing.is_recent(now, sharing.reported[to]);
            is_known || may_sound && !sharing.is_recent(now, sharing.asked[to])
        };
        let candidate = |it: &Candidate| {
            let to = usize::from(it.station);
            let may = it.is_multi_user && on_streams(to, 1).is_some() && may_share(to);
            Candidate { is_multi_user: may, ..*it }
        };
        let candidates: Vec<Candidate> = candidates.iter().map(candidate).collect();
        let Schedule(params, state) = mu.down.as_ref()?;
        let most = sharing.rule.users.min(sharing.streams.into());
        let share = |users: u16| {
            let params = law::Params { max_users: users, ..*params };
            let splits = [law::Split { units: users, tones: 1 }];
            let seen = law::Observation { candidates: &candidates, splits: &splits };
            let mut order = law::Order::default();
            let action = law::step(&params, state, &seen, &mut order);
            if !matches!(action, Action::MultiUser(_)) {
                return None;
            }
            let chosen: Vec<usize> = order.assignments().map(|it| it.station.into()).collect();
            let wanted: Vec<u8> =
                chosen.iter().map(|to| self.vector_between(0, *to).streams()).collect();
            let shares = law::share_streams(&wanted, sharing.streams);
            let part = |(to, streams): (usize, u8)| {
                let tx = on_streams(to, streams)?;
                self.holds_a_packet(mu, (id, to), tx).then_some((to, tx))
            };
            let parts = chosen.into_iter().zip(shares).map(part).collect::<Option<Vec<_>>>()?;
            let count = u16::try_from(parts.len()).expect("few users");
            Some((parts, mu.widest(count, |_| true)?))
        };
        (2..=most).rev().find_map(share)
    }

    /// Octets that an exchange with these stations brings, and its duration without protection.
    fn predict(
        &mut self,
        (mu, id): (&MultiUser, usize),
        receivers: &Receivers,
        rest: u64,
    ) -> Delivery {
        let (parts, unit) = receivers;
        let users = self.users_down((mu, id), parts, *unit);
        let sifs = us(self.airtime.timing.sifs);
        let around: u64 = self.answers(mu, &users).iter().map(|turn| sifs + turn.2).sum();
        let longest = rest.saturating_sub(around).min(LONGEST);
        let ppdu = self.together(parts.iter().map(|(_, tx)| *tx));
        let mut sizes = Vec::new();
        for (place, (to, _)) in parts.iter().enumerate() {
            let agreed = self.agreed(id, *to).expect("it has one");
            let is_alone = self.law(id, *to).is_some_and(|law| law.is_alone());
            let mpdus = if is_alone { 1 } else { agreed.mpdus as u64 };
            let octets = ppdu.largest(place, longest).min(agreed.octets);
            sizes.push(self.waiting(id, *to).min(octets).min(self.largest(id, *to) * mpdus));
        }
        let duration = Duration::from_micros(ppdu.lasts(&sizes) + around);
        Delivery { octets: Bytes::new(sizes.iter().sum()), duration }
    }

    /// Sounding of the first of these stations, as many as fit.
    pub(super) fn plan_sounding(
        &self,
        (mu, id): (&MultiUser, usize),
        stations: &[usize],
        rest: u64,
    ) -> Option<Group> {
        let sifs = us(self.airtime.timing.sifs);
        let fits = |group: &Group| {
            let duration = group.turns[3].2;
            duration <= LONGEST && group.turns[0].2 + group.rest(0, sifs) <= rest
        };
        let counts = (1..=stations.len()).rev();
        counts.filter_map(|count| self.sounding((mu, id), &stations[..count])).find(fits)
    }

    fn sounding(&self, (mu, id): (&MultiUser, usize), stations: &[usize]) -> Option<Group> {
        let rows = mu.sharing.as_ref()?.streams;
        let count = stations.len() as u64;
        let unit = mu.widest(u16::try_from(count).expect("few stations"), |_| true)?;
        let user = |to: &usize| {
            let tx = self.vector_between(0, *to);
            let answer = mu.answer_on_unit(tx, unit)?;
            let columns = tx.streams().min(4).min(rows);
            let size = report(mu.width, (rows.into(), columns.into()));
            Some(User::new(*to, id, (answer, (answer, size))))
        };
        let users = stations.iter().map(user).collect::<Option<Vec<User>>>()?;
        let tx = self.for_all(&users);
        let ndp = Parameters::of(Format::He, 0, rows, mu.width, mu.guard);
        let ndp = TxVector::Mode(Mode::new(ndp).expect("a mode"));
        let sizes: Vec<u64> = users.iter().map(|it| it.answer.1).collect();
        let feedback = self.together(users.iter().map(|it| it.answer.0)).lasts(&sizes);
        let turns = vec![
            (Turn::Announcement, tx, self.air(21 + 4 * count, tx)),
            (Turn::Sounding, ndp, ndp_lasts(rows, self.config.rules.channel.band)),
            (Turn::Trigger, tx, self.air(28 + 6 * count, tx)),
            (Turn::Feedback, users[0].answer.0, feedback),
        ];
        Some(Group::new(id, turns, users))
    }
}
