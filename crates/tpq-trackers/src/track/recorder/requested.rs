//! The configuration of a recording, as far as it decides what is lost.

/// The requested configuration, where present.
#[derive(Clone, Debug, Default)]
pub struct RequestedConfig {
    /// The policy of each central buffer.
    pub buffers: Vec<FillPolicy>,
    /// Data sources and the number of the buffer each writes to.
    pub sources: Vec<(String, u32)>,
    /// Between two drains of the buffers into the file, in ms, where there is a file.
    pub file_write_period_ms: Option<u32>,
    /// Between two flushes, in ms.
    pub flush_period_ms: Option<u32>,
    /// Between two clearings of incremental state, in ms.
    pub clear_period_ms: Option<u32>,
    /// The largest shared memory buffer that was asked for, in KiB.
    pub shmem_size_kb: Option<u32>,
    /// The kernel's buffer of one CPU, in KiB.
    pub kernel_buffer_kb: Option<u32>,
    /// Between two drains of the kernel's buffers, in ms.
    pub drain_period_ms: Option<u32>,
    /// The configuration of each data source of kernel events.
    pub ftrace: Vec<RequestedFtrace>,
    /// Bytes between two samples of each heap profiler, where they are given.
    pub heap_sampling_intervals: Vec<u64>,
}

/// The requested kernel events of one data source. Numbers are those that are given.
#[derive(Clone, Debug, Default)]
pub struct RequestedFtrace {
    /// Names of events, such as `sched/sched_switch`.
    pub events: Vec<String>,
    /// The kernel's buffer of one CPU, in KiB.
    pub buffer_size_kb: Option<u32>,
    /// Between two drains of the kernel's buffers, in ms.
    pub drain_period_ms: Option<u32>,
    /// Whether only some system calls are recorded.
    pub filters_syscalls: bool,
    /// Whether addresses of kernel functions are recorded with their names.
    pub symbolize_ksyms: bool,
    /// Whether calls and returns of kernel functions are recorded.
    pub function_graph: bool,
    /// Whether events that the kernel held before the recording are kept.
    pub preserve_buffer: bool,
}

/// The policy of a full buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FillPolicy {
    #[default]
    /// New data overwrites the oldest.
    Ring,
    /// New data is discarded.
    Discard,
}

impl FillPolicy {
    /// The word of the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ring => "RING_BUFFER",
            Self::Discard => "DISCARD",
        }
    }
}
