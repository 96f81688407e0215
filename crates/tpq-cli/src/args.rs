//! Command-line arguments.

use std::path::{Path, PathBuf};

use clap::{Arg, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use tpq::{ImportOptions, SqlPackage, TableCache};

use crate::command::check::CheckArgs;
use crate::command::clocks::ClocksArgs;
use crate::command::cluster::ClusterArgs;
use crate::command::completions::CompletionsArgs;
use crate::command::export::ExportArgs;
use crate::command::info::InfoArgs;
use crate::command::ingest::IngestArgs;
use crate::command::lake::{LakeAction, LakeArgs};
use crate::command::man::ManArgs;
use crate::command::merge::MergeArgs;
use crate::command::query::QueryArgs;
use crate::command::report::ReportArgs;
use crate::command::serve::ServeArgs;
use crate::command::shell::ShellArgs;
use crate::command::summarize::SummarizeArgs;
use crate::config::Config;

const EXAMPLES: &str = "\
Examples:
  tpq trace.pftrace                                    run SQL at a prompt
  tpq trace.pftrace -c 'SELECT * FROM slice'           run a statement
  tpq query trace.pftrace -f report.sql -o rows.csv    run a script
  tpq export trace.pftrace -o tables/                  every table as Parquet
  tpq report trace.pftrace -o report.html              health and charts as one file
  tpq info trace.pftrace                               what is in the trace
  tpq check trace.pftrace                              lost data and how to avoid it
  tpq query phone.pftrace watch.pftrace -f both.sql    two traces on one timeline
  tpq serve trace.pftrace                              for ui.perfetto.dev and Python
  tpq ingest 'runs/*.pftrace' --lake lake/             thousands of traces, for query --lake

Calls of trace_processor_shell are understood: -D or --httpd is `serve`, -q FILE.sql is
`query -f FILE.sql`, -Q SQL is `query -c SQL`, `server http` and `server unix` are `serve`.

Exit status: 0 on success, 1 when a query or an import failed, 2 on bad usage,
130 after Ctrl-C.";

/// SQL on performance traces.
#[derive(Parser)]
#[command(
    name = "tpq",
    version,
    about,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub query: QueryArgs,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run SQL at an interactive prompt (the default when only traces are given)
    Shell(ShellArgs),
    /// Run SQL statements and print their results
    Query(QueryArgs),
    /// Write tables, or the result of a query, to files
    Export(ExportArgs),
    /// Answer the Perfetto UI, its Python package, and other programs
    Serve(Box<ServeArgs>),
    /// Compute the metrics of a trace summary specification
    Summarize(SummarizeArgs),
    /// Write the health and charts of a trace as one HTML file
    Report(ReportArgs),
    /// Show what is in a trace
    Info(InfoArgs),
    /// Report lost data and how to avoid it; exit status 1 when data was lost
    Check(CheckArgs),
    /// Show the clocks and how each one converts to trace time
    Clocks(ClocksArgs),
    /// Pack traces into one file and report what cannot be placed on the timeline
    Merge(MergeArgs),
    /// Run a scheduler or an executor, for queries and imports on many machines
    Cluster(ClusterArgs),
    /// Import traces into a lake: the tables of thousands of traces as Parquet files
    Ingest(IngestArgs),
    /// List, delete and compact the traces of a lake
    Lake(LakeArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
}

impl ImportFlags {
    /// The number of threads: all cores, unless an argument or a setting gives it.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores)
    }
}

/// The commands as they are parsed: a lake takes the place of traces.
pub fn command() -> clap::Command {
    let traces =
        |arg: Arg| arg.required(false).required_unless_present("lake").conflicts_with("lake");
    let on_lake = |command: clap::Command| command.mut_arg("traces", traces);
    let tpq = on_lake(Cli::command());
    tpq.mut_subcommand("query", on_lake).mut_subcommand("shell", on_lake)
}

impl Cli {
    /// The number of threads, if an argument or a setting gives it.
    pub fn threads(&mut self) -> Option<usize> {
        self.import().and_then(|(flags, _)| flags.threads)
    }

    /// Applies the user's settings to arguments that were not given.
    ///
    /// # Errors
    /// When the settings cannot be read or are invalid.
    pub fn configure(&mut self) -> anyhow::Result<()> {
        if let Some(Command::Lake(LakeArgs { action: LakeAction::Compact(args) })) =
            &mut self.command
        {
            args.memory_limit = args.memory_limit.or(Config::load()?.memory_limit);
            return Ok(());
        }
        let Some((flags, settings)) = self.import() else { return Ok(()) };
        let config = Config::load()?;
        flags.memory_limit = flags.memory_limit.or(config.memory_limit);
        flags.threads = flags.threads.or(config.threads);
        if let Some(settings) = settings {
            *settings = config;
        }
        Ok(())
    }

