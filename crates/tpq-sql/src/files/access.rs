//! The files that a statement may read, and those that it has opened.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::common::{Result, plan_err};
use datafusion::config::ConfigOptions;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, TableSource};

use super::format::Reader;
use super::open::open;
use crate::carried::carried;
use crate::errors::{SqlError, SqlErrorKind};

/// A call of a function that reads files.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FileCall {
    pub reader: Reader,
    /// The files, or patterns of their names.
    pub paths: Vec<String>,
}

/// The access of a statement to files. Clones share the files that the statement has opened.
#[derive(Clone, Default)]
pub(crate) struct FileAccess {
    is_allowed: bool,
    files: Arc<Mutex<Files>>,
}

#[derive(Default)]
struct Files {
    opened: HashMap<FileCall, Result<Arc<dyn TableSource>, SqlError>>,
    /// The calls that planning needs and that are not opened yet.
    wanted: Vec<FileCall>,
}

impl FileAccess {
    /// The access of a session without open files.
    pub(crate) fn new(is_allowed: bool) -> Self {
        Self { is_allowed, ..Self::default() }
    }

    /// The access of the statement that runs with this configuration. Without one, no file may be
    /// read.
    pub(crate) fn of(options: &ConfigOptions) -> Self {
        options.extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// The same access for another statement.
    pub(crate) fn renewed(&self) -> Self {
        Self::new(self.is_allowed)
    }

    /// Notes a call that planning will need.
    pub(crate) fn want(&self, call: FileCall) {
        let mut files = self.files();
        if self.is_allowed && !files.opened.contains_key(&call) && !files.wanted.contains(&call) {
            files.wanted.push(call);
        }
    }

    /// The table of a call with these arguments.
    ///
    /// # Errors
    /// When files may not be read, when they cannot be opened, or when they are not opened yet.
    pub(crate) fn read(&self, reader: Reader, args: &[Expr]) -> Result<Arc<dyn TableSource>> {
        let path = |arg: &Expr| match arg {
            Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
            _ => None,
        };
        let paths: Option<Vec<String>> = args.iter().map(path).collect();
        let Some(paths) = paths.filter(|paths| !paths.is_empty()) else {
            return plan_err!("{}() takes names of files, each in single quotes", reader.name());
        };
        let source = self.source(FileCall { reader, paths });
        source.map_err(|error| DataFusionError::External(Box::new(error)))
    }

    fn source(&self, call: FileCall) -> Result<Arc<dyn TableSource>, SqlError> {
        let name = call.paths.first().map(String::as_str).unwrap_or_default();
        if !self.is_allowed {
            let message = format!("`{name}` cannot be read: this session may not read files");
            let hint = "the command line and the shell may; a program allows it with \
                        SessionOptions::allow_files";
            return Err(SqlError::new(SqlErrorKind::Unsupported, message).hint(Some(hint.into())));
        }
        if let Some(opened) = self.files().opened.get(&call) {
            return match opened {
                Ok(source) => Ok(Arc::clone(source)),
                Err(error) => Err(error.without_source()),
            };
        }
        let message = format!("`{name}` is not opened yet");
        self.want(call);
        Err(SqlError::new(SqlErrorKind::Internal, message))
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for FileAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileAccess").field("is_allowed", &self.is_allowed).finish_non_exhaustive()
    }
}

carried!(FileAccess, "tpq_files");

/// Opens the files that planning in this state needs. Returns whether there were any, so that
/// planning may succeed now.
pub(crate) async fn open_wanted(state: &SessionState) -> bool {
    let access = FileAccess::of(state.config_options());
    let wanted = std::mem::take(&mut access.files().wanted);
    for call in &wanted {
        let opened = open(call, state).await;
        access.files().opened.insert(call.clone(), opened);
    }
    !wanted.is_empty()
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::lit;

    use super::*;

    #[test]
    fn a_session_without_permission_reads_nothing() {
        let access = FileAccess::of(&ConfigOptions::new());
        let error = access.read(Reader::Csv, &[lit("a.csv")]).err().unwrap();
        assert!(error.to_string().contains("may not read files"), "{error}");
        assert!(access.files().wanted.is_empty());
    }

    #[test]
    fn a_call_is_wanted_once() {
        let access = FileAccess::new(true);
        for _ in 0..2 {
            assert!(access.read(Reader::Csv, &[lit("a.csv"), lit("b.csv")]).is_err());
        }
        assert_eq!(access.files().wanted.len(), 1);
        assert!(access.renewed().files().wanted.is_empty());
        assert!(access.read(Reader::Csv, &[]).is_err() && access.files().wanted.len() == 1);
    }
}
