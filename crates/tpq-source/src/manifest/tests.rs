use serde_json::json;

use super::*;

fn parse(text: &str) -> Result<Manifest, ManifestError> {
    Manifest::parse(text.as_bytes(), "m.json").map(|(manifest, _)| manifest)
}

/// Parses the manifest with this body.
fn body(body: serde_json::Value) -> Result<Manifest, ManifestError> {
    parse(&json!({ "perfetto_manifest": body }).to_string())
}

/// The error of a manifest with these additional fields.
fn refused(fields: serde_json::Value) -> String {
    let mut all = json!({ "version": 1 });
    all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body(all).unwrap_err().to_string()
}

/// The error of a manifest with these files.
fn refused_files(files: serde_json::Value) -> String {
    refused(json!({ "files": files }))
}

#[test]
fn every_field_is_read() {
    let manifest = body(json!({
        "version": 1,
        "trace_time": { "clock": "REALTIME", "file": "relay", "machine": "vm" },
        "files": [
            { "path": "phone", "machine": { "name": "pixel" } },
            { "path": "relay", "machines": [{ "id": 0, "name": "host" },
                                            { "id": 4_294_967_295_u32, "name": "vm" }],
              "clocks": { "clock": "MONOTONIC_RAW", "machine": "host",
                          "sync_to": { "file": "phone", "machine": "pixel",
                                       "clock": "BOOTTIME" },
                          "offset_ns": -5 } },
            { "path": "app.json",
              "clocks": { "sync_to": { "file": "relay", "machine": "vm" } } },
        ],
        "attributes": { "run": 42, "build": "r1" },
        "later": { "is": ["ignored"] },
    }))
    .unwrap();
    assert_eq!(manifest.shown(), "m.json");
    let trace_time = TraceTime {
        clock: ClockName::Realtime,
        file: Some("relay".to_owned()),
        machine: Some("vm".to_owned()),
    };
    assert_eq!(manifest.trace_time, Some(trace_time));
    let phone = manifest.file("phone").unwrap();
    assert_eq!(phone.machine.as_deref(), Some("pixel"));
    assert!(!phone.is_multi_machine() && phone.declares("pixel") && !phone.declares("vm"));
    let relay = manifest.file("./relay").unwrap();
    assert_eq!(relay.machines, [(0, "host".to_owned()), (u32::MAX, "vm".to_owned())]);
    assert!(relay.is_multi_machine() && relay.declares("vm"));
    let clocks = ManifestClocks {
        clock: Some(ClockName::MonotonicRaw),
        machine: Some("host".to_owned()),
        to_file: "phone".to_owned(),
        to_machine: Some("pixel".to_owned()),
        to_clock: Some(ClockName::Boottime),
        offset_ns: -5,
    };
    assert_eq!(relay.clocks, Some(clocks));
    let clocks = manifest.file("app.json").unwrap().clocks.clone().unwrap();
    assert_eq!((clocks.clock, clocks.to_clock, clocks.offset_ns), (None, None, 0));
    assert_eq!(manifest.file("other"), None);
    let mut attributes = manifest.attributes.clone();
    attributes.sort_by(|a, b| a.0.cmp(&b.0));
    let build = ("build".to_owned(), Attribute::Text("r1".to_owned()));
    assert_eq!(attributes, [build, ("run".to_owned(), Attribute::Int(42))]);
}

#[test]
fn almost_nothing_is_required() {
    let manifest = body(json!({ "version": 1 })).unwrap();
    assert_eq!((manifest.trace_time, manifest.files.len()), (None, 0));
    assert!(manifest.attributes.is_empty());
    assert!(body(json!({ "version": 1, "files": [{ "path": "a", "machines": [] }] })).is_ok());
}

#[test]
fn clocks_have_the_ids_of_packets() {
    for (id, clock) in (1..).zip(ClockName::ALL) {
        assert_eq!(clock.id(), id);
        assert_eq!(ClockName::named(clock.name()), Some(clock));
    }
}

#[test]
fn the_last_of_equal_attributes_wins() {
    let manifest = parse(
        r#"{"perfetto_manifest": {"version": 1, "attributes": {"a": 1, "b": "x", "a": "2"}}}"#,
    )
    .unwrap();
    assert_eq!(manifest.attributes.len(), 2);
    assert!(manifest.attributes.contains(&("a".to_owned(), Attribute::Text("2".to_owned()))));
}

