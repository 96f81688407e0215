//! Archives that are damaged, or made to do harm.

use super::*;
use crate::archive::ListBudget;
#[cfg(unix)]
use crate::mapped_temp::MappedTemp;

/// The damage that is reported for an input.
fn cuts(inputs: &Inputs) -> Vec<String> {
    let entries = inputs.entries().iter();
    entries.filter_map(|entry| Some(entry.cut()?.to_string())).collect()
}

/// Opens arbitrary bytes and uses all results.
fn survive(bytes: &[u8]) {
    let mut progress = |_| ();
    let mut unpack = Unpack::new(1 << 20, &mut progress);
    let Ok(nodes) = unpack.open(None, "x".to_owned(), bytes.to_vec().into(), None) else { return };
    let entries = order::flatten(nodes);
    let total: usize = entries.iter().map(|entry| entry.bytes().len()).sum();
    assert!(total <= (1 << 20) + bytes.len());
    if let Some(manifest) = &unpack.manifest {
        let _ = names::matches(manifest, &entries);
    }
}

/// Archives with members of every kind.
fn archives() -> Vec<Vec<u8>> {
    let manifest = manifest(json!({ "files": [{ "path": "a", "machine": { "name": "m" } }] }));
    let packed = gzip(TRACE);
    let inner = zip(&[("c", TRACE)]);
    let long = "long/".repeat(30);
    let members: &[(&str, &[u8])] = &[
        ("a", TRACE),
        ("m.json", &manifest),
        ("b.gz", &packed),
        ("inner.zip", &inner),
        (&long[..149], TRACE),
        ("empty", b""),
    ];
    let mut stream = manifest.clone();
    stream.extend_from_slice(TRACE);
    vec![
        tar(members),
        zip(members),
        zip_with(zip::CompressionMethod::STORE, members),
        zip_with(zip::CompressionMethod::ZSTD, members),
        gzip(&tar(members)),
        stream,
    ]
}

#[test]
fn any_truncation() {
    for archive in archives() {
        for length in 0..archive.len() {
            // All zeros between the parts of an archive are equivalent.
            if archive[length..].iter().take(40).any(|byte| *byte != 0) {
                survive(&archive[..length]);
            }
        }
    }
}

#[test]
fn any_changed_byte() {
    for archive in archives() {
        for at in 0..archive.len() {
            if archive[at] == 0 && at % 7 != 0 {
                continue;
            }
            for change in [0x01, 0x80, 0xff] {
                let mut archive = archive.clone();
                archive[at] ^= change;
                survive(&archive);
            }
        }
    }
}

#[test]
fn changed_headers_with_the_right_checksum() {
    let archive = tar(&[("a", TRACE), ("b", TRACE)]);
    for at in (0..148).chain(156..512) {
        for value in [0, b'0', b'7', b'S', b'L', b'x', b'/', 0x7f, 0x80, 0xff] {
            let mut archive = archive.clone();
            archive[at] = value;
            let mut header = tar::Header::from_byte_slice(&archive[..512]).clone();
            header.set_cksum();
            archive[..512].copy_from_slice(header.as_bytes());
            survive(&archive);
        }
    }
}

#[test]
fn a_truncated_tar_keeps_earlier_files() {
    let long = [TRACE; 100].concat();
    let archive = tar(&[("a", TRACE), ("b", &long)]);
    let inputs = open(&archive[..2_048]).unwrap();
    assert_eq!(traces(&inputs), ["a", "b"]);
    assert_eq!(inputs.entries()[2].bytes(), &long[..512]);
    assert_eq!(cuts(&inputs), ["the archive ends within this file"]);

    let inputs = open(&archive[..1_100]).unwrap();
    assert_eq!(traces(&inputs), ["a"]);
    assert_eq!(cuts(&inputs), ["the archive ends within a header"]);
}

