//! Both directions of a station: its senders, by the mechanism that the kernel supports, and
//! optionally its receivers.

use anyhow::{Context, Error, Result, bail};

use super::clamp::{ClampedWindows, Clamps};
use super::contract::{Actuator, PassCounts};
use super::passes::WindowDivider;
use super::sender::Senders;
use crate::configuration::{Configuration, SenderWindow};
use crate::decision::Decision;
use crate::os;
use crate::output::say;

/// Limits on all connections of a station's link.
pub(super) struct Station {
    parts: Vec<Box<dyn WindowDivider>>,
    passed: PassCounts,
}

impl Station {
    pub(super) fn load(configuration: &Configuration) -> Result<Self> {
        let interface = configuration.interface.as_deref();
        let interface = interface
            .context("interface: missing; name the interface whose connections are limited")?;
        os::addresses(interface).with_context(|| format!("interface {interface}"))?;
        let settings = &configuration.arf_aware;
        let senders = match settings.senders {
            SenderWindow::CongestionControl => Some(Senders::load(interface, settings)),
            SenderWindow::Clamp => None,
        };
        let mut ways = ClampedWindows { senders: senders.is_none(), receivers: settings.receivers };
        let mut parts: Vec<Box<dyn WindowDivider>> = Vec::new();
        let mut refusal = None;
        match senders {
            Some(Ok(senders)) => parts.push(Box::new(senders)),
            // The name is taken by another agent. A clamp would bypass that agent.
            Some(Err(error)) if is_there_already(&error) => {
                return Err(error);
            }
            Some(Err(error)) => {
                ways.senders = true;
                refusal = Some(error);
            }
            None => {}
        }
        if ways.senders || ways.receivers {
            match (Clamps::load(interface, settings, ways), refusal) {
                (Ok(clamps), None) => parts.push(Box::new(clamps)),
                (Ok(clamps), Some(error)) => {
                    say(&format!(
                        "Windows of senders are limited by clamps instead of a congestion control: {error:#}.",
                    ));
                    parts.push(Box::new(clamps));
                }
                // If the kernel supports neither, the error of the congestion control is more
                // useful.
                (Err(error), refusal) => return Err(refusal.unwrap_or(error)),
            }
        }
        let mut station = Self { parts, passed: PassCounts::default() };
        station.add_up();
        Ok(station)
    }

    fn add_up(&mut self) {
        self.passed = PassCounts::default();
        for part in &self.parts {
            let PassCounts { taken, held, left, unwatched, given_back, failed, took_ns, .. } =
                part.counts();
            // A connection limited in both directions counts once, so the larger number is used.
            if taken + held >= self.passed.taken + self.passed.held {
                (self.passed.taken, self.passed.held) = (*taken, *held);
            }
            self.passed.left.extend(left.clone());
            self.passed.unwatched = *unwatched;
            self.passed.given_back += given_back;
            self.passed.failed += failed;
            self.passed.took_ns += took_ns;
        }
    }
}

fn is_there_already(error: &Error) -> bool {
    let from_kernel = error.downcast_ref::<libbpf_rs::Error>();
    from_kernel.is_some_and(|it| it.kind() == libbpf_rs::ErrorKind::AlreadyExists)
}

impl Actuator for Station {
    fn apply(&mut self, decision: &Decision) -> Result<()> {
        let k = match decision {
            Decision::Limit { k } => *k,
            Decision::Lift => 1,
            Decision::Windows(_) | Decision::Share(_) | Decision::Weights(_) => {
                bail!("a decision for a forwarder at a station")
            }
        };
        self.parts.iter_mut().try_for_each(|part| part.divide(k))?;
        self.add_up();
        Ok(())
    }

    fn beat(&mut self) -> Result<()> {
        self.parts.iter_mut().try_for_each(|part| part.beat())?;
        self.add_up();
        Ok(())
    }

    fn counts(&self) -> &PassCounts {
        &self.passed
    }
}
