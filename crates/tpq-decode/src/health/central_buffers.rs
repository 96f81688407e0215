//! The recorder's central buffers: rings that wrapped, buffers that were full, memory shared with
//! producers that was.

use tpq_tables::table::TraceBufferRow;
use tpq_tables::{Stat, Tables};

use super::amounts::{bytes, many, signed, size_kb, time};
use super::{FileHealth, Finding};
use tpq_trackers::track::{CentralBuffer, FillPolicy};

/// Shared memory of a producer, in KiB, unless the configuration asks for more.
const DEFAULT_SHMEM_KB: u64 = 256;

/// How often a file can be written without much work, in ms.
const STREAMING_MS: u32 = 250;

/// A buffer with what follows from its counts.
struct Buffer<'a> {
    number: usize,
    counts: &'a CentralBuffer,
    policy: FillPolicy,
    /// The size it would have needed, in bytes.
    wanted: f64,
    /// The missing part of that, in bytes.
    lost: f64,
    /// Bytes a second.
    rate: Option<f64>,
}

impl<'a> Buffer<'a> {
    fn of(file: &FileHealth<'a>, number: usize, counts: &'a CentralBuffer) -> Self {
        let requested = file.recording.requested.as_ref();
        let policy = requested.and_then(|it| it.buffers.get(number)).copied().unwrap_or_default();
        let written = counts.bytes_written as f64;
        // Of what was turned away only the number of chunks is known.
        let chunk = written / counts.chunks_written.max(1) as f64;
        let discarded = counts.chunks_discarded as f64 * chunk;
        let rate = file.recording.length().map(|ns| (written + discarded) / (ns as f64 / 1e9));
        // Older recorders do not say how many bytes were overwritten.
        let overwritten = match counts.bytes_overwritten {
            0 => counts.chunks_overwritten as f64 * chunk,
            bytes => bytes as f64,
        };
        let lost = discarded + overwritten;
        Self { number, counts, policy, wanted: written + discarded, lost, rate }
    }

    fn name(&self) -> String {
        let kb = self.counts.size / 1024;
        format!("buffer {} ({kb} KiB, {})", self.number, self.policy.word())
    }

    /// The size that would have held everything, and the reason.
    fn remedy(&self, file: &FileHealth<'_>) -> String {
        let number = self.number;
        let size = self.counts.size as f64;
        let requested = file.recording.requested.as_ref();
        let period = requested.and_then(|it| it.file_write_period_ms);
        match (self.rate, file.recording.length(), period) {
            (Some(rate), Some(_), Some(period)) => format!(
                "Set size_kb of buffer {number} to {} or more: {}/s were written, and the file is \
                 written every {period} ms. Or lower file_write_period_ms.",
                // On average it was large enough, perhaps; not when it wrapped.
                size_kb((rate * f64::from(period) / 1e3 * 2.0).max(size * 2.0)),
                bytes(rate),
            ),
            (Some(rate), Some(length), None) => format!(
                "Set size_kb of buffer {number} to {} or more: that holds the {} recorded, at the \
                 {}/s written. Or stream into a file, with write_into_file, file_write_period_ms \
                 {STREAMING_MS}, fill_policy RING_BUFFER and a size_kb of {} or more. Or record \
                 fewer events.",
                size_kb(self.wanted.max(size)),
                time(length as f64),
                bytes(rate),
                size_kb((rate * f64::from(STREAMING_MS) / 1e3 * 2.0).max(size)),
            ),
            _ => format!(
                "Set size_kb of buffer {number} to {} or more, or record fewer events.",
                size_kb(self.wanted.max(size)),
            ),
        }
    }
}

fn buffers<'a>(file: &FileHealth<'a>) -> impl Iterator<Item = Buffer<'a>> {
    let buffers = file.recording.buffers.iter().enumerate();
    buffers.map(|(number, counts)| Buffer::of(file, number, counts))
}

/// Writes `trace_buffer`.
pub(super) fn write_table(file: &FileHealth<'_>, tables: &mut Tables) {
    for buffer in buffers(file) {
        let Buffer { number, counts, policy, lost, rate, .. } = buffer;
        let requested = file.recording.requested.iter();
        let sources: Vec<&str> = requested
            .flat_map(|requested| &requested.sources)
            .filter(|(_, target)| *target as usize == number)
            .map(|(name, _)| name.as_str())
            .collect();
        let span = file.span(number);
        let fill = (counts.bytes_written as f64 / counts.size.max(1) as f64).min(1.0);
        let row = TraceBufferRow {
            buffer: number as u32,
            fill_policy: tables.strings.intern(policy.word()),
            sources: tables.strings.intern(&sources.join(", ")),
            size: signed(counts.size),
            written: signed(counts.bytes_written),
            lost: lost as i64,
            fill,
            write_rate: rate,
            ts: span.map(|span| span.0),
            ts_end: span.map(|span| span.1),
            trace_id: file.file,
        };
        tables.trace_buffer.push(row);
    }
}

/// Losses in central buffers, and on the way to them.
pub(super) fn find(file: &FileHealth<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for buffer in buffers(file) {
        let losses = [wrapped(file, &buffer), full(file, &buffer), shared_memory(file, &buffer)];
        findings.extend(losses.into_iter().flatten());
        // A full buffer turns away the ends of packets, too: that is no loss of its own.
        if buffer.counts.chunks_discarded == 0 {
            findings.extend(damaged(&buffer));
        }
        findings.extend(discards_while_streaming(file, &buffer));
    }
    for finding in &mut findings {
        finding.machine = file.host();
    }
    findings
}

