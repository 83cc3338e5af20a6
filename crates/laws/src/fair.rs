//! Fair access point: an access point that gives its stations equal airtime in both directions, alone.
//!
//! Source: the law is the project's own. Stations that wait for their share of channel time are those of
//! [tan-2004 §4], and windows in the ACKs that an access point forwards those of [pilosof-2003 §V]; how much a
//! station may have, and the windows, are found in another way. The access point keeps one account of airtime for
//! each station, for both directions together, and one level φ: the part of the time that a station may use.
//!
//! ```text
//!   level       dφ/dt  = γ φ clip((f − f*) / f*)     f: unused part of the time
//!   account     dVᵢ/dt = aᵢ − φ                      aᵢ: airtime of the frames from and to station i
//!   downlink    bulk for station i waits while Vᵢ > V₀, if some station uploads
//!   uplink      dWᵢ/dt = −κ Wᵢ (uᵢ − φ) / φ          uᵢ: aᵢ, smoothed; Wᵢ: data in flight of i's TCP uploads
//! ```
//!
//! The clip is to ±1. The level is found by probing, because use alone does not tell a station that is content from
//! one that starves. While the channel has unused time, the level rises. While it has none, the level falls, until the
//! stations above the level leave room. So the shares are max-min fair. The access point writes the window of a
//! station into the ACKs that it forwards to it. The use of a station whose senders are limited by their windows
//! follows these with the delay of the round trip, ln u = ln W(t − d) + constant, so that the loop needs to know
//! neither the round trip nor the rate nor the number of connections. The speed of a window is not clipped: a station
//! whose rate has fallen uses a multiple of its share, and its window must fall by as much.  Deviates: [D-312]
//!
//! Idle time is unused, except for the SIFS within exchanges and a mean gap, DIFS and back-off, before each access to the
//! channel. The accesses of a station that sends or receives aggregates count as if they had at least `access` of
//! airtime: while they are shorter, part of their gaps is unused, the level rises, and with it the windows and the
//! aggregates. A sender that paces its packets would otherwise waste the air with short ones.
//!
//! Networks on the same channel that want all of the air leave none unused, and take what windows leave. So the level
//! is above the mean use of the stations that use at least half of it, while other networks together use more than all
//! stations.
//!
//! Within a station, uploads and downloads share alike. While bulk to it waits, its uploads may use φ/2, and the direction
//! that has used more has a lower V₀, by the difference.
//!
//! The table of stations is updated in place, because a frame changes one account only.

mod account;
pub mod grants;
mod params;
mod uploads;
pub mod users;

use airfair_units::{Bytes, Duration, Time};

use account::{Account, Usage};
pub use account::{Content, Demand};
pub use params::Params;
pub use uploads::{InFlight, LEAST_SEGMENTS, Uploads};

/// Part of the level above which the uploads of a station are more than a little.
const LITTLE: f64 = 0.1;

/// Least level: a station is always allowed a thousandth of the time.
const LEAST: f64 = 0.001;

/// Least level while other networks use more than all stations, in mean uses of the stations that use at least half of
/// the level: more than one, so that windows grow.
const GROWING: f64 = 1.1;

/// Time after its last frame for which a station counts.
const ACTIVE: Duration = Duration::from_secs(1);

/// Time of the level for which a station may be in debt [s], beside [`Params::debt`].
const LONGEST_DEBT: f64 = 0.5;

/// State of the fair access point: the level, and the accounts of all stations, indexed by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    level: f64,
    updated: Time,
    /// Use of the channel by other networks.
    foreign: Usage,
    /// Gaps since the last update, except for the accesses of stations.
    gaps: Gaps,
    accounts: Vec<Account>,
    /// True if some station uploads more than a little, for whose sake others may have to wait.
    has_uploads: bool,
}

/// Airtime of a frame from a station or to it, or of several frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Number of the station in its cell.
    pub station: u16,
    /// Duration of the frame on the air.
    pub airtime: Duration,
    /// Content of the frame.
    pub content: Content,
    /// True if the station sends data without TCP in it.
    pub is_non_tcp: bool,
    /// True if the frame has several packets.
    pub is_aggregate: bool,
    /// Contention and SIFS before the frame.
    pub gaps: Gaps,
}

