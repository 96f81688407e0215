//! Typed messages as args: each field under its name, by what descriptors say of it.

use rustc_hash::FxHashMap;
use tpq_ingest::GenerationId;
use tpq_proto::fields::{interned_data, source_location, unsymbolized_source_location};
use tpq_proto::reflect::{Kind, Width};
use tpq_proto::wire::{Field, Fields, LastFields, Packed, Value, zigzag};
use tpq_tables::table::StackProfileMappingTable;
use tpq_tables::{Stat, Stats, StringId, StringPool};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::annotation;
use crate::args::{
    ArgKey, LocationKeys, MessagePath, MessagePaths, NoPath, PathId, SourceLocation, Special,
};
use crate::args::{ArgSet, ArgValue};
use crate::interned::Interned;
use crate::stacks::{Mappings, read_mapping};

/// Messages within messages deeper than this are left out and counted: no program means to write
/// them.
pub const MAX_DEPTH: usize = 64;

/// A value that cannot be read: what follows it in its message is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreadable;

/// Turns messages into args.
pub struct MessageArgs<'a> {
    /// Interned data of the file.
    pub interned: &'a Interned<'a>,
    /// The generation of the event's sequence.
    pub generation: GenerationId,
    /// The keys of fields by path.
    pub paths: &'a mut MessagePaths,
    /// The pool of all strings.
    pub strings: &'a mut StringPool,
    /// Counts values that cannot be read.
    pub stats: &'a mut Stats,
    /// The set that receives the args.
    pub args: &'a mut ArgSet,
    /// Fields that become more than args; annotations never do.
    pub tables: Option<MessageTables<'a>>,
}

/// Fields of messages that become more than args.
pub struct MessageTables<'a> {
    /// Mappings by their contents.
    pub mappings: &'a mut Mappings,
    /// Receives mappings that have no row yet.
    pub mapping_rows: &'a mut StackProfileMappingTable,
    /// The processes that messages name.
    pub active_processes: Vec<i32>,
}

impl<'a> MessageArgs<'a> {
    /// Adds the fields of a message; one that is empty shows that it is there. Fields that no
    /// descriptor describes are counted.
    pub fn message(&mut self, message: &[u8], at: PathId, depth: usize) -> Result<(), Unreadable> {
        if depth == 0 {
            return Err(Unreadable);
        }
        let mut positions = FxHashMap::default();
        let mut empty = true;
        for field in Fields::new(message) {
            empty = false;
            match self.paths.field(at, field.number, 0, self.strings) {
                Ok(path) => self.field(&field, at, path, &mut positions, depth)?,
                Err(NoPath::Unknown) => self.stats.increment(Stat::UnknownExtensionFields),
                Err(NoPath::LongKey) => return Err(Unreadable),
            }
        }
        if empty {
            self.push(self.paths.get(at).key, ArgValue::Null);
        }
        Ok(())
    }

    /// Adds what one field of a message at `at` holds; `first` is where its first value lies.
    fn field(
        &mut self,
        field: &Field<'_>,
        at: PathId,
        first: PathId,
        positions: &mut FxHashMap<u32, u32>,
        depth: usize,
    ) -> Result<(), Unreadable> {
        let path = self.paths.get(first);
        if !path.shown {
            return Ok(());
        }
        if !path.repeated {
            return self.value(field, at, first, depth);
        }
        let position = positions.entry(field.number).or_default();
        let number = field.number;
        match (field.value, path.kind) {
            (Value::Bytes(packed), kind) if !kind.is_bytes() => {
                for value in unpacked(packed, path.width) {
                    let at_position = self.position(at, number, *position)?;
                    *position += 1;
                    self.value(&Field { number, value }, at, at_position, depth)?;
                }
                Ok(())
            }
            _ => {
                let at_position = self.position(at, number, *position)?;
                *position += 1;
                self.value(field, at, at_position, depth)
            }
        }
    }

    fn position(&mut self, at: PathId, number: u32, position: u32) -> Result<PathId, Unreadable> {
        self.paths.field(at, number, position, self.strings).map_err(|_| Unreadable)
    }

