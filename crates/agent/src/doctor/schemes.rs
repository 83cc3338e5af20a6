//! Verdicts of the doctor: for each scheme, if it can act here, by which means, and what is missing.

use serde::Serialize;

use super::finding::{Answer, Findings, Subject};
use super::seen::Place;
use crate::configuration::Role;

/// Scheme in a role, with what it needs and how it acts.
struct Row {
    scheme: &'static str,
    role: Role,
    needs: &'static [Subject],
    means: fn(&Findings) -> String,
}

/// Needs of every scheme that acts by BPF programs. Programs at sockets need the kernel's types (BTF) too.
macro_rules! needs {
    ($($more:ident),* $(,)?) => {
        &[Subject::RunningAgent, Subject::Build, Subject::Linux, $(Subject::$more),*]
    };
}

const ROWS: [Row; 8] = [
    Row {
        scheme: "arf-aware",
        role: Role::Station,
        needs: needs![Btf, SocketIterators, Rates],
        means: arf_aware,
    },
    Row {
        scheme: "arf-window",
        role: Role::Station,
        needs: needs![Btf, SocketIterators, Rates],
        means: arf_window,
    },
    Row {
        scheme: "occupancy",
        role: Role::AccessPoint,
        needs: needs![Clsact, BpfFilters, Rates],
        means: |it| format!("windows in forwarded ACKs; {}", airtime(it)),
    },
    Row {
        scheme: "occupancy",
        role: Role::Station,
        needs: needs![Btf, SocketIterators, Rates],
        means: |it| format!("clamps on sockets, with grants of the access point; {}", airtime(it)),
    },
    Row {
        scheme: "shared-windows",
        role: Role::AccessPoint,
        needs: needs![Clsact, BpfFilters],
        means: |_| "windows in forwarded ACKs".into(),
    },
    Row {
        scheme: "data-ack",
        role: Role::AccessPoint,
        needs: needs![BpfFilters, Htb],
        means: |_| "classes of HTB with a filter in BPF".into(),
    },
    Row {
        scheme: "airtime-weights",
        role: Role::AccessPoint,
        needs: &[Subject::RunningAgent, Subject::Build, Subject::AirtimeWeights],
        means: |_| "weights of the driver's scheduler".into(),
    },
    Row {
        scheme: "fair",
        role: Role::AccessPoint,
        needs: needs![Clsact, BpfFilters, Rates],
        means: |it| format!("windows in forwarded ACKs; {}", airtime(it)),
    },
];

/// Possibility that a scheme acts here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Acts {
    /// The scheme can act.
    Yes,
    /// The scheme can act once the agent has the rights of root or of the service.
    WithRights,
    /// The scheme cannot act.
    No,
    /// The doctor could not find out.
    Unknown,
}

impl Acts {
    /// Word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::WithRights => "as root",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// Something that a scheme lacks, or that the doctor does not know of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Name of what is missing, with the reason.
    pub what: String,
    /// Action that helps; `None` if none is known.
    pub remedy: Option<String>,
}

impl Missing {
    fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: Some(remedy.into()) }
    }
}

/// Verdict about a scheme in a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Name of the scheme.
    pub scheme: &'static str,
    /// Role in which the scheme would act.
    pub role: Role,
    /// Possibility that the scheme acts here.
    pub acts: Acts,
    /// Means by which the scheme acts.
    pub means: String,
    /// Everything that the scheme lacks.
    pub missing: Vec<Missing>,
}

/// Verdicts about all schemes at a place; `None` if there is no wireless interface.
pub fn verdicts(findings: &Findings, place: Option<&Place>) -> Vec<Verdict> {
    ROWS.iter().map(|row| row.verdict(findings, place)).collect()
}

impl Row {
    fn verdict(&self, findings: &Findings, place: Option<&Place>) -> Verdict {
        let mut missing = Vec::from_iter(self.elsewhere(place));
        let nl80211 = findings.of(Subject::Nl80211).map(|it| it.answer);
        let mut is_unknown = place.is_none() && nl80211 == Some(Answer::Unknown);
        if missing.is_empty() {
            let lacking = self.needs.iter().filter_map(|it| findings.of(*it));
            let mut lacking: Vec<_> = lacking.filter(|it| it.answer != Answer::Yes).collect();
            is_unknown = lacking.iter().all(|it| it.answer == Answer::Unknown);
            // What is known to be missing comes first.
            lacking.sort_by_key(|it| it.answer == Answer::Unknown);
            missing.extend(lacking.into_iter().map(|it| {
                let not_known = if it.answer == Answer::Unknown { " not known" } else { "" };
                let reason = if it.detail.is_empty() { "" } else { ": " };
                let what = format!("{}{not_known}{reason}{}", it.subject.name(), it.detail);
                Missing { what, remedy: it.remedy.clone() }
            }));
        }
        let acts = match (missing.is_empty(), is_unknown) {
            (true, _) if findings.answer(Subject::Rights) == Answer::Yes => Acts::Yes,
            (true, _) => Acts::WithRights,
            (false, true) => Acts::Unknown,
            (false, false) => Acts::No,
        };
        Verdict {
            scheme: self.scheme,
            role: self.role,
            acts,
            means: (self.means)(findings),
            missing,
        }
    }

