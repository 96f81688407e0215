//! Statements on a lake.
//!
//! ```text
//! statements ──names `lake.`──▶ once, on the relations over all traces ──▶ the output, or --then
//!            └─otherwise──────▶ on each trace, as `--each` does it     ──▶ the output, or --then
//! ```

mod list;
mod shell;
mod unfinished;

use tpq::{EachError, ImportOptions, LAKE_SCHEMA, Lake, LakeOptions, Session, Statement, Trace};
use tpq_output::{OutputOptions, ResultWriter, writer};

pub use self::list::list;
pub use self::shell::shell;
pub use self::unfinished::warn_of_unfinished;
use crate::command::query::QueryArgs;
use crate::each::{self, Failures, Results, Then, Traces, say};
use crate::exit::Usage;
use crate::output::Output;
use crate::row_limit::LimitedWriter;
use crate::{open, remote, results};

/// Runs statements on the traces of a lake, and writes their rows.
///
/// # Errors
/// When the lake cannot be read, or a statement fails; see [`each::run`].
pub async fn query(
    args: &QueryArgs,
    address: &str,
    sql: &str,
    output: Output,
    output_options: OutputOptions,
) -> anyhow::Result<()> {
    let lake = Lake::open(address, &LakeOptions::default()).await?;
    let filter = args.each.filter.as_deref();
    let options = session_options(args);
    let statements = Trace::without_events(&options)?.session().statements(sql)?;
    if !names_lake(&statements) {
        let traces = lake.traces(filter).await?;
        anyhow::ensure!(!traces.is_empty(), "{}", no_traces(filter));
        return each::run(args, Traces::Lake(lake, traces), sql, output, output_options).await;
    }
    let all = OverAll { args, lake: &lake, sql, options };
    let mut writer = writer(output.format().format, output.sink(), output_options);
    match &args.each.then {
        None => all.run(writer.as_mut(), args.max_shown_rows()).await?,
        Some(then) => {
            let mut shown = LimitedWriter::new(writer.as_mut(), args.max_shown_rows());
            all.run_then(then, &mut shown).await?;
            tell_if_truncated(&shown);
        }
    }
    output.finish()
}

/// Statements that run once over all traces.
struct OverAll<'a> {
    args: &'a QueryArgs,
    lake: &'a Lake,
    sql: &'a str,
    options: ImportOptions,
}

impl OverAll<'_> {
    /// Runs the statements, and writes at most `max_rows` rows of each.
    async fn run(
        &self,
        writer: &mut dyn ResultWriter,
        max_rows: Option<usize>,
    ) -> anyhow::Result<()> {
        let mut shown = LimitedWriter::new(writer, max_rows);
        let ran = self.run_remotely(&mut shown).await?;
        tell_if_truncated(&shown);
        if ran {
            return Ok(());
        }
        let session = self.session().await?;
        for statement in session.statements(self.sql)? {
            let Some(result) = session.run(&statement).await? else { continue };
            let mut shown = LimitedWriter::new(writer, max_rows);
            results::write(result, &mut shown).await?;
            tell_if_truncated(&shown);
        }
        Ok(())
    }

    /// Runs the statements, of which one has rows, and then those of `--then` over these rows.
    async fn run_then(&self, then: &str, writer: &mut dyn ResultWriter) -> anyhow::Result<()> {
        let rows = Results::create()?;
        let mut file = rows.writer()?;
        if !self.run_remotely(file.as_mut()).await? {
            self.write_only_rows(file.as_mut()).await?;
        }
        drop(file);
        let lake = Some((self.lake, self.args.each.filter.as_deref()));
        let parameters = &self.args.param;
        let then = Then { sql: then, import: &self.options, lake, parameters };
        let failures = Failures::new(self.args.import.flags.quiet);
        rows.query(&then, true, &failures, writer).await
    }

    /// Writes the rows of the one statement that has rows.
    async fn write_only_rows(&self, writer: &mut dyn ResultWriter) -> anyhow::Result<()> {
        let session = self.session().await?;
        let mut has_rows = false;
        for statement in session.statements(self.sql)? {
            let Some(result) = session.run(&statement).await? else { continue };
            if has_rows {
                let message = "several statements have rows, and --then reads those of one; combine \
                               them with UNION ALL";
                return Err(Usage(message.to_owned()).into());
            }
            has_rows = true;
            results::write(result, writer).await?;
        }
        match has_rows {
            true => Ok(()),
            false => Err(EachError::NoResult.into()),
        }
    }

    /// Runs the statements on the executors of `--cluster`. Returns whether it did.
    async fn run_remotely(&self, writer: &mut dyn ResultWriter) -> anyhow::Result<bool> {
        let Some(cluster) = self.args.each.cluster() else { return Ok(false) };
        let place = (cluster, self.lake);
        remote::run_on_relations(self.args, place, self.sql, writer).await
    }

    async fn session(&self) -> anyhow::Result<Session> {
        let filter = self.args.each.filter.as_deref();
        let session = session_of_all(self.lake, filter, &self.options).await?;
        self.args.param.iter().for_each(|parameter| parameter.set(&session));
        Ok(session)
    }
}

/// Says that there are more rows than are shown.
fn tell_if_truncated(shown: &LimitedWriter<'_>) {
    let shown = shown.shown();
    if shown.is_truncated {
        say(&format!("{}; --all shows all", shown.describe(None)));
    }
}

/// A session on the relations over the traces of a lake.
///
/// # Errors
/// When the lake cannot be read, or the filter is wrong.
pub async fn session_of_all(
    lake: &Lake,
    filter: Option<&str>,
    options: &ImportOptions,
) -> anyhow::Result<Session> {
    let options = tpq::SessionOptions {
        memory_limit: options.memory_limit,
        threads: options.threads,
        allow_files: options.allow_files,
        ..tpq::SessionOptions::default()
    };
    Ok(lake.session_of_all(filter, &options).await?)
}

/// Whether statements name tables of the relations over all traces.
pub fn names_lake(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| statement.names_schema(LAKE_SCHEMA))
}

/// The import options that sessions have.
fn session_options(args: &QueryArgs) -> ImportOptions {
    ImportOptions {
        sql_packages: args.import.add_sql_package.clone(),
        ..open::options(&args.import.flags)
    }
}

fn no_traces(filter: Option<&str>) -> String {
    match filter {
        Some(filter) => format!("the lake has no trace with {filter}"),
        None => "the lake has no traces".to_owned(),
    }
}
