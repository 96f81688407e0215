//! The verdict for programs: one JSON object.

use serde_json::{Value, json};

use super::{Loss, Verdict};

/// `lost` says whether anything is, `unknown` whether losses there may be would not be told of; `losses` has the rows of `data_loss`, `errors` the stats that
/// count what could not be understood.
pub fn json(verdict: &Verdict) -> Value {
    let error = |error: &super::Misunderstood| json!({ "stat": error.stat, "count": error.count });
    json!({
        "lost": verdict.is_lost(),
        "unknown": verdict.is_unknown(),
        "files": verdict.files.iter().map(|(id, name)| json!({ "trace_id": id, "name": name })).collect::<Vec<_>>(),
        "start_ts": verdict.bounds.0,
        "end_ts": verdict.bounds.1,
        "losses": verdict.losses.iter().map(loss).collect::<Vec<_>>(),
        "errors": verdict.errors.iter().map(error).collect::<Vec<_>>(),
    })
}

fn loss(loss: &Loss) -> Value {
    let text = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    json!({
        "kind": loss.kind,
        "severity": if loss.only_notice { "notice" } else { "data_loss" },
        "what": loss.what,
        "remedy": text(&loss.remedy),
        "ts": loss.between.0,
        "ts_end": loss.between.1,
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
