//! `tpq query`: runs statements and prints their results.

use std::io::{IsTerminal, Read, Write, stderr, stdin, stdout};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use tpq::Trace;
use tpq_output::{FileFormat, Format, OutputOptions, writer};

use crate::args::ImportArgs;
use crate::exit::Usage;
use crate::output::{Destination, Output};
use crate::query_progress::QueryProgress;
use crate::terminal::Style;
use crate::{export, metatrace, open, row_limit};

const EXAMPLES: &str = "\
Examples:
  tpq query trace.pftrace -c 'SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 10'
  tpq query trace.pftrace -f analysis.sql --format csv -o result.csv
  echo 'SELECT count(*) FROM sched' | tpq query trace.pftrace
  tpq query trace.pftrace -c 'SELECT * FROM counter' -o counter.parquet";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct QueryArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// The statements, separated by semicolons [default: read from stdin]
    #[arg(short, long, value_name = "SQL")]
    pub command: Option<String>,

    /// A file with the statements; - is stdin
    #[arg(short, long, value_name = "FILE", conflicts_with = "command")]
    pub file: Option<PathBuf>,

    /// How to print: table, csv, tsv, json, ndjson, markdown, arrow, parquet, also when the name
    /// given with -o ends otherwise; csv.gz and csv.zst (likewise for other text) compress
    /// [default: by the ending of -o, as .csv, .jsonl.gz or .parquet; without -o, table on a
    /// terminal and csv elsewhere]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FileFormat>,

    /// Write to a file instead of stdout, which is -. The file appears, or is replaced, once all
    /// statements have succeeded
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// What to print for NULL [default: NULL in tables, nothing elsewhere]
    #[arg(long, value_name = "TEXT")]
    pub null: Option<String>,

    /// Leave out the names of the columns (table, csv, tsv)
    #[arg(long)]
    pub no_header: bool,

    /// The most rows a table shows
    #[arg(long, value_name = "N")]
    pub max_rows: Option<usize>,

    /// Print all rows on a terminal, too, which otherwise gets a screenful of each result
    #[arg(long)]
    pub all: bool,
}

impl QueryArgs {
    /// Whether anything says that there are statements to run, rather than a shell to start.
    pub fn asks(&self) -> bool {
        self.command.is_some()
            || self.file.is_some()
            || self.output.is_some()
            || self.format.is_some()
            || self.null.is_some()
            || self.max_rows.is_some()
            || self.no_header
            || self.all
    }

    /// The most rows of a result to print.
    fn most_rows(&self) -> Option<usize> {
        match self.all || self.output.is_some() || self.max_rows.is_some() {
            true => None,
            false => self.import.config.limit.unwrap_or_default().on_terminal(),
        }
    }
}

pub async fn run(args: QueryArgs) -> anyhow::Result<()> {
    let destination = Destination::of(args.output.as_deref())?;
    destination.refuse(args.import.files().chain(args.file.as_deref()))?;
    metatrace::refuse(args.import.how.metatrace.as_deref(), args.file.as_deref())?;
    let on_terminal = args.output.is_none() && stdout().is_terminal();
    let mode = args.import.config.mode.filter(|_| on_terminal).map(FileFormat::from);
    let chosen = args.format.or(mode);
    let format = destination.format(chosen)?;
    // Before the import: a mistyped file name should not cost its time.
    let sql = statements(&args)?;
    let output = Output::create(&destination, format)?;
    open::with_trace(&args.import, async |trace| {
        let trace = Arc::new(trace);
        let options = OutputOptions {
            null: args.null.clone(),
            header: !args.no_header,
            max_rows: args.max_rows,
            metadata: export::of_query(&trace, format).await?,
            ..OutputOptions::default()
        };
        let mut writer = writer(format.format, output.sink(), options);
        // Counting rows may hold the trace for longer than the process lives, which is to be long
        // enough for the cache.
        let _kept = WaitUntilKept(&trace);
        for statement in trace.session().statements(&sql)? {
            let mut progress = QueryProgress::start(args.import.how.quiet);
            let prints = on_terminal && format.format != Format::Table;
            let mut counted = progress.counted(writer.as_mut(), prints);
            let shown = row_limit::run(&trace, &statement, &mut counted, args.most_rows()).await?;
            drop(counted);
            drop(progress);
            if shown.is_cut {
                let all = row_limit::count(&trace, &statement).await;
                let text = format!("{}; --all shows all", shown.words(all));
                // A remark that cannot be printed is no reason to stop.
                let _ = writeln!(stderr(), "{}", Style::of_stderr().dim(&text));
            }
        }
        output.finish()
    })
    .await
}

/// Waits until the cache has the tables, however the statements end.
struct WaitUntilKept<'a>(&'a Trace);

impl Drop for WaitUntilKept<'_> {
    fn drop(&mut self) {
        self.0.wait_until_kept();
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
