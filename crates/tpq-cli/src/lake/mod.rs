//! Statements on a lake.
//!
//! ```text
//! statements ──names `lake.`──▶ once, on the relations over all traces ──▶ the output
//!            └─otherwise──────▶ on each trace, as `--each` does it     ──▶ the output, or --then
//! ```

mod list;
mod shell;
mod unfinished;

use tpq::{ImportOptions, LAKE_SCHEMA, Lake, LakeOptions, Session, Trace};
use tpq_output::{OutputOptions, writer};

pub use self::list::list;
pub use self::shell::shell;
pub use self::unfinished::warn_of_unfinished;
use crate::command::query::QueryArgs;
use crate::each::{self, Traces, say};
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
    if !names_lake(&options, sql)? {
        let traces = lake.traces(filter).await?;
        anyhow::ensure!(!traces.is_empty(), "{}", no_traces(filter));
        return each::run(args, Traces::Lake(lake, traces), sql, output, output_options).await;
    }
    if args.each.then.is_some() {
        let message = format!(
            "--then combines the rows of each trace, and statements with {LAKE_SCHEMA}. run over all \
             of them"
        );
        return Err(Usage(message).into());
    }
    if let Some(cluster) = &args.each.cluster {
        let mut writer = writer(output.format().format, output.sink(), output_options.clone());
        let mut shown = LimitedWriter::new(writer.as_mut(), args.max_shown_rows());
        let place = (cluster.as_str(), &lake);
        if remote::run_on_relations(args, place, sql, &mut shown).await? {
            tell_if_truncated(&shown);
            return output.finish();
        }
    }
    let session = session_of_all(&lake, filter, &options).await?;
    args.param.iter().for_each(|parameter| parameter.set(&session));
    let mut writer = writer(output.format().format, output.sink(), output_options);
    for statement in session.statements(sql)? {
        let Some(result) = session.run(&statement).await? else { continue };
        let mut shown = LimitedWriter::new(writer.as_mut(), args.max_shown_rows());
        results::write(result, &mut shown).await?;
        tell_if_truncated(&shown);
    }
    output.finish()
}

/// Says that there are more rows than are shown.
fn tell_if_truncated(shown: &LimitedWriter<'_>) {
    let shown = shown.shown();
    if shown.is_truncated {
        say(&format!("{}; --all shows all", shown.describe(None)));
    }
}

/// A session on the relations over the traces of a lake.
async fn session_of_all(
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
fn names_lake(options: &ImportOptions, sql: &str) -> anyhow::Result<bool> {
    let statements = Trace::without_events(options)?.session().statements(sql)?;
    Ok(statements.iter().any(|statement| statement.names_schema(LAKE_SCHEMA)))
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
