//! From arguments to an open trace.

use std::io::IsTerminal;
use std::sync::Arc;

use tpq::{ImportOptions, Progress, Trace};

use crate::args::ImportArgs;
use crate::progress::Bar;

/// Imports the trace, showing how far it is.
pub async fn open(args: &ImportArgs) -> anyhow::Result<Trace> {
    let visible = !args.quiet && std::io::stderr().is_terminal();
    let bar = visible.then(|| Arc::new(Bar::new()));
    let options = ImportOptions {
        full_sort: args.full_sort,
        memory_limit: args.memory_limit,
        threads: args.threads,
        strict: args.strict,
        progress: bar.clone().map(|bar| bar as Arc<dyn Progress>),
    };
    let opened = Trace::open(&args.traces, options).await;
    if let Some(bar) = bar {
        bar.clear();
    }
    // The error says itself which file it is of.
    Ok(opened?)
}
