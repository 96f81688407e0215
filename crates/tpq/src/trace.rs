//! An imported trace, ready for queries.

use std::path::PathBuf;
use std::sync::Arc;

use tpq_tables::TraceTables;

use crate::{ImportError, ImportOptions, ImportSummary, import};

/// An imported trace.
pub struct Trace {
    tables: Arc<TraceTables>,
    summary: ImportSummary,
}

impl Trace {
    /// Imports the trace at `paths`.
    ///
    /// # Errors
    /// See [`import`].
    pub async fn open(
        paths: &[impl Into<PathBuf> + Clone],
        options: ImportOptions,
    ) -> Result<Self, ImportError> {
        let path: PathBuf = paths[0].clone().into();
        let (tables, summary) = import(&path, &options)?;
        Ok(Self { tables: Arc::new(tables), summary })
    }

    /// The finished tables.
    pub fn tables(&self) -> &Arc<TraceTables> {
        &self.tables
    }

    /// What the import saw.
    pub fn summary(&self) -> &ImportSummary {
        &self.summary
    }
}
