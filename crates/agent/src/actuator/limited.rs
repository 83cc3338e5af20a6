//! Limits of single connections in a map of the BPF programs: `struct ends`, and a limit for each
//! direction.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use anyhow::Result;
use libbpf_rs::{MapCore, MapFlags, MapHandle};

use super::bpf;
use crate::decision::ConnectionLimit;

/// Length of `struct ends`, both ends of a connection [octets].
pub(super) const ENDS: usize = 36;

/// Both ends of a connection as `struct ends`, the station's first.
pub(super) type Key = [u8; ENDS];

/// Limits of connections, in a BPF map and as a copy in this process.
pub(super) struct LimitMap {
    map: MapHandle,
    /// Limits of each connection, up and down [octets]; 0 for none.
    windows: BTreeMap<Key, [u32; 2]>,
}

impl LimitMap {
    /// Makes the limits of connections from an empty BPF map, whose keys are the connections.
    pub(super) fn new(map: MapHandle) -> Self {
        Self { map, windows: BTreeMap::new() }
    }

    /// Number of connections that have limits.
    pub(super) fn len(&self) -> usize {
        self.windows.len()
    }

    /// Sets limits of some connections. A direction without a new limit keeps the old one.
    pub(super) fn set(&mut self, windows: &[ConnectionLimit]) -> Result<()> {
        for window in windows {
            let key = key(&window.ends);
            let limits = self.windows.entry(key).or_default();
            for (limit, new) in limits.iter_mut().zip([window.up, window.down]) {
                *limit = new.unwrap_or(*limit);
            }
            if *limits == [ConnectionLimit::FREE; 2] {
                self.windows.remove(&key);
                // The kernel may have evicted it from the map.
                let _ = self.map.delete(&key);
                continue;
            }
            let octets = limits.map(u32::to_ne_bytes).concat();
            self.map.update(&key, &octets, MapFlags::ANY)?;
        }
        Ok(())
    }

    /// Removes ended connections, those for which `is_there` is false, from this process's copy of
    /// the BPF map. The map itself is not changed.
    pub(super) fn retain(&mut self, is_there: impl Fn(&Key) -> bool) {
        self.windows.retain(|key, _| is_there(key));
    }

    /// Removes all limits from the BPF map, including those that are missing in this process's copy
    /// of the map.
    pub(super) fn lift(&mut self) -> Result<()> {
        for key in std::mem::take(&mut self.windows).into_keys() {
            // The kernel may have evicted a silent connection from the map.
            let _ = self.map.delete(&key);
        }
        let keys: Vec<Vec<u8>> = self.map.keys().collect();
        keys.iter().try_for_each(|key| Ok(self.map.delete(key)?))
    }
}

/// Encodes both ends of a connection as `struct ends`.
pub(super) fn key([station, other]: &[SocketAddr; 2]) -> Key {
    let mut key = [0; ENDS];
    key[..16].copy_from_slice(&bpf::in_six(station.ip()));
    key[16..32].copy_from_slice(&bpf::in_six(other.ip()));
    key[32..34].copy_from_slice(&station.port().to_be_bytes());
    key[34..].copy_from_slice(&other.port().to_be_bytes());
    key
}

/// Decodes both ends of a connection from `struct ends`.
pub(super) fn ends(key: &Key) -> [SocketAddr; 2] {
    let end = |address: usize, port: usize| {
        let six: [u8; 16] = key[address..address + 16].try_into().expect("sixteen octets");
        let port = u16::from_be_bytes([key[port], key[port + 1]]);
        SocketAddr::new(IpAddr::from(six).to_canonical(), port)
    };
    [end(0, 32), end(16, 34)]
}
