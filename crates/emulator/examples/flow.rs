//! One TCP flow over the kernel's sockets, for tests inside virtual machines.
//!
//! `flow receive PORT WARMUP SECONDS` waits for a connection, and prints the goodput over SECONDS
//! after WARMUP. It then closes the connection, which ends `flow send ADDRESS PORT`.

use std::env;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;

#[expect(
    clippy::disallowed_types,
    reason = "a program outside measures by the clock of its machine"
)]
type Moment = std::time::Instant;

const CHUNK: usize = 65_536;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["receive", port, warmup, seconds] => receive(port, warmup, seconds),
        ["send", address, port] => send(address, port),
        _ => Err("flow receive PORT WARMUP SECONDS, or flow send ADDRESS PORT".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("flow: {problem}");
            ExitCode::FAILURE
        }
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[expect(
    clippy::disallowed_methods,
    reason = "a program outside measures by the clock of its machine"
)]
fn receive(port: &str, warmup: &str, seconds: &str) -> Outcome {
    let (warmup, seconds): (f64, f64) = (warmup.parse()?, seconds.parse()?);
    let (mut connection, _) = TcpListener::bind(("0.0.0.0", port.parse()?))?.accept()?;
    let (began, mut chunk) = (Moment::now(), vec![0; CHUNK]);
    let (mut counted, mut since) = (0_u32, None);
    loop {
        let length = connection.read(&mut chunk)?;
        let passed = began.elapsed().as_secs_f64();
        if length == 0 {
            return Err("the other end has hung up".into());
        }
        match since {
            None if passed >= warmup => since = Some(passed),
            None => {}
            Some(start) => {
                counted += u32::try_from(length)?;
                if passed < warmup + seconds {
                    continue;
                }
                println!("goodput_mbps={:.4}", f64::from(counted) * 8e-6 / (passed - start));
                return Ok(());
            }
        }
    }
}

fn send(address: &str, port: &str) -> Outcome {
    let mut connection = TcpStream::connect((address, port.parse()?))?;
    let chunk = vec![0; CHUNK];
    while connection.write_all(&chunk).is_ok() {}
    Ok(())
}
