//! Logs of the build tool ninja: a line for each output, with the times at which its command began
//! and ended, in ms since the start of its build.
//!
//! ```text
//! # ninja log v5
//! 12    95    1795223259285636326    obj/main.o    c552a0c2b2fcec5c
//! ```
//!
//! A log may have lines of several builds, each with times since its own start; it does not state
//! where one ends. A log has no threads. Commands that overlap are given to different workers, which are the threads
//! of one process.

mod jobs;
mod log_lines;

use tpq_decode::{FormatDecoder, format_run_kind};
use tpq_ingest::RunKind;

use self::log_lines::LogLines;
use crate::text::TextReader;
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const JOBS: RunKind = format_run_kind(29);

pub(crate) const FORMAT: TraceFormat = TraceFormat::of_one_clock(DefaultClock::None, open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(JOBS, jobs::decode_job)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let reader = TextReader::new(file, LogLines::default());
    OpenedFile { reader: Box::new(reader), work: None }
}
