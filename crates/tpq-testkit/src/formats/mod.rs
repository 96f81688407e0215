//! Small files of every format other than Perfetto's, Chrome's JSON and the text of the kernel's
//! tracer. Each uses every part of its format, and is to be damaged by tests.

mod messages;
mod recordings;
mod runtimes;
mod texts;

/// The files with their names.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let texts = texts::TEXTS.iter().map(|(name, text)| (*name, text.as_bytes().to_vec()));
    let mut files: Vec<(&str, Vec<u8>)> = texts.collect();
    let perf = recordings::perf_data();
    let kernel = recordings::trace_cmd();
    let spans = messages::otlp();
    files.extend([
        ("perf.data", perf.file()),
        ("perf.data of a pipe", perf.pipe()),
        ("perf.data, compressed", perf.clone().compressed().file()),
        ("perf.data, compressed with lengths", perf.compressed_with_length().file()),
        ("perf.data of tracepoints", recordings::perf_tracepoints().file()),
        ("perf.data of simpleperf", recordings::perf_simpleperf().file()),
        ("trace.dat", kernel.version_6()),
        ("trace.dat 7", kernel.version_7("none")),
        ("trace.dat, compressed", kernel.version_7("zstd")),
        ("Java heap", runtimes::java_heap()),
        ("methods", runtimes::methods()),
        ("streamed methods", runtimes::streamed_methods()),
        ("Fuchsia", runtimes::fuchsia()),
        ("pprof", messages::pprof()),
        ("simpleperf", messages::simpleperf()),
        ("OTLP with sizes", messages::sized(spans.as_bytes())),
        ("OTLP in protobuf", spans.into_bytes()),
        ("Primes", messages::primes()),
    ]);
    files
}
