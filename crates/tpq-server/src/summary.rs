//! Trace summaries for clients.

use std::sync::Arc;

use prost::Message;
use tpq_proto::message::trace_summary_args::Format;
use tpq_proto::message::trace_summary_result::Summary;
use tpq_proto::message::{TraceSummaryArgs, TraceSummaryResult};
use tpq_sql::CancelToken;
use tpq_summary::{SummaryError, SummaryFormat, SummaryOptions, SummarySpecs, summarize};

use crate::engine::{Engine, EngineError};

/// A summary that could not be computed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Summary(#[from] SummaryError),
}

impl Engine {
    /// Computes a summary of the current trace; an error is a part of the result.
    pub async fn summarize(self: &Arc<Self>, args: TraceSummaryArgs) -> TraceSummaryResult {
        let format = args.output_format();
        let computed = self.limited("the summary", |trace, cancel| async move {
            let options = options(&args, cancel);
            Ok::<_, Failure>(summarize(trace.session(), &specs(args)?, &options).await?)
        });
        let (summary, error) = match computed.await {
            Ok(summary) => (Some(summary), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let summary = summary.map(|summary| match format {
            Format::BinaryProtobuf => Summary::ProtoSummary(summary.encode_to_vec()),
            Format::Textproto => {
                let text = SummaryFormat::Text.write(&summary);
                Summary::TextprotoSummary(String::from_utf8_lossy(&text).into_owned())
            }
        });
        TraceSummaryResult { summary, error }
    }
}

fn options(args: &TraceSummaryArgs, cancel: CancelToken) -> SummaryOptions {
    let computation = args.computation_spec.clone().unwrap_or_default();
    let is_all = computation.run_all_metrics();
    SummaryOptions {
        metrics: (!is_all).then_some(computation.metric_ids),
        metadata_query: computation.metadata_query_id,
        memory_limit: None,
        cancel,
    }
}

fn specs(args: TraceSummaryArgs) -> Result<SummarySpecs, SummaryError> {
    let mut specs = SummarySpecs::default();
    args.proto_specs.into_iter().for_each(|spec| specs.add_message(spec));
    for (index, text) in args.textproto_specs.iter().enumerate() {
        specs.add(&format!("specification {}", index + 1), text.as_bytes())?;
    }
    Ok(specs)
}
