//! Lakes with files that are missing or damaged: an error names the file and says what to do.

use std::path::PathBuf;

use tpq_testkit::{Annotation, Packet, TraceBuilder, TrackDescriptor, TrackEvent};

use super::{err, lake, out, parquet_files, query};
use crate::command::{Folder, describe, tpq};

const SUMS: &str = "SELECT count(dur) AS n, sum(dur) AS dur FROM slice";
const ALL: &str = "SELECT count(dur) AS n, sum(dur) AS dur FROM lake.slice";

/// What happens to a file.
type Damage = fn(&PathBuf);

const DAMAGES: [(&str, Damage); 3] = [
    ("missing", |file| std::fs::remove_file(file).unwrap()),
    ("cut", |file| {
        let bytes = std::fs::read(file).unwrap();
        std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("empty", |file| std::fs::write(file, "").unwrap()),
];

/// The file with the slices of the trace `c.pftrace`.
fn slices_of_c(folder: &Folder) -> PathBuf {
    let path = "lake/slice/day=2026-03-31/device=brand_oriole";
    let [file] = &parquet_files(&folder.path(path))[..] else { panic!("one trace") };
    file.clone()
}

#[test]
fn a_trace_without_its_file_fails_and_is_written_again() {
    for (damage, apply) in DAMAGES {
        let folder = lake();
        let file = slices_of_c(&folder);
        apply(&file);
        let name = file.file_name().unwrap().to_str().unwrap();
        let advice = "written again by tpq ingest --replace of its trace";
        // On each trace, the others go on.
        let each = folder.run(&["query", "--lake", "lake", "-c", SUMS]);
        assert!(each.status.success(), "{damage}: {}", describe(&each));
        assert_eq!(out(&each).lines().count(), 3, "{damage}: {}", describe(&each));
        let told = err(&each);
        for part in ["failed: c.pftrace: table slice of the lake: ", name, advice, "1 of 3 traces"]
        {
            assert!(told.contains(part), "{damage}: {part}: {told}");
        }
        let strict = folder.run(&["query", "--lake", "lake", "--strict", "-c", SUMS]);
        assert_eq!(strict.status.code(), Some(1), "{damage}: {}", describe(&strict));
        // Over all traces, there is no answer.
        let all = folder.run(&["query", "--lake", "lake", "-c", ALL]);
        assert_eq!(all.status.code(), Some(1), "{damage}: {}", describe(&all));
        for part in ["table slice of the lake: ", name, advice] {
            assert!(err(&all).contains(part), "{damage}: {part}: {}", err(&all));
        }
        // Other traces can be asked.
        let others = format!("{ALL} WHERE trace_path <> 'c.pftrace'");
        assert_eq!(query(&folder, &others), "n,dur\n3,33\n", "{damage}");
        let again = folder.run(&["ingest", "c.pftrace", "--lake", "lake", "--replace"]);
        assert!(again.status.success(), "{damage}: {}", describe(&again));
        assert_eq!(query(&folder, ALL), "n,dur\n6,48\n", "{damage}");
    }
}

#[test]
fn functions_that_look_up_rows_say_which_file_is_missing() {
    let packet = |at: u64| Packet::new().timestamp(at).sequence(1);
    let size = Annotation::named("size").uint(7);
    let begin = TrackEvent::begin(1).name("work").annotation(size);
    let trace = TraceBuilder::new()
        .packet(packet(1).track_descriptor(TrackDescriptor::new(1).thread(10, 11, "worker")))
        .packet(packet(5).track_event(begin))
        .packet(packet(9).track_event(TrackEvent::end(1)))
        .build();
    let folder = Folder::of(&[("a.pftrace", &trace)]);
    let output = folder.run(&["ingest", "a.pftrace", "--lake", "lake"]);
    assert!(output.status.success(), "{}", describe(&output));
    let sql = "SELECT extract_arg(arg_set_id, 'debug.size') AS size FROM slice";
    assert!(query(&folder, sql).ends_with(",7\n"));
    for file in parquet_files(&folder.path("lake/args")) {
        std::fs::remove_file(file).unwrap();
    }
    let output = folder.run(&["query", "--lake", "lake", "-c", sql]);
    assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
    let told = err(&output);
    assert!(told.contains("tpq ingest --replace") && told.contains(".parquet"), "{told}");
    assert!(told.contains("all 1 traces failed"), "{told}");
}

#[test]
fn a_damaged_catalogue_is_an_error() {
    for (damage, apply) in DAMAGES {
        let folder = lake();
        let files = parquet_files(&folder.path("lake/traces"));
        let name = files[0].file_name().unwrap().to_str().unwrap();
        apply(&files[0]);
        for command in [
            &["query", "--lake", "lake", "-c", SUMS][..],
            &["ingest", "a.pftrace", "--lake", "lake"],
            &["lake", "list", "--lake", "lake"],
            &["lake", "compact", "--lake", "lake"],
            &["lake", "vacuum", "--lake", "lake", "--older-than", "0h"],
        ] {
            let output = folder.run(command);
            assert_eq!(
                output.status.code(),
                Some(1),
                "{damage} {command:?}: {}",
                describe(&output)
            );
            let told = err(&output);
            for part in ["the catalogue of the lake is damaged", name, "restore this file"] {
                assert!(told.contains(part), "{damage} {command:?}: {part}: {told}");
            }
        }
    }
}

#[test]
fn a_damaged_log_is_an_error_of_one_line() {
    let folder = lake();
    let logs = |table: &str| folder.path(&format!("lake/{table}/_delta_log"));
    let first = "00000000000000000000.json";
    std::fs::write(logs("slice").join(first), "no log at all").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = tpq();
        command.current_dir(folder.path("")).env("RUST_BACKTRACE", "1").args(arguments);
        command.output().unwrap()
    };
    // The catalogue names the files, so queries need no other log.
    assert_eq!(query(&folder, ALL), "n,dur\n6,48\n");
    let ingest = run(&["ingest", "a.pftrace", "--lake", "lake", "--replace"]);
    assert_eq!(ingest.status.code(), Some(1), "{}", describe(&ingest));
    assert!(err(&ingest).contains("the log of table slice cannot be"), "{}", describe(&ingest));
    assert!(err(&ingest).contains("slice/_delta_log"), "{}", describe(&ingest));
    std::fs::write(logs("traces").join(first), "no log at all").unwrap();
    let query = run(&["query", "--lake", "lake", "-c", SUMS]);
    assert_eq!(query.status.code(), Some(1), "{}", describe(&query));
    assert!(err(&query).contains("the log of table traces cannot be"), "{}", describe(&query));
    assert_eq!(err(&query).lines().count(), 1, "{}", describe(&query));
}
