//! Names and categories of events, interned or not.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{interned_data, track_event};
use tpq_proto::wire::{Fields, repeated};
use tpq_tables::StringId;

use super::context::DecodeContext;
use super::event::{TrackEvent, bits};

/// Where categories are: interned, or named.
const INTERNED_CATEGORIES: u64 = bits([track_event::CATEGORY_IIDS]);
const NAMED_CATEGORIES: u64 = bits([track_event::CATEGORIES]);

/// Where the text of a log message is.
const LOG_MESSAGE: u64 = bits([track_event::LOG_MESSAGE]);

/// The name of an event. A log message without one goes by what it is.
pub(super) fn name(event: &TrackEvent<'_>, context: &mut DecodeContext<'_, '_>) -> StringId {
    let (mut iid, given) = (event.name_iid, event.given_name);
    if iid == 0 {
        iid = event.legacy.as_ref().map_or(0, |legacy| legacy.name_iid);
    }
    match (iid, given) {
        (0, Some(name)) => context.tables.strings.intern_bytes(name),
        (0, None) if event.fields.any(LOG_MESSAGE) => context.intern("log message"),
        (0, None) => StringId::NULL,
        (iid, _) => interned(interned_data::EVENT_NAMES, iid, context).unwrap_or_default(),
    }
}

/// The categories of an event, with commas between.
pub(super) fn category(event: &TrackEvent<'_>, context: &mut DecodeContext<'_, '_>) -> StringId {
    if !event.fields.any(INTERNED_CATEGORIES | NAMED_CATEGORIES) {
        return StringId::NULL;
    }
    // Nearly all events have one that was interned.
    if let Some(iid) = event.category_iid.filter(|_| !event.fields.any(NAMED_CATEGORIES)) {
        let category = interned(interned_data::EVENT_CATEGORIES, iid, context);
        return category.unwrap_or_else(|| context.intern(&format!("unknown({iid})")));
    }
    let mut iids = 0;
    let mut only = None;
    let mut categories = Categories::default();
    for field in Fields::new(event.data) {
        if field.number != track_event::CATEGORY_IIDS {
            continue;
        }
        for iid in repeated(&field) {
            iids += 1;
            only = Some(iid);
            if let Some(category) = interned(interned_data::EVENT_CATEGORIES, iid, context) {
                categories.push(category);
            }
        }
    }
    if event.fields.any(NAMED_CATEGORIES) {
        for field in Fields::new(event.data) {
            if field.number == track_event::CATEGORIES {
                categories.push(context.tables.strings.intern_bytes(field.as_bytes()));
            }
        }
    }
    match (categories.as_slice(), iids, only) {
        // The only category there is is not known.
        ([], 1, Some(iid)) => context.intern(&format!("unknown({iid})")),
        (categories, ..) => category_list(categories, context),
    }
}

/// More categories than nearly all events have.
const FEW: usize = 8;

/// The categories of an event. Memory is asked for only where they are many.
#[derive(Default)]
struct Categories {
    few: [StringId; FEW],
    count: usize,
    /// All of them, once they are more than few.
    many: Vec<StringId>,
}

impl Categories {
    fn push(&mut self, category: StringId) {
        match self.few.get_mut(self.count) {
            Some(free) => *free = category,
            None => {
                if self.many.is_empty() {
                    self.many.extend(self.few);
                }
                self.many.push(category);
            }
        }
        self.count += 1;
    }

    fn as_slice(&self) -> &[StringId] {
        match self.few.get(..self.count) {
            Some(few) => few,
            None => &self.many,
        }
    }
}

/// Lists of categories and their text.
#[derive(Default)]
struct CategoryLists(FxHashMap<Vec<StringId>, StringId>);

/// The names of categories, separated by commas.
fn category_list(categories: &[StringId], context: &mut DecodeContext<'_, '_>) -> StringId {
    if let [] | [_] = categories {
        return categories.first().copied().unwrap_or_default();
    }
    match context.trackers.states.get::<CategoryLists>().0.get(categories) {
        Some(&text) => text,
        None => join(categories, context),
    }
}

/// The same of such as were not seen together before. More text than any program has of them is
/// left out and counted.
#[cold]
fn join(categories: &[StringId], context: &mut DecodeContext<'_, '_>) -> StringId {
    const MOST: usize = 1 << 16;
    let mut text = String::new();
    for (position, &category) in categories.iter().enumerate() {
        let next = context.tables.strings.get(category);
        if text.len() + next.len() >= MOST {
            context.count_error();
            return context.intern(&text);
        }
        if position > 0 {
            text.push(',');
        }
        text.push_str(next);
    }
    let text = context.intern(&text);
    context.trackers.states.get::<CategoryLists>().0.insert(categories.to_vec(), text);
    text
}

fn interned(kind: u32, iid: u64, context: &mut DecodeContext<'_, '_>) -> Option<StringId> {
    let (packet, strings) = (context.packet, &mut context.tables.strings);
    packet.interned.text(packet.generation, kind, iid, strings, context.stats)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_keep_their_order_however_many_there_are() {
        let ids: Vec<StringId> = (1..=20).map(StringId).collect();
        let mut categories = Categories::default();
        for (count, &id) in ids.iter().enumerate() {
            assert_eq!(categories.as_slice(), &ids[..count]);
            categories.push(id);
        }
        assert_eq!(categories.as_slice(), ids);
    }
}
