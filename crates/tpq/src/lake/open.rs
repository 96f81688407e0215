//! Opens traces of a lake.

use std::path::PathBuf;
use std::sync::Arc;

use tpq_lake::{Lake, LakeTrace};

use crate::trace::session_options;
use crate::{ImportOptions, OpenError, Trace};

impl Trace {
    /// Opens a trace of a lake: statements read its files. Only options of sessions apply.
    ///
    /// # Errors
    /// When the catalogue's entry of the trace is damaged, or a package of SQL modules cannot be
    /// read.
    pub fn in_lake(
        lake: &Lake,
        trace: &Arc<LakeTrace>,
        options: &ImportOptions,
    ) -> Result<Self, OpenError> {
        let session = lake.session_of(trace, &session_options(options)?)?;
        let paths = vec![PathBuf::from(&trace.facts.path)];
        let metatrace = options.metatrace.clone();
        Ok(Self::of_session(paths, lake.tables_of(trace), session, metatrace))
    }
}
