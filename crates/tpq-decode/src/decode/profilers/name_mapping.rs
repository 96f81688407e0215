//! Names of Java code before obfuscation, from packets and from mapping files.

use std::borrow::Cow;

use tpq_ingest::TraceBytes;
use tpq_proto::fields::{deobfuscation_mapping, obfuscated_class, obfuscated_member};
use tpq_proto::wire::{Fields, LastFields};
use tpq_trackers::track::NameMapping;

use super::proguard;

/// A class with its names in the obfuscated code and in the source code.
#[derive(Debug, Default)]
pub(in crate::decode) struct MappedClass<'a> {
    pub(in crate::decode) obfuscated: Cow<'a, str>,
    pub(in crate::decode) name: Cow<'a, str>,
    pub(in crate::decode) fields: Vec<MappedMember<'a>>,
    pub(in crate::decode) methods: Vec<MappedMember<'a>>,
}

/// A field or a method. The name in the source code includes the class if it is another one.
#[derive(Debug)]
pub(in crate::decode) struct MappedMember<'a> {
    pub(in crate::decode) obfuscated: Cow<'a, str>,
    pub(in crate::decode) name: Cow<'a, str>,
    /// First and last line in the obfuscated code; NULL is unbounded.
    pub(in crate::decode) lines: (Option<u32>, Option<u32>),
    pub(in crate::decode) source_line: Option<u32>,
}

impl MappedClass<'_> {
    /// The name of a member in the source code, with its class.
    pub(in crate::decode) fn full_name<'a>(&self, member: &'a MappedMember<'_>) -> Cow<'a, str> {
        match member.name.contains('.') {
            true => Cow::Borrowed(&member.name),
            false => Cow::Owned(format!("{}.{}", self.name, member.name)),
        }
    }
}

/// The package that a mapping is of. `None` for a mapping of any package; empty if a packet does
/// not say it.
pub(in crate::decode) fn package<'a>(
    bytes: &'a TraceBytes<'_>,
    mapping: &'a NameMapping,
) -> Option<Cow<'a, str>> {
    match mapping {
        NameMapping::Packet(span) => {
            let packet = LastFields::<3>::new(bytes.get(*span));
            let package = packet.bytes(deobfuscation_mapping::PACKAGE_NAME);
            Some(String::from_utf8_lossy(package))
        }
        NameMapping::File { package, .. } => package.as_deref().map(Cow::Borrowed),
    }
}

/// Calls `visit` with each class of a mapping.
pub(in crate::decode) fn for_each_class(
    bytes: &TraceBytes<'_>,
    mapping: &NameMapping,
    mut visit: impl FnMut(MappedClass<'_>),
) {
    match mapping {
        NameMapping::Packet(span) => {
            let classes = of(bytes.get(*span), deobfuscation_mapping::OBFUSCATED_CLASSES);
            classes.for_each(|class| visit(read_class(class)));
        }
        NameMapping::File { text, .. } => proguard::for_each_class(bytes.get(*text), visit),
    }
}

/// The messages in a repeated field.
fn of(message: &[u8], number: u32) -> impl Iterator<Item = &[u8]> {
    Fields::new(message).filter(move |field| field.number == number).map(|field| field.as_bytes())
}

fn read_class(message: &[u8]) -> MappedClass<'_> {
    let class = LastFields::<3>::new(message);
    let text = |number| String::from_utf8_lossy(class.bytes(number));
    MappedClass {
        obfuscated: text(obfuscated_class::OBFUSCATED_NAME),
        name: text(obfuscated_class::DEOBFUSCATED_NAME),
        fields: of(message, obfuscated_class::OBFUSCATED_MEMBERS).map(read_member).collect(),
        methods: of(message, obfuscated_class::OBFUSCATED_METHODS).map(read_member).collect(),
    }
}

fn read_member(message: &[u8]) -> MappedMember<'_> {
    let member = LastFields::<7>::new(message);
    let line = |number: u32| member.get(number).map(|line| line.as_u32());
    MappedMember {
        obfuscated: String::from_utf8_lossy(member.bytes(obfuscated_member::OBFUSCATED_NAME)),
        name: String::from_utf8_lossy(member.bytes(obfuscated_member::DEOBFUSCATED_NAME)),
        lines: (
            line(obfuscated_member::OBFUSCATED_LINE_START),
            line(obfuscated_member::OBFUSCATED_LINE_END),
        ),
        source_line: line(obfuscated_member::SOURCE_LINE_START),
    }
}
