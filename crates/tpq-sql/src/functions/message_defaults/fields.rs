//! The fields of a message, with default values where it has none.

use std::borrow::Cow;
use std::collections::BTreeMap;

use datafusion::common::{Result, internal_err};
use tpq_proto::reflect::{DescriptorPool, FieldDescriptor, Kind};

use super::super::arg_sets::ArgSets;
use super::super::value::Value;
use super::messages::{MessageTable, Recorded};

/// The end of the names of fields with ids of interned texts. The text is under the name without.
const INTERNED: &str = "_iid";

/// A field, or a value of a repeated field.
#[derive(Debug)]
pub(super) struct FieldRow {
    /// Names of the fields on the path to it.
    pub(super) flat_key: String,
    /// The same, with positions.
    pub(super) key: String,
    /// The type of the value, as in the column `value_type` of `args`.
    pub(super) kind: Cow<'static, str>,
    pub(super) value: Value<'static>,
}

/// The fields of a message of a table, in the order of their numbers.
///
/// # Errors
/// When its args cannot be read.
pub(super) fn fields_of(
    table: &MessageTable,
    message: &Recorded,
    args: &ArgSets,
) -> Result<Vec<FieldRow>> {
    let mut root = Node::default();
    if let Some(arg_set) = message.arg_set {
        args.each(arg_set, |arg| {
            let value = arg.value.clone().into_owned();
            root.add(arg.key, arg.kind, value);
        })?;
    }
    root.children.retain(|segment, _| !table.is_computed(&segment.name));
    let pool = DescriptorPool::track_event();
    let Some(of_type) = pool.find_message(table.message_type()) else {
        return internal_err!("{} has no descriptor", table.message_type());
    };
    let mut rows = Rows { pool: &pool, path: Path::default(), rows: Vec::new() };
    let is_returned =
        |number: u32| !table.is_separate(number) && message.only.is_none_or(|only| only == number);
    rows.message(&root, of_type, is_returned);
    Ok(rows.rows)
}

/// A part of a key: the name of a field, and the position of a value of a repeated one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Segment {
    name: String,
    position: Option<u32>,
}

impl Segment {
    fn parse(text: &str) -> Self {
        let position = || {
            let (name, position) = text.strip_suffix(']')?.split_once('[')?;
            Some((name, position.parse().ok()?))
        };
        match position() {
            Some((name, position)) => Self { name: name.to_owned(), position: Some(position) },
            None => Self { name: text.to_owned(), position: None },
        }
    }
}

/// What an arg set has at and under a key.
#[derive(Default, Debug)]
struct Node {
    value: Option<(String, Value<'static>)>,
    children: BTreeMap<Segment, Node>,
}

impl Node {
    fn add(&mut self, key: &str, kind: &str, value: Value<'static>) {
        let node = key
            .split('.')
            .fold(self, |node, segment| node.children.entry(Segment::parse(segment)).or_default());
        // Of several values of one field, the last one counts.
        node.value = Some((kind.to_owned(), value));
    }

    /// The values of a field, by position.
    fn field(&self, name: &str) -> impl Iterator<Item = (&Segment, &Node)> {
        let first = Segment { name: name.to_owned(), position: None };
        let last = Segment { name: name.to_owned(), position: Some(u32::MAX) };
        self.children.range(first..=last)
    }
}

/// The keys of the current field.
#[derive(Default)]
struct Path {
    flat: String,
    full: String,
}

impl Path {
    /// Goes to a field; returns what leads back.
    fn enter(&mut self, name: &str, position: Option<u32>) -> (usize, usize) {
        let lengths = (self.flat.len(), self.full.len());
        for key in [&mut self.flat, &mut self.full] {
            if !key.is_empty() {
                key.push('.');
            }
            key.push_str(name);
        }
        if let Some(position) = position {
            self.full.push_str(&format!("[{position}]"));
        }
        lengths
    }

