//! Names of functions, which simpleperf adds to its recordings.

use tpq_proto::fields::simpleperf_file::{self, elf_file, kernel_module, symbol};
use tpq_proto::wire::{Fields, LastFields};

use super::layout::Numbers;
use super::session::Session;

/// Types of binaries.
mod kind {
    pub(super) const KERNEL: u64 = 0;
    pub(super) const KERNEL_MODULE: u64 = 1;
    pub(super) const ELF_FILE: u64 = 2;
}

/// Functions by their addresses.
#[derive(Debug, Default)]
pub(super) struct Symbols(Vec<Symbol>);

#[derive(Debug)]
struct Symbol {
    start: u64,
    end: u64,
    name: String,
}

impl Symbols {
    fn read(file: &[u8]) -> Self {
        let fields = Fields::new(file).filter(|field| field.number == simpleperf_file::SYMBOL);
        let symbols = fields.map(|field| {
            let message = LastFields::<4>::new(field.as_bytes());
            let start = message.uint(symbol::VADDR);
            let end = start.saturating_add(message.uint(symbol::LEN));
            let name = String::from_utf8_lossy(message.bytes(symbol::NAME)).into_owned();
            Symbol { start, end, name }
        });
        let mut symbols: Vec<Symbol> = symbols.collect();
        symbols.sort_by_key(|symbol| symbol.start);
        Self(symbols)
    }

    /// The name of the function at an address.
    pub(super) fn at(&self, address: u64) -> Option<&str> {
        let after = self.0.partition_point(|symbol| symbol.start <= address);
        let symbol = self.0.get(after.checked_sub(1)?)?;
        (address < symbol.end).then_some(symbol.name.as_str())
    }
}

/// A binary with its symbols.
#[derive(Debug)]
pub(super) struct Binary {
    /// The difference between addresses of symbols and offsets in the file.
    pub(super) load_bias: u64,
    pub(super) symbols: Symbols,
}

/// Reads binaries with their symbols: messages with their lengths before them.
pub(super) fn read_binaries(section: &[u8], session: &mut Session) -> Option<()> {
    let mut numbers = Numbers(section);
    while !numbers.0.is_empty() {
        let len = numbers.u32()? as usize;
        let file = numbers.take(len)?;
        let message = LastFields::<8>::new(file);
        let offset = |part, field| LastFields::<2>::new(message.bytes(part)).uint(field);
        let offset = match message.uint(simpleperf_file::TYPE) {
            kind::KERNEL => {
                session.kernel_symbols = Symbols::read(file);
                continue;
            }
            kind::KERNEL_MODULE => {
                offset(simpleperf_file::KERNEL_MODULE, kernel_module::MEMORY_OFFSET_OF_MIN_VADDR)
            }
            kind::ELF_FILE => offset(simpleperf_file::ELF_FILE, elf_file::FILE_OFFSET_OF_MIN_VADDR),
            // Code of other kinds is not at fixed places in a file.
            _ => continue,
        };
        let binary = Binary {
            load_bias: message.uint(simpleperf_file::MIN_VADDR).wrapping_sub(offset),
            symbols: Symbols::read(file),
        };
        let path = message.bytes(simpleperf_file::PATH).to_vec();
        session.binary_of_path.insert(path, session.binaries.len());
        session.binaries.push(binary);
    }
    Some(())
}
