//! How the steps of plans that are tpq's own reach other processes.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{Result, plan_err};
use datafusion::physical_plan::ExecutionPlan;

use super::span_join::SpanJoinExec;

/// A step as plain values, for messages between processes. Its inputs are sent next to it.
#[derive(Clone, Debug, PartialEq)]
pub struct PortableStep {
    /// The name of the step.
    pub name: String,
    /// What the step keeps, as texts.
    pub texts: Vec<String>,
    /// The columns of the result.
    pub schema: SchemaRef,
}

impl PortableStep {
    /// The values of a step; `None` for a step that does not travel.
    pub fn of(node: &Arc<dyn ExecutionPlan>) -> Option<Self> {
        let join = node.downcast_ref::<SpanJoinExec>()?;
        let (name, schema) = (SPAN_JOIN.to_owned(), node.schema());
        Some(Self { name, texts: join.texts(), schema })
    }

    /// The step over its inputs.
    ///
    /// # Errors
    /// When the values are those of no step.
    pub fn step(&self, inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let Ok(inputs) = <[Arc<dyn ExecutionPlan>; 2]>::try_from(inputs) else {
            return plan_err!("{} needs two inputs", self.name);
        };
        let schema = Arc::clone(&self.schema);
        match (self.name.as_str(), SpanJoinExec::from_texts(inputs, &self.texts, schema)) {
            (SPAN_JOIN, Some(join)) => Ok(Arc::new(join?)),
            _ => plan_err!("there is no step {} of {:?}", self.name, self.texts),
        }
    }
}

const SPAN_JOIN: &str = "SpanJoinExec";

/// How a step of tpq reaches another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// As a [`PortableStep`].
    AsValues,
    /// Not at all: a rule puts it into plans that run in this process, and a distributed session
    /// is without that rule.
    LeftOut,
    /// Not at all: it keeps parts of a session, such as tables, functions or other plans. A plan
    /// with this step runs where it was planned.
    AtHome,
}

/// All steps of this crate, by the names of their types. A test compares the list with the sources.
pub const OWN_STEPS: &[(&str, Travel)] = &[
    ("ApplyExec", Travel::AtHome),
    ("EachBatchExec", Travel::LeftOut),
    ("GraphScanExec", Travel::AtHome),
    ("InOrderExec", Travel::LeftOut),
    ("PackedSortExec", Travel::LeftOut),
    ("PartitionTopNExec", Travel::LeftOut),
    ("SharedReadExec", Travel::LeftOut),
    ("SpanJoinExec", Travel::AsValues),
    ("StepTableExec", Travel::AtHome),
    ("TableCallExec", Travel::AtHome),
];
