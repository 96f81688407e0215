//! The shapes a file may have, and where its time lies.

use tpq_testkit::{Archive, Packet, TraceBuilder, TrackDescriptor, TrackEvent};

use super::{SLICES, STATS};
use crate::imported::{Imported, merged};

const EVENT: &str = r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}"#;

#[test]
fn arrays_and_objects_hold_events() {
    let shapes = [
        format!("[{EVENT}]"),
        format!("[{EVENT},]"),
        format!("\u{feff}[\n{EVENT}"),
        format!("  {{\"traceEvents\":[{EVENT}]}}\n\n\0\0"),
        format!("{{\"other\":{{\"traceEvents\":[1,2]}},\"traceEvents\":[{EVENT}],\"x\":[1]}}"),
        format!("{{\"traceEvents\":[],\"traceEvents\":[{EVENT}]}}"),
    ];
    for shape in shapes {
        let trace = Imported::file(&shape);
        assert_eq!(trace.cells(SLICES), [["1000", "1000", "0", "a", "NULL"]], "{shape}");
        assert_eq!(trace.cells(STATS), [[""; 0]; 0], "{shape}");
    }
}

#[test]
fn a_file_without_events_is_empty() {
    let trace = Imported::file(r#"{"profile":{"threads":[]},"meta":1}"#);
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "0");
    assert_eq!(trace.cells(STATS), [[""; 0]; 0]);
}

#[test]
fn a_unit_to_display_times_changes_none() {
    let trace = Imported::file(format!(r#"{{"displayTimeUnit":"ns","traceEvents":[{EVENT}]}}"#));
    assert_eq!(trace.cell("SELECT ts FROM slice"), "1000");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                    value
    json_display_time_unit  1
    ");
}

#[test]
fn the_file_is_reported() {
    let trace = Imported::file(format!("[{EVENT}]"));
    let sql = "SELECT name, coalesce(str_value, CAST(int_value AS VARCHAR)) AS value FROM metadata \
        WHERE name != 'trace_uuid' ORDER BY name";
    insta::assert_snapshot!(trace.rows(sql), @r"
    name                 value
    trace_size_bytes     54
    trace_time_clock_id  11
    trace_type           json
    ");
    assert_eq!(trace.summary().format, "json");
}

#[test]
fn beside_a_trace_with_clocks_json_lies_where_the_manifest_says() {
    let packets = TraceBuilder::new()
        .packet(Packet::new().sequence(1).track_descriptor(TrackDescriptor::new(1).name("t")))
        .packet(
            Packet::new()
                .sequence(1)
                .timestamp(5_000)
                .track_event(TrackEvent::instant(1).name("p")),
        );
    let manifest = r#"{"perfetto_manifest":{"version":1,"files":[{"path":"a.pftrace"},
        {"path":"b.json","clocks":{"sync_to":{"file":"a.pftrace","clock":"BOOTTIME"},
        "offset_ns":2500}}]}}"#;
    let trace = merged(
        &Archive::new()
            .file("m", manifest.as_bytes())
            .file("a.pftrace", packets.build())
            .file("b.json", format!("[{EVENT}]").as_bytes()),
    );
    let sql = "SELECT ts, name FROM slice ORDER BY ts";
    insta::assert_snapshot!(trace.rows(sql), @r"
    ts    name
    3500  a
    5000  p
    ");
}

#[test]
fn many_events_pass_from_batch_to_batch() {
    let events: Vec<String> = (0..20_000)
        .rev()
        .map(|n| format!(r#"{{"ph":"X","pid":1,"tid":{},"ts":{n},"dur":0.5,"name":"n"}}"#, n % 7))
        .collect();
    let trace = Imported::file(format!("[{}]", events.join(",\n")));
    let sql = "SELECT count(*), min(ts), max(ts), sum(dur) FROM slice";
    assert_eq!(trace.cells(sql), [["20000", "0", "19999000", "10000000"]]);
}
