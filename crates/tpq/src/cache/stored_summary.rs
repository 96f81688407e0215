//! The part of an import's summary that a cache entry stores: what queries and exports need, and
//! how files were placed on the timeline, so that a trace from the cache gives the same warnings.

use serde_json::{Value, json};
use tpq_clock::Rule;

use crate::{FilePlacement, ImportSummary, PacketKindCount};

pub(super) fn to_bytes(summary: &ImportSummary) -> Vec<u8> {
    let kind = |kind: &PacketKindCount| json!([kind.kind, kind.packets, kind.bytes]);
    let kinds: Vec<Value> = summary.packet_kinds.iter().map(kind).collect();
    let placement = |placement: &FilePlacement| {
        let FilePlacement { trace_id, file, rule, unplaced, negative } = placement;
        json!([trace_id, file, rule.name(), unplaced, negative])
    };
    let placements: Vec<Value> = summary.placements.iter().map(placement).collect();
    let ImportSummary { format, file_bytes, trace_bytes, packets, sequences, sort_peak, .. } =
        summary;
    json!([format, file_bytes, trace_bytes, packets, sequences, sort_peak, kinds, placements])
        .to_string()
        .into_bytes()
}

pub(super) fn from_bytes(bytes: &[u8]) -> Option<ImportSummary> {
    type Kinds = Vec<(String, u64, u64)>;
    type Placements = Vec<(u32, String, String, u64, u64)>;
    type StoredSummary = (String, u64, u64, u64, u64, u64, Kinds, Placements);
    let stored: StoredSummary = serde_json::from_slice(bytes).ok()?;
    let (format, file_bytes, trace_bytes, packets, sequences, sort_peak, kinds, placements) =
        stored;
    let kind = |(kind, packets, bytes)| PacketKindCount { kind, packets, bytes };
    let packet_kinds = kinds.into_iter().map(kind).collect();
    let placement = |(trace_id, file, rule, unplaced, negative): (_, _, String, _, _)| {
        let rule = rule_named(&rule)?;
        Some(FilePlacement { trace_id, file, rule, unplaced, negative })
    };
    let placements = placements.into_iter().map(placement).collect::<Option<_>>()?;
    let rest = ImportSummary::default();
    Some(ImportSummary {
        format,
        file_bytes,
        trace_bytes,
        packets,
        sequences,
        sort_peak,
        packet_kinds,
        placements,
        ..rest
    })
}

fn rule_named(name: &str) -> Option<Rule> {
    const RULES: [Rule; 4] =
        [Rule::Snapshots, Rule::Realtime, Rule::SameDomain, Rule::PrivateTimeline];
    RULES.into_iter().find(|rule| rule.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_survive() {
        let rules = [Rule::Snapshots, Rule::Realtime, Rule::SameDomain, Rule::PrivateTimeline];
        let placement = |(trace_id, rule)| FilePlacement {
            trace_id,
            file: format!("file \"{trace_id}\""),
            rule,
            unplaced: 3,
            negative: 4,
        };
        let summary = ImportSummary {
            placements: (0..).zip(rules).map(placement).collect(),
            ..ImportSummary::default()
        };
        let kept = from_bytes(&to_bytes(&summary)).unwrap();
        assert_eq!(format!("{:?}", kept.placements), format!("{:?}", summary.placements));
    }

    #[test]
    fn an_unknown_rule_is_refused() {
        let text = json!(["", 0, 0, 0, 0, 0, [], [[0, "a", "oracle", 0, 0]]]).to_string();
        assert!(from_bytes(text.as_bytes()).is_none());
    }
}
