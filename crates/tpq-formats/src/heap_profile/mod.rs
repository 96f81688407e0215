//! Sampling heap profiles of V8 (`node --heap-prof`, Chrome's developer tools), in JSON: a tree of
//! functions with the bytes that each has allocated and that are still in use. A profile has no
//! times. It lists the samples as well, which are the same bytes once more.

use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::Trackers;

use crate::call_frame::call_frame;
use crate::document::{Document, DocumentFormat, DocumentReader, Json, JsonError};
use crate::samples::{push_profile, push_value};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const PROFILE: RunKind = format_run_kind(63);
const SCOPE: &str = "heapprofile_file";
const NAME: &str = "heapprofile inuse_space";
/// Kind and unit of the values.
const VALUES: (&str, &str) = ("inuse_space", "bytes");

pub(crate) const FORMAT: TraceFormat = TraceFormat::of_one_clock(DefaultClock::None, open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(PROFILE, decode_profile)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: PROFILE, is_text: true, read };
    DocumentReader::open(file, format)
}

/// Checks that a profile can be read.
fn read(text: &[u8]) -> Document {
    match Json::document(text) {
        Err(JsonError { at, what }) => Document::damaged(at, what),
        Ok(_) => Document { is_readable: true, ..Document::default() },
    }
}

/// Decodes the tree of functions: a call site for each node, and a value for each with bytes.
fn decode_profile(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let scope = tables.strings.intern(SCOPE);
    let profile = push_profile(scope, NAME, VALUES, tables);
    let head = Json::of_part(event.message()).enter("head");
    let mut open: Vec<(Json<'_>, Option<u32>, u32)> = vec![(head, None, 0)];
    while let Some((node, parent, depth)) = open.pop() {
        let [call, size, of_node] = node.pick(["callFrame", "selfSize", "children"]);
        let frame = call_frame(call, trackers, tables);
        let callsite = trackers.source.stacks.callsites.get(parent, frame, depth, tables);
        match size.real().filter(|size| *size >= 0.0) {
            Some(size) if size > 0.0 => push_value(profile, callsite, size, tables),
            Some(_) => {}
            None => stats.increment(Stat::FormatParseErrors),
        }
        let first = open.len();
        open.extend(of_node.elements().map(|child| (child, Some(callsite), depth + 1)));
        open.get_mut(first..).unwrap_or_default().reverse();
    }
}
