//! Packets and files that name code. They are read at the end of the import, when all frames are
//! known.

use tpq_ingest::Span;

/// Where the packets lie, in the order of the file.
#[derive(Debug, Default)]
pub struct SymbolPackets {
    /// Symbols of binaries.
    pub module_symbols: Vec<Span>,
    /// Names of Java code before obfuscation.
    pub deobfuscation: Vec<NameMapping>,
    /// The package of names that state none, if the name of the file does.
    pub package: Option<String>,
}

/// Names of Java code before obfuscation.
#[derive(Clone, Debug)]
pub enum NameMapping {
    /// A packet.
    Packet(Span),
    /// A mapping file of ProGuard or R8.
    File {
        /// Its text.
        text: Span,
        /// The package that it is of; `None` for any.
        package: Option<String>,
    },
}
