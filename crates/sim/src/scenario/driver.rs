//! Programs that run a scenario.

/// Kind of program that runs a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// A simulation run: only the scenario's flows send packets.
    Run,
    /// An emulation: programs send packets of their own, so that the scenario may have no flow.
    Emulation,
}
