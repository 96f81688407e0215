//! The traces of an import, which can be read again.

use std::path::PathBuf;
use std::sync::Arc;

use tpq_tables::TraceTables;

use crate::import::{Received, import};
use crate::{ImportError, ImportOptions, ImportSummary};

/// The traces of an import.
#[derive(Clone)]
pub(crate) enum Traces {
    /// Files.
    Files(Vec<PathBuf>),
    /// One that arrived as a stream. It keeps its bytes.
    Received(Arc<Received>),
}

impl Traces {
    /// Imports them.
    ///
    /// # Errors
    /// See [`import`].
    pub(crate) fn import(
        &self,
        options: &ImportOptions,
    ) -> Result<(TraceTables, ImportSummary), ImportError> {
        match self {
            Self::Files(paths) => import(paths, options),
            Self::Received(received) => received.import(options),
        }
    }

    /// The digest of their bytes. `None` if they cannot be read twice.
    pub(crate) fn digest(&self, options: &ImportOptions) -> Option<u128> {
        match self {
            Self::Files(paths) => tpq_source::digest(paths, options.threads).ok()?,
            Self::Received(received) => received.digest(),
        }
    }

    /// The files that another process may change.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Self::Files(paths) => paths,
            Self::Received(_) => &[],
        }
    }
}
