//! Generates Rust types, tables of messages and of kernel events, and a descriptor set from
//! `protos/`, without `protoc`.

#[path = "build/descriptors.rs"]
mod descriptors;
#[path = "build/field_numbers.rs"]
mod field_numbers;

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message;
use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FileDescriptorSet};

fn main() -> Result<(), Box<dyn Error>> {
    // Read at run time: checkouts that share a target folder also share this program.
    let protos = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("../../protos");
    println!("cargo::rerun-if-changed={}", protos.display());
    let out = PathBuf::from(std::env::var("OUT_DIR")?);

    let descriptors = protox::compile(proto_files(&protos.join("tpq"))?, [&protos])?;
    fs::write(out.join("descriptors.rs"), descriptors::tables(&descriptors)?)?;
    let types = descriptors.clone();
    prost_build::Config::new()
        .enable_type_names()
        // Up to 32 MiB of a trace, which are not copied.
        .bytes([".perfetto.protos.TraceProcessorRpc.append_trace_data"])
        .compile_fds(types)?;

    // For kernel events, only names and types are needed, not six hundred Rust types.
    let ftrace = protox::compile([protos.join("ftrace/event.proto")], [&protos])?;
    fs::write(out.join("ftrace_events.rs"), event_table(&ftrace)?)?;

    let packets = protox::compile(proto_files(&protos.join("packets"))?, [&protos])?;

    // The contents of track events and of snapshots of windows are read by their descriptors.
    let mut carried = proto_files(&protos.join("track_event"))?;
    carried.extend(proto_files(&protos.join("winscope"))?);
    let mut carried = protox::compile(carried, [&protos])?;
    let sets = [&packets, &descriptors, &carried];
    fs::write(out.join("field_numbers.rs"), field_numbers::modules(&sets, &ftrace)?)?;
    for file in &mut carried.file {
        // Drops the comments, which are not needed at run time.
        file.source_code_info = None;
    }
    fs::write(out.join("track_event.bin"), carried.encode_to_vec())?;
    Ok(())
}

/// All `.proto` files of a folder, in the same order on every machine.
fn proto_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The kinds of kernel events as a Rust array, ordered by the number of their field in
/// `FtraceEvent`.
fn event_table(descriptors: &FileDescriptorSet) -> Result<String, Box<dyn Error>> {
    let messages: Vec<&DescriptorProto> =
        descriptors.file.iter().flat_map(|file| &file.message_type).collect();
    let find = |name: &str| messages.iter().copied().find(|message| message.name() == name);
    let event = find("FtraceEvent").ok_or("protos/ftrace has no FtraceEvent")?;
    let mut kinds: Vec<_> =
        event.field.iter().filter(|field| field.r#type() == Type::Message).collect();
    kinds.sort_by_key(|field| field.number());
    let mut table = String::from("&[\n");
    for kind in kinds {
        let type_name = kind.type_name().rsplit('.').next().unwrap_or_default();
        let message = find(type_name).ok_or_else(|| format!("{type_name} is not declared"))?;
        write!(
            table,
            "EventKind {{ number: {}, name: {:?}, fields: &[",
            kind.number(),
            kind.name()
        )?;
        let mut fields: Vec<_> = message.field.iter().collect();
        fields.sort_by_key(|field| field.number());
        for field in fields {
            let Some(value) = value_kind(field.r#type()) else { continue };
            write!(
                table,
                "EventField {{ number: {}, name: {:?}, kind: ValueKind::{value} }}, ",
                field.number(),
                field.name(),
            )?;
        }
        table.push_str("] },\n");
    }
    table.push(']');
    Ok(table)
}

/// The variant of `ValueKind` for a type; `None` for messages within events, which are not values.
fn value_kind(kind: Type) -> Option<&'static str> {
    Some(match kind {
        Type::Uint32 | Type::Uint64 | Type::Fixed32 | Type::Fixed64 => "Uint",
        Type::String | Type::Bytes => "Text",
        Type::Float | Type::Double => "Real",
        Type::Message | Type::Group => return None,
        _ => "Int",
    })
}
