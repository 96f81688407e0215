//! Functions of frames with their places in source code.

use tpq_tables::table::StackProfileSymbolRow;
use tpq_tables::{StringId, Tables};

use super::SourceLine;

/// Adds a set with one symbol; returns the id of the set, which is that of its first row.
pub fn push_symbol(name: StringId, source: SourceLine, tables: &mut Tables) -> u32 {
    push_symbols([(name, source, None)], tables)
}

/// Adds a set of symbols, the innermost first, each with its function, its source and whether it
/// is inlined into the next; returns the id of the set.
pub fn push_symbols(
    symbols: impl IntoIterator<Item = (StringId, SourceLine, Option<bool>)>,
    tables: &mut Tables,
) -> u32 {
    let symbol_set_id = tables.stack_profile_symbol.len();
    for (name, source, inlined) in symbols {
        tables.stack_profile_symbol.push(StackProfileSymbolRow {
            symbol_set_id,
            name,
            source_file: source.file,
            line_number: source.line,
            inlined,
        });
    }
    symbol_set_id
}
