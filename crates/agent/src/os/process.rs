//! Memory of the agent's process, from `/proc`.

use std::fs;

/// Resident memory of this process, zero if the kernel does not tell [octets].
pub fn resident_octets() -> u64 {
    fs::read_to_string("/proc/self/status").ok().and_then(|it| resident(&it)).unwrap_or_default()
}

/// Resident memory in the text of `/proc/self/status`, whose unit is 1024 octets [octets].
fn resident(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_in_octets() {
        let status = "Name:\tairfair-agent\nVmRSS:\t    3400 kB\nRssAnon:\t 5 kB\n";
        assert_eq!(resident(status), Some(3_481_600));
        assert_eq!(resident("Name:\tit\n"), None);
        assert!(resident_octets() > 0);
    }
}
