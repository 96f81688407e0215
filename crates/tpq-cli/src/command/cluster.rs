//! `tpq cluster`: runs a scheduler or an executor, which other commands use with `--cluster`.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, Subcommand};
use futures::FutureExt;
use tpq::{ImportOptions, Worker};
use tpq_cluster::{ExecutorOptions, LOST_SECONDS, SchedulerOptions, execute, schedule};

use crate::args::{parse_memory_limit, table_cache};
use crate::config::Config;
use crate::{allocator, signals};

const EXAMPLES: &str = "\
Examples:
  tpq cluster scheduler                                 on 127.0.0.1:50050
  tpq cluster executor --scheduler 127.0.0.1:50050      on each machine
  tpq query --each 'runs/*.pftrace' --cluster 127.0.0.1:50050 -c 'SELECT count(*) FROM slice'

Neither authenticates its clients. Each client that reaches their ports can run statements and read
the files that they can read: listen on other addresses than 127.0.0.1 in a closed network only.
docs/scale.md says more.";

/// The address of a scheduler where none is given.
const PORT: u16 = 50050;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ClusterArgs {
    #[command(subcommand)]
    pub role: Role,
}

#[derive(Subcommand)]
pub enum Role {
    /// Cut queries into tasks and give these to executors
    Scheduler(SchedulerArgs),
    /// Run tasks
    Executor(ExecutorArgs),
}

#[derive(Args)]
pub struct SchedulerArgs {
    /// Address to listen on; with port 0, any free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = SocketAddr::new(LOCAL, PORT))]
    pub bind: SocketAddr,

    /// Name or address by which executors reach this scheduler [default: the address of --bind]
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
}

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

#[derive(Args)]
pub struct ExecutorArgs {
    /// The scheduler
    #[arg(long, value_name = "HOST:PORT")]
    pub scheduler: String,

    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = LOCAL)]
    pub bind: IpAddr,

    /// Port from which others fetch rows; with 0, any free port
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,

    /// Port that receives tasks; with 0, any free port
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub task_port: u16,

    /// Name or address by which others reach this executor [default: the address of --bind; where
    /// that is every address, the one that the scheduler sees]
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,

    /// Number of tasks at a time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub tasks: Option<std::num::NonZeroUsize>,

    /// Approximate memory limit, such as 500M or 4G; at least 16M for each task. Tasks share it
    #[arg(long, value_name = "SIZE", value_parser = parse_memory_limit)]
    pub memory_limit: Option<u64>,

    /// Folder for rows until they are fetched [default: a folder in the system's temporary folder
    /// that is deleted at the end]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,

    /// Import traces for each query and store nothing in the cache
    #[arg(long)]
    pub no_cache: bool,
}

pub async fn run(args: ClusterArgs) -> anyhow::Result<()> {
    match args.role {
        Role::Scheduler(args) => scheduler(args).await,
        Role::Executor(args) => executor(args).await,
    }
}

async fn scheduler(args: SchedulerArgs) -> anyhow::Result<()> {
    let options = SchedulerOptions { bind: args.bind, host: args.host };
    // A scheduler reads plans and opens no trace.
    let worker = Arc::new(Worker::new(ImportOptions::default()));
    let told = |address| tell(&format!("scheduler on {address}"));
    Ok(schedule(options, worker, told).await?)
}

async fn executor(args: ExecutorArgs) -> anyhow::Result<()> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let tasks = args.tasks.map_or(all, usize::from);
    let worker = Arc::new(Worker::new(options_of_task(&args, tasks)?));
    // Deleted when this function ends.
    let temporary = match &args.folder {
        Some(_) => None,
        None => Some(
            tempfile::Builder::new()
                .prefix("tpq-executor-")
                .tempdir()
                .context("cannot make a temporary folder")?,
        ),
    };
    let folder = match (&args.folder, &temporary) {
        (Some(folder), _) => folder.clone(),
        (None, Some(folder)) => folder.path().to_owned(),
        (None, None) => std::env::temp_dir(),
    };
    let options = ExecutorOptions {
        scheduler: args.scheduler,
        bind: args.bind,
        port: args.port,
        task_port: args.task_port,
        host: args.host,
        tasks,
        memory: args.memory_limit.map(|limit| limit / 2),
        folder,
    };
    // The first signal lets tasks end; the second one ends the process.
    let mut asked = signals::interrupts();
    signals::handle_one_end();
    let mut signals = asked.clone();
    let scheduler = options.scheduler.clone();
    let told = |address| tell(&format!("executor on {address}"));
    execute(options, worker, told, async move { asked.next().await }).await?;
    let is_asked_to = signals.next().now_or_never().is_some();
    anyhow::ensure!(
        is_asked_to,
        "the scheduler at {scheduler} does not answer any more, did not get the report of a task, or \
         gave this executor up after {LOST_SECONDS} s without a sign of life; start the executor \
         again"
    );
    Ok(())
}

/// How a task opens a trace: with its part of the memory, and one thread, as there are as many
/// tasks as cores.
fn options_of_task(args: &ExecutorArgs, tasks: usize) -> anyhow::Result<ImportOptions> {
    let limit = args.memory_limit.map(|limit| limit / 2 / tasks as u64);
    if let Some(limit) = limit {
        anyhow::ensure!(
            limit >= ImportOptions::LEAST_MEMORY,
            "the memory limit is too low for {tasks} tasks; the least is {}M, or use fewer --tasks",
            (ImportOptions::LEAST_MEMORY >> 20) * 2 * tasks as u64
        );
    }
    let cache = if args.no_cache { None } else { table_cache(&Config::load()?)? };
    Ok(ImportOptions {
        memory_limit: limit,
        threads: Some(1),
        store_whole: true,
        cache,
        give_back: Some(allocator::give_back),
        ..ImportOptions::default()
    })
}

/// Prints a line on stderr: programs that start a cluster wait for it. It is written as a whole, as
/// several processes may have one stderr.
fn tell(what: &str) {
    // A message that cannot be printed is not an error.
    let _ = std::io::stderr().write_all(format!("{what}\n").as_bytes());
}
