//! Opens traces from arguments.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use tpq::{ImportOptions, Progress, TableCache, TextDamage, Trace};

use crate::allocator;
use crate::args::{ImportArgs, ImportFlags, table_cache};
use crate::health_line;
use crate::layout::grouped;
use crate::metatrace::Recording;
use crate::progress::bar;
use crate::terminal::Style;

/// Opens the traces from the cache or by an import, and runs `work` with them. If requested,
/// records both to the metatrace, even if one of them fails.
pub async fn with_trace<T>(
    args: &ImportArgs,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_trace_for(args, None, work).await
}

/// Like [`with_trace`], for work that runs these statements and no others.
pub async fn with_statements<T>(
    args: &ImportArgs,
    statements: &str,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_trace_for(args, Some(statements), work).await
}

async fn with_trace_for<T>(
    args: &ImportArgs,
    statements: Option<&str>,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let cache = if args.no_cache { None } else { table_cache(&args.config)? };
    let work = async |trace: Trace| {
        if !args.flags.quiet {
            health_line::report(&trace)?;
        }
        work(trace).await
    };
    with_cache(args, cache, statements, work).await
}

/// Like [`with_trace`], for work that needs findings of the import that are not in the cache.
pub async fn with_import<T>(
    args: &ImportArgs,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_cache(args, None, None, work).await
}

/// Like [`with_import`], for work that reads only what was lost.
pub async fn with_losses<T>(
    args: &ImportArgs,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    /// What the report of losses reads.
    const TABLES: &str = "SELECT name FROM stats, data_loss, trace_bounds, trace_request";
    with_cache(args, None, Some(TABLES), work).await
}

/// Like [`with_trace`], for a shell, which may open other traces with the same options and then
/// drops these.
pub async fn with_shell<T>(
    args: &ImportArgs,
    work: impl AsyncFnOnce(Trace, ImportOptions) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let cache = if args.no_cache { None } else { table_cache(&args.config)? };
    with_options(args, cache, None, async |trace, options| {
        if !args.flags.quiet {
            health_line::report(&trace)?;
        }
        work(trace, options).await
    })
    .await
}

async fn with_cache<T>(
    args: &ImportArgs,
    cache: Option<TableCache>,
    statements: Option<&str>,
    work: impl AsyncFnOnce(Trace) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    with_options(args, cache, statements, async |trace, _| {
        // The process ends after the work and frees all memory at once. Freeing each chunk of the
        // tables first takes as long as a query.
        std::mem::forget(Arc::clone(trace.tables()));
        work(trace).await
    })
    .await
}

async fn with_options<T>(
    args: &ImportArgs,
    cache: Option<TableCache>,
    statements: Option<&str>,
    work: impl AsyncFnOnce(Trace, ImportOptions) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let recording = Recording::start(args.flags.metatrace.as_deref(), &args.traces)?;
    let outcome = async {
        let options = ImportOptions {
            strict: args.strict,
            sql_packages: args.add_sql_package.clone(),
            cache,
            statements: statements.filter(|_| !args.eager).map(Arc::from),
            metatrace: recording.metatrace(),
            ..options(&args.flags)
        };
        let trace = open(&args.traces, &args.flags, options.clone()).await?;
        work(trace, options).await
    };
    let outcome = outcome.await;
    recording.finish(outcome)
}

/// The import options that every command has.
pub fn options(flags: &ImportFlags) -> ImportOptions {
    ImportOptions {
        full_sort: flags.full_sort,
        memory_limit: flags.memory_limit,
        threads: flags.threads,
        clock_interpolation: flags.clock_interpolation.into(),
        ftrace_raw: !flags.no_ftrace_raw,
        crop: flags.crop,
        symbols: flags.symbols.clone(),
        allow_files: true,
        on_warning: Some(Arc::new(print_warning)),
        give_back: Some(allocator::give_back),
        ..ImportOptions::default()
    }
}

/// Imports the traces and shows progress.
pub async fn open(
    traces: &[PathBuf],
    flags: &ImportFlags,
    options: ImportOptions,
) -> anyhow::Result<Trace> {
    let bar = bar(flags.quiet);
    let progress = bar.clone().map(|bar| bar as Arc<dyn Progress>);
    let opened = Trace::open(traces, ImportOptions { progress, ..options }).await;
    if let Some(bar) = bar {
        bar.clear();
    }
    // The error already names the file.
    let trace = opened?;
    trace.summary().damage.iter().for_each(warn_of_damage);
    Ok(trace)
}

fn print_warning(what: &str) {
    let style = Style::of_stderr();
    // A closed stderr is not an error.
    let _ = writeln!(std::io::stderr(), "{} {what}", style.yellow("warning:"));
}

/// Warns of damage in a text file, because its rows look like any others.
fn warn_of_damage(damage: &TextDamage) {
    let more = match damage.places {
        0 | 1 => String::new(),
        2 => ", and one more place like it".to_owned(),
        places => format!(", and {} more places like it", grouped(places - 1)),
    };
    print_warning(&format!(
        "{damage}{more}; the rest is imported, and trace_import_logs lists each place"
    ));
}
