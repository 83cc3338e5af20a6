//! Grants of time of a fair access point, from the law's decision to the end of the granted time.
//!
//! ```text
//!          next            CTS on the air            time over, or idle for too long: CF-End
//!   None ───────► waiting ────────────────► running ────────────────────────────────────────► None
//! ```

use airfair_laws::fair as law;
use airfair_units::{Duration, Time};
use airfair_wlan::{CF_END_SIZE, CTS_SIZE, NodeId};

use super::super::{Action, View};

/// Grants of time, of which one waits for the channel or runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Grants {
    law: law::grants::Grants,
    current: Option<Current>,
}

/// Grant that waits for the channel, or runs.
#[derive(Clone, Copy, Debug)]
struct Current {
    station: NodeId,
    /// End of the granted time; `None` until the CTS has been on the air.
    until: Option<Time>,
    /// True if the station has sent or received a frame in the granted time.
    is_used: bool,
}

impl Grants {
    /// Charges a station for a frame.
    pub(super) fn charge(&mut self, now: Time, charge: &law::Charge) {
        self.law.charge(now, charge);
        if let Some(current) = self.current.as_mut().filter(|it| it.station.0 == charge.station) {
            current.is_used |= current.until.is_some();
        }
    }

    /// Grants time to the next station, if another one has to be silent for it. `level` is that of the law.
    pub(super) fn next(
        &mut self,
        now: Time,
        (params, level): (&law::Params, f64),
        actions: &mut Vec<Action>,
    ) {
        if self.current.is_none()
            && let Some(station) = self.law.next(params, level, now)
        {
            let station = NodeId(station);
            self.current = Some(Current { station, until: None, is_used: false });
            actions.push(Action::Grant(station, params.grant));
        }
    }

    /// Begins the granted time: the CTS has left the air.
    pub(super) fn begin(&mut self, until: Time, now: Time, view: &View, actions: &mut Vec<Action>) {
        if let Some(current) = &mut self.current {
            current.until = Some(until);
            actions.extend([until, until.min(now + patience(view))].map(Action::Wake));
        }
    }

    /// Ends the grant when its time is over, or when the channel has been `idle` for so long that the station would have
    /// sent a frame if it had one.
    pub(super) fn watch(
        &mut self,
        (now, idle): (Time, Duration),
        law: (&law::Params, f64),
        view: &View,
        actions: &mut Vec<Action>,
    ) {
        let Some(Current { station, until: Some(until), is_used }) = self.current else { return };
        let patience = patience(view);
        let finish = match (now >= until, is_used) {
            (true, _) => law::grants::Finish::Filled,
            (false, _) if idle < patience => {
                return actions.push(Action::Wake(until.min(now + (patience - idle))));
            }
            (false, true) => law::grants::Finish::Done,
            (false, false) => law::grants::Finish::Silent,
        };
        self.current = None;
        self.law.finish(law.0, now, (station.0, idle + overhead(view)), finish);
        if finish == law::grants::Finish::Filled {
            self.next(now, law, actions);
        } else {
            actions.push(Action::EndGrant);
        }
    }
}

/// Longest idle time before a frame of a station that alone wants the channel, after a success, and one slot.
fn patience(view: &View) -> Duration {
    let timing = &view.airtime().timing;
    timing.difs + timing.slot * (u64::from(timing.cw_min) + 1)
}

/// Time that the frames take by which an access point begins a grant and ends it, with the PIFS before each.
fn overhead(view: &View) -> Duration {
    let airtime = view.airtime();
    let pifs = airtime.timing.sifs + airtime.timing.slot;
    pifs * 2 + airtime.grant(CTS_SIZE) + airtime.grant(CF_END_SIZE)
}
