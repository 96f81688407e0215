//! Imports the traces that clients send.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tpq::{CancelToken, ImportOptions, MetaTrace, Progress, Session, Trace};
use tpq_server::{
    ImportChoices, LoadError, LoadedTrace, Metatrace, MetatraceSpan, TraceLoader, TraceStream,
};

use super::messages::Messages;
use crate::health_line;
use crate::layout::bytes;
use crate::progress::bar;

/// The name of a trace that has none, in messages of its import.
const NAME: &str = "trace";

/// An import with the options of the command line.
pub struct Loader {
    options: ImportOptions,
    quiet: bool,
    messages: Arc<Messages>,
    /// The recording that a client started.
    metatrace: Mutex<Option<Arc<MetaTrace>>>,
}

impl Loader {
    pub fn new(options: ImportOptions, quiet: bool, messages: Arc<Messages>) -> Self {
        Self { options, quiet, messages, metatrace: Mutex::new(None) }
    }

    fn metatrace(&self) -> MutexGuard<'_, Option<Arc<MetaTrace>>> {
        self.metatrace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TraceLoader for Loader {
    fn empty(&self) -> Result<Arc<dyn LoadedTrace>, LoadError> {
        let trace = Trace::without_events(&self.options)?;
        Ok(Arc::new(ImportedTrace::new(trace, String::new())))
    }

    fn load(
        &self,
        stream: &mut TraceStream,
        choices: ImportChoices,
        cancel: &CancelToken,
    ) -> Result<Arc<dyn LoadedTrace>, LoadError> {
        let bar = bar(self.quiet);
        let options = ImportOptions {
            ftrace_raw: choices.ftrace_raw.unwrap_or(self.options.ftrace_raw),
            crop: choices.crop.unwrap_or(self.options.crop),
            full_sort: choices.full_sort.unwrap_or(self.options.full_sort),
            cancel: cancel.clone(),
            metatrace: self.metatrace().clone().or_else(|| self.options.metatrace.clone()),
            progress: bar.clone().map(|bar| bar as Arc<dyn Progress>),
            ..self.options.clone()
        };
        let trace = Trace::read(Path::new(NAME), stream, &options);
        if let Some(bar) = bar {
            bar.clear();
        }
        let trace = trace?;
        if !self.quiet {
            // A line that cannot be printed is no reason to refuse the trace.
            let _ = health_line::report(&trace);
        }
        let name = format!("trace of {}", bytes(trace.summary().file_bytes));
        if trace.is_from_cache() {
            self.messages.found_in_cache();
        }
        Ok(Arc::new(ImportedTrace::new(trace, name)))
    }

    fn start_metatrace(&self) -> Arc<dyn Metatrace> {
        let metatrace = MetaTrace::start();
        *self.metatrace() = Some(Arc::clone(&metatrace));
        Arc::new(Recorder(metatrace))
    }

    fn stop_metatrace(&self) {
        self.metatrace().take();
    }
}

/// A recording of this process.
struct Recorder(Arc<MetaTrace>);

impl Metatrace for Recorder {
    fn span(&self, name: &'static str) -> Box<dyn MetatraceSpan + '_> {
        Box::new(self.0.span(name))
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }
}

/// A trace with its name for people.
pub struct ImportedTrace {
    trace: Trace,
    name: String,
}

impl ImportedTrace {
    pub fn new(trace: Trace, name: String) -> Self {
        Self { trace, name }
    }
}

impl LoadedTrace for ImportedTrace {
    fn session(&self) -> &Session {
        self.trace.session()
    }

    fn table_names(&self) -> Vec<String> {
        let filled = self.trace.tables().iter().filter(|table| table.num_rows() > 0);
        filled.map(|table| table.decl().name.to_owned()).collect()
    }

    fn name(&self) -> &str {
        &self.name
    }
}
