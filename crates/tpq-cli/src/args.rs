//! What can be typed.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use tpq::{ImportOptions, SqlPackage, TableCache};

use crate::command::check::CheckArgs;
use crate::command::clocks::ClocksArgs;
use crate::command::completions::CompletionsArgs;
use crate::command::export::ExportArgs;
use crate::command::info::InfoArgs;
use crate::command::man::ManArgs;
use crate::command::merge::MergeArgs;
use crate::command::query::QueryArgs;
use crate::command::shell::ShellArgs;
use crate::config::Config;

const EXAMPLES: &str = "\
Examples:
  tpq trace.pftrace                                    ask questions at a prompt
  tpq trace.pftrace -c 'SELECT * FROM slice'           run a statement
  tpq query trace.pftrace -f report.sql -o rows.csv    run a script
  tpq export trace.pftrace -o tables/                  every table as Parquet
  tpq info trace.pftrace                               what is in the trace
  tpq check trace.pftrace                              what was lost, and what to change
  tpq query phone.pftrace watch.pftrace -f both.sql    two traces on one timeline

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
    /// Ask questions at a prompt (what happens when only traces are given)
    Shell(ShellArgs),
    /// Run SQL statements and print their results
    Query(QueryArgs),
    /// Write tables, or the result of a query, to files
    Export(ExportArgs),
    /// Show what is in a trace
    Info(InfoArgs),
    /// Say what was lost, and what to change; exit status 1 when data was lost
    Check(CheckArgs),
    /// Show the clocks, and how each comes to trace time
    Clocks(ClocksArgs),
    /// Pack traces into one file, and say whether every event finds its place
    Merge(MergeArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
}

impl Cli {
    /// How many threads to run on, where the command or a setting says so.
    pub fn threads(&mut self) -> Option<usize> {
        self.import().and_then(|(how, _)| how.threads)
    }

    /// Takes the user's settings for what was not typed.
    ///
    /// # Errors
    /// When the settings cannot be read or understood.
    pub fn configure(&mut self) -> anyhow::Result<()> {
        let Some((how, settings)) = self.import() else { return Ok(()) };
        let config = Config::load()?;
        how.memory_limit = how.memory_limit.or(config.memory_limit);
        how.threads = how.threads.or(config.threads);
        if let Some(settings) = settings {
            *settings = config;
        }
        Ok(())
    }

    /// How to import, and the place for settings where traces are opened; `None` for a command
    /// that does neither.
    fn import(&mut self) -> Option<(&mut HowArgs, Option<&mut Config>)> {
        let import = match &mut self.command {
            Some(Command::Shell(args)) => &mut args.import,
            Some(Command::Query(args)) => &mut args.import,
            Some(Command::Export(args)) => &mut args.import,
            Some(Command::Info(args)) => &mut args.import,
            Some(Command::Check(args)) => &mut args.import,
            Some(Command::Clocks(args)) => &mut args.import,
            Some(Command::Merge(args)) => return Some((&mut args.how, None)),
            Some(Command::Completions(_) | Command::Man(_)) => return None,
            None => &mut self.query.import,
        };
        Some((&mut import.how, Some(&mut import.config)))
    }
}

/// Which traces, and how to import them; the same for every command that opens any.
#[derive(Args, Clone)]
pub struct ImportArgs {
    /// The traces, which merge onto one timeline: files, plain or in gzip, zstd, ZIP or TAR, a
    /// perfetto_manifest that tells how they relate, or - for stdin
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,

    #[command(flatten)]
    pub how: HowArgs,

    /// Fail when anything in the trace was lost or not understood
    #[arg(long, help_heading = "Import options")]
    pub strict: bool,

    /// Import anew, and keep nothing. Otherwise what the tables of a trace of 1 MiB and more are is
    /// kept for when it is asked the next time, in the user's cache folder or TPQ_CACHE_DIR, 8 GiB
    /// or TPQ_CACHE_SIZE in all
    #[arg(long, help_heading = "Import options")]
    pub no_cache: bool,

    /// A folder of SQL modules for INCLUDE PERFETTO MODULE, under its own name or the one given;
    /// may be repeated
    #[arg(long, value_name = "DIR[@NAME]", help_heading = "Import options")]
    pub add_sql_package: Vec<SqlPackage>,

    /// The user's settings.
    #[arg(skip)]
    pub config: Config,
}

