//! What messages look like, for code that reads any of them: those of `protos/track_event/`, and
//! what traces themselves describe.
//!
//! Descriptors in a trace come from anywhere, so there are bounds on how many types and fields are
//! kept and on how long names are; what lies beyond is left out and told.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use crate::wire::Fields;

/// More types than this are left out.
const MAX_TYPES: usize = 1 << 14;
/// More fields of messages and values of enums than this are left out, over all types.
const MAX_MEMBERS: usize = 1 << 18;
/// Longer names of types, fields and values are left out, in bytes.
const MAX_NAME: usize = 512;
/// Types within types deeper than this are left out.
const MAX_NESTING: usize = 32;

/// What the values of a field are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `int32` or `sfixed32`.
    Int32,
    /// `int64` or `sfixed64`.
    Int64,
    /// `sint32`.
    Sint32,
    /// `sint64`.
    Sint64,
    /// `uint32` or `fixed32`.
    Uint32,
    /// `uint64` or `fixed64`.
    Uint64,
    /// `bool`.
    Bool,
    /// `float` or `double`.
    Real,
    /// `string`.
    String,
    /// `bytes`.
    Bytes,
    /// An enum, by its index; one that nobody described has an index that nothing has.
    Enum(u32),
    /// A message, likewise.
    Message(u32),
}

impl Kind {
    /// Whether values are bytes on the wire rather than numbers.
    pub fn is_bytes(self) -> bool {
        matches!(self, Self::String | Self::Bytes | Self::Message(_))
    }
}

/// How numbers lie on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// As varints.
    Varint,
    /// In four bytes each.
    Four,
    /// In eight bytes each.
    Eight,
}

/// A field of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldDescriptor {
    /// Its name.
    pub name: Arc<str>,
    /// What its values are.
    pub kind: Kind,
    /// How its values lie on the wire, where they are numbers.
    pub width: Width,
    /// Whether it can have several.
    pub repeated: bool,
    /// Whether another message or file added it.
    pub extension: bool,
}

/// A message.
#[derive(Clone, Debug, Default)]
pub struct MessageDescriptor {
    /// Its fields by number.
    pub fields: BTreeMap<u32, FieldDescriptor>,
}

/// An enum.
#[derive(Clone, Debug, Default)]
pub struct EnumDescriptor {
    /// The names of its values; the first of several for one number.
    pub values: BTreeMap<i32, Arc<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Message(u32),
    Enum(u32),
}

/// The index of types that nobody described.
const UNKNOWN: u32 = u32::MAX;

/// All types that are known.
#[derive(Clone, Debug, Default)]
pub struct DescriptorPool {
    messages: Vec<MessageDescriptor>,
    enums: Vec<EnumDescriptor>,
    /// Types by their full names, without a dot before.
    names: HashMap<Arc<str>, Type>,
    members: usize,
}

/// Descriptors of which not all could be kept: they are damaged, contradict what was known, name
/// types that nobody described, or are more than anybody writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Incomplete;

impl DescriptorPool {
    /// Track events and what they carry.
    pub fn track_event() -> Arc<Self> {
        static POOL: LazyLock<Arc<DescriptorPool>> = LazyLock::new(|| {
            let mut pool = DescriptorPool::default();
            // Written by the build itself; a test below reads it.
            let _ = pool.add(include_bytes!(concat!(env!("OUT_DIR"), "/track_event.bin")));
            Arc::new(pool)
        });
        Arc::clone(&POOL)
    }

    /// A message by its index.
    pub fn message(&self, index: u32) -> Option<&MessageDescriptor> {
        self.messages.get(index as usize)
    }

    /// The index of a message, by its full name; a dot before may be there.
    pub fn find_message(&self, name: &str) -> Option<u32> {
        match self.names.get(name.strip_prefix('.').unwrap_or(name))? {
            Type::Message(index) => Some(*index),
            Type::Enum(_) => None,
        }
    }

    /// The name of a value of the enum with that index.
    pub fn value_name(&self, index: u32, value: i32) -> Option<&str> {
        self.enums.get(index as usize)?.values.get(&value).map(AsRef::as_ref)
    }

    /// Adds the types of an encoded `FileDescriptorSet`. Types that are known get the fields and
    /// values they did not have; what they had stays.
    pub fn add(&mut self, descriptors: &[u8]) -> Result<(), Incomplete> {
        let mut addition = Addition { pool: self, extensions: vec![], types: vec![], lost: false };
        let mut files = Fields::new(descriptors);
        for file in files.by_ref().filter(|field| field.number == 1) {
            addition.file(file.as_bytes());
        }
        addition.lost |= files.is_damaged();
        addition.extend();
        addition.resolve();
        match addition.lost {
            true => Err(Incomplete),
            false => Ok(()),
        }
    }
}

