//! The members of an archive that are read, and the report of the others.

use insta::assert_snapshot;
use tpq_testkit::Archive;

use super::{left, right};
use crate::command::Folder;
use crate::imported::{FILES, Imported};

/// A name that leads elsewhere, two files of one name, and files that are not read.
fn archive() -> Archive {
    Archive::new()
        .file("../up.pftrace", left())
        .file("same.pftrace", right())
        .file("same.pftrace", right())
        .file(
            "/absolute.json",
            r#"{"traceEvents":[{"ph":"i","ts":0.2,"pid":1,"tid":1,"name":"x"}]}"#,
        )
        .file(".hidden.pftrace", left())
        .file("README", "about these traces")
        .file("empty", "")
}

#[test]
fn all_traces_are_read_and_other_members_are_reported() {
    let imported = Imported::file(archive().tar());
    assert_snapshot!(imported.rows(FILES), @r"
    id  parent  name             trace_type  processing_order
    0   NULL    NULL             tar         0
    1   0       ../up.pftrace    proto       1
    2   0       same.pftrace     proto       2
    3   0       same.pftrace     proto       3
    4   0       /absolute.json   json        4
    5   0       .hidden.pftrace  unknown     5
    6   0       README           text        6
    7   0       empty            unknown     7
    ");
    let events = "SELECT ts, name FROM slice ORDER BY ts";
    let expected = [["30", "right"], ["30", "right"], ["110", "left"], ["200", "x"]];
    assert_eq!(imported.cells(events), expected);
    let losses = "SELECT kind, severity, trace_id FROM data_loss ORDER BY id";
    let expected = [
        ["archive_irregular", "notice", "0"],
        ["file_not_read", "notice", "5"],
        ["file_not_read", "notice", "6"],
        ["file_not_read", "notice", "7"],
    ];
    assert_eq!(imported.cells(losses), expected);
    let counted = "SELECT name, value FROM stats WHERE name LIKE 'archive_%' ORDER BY name";
    let expected = [["archive_irregularities", "1"], ["archive_members_not_read", "3"]];
    assert_eq!(imported.cells(counted), expected);
}

#[test]
fn check_names_each_file_that_is_not_read() {
    let mut encrypted = Archive::new().file("a.pftrace", left()).file("b.pftrace", right()).zip();
    let entry = encrypted.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    // The flag that says so.
    encrypted[entry + 8] |= 1;
    let tar = archive().tar();
    let folder = Folder::of(&[("traces.tar", &tar), ("some.zip", &encrypted)]);
    assert_snapshot!(folder.tell(&["check", "traces.tar"]), @r"
    exit code: 0
    ----- stdout
    No data was lost from the files that were read.

    ! the trace is unusual: it holds 2 files `same.pftrace`; all of them are read, and their events
      add up.

    ! .hidden.pftrace is not read: its name marks it as hidden, like a file that a system keeps for
      itself.
    ! README is not read: it is text in no format that tpq reads.
    ! empty is not read: it is empty.
    ");
    let output = folder.tell(&["check", "some.zip"]);
    assert!(output.starts_with("exit code: 1\n----- stdout\nData was lost.\n"), "{output}");
    let line = "✗ a.pftrace cannot be read: it is encrypted; unpack it first.\n";
    assert!(output.contains(line), "{output}");
}
