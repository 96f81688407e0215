//! Files and output of `tpq merge`.

use insta::assert_snapshot;
use tpq_testkit::Archive;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};

use crate::command::{Folder, describe, run};
use crate::imported::{clocks, instant, recording};

const S: u64 = 1_000_000_000;

/// A recording of a device that was started at this wall time, with one event.
fn started(at: u64, event: &str) -> Vec<u8> {
    recording()
        .packet(clocks(&[(BOOTTIME, 10 * S), (REALTIME, (at + 10) * S)]))
        .packet(instant(11 * S, event))
        .build()
}

/// Two recordings of one boot.
fn same_boot() -> Folder {
    Folder::of(&[("a.pftrace", &started(1_000, "a")), ("b.pftrace", &started(1_000, "b"))])
}

/// A recording that is in a clock which nothing relates to the others.
fn unrelated() -> Vec<u8> {
    recording().packet(instant(5, "lost").clock(MONOTONIC)).packet(instant(6, "kept")).build()
}

fn manifest(entries: serde_json::Value) -> Vec<u8> {
    Archive::manifest_text(serde_json::json!({ "files": entries })).into()
}

const EVENTS: &str = "SELECT ts, name FROM slice ORDER BY ts, name";

fn events(folder: &Folder, file: &str) -> String {
    let output = folder.run(&["query", file, "-c", EVENTS, "--format", "csv"]);
    assert!(output.status.success(), "{}", describe(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The manifest that a run advises.
fn advice(output: &std::process::Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let start = text.find("{\"perfetto_manifest\"").unwrap();
    text[start..text.rfind("]}}").unwrap() + 3].to_owned()
}

#[test]
fn help() {
    assert_snapshot!(describe(&run(&["merge", "--help"])));
}

#[test]
fn one_boot() {
    let folder = same_boot();
    assert_snapshot!(folder.tell(&["merge", "-o", "both.tar", "b.pftrace", "a.pftrace"]));
    assert_eq!(folder.names(), ["a.pftrace", "b.pftrace", "both.tar"]);
    assert_snapshot!(events(&folder, "both.tar"), @r"
    ts,name
    11000000000,a
    11000000000,b
    ");
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let folder = same_boot();
    folder.run(&["merge", "-o", "one.tar", "a.pftrace", "b.pftrace"]);
    let now = std::fs::File::open(folder.path("a.pftrace")).unwrap();
    now.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    folder.run(&["merge", "-o", "two.tar", "a.pftrace", "b.pftrace"]);
    assert_eq!(folder.read("one.tar"), folder.read("two.tar"));
}

#[test]
fn files_of_one_name_and_a_hidden_one() {
    let folder = Folder::of(&[
        ("phone/trace.pftrace", &started(1_000, "phone")),
        ("watch/trace.pftrace", &started(1_000, "watch")),
        (".trace.pftrace", &started(1_000, "hidden")),
    ]);
    let files = ["phone/trace.pftrace", "watch/trace.pftrace", ".trace.pftrace"];
    assert_snapshot!(folder.tell(&[&["merge", "-o", "all.tar"], &files[..]].concat()));
    assert_eq!(events(&folder, "all.tar").lines().count(), 4);
}

/// The advice can be followed; then wall time places the file.
#[test]
fn wall_time_speaks_against_one_boot() {
    let folder =
        Folder::of(&[("a.pftrace", &started(1_000, "a")), ("b.pftrace", &started(9_000, "b"))]);
    let merge = ["merge", "-o", "both.tar", "a.pftrace", "b.pftrace"];
    let output = folder.run(&merge);
    assert_snapshot!("doubtful_boot", describe(&output));
    std::fs::write(folder.path("advice.json"), advice(&output)).unwrap();
    let advised = folder.tell(&[&merge[..], &["--manifest", "advice.json"]].concat());
    assert_snapshot!("doubtful_boot_settled", advised);
    assert_snapshot!(events(&folder, "both.tar"), @r"
    ts,name
    11000000000,a
    8011000000000,b
    ");
}

#[test]
fn nothing_is_written_when_strict_and_something_is_missing() {
    let folder = Folder::of(&[
        ("a.pftrace", &started(1_000, "a")),
        ("b.pftrace", &unrelated()),
        ("c.json", b"{\"traceEvents\": []}"),
        ("both.tar", b"what was here before"),
    ]);
    let merge = ["merge", "-o", "both.tar", "a.pftrace", "b.pftrace", "c.json"];
    assert_snapshot!(folder.tell(&[&merge[..], &["--strict"]].concat()));
    assert_eq!(folder.read("both.tar"), b"what was here before");
    assert_eq!(folder.names().len(), 4, "{:?}", folder.names());
    // Without, it is written all the same, and what is advised brings the lost event back.
    let output = folder.run(&merge);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(events(&folder, "both.tar"), "ts,name\n6,kept\n11000000000,a\n");
    std::fs::write(folder.path("advice.json"), advice(&output)).unwrap();
    folder.run(&[&merge[..], &["--manifest", "advice.json"]].concat());
    assert_eq!(events(&folder, "both.tar"), "ts,name\n5,lost\n6,kept\n11000000000,a\n");
}

#[test]
fn events_before_the_timeline_and_files_that_are_not_there() {
    let manifest = manifest(serde_json::json!([
        { "path": "a.pftrace" },
        { "path": "b.pftrace", "clocks": { "clock": "BOOTTIME", "offset_ns": -20_000_000_000_i64,
          "sync_to": { "file": "a.pftrace", "clock": "BOOTTIME" } } },
        { "path": "watch/c.pftrace", "machine": { "name": "watch" } },
    ]));
    let folder = same_boot();
    std::fs::write(folder.path("m.json"), manifest).unwrap();
    let merge = ["merge", "-o", "both.tar", "a.pftrace", "b.pftrace", "--manifest", "m.json"];
    assert_snapshot!(folder.tell(&merge));
    let strict = folder.run(&[&merge[..], &["--strict"]].concat());
    assert_eq!(strict.status.code(), Some(1));
}

#[test]
fn a_truncated_file_is_reported() {
    let mut cut = started(1_000, "b");
    cut.truncate(cut.len() - 3);
    let folder = Folder::of(&[("a.pftrace", &started(1_000, "a")), ("b.pftrace", &cut)]);
    assert_snapshot!(folder.tell(&["merge", "-o", "both.tar", "a.pftrace", "b.pftrace"]));
}

#[test]
fn bad_usage_is_reported_and_writes_nothing() {
    let folder = same_boot();
    std::fs::write(folder.path("m.json"), manifest(serde_json::json!([]))).unwrap();
    std::fs::write(folder.path("n.json"), manifest(serde_json::json!([]))).unwrap();
    std::fs::create_dir(folder.path("folder")).unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("no_output", &["a.pftrace", "b.pftrace"]),
        ("input_as_output", &["-o", "./a.pftrace", "a.pftrace", "b.pftrace"]),
        ("onto_a_folder", &["-o", "folder", "a.pftrace"]),
        ("metatrace_as_input", &["-o", "x.tar", "a.pftrace", "--metatrace", "a.pftrace"]),
        ("metatrace_as_output", &["-o", "x.tar", "a.pftrace", "--metatrace", "x.tar"]),
        ("twice", &["-o", "x.tar", "a.pftrace", "b.pftrace", "./a.pftrace"]),
        ("stdin", &["-o", "x.tar", "a.pftrace", "-"]),
        ("two_manifests", &["-o", "x.tar", "a.pftrace", "n.json", "--manifest", "m.json"]),
        ("two_manifests_among_files", &["-o", "x.tar", "a.pftrace", "n.json", "m.json"]),
    ];
    let mut all = String::new();
    for (name, arguments) in cases {
        let text = folder.tell(&[&["merge"], *arguments].concat());
        assert!(text.starts_with("exit code: 2"), "{name}: {text}");
        all.push_str(&format!("===== {name}\n{text}"));
    }
    assert_snapshot!(all);
    assert_eq!(folder.names(), ["a.pftrace", "b.pftrace", "folder", "m.json", "n.json"]);
}

#[test]
fn files_that_cannot_be_packed_are_reported_and_nothing_is_written() {
    let folder = same_boot();
    std::fs::write(folder.path("bad.json"), "{\"perfetto_manifest\": {}}").unwrap();
    std::fs::create_dir(folder.path("folder")).unwrap();
    std::fs::write(folder.path("empty"), "").unwrap();
    let before = folder.names();
    let cases: &[(&str, &[&str])] = &[
        ("missing", &["-o", "x.tar", "a.pftrace", "no.pftrace"]),
        ("folder", &["-o", "x.tar", "a.pftrace", "folder"]),
        ("empty", &["-o", "x.tar", "a.pftrace", "empty"]),
        ("no_manifest", &["-o", "x.tar", "a.pftrace", "--manifest", "b.pftrace"]),
        ("bad_manifest", &["-o", "x.tar", "a.pftrace", "--manifest", "bad.json"]),
        ("no_folder", &["-o", "no/x.tar", "a.pftrace"]),
    ];
    let mut all = String::new();
    for (name, arguments) in cases {
        let text = folder.tell(&[&["merge"], *arguments].concat());
        assert!(text.starts_with("exit code: 1"), "{name}: {text}");
        all.push_str(&format!("===== {name}\n{text}"));
    }
    let mut settings = insta::Settings::clone_current();
    let root = folder.path("folder").canonicalize().unwrap();
    settings.add_filter(&root.display().to_string(), "[folder]");
    settings.bind(|| assert_snapshot!(all));
    assert_eq!(folder.names(), before);
}
