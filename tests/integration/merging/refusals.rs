//! Every rule a manifest can break fails the import as a whole, and says which.

use serde_json::{Value, json};
use tpq_testkit::Archive;

use super::{clockless, left, right};
use crate::imported::{instant, recording, refused, refused_archive};

const NAMES: &str =
    "Use one of REALTIME, REALTIME_COARSE, MONOTONIC, MONOTONIC_COARSE, MONOTONIC_RAW, BOOTTIME";

/// The message for two devices with this manifest, without what all messages begin with.
fn message(fields: Value) -> String {
    let archive = Archive::new().file("left", left()).file("right", right()).manifest(fields);
    rule(&refused_archive(&archive))
}

/// The message for two devices of which the manifest says this.
fn of_files(files: Value) -> String {
    message(json!({ "files": files }))
}

/// The message for what a manifest says of the clocks of the left device.
fn of_clocks(clocks: Value) -> String {
    let message = of_files(json!([{ "path": "left", "clocks": clocks }, { "path": "right" }]));
    message.strip_prefix("entry of 'left': ").unwrap_or(&message).to_owned()
}

fn rule(message: &str) -> String {
    let start = "perfetto_manifest: merge.tar/manifest.json: ";
    message.strip_prefix(start).unwrap_or(message).to_owned()
}

