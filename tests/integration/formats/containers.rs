//! Files of every format in each container, and beside a trace.

use tpq_testkit::formats::files;
use tpq_testkit::{Archive, gzip, testdata, zstd};

use crate::imported::Imported;

/// What a file became: numbers of rows, and the bounds of its times.
const CONTENTS: &str = "SELECT (SELECT count(*) FROM slice) AS slices, \
    (SELECT count(*) FROM counter) AS counters, \
    (SELECT count(*) FROM ftrace_event) AS events, \
    (SELECT count(*) FROM thread) AS threads, \
    (SELECT count(*) FROM args) AS args, \
    (SELECT count(*) FROM cpu_profile_stack_sample) AS samples, \
    (SELECT count(*) FROM perf_sample) AS perf_samples, \
    (SELECT count(*) FROM logs) AS messages, \
    (SELECT count(*) FROM heap_graph_object) AS objects, \
    (SELECT count(*) FROM __intrinsic_aggregate_sample) AS \"values\", \
    (SELECT count(*) FROM android_dumpstate) AS lines, \
    (SELECT count(*) FROM instruments_sample) AS instruments, \
    start_ts, end_ts FROM trace_bounds";

/// The name of a file that is of use only beside another.
const NAMES: &str = "mapping";

#[test]
fn a_file_is_the_same_in_each_container() {
    for (name, file) in files().into_iter().filter(|(name, _)| *name != NAMES) {
        let plain = Imported::file(&file).cells(CONTENTS);
        let archive = Archive::new().file("trace", file.clone());
        let packed = [
            ("gzip", gzip(&file)),
            ("zstd", zstd(&file)),
            ("zip", archive.zip()),
            ("tar", archive.tar()),
            ("tar in gzip", gzip(&archive.tar())),
        ];
        for (container, bytes) in packed {
            let contents = Imported::file(bytes).cells(CONTENTS);
            assert_eq!(contents, plain, "{name} in {container}");
        }
    }
}

/// Each file is read beside a trace of another format, whether the clocks of both are related or
/// not.
#[test]
fn a_file_beside_a_trace() {
    let trace = testdata::files().into_iter().find(|(name, _)| *name == "sched.pftrace").unwrap().1;
    for (name, file) in files() {
        let both = Imported::files(&[("a.pftrace", &trace), ("b", &file)]);
        let read = "SELECT count(*) FROM trace_file WHERE trace_type != 'unknown'";
        assert_eq!(both.cell(read), "2", "{name}");
        assert_ne!(both.cell("SELECT count(*) FROM sched"), "0", "{name}");
    }
}
