//! An executor: runs tasks, and keeps their rows until they are fetched.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::RuntimeProducer;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionConfig;
use tpq_lake::EnvironmentStores;
use tpq_sql::function_state;

use crate::cancellation::CancellableEngine;
use crate::client::host_and_port;
use crate::codec::ClusterCodec;
use crate::error::ClusterError;
use crate::settings::{MOST_MESSAGE, with_ballista};
use crate::work::TraceWorker;

/// Seconds between two signs of life.
pub(crate) const HEARTBEAT_SECONDS: u64 = 2;

/// Seconds that an executor tries to reach the scheduler when it starts.
const CONNECT_SECONDS: u16 = 60;

/// Seconds after which an executor deletes rows that no scheduler asked it to delete.
const ROWS_SECONDS: u64 = 3600;

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

/// Runs an executor until the process is asked to end, or the scheduler is gone for long.
/// `on_ready` is called before the executor looks for the scheduler, with the address of rows.
///
/// # Errors
/// When an address is taken, the scheduler cannot be reached, or a server fails.
pub async fn execute(
    options: ExecutorOptions,
    worker: Arc<dyn TraceWorker>,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ClusterError> {
    let (scheduler_host, scheduler_port) = host_and_port(&options.scheduler)?;
    let port = free_port(options.bind, options.port)?;
    let task_port = free_port(options.bind, options.task_port)?;
    let functions = function_state(SessionConfig::new()).map_err(ClusterError::Rows)?;
    let host = match options.bind.is_unspecified() {
        true => options.host,
        false => Some(options.host.unwrap_or_else(|| options.bind.to_string())),
    };
    let config = ExecutorProcessConfig {
        bind_host: in_url(options.bind),
        external_host: host,
        port,
        grpc_port: task_port,
        scheduler_host,
        scheduler_port,
        scheduler_connect_timeout_seconds: CONNECT_SECONDS,
        vcores: options.tasks.max(1),
        task_scheduling_policy: TaskSchedulingPolicy::PushStaged,
        work_dir: Some(options.folder.to_string_lossy().into_owned()),
        job_data_ttl_seconds: ROWS_SECONDS,
        job_data_clean_up_interval_seconds: ROWS_SECONDS / 10,
        grpc_max_decoding_message_size: MOST_MESSAGE as u32,
        grpc_max_encoding_message_size: MOST_MESSAGE as u32,
        executor_heartbeat_interval_seconds: HEARTBEAT_SECONDS,
        memory_pool_size: options.memory,
        override_execution_engine: Some(Arc::new(CancellableEngine::new())),
        override_function_registry: Some(Arc::new(BallistaFunctionRegistry::from(&functions))),
        override_runtime_producer: Some(environment(options.folder.clone())),
        override_config_producer: Some(Arc::new(|| with_ballista(SessionConfig::new()))),
        override_physical_codec: Some(Arc::new(ClusterCodec::new(worker))),
        ..ExecutorProcessConfig::default()
    };
    on_ready(SocketAddr::new(options.bind, port));
    let ended = start_executor_process(Arc::new(config)).await;
    ended.map_err(|error| ClusterError::Process(format!("the executor stopped: {error}")))
}

/// Makes the environments of tasks: temporary files in the folder of rows, and stores by their
/// addresses. All tasks share the stores.
fn environment(folder: PathBuf) -> RuntimeProducer {
    let stores = Arc::new(EnvironmentStores::default());
    Arc::new(move |_| {
        RuntimeEnvBuilder::new()
            .with_temp_file_path(folder.clone())
            .with_object_store_registry(Arc::clone(&stores) as _)
            .build_arc()
    })
}

/// The port, or one that was free a moment ago: Ballista tells the scheduler the number that it is
/// given, and cannot be given 0.
fn free_port(address: IpAddr, port: u16) -> Result<u16, ClusterError> {
    match port {
        0 => Ok(TcpListener::bind((address, 0))?.local_addr()?.port()),
        port => Ok(port),
    }
}

/// An address as it stands before a port.
fn in_url(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}
