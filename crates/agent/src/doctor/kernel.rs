//! Findings about the kernel, this process and this build.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::finding::{Answer, Findings, Subject};
use crate::os::BTF;
use crate::status;

/// Capabilities that `run` needs, with their numbers in `linux/capability.h`.
const CAPABILITIES: [(&str, u32); 3] =
    [("CAP_NET_ADMIN", 12), ("CAP_PERFMON", 38), ("CAP_BPF", 39)];
/// First version of Linux whose BPF the agent can use.
const LEAST: (u32, u32) = (6, 1);

/// Part of the kernel that a scheme can need: its type in the kernel's type information, its module
/// and its option.
struct Part {
    subject: Subject,
    kind: &'static str,
    module: Option<&'static str>,
    option: &'static str,
    purpose: &'static str,
}

const PARTS: [Part; 5] = [
    Part {
        subject: Subject::SocketIterators,
        kind: "bpf_iter__tcp",
        module: None,
        option: "CONFIG_BPF_SYSCALL",
        purpose: "limits on this machine's own connections",
    },
    Part {
        subject: Subject::StructOps,
        kind: "bpf_struct_ops_tcp_congestion_ops",
        module: None,
        option: "CONFIG_BPF_JIT",
        purpose: "congestion control airfair; otherwise clamps",
    },
    Part {
        subject: Subject::Clsact,
        kind: "clsact_sched_data",
        module: Some("sch_ingress"),
        option: "CONFIG_NET_SCH_INGRESS",
        purpose: "place of the filters",
    },
    Part {
        subject: Subject::BpfFilters,
        kind: "cls_bpf_prog",
        module: Some("cls_bpf"),
        option: "CONFIG_NET_CLS_BPF",
        purpose: "windows in forwarded ACKs, classes",
    },
    Part {
        subject: Subject::Htb,
        kind: "htb_sched",
        module: Some("sch_htb"),
        option: "CONFIG_NET_SCH_HTB",
        purpose: "separate queues for data and ACKs",
    },
];

/// Facts about the kernel and this process, as read from files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Release of the kernel, such as `6.1.0-37-amd64`.
    pub release: String,
    /// Effective capabilities, one bit each.
    pub capabilities: u64,
    /// True if this build contains the BPF programs.
    pub has_programs: bool,
    /// Names in the kernel's type information; `None` if it cannot be read.
    pub types: Option<BTreeSet<String>>,
    /// Modules that are loaded, built in or on disk, by name; `None` if `/lib/modules` has no list
    /// for this kernel.
    pub modules: Option<BTreeSet<String>>,
    /// Modules that are loaded, by name.
    pub loaded: BTreeSet<String>,
    /// Scheme of an agent that runs.
    pub running: Option<String>,
}

impl Kernel {
    /// Reads the facts about the kernel and this process.
    pub fn read() -> Self {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let release = text("/proc/sys/kernel/osrelease").trim().to_owned();
        let folder = Path::new("/lib/modules").join(&release);
        let listed = |name| fs::read_to_string(folder.join(name)).ok();
        let modules = listed("modules.dep").map(|on_disk| {
            let built_in = listed("modules.builtin").unwrap_or_default();
            modules(&on_disk).chain(modules(&built_in)).collect()
        });
        let running = status::ask(&status::directory()).ok();
        Self {
            capabilities: capabilities(&text("/proc/self/status")),
            has_programs: cfg!(feature = "bpf"),
            types: fs::read(BTF).ok().map(|octets| types(&octets)),
            modules,
            loaded: loaded(&text("/proc/modules")),
            running: running
                .and_then(|it| Some(serde_json::to_value(it.scheme).ok()?.as_str()?.to_owned())),
            release,
        }
    }

    /// Appends the findings about the kernel, this process and this build.
    pub fn report(&self, to: &mut Findings) {
        let is_new = version(&self.release).map(|it| it >= LEAST);
        let answer = is_new.map_or(Answer::Unknown, Answer::from);
        to.add(Subject::Linux, answer, format!("this is {}", self.release));
        to.remedy("upgrade the kernel");
        self.report_rights(to);
        let detail = if self.has_programs { "" } else { "observe, --dry-run and replay work" };
        to.add(Subject::Build, self.has_programs, detail);
        to.remedy("build it with make agent, or install the Debian package");
        let detail = if self.types.is_some() { BTF } else { "CONFIG_DEBUG_INFO_BTF is not set" };
        to.add(Subject::Btf, self.types.is_some(), detail);
        to.remedy("use a kernel with CONFIG_DEBUG_INFO_BTF, such as Debian's");
        for part in &PARTS {
            let (answer, detail) = self.part(part);
            to.add(part.subject, answer, detail);
            to.remedy(format!("use a kernel with {}", part.option));
        }
        let detail = match &self.running {
            Some(scheme) => format!("an agent runs with scheme {scheme}"),
            None => String::new(),
        };
        to.add(Subject::RunningAgent, self.running.is_none(), detail);
        to.remedy("end the other agent first");
    }