/// Descriptors on their way into a pool.
struct Addition<'p, 'a> {
    pool: &'p mut DescriptorPool,
    /// Fields that are added to other messages, with the name of what they are declared in.
    extensions: Vec<(String, &'a [u8])>,
    /// Fields whose types are known by name alone.
    types: Vec<UnresolvedField<'a>>,
    /// Whether something could not be kept.
    lost: bool,
}

struct UnresolvedField<'a> {
    message: u32,
    number: u32,
    /// The name of what the field is declared in.
    scope: String,
    type_name: &'a str,
}

/// A `FieldDescriptorProto` as read.
#[derive(Default)]
struct ReadField<'a> {
    name: &'a str,
    number: u32,
    repeated: bool,
    /// The number of protobuf's own type; messages where none is given.
    wire_type: Option<u32>,
    type_name: &'a str,
    extendee: &'a str,
}

impl<'a> Addition<'_, 'a> {
    fn file(&mut self, file: &'a [u8]) {
        let package = Fields::new(file).filter(|field| field.number == 2).last();
        let package = package.map(|field| text(field.as_bytes())).unwrap_or_default();
        self.declarations(file, package, [4, 5, 7], 0);
    }

    /// The messages, enums and extensions a file or message declares, by the numbers of their
    /// fields.
    fn declarations(
        &mut self,
        within: &'a [u8],
        scope: &str,
        [messages, enums, extensions]: [u32; 3],
        depth: usize,
    ) {
        let mut fields = Fields::new(within);
        for field in fields.by_ref() {
            if field.number == messages {
                self.message(field.as_bytes(), scope, depth);
            } else if field.number == enums {
                self.enumeration(field.as_bytes(), scope);
            } else if field.number == extensions {
                self.extensions.push((scope.to_owned(), field.as_bytes()));
            }
        }
        self.lost |= fields.is_damaged();
    }

    fn message(&mut self, message: &'a [u8], scope: &str, depth: usize) {
        if depth >= MAX_NESTING {
            self.lost = true;
            return;
        }
        let Some(name) = full_name(scope, message) else {
            self.lost = true;
            return;
        };
        let known = self.pool.names.get(name.as_str()).copied();
        let index = match known {
            Some(Type::Message(index)) => index,
            None if self.pool.names.len() < MAX_TYPES => {
                let index = self.pool.messages.len() as u32;
                self.pool.messages.push(MessageDescriptor::default());
                self.pool.names.insert(name.as_str().into(), Type::Message(index));
                index
            }
            _ => {
                self.lost = true;
                return;
            }
        };
        for field in Fields::new(message).filter(|field| field.number == 2) {
            self.field(index, read_field(field.as_bytes()), &name, false);
        }
        self.declarations(message, &name, [3, 4, 6], depth + 1);
    }

    fn enumeration(&mut self, enumeration: &'a [u8], scope: &str) {
        let Some(name) = full_name(scope, enumeration) else {
            self.lost = true;
            return;
        };
        let pool = &mut *self.pool;
        let index = match pool.names.get(name.as_str()) {
            Some(Type::Enum(index)) => *index,
            None if pool.names.len() < MAX_TYPES => {
                let index = pool.enums.len() as u32;
                pool.enums.push(EnumDescriptor::default());
                pool.names.insert(name.as_str().into(), Type::Enum(index));
                index
            }
            _ => {
                self.lost = true;
                return;
            }
        };
        for field in Fields::new(enumeration).filter(|field| field.number == 2) {
            let (mut name, mut number) = ("", 0);
            for field in Fields::new(field.as_bytes()) {
                match field.number {
                    1 => name = text(field.as_bytes()),
                    2 => number = field.as_i32(),
                    _ => {}
                }
            }
            let values = &mut pool.enums[index as usize].values;
            if values.contains_key(&number) {
                continue;
            }
            if pool.members >= MAX_MEMBERS || name.is_empty() || name.len() > MAX_NAME {
                self.lost = true;
                continue;
            }
            pool.members += 1;
            values.insert(number, name.into());
        }
    }

    /// Adds the fields that messages and files declare for others.
    fn extend(&mut self) {
        for (scope, field) in std::mem::take(&mut self.extensions) {
            let field = read_field(field);
            match self.find(&scope, field.extendee) {
                Some(Type::Message(index)) => self.field(index, field, &scope, true),
                _ => self.lost = true,
            }
        }
    }

    fn field(&mut self, message: u32, field: ReadField<'a>, scope: &str, extension: bool) {
        let pool = &mut *self.pool;
        let Some(kind) = field.kind() else {
            self.lost = true;
            return;
        };
        let fields = &mut pool.messages[message as usize].fields;
        if let Some(known) = fields.get(&field.number) {
            let width = if kind.is_bytes() { known.width } else { field.width() };
            self.lost |= known.kind.is_bytes() != kind.is_bytes() || known.width != width;
            return;
        }
        let nameless = field.name.is_empty() || field.name.len() > MAX_NAME;
        if pool.members >= MAX_MEMBERS || field.number == 0 || nameless {
            self.lost = true;
            return;
        }
        pool.members += 1;
        let (name, repeated, width) = (field.name.into(), field.repeated, field.width());
        fields.insert(field.number, FieldDescriptor { name, kind, width, repeated, extension });
        if matches!(kind, Kind::Enum(_) | Kind::Message(_)) {
            let (number, type_name) = (field.number, field.type_name);
            self.types.push(UnresolvedField { message, number, scope: scope.into(), type_name });
        }
    }

    /// Finds the types that fields have by name.
    fn resolve(&mut self) {
        for unresolved in std::mem::take(&mut self.types) {
            let UnresolvedField { message, number, scope, type_name } = unresolved;
            let found = self.find(&scope, type_name);
            let fields = &mut self.pool.messages[message as usize].fields;
            let Some(field) = fields.get_mut(&number) else { continue };
            match (found, &mut field.kind) {
                (Some(Type::Enum(found)), Kind::Enum(index)) => *index = found,
                (Some(Type::Message(found)), Kind::Message(index)) => *index = found,
                _ => self.lost = true,
            }
        }
    }

    /// Finds a type as protobuf does: in the scope, then in those around it.
    fn find(&self, scope: &str, name: &str) -> Option<Type> {
        if name.is_empty() || name.len() > MAX_NAME {
            return None;
        }
        if let Some(whole) = name.strip_prefix('.') {
            return self.pool.names.get(whole).copied();
        }
        let mut scope = scope;
        while !scope.is_empty() {
            if let Some(found) = self.pool.names.get(format!("{scope}.{name}").as_str()) {
                return Some(*found);
            }
            scope = scope.rsplit_once('.').map_or("", |(around, _)| around);
        }
        self.pool.names.get(name).copied()
    }
}

