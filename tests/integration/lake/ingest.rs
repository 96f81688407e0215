//! `tpq ingest`.

use super::{err, lake, out, parquet_files, query, trace, traces};
use crate::command::describe;

const TRACES: &str = "SELECT trace_path, recorded_at, day, device, dur, losses, \
                      json_extract(row_counts, '$.slice') AS slices FROM lake.traces";

#[test]
fn the_catalogue_has_a_row_for_each_trace() {
    let folder = lake();
    // From the first slice to the end of the last: 1 + 10 + 2, 30, and 4 + 10 + 5 + 10 + 6.
    assert_eq!(
        query(&folder, TRACES),
        "trace_path,recorded_at,day,device,dur,losses,slices\n\
         a.pftrace,2026-03-30T00:00:00Z,2026-03-30,brand/raven,13,0,2\n\
         b.pftrace,2026-03-31T00:00:00Z,2026-03-31,brand/raven,30,0,1\n\
         c.pftrace,2026-03-31T00:00:00Z,2026-03-31,brand/oriole,35,0,3\n"
    );
    // Partitioned by day and device.
    let path = "lake/slice/day=2026-03-31/device=brand_oriole";
    assert_eq!(parquet_files(&folder.path(path)).len(), 1);
    assert_eq!(parquet_files(&folder.path("lake/slice")).len(), 3);
}

#[test]
fn a_trace_is_ingested_once() {
    let folder = lake();
    std::fs::copy(folder.path("a.pftrace"), folder.path("copy.pftrace")).unwrap();
    let before = parquet_files(&folder.path("lake")).len();
    let output = folder.run(&["ingest", "a.pftrace", "copy.pftrace", "--lake", "lake"]);
    assert!(output.status.success(), "{}", describe(&output));
    assert_eq!(err(&output), "0 traces ingested, 2 in the lake already\n");
    assert_eq!(parquet_files(&folder.path("lake")).len(), before);

    // Two copies in one run are one trace too.
    let twice = traces();
    std::fs::copy(twice.path("a.pftrace"), twice.path("copy.pftrace")).unwrap();
    let output = twice.run(&["ingest", "a.pftrace", "copy.pftrace", "--lake", "lake"]);
    assert_eq!(err(&output), "1 traces ingested, 1 in the lake already\n", "{}", describe(&output));
    assert_eq!(query(&twice, "SELECT count(*) AS n FROM lake.slice"), "n\n2\n");
}

#[test]
fn a_trace_can_be_replaced() {
    let folder = lake();
    let output = folder.run(&["ingest", "a.pftrace", "--lake", "lake", "--replace"]);
    assert_eq!(err(&output), "0 traces ingested, 1 replaced\n", "{}", describe(&output));
    assert_eq!(query(&folder, "SELECT count(*) AS n FROM lake.slice"), "n\n6\n");
    assert_eq!(query(&folder, "SELECT count(*) AS n FROM lake.traces"), "n\n3\n");
}

#[test]
fn a_trace_that_fails_is_in_a_list() {
    let folder = traces();
    std::fs::write(folder.path("broken.pftrace"), "no trace at all").unwrap();
    let arguments = ["ingest", ".", "--lake", "lake"];
    let output = folder.run(&arguments);
    assert!(output.status.success(), "{}", describe(&output));
    let told = err(&output);
    assert!(told.contains("failed: ./broken.pftrace"), "{told}");
    assert!(told.contains("3 traces ingested, 1 failed"), "{told}");
    let failures = "SELECT trace_path, error LIKE '%broken%' AS named FROM lake.failures";
    assert_eq!(query(&folder, failures), "trace_path,named\n./broken.pftrace,1\n");

    let strict = folder.run(&["ingest", "broken.pftrace", "--lake", "lake", "--strict"]);
    assert_eq!(strict.status.code(), Some(1), "{}", describe(&strict));
    assert!(err(&strict).contains("error: broken.pftrace"), "{}", describe(&strict));
    let all = folder.run(&["ingest", "broken.pftrace", "--lake", "lake"]);
    assert_eq!(all.status.code(), Some(1), "{}", describe(&all));
}

#[test]
fn partitions_and_columns_are_chosen() {
    let folder = traces();
    let fingerprint = "android_build_fingerprint";
    let output = folder.run(&[
        "ingest",
        "a.pftrace",
        "b.pftrace",
        "--lake",
        "lake",
        "--partition",
        "day",
        "--metadata",
        fingerprint,
    ]);
    assert!(output.status.success(), "{}", describe(&output));
    assert_eq!(parquet_files(&folder.path("lake/slice/day=2026-03-30")).len(), 1);
    let sql = format!("SELECT day, {fingerprint} FROM lake.traces");
    let rows = "2026-03-30,brand/raven/x:1\n2026-03-31,brand/raven/x:1\n";
    assert_eq!(query(&folder, &sql), format!("day,{fingerprint}\n{rows}"));

    // A later ingest may add columns, and not change the partitions.
    let other = folder.run(&["ingest", "c.pftrace", "--lake", "lake", "--partition", "device"]);
    assert_eq!(other.status.code(), Some(1), "{}", describe(&other));
    assert!(err(&other).contains("partitioned by day, which cannot change"), "{}", err(&other));
    let more = folder.run(&["ingest", "c.pftrace", "--lake", "lake", "--metadata", "trace_type"]);
    assert!(more.status.success(), "{}", describe(&more));
    let sql = "SELECT trace_path, trace_type FROM lake.traces";
    assert_eq!(
        query(&folder, sql),
        "trace_path,trace_type\na.pftrace,\nb.pftrace,\nc.pftrace,proto\n"
    );
    let none = traces();
    let output = none.run(&["ingest", "a.pftrace", "--lake", "lake", "--partition", ""]);
    assert!(output.status.success(), "{}", describe(&output));
    let files = parquet_files(&none.path("lake/slice"));
    assert_eq!(files.iter().filter(|it| it.parent() == Some(&none.path("lake/slice"))).count(), 1);
}

