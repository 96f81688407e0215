//! The interface to a symbolizer, which finds functions in files of binaries.

/// Finds functions in files of binaries.
pub trait Symbolizer {
    /// The functions at addresses of one binary, which may be mapped in several ways. `None` if
    /// there is no file of the binary.
    fn symbolize(&self, addresses: &[MappedAddress<'_>]) -> Option<Symbols>;
}

/// An address of a binary, as a profiler gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MappedAddress<'a> {
    /// The binary and its mapping.
    pub binary: MappedBinary<'a>,
    /// The address.
    pub address: u64,
}

/// The functions at addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbols {
    /// A list for each address: the innermost function first, then those it is inlined into; an
    /// empty list for an unknown address.
    pub lines: Vec<Vec<SymbolLine>>,
    /// The places among the addresses of those with an empty list because all names together take
    /// too much memory.
    pub left_out: Vec<usize>,
}

/// A binary, as a process mapped it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MappedBinary<'a> {
    /// Its path on the traced machine.
    pub path: &'a str,
    /// Its build id, in hexadecimal digits.
    pub build_id: &'a str,
    /// Offset of the mapped bytes in the file, if the mapping is known.
    pub exact_offset: u64,
    /// Offset in the file at which the binary itself starts, as in an archive.
    pub start_offset: u64,
    /// What the profiler added to offsets in the file to make addresses.
    pub load_bias: u64,
    /// Whether the profiler says where the binary was mapped. Otherwise addresses are those of the
    /// binary already.
    pub has_range: bool,
}

/// A function with its place in source code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolLine {
    /// Its name.
    pub function: String,
    /// Path of the source file.
    pub file: Option<String>,
    /// Line number, from 1.
    pub line: Option<u32>,
}

/// The reason why frames of a binary have no symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NoSymbols {
    /// The symbolizer knows no file of the binary.
    NoFile,
    /// All names together take too much memory.
    TooMuchText,
}

/// A binary with frames that a symbolizer gives no symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownBinary {
    /// Its path on the traced machine.
    pub path: String,
    /// Its build id, in hexadecimal digits.
    pub build_id: String,
    /// Why they have none.
    pub reason: NoSymbols,
    /// The number of its frames without symbols.
    pub frames: u64,
}
