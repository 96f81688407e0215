//! Plans as bytes: tpq's own steps, next to those of DataFusion and Ballista.

use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::common::{DataFusionError, Result, internal_err, plan_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use prost::Message;
use tpq_sql::{OWN_STEPS, ParameterValue, PortableStep};

use crate::operator::TraceWorkExec;
use crate::work::{SharedWorker, Task, TraceWork};

/// What the bytes of a step of tpq begin with. No message of Ballista begins so: the first letter
/// would end a group that did not begin.
const OWN: &[u8] = b"TPQ1";

/// The version of the program. Plans of another one may mean something else.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes and reads the steps of plans. The process that reads a plan has the worker that runs it.
#[derive(Debug)]
pub struct ClusterCodec {
    worker: SharedWorker,
    ballista: BallistaPhysicalExtensionCodec,
}

impl ClusterCodec {
    /// A codec for plans that `worker` runs.
    pub fn new(worker: SharedWorker) -> Self {
        Self { worker, ballista: BallistaPhysicalExtensionCodec::default() }
    }
}

impl PhysicalExtensionCodec for ClusterCodec {
    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let step = if let Some(exec) = node.downcast_ref::<TraceWorkExec>() {
            step::Kind::TraceWork(TraceWorkMessage::of(exec)?)
        } else if let Some(portable) = PortableStep::of(&node) {
            step::Kind::Portable(PortableMessage::of(&portable)?)
        } else if is_own(node.name()) {
            // Ballista's codec would say only that it has none.
            return plan_err!("{} runs only where it was planned", node.name());
        } else {
            return self.ballista.try_encode(node, buf, converter);
        };
        buf.extend_from_slice(OWN);
        StepMessage { kind: Some(step), program: VERSION.to_owned() }.encode(buf).map_err(wrong)
    }

    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(own) = buf.strip_prefix(OWN) else {
            return self.ballista.try_decode(buf, inputs, context, converter);
        };
        let message = StepMessage::decode(own).map_err(wrong)?;
        if message.program != VERSION {
            return plan_err!(
                "a plan of tpq {} reached tpq {VERSION}; run the same version as client, scheduler \
                 and executors",
                message.program
            );
        }
        match message.kind {
            Some(step::Kind::TraceWork(message)) => {
                let [names] = inputs else {
                    return internal_err!("TraceWorkExec without the names of traces");
                };
                let (work, schema) = message.parts()?;
                let worker = Arc::clone(&self.worker);
                Ok(Arc::new(TraceWorkExec::over(Arc::clone(names), work, schema, worker)))
            }
            Some(step::Kind::Portable(message)) => message.parts()?.step(inputs.to_vec()),
            None => plan_err!("a step that this version of tpq does not have"),
        }
    }
}

/// Whether a step is one of tpq. Steps that pass batches on have names of their own.
fn is_own(name: &str) -> bool {
    OWN_STEPS.iter().any(|(own, _)| *own == name)
}

