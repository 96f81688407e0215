//! The field `metadata` of the outermost object: facts about the recording.

use sonic_rs::to_object_iter;
use tpq_tables::{Stat, Stats, Tables};

use super::text::unescaped;
use tpq_decode::RunEvent;
use tpq_trackers::track::{MetadataValue, Trackers};

/// Objects within objects deeper than this stay JSON.
const MAX_DEPTH: usize = 8;
/// Facts of a file that are kept; programs write a few dozen.
const MOST_FACTS: usize = 10_000;

/// The number of facts so far, in a file.
#[derive(Default)]
struct Facts(usize);

/// Decodes the object: each member is a fact of its name, those of objects within it are joined by
/// dots. Arrays and decimals stay JSON; null is nothing.
pub(crate) fn decode_metadata(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let json = String::from_utf8_lossy(event.message());
    add(&json, "json_metadata", 0, trackers, tables, stats);
}

fn add(
    object: &str,
    key: &str,
    depth: usize,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for member in to_object_iter(object) {
        let Ok((name, value)) = member else {
            stats.increment(Stat::JsonParserFailure);
            return;
        };
        let (name, raw) = (format!("{key}.{name}"), value.as_raw_str());
        if raw.starts_with('{') && depth < MAX_DEPTH {
            add(raw, &name, depth + 1, trackers, tables, stats);
            continue;
        }
        let text = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        let value = match (raw, text) {
            ("null", _) => continue,
            ("true", _) => MetadataValue::Int(1),
            ("false", _) => MetadataValue::Int(0),
            (_, Some(text)) => {
                MetadataValue::Text(tables.strings.intern(&unescaped(text.as_bytes())))
            }
            _ => match raw.parse() {
                Ok(number) => MetadataValue::Int(number),
                Err(_) => MetadataValue::Text(tables.strings.intern(raw)),
            },
        };
        let Facts(facts) = trackers.file.states.get();
        if *facts == MOST_FACTS {
            stats.increment(Stat::JsonParserFailure);
            return;
        }
        *facts += 1;
        trackers.metadata.set(&name, value, tables);
    }
}
