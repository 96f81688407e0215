//! Opening traces.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tpq::{CancelToken, ImportOptions, Interpolation, Progress, SqlPackage, TableCache};

use crate::errors;
use crate::progress::LastProgress;
use crate::threads::Threads;
use crate::trace::Trace;
use crate::wait::{remember_main_thread, wait};

/// How to import, from the dict that `tpq.open` makes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    full_sort: bool,
    /// In bytes.
    memory_limit: Option<u64>,
    threads: Option<usize>,
    clock_interpolation: String,
    ftrace_raw: bool,
    crop: bool,
    symbols: Vec<PathBuf>,
    strict: bool,
    sql_packages: Vec<String>,
    allow_files: bool,
    cache: bool,
    /// The user's cache folder if `None`.
    cache_folder: Option<PathBuf>,
    /// In bytes; the default of the library if `None`.
    cache_size: Option<u64>,
}

impl Options {
    fn cache(&self) -> Option<TableCache> {
        let cache = match &self.cache_folder {
            _ if !self.cache => None,
            Some(folder) => Some(TableCache::in_folder(folder)),
            None => TableCache::of_user(),
        };
        match self.cache_size {
            Some(bytes) => cache.map(|cache| cache.at_most(bytes)),
            None => cache,
        }
    }

    fn into_import_options(self) -> PyResult<ImportOptions> {
        let clock_interpolation = match self.clock_interpolation.as_str() {
            "nearest" => Interpolation::Nearest,
            "linear" => Interpolation::Linear,
            other => {
                let message = format!("clock_interpolation is nearest or linear, not {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        let package = |text: &String| text.parse::<SqlPackage>().map_err(PyValueError::new_err);
        let sql_packages = self.sql_packages.iter().map(package).collect::<PyResult<_>>()?;
        let cache = self.cache();
        Ok(ImportOptions {
            full_sort: self.full_sort,
            memory_limit: self.memory_limit,
            threads: self.threads,
            clock_interpolation,
            ftrace_raw: self.ftrace_raw,
            crop: self.crop,
            symbols: self.symbols,
            strict: self.strict,
            sql_packages,
            allow_files: self.allow_files,
            cache,
            ..ImportOptions::default()
        })
    }
}

/// Opens traces on one timeline. `progress(stage, done, total)` is called now and then while the
/// import runs, with numbers of bytes.
#[pyfunction]
#[pyo3(signature = (paths, options, progress=None))]
pub fn open(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: Options,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Trace> {
    remember_main_thread(py)?;
    let threads = Threads::start(options.threads)?;
    let (cancel, last) = (CancelToken::default(), Arc::new(LastProgress::default()));
    let options = ImportOptions {
        cancel: cancel.clone(),
        progress: Some(Arc::clone(&last) as Arc<dyn Progress>),
        ..options.into_import_options()?
    };
    let report = || progress.as_ref().map_or(Ok(()), |callback| last.report(callback));
    let work = async move { tpq::Trace::open(&paths, options).await };
    let trace = wait(py, &threads, &cancel, work, |_| report())?;
    let trace = trace.map_err(|error| errors::open_error(py, &error))?;
    last.finish();
    report()?;
    Ok(Trace::new(threads, trace))
}