    /// The import flags, and the settings of commands that open traces. `None` for a command that
    /// imports nothing.
    fn import(&mut self) -> Option<(&mut ImportFlags, Option<&mut Config>)> {
        let import = match &mut self.command {
            Some(Command::Shell(args)) => &mut args.import,
            Some(Command::Query(args)) => &mut args.import,
            Some(Command::Export(args)) => &mut args.import,
            Some(Command::Serve(args)) => &mut args.import,
            Some(Command::Summarize(args)) => &mut args.import,
            Some(Command::Report(args)) => &mut args.import,
            Some(Command::Info(args)) => &mut args.import,
            Some(Command::Check(args)) => &mut args.import,
            Some(Command::Clocks(args)) => &mut args.import,
            Some(Command::Merge(args)) => return Some((&mut args.flags, None)),
            Some(Command::Ingest(args)) => return Some((&mut args.flags, None)),
            Some(
                Command::Cluster(_) | Command::Completions(_) | Command::Man(_) | Command::Lake(_),
            ) => return None,
            None => &mut self.query.import,
        };
        Some((&mut import.flags, Some(&mut import.config)))
    }
}

/// The traces and how to import them, for every command that opens traces.
#[derive(Args, Clone)]
pub struct ImportArgs {
    /// Traces to merge onto one timeline: files (plain, gzip, zstd, ZIP or TAR), a
    /// perfetto_manifest that describes how they relate, or - for stdin
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,

    #[command(flatten)]
    pub flags: ImportFlags,

    /// Fail when any data in the trace was lost or not understood
    #[arg(long, help_heading = "Import options")]
    pub strict: bool,

    /// Import again and store nothing in the cache. By default, the tables of traces of 1 MiB or
    /// more are kept for the next run, in the user's cache folder or TPQ_CACHE_DIR, up to 8 GiB or
    /// TPQ_CACHE_SIZE in total
    #[arg(long, help_heading = "Import options")]
    pub no_cache: bool,

    /// Make all tables before the first statement runs. By default, an import, and the cache, leave
    /// out kernel events, args, thread states, counts and tracks if no statement names them; a
    /// statement that reads them after all has the trace imported again
    #[arg(long, help_heading = "Import options")]
    pub eager: bool,

    /// Folder of SQL modules for INCLUDE PERFETTO MODULE, under the name of the folder or NAME; can
    /// be repeated
    #[arg(long, value_name = "DIR[@NAME]", help_heading = "Import options")]
    pub add_sql_package: Vec<SqlPackage>,

    /// The user's settings.
    #[arg(skip)]
    pub config: Config,
}

impl ImportArgs {
    /// The files that are read or written in addition to the output of a command.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.traces
            .iter()
            .chain(&self.flags.symbols)
            .chain(&self.flags.metatrace)
            .map(PathBuf::as_path)
    }
}

/// How to import, for every command that imports traces.
#[derive(Args, Clone)]
pub struct ImportFlags {
    /// Sort all events before decoding any. Keeps events that arrive too late for their sort
    /// window, which is closed by a flush of the recorder
    #[arg(long, help_heading = "Import options")]
    pub full_sort: bool,

    /// Approximate memory limit, such as 500M or 4G; at least 16M. Events, tables, sorting and
    /// grouping use temporary files for what exceeds it, so a limit affects time but never results.
    /// Without a limit, queries may use three quarters of the machine's memory, and one string may
    /// have 1,000,000,000 bytes; with a limit, one string may have a quarter of it
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = parse_memory_limit,
        help_heading = "Import options"
    )]
    pub memory_limit: Option<u64>,

    /// Number of threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = "Import options")]
    pub threads: Option<usize>,

    /// How to convert a timestamp between two snapshots of its clock: nearest, by the offset of the
    /// latest snapshot before it; or linear, on the line between the two, for clocks that drift
    // clap would print listed values on separate lines, and then separate all options by empty
    // lines.
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t = ClockInterpolation::Nearest,
        hide_possible_values = true,
        help_heading = "Import options"
    )]
    pub clock_interpolation: ClockInterpolation,

    /// Omit `ftrace_event` and its arguments, which take most of the memory of a kernel trace;
    /// tables made from kernel events, such as `sched`, stay
    #[arg(long, help_heading = "Import options")]
    pub no_ftrace_raw: bool,

    /// Drop track events before the range of interest, if the recording names one
    #[arg(long, help_heading = "Import options")]
    pub crop: bool,

    /// File or folder of binaries (ELF, Mach-O) with symbols or debug information, for the
    /// functions, files and lines of call stacks without symbols. Binaries are found by their build
    /// ids; can be repeated
    #[arg(long, value_name = "PATH", help_heading = "Import options")]
    pub symbols: Vec<PathBuf>,

    /// Record what tpq itself does, and when, to this file: a trace that tpq and Perfetto can open
    #[arg(long, value_name = "FILE", help_heading = "Import options")]
    pub metatrace: Option<PathBuf>,

    /// Do not show progress or warnings about lost data
    #[arg(short, long)]
    pub quiet: bool,
}