/// A ring that wrapped before it was read.
fn wrapped(file: &FileHealth<'_>, buffer: &Buffer<'_>) -> Option<Finding> {
    let counts = buffer.counts;
    if counts.chunks_overwritten == 0 {
        return None;
    }
    let retained_from = file.span(buffer.number).map(|span| span.0);
    let name = buffer.name();
    let turns = match counts.wraps {
        0 => String::new(),
        wraps => format!(", in {} round it", many(signed(wraps), "turn", "turns")),
    };
    Some(Finding {
        kind: "ring_buffer_wrapped",
        what: format!(
            "The oldest data of {name} was overwritten: {} of the {} written{turns}.",
            bytes(buffer.lost),
            bytes(counts.bytes_written as f64),
        ),
        remedy: buffer.remedy(file),
        between: (file.recording.started, retained_from),
        amount: Some((buffer.lost as i64, "bytes")),
        stat: Some(Stat::TracedBufChunksOverwritten),
        buffer: Some(buffer.number as i64),
        ..Finding::default()
    })
}

/// A buffer that turned away what came after it was full.
fn full(file: &FileHealth<'_>, buffer: &Buffer<'_>) -> Option<Finding> {
    let counts = buffer.counts;
    if counts.chunks_discarded == 0 {
        return None;
    }
    let retained_to = file.span(buffer.number).map(|span| span.1);
    Some(Finding {
        kind: "buffer_full",
        what: format!(
            "The newest data of {} was turned away: {}, about {} of {}.",
            buffer.name(),
            many(signed(counts.chunks_discarded), "chunk", "chunks"),
            bytes(buffer.lost),
            bytes(buffer.wanted),
        ),
        remedy: buffer.remedy(file),
        between: (retained_to, file.recording.stopped),
        amount: Some((signed(counts.chunks_discarded), "chunks")),
        stat: Some(Stat::TracedBufChunksDiscarded),
        buffer: Some(buffer.number as i64),
        ..Finding::default()
    })
}

/// Packets that found no room in the memory shared with the recorder.
fn shared_memory(file: &FileHealth<'_>, buffer: &Buffer<'_>) -> Option<Finding> {
    let lost = signed(buffer.counts.packet_loss);
    if lost == 0 {
        return None;
    }
    let burst: u64 = file.sequences.iter().map(|(_, it)| it.burst).max().unwrap_or_default();
    let asked = file.recording.requested.as_ref().and_then(|requested| requested.shmem_size_kb);
    let now = asked.map_or(DEFAULT_SHMEM_KB, u64::from);
    let gaps = file.sequences.iter().flat_map(|(_, it)| &it.gaps);
    let from = gaps.clone().filter_map(|gap| gap.0).min();
    let to = gaps.filter_map(|gap| gap.1).max();
    Some(Finding {
        kind: "shared_memory_full",
        what: format!(
            "{} for buffer {} found no room in the memory that producers share with the recorder. \
             The largest burst of one writer that came through was {} in 10 ms.",
            many(lost, "packet", "packets"),
            buffer.number,
            bytes(burst as f64),
        ),
        remedy: format!(
            "Set shmem_size_kb (shmem_size_hint_kb in the SDK; shm_size_kb of the producer in the \
             configuration) to {} or more; it {} {now}. Or have the data source wait instead of \
             dropping (BufferExhaustedPolicy kStall).",
            size_kb(burst as f64 * 2.0).max(now * 2),
            if asked.is_some() { "was" } else { "is by default" },
        ),
        between: (from, to),
        amount: Some((lost, "packets")),
        stat: Some(Stat::TracedBufTraceWriterPacketLoss),
        buffer: Some(buffer.number as i64),
        ..Finding::default()
    })
}

/// Chunks that were complete too late, or broke the protocol.
fn damaged(buffer: &Buffer<'_>) -> Vec<Finding> {
    let counts = buffer.counts;
    let findings = [
        (
            "patches_failed",
            counts.patches_failed,
            Stat::TracedBufPatchesFailed,
            "the rest of a packet came when its beginning was gone from the buffer",
            "Make the buffer larger, or set flush_period_ms, so that long packets are complete \
             before their beginning is overwritten.",
        ),
        (
            "broken_chunks",
            counts.abi_violations,
            Stat::TracedBufAbiViolations,
            "a producer wrote chunks that break the protocol",
            "A producer is faulty, or of a version that does not fit the recorder's: update both.",
        ),
    ];
    let found = findings.into_iter().filter(|(_, count, ..)| *count > 0);
    let finding = |(kind, count, stat, why, remedy): (_, u64, _, &str, &str)| Finding {
        kind,
        what: format!("In buffer {}, {} times, {why}.", buffer.number, count),
        remedy: remedy.to_owned(),
        amount: Some((signed(count), "chunks")),
        stat: Some(stat),
        buffer: Some(buffer.number as i64),
        ..Finding::default()
    };
    found.map(finding).collect()
}

/// A buffer that is drained into a file should be a ring: if it is full once, all later data is
/// turned away.
fn discards_while_streaming(file: &FileHealth<'_>, buffer: &Buffer<'_>) -> Option<Finding> {
    let requested = file.recording.requested.as_ref()?;
    requested.file_write_period_ms?;
    if buffer.policy != FillPolicy::Discard || buffer.counts.chunks_discarded > 0 {
        return None;
    }
    Some(Finding {
        kind: "discard_while_streaming",
        only_notice: true,
        what: format!(
            "{} is drained into a file. It lost nothing, but had it been full once, all that came \
             later would be missing.",
            capital(&buffer.name()),
        ),
        remedy: format!("Set fill_policy of buffer {} to RING_BUFFER.", buffer.number),
        stat: Some(Stat::ConfigWriteIntoFileDiscard),
        buffer: Some(buffer.number as i64),
        ..Finding::default()
    })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
