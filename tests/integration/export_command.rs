//! Files of `tpq export` and their metadata.

use std::collections::BTreeMap;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionContext};

use crate::command::{Folder, describe};

const SCHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/sched.pftrace");
const EVENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/track_events.pftrace");

/// Exports to a folder and gives the names of its files.
fn export(arguments: &[&str]) -> (Folder, Vec<String>) {
    let folder = Folder::of(&[]);
    let output = folder.run(&[&["export", "-o", "out/", "-q"], arguments].concat());
    assert!(output.status.success(), "{}", describe(&output));
    assert!(output.stderr.is_empty(), "{}", describe(&output));
    let mut names: Vec<String> = std::fs::read_dir(folder.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    (folder, names)
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|found| found == name)
}

/// Rows of SQL on exported files, by another engine than tpq's session.
async fn rows(folder: &Folder, tables: &[&str], sql: &str) -> Vec<RecordBatch> {
    let context = SessionContext::new();
    for table in tables {
        let path = folder.path(&format!("out/{table}.parquet"));
        let path = path.to_str().unwrap();
        context.register_parquet(*table, path, ParquetReadOptions::default()).await.unwrap();
    }
    context.sql(sql).await.unwrap().collect().await.unwrap()
}

#[tokio::test]
async fn slices_join_threads_without_args() {
    let (folder, names) = export(&[EVENTS]);
    assert!(has(&names, "thread_track.parquet") && has(&names, "process_track.parquet"));
    assert!(!has(&names, "thread_state_track.parquet"), "it has no rows: {names:?}");
    let sql = "SELECT slice.id, slice.name AS slice, thread.name AS thread FROM slice \
               JOIN thread_track ON slice.track_id = thread_track.id \
               JOIN thread USING (utid) ORDER BY slice.id";
    let batches = rows(&folder, &["slice", "thread_track", "thread"], sql).await;
    let found = pretty_format_batches(&batches).unwrap().to_string();
    insta::assert_snapshot!(found, @r"
    +----+------------+--------+
    | id | slice      | thread |
    +----+------------+--------+
    | 0  | Load page  | main   |
    | 2  | Parse      | main   |
    | 3  | tick       | main   |
    | 4  | Post       | main   |
    | 5  | Handle     | io     |
    | 7  | Unfinished | io     |
    +----+------------+--------+
    ");
}

#[test]
fn views_are_exported_when_they_are_named() {
    let (folder, names) =
        export(&[SCHED, "--tables", "sched,thread_track,sched", "--format", "csv"]);
    assert_eq!(names, ["sched.csv", "thread_track.csv"]);
    let sched = folder.read("out/sched.csv");
    assert_eq!(String::from_utf8(sched).unwrap().lines().count(), 9);
    // It was asked for, so it is there.
    let empty = folder.read("out/thread_track.csv");
    assert_eq!(String::from_utf8(empty).unwrap().lines().count(), 1);
}

#[test]
fn all_views_are_those_that_have_rows() {
    let (_, tables) = export(&[EVENTS]);
    let (_, all) = export(&[EVENTS, "--all-views"]);
    assert!(tables.iter().all(|name| has(&all, name)), "{tables:?} {all:?}");
    let added: Vec<&String> = all.iter().filter(|name| !has(&tables, name)).collect();
    assert_eq!(added, ["counters.parquet", "instant.parquet", "slices.parquet"]);
}

#[test]
fn modules_add_their_tables_and_views() {
    let (_, tables) = export(&[EVENTS]);
    let (_, all) = export(&[EVENTS, "--module", "slices.with_context"]);
    let added: Vec<&String> = all.iter().filter(|name| !has(&tables, name)).collect();
    assert_eq!(
        added,
        ["process_slice.parquet", "thread_or_process_slice.parquet", "thread_slice.parquet"]
    );
    let some = ["--module", "slices.*", "--tables", "thread_slice", "--format", "csv.gz"];
    let (_, names) = export(&[&[EVENTS], &some[..]].concat());
    assert_eq!(names, ["thread_slice.csv.gz"]);
    let folder = Folder::of(&[]);
    let sql = "SELECT count(*) AS n FROM thread_slice";
    let query = ["export", EVENTS, "--module", "slices.with_context", "--query", sql, "-o", "-"];
    let output = folder.run(&query);
    assert!(output.stdout.starts_with(b"n\n"), "{}", describe(&output));
}

#[test]
fn unexportable_results_are_reported() {
    let folder = Folder::of(&[("file", b"")]);
    for (arguments, error) in [
        (&["--tables", "thread_slice"][..], "is in a module; add --module slices.with_context"),
        (&["--tables", "nothing"], "no table or view is called `nothing`"),
        (&["--module", "no.such"], "no module is called `no.such`"),
        (&["--format", "table"], "a table with borders is for people"),
        (&["-o", "x.parquet"], "x.parquet takes one table; name it with --tables"),
        (&["-o", "x.csv", "--tables", "sched,thread"], "x.csv takes one table"),
        (&["-o", "-"], "stdout takes one table"),
        (&["--all-views", "--tables", "sched"], "cannot be used with"),
    ] {
        let to_folder = if arguments.contains(&"-o") { &[][..] } else { &["-o", "out"] };
        let output = folder.run(&[&["export", SCHED], to_folder, arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", describe(&output));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(error), "{arguments:?}: {text}");
    }
    let onto_a_file = folder.run(&["export", SCHED, "-o", "file"]);
    assert_eq!(onto_a_file.status.code(), Some(2), "{}", describe(&onto_a_file));
    assert_eq!(folder.names(), ["file"]);
}

/// A mistyped extension creates no folder of that name.
#[test]
fn an_unknown_extension_is_an_error_and_names_no_folder() {
    let folder = Folder::of(&[]);
    let unknown = |name: &str| format!("the extension of {name} names no format; known extensions");
    for (name, arguments, advice) in [
        ("sched.cvs", &["--tables", "sched"][..], "pass --format, or end the name with / for a"),
        ("sched.cvs", &["--tables", "sched,thread"], "; or end the name with / for a folder"),
        ("out.d", &[], "; or end the name with / for a folder"),
    ] {
        let output = folder.run(&[&["export", SCHED, "-o", name], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", describe(&output));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(&unknown(name)) && text.contains(advice), "{arguments:?}: {text}");
        assert!(folder.names().is_empty(), "{arguments:?}: {:?}", folder.names());
    }
}

#[test]
fn a_folder_is_named_by_a_slash_or_exists_or_has_no_extension() {
    let folder = Folder::of(&[("exists.d/other", b"")]);
    let tables = ["--tables", "sched", "-q", "--format", "csv"];
    for name in ["new.d/", "exists.d", "plain", "known.csv/"] {
        let output = folder.run(&[&["export", SCHED, "-o", name], &tables[..]].concat());
        assert!(output.status.success(), "{name}: {}", describe(&output));
        assert!(folder.path(name).join("sched.csv").is_file(), "{name}");
    }
    // With a format, one table may go to a file of any name.
    let output = folder.run(&[&["export", SCHED, "-o", "file.cvs"], &tables[..]].concat());
    assert!(output.status.success(), "{}", describe(&output));
    assert!(folder.path("file.cvs").is_file());
}

/// The key-value metadata of a Parquet file, and the metadata of a column.
fn of_parquet(folder: &Folder, name: &str, column: &str) -> [BTreeMap<String, String>; 2] {
    let file = std::fs::File::open(folder.path(name)).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let entries = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let entries = entries.iter().filter(|entry| entry.key != "ARROW:schema");
    let entries = entries.map(|entry| (entry.key.clone(), entry.value.clone().unwrap()));
    let field = reader.schema().field_with_name(column).unwrap().metadata().clone();
    [entries.collect(), field.into_iter().collect()]
}

fn entries(of: &[(&str, &str)]) -> BTreeMap<String, String> {
    of.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

const VERSION: (&str, &str) = ("tpq.version", env!("CARGO_PKG_VERSION"));
const UNIT: (&str, &str) = ("tpq.time_unit", "ns");
const CLOCK: (&str, &str) = ("tpq.clock", "BOOTTIME");
const UUID: (&str, &str) = ("tpq.trace_uuid", "00112233-4455-6677-0899-aabbccddeeff");

#[test]
fn parquet_files_say_what_they_hold() {
    let (folder, _) = export(&[SCHED, "--tables", "sched_slice,counters"]);
    let [file, ts] = of_parquet(&folder, "out/sched_slice.parquet", "ts");
    for (key, value) in [VERSION, UNIT, CLOCK, UUID, ("tpq.table", "sched_slice")] {
        assert_eq!(file.get(key).map(String::as_str), Some(value), "{key}: {file:?}");
    }
    assert_eq!(
        file["tpq.column.utid"],
        "JOINID(thread.id): Thread that ran; join with `thread` on `utid`."
    );
    let columns = file.keys().filter(|key| key.starts_with("tpq.column.")).count();
    assert_eq!(columns, 8, "{file:?}");
    assert!(file["tpq.column.ts"].starts_with("TIMESTAMP: "), "{file:?}");
    let description = file["tpq.column.ts"].trim_start_matches("TIMESTAMP: ");
    let expected = [("description", description), ("tpq.type", "TIMESTAMP"), ("unit", "ns")];
    assert_eq!(ts, entries(&expected));
    let [view, unit] = of_parquet(&folder, "out/counters.parquet", "unit");
    assert_eq!(view["tpq.column.unit"], "STRING: Unit of the value.");
    let expected = [("description", "Unit of the value."), ("tpq.type", "STRING")];
    assert_eq!(unit, entries(&expected));
}

#[test]
fn results_say_which_trace_they_are_of() {
    let folder = Folder::of(&[]);
    let sql = "SELECT ts, dur FROM sched";
    for command in [["query", SCHED, "-c", sql], ["export", SCHED, "--query", sql]] {
        let output = folder.run(&[&command[..], &["-o", "x.parquet"]].concat());
        assert!(output.status.success(), "{}", describe(&output));
        let [file, _] = of_parquet(&folder, "x.parquet", "ts");
        assert_eq!(file, entries(&[VERSION, UNIT, CLOCK, UUID]), "{command:?}");
    }
}

#[test]
fn arrow_files_say_the_same() {
    let (folder, names) = export(&[SCHED, "--tables", "sched", "--format", "arrow"]);
    assert_eq!(names, ["sched.arrow"]);
    let file = std::fs::File::open(folder.path("out/sched.arrow")).unwrap();
    let schema = FileReader::try_new(file, None).unwrap().schema();
    for (key, value) in [VERSION, UNIT, CLOCK, UUID, ("tpq.table", "sched")] {
        assert_eq!(schema.metadata().get(key).map(String::as_str), Some(value), "{key}");
    }
    let dur = schema.field_with_name("dur").unwrap().metadata();
    assert_eq!((dur["tpq.type"].as_str(), dur["unit"].as_str()), ("DURATION", "ns"));
}
