//! Files in archives.

use super::*;

const MEMBERS: &[(&str, &[u8])] = &[
    ("z/a.json", JSON),
    ("b.pftrace", TRACE),
    ("folder/a.pftrace", TRACE),
    (".hidden.pftrace", TRACE),
    ("__MACOSX/._b.pftrace", TRACE),
    ("notes", b"text\n"),
    ("empty", b""),
];

/// What comes of them.
const ROWS: [(Option<usize>, &str, &str, u64); 5] = [
    (Some(0), "b.pftrace", "proto", 12),
    (Some(0), "folder/a.pftrace", "proto", 12),
    (Some(0), "z/a.json", "json", 19),
    (Some(0), "empty", "unknown", 0),
    (Some(0), "notes", "text", 5),
];

#[test]
fn every_kind_of_archive_gives_its_files_in_order() {
    let archives = [
        ("tar", tar(MEMBERS)),
        ("zip", zip(MEMBERS)),
        ("zip", zip_with(zip::CompressionMethod::STORE, MEMBERS)),
        ("zip", zip_with(zip::CompressionMethod::ZSTD, MEMBERS)),
    ];
    for (format, archive) in archives {
        let inputs = open(&archive).unwrap();
        let rows = rows(&inputs);
        assert_eq!(rows[0], (None, "NULL", format, archive.len() as u64));
        assert_eq!(rows[1..], ROWS);
        assert!(inputs.entries().iter().all(|entry| entry.cut().is_none()));
        assert!(inputs.entries()[0].bytes().is_empty());
        let contents: Vec<&[u8]> = inputs.traces().map(|(_, trace)| trace.bytes()).collect();
        assert_eq!(contents, [TRACE, TRACE, JSON]);
        assert!(inputs.entries()[2].shown().ends_with("/input/folder/a.pftrace"));
    }
}

#[test]
fn compressed_archives() {
    let archive = tar(MEMBERS);
    for packed in [gzip(&archive), zstd(&archive)] {
        let inputs = open(&packed).unwrap();
        let rows = rows(&inputs);
        assert_eq!(rows[0].3, packed.len() as u64);
        assert_eq!(rows[1], (Some(0), "", "tar", archive.len() as u64));
        assert_eq!(rows[2].0, Some(1));
        assert_eq!(traces(&inputs), ["b.pftrace", "folder/a.pftrace", "z/a.json"]);
        assert!(inputs.entries()[2].shown().ends_with("/input/b.pftrace"));
    }
}

#[test]
fn what_is_not_compressed_is_not_copied() {
    let archives = [tar(MEMBERS), zip_with(zip::CompressionMethod::STORE, MEMBERS)];
    for archive in archives {
        let inputs = open(&archive).unwrap();
        let mut traces = inputs.traces().map(|(_, trace)| trace.bytes().as_ptr() as usize);
        let (first, second) = (traces.next().unwrap(), traces.next().unwrap());
        assert!(second.abs_diff(first) < archive.len());
    }
}

#[test]
fn compressed_files_in_archives() {
    let packed = gzip(TRACE);
    let inputs = open(&tar(&[("b.pftrace", TRACE), ("a.gz", &packed), ("a.json", JSON)])).unwrap();
    let expected = [
        (Some(0), "a.gz", "gzip", packed.len() as u64),
        (Some(1), "", "proto", 12),
        (Some(0), "b.pftrace", "proto", 12),
        (Some(0), "a.json", "json", 19),
    ];
    assert_eq!(rows(&inputs)[1..], expected);
    assert_eq!(inputs.entries()[1].shown(), inputs.entries()[2].shown());
}

#[test]
fn an_archive_in_an_archive_may_hold_one_trace() {
    let one = zip(&[("c.pftrace", TRACE), ("c.txt", b"text")]);
    let inputs = open(&tar(&[("a.pftrace", TRACE), ("inner.zip", &one)])).unwrap();
    assert_eq!(traces(&inputs), ["a.pftrace", "c.pftrace"]);
    assert!(inputs.entries()[3].shown().ends_with("/input/inner.zip/c.pftrace"));

    let several = gzip(&tar(&[("c.pftrace", TRACE), ("d.pftrace", TRACE)]));
    assert_eq!(
        message(open(&zip(&[("inner.tar.gz", &several)]))),
        "input/inner.tar.gz: an archive within an archive may hold one trace, and this one holds \
         2; unpack it, and put its traces directly into the outer one"
    );
}