    fn value(
        &mut self,
        field: &Field<'_>,
        at: PathId,
        id: PathId,
        depth: usize,
    ) -> Result<(), Unreadable> {
        let path = self.paths.get(id);
        if matches!(field.value, Value::Bytes(_)) != path.kind.is_bytes() {
            return Err(Unreadable);
        }
        if self.special(field, &path) {
            return Ok(());
        }
        match path.kind {
            kind if self.paths.is_annotation(kind) => {
                // It has a name of its own, which stands for that of the field.
                let around = self.paths.get(at).key;
                annotation::add(self, field.as_bytes(), around, depth - 1)
            }
            Kind::Message(_) if !self.paths.is_described(path.kind) => Err(Unreadable),
            Kind::Message(_) => self.message(field.as_bytes(), id, depth - 1),
            kind => {
                let value = self.scalar(field, kind);
                self.push(path.key, value);
                Ok(())
            }
        }
    }

    fn scalar(&mut self, field: &Field<'_>, kind: Kind) -> ArgValue {
        match kind {
            Kind::Int32 => ArgValue::Int(i64::from(field.as_i32())),
            Kind::Int64 => ArgValue::Int(field.as_i64()),
            Kind::Sint32 => ArgValue::Int(zigzag(u64::from(field.as_u32()))),
            Kind::Sint64 => ArgValue::Int(zigzag(field.as_u64())),
            Kind::Uint32 => ArgValue::Uint(u64::from(field.as_u32())),
            Kind::Uint64 => ArgValue::Uint(field.as_u64()),
            Kind::Bool => ArgValue::Bool(field.as_bool()),
            Kind::Real => ArgValue::Real(field.as_f64()),
            Kind::String => ArgValue::String(self.strings.intern_bytes(field.as_bytes())),
            Kind::Bytes => {
                ArgValue::String(self.strings.intern(&BASE64_STANDARD.encode(field.as_bytes())))
            }
            Kind::Enum(index) => {
                let value = field.as_i32();
                ArgValue::String(match self.paths.value_name(index, value) {
                    Some(name) => self.strings.intern(name),
                    None => self.strings.intern(&value.to_string()),
                })
            }
            Kind::Message(_) => ArgValue::Null,
        }
    }

    /// Adds what a special field stands for; returns whether nothing else is to be added.
    fn special(&mut self, field: &Field<'_>, path: &MessagePath) -> bool {
        match path.special {
            None => false,
            Some(Special::ActiveProcess) => {
                if let Some(tables) = &mut self.tables {
                    tables.active_processes.push(field.as_i32());
                }
                false
            }
            Some(Special::SourceLocation) => {
                let Some(location) = self.source_location(field.as_u64()) else { return false };
                let key = self.strings.get(path.key.flat);
                let around = key.rsplit_once('.').map_or("", |(around, _)| around).to_owned();
                let keys = self.add_names(&around, &location);
                if let Some(line) = location.line {
                    self.args.add(keys.line, ArgValue::Int(i64::from(line)));
                }
                true
            }
            Some(Special::NativeSymbol) => self.native_symbol(field.as_u64()),
            Some(Special::InternedText(kind)) => self.interned_text(field.as_u64(), kind, path.key),
        }
    }

    /// Adds an interned text under the key of its id, without `_iid`. Returns whether it was sent.
    fn interned_text(&mut self, iid: u64, kind: u32, of_id: ArgKey) -> bool {
        let known = self.interned.message(self.generation, kind, iid).is_some();
        let text = match known {
            true => self.interned.text(self.generation, kind, iid, self.strings, self.stats),
            false => {
                self.stats.increment(Stat::WinscopeViewcaptureMissingInternedStringParseErrors);
                Some(self.strings.intern("STRING DE-INTERNING ERROR"))
            }
        };
        let [flat, full] = [of_id.flat, of_id.full].map(|key| {
            let key = self.strings.get(key);
            let key = key.strip_suffix("_iid").unwrap_or(key).to_owned();
            self.strings.intern(&key)
        });
        self.push(ArgKey { flat, full }, ArgValue::String(text.unwrap_or(StringId::NULL)));
        known
    }

    fn native_symbol(&mut self, iid: u64) -> bool {
        let kind = interned_data::UNSYMBOLIZED_SOURCE_LOCATIONS;
        let Some(symbol) = self.lookup(kind, iid) else { return false };
        let symbol = LastFields::<4>::new(symbol);
        let Some(mapping) = self.mapping(symbol.uint(unsymbolized_source_location::MAPPING_ID))
        else {
            return false;
        };
        let mapping = ArgValue::Uint(u64::from(mapping));
        self.add("chrome_mojo_event_info.mojo_interface_method.native_symbol.mapping_id", mapping);
        let rel_pc = ArgValue::Uint(symbol.uint(unsymbolized_source_location::REL_PC));
        self.add("chrome_mojo_event_info.mojo_interface_method.native_symbol.rel_pc", rel_pc);
        true
    }

