//! An import that is cancelled ends with an error, on whichever threads it runs.

use std::path::PathBuf;
use std::sync::Arc;

use tpq::{CancelToken, ImportError, ImportOptions, Progress, import};

use crate::command::Folder;

/// Cancels an import when it begins to read events.
struct CancelWhileImporting(CancelToken);

impl Progress for CancelWhileImporting {
    fn advance(&self, _: u64, _: u64) {}

    fn stage(&self, name: &'static str) {
        if name == "importing" {
            self.0.cancel();
        }
    }
}

fn is_cancelled(path: PathBuf, options: ImportOptions) -> bool {
    let cancel = CancelToken::default();
    let progress = CancelWhileImporting(cancel.clone());
    let options = ImportOptions { cancel, progress: Some(Arc::new(progress)), ..options };
    matches!(import(&[path], &options), Err(ImportError::Cancelled))
}

#[test]
fn a_cancelled_import_is_an_error() {
    let path = PathBuf::from(crate::ROOT).join("testdata/sched.pftrace");
    assert!(is_cancelled(path.clone(), ImportOptions::default()));
    assert!(is_cancelled(path.clone(), ImportOptions { full_sort: true, ..Default::default() }));
    assert!(is_cancelled(path, ImportOptions { threads: Some(1), ..Default::default() }));
}

/// Large enough that another thread reads events ahead.
#[test]
fn a_cancelled_import_of_json_ends_all_its_threads() {
    let event = r#"{"name":"work","ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"args":{"a":"b"}}"#;
    let json = format!("[{event}{}]", format!(",\n{event}").repeat(40_000));
    let folder = Folder::of(&[("large.json", json.as_bytes())]);
    assert!(is_cancelled(folder.path("large.json"), ImportOptions::default()));
}
