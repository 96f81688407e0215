//! `callstacks.*`, `stacks.*` and `linux.perf.*` without call stacks: only functions and macros have
//! results. Summaries of samples are next to the samples in `profiles`.

use super::{empty, lines};

/// The first three fields are in reverse byte order, and a 0 follows the first 16 bytes.
#[test]
fn ids_of_symbols() {
    let sql = "SELECT _to_breakpad_module(column1, column2) FROM (VALUES \
        ('/x/libchrome.so', '00112233445566778899aabbccddeeff01234567'), \
        ('/x/libchrome.so', '00112233'), \
        ('/x/libc.so', '00112233445566778899aabbccddeeff01234567')) ORDER BY 1";
    assert_eq!(
        lines(&empty(), "stacks.symbolization_candidates", sql),
        ["NULL", "NULL", "33221100554477668899aabbccddeeff0"]
    );
}

#[test]
fn no_symbolizer() {
    let sql = "SELECT * FROM _callstack_frame_symbolize!((SELECT 'lib.so' AS file_name, \
        16 AS rel_pc, 0 AS mapping_id, 4112 AS address))";
    assert_eq!(lines(&empty(), "callstacks.symbolize", sql), [""; 0]);
}

#[test]
fn no_counters_and_instructions() {
    let sql = "SELECT linux_perf_counter_for_sample(NULL, 'instructions')";
    assert_eq!(lines(&empty(), "linux.perf.counters", sql), ["NULL"]);
    let sql = "SELECT * FROM _linux_perf_etm_metadata(0)";
    assert_eq!(lines(&empty(), "linux.perf.etm", sql), [""; 0]);
}
