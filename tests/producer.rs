//! Traces recorded by Perfetto itself hold what the recorded program did.
//!
//! Needs `--features producer`, which compiles the recorder. Times and ids are those of the run,
//! so only what the program wrote is compared.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod rows;

use std::io::Write;
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;
use tpq::{ImportOptions, Trace};
use tpq_testkit::producer::sdk::{self, TrackEventDebugArg as Arg, TrackEventProtoField as Field};
use tpq_testkit::producer::tracing::{self, field::Empty, info, info_span};
use tpq_testkit::producer::{CATEGORY, DETAIL, Flow, Program, SILENT, record, record_tracing};

/// Records a program and imports what was recorded.
async fn recorded(program: impl FnOnce(&Program)) -> Trace {
    let mut file = NamedTempFile::with_suffix(".pftrace").unwrap();
    file.write_all(&record(program).unwrap()).unwrap();
    Trace::open(&[file.path()], ImportOptions::default()).await.unwrap()
}

/// Checks the rows of a query; cells are text, and NULL is empty.
#[track_caller]
fn assert_rows(rows: &rows::Rows, expected: &[&[&str]]) {
    let cells: Vec<Vec<&str>> = rows
        .cells
        .iter()
        .map(|row| row.iter().map(|cell| cell.as_deref().unwrap_or_default()).collect())
        .collect();
    assert_eq!(cells, expected);
}

/// Checks that neither the recorder nor the import counted a loss or an error. Packets
/// that a full buffer discards are not counted as `data_loss`, so they are checked by name.
async fn assert_nothing_lost(trace: &Trace) {
    let sql = "SELECT name, idx, value FROM stats WHERE severity = 'data_loss' AND value != 0";
    assert_rows(&rows::query(trace, sql).await.unwrap(), &[]);
    let sql = "SELECT name, idx, value FROM stats WHERE value != 0
               AND (severity = 'error' OR name = 'traced_buf_chunks_discarded')";
    assert_rows(&rows::query(trace, sql).await.unwrap(), &[]);
}

#[tokio::test]
async fn slices_nest_as_the_program_did() {
    let trace = recorded(|program| {
        program.slice("frame", || {
            program.slice("layout", || program.slice("measure", || {}));
            program.slice("paint", || program.instant("painted"));
        });
        program.slice("idle", || {});
    })
    .await;
    let sql = "SELECT s.name, s.category, s.depth, p.name, s.dur >= 0
               FROM slice s LEFT JOIN slice p ON s.parent_id = p.id ORDER BY s.id";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &["frame", "testkit", "0", "", "true"],
            &["layout", "testkit", "1", "frame", "true"],
            &["measure", "testkit", "2", "layout", "true"],
            &["paint", "testkit", "1", "frame", "true"],
            &["painted", "testkit", "2", "paint", "true"],
            &["idle", "testkit", "0", "", "true"],
        ],
    );
    let sql = "SELECT name FROM slice WHERE dur = 0 AND name = 'painted'";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["painted"]]);
    let sql = "SELECT c.name FROM slice c JOIN slice p ON c.parent_id = p.id
               WHERE c.ts < p.ts OR c.ts + c.dur > p.ts + p.dur";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[]);
    assert_nothing_lost(&trace).await;
}

#[tokio::test]
async fn threads_have_tracks_of_their_own() {
    let trace = recorded(|program| {
        program.slice("outside", || {
            thread::scope(|threads| {
                threads.spawn(|| program.slice("inside", || {}));
            });
        });
    })
    .await;
    let sql = "SELECT s.name, s.depth FROM slice s JOIN thread_track t ON s.track_id = t.id
               JOIN thread USING (utid) JOIN process USING (upid)
               WHERE pid = {pid} ORDER BY s.ts";
    let sql = sql.replace("{pid}", &std::process::id().to_string());
    let expected: &[&[&str]] = &[&["outside", "0"], &["inside", "0"]];
    assert_rows(&rows::query(&trace, &sql).await.unwrap(), expected);
    let sql = "SELECT count(DISTINCT track_id) FROM slice";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["2"]]);
    assert_nothing_lost(&trace).await;
}

