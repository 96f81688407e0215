//! Rows of the lines of a report.

use tpq_decode::RunEvent;
use tpq_tables::table::DumpstateRow;
use tpq_tables::{Stats, StringId, Tables};
use tpq_trackers::track::Trackers;

use super::sections::{Line, Sections, lines};

/// The section and the service of the last line.
#[derive(Default)]
struct Place {
    sections: Sections,
    section: StringId,
    service: StringId,
}

/// Decodes a part of the text. Parts come in their order.
pub(super) fn decode_text(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let place: &mut Place = trackers.file.states.get();
    for (_, line) in lines(event.message()) {
        match place.sections.next(line) {
            Line::Begin(name) => {
                place.section = tables.strings.intern_bytes(name);
                place.service = StringId::NULL;
                continue;
            }
            Line::End => {
                (place.section, place.service) = (StringId::NULL, StringId::NULL);
                continue;
            }
            Line::EndOfService => {
                place.service = StringId::NULL;
                continue;
            }
            Line::Rule => continue,
            Line::Service(name) => place.service = tables.strings.intern_bytes(name),
            Line::Row => {}
        }
        let Place { section, service, .. } = *place;
        let line = tables.strings.intern_bytes(line);
        tables.android_dumpstate.push(DumpstateRow { section, service, line });
    }
}
