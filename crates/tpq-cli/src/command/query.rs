//! `tpq query`: runs statements and prints their results.

use std::io::Read;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use tpq_output::{Format, OutputOptions, writer};

use crate::args::ImportArgs;
use crate::{open, results};

const EXAMPLES: &str = "\
Examples:
  tpq query trace.pftrace -c 'SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 10'
  tpq query trace.pftrace -f analysis.sql --format csv -o result.csv
  echo 'SELECT count(*) FROM sched' | tpq query trace.pftrace -f -
  tpq query trace.pftrace -c 'SELECT * FROM counter' -o counter.parquet";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct QueryArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// The statements, separated by semicolons
    #[arg(short, long, value_name = "SQL", required_unless_present = "file")]
    pub command: Option<String>,

    /// A file with the statements; - is stdin
    #[arg(short, long, value_name = "FILE", conflicts_with = "command")]
    pub file: Option<PathBuf>,

    /// How to print: table, csv, tsv, json, ndjson, markdown, arrow, parquet
    /// [default: by the name given with -o; else table on a terminal and csv elsewhere]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// Write to a file instead of stdout
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
}

pub async fn run(args: QueryArgs) -> anyhow::Result<()> {
    let output = args.output.as_deref();
    let format = args.format.unwrap_or_else(|| results::default_format(output));
    results::refuse_binary_on_terminal(format, output)?;
    // Read first: a mistyped file name should not cost the time of an import.
    let sql = statements(&args)?;
    let options = OutputOptions {
        null: args.null.clone(),
        header: !args.no_header,
        max_rows: args.max_rows,
        ..OutputOptions::default()
    };
    open::with_trace(&args.import, async |trace| {
        let mut writer = writer(format, results::sink(output)?, options);
        results::run_script(&trace, &sql, writer.as_mut()).await
    })
    .await
}

fn statements(args: &QueryArgs) -> anyhow::Result<String> {
    match (&args.command, &args.file) {
        (Some(sql), _) => Ok(sql.clone()),
        (None, Some(path)) if path.as_os_str() == "-" => {
            let mut sql = String::new();
            std::io::stdin().read_to_string(&mut sql).context("cannot read stdin")?;
            Ok(sql)
        }
        (None, Some(path)) => {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        }
        (None, None) => Ok(String::new()),
    }
}
