//! What is kept of an import's summary: what a query or an export asks of it.

use serde_json::{Value, json};

use crate::{ImportSummary, PacketKindCount};

pub(super) fn to_bytes(summary: &ImportSummary) -> Vec<u8> {
    let kind = |kind: &PacketKindCount| json!([kind.kind, kind.packets, kind.bytes]);
    let kinds: Vec<Value> = summary.packet_kinds.iter().map(kind).collect();
    let ImportSummary { format, file_bytes, trace_bytes, packets, sequences, sort_peak, .. } =
        summary;
    json!([format, file_bytes, trace_bytes, packets, sequences, sort_peak, kinds])
        .to_string()
        .into_bytes()
}

pub(super) fn from_bytes(bytes: &[u8]) -> Option<ImportSummary> {
    type Kinds = Vec<(String, u64, u64)>;
    type About = (String, u64, u64, u64, u64, u64, Kinds);
    let about: About = serde_json::from_slice(bytes).ok()?;
    let (format, file_bytes, trace_bytes, packets, sequences, sort_peak, kinds) = about;
    let kind = |(kind, packets, bytes)| PacketKindCount { kind, packets, bytes };
    let packet_kinds = kinds.into_iter().map(kind).collect();
    let rest = ImportSummary::default();
    Some(ImportSummary {
        format,
        file_bytes,
        trace_bytes,
        packets,
        sequences,
        sort_peak,
        packet_kinds,
        ..rest
    })
}
