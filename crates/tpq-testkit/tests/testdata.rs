//! The committed traces equal those that the builders write.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tpq_testkit::{corrupt, testdata};

/// Checks that a folder contains exactly these files.
fn check(folder: &Path, files: &[(&str, Vec<u8>)]) {
    for (path, bytes) in files {
        let committed = fs::read(folder.join(path)).unwrap_or_default();
        assert!(
            committed == *bytes,
            "{path} is stale: cargo run -p tpq-testkit --example make_testdata"
        );
    }
    let expected: BTreeSet<_> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let found: BTreeSet<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn traces_equal_those_of_the_builders() {
    check(&testdata::folder(), &testdata::files());
}

#[test]
fn corrupt_inputs_equal_those_of_the_builders() {
    check(&testdata::folder().join("corrupt"), &corrupt::files());
}

#[test]
fn every_file_is_described() {
    let readme = fs::read_to_string(testdata::folder().join("README.md")).unwrap();
    for (path, _) in testdata::files().iter().chain(&corrupt::files()) {
        assert!(
            readme.contains(&format!("`{path}`")),
            "testdata/README.md does not mention {path}"
        );
    }
}