#[tokio::test]
async fn counters_keep_every_value() {
    let trace = recorded(|program| {
        for value in [3, 0, -7, 1 << 40] {
            program.counter("queue length", value);
        }
        program.counter("open files", 12);
    })
    .await;
    let sql = "SELECT t.name, CAST(c.value AS BIGINT)
               FROM counter c JOIN counter_track t ON c.track_id = t.id ORDER BY c.ts, c.id";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &["queue length", "3"],
            &["queue length", "0"],
            &["queue length", "-7"],
            &["queue length", "1099511627776"],
            &["open files", "12"],
        ],
    );
    assert_nothing_lost(&trace).await;
}

#[tokio::test]
async fn flows_connect_slices() {
    let trace = recorded(|program| {
        program.slice_with_flow("send", Flow::Through(1), || {});
        thread::scope(|threads| {
            threads.spawn(|| program.slice_with_flow("forward", Flow::Through(1), || {}));
        });
        program.slice_with_flow("receive", Flow::Ends(1), || {});
        program.slice("unrelated", || {});
    })
    .await;
    let sql = "SELECT o.name, i.name FROM flow f JOIN slice o ON f.slice_out = o.id
               JOIN slice i ON f.slice_in = i.id ORDER BY o.ts";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[&["send", "forward"], &["forward", "receive"]],
    );
    assert_nothing_lost(&trace).await;
}

/// More events than one chunk of the recorder's buffer holds, and a packet that needs several.
#[tokio::test]
async fn recordings_of_many_chunks_are_whole() {
    const SLICES: usize = 2000;
    let long = "long ".repeat(2000);
    let trace = recorded(|program| {
        program.slice(&long, || {
            for _ in 0..SLICES {
                program.slice("step", || {});
            }
        });
    })
    .await;
    let sql = "SELECT name, count(*), min(depth), max(depth), min(dur) >= 0
               FROM slice GROUP BY name ORDER BY count(*)";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &[long.as_str(), "1", "0", "0", "true"],
            &["step", &SLICES.to_string(), "1", "1", "true"],
        ],
    );
    assert_nothing_lost(&trace).await;
}

/// The program says 10 MB and the recorder's buffer holds 4 MB. Missing events were discarded
/// by the full buffer, or dropped on the way to it when the service was slower than the program.
#[tokio::test]
async fn drops_of_a_full_buffer_are_counted() {
    let trace = recorded(|program| {
        let long = "long ".repeat(1000);
        for number in 0..2000 {
            program.instant(&format!("{number} {long}"));
        }
    })
    .await;
    let sql = "SELECT sum(value) > 0 FROM stats WHERE name IN
               ('traced_buf_chunks_discarded', 'traced_buf_trace_writer_packet_loss')";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["true"]]);
    let sql = "SELECT count(*) BETWEEN 1 AND 1999 FROM slice";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["true"]]);
}

/// Names and tracks are described anew: a second recording does not refer to the first.
#[tokio::test]
async fn recordings_stand_alone() {
    for value in ["7", "8"] {
        let trace = recorded(|program| {
            program.slice("same", || program.counter("same", value.parse().unwrap()));
        })
        .await;
        let sql = "SELECT s.name, t.name, CAST(c.value AS BIGINT)
                   FROM slice s, counter c JOIN counter_track t ON c.track_id = t.id";
        assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["same", "same", value]]);
        assert_nothing_lost(&trace).await;
    }
}

/// Args of all events: the event, key, type and value.
const ARGS: &str = "SELECT s.name, a.key, a.value_type, a.display_value FROM slice s
                    JOIN args a USING (arg_set_id) WHERE a.key LIKE 'debug.%'
                    ORDER BY s.id, a.id";

#[tokio::test]
async fn annotations_of_every_type_keep_type_and_value() {
    let trace = recorded(|program| {
        program.begin(CATEGORY, "whole", |event| {
            event
                .add_debug_arg("yes", Arg::Bool(true))
                .add_debug_arg("no", Arg::Bool(false))
                .add_debug_arg("most", Arg::Uint64(u64::MAX))
                .add_debug_arg("least", Arg::Int64(i64::MIN));
        });
        program.moment(DETAIL, "rest", |event| {
            event
                .add_debug_arg("real", Arg::Double(-0.125))
                .add_debug_arg("text", Arg::String("two words, ä"))
                .add_debug_arg("empty", Arg::String(""))
                .add_debug_arg("pointer", Arg::Pointer(0xdead_beef));
        });
        program.end(CATEGORY, |event| {
            event.add_debug_arg("ended", Arg::Bool(true));
        });
    })
    .await;
    assert_rows(
        &rows::query(&trace, ARGS).await.unwrap(),
        &[
            &["whole", "debug.yes", "bool", "true"],
            &["whole", "debug.no", "bool", "false"],
            // Shown with the sign that its bits have in a column of signed numbers.
            &["whole", "debug.most", "uint", "-1"],
            &["whole", "debug.least", "int", "-9223372036854775808"],
            &["whole", "debug.ended", "bool", "true"],
            &["rest", "debug.real", "real", "-0.125"],
            &["rest", "debug.text", "string", "two words, ä"],
            &["rest", "debug.empty", "string", ""],
            &["rest", "debug.pointer", "pointer", "0xdeadbeef"],
        ],
    );
    assert_nothing_lost(&trace).await;
}

