//! From arguments to an open trace.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use tpq::{ImportOptions, Progress, TableCache, TextDamage, Trace};

use crate::allocator;
use crate::args::{HowArgs, ImportArgs, table_cache};
use crate::health_line;
use crate::layout::grouped;
use crate::metatrace::Recording;
use crate::progress::bar;
use crate::terminal::Style;

/// Imports the traces, or finds what an import of them left, and does some work with them. What
/// both took is recorded, if that was asked for, even where one of them fails.
pub async fn with_trace<T>(
    args: &ImportArgs,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let cache = if args.no_cache { None } else { table_cache(&args.config)? };
    let work = async |trace: Trace| {
        if !args.how.quiet {
            health_line::tell(&trace)?;
        }
        work(trace).await
    };
    with(args, cache, work).await
}

/// The same for work that asks what the import saw beyond the tables.
pub async fn with_import<T>(
    args: &ImportArgs,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with(args, None, work).await
}

/// The same for a shell, which may open others in the same way, and drops these then.
pub async fn with_shell<T>(
    args: &ImportArgs,
    work: impl AsyncFnOnce(Trace, ImportOptions) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let cache = if args.no_cache { None } else { table_cache(&args.config)? };
    with_options(args, cache, async |trace, options| {
        if !args.how.quiet {
            health_line::tell(&trace)?;
        }
        work(trace, options).await
    })
    .await
}

async fn with<T>(
    args: &ImportArgs,
    cache: Option<TableCache>,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_options(args, cache, async |trace, _| {
        // The process ends with the work, and gives all memory back at once: to give back each
        // chunk of the tables first takes as long as a query.
        std::mem::forget(Arc::clone(trace.tables()));
        work(trace).await
    })
    .await
}

async fn with_options<T>(
    args: &ImportArgs,
    cache: Option<TableCache>,
    work: impl AsyncFnOnce(Trace, ImportOptions) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let recording = Recording::start(args.how.metatrace.as_deref(), &args.traces)?;
    let outcome = async {
        let options = ImportOptions {
            strict: args.strict,
            sql_packages: args.add_sql_package.clone(),
            cache,
            metatrace: recording.metatrace(),
            ..options(&args.how)
        };
        let trace = open(&args.traces, &args.how, options.clone()).await?;
        work(trace, options).await
    };
    let outcome = outcome.await;
    recording.finish(outcome)
}

/// How to import, as far as every command can be told.
pub fn options(how: &HowArgs) -> ImportOptions {
    ImportOptions {
        full_sort: how.full_sort,
        memory_limit: how.memory_limit,
        threads: how.threads,
        clock_interpolation: how.clock_interpolation.into(),
        ftrace_raw: !how.no_ftrace_raw,
        crop: how.crop,
        on_warning: Some(Arc::new(print_warning)),
        give_back: Some(allocator::give_back),
        ..ImportOptions::default()
    }
}

/// Imports the traces, showing how far that is.
pub async fn open(
    traces: &[PathBuf],
    how: &HowArgs,
    options: ImportOptions,
) -> anyhow::Result<Trace> {
    let bar = bar(how.quiet);
    let progress = bar.clone().map(|bar| bar as Arc<dyn Progress>);
    let opened = Trace::open(traces, ImportOptions { progress, ..options }).await;
    if let Some(bar) = bar {
        bar.clear();
    }
    // The error says itself which file it is of.
    let trace = opened?;
    trace.summary().damage.iter().for_each(warn);
    Ok(trace)
}

fn print_warning(what: &str) {
    let style = Style::of_stderr();
    // A closed stderr is no reason to stop.
    let _ = writeln!(std::io::stderr(), "{} {what}", style.yellow("warning:"));
}

/// Says what is wrong with a text: its rows look like any others.
fn warn(damage: &TextDamage) {
    let more = match damage.places {
        0 | 1 => String::new(),
        2 => ", and one more place like it".to_owned(),
        places => format!(", and {} more places like it", grouped(places - 1)),
    };
    print_warning(&format!(
        "{damage}{more}; what can be read is imported, and trace_import_logs has each place"
    ));
}
