//! `tpq export`: tables, or the result of a query, as files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use tpq::Trace;
use tpq_output::{Format, OutputOptions, writer};

use crate::args::ImportArgs;
use crate::exit::Usage;
use crate::terminal::Style;
use crate::{open, results};

const EXAMPLES: &str = "\
Examples:
  tpq export trace.pftrace -o tables/                           every table that has rows
  tpq export trace.pftrace -o tables/ --tables sched,thread     some of them
  tpq export trace.pftrace -o top.csv --format csv --query 'SELECT * FROM slice LIMIT 9'";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// The folder for the tables, or the file for the result of --query
    #[arg(short, long, value_name = "DEST")]
    pub output: PathBuf,

    /// The format of the files
    #[arg(long, value_enum, default_value = "parquet")]
    pub format: FileFormat,

    /// Only these tables or views, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tables: Option<Vec<String>>,

    /// The result of this statement, in place of tables
    #[arg(long, value_name = "SQL", conflicts_with = "tables")]
    pub query: Option<String>,
}

/// The formats that files of a table can have.
#[derive(Clone, Copy, ValueEnum)]
pub enum FileFormat {
    Parquet,
    Arrow,
    Csv,
}

impl FileFormat {
    fn format(self) -> Format {
        match self {
            Self::Parquet => Format::Parquet,
            Self::Arrow => Format::Arrow,
            Self::Csv => Format::Csv,
        }
    }
}

pub async fn run(args: ExportArgs) -> anyhow::Result<()> {
    open::with_trace(&args.import, async |trace| export(&args, &trace).await).await
}

async fn export(args: &ExportArgs, trace: &Trace) -> anyhow::Result<()> {
    let format = args.format.format();
    if let Some(sql) = &args.query {
        let sink = results::sink(Some(&args.output))?;
        let mut writer = writer(format, sink, OutputOptions::default());
        let rows = results::query(trace, sql, writer.as_mut()).await?;
        tell(args.import.how.quiet, &args.output, rows);
        return Ok(());
    }
    let names = match &args.tables {
        Some(names) => known(trace, names)?,
        None => with_rows(trace),
    };
    fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create the folder {}", args.output.display()))?;
    for name in names {
        let path = args.output.join(format!("{name}.{format}"));
        let rows = export_table(trace, &name, &path, format).await?;
        tell(args.import.how.quiet, &path, rows);
    }
    Ok(())
}

/// The names, after making sure that each is one.
fn known(trace: &Trace, names: &[String]) -> anyhow::Result<Vec<String>> {
    let all = trace.session().table_names();
    let names = names.iter().map(|name| name.trim().to_lowercase()).collect::<Vec<_>>();
    match names.iter().find(|name| !all.contains(name)) {
        Some(name) => Err(Usage(format!("no table or view is called `{name}`")).into()),
        None => Ok(names),
    }
}

fn with_rows(trace: &Trace) -> Vec<String> {
    let tables = trace.tables().iter().filter(|table| table.num_rows() > 0);
    tables.map(|table| table.decl().name.to_owned()).collect()
}

async fn export_table(
    trace: &Trace,
    name: &str,
    path: &Path,
    format: Format,
) -> anyhow::Result<usize> {
    let in_time = trace.tables().get(name).is_some_and(|table| {
        table.decl().column_index("ts").is_some_and(|ts| table.is_sorted_by(ts))
    });
    let options =
        OutputOptions { sorted_by: in_time.then(|| "ts".to_owned()), ..OutputOptions::default() };
    let mut writer = writer(format, results::sink(Some(path))?, options);
    results::query(trace, &format!("SELECT * FROM {name}"), writer.as_mut())
        .await
        .with_context(|| format!("cannot write {}", path.display()))
}

fn tell(quiet: bool, path: &Path, rows: usize) {
    if !quiet {
        let style = Style::of_stderr();
        let rows = format!("{rows} rows");
        // A message that cannot be printed is no reason to stop.
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("{} {}\n", path.display(), style.dim(&rows)),
        );
    }
}
