//! The arguments of statements that run on each of many traces.

use clap::{ArgGroup, Args};

use crate::remote::ClusterAddress;

/// How to run the statements on each trace.
#[derive(Args, Clone, Debug, Default)]
#[command(group = ArgGroup::new("many").args(["each", "lake"]))]
pub struct EachArgs {
    /// Run the statements on each trace by itself, instead of merging the traces onto one timeline.
    /// The rows of all traces are one result, with the columns trace_path and trace_uuid in front.
    /// A TRACE may be a pattern such as 'runs/**/*.pftrace'. A trace that fails is reported and left
    /// out; with --strict, it ends the run
    #[arg(long, conflicts_with = "metatrace", help_heading = "Many traces")]
    pub each: bool,

    /// Run the statements on each trace of a lake, in place of TRACE: a folder, or the address of one
    /// in S3, GCS or Azure, made by tpq ingest. A statement that names tables as lake.slice runs once
    /// over all traces
    #[arg(long, value_name = "LAKE", conflicts_with = "metatrace", help_heading = "Many traces")]
    pub lake: Option<String>,

    /// Choose traces of the lake by an SQL expression over columns of lake.traces, such as
    /// "device = 'google/raven' AND day >= '2026-03-01'"
    #[arg(
        long = "where",
        value_name = "SQL",
        id = "where",
        requires = "lake",
        help_heading = "Many traces"
    )]
    pub filter: Option<String>,

    /// Metadata to add as columns after trace_uuid, such as android_build_fingerprint
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        requires = "many",
        help_heading = "Many traces"
    )]
    pub metadata: Vec<String>,

    /// Statements over the rows of all traces. The rows are the table results; the table failures
    /// has trace_path and error of each trace that failed; with --lake, there are tables such as
    /// lake.traces as well
    #[arg(long, value_name = "SQL", requires = "many", help_heading = "Many traces")]
    pub then: Option<String>,

    /// Run on the executors of this scheduler, which must reach the traces by the same paths, or the
    /// lake by the same address. Statements of --then run there as well where they can; a trace that
    /// fails ends these
    #[arg(
        long,
        value_name = "HOST:PORT",
        requires = "many",
        conflicts_with = "jobs",
        help_heading = "Many traces"
    )]
    pub cluster: Option<String>,

    /// Seconds to wait where the cluster has no executor [default: 60]
    #[arg(long, value_name = "S", requires = "cluster", help_heading = "Many traces")]
    pub executor_wait: Option<u64>,

    /// Number of traces that are open at a time [default: the number of threads]
    #[arg(long, value_name = "N", requires = "many", help_heading = "Many traces")]
    pub jobs: Option<std::num::NonZeroUsize>,
}

impl EachArgs {
    /// The address of the cluster that runs the statements.
    pub fn cluster(&self) -> Option<ClusterAddress<'_>> {
        let address = self.cluster.as_deref()?;
        Some(ClusterAddress { address, executor_wait: self.executor_wait })
    }

    /// The lake, for a shell.
    pub fn of_lake(self) -> ShellLakeArgs {
        ShellLakeArgs { lake: self.lake, filter: self.filter }
    }
}

/// The lake of a shell.
#[derive(Args, Clone, Debug, Default)]
pub struct ShellLakeArgs {
    /// Run statements on each trace of a lake, in place of TRACE, or once over all traces if they name
    /// tables as lake.slice
    #[arg(long, value_name = "LAKE", conflicts_with = "metatrace")]
    pub lake: Option<String>,

    /// Choose traces of the lake by an SQL expression over columns of lake.traces
    #[arg(long = "where", value_name = "SQL", id = "where", requires = "lake")]
    pub filter: Option<String>,
}
