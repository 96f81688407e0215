//! The methods: a request becomes calls of the engine and replies.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use futures::StreamExt;
use prost::encoding::{WireType, encode_key, encode_varint};
use tpq_proto::message::reset_trace_processor_args::{DropTrackEventDataBefore, SortingMode};
use tpq_proto::message::trace_processor_rpc::{Args, TraceProcessorMethod as Method, Type};
use tpq_proto::message::{
    AppendTraceDataResult, ComputeMetricResult, ExportResult, FinalizeDataResult, QueryArgs,
    RegisterSqlPackageResult, ResetTraceProcessorArgs, StatementArgs, TraceProcessorRpc,
    export_args,
};

use super::replies::{Disconnected, Replies, field};
use crate::engine::{Engine, EngineError, StatementEnd, UploadClient};
use crate::loader::ImportChoices;

/// The reply to metrics of the first version, which are defined in C++.
pub(crate) const NO_METRICS: &str =
    "metrics of the first version are not supported; use trace summaries";

/// The arguments of a request, or empty ones: a message without fields is not sent.
macro_rules! args_of {
    ($args:expr, $variant:ident) => {
        match $args {
            Some(Args::$variant(args)) => args,
            _ => Default::default(),
        }
    };
}

/// Answers a request.
pub(super) async fn answer(
    engine: &Arc<Engine>,
    upload: &mut UploadClient,
    message: TraceProcessorRpc,
    replies: &mut Replies,
) -> Result<(), Disconnected> {
    let Some(Type::Request(number)) = message.r#type else {
        replies.fail("expected a request".to_owned()).await?;
        return Err(Disconnected);
    };
    let method = match Method::try_from(number) {
        Ok(Method::TpmUnspecified) | Err(_) => return replies.refuse(number).await,
        Ok(method) => method,
    };
    let args = message.args;
    match method {
        Method::TpmQueryStreaming => query(engine, args_of!(args, QueryArgs), replies).await,
        Method::TpmStatementStreaming => {
            statement(engine, args_of!(args, StatementArgs), replies).await
        }
        Method::TpmExport => export(engine, args_of!(args, ExportArgs).format(), replies).await,
        Method::TpmAppendTraceData => {
            let appended = appended(upload.append(args_of!(args, AppendTraceData)).await);
            replies.send(method, Some(Args::AppendResult(appended))).await
        }
        method => {
            let result = result(engine, method, args).await;
            replies.send(method, result).await
        }
    }
}

/// Runs statements and sends the result of the last one, message by message.
async fn query(
    engine: &Arc<Engine>,
    args: QueryArgs,
    replies: &mut Replies,
) -> Result<(), Disconnected> {
    let mut messages = engine.query(args.sql_query.unwrap_or_default());
    while let Some(message) = messages.next().await {
        replies.send_encoded(Method::TpmQueryStreaming, field::QUERY_RESULT, &message).await?;
    }
    Ok(())
}

/// Runs one statement and sends its result, message by message.
async fn statement(
    engine: &Arc<Engine>,
    args: StatementArgs,
    replies: &mut Replies,
) -> Result<(), Disconnected> {
    let start = args.start_offset() as usize;
    let (end, mut messages) = engine.statement(args.sql.unwrap_or_default(), start).await;
    while let Some(message) = messages.next().await {
        let result = statement_result(&message, end);
        let method = Method::TpmStatementStreaming;
        replies.send_encoded(method, field::STATEMENT_RESULT, &result).await?;
    }
    Ok(())
}

/// Sends an export part by part. The last reply has no data.
async fn export(
    engine: &Arc<Engine>,
    format: export_args::Format,
    replies: &mut Replies,
) -> Result<(), Disconnected> {
    let mut error = None;
    match engine.export(format) {
        Ok(mut parts) => {
            while let Some(part) = parts.next().await {
                match part {
                    Ok(part) => {
                        let data = Some(part.to_vec());
                        let result = ExportResult { data, error: None, has_more: Some(true) };
                        replies.send(Method::TpmExport, Some(Args::ExportResult(result))).await?;
                    }
                    Err(failed) => error = Some(failed.to_string()),
                }
            }
        }
        Err(failed) => error = Some(failed.to_string()),
    }
    let last = ExportResult { data: None, error, has_more: Some(false) };
    replies.send(Method::TpmExport, Some(Args::ExportResult(last))).await
}