/// The archive shows that another file should follow.
#[test]
fn a_tar_that_ends_behind_a_long_name() {
    let name = "folder/".repeat(40);
    let pax = {
        let mut builder = tar::Builder::new(Vec::new());
        builder.append_pax_extensions([("path", name.as_bytes())]).unwrap();
        builder.into_inner().unwrap()[..1024].to_vec()
    };
    let gnu = tar(&[(&name, TRACE)])[..1024].to_vec();
    for headers in [pax, gnu] {
        let archive = [&tar(&[("a", TRACE)])[..1024], &headers].concat();
        let ends: [&[u8]; 2] = [&[], &[0; 1024]];
        for len in [512, 600, 1023, 1024] {
            for end in ends.into_iter().take(if len == 1024 { 2 } else { 1 }) {
                let inputs = open(&[&archive[..1024 + len], end].concat()).unwrap();
                assert_eq!(traces(&inputs), ["a"]);
                assert_eq!(cuts(&inputs), ["the archive ends within the headers of a file"]);
                assert!(inputs.entries()[0].remarks().is_empty());
            }
        }
    }
}

#[test]
fn a_tar_that_ends_within_a_block() {
    let inputs = open(&tar(&[("a", TRACE)])[..600]).unwrap();
    assert_eq!(inputs.entries()[1].bytes(), TRACE);
    assert_eq!(cuts(&inputs), ["the archive ends within its last block"]);
}

#[test]
fn a_damaged_header_ends_a_tar() {
    let mut archive = tar(&[("a", TRACE), ("b", TRACE)]);
    archive[1_024] ^= 1;
    let inputs = open(&archive).unwrap();
    assert_eq!(traces(&inputs), ["a"]);
    assert_eq!(
        cuts(&inputs),
        ["the archive is damaged at byte 1024, and what follows is not read"]
    );
}

#[test]
fn a_tar_that_claims_a_huge_file() {
    let mut header = tar::Header::new_gnu();
    header.set_path("a").unwrap();
    for size in [u64::MAX, u64::MAX - 511, 1 << 60] {
        header.set_size(size);
        header.set_cksum();
        let mut archive = header.as_bytes().to_vec();
        archive.extend_from_slice(TRACE);
        let inputs = open(&archive).unwrap();
        assert_eq!(inputs.entries()[1].bytes(), TRACE);
        assert_eq!(cuts(&inputs), ["the archive ends within this file"]);
    }
}

#[test]
fn a_sparse_file_is_not_read() {
    let mut header = tar::Header::new_gnu();
    header.set_path("a").unwrap();
    header.set_size(0);
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.as_gnu_mut().unwrap().set_is_extended(true);
    header.set_cksum();
    let mut archive = header.as_bytes().to_vec();
    // Two more blocks of the sparse map.
    archive.extend_from_slice(&[0; 1024]);
    archive[512 + 504] = 1;
    archive.extend_from_slice(&tar(&[("b", TRACE)]));
    let inputs = open(&archive).unwrap();
    assert_eq!(traces(&inputs), ["b"]);
    assert_eq!(
        cuts(&inputs),
        ["it is stored as a sparse file, which tpq does not unpack; pack it as a whole"]
    );
}

#[test]
fn a_truncated_zip_has_no_directory() {
    let archive = zip(&[("a", TRACE)]);
    let message = message(open(&archive[..archive.len() - 10]));
    let expected = "in it; found input (ZIP archive: its directory, which is at its end, cannot be \
                    read; it may be cut off)";
    assert!(message.ends_with(expected), "{message}");
}

/// The offset at which the directory of an archive lists its only file.
fn listing(archive: &[u8]) -> usize {
    archive.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap()
}

