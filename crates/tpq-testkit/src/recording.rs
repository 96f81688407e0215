//! Data about the recording itself: buffers, the machine, the service.

use crate::{Message, field};

message_type! {
    /// Statistics of the recorder at the end of the trace.
    TraceStats
}

impl TraceStats {
    /// Returns empty statistics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer of the recorder; the first one has number 0.
    pub fn buffer(self, buffer: BufferStats) -> Self {
        Self(self.0.message(field::TraceStats::buffer_stats, buffer))
    }

    /// Adds a writer sequence and the buffer that it writes to.
    pub fn writer(self, sequence: u32, buffer: u32) -> Self {
        let writer = Message::new()
            .uint(field::WriterStats::sequence_id, sequence.into())
            .uint(field::WriterStats::buffer, buffer.into());
        Self(self.0.message(field::TraceStats::writer_stats, writer))
    }

    /// Sets the numbers of flushes that were requested, succeeded and failed.
    pub fn flushes(self, requested: u64, succeeded: u64, failed: u64) -> Self {
        Self(
            self.0
                .uint(field::TraceStats::flushes_requested, requested)
                .uint(field::TraceStats::flushes_succeeded, succeeded)
                .uint(field::TraceStats::flushes_failed, failed),
        )
    }

    /// Sets the number of chunks for buffers that do not exist.
    pub fn chunks_discarded(self, count: u64) -> Self {
        Self(self.0.uint(field::TraceStats::chunks_discarded, count))
    }
}

message_type! {
    /// One buffer of the recorder.
    BufferStats
}

impl BufferStats {
    /// Returns a buffer of this size in bytes.
    pub fn new(size: u64) -> Self {
        Self(Message::new().uint(field::BufferStats::buffer_size, size))
    }

    /// Sets the number of chunks and bytes written to the buffer.
    pub fn written(self, chunks: u64, bytes: u64) -> Self {
        Self(
            self.0
                .uint(field::BufferStats::chunks_written, chunks)
                .uint(field::BufferStats::bytes_written, bytes),
        )
    }

    /// Sets the number of chunks overwritten when the ring wrapped.
    pub fn chunks_overwritten(self, count: u64) -> Self {
        Self(self.0.uint(field::BufferStats::chunks_overwritten, count))
    }

    /// Sets the number of chunks discarded because the buffer was full.
    pub fn chunks_discarded(self, count: u64) -> Self {
        Self(self.0.uint(field::BufferStats::chunks_discarded, count))
    }

    /// Sets the number of packets lost on their way to the buffer.
    pub fn packet_loss(self, count: u64) -> Self {
        Self(self.0.uint(field::BufferStats::trace_writer_packet_loss, count))
    }
}

message_type! {
    /// Statistics of the kernel's buffers, at the start or the end of the trace.
    FtraceStats
}

impl FtraceStats {
    /// Returns statistics of the start of the recording.
    pub fn at_start() -> Self {
        Self(Message::new().uint(field::FtraceStats::phase, 1))
    }

    /// Returns statistics of the end of the recording.
    pub fn at_end() -> Self {
        Self(Message::new().uint(field::FtraceStats::phase, 2))
    }

    /// Adds the buffer of one CPU.
    pub fn cpu(self, stats: FtraceCpuStats) -> Self {
        Self(self.0.message(field::FtraceStats::cpu_stats, stats))
    }
}

message_type! {
    /// Statistics of the kernel's buffer of one CPU.
    FtraceCpuStats
}

impl FtraceCpuStats {
    /// Returns statistics of the buffer of this CPU.
    pub fn new(cpu: u64) -> Self {
        Self(Message::new().uint(field::FtraceCpuStats::cpu, cpu))
    }

    /// Sets the number of events overwritten before they were read.
    pub fn overrun(self, count: u64) -> Self {
        Self(self.0.uint(field::FtraceCpuStats::overrun, count))
    }

    /// Sets the number of events not written because the buffer was full.
    pub fn dropped_events(self, count: u64) -> Self {
        Self(self.0.uint(field::FtraceCpuStats::dropped_events, count))
    }

    /// Sets the number of events read.
    pub fn read_events(self, count: u64) -> Self {
        Self(self.0.uint(field::FtraceCpuStats::read_events, count))
    }
}

message_type! {
    /// The machine that a trace was recorded on.
    SystemInfo
}

impl SystemInfo {
    /// Returns a Linux machine with this kernel.
    pub fn linux(release: &str) -> Self {
        let utsname = Message::new()
            .bytes(field::Utsname::sysname, "Linux")
            .bytes(field::Utsname::version, "#1 SMP")
            .bytes(field::Utsname::release, release)
            .bytes(field::Utsname::machine, "x86_64");
        Self(Message::new().message(field::SystemInfo::utsname, utsname))
    }

    /// Returns an Android device with this build.
    pub fn android(build_fingerprint: &str) -> Self {
        let field = field::SystemInfo::android_build_fingerprint;
        Self(Message::new().bytes(field, build_fingerprint))
    }

    /// Sets the name of the machine.
    pub fn machine_name(self, name: &str) -> Self {
        Self(self.0.bytes(field::SystemInfo::machine_name, name))
    }

    /// Sets the number of CPUs.
    pub fn num_cpus(self, count: u64) -> Self {
        Self(self.0.uint(field::SystemInfo::num_cpus, count))
    }

    /// Sets the version of the recorder.
    pub fn service_version(self, version: &str) -> Self {
        Self(self.0.bytes(field::SystemInfo::tracing_service_version, version))
    }
}

/// An event of the recording service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEvent {
    /// The service began to record.
    TracingStarted,
    /// All data sources are recording.
    AllDataSourcesStarted,
    /// The service asked the data sources for their buffered data.
    FlushStarted,
    /// All data sources sent their buffered data: nothing older can follow.
    AllDataSourcesFlushed,
    /// The service read its buffers into the file.
    ReadTracingBuffersCompleted,
    /// The service stopped recording.
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
