//! Facts about the trace, one row each or one row a value.

use rustc_hash::FxHashMap;
use tpq_clock::Source;
use tpq_tables::table::MetadataRow;
use tpq_tables::{StringId, Tables};

/// A value of a fact.
#[derive(Clone, Copy, Debug)]
pub enum MetadataValue {
    /// A number.
    Int(i64),
    /// A text.
    Text(StringId),
}

/// The scope of a fact.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Scope {
    /// The import as a whole.
    Import,
    /// A machine, in all files.
    Machine(u32),
    /// A file.
    File(u32),
    /// A machine in a file.
    Source(Source),
}

/// Writes facts.
#[derive(Default)]
pub struct Metadata {
    source: Source,
    single: FxHashMap<(StringId, Scope), u32>,
}

impl Metadata {
    /// Switches to another source.
    pub fn enter(&mut self, source: Source) {
        self.source = source;
    }

    fn scope(&self, name: &str) -> Scope {
        match name {
            "trace_time_clock_id" => Scope::Import,
            "ftrace_latest_data_start_ns" => Scope::Source(self.source),
            "timezone_off_mins" | "tracing_service_version" => Scope::Machine(self.source.machine),
            _ if name.starts_with("manifest_attribute.") => Scope::Import,
            _ if name.starts_with("system_") || name.starts_with("android_") => {
                Scope::Machine(self.source.machine)
            }
            _ => Scope::File(self.source.file),
        }
    }

    /// Sets a fact that has one value; a later value replaces an earlier one.
    pub fn set(&mut self, name: &str, value: MetadataValue, tables: &mut Tables) {
        let scope = self.scope(name);
        let name = tables.strings.intern(name);
        let row = row(name, "single", value, scope, tables);
        match self.single.get(&(name, scope)) {
            Some(&id) => {
                tables.metadata.int_value.set(id, row.int_value);
                tables.metadata.str_value.set(id, row.str_value);
            }
            None => {
                self.single.insert((name, scope), tables.metadata.push(row));
            }
        }
    }

    /// Whether a fact that has one value is known.
    pub fn has(&self, name: &str, tables: &mut Tables) -> bool {
        let scope = self.scope(name);
        self.single.contains_key(&(tables.strings.intern(name), scope))
    }

    /// Adds a value to a fact that may have several.
    pub fn add(&mut self, name: &str, value: MetadataValue, tables: &mut Tables) {
        let scope = self.scope(name);
        let name = tables.strings.intern(name);
        let row = row(name, "multi", value, scope, tables);
        tables.metadata.push(row);
    }

    /// Sets a text; empty ones are left out.
    pub fn set_text(&mut self, name: &str, text: &str, tables: &mut Tables) {
        if !text.is_empty() {
            let text = tables.strings.intern(text);
            self.set(name, MetadataValue::Text(text), tables);
        }
    }
}

fn row(
    name: StringId,
    key_type: &str,
    value: MetadataValue,
    scope: Scope,
    tables: &mut Tables,
) -> MetadataRow {
    let (machine_id, trace_id) = match scope {
        Scope::Import => (None, None),
        Scope::Machine(machine) => (Some(machine), None),
        Scope::File(file) => (None, Some(file)),
        Scope::Source(source) => (Some(source.machine), Some(source.file)),
    };
    let key_type = tables.strings.intern(key_type);
    let row = MetadataRow { name, key_type, machine_id, trace_id, ..MetadataRow::default() };
    match value {
        MetadataValue::Int(value) => MetadataRow { int_value: Some(value), ..row },
        MetadataValue::Text(text) => MetadataRow { str_value: text, ..row },
    }
}