/// Dictionaries and arrays within each other, which the recorder takes field by field.
#[tokio::test]
async fn annotations_may_nest() {
    // Fields of annotations, by number.
    const ANNOTATION: u32 = 4;
    const NAME: u32 = 10;
    const BOOL: u32 = 2;
    const INT: u32 = 4;
    const TEXT: u32 = 6;
    const ENTRY: u32 = 11;
    const ELEMENT: u32 = 12;
    let trace = recorded(|program| {
        program.moment(CATEGORY, "nested", |event| {
            let size = [Field::Cstr(NAME, "size"), Field::VarInt(INT, 42)];
            let inner = [Field::Cstr(NAME, "deep"), Field::VarInt(BOOL, 1)];
            let dict = [Field::Nested(ENTRY, &inner)];
            let list = [
                Field::Cstr(NAME, "list"),
                Field::Nested(ELEMENT, &[Field::Cstr(TEXT, "first")]),
                Field::Nested(ELEMENT, &[Field::VarInt(INT, -1_i64 as u64)]),
                Field::Nested(ELEMENT, &dict),
            ];
            let config = [
                Field::Cstr(NAME, "config"),
                Field::Nested(ENTRY, &size),
                Field::Nested(ENTRY, &list),
            ];
            let fields = [Field::Nested(ANNOTATION, &config)];
            event.set_proto_fields(&sdk::TrackEventProtoFields { fields: &fields });
        });
    })
    .await;
    let sql = "SELECT a.flat_key, a.key, a.value_type, a.display_value FROM slice s
               JOIN args a USING (arg_set_id) ORDER BY a.id";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &["debug.config.size", "debug.config.size", "int", "42"],
            &["debug.config.list", "debug.config.list[0]", "string", "first"],
            &["debug.config.list", "debug.config.list[1]", "int", "-1"],
            &["debug.config.list.deep", "debug.config.list[2].deep", "bool", "true"],
        ],
    );
    assert_nothing_lost(&trace).await;
}

/// An event may have several flows; a flow that ended begins anew; flows of one process may have
/// the numbers of those that all processes share.
#[tokio::test]
async fn every_flow_connects_what_it_should() {
    let own = sdk::TrackEventFlow::process_scoped_flow;
    let global = sdk::TrackEventFlow::global_flow;
    let trace = recorded(|program| {
        let moment = |name: &str, through: &[sdk::TrackEventFlow], ends: &[sdk::TrackEventFlow]| {
            program.moment(CATEGORY, name, |event| {
                for flow in through {
                    event.set_flow(flow);
                }
                for flow in ends {
                    event.set_terminating_flow(flow);
                }
            });
        };
        moment("a", &[own(1), own(2), global(1)], &[]);
        moment("b", &[], &[own(1)]);
        moment("c", &[own(2)], &[]);
        moment("d", &[own(1)], &[own(2)]);
        moment("e", &[], &[own(1), global(1)]);
        moment("f", &[own(2)], &[]);
    })
    .await;
    let sql = "SELECT o.name, i.name FROM flow f JOIN slice o ON f.slice_out = o.id
               JOIN slice i ON f.slice_in = i.id ORDER BY o.name, i.name";
    let expected: &[&[&str]] = &[&["a", "b"], &["a", "c"], &["a", "e"], &["c", "d"], &["d", "e"]];
    assert_rows(&rows::query(&trace, sql).await.unwrap(), expected);
    assert_nothing_lost(&trace).await;
}

