//! Names of processes and threads, and how they are to be sorted.

use sonic_rs::{LazyValue, to_object_iter};
use tpq_tables::Stat;

use super::context::Context;
use super::owner::EventOwner;
use super::text::unescaped;
use tpq_trackers::args::ArgValue;
use tpq_trackers::track::NamePriority;

impl Context<'_> {
    /// A metadata event; its name says of what.
    pub(super) fn metadata(&mut self, owner: EventOwner) {
        let key = match self.tables.strings.get(self.name) {
            "thread_name" | "process_name" => "name",
            "thread_sort_index" | "process_sort_index" => "sort_index",
            _ => return,
        };
        // Without args it says nothing that could be lost.
        if self.event.args.len == 0 {
            return;
        }
        let bytes = self.bytes;
        for field in to_object_iter(bytes.get(self.event.args)) {
            match field {
                Ok((name, value)) if name == key => self.take_metadata(owner, &value),
                Ok(_) => {}
                Err(_) => return self.fail(Stat::JsonParserFailure),
            }
        }
    }

    fn take_metadata(&mut self, owner: EventOwner, value: &LazyValue<'_>) {
        let raw = value.as_raw_str();
        let text = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        match (self.tables.strings.get(self.name), text, whole(raw)) {
            ("thread_name", Some(name), _) if !name.is_empty() => {
                let name = self.tables.strings.intern(&unescaped(name.as_bytes()));
                let processes = &mut self.trackers.processes;
                processes.name_thread(owner.utid, name, NamePriority::Other, self.tables);
            }
            ("process_name", Some(name), _) if !name.is_empty() => {
                let name = self.tables.strings.intern(&unescaped(name.as_bytes()));
                let upid = self.process(owner);
                self.tables.process.name.set(upid, name);
            }
            ("thread_sort_index", _, Some(index)) => {
                let key = self.tables.strings.intern("thread_sort_index_hint");
                self.trackers.owner_args.put_of_thread(owner.utid, key, ArgValue::Int(index));
            }
            ("process_sort_index", _, Some(index)) => {
                let upid = self.process(owner);
                let key = self.tables.strings.intern("process_sort_index_hint");
                self.trackers.owner_args.put_of_process(upid, key, ArgValue::Int(index));
            }
            _ => self.fail(Stat::JsonParserFailure),
        }
    }
}

/// A whole number; decimals are cut off.
fn whole(raw: &str) -> Option<i64> {
    raw.parse().ok().or_else(|| raw.parse().ok().map(|number: f64| number as i64))
}