/// Number of idle gaps before frames, by their kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Number of frames before which their sender has contended for the channel.
    pub accesses: u32,
    /// Number of frames that follow another one of the same exchange after a SIFS.
    pub responses: u32,
}

/// Observation of the fair access point at the end of a period.
#[derive(Clone, Copy, Debug)]
pub struct Observation {
    /// Time of the observation.
    pub now: Time,
    /// Time since the last observation for which the channel was idle.
    pub idle: Duration,
    /// Mean idle time before an access to the channel: DIFS and back-off.
    pub gap: Duration,
    /// Idle time before a frame that follows another one of the same exchange.
    pub sifs: Duration,
}

/// Decision about the downlink of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Number of the station in its cell.
    pub station: u16,
    /// True if bulk for the station waits from now on; false if it need not wait any longer.
    pub is_held: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            level: 1.0,
            updated: Time::ZERO,
            foreign: Usage::default(),
            gaps: Gaps::default(),
            accounts: Vec::new(),
            has_uploads: false,
        }
    }
}

impl State {
    fn account(&mut self, station: u16) -> &mut Account {
        let index = usize::from(station);
        if index >= self.accounts.len() {
            self.accounts.resize(index + 1, Account::default());
        }
        &mut self.accounts[index]
    }

    /// φ: part of the time that a station may use.
    #[must_use]
    pub fn level(&self) -> f64 {
        self.level
    }

    /// uᵢ: part of the time that a station uses, smoothed.
    #[must_use]
    pub fn used(&self, station: u16) -> f64 {
        self.accounts.get(usize::from(station)).map_or(0.0, |it| it.total.rate)
    }

    /// Removes the account of a station that has left the cell.
    pub fn forget(&mut self, station: u16) {
        if let Some(account) = self.accounts.get_mut(usize::from(station)) {
            *account = Account::default();
        }
    }

    /// Largest amount of data that all TCP uploads of a station together may have in flight; `None` without a limit.
    #[must_use]
    pub fn window(&self, station: u16) -> Option<Bytes> {
        let window = self.accounts.get(usize::from(station))?.window?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^53")]
        Some(Bytes::new(window as u64))
    }

    /// Time until which an ACK to a station waits, because the station's window cannot fall much further: until its debt
    /// is paid. `None` if the ACK need not wait.
    #[must_use]
    pub fn delay(&self, params: &Params, station: u16) -> Option<Time> {
        let account = self.accounts.get(usize::from(station)).filter(|it| it.is_low)?;
        let allowed = account.allowed_upload(params);
        (account.debt > allowed).then(|| account.falls_to(allowed, self.level))
    }

    /// Earliest time at which bulk for a station need not wait any longer; `None` if none waits.
    #[must_use]
    pub fn next_release(&self, params: &Params) -> Option<Time> {
        let held = self.accounts.iter().filter(|it| it.is_held);
        held.map(|it| it.falls_to(it.allowed_download(params), self.level)).min()
    }
}

/// Charges a station for the airtime of a frame. Returns a decision about its downlink, if that changes.
pub fn charge(params: &Params, state: &mut State, now: Time, charge: &Charge) -> Option<Hold> {
    let &Charge { station, airtime, content, is_non_tcp, is_aggregate, gaps } = charge;
    let State { level, has_uploads, .. } = *state;
    let airtime = airtime.as_secs_f64();
    state.gaps.responses = state.gaps.responses.saturating_add(gaps.responses);
    let account = state.account(station);
    account.advance(params, level, now);
    account.aggregates |= is_aggregate;
    account.accesses = account.accesses.saturating_add(gaps.accesses);
    account.total.counted += airtime;
    account.divide(params, content, airtime);
    // Without a bound, the downlink of a station whose uploads nothing limits would wait for ever.
    let most = LONGEST_DEBT * level + params.debt.as_secs_f64();
    account.debt = (account.debt + airtime).min(most.max(account.debt));
    account.heard = Some(now);
    if is_non_tcp {
        account.non_tcp = Some(now);
    }
    account.decide(params, has_uploads).map(|is_held| Hold { station, is_held })
}

