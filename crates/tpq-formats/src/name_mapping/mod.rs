//! Mapping files of ProGuard and R8, which lie next to a trace: names of Java code before
//! obfuscation. They have no events. Names are given to frames at the end of the import, when all
//! frames are known.

use tpq_decode::{FormatDecoder, RunEvent, format_run_kind, is_mapping_line};
use tpq_ingest::RunKind;
use tpq_tables::{Stats, Tables};
use tpq_trackers::track::{NameMapping, Trackers};

use crate::document::{Document, DocumentFormat, DocumentReader};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const MAPPING: RunKind = format_run_kind(60);

pub(crate) const FORMAT: TraceFormat = TraceFormat::of_one_clock(DefaultClock::None, open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(MAPPING, note_mapping)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: MAPPING, is_text: true, read };
    DocumentReader::open(file, format)
}

/// Finds the damaged lines.
fn read(text: &[u8]) -> Document {
    let (mut problems, mut at) = (Vec::new(), 0);
    for line in text.split(|&byte| byte == b'\n') {
        if !is_mapping_line(line) {
            problems.push((at, "this is neither a class nor a member of one"));
        }
        at += line.len() + 1;
    }
    Document { problems, is_readable: true, ..Document::default() }
}

fn note_mapping(event: &RunEvent<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    let Some(text) = event.run.payload.message_of(event.index) else { return };
    let symbols = &mut trackers.source.symbols;
    let package = symbols.package.clone();
    symbols.deobfuscation.push(NameMapping::File { text, package });
}