    /// Reason for which the scheme cannot act at a place, whatever the machine has.
    fn elsewhere(&self, place: Option<&Place>) -> Option<Missing> {
        let Some(place) = place else {
            return Some(Missing::new("no wireless interface", "try an emulation"));
        };
        let (is, other) = match place.role {
            Role::Station => ("a station", "the access point"),
            Role::AccessPoint => ("an access point", "a station"),
        };
        (place.role != self.role)
            .then(|| Missing::new(format!("{} is {is}", place.name), format!("run it at {other}")))
    }
}

fn arf_aware(findings: &Findings) -> String {
    match findings.answer(Subject::StructOps) {
        Answer::Yes => "congestion control airfair on sockets",
        Answer::No => "clamps on sockets, because there is no struct_ops for TCP",
        Answer::Unknown => "congestion control airfair on sockets, or clamps",
    }
    .into()
}

fn arf_window(findings: &Findings) -> String {
    match findings.answer(Subject::Survey) {
        Answer::Yes => "clamps on sockets, with the survey of the channel",
        _ => "clamps on sockets; without a survey other stations count as silent",
    }
    .into()
}

fn airtime(findings: &Findings) -> &'static str {
    match findings.answer(Subject::Airtime) {
        Answer::Yes => "airtime is measured",
        Answer::No => "airtime is estimated",
        Answer::Unknown => "airtime is measured or estimated",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Scheme;

    const ALL: [Subject; 10] = [
        Subject::Linux,
        Subject::Rights,
        Subject::Build,
        Subject::Btf,
        Subject::SocketIterators,
        Subject::Clsact,
        Subject::BpfFilters,
        Subject::Htb,
        Subject::Rates,
        Subject::RunningAgent,
    ];

    /// Findings of a machine that has everything but these subjects and airtime weights.
    fn without(missing: &[(Subject, Answer)]) -> Findings {
        let mut findings = Findings::default();
        for subject in ALL {
            let found = missing.iter().find(|(it, _)| *it == subject);
            findings.add(subject, found.map_or(Answer::Yes, |(_, answer)| *answer), "reason");
            findings.remedy("remedy");
        }
        findings.add(Subject::AirtimeWeights, false, "");
        findings
    }

    fn place(role: Role) -> Place {
        Place { name: "wlan0".into(), role }
    }

    fn at(role: Role, missing: &[(Subject, Answer)]) -> Vec<(String, Acts)> {
        let all = verdicts(&without(missing), Some(&place(role)));
        let here = all.into_iter().filter(|it| it.role == role);
        here.map(|it| (it.scheme.to_owned(), it.acts)).collect()
    }

    #[test]
    fn a_scheme_acts_in_its_role_if_nothing_is_missing() {
        let acts = |role, missing: &[_]| -> Vec<Acts> {
            at(role, missing).into_iter().map(|it| it.1).collect()
        };
        assert_eq!(acts(Role::Station, &[]), [Acts::Yes; 3]);
        let (yes, no) = (Acts::Yes, Acts::No);
        assert_eq!(acts(Role::AccessPoint, &[]), [yes, yes, yes, no, yes]);
        let without_clsact = acts(Role::AccessPoint, &[(Subject::Clsact, Answer::No)]);
        assert_eq!(without_clsact, [no, no, yes, no, no]);
        let rights = [(Subject::Rights, Answer::No)];
        assert_eq!(acts(Role::Station, &rights), [Acts::WithRights; 3]);
        let rates = [(Subject::Rates, Answer::Unknown)];
        assert_eq!(acts(Role::Station, &rates), [Acts::Unknown; 3]);
        let both = [(Subject::Rates, Answer::Unknown), (Subject::Build, Answer::No)];
        assert_eq!(acts(Role::Station, &both), [Acts::No; 3]);
    }

    #[test]
    fn a_place_that_could_not_be_found_out_leaves_the_verdict_open() {
        let acts = |answer: Answer| {
            let mut findings = without(&[]);
            findings.add(Subject::Nl80211, answer, "");
            verdicts(&findings, None)[0].acts
        };
        assert_eq!(acts(Answer::Unknown), Acts::Unknown);
        assert_eq!(acts(Answer::No), Acts::No);
    }

    #[test]
    fn the_reason_and_the_remedy_are_named() {
        let of = |place: Option<&Place>, missing: &[_]| {
            let all = verdicts(&without(missing), place);
            all.into_iter().find(|it| it.scheme == "data-ack").unwrap().missing
        };
        let [elsewhere] = &of(Some(&place(Role::Station)), &[])[..] else { panic!("one reason") };
        assert_eq!(elsewhere.what, "wlan0 is a station");
        assert_eq!(elsewhere.remedy.as_deref(), Some("run it at the access point"));
        assert!(of(None, &[])[0].what.starts_with("no wireless interface"));
        let missing = of(
            Some(&place(Role::AccessPoint)),
            &[(Subject::BpfFilters, Answer::Unknown), (Subject::Htb, Answer::No)],
        );
        let what: Vec<&str> = missing.iter().map(|it| &*it.what).collect();
        assert_eq!(what, ["HTB classes: reason", "tc filters in BPF not known: reason"]);
        assert_eq!(missing[0].remedy.as_deref(), Some("remedy"));
    }

    /// Each scheme of the configuration has a row for each of its roles.
    #[test]
    fn every_scheme_has_a_verdict() {
        let error = "no-scheme".parse::<Scheme>().unwrap_err().to_string();
        let allowed = error.split_once("allowed ").unwrap().1;
        for scheme in allowed.split(", ") {
            assert!(ROWS.iter().any(|row| row.scheme == scheme), "{scheme}");
        }
    }
}
