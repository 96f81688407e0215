//! Functions, source files and lines from files of binaries, which are found by their build ids.

mod addresses;
mod breakpad;
mod debug_info;
mod function_name;
mod symbol_table;

use std::collections::HashMap;
use std::path::PathBuf;

use object::{File, Object, ObjectSection};
use tpq_decode::{MappedAddress, SymbolLine, Symbolizer, Symbols};
use tpq_source::{GuardedMap, SourceError, SymbolFile};

use self::addresses::Segments;
use self::debug_info::DebugInfo;
use self::symbol_table::SymbolTable;

/// Files of binaries, by build id.
pub struct SymbolFiles {
    files: HashMap<String, Indexed>,
    /// Files of Breakpad by the start of the build id. They need not state all of it.
    starts: HashMap<String, SymbolFile>,
}

/// A file of a binary.
struct Indexed {
    file: SymbolFile,
    detail: Detail,
}

/// How much a file says of the binary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Detail {
    /// Functions that other binaries call.
    Exported,
    /// All functions.
    Functions,
    /// Functions, also inlined ones, and lines, at addresses that not every profiler gives.
    Breakpad,
    /// Functions, also inlined ones, and lines.
    Lines,
}

impl SymbolFiles {
    /// The binaries at these paths and in the folders there. Of several files of a build, the one
    /// with the most detail is used. What is no binary, or has no build id, is left out.
    ///
    /// # Errors
    /// When a path cannot be read.
    pub fn open(paths: &[PathBuf]) -> Result<Self, SourceError> {
        let (mut files, mut starts) = (HashMap::new(), HashMap::new());
        for file in SymbolFile::list(paths)? {
            // A file that vanished, or that may not be read, is no more than one that is not there.
            let Ok(Some(bytes)) = file.open_binary() else { continue };
            if let Some(ids) = breakpad::identify(&bytes) {
                for id in ids.whole {
                    add(&mut files, id, &file, Detail::Breakpad);
                }
                starts.entry(ids.start).or_insert(file);
            } else if let Some((build_id, detail)) = identify(&bytes) {
                add(&mut files, build_id, &file, detail);
            }
        }
        Ok(Self { files, starts })
    }

    /// The number of build ids.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl Symbolizer for SymbolFiles {
    fn symbolize(&self, addresses: &[MappedAddress<'_>]) -> Option<Symbols> {
        let build_id = addresses.first()?.binary.build_id.to_ascii_lowercase();
        let file = match self.files.get(&build_id) {
            Some(indexed) => &indexed.file,
            None => self.starts.get(breakpad::start_of(&build_id)?)?,
        };
        let bytes: GuardedMap = file.open_binary().ok()??;
        if bytes.starts_with(breakpad::MODULE) {
            let symbols = breakpad::symbols_of(&bytes, addresses);
            return bytes.is_intact().then_some(symbols);
        }
        let file = File::parse(&*bytes).ok()?;
        let segments = Segments::of(&file);
        let found = addresses.iter().map(|at| segments.address_in(&at.binary, at.address));
        let found: Vec<u64> = found.collect();
        let symbols = Symbols { lines: symbols_at(&file, &found), left_out: Vec::new() };
        bytes.is_intact().then_some(symbols)
    }
}

/// Adds a file of a build, unless one with as much detail is known.
fn add(files: &mut HashMap<String, Indexed>, id: String, file: &SymbolFile, detail: Detail) {
    let known = files.get(&id);
    if known.is_none_or(|known| known.detail < detail) {
        files.insert(id, Indexed { file: file.clone(), detail });
    }
}

/// The functions at addresses of a binary.
fn symbols_at(file: &File<'_>, addresses: &[u64]) -> Vec<Vec<SymbolLine>> {
    let mut symbols = DebugInfo::symbols_at(file, addresses);
    symbols.resize(addresses.len(), Vec::new());
    if symbols.iter().any(Vec::is_empty) {
        let table = SymbolTable::of(file);
        for (lines, &address) in symbols.iter_mut().zip(addresses) {
            if lines.is_empty() {
                lines.extend(table.at(address));
            }
        }
    }
    symbols
}

/// The build id of a binary, in hexadecimal digits, and how much its file says. Binaries of Apple's
/// systems have a UUID.
fn identify(bytes: &[u8]) -> Option<(String, Detail)> {
    let file = File::parse(bytes).ok()?;
    let uuid = file.mach_uuid().ok().flatten();
    let build_id = match &uuid {
        Some(uuid) => uuid,
        None => file.build_id().ok()??,
    };
    let has = |name| file.section_by_name(name).is_some_and(|section| section.size() > 0);
    let detail = match () {
        () if has(".debug_info") => Detail::Lines,
        () if has(".symtab") || uuid.is_some() => Detail::Functions,
        () => Detail::Exported,
    };
    (!build_id.is_empty()).then(|| (hex(build_id), detail))
}

/// Bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
