//! Containers of files, and other files in them.

use insta::assert_snapshot;
use serde_json::json;
use tpq_testkit::{Archive, gzip, zstd};

use super::{clockless, left, right};
use crate::imported::{EVENTS, FILES, Imported, LOGS, MACHINES, STATS, merged, refused_archive};

fn two_devices() -> Archive {
    Archive::new().file("right.pftrace", right()).file("left.pftrace", left()).manifest(json!({
        "files": [{ "path": "left.pftrace", "machine": { "name": "left" } },
                  { "path": "right.pftrace", "machine": { "name": "right" } }]
    }))
}

/// Whatever they lie in, the manifest comes first and then the traces by name.
#[test]
fn packed_and_compressed() {
    let archives = [
        ("tar", two_devices().tar()),
        ("zip", two_devices().zip()),
        ("gzip", gzip(&two_devices().tar())),
        ("zstd", zstd(&two_devices().tar())),
        ("zstd", zstd(&two_devices().zip())),
    ];
    for (format, archive) in archives {
        let imported = Imported::file(&archive);
        assert_eq!(imported.rows(EVENTS), merged(&two_devices()).rows(EVENTS), "{format}");
        let top = imported.cell("SELECT trace_type FROM trace_file WHERE parent_id IS NULL");
        assert_eq!(top, format);
        let size = imported.cell("SELECT size FROM trace_file WHERE parent_id IS NULL");
        assert_eq!(size, archive.len().to_string(), "{format}");
    }
    assert_snapshot!(Imported::file(gzip(&two_devices().tar())).rows(FILES), @r"
    id  parent  name           trace_type         processing_order
    0   NULL    NULL           gzip               0
    1   0                      tar                1
    2   1       manifest.json  perfetto_manifest  2
    3   1       left.pftrace   proto              3
    4   1       right.pftrace  proto              4
    ");
}

/// The traces of an archive may be compressed, each by itself.
#[test]
fn compressed_members() {
    let archive = Archive::new()
        .file("left.pftrace.gz", gzip(&left()))
        .file("right.pftrace.zst", zstd(&right()))
        .manifest(json!({
            "files": [{ "path": "left.pftrace.gz", "machine": { "name": "left" } },
                      { "path": "right.pftrace.zst", "machine": { "name": "right" } }]
        }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(FILES), @r"
    id  parent  name               trace_type         processing_order
    0   NULL    NULL               tar                0
    1   0       manifest.json      perfetto_manifest  1
    2   0       left.pftrace.gz    gzip               2
    3   2                          proto              3
    4   0       right.pftrace.zst  zstd               4
    5   4                          proto              5
    ");
    assert_snapshot!(merged.rows(EVENTS), @r"
    ts   name   machine
    110  left   0
    115  right  1
    ");
}

/// Inputs may be several, each an archive or a file, and the manifest one of them.
#[test]
fn files_side_by_side() {
    let manifest = Archive::manifest_text(json!({
        "files": [{ "path": "b.pftrace", "machine": { "name": "left" } },
                  { "path": "right.pftrace", "machine": { "name": "right" } }]
    }));
    let archive = Archive::new().file("right.pftrace", right()).zip();
    let files: [(&str, &[u8]); 3] =
        [("b.pftrace", &left()), ("c.zip", &archive), ("manifest.json", manifest.as_bytes())];
    let imported = Imported::files(&files);
    assert_snapshot!(imported.rows(FILES), @r"
    id  parent  name           trace_type         processing_order
    0   NULL    manifest.json  perfetto_manifest  0
    1   NULL    b.pftrace      proto              1
    2   NULL    c.zip          zip                2
    3   2       right.pftrace  proto              3
    ");
    assert_snapshot!(imported.rows(EVENTS), @r"
    ts   name   machine
    110  left   0
    115  right  1
    ");
}

#[test]
fn an_archive_in_an_archive_holds_one_trace() {
    let inner = Archive::new().file("inner.pftrace", clockless()).zip();
    let archive = Archive::new().file("left.pftrace", left()).file("inner.zip", inner);
    assert_snapshot!(merged(&archive).rows(FILES), @r"
    id  parent  name           trace_type  processing_order
    0   NULL    NULL           tar         0
    1   0       inner.zip      zip         1
    2   1       inner.pftrace  proto       2
    3   0       left.pftrace   proto       3
    ");
    let inner = gzip(&Archive::new().file("a", left()).file("b", right()).tar());
    let archive = Archive::new().file("left.pftrace", left()).file("inner.tgz", inner);
    assert_eq!(
        refused_archive(&archive),
        "merge.tar/inner.tgz: an archive within an archive may hold one trace, and this one \
         holds 2; unpack it, and put its traces directly into the outer one"
    );
}

/// Hidden files are no part of an archive, and neither are their folders.
#[test]
fn hidden_members() {
    let archive = Archive::new()
        .file("left", left())
        .file(".right", right())
        .file("__MACOSX/._left", b"\0\x05\x16\x07")
        .file(".folder/right", right());
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(FILES), @r"
    id  parent  name             trace_type  processing_order
    0   NULL    NULL             tar         0
    1   0       left             proto       1
    2   0       .folder/right    unknown     2
    3   0       .right           unknown     3
    4   0       __MACOSX/._left  unknown     4
    ");
    assert_snapshot!(merged.rows(STATS), @r"
    name                      machine  file  value
    archive_members_not_read  NULL     NULL  3
    ");
}

/// A JSON trace is one even without events; other files are reported and not read.
#[test]
fn members_that_are_no_traces() {
    let archive = Archive::new()
        .file("app.json", br#"{"traceEvents": []}"#)
        .file("left.pftrace", left())
        .file("notes.txt", "to be read later\n")
        .manifest(json!({
            "files": [
                { "path": "app.json", "machine": { "name": "board" },
                  "clocks": { "sync_to": { "file": "left.pftrace", "clock": "BOOTTIME" },
                              "offset_ns": 50 } },
                { "path": "left.pftrace" },
            ]
        }));
    let merged = merged(&archive);
    assert_snapshot!(merged.rows(FILES), @r"
    id  parent  name           trace_type         processing_order
    0   NULL    NULL           tar                0
    1   0       manifest.json  perfetto_manifest  1
    2   0       left.pftrace   proto              2
    3   0       app.json       json               3
    4   0       notes.txt      text               4
    ");
    assert_snapshot!(merged.rows(MACHINES), @r"
    id  raw_id      name
    0   0           NULL
    1   4294967296  board
    ");
    assert_snapshot!(merged.rows(STATS), @r"
    name                      machine  file  value
    archive_members_not_read  NULL     NULL  1
    ");
    assert_snapshot!(merged.rows(LOGS), @r"
    file  name                      severity  packet  clock  timestamp
    4     archive_members_not_read  notice    NULL    NULL   NULL
    ");
}

/// A manifest alone configures nothing, but can be looked at.
#[test]
fn a_manifest_alone() {
    let text = Archive::manifest_text(json!({
        "trace_time": { "clock": "REALTIME" }, "attributes": { "run": 42 }
    }));
    assert_snapshot!(Imported::file(&text).picture());
}

/// In a stream the manifest comes before the trace; both have the name of the file.
#[test]
fn a_manifest_before_a_trace() {
    let manifest = |path: &str| {
        Archive::manifest_text(json!({
            "files": [{ "path": path, "machine": { "name": "phone" } }]
        }))
    };
    let imported = |gap: &str| {
        let mut stream = format!("{}{gap}", manifest("trace")).into_bytes();
        stream.extend(left());
        Imported::file(&stream)
    };
    let joined = imported("");
    assert_snapshot!(joined.rows(EVENTS), @r"
    ts   name  machine
    110  left  0
    ");
    assert_snapshot!(joined.rows(MACHINES), @r"
    id  raw_id      name
    0   4294967296  phone
    ");
    assert_snapshot!(joined.rows(FILES), @r"
    id  parent  name  trace_type         processing_order
    0   NULL    NULL  perfetto_manifest  0
    1   NULL    NULL  proto              1
    ");
    // A trace begins with a line feed, which is not to be taken for the white space before it.
    for gap in ["\n", " \n\n"] {
        assert_eq!(imported(gap).picture(), joined.picture(), "{gap:?}");
    }
}
