//! Finds a manifest that was appended to a trace. It must come first instead.

use tpq_ingest::{PrescanMemory, prescan};
use tpq_source::is_manifest;

/// Whether a manifest follows the packets of a stream: where reading stopped, or after empty lines,
/// because line feeds read as the start of packets.
pub(crate) fn manifest_follows(bytes: &[u8], end: usize) -> bool {
    const KEY: &[u8] = b"\"perfetto_manifest\"";
    const MAX_MANIFEST_BYTES: usize = 1 << 20;
    const MAX_BLANK_BYTES: usize = 16;
    if bytes.get(end..).is_some_and(is_manifest) {
        return true;
    }
    let tail = &bytes[bytes.len().saturating_sub(MAX_MANIFEST_BYTES)..];
    let Some(key) = memchr::memmem::rfind(tail, KEY) else { return false };
    let before = &bytes[..bytes.len() - tail.len() + key];
    let Some(before) = before.trim_ascii_end().strip_suffix(b"{") else { return false };
    // A packet may contain text that looks like a manifest; then no packet ends before that text.
    // The last packet may itself end in bytes that look like white space.
    let first = before.trim_ascii_end().len();
    let ends_there = |end: usize| {
        prescan(&bytes[..end], 0, PrescanMemory::in_memory(0), &|_| (), false, None)
            .is_ok_and(|prescan| prescan.end == end)
    };
    is_manifest(&bytes[first..]) && (first..=before.len()).take(MAX_BLANK_BYTES).any(ends_there)
}
