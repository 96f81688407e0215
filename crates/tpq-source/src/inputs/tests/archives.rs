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

/// The entries of these archives.
const ROWS: [(Option<usize>, &str, &str, u64); 7] = [
    (Some(0), "b.pftrace", "proto", 12),
    (Some(0), "folder/a.pftrace", "proto", 12),
    (Some(0), "z/a.json", "json", 19),
    (Some(0), ".hidden.pftrace", "unknown", 12),
    (Some(0), "__MACOSX/._b.pftrace", "unknown", 12),
    (Some(0), "empty", "unknown", 0),
    (Some(0), "notes", "text", 5),
];

const HIDDEN: &str = "its name marks it as hidden, like a file that a system keeps for itself";

/// The files that are not read, with the reason.
fn unread(inputs: &Inputs) -> Vec<(&str, &str)> {
    let entries = inputs.entries().iter();
    entries.filter_map(|entry| Some((entry.name()?, entry.unread()?))).collect()
}

/// The remarks on all archives.
fn remarks(inputs: &Inputs) -> Vec<&str> {
    inputs.entries().iter().flat_map(Entry::remarks).map(String::as_str).collect()
}

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
        assert_eq!(
            unread(&inputs),
            [
                (".hidden.pftrace", HIDDEN),
                ("__MACOSX/._b.pftrace", HIDDEN),
                ("empty", "it is empty"),
                ("notes", "it is text in no format that tpq reads"),
            ]
        );
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
fn uncompressed_files_are_not_copied() {
    let archives = [tar(MEMBERS), zip_with(zip::CompressionMethod::STORE, MEMBERS)];
    for archive in archives {
        let inputs = open(&archive).unwrap();
        let mut traces = inputs.traces().map(|(_, trace)| trace.bytes().as_ptr() as usize);
        let (first, second) = (traces.next().unwrap(), traces.next().unwrap());
        assert!(second.abs_diff(first) < archive.len());
    }
}

/// The number of bytes of a mapped file in the memory of this process.
#[cfg(target_os = "linux")]
fn resident(path: &Path) -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let of_file = maps.lines().skip_while(|line| !line.ends_with(path.to_str().unwrap()));
    let resident = of_file.skip(1).find_map(|line| line.strip_prefix("Rss:")).unwrap();
    resident.trim_end_matches("kB").trim().parse::<usize>().unwrap() << 10
}

/// The checksum of a file that is not compressed covers all its bytes.
#[cfg(target_os = "linux")]
#[test]
fn stored_files_do_not_stay_in_memory_for_their_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    let whole = TRACE.repeat(2 << 20);
    let mut archive =
        zip_with(zip::CompressionMethod::STORE, &[("a", &whole), ("b", &whole), ("c", &whole)]);
    // One byte of the last file, which is before the directory.
    let at = archive.windows(4).rposition(|bytes| *bytes == TRACE[..4]).unwrap();
    archive[at + 3] ^= 1;
    std::fs::write(&path, &archive).unwrap();
    let inputs = Inputs::open(std::slice::from_ref(&path), 1, |_| ()).unwrap();
    let resident = resident(&path);
    assert!(resident < archive.len() / 4, "{resident}");
    assert_eq!(cuts(&inputs), ["its checksum does not match, so it is damaged"]);
    let traces: Vec<&[u8]> = inputs.traces().map(|(_, trace)| trace.bytes()).collect();
    assert!(traces[0] == whole && traces[1] == whole && traces[2] != whole);
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
fn an_archive_without_a_trace_lists_its_files() {
    let names = Format::trace_names();
    let none = format!("input: no trace that tpq reads ({names}) in it; found");
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
    assert_eq!(message, format!("{none} input/.hidden ({HIDDEN})"));
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

/// An archive of one trace. Its name is not checked.
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
    // The size in the extended header is used.
    header.set_size(5);
    header.set_cksum();
    builder.append(&header, TRACE).unwrap();
    let inputs = open(&builder.into_inner().unwrap()).unwrap();
    assert_eq!(traces(&inputs), [&name]);
    assert_eq!(inputs.entries()[1].bytes(), TRACE);
}

