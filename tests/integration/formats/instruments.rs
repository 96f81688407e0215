//! Exports of Apple's Instruments.

use tpq::ImportOptions;
use tpq_testkit::{Archive, ClockSnapshot, Packet, testdata};

use super::{PLACES, kind_and_clock};
use crate::imported::{EVENTS, Imported, STATS, instant, merged, recording, refused};

/// Two samples of a thread with one stack, and one of another thread of the process, with a stack of
/// its own. Elements refer to those before them by their ids.
const EXPORT: &str = r#"<?xml version="1.0"?>
<trace-query-result>
<node xpath='//trace-toc[1]/run[1]/data[1]/table[4]'><schema name="time-profile"></schema>
<row><sample-time id="1" fmt="00:00.001">1000000</sample-time>
  <thread id="2" fmt="Main &amp; only"><tid id="3" fmt="0xb">11</tid>
    <process id="4" fmt="app (10)"><pid id="5" fmt="10">10</pid></process></thread>
  <process ref="4"/>
  <core id="6" fmt="CPU 3">3</core>
  <weight id="7" fmt="1.00 ms">1000000</weight>
  <tagged-backtrace id="30" fmt="work"><backtrace id="8">
    <frame id="9" name="work" addr="0x10000120"><binary id="10" name="app" UUID="01234567-89AB-CDEF-0123-456789ABCDEF" arch="arm64" load-addr="0x10000000" path="/Applications/app"/></frame>
    <frame id="11" name="main" addr="0x10000211"><binary ref="10"/></frame>
    <frame id="12" name="start" addr="0x7001"/>
  </backtrace></tagged-backtrace></row>
<row><sample-time id="13" fmt="00:00.002">2000000</sample-time><thread ref="2"/><core ref="6"/><tagged-backtrace ref="30"/></row>
<row><sample-time id="14" fmt="00:00.001">1500000</sample-time>
  <thread id="15" fmt="Worker"><tid id="16" fmt="0xc">12</tid><process ref="4"/></thread>
  <core id="17" fmt="CPU 0">0</core>
  <backtrace id="18"><frame ref="9"/></backtrace></row>
</node>
</trace-query-result>
"#;

const SAMPLES: &str = "WITH RECURSIVE stack(id, next, names) AS ( \
    SELECT c.id, c.parent_id, f.name FROM stack_profile_callsite c \
    JOIN stack_profile_frame f ON f.id = c.frame_id \
    UNION ALL SELECT stack.id, c.parent_id, f.name || ';' || names FROM stack \
    JOIN stack_profile_callsite c ON c.id = stack.next \
    JOIN stack_profile_frame f ON f.id = c.frame_id) \
    SELECT s.ts, tid, thread.name AS thread, pid, process.name AS process, cpu, names AS stack \
    FROM instruments_sample s JOIN thread USING (utid) JOIN process USING (upid) \
    LEFT JOIN stack ON stack.id = s.callsite_id AND next IS NULL ORDER BY s.ts";

#[test]
fn samples_of_threads() {
    let trace = Imported::file(EXPORT);
    assert_eq!(
        trace.rows(SAMPLES),
        "\
ts       tid  thread       pid  process   cpu  stack
1000000  11   Main & only  10   app (10)  3    start;main;work
1500000  12   Worker       10   app (10)  0    work
2000000  11   Main & only  10   app (10)  3    start;main;work
"
    );
    // Addresses count from that of the binary. Those of callers are one before their return. Where
    // the binary ends is not known, so that its last frame is used.
    let frames = "SELECT f.name, rel_pc, m.name AS binary, build_id, exact_offset AS exact, start, \
        \"end\", load_bias AS bias FROM stack_profile_frame f \
        JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY f.name";
    assert_eq!(
        trace.cells(frames),
        [
            [
                "main",
                "528",
                "/Applications/app",
                "0123456789abcdef0123456789abcdef",
                "268435456",
                "268435456",
                "268435985",
                "0"
            ],
            ["start", "28672", "", "", "0", "0", "-1", "0"],
            [
                "work",
                "288",
                "/Applications/app",
                "0123456789abcdef0123456789abcdef",
                "268435456",
                "268435456",
                "268435985",
                "0"
            ],
        ]
    );
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
    // A clock of the file alone.
    assert_eq!(kind_and_clock(&trace), ("instruments_xml".to_owned(), vec![vec!["11".to_owned()]]));
}

/// Signposts of Perfetto's recorder: at 1 ms of the export the boot time was 501 ms, and at 3 ms it
/// was 503 ms. A third goes backwards, and another is of an app.
const SIGNPOSTS: &str = r#"<node><schema name="os-signpost"></schema>
<row><event-time id="100">1000000</event-time><subsystem id="101">dev.perfetto.clock_sync</subsystem><os-log-metadata id="102"><uint64 id="103">501000000</uint64></os-log-metadata></row>
<row><event-time id="104">3000000</event-time><subsystem ref="101"/><os-log-metadata id="105"><uint64 id="106">503000000</uint64></os-log-metadata></row>
<row><event-time id="107">4000000</event-time><subsystem ref="101"/><os-log-metadata ref="102"/></row>
<row><event-time id="108">5000000</event-time><subsystem id="109">app</subsystem><os-log-metadata id="110"><uint64 id="111">9</uint64></os-log-metadata></row>
</node>"#;

fn with_signposts() -> String {
    EXPORT.replace("<trace-query-result>\n", &format!("<trace-query-result>\n{SIGNPOSTS}\n"))
}

