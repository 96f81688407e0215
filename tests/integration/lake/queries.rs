//! `tpq query --lake` and `tpq shell --lake`.

use super::{err, lake, out, query};
use crate::command::{describe, feed, tpq};

const SUMS: &str = "SELECT count(*) AS n, sum(dur) AS dur FROM slice";

#[test]
fn statements_run_on_each_trace() {
    let folder = lake();
    let rows = "trace_path,trace_uuid,n,dur\na.pftrace,,2,3\nb.pftrace,,1,30\nc.pftrace,,3,15\n";
    // Ids are those of their trace.
    let joined = "SELECT utid, t.name, sum(dur) AS dur FROM slice JOIN thread_track t ON track_id = \
                  t.id JOIN thread USING (utid) GROUP BY utid";
    assert_eq!(without_uuids(&query(&folder, SUMS)), rows);
    let output = folder.run(&[
        "query",
        "-q",
        "--lake",
        "lake",
        "-c",
        joined,
        "--then",
        "SELECT trace_path, sum(dur) AS dur FROM results GROUP BY trace_path ORDER BY 1",
    ]);
    assert_eq!(
        out(&output),
        "trace_path,dur\na.pftrace,3\nb.pftrace,30\nc.pftrace,15\n",
        "{}",
        describe(&output)
    );
}

/// The text without UUIDs, which are made for traces that have none.
fn without_uuids(text: &str) -> String {
    let is_uuid = |cell: &str| cell.len() == 36 && cell.matches('-').count() == 4;
    let masked = |cell| if is_uuid(cell) { "" } else { cell };
    text.split(',').map(masked).collect::<Vec<_>>().join(",")
}

#[test]
fn traces_are_chosen_by_the_catalogue() {
    let folder = lake();
    let run = |filter: &str| {
        folder.run(&[
            "query",
            "-q",
            "--lake",
            "lake",
            "--where",
            filter,
            "--metadata",
            "device",
            "-c",
            SUMS,
        ])
    };
    let output = run("day = '2026-03-31' AND device LIKE '%raven'");
    assert_eq!(
        without_uuids(&out(&output)),
        "trace_path,trace_uuid,device,n,dur\nb.pftrace,,brand/raven,1,30\n",
        "{}",
        describe(&output)
    );
    let by_metadata = run("json_extract(metadata, '$.android_build_fingerprint') LIKE '%oriole%'");
    assert!(out(&by_metadata).contains("c.pftrace"), "{}", describe(&by_metadata));
    let none = run("day = '1999-01-01'");
    assert_eq!(none.status.code(), Some(1), "{}", describe(&none));
    assert!(err(&none).contains("the lake has no trace with day = '1999-01-01'"), "{}", err(&none));
    let wrong = run("nothing = 1");
    assert!(err(&wrong).contains("no column is called `nothing`"), "{}", describe(&wrong));
}

#[test]
fn tables_of_all_traces_are_relations() {
    let folder = lake();
    let sql = "SELECT device, count(*) AS n, sum(dur) AS dur FROM lake.slice GROUP BY device \
               ORDER BY device";
    assert_eq!(query(&folder, sql), "device,n,dur\nbrand/oriole,3,15\nbrand/raven,3,33\n");
    // Ids are paired with the trace.
    let sql = "SELECT s.trace_path, t.name, sum(s.dur) AS dur FROM lake.slice s JOIN lake.track t \
               ON s.trace_digest = t.trace_digest AND s.track_id = t.id GROUP BY 1, 2 ORDER BY 1";
    let rows = query(&folder, sql);
    assert_eq!(rows.lines().count(), 4, "{rows}");
    let sql = "SELECT trace_path, id, ts, dur FROM lake.slice WHERE dur > 4 ORDER BY dur";
    assert_eq!(
        query(&folder, sql),
        "trace_path,id,ts,dur\nc.pftrace,1,1000014,5\nc.pftrace,2,1000029,6\n\
         b.pftrace,0,1000000,30\n"
    );
    let first = query(&folder, "SELECT * FROM lake.slice LIMIT 1");
    assert!(
        first.starts_with("trace_path,trace_uuid,trace_digest,day,device,id,ts,dur,"),
        "{first}"
    );
    // A table with a column `device` of its own.
    let sql = "SELECT trace_device, device FROM lake.vulkan_memory_allocations";
    assert_eq!(query(&folder, sql), "trace_device,device\n");
}

#[test]
fn a_filter_on_the_catalogue_opens_no_other_files() {
    let folder = lake();
    let explain = |filter: &str| {
        query(&folder, &format!("EXPLAIN SELECT sum(dur) FROM lake.slice WHERE {filter}"))
    };
    for (filter, files) in [
        ("device = 'brand/oriole'", 1),
        ("day >= '2026-03-31' AND dur > 3", 2),
        ("trace_path IN ('a.pftrace', 'b.pftrace')", 2),
        ("dur > 3", 3),
        ("day = '1999-01-01'", 0),
    ] {
        let plan = explain(filter);
        assert_eq!(plan.matches(".parquet").count(), files, "{filter}: {plan}");
    }
    // And reads none: the others are gone.
    for file in super::parquet_files(&folder.path("lake/slice")) {
        if !file.to_string_lossy().contains("oriole") {
            std::fs::remove_file(file).unwrap();
        }
    }
    let sql = "SELECT sum(dur) AS dur FROM lake.slice WHERE device = 'brand/oriole'";
    assert_eq!(query(&folder, sql), "dur\n15\n");
    let lost = folder.run(&["query", "--lake", "lake", "-c", "SELECT sum(dur) FROM lake.slice"]);
    assert_eq!(lost.status.code(), Some(1), "{}", describe(&lost));
}

#[test]
fn tables_of_one_trace_and_of_all_do_not_mix() {
    let folder = lake();
    for sql in [
        "SELECT count(*) FROM lake.slice JOIN thread USING (name)",
        "SELECT extract_arg(1, 'debug.x') FROM lake.slice",
        "SELECT trace_start(), count(*) FROM lake.slice",
        "SELECT count(*) FROM lake.traces, slice",
    ] {
        let output = folder.run(&["query", "--lake", "lake", "-c", sql]);
        assert_eq!(output.status.code(), Some(1), "{sql}: {}", describe(&output));
        assert!(err(&output).contains("each trace has a table"), "{sql}: {}", describe(&output));
    }
    let unknown = folder.run(&["query", "--lake", "lake", "-c", "SELECT * FROM lake.nothing"]);
    assert!(err(&unknown).contains("lake.nothing"), "{}", describe(&unknown));
}

#[test]
fn a_shell_runs_statements_on_a_lake() {
    let folder = lake();
    let script = "CREATE PERFETTO TABLE longest AS SELECT max(dur) AS dur FROM slice;\n\
                  SELECT dur FROM longest;\nSELECT count(*) AS traces FROM lake.traces;\n";
    let mut command = tpq();
    command.args(["shell", "--lake"]).arg(folder.path("lake"));
    let output = feed(&mut command, &format!(".mode csv\n{script}"));
    assert!(output.status.success(), "{}", describe(&output));
    assert_eq!(
        without_uuids(&out(&output)),
        "trace_path,trace_uuid,dur\na.pftrace,,2\nb.pftrace,,30\nc.pftrace,,6\ntraces\n3\n",
        "{}",
        describe(&output)
    );
}
