//! Counters: each number among an event's args is the value of one.

use sonic_rs::to_object_iter;
use tpq_tables::Stat;

use super::context::Context;
use super::owner::EventOwner;
use super::text::unescaped;
use tpq_trackers::track::{Dimensions, ThreadCounter, TrackKind};

const OF_PROCESS: TrackKind = TrackKind::counter("json_counter", None);
const OF_THREAD: TrackKind = TrackKind::counter("json_counter_thread_fallback", None);

impl Context<'_> {
    /// A counter event: its name, its id and the key of a value name the counter.
    pub(super) fn counter(&mut self, owner: EventOwner) {
        if self.event.args.len == 0 {
            return self.fail(Stat::JsonParserFailure);
        }
        let mut name = self.tables.strings.get(self.name).to_owned();
        let id = self.raw(self.event.id).strip_prefix(b"\"");
        if let Some(id) = id.and_then(|id| id.strip_suffix(b"\"")).filter(|id| !id.is_empty()) {
            name += " id: ";
            name += &unescaped(id);
        }
        name.push(' ');
        let prefix = name.len();
        let bytes = self.bytes;
        for field in to_object_iter(bytes.get(self.event.args)) {
            let Ok((key, value)) = field else { return self.fail(Stat::JsonParserFailure) };
            let Some(value) = number(value.as_raw_str()) else {
                self.fail(Stat::JsonParserFailure);
                continue;
            };
            name.truncate(prefix);
            name += &key;
            let name = self.tables.strings.intern(&name);
            let of = Dimensions::thread(owner.utid).text("name", name);
            let counter = ThreadCounter { process: OF_PROCESS, thread: OF_THREAD, name, of };
            let sample = (self.ts, value);
            self.trackers.count_for_process_of(owner.utid, counter, sample, self.tables);
        }
    }
}

/// A number, which some programs write in quotes, and then with a sign or without a zero before the
/// point.
fn number(raw: &str) -> Option<f64> {
    let text = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw);
    let begins = |byte: u8| matches!(byte, b'-' | b'+' | b'.' | b'0'..=b'9');
    let is_number = text.bytes().next().is_some_and(begins);
    is_number.then(|| text.parse().ok())?.filter(|number: &f64| number.is_finite())
}
