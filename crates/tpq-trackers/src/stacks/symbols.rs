//! Functions of frames with their places in source code.

use tpq_tables::table::StackProfileSymbolRow;
use tpq_tables::{StringId, Tables};

use super::SourceLine;

/// Adds a set with one symbol; returns the id of the set, which is that of its first row.
pub fn push_symbol(name: StringId, source: SourceLine, tables: &mut Tables) -> u32 {
    let symbol_set_id = tables.stack_profile_symbol.len();
    tables.stack_profile_symbol.push(StackProfileSymbolRow {
        symbol_set_id,
        name,
        source_file: source.file,
        line_number: source.line,
        inlined: None,
    });
    symbol_set_id
}
