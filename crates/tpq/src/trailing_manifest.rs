//! Finds a manifest that was appended to a trace, where it must come first.

use tpq_ingest::{Room, prescan};
use tpq_source::is_manifest;

/// Whether a manifest follows the packets of a stream: where reading stopped, or behind lines that
/// were left empty, whose line feeds read as the beginnings of packets.
pub(crate) fn manifest_follows(bytes: &[u8], end: usize) -> bool {
    const KEY: &[u8] = b"\"perfetto_manifest\"";
    const LONGEST: usize = 1 << 20;
    const MOST_EMPTY: usize = 16;
    if bytes.get(end..).is_some_and(is_manifest) {
        return true;
    }
    let tail = &bytes[bytes.len().saturating_sub(LONGEST)..];
    let Some(key) = memchr::memmem::rfind(tail, KEY) else { return false };
    let before = &bytes[..bytes.len() - tail.len() + key];
    let Some(before) = before.trim_ascii_end().strip_suffix(b"{") else { return false };
    // Text in a packet may look the same; then no packet ends before it. The last packet may itself
    // end in what looks like white space.
    let first = before.trim_ascii_end().len();
    let ends_there = |end: usize| {
        prescan(&bytes[..end], 0, Room::in_memory(0), &|_| (), false)
            .is_ok_and(|prescan| prescan.end == end)
    };
    is_manifest(&bytes[first..]) && (first..=before.len()).take(MOST_EMPTY).any(ends_there)
}
