//! Results in files, in the formats of the command line.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use tpq::{PartialFile, Readers, ResultSet, SqlError};
use tpq_output::{Encoder, FileFormat, OutputError, OutputOptions, writer};

use crate::errors;

/// The size of writes to the system, in bytes.
const WRITE_BUFFER_BYTES: usize = 64 << 10;

/// Start and end of temporary names, as the command line gives them.
const PREFIX: &str = ".tpq-";
const SUFFIX: &str = ".unfinished";

/// A file that is being written. It replaces the file of its name when it is complete.
pub struct ResultFile {
    file: PartialFile,
    target: PathBuf,
    format: FileFormat,
}

/// Why a result could not be saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The statement failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The format cannot represent a value, or the file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] io::Error),
}

impl SaveError {
    /// The exception of Python.
    pub fn into_exception(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Sql(error) => errors::sql_error(py, &error),
            Self::Output(error) => errors::error(py, &error.to_string()),
            Self::File(error) => PyOSError::new_err(error.to_string()),
        }
    }
}

impl ResultFile {
    /// A new file next to `path`, in the format of that name, or of the extension of `path`.
    ///
    /// # Errors
    /// When the format is unknown, or no file can be created there.
    pub fn create(path: &Path, format: Option<&str>) -> PyResult<Self> {
        let format = match format {
            Some(name) => name.parse::<FileFormat>().map_err(PyValueError::new_err)?.for_path(path),
            None => FileFormat::of_path(path)
                .map_err(|error| PyValueError::new_err(format!("{error}; or pass format")))?,
        };
        // A link keeps its name, and the file that it leads to is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let file = PartialFile::create(folder, PREFIX, SUFFIX, Readers::Umask);
        let file = file.map_err(|error| {
            PyOSError::new_err(format!("cannot create {}: {error}", path.display()))
        })?;
        Ok(Self { file, target, format })
    }

    /// Writes all rows, gives the file its name, and returns the number of rows.
    ///
    /// # Errors
    /// When the statement fails, or the file cannot be written; it does not exist then.
    pub async fn write(self, mut result: ResultSet) -> Result<usize, SaveError> {
        let sink = SharedSink::new(&self.file, self.format)?;
        let options = OutputOptions::default();
        let mut writer = writer(self.format.format, Box::new(sink.clone()), options);
        let mut rows = 0;
        writer.begin(result.schema())?;
        while let Some(batch) = result.next().await {
            let batch = batch?;
            rows += batch.num_rows();
            writer.write(&batch)?;
        }
        writer.end()?;
        sink.finish()?;
        self.file.persist(&self.target)?;
        Ok(rows)
    }
}

type FileEncoder = Encoder<BufWriter<std::fs::File>>;

/// The encoder of a file, which a writer of rows uses and which is ended after that.
#[derive(Clone)]
struct SharedSink(Arc<Mutex<Option<FileEncoder>>>);

impl SharedSink {
    fn new(file: &PartialFile, format: FileFormat) -> io::Result<Self> {
        let buffer = BufWriter::with_capacity(WRITE_BUFFER_BYTES, file.file().try_clone()?);
        let encoder = Encoder::new(buffer, format.compression)?;
        Ok(Self(Arc::new(Mutex::new(Some(encoder)))))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Option<FileEncoder>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn encode<T>(&self, work: impl FnOnce(&mut FileEncoder) -> io::Result<T>) -> io::Result<T> {
        let ended = || io::Error::other("the file has ended");
        self.with(|encoder| work(encoder.as_mut().ok_or_else(ended)?))
    }

    /// Writes buffered data.
    fn finish(&self) -> io::Result<()> {
        match self.with(Option::take) {
            Some(encoder) => encoder.finish()?.flush(),
            None => Ok(()),
        }
    }
}

impl Write for SharedSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encode(|encoder| encoder.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encode(Write::flush)
    }
}