#[test]
fn members_of_a_zip_that_cannot_be_unpacked() {
    let archive = zip_with(zip::CompressionMethod::STORE, &[("a", TRACE)]);
    let at = listing(&archive);
    let cases = [(8, 1, "it is encrypted; unpack it first"), (10, 12, "which tpq does not unpack")];
    for (offset, value, why) in cases {
        let mut archive = archive.clone();
        archive[at + offset] = value;
        let message = message(open(&archive));
        assert!(message.contains("found input/a (unknown data: it is "), "{message}");
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn a_checksum_that_does_not_match_is_damage() {
    let mut archive = zip(&[("a", TRACE)]);
    let at = listing(&archive);
    archive[at + 16] ^= 1;
    let inputs = open(&archive).unwrap();
    assert_eq!(inputs.entries()[1].bytes(), TRACE);
    assert_eq!(cuts(&inputs), ["its checksum does not match, so it is damaged"]);
}

#[test]
fn the_first_of_overlapping_members_of_a_zip_is_read() {
    let mut archive = zip_with(zip::CompressionMethod::STORE, &[("a", TRACE), ("b", TRACE)]);
    let at = listing(&archive);
    // In the directory, the second file has the offset of the first.
    let second = at + 4 + listing(&archive[at + 4..]);
    archive.copy_within(at + 42..at + 46, second + 42);
    let inputs = open(&archive).unwrap();
    assert_eq!(traces(&inputs), ["a"]);
    assert_eq!(cuts(&inputs), ["it overlaps another file of the archive, which no program writes"]);
    let not_listed = "it is not in the directory of the archive, like a file that was deleted";
    assert_eq!(inputs.entries().last().unwrap().unread(), Some(not_listed));
}

/// A size that is damaged only in the directory does not cause a file to be refused.
#[test]
fn a_damaged_size_of_a_member_of_a_zip() {
    let (archive, [first, second, _]) = three();
    for (at, bit) in [(first, 0x01), (second, 0x01), (first, 0x80)] {
        let mut archive = archive.clone();
        archive[at + 22] ^= bit;
        let inputs = open(&archive).unwrap();
        assert_eq!(traces(&inputs), ["a", "b", "c"]);
        assert!(inputs.traces().all(|(_, trace)| trace.bytes() == TRACE));
        assert_eq!(
            cuts(&inputs),
            ["its header and the directory of the archive differ in its size"]
        );
    }
}

/// An archive of three stored files, and the offsets at which the directory lists them.
fn three() -> (Vec<u8>, [usize; 3]) {
    let members: &[(&str, &[u8])] = &[("a", TRACE), ("b", TRACE), ("c", TRACE)];
    let archive = zip_with(zip::CompressionMethod::STORE, members);
    let first = listing(&archive);
    let second = first + 4 + listing(&archive[first + 4..]);
    let third = second + 4 + listing(&archive[second + 4..]);
    (archive, [first, second, third])
}

#[test]
fn files_that_the_directory_of_a_zip_lacks() {
    let (archive, [first, second, _]) = three();
    let end = archive.windows(4).rposition(|bytes| bytes == b"PK\x05\x06").unwrap();
    // The first entry is removed from the directory.
    let mut without = [&archive[..first], &archive[second..]].concat();
    let end = end - (second - first);
    let size = u32::from_le_bytes(without[end + 12..end + 16].try_into().unwrap());
    let size = size - (second - first) as u32;
    without[end + 12..end + 16].copy_from_slice(&size.to_le_bytes());
    let inputs = open(&without).unwrap();
    assert_eq!(traces(&inputs), ["b", "c"]);
    let last = inputs.entries().last().unwrap();
    assert_eq!((last.name(), last.size()), (Some("a"), 12));
    assert!(last.unread().unwrap().starts_with("it is not in the directory of the archive"));
    // The number of files still counts all three.
    assert_eq!(cuts(&inputs), ["its directory should list 3 files and lists 2"]);
    without[end + 8] = 2;
    without[end + 10] = 2;
    assert_eq!(cuts(&open(&without).unwrap()), [""; 0]);
}

#[test]
fn headers_of_a_zip_that_contradict_its_directory() {
    let (archive, [_, second, _]) = three();
    let header = u32::from_le_bytes(archive[second + 42..second + 46].try_into().unwrap()) as usize;
    let differ = |what| format!("its header and the directory of the archive differ in its {what}");
    // The flags state that no size follows the bytes.
    let cases = [(30, "name"), (8, "compression"), (18, "size"), (14, "checksum")];
    for (at, what) in cases {
        let mut archive = archive.clone();
        archive[header + 6] &= !8;
        archive[header + at] ^= 1;
        let inputs = open(&archive).unwrap();
        assert_eq!(traces(&inputs).len(), 3, "{what}");
        assert!(cuts(&inputs).contains(&differ(what)), "{what}: {:?}", cuts(&inputs));
    }
    let mut archive = archive;
    archive[header] ^= 1;
    let inputs = open(&archive).unwrap();
    assert_eq!(traces(&inputs), ["a", "c"]);
    let why = format!("its header is not at byte {header}, where the directory says it is");
    assert_eq!(cuts(&inputs), [why]);
}

#[test]
fn a_zip_with_something_before_and_a_comment() {
    let (archive, _) = three();
    let mut writer = zip::ZipWriter::new_append(std::io::Cursor::new(archive)).unwrap();
    writer
        .set_raw_comment(b"a comment that ends in PK\x05\x06".to_vec().into_boxed_slice())
        .unwrap();
    let archive = writer.finish().unwrap().into_inner();
    assert_eq!(traces(&open(&archive).unwrap()), ["a", "b", "c"]);
    // Like a program that unpacks itself, but it must not begin like an archive.
    let before = [b"PK\x03\x04".to_vec(), vec![7; 500], archive].concat();
    let inputs = open(&before).unwrap();
    assert_eq!(traces(&inputs), ["a", "b", "c"]);
}

#[test]
fn a_large_zip() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::DEFLATE)
        .large_file(true);
    for name in ["a", "b"] {
        writer.start_file(name, options).unwrap();
        writer.write_all(TRACE).unwrap();
    }
    let archive = writer.finish().unwrap().into_inner();
    let inputs = open(&archive).unwrap();
    assert_eq!(traces(&inputs), ["a", "b"]);
    assert_eq!(cuts(&inputs), [""; 0]);
}

