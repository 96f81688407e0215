//! Profiles of pprof: sums of values, such as CPU time or allocated bytes, by call stack. They state
//! no times of samples.

mod locations;
mod profile;

use tpq_decode::{FormatDecoder, format_run_kind};
use tpq_ingest::RunKind;
use tpq_proto::fields::pprof_profile;
use tpq_proto::wire::Fields;

use self::profile::decode_profile;
use crate::document::{Document, DocumentFormat, DocumentReader};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const PROFILE: RunKind = format_run_kind(11);

pub(crate) const FORMAT: TraceFormat = TraceFormat::of_one_clock(DefaultClock::None, open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(PROFILE, decode_profile)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: PROFILE, is_text: false, read };
    DocumentReader::open(file, format)
}

/// Reads where a profile is damaged.
fn read(bytes: &[u8]) -> Document {
    let mut fields = Fields::new(bytes);
    let has_strings =
        fields.by_ref().filter(|field| field.number == pprof_profile::STRING_TABLE).count() > 0;
    if !has_strings {
        return Document::damaged(fields.position(), "a profile has no table of strings");
    }
    let mut problems = Vec::new();
    if fields.is_damaged() {
        problems.push((fields.position(), "from here on this is no field of a profile"));
    }
    Document { problems, is_readable: true, ..Document::default() }
}
