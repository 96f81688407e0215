//! `tpq export`: writes tables, views, or the result of a query to files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use tpq::Trace;
use tpq_output::{FileFormat, FileMetadata, Format, OutputOptions, writer};

use crate::args::ImportArgs;
use crate::exit::Usage;
use crate::export::{Selected, each_at_once, include, names_of, of_query, of_table, selected};
use crate::output::{Destination, Output};
use crate::terminal::Style;
use crate::{open, results};

const EXAMPLES: &str = "\
Examples:
  tpq export trace.pftrace -o tables/                           every table that has rows
  tpq export trace.pftrace -o tables/ --tables sched,thread     some of them
  tpq export trace.pftrace -o sched.csv.gz --tables sched       one of them, as one file
  tpq export trace.pftrace -o tables/ --module android.startup.startups
  tpq export trace.pftrace -o top.csv --query 'SELECT * FROM slice LIMIT 9'

Each file is created or replaced once it is complete. Parquet and Arrow files contain the clock of
ts, the uuid of the trace and the meaning of each column; docs/export.md lists the keys.";

/// The tables that are exported to a folder at the same time. While rows of one are read, or its file
/// is synced to disk, columns of the other are encoded on all threads.
const TABLES_AT_ONCE: usize = 2;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// Folder for the tables, or file for one table or the result of --query; - is stdout. The
    /// name of a new folder has no extension, or ends in /
    #[arg(short, long, value_name = "DEST")]
    pub output: PathBuf,

    /// Output format: parquet, arrow, csv, tsv, json, ndjson or markdown; text formats take a
    /// suffix .gz or .zst, such as csv.gz. Overrides the file extension [default: parquet in a
    /// folder; for a file, from its extension, such as .csv, .jsonl.gz or .parquet]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FileFormat>,

    /// Export only these tables or views, separated by commas, even if they have no rows
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tables: Option<Vec<String>>,

    /// Export all views, in addition to the tables and the track views that are exported by default
    #[arg(long, conflicts_with_all = ["tables", "query"])]
    pub all_views: bool,

    /// Include this module and, unless --tables or --query is given, export its tables and views
    /// too; NAME.* includes all modules below NAME; can be repeated
    #[arg(long, value_name = "NAME")]
    pub module: Vec<String>,

    /// Export the result of this statement instead of tables
    #[arg(long, value_name = "SQL", conflicts_with = "tables")]
    pub query: Option<String>,
}

/// The target of an export.
enum ExportTarget {
    /// One file, or stdout.
    File(Destination, FileFormat),
    /// A folder with one file per table.
    Folder(PathBuf, FileFormat),
}

pub async fn run(args: ExportArgs) -> anyhow::Result<()> {
    // Checked before the import, so that an unwritable target does not cost its time.
    match export_target(&args)? {
        ExportTarget::File(destination, format) => {
            let output = Output::create(&destination, format)?;
            let work = async |trace| to_file(&args, &trace, &destination, output).await;
            open::with_trace(&args.import, work).await
        }
        ExportTarget::Folder(folder, format) => {
            let work = async |trace| to_folder(&args, &trace, &folder, format).await;
            open::with_trace(&args.import, work).await
        }
    }
}

/// Returns the target of an export, after checking that it can be written.
fn export_target(args: &ExportArgs) -> anyhow::Result<ExportTarget> {
    let path = &args.output;
    if args.query.is_none() && is_folder(path) {
        let format = args.format.unwrap_or(Format::Parquet.into());
        if format.format == Format::Table {
            let message = "a table with borders is for people; export csv or markdown".to_owned();
            return Err(Usage(message).into());
        }
        // A name that ends in a slash is never a file.
        let named: PathBuf = path.components().collect();
        anyhow::ensure!(path.is_dir() || !named.exists(), "{} is not a folder", named.display());
        return Ok(ExportTarget::Folder(path.clone(), format));
    }
    let destination = Destination::of(Some(path))?;
    destination.ensure_not_any_of(args.import.files())?;
    let format = destination.format_or(args.format, extension_advice(args))?;
    if !has_one_result(args) {
        let message = format!(
            "{destination} takes one table; name it with --tables, or a folder, such as tables/"
        );
        return Err(Usage(message).into());
    }
    Ok(ExportTarget::File(destination, format))
}

/// Whether the export has one result set, as a file requires.
fn has_one_result(args: &ExportArgs) -> bool {
    args.query.is_some() || args.tables.as_ref().is_some_and(|names| names.len() == 1)
}

/// Whether a path means a folder of tables: an existing folder, a path that ends in a slash, or a
/// new name without an extension.
fn is_folder(path: &Path) -> bool {
    let ends_in_slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    // `.csv` is a file in a known format, although the standard library sees no extension.
    let has_extension = path.extension().is_some() || FileFormat::of_path(path).is_ok();
    let is_new_folder = !has_extension && path.as_os_str() != "-" && !path.exists();
    ends_in_slash || path.is_dir() || is_new_folder
}