#[test]
fn the_limit_is_for_all_contents_together() {
    let whole: Vec<u8> = TRACE.iter().copied().cycle().take(600_000).collect();
    let inputs = open(&zip(&[("a", &whole), ("b", &whole)])).unwrap();
    assert_eq!(inputs.entries()[1].bytes(), whole);
    assert!(inputs.entries()[2].size() < 500_000);
    assert_eq!(cuts(&inputs), ["it unpacks to more than the limit of 1048576 bytes"]);
}

/// Intact data without room is not a damaged trace that could be read in part.
#[cfg(unix)]
#[test]
fn a_full_temporary_folder_is_an_error() {
    let whole = TRACE.repeat(4 << 20);
    for (packed, shown) in [(zip(&[("a", &whole)]), "x/a"), (gzip(&whole), "x")] {
        let mut progress = |_| ();
        let mut unpack = Unpack::new(1 << 30, &mut progress);
        unpack.unpacker.set_temp(MappedTemp::with_capacity(40 << 20).unwrap());
        let error = unpack.open(None, "x".to_owned(), packed.into(), None).unwrap_err();
        let SourceError::NoRoom { shown: found, why } = error else { panic!("{error}") };
        assert_eq!(found, shown);
        assert!(why.starts_with("the temporary folder ") && why.contains("; set TMPDIR"), "{why}");
    }
}

#[test]
fn unpacking_has_an_end() {
    let mut bytes = TRACE.to_vec();
    for _ in 0..8 {
        bytes = gzip(&bytes);
    }
    assert_eq!(open(&bytes).unwrap().entries().len(), 9);
    let message = message(open(&gzip(&bytes)));
    assert!(message.ends_with("(gzip file: it is nested 8 archives deep and is not unpacked)"));
}

#[test]
fn files_without_end() {
    let mut header = tar::Header::new_gnu();
    header.set_size(0);
    let mut archive = Vec::new();
    for index in 0..100_001 {
        header.set_path(format!("{index}")).unwrap();
        header.set_cksum();
        archive.extend_from_slice(header.as_bytes());
    }
    let mut progress = |_| ();
    let nodes =
        Unpack::new(0, &mut progress).open(None, String::new(), archive.into(), None).unwrap();
    assert_eq!(nodes[0].inside.len(), 100_000);
    let cut = nodes[0].cut.as_ref().unwrap();
    assert_eq!(cut.to_string(), "only its first 100000 files are read");
}

