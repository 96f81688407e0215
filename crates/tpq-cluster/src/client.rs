//! A client of a scheduler: submits a plan, waits for it, and fetches its rows.
//!
//! Ballista's own client waits for the end of a query and then reads the rows from the executors,
//! one file after the other. If an executor is lost meanwhile, that client fails, and it cannot
//! cancel what it submitted. This one keeps the rows until all have arrived, runs the query again
//! where some were lost, and knows the number of its query.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ballista_core::BALLISTA_VERSION;
use ballista_core::client::BallistaClient;
use ballista_core::extension::{
    BallistaConfigGrpcEndpoint, BallistaGrpcMetadataInterceptor, SessionConfigExt,
};
use ballista_core::serde::protobuf::execute_query_params::Query as Submitted;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    CancelJobParams, CleanJobDataParams, ExecuteQueryParams, GetJobStatusParams, KeyValuePair,
    PartitionLocation, execute_query_result, job_status,
};
use ballista_core::utils::{GrpcClientConfig, create_grpc_client_connection};
use ballista_core::version::BALLISTA_VERSION_HEADER;
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::physical_plan::parquet::ParquetAccessPlan;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::future::{BoxFuture, Shared};
use futures::{FutureExt, StreamExt};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tpq_lake::plain_scans;

use crate::codec::ClusterCodec;
use crate::error::ClusterError;
use crate::kept_rows::{KeptRows, MOST_IN_MEMORY};
use crate::scheduler::NO_EXECUTOR_SECONDS;
use crate::settings::{MOST_MESSAGE, Pings, REQUEST_SECONDS, with_pings};
use crate::task_error::message_in;
use crate::vacancy::Vacancy;
use crate::work::TraceWorker;

/// How often a query runs at most, where its rows are lost with an executor after its end.
const ATTEMPTS: u32 = 3;

/// The time between two questions for the state of a query: short at first.
const SOON: Duration = Duration::from_millis(5);
const LATER: Duration = Duration::from_millis(200);

/// How long a query waits for an executor where its cluster has none, if a client does not say.
pub const EXECUTOR_WAIT: Duration = Duration::from_secs(60);

/// What Ballista says of a query that lost its last executor.
const NO_EXECUTOR: &str = "no executors remain to run the tasks";

/// What it says of a query with a plan that an executor cannot read.
const REJECTED: &str = "task could not be prepared or was rejected by executor";

/// The longest time until the scheduler answers. It answers at once, whatever its queries do, unless
/// its machine has too much to do.
const ANSWER: Duration = Duration::from_secs(60);
/// The same for a query, which may be a message of megabytes.
const SUBMISSION: Duration = Duration::from_secs(REQUEST_SECONDS as u64);

/// How long a scheduler may not know a query: it forgets one for a moment at its end, and for good
/// when it is started anew.
const UNKNOWN: Duration = Duration::from_secs(5);
/// How long a client that is to end waits for the number of a query, which it needs to cancel it.
const NUMBER: Duration = Duration::from_secs(10);

/// Tries of a read of rows, and the time between them in milliseconds.
const READS: u8 = 3;
const READ_WAIT: u64 = 200;

/// A plan that can be sent to a scheduler.
pub struct Query {
    bytes: Vec<u8>,
    settings: Vec<KeyValuePair>,
    config: SessionConfig,
    plan: Arc<dyn ExecutionPlan>,
}

/// The scheduler and executors behind an address.
pub struct Cluster {
    address: String,
    host: String,
    port: u16,
    codec: ClusterCodec,
    /// How long a query waits where there is no executor.
    executor_wait: Duration,
    /// The query that runs or is submitted.
    running: Mutex<Option<Submission>>,
}

/// The number of a query that is submitted, or the error. It is found out even when no caller waits.
type Submission = Shared<BoxFuture<'static, Result<String, String>>>;

/// A connection that sends Ballista's version along.
type SchedulerClient =
    SchedulerGrpcClient<InterceptedService<Channel, BallistaGrpcMetadataInterceptor>>;

impl Cluster {
    /// The cluster of the scheduler at `address`, as HOST:PORT. `worker` gives the columns of
    /// plans; the executors have their own.
    ///
    /// # Errors
    /// When the address has another form.
    pub fn new(address: &str, worker: Arc<dyn TraceWorker>) -> Result<Self, ClusterError> {
        let (host, port) = host_and_port(address)?;
        let (address, codec) = (address.to_owned(), ClusterCodec::new(worker));
        let (executor_wait, running) = (EXECUTOR_WAIT, Mutex::default());
        Ok(Self { address, host, port, codec, executor_wait, running })
    }

