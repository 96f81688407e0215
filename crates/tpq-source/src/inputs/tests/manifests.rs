//! Manifests next to traces.

use super::*;

/// The entries that the manifest describes, with the path in the manifest, and the paths in it that
/// match no entry.
fn matched(inputs: &Inputs) -> (Vec<(&str, &str)>, Vec<&str>) {
    let entries = inputs.entries().iter().enumerate();
    let matched = entries.filter_map(|(index, entry)| {
        let shown = entry.shown().split("/input").nth(1)?;
        Some((shown, inputs.manifest_file(index)?.path.as_str()))
    });
    (matched.collect(), inputs.unmatched_manifest_paths())
}

fn listing(paths: &[&str]) -> Vec<u8> {
    let files: Vec<_> = paths.iter().map(|path| json!({ "path": path })).collect();
    manifest(json!({ "files": files }))
}

#[test]
fn the_manifest_comes_first_at_any_position() {
    let manifest = manifest(json!({ "attributes": { "run": 1 } }));
    let size = manifest.len() as u64;
    for archive in [
        tar(&[("a.pftrace", TRACE), ("z.json", &manifest), ("b.json", JSON)]),
        zip(&[("z.json", &manifest), ("b.json", JSON), ("a.pftrace", TRACE)]),
    ] {
        let inputs = open(&archive).unwrap();
        let expected = [
            (Some(0), "z.json", "perfetto_manifest", size),
            (Some(0), "a.pftrace", "proto", 12),
            (Some(0), "b.json", "json", 19),
        ];
        assert_eq!(rows(&inputs)[1..], expected);
        let shown = inputs.manifest().unwrap().shown();
        assert!(shown.ends_with("/input/z.json"), "{shown}");
    }
}

#[test]
fn a_compressed_manifest_comes_first_too() {
    let packed = gzip(&manifest(json!({})));
    let inputs = open(&tar(&[("a.pftrace", TRACE), ("m.gz", &packed)])).unwrap();
    let formats: Vec<&str> = inputs.entries().iter().map(|entry| entry.format().name()).collect();
    assert_eq!(formats, ["tar", "gzip", "perfetto_manifest", "proto"]);
}

#[test]
fn a_manifest_alone_is_enough() {
    let manifest = manifest(json!({}));
    let inputs = open(&manifest).unwrap();
    assert_eq!(rows(&inputs), [(None, "NULL", "perfetto_manifest", manifest.len() as u64)]);
    assert!(open(&tar(&[("m.json", &manifest), ("a.json", JSON)])).is_ok());
}

#[test]
fn a_trace_may_follow_the_manifest() {
    let document = manifest(json!({}));
    let size = document.len() as u64;
    for gap in ["", "\n"] {
        let mut stream = document.clone();
        stream.extend_from_slice(gap.as_bytes());
        stream.extend_from_slice(TRACE);
        let rows_expected =
            [(None, "NULL", "perfetto_manifest", size), (None, "NULL", "proto", 12)];
        assert_eq!(rows(&open(&stream).unwrap()), rows_expected);
        let inputs = open(&gzip(&stream)).unwrap();
        assert_eq!(inputs.traces().next().unwrap().1.bytes(), TRACE);
        // Compressed separately and concatenated.
        let mut members = gzip(&document);
        members.extend_from_slice(&gzip(TRACE));
        assert_eq!(rows(&open(&members).unwrap())[1..].len(), 2);
    }
    let mut stream = document;
    stream.extend_from_slice(b"hello\n");
    assert!(message(open(&stream)).starts_with("input: text, not a trace"));
}

#[test]
fn a_second_manifest_is_refused() {
    let manifest = manifest(json!({}));
    let twice = [manifest.clone(), manifest.clone()].concat();
    let gzip = gzip(&manifest);
    let refused = |first: &str, second: &str| {
        format!(
            "perfetto_manifest: multiple perfetto_manifest files in archive: {first} and \
             {second}; leave out all but one"
        )
    };
    let archive = tar(&[("a.json", &manifest), ("b.json", &manifest), ("c", TRACE)]);
    assert_eq!(message(open(&archive)), refused("input/a.json", "input/b.json"));
    assert_eq!(message(open(&twice)), refused("input", "input"));
    let files: &[(&str, &[u8])] = &[("b.gz", &gzip), ("a", TRACE), ("a.json", &manifest)];
    assert_eq!(message(open_all(files)), refused("a.json", "b.gz"));
}

