//! Bug reports of Android: the text that `dumpstate` writes. Each line is a row of
//! `android_dumpstate`; messages of its logs and the history of its battery are events.
//!
//! ```text
//! reader ──▶ lines                     rows of the text
//!        ├─▶ logcat                    messages, except those in logs that the device stored
//!        ├─▶ kernel_log ──▶ dmesg      messages of the kernel, where their wall time is known
//!        └─▶ battery ──▶ history_item  states, events, wakelocks
//! ```

mod battery;
mod history_item;
mod history_names;
mod kernel_log;
mod lines;
mod reader;
mod sections;
mod stored_logs;

use tpq_clock::REALTIME;
use tpq_decode::{FormatDecoder, format_run_kind};
use tpq_ingest::RunKind;

use self::reader::DumpstateReader;
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const TEXT: RunKind = format_run_kind(58);
const BATTERY: RunKind = format_run_kind(59);

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(REALTIME), open);

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(TEXT, lines::decode_text), (BATTERY, battery::decode_line)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    OpenedFile { reader: Box::new(DumpstateReader::new(file)), work: None }
}