/// Notes a frame of another network.
pub fn charge_foreign(state: &mut State, airtime: Duration, gaps: Gaps) {
    state.foreign.counted += airtime.as_secs_f64();
    state.gaps.accesses = state.gaps.accesses.saturating_add(gaps.accesses);
    state.gaps.responses = state.gaps.responses.saturating_add(gaps.responses);
}

/// Notes data of a TCP upload of a station that has reached the access point [octets].
pub fn receive(state: &mut State, station: u16, octets: u32) {
    state.account(station).octets.counted += f64::from(octets);
}

/// Decides anew about stations whose bulk waits. Calls `tell` with decisions that change.
pub fn release(params: &Params, state: &mut State, now: Time, mut tell: impl FnMut(Hold)) {
    let State { level, has_uploads, .. } = *state;
    for (station, account) in (0..).zip(&mut state.accounts) {
        if account.is_held {
            account.advance(params, level, now);
            if let Some(is_held) = account.decide(params, has_uploads) {
                tell(Hold { station, is_held });
            }
        }
    }
}

/// Ends a period: updates the level, and the windows of the stations, by their demand.
pub fn step(
    params: &Params,
    state: &mut State,
    seen: &Observation,
    demand: impl Fn(u16) -> Demand,
) {
    let elapsed = seen.now.saturating_since(state.updated).as_secs_f64();
    if elapsed <= 0.0 {
        return;
    }
    let unused = (seen.idle.as_secs_f64() - state.contention(params, seen)) / elapsed;
    let least = state.close_period(params, seen.now, elapsed);
    let wanted = params.unused.get();
    let steps = elapsed / params.level_time.as_secs_f64();
    let surplus = ((unused - wanted) / wanted).clamp(-1.0, 1.0);
    let level = state.level * (1.0 + surplus * steps);
    state.level = level.clamp(least, 1.0);
    let is_upload = |it: &Account| it.uploads.rate > LITTLE * state.level;
    state.has_uploads = state.accounts.iter().any(is_upload);
    if params.windows {
        let (level, steps) = (state.level, elapsed / params.window_time.as_secs_f64());
        for (station, account) in (0..).zip(&mut state.accounts) {
            account.adapt(level, steps, &demand(station));
        }
    }
}

/// Mean of some uses.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    /// The mean; 0 of nothing.
    fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }
}

impl State {
    /// Idle time since the last update for which contention and SIFS account [s].
    fn contention(&mut self, params: &Params, seen: &Observation) -> f64 {
        let own: f64 = self.accounts.iter_mut().map(|it| it.close_accesses(params)).sum();
        let Gaps { accesses, responses } = std::mem::take(&mut self.gaps);
        let contention = (own + f64::from(accesses)) * seen.gap.as_secs_f64();
        contention + f64::from(responses) * seen.sifs.as_secs_f64()
    }

    /// Smooths the use of all stations. Returns the least level: the mean use of those that are active. If other networks
    /// use more than all of them, it is at least a little more than the mean of those that use much. With grants it is at
    /// least the largest use of those that TCP's windows do not limit, since others may use as much.
    fn close_period(&mut self, params: &Params, now: Time, elapsed: f64) -> f64 {
        self.updated = now;
        let weight = -(-elapsed / params.smoothing.as_secs_f64()).exp_m1();
        let (mut all, mut large) = (Mean::default(), Mean::default());
        let mut non_tcp: f64 = 0.0;
        let is_recent = |at: Time| now.saturating_since(at) < ACTIVE;
        for account in &mut self.accounts {
            account.advance(params, self.level, now);
            let Account { total, uploads, octets, .. } = account;
            for usage in [total, uploads, octets] {
                usage.smooth(elapsed, weight);
            }
            if account.heard.is_some_and(is_recent) {
                all.add(account.total.rate);
            }
            if account.total.rate > self.level / 2.0 {
                large.add(account.total.rate);
            }
            if params.grants && account.non_tcp.is_some_and(is_recent) {
                non_tcp = f64::max(non_tcp, account.total.rate);
            }
        }
        self.foreign.smooth(elapsed, weight);
        let growing = if self.foreign.rate > all.sum { GROWING * large.mean() } else { 0.0 };
        growing.max(all.mean()).max(non_tcp).clamp(LEAST, 1.0)
    }
}

#[cfg(test)]
mod tests;