#[test]
fn paths_are_names_in_the_archive() {
    let manifest = listing(&["a", "folder/b", "c.gz", "d.json", "b", "e"]);
    let packed = gzip(TRACE);
    let inputs = open(&tar(&[
        ("a", TRACE),
        ("folder/b", TRACE),
        ("c.gz", &packed),
        ("d.json", JSON),
        ("m.json", &manifest),
        ("other", TRACE),
    ]))
    .unwrap();
    let (matched, unmatched) = matched(&inputs);
    let expected = [
        ("/a", "a"),
        ("/c.gz", "c.gz"),
        ("/c.gz", "c.gz"),
        ("/folder/b", "folder/b"),
        ("/d.json", "d.json"),
    ];
    assert_eq!(matched, expected);
    // `b` is only the last part of a name in the archive.
    assert_eq!(unmatched, ["b", "e"]);
}

#[test]
fn paths_are_arguments_as_typed_or_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        ["one/a", "one/b", "two/b", "m.json"].map(|name| folder.path().join(name)).to_vec();
    for name in ["one", "two"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let open = |listed: &[&str]| {
        for path in &paths[..3] {
            std::fs::write(path, TRACE).unwrap();
        }
        std::fs::write(&paths[3], listing(listed)).unwrap();
        Inputs::open(&paths, 0, |_| ())
    };
    let typed = shown(&paths[2]);
    let inputs = open(&["a", &typed, "b"]).unwrap();
    let file = |index| inputs.manifest_file(index).map(|file| file.path.as_str());
    assert_eq!([file(0), file(1), file(2), file(3)], [None, Some("a"), None, Some(&typed)]);
    assert_eq!(inputs.unmatched_manifest_paths(), ["b"], "there are two");
    let refused = open(&["m.json"]).unwrap_err().to_string();
    assert!(refused.ends_with("entry of 'm.json': it names the manifest itself; name a trace"));
}

#[test]
fn paths_of_other_archives() {
    let manifest = listing(&["a", "inner.zip/b", "b"]);
    let inner = zip(&[("b", TRACE)]);
    let inputs = open(&tar(&[("./a", TRACE), ("inner.zip", &inner), ("m", &manifest)])).unwrap();
    let (matched, unmatched) = matched(&inputs);
    assert_eq!(matched[0], ("/a", "a"));
    assert_eq!(matched[1].0, "/inner.zip/b");
    assert_eq!(unmatched.len(), 0);

    let archive = tar(&[("a", TRACE)]);
    let next_to = listing(&["a"]);
    let inputs = open_all(&[("m.json", &next_to), ("x.tar", &archive)]).unwrap();
    assert!(inputs.unmatched_manifest_paths().is_empty());
    assert_eq!(inputs.manifest_file(2).unwrap().path, "a");
}

#[test]
fn a_stream_is_known_by_its_own_name() {
    let mut stream = listing(&["input"]);
    stream.extend_from_slice(TRACE);
    let inputs = open(&stream).unwrap();
    assert_eq!(inputs.manifest_file(1).unwrap().path, "input");
}

#[test]
fn an_entry_is_of_a_trace() {
    let inner = tar(&[("b", TRACE)]);
    let packed = gzip(&inner);
    for name in ["inner.tar", "inner.tar.gz"] {
        let manifest = listing(&[name]);
        let archive =
            zip(&[("inner.tar", &inner), ("inner.tar.gz", &packed), ("m.json", &manifest)]);
        assert_eq!(
            message(open(&archive)),
            format!(
                "perfetto_manifest: input/m.json: entry of '{name}': it names an archive; name a \
                 trace"
            )
        );
    }
    let manifest = listing(&["m.json"]);
    assert_eq!(
        message(open(&zip(&[("m.json", &manifest), ("a", TRACE)]))),
        "perfetto_manifest: input/m.json: entry of 'm.json': it names the manifest itself; name \
         a trace"
    );
}

#[test]
fn a_manifest_that_breaks_a_rule_fails_the_import() {
    let broken = b"{\"perfetto_manifest\": {\n\"version\" 1}}";
    assert_eq!(
        message(open(&zip(&[("m.json", broken), ("a", TRACE)]))),
        "perfetto_manifest: input/m.json is not valid JSON: line 2, column 11: expected `:`"
    );
    let manifest = manifest(json!({ "version": 3 }));
    assert_eq!(
        message(open(&zip(&[("m.json", &manifest), ("a", TRACE)]))),
        "perfetto_manifest: input/m.json: unsupported version: 3. Only version 1 is supported"
    );
}
