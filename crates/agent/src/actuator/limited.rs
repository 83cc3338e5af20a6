//! Connections with a window of their own, as the programs of `bpf` know them: `struct ends`, and a limit for each way.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use anyhow::Result;
use libbpf_rs::{MapCore, MapFlags, MapHandle};

use super::bpf;
use crate::decision::Window;

/// Octets of `struct ends`.
pub(super) const ENDS: usize = 36;

/// Both ends of a connection: the station's, and the other one.
pub(super) type Key = [u8; ENDS];

/// Connections that have a limit, in a map of the kernel's and here.
pub(super) struct Limited {
    map: MapHandle,
    /// What each way may have [octets]; 0: what it likes.
    windows: BTreeMap<Key, [u32; 2]>,
}

impl Limited {
    /// None yet, in a map whose keys are connections.
    pub(super) fn new(map: MapHandle) -> Self {
        Self { map, windows: BTreeMap::new() }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.windows.len()
    }

    /// Sets windows of some connections; a way without one keeps what it has.
    pub(super) fn set(&mut self, windows: &[Window]) -> Result<()> {
        for window in windows {
            let key = key(&window.ends);
            let limits = self.windows.entry(key).or_default();
            for (limit, new) in limits.iter_mut().zip([window.up, window.down]) {
                *limit = new.unwrap_or(*limit);
            }
            if *limits == [Window::FREE; 2] {
                self.windows.remove(&key);
                // It may have given way to another already.
                let _ = self.map.delete(&key);
                continue;
            }
            let octets = limits.map(u32::to_ne_bytes).concat();
            self.map.update(&key, &octets, MapFlags::ANY)?;
        }
        Ok(())
    }

    /// Forgets connections that are there no more.
    pub(super) fn retain(&mut self, is_there: impl Fn(&Key) -> bool) {
        self.windows.retain(|key, _| is_there(key));
    }

    /// No connection has a limit any more, those that are unknown here included.
    pub(super) fn lift(&mut self) -> Result<()> {
        for key in std::mem::take(&mut self.windows).into_keys() {
            // One that has been silent for long has given way to another.
            let _ = self.map.delete(&key);
        }
        let keys: Vec<Vec<u8>> = self.map.keys().collect();
        keys.iter().try_for_each(|key| Ok(self.map.delete(key)?))
    }
}

/// `struct ends`.
pub(super) fn key([station, other]: &[SocketAddr; 2]) -> Key {
    let mut key = [0; ENDS];
    key[..16].copy_from_slice(&bpf::in_six(station.ip()));
    key[16..32].copy_from_slice(&bpf::in_six(other.ip()));
    key[32..34].copy_from_slice(&station.port().to_be_bytes());
    key[34..].copy_from_slice(&other.port().to_be_bytes());
    key
}

/// The same, read.
pub(super) fn ends(key: &Key) -> [SocketAddr; 2] {
    let end = |address: usize, port: usize| {
        let six: [u8; 16] = key[address..address + 16].try_into().expect("sixteen octets");
        let port = u16::from_be_bytes([key[port], key[port + 1]]);
        SocketAddr::new(IpAddr::from(six).to_canonical(), port)
    };
    [end(0, 32), end(16, 34)]
}
