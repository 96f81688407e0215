//! Profiles as text: samples of perf script, and collapsed stacks. And pprof, which has no times
//! either.

use tpq::ImportOptions;
use tpq_testkit::{Message, gzip, testdata};

use super::{PLACES, SAMPLES, VALUES, kind_and_clock};
use crate::imported::{Imported, STATS};

const SCRIPT: &str = "\
# a comment
app main  70/71  [003] 1.000001:    250 cycles: 
\tffffffff810d47be inner+0x1e ([kernel.kallsyms])
\t    7f81ee50c5d7 outer (/lib/a b.so)

app   70 0.500000: 1 cycles:
\t    7f81ee50c5d7 outer+0x2 (/lib/a b.so)
\t        12345678 [unknown] ([unknown])
";

#[test]
fn samples_of_perf_script() {
    let trace = Imported::file(SCRIPT);
    assert_eq!(
        trace.rows(SAMPLES),
        "\
ts          tid  thread    stack
500000000   70   app       [unknown];outer
1000001000  71   app main  outer;inner
"
    );
    let mappings = trace.cells("SELECT name FROM stack_profile_mapping ORDER BY name");
    assert_eq!(mappings, [["/lib/a b.so"], ["[kernel.kallsyms]"], ["[unknown]"]]);
    // outer is one frame, and two callsites.
    assert_eq!(trace.cell("SELECT count(*) FROM stack_profile_frame"), "3");
    assert_eq!(trace.cell("SELECT count(*) FROM stack_profile_callsite"), "4");
    let threads =
        "SELECT tid, pid FROM thread LEFT JOIN process USING (upid) WHERE tid != 0 ORDER BY tid";
    assert_eq!(trace.cells(threads), [["70", "70"], ["71", "70"]]);
    assert_eq!(kind_and_clock(&trace), ("perf_text".to_owned(), vec![vec!["3".to_owned()]]));
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

/// A process goes by the last name of its main thread.
#[test]
fn a_main_thread_that_is_renamed_names_its_process() {
    let sample = |comm: &str, tid: u32, ms: u32| {
        format!("{comm}  7/{tid}  [000] 1.{ms:03}000: 1 cycles: \n\tff f (/a)\n\n")
    };
    let text = [sample("sh", 7, 1), sample("worker", 8, 2), sample("server", 7, 3)].concat();
    let trace = Imported::file(text);
    let names = "SELECT tid, thread.name, process.name FROM thread JOIN process USING (upid) \
        WHERE tid != 0 ORDER BY tid";
    assert_eq!(trace.cells(names), [["7", "server", "server"], ["8", "worker", "server"]]);
}

/// `-F ip,sym` leaves out the binaries.
#[test]
fn stacks_without_binaries() {
    let text = "a 7 1.5: cycles:\n\tff inner+0x1\n\tfe f(int)\n\n";
    let trace = Imported::file(text);
    assert_eq!(trace.cells(SAMPLES), [["1500000000", "7", "a", "f(int);inner"]]);
    assert_eq!(trace.cells("SELECT name FROM stack_profile_mapping"), [["[unknown]"]]);
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn samples_without_stacks_and_other_lines_are_counted() {
    let text =
        "a 7 1.5: cycles:\n\tff f (/a)\n\na 7 1.6: cycles:\n\nhello\na 7 1.7: cycles:  ff g (/a)\n";
    let trace = Imported::file(text);
    let stacks = trace.cells(SAMPLES);
    assert_eq!(stacks.iter().map(|row| row[3].as_str()).collect::<Vec<_>>(), ["f", "g"]);
    let no_stack = "this sample has no call stack";
    let no_sample = "this line has no thread, time and event that can be read";
    assert_eq!(
        trace.cells(PLACES),
        [
            ["perf_text_importer_sample_no_frames", "4", no_stack],
            ["format_parse_errors", "6", no_sample],
        ]
    );
}

#[test]
fn collapsed_stacks() {
    let trace =
        Imported::file("# a comment\nmain;work it;inner 12\nmain;work it 3\nmain;other 0\n");
    assert_eq!(
        trace.rows(VALUES),
        "\
name                     type     unit   stack               value
collapsed_stack samples  samples  count  main;work it;inner  12.0
collapsed_stack samples  samples  count  main;work it        3.0
"
    );
    assert_eq!(
        trace.cell("SELECT scope FROM __intrinsic_aggregate_profile"),
        "collapsed_stack_file"
    );
    assert_eq!(trace.cells("SELECT name FROM stack_profile_mapping"), [["[collapsed_stack]"]]);
    assert_eq!(kind_and_clock(&trace), ("collapsed_stack".to_owned(), vec![]));
    let places = trace.cells(PLACES);
    let what = "this line has no functions with a count above 0";
    assert_eq!(places, [["format_parse_errors", "4", what]]);
    assert_eq!(trace.cells("SELECT start_ts, end_ts FROM trace_bounds"), [["0", "0"]]);
}

/// The strings of the profile, by number.
const STRINGS: [&str; 9] =
    ["", "cpu", "nanoseconds", "main", "work", "inlined", "/bin/app", "abcd", "main.go"];

/// A profile of two locations: `main`, and `work` with a function inlined into it.
fn pprof() -> Vec<u8> {
    let function = |id, name| Message::new().uint(1, id).uint(2, name).uint(4, 8).uint(5, 10);
    let line = |function, line| Message::new().uint(1, function).uint(2, line);
    let mapping = Message::new()
        .uint(1, 1)
        .uint(2, 0x1000)
        .uint(3, 0x9000)
        .uint(4, 0x20)
        .uint(5, 6)
        .uint(6, 7);
    let main = Message::new().uint(1, 1).uint(2, 1).uint(3, 0x1234).message(4, line(1, 7));
    let work = Message::new()
        .uint(1, 2)
        .uint(2, 1)
        .uint(3, 0x1300)
        .message(4, line(3, 0))
        .message(4, line(2, 21));
    // A location without mapping and functions.
    let bare = Message::new().uint(1, 3).uint(3, 0x77);
    let sample = |locations: &[u64], value| {
        let packed: Vec<u8> = locations.iter().map(|&id| id as u8).collect();
        Message::new().bytes(1, packed).uint(2, value)
    };
    let profile = Message::new()
        .message(1, Message::new().uint(1, 1).uint(2, 2))
        .message(2, sample(&[2, 1], 500))
        .message(2, sample(&[3], 7))
        .message(2, sample(&[9], 7))
        .message(2, sample(&[9, 1], 3))
        .message(2, sample(&[1], 4).uint(2, 5))
        .message(2, sample(&[], 0))
        .message(3, mapping)
        .message(4, main)
        .message(4, work)
        .message(4, bare)
        .message(5, function(1, 3))
        .message(5, function(2, 4))
        .message(5, function(3, 5));
    STRINGS.iter().fold(profile, |profile, text| profile.bytes(6, text.as_bytes())).into_bytes()
}

#[test]
fn profiles_of_pprof() {
    let trace = Imported::file(gzip(&pprof()));
    assert_eq!(
        trace.rows(VALUES),
        "\
name       type  unit         stack         value
pprof cpu  cpu   nanoseconds  main;inlined  500.0
pprof cpu  cpu   nanoseconds  [unknown]     7.0
pprof cpu  cpu   nanoseconds  main          3.0
pprof cpu  cpu   nanoseconds  main          4.0
"
    );
    let mappings =
        "SELECT name, build_id, start, end, exact_offset FROM stack_profile_mapping ORDER BY id";
    assert_eq!(
        trace.cells(mappings),
        [["/bin/app", "abcd", "4096", "36864", "32"], ["[pprof unknown]", "", "0", "-1", "0"]]
    );
    let frames = "SELECT f.name, rel_pc, s.name, source_file, line_number, inlined \
        FROM stack_profile_frame f LEFT JOIN stack_profile_symbol s USING (symbol_set_id) \
        ORDER BY f.id, s.id";
    assert_eq!(
        trace.cells(frames),
        [
            ["main", "564", "main", "main.go", "7", "0"],
            // The line of the inlined function is unknown: it is that of its start.
            ["inlined", "768", "inlined", "main.go", "10", "1"],
            ["inlined", "768", "work", "main.go", "21", "0"],
            ["[unknown]", "119", "NULL", "NULL", "NULL", "NULL"],
        ]
    );
    let kinds = trace.cells("SELECT trace_type FROM trace_file ORDER BY id");
    assert_eq!(kinds, [["gzip"], ["pprof"]]);
    // Two samples have the location 9, which is none of the profile, and one has a value more than
    // there are types. A sample without locations and values is none.
    let errors = "SELECT value FROM stats WHERE name = 'format_parse_errors'";
    assert_eq!(trace.cells(errors), [["3"]]);
}

/// A location without functions, 9 bytes behind the start of a mapping from offset 0x1000 of the
/// file, is at offset 0x1009: in `add`, which is inlined into `work`.
#[test]
fn functions_of_pprof_from_binaries() {
    let mapping = Message::new()
        .uint(1, 1)
        .uint(2, 0x7f00_0000)
        .uint(3, 0x7f00_2000)
        .uint(4, 0x1000)
        .uint(5, 3)
        .uint(6, 4);
    let profile = Message::new()
        .message(1, Message::new().uint(1, 1).uint(2, 2))
        .message(2, Message::new().bytes(1, [1]).uint(2, 5))
        .message(3, mapping)
        .message(4, Message::new().uint(1, 1).uint(2, 1).uint(3, 0x7f00_0009));
    let build_id = "0123456789abcdef0123456789abcdef01234567";
    let strings = ["", "cpu", "nanoseconds", "/lib.so", build_id];
    let profile = strings.iter().fold(profile, |profile, text| profile.bytes(6, text.as_bytes()));
    let symbols = vec![testdata::folder().join("binaries")];
    let options = ImportOptions { symbols, ..ImportOptions::default() };
    let trace = Imported::with(&[("trace", profile.as_bytes())], options);
    let functions = "SELECT rel_pc, s.name, line_number FROM stack_profile_frame \
        JOIN stack_profile_symbol s USING (symbol_set_id) ORDER BY s.id";
    assert_eq!(trace.cells(functions), [["9", "add", "4"], ["9", "work", "8"]]);
}
