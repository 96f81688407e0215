//! Damaged files of every format: they may be refused, or what is wrong counted, but the import
//! neither panics nor hangs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use tpq::ImportOptions;
use tpq_testkit::formats::files;
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;

/// Mutations of each file.
const MUTATIONS: u64 = 400;
/// An import of a few hundred bytes takes less than a millisecond.
const HANG: Duration = Duration::from_secs(20);

#[test]
fn damaged_files_neither_panic_nor_hang() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    let mut panicked = Vec::new();
    // Most mutations leave the first bytes of a file, by which it is recognised.
    for (name, file) in files() {
        for number in 0..MUTATIONS {
            let bytes = mutate(&mut Random::new(number), &[file.as_slice()]);
            std::fs::write(&path, &bytes).unwrap();
            let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
            let paths = [path.clone()];
            let started = Instant::now();
            let import = || tpq::import(&paths, &options).map(drop);
            if catch_unwind(AssertUnwindSafe(import)).is_err() {
                panicked.push((name, number));
            }
            assert!(started.elapsed() < HANG, "mutation {number} of {name} hangs");
        }
    }
    assert!(panicked.is_empty(), "files and mutations that panicked: {panicked:?}");
}

/// The files themselves are read without an error, apart from what they hold on purpose.
#[test]
fn whole_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for (name, file) in files() {
        let path = folder.path().join("whole");
        std::fs::write(&path, file).unwrap();
        let imported = tpq::import(&[path], &ImportOptions::default());
        assert!(imported.is_ok(), "{name}: {:?}", imported.err());
    }
}
