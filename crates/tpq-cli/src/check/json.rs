//! The report as JSON for programs: one object.

use serde_json::{Value, json};

use tpq_health::{Advice, ErrorCount, Loss, LossReport};

/// `lost` is whether data was lost, and `unknown` whether the trace may have losses that it does
/// not report. `losses` has the rows of `data_loss`, `errors` the stats of data that was not
/// understood, `advice` what the configurations could do better.
pub fn json(report: &LossReport) -> Value {
    let error = |error: &ErrorCount| json!({ "stat": error.stat, "count": error.count });
    json!({
        "lost": report.is_lost(),
        "unknown": report.is_unknown(),
        "files": report.files.iter().map(|(id, name)| json!({ "trace_id": id, "name": name })).collect::<Vec<_>>(),
        "start_ts": report.bounds.0,
        "end_ts": report.bounds.1,
        "losses": report.losses.iter().map(loss).collect::<Vec<_>>(),
        "errors": report.errors.iter().map(error).collect::<Vec<_>>(),
        "advice": report.advice.iter().map(advice).collect::<Vec<_>>(),
    })
}

fn advice(advice: &Advice) -> Value {
    json!({
        "kind": advice.kind,
        "what": advice.what,
        "remedy": advice.remedy,
        "trace_id": advice.file,
    })
}

fn loss(loss: &Loss) -> Value {
    let text = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    json!({
        "kind": loss.kind,
        "severity": if loss.is_notice { "notice" } else { "data_loss" },
        "what": loss.what,
        "remedy": text(&loss.remedy),
        "ts": loss.span.0,
        "ts_end": loss.span.1,
        "amount": loss.amount,
        "unit": text(&loss.unit),
        "stat": text(&loss.stat),
        "buffer": loss.buffer,
        "cpu": loss.cpu,
        "sequence_id": loss.sequence,
        "pid": loss.pid,
        "machine_id": loss.machine,
        "trace_id": loss.file,
    })
}
