//! The list of formats and of their decoders.

use tpq_decode::FormatDecoder;
use tpq_source::Format;

use crate::format::TraceFormat;
use crate::{
    art_methods, collapsed, cpuprofile, dmesg, dumpstate, fuchsia, gecko, heap_profile,
    heap_snapshot, hprof, instruments, json, logcat, name_mapping, ninja, otlp, packets, perf_data,
    perf_script, pprof, primes, simpleperf, speedscope, strace, systrace, trace_cmd,
};

/// Decoders of all formats without packets, for `tpq_decode::Decoder`.
pub const DECODERS: &[&FormatDecoder] = &[
    &json::DECODER,
    &systrace::DECODER,
    &ninja::DECODER,
    &logcat::DECODER,
    &perf_script::DECODER,
    &collapsed::DECODER,
    &gecko::DECODER,
    &pprof::DECODER,
    &perf_data::DECODER,
    &strace::DECODER,
    &dmesg::DECODER,
    &simpleperf::DECODER,
    &cpuprofile::DECODER,
    &speedscope::DECODER,
    &art_methods::DECODER,
    &fuchsia::DECODER,
    &otlp::DECODER,
    &dumpstate::DECODER,
    &hprof::DECODER,
    &trace_cmd::DECODER,
    &name_mapping::DECODER,
    &instruments::DECODER,
    &heap_snapshot::DECODER,
    &heap_profile::DECODER,
    &primes::DECODER,
];

/// The description of a format; `None` for files without events.
pub fn trace_format(format: Format) -> Option<&'static TraceFormat> {
    match format {
        Format::Perfetto | Format::Symbols => Some(&packets::FORMAT),
        Format::Json => Some(&json::FORMAT),
        Format::Systrace => Some(&systrace::FORMAT),
        Format::Ninja => Some(&ninja::FORMAT),
        Format::Logcat => Some(&logcat::FORMAT),
        Format::PerfScript => Some(&perf_script::FORMAT),
        Format::CollapsedStacks => Some(&collapsed::FORMAT),
        Format::Gecko => Some(&gecko::FORMAT),
        Format::Pprof => Some(&pprof::FORMAT),
        Format::PerfData => Some(&perf_data::FORMAT),
        Format::Strace => Some(&strace::FORMAT),
        Format::Dmesg => Some(&dmesg::FORMAT),
        Format::SimpleperfReport => Some(&simpleperf::FORMAT),
        Format::CpuProfile => Some(&cpuprofile::FORMAT),
        Format::Speedscope => Some(&speedscope::FORMAT),
        Format::ArtMethods => Some(&art_methods::FORMAT),
        Format::Fuchsia => Some(&fuchsia::FORMAT),
        Format::Otlp => Some(&otlp::FORMAT),
        Format::Dumpstate => Some(&dumpstate::FORMAT),
        Format::Hprof => Some(&hprof::FORMAT),
        Format::TraceCmd => Some(&trace_cmd::FORMAT),
        Format::OtlpProtobuf => Some(&otlp::PROTOBUF_FORMAT),
        Format::NameMapping => Some(&name_mapping::FORMAT),
        Format::Instruments => Some(&instruments::FORMAT),
        Format::HeapSnapshot => Some(&heap_snapshot::FORMAT),
        Format::HeapProfile => Some(&heap_profile::FORMAT),
        Format::Primes => Some(&primes::FORMAT),
        Format::Manifest
        | Format::Gzip
        | Format::Zstd
        | Format::Tar
        | Format::Zip
        | Format::Tracy
        | Format::Text
        | Format::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_kind_of_runs_has_one_decoder() {
        let mut kinds = BTreeSet::new();
        for (kind, _) in DECODERS.iter().flat_map(|decoder| decoder.runs) {
            assert!(kinds.insert(*kind), "two decoders of {kind:?}");
        }
    }
}
