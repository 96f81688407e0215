//! Parts of binaries that were mapped into memory, each once.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::GenerationId;
use tpq_proto::fields::{interned_data, interned_string, mapping};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::table::{StackProfileMappingRow, StackProfileMappingTable};
use tpq_tables::{Stat, Stats, StringId, StringPool, Tables};

use crate::ids::Upid;
use crate::interned::Interned;

/// The folder of an Android device for binaries under test.
const TEMPORARY: &str = "/data/local/tmp/";

/// Writes `stack_profile_mapping`.
#[derive(Debug, Default)]
pub struct Mappings {
    rows: FxHashMap<Contents, u32>,
    /// Mappings of frames that lie in no binary, by name.
    placeholders: FxHashMap<StringId, u32>,
    /// Mappings in which the addresses of frames count from the start.
    from_start: FxHashSet<u32>,
}

/// The process of a mapping, where it is known, and all columns of the row.
type Contents = (Option<Upid>, [StringId; 2], [i64; 5]);

impl Mappings {
    /// The row of a mapping of no particular process, made when there is none that is the same in
    /// all columns.
    pub fn get(
        &mut self,
        row: StackProfileMappingRow,
        table: &mut StackProfileMappingTable,
    ) -> u32 {
        self.of_process(None, row, table)
    }

    /// The row of a mapping of a process. A mapping without an address range is of no process:
    /// the profiler gives such mappings to frames of the kernel and to errors.
    pub fn of_process(
        &mut self,
        upid: Option<Upid>,
        row: StackProfileMappingRow,
        table: &mut StackProfileMappingTable,
    ) -> u32 {
        let StackProfileMappingRow { build_id, name, .. } = row;
        let upid = upid.filter(|_| row.start != row.end);
        let numbers = [row.exact_offset, row.start_offset, row.start, row.end, row.load_bias];
        *self.rows.entry((upid, [build_id, name], numbers)).or_insert_with(|| table.push(row))
    }

    /// As [`Self::of_process`], for a mapping that a packet describes. A binary that was copied to
    /// the device for a test and has no build id cannot be found by it, and is counted.
    pub fn described(
        &mut self,
        upid: Option<Upid>,
        row: StackProfileMappingRow,
        table: &mut StackProfileMappingTable,
        strings: &StringPool,
        stats: &mut Stats,
    ) -> u32 {
        let is_temporary = strings.get(row.name).starts_with(TEMPORARY);
        let lacks_build_id = is_temporary && strings.get(row.build_id).is_empty();
        let known = table.len();
        let mapping = self.of_process(upid, row, table);
        if lacks_build_id && table.len() > known {
            stats.increment(Stat::SymbolizationTmpBuildIdNotFound);
        }
        mapping
    }

    /// States that the addresses of frames in a mapping count from its start, in place of the start
    /// of the file.
    pub fn count_from_start(&mut self, row: u32) {
        self.from_start.insert(row);
    }

    /// Whether the addresses of frames in a mapping count from its start.
    pub fn counts_from_start(&self, row: u32) -> bool {
        self.from_start.contains(&row)
    }

    /// All mappings of binaries: path, build id and row.
    pub fn all(&self) -> impl Iterator<Item = (StringId, StringId, u32)> {
        self.rows.iter().map(|(&(_, [build_id, name], _), &row)| (name, build_id, row))
    }

    /// The row that stands for the mapping of frames that lie in no binary.
    pub fn placeholder(&mut self, name: StringId, tables: &mut Tables) -> u32 {
        let Tables { strings, stack_profile_mapping, .. } = tables;
        *self.placeholders.entry(name).or_insert_with(|| {
            let build_id = strings.intern("");
            // It covers all addresses.
            let row = StackProfileMappingRow { build_id, name, end: -1, ..Default::default() };
            stack_profile_mapping.push(row)
        })
    }
}

/// Reads an interned mapping. One that was never sent, or that refers to a build id that was never
/// sent, is counted.
pub(crate) fn read_mapping(
    interned: &Interned<'_>,
    generation: GenerationId,
    iid: u64,
    strings: &mut StringPool,
    stats: &mut Stats,
) -> Option<StackProfileMappingRow> {
    let mut lookup = |kind: u32, iid: u64, missing: Stat| {
        let message = interned.message(generation, kind, iid);
        if message.is_none() {
            stats.increment(Stat::InternedDataTokenizerErrors);
            stats.increment(missing);
        }
        message
    };
    let text = |message| LastFields::<3>::new(message).bytes(interned_string::STR);
    let message = lookup(interned_data::MAPPINGS, iid, Stat::StackprofileInvalidMappingId)?;
    let mapping = LastFields::<9>::new(message);
    let build_id = match mapping.uint(mapping::BUILD_ID) {
        0 => String::new(),
        iid => {
            let kind = interned_data::BUILD_IDS;
            build_id_text(text(lookup(kind, iid, Stat::StackprofileInvalidStringId)?))
        }
    };
    let mut path = String::new();
    let parts = Fields::new(message).filter(|field| field.number == mapping::PATH_STRING_IDS);
    for iid in parts.flat_map(|it| repeated(&it)) {
        let kind = interned_data::MAPPING_PATHS;
        // Old recorders left parts out, so that the path ends here.
        let Some(part) = lookup(kind, iid, Stat::StackprofileInvalidStringId) else { break };
        path.push('/');
        path.push_str(&String::from_utf8_lossy(text(part)));
        if path.len() > MAX_PATH {
            break;
        }
    }
    let number = |number: u32| mapping.uint(number) as i64;
    Some(StackProfileMappingRow {
        build_id: strings.intern(&build_id),
        exact_offset: number(mapping::EXACT_OFFSET),
        start_offset: number(mapping::START_OFFSET),
        start: number(mapping::START),
        end: number(mapping::END),
        load_bias: number(mapping::LOAD_BIAS),
        name: strings.intern(&path),
    })
}

/// The length at which paths end. Those of systems are shorter; a message of few bytes could
/// describe a path of any length.
const MAX_PATH: usize = 1 << 16;

/// A build id in hexadecimal digits. Old versions of Chromium write the digits, of which there are
/// 33, instead of the bytes.
pub fn build_id_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() == 33 && text.chars().all(|it| it.is_ascii_hexdigit()) => {
            text.to_owned()
        }
        _ => hex(bytes),
    }
}

/// Bytes as hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[digit as usize]))
        .collect()
}
