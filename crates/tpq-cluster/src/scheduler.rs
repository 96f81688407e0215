//! The scheduler: cuts plans into stages and gives their tasks to executors.

use std::net::SocketAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use futures::future::LocalBoxFuture;
use tokio::net::TcpListener;
use tpq_sql::function_state;

use crate::codec::ClusterCodec;
use crate::error::ClusterError;
use crate::settings::{MOST_MESSAGE, with_ballista};
use crate::work::TraceWorker;

/// Seconds without a sign of life after which the tasks of an executor run elsewhere. An executor
/// sends one every [`crate::executor::HEARTBEAT_SECONDS`].
pub const LOST_SECONDS: u64 = 10;

/// How often the scheduler looks for executors that are gone, in seconds.
const LOOK_SECONDS: u64 = 2;

/// Seconds that a query without a client waits for an executor where the last one was lost. Clients
/// have a limit of their own, see [`crate::vacancy`].
pub(crate) const NO_EXECUTOR_SECONDS: u64 = 3600;

/// Seconds after which executors delete the rows of a query that its client did not delete. A
/// client must have fetched them by then.
const ROWS_SECONDS: u64 = 3600;

/// Seconds after which the scheduler forgets a query that has ended.
const STATE_SECONDS: u64 = 600;

/// How to run a scheduler.
#[derive(Clone, Debug)]
pub struct SchedulerOptions {
    /// The address to listen on; port 0 is any free port.
    pub bind: SocketAddr,
    /// The host name by which executors reach the scheduler; that of `bind` when not given.
    pub host: Option<String>,
}

/// Runs a scheduler until the process ends. `on_ready` is called with the address.
///
/// # Errors
/// When the address is taken, or the server fails.
pub async fn schedule(
    options: SchedulerOptions,
    worker: Arc<dyn TraceWorker>,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ClusterError> {
    let listener = TcpListener::bind(options.bind).await;
    let listener =
        listener.map_err(|source| ClusterError::Bind { address: options.bind, source })?;
    let address = listener.local_addr()?;
    let config = Arc::new(config(&options, address, worker));
    config.validate().map_err(failed)?;
    serve(listener, config, Box::new(move || on_ready(address))).await
}

/// Serves until the process ends. The future is behind a pointer, so that Ballista's scheduler is
/// compiled with this crate, for size, and not with the crate that awaits it.
fn serve<'a>(
    listener: TcpListener,
    config: Arc<SchedulerConfig>,
    on_ready: Box<dyn FnOnce() + 'a>,
) -> LocalBoxFuture<'a, Result<(), ClusterError>> {
    Box::pin(async move {
        let cluster = BallistaCluster::new_from_config(&config).await.map_err(failed)?;
        let server = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, config).await;
        let server = server.map_err(failed)?;
        on_ready();
        start_grpc_service_with_listener(listener, server).await.map_err(failed)
    })
}

fn config(
    options: &SchedulerOptions,
    address: SocketAddr,
    worker: Arc<dyn TraceWorker>,
) -> SchedulerConfig {
    let message = MOST_MESSAGE as u32;
    SchedulerConfig {
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        external_host: options.host.clone().unwrap_or_else(|| address.ip().to_string()),
        // Executors that are pushed tasks can be told to stop them, others cannot.
        scheduling_policy: TaskSchedulingPolicy::PushStaged,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        executor_timeout_seconds: LOST_SECONDS,
        expire_dead_executor_interval_seconds: LOOK_SECONDS,
        no_executors_grace_period_seconds: NO_EXECUTOR_SECONDS,
        // Clients ask for this.
        min_ready_executors: 1,
        finished_job_data_clean_up_interval_seconds: ROWS_SECONDS,
        finished_job_state_clean_up_interval_seconds: STATE_SECONDS,
        grpc_server_max_decoding_message_size: message,
        grpc_server_max_encoding_message_size: message,
        grpc_client_max_message_size: message,
        override_config_producer: Some(Arc::new(|| with_ballista(SessionConfig::new()))),
        override_session_builder: Some(Arc::new(function_state)),
        override_physical_codec: Some(Arc::new(ClusterCodec::new(worker))),
        ..SchedulerConfig::default()
    }
}

fn failed(error: ballista_core::error::BallistaError) -> ClusterError {
    ClusterError::Process(format!("the scheduler stopped: {error}"))
}
