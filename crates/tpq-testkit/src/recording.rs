//! What a recording says of itself: buffers, the machine, the service.

use crate::{Message, field};

message_type! {
    /// The recorder's state at the end of the trace.
    TraceStats
}

impl TraceStats {
    /// Nothing said.
    pub fn new() -> Self {
        Self::default()
    }

    /// A buffer of the recorder; the first one has number 0.
    pub fn buffer(self, buffer: BufferStats) -> Self {
        Self(self.0.message(field::TraceStats::buffer_stats, buffer))
    }

    /// The buffer a writer sequence went to.
    pub fn writer(self, sequence: u32, buffer: u32) -> Self {
        let writer = Message::new()
            .uint(field::WriterStats::sequence_id, sequence.into())
            .uint(field::WriterStats::buffer, buffer.into());
        Self(self.0.message(field::TraceStats::writer_stats, writer))
    }

    /// Flushes asked for, done and given up.
    pub fn flushes(self, requested: u64, succeeded: u64, failed: u64) -> Self {
        Self(
            self.0
                .uint(field::TraceStats::flushes_requested, requested)
                .uint(field::TraceStats::flushes_succeeded, succeeded)
                .uint(field::TraceStats::flushes_failed, failed),
        )
    }

    /// Chunks that came for buffers that do not exist.
    pub fn chunks_discarded(self, count: u64) -> Self {
        Self(self.0.uint(field::TraceStats::chunks_discarded, count))
    }
}

message_type! {
    /// One buffer of the recorder.
    BufferStats
}

impl BufferStats {
    /// A buffer of so many bytes.
    pub fn new(size: u64) -> Self {
        Self(Message::new().uint(field::BufferStats::buffer_size, size))
    }

    /// Chunks and bytes written to it.
    pub fn written(self, chunks: u64, bytes: u64) -> Self {
        Self(
            self.0
                .uint(field::BufferStats::chunks_written, chunks)
                .uint(field::BufferStats::bytes_written, bytes),
        )
    }

    /// Chunks overwritten when the ring wrapped.
    pub fn chunks_overwritten(self, count: u64) -> Self {
        Self(self.0.uint(field::BufferStats::chunks_overwritten, count))
    }

    /// Chunks thrown away because the buffer was full.
    pub fn chunks_discarded(self, count: u64) -> Self {
        Self(self.0.uint(field::BufferStats::chunks_discarded, count))
    }

    /// Packets lost on their way to it.
    pub fn packet_loss(self, count: u64) -> Self {
        Self(self.0.uint(field::BufferStats::trace_writer_packet_loss, count))
    }
}

message_type! {
    /// The kernel's buffers, at the start or the end of the trace.
    FtraceStats
}

impl FtraceStats {
    /// As they were when recording started.
    pub fn at_start() -> Self {
        Self(Message::new().uint(field::FtraceStats::phase, 1))
    }

    /// As they were when recording ended.
    pub fn at_end() -> Self {
        Self(Message::new().uint(field::FtraceStats::phase, 2))
    }

    /// The buffer of one CPU.
    pub fn cpu(self, stats: FtraceCpuStats) -> Self {
        Self(self.0.message(field::FtraceStats::cpu_stats, stats))
    }
}

message_type! {
    /// The kernel's buffer of one CPU.
    FtraceCpuStats
}

impl FtraceCpuStats {
    /// The buffer of this CPU.
    pub fn new(cpu: u64) -> Self {
        Self(Message::new().uint(field::FtraceCpuStats::cpu, cpu))
    }

    /// Events overwritten before they were read.
    pub fn overrun(self, count: u64) -> Self {
        Self(self.0.uint(field::FtraceCpuStats::overrun, count))
    }

    /// Events not written because the buffer was full.
    pub fn dropped_events(self, count: u64) -> Self {
        Self(self.0.uint(field::FtraceCpuStats::dropped_events, count))
    }

    /// Events read.
    pub fn read_events(self, count: u64) -> Self {
        Self(self.0.uint(field::FtraceCpuStats::read_events, count))
    }
}

message_type! {
    /// The machine a trace was recorded on.
    SystemInfo
}

impl SystemInfo {
    /// A Linux machine with this kernel.
    pub fn linux(release: &str) -> Self {
        let utsname = Message::new()
            .bytes(field::Utsname::sysname, "Linux")
            .bytes(field::Utsname::version, "#1 SMP")
            .bytes(field::Utsname::release, release)
            .bytes(field::Utsname::machine, "x86_64");
        Self(Message::new().message(field::SystemInfo::utsname, utsname))
    }

    /// What people call it.
    pub fn machine_name(self, name: &str) -> Self {
        Self(self.0.bytes(field::SystemInfo::machine_name, name))
    }

    /// How many CPUs it has.
    pub fn num_cpus(self, count: u64) -> Self {
        Self(self.0.uint(field::SystemInfo::num_cpus, count))
    }

    /// The version of the recorder.
    pub fn service_version(self, version: &str) -> Self {
        Self(self.0.bytes(field::SystemInfo::tracing_service_version, version))
    }
}

/// What the recording service did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEvent {
    /// It began to record.
    TracingStarted,
    /// Every data source is recording.
    AllDataSourcesStarted,
    /// It asked the data sources for what they still hold.
    FlushStarted,
    /// Every data source handed over what it held: nothing older can follow.
    AllDataSourcesFlushed,
    /// It read its buffers into the file.
    ReadTracingBuffersCompleted,
    /// It stopped recording.
    TracingDisabled,
}

impl ServiceEvent {
    pub(crate) fn message(self) -> Message {
        let kind = match self {
            Self::TracingStarted => field::ServiceEvent::tracing_started,
            Self::AllDataSourcesStarted => field::ServiceEvent::all_data_sources_started,
            Self::FlushStarted => field::ServiceEvent::flush_started,
            Self::AllDataSourcesFlushed => field::ServiceEvent::all_data_sources_flushed,
            Self::ReadTracingBuffersCompleted => {
                field::ServiceEvent::read_tracing_buffers_completed
            }
            Self::TracingDisabled => field::ServiceEvent::tracing_disabled,
        };
        Message::new().bool(kind, true)
    }
}
