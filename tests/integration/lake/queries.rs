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

/// What EXPLAIN says of the scans in a plan: how much is read, and how much is not.
fn extents(plan: &str) -> Vec<&str> {
    let scans = plan.lines().filter_map(|line| line.split_once(", read="));
    scans.map(|(_, extents)| extents.trim_end_matches('"')).collect()
}

#[test]
fn a_plan_says_how_much_is_read_and_how_much_is_not() {
    let folder = lake();
    let bytes = |name: &str| -> u64 {
        let files = super::parquet_files(&folder.path("lake/slice"));
        let files = files.iter().filter(|file| file.to_string_lossy().contains(name));
        files.map(|file| file.metadata().unwrap().len()).sum()
    };
    let (all, oriole) = (bytes(""), bytes("oriole"));
    let explain = |filter: &str, options: &[&str]| {
        let sql = format!("EXPLAIN SELECT dur FROM lake.slice WHERE {filter} ORDER BY dur");
        let command = [&["query", "-q", "--lake", "lake", "-c", &sql][..], options].concat();
        out(&folder.run(&command))
    };
    let extent = |traces: u64, files: u64, bytes: u64| {
        format!("{{traces: {traces}, files: {files}, bytes: {bytes}}}")
    };
    for (filter, read, pruned) in [
        ("dur > 3", extent(3, 3, all), extent(0, 0, 0)),
        ("device = 'brand/oriole'", extent(1, 1, oriole), extent(2, 2, all - oriole)),
        ("device = 'brand/raven'", extent(2, 2, all - oriole), extent(1, 1, oriole)),
        ("day = '1999-01-01'", extent(0, 0, 0), extent(3, 3, all)),
    ] {
        let plan = explain(filter, &[]);
        assert_eq!(extents(&plan), [format!("{read}, pruned={pruned}")], "{filter}: {plan}");
    }
    // Traces that --where leaves out are pruned too.
    let plan = explain("dur > 3", &["--where", "device LIKE '%oriole'"]);
    let whole = format!("{}, pruned={}", extent(1, 1, oriole), extent(2, 2, all - oriole));
    assert_eq!(extents(&plan), [whole], "{plan}");
    // A statement without rows of any trace has none, and not an error.
    for sql in [
        "SELECT sum(dur) AS x FROM lake.slice WHERE day = '1999-01-01'",
        "SELECT count(*) AS x FROM lake.slice WHERE day = '1999-01-01'",
        "SELECT s.dur AS x FROM lake.slice s JOIN lake.track t ON s.track_id = t.id \
         WHERE s.day = '1999-01-01' ORDER BY 1 LIMIT 1",
        "SELECT name AS x FROM lake.slice WHERE day = '1999-01-01' GROUP BY name",
    ] {
        let rows = query(&folder, sql);
        let expected = match sql {
            sql if sql.contains("sum") => "x\n\"\"\n",
            sql if sql.contains("count") => "x\n0\n",
            _ => "x\n",
        };
        assert_eq!(rows, expected, "{sql}");
    }
}

#[test]
fn a_plan_over_compacted_files_counts_parts_of_them() {
    let folder = crate::command::Folder::of(&[]);
    for (name, durations) in [("a", &[1, 2][..]), ("b", &[30]), ("c", &[4, 5, 6])] {
        let name = format!("{name}.pftrace");
        std::fs::write(folder.path(&name), super::trace(0, "raven", durations)).unwrap();
    }
    let all = ["ingest", "a.pftrace", "b.pftrace", "c.pftrace", "--lake", "lake"];
    for command in [
        &all[..],
        &["lake", "compact", "--lake", "lake"],
        &["lake", "vacuum", "--lake", "lake", "--older-than", "0h"],
    ] {
        let output = folder.run(command);
        assert!(output.status.success(), "{}", describe(&output));
    }
    let [file] = &super::parquet_files(&folder.path("lake/slice"))[..] else { panic!() };
    let bytes = file.metadata().unwrap().len();
    let sql = "EXPLAIN SELECT dur FROM lake.slice WHERE trace_path = 'b.pftrace' ORDER BY dur";
    let plan = query(&folder, sql);
    // One row group of three, in the file that is read.
    let third = bytes / 3;
    let read = format!("{{traces: 1, files: 1, bytes: {third}}}");
    let pruned = format!("{{traces: 2, files: 0, bytes: {}}}", 2 * third);
    assert_eq!(extents(&plan), [format!("{read}, pruned={pruned}")], "{plan}");
}