    fn leave(&mut self, (flat, full): (usize, usize)) {
        self.flat.truncate(flat);
        self.full.truncate(full);
    }
}

/// Adds the rows of fields.
struct Rows<'p> {
    pool: &'p DescriptorPool,
    path: Path,
    rows: Vec<FieldRow>,
}

impl Rows<'_> {
    /// Adds the fields of a message that are to be returned.
    fn message(&mut self, node: &Node, of_type: u32, is_returned: impl Fn(u32) -> bool) {
        let pool = self.pool;
        let Some(descriptor) = pool.message(of_type) else { return self.undescribed(node) };
        for (&number, field) in &descriptor.fields {
            if !is_returned(number) {
                continue;
            }
            let text = field.name.strip_suffix(INTERNED);
            let texts = text.into_iter().flat_map(|name| node.field(name));
            let mut is_set = false;
            for (segment, value) in texts.chain(node.field(&field.name)) {
                is_set = true;
                self.value(segment, value, field.kind);
            }
            if !is_set {
                self.default(field);
            }
        }
        // Fields that only descriptors in the trace describe.
        let is_known = |name: &str| {
            let mut names = descriptor.fields.values().map(|field| &*field.name);
            names.any(|known| known == name || known.strip_suffix(INTERNED) == Some(name))
        };
        for (segment, value) in node.children.iter().filter(|(it, _)| !is_known(&it.name)) {
            self.value(segment, value, Kind::Bytes);
        }
    }

    fn value(&mut self, segment: &Segment, node: &Node, kind: Kind) {
        let back = self.path.enter(&segment.name, segment.position);
        if let Some((kind, value)) = &node.value {
            self.push(Cow::Owned(kind.clone()), value.clone());
        }
        match kind {
            Kind::Message(of_type) if !node.children.is_empty() => {
                self.message(node, of_type, |_| true);
            }
            _ => self.undescribed(node),
        }
        self.path.leave(back);
    }

    /// Adds what is under a key, where no descriptor says what could be there.
    fn undescribed(&mut self, node: &Node) {
        for (segment, child) in &node.children {
            self.value(segment, child, Kind::Bytes);
        }
    }

    /// Adds the default value of a field.
    fn default(&mut self, field: &FieldDescriptor) {
        let back = self.path.enter(&field.name, None);
        let (kind, value) = default_of(field, self.pool);
        self.push(Cow::Borrowed(kind), value);
        self.path.leave(back);
    }

    fn push(&mut self, kind: Cow<'static, str>, value: Value<'static>) {
        let (flat_key, key) = (self.path.flat.clone(), self.path.full.clone());
        self.rows.push(FieldRow { flat_key, key, kind, value });
    }
}

/// The default value of a field, and its type. Fields of these messages declare none of their own.
fn default_of(field: &FieldDescriptor, pool: &DescriptorPool) -> (&'static str, Value<'static>) {
    if field.repeated {
        return ("null", Value::Null);
    }
    match field.kind {
        Kind::Int32 | Kind::Int64 | Kind::Sint32 | Kind::Sint64 => ("int", Value::Integer(0)),
        Kind::Uint32 | Kind::Uint64 => ("uint", Value::Integer(0)),
        Kind::Bool => ("bool", Value::Integer(0)),
        Kind::Real => ("real", Value::Real(0.0)),
        Kind::Bytes => ("string", Value::text("")),
        Kind::Enum(index) => match pool.value_name(index, 0) {
            Some(name) => ("string", Value::text(name.to_owned())),
            None => ("int", Value::Integer(0)),
        },
        Kind::String | Kind::Message(_) => ("null", Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_names_with_positions() {
        let segment = |name: &str, position| Segment { name: name.into(), position };
        assert_eq!(Segment::parse("changes[12]"), segment("changes", Some(12)));
        assert_eq!(Segment::parse("changes"), segment("changes", None));
        assert_eq!(Segment::parse("changes[x]"), segment("changes[x]", None));
    }
}