#[test]
fn version() {
    let with = |version: &str| {
        let text = format!(r#"{{"perfetto_manifest": {{{version}}}}}"#);
        let archive = Archive::new().file("left", left()).file("manifest.json", text);
        rule(&refused_archive(&archive))
    };
    assert_eq!(with(""), r#"missing required field: version; write "version": 1"#);
    assert_eq!(with(r#""version": 2"#), "unsupported version: 2. Only version 1 is supported");
    assert_eq!(
        with(r#""version": 1, "files": ["#),
        "perfetto_manifest: merge.tar/manifest.json is not valid JSON: line 1, column 48: \
         expected value"
    );
}

#[test]
fn clock_names() {
    assert_eq!(
        message(json!({ "trace_time": { "clock": "UPTIME" } })),
        format!("trace_time.clock: unknown clock name: UPTIME. {NAMES}")
    );
    assert_eq!(
        of_clocks(json!({ "clock": "TSC", "sync_to": { "file": "right" } })),
        format!("clocks.clock: unknown clock name: TSC. {NAMES}")
    );
    assert_eq!(
        of_clocks(json!({ "sync_to": { "file": "right", "clock": "utc" } })),
        format!("clocks.sync_to.clock: unknown clock name: utc. {NAMES}")
    );
}

#[test]
fn several_manifests() {
    let archive = Archive::new().file("left", left()).manifest(json!({}));
    let second = archive.file("a.json", Archive::manifest_text(json!({})));
    assert_eq!(
        refused_archive(&second),
        "perfetto_manifest: multiple perfetto_manifest files in archive: \
         merge.tar/manifest.json and merge.tar/a.json; leave out all but one"
    );
}

#[test]
fn a_manifest_after_a_trace() {
    let mut stream = left();
    stream.extend(Archive::manifest_text(json!({})).into_bytes());
    let message = "perfetto_manifest: trace: a perfetto_manifest file must be the first trace \
                   file in the input; put it before the packets";
    assert_eq!(refused(&[("trace", &stream)]), message);
    assert_eq!(refused(&[("trace", &tpq_testkit::gzip(&stream))]), message);
    for between in ["\n\n", "\n ", "\r\n\r\n", " \n\t"] {
        let mut spaced = left();
        spaced.extend(format!("{between}{}", Archive::manifest_text(json!({}))).into_bytes());
        assert_eq!(refused(&[("trace", &spaced)]), message, "{between:?}");
    }
    // A line feed before it is also how a packet begins.
    let mut spaced = left();
    spaced.extend(format!("\n{}", Archive::manifest_text(json!({}))).into_bytes());
    assert_eq!(refused(&[("trace", &spaced)]), message);
}

#[test]
fn names_and_ids_of_machines() {
    let entry = |rest: Value| {
        let mut entry = json!({ "path": "left" });
        entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        of_files(json!([entry]))
    };
    assert_eq!(
        entry(json!({ "machine": { "name": "a" }, "machines": [{ "id": 1, "name": "b" }] })),
        "entry of 'left': machine and machines are mutually exclusive; write machine for a file \
         of one machine, machines for one that holds machine ids"
    );
    assert_eq!(
        entry(json!({ "machine": { "name": "" } })),
        "entry of 'left': machine: name must be non-empty"
    );
    assert_eq!(entry(json!({ "machine": {} })), "entry of 'left': machine: name must be non-empty");
    for id in [json!(-1), json!(4_294_967_296_i64), json!(1.5), json!("1")] {
        assert_eq!(
            entry(json!({ "machines": [{ "id": id, "name": "a" }] })),
            format!("entry of 'left': machines: id must be in [0, 4294967295], not {id}")
        );
    }
}

#[test]
fn a_packet_of_a_machine_that_is_not_listed() {
    let relay = recording().packet(instant(5, "host")).packet(instant(6, "guest").machine(7));
    let archive = Archive::new().file("relay", relay.build()).manifest(json!({
        "files": [{ "path": "relay", "machines": [{ "id": 0, "name": "host" }] }]
    }));
    assert_eq!(
        refused_archive(&archive),
        "perfetto_manifest: merge.tar/relay: undeclared machine id 7; list it in the machines \
         of the file's entry"
    );
}

/// One name or one clock cannot hold for several machines.
#[test]
fn overrides_of_a_file_with_several_machines() {
    let relay = recording().packet(instant(5, "host")).packet(instant(6, "guest").machine(7));
    let refused = |entry: Value| {
        let archive = Archive::new().file("relay", relay.clone().build()).file("left", left());
        let files = json!({ "files": [entry, { "path": "left" }] });
        let message = refused_archive(&archive.manifest(files));
        message.strip_prefix("perfetto_manifest: merge.tar/relay: ").unwrap_or(&message).to_owned()
    };
    assert_eq!(
        refused(json!({ "path": "relay", "machine": { "name": "all" } })),
        "machine attributes the file to one machine, but the file contains packets from multiple \
         machines; name each of them in machines instead, as [{\"id\": 0, \"name\": \"phone\"}, \
         {\"id\": 7, \"name\": \"vm\"}]"
    );
    let clocks = json!({ "clock": "BOOTTIME", "sync_to": { "file": "left", "clock": "BOOTTIME" } });
    assert_eq!(
        refused(json!({ "path": "relay", "clocks": clocks })),
        "clocks applies to a file of one machine, but the file contains packets from multiple \
         machines; name them in machines, and the one that has the clock in clocks.machine"
    );
}

#[test]
fn references_to_clocks() {
    assert_eq!(of_clocks(json!({ "clock": "BOOTTIME" })), "clocks: a sync_to block is required");
    assert_eq!(of_clocks(json!({ "sync_to": {} })), "clocks: sync_to.file is required");
    assert_eq!(
        of_clocks(json!({ "sync_to": { "file": "centre" } })),
        "clocks: sync_to.file names unknown file 'centre'. It must match the path of an entry \
         in the files array"
    );
    assert_eq!(
        of_clocks(json!({ "sync_to": { "machine": "right" } })),
        "clocks: sync_to.machine: a machine name alone is ambiguous; name the file too"
    );
    assert_eq!(
        message(json!({ "trace_time": { "clock": "BOOTTIME", "machine": "left" } })),
        "trace_time.machine: a machine name alone is ambiguous; name the file too"
    );
    assert_eq!(
        message(json!({ "trace_time": { "clock": "BOOTTIME", "file": "left" } })),
        "trace_time.file names unknown file 'left'. It must match the path of an entry in the \
         files array"
    );
}

#[test]
fn which_machine_of_a_file_with_several() {
    let relay = json!([{ "id": 0, "name": "host" }, { "id": 7, "name": "guest" }]);
    let boottime = |file| json!({ "file": file, "clock": "BOOTTIME" });
    assert_eq!(
        of_files(json!([
            { "path": "left", "machines": relay },
            { "path": "right", "clocks": { "clock": "BOOTTIME", "sync_to": boottime("left") } },
        ])),
        "entry of 'right': clocks: sync_to.file: 'left' is a multi-machine trace; also name the \
         machine"
    );
    assert_eq!(
        of_files(json!([
            { "path": "left", "machines": relay,
              "clocks": { "clock": "BOOTTIME", "sync_to": boottime("right") } },
            { "path": "right" },
        ])),
        "entry of 'left': clocks: file 'left' is a multi-machine trace; name which machine the \
         clock is on, in clocks.machine"
    );
    let unknown = json!({ "file": "left", "machine": "vm", "clock": "BOOTTIME" });
    assert_eq!(
        of_files(json!([
            { "path": "left", "machines": relay },
            { "path": "right", "clocks": { "clock": "BOOTTIME", "sync_to": unknown } },
        ])),
        "entry of 'right': clocks: sync_to.machine: 'vm' is not a machine declared by file \
         'left'"
    );
    assert_eq!(
        message(json!({
            "trace_time": { "clock": "BOOTTIME", "file": "left" },
            "files": [{ "path": "left", "machines": relay }],
        })),
        "trace_time.file: 'left' is a multi-machine trace; also name the machine"
    );
}

#[test]
fn offsets() {
    let offset = |offset: &str| {
        let text = format!(
            r#"{{"perfetto_manifest": {{"version": 1, "files": [{{"path": "left", "clocks":
            {{"clock": "BOOTTIME", "sync_to": {{"file": "right", "clock": "BOOTTIME"}},
            "offset_ns": {offset}}}}}, {{"path": "right"}}]}}}}"#
        );
        let archive = Archive::new().file("left", left()).file("right", right());
        rule(&refused_archive(&archive.file("manifest.json", text)))
    };
    for wrong in ["1.5", "\"5\"", "true", "null"] {
        assert_eq!(
            offset(wrong),
            "entry of 'left': clocks: offset_ns must be an integer",
            "{wrong}"
        );
    }
    for large in ["9223372036854775808", "-9223372036854775809", "1e30"] {
        assert_eq!(
            offset(large),
            "entry of 'left': clocks: offset_ns is out of range; it must be between \
             -9223372036854775807 and 9223372036854775807",
            "{large}"
        );
    }
}