/// The advice in the error about an unknown file extension.
fn extension_advice(args: &ExportArgs) -> &'static str {
    let is_new = !args.output.exists();
    match (has_one_result(args), args.query.is_none() && is_new) {
        (true, true) => "pass --format, or end the name with / for a folder",
        (true, false) => "pass --format",
        (false, true) => "end the name with / for a folder",
        (false, false) => "name a folder, such as tables/",
    }
}

/// Exports one table or the result of a query.
async fn to_file(
    args: &ExportArgs,
    trace: &Trace,
    destination: &Destination,
    output: Output,
) -> anyhow::Result<()> {
    include(trace.session(), &args.module).await?;
    let metadata = of_query(trace, output.format()).await?;
    let rows = match (&args.query, &args.tables) {
        (Some(sql), _) => {
            let threads = args.import.flags.threads();
            let options = OutputOptions { metadata, threads, ..OutputOptions::default() };
            let mut writer = writer(output.format().format, output.sink(), options);
            results::query(trace, sql, writer.as_mut()).await?
        }
        (None, names) => {
            let names = names_of(trace.session(), names.as_deref().unwrap_or_default())?;
            let name = names.first().context("no table is named")?;
            write_table(trace, name, &output, &metadata, args.import.flags.threads()).await?
        }
    };
    output.finish()?;
    if !matches!(destination, Destination::Stdout) {
        report_file(args.import.flags.quiet, destination, rows);
    }
    Ok(())
}

/// Exports tables and views, each to a file in a folder.
async fn to_folder(
    args: &ExportArgs,
    trace: &Trace,
    folder: &Path,
    format: FileFormat,
) -> anyhow::Result<()> {
    let modules = include(trace.session(), &args.module).await?;
    let selected = match &args.tables {
        Some(names) => {
            let named = |name| Selected { name, even_empty: true };
            names_of(trace.session(), names)?.into_iter().map(named).collect()
        }
        None => selected(trace, args.all_views, &modules),
    };
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let mut files = Vec::new();
    for Selected { name, even_empty } in selected {
        let path = folder.join(format!("{name}.{}", format.ending()));
        let destination = Destination::of(Some(&path))?;
        destination.ensure_not_any_of(args.import.files())?;
        files.push(TableFile { name, even_empty, destination });
    }
    let metadata = of_query(trace, format).await?;
    let flags = &args.import.flags;
    let write =
        async |file: &TableFile| write_file(trace, file, format, &metadata, flags.threads()).await;
    let report = |file: &TableFile, rows: Option<usize>| {
        if let Some(rows) = rows {
            report_file(flags.quiet, &file.destination, rows);
        }
    };
    if flags.threads() == 1 || flags.memory_limit.is_some() {
        for file in &files {
            report(file, write(file).await?);
        }
        return Ok(());
    }
    let size = |file: &TableFile| trace.tables().get(&file.name).map_or(0, |it| it.num_rows());
    each_at_once(TABLES_AT_ONCE, &files, size, write, report)
}

/// A table that is exported to a file of a folder.
struct TableFile {
    name: String,
    even_empty: bool,
    destination: Destination,
}

/// Writes the file of a table, and returns the number of rows; `None` if there is none as it would
/// be empty.
async fn write_file(
    trace: &Trace,
    file: &TableFile,
    format: FileFormat,
    metadata: &FileMetadata,
    threads: usize,
) -> anyhow::Result<Option<usize>> {
    let output = Output::create(&file.destination, format)?;
    let rows = write_table(trace, &file.name, &output, metadata, threads).await?;
    let has_file = rows > 0 || file.even_empty;
    if has_file {
        output.finish()?;
    }
    Ok(has_file.then_some(rows))
}

/// Writes the rows of a table or view, and returns their number.
async fn write_table(
    trace: &Trace,
    name: &str,
    output: &Output,
    metadata: &FileMetadata,
    threads: usize,
) -> anyhow::Result<usize> {
    let in_time = trace.tables().get(name).is_some_and(|table| {
        table.decl().column_index("ts").is_some_and(|ts| table.is_sorted_by(ts))
    });
    let format = output.format().format;
    let metadata = match format.is_binary() {
        true => of_table(trace, name, metadata),
        false => FileMetadata::default(),
    };
    let sorted_by = in_time.then(|| "ts".to_owned());
    let options = OutputOptions { sorted_by, metadata, threads, ..OutputOptions::default() };
    let mut writer = writer(format, output.sink(), options);
    results::query(trace, &format!("SELECT * FROM {name}"), writer.as_mut())
        .await
        .with_context(|| format!("cannot export {name}"))
}

fn report_file(quiet: bool, destination: &Destination, rows: usize) {
    if !quiet {
        let style = Style::of_stderr();
        let rows = format!("{rows} {}", if rows == 1 { "row" } else { "rows" });
        // A message that cannot be printed is not an error.
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("{destination} {}\n", style.dim(&rows)),
        );
    }
}
