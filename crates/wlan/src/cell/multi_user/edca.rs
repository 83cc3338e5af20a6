//! MU EDCA: channel access of stations for some time after an access point has triggered them.  [80211ax-2021 §26.2.7]

use airfair_units::{Duration, Time};

use crate::air::Air;
use crate::config::CellConfig;
use crate::multi_user::MuEdca;
use crate::roster::{ContenderId, Roster};

/// Usual channel access of a contender, and the time at which it applies again.
#[derive(Clone, Copy, Debug)]
struct Usual {
    contender: ContenderId,
    aifsn: u8,
    /// Smallest and largest contention window [slots].
    windows: (u16, u16),
    again_at: Time,
}

/// MU EDCA timers of the stations of a cell.
#[derive(Clone, Debug)]
pub(super) struct MuEdcaTimers {
    rule: MuEdca,
    /// AIFSN of each contender.
    aifsns: Vec<u8>,
    running: Vec<Usual>,
}

impl MuEdcaTimers {
    /// Timers of a cell with this configuration; `None` if channel access does not change.
    pub(super) fn new(config: &CellConfig, roster: &Roster) -> Option<Self> {
        let rule = config.rules.multi_user.mu_edca?;
        let aifsn = |id: ContenderId| config.access(id.member(), roster.category(id)).aifsn;
        Some(Self { rule, aifsns: roster.all().map(aifsn).collect(), running: Vec::new() })
    }

    /// Starts the timer of a contender whose triggered data were acknowledged, or starts it again.
    pub(super) fn start<P: Copy>(&mut self, air: &mut Air<P>, now: Time, id: ContenderId) {
        let again_at = now + self.rule.timer;
        if let Some(usual) = self.running.iter_mut().find(|it| it.contender == id) {
            usual.again_at = again_at;
        } else {
            let (aifsn, access) = (self.aifsns[id.index()], &mut air.accesses[id.index()]);
            let windows = access.contention_windows();
            access.set_contention_window(self.rule.cw_min, self.rule.cw_max);
            if self.rule.aifsn > 0 {
                air.contention.set_aifsn(now, id, &air.airtime.timing, self.rule.aifsn);
            }
            self.running.push(Usual { contender: id, aifsn, windows, again_at });
        }
        if self.rule.aifsn == 0 {
            air.contention.hold_until(now, id, again_at);
        }
    }

    /// Duration of the timers.
    pub(super) fn duration(&self) -> Duration {
        self.rule.timer
    }

    /// Time at which the first timer ends.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.running.iter().map(|it| it.again_at).min()
    }

    /// Gives contenders whose timers have ended their usual channel access again.
    pub(super) fn handle_timeout<P: Copy>(&mut self, air: &mut Air<P>, now: Time) {
        for usual in self.running.extract_if(.., |it| it.again_at <= now) {
            let Usual { contender: id, aifsn, windows: (smallest, largest), .. } = usual;
            air.accesses[id.index()].set_contention_window(smallest, largest);
            if self.rule.aifsn > 0 {
                air.contention.set_aifsn(now, id, &air.airtime.timing, aifsn);
            }
        }
    }
}
