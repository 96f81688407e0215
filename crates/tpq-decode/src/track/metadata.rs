//! Facts about the trace, one row each or one row a value.

use rustc_hash::FxHashMap;
use tpq_tables::table::MetadataRow;
use tpq_tables::{StringId, Tables};

/// A value of a fact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MetadataValue {
    Int(i64),
    Text(StringId),
}

/// Writes facts.
#[derive(Default)]
pub(crate) struct Metadata {
    single: FxHashMap<StringId, u32>,
}

impl Metadata {
    /// Sets a fact that has one value; a later value replaces an earlier one.
    pub(crate) fn set(&mut self, name: &str, value: MetadataValue, tables: &mut Tables) {
        let name = tables.strings.intern(name);
        let row = row(name, "single", value, tables);
        match self.single.get(&name) {
            Some(&id) => {
                tables.metadata.int_value.set(id, row.int_value);
                tables.metadata.str_value.set(id, row.str_value);
            }
            None => {
                self.single.insert(name, tables.metadata.push(row));
            }
        }
    }

    /// Adds a value to a fact that may have several.
    pub(crate) fn add(&mut self, name: &str, value: MetadataValue, tables: &mut Tables) {
        let name = tables.strings.intern(name);
        let row = row(name, "multi", value, tables);
        tables.metadata.push(row);
    }

    /// Sets a text; empty ones are left out.
    pub(crate) fn set_text(&mut self, name: &str, text: &str, tables: &mut Tables) {
        if !text.is_empty() {
            let text = tables.strings.intern(text);
            self.set(name, MetadataValue::Text(text), tables);
        }
    }
}

fn row(name: StringId, key_type: &str, value: MetadataValue, tables: &mut Tables) -> MetadataRow {
    let row = MetadataRow {
        name,
        key_type: tables.strings.intern(key_type),
        machine_id: Some(0),
        trace_id: Some(0),
        ..MetadataRow::default()
    };
    match value {
        MetadataValue::Int(value) => MetadataRow { int_value: Some(value), ..row },
        MetadataValue::Text(text) => MetadataRow { str_value: text, ..row },
    }
}
