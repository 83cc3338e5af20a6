//! Both directions of a station: its senders, by whatever the kernel takes, and its receivers where that is wanted.

use anyhow::{Context, Error, Result, bail};

use super::clamp::{Clamps, Ways};
use super::passes::Part;
use super::sender::Senders;
use super::{Actuator, Passed};
use crate::configuration::{Configuration, SenderWindow};
use crate::decision::Decision;
use crate::os;
use crate::output::say;

/// The connections of a station's link.
pub(super) struct Station {
    parts: Vec<Box<dyn Part>>,
    passed: Passed,
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
        let mut ways = Ways { senders: senders.is_none(), receivers: settings.receivers };
        let mut parts: Vec<Box<dyn Part>> = Vec::new();
        let mut refusal = None;
        match senders {
            Some(Ok(senders)) => parts.push(Box::new(senders)),
            // Another agent has the name: it is not gone past by a clamp.
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
                // If the kernel takes neither, the congestion control's reason is the one to look at.
                (Err(error), refusal) => return Err(refusal.unwrap_or(error)),
            }
        }
        let mut station = Self { parts, passed: Passed::default() };
        station.add_up();
        Ok(station)
    }

    fn add_up(&mut self) {
        self.passed = Passed::default();
        for part in &self.parts {
            let Passed { taken, held, left, unwatched, given_back, failed, took_ns, .. } =
                part.passed();
            // A connection that is limited both ways is one, and counts where more are.
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

    fn passed(&self) -> &Passed {
        &self.passed
    }
}