/// Nothing is written to the path of a name, so any name is valid.
#[test]
fn names_that_lead_elsewhere_are_read() {
    let names =
        ["../up.pftrace", "a/../../b", "/abs", "C:\\c.pftrace", "..\\d", "e/./f", "..", "-"];
    let archives: [Vec<u8>; 2] = [
        joined(&names.map(|name| tar_of_raw_name(name.as_bytes()))),
        zip(&names.map(|name| (name, TRACE))),
    ];
    for archive in archives {
        let inputs = open(&archive).unwrap();
        let mut sorted = names;
        sorted.sort_unstable();
        assert_eq!(traces(&inputs), sorted);
        assert_eq!((unread(&inputs), cuts(&inputs)), (vec![], vec![]));
    }
}

#[test]
fn a_file_without_a_name_is_read() {
    for archive in [tar_of_raw_name(b""), zip(&[("", TRACE)])] {
        let inputs = open(&archive).unwrap();
        assert_eq!(traces(&inputs), [""]);
        assert!(inputs.entries()[1].shown().ends_with("/input/(no name)"));
    }
}

/// Joins archives of one file each into one archive.
fn joined(archives: &[Vec<u8>]) -> Vec<u8> {
    let files = archives.iter().flat_map(|archive| &archive[..archive.len() - 1024]);
    files.copied().chain([0; 1024]).collect()
}

/// The reasons why files are incomplete.
fn cuts(inputs: &Inputs) -> Vec<String> {
    inputs.entries().iter().filter_map(|entry| Some(entry.cut()?.to_string())).collect()
}

#[test]
fn folders_are_no_files() {
    let mut builder = tar::Builder::new(Vec::new());
    // The second is a folder in the format from before there was a type for folders.
    for (kind, name) in [(tar::EntryType::Directory, "a"), (tar::EntryType::Regular, "b/")] {
        let mut header = header(kind, name, 0);
        // Some programs write the size of a folder on disk.
        header.set_size(if kind == tar::EntryType::Directory { 4096 } else { 0 });
        header.set_cksum();
        builder.append(&header, &b""[..]).unwrap();
    }
    builder.append(&header(tar::EntryType::Regular, "c/", TRACE.len()), TRACE).unwrap();
    let inputs = open(&builder.into_inner().unwrap()).unwrap();
    assert_eq!(traces(&inputs), ["c/"]);

    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_directory("a/", zip::write::SimpleFileOptions::default()).unwrap();
    writer.start_file("b", zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(TRACE).unwrap();
    let archive = writer.finish().unwrap().into_inner();
    assert_eq!(rows(&open(&archive).unwrap()).len(), 2);
}

fn header(kind: tar::EntryType, name: &str, size: usize) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size as u64);
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_cksum();
    header
}

#[test]
fn links_and_devices_have_a_reason() {
    use tar::EntryType;
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header(EntryType::Regular, "a", TRACE.len()), TRACE).unwrap();
    for (kind, name) in [
        (EntryType::Link, "b"),
        (EntryType::Symlink, "c"),
        (EntryType::Fifo, "d"),
        (EntryType::Char, "e"),
        (EntryType::Block, "f"),
        (EntryType::new(b'V'), "g"),
    ] {
        let mut header = header(kind, name, 0);
        header.set_link_name("a").unwrap();
        // The size is that of the target of the link; no data follows.
        header.set_size(if kind == EntryType::Link { TRACE.len() as u64 } else { 0 });
        header.set_cksum();
        builder.append(&header, &b""[..]).unwrap();
    }
    // A hard link with the contents of the file, and a type that is unknown.
    builder.append(&header(EntryType::Link, "h", TRACE.len()), TRACE).unwrap();
    builder.append(&header(EntryType::new(b'Q'), "i", TRACE.len()), TRACE).unwrap();
    let inputs = open(&builder.into_inner().unwrap()).unwrap();
    assert_eq!(traces(&inputs), ["a", "h", "i"]);
    assert_eq!(
        unread(&inputs),
        [
            ("b", "it is a link to `a`"),
            ("c", "it is a symbolic link to `a`"),
            ("d", "it is a named pipe"),
            ("e", "it is a device"),
            ("f", "it is a device"),
            ("g", "it is the label of a volume"),
        ]
    );

    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::STORE);
    writer.add_symlink("l", "b", options).unwrap();
    writer.start_file("b", options).unwrap();
    writer.write_all(TRACE).unwrap();
    let inputs = open(&writer.finish().unwrap().into_inner()).unwrap();
    assert_eq!(traces(&inputs), ["b"]);
    assert_eq!(unread(&inputs), [("l", "it is a symbolic link")]);
}

