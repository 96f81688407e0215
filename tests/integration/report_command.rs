//! Reports of `tpq report`: the data in them, and when the file appears.

use insta::assert_snapshot;
use serde_json::Value;
use tpq_testkit::{Packet, TrackDescriptor, TrackEvent};

use crate::command::{Folder, describe, run};
use crate::imported::recording;

/// The data of a report.
fn data(html: &[u8]) -> Value {
    let html = std::str::from_utf8(html).unwrap();
    let start = "<script type=\"application/json\" id=\"report-data\">";
    let data = html.split_once(start).unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(data).unwrap()
}

/// The data of a report of traces of this repository.
fn report_of(arguments: &[&str]) -> Value {
    let output = run(&[&["report", "-q"], arguments].concat());
    assert!(output.status.success(), "{}", describe(&output));
    let mut data = data(&output.stdout);
    data["version"] = "[version]".into();
    data
}

#[test]
fn help() {
    assert_snapshot!(describe(&run(&["report", "--help"])));
}

#[test]
fn a_trace_of_the_scheduler() {
    assert_snapshot!(format!("{:#}", report_of(&["testdata/sched.pftrace"])));
}

#[test]
fn a_trace_of_slices_and_counters() {
    assert_snapshot!(format!("{:#}", report_of(&["testdata/track_events.pftrace"])));
}

#[test]
fn the_baseline_is_first() {
    let data = report_of(&["testdata/sched.pftrace", "--against", "testdata/losses.pftrace"]);
    assert_eq!(data["traces"][0]["name"], "losses.pftrace");
    assert_eq!(data["traces"][1]["name"], "sched.pftrace");
    assert_eq!(data["traces"][0]["health"]["state"], "lost");
}

#[test]
fn a_trace_without_anything_states_what_is_missing() {
    let folder = Folder::of(&[("empty.json", b"[]")]);
    let output = folder.run(&["report", "empty.json"]);
    assert!(output.status.success(), "{}", describe(&output));
    let trace = &data(&output.stdout)["traces"][0];
    for section in ["threads", "run_queue", "longest_slices", "flame_graph", "counters"] {
        let reason = trace[section]["missing"].as_str().unwrap_or_default();
        assert!(reason.starts_with("The trace has no "), "{section}: {}", trace[section]);
    }
}

#[test]
fn the_file_appears_when_it_is_complete() {
    let trace = std::fs::read(format!("{}/testdata/sched.pftrace", crate::ROOT)).unwrap();
    let folder = Folder::of(&[("a.pftrace", &trace)]);
    assert_snapshot!(folder.tell(&["report", "a.pftrace", "-o", "a.pftrace"]), @r"
    exit code: 2
    ----- stderr
    error: -o would overwrite a.pftrace
    ");
    let missing = folder.run(&["report", "a.pftrace", "--against", "b.pftrace", "-o", "r.html"]);
    assert_eq!(missing.status.code(), Some(1), "{}", describe(&missing));
    assert_eq!(folder.names(), ["a.pftrace"]);
    assert_snapshot!(folder.tell(&["report", "a.pftrace", "-o", "r.html"]), @"exit code: 0");
    assert!(folder.read("r.html").starts_with(b"<!doctype html>"));
    assert_eq!(folder.names(), ["a.pftrace", "r.html"]);
}

/// A name that would end the element of the data, if it were written as it is.
#[test]
fn names_are_data() {
    let name = "</script><script>alert(1)</script>";
    let begin = TrackEvent::begin(7).name(name);
    let event = |at, event| Packet::new().sequence(1).timestamp(at).track_event(event);
    let trace = recording()
        .packet(Packet::new().sequence(1).track_descriptor(TrackDescriptor::new(7).name("track")))
        .packets([event(1_000, begin), event(3_000, TrackEvent::end(7))])
        .build();
    let folder = Folder::of(&[("name.pftrace", &trace)]);
    let html = folder.run(&["report", "-q", "name.pftrace"]).stdout;
    assert_eq!(data(&html)["traces"][0]["longest_slices"]["rows"][0][0], name);
    assert_eq!(data(&html)["traces"][0]["flame_graph"]["tree"]["total"], 2_000);
}