/// Counters of one name under different parents are different counters.
#[tokio::test]
async fn counters_of_both_types_under_different_parents() {
    let trace = recorded(|program| {
        let process = sdk::TrackEventTrack::process_track_uuid();
        let parent = sdk::TrackEventTrack::register_named_track("disk", 0, process).unwrap();
        let counter = sdk::TrackEventTrack::register_counter_track;
        let (of_process, of_disk) =
            (counter("load", process).unwrap(), counter("load", parent.uuid()).unwrap());
        program.moment(CATEGORY, "seen", |event| {
            event.set_track(&parent);
        });
        for step in 0..10 {
            program.value(|event| {
                let value = sdk::TrackEventCounter::Double(f64::from(step) / 4.0);
                event.set_track(&of_process).set_counter(value);
            });
            program.value(|event| {
                let value = sdk::TrackEventCounter::Int64(-i64::from(step));
                event.set_track(&of_disk).set_counter(value);
            });
        }
    })
    .await;
    let sql = "SELECT t.name, p.name, count(*), min(c.value), max(c.value), sum(c.value)
               FROM counter c JOIN track t ON c.track_id = t.id LEFT JOIN track p ON t.parent_id = p.id
               GROUP BY t.id, t.name, p.name ORDER BY min(c.value)";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &["load", "disk", "10", "-9.0", "0.0", "-45.0"],
            &["load", "", "10", "0.0", "2.25", "11.25"],
        ],
    );
    assert_nothing_lost(&trace).await;
}

/// A request that goes from thread to thread lies on a track of its own, under that of all.
#[tokio::test]
async fn tracks_lie_under_their_parents() {
    let trace = recorded(|program| {
        let on = |event: &mut sdk::EventContext, id: u64, name: &str| {
            let tracks = [
                sdk::TrackEventNestedTrack::Process,
                sdk::TrackEventNestedTrack::Named("requests", 0),
                sdk::TrackEventNestedTrack::Named(name, id),
            ];
            event.set_nested_tracks(&sdk::TrackEventNestedTracks { tracks: &tracks });
        };
        program.begin(CATEGORY, "first", |event| on(event, 1, "one"));
        program.begin(CATEGORY, "second", |event| on(event, 2, "two"));
        thread::scope(|threads| {
            threads.spawn(|| {
                program.begin(CATEGORY, "part", |event| on(event, 1, "one"));
                program.end(CATEGORY, |event| on(event, 1, "one"));
                program.end(CATEGORY, |event| on(event, 1, "one"));
            });
        });
        program.end(CATEGORY, |event| on(event, 2, "two"));
    })
    .await;
    let sql = "SELECT s.name, s.depth, s.dur >= 0, t.name, p.name, p.parent_id IS NULL
               FROM slice s JOIN track t ON s.track_id = t.id JOIN track p ON t.parent_id = p.id
               ORDER BY s.name";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &["first", "0", "true", "one", "requests", "true"],
            &["part", "1", "true", "one", "requests", "true"],
            &["second", "0", "true", "two", "requests", "true"],
        ],
    );
    let sql = "SELECT t.name, pid FROM process_track t JOIN process USING (upid)
               WHERE t.name IS NOT NULL ORDER BY t.name";
    let pid = std::process::id().to_string();
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[&["one", &pid], &["requests", &pid], &["two", &pid]],
    );
    assert_nothing_lost(&trace).await;
}

#[tokio::test]
async fn only_categories_that_are_wanted() {
    let trace = recorded(|program| {
        for (category, name) in [(CATEGORY, "a"), (DETAIL, "b"), (SILENT, "c"), (DETAIL, "d")] {
            program.moment(category, name, |_| ());
        }
    })
    .await;
    let sql = "SELECT category, name FROM slice ORDER BY id";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[&["testkit", "a"], &["testkit.detail", "b"], &["testkit.detail", "d"]],
    );
    assert_nothing_lost(&trace).await;
}

