//! Text output about the medium of the kernel's simulated radios.

use airfair_units::Duration;

use super::{Radio, View};
use crate::verdict;

impl View {
    /// Line of text with the share of airtime and the attempts of each radio between the snapshots
    /// `last` and `self`.
    pub fn line(&self, last: &Self, radios: &[Radio]) -> String {
        let (now, before) = (&self.punctuality, &last.punctuality);
        let seconds = seconds(now.elapsed.saturating_sub(before.elapsed));
        let each = radios.iter().enumerate().map(|(at, radio)| {
            let before = last.accounts.get(at).copied().unwrap_or_default();
            let Some(now) = self.accounts.get(at) else { return radio.member.clone() };
            let part = |now: Duration, before: Duration| {
                now.saturating_sub(before).as_secs_f64() / seconds * 100.0
            };
            let own = part(now.airtime, before.airtime);
            let other = part(now.airtime_to, before.airtime_to);
            let attempts = now.attempts - before.attempts;
            let member = &radio.member;
            format!("{member} {own:.1} % of the air in {attempts} frames and {other:.1} % in frames to it")
        });
        let each: Vec<String> = each.collect();
        format!("{:6.1} s  {}", now.elapsed.as_secs_f64(), each.join(", "))
    }

    /// Final report: a line of counters for each radio, a line on lateness, and the verdict whether
    /// these figures are valid.
    pub fn summary(&self, radios: &[Radio]) -> String {
        let late = &self.punctuality;
        let line = |(radio, it): (&Radio, &super::Account)| {
            let share = |time: Duration| time.as_secs_f64() / seconds(late.elapsed);
            let (own, other) = (share(it.airtime), share(it.airtime_to));
            format!(
                "{}: {} frames in {} attempts, {} lost, {} refused, {own:.3} of the air, {other:.3} in frames to it",
                radio.member, it.frames, it.attempts, it.lost, it.refused
            )
        };
        let mut lines: Vec<String> = radios.iter().zip(&self.accounts).map(line).collect();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        lines.push(format!(
            "lateness: p50 {:.3} ms, p99 {:.3} ms, p99.9 {:.3} ms, longest stall {:.1} ms, {} slips",
            ms(late.p50),
            ms(late.p99),
            ms(late.p999),
            ms(late.longest_stall),
            late.slips
        ));
        if self.unknown > 0 {
            lines.push(format!("{} frames of radios outside the cell", self.unknown));
        }
        let mut objections: Vec<String> =
            verdict::objections(late).iter().map(ToString::to_string).collect();
        if self.overruns > 0 {
            objections.push(format!(
                "the kernel dropped frames {} times before the medium read them",
                self.overruns
            ));
        }
        lines.extend(objections.iter().map(|it| format!("verdict: invalid: {it}")));
        if objections.is_empty() {
            lines.push("verdict: valid".to_owned());
        }
        lines.join("\n")
    }
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::super::Account;
    use super::*;

    fn view(seconds: u64, attempts: u64, airtime_ms: u64) -> View {
        let airtime = Duration::from_millis(airtime_ms);
        let account = Account { frames: attempts, attempts, airtime, ..Account::default() };
        let mut view = View { accounts: vec![account], ..View::default() };
        view.punctuality.elapsed = Duration::from_secs(seconds);
        view
    }

    #[test]
    fn a_line_covers_the_time_since_the_last_one_and_the_end_covers_all() {
        let radios = [Radio { member: "near".to_owned(), name: "phy1".to_owned() }];
        let (last, mut now) = (view(1, 10, 100), view(3, 30, 600));
        // 200 ms is 10 % of the two seconds between the views, and 0.067 of all three.
        now.accounts[0].airtime_to = Duration::from_millis(200);
        assert_eq!(
            now.line(&last, &radios),
            "   3.0 s  near 25.0 % of the air in 20 frames and 10.0 % in frames to it"
        );
        assert_eq!(view(0, 0, 0).line(&View::default(), &[]), "   0.0 s  ");
        let told = now.summary(&radios);
        assert!(
            told.starts_with(
                "near: 30 frames in 30 attempts, 0 lost, 0 refused, 0.200 of the air, 0.067 in frames to it\n"
            )
        );
        assert!(told.ends_with("verdict: valid"));
        now.overruns = 1;
        let told = now.summary(&radios);
        assert!(told.ends_with(
            "verdict: invalid: the kernel dropped frames 1 times before the medium read them"
        ));
    }
}
