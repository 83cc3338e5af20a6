//! Messages to the journal about shares of airtime. Each is written once, until the situation
//! changes.

use std::collections::BTreeSet;
use std::net::IpAddr;

use airfair_units::Time;

use crate::grants::LEASE;
use crate::shares::{EnforcedBy, Granted};

/// Most messages about single stations that an agent writes to the journal between its start and
/// its end.
const MOST: usize = 1_024;

/// Composer of messages about shares of airtime, which remembers what it wrote last.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    reports: Reports,
    /// Number of stations that share the airtime, as last reported.
    sharers: usize,
    /// Stations for which it has been reported who enforces their share.
    stations: BTreeSet<(String, EnforcedBy)>,
    /// True if the last message about grants was that the station receives none.
    is_without: bool,
}

/// Shares that an agent reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reports {
    /// Number of stations, and the share that an access point grants them.
    #[default]
    Granted,
    /// Number of stations, whose share the law searches all the time.
    Searched,
    /// Share of this station.
    Own,
}

impl Journal {
    /// Makes the composer of log messages.
    pub fn new(reports: Reports) -> Self {
        Self { reports, ..Self::default() }
    }

    /// Messages that are new at `now`, the time since the start of the agent. `access_point` is the
    /// one that this station asks for grants, if it is a station.
    pub fn messages(
        &mut self,
        now: Time,
        granted: &[Granted],
        access_point: Option<IpAddr>,
    ) -> Vec<String> {
        if self.reports == Reports::Own {
            return self.own_message(now, granted.first(), access_point).into_iter().collect();
        }
        let mut news = Vec::from_iter(self.sharers_message(granted));
        for it in granted {
            let sentence = match it.kept_by {
                EnforcedBy::AccessPoint => continue,
                EnforcedBy::Station => {
                    "limits itself to its share, so the access point does not limit it"
                }
                EnforcedBy::Both => {
                    "asked for grants but uses more than its share, so the access point limits it too"
                }
            };
            if self.stations.len() < MOST && self.stations.insert((it.station.clone(), it.kept_by))
            {
                news.push(format!("Station {} {sentence}.", it.station));
            }
        }
        news
    }

    /// Message about a station's own share: the first grant, or that grants no longer arrive.
    fn own_message(
        &mut self,
        now: Time,
        granted: Option<&Granted>,
        access_point: Option<IpAddr>,
    ) -> Option<String> {
        let before = std::mem::replace(&mut self.sharers, usize::from(granted.is_some()));
        let from = access_point.map(|it| format!(" from {it}")).unwrap_or_default();
        if let Some(it) = granted {
            self.is_without = false;
            let share = it.share * 100.0;
            return (before == 0).then(|| {
                format!("This station receives grants{from} and may use {share:.0} % of the air.")
            });
        }
        if self.is_without || now < Time::ZERO + LEASE {
            return None;
        }
        self.is_without = true;
        Some(match access_point {
            Some(_) => format!("This station receives no grants{from}: nothing is limited."),
            None => {
                "This station has no access point to ask for grants: nothing is limited.".into()
            }
        })
    }

    /// Message about the number of stations that share the airtime, if it has changed.
    fn sharers_message(&mut self, granted: &[Granted]) -> Option<String> {
        if granted.len() == self.sharers {
            return None;
        }
        self.sharers = granted.len();
        let first = granted.first()?;
        let least = granted.iter().map(|it| it.share).fold(first.share, f64::min);
        let share = match self.reports {
            Reports::Searched => String::new(),
            _ => {
                format!("; each may use {:.0} % of it, and what others leave unused", least * 100.0)
            }
        };
        let verb = if granted.len() == 1 { " has" } else { "s share" };
        Some(format!("{} station{verb} the air{share}.", granted.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(kept_by: EnforcedBy) -> Granted {
        Granted { station: "it".into(), used: 0.4, share: 0.5, kept_by }
    }

    #[test]
    fn an_access_point_reports_a_change_of_a_station_once() {
        let mut journal = Journal::new(Reports::Granted);
        let mut of = |kept_by| journal.messages(Time::ZERO, &[granted(kept_by)], None);
        assert_eq!(of(EnforcedBy::AccessPoint).len(), 1, "one station has the air");
        assert!(of(EnforcedBy::AccessPoint).is_empty());
        assert_eq!(
            of(EnforcedBy::Station),
            ["Station it limits itself to its share, so the access point does not limit it."]
        );
        assert!(of(EnforcedBy::AccessPoint).is_empty() && of(EnforcedBy::Station).is_empty());
        assert!(of(EnforcedBy::Both)[0].contains("uses more"));
        assert!(of(EnforcedBy::Both).is_empty());
    }

    #[test]
    fn a_share_that_is_searched_has_no_number() {
        let granted = [granted(EnforcedBy::AccessPoint)];
        let of = |reports| Journal::new(reports).messages(Time::ZERO, &granted, None);
        assert_eq!(of(Reports::Searched), ["1 station has the air."]);
        let told = "1 station has the air; each may use 50 % of it, and what others leave unused.";
        assert_eq!(of(Reports::Granted), [told]);
    }

    #[test]
    fn a_station_reports_when_grants_start_and_stop() {
        let mut journal = Journal::new(Reports::Own);
        let address = Some([10, 0, 0, 1].into());
        let at = |ms| Time::ZERO + airfair_units::Duration::from_millis(ms);
        assert!(journal.messages(at(999), &[], address).is_empty(), "there was no time for one");
        let mut of = |granted: &[Granted]| journal.messages(at(1_000), granted, address);
        assert_eq!(of(&[]), ["This station receives no grants from 10.0.0.1: nothing is limited."]);
        assert!(of(&[]).is_empty());
        let it = [granted(EnforcedBy::Station)];
        let told = "This station receives grants from 10.0.0.1 and may use 50 % of the air.";
        assert_eq!(of(&it), [told]);
        assert!(of(&it).is_empty());
        assert_eq!(of(&[]).len(), 1);
        assert_eq!(of(&it), [told]);
        let nobody = journal.messages(at(9_000), &[], None);
        assert_eq!(
            nobody,
            ["This station has no access point to ask for grants: nothing is limited."]
        );
    }
}
