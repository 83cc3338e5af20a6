//! Findings of the doctor: a question about this machine with its answer.

use serde::Serialize;

/// Answer to a question about this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The machine has it.
    Yes,
    /// The machine does not have it.
    No,
    /// The doctor could not find out.
    Unknown,
}

impl Answer {
    /// Word of the answer in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

impl From<bool> for Answer {
    fn from(is_so: bool) -> Self {
        if is_so { Self::Yes } else { Self::No }
    }
}

/// Subject of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A version of Linux that the agent's BPF programs need.
    Linux,
    /// Rights of this process.
    Rights,
    /// BPF programs in this build of the agent.
    Build,
    /// Type information of the kernel.
    Btf,
    /// BPF programs that visit all TCP sockets.
    SocketIterators,
    /// Congestion control in BPF.
    StructOps,
    /// Queueing discipline `clsact`, to which filters are attached.
    Clsact,
    /// Filters of tc in BPF.
    BpfFilters,
    /// Queueing discipline HTB.
    Htb,
    /// nl80211, by which the kernel describes Wi-Fi.
    Nl80211,
    /// Wireless interface.
    Interface,
    /// Rates of links.
    Rates,
    /// Airtime of stations.
    Airtime,
    /// Retransmissions.
    Retries,
    /// Airtime weights of stations.
    AirtimeWeights,
    /// Survey of the channel.
    Survey,
    /// Statistics of mac80211's queues.
    QueueStatistics,
    /// Limits of the airtime in the driver's queues.
    AirtimeQueueLimits,
    /// Parameters of EDCA, with the limit of TXOPs.
    Edca,
    /// Another agent that runs on this machine.
    RunningAgent,
}

impl Subject {
    /// Name of the subject in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linux => "Linux 6.1 or later",
            Self::Rights => "rights to act",
            Self::Build => "build with BPF",
            Self::Btf => "kernel types (BTF)",
            Self::SocketIterators => "socket iterators",
            Self::StructOps => "struct_ops for TCP",
            Self::Clsact => "clsact",
            Self::BpfFilters => "tc filters in BPF",
            Self::Htb => "HTB classes",
            Self::Nl80211 => "nl80211",
            Self::Interface => "interface",
            Self::Rates => "rates",
            Self::Airtime => "airtime measured",
            Self::Retries => "retries",
            Self::AirtimeWeights => "airtime weights",
            Self::Survey => "survey",
            Self::QueueStatistics => "TXQ statistics",
            Self::AirtimeQueueLimits => "AQL",
            Self::Edca => "EDCA parameters",
            Self::RunningAgent => "no other agent",
        }
    }
}

/// Finding: a question about this machine with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Subject of the question.
    pub subject: Subject,
    /// Answer to the question.
    pub answer: Answer,
    /// Reason, value or consequence, in a few words.
    pub detail: String,
    /// Action that would change the answer; `None` if the answer is yes or nothing helps.
    pub remedy: Option<String>,
}

/// All findings of the doctor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Appends a finding.
    pub fn add(&mut self, subject: Subject, answer: impl Into<Answer>, detail: impl Into<String>) {
        let (answer, detail) = (answer.into(), detail.into());
        self.0.push(Finding { subject, answer, detail, remedy: None });
    }

    /// Adds a remedy to the last finding, unless its answer is yes.
    pub fn remedy(&mut self, remedy: impl Into<String>) {
        if let Some(last) = self.0.last_mut().filter(|it| it.answer != Answer::Yes) {
            last.remedy = Some(remedy.into());
        }
    }

    /// Finding about a subject.
    pub fn of(&self, subject: Subject) -> Option<&Finding> {
        self.0.iter().find(|it| it.subject == subject)
    }

    /// Answer about a subject; unknown if nobody asked.
    pub fn answer(&self, subject: Subject) -> Answer {
        self.of(subject).map_or(Answer::Unknown, |it| it.answer)
    }

    /// All findings in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter()
    }
}
