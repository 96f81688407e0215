//! Call frames in profiles of V8.

use tpq_tables::Tables;
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::Trackers;

use crate::document::Json;
use crate::samples::named_frame;

/// The mapping of functions that lie in no script, such as `(idle)`.
const NO_SCRIPT: &str = "[v8]";

/// The frame of a function.
pub(crate) fn call_frame(frame: Json<'_>, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let [name, url, line] = frame.pick(["functionName", "url", "lineNumber"]);
    let name = name.text().unwrap_or_default();
    let name = if name.is_empty() { "(anonymous)" } else { &name };
    let url = url.text().filter(|url| !url.is_empty());
    // Lines count from 0.
    let line = line.index().and_then(|line| u32::try_from(line.saturating_add(1)).ok());
    match url {
        Some(url) => {
            let source = SourceLine { file: tables.strings.intern(&url), line };
            named_frame(&url, name, source, trackers, tables)
        }
        None => named_frame(NO_SCRIPT, name, SourceLine::default(), trackers, tables),
    }
}
