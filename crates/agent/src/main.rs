//! `airfair-agent`: the program. See `airfair_agent::commands`.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    ExitCode::from(airfair_agent::commands::main(std::env::args_os().skip(1)))
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("airfair-agent: the agent runs on Linux only");
    ExitCode::from(2)
}
