//! `tpq query --each`: the statements run on each trace, and their rows are one relation.
//!
//! ```text
//! patterns ──paths──▶ tpq::each ──▶ rows of each trace ──▶ the output
//! lake ────traces───▶           └▶ failures            └▶ --then: tables `results`, `failures`
//! ```

mod args;
mod failures;
mod paths;
mod progress;
mod then;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::LocalBoxStream;
use tpq::{
    EachError, EachOptions, EachTrace, ImportOptions, KeptRows, Lake, LakeTrace, SharedColumns,
    each, each_in_lake,
};
use tpq_output::{OutputOptions, ResultWriter, writer};

pub use self::args::{EachArgs, ShellLakeArgs};
pub use self::failures::{Failures, as_error, describe, say};
pub use self::paths::expand;
pub use self::progress::EachProgress;
pub use self::then::{Results, Then};
use crate::args::table_cache;
use crate::command::query::QueryArgs;
use crate::output::Output;
use crate::row_limit::LimitedWriter;
use crate::{open, remote};

/// The traces to run statements on.
pub enum Traces {
    /// Files.
    Files(Vec<PathBuf>),
    /// Those of a lake.
    Lake(Lake, Vec<Arc<LakeTrace>>),
}

impl Traces {
    fn len(&self) -> usize {
        match self {
            Self::Files(paths) => paths.len(),
            Self::Lake(_, traces) => traces.len(),
        }
    }

    /// The lake of the traces.
    pub fn lake(&self) -> Option<&Lake> {
        match self {
            Self::Files(_) => None,
            Self::Lake(lake, _) => Some(lake),
        }
    }

    fn run(self, sql: &str, options: EachOptions) -> LocalBoxStream<'static, EachTrace> {
        match self {
            Self::Files(paths) => each(paths, sql, options).boxed_local(),
            Self::Lake(lake, traces) => each_in_lake(&lake, traces, sql, options).boxed_local(),
        }
    }
}

/// Runs the statements on each trace, and writes the rows of all, or those of `--then`.
///
/// # Errors
/// When all traces fail, a statement is wrong, or rows cannot be written; with `--strict`, when any
/// trace fails.
pub async fn run(
    args: &QueryArgs,
    traces: Traces,
    sql: &str,
    output: Output,
    output_options: OutputOptions,
) -> anyhow::Result<()> {
    let options = options(args, traces.len(), sql)?;
    let import = options.import.clone();
    let mut failures = Failures::new(args.import.flags.quiet);
    let mut writer = writer(output.format().format, output.sink(), output_options);
    let mut shown = LimitedWriter::new(writer.as_mut(), args.max_shown_rows());
    if let Some(cluster) = args.each.cluster() {
        let place = (cluster, &traces);
        remote::run_on_each(args, place, sql, options, &mut shown, &mut failures).await?;
        return finish(&shown, &failures, output);
    }
    match &args.each.then {
        None => {
            let mut rows = Rows::new(&mut shown);
            collect(args, traces, sql, options, &mut rows, &mut failures).await?;
            rows.end()?;
        }
        Some(then) => {
            let lake = traces.lake().cloned();
            let lake = lake.as_ref().map(|lake| (lake, args.each.filter.as_deref()));
            let results = Results::create()?;
            let mut writer = results.writer()?;
            let mut rows = Rows::new(writer.as_mut());
            collect(args, traces, sql, options, &mut rows, &mut failures).await?;
            let has_rows = rows.end()?;
            drop(writer);
            let parameters = &args.param;
            let then = Then { sql: then, import: &import, lake, parameters };
            results.query(&then, has_rows, &failures, &mut shown).await?;
        }
    }
    finish(&shown, &failures, output)
}

/// Says what was not shown and what failed, and completes the output.
fn finish(shown: &LimitedWriter<'_>, failures: &Failures, output: Output) -> anyhow::Result<()> {
    let shown = shown.shown();
    if shown.is_truncated {
        say(&format!("{}; --all shows all", shown.describe(None)));
    }
    failures.summarize()?;
    output.finish()
}

/// How to run: the import of each trace as the arguments say, with the cache.
fn options(args: &QueryArgs, traces: usize, sql: &str) -> anyhow::Result<EachOptions> {
    let flags = &args.import.flags;
    let cache = if args.import.no_cache { None } else { table_cache(&args.import.config)? };
    let import = ImportOptions {
        strict: args.import.strict,
        sql_packages: args.import.add_sql_package.clone(),
        statements: (!args.import.eager).then(|| sql.into()),
        store_whole: true,
        cache,
        ..open::options(flags)
    };
    let default = EachOptions::jobs_for(traces, flags.threads(), flags.memory_limit);
    let parameters = args.param.iter().map(|it| (it.name.clone(), it.value.clone())).collect();
    Ok(EachOptions {
        import,
        jobs: args.each.jobs.map_or(default, usize::from),
        metadata: args.each.metadata.clone(),
        parameters,
    })
}

/// Runs the statements on each trace, writes their rows, and records what failed.
async fn collect(
    args: &QueryArgs,
    traces: Traces,
    sql: &str,
    options: EachOptions,
    rows: &mut Rows<'_, impl ResultWriter + ?Sized>,
    failures: &mut Failures,
) -> anyhow::Result<()> {
    let progress = EachProgress::start(traces.len(), args.import.flags.quiet);
    let mut traces = traces.run(sql, options);
    while let Some(trace) = traces.next().await {
        failures.count(&trace);
        let EachTrace { path, rows: kept, .. } = trace;
        let written = match kept {
            Ok(kept) => rows.write(&path, kept)?,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            if args.import.strict || error.is_of_statements() {
                return Err(as_error(&path, error));
            }
            progress.above(|| failures.record(path, &error));
        }
        progress.advance(failures.len());
    }
    Ok(())
}

/// Writes the rows of all traces as one result.
pub struct Rows<'a, W: ResultWriter + ?Sized> {
    writer: &'a mut W,
    columns: Option<SharedColumns>,
}

impl<'a, W: ResultWriter + ?Sized> Rows<'a, W> {
    pub fn new(writer: &'a mut W) -> Self {
        Self { writer, columns: None }
    }

    /// The writer of the rows.
    pub fn writer(&self) -> &W {
        self.writer
    }

    /// Writes the rows of a trace. The inner error is one of the trace.
    ///
    /// # Errors
    /// When the rows cannot be read back or written.
    pub fn write(&mut self, path: &Path, kept: KeptRows) -> anyhow::Result<Result<(), EachError>> {
        if self.columns.is_none() {
            let columns = SharedColumns::of(path, &kept);
            self.writer.begin(columns.schema())?;
            self.columns = Some(columns);
        }
        let Some(columns) = &self.columns else { return Ok(Ok(())) };
        if let Err(error) = columns.check(&kept) {
            return Ok(Err(error));
        }
        for batch in kept.into_batches()? {
            self.writer.write(&columns.convert(&batch?)?)?;
        }
        Ok(Ok(()))
    }

    /// Ends the result. Returns whether any trace has rows.
    ///
    /// # Errors
    /// When the result cannot be written.
    pub fn end(self) -> anyhow::Result<bool> {
        if self.columns.is_some() {
            self.writer.end()?;
        }
        Ok(self.columns.is_some())
    }
}