#[test]
fn json_errors_name_their_position() {
    let message = parse("{\"perfetto_manifest\": {\n  \"version\": 1,\n  files\n}}").unwrap_err();
    assert_eq!(
        message.to_string(),
        "perfetto_manifest: m.json is not valid JSON: line 3, column 3: key must be a string"
    );
    let message = parse("{\"perfetto_manifest\": {\"version\": 1").unwrap_err();
    assert_eq!(
        message.to_string(),
        "perfetto_manifest: m.json is not valid JSON: line 1, column 35: EOF while parsing an \
         object"
    );
    let deep = format!("{{\"perfetto_manifest\": {}", "[".repeat(100_000));
    assert!(parse(&deep).unwrap_err().to_string().contains("recursion limit exceeded"));
}

#[test]
fn a_document_that_is_too_long_is_refused() {
    let endless = format!("{{\"perfetto_manifest\": \"{}", "a".repeat(17 << 20));
    assert_eq!(
        parse(&endless).unwrap_err().to_string(),
        "perfetto_manifest: m.json: the document is longer than 16777216 bytes"
    );
}

#[test]
fn versions() {
    assert_eq!(
        body(json!({})).unwrap_err().to_string(),
        "perfetto_manifest: m.json: missing required field: version; write \"version\": 1"
    );
    for version in ["2", "0", "1.5", "\"1\"", "null", "true"] {
        let text = format!("{{\"perfetto_manifest\": {{\"version\": {version}}}}}");
        assert_eq!(
            parse(&text).unwrap_err().to_string(),
            format!(
                "perfetto_manifest: m.json: unsupported version: {version}. Only version 1 is \
                 supported"
            )
        );
    }
}

#[test]
fn clock_names() {
    let clocks = "Use one of REALTIME, REALTIME_COARSE, MONOTONIC, MONOTONIC_COARSE, \
                  MONOTONIC_RAW, BOOTTIME";
    assert_eq!(
        refused(json!({ "trace_time": { "clock": "BOOTIME" } })),
        format!(
            "perfetto_manifest: m.json: trace_time.clock: unknown clock name: BOOTIME. {clocks}"
        )
    );
    assert_eq!(
        refused_files(json!([{ "path": "a", "clocks": { "clock": "boottime" } }])),
        format!(
            "perfetto_manifest: m.json: entry of 'a': clocks.clock: unknown clock name: \
             boottime. {clocks}"
        )
    );
    let sync_to = json!({ "file": "a", "clock": "" });
    assert_eq!(
        refused_files(json!([{ "path": "a", "clocks": { "sync_to": sync_to } }])),
        format!(
            "perfetto_manifest: m.json: entry of 'a': clocks.sync_to.clock: unknown clock name: \
             . {clocks}"
        )
    );
}

#[test]
fn trace_time() {
    let files = json!([
        { "path": "a", "machine": { "name": "m" } },
        { "path": "b", "machines": [{ "id": 1, "name": "n" }] },
    ]);
    let cases = [
        (json!({}), "trace_time.clock is required"),
        (
            json!({ "clock": "BOOTTIME", "machine": "m" }),
            "trace_time.machine: a machine name alone is ambiguous; name the file too",
        ),
        (
            json!({ "clock": "BOOTTIME", "file": "c" }),
            "trace_time.file names unknown file 'c'. It must match the path of an entry in the \
             files array",
        ),
        (
            json!({ "clock": "BOOTTIME", "file": "b" }),
            "trace_time.file: 'b' is a multi-machine trace; also name the machine",
        ),
        (
            json!({ "clock": "BOOTTIME", "file": "a", "machine": "n" }),
            "trace_time.machine: 'n' is not a machine declared by file 'a'",
        ),
    ];
    for (trace_time, message) in cases {
        assert_eq!(
            refused(json!({ "trace_time": trace_time, "files": files })),
            format!("perfetto_manifest: m.json: {message}")
        );
    }
}

#[test]
fn machines() {
    let cases = [
        (
            json!({ "machine": { "name": "a" }, "machines": [] }),
            "machine and machines are mutually exclusive; write machine for a file of one machine, \
             machines for one that holds machine ids",
        ),
        (json!({ "machine": { "name": "" } }), "machine: name must be non-empty"),
        (json!({ "machine": {} }), "machine: name must be non-empty"),
        (
            json!({ "machines": [{ "id": 1, "name": "" }] }),
            "machines[0]: machine: name must be non-empty",
        ),
        (json!({ "machines": [{ "id": 1 }] }), "machines[0]: machine: name must be non-empty"),
        (
            json!({ "machines": [{ "id": -1, "name": "a" }] }),
            "machines: id must be in [0, 4294967295], not -1",
        ),
        (
            json!({ "machines": [{ "id": 4_294_967_296_u64, "name": "a" }] }),
            "machines: id must be in [0, 4294967295], not 4294967296",
        ),
        (
            json!({ "machines": [{ "id": 1.5, "name": "a" }] }),
            "machines: id must be in [0, 4294967295], not 1.5",
        ),
        (
            json!({ "machines": [{ "id": "1", "name": "a" }] }),
            "machines: id must be in [0, 4294967295], not \"1\"",
        ),
        (
            json!({ "machines": [{ "name": "a" }] }),
            "machines: id must be in [0, 4294967295], not absent",
        ),
        (
            json!({ "machines": [{ "id": 7, "name": "a" }, { "id": 7, "name": "b" }] }),
            "machines: id 7 is listed more than once",
        ),
    ];
    for (mut file, message) in cases {
        file["path"] = json!("x/a.pftrace");
        assert_eq!(
            refused_files(json!([file])),
            format!("perfetto_manifest: m.json: entry of 'x/a.pftrace': {message}")
        );
    }
}