/// The number of files of an archive that are read with this budget, and the message about the
/// rest.
fn read_within(files: usize, name_bytes: usize, archive: &[u8]) -> (usize, String) {
    let mut progress = |_| ();
    let mut unpack = Unpack::new(1 << 20, &mut progress);
    unpack.budget = ListBudget { files, name_bytes, outer_name_bytes: 0 };
    let nodes = unpack.open(None, String::new(), archive.to_vec().into(), None).unwrap();
    let entries = order::flatten(nodes);
    let cuts: Vec<String> =
        entries.iter().filter_map(|entry| Some(entry.cut()?.to_string())).collect();
    (entries.iter().filter(|entry| !entry.format.holds_files()).count(), cuts.join("; "))
}

#[test]
fn names_of_all_files_have_a_limit() {
    let names = ["first-name", "other-name", "third-name"];
    let members = names.map(|name| (name, TRACE));
    for archive in [tar(&members), zip(&members)] {
        assert_eq!(read_within(9, 30, &archive), (3, String::new()));
        let why = "the names of its files are too long, and only its first 2 files are read";
        assert_eq!(read_within(9, 29, &archive), (2, why.to_owned()));
    }
    // The name of an archive is part of the name of each file in it.
    let archive = tar(&[("inner.zip", &zip(&[("a", TRACE), ("b", b"")]))]);
    assert_eq!(read_within(9, 9 + 2 * 10, &archive), (2, String::new()));
    assert_eq!(read_within(9, 9 + 2 * 10 - 1, &archive).0, 1);
}

#[test]
fn targets_of_links_use_the_budget_of_names() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    for _ in 0..3 {
        builder.append_link(&mut header, "name", "target/".repeat(100)).unwrap();
    }
    let archive = builder.into_inner().unwrap();
    assert_eq!(read_within(9, 3 * 800, &archive).0, 3);
    assert_eq!(read_within(9, 3 * 700, &archive).0, 2);
}

#[test]
fn folders_use_the_budget_of_files() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Directory);
    header.set_path("folder").unwrap();
    header.set_size(0);
    header.set_cksum();
    let of_tar = [&header.as_bytes().repeat(3), &tar(&[("a", TRACE)])[..]].concat();
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for name in ["1/", "2/", "3/"] {
        writer.add_directory(name, options).unwrap();
    }
    writer.start_file("a", options).unwrap();
    writer.write_all(TRACE).unwrap();
    let of_zip = writer.finish().unwrap().into_inner();
    for archive in [of_tar, of_zip] {
        assert_eq!(read_within(4, 100, &archive), (1, String::new()));
        let why = "only its first 0 files are read";
        assert_eq!(read_within(3, 100, &archive), (0, why.to_owned()));
        assert_eq!(read_within(2, 100, &archive), (0, why.to_owned()));
    }
}

/// A name in a header for all files would be copied to each file.
#[test]
fn a_tar_that_gives_all_files_one_name() {
    let mut builder = tar::Builder::new(Vec::new());
    let records = b"9 path=c\n14 linkpath=d\n";
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(tar::EntryType::XGlobalHeader);
    header.set_size(records.len() as u64);
    header.set_cksum();
    builder.append(&header, &records[..]).unwrap();
    let archive = [builder.into_inner().unwrap()[..1024].to_vec(), tar(&[("a", TRACE)])].concat();
    let inputs = open(&archive).unwrap();
    assert_eq!(traces(&inputs), ["a"]);
    assert_eq!(cuts(&inputs), [""; 0]);
}

#[test]
fn a_very_long_name_is_cut() {
    let name = "a".repeat(5_000);
    let inputs = open(&tar(&[(&name, TRACE)])).unwrap();
    assert_eq!(traces(&inputs), [&name[..4_096]]);
    assert_eq!(cuts(&inputs), ["its name is too long, and only its beginning is kept"]);
}
