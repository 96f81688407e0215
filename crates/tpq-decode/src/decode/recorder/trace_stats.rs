//! Statistics of the recorder: buffers filled, wrapped and drained, flushes, sessions.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::TraceStats;
use tpq_proto::message::trace_stats::{BufferStats, FinalFlushOutcome};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{CentralBuffer, Recording, Trackers, by_writer};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::TRACE_STATS,
    route: Route::Immediate,
    decode: decode_stats,
};

/// Buffers of one recording that are counted: more than the recorder allows.
const MOST_BUFFERS: usize = 256;

fn decode_stats(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let Ok(counts) = decode::<TraceStats>(packet.data) else {
        stats.increment(Stat::MalformedPackets);
        return;
    };
    for (index, buffer) in counts.buffer_stats.iter().take(MOST_BUFFERS).enumerate() {
        for (stat, value) in buffer_counts(buffer) {
            stats.set_indexed(stat, index as i64, value as i64);
        }
    }
    for writer in &counts.writer_stats {
        let buffer = i64::from(writer.buffer());
        trackers.file.writers.set_buffer(writer.sequence_id() as u32, buffer);
        for stat in by_writer() {
            stats.add_indexed(stat, buffer, 0);
        }
    }
    note_recording(&counts, &mut trackers.file.recording);
    for (stat, value) in [
        (Stat::TracedProducersConnected, u64::from(counts.producers_connected())),
        (Stat::TracedProducersSeen, counts.producers_seen()),
        (Stat::TracedDataSourcesRegistered, u64::from(counts.data_sources_registered())),
        (Stat::TracedDataSourcesSeen, counts.data_sources_seen()),
        (Stat::TracedTracingSessions, u64::from(counts.tracing_sessions())),
        (Stat::TracedTotalBuffers, u64::from(counts.total_buffers())),
        (Stat::TracedChunksDiscarded, counts.chunks_discarded()),
        (Stat::TracedPatchesDiscarded, counts.patches_discarded()),
        (Stat::TracedFlushesRequested, counts.flushes_requested()),
        (Stat::TracedFlushesSucceeded, counts.flushes_succeeded()),
        (Stat::TracedFlushesFailed, counts.flushes_failed()),
    ] {
        stats.set(stat, value as i64);
    }
    match counts.final_flush_outcome() {
        FinalFlushOutcome::FinalFlushSucceeded => stats.set(Stat::TracedFinalFlushSucceeded, 1),
        FinalFlushOutcome::FinalFlushFailed => stats.set(Stat::TracedFinalFlushFailed, 1),
        FinalFlushOutcome::FinalFlushUnspecified => {}
    }
    if let Some(filter) = &counts.filter_stats {
        stats.set(Stat::FilterInputBytes, filter.input_bytes() as i64);
        stats.set(Stat::FilterInputPackets, filter.input_packets() as i64);
        stats.set(Stat::FilterOutputBytes, filter.output_bytes() as i64);
        stats.set(Stat::FilterErrors, filter.errors() as i64);
        stats.set(Stat::FilterTimeTakenNs, filter.time_taken_ns() as i64);
        let removed = filter.bytes_discarded_per_buffer.iter().take(MOST_BUFFERS);
        for (index, &bytes) in (0..).zip(removed) {
            stats.set_indexed(Stat::TracedBufBytesFilteredOut, index, bytes as i64);
        }
    }
}

/// The counts that decide the name of a loss and the advice.
fn note_recording(counts: &TraceStats, recording: &mut Recording) {
    recording.buffers = counts.buffer_stats.iter().take(MOST_BUFFERS).map(central_buffer).collect();
    recording.flushes_failed = counts.flushes_failed();
    recording.final_flush_failed =
        counts.final_flush_outcome() == FinalFlushOutcome::FinalFlushFailed;
}

fn central_buffer(buffer: &BufferStats) -> CentralBuffer {
    CentralBuffer {
        size: buffer.buffer_size(),
        bytes_written: buffer.bytes_written(),
        bytes_overwritten: buffer.bytes_overwritten(),
        chunks_written: buffer.chunks_written(),
        chunks_overwritten: buffer.chunks_overwritten(),
        chunks_discarded: buffer.chunks_discarded(),
        wraps: buffer.write_wrap_count(),
        patches_failed: buffer.patches_failed(),
        abi_violations: buffer.abi_violations(),
        packet_loss: buffer.trace_writer_packet_loss(),
    }
}

fn buffer_counts(buffer: &BufferStats) -> [(Stat, u64); 20] {
    [
        (Stat::TracedBufBufferSize, buffer.buffer_size()),
        (Stat::TracedBufBytesWritten, buffer.bytes_written()),
        (Stat::TracedBufBytesOverwritten, buffer.bytes_overwritten()),
        (Stat::TracedBufBytesRead, buffer.bytes_read()),
        (Stat::TracedBufPaddingBytesWritten, buffer.padding_bytes_written()),
        (Stat::TracedBufPaddingBytesCleared, buffer.padding_bytes_cleared()),
        (Stat::TracedBufChunksWritten, buffer.chunks_written()),
        (Stat::TracedBufChunksRewritten, buffer.chunks_rewritten()),
        (Stat::TracedBufChunksCommittedOutOfOrder, buffer.chunks_committed_out_of_order()),
        (Stat::TracedBufChunksRelocated, buffer.chunks_relocated()),
        (Stat::TracedBufChunksOverwritten, buffer.chunks_overwritten()),
        (Stat::TracedBufChunksDiscarded, buffer.chunks_discarded()),
        (Stat::TracedBufChunksRead, buffer.chunks_read()),
        (Stat::TracedBufWriteWrapCount, buffer.write_wrap_count()),
        (Stat::TracedBufPatchesSucceeded, buffer.patches_succeeded()),
        (Stat::TracedBufPatchesFailed, buffer.patches_failed()),
        (Stat::TracedBufReadaheadsSucceeded, buffer.readaheads_succeeded()),
        (Stat::TracedBufReadaheadsFailed, buffer.readaheads_failed()),
        (Stat::TracedBufAbiViolations, buffer.abi_violations()),
        (Stat::TracedBufTraceWriterPacketLoss, buffer.trace_writer_packet_loss()),
    ]
}
