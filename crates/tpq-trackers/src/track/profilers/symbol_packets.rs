//! Packets that name code. They are read at the end of the import, when all frames are known.

use tpq_ingest::Span;

/// Where the packets lie, in the order of the file.
#[derive(Debug, Default)]
pub struct SymbolPackets {
    /// Symbols of binaries.
    pub module_symbols: Vec<Span>,
    /// Names of Java code before obfuscation.
    pub deobfuscation: Vec<Span>,
}