    /// The row of a mapping that was interned; one that was never sent is counted.
    fn mapping(&mut self, iid: u64) -> Option<u32> {
        let row = read_mapping(self.interned, self.generation, iid, self.strings, self.stats)?;
        let tables = self.tables.as_mut()?;
        let rows = &mut *tables.mapping_rows;
        Some(tables.mappings.described(None, row, rows, self.strings, self.stats))
    }

    /// An interned source location; one that was never sent is counted.
    pub fn source_location(&mut self, iid: u64) -> Option<SourceLocation> {
        let scope = self.interned.generation(self.generation).map(|generation| generation.interned);
        if let Some(known) = scope.and_then(|scope| self.paths.location(scope, iid)) {
            return Some(known);
        }
        let location = LastFields::<5>::new(self.lookup(interned_data::SOURCE_LOCATIONS, iid)?);
        // Paths of Windows are written like all others.
        let intern = |_: &[u8]| {
            let file = String::from_utf8_lossy(location.bytes(source_location::FILE_NAME));
            self.strings.intern(&file.replace('\\', "/"))
        };
        let kind = interned_data::SOURCE_LOCATIONS;
        let file = self.interned.text_as(self.generation, kind, iid, self.stats, intern)?;
        let location = SourceLocation {
            file,
            function: self.strings.intern_bytes(location.bytes(source_location::FUNCTION_NAME)),
            line: location.get(source_location::LINE_NUMBER).map(|line| line.as_u32()),
        };
        if let Some(scope) = scope {
            self.paths.keep_location(scope, iid, location);
        }
        Some(location)
    }

    /// The path of an interned source location.
    pub fn source_file(&mut self, iid: u64) -> Option<&'a [u8]> {
        Some(
            LastFields::<3>::new(self.lookup(interned_data::SOURCE_LOCATIONS, iid)?)
                .bytes(source_location::FILE_NAME),
        )
    }

    fn lookup(&mut self, kind: u32, iid: u64) -> Option<&'a [u8]> {
        let message = self.interned.message(self.generation, kind, iid);
        if message.is_none() {
            self.stats.increment(Stat::InternedDataTokenizerErrors);
        }
        message
    }

    /// The text of field 2 of what was interned; what was never sent is counted.
    pub fn text(&mut self, kind: u32, iid: u64) -> Result<StringId, Unreadable> {
        let text = self.interned.text(self.generation, kind, iid, self.strings, self.stats);
        text.ok_or(Unreadable)
    }

    /// The length of the message of what was interned, in bytes; `None` if it was never sent.
    pub(super) fn len_of(&self, kind: u32, iid: u64) -> Option<usize> {
        self.interned.len_of(self.generation, kind, iid)
    }

    /// Adds the names of a source location; returns the keys of all that is known of it.
    pub fn add_names(&mut self, around: &str, location: &SourceLocation) -> LocationKeys {
        let keys = self.paths.location_keys(around, self.strings);
        self.args.add(keys.file, ArgValue::String(location.file));
        self.args.add(keys.function, ArgValue::String(location.function));
        keys
    }

    /// Adds a value under a key without array positions.
    pub fn add(&mut self, key: &str, value: ArgValue) {
        let key = self.strings.intern(key);
        self.args.add(key, value);
    }

    /// Adds an arg under a key that is interned.
    pub fn push(&mut self, key: ArgKey, value: ArgValue) {
        self.args.add_keyed(key.flat, key.full, value);
    }
}

impl From<NoPath> for Unreadable {
    fn from(_: NoPath) -> Self {
        Self
    }
}

/// The numbers of a packed field; what is cut off at the end is left out.
fn unpacked(packed: &[u8], width: Width) -> Box<dyn Iterator<Item = Value<'_>> + '_> {
    match width {
        Width::Varint => Box::new(Packed::new(packed).map(Value::Varint)),
        Width::Four => {
            let (words, _) = packed.as_chunks::<4>();
            Box::new(words.iter().map(|word| Value::Fixed32(u32::from_le_bytes(*word))))
        }
        Width::Eight => {
            let (words, _) = packed.as_chunks::<8>();
            Box::new(words.iter().map(|word| Value::Fixed64(u64::from_le_bytes(*word))))
        }
    }
}