#[test]
fn clocks() {
    let cases = [
        (json!({}), "clocks: a sync_to block is required"),
        (json!({ "sync_to": {} }), "clocks: sync_to.file is required"),
        (json!({ "sync_to": { "clock": "BOOTTIME" } }), "clocks: sync_to.file is required"),
        (
            json!({ "sync_to": { "machine": "one" } }),
            "clocks: sync_to.machine: a machine name alone is ambiguous; name the file too",
        ),
        (
            json!({ "sync_to": { "file": "x" } }),
            "clocks: sync_to.file names unknown file 'x'. It must match the path of an entry in \
             the files array",
        ),
        (
            json!({ "sync_to": { "file": "many" } }),
            "clocks: sync_to.file: 'many' is a multi-machine trace; also name the machine",
        ),
        (
            json!({ "sync_to": { "file": "many", "machine": "one" } }),
            "clocks: sync_to.machine: 'one' is not a machine declared by file 'many'",
        ),
        (
            json!({ "sync_to": { "file": "none", "machine": "one" } }),
            "clocks: sync_to.machine: 'one' is not a machine declared by file 'none'",
        ),
        (
            json!({ "machine": "two", "sync_to": { "file": "one" } }),
            "clocks.machine: 'two' is not a machine declared by file 'this'",
        ),
        (
            json!({ "sync_to": { "file": "this" } }),
            "clocks: sync_to names the clock that is to be placed; name another",
        ),
        (
            json!({ "clock": "BOOTTIME",
                    "sync_to": { "file": "this", "machine": "it", "clock": "BOOTTIME" } }),
            "clocks: sync_to names the clock that is to be placed; name another",
        ),
        (
            json!({ "sync_to": { "file": "one" }, "offset_ns": 1.5 }),
            "clocks: offset_ns must be an integer",
        ),
        (
            json!({ "sync_to": { "file": "one" }, "offset_ns": "1" }),
            "clocks: offset_ns must be an integer",
        ),
        (
            json!({ "sync_to": { "file": "one" }, "offset_ns": 9_223_372_036_854_775_808_u64 }),
            "clocks: offset_ns is out of range; it must be between -9223372036854775807 and \
             9223372036854775807",
        ),
        (
            json!({ "sync_to": { "file": "one" }, "offset_ns": -1e30 }),
            "clocks: offset_ns is out of range; it must be between -9223372036854775807 and \
             9223372036854775807",
        ),
        (
            json!({ "sync_to": { "file": "one" }, "offset_ns": i64::MIN }),
            "clocks: offset_ns is out of range; it must be between -9223372036854775807 and \
             9223372036854775807",
        ),
    ];
    for (clocks, message) in cases {
        let files = json!([
            { "path": "one", "machine": { "name": "one" } },
            { "path": "many", "machines": [{ "id": 0, "name": "two" },
                                           { "id": 1, "name": "three" }] },
            { "path": "none" },
            { "path": "this", "machine": { "name": "it" }, "clocks": clocks },
        ]);
        assert_eq!(
            refused_files(files),
            format!("perfetto_manifest: m.json: entry of 'this': {message}")
        );
    }
}

#[test]
fn the_clock_of_a_file_of_several_machines_is_on_one_of_them() {
    let files = |machine: Option<&str>| {
        json!([
            { "path": "one" },
            { "path": "many", "machines": [{ "id": 0, "name": "two" }],
              "clocks": { "clock": "BOOTTIME", "machine": machine.unwrap_or_default(),
                          "sync_to": { "file": "one", "clock": "BOOTTIME" } } },
        ])
    };
    let mut unnamed = files(None);
    unnamed[1]["clocks"].as_object_mut().unwrap().remove("machine");
    assert_eq!(
        refused_files(unnamed),
        "perfetto_manifest: m.json: entry of 'many': clocks: file 'many' is a multi-machine \
         trace; name which machine the clock is on, in clocks.machine"
    );
    assert_eq!(
        refused_files(files(Some("three"))),
        "perfetto_manifest: m.json: entry of 'many': clocks.machine: 'three' is not a machine \
         declared by file 'many'"
    );
    assert!(body(json!({ "version": 1, "files": files(Some("two")) })).is_ok());
}

