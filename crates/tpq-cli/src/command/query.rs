//! `tpq query`: runs statements and prints their results.

use std::io::{IsTerminal, Read, Write, stderr, stdin, stdout};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use tpq::Trace;
use tpq_output::{FileFormat, Format, OutputOptions, writer};

use crate::args::ImportArgs;
use crate::each::{self, EachArgs, Traces};
use crate::exit::Usage;
use crate::output::{Destination, Output};
use crate::parameter::Parameter;
use crate::query_progress::QueryProgress;
use crate::terminal::Style;
use crate::{export, lake, metatrace, open, row_limit};

const EXAMPLES: &str = "\
Examples:
  tpq query trace.pftrace -c 'SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 10'
  tpq query trace.pftrace -f analysis.sql --format csv -o result.csv
  echo 'SELECT count(*) FROM sched' | tpq query trace.pftrace
  tpq query trace.pftrace -c 'SELECT * FROM counter' -o counter.parquet
  tpq query trace.pftrace -f slow.sql --param name=drawFrame --param limit=10
  tpq query 'runs/**/*.pftrace' --each -c 'SELECT count(*) AS n FROM slice' -o counts.csv
  tpq query --lake lake/ --where \"day = '2026-03-31'\" -c 'SELECT count(*) AS n FROM slice'
  tpq query --lake lake/ -c 'SELECT device, count(*) FROM lake.slice GROUP BY device'";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct QueryArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// SQL statements to run, separated by semicolons [default: read from stdin]
    #[arg(short, long, value_name = "SQL", short_alias = 'Q', alias = "query-string")]
    pub command: Option<String>,

    /// File with the SQL statements to run; - is stdin
    #[arg(short, long, value_name = "FILE", alias = "query-file", conflicts_with = "command")]
    pub file: Option<PathBuf>,

    /// Let $NAME and :NAME in the statements stand for V: NULL, an integer or a real if V looks like
    /// one, otherwise a text; can be repeated
    #[arg(long, value_name = "NAME=V")]
    pub param: Vec<Parameter>,

    /// Output format: table, csv, tsv, json, ndjson, markdown, arrow or parquet; text formats take
    /// a suffix .gz or .zst, such as csv.gz. Overrides the file extension of -o [default: from the
    /// file extension of -o, such as .csv, .jsonl.gz or .parquet; without -o, table on a terminal
    /// and csv elsewhere]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FileFormat>,

    /// Write to this file instead of stdout (-). The file is created or replaced only after all
    /// statements have succeeded
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Text to print for NULL [default: NULL in tables, empty elsewhere]
    #[arg(long, value_name = "TEXT")]
    pub null: Option<String>,

    /// Omit the header with the column names (table, csv, tsv)
    #[arg(long)]
    pub no_header: bool,

    /// Maximum number of rows that a table shows
    #[arg(long, value_name = "N")]
    pub max_rows: Option<usize>,

    /// Print all rows on a terminal too; by default, a terminal gets one screen of rows per result
    #[arg(long)]
    pub all: bool,

    #[command(flatten)]
    pub each: EachArgs,
}

impl QueryArgs {
    /// Whether any argument shows that there are statements to run instead of a shell to start.
    pub fn has_query_options(&self) -> bool {
        self.command.is_some()
            || self.file.is_some()
            || !self.param.is_empty()
            || self.output.is_some()
            || self.format.is_some()
            || self.null.is_some()
            || self.max_rows.is_some()
            || self.no_header
            || self.all
            || self.each.each
    }

    /// The maximum number of rows of a result to print.
    pub fn max_shown_rows(&self) -> Option<usize> {
        match self.all || self.output.is_some() || self.max_rows.is_some() {
            true => None,
            false => self.import.config.limit.unwrap_or_default().on_terminal(),
        }
    }
}

