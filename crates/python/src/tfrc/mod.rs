//! TFRC over real UDP sockets: the endpoints of `airfair_transport`, run by the wall clock.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this crate touches the operating system: real packets leave by the wall clock"
)]

mod host;
mod limits;
mod receive;
mod send;

use std::io::ErrorKind;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

use airfair_transport::tfrc::{Profile, SenderConfig};
use airfair_units::{Bytes, DataRate, Duration, Time};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use host::{Host, reason};
use limits::RateLimits;

/// Number for Python: a float, or an integer, which is exact.
#[derive(IntoPyObject)]
pub(crate) enum Number {
    Real(f64),
    Whole(u64),
}

/// Parses a text such as "10 s" to seconds, "400 kb/s" to bit/s or "1000 B" to octets.
#[pyfunction]
pub(crate) fn quantity(text: &str, dimension: &str) -> PyResult<Number> {
    let parsed = match dimension {
        "time" => text.parse::<Duration>().map(|time| Number::Real(time.as_secs_f64())),
        "rate" => text.parse::<DataRate>().map(|rate| Number::Whole(rate.bps())),
        _ => text.parse::<Bytes>().map(|size| Number::Whole(size.get())),
    };
    parsed.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Sends one TFRC flow to the address `to` for `duration_s`; returns the flow's counters. With
/// `limits`, lines of standard input limit its rate.
#[pyfunction]
#[pyo3(signature = (to, *, profile, segment, ssrc, max_rate_bps, rate_bps = None, duration_s = None, limits = false, report = None))]
#[expect(clippy::too_many_arguments, reason = "a function with named options, as Python has them")]
pub(crate) fn tfrc_send<'py>(
    py: Python<'py>,
    to: &str,
    profile: &str,
    segment: u64,
    ssrc: u32,
    max_rate_bps: u64,
    rate_bps: Option<u64>,
    duration_s: Option<f64>,
    limits: bool,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let peer = resolve(to)?;
    let (rate, max_rate) =
        (rate_bps.map(|bps| rate("--rate", bps)).transpose()?, rate("--max-rate", max_rate_bps)?);
    let config = SenderConfig { ssrc, ..send::config(parse_profile(profile)?, segment, rate)? };
    let any: SocketAddr = if peer.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
    let mut host = Host::new(bind(to, any)?, Some(peer), end(duration_s)?, report)?;
    let limits = limits.then(|| RateLimits::of_standard_input(max_rate)).transpose()?;
    let mut flow = send::Outgoing::new(config, (max_rate, limits), peer);
    let run = py.detach(|| flow.run(&mut host));
    let result = PyDict::new(py);
    result.set_item("interrupted", interrupted(py, run)?)?;
    result.set_item("duration_s", host.now().as_secs_f64())?;
    flow.write_result(&host, &result)?;
    Ok(result)
}

/// Receives TFRC flows at the address `at`, one after another; returns the counters of all flows.
#[pyfunction]
#[pyo3(signature = (at, *, profile, reporter, duration_s = None, report = None))]
#[expect(clippy::too_many_arguments, reason = "a function with named options, as Python has them")]
pub(crate) fn tfrc_receive<'py>(
    py: Python<'py>,
    at: &str,
    profile: &str,
    reporter: u32,
    duration_s: Option<f64>,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let socket = bind(at, resolve(at)?)?;
    let mut host = Host::new(socket, None, end(duration_s)?, report)?;
    let mut flow = receive::Incoming::new(parse_profile(profile)?, reporter);
    let run = py.detach(|| flow.run(&mut host));
    let result = PyDict::new(py);
    result.set_item("interrupted", interrupted(py, run)?)?;
    flow.write_result(&host, &result)?;
    Ok(result)
}

fn rate(option: &str, bps: u64) -> PyResult<DataRate> {
    if bps == 0 {
        return Err(PyValueError::new_err(format!("{option} 0 b/s: allowed is 1 b/s or more")));
    }
    Ok(DataRate::from_bps(bps))
}

fn parse_profile(name: &str) -> PyResult<Profile> {
    match name {
        "rfc5348" => Ok(Profile::Rfc5348),
        "rfc3448" => Ok(Profile::Rfc3448),
        "ns-2" => Ok(Profile::Ns2),
        _ => Err(PyValueError::new_err(format!(
            "--profile {name}: unknown; allowed rfc5348, rfc3448, ns-2"
        ))),
    }
}

/// Resolves the text of an address. IPv4 is preferred, because a receiver that is given only a port
/// listens on IPv4.
fn resolve(address: &str) -> PyResult<SocketAddr> {
    let wrong = |why: &str| PyOSError::new_err(format!("{address}: {why}"));
    let found: Vec<_> = match address.to_socket_addrs() {
        Ok(found) => found.collect(),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            return Err(wrong("allowed is HOST:PORT or [IPV6]:PORT, with a port from 1 to 65535"));
        }
        Err(error) => {
            let why = reason(&error);
            let why = why.rsplit(": ").next().unwrap_or(&why);
            return Err(wrong(&format!("host not found ({why})")));
        }
    };
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    match first {
        Some(address) if address.port() == 0 => Err(wrong("port 0; allowed is 1 to 65535")),
        Some(address) => Ok(*address),
        None => Err(wrong("host not found")),
    }
}

fn bind(address: &str, at: SocketAddr) -> PyResult<UdpSocket> {
    UdpSocket::bind(at)
        .map_err(|error| PyOSError::new_err(format!("{address}: {}", reason(&error))))
}

/// End of a run of `duration_s` seconds, as a time since the start.
fn end(duration_s: Option<f64>) -> PyResult<Option<Time>> {
    let Some(duration_s) = duration_s else { return Ok(None) };
    let duration = std::time::Duration::try_from_secs_f64(duration_s);
    let nanos = duration.ok().and_then(|duration| u64::try_from(duration.as_nanos()).ok());
    match nanos {
        Some(nanos) if nanos > 0 => Ok(Some(Time::from_nanos(nanos))),
        _ => Err(PyValueError::new_err(format!(
            "--duration {duration_s} s: allowed is more than 0 s, up to 584 years"
        ))),
    }
}

/// True if Ctrl-C ended the run. Other errors are raised.
fn interrupted(py: Python<'_>, run: PyResult<()>) -> PyResult<bool> {
    match run {
        Ok(()) => Ok(false),
        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => Ok(true),
        Err(error) => Err(error),
    }
}