    fn report_rights(&self, to: &mut Findings) {
        let lacks = |(_, bit): &&(&str, u32)| self.capabilities >> bit & 1 == 0;
        let missing: Vec<&str> = CAPABILITIES.iter().filter(lacks).map(|(name, _)| *name).collect();
        let detail = match &missing[..] {
            [] => "CAP_NET_ADMIN, CAP_PERFMON, CAP_BPF".to_owned(),
            names => format!("without {}", names.join(", ")),
        };
        to.add(Subject::Rights, missing.is_empty(), detail);
        to.remedy("run it as root, or as the service");
    }

    /// Answer and detail about a part of the kernel.
    fn part(&self, part: &Part) -> (Answer, String) {
        let is_in_types = self.types.as_ref().is_some_and(|it| it.contains(part.kind));
        let Some(module) = part.module else {
            let answer = if self.types.is_none() { Answer::Unknown } else { is_in_types.into() };
            return (answer, part.purpose.to_owned());
        };
        if is_in_types || self.loaded.contains(module) {
            return (Answer::Yes, part.purpose.to_owned());
        }
        match &self.modules {
            Some(all) if all.contains(module) => {
                (Answer::Yes, format!("{}; module {module}, loaded when needed", part.purpose))
            }
            Some(_) => (Answer::No, format!("there is no module {module}")),
            None => (Answer::Unknown, format!("no list of modules for {}", self.release)),
        }
    }
}

/// Major and minor number of a kernel's release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|it| it.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// Effective capabilities in the text of `/proc/self/status`.
fn capabilities(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or_default()
}

/// Names in the kernel's type information. They end with zeros, and what lies between two zeros
/// elsewhere is no name of a type that is asked for.
fn types(octets: &[u8]) -> BTreeSet<String> {
    let asked: BTreeSet<&[u8]> = PARTS.iter().map(|it| it.kind.as_bytes()).collect();
    let found = octets.split(|it| *it == 0).filter(|it| asked.contains(it));
    found.map(|it| String::from_utf8_lossy(it).into_owned()).collect()
}

/// Names of the modules in the text of `modules.dep` or `modules.builtin`.
fn modules(list: &str) -> impl Iterator<Item = String> {
    list.lines().filter_map(|line| {
        let path = line.split(':').next()?;
        let file = path.rsplit('/').next()?;
        // A module may be compressed: NAME.ko, NAME.ko.xz.
        Some(file.split(".ko").next()?.replace('-', "_"))
    })
}

/// Names of the modules in the text of `/proc/modules`.
fn loaded(list: &str) -> BTreeSet<String> {
    list.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debian() -> Kernel {
        let dep = "kernel/net/sched/sch_htb.ko.xz:\nkernel/net/sched/cls_bpf.ko: kernel/it.ko\n";
        Kernel {
            release: "6.1.0-37-amd64".into(),
            capabilities: (1 << 12) | (1 << 38) | (1 << 39),
            has_programs: true,
            types: Some(types(b"\x9f\xeb\0bpf_iter__tcp\0bpf_struct_ops_tcp_congestion_ops\0")),
            modules: Some(modules(dep).collect()),
            loaded: loaded("sch_ingress 16384 0 - Live 0x0000000000000000\n"),
            running: None,
        }
    }

    fn answer(kernel: &Kernel, subject: Subject) -> Answer {
        let mut findings = Findings::default();
        kernel.report(&mut findings);
        findings.answer(subject)
    }

    #[test]
    fn a_kernel_has_what_is_in_its_types_loaded_or_on_disk() {
        for subject in PARTS.iter().map(|it| it.subject) {
            assert_eq!(answer(&debian(), subject), Answer::Yes, "{subject:?}");
        }
        let bare = Kernel { loaded: BTreeSet::new(), ..debian() };
        assert_eq!(answer(&bare, Subject::Clsact), Answer::No);
        assert_eq!(answer(&Kernel { modules: None, ..bare }, Subject::Clsact), Answer::Unknown);
        let without = Kernel { types: None, ..debian() };
        assert_eq!(answer(&without, Subject::Btf), Answer::No);
        assert_eq!(answer(&without, Subject::StructOps), Answer::Unknown);
        let old = Kernel { types: Some(types(b"\0bpf_iter__tcp_x\0")), ..debian() };
        assert_eq!(answer(&old, Subject::SocketIterators), Answer::No);
    }

    #[test]
    fn a_right_that_is_missing_is_named() {
        let mut findings = Findings::default();
        Kernel { capabilities: 1 << 12, ..debian() }.report(&mut findings);
        let rights = findings.of(Subject::Rights).unwrap();
        assert_eq!(rights.answer, Answer::No);
        assert_eq!(rights.detail, "without CAP_PERFMON, CAP_BPF");
        assert!(rights.remedy.is_some());
        assert_eq!(capabilities("Name:\tit\nCapEff:\t000001ffffffffff\n") >> 39 & 1, 1);
        assert_eq!(capabilities("CapEff:\t0000000000000000\n"), 0);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(version("6.18.44-fc"), Some((6, 18)));
        assert_eq!(version("6.1.0-37-amd64"), Some((6, 1)));
        assert_eq!(version("linux"), None);
        for (release, expected) in
            [("5.10.0", Answer::No), ("6.18.1", Answer::Yes), ("", Answer::Unknown)]
        {
            let kernel = Kernel { release: release.into(), ..debian() };
            assert_eq!(answer(&kernel, Subject::Linux), expected, "{release}");
        }
    }
}