pub async fn run(mut args: QueryArgs) -> anyhow::Result<()> {
    // Traces conflict with a lake, and clap requires nothing that conflicts with an argument.
    if args.each.filter.is_some() && args.each.lake.is_none() {
        return Err(Usage("--where chooses traces of a lake; add --lake".to_owned()).into());
    }
    if args.each.each {
        args.import.traces = each::expand(&args.import.traces)?;
    }
    let destination = Destination::of(args.output.as_deref())?;
    destination.ensure_not_any_of(args.import.files().chain(args.file.as_deref()))?;
    metatrace::ensure_not_any_of(args.import.flags.metatrace.as_deref(), args.file.as_deref())?;
    let on_terminal = args.output.is_none() && stdout().is_terminal();
    let mode = args.import.config.mode.filter(|_| on_terminal).map(FileFormat::from);
    let chosen = args.format.or(mode);
    let format = destination.format(chosen)?;
    // Before the import: a mistyped file name should not cost its time.
    let sql = statements(&args)?;
    let output = Output::create(&destination, format)?;
    let options = OutputOptions {
        null: args.null.clone(),
        header: !args.no_header,
        max_rows: args.max_rows,
        threads: args.import.flags.threads(),
        ..OutputOptions::default()
    };
    if args.each.each {
        let traces = Traces::Files(args.import.traces.clone());
        return each::run(&args, traces, &sql, output, options).await;
    }
    if let Some(lake) = &args.each.lake {
        return lake::query(&args, lake, &sql, output, options).await;
    }
    explain_merge(&args.import);
    open::with_statements(&args.import, &sql, async |trace| {
        let trace = Arc::new(trace);
        let metadata = export::of_query(&trace, format).await?;
        let options = OutputOptions { metadata, ..options };
        let mut writer = writer(format.format, output.sink(), options);
        // A count of rows may still hold the trace when the process ends, so dropping the trace
        // does not wait for the cache.
        let _wait = WaitUntilCached(&trace);
        // The process ends after the statements and frees all memory at once.
        std::mem::forget(Arc::clone(&trace));
        args.param.iter().for_each(|parameter| parameter.set(trace.session()));
        for statement in trace.session().statements(&sql)? {
            let mut progress = QueryProgress::start(args.import.flags.quiet);
            let prints = on_terminal && format.format != Format::Table;
            let mut counted = progress.counted(writer.as_mut(), prints);
            let shown =
                row_limit::run(&trace, &statement, &mut counted, args.max_shown_rows()).await?;
            drop(counted);
            drop(progress);
            if shown.is_truncated {
                let all = row_limit::count(&trace, &statement).await;
                let text = format!("{}; --all shows all", shown.describe(all));
                // A message that cannot be printed is not an error.
                let _ = writeln!(stderr(), "{}", Style::of_stderr().dim(&text));
            }
        }
        output.finish()
    })
    .await
}

/// Says that several files are merged, and what the other way is.
fn explain_merge(import: &ImportArgs) {
    let files = import.traces.len();
    if files > 1 && !import.flags.quiet {
        let text = format!(
            "merging {files} files onto one timeline; --each runs the statements on each file"
        );
        // A message that cannot be printed is not an error.
        let _ = writeln!(stderr(), "{}", Style::of_stderr().dim(&text));
    }
}

/// Waits until the cache has the tables, whether or not the statements succeed.
struct WaitUntilCached<'a>(&'a Trace);

impl Drop for WaitUntilCached<'_> {
    fn drop(&mut self) {
        self.0.wait_until_cached();
    }
}

fn statements(args: &QueryArgs) -> anyhow::Result<String> {
    match (&args.command, &args.file) {
        (Some(sql), _) => Ok(sql.clone()),
        (None, Some(path)) if path.as_os_str() == "-" => from_stdin(args),
        (None, Some(path)) => {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        }
        (None, None) => from_stdin(args),
    }
}

fn from_stdin(args: &QueryArgs) -> anyhow::Result<String> {
    let usage = |message: &str| Err(Usage(message.to_owned()).into());
    if args.import.traces.iter().any(|trace| trace.as_os_str() == "-") {
        return usage("stdin is the trace; give the statements with -c or -f");
    }
    if args.file.is_none() && stdin().is_terminal() {
        return usage("no statements; give them with -c or -f, or on stdin");
    }
    let mut sql = String::new();
    stdin().read_to_string(&mut sql).context("cannot read stdin")?;
    if args.file.is_none() && sql.trim().is_empty() {
        return usage("no statements; give them with -c or -f, or on stdin");
    }
    Ok(sql)
}