#[test]
fn attributes() {
    for value in [json!([]), json!("a"), json!(null)] {
        assert_eq!(
            refused(json!({ "attributes": value })),
            "perfetto_manifest: m.json: attributes must be an object of string or integer values"
        );
    }
    for value in [json!(1.5), json!(null), json!(true), json!({}), json!(u64::MAX)] {
        assert_eq!(
            refused(json!({ "attributes": { "x.y": value } })),
            "perfetto_manifest: m.json: attributes: 'x.y' must be a string or an integer that \
             fits 64 bits"
        );
    }
    assert_eq!(
        refused(json!({ "attributes": { "": 1 } })),
        "perfetto_manifest: m.json: attributes: keys must be non-empty"
    );
}

#[test]
fn a_file_has_one_entry_with_a_path() {
    assert_eq!(
        refused_files(json!([{ "path": "a" }, { "path": "./a" }])),
        "perfetto_manifest: m.json: entry of './a': the file has more than one entry in files; \
         write one for each file"
    );
    for file in [json!({}), json!({ "path": "" })] {
        assert_eq!(
            refused_files(json!([{ "path": "a" }, file])),
            "perfetto_manifest: m.json: files[1].path is required"
        );
    }
}

#[test]
fn types() {
    let cases = [
        (json!({ "trace_time": "BOOTTIME" }), "trace_time must be an object, not a string"),
        (
            json!({ "trace_time": { "clock": 6 } }),
            "trace_time.clock must be a string, not a number",
        ),
        (
            json!({ "trace_time": { "clock": "BOOTTIME", "file": null } }),
            "trace_time.file must be a string, not null",
        ),
        (json!({ "files": {} }), "files must be an array, not an object"),
        (json!({ "files": ["a"] }), "files[0] must be an object, not a string"),
        (json!({ "files": [{ "path": 1 }] }), "files[0].path must be a string, not a number"),
        (
            json!({ "files": [{ "path": "a", "machine": "m" }] }),
            "entry of 'a': machine must be an object, not a string",
        ),
        (
            json!({ "files": [{ "path": "a", "machine": { "name": true } }] }),
            "entry of 'a': machine.name must be a string, not a boolean",
        ),
        (
            json!({ "files": [{ "path": "a", "machines": { "id": 1 } }] }),
            "entry of 'a': machines must be an array, not an object",
        ),
        (
            json!({ "files": [{ "path": "a", "machines": [1] }] }),
            "entry of 'a': machines[0] must be an object, not a number",
        ),
        (
            json!({ "files": [{ "path": "a", "clocks": [] }] }),
            "entry of 'a': clocks must be an object, not an array",
        ),
        (
            json!({ "files": [{ "path": "a", "clocks": { "sync_to": "b" } }] }),
            "entry of 'a': clocks.sync_to must be an object, not a string",
        ),
    ];
    for (fields, message) in cases {
        assert_eq!(refused(fields), format!("perfetto_manifest: m.json: {message}"));
    }
    assert_eq!(
        parse(r#"{"perfetto_manifest": [1]}"#).unwrap_err().to_string(),
        "perfetto_manifest: m.json: perfetto_manifest must be an object, not an array"
    );
}

#[test]
fn errors_that_need_the_traces() {
    let file = || "x.tar/a.pftrace".to_owned();
    assert_eq!(
        ManifestError::UndeclaredMachine { file: file(), id: 7 }.to_string(),
        "perfetto_manifest: x.tar/a.pftrace: undeclared machine id 7; list it in the machines of \
         the file's entry"
    );
    assert_eq!(
        ManifestError::SingleClock { file: file() }.to_string(),
        "perfetto_manifest: x.tar/a.pftrace: clock overrides require the trace to use a single \
         clock, and this one has clock snapshots; name one of its clocks in clocks.clock"
    );
    assert_eq!(
        ManifestError::NotFirst { file: file() }.to_string(),
        "perfetto_manifest: x.tar/a.pftrace: a perfetto_manifest file must be the first trace \
         file in the input; put it before the packets"
    );
}

#[test]
fn data_after_the_document_is_not_parsed() {
    let text = b" {\"perfetto_manifest\": {\"version\": 1}}\x0a\x04\xff\xff";
    let (_, length) = Manifest::parse(text, "m.json").unwrap();
    assert_eq!(&text[length..], b"\x0a\x04\xff\xff");
}
