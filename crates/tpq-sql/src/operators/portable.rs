//! How the steps of plans that are tpq's own reach other processes.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{Result, plan_err};
use datafusion::physical_plan::ExecutionPlan;

use super::outer_constants::ForgetConstantsExec;
use super::span_join::SpanJoinExec;
use crate::offsets::OffsetExec;

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
        let (name, texts) = if let Some(join) = node.downcast_ref::<SpanJoinExec>() {
            (SPAN_JOIN, join.texts())
        } else if let Some(offset) = node.downcast_ref::<OffsetExec>() {
            (OFFSET, offset.texts())
        } else {
            node.downcast_ref::<ForgetConstantsExec>()?;
            (FORGET_CONSTANTS, Vec::new())
        };
        Some(Self { name: name.to_owned(), texts, schema: node.schema() })
    }

    /// The step over its inputs.
    ///
    /// # Errors
    /// When the values are those of no step.
    pub fn step(&self, inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let step: Option<Arc<dyn ExecutionPlan>> = match self.name.as_str() {
            SPAN_JOIN => match <[Arc<dyn ExecutionPlan>; 2]>::try_from(inputs) {
                Ok(inputs) => {
                    let schema = Arc::clone(&self.schema);
                    match SpanJoinExec::from_texts(inputs, &self.texts, schema) {
                        Some(join) => Some(Arc::new(join?)),
                        None => None,
                    }
                }
                Err(_) => None,
            },
            OFFSET => only(inputs).and_then(|input| OffsetExec::from_texts(input, &self.texts)),
            FORGET_CONSTANTS => match only(inputs) {
                Some(input) => Some(ForgetConstantsExec::over(input)?),
                None => None,
            },
            _ => None,
        };
        match step {
            Some(step) => Ok(step),
            None => plan_err!("there is no step {} of {:?}", self.name, self.texts),
        }
    }
}

/// The input of a step that has one.
fn only(mut inputs: Vec<Arc<dyn ExecutionPlan>>) -> Option<Arc<dyn ExecutionPlan>> {
    let input = inputs.pop()?;
    inputs.is_empty().then_some(input)
}

const FORGET_CONSTANTS: &str = "ForgetConstantsExec";
const OFFSET: &str = "OffsetExec";
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
    ("DenseAggregateExec", Travel::LeftOut),
    ("EachBatchExec", Travel::LeftOut),
    ("ForgetConstantsExec", Travel::AsValues),
    ("GraphScanExec", Travel::AtHome),
    ("InOrderExec", Travel::LeftOut),
    ("OffsetExec", Travel::AsValues),
    ("PackedSortExec", Travel::LeftOut),
    ("PartitionTopNExec", Travel::LeftOut),
    ("SharedReadExec", Travel::LeftOut),
    ("SpanJoinExec", Travel::AsValues),
    ("StepTableExec", Travel::AtHome),
    ("TableCallExec", Travel::AtHome),
    ("TextsOfIdsExec", Travel::LeftOut),
];