#[test]
fn an_archive_without_a_trace_says_what_is_in_it() {
    let none = "input: no trace that tpq reads (Perfetto protobuf, Chrome JSON, text of ftrace) in it; found";
    assert_eq!(
        message(open(&tar(&[("a", &[0, 1, 2]), ("b", b"text")]))),
        format!("{none} input/a (unknown data), input/b (text)")
    );
    let names = ["1", "2", "3", "4", "5", "6", "7"];
    let members: Vec<(&str, &[u8])> =
        names.iter().map(|name| (*name, b"text".as_slice())).collect();
    let message = message(open(&zip(&members)));
    assert!(message.ends_with("input/5 (text), and 2 more"), "{message}");
    let message = super::message(open(&zip(&[(".hidden", TRACE)])));
    assert_eq!(message, format!("{none} no file"));
}

#[test]
fn the_current_folder_packed() {
    let inputs = open(&tar_of_raw_name(b"./a.pftrace")).unwrap();
    assert_eq!(traces(&inputs), ["./a.pftrace"]);
    assert!(inputs.entries()[1].shown().ends_with("/input/a.pftrace"));
}

#[test]
fn names_that_are_not_utf_8() {
    assert_eq!(traces(&open(&tar_of_raw_name(b"a\xff")).unwrap()), ["a\u{fffd}"]);
}

/// An archive of one trace, whose name is not looked at.
fn tar_of_raw_name(name: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_size(TRACE.len() as u64);
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_cksum();
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header, TRACE).unwrap();
    builder.into_inner().unwrap()
}

#[test]
fn long_names() {
    let name = "folder/".repeat(40) + "a.pftrace";
    assert_eq!(traces(&open(&tar(&[(&name, TRACE)])).unwrap()), [&name]);
    assert_eq!(traces(&open(&zip(&[(&name, TRACE)])).unwrap()), [&name]);

    let mut builder = tar::Builder::new(Vec::new());
    builder.append_pax_extensions([("path", name.as_bytes()), ("size", b"12")]).unwrap();
    let mut header = tar::Header::new_ustar();
    header.set_path("short").unwrap();
    // The size that was said ahead holds.
    header.set_size(5);
    header.set_cksum();
    builder.append(&header, TRACE).unwrap();
    let inputs = open(&builder.into_inner().unwrap()).unwrap();
    assert_eq!(traces(&inputs), [&name]);
    assert_eq!(inputs.entries()[1].bytes(), TRACE);
}

#[test]
fn folders_and_links_are_no_files() {
    let mut builder = tar::Builder::new(Vec::new());
    for kind in [tar::EntryType::Directory, tar::EntryType::Symlink, tar::EntryType::Fifo] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_path("a").unwrap();
        header.set_cksum();
        builder.append(&header, &b""[..]).unwrap();
    }
    let mut header = tar::Header::new_gnu();
    header.set_size(TRACE.len() as u64);
    builder.append_data(&mut header, "b", TRACE).unwrap();
    assert_eq!(rows(&open(&builder.into_inner().unwrap()).unwrap()).len(), 2);

    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::STORE);
    writer.add_directory("a/", options).unwrap();
    writer.add_symlink("l", "b", options).unwrap();
    writer.start_file("b", options).unwrap();
    writer.write_all(TRACE).unwrap();
    let archive = writer.finish().unwrap().into_inner();
    assert_eq!(rows(&open(&archive).unwrap()).len(), 2);
}

#[test]
fn a_file_that_was_added_again_replaces_the_earlier_one() {
    let inputs = open(&tar(&[("a", JSON), ("b", TRACE), ("a", TRACE)])).unwrap();
    assert_eq!(traces(&inputs), ["a", "b"]);
}