/// The recorder writes a text once and then its number, unless it is configured not to.
#[tokio::test]
async fn names_are_the_same_interned_or_not() {
    const NAMES: usize = 500;
    let trace = recorded(|program| {
        for round in 0..4 {
            for number in 0..NAMES {
                program.moment(CATEGORY, &format!("name {number}"), |event| {
                    event.add_debug_arg(&format!("key {number}"), Arg::Int64(round));
                    if round % 2 == 1 {
                        event.set_no_intern();
                    }
                });
            }
        }
    })
    .await;
    let sql = "SELECT count(*), count(DISTINCT s.name), min(n), max(n), min(args), max(args)
               FROM (SELECT name, count(*) AS n, count(DISTINCT int_value) AS args FROM slice
                     JOIN args USING (arg_set_id)
                     WHERE key = replace(name, 'name ', 'debug.key ') GROUP BY name) s";
    let expected: &[&[&str]] = &[&["500", "500", "4", "4", "4", "4"]];
    assert_rows(&rows::query(&trace, sql).await.unwrap(), expected);
    assert_nothing_lost(&trace).await;
}

/// Programs may say when something happened.
#[tokio::test]
async fn times_that_are_given() {
    let start = sdk::TrackEventTimestamp::now();
    let start = Duration::from_nanos(start.timestamp());
    let trace = recorded(|program| {
        let at = |ns| sdk::TrackEventTimestamp::Boot(start + Duration::from_nanos(ns));
        program.begin(CATEGORY, "outer", |event| {
            event.set_timestamp(at(1));
        });
        program.begin(CATEGORY, "inner", |event| {
            event.set_timestamp(at(2_000));
        });
        program.end(CATEGORY, |event| {
            event.set_timestamp(at(3_500));
        });
        program.end(CATEGORY, |event| {
            event.set_timestamp(at(10_001));
        });
    })
    .await;
    let sql = format!("SELECT name, ts - {}, dur, depth FROM slice ORDER BY ts", start.as_nanos());
    assert_rows(
        &rows::query(&trace, &sql).await.unwrap(),
        &[&["outer", "1", "10000", "0"], &["inner", "2000", "1500", "1"]],
    );
    assert_nothing_lost(&trace).await;
}

/// Data of the crate `tracing`: spans with fields, some of them known later, spans
/// that are entered twice, and events.
#[tokio::test]
async fn spans_of_a_program_are_slices() {
    let file = NamedTempFile::with_suffix(".pftrace").unwrap();
    let bytes = record_tracing(|| {
        let request = info_span!("request", id = 7_u64, late = Empty, path = "/a b");
        request.in_scope(|| {
            info_span!("parse", ok = true).in_scope(|| {
                info!(name: "parsed", size = -3_i64, ratio = 0.5, text = ?Some(1));
            });
        });
        request.record("late", "now known");
        request.in_scope(|| info_span!("answer").in_scope(|| ()));
        let dispatch = tracing::dispatcher::get_default(Clone::clone);
        thread::scope(|threads| {
            threads.spawn(move || {
                tracing::dispatcher::with_default(&dispatch, || {
                    info_span!("elsewhere").in_scope(|| ());
                });
            });
        });
    });
    file.as_file().write_all(&bytes.unwrap()).unwrap();
    let trace = Trace::open(&[file.path()], ImportOptions::default()).await.unwrap();
    let sql = "SELECT s.name, s.category, s.depth, p.name, s.dur >= 0
               FROM slice s LEFT JOIN slice p ON s.parent_id = p.id ORDER BY s.ts, s.id";
    assert_rows(
        &rows::query(&trace, sql).await.unwrap(),
        &[
            &["request", "tracing", "0", "", "true"],
            &["parse", "tracing", "1", "request", "true"],
            &["parsed", "tracing", "2", "parse", "true"],
            &["request", "tracing", "0", "", "true"],
            &["answer", "tracing", "1", "request", "true"],
            &["elsewhere", "tracing", "0", "", "true"],
        ],
    );
    assert_rows(
        &rows::query(&trace, ARGS).await.unwrap(),
        &[
            &["request", "debug.id", "uint", "7"],
            &["request", "debug.path", "string", "/a b"],
            &["parse", "debug.ok", "bool", "true"],
            &["parsed", "debug.size", "int", "-3"],
            &["parsed", "debug.ratio", "real", "0.5"],
            &["parsed", "debug.text", "string", "Some(1)"],
            &["request", "debug.id", "uint", "7"],
            &["request", "debug.path", "string", "/a b"],
            &["request", "debug.late", "string", "now known"],
        ],
    );
    let sql = "SELECT count(DISTINCT track_id) FROM slice";
    assert_rows(&rows::query(&trace, sql).await.unwrap(), &[&["2"]]);
    assert_nothing_lost(&trace).await;
}