impl ReadField<'_> {
    /// `None` for groups, which nobody writes, and for types there are not.
    fn kind(&self) -> Option<Kind> {
        Some(match self.wire_type {
            Some(1 | 2) => Kind::Real,
            Some(3 | 16) => Kind::Int64,
            Some(4 | 6) => Kind::Uint64,
            Some(5 | 15) => Kind::Int32,
            Some(7 | 13) => Kind::Uint32,
            Some(8) => Kind::Bool,
            Some(9) => Kind::String,
            Some(11) | None => Kind::Message(UNKNOWN),
            Some(12) => Kind::Bytes,
            Some(14) => Kind::Enum(UNKNOWN),
            Some(17) => Kind::Sint32,
            Some(18) => Kind::Sint64,
            Some(_) => return None,
        })
    }

    fn width(&self) -> Width {
        match self.wire_type {
            Some(2 | 7 | 15) => Width::Four,
            Some(1 | 6 | 16) => Width::Eight,
            _ => Width::Varint,
        }
    }
}

fn read_field(descriptor: &[u8]) -> ReadField<'_> {
    let mut read = ReadField::default();
    for field in Fields::new(descriptor) {
        match field.number {
            1 => read.name = text(field.as_bytes()),
            2 => read.extendee = text(field.as_bytes()),
            3 => read.number = field.as_u32(),
            4 => read.repeated = field.as_u64() == 3,
            5 => read.wire_type = Some(field.as_u32()),
            6 => read.type_name = text(field.as_bytes()),
            _ => {}
        }
    }
    read
}

/// The name of a message or enum within a scope; `None` when it has none, or one too long.
fn full_name(scope: &str, descriptor: &[u8]) -> Option<String> {
    let name = Fields::new(descriptor).filter(|field| field.number == 1).last()?;
    let name = text(name.as_bytes());
    if name.is_empty() || scope.len() + name.len() >= MAX_NAME {
        return None;
    }
    Some(match scope.is_empty() {
        true => name.to_owned(),
        false => format!("{scope}.{name}"),
    })
}

/// Names are ASCII; what is not is no name.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests;
