//! Mappings, functions and locations of a profile.

use rustc_hash::FxHashMap;
use tpq_proto::fields::pprof_profile::{self, function, line, location, mapping};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::StackProfileMappingRow;
use tpq_tables::{StringId, Tables};
use tpq_trackers::stacks::{NewFrame, SourceLine, push_symbols};
use tpq_trackers::track::Trackers;

/// The name of what the profile does not name.
pub(super) const UNKNOWN: &str = "[unknown]";
/// The mapping of locations of which the profile states none.
const NO_MAPPING: &str = "[pprof unknown]";

/// The strings of a profile.
pub(super) struct Strings(Vec<StringId>);

impl Strings {
    pub(super) fn of(profile: &[u8], tables: &mut Tables) -> Self {
        let fields = Fields::new(profile);
        let strings = fields.filter(|field| field.number == pprof_profile::STRING_TABLE);
        Self(strings.map(|field| tables.strings.intern_bytes(field.as_bytes())).collect())
    }

    /// The string of an index in a field; `None` if the field is absent or refers to none.
    pub(super) fn get<const N: usize>(
        &self,
        message: &LastFields<'_, N>,
        field: u32,
    ) -> Option<StringId> {
        let index = usize::try_from(message.get(field)?.as_i64()).ok()?;
        self.0.get(index).copied()
    }
}

/// A mapping: its row and its first address.
#[derive(Clone, Copy)]
struct Mapping {
    row: u32,
    start: u64,
}

/// A function.
#[derive(Clone, Copy)]
struct Function {
    name: StringId,
    file: StringId,
    start_line: i64,
}

/// Rows of `stack_profile_frame` by the ids of locations.
pub(super) fn frames(
    profile: &[u8],
    strings: &Strings,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> FxHashMap<u64, u32> {
    let mappings = mappings(profile, strings, trackers, tables);
    let functions = functions(profile, strings, tables);
    let mut frames = FxHashMap::default();
    for field in Fields::new(profile).filter(|it| it.number == pprof_profile::LOCATION) {
        let bytes = field.as_bytes();
        let location = LastFields::<6>::new(bytes);
        let mapping = mappings.get(&location.uint(location::MAPPING_ID)).copied();
        let mapping = mapping.unwrap_or_else(|| {
            let name = tables.strings.intern(NO_MAPPING);
            let row = trackers.source.stacks.mappings.placeholder(name, tables);
            Mapping { row, start: 0 }
        });
        let lines = lines(bytes, &functions);
        let address = location.uint(location::ADDRESS);
        let unknown = tables.strings.intern(UNKNOWN);
        let frame = NewFrame {
            mapping: mapping.row,
            rel_pc: address.checked_sub(mapping.start).unwrap_or(address),
            name: lines.first().map_or(unknown, |(function, _)| function.name),
            source: SourceLine::default(),
        };
        let before = tables.stack_profile_frame.len();
        let row = trackers.source.stacks.frames.get(frame, tables);
        // A frame that was known has its symbols.
        if tables.stack_profile_frame.len() > before && !lines.is_empty() {
            let symbols = lines.iter().enumerate().map(|(index, (function, line))| {
                let line = u32::try_from(*line).ok().filter(|&line| line > 0);
                let source = SourceLine { file: function.file, line };
                (function.name, source, Some(index + 1 < lines.len()))
            });
            let symbols = push_symbols(symbols, tables);
            tables.stack_profile_frame.symbol_set_id.set(row, Some(symbols));
        }
        frames.insert(location.uint(location::ID), row);
    }
    frames
}

fn mappings(
    profile: &[u8],
    strings: &Strings,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> FxHashMap<u64, Mapping> {
    let mut mappings = FxHashMap::default();
    for field in Fields::new(profile).filter(|it| it.number == pprof_profile::MAPPING) {
        let message = LastFields::<7>::new(field.as_bytes());
        let start = message.uint(mapping::MEMORY_START);
        let none = tables.strings.intern("");
        let unknown = tables.strings.intern(UNKNOWN);
        let row = StackProfileMappingRow {
            build_id: strings.get(&message, mapping::BUILD_ID).unwrap_or(none),
            exact_offset: message.int(mapping::FILE_OFFSET),
            start: start.cast_signed(),
            end: message.int(mapping::MEMORY_LIMIT),
            name: strings.get(&message, mapping::FILENAME).unwrap_or(unknown),
            ..StackProfileMappingRow::default()
        };
        let known = &mut trackers.source.stacks.mappings;
        let row = known.get(row, &mut tables.stack_profile_mapping);
        known.count_from_start(row);
        mappings.insert(message.uint(mapping::ID), Mapping { row, start });
    }
    // No location refers to a mapping without an id.
    mappings.remove(&0);
    mappings
}

fn functions(profile: &[u8], strings: &Strings, tables: &mut Tables) -> FxHashMap<u64, Function> {
    let unknown = tables.strings.intern(UNKNOWN);
    let fields = Fields::new(profile).filter(|it| it.number == pprof_profile::FUNCTION);
    let functions = fields.map(|field| {
        let message = LastFields::<6>::new(field.as_bytes());
        let function = Function {
            name: strings.get(&message, function::NAME).unwrap_or(unknown),
            file: strings.get(&message, function::FILENAME).unwrap_or(StringId::NULL),
            start_line: message.int(function::START_LINE),
        };
        (message.uint(function::ID), function)
    });
    functions.collect()
}

/// The functions of a location, the innermost of those that are inlined first, with the line in
/// each.
fn lines(location: &[u8], functions: &FxHashMap<u64, Function>) -> Vec<(Function, i64)> {
    let fields = Fields::new(location).filter(|field| field.number == location::LINE);
    let lines = fields.filter_map(|field| {
        let message = LastFields::<3>::new(field.as_bytes());
        let function = functions.get(&message.uint(line::FUNCTION_ID))?;
        let line = message.int(line::LINE);
        Some((*function, if line > 0 { line } else { function.start_line }))
    });
    lines.collect()
}
