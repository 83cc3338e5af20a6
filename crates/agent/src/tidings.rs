//! What the journal is told of shares: each thing once, until it is otherwise.

use std::collections::BTreeSet;
use std::net::IpAddr;

use airfair_units::Time;

use crate::grants::LEASE;
use crate::shares::{Granted, KeptBy};

/// Sentences about single stations in the life of an agent.
const MOST: usize = 1_024;

/// What was said last.
#[derive(Clone, Debug, Default)]
pub struct Tidings {
    /// True at a station, which tells of its own share.
    is_station: bool,
    /// Stations among which the air is shared.
    sharers: usize,
    /// Stations of which was said who keeps them to their shares.
    stations: BTreeSet<(String, KeptBy)>,
    /// True if the last that was said of grants is that none comes.
    is_without: bool,
}

impl Tidings {
    /// Those of a station, or of an access point.
    pub fn new(is_station: bool) -> Self {
        Self { is_station, ..Self::default() }
    }

    /// What is new at such a time since the start of the shares that are granted; at a station, by the access point that it asks.
    pub fn of(
        &mut self,
        now: Time,
        granted: &[Granted],
        access_point: Option<IpAddr>,
    ) -> Vec<String> {
        if self.is_station {
            return self.of_own(now, granted.first(), access_point).into_iter().collect();
        }
        let mut news = Vec::from_iter(self.of_all(granted));
        for it in granted {
            let sentence = match it.kept_by {
                KeptBy::AccessPoint => continue,
                KeptBy::Station => {
                    "limits itself to its share, so the access point does not limit it"
                }
                KeptBy::Both => {
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

    /// Of a station's own share, when the first grant has come and when none comes any more.
    fn of_own(
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
                format!("This station receives grants{from} and may use {share:.0} % of the air.",)
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

    /// Among how many stations the air is shared, when their number has changed.
    fn of_all(&mut self, granted: &[Granted]) -> Option<String> {
        if granted.len() == self.sharers {
            return None;
        }
        self.sharers = granted.len();
        let first = granted.first()?;
        let least = granted.iter().map(|it| it.share).fold(first.share, f64::min);
        Some(format!(
            "{} station{} the air; each may use {:.0} % of it, and what others leave unused.",
            granted.len(),
            if granted.len() == 1 { " has" } else { "s share" },
            least * 100.0
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(kept_by: KeptBy) -> Granted {
        Granted { station: "it".into(), used: 0.4, share: 0.5, kept_by }
    }

    #[test]
    fn an_access_point_tells_of_a_station_once_what_it_does() {
        let mut tidings = Tidings::new(false);
        let mut of = |kept_by| tidings.of(Time::ZERO, &[granted(kept_by)], None);
        assert_eq!(of(KeptBy::AccessPoint).len(), 1, "one station has the air");
        assert!(of(KeptBy::AccessPoint).is_empty());
        assert_eq!(
            of(KeptBy::Station),
            ["Station it limits itself to its share, so the access point does not limit it."]
        );
        assert!(of(KeptBy::AccessPoint).is_empty() && of(KeptBy::Station).is_empty());
        assert!(of(KeptBy::Both)[0].contains("uses more"));
        assert!(of(KeptBy::Both).is_empty());
    }

    #[test]
    fn a_station_tells_when_grants_come_and_when_they_stay_away() {
        let mut tidings = Tidings::new(true);
        let address = Some([10, 0, 0, 1].into());
        let at = |ms| Time::ZERO + airfair_units::Duration::from_millis(ms);
        assert!(tidings.of(at(999), &[], address).is_empty(), "there was no time for one");
        let mut of = |granted: &[Granted]| tidings.of(at(1_000), granted, address);
        assert_eq!(of(&[]), ["This station receives no grants from 10.0.0.1: nothing is limited."]);
        assert!(of(&[]).is_empty());
        let it = [granted(KeptBy::Station)];
        let told = "This station receives grants from 10.0.0.1 and may use 50 % of the air.";
        assert_eq!(of(&it), [told]);
        assert!(of(&it).is_empty());
        assert_eq!(of(&[]).len(), 1);
        assert_eq!(of(&it), [told]);
        let nobody = tidings.of(at(9_000), &[], None);
        assert_eq!(
            nobody,
            ["This station has no access point to ask for grants: nothing is limited."]
        );
    }
}