#[test]
fn signposts_place_samples_on_the_timeline_of_a_trace() {
    let boottime = ClockSnapshot::new().clock(6, 400_000_000).clock(3, 400_000_000);
    let trace = recording()
        .packet(Packet::new().sequence(9).clock_snapshot(boottime))
        .packet(instant(501_500_000, "event"))
        .build();
    let merged = merged(&Archive::new().file("a.xml", with_signposts()).file("b.pftrace", trace));
    let times = "SELECT ts, tid FROM instruments_sample JOIN thread USING (utid) ORDER BY ts";
    assert_eq!(
        merged.cells(times),
        [["501000000", "11"], ["501500000", "12"], ["502000000", "11"]]
    );
    assert_eq!(merged.cells(EVENTS)[0][0], "501500000");
    let ties = "SELECT snapshot_id, clock_id, clock_value FROM clock_snapshot \
        WHERE clock_id = 11 ORDER BY id";
    assert_eq!(merged.cells(ties).len(), 2);
}

#[test]
fn signposts_alone_change_no_times() {
    let trace = Imported::file(with_signposts());
    assert_eq!(trace.cells(SAMPLES)[0][0], "1000000");
    assert_eq!(trace.cells(SAMPLES).len(), 3);
}

/// A library is loaded at 0x10000000. The inner frame is at 0x374 of it, in `add`, which is inlined
/// into `work`. The outer one returns to 0x38e, so that it is at 0x38d, in `run`.
#[test]
fn functions_of_apples_binaries() {
    let export = r#"<trace-query-result><node><row><sample-time id="1">5</sample-time>
<thread id="2" fmt="Main"><tid id="3">11</tid><process id="4" fmt="app"><pid id="5">10</pid></process></thread>
<backtrace id="6"><frame id="7" name="0x10000374" addr="0x10000374"><binary id="8" name="inlined.dylib"
UUID="4C4C44C7-5555-3144-A16D-1532F39FAB2B" load-addr="0x10000000" path="/usr/lib/inlined.dylib"/></frame>
<frame id="9" name="0x1000038e" addr="0x1000038e"><binary ref="8"/></frame></backtrace></row></node></trace-query-result>"#;
    let functions = |symbols: &[&str]| {
        let folder = testdata::folder().join("binaries");
        let symbols = symbols.iter().map(|name| folder.join(name)).collect();
        let options = ImportOptions { symbols, ..ImportOptions::default() };
        let trace = Imported::with(&[("trace", export.as_bytes())], options);
        trace.cells(
            "SELECT rel_pc, s.name, source_file, line_number FROM stack_profile_frame \
            JOIN stack_profile_symbol s USING (symbol_set_id) ORDER BY rel_pc, s.id",
        )
    };
    assert_eq!(
        functions(&["inlined.dylib", "inlined.dwarf"]),
        [
            ["884", "add", "/src/inlined.c", "4"],
            ["884", "work", "/src/inlined.c", "8"],
            ["909", "run", "/src/inlined.c", "13"],
        ]
    );
    // The symbol table has neither inlined functions nor lines.
    assert_eq!(
        functions(&["inlined.dylib"]),
        [["884", "work", "NULL", "NULL"], ["909", "run", "NULL", "NULL"]]
    );
}

#[test]
fn rows_that_lack_something_are_counted() {
    let row = |inside: &str| format!("<row><sample-time>1</sample-time>{inside}</row>");
    let stack = "<backtrace id=\"90\"><frame ref=\"77\"/></backtrace>";
    let rows = [
        row("<thread ref=\"2\"/>"),
        row(stack),
        row(&format!("<thread id=\"91\" fmt=\"a\"><tid id=\"92\">5</tid></thread>{stack}")),
        "<row><backtrace ref=\"8\"/></row>".to_owned(),
    ];
    let text = EXPORT.replace("</node>", &format!("{}</node>", rows.concat()));
    let trace = Imported::file(text);
    let lost = "SELECT name, value FROM stats WHERE value != 0 \
        AND (name LIKE 'instruments%' OR name = 'format_parse_errors') ORDER BY name";
    assert_eq!(
        trace.cells(lost),
        [
            ["format_parse_errors", "1"],
            ["instruments_row_missing_backtrace", "1"],
            ["instruments_row_missing_frame", "2"],
            ["instruments_row_missing_process", "1"],
            ["instruments_row_missing_thread", "1"],
        ]
    );
    assert_eq!(trace.cells(SAMPLES).len(), 3);
    assert_eq!(trace.cells(PLACES)[0][2], "a row has no time");
}

#[test]
fn damage_has_a_position_and_what_is_before_it_is_read() {
    let cut = EXPORT.split("<row><sample-time id=\"14\"").next().unwrap();
    let trace = Imported::file(cut);
    assert_eq!(trace.cells(SAMPLES).len(), 2);
    let places = [["format_parse_errors", "16", "the export ends within an element"]];
    assert_eq!(trace.cells(PLACES), places);
    let trace = Imported::file(EXPORT.replace("<core ref=\"6\"/>", "</core>"));
    assert_eq!(trace.cells(SAMPLES).len(), 1);
    assert_eq!(trace.cells(PLACES), [["format_parse_errors", "15", "this is no valid XML"]]);
    let message = refused(&[("a.xml", b"<trace-query-result>\n<row></wrong>")]);
    assert!(message.contains("a.xml: line 2, column "), "{message}");
    // An element in itself, without end.
    let deep = format!("<trace-query-result>{}", "<a>".repeat(100_000));
    let message = refused(&[("a.xml", deep.as_bytes())]);
    assert!(message.contains("elements nest deeper than 256 levels"), "{message}");
}
