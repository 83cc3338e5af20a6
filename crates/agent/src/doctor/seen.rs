//! Findings about the counters in samples, and about the place where the agent would run.

use super::finding::{Answer, Findings, Subject};
use crate::configuration::Role;
use crate::sample::{DirectionCounters, Sample};

/// Place where the agent would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the interface, or of the station of an emulation.
    pub name: String,
    /// Role of the place.
    pub role: Role,
}

/// Counters that a source of samples has, from the samples seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenCounters {
    links: usize,
    /// Rates up and down.
    rates: [bool; 2],
    /// True if a counter of airtime was above zero; `None` if there was no counter.
    airtime: Option<bool>,
    retries: bool,
    has_weights: bool,
    has_survey: bool,
}

impl SeenCounters {
    /// Notes the counters of a sample.
    pub fn add(&mut self, sample: &Sample) {
        self.links = self.links.max(sample.links.len());
        self.has_weights |= !sample.weights.is_empty();
        self.has_survey |= sample.busy_ns.is_some();
        for link in &sample.links {
            for (i, way) in [&link.up, &link.down].into_iter().enumerate() {
                self.rates[i] |= way.rate_bps.is_some_and(|it| it > 0);
                self.note(way);
            }
        }
    }

    fn note(&mut self, way: &DirectionCounters) {
        self.airtime = self.airtime.max(way.airtime_ns.map(|it| it > 0));
        self.retries |= way.retries.is_some();
    }

    /// True if a station has an airtime weight.
    pub fn has_weights(&self) -> bool {
        self.has_weights
    }

    /// Number of links in the largest sample.
    pub fn links(&self) -> usize {
        self.links
    }

    /// Appends the findings about counters. Without a link only the survey can be judged.
    pub fn report(&self, to: &mut Findings) {
        let seen = |is_there: bool| {
            let unknown = self.links == 0;
            if unknown { Answer::Unknown } else { Answer::from(is_there) }
        };
        let without = "no station is associated";
        let rates = match (self.links, self.rates) {
            (0, _) => without,
            (_, [true, true]) => "up and down",
            (_, [true, false]) => "up alone",
            (_, [false, true]) => "down alone",
            (_, [false, false]) => "no frame has had a rate yet",
        };
        to.add(Subject::Rates, seen(self.rates != [false; 2]), rates);
        to.remedy("associate a station, and let it send");
        let airtime = match (self.links, self.airtime) {
            (0, _) => without,
            (_, Some(true)) => "rx or tx duration of each station",
            (_, Some(false)) => "the driver reports zero: airtime is estimated",
            (_, None) => "the driver has no counter: airtime is estimated",
        };
        to.add(Subject::Airtime, seen(self.airtime == Some(true)), airtime);
        to.add(Subject::Retries, seen(self.retries), if self.links == 0 { without } else { "" });
        let survey = if self.has_survey { "busy time" } else { "the driver reports no busy time" };
        to.add(Subject::Survey, self.has_survey, survey);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::LinkCounters;

    fn seen(up: DirectionCounters) -> Findings {
        let link = LinkCounters { name: "it".into(), up, down: DirectionCounters::default() };
        let mut seen = SeenCounters::default();
        seen.add(&Sample { links: vec![link], busy_ns: Some(0), ..Sample::default() });
        let mut findings = Findings::default();
        seen.report(&mut findings);
        findings
    }

    #[test]
    fn counters_are_those_of_the_samples() {
        let none = seen(DirectionCounters::default());
        assert_eq!(none.answer(Subject::Rates), Answer::No);
        assert_eq!(none.answer(Subject::Airtime), Answer::No);
        assert_eq!(none.answer(Subject::Survey), Answer::Yes);
        let all = seen(DirectionCounters {
            retries: Some(0),
            airtime_ns: Some(1),
            rate_bps: Some(1),
            ..DirectionCounters::default()
        });
        for subject in [Subject::Rates, Subject::Airtime, Subject::Retries] {
            assert_eq!(all.answer(subject), Answer::Yes, "{subject:?}");
        }
        assert_eq!(all.of(Subject::Rates).unwrap().detail, "up alone");
        let zero = seen(DirectionCounters { airtime_ns: Some(0), ..DirectionCounters::default() });
        let airtime = zero.of(Subject::Airtime).unwrap();
        assert_eq!(airtime.answer, Answer::No);
        assert!(airtime.detail.contains("reports zero"));
    }

    #[test]
    fn without_a_station_counters_are_unknown() {
        let mut findings = Findings::default();
        SeenCounters::default().report(&mut findings);
        assert_eq!(findings.answer(Subject::Rates), Answer::Unknown);
        assert_eq!(findings.answer(Subject::Retries), Answer::Unknown);
        assert_eq!(findings.answer(Subject::Survey), Answer::No);
    }
}
