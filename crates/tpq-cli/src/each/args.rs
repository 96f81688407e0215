//! The arguments of statements that run on each of many traces.

use clap::Args;

/// How to run the statements on each trace.
#[derive(Args, Clone, Debug, Default)]
pub struct EachArgs {
    /// Run the statements on each trace by itself, instead of merging the traces onto one timeline.
    /// The rows of all traces are one result, with the columns trace_path and trace_uuid in front.
    /// A TRACE may be a pattern such as 'runs/**/*.pftrace'. A trace that fails is reported and left
    /// out; with --strict, it ends the run
    #[arg(long, conflicts_with = "metatrace", help_heading = "Many traces")]
    pub each: bool,

    /// Metadata to add as columns after trace_uuid, such as android_build_fingerprint
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        requires = "each",
        help_heading = "Many traces"
    )]
    pub metadata: Vec<String>,

    /// Statements over the rows of all traces. The rows are the table results; the table failures
    /// has trace_path and error of each trace that failed
    #[arg(long, value_name = "SQL", requires = "each", help_heading = "Many traces")]
    pub then: Option<String>,

    /// Open the traces on the executors of this scheduler, which must reach the files by the same
    /// paths. Statements of --then run there as well where they can; a trace that fails ends these
    #[arg(
        long,
        value_name = "HOST:PORT",
        requires = "each",
        conflicts_with = "jobs",
        help_heading = "Many traces"
    )]
    pub cluster: Option<String>,

    /// Number of traces that are open at a time [default: the number of threads]
    #[arg(long, value_name = "N", requires = "each", help_heading = "Many traces")]
    pub jobs: Option<std::num::NonZeroUsize>,
}