/// How to convert a timestamp between two snapshots of its clock.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ClockInterpolation {
    /// By the offset of the latest snapshot before it
    Nearest,
    /// On the line between the two snapshots, for clocks that drift
    Linear,
}

impl From<ClockInterpolation> for tpq::Interpolation {
    fn from(interpolation: ClockInterpolation) -> Self {
        match interpolation {
            ClockInterpolation::Nearest => Self::Nearest,
            ClockInterpolation::Linear => Self::Linear,
        }
    }
}

/// Parses a number of threads from an argument or a setting.
///
/// # Errors
/// When it is not a number of threads that a process can have.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    /// Each thread needs a stack; a process without memory for one ends at once.
    const MAX_THREADS: usize = 1024;
    match text.parse() {
        Ok(0) => Err("at least one thread is needed".into()),
        Ok(threads) if threads > MAX_THREADS => Err(format!("{MAX_THREADS} at most")),
        Ok(threads) => Ok(threads),
        Err(_) => Err("not a number".into()),
    }
}

/// The cache for finished tables: from the environment variables, otherwise from the settings.
///
/// # Errors
/// When a variable is invalid.
pub fn table_cache(config: &Config) -> anyhow::Result<Option<TableCache>> {
    let folder = std::env::var_os("TPQ_CACHE_DIR").filter(|folder| !folder.is_empty());
    let cache = match folder.map(PathBuf::from).or_else(|| config.cache_dir.clone()) {
        Some(folder) => Some(TableCache::in_folder(folder)),
        None => TableCache::of_user(),
    };
    match std::env::var("TPQ_CACHE_SIZE").ok().as_deref().map(str::trim) {
        None | Some("") => Ok(match config.cache_size {
            None => cache,
            Some(0) => None,
            Some(most) => cache.map(|cache| cache.at_most(most)),
        }),
        Some("0") => Ok(None),
        Some(size) => {
            let most = parse_size(size).map_err(|why| anyhow::anyhow!("TPQ_CACHE_SIZE: {why}"))?;
            Ok(cache.map(|cache| cache.at_most(most)))
        }
    }
}

/// Parses a size in bytes with an optional suffix K, M, G or T, each 1024 times the previous one.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let number = upper.trim_end_matches("IB").trim_end_matches('B');
    let (number, power) = match number.chars().last() {
        Some('K') => (&number[..number.len() - 1], 1),
        Some('M') => (&number[..number.len() - 1], 2),
        Some('G') => (&number[..number.len() - 1], 3),
        Some('T') => (&number[..number.len() - 1], 4),
        _ => (number, 0),
    };
    let wrong = || "not a size; write bytes, or a number with K, M, G or T, such as 4G".to_owned();
    let value: f64 = number.trim().parse().map_err(|_| wrong())?;
    let bytes = value * 1024_f64.powi(power);
    if !(1.0..=1e18).contains(&bytes) {
        return Err(wrong());
    }
    Ok(bytes as u64)
}

/// Parses a memory limit in bytes from an argument or a setting.
///
/// # Errors
/// When it is not a size, or is less than an import needs.
pub fn parse_memory_limit(text: &str) -> Result<u64, String> {
    let limit = parse_size(text)?;
    match limit < ImportOptions::LEAST_MEMORY {
        true => Err(format!("too low; the least is {}M", ImportOptions::LEAST_MEMORY >> 20)),
        false => Ok(limit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn sizes_take_suffixes() {
        assert_eq!(parse_size("4096"), Ok(4096));
        assert_eq!(parse_size("1.5K"), Ok(1536));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!(parse_size("512mb"), Ok(512 << 20));
        assert!(parse_size("lots").is_err());
        assert!(parse_size("-1G").is_err());
        assert!(parse_size("").is_err());
    }

    #[test]
    fn a_memory_limit_has_a_least() {
        assert_eq!(parse_memory_limit("16M"), Ok(ImportOptions::LEAST_MEMORY));
        let refused = parse_memory_limit("15.9M").unwrap_err();
        assert_eq!(refused, "too low; the least is 16M");
    }

    #[test]
    fn traces_alone_open_the_shell() {
        let cli = Cli::try_parse_from(["tpq", "a.pftrace"]).unwrap();
        assert!(cli.command.is_none());
        assert!(!cli.query.has_query_options());
        assert_eq!(cli.query.import.traces.len(), 1);
        let cli = Cli::try_parse_from(["tpq", "query", "a", "-c", "SELECT 1"]).unwrap();
        assert!(matches!(cli.command, Some(Command::Query(_))));
        let cli = Cli::try_parse_from(["tpq", "a", "-c", "SELECT 1"]).unwrap();
        assert!(cli.command.is_none() && cli.query.has_query_options());
    }
}
