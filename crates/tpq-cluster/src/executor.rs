//! An executor: runs tasks, and keeps their rows until they are fetched.

use std::error::Error;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::RuntimeProducer;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::health::ExecutorHealth;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionConfig;
use futures::future::LocalBoxFuture;
use tokio::sync::oneshot;
use tonic::transport::Endpoint;
use tpq_lake::EnvironmentStores;
use tpq_sql::function_state;

use crate::cancellation::{CancellableEngine, RunningStages};
use crate::client::host_and_port;
use crate::codec::ClusterCodec;
use crate::error::ClusterError;
use crate::probe::silence;
use crate::settings::{MOST_MESSAGE, Pings, REQUEST_SECONDS, with_ballista, with_pings};
use crate::watchdog::{BEAT, Watchdog};
use crate::work::TraceWorker;

/// Seconds between two signs of life.
pub(crate) const HEARTBEAT_SECONDS: u64 = 2;

/// Seconds that an executor tries to reach the scheduler when it starts.
const REGISTRATION_SECONDS: u16 = 60;

/// How long a scheduler may be silent: less than a request may take, and than until a connection
/// breaks.
const SILENCE: Duration = Duration::from_secs(60);

/// Seconds after which an executor deletes rows that no scheduler asked it to delete.
const ROWS_SECONDS: u64 = 7200;

/// How to run an executor.
#[derive(Clone)]
pub struct ExecutorOptions {
    /// The scheduler, as HOST:PORT.
    pub scheduler: String,
    /// The address to listen on.
    pub bind: IpAddr,
    /// The port of rows; any free port when 0.
    pub port: u16,
    /// The port of tasks; any free port when 0.
    pub task_port: u16,
    /// The host name by which the others reach this executor. When not given, it is that of `bind`,
    /// or the address that the scheduler sees where `bind` is every address.
    pub host: Option<String>,
    /// The number of tasks at a time.
    pub tasks: usize,
    /// The most memory in bytes of steps that need the rows of several traces, all tasks together.
    pub memory: Option<u64>,
    /// The folder of rows.
    pub folder: PathBuf,
}

/// Runs an executor until the process is asked to end, or the scheduler is gone or silent for long.
/// After a loss of the scheduler, tasks may still run; the process is to end all the same.
/// `on_ready` is called before the executor looks for the scheduler, with the address of rows.
/// `asked` is ready when a signal asks the process to end.
///
/// # Errors
/// When an address is taken, the scheduler cannot be reached, or a server fails.
pub async fn execute(
    options: ExecutorOptions,
    worker: Arc<dyn TraceWorker>,
    on_ready: impl FnOnce(SocketAddr),
    asked: impl Future<Output = ()>,
) -> Result<(), ClusterError> {
    let (port, task_port) = free_ports(&options)?;
    let (health, running) = (ExecutorHealth::new(), RunningStages::default());
    let config = config(&options, (port, task_port), worker, (&health, &running))?;
    on_ready(SocketAddr::new(options.bind, port));
    let (watchdog, overdue) = Watchdog::start(health, running)?;
    end_of(process(config), asked, &watchdog, overdue, &options.scheduler).await
}

/// Runs Ballista's executor. The future is behind a pointer, so that the executor is compiled with
/// this crate, for size, and not with the crate that awaits it.
fn process(config: ExecutorProcessConfig) -> LocalBoxFuture<'static, Result<(), ClusterError>> {
    Box::pin(async move {
        let ended = start_executor_process(Arc::new(config)).await;
        ended.map_err(|error| ClusterError::Process(format!("the executor stopped: {error}")))
    })
}

/// Waits for the end of the process of an executor, however it ends.
async fn end_of(
    process: impl Future<Output = Result<(), ClusterError>>,
    asked: impl Future<Output = ()>,
    watchdog: &Watchdog,
    mut overdue: oneshot::Receiver<()>,
    scheduler: &str,
) -> Result<(), ClusterError> {
    let mut process = pin!(process);
    let mut asked = pin!(asked);
    // Ballista tries without a limit.
    let registration = Duration::from_secs(u64::from(REGISTRATION_SECONDS));
    let mut late = pin!(tokio::time::sleep(registration));
    // The report of a task is lost where its request takes too long; this limit is a shorter one.
    let mut silent = pin!(async {
        // One that has never answered is late.
        while !watchdog.is_registered() {
            tokio::time::sleep(BEAT).await;
        }
        silence(scheduler, SILENCE).await;
    });
    let mut beat = tokio::time::interval(BEAT);
    let (mut is_asked, mut is_late) = (false, false);
    loop {
        tokio::select! {
            ended = &mut process => return ended,
            _ = &mut overdue => return Ok(()),
            _ = beat.tick() => watchdog.beat(),
            () = &mut silent => return Ok(()),
            () = &mut asked, if !is_asked => {
                is_asked = true;
                if !watchdog.ask_to_end() {
                    return Ok(());
                }
            }
            () = &mut late, if !is_late => {
                is_late = true;
                if !watchdog.is_registered() {
                    let why = format!("no answer in {REGISTRATION_SECONDS} s");
                    let address = scheduler.to_owned();
                    return Err(ClusterError::Unreachable { address, why });
                }
            }
        }
    }
}