fn wrong(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// A step of tpq.
#[derive(Clone, PartialEq, Message)]
struct StepMessage {
    #[prost(oneof = "step::Kind", tags = "1, 2")]
    kind: Option<step::Kind>,
    /// The version of tpq that wrote it.
    #[prost(string, tag = "3")]
    program: String,
}

mod step {
    use super::{PortableMessage, TraceWorkMessage};

    #[derive(Clone, PartialEq, prost::Oneof)]
    pub(super) enum Kind {
        #[prost(message, tag = "1")]
        TraceWork(TraceWorkMessage),
        #[prost(message, tag = "2")]
        Portable(PortableMessage),
    }
}

/// Work on each trace.
#[derive(Clone, PartialEq, Message)]
struct TraceWorkMessage {
    #[prost(string, optional, tag = "1")]
    lake: Option<String>,
    /// Arrow's message of a schema.
    #[prost(bytes = "vec", tag = "2")]
    schema: Vec<u8>,
    /// Statements; none for an import.
    #[prost(message, optional, tag = "3")]
    statement: Option<StatementMessage>,
    #[prost(bool, tag = "4")]
    keeps_failures: bool,
    /// Of an import.
    #[prost(bool, tag = "5")]
    replace: bool,
    #[prost(uint64, tag = "6")]
    version: u64,
}

#[derive(Clone, PartialEq, Message)]
struct StatementMessage {
    #[prost(string, tag = "1")]
    sql: String,
    #[prost(message, repeated, tag = "2")]
    parameters: Vec<ParameterMessage>,
    #[prost(string, repeated, tag = "3")]
    metadata: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ParameterMessage {
    #[prost(string, tag = "1")]
    name: String,
    /// NULL where none is set.
    #[prost(oneof = "parameter::Value", tags = "2, 3, 4")]
    value: Option<parameter::Value>,
}

mod parameter {
    #[derive(Clone, PartialEq, prost::Oneof)]
    pub(super) enum Value {
        #[prost(sint64, tag = "2")]
        Integer(i64),
        #[prost(double, tag = "3")]
        Real(f64),
        #[prost(string, tag = "4")]
        Text(String),
    }
}

impl TraceWorkMessage {
    fn of(exec: &TraceWorkExec) -> Result<Self> {
        let work = exec.work();
        let statement = match &work.task {
            Task::Statement { sql, parameters, metadata } => Some(StatementMessage {
                sql: sql.clone(),
                parameters: parameters.iter().map(ParameterMessage::of).collect(),
                metadata: metadata.clone(),
            }),
            Task::Ingest { .. } => None,
        };
        let schema = schema_bytes(&exec.schema())?;
        let (lake, keeps_failures) = (work.lake.clone(), work.keeps_failures);
        let replace = work.task == Task::Ingest { replace: true };
        let version = work.version;
        Ok(Self { lake, schema, statement, keeps_failures, replace, version })
    }

    fn parts(self) -> Result<(TraceWork, SchemaRef)> {
        let schema = schema_of(&self.schema)?;
        let task = match self.statement {
            Some(StatementMessage { sql, parameters, metadata }) => {
                let parameters = parameters.into_iter().map(ParameterMessage::parts).collect();
                Task::Statement { sql, parameters, metadata }
            }
            None => Task::Ingest { replace: self.replace },
        };
        let (version, keeps_failures) = (self.version, self.keeps_failures);
        Ok((TraceWork { lake: self.lake, version, task, keeps_failures }, schema))
    }
}

impl ParameterMessage {
    fn of((name, value): &(String, ParameterValue)) -> Self {
        let value = match value {
            ParameterValue::Null => None,
            ParameterValue::Integer(value) => Some(parameter::Value::Integer(*value)),
            ParameterValue::Real(value) => Some(parameter::Value::Real(*value)),
            ParameterValue::Text(text) => Some(parameter::Value::Text(text.clone())),
        };
        Self { name: name.clone(), value }
    }

    fn parts(self) -> (String, ParameterValue) {
        let value = match self.value {
            None => ParameterValue::Null,
            Some(parameter::Value::Integer(value)) => ParameterValue::Integer(value),
            Some(parameter::Value::Real(value)) => ParameterValue::Real(value),
            Some(parameter::Value::Text(text)) => ParameterValue::Text(text),
        };
        (self.name, value)
    }
}

/// A step of a session's plan that runs in any process.
#[derive(Clone, PartialEq, Message)]
struct PortableMessage {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, repeated, tag = "2")]
    texts: Vec<String>,
    #[prost(bytes = "vec", tag = "3")]
    schema: Vec<u8>,
}

impl PortableMessage {
    fn of(step: &PortableStep) -> Result<Self> {
        let schema = schema_bytes(&step.schema)?;
        Ok(Self { name: step.name.clone(), texts: step.texts.clone(), schema })
    }

    fn parts(self) -> Result<PortableStep> {
        Ok(PortableStep { name: self.name, texts: self.texts, schema: schema_of(&self.schema)? })
    }
}

/// A schema as an Arrow stream without batches.
fn schema_bytes(schema: &Schema) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    StreamWriter::try_new(&mut bytes, schema)?.finish()?;
    Ok(bytes)
}

fn schema_of(bytes: &[u8]) -> Result<SchemaRef> {
    Ok(StreamReader::try_new(bytes, None)?.schema())
}
