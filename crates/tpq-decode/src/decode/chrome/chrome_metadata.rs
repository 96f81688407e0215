//! Metadata of Chrome and of its benchmarks.

use std::fmt::Write;
use tpq_proto::fields::{
    background_tracing_metadata, chrome_benchmark_metadata,
    chrome_metadata_packet::{self, finch_hash},
    trace_packet,
};

use tpq_ingest::Route;
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tpq_trackers::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::CHROME_METADATA, route: Route::Immediate, decode };
pub(crate) const BENCHMARK: PacketDecoder = PacketDecoder {
    field: trace_packet::CHROME_BENCHMARK_METADATA,
    route: Route::Immediate,
    decode: decode_benchmark,
};

/// Number of packets of a file with the metadata of a Chrome.
#[derive(Default)]
struct TypedChromes(u32);

/// Each Chrome of a recording has its letter in the names of its facts.
fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let TypedChromes(count) = trackers.file.states.get();
    let letter = char::from(b'a' + (*count % 26) as u8);
    *count += 1;
    let chrome = LastFields::<9>::new(packet.data);
    let mut set = |name: &str, value: MetadataValue| {
        trackers.metadata.set(&format!("cr-{letter}-{name}"), value, tables);
    };
    if let Some(code) = chrome.get(chrome_metadata_packet::CHROME_VERSION_CODE) {
        set("playstore_version_code", MetadataValue::Int(i64::from(code.as_i32())));
    }
    if let Some(channel) = chrome.get(chrome_metadata_packet::CHANNEL) {
        set("channel", MetadataValue::Int(i64::from(channel.as_u32())));
    }
    let mut texts = vec![];
    for (number, name) in [
        (chrome_metadata_packet::ENABLED_CATEGORIES, "enabled_categories"),
        (chrome_metadata_packet::APP_PACKAGE_NAME, "package-name"),
        (chrome_metadata_packet::APP_VERSION, "product-version"),
        (chrome_metadata_packet::OS_NAME, "os-name"),
    ] {
        texts.extend(chrome.get(number).map(|text| (name, text.as_bytes().to_vec())));
    }
    if chrome.has(chrome_metadata_packet::FIELD_TRIAL_HASHES) {
        texts.push(("field_trial_hashes", field_trials(packet.data).into_bytes()));
    }
    for (name, text) in texts {
        let text = MetadataValue::Text(tables.strings.intern_bytes(&text));
        trackers.metadata.set(&format!("cr-{letter}-{name}"), text, tables);
    }
    if let Some(background) = chrome.get(chrome_metadata_packet::BACKGROUND_TRACING_METADATA) {
        decode_background(background.as_bytes(), trackers, tables);
    }
}

/// The experiments that were on, two in a line.
fn field_trials(chrome: &[u8]) -> String {
    let mut text = String::new();
    let trials = Fields::new(chrome)
        .filter(|field| field.number == chrome_metadata_packet::FIELD_TRIAL_HASHES);
    for (index, trial) in trials.enumerate() {
        if index > 0 && index % 2 == 0 {
            text.push('\n');
        }
        let trial = LastFields::<3>::new(trial.as_bytes());
        let (name, group) =
            (trial.uint(finch_hash::NAME) as u32, trial.uint(finch_hash::GROUP) as u32);
        // Writing to a string cannot fail.
        let _ = write!(text, "{{ name: {name}, group: {group} }} ");
    }
    text
}

/// Why Chrome recorded by itself.
fn decode_background(background: &[u8], trackers: &mut Trackers, tables: &mut Tables) {
    let text = MetadataValue::Text(tables.strings.intern(&BASE64_STANDARD.encode(background)));
    trackers.metadata.set("cr-background_tracing_metadata", text, tables);
    if let Some(hash) =
        LastFields::<4>::new(background).get(background_tracing_metadata::SCENARIO_NAME_HASH)
    {
        let hash = MetadataValue::Int(i64::from(hash.as_u32()));
        trackers.metadata.set("cr-scenario_name_hash", hash, tables);
    }
}

fn decode_benchmark(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let benchmark = LastFields::<10>::new(packet.data);
    let facts = [
        (chrome_benchmark_metadata::BENCHMARK_NAME, "benchmark_name"),
        (chrome_benchmark_metadata::BENCHMARK_DESCRIPTION, "benchmark_description"),
        (chrome_benchmark_metadata::LABEL, "benchmark_label"),
        (chrome_benchmark_metadata::STORY_NAME, "benchmark_story_name"),
        (chrome_benchmark_metadata::BENCHMARK_START_TIME_US, "benchmark_start_time_us"),
        (chrome_benchmark_metadata::STORY_RUN_TIME_US, "benchmark_story_run_time_us"),
        (chrome_benchmark_metadata::STORY_RUN_INDEX, "benchmark_story_run_index"),
        (chrome_benchmark_metadata::HAD_FAILURES, "benchmark_had_failures"),
    ];
    for (number, name) in facts {
        let Some(fact) = benchmark.get(number) else { continue };
        let value = match number {
            3..=6 => MetadataValue::Text(crate::decode::text(&benchmark, number, tables)),
            _ => MetadataValue::Int(fact.as_i64()),
        };
        trackers.metadata.set(name, value, tables);
    }
    for tag in Fields::new(packet.data)
        .filter(|field| field.number == chrome_benchmark_metadata::STORY_TAGS)
    {
        let tag: StringId = tables.strings.intern_bytes(tag.as_bytes());
        trackers.metadata.add("benchmark_story_tags", MetadataValue::Text(tag), tables);
    }
}
