//! Writes the descriptors of messages as arrays of numbers, for `src/descriptor.rs`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet};

/// All types of some files, by their full names with a leading dot.
#[derive(Default)]
struct Types<'a> {
    messages: BTreeMap<String, &'a DescriptorProto>,
    enums: BTreeMap<String, &'a EnumDescriptorProto>,
}

/// The text that contains all names, one after the other.
#[derive(Default)]
struct Names(String);

/// Returns the arrays of names, messages, fields, enums and their values as Rust code.
pub(super) fn tables(descriptors: &FileDescriptorSet) -> Result<String, Box<dyn Error>> {
    let mut types = Types::default();
    for file in &descriptors.file {
        types.add(&format!(".{}", file.package()), &file.message_type, &file.enum_type);
    }
    let mut names = Names::default();
    let (mut messages, mut fields, mut count) = (String::new(), String::new(), 0);
    for (name, message) in &types.messages {
        writeln!(
            messages,
            "    MessageRow {{ name: {}, fields: {count} }},",
            names.add(&name[1..])
        )?;
        let mut ordered: Vec<_> = message.field.iter().collect();
        ordered.sort_by_key(|field| field.number());
        for field in ordered {
            let (number, name) = (field.number(), names.add(field.name()));
            let kind = types.kind(field)?;
            let repeated = field.label() == Label::Repeated;
            let oneof = field.oneof_index.map_or(0, |index| index + 1);
            writeln!(
                fields,
                "    FieldRow {{ number: {number}, name: {name}, kind: {kind}, \
                 repeated: {repeated}, oneof: {oneof} }},"
            )?;
            count += 1;
        }
    }
    let (mut enums, mut values, mut value_count) = (String::new(), String::new(), 0);
    for declared in types.enums.values() {
        writeln!(enums, "    {value_count},")?;
        let mut ordered: Vec<_> = declared.value.iter().collect();
        // Only the first of several names for one number is shown.
        ordered.sort_by_key(|value| value.number());
        ordered.dedup_by_key(|value| value.number());
        for value in ordered {
            let (number, name) = (value.number(), names.add(value.name()));
            writeln!(values, "    ValueRow {{ number: {number}, name: {name} }},")?;
            value_count += 1;
        }
    }
    Ok(format!(
        "const NAMES: &str = {:?};\n\
         static MESSAGES: [MessageRow; {}] = [\n{messages}];\n\
         static FIELDS: [FieldRow; {count}] = [\n{fields}];\n\
         static ENUMS: [u32; {}] = [\n{enums}];\n\
         static VALUES: [ValueRow; {value_count}] = [\n{values}];\n",
        names.0,
        types.messages.len(),
        types.enums.len(),
    ))
}

impl<'a> Types<'a> {
    fn add(
        &mut self,
        scope: &str,
        messages: &'a [DescriptorProto],
        enums: &'a [EnumDescriptorProto],
    ) {
        for message in messages {
            let name = format!("{scope}.{}", message.name());
            self.add(&name, &message.nested_type, &message.enum_type);
            self.messages.insert(name, message);
        }
        self.enums.extend(enums.iter().map(|it| (format!("{scope}.{}", it.name()), it)));
    }

    /// The kind of the values of a field, with the index of its type.
    fn kind(&self, field: &FieldDescriptorProto) -> Result<String, Box<dyn Error>> {
        let unknown = || format!("{} is not declared", field.type_name());
        let name = field.type_name();
        Ok(match field.r#type() {
            Type::Message => {
                let index = self.messages.keys().position(|known| known == name);
                format!("Kind::Message(Message({}))", index.ok_or_else(unknown)?)
            }
            Type::Enum => {
                let index = self.enums.keys().position(|known| known == name);
                format!("Kind::Enum(Enum({}))", index.ok_or_else(unknown)?)
            }
            Type::Group => return Err(format!("{name} is a group").into()),
            other => format!("Kind::{other:?}"),
        })
    }
}

impl Names {
    /// Adds a name. Returns its offset and length as a Rust tuple.
    fn add(&mut self, name: &str) -> String {
        let position = format!("({}, {})", self.0.len(), name.len());
        self.0.push_str(name);
        position
    }
}
