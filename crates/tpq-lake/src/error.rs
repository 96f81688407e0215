//! Errors of lakes.

use std::path::PathBuf;

use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use datafusion::parquet::errors::ParquetError;
use tpq_output::OutputError;
use tpq_sql::SqlError;
use tpq_tables::ReadError;

/// What to do where a file of a table cannot be read.
pub(crate) const ADVICE: &str = "a file that is missing or damaged is written again by tpq ingest \
                                 --replace of its trace";

/// What can go wrong with a lake.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LakeError {
    /// A text that is not the address of a lake.
    #[error("`{address}` is not the address of a lake: {reason}")]
    Address {
        /// The text.
        address: String,
        /// Why it is not.
        reason: String,
    },
    /// A place without a lake.
    #[error("there is no lake at {0}; tpq ingest makes one")]
    NotFound(String),
    /// Another layout than that of the lake.
    #[error("{0}")]
    Layout(String),
    /// A file or object could not be read or written.
    #[error("{0}")]
    Store(#[from] object_store::Error),
    /// A folder could not be made, or the files in it not be read or removed.
    #[error("cannot use the folder {}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The event.
        source: std::io::Error,
    },
    /// The Delta log of a table could not be read or written.
    #[error(
        "the log of table {table} cannot be read or written: {reason}; the log is the folder \
         {table}/_delta_log of the lake"
    )]
    Log {
        /// The table.
        table: String,
        /// The event.
        reason: String,
    },
    /// Other processes changed a table again and again.
    #[error("table {0} is changed by other processes all the time; try again")]
    Busy(String),
    /// A vacuum of young files may have removed files of traces before their commit.
    #[error(
        "a vacuum of files younger than 24 hours may have removed files of these traces before \
         their commit; ingest them again"
    )]
    Vacuumed,
    /// Work does not fit the memory limit.
    #[error(
        "{what}: this takes {} MiB of memory, and the limit is {} MiB; raise --memory-limit",
        needed.div_ceil(1 << 20),
        limit >> 20
    )]
    Memory {
        /// What does not fit.
        what: String,
        /// The least limit for it, in bytes.
        needed: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The catalogue cannot be understood.
    #[error("the catalogue of the lake is damaged: {0}")]
    Catalog(String),
    /// A file of the catalogue is missing or damaged.
    #[error(
        "the catalogue of the lake is damaged: traces/{file}: {reason}; restore this file from a \
         backup, or ingest the traces into a new lake"
    )]
    CatalogFile {
        /// The file in the folder of the catalogue.
        file: String,
        /// The event.
        reason: String,
    },
    /// A Parquet file could not be read or written.
    #[error("{file}: {source}")]
    Parquet {
        /// The file.
        file: String,
        /// The event.
        source: ParquetError,
    },
    /// Rows of a trace could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Rows could not be written.
    #[error(transparent)]
    Write(#[from] OutputError),
    /// Rows do not fit their schema, which is a bug.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// The query engine failed.
    #[error(transparent)]
    Engine(#[from] DataFusionError),
    /// A statement over the catalogue is wrong or failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The threads for storage could not be started, or ended early.
    #[error("the threads for storage: {0}")]
    Threads(String),
}

impl LakeError {
    /// The error of the log of a table.
    pub(crate) fn log(table: &str) -> impl Fn(delta_kernel::KernelError) -> Self + use<'_> {
        // Without the stack, which the source shows as well.
        |error| Self::Log { table: table.to_owned(), reason: error.without_backtrace().to_string() }
    }

    /// The error of a Parquet file.
    pub(crate) fn parquet(file: &str) -> impl Fn(ParquetError) -> Self + use<'_> {
        |source| Self::Parquet { file: file.to_owned(), source }
    }
}
