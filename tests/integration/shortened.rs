//! A trace that another process shortens while it is read.

#![cfg(unix)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tpq::{ImportOptions, Progress};

/// Cuts a file at a moment of the import: when it has reported its progress a number of times.
struct Cutter {
    file: PathBuf,
    len: u64,
    moment: usize,
    moments: AtomicUsize,
}

impl Cutter {
    fn passed(&self) {
        if self.moments.fetch_add(1, Ordering::Relaxed) == self.moment {
            let file = File::options().write(true).open(&self.file).unwrap();
            file.set_len(self.len).unwrap();
        }
    }
}

impl Progress for Cutter {
    fn advance(&self, _: u64, _: u64) {
        self.passed();
    }

    fn stage(&self, _: &'static str) {
        self.passed();
    }
}

/// Imports a trace of several MiB that is cut to `len` bytes at a moment, and gives the moments
/// that there were and the error, if the import failed.
fn import_cut(name: &str, repeat: usize, moment: usize, len: u64) -> (usize, Option<String>) {
    let bytes = std::fs::read(Path::new(crate::ROOT).join("testdata").join(name)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace");
    std::fs::write(&file, bytes.repeat(repeat)).unwrap();
    let cutter = Cutter { file: file.clone(), len, moment, moments: AtomicUsize::new(0) };
    let cutter = Arc::new(cutter);
    let progress: Arc<dyn Progress> = Arc::<Cutter>::clone(&cutter);
    let options = ImportOptions { progress: Some(progress), ..ImportOptions::default() };
    let imported = tpq::import(&[file], &options);
    (cutter.moments.load(Ordering::Relaxed), imported.err().map(|error| error.to_string()))
}

#[test]
fn a_trace_that_is_cut_while_it_is_read_is_an_error_and_no_signal() {
    const NEVER: usize = usize::MAX;
    let (moments, error) = import_cut("sched.pftrace", 2000, NEVER, 0);
    assert_eq!(error, None);
    // At the first moment, the file is not open yet.
    for moment in (1..moments).step_by(moments.div_ceil(12)) {
        for len in [0, 1000, 100_000] {
            let (_, error) = import_cut("sched.pftrace", 2000, moment, len);
            let error = error.unwrap_or_else(|| panic!("cut to {len} at {moment} is not noticed"));
            let expected =
                "became shorter while it was read; open it again once nothing writes to it";
            assert!(error.ends_with(expected), "{error}");
        }
    }
}