impl ImportArgs {
    /// The files that are read or written beside the output of a command.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.traces.iter().chain(&self.how.metatrace).map(PathBuf::as_path)
    }
}

/// How to import; the same for every command that imports anything.
#[derive(Args, Clone)]
pub struct HowArgs {
    /// Sort all events before decoding any, which keeps those that arrive too late for the
    /// window that the recorder's flushes closed
    #[arg(long, help_heading = "Import options")]
    pub full_sort: bool,

    /// About the most memory to use, as 500M or 4G; 16M or more. What events, tables, sorting and
    /// grouping need beyond it goes to temporary files: a limit changes time, never answers. Without
    /// a limit, queries may use three quarters of the machine's memory, and a text may have
    /// 1,000,000,000 bytes; with one, a quarter of it
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = parse_memory_limit,
        help_heading = "Import options"
    )]
    pub memory_limit: Option<u64>,

    /// How many threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads, help_heading = "Import options")]
    pub threads: Option<usize>,

    /// How a timestamp between two snapshots of its clock converts: nearest, by the offset of the
    /// latest one before it; or linear, on the line between the two, for clocks that drift
    // With the values listed below each other, clap would print all options that far apart.
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t = ClockInterpolation::Nearest,
        hide_possible_values = true,
        help_heading = "Import options"
    )]
    pub clock_interpolation: ClockInterpolation,

    /// Leave out `ftrace_event` and its arguments, which take most of the memory of a kernel's
    /// trace; tables made from kernel events, as `sched`, stay
    #[arg(long, help_heading = "Import options")]
    pub no_ftrace_raw: bool,

    /// Drop track events that lie before the range of interest, where the recording names one
    #[arg(long, help_heading = "Import options")]
    pub crop: bool,

    /// Write what tpq itself does, and when, to a file: a trace to look at with tpq or Perfetto
    #[arg(long, value_name = "FILE", help_heading = "Import options")]
    pub metatrace: Option<PathBuf>,

    /// Show no progress, and do not warn of losses
    #[arg(short, long)]
    pub quiet: bool,
}

/// How to convert a timestamp that lies between two snapshots of its clock.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ClockInterpolation {
    /// By the offset of the latest snapshot before it
    Nearest,
    /// On the line between the two snapshots around it, for clocks that drift
    Linear,
}

impl From<ClockInterpolation> for tpq::Interpolation {
    fn from(how: ClockInterpolation) -> Self {
        match how {
            ClockInterpolation::Nearest => Self::Nearest,
            ClockInterpolation::Linear => Self::Linear,
        }
    }
}

/// The number of threads that an option or a setting says.
///
/// # Errors
/// When it is none that a process can have.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    /// Each takes a stack; a process that has no more memory for one ends at once.
    const MOST: usize = 1024;
    match text.parse() {
        Ok(0) => Err("at least one thread is needed".into()),
        Ok(threads) if threads > MOST => Err(format!("{MOST} at most")),
        Ok(threads) => Ok(threads),
        Err(_) => Err("not a number".into()),
    }
}

/// Where finished tables are kept, as the environment says, else the settings.
///
/// # Errors
/// When a variable cannot be understood.
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

/// A size in bytes with an optional suffix, each 1024 times the one before: K, M, G, T.
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
    let wrong = || "not a size; write bytes, or a number with K, M, G or T, as 4G".to_owned();
    let value: f64 = number.trim().parse().map_err(|_| wrong())?;
    let bytes = value * 1024_f64.powi(power);
    if !(1.0..=1e18).contains(&bytes) {
        return Err(wrong());
    }
    Ok(bytes as u64)
}

/// A memory limit in bytes, as an option or a setting says it.
///
/// # Errors
/// When it is no size, or less than an import needs.
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
    use clap::CommandFactory;

    #[test]
    fn the_arguments_fit_together() {
        Cli::command().debug_assert();
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
    fn only_traces_means_the_shell() {
        let cli = Cli::try_parse_from(["tpq", "a.pftrace"]).unwrap();
        assert!(cli.command.is_none());
        assert!(!cli.query.asks());
        assert_eq!(cli.query.import.traces.len(), 1);
        let cli = Cli::try_parse_from(["tpq", "query", "a", "-c", "SELECT 1"]).unwrap();
        assert!(matches!(cli.command, Some(Command::Query(_))));
        let cli = Cli::try_parse_from(["tpq", "a", "-c", "SELECT 1"]).unwrap();
        assert!(cli.command.is_none() && cli.query.asks());
    }
}