#[test]
fn traces_without_a_day_or_a_device_have_partitions_too() {
    let folder = traces();
    let json = br#"[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"work"}]"#;
    std::fs::write(folder.path("d.json"), json).unwrap();
    let output = folder.run(&["ingest", "d.json", "a.pftrace", "--lake", "lake"]);
    assert!(output.status.success(), "{}", describe(&output));
    let none = "__HIVE_DEFAULT_PARTITION__";
    let path = format!("lake/slice/day={none}/device={none}");
    assert_eq!(parquet_files(&folder.path(&path)).len(), 1);
    let sql = "SELECT trace_path, name, dur FROM lake.slice WHERE day IS NULL";
    assert_eq!(query(&folder, sql), "trace_path,name,dur\nd.json,work,2000\n");
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let folder = traces();
    for (arguments, code, why) in [
        (&["ingest", "*.none", "--lake", "lake"][..], 2, "no file matches"),
        (&["ingest", "a.pftrace", "--lake", "nothing://x"], 1, "is not the address of a lake"),
        (&["ingest", "a.pftrace", "--lake", "lake", "--partition", "trace_path"], 1, "partitioned"),
        (&["query", "--lake", "absent", "-c", "SELECT 1"], 1, "there is no lake"),
        (&["lake", "list", "--lake", "absent"], 1, "there is no lake"),
        (&["query", "--where", "1", "a.pftrace", "-c", "SELECT 1"], 2, "--lake"),
        (&["query", "a.pftrace", "--lake", "lake", "-c", "SELECT 1"], 2, "cannot be used with"),
    ] {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", describe(&output));
        assert!(err(&output).contains(why), "{arguments:?}: {}", describe(&output));
    }
    assert!(!folder.path("absent").exists());
}

#[test]
fn many_jobs_within_little_memory_give_the_same_lake() {
    let folder = traces();
    for (lake, options) in
        [("lake", &["--jobs", "1"][..]), ("other", &["--jobs", "3", "--memory-limit", "48M"])]
    {
        let arguments = [&["ingest", ".", "--lake", lake][..], options].concat();
        // The lake is in the folder of its sources.
        let output = match lake {
            "lake" => folder.run(&arguments),
            _ => folder.run(
                &[&["ingest", "a.pftrace", "b.pftrace", "c.pftrace", "--lake", lake][..], options]
                    .concat(),
            ),
        };
        assert!(output.status.success(), "{}", describe(&output));
    }
    let sql = "SELECT trace_path, ts, dur, name FROM lake.slice";
    let other = folder.run(&["query", "-q", "--lake", "other", "-c", sql]);
    let first = query(&folder, sql).replace("./", "");
    assert_eq!(first, out(&other));
    assert_eq!(first.lines().count(), 7, "{first}");
}

#[test]
fn a_lake_can_have_any_name() {
    let folder = traces();
    let name = "a lake % of ä";
    let output = folder.run(&["ingest", "a.pftrace", "--lake", name]);
    assert!(output.status.success(), "{}", describe(&output));
    for sql in ["SELECT sum(dur) AS dur FROM lake.slice", "SELECT dur FROM slice WHERE dur = 2"] {
        let output = folder.run(&["query", "-q", "--lake", name, "-c", sql]);
        assert!(out(&output).lines().count() == 2, "{sql}: {}", describe(&output));
    }
}

#[test]
fn a_trace_that_grew_is_another_trace() {
    let folder = lake();
    std::fs::write(folder.path("a.pftrace"), trace(0, "raven", &[1, 2, 3])).unwrap();
    let output = folder.run(&["ingest", "a.pftrace", "--lake", "lake"]);
    assert_eq!(err(&output), "1 traces ingested\n", "{}", describe(&output));
    let sql = "SELECT count(*) AS n FROM lake.traces WHERE trace_path = 'a.pftrace'";
    assert_eq!(query(&folder, sql), "n\n2\n");
}

#[test]
fn the_error_that_ended_a_run_comes_before_that_of_the_list() {
    let folder = lake();
    std::fs::write(folder.path("broken.pftrace"), "no trace at all").unwrap();
    // The list cannot be written.
    std::fs::write(folder.path("lake/failures"), "no folder").unwrap();
    let strict = folder.run(&["ingest", "broken.pftrace", "--lake", "lake", "--strict"]);
    assert_eq!(strict.status.code(), Some(1), "{}", describe(&strict));
    assert!(err(&strict).contains("error: broken.pftrace"), "{}", describe(&strict));
    let all = folder.run(&["ingest", "broken.pftrace", "--lake", "lake"]);
    assert_eq!(all.status.code(), Some(1), "{}", describe(&all));
    assert!(err(&all).contains("lake/failures"), "{}", describe(&all));
}
