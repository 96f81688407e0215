//! The interface to a symbolizer, which finds functions in files of binaries.

/// Finds functions in files of binaries.
pub trait Symbolizer {
    /// The functions at addresses of a binary, a list for each: the innermost first, then those it
    /// is inlined into; an empty list for an unknown one. `None` if there is no file of the binary.
    fn symbolize(
        &self,
        binary: &MappedBinary<'_>,
        addresses: &[u64],
    ) -> Option<Vec<Vec<SymbolLine>>>;
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

/// A binary without a file that a symbolizer knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownBinary {
    /// Its path on the traced machine.
    pub path: String,
    /// Its build id, in hexadecimal digits.
    pub build_id: String,
    /// The number of its frames without symbols.
    pub frames: u64,
}
