//! Collapsed stacks, the input of flame graphs: a line for each call stack, with its functions from
//! the outermost to the innermost and the number of its samples.
//!
//! ```text
//! java;start_thread;JavaThread::run 12
//! ```

mod stack_lines;

use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stats, Tables};
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::Trackers;

use self::stack_lines::{StackLine, StackLines};
use crate::samples::{callsite, named_frame, push_profile, push_value};
use crate::text::{TextReader, text_of};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const STACKS: RunKind = format_run_kind(8);
/// The mapping of functions, which lie in no known binary.
const MAPPING: &str = "[collapsed_stack]";
const SCOPE: &str = "collapsed_stack_file";
const PROFILE: &str = "collapsed_stack samples";

pub(crate) const FORMAT: TraceFormat = TraceFormat::of_one_clock(DefaultClock::None, open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(STACKS, decode_stack)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let reader = TextReader::new(file, StackLines);
    OpenedFile { reader: Box::new(reader), work: None }
}

/// The profile of a file, made with its first stack.
#[derive(Default)]
struct FileProfile(Option<u32>);

fn decode_stack(event: &RunEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let Some(line) = StackLine::parse(event.message()) else { return };
    let scope = tables.strings.intern(SCOPE);
    let FileProfile(profile) = trackers.file.states.get();
    let profile =
        *profile.get_or_insert_with(|| push_profile(scope, PROFILE, ("samples", "count"), tables));
    let frames: Vec<u32> = line
        .functions()
        .map(|function| {
            let function = text_of(function);
            named_frame(MAPPING, &function, SourceLine::default(), trackers, tables)
        })
        .collect();
    if let Some(callsite) = callsite(frames, trackers, tables) {
        push_value(profile, callsite, line.count as f64, tables);
    }
}