#[test]
fn attributes() {
    assert_eq!(
        message(json!({ "attributes": ["a"] })),
        "attributes must be an object of string or integer values"
    );
    for value in [json!(1.5), json!(true), json!(null), json!([]), json!(u64::MAX)] {
        assert_eq!(
            message(json!({ "attributes": { "key": value } })),
            "attributes: 'key' must be a string or an integer that fits 64 bits",
            "{value}"
        );
    }
    assert_eq!(message(json!({ "attributes": { "": 1 } })), "attributes: keys must be non-empty");
}

/// A file that reads its clocks has clocks, whatever a manifest says.
#[test]
fn a_pin_on_a_file_with_clocks() {
    let archive = Archive::new().file("app", clockless()).file("left", left()).manifest(json!({
        "files": [{ "path": "app" },
                  { "path": "left", "clocks": { "sync_to": { "file": "app" } } }]
    }));
    assert_eq!(
        refused_archive(&archive),
        "perfetto_manifest: merge.tar/left: clock overrides require the trace to use a single \
         clock, and this one has clock snapshots; name one of its clocks in clocks.clock"
    );
}

#[test]
fn entries_that_are_no_trace() {
    assert_eq!(
        of_files(json!([{ "path": "manifest.json" }])),
        "entry of 'manifest.json': it names the manifest itself; name a trace"
    );
    let inner = Archive::new().file("x", clockless()).tar();
    let archive = Archive::new().file("left", left()).file("inner.tar", inner);
    assert_eq!(
        rule(&refused_archive(&archive.manifest(json!({ "files": [{ "path": "inner.tar" }] })))),
        "entry of 'inner.tar': it names an archive; name a trace"
    );
    assert_eq!(
        of_files(json!([{ "path": "left" }, { "path": "./left" }])),
        "entry of './left': the file has more than one entry in files; write one for each file"
    );
}
