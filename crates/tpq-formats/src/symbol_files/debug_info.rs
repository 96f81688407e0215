//! Functions and lines of DWARF debug information.

use std::borrow::Cow;
use std::io::Read;

use addr2line::Context;
use addr2line::gimli::{DwarfSections, EndianSlice, RunTimeEndian};
use flate2::read::ZlibDecoder;
use object::{CompressionFormat, File, Object, ObjectSection};
use tpq_decode::SymbolLine;

use super::function_name::readable;

/// The largest size of a section that is inflated. A few bytes can state any size.
const LARGEST_SECTION: u64 = 4 << 30;
/// The number of functions that are inlined into each other at an address.
const MOST_INLINED: usize = 256;

/// DWARF debug information.
pub(super) struct DebugInfo;

impl DebugInfo {
    /// The functions at each address, the innermost first. Nothing where the binary has no debug
    /// information, or it is damaged.
    pub(super) fn symbols_at(file: &File<'_>, addresses: &[u64]) -> Vec<Vec<SymbolLine>> {
        let endian = match file.is_little_endian() {
            true => RunTimeEndian::Little,
            false => RunTimeEndian::Big,
        };
        let load = |id: addr2line::gimli::SectionId| -> Result<Cow<'_, [u8]>, ()> {
            let section = file.section_by_name(id.name());
            Ok(section.and_then(|section| contents(&section)).unwrap_or_default())
        };
        let Ok(sections) = DwarfSections::load(load) else { return Vec::new() };
        let dwarf = sections.borrow(|section| EndianSlice::new(section, endian));
        let Ok(context) = Context::from_dwarf(dwarf) else { return Vec::new() };
        addresses.iter().map(|&address| functions(&context, address).unwrap_or_default()).collect()
    }
}

/// The functions at an address, the innermost first.
fn functions(
    context: &Context<EndianSlice<'_, RunTimeEndian>>,
    address: u64,
) -> Option<Vec<SymbolLine>> {
    let mut frames = context.find_frames(address).skip_all_loads().ok()?;
    let mut lines = Vec::new();
    while lines.len() < MOST_INLINED
        && let Some(frame) = frames.next().ok()?
    {
        let Some(function) = frame.function else { continue };
        let location = frame.location;
        lines.push(SymbolLine {
            function: readable(&function.raw_name().ok()?),
            file: location.as_ref().and_then(|it| it.file).map(str::to_owned),
            // Line 0 means that no line of the source is meant.
            line: location.and_then(|it| it.line).filter(|&line| line > 0),
        });
    }
    Some(lines)
}

/// The contents of a section, inflated if it is compressed.
fn contents<'a>(section: &object::Section<'a, '_>) -> Option<Cow<'a, [u8]>> {
    let packed = section.compressed_data().ok()?;
    if packed.uncompressed_size > LARGEST_SECTION {
        return None;
    }
    match packed.format {
        CompressionFormat::None => Some(Cow::Borrowed(packed.data)),
        CompressionFormat::Zlib => {
            let mut inflated = Vec::new();
            let mut decoder = ZlibDecoder::new(packed.data).take(packed.uncompressed_size);
            decoder.read_to_end(&mut inflated).ok()?;
            Some(Cow::Owned(inflated))
        }
        CompressionFormat::Zstandard => {
            let size = usize::try_from(packed.uncompressed_size).ok()?;
            let mut inflated = Vec::new();
            let decoder = zstd::stream::read::Decoder::new(packed.data).ok()?;
            decoder.take(size as u64).read_to_end(&mut inflated).ok()?;
            Some(Cow::Owned(inflated))
        }
        _ => None,
    }
}
