//! Samples of a profile.

use tpq_decode::RunEvent;
use tpq_proto::fields::pprof_profile::{self, sample, value_type};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::Trackers;

use super::locations::{Strings, frames};
use crate::samples::{callsite, push_profile, push_value};

const SCOPE: &str = "pprof_file";

/// Decodes a profile: a row of `__intrinsic_aggregate_profile` for each type of value, and a row of
/// `__intrinsic_aggregate_sample` for each value.
pub(super) fn decode_profile(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let bytes = event.message();
    let strings = Strings::of(bytes, tables);
    let frames = frames(bytes, &strings, trackers, tables);
    let profiles = profiles(bytes, &strings, tables);
    for field in Fields::new(bytes).filter(|field| field.number == pprof_profile::SAMPLE) {
        // The innermost location comes first.
        let mut locations: Vec<u64> = numbers(field.as_bytes(), sample::LOCATION_ID).collect();
        locations.reverse();
        let known = locations.iter().filter_map(|location| frames.get(location).copied());
        let is_whole = locations.iter().all(|location| frames.contains_key(location));
        let values: Vec<u64> = numbers(field.as_bytes(), sample::VALUE).collect();
        let Some(callsite) = callsite(known, trackers, tables) else {
            // Go adds a sample of nothing.
            if values.iter().any(|&value| value != 0) {
                stats.increment(Stat::FormatParseErrors);
            }
            continue;
        };
        if !is_whole || values.len() != profiles.len() {
            stats.increment(Stat::FormatParseErrors);
        }
        for (&profile, value) in profiles.iter().zip(values) {
            push_value(profile, callsite, value.cast_signed() as f64, tables);
        }
    }
}

/// The row of each type of value.
fn profiles(bytes: &[u8], strings: &Strings, tables: &mut Tables) -> Vec<u32> {
    let scope = tables.strings.intern(SCOPE);
    let fields = Fields::new(bytes).filter(|field| field.number == pprof_profile::SAMPLE_TYPE);
    let mut profiles = Vec::new();
    for field in fields {
        let message = LastFields::<3>::new(field.as_bytes());
        let text = |field, otherwise: &str| match strings.get(&message, field) {
            Some(text) => tables.strings.get(text).to_owned(),
            None => otherwise.to_owned(),
        };
        let kind = text(value_type::TYPE, "unknown");
        let unit = text(value_type::UNIT, "count");
        profiles.push(push_profile(scope, &format!("pprof {kind}"), (&kind, &unit), tables));
    }
    profiles
}

/// The numbers in a repeated field, one by one or packed.
fn numbers(message: &[u8], number: u32) -> impl Iterator<Item = u64> {
    Fields::new(message).filter(move |field| field.number == number).flat_map(|it| repeated(&it))
}
