//! Names and categories of events, interned or not.

use tpq_proto::wire::{Fields, repeated};
use tpq_tables::StringId;

use super::event::{On, TrackEvent, bits};
use crate::interned::field;

/// Where categories are: interned, or named.
const INTERNED_CATEGORIES: u64 = bits([3]);
const NAMED_CATEGORIES: u64 = bits([22]);

/// The name of an event.
pub(super) fn name(event: &TrackEvent<'_>, on: &mut On<'_, '_>) -> StringId {
    let (mut iid, given) = (event.name_iid, event.given_name);
    if iid == 0 {
        iid = event.legacy.as_ref().map_or(0, |legacy| legacy.name_iid);
    }
    match (iid, given) {
        (0, Some(name)) => on.tables.strings.intern_bytes(name),
        (0, None) => StringId::NULL,
        (iid, _) => interned(field::EVENT_NAMES, iid, on).unwrap_or_default(),
    }
}

/// The categories of an event, with commas between.
pub(super) fn category(event: &TrackEvent<'_>, on: &mut On<'_, '_>) -> StringId {
    if !event.fields.any(INTERNED_CATEGORIES | NAMED_CATEGORIES) {
        return StringId::NULL;
    }
    // Nearly all events have one that was interned.
    if let Some(iid) = event.category_iid.filter(|_| !event.fields.any(NAMED_CATEGORIES)) {
        let category = interned(field::EVENT_CATEGORIES, iid, on);
        return category.unwrap_or_else(|| on.intern(&format!("unknown({iid})")));
    }
    let mut iids = 0;
    let mut only = None;
    let mut joined = Joined::default();
    let fields = || Fields::new(event.data);
    for iid in fields().filter(|field| field.number == 3).flat_map(|field| repeated(&field)) {
        iids += 1;
        only = Some(iid);
        if let Some(category) = interned(field::EVENT_CATEGORIES, iid, on) {
            joined.add(category, on);
        }
    }
    for field in fields().filter(|field| field.number == 22) {
        let category = on.tables.strings.intern_bytes(field.as_bytes());
        joined.add(category, on);
    }
    match (joined.count, iids, only) {
        // The only category there is is not known.
        (0, 1, Some(iid)) => on.intern(&format!("unknown({iid})")),
        _ => joined.text,
    }
}

#[derive(Default)]
struct Joined {
    text: StringId,
    count: u32,
}

impl Joined {
    fn add(&mut self, category: StringId, on: &mut On<'_, '_>) {
        self.text = match self.count {
            0 => category,
            _ => {
                let (strings, joined) = (&mut on.tables.strings, &mut on.trackers.joined);
                *joined.entry((self.text, category)).or_insert_with(|| {
                    let both = format!("{},{}", strings.get(self.text), strings.get(category));
                    strings.intern(&both)
                })
            }
        };
        self.count += 1;
    }
}

fn interned(kind: u32, iid: u64, on: &mut On<'_, '_>) -> Option<StringId> {
    let (packet, strings) = (on.packet, &mut on.tables.strings);
    packet.interned.text(packet.generation, kind, iid, strings, on.stats)
}