fn config(
    options: &ExecutorOptions,
    (port, task_port): (u16, u16),
    worker: Arc<dyn TraceWorker>,
    (health, running): (&ExecutorHealth, &RunningStages),
) -> Result<ExecutorProcessConfig, ClusterError> {
    let (scheduler_host, scheduler_port) = host_and_port(&options.scheduler)?;
    let functions = function_state(SessionConfig::new()).map_err(ClusterError::Rows)?;
    let stores = Arc::new(EnvironmentStores::default());
    let engine = CancellableEngine::new(running.clone(), Arc::clone(&stores));
    let host = options.host.clone();
    let host = match options.bind.is_unspecified() {
        true => host,
        false => Some(host.unwrap_or_else(|| options.bind.to_string())),
    };
    Ok(ExecutorProcessConfig {
        bind_host: in_url(options.bind),
        external_host: host,
        port,
        grpc_port: task_port,
        scheduler_host,
        scheduler_port,
        scheduler_connect_timeout_seconds: REGISTRATION_SECONDS,
        vcores: options.tasks.max(1),
        task_scheduling_policy: TaskSchedulingPolicy::PushStaged,
        work_dir: Some(options.folder.to_string_lossy().into_owned()),
        job_data_ttl_seconds: ROWS_SECONDS,
        job_data_clean_up_interval_seconds: ROWS_SECONDS / 10,
        grpc_max_decoding_message_size: MOST_MESSAGE as u32,
        grpc_max_encoding_message_size: MOST_MESSAGE as u32,
        executor_heartbeat_interval_seconds: HEARTBEAT_SECONDS,
        memory_pool_size: options.memory,
        override_execution_engine: Some(Arc::new(engine)),
        override_function_registry: Some(Arc::new(BallistaFunctionRegistry::from(&functions))),
        override_runtime_producer: Some(environment(options.folder.clone(), stores)),
        override_config_producer: Some(Arc::new(|| with_ballista(SessionConfig::new()))),
        override_physical_codec: Some(Arc::new(ClusterCodec::new(worker))),
        override_create_grpc_client_endpoint: Some(Arc::new(with_limits)),
        health: health.clone(),
        ..ExecutorProcessConfig::default()
    })
}

/// A connection to a scheduler with a time limit for requests: Ballista reports tasks without one,
/// so that a scheduler that hangs would delay heartbeats for ever.
fn with_limits(endpoint: Endpoint) -> Result<Endpoint, Box<dyn Error + Send + Sync>> {
    let request = Duration::from_secs(REQUEST_SECONDS as u64);
    Ok(with_pings(endpoint, Pings::OF_REPORTS).timeout(request))
}

/// Makes the environments of tasks: temporary files in the folder of rows, and stores by their
/// addresses. All tasks share the stores.
fn environment(folder: PathBuf, stores: Arc<EnvironmentStores>) -> RuntimeProducer {
    Arc::new(move |_| {
        RuntimeEnvBuilder::new()
            .with_temp_file_path(folder.clone())
            .with_object_store_registry(Arc::clone(&stores) as _)
            .build_arc()
    })
}

/// The ports of rows and tasks. One that is 0 becomes one that was free a moment ago: Ballista tells
/// the scheduler the number that it is given, and cannot be given 0.
fn free_ports(options: &ExecutorOptions) -> Result<(u16, u16), ClusterError> {
    let listen = |port: u16| {
        let listener = TcpListener::bind((options.bind, port));
        listener.map_err(|source| ClusterError::Bind {
            address: SocketAddr::new(options.bind, port),
            source,
        })
    };
    // Both at the same time, so that they differ.
    let (rows, tasks) = (listen(options.port)?, listen(options.task_port)?);
    Ok((rows.local_addr()?.port(), tasks.local_addr()?.port()))
}

/// An address as it stands before a port.
fn in_url(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}