#[test]
fn files_of_one_name_are_all_read() {
    let members: &[(&str, &[u8])] = &[("a", JSON), ("b", TRACE), ("a", TRACE), ("a", b"")];
    for archive in [tar(members), zip_of_same_names(members)] {
        let inputs = open(&archive).unwrap();
        assert_eq!(traces(&inputs), ["a", "b", "a"]);
        let remark = "it holds 3 files `a`; all of them are read, and their events add up";
        assert_eq!(remarks(&inputs), [remark]);
    }
    let many = ["a", "b", "c", "d", "e"];
    let members: Vec<(&str, &[u8])> = many.iter().chain(&many).map(|name| (*name, TRACE)).collect();
    let inputs = open(&tar(&members)).unwrap();
    assert_eq!(traces(&inputs).len(), 10);
    assert!(remarks(&inputs)[0].contains("2 files `c`, 2 more names several times;"));
}

/// A ZIP archive with several files of one name, which the crate `zip` does not write.
fn zip_of_same_names(members: &[(&str, &[u8])]) -> Vec<u8> {
    let names: Vec<String> =
        (0..members.len()).map(|at| char::from(b'0' + at as u8).into()).collect();
    let renamed: Vec<(&str, &[u8])> =
        names.iter().zip(members).map(|(name, (_, bytes))| (name.as_str(), *bytes)).collect();
    let mut archive = zip_with(zip::CompressionMethod::STORE, &renamed);
    for (signature, name_at) in [(b"PK\x03\x04", 30), (b"PK\x01\x02", 46)] {
        let headers: Vec<usize> =
            (0..archive.len()).filter(|&at| archive[at..].starts_with(signature)).collect();
        for (at, (name, _)) in headers.into_iter().zip(members) {
            archive[at + name_at] = name.as_bytes()[0];
        }
    }
    archive
}

/// Another archive after the end, and bytes that are not an archive.
#[test]
fn data_after_the_end_of_a_tar() {
    let two = [tar(&[("a", TRACE)]), tar(&[("b", TRACE)])].concat();
    let inputs = open(&two).unwrap();
    assert_eq!(traces(&inputs), ["a", "b"]);
    let remark = "another archive follows its end mark at byte 1024; the files of both are read";
    assert_eq!(remarks(&inputs), [remark]);

    let more = [tar(&[("a", TRACE)]), b"something else".to_vec()].concat();
    let inputs = open(&more).unwrap();
    assert_eq!(traces(&inputs), ["a"]);
    assert_eq!(
        remarks(&inputs),
        ["14 bytes that are not an archive follow its end mark at byte 1024"]
    );

    let archive = tar(&[("a", TRACE), ("b", TRACE)]);
    let inputs = open(&archive[..1024]).unwrap();
    assert_eq!(traces(&inputs), ["a"]);
    assert!(remarks(&inputs)[0].starts_with("it has no end mark: "));
}

/// A global header applies to all files that follow.
#[test]
fn global_and_damaged_extended_headers() {
    let with = |kind: u8, records: &[u8]| {
        let mut builder = tar::Builder::new(Vec::new());
        let kind = tar::EntryType::new(kind);
        builder.append(&header(kind, "pax", records.len()), records).unwrap();
        for name in ["a", "b"] {
            builder.append(&header(tar::EntryType::Regular, name, 5), TRACE).unwrap();
        }
        open(&builder.into_inner().unwrap()).unwrap()
    };
    let inputs = with(b'g', b"11 size=12\n");
    let sizes: Vec<u64> = inputs.traces().map(|(_, entry)| entry.size()).collect();
    assert_eq!(sizes, [12, 12]);
    let inputs = with(b'x', b"11 size=12\n99 path=c\n");
    assert_eq!(traces(&inputs)[0], "a");
    let why = "its extended header is damaged, so its name and size may be wrong";
    assert_eq!(cuts(&inputs), [why]);
}