/// The result of a method that has one reply; `None` for one without a result.
async fn result(engine: &Arc<Engine>, method: Method, args: Option<Args>) -> Option<Args> {
    match method {
        Method::TpmSummarizeTrace
        | Method::TpmCreateSummarizer
        | Method::TpmUpdateSummarizerSpec
        | Method::TpmQuerySummarizer
        | Method::TpmDestroySummarizer => summary_result(engine, method, args).await,
        Method::TpmComputeMetric => Some(Args::MetricResult(ComputeMetricResult {
            error: Some(NO_METRICS.to_owned()),
            ..ComputeMetricResult::default()
        })),
        // No metric has a descriptor.
        Method::TpmGetMetricDescriptors => Some(Args::MetricDescriptors(Vec::new())),
        Method::TpmGetStatus => Some(Args::Status(engine.status())),
        Method::TpmEnableMetatrace => {
            engine.enable_metatrace();
            None
        }
        Method::TpmDisableAndReadMetatrace => {
            Some(Args::Metatrace(engine.disable_and_read_metatrace().await))
        }
        method => trace_result(engine, method, args).await,
    }
}

/// The result of a method that changes the trace or its session.
async fn trace_result(engine: &Arc<Engine>, method: Method, args: Option<Args>) -> Option<Args> {
    match method {
        Method::TpmFinalizeTraceData => {
            let error = engine.finalize().await.err().map(|error| error.to_string());
            Some(Args::FinalizeDataResult(FinalizeDataResult { error }))
        }
        Method::TpmRegisterSqlPackage => {
            let package = args_of!(args, RegisterSqlPackageArgs);
            let error = engine.register_package(package).await.err();
            let error = error.map(|error| error.to_string());
            Some(Args::RegisterSqlPackageResult(RegisterSqlPackageResult { error }))
        }
        Method::TpmResetTraceProcessor => {
            let args = args_of!(args, ResetTraceProcessorArgs);
            engine.reset(import_choices(&args)).await;
            None
        }
        Method::TpmRestoreInitialTables => {
            // Without a trace, nothing was created.
            let _ = engine.restore_initial_tables().await;
            None
        }
        _ => None,
    }
}

/// The result of a method of summaries.
async fn summary_result(engine: &Arc<Engine>, method: Method, args: Option<Args>) -> Option<Args> {
    Some(match method {
        Method::TpmSummarizeTrace => {
            let args = args_of!(args, TraceSummaryArgs);
            Args::TraceSummaryResult(engine.summarize(args).await)
        }
        Method::TpmCreateSummarizer => {
            let id = args_of!(args, CreateSummarizerArgs).summarizer_id;
            Args::CreateSummarizerResult(engine.create_summarizer(id))
        }
        Method::TpmUpdateSummarizerSpec => {
            let args = args_of!(args, UpdateSummarizerSpecArgs);
            Args::UpdateSummarizerSpecResult(engine.update_summarizer(args))
        }
        Method::TpmQuerySummarizer => {
            let args = args_of!(args, QuerySummarizerArgs);
            Args::QuerySummarizerResult(engine.query_summarizer(args).await)
        }
        Method::TpmDestroySummarizer => {
            let args = args_of!(args, DestroySummarizerArgs);
            Args::DestroySummarizerResult(engine.destroy_summarizer(args.summarizer_id()))
        }
        _ => return None,
    })
}

/// The reply to a part of a trace.
pub(crate) fn appended(outcome: Result<u64, EngineError>) -> AppendTraceDataResult {
    match outcome {
        Ok(bytes) => AppendTraceDataResult {
            total_bytes_parsed: Some(i64::try_from(bytes).unwrap_or(i64::MAX)),
            error: None,
        },
        Err(error) => {
            AppendTraceDataResult { total_bytes_parsed: None, error: Some(error.to_string()) }
        }
    }
}

fn import_choices(args: &ResetTraceProcessorArgs) -> ImportChoices {
    ImportChoices {
        ftrace_raw: args.ingest_ftrace_in_raw_table,
        crop: args
            .drop_track_event_data_before
            .map(|before| before == DropTrackEventDataBefore::TrackEventRangeOfInterest as i32),
        full_sort: args.sorting_mode.map(|mode| mode == SortingMode::ForceFullSort as i32),
    }
}

/// A `StatementResult` around a message of a `QueryResult`.
fn statement_result(message: &[u8], end: StatementEnd) -> Bytes {
    /// Numbers of the fields of `StatementResult`.
    mod field {
        pub(super) const RESULT: u32 = 1;
        pub(super) const TAIL_OFFSET: u32 = 2;
        pub(super) const STATEMENT_EXECUTED: u32 = 3;
    }
    let mut bytes = BytesMut::with_capacity(message.len() + 24);
    encode_key(field::RESULT, WireType::LengthDelimited, &mut bytes);
    encode_varint(message.len() as u64, &mut bytes);
    bytes.put_slice(message);
    encode_key(field::TAIL_OFFSET, WireType::Varint, &mut bytes);
    encode_varint(end.offset as u64, &mut bytes);
    encode_key(field::STATEMENT_EXECUTED, WireType::Varint, &mut bytes);
    encode_varint(u64::from(end.was_executed), &mut bytes);
    bytes.freeze()
}
