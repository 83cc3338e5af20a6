//! Address at which the agent serves its metrics.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, bail, ensure};

/// Address at which the agent serves its metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricsAddress {
    /// Loopback address and TCP port.
    Loopback(SocketAddr),
    /// Path of a Unix socket.
    Unix(PathBuf),
}

/// Texts that are allowed as an address.
const ALLOWED: &str = "allowed is a loopback address with a port, such as 127.0.0.1:9811 or [::1]:9811, or the \
     absolute path of a Unix socket";

impl FromStr for MetricsAddress {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with('/') {
            return Ok(Self::Unix(text.into()));
        }
        let Ok(address) = text.parse::<SocketAddr>() else { bail!("{text:?}: {ALLOWED}") };
        ensure!(
            address.ip().is_loopback(),
            "{text:?}: other machines could read addresses of stations; {ALLOWED}"
        );
        ensure!(address.port() > 0, "{text:?}: port 0 is none; {ALLOWED}");
        Ok(Self::Loopback(address))
    }
}

impl fmt::Display for MetricsAddress {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback(address) => address.fmt(to),
            Self::Unix(path) => path.display().fmt(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_this_machine() {
        for text in ["127.0.0.1:9811", "127.3.2.1:1", "[::1]:9811", "/run/airfair-agent/metrics"] {
            assert_eq!(text.parse::<MetricsAddress>().unwrap().to_string(), text);
        }
        for text in ["0.0.0.0:9811", "192.0.2.1:9811", "[::]:9811", "[::ffff:127.0.0.1]:9811"] {
            let said = text.parse::<MetricsAddress>().unwrap_err().to_string();
            assert!(said.starts_with(&format!("{text:?}: other machines")), "{said}");
        }
        for text in ["", "9811", "127.0.0.1", "localhost:9811", "127.0.0.1:70000", "metrics"] {
            let said = text.parse::<MetricsAddress>().unwrap_err().to_string();
            assert!(said.starts_with(&format!("{text:?}: allowed is")), "{said}");
        }
        assert!("127.0.0.1:0".parse::<MetricsAddress>().is_err());
    }
}
