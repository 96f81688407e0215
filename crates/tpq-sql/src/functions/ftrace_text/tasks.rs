//! Threads as the kernel's tracer names them.

use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::Result;
use rustc_hash::FxHashMap;
use tpq_tables::TraceTables;

use super::super::stored_rows::StoredRows;
use super::super::value::Value;

/// The names of threads.
pub(super) struct Tasks {
    threads: Option<StoredRows>,
    processes: Option<StoredRows>,
    /// The texts of the threads so far, by utid.
    texts: Mutex<FxHashMap<i64, Arc<str>>>,
}

impl Tasks {
    pub(super) fn new(tables: &TraceTables) -> Self {
        Self {
            threads: StoredRows::new(tables, "thread", &["tid", "name", "upid"]),
            processes: StoredRows::new(tables, "process", &["pid"]),
            texts: Mutex::default(),
        }
    }

    /// The name, tid and pid of a thread.
    ///
    /// # Errors
    /// When a table cannot be read.
    pub(super) fn text(&self, utid: i64) -> Result<Arc<str>> {
        if let Some(text) = self.texts.lock().unwrap_or_else(PoisonError::into_inner).get(&utid) {
            return Ok(Arc::clone(text));
        }
        let text: Arc<str> = self.make(utid)?.into();
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(utid, Arc::clone(&text));
        Ok(text)
    }

    fn make(&self, utid: i64) -> Result<String> {
        let row = |rows: &Option<StoredRows>, id| match rows {
            Some(rows) => rows.row(id),
            None => Ok(None),
        };
        let thread = row(&self.threads, utid)?.unwrap_or_default();
        let value = |column: usize| thread.get(column).cloned().unwrap_or(Value::Null);
        let (tid, name) = (value(0).as_integer().unwrap_or(0), value(1).as_text());
        let process = match value(2).as_integer() {
            Some(upid) => row(&self.processes, upid)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let pid = process.first().and_then(Value::as_integer);
        Ok(task_text(tid, name.as_deref(), pid))
    }
}

/// `name-tid (pid)`. The kernel's idle tasks have tid 0 and no process.
fn task_text(tid: i64, name: Option<&str>, pid: Option<i64>) -> String {
    let name = match (tid, name) {
        (0, _) => "<idle>",
        (_, Some(name)) if !name.is_empty() => name,
        _ => "<...>",
    };
    let pid = match pid.filter(|_| tid != 0) {
        Some(pid) => format!("{pid:>5}"),
        None => "-----".to_owned(),
    };
    format!("{name:>16}-{tid:<5} ({pid})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_named_as_the_kernel_does() {
        assert_eq!(task_text(7, Some("worker"), Some(5)), "          worker-7     (    5)");
        assert_eq!(task_text(0, Some("swapper"), Some(0)), "          <idle>-0     (-----)");
        assert_eq!(task_text(123_456, None, None), "           <...>-123456 (-----)");
    }
}