    /// The same, with queries that wait for an executor this long where the cluster has none.
    pub fn with_executor_wait(self, executor_wait: Duration) -> Self {
        Self { executor_wait, ..self }
    }

    /// A plan as bytes. `config` has the settings that it was made with.
    ///
    /// # Errors
    /// When the plan has a step that runs only in this process.
    pub fn query(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> Result<Query, ClusterError> {
        let not_portable = |error: datafusion::error::DataFusionError| {
            ClusterError::NotPortable(error.strip_backtrace())
        };
        let plan = plain_scans(plan).map_err(not_portable)?;
        ensure_whole_files(&plan)?;
        let message = PhysicalPlanNode::try_from_physical_plan(Arc::clone(&plan), &self.codec);
        let mut bytes = Vec::new();
        message.and_then(|message| message.try_encode(&mut bytes)).map_err(not_portable)?;
        let entries = config.options().entries().into_iter();
        let settings = entries.map(|entry| KeyValuePair { key: entry.key, value: entry.value });
        Ok(Query { bytes, settings: settings.collect(), config: config.clone(), plan })
    }

    /// Runs a query to its end and keeps its rows, in the order of the plan's partitions.
    ///
    /// # Errors
    /// When the scheduler cannot be reached, the query fails, or its rows are lost again and again.
    pub async fn rows(&self, query: &Query) -> Result<KeptRows, ClusterError> {
        let mut scheduler = self.connect(&query.config).await?;
        let mut why = String::new();
        for _ in 0..ATTEMPTS {
            let submission = submission(scheduler.clone(), query);
            *self.running() = Some(submission.clone());
            let job = submission.await.map_err(|why| self.failed(why))?;
            let locations = self.finished(&mut scheduler, &job).await?;
            let rows = fetch(locations, query).await;
            // A scheduler that is gone deletes nothing; executors delete old rows by themselves.
            let old = CleanJobDataParams { job_id: job, remove_stage_ids: Vec::new() };
            let _ = self.answer(ANSWER, scheduler.clean_job_data(old)).await;
            *self.running() = None;
            match rows {
                Ok(rows) => return Ok(rows),
                Err(Fetch::Lost(error)) => why = error,
                Err(Fetch::Kept(error)) => return Err(error),
            }
        }
        Err(ClusterError::Lost { attempts: ATTEMPTS, why })
    }

    /// Cancels the query that runs or is being submitted, if any is: its tasks stop on the executors.
    ///
    /// # Errors
    /// When the scheduler cannot be reached.
    pub async fn cancel(&self) -> Result<(), ClusterError> {
        let Some(submission) = self.running().take() else { return Ok(()) };
        let Ok(Ok(job_id)) = tokio::time::timeout(NUMBER, submission).await else {
            return Ok(());
        };
        let mut scheduler = self.connect(&SessionConfig::new_with_ballista()).await?;
        let cancelled = scheduler.cancel_job(CancelJobParams { job_id });
        self.answer(ANSWER, cancelled).await?;
        Ok(())
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Option<Submission>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(&self, config: &SessionConfig) -> Result<SchedulerClient, ClusterError> {
        let url = format!("http://{}:{}", self.host, self.port);
        let settings = GrpcClientConfig::from(&config.ballista_config());
        let connection = create_grpc_client_connection(url, &settings).await;
        let connection = connection.map_err(|error| ClusterError::Unreachable {
            address: self.address.clone(),
            why: causes(&error),
        })?;
        let version = (BALLISTA_VERSION_HEADER.to_owned(), BALLISTA_VERSION.to_owned());
        let version = BallistaGrpcMetadataInterceptor::new(HashMap::from([version]));
        Ok(SchedulerGrpcClient::with_interceptor(connection, version)
            .max_encoding_message_size(MOST_MESSAGE)
            .max_decoding_message_size(MOST_MESSAGE))
    }

    /// Waits for the end of a query. Returns where its rows are.
    async fn finished(
        &self,
        scheduler: &mut SchedulerClient,
        job: &str,
    ) -> Result<Vec<PartitionLocation>, ClusterError> {
        let mut wait = SOON;
        // Since when the scheduler does not know the query.
        let mut unknown: Option<Instant> = None;
        let mut vacancy = Vacancy::new(&self.address, self.executor_wait);
        loop {
            let asked = GetJobStatusParams { job_id: job.to_owned() };
            let answer = self.answer(ANSWER, scheduler.get_job_status(asked)).await?;
            match answer.status.and_then(|status| status.status) {
                Some(job_status::Status::Successful(job)) => return Ok(job.partition_location),
                Some(job_status::Status::Failed(job)) if job.error.contains(NO_EXECUTOR) => {
                    return Err(self.without_executors(Duration::from_secs(NO_EXECUTOR_SECONDS)));
                }
                Some(job_status::Status::Failed(job)) if job.error.contains(REJECTED) => {
                    return Err(ClusterError::Rejected);
                }
                Some(job_status::Status::Failed(job)) => {
                    let message = message_in(&job.error);
                    let other = || without_wrappers(&job.error).to_owned();
                    return Err(ClusterError::Query(message.unwrap_or_else(other)));
                }
                Some(job_status::Status::Queued(_) | job_status::Status::Running(_)) => {
                    unknown = None;
                }
                None if unknown.get_or_insert_with(Instant::now).elapsed() < UNKNOWN => {}
                None => {
                    let why = "it does not know the query any more; it may have been started anew";
                    return Err(self.failed(why.to_owned()));
                }
            }
            if vacancy.is_too_long().await {
                let abandoned = CancelJobParams { job_id: job.to_owned() };
                // The query fails in any case; it may run once there is an executor.
                let _ = self.answer(ANSWER, scheduler.cancel_job(abandoned)).await;
                return Err(self.without_executors(self.executor_wait));
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LATER);
        }
    }

    /// The answer of the scheduler to a request, which it must give within a time.
    async fn answer<T>(
        &self,
        limit: Duration,
        request: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>,
    ) -> Result<T, ClusterError> {
        answered(limit, request).await.map_err(|why| self.failed(why))
    }

    fn without_executors(&self, waited: Duration) -> ClusterError {
        ClusterError::NoExecutor { address: self.address.clone(), waited }
    }

    fn failed(&self, why: String) -> ClusterError {
        ClusterError::Scheduler { address: self.address.clone(), why }
    }
}

/// The answer to a request, which must come within a time, or why there is none.
async fn answered<T>(
    limit: Duration,
    request: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>,
) -> Result<T, String> {
    match tokio::time::timeout(limit, request).await {
        Ok(Ok(answer)) => Ok(answer.into_inner()),
        Ok(Err(status)) => Err(reason(&status)),
        Err(_) => Err(format!("no answer in {} s", limit.as_secs())),
    }
}

/// Submits a query, in a task that goes on when its caller is gone.
fn submission(scheduler: SchedulerClient, query: &Query) -> Submission {
    let params = ExecuteQueryParams {
        query: Some(Submitted::PhysicalPlan(query.bytes.clone())),
        settings: query.settings.clone(),
        session_id: ballista_core::ids::new_instance_id(),
        operation_id: ballista_core::ids::new_instance_id(),
    };
    let task = tokio::spawn(submit(scheduler, params));
    let number = async move { task.await.unwrap_or_else(|stopped| Err(stopped.to_string())) };
    number.boxed().shared()
}

/// Submits a query and returns its number.
async fn submit(
    mut scheduler: SchedulerClient,
    params: ExecuteQueryParams,
) -> Result<String, String> {
    match answered(SUBMISSION, scheduler.execute_query(params)).await?.result {
        Some(execute_query_result::Result::Success(accepted)) => Ok(accepted.job_id),
        Some(execute_query_result::Result::Failure(failure)) => {
            Err(format!("it refused the query: {failure:?}"))
        }
        None => Err("it gave no answer".to_owned()),
    }
}

/// Refuses plans that read parts of files: messages of DataFusion name whole files, so that every
/// part would have the rows of all.
fn ensure_whole_files(plan: &Arc<dyn ExecutionPlan>) -> Result<(), ClusterError> {
    if let Some(scan) = plan.downcast_ref::<DataSourceExec>() {
        let source: &dyn std::any::Any = scan.data_source().as_ref();
        if let Some(scan) = source.downcast_ref::<FileScanConfig>() {
            let mut files = scan.file_groups.iter().flat_map(|group| group.files());
            if files.any(|file| file.extension::<ParquetAccessPlan>().is_some()) {
                let why = "it reads files of a lake that were compacted".to_owned();
                return Err(ClusterError::NotPortable(why));
            }
        }
    }
    plan.children().into_iter().try_for_each(ensure_whole_files)
}

/// An error of a task without the names of the steps that passed it on.
fn without_wrappers(error: &str) -> &str {
    let mut error = error;
    for wrapper in ["Job failed due to stage", "Task failed due to"] {
        if let Some(at) = error.rfind(wrapper) {
            let rest = &error[at..];
            error = rest.split_once(": ").map_or(rest, |(_, cause)| cause);
        }
    }
    error
}

/// Why rows could not be fetched.
enum Fetch {
    /// The executor that has them does not answer.
    Lost(String),
    /// They arrived and could not be kept.
    Kept(ClusterError),
}

/// Reads the rows of all partitions, in their order.
async fn fetch(mut locations: Vec<PartitionLocation>, query: &Query) -> Result<KeptRows, Fetch> {
    locations.sort_by_key(|location| {
        let partition = location.partition_id.as_ref().map(|id| id.partition_id);
        (partition, location.map_partition_id, location.file_id)
    });
    let mut kept = KeptRows::new(query.plan.schema(), MOST_IN_MEMORY);
    let mut clients: HashMap<(String, u16), BallistaClient> = HashMap::new();
    for location in locations {
        let layout = location.layout();
        let (Some(executor), Some(id)) = (location.executor_meta, location.partition_id) else {
            return Err(Fetch::Lost("the scheduler does not say where they are".to_owned()));
        };
        let port = executor.port as u16;
        let key = (executor.host.clone(), port);
        let lost = |error: &dyn Error| {
            Fetch::Lost(format!("the executor at {}:{port}: {error}", executor.host))
        };
        if !clients.contains_key(&key) {
            let client = client_of(&executor.host, port).await.map_err(|error| lost(&error))?;
            clients.insert(key.clone(), client);
        }
        let Some(client) = clients.get_mut(&key) else { continue };
        let rows =
            client.fetch_partition(&executor.id, &id.into(), location.file_id, layout, true).await;
        let mut rows = rows.map_err(|error| lost(&error))?;
        while let Some(batch) = rows.next().await {
            let batch = batch.map_err(|error| lost(&error))?;
            kept.push(batch).map_err(Fetch::Kept)?;
        }
    }
    Ok(kept)
}

async fn client_of(
    host: &str,
    port: u16,
) -> Result<BallistaClient, ballista_core::error::BallistaError> {
    let endpoint = Some(Arc::new(BallistaConfigGrpcEndpoint::new(Arc::new(for_rows))));
    BallistaClient::try_new(host, port, MOST_MESSAGE, false, endpoint, READS, READ_WAIT, 0, 0).await
}

fn for_rows(endpoint: Endpoint) -> Result<Endpoint, Box<dyn Error + Send + Sync>> {
    Ok(with_pings(endpoint, Pings::OF_ROWS))
}

/// The message of a refusal, or the innermost cause of a lost connection: a transport says only that
/// it failed.
fn reason(status: &tonic::Status) -> String {
    match Error::source(status) {
        Some(cause) => causes(cause),
        None => status.message().to_owned(),
    }
}

/// The innermost cause of an error.
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    text
}

/// Splits HOST:PORT; a host with colons is in brackets.
pub(crate) fn host_and_port(address: &str) -> Result<(String, u16), ClusterError> {
    let wrong = || ClusterError::Address(address.to_owned());
    let (host, port) = address.rsplit_once(':').ok_or_else(wrong)?;
    let is_bare = host.contains(':') && !(host.starts_with('[') && host.ends_with(']'));
    match port.parse() {
        Ok(port) if !host.is_empty() && !is_bare => Ok((host.to_owned(), port)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_host_and_a_port() {
        assert_eq!(host_and_port("localhost:50050").unwrap(), ("localhost".to_owned(), 50050));
        assert_eq!(host_and_port("[::1]:7").unwrap(), ("[::1]".to_owned(), 7));
        for wrong in ["localhost", ":50050", "::1:7", "a:b", "a:70000"] {
            assert!(host_and_port(wrong).is_err(), "{wrong}");
        }
    }
}
