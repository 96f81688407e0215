//! Functions of the symbol table of a binary.

use object::{Architecture, BinaryFormat, File, Object, ObjectSymbol, SymbolKind};
use tpq_decode::SymbolLine;

use super::function_name::readable;

/// A function.
#[derive(Debug)]
struct Function<'a> {
    start: u64,
    /// 0 if it is unknown.
    size: u64,
    name: &'a [u8],
}

/// Functions by their addresses.
#[derive(Debug)]
pub(super) struct SymbolTable<'a>(Vec<Function<'a>>);

impl<'a> SymbolTable<'a> {
    /// The table of all symbols, or that of exported ones where a binary has no other.
    pub(super) fn of(file: &File<'a>) -> Self {
        let mut functions: Vec<Function<'a>> =
            file.symbols().filter_map(|symbol| function(file, &symbol)).collect();
        if functions.is_empty() {
            functions = file.dynamic_symbols().filter_map(|it| function(file, &it)).collect();
        }
        // Of several names of a function the first is used, whatever the order of the table.
        functions.sort_by(|a, b| (a.start, b.size, a.name).cmp(&(b.start, a.size, b.name)));
        functions.dedup_by_key(|function| function.start);
        Self(functions)
    }

    /// The function at an address.
    pub(super) fn at(&self, address: u64) -> Option<SymbolLine> {
        let after = self.0.partition_point(|function| function.start <= address);
        let function = self.0.get(after.checked_sub(1)?)?;
        let is_inside = function.size == 0 || address - function.start < function.size;
        let name = String::from_utf8_lossy(function.name);
        is_inside.then(|| SymbolLine { function: readable(&name), file: None, line: None })
    }
}

fn function<'a>(file: &File<'a>, symbol: &object::Symbol<'a, '_>) -> Option<Function<'a>> {
    if symbol.kind() != SymbolKind::Text || symbol.is_undefined() {
        return None;
    }
    // On 32-bit ARM the lowest bit states the set of instructions.
    let mask = if file.architecture() == Architecture::Arm { !1 } else { !0 };
    let name = symbol.name_bytes().ok().filter(|name| !name.is_empty())?;
    // Names of C have a character more on Apple's systems.
    let name = match file.format() {
        BinaryFormat::MachO => name.strip_prefix(b"_").unwrap_or(name),
        _ => name,
    };
    Some(Function { start: symbol.address() & mask, size: symbol.size(), name })
}
