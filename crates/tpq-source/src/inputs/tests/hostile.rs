//! Archives that are damaged, or made to do harm.

use super::*;

/// The damage that is told of an input.
fn cuts(inputs: &Inputs) -> Vec<String> {
    let entries = inputs.entries().iter();
    entries.filter_map(|entry| Some(entry.cut()?.to_string())).collect()
}

/// Opens bytes that may be anything, and looks at all that came of it.
fn survive(bytes: &[u8]) {
    let mut progress = |_| ();
    let mut unpack = Unpack::new(1 << 20, &mut progress);
    let Ok(nodes) = unpack.open(None, "x".to_owned(), bytes.to_vec().into()) else { return };
    let entries = order::flatten(nodes);
    let total: usize = entries.iter().map(|entry| entry.bytes().len()).sum();
    assert!(total <= (1 << 20) + bytes.len());
    if let Some(manifest) = &unpack.manifest {
        let _ = names::matches(manifest, &entries);
    }
}

/// Archives of everything that can be in one.
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
            // The zeros between what an archive holds are all alike.
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
fn a_truncated_tar_keeps_what_came_before() {
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

#[test]
fn a_damaged_header_ends_a_tar() {
    let mut archive = tar(&[("a", TRACE), ("b", TRACE)]);
    archive[1_024] ^= 1;
    let inputs = open(&archive).unwrap();
    assert_eq!(traces(&inputs), ["a"]);
    assert_eq!(cuts(&inputs), ["the archive is damaged at byte 1024"]);
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
fn a_sparse_file_is_not_guessed_at() {
    let mut header = tar::Header::new_gnu();
    header.set_path("a").unwrap();
    header.set_size(0);
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.as_gnu_mut().unwrap().set_is_extended(true);
    header.set_cksum();
    let mut archive = header.as_bytes().to_vec();
    // Two more blocks of its map.
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
    let start = "input: no trace that tpq reads (Perfetto protobuf, Chrome JSON, text of \
                 ftrace) in it; found input (ZIP archive: its directory, which is at its \
                 end, cannot be read; it may be cut off (";
    assert!(message.starts_with(start), "{message}");
}

/// Where the directory of an archive lists its only file.
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
fn a_checksum_that_does_not_match_is_told() {
    let mut archive = zip(&[("a", TRACE)]);
    let at = listing(&archive);
    archive[at + 16] ^= 1;
    let inputs = open(&archive).unwrap();
    assert_eq!(inputs.entries()[1].bytes(), TRACE);
    assert_eq!(cuts(&inputs), ["its checksum does not match, so it is damaged"]);
}

#[test]
fn members_of_a_zip_may_not_overlap() {
    let mut archive = zip_with(zip::CompressionMethod::STORE, &[("a", TRACE), ("b", TRACE)]);
    let at = listing(&archive);
    // The second file of the directory is said to lie where the first does.
    let second = at + 4 + listing(&archive[at + 4..]);
    archive.copy_within(at + 42..at + 46, second + 42);
    let message = message(open(&archive));
    assert!(message.contains("its files overlap"), "{message}");
}

#[test]
fn the_limit_is_for_all_contents_together() {
    let whole: Vec<u8> = TRACE.iter().copied().cycle().take(600_000).collect();
    let inputs = open(&zip(&[("a", &whole), ("b", &whole)])).unwrap();
    assert_eq!(inputs.entries()[1].bytes(), whole);
    assert!(inputs.entries()[2].size() < 500_000);
    assert_eq!(cuts(&inputs), ["it unpacks to more than the limit of 1048576 bytes"]);
}

#[test]
fn unpacking_has_an_end() {
    let mut bytes = TRACE.to_vec();
    for _ in 0..8 {
        bytes = gzip(&bytes);
    }
    assert_eq!(open(&bytes).unwrap().entries().len(), 9);
    let message = message(open(&gzip(&bytes)));
    assert!(message.ends_with("(gzip file: it lies 8 archives deep and is not unpacked)"));
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
    let nodes = Unpack::new(0, &mut progress).open(None, String::new(), archive.into()).unwrap();
    assert_eq!(nodes[0].inside.len(), 100_000);
    let cut = nodes[0].cut.as_ref().unwrap();
    assert_eq!(cut.to_string(), "only its first 100000 files are read");
}
