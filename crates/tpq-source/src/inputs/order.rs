//! The order in which files are imported.

use super::unpack::Node;
use crate::{Entry, Format};

/// Returns all files as a list, containers before their contents. Among the contents of one
/// container, the manifest or its container comes first, then traces, the symbols of traces, and
/// the rest, each by name. The order in which files were named or packed has no effect.
pub(super) fn flatten(nodes: Vec<Node>) -> Vec<Entry> {
    let mut entries = Vec::new();
    push(nodes, None, &mut entries);
    entries
}

fn push(mut nodes: Vec<Node>, parent: Option<usize>, entries: &mut Vec<Entry>) {
    nodes.sort_by_cached_key(|node| (rank(node), node.name.clone()));
    for node in nodes {
        let Node { name, shown, format, size, bytes, cut, unread, remarks, report, inside } = node;
        let index = entries.len();
        entries.push(Entry {
            parent,
            name,
            shown,
            size,
            format,
            processing_order: index as u32,
            bytes,
            cut,
            unread,
            remarks,
            report,
        });
        push(inside, Some(index), entries);
    }
}

fn rank(node: &Node) -> u8 {
    match node.format {
        Format::Manifest => 0,
        Format::Perfetto => 1,
        Format::Json => 2,
        Format::Symbols | Format::NameMapping => 4,
        format if format.is_trace() => 3,
        _ => node.inside.iter().map(rank).min().unwrap_or(5),
    }
}