#[test]
fn rows_over_all_traces_can_be_queried_again() {
    let folder = lake();
    let run = |sql: &str, then: &str, options: &[&str]| {
        let command = ["query", "-q", "--lake", "lake", "-c", sql, "--then", then];
        folder.run(&[&command[..], options].concat())
    };
    let text = |output: std::process::Output| {
        assert!(output.status.success(), "{}", describe(&output));
        out(&output)
    };
    // A statement over all traces, and one over its rows.
    let sums = "SELECT device, sum(dur) AS dur FROM lake.slice GROUP BY device";
    let all = "SELECT sum(dur) AS dur, count(*) AS n FROM results";
    assert_eq!(text(run(sums, all, &[])), "dur,n\n48,2\n");
    let none = "SELECT count(*) AS n FROM failures";
    assert_eq!(text(run(sums, none, &[])), "n\n0\n");
    assert_eq!(text(run(sums, all, &["--where", "device LIKE '%oriole'"])), "dur,n\n15,1\n");
    let least = "SELECT count(*) AS n FROM results WHERE dur > $least";
    assert_eq!(text(run(sums, least, &["--param", "least=20"])), "n\n1\n");
    // Rows of each trace, joined with the catalogue.
    let longest = "SELECT max(dur) AS longest FROM slice";
    let joined = "SELECT t.device, max(longest) AS longest FROM results r \
                  JOIN lake.traces t ON r.trace_path = t.trace_path GROUP BY 1 ORDER BY 1";
    let rows = "device,longest\nbrand/oriole,6\nbrand/raven,30\n";
    assert_eq!(text(run(longest, joined, &[])), rows);
    // Both.
    let shares = "SELECT r.device, count(*) AS n FROM results r JOIN lake.slice s USING (device) \
                  GROUP BY 1 ORDER BY 1";
    assert_eq!(text(run(sums, shares, &[])), "device,n\nbrand/oriole,3\nbrand/raven,3\n");

    let mixed = run(longest, "SELECT * FROM results, lake.traces, slice", &[]);
    assert_eq!(mixed.status.code(), Some(1), "{}", describe(&mixed));
    assert!(err(&mixed).contains("each trace has a table slice"), "{}", describe(&mixed));
    let several = format!("{sums}; {sums}");
    let several = run(&several, all, &[]);
    assert_eq!(several.status.code(), Some(2), "{}", describe(&several));
    assert!(err(&several).contains("several statements have rows"), "{}", describe(&several));
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
fn a_shell_on_a_lake_has_commands() {
    let folder = lake();
    let run = |script: &str| {
        let mut command = tpq();
        command.args(["shell", "--lake"]).arg(folder.path("lake"));
        feed(&mut command, script)
    };
    let text = |script: &str| {
        let output = run(script);
        assert!(output.status.success(), "{}", describe(&output));
        out(&output)
    };
    let tables = text(".tables *slice\n");
    let named = |name: &str| tables.split_whitespace().any(|word| word == name);
    assert!(named("slice") && named("sched_slice") && named("lake.slice"), "{tables}");
    let schema = text(".schema lake.slice\n");
    assert!(schema.starts_with("lake.slice  "), "{schema}");
    let is_digest = |line: &str| line.split_whitespace().eq(["trace_digest", "STRING"]);
    assert!(schema.lines().any(is_digest), "{schema}");
    assert!(text(".schema lake.traces\n").contains("recorded_at"), "{schema}");
    assert!(text(".help\n").contains(".traces"));
    let traces = text(".mode csv\n.traces\n");
    assert!(traces.starts_with("trace_path,recorded_at,device,dur,"), "{traces}");
    assert_eq!(traces.lines().count(), 4, "{traces}");
    // Parameters reach both kinds of statements.
    let script = ".mode csv\n.param set least 6\nSELECT dur FROM slice WHERE dur >= $least;\n\
                  SELECT dur FROM lake.slice WHERE dur > $least;\n";
    assert_eq!(
        without_uuids(&text(script)),
        "trace_path,trace_uuid,dur\nb.pftrace,,30\nc.pftrace,,6\ndur\n30\n"
    );
    for (script, why) in [
        (".output x.csv\n", "the shell on a lake has no command .output; .help lists them"),
        (".schema lake.nothing\n", "there is no table lake.nothing"),
        ("SELECT nothing FROM slice;\n", "nothing"),
        ("SELECT * FROM lake.nothing;\n", "lake.nothing"),
    ] {
        let output = run(script);
        assert_eq!(output.status.code(), Some(1), "{script}: {}", describe(&output));
        assert!(err(&output).contains(why), "{script}: {}", describe(&output));
    }
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
