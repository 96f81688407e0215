//! Arg sets as JSON.
//!
//! A key is a path: `debug.list[1].name` is the member `name` of the second element of the array
//! `list`. Members are in the order of their first arg, elements by their position.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::json::{minified, push_real, push_string};
use super::super::value::Value;
use super::Arg;

/// The maximum number of steps of a path. The rest of a longer key is one step.
const MAX_STEPS: usize = 100;

/// The args of a set as a tree.
#[derive(Default)]
pub(super) struct Tree {
    root: Object,
}

/// The members of an object in their order.
#[derive(Default)]
struct Object {
    members: Vec<(String, Node)>,
    /// The position of each member.
    positions: FxHashMap<String, usize>,
}

enum Node {
    /// A place for an arg of a type that is not known yet.
    Empty,
    /// JSON text.
    Value(String),
    Object(Object),
    Array(BTreeMap<u64, Node>),
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step<'k> {
    Member(&'k str),
    Element(u64),
}

impl Tree {
    /// Adds an arg. If a part of its path already has a value, the whole key is a member of the
    /// outermost object.
    pub(super) fn add(&mut self, arg: &Arg) {
        let value = value(arg);
        if let Some(node) = self.root.at(&steps(arg.key)) {
            *node = Node::Value(value);
        } else if let Some(node) = self.root.member(arg.key) {
            *node = Node::Value(value);
        }
    }

    /// The tree as JSON.
    pub(super) fn json(&self) -> String {
        let mut json = String::new();
        self.root.write(&mut json);
        json
    }
}

impl Object {
    /// The member with a key, new or empty; `None` if it has a value.
    fn member(&mut self, key: &str) -> Option<&mut Node> {
        let node = self.child(key);
        matches!(node, Node::Empty).then_some(node)
    }

    fn child(&mut self, key: &str) -> &mut Node {
        let position = match self.positions.get(key) {
            Some(position) => *position,
            None => {
                self.positions.insert(key.to_owned(), self.members.len());
                self.members.push((key.to_owned(), Node::Empty));
                self.members.len() - 1
            }
        };
        &mut self.members[position].1
    }

    /// The empty node at a path; `None` if there is a value at the path or on the way.
    fn at(&mut self, steps: &[Step]) -> Option<&mut Node> {
        let (Step::Member(key), rest) = steps.split_first()? else { return None };
        let mut node = self.child(key);
        for step in rest {
            node = node.child(*step)?;
        }
        matches!(node, Node::Empty).then_some(node)
    }

    fn write(&self, json: &mut String) {
        json.push('{');
        for (index, (key, node)) in self.members.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            push_string(json, key);
            json.push(':');
            node.write(json);
        }
        json.push('}');
    }
}

impl Node {
    /// The child at a step. An empty node becomes an object or an array; `None` if the node is
    /// something else.
    fn child(&mut self, step: Step) -> Option<&mut Self> {
        if matches!(self, Self::Empty) {
            *self = match step {
                Step::Member(_) => Self::Object(Object::default()),
                Step::Element(_) => Self::Array(BTreeMap::new()),
            };
        }
        match (self, step) {
            (Self::Object(object), Step::Member(key)) => Some(object.child(key)),
            (Self::Array(elements), Step::Element(position)) => {
                Some(elements.entry(position).or_insert(Self::Empty))
            }
            _ => None,
        }
    }

    fn write(&self, json: &mut String) {
        match self {
            Self::Empty => json.push_str("null"),
            Self::Value(value) => json.push_str(value),
            Self::Object(object) => object.write(json),
            Self::Array(elements) => {
                json.push('[');
                for (index, node) in elements.values().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    node.write(json);
                }
                json.push(']');
            }
        }
    }
}

/// The steps of a key. A key that is no path is one step.
fn steps(key: &str) -> Vec<Step<'_>> {
    path(key).filter(|steps| steps.len() <= MAX_STEPS).unwrap_or_else(|| vec![Step::Member(key)])
}

fn path(key: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in key.split('.') {
        let end = part.find('[').unwrap_or(part.len());
        let (name, mut rest) = part.split_at_checked(end)?;
        if name.is_empty() {
            return None;
        }
        steps.push(Step::Member(name));
        while !rest.is_empty() {
            let (position, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Element(position.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}

/// The value of an arg as JSON.
fn value(arg: &Arg) -> String {
    let mut json = String::new();
    match (&arg.value, arg.kind) {
        (Value::Integer(value), "bool") => {
            json.push_str(if *value == 0 { "false" } else { "true" })
        }
        (Value::Integer(value), "uint") => json.push_str(&value.cast_unsigned().to_string()),
        (Value::Integer(value), "pointer") => push_string(&mut json, &format!("0x{value:x}")),
        (Value::Integer(value), _) => json.push_str(&value.to_string()),
        (Value::Real(value), _) => push_real(&mut json, *value),
        (Value::Text(text), "json") => match minified(text) {
            Ok(Some(text)) => json.push_str(&text),
            _ => push_string(&mut json, text),
        },
        (Value::Text(text), _) => push_string(&mut json, text),
        (Value::Null | Value::Blob(_), _) => json.push_str("null"),
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(args: &[(&str, &str, Value<'static>)]) -> String {
        let mut tree = Tree::default();
        for (key, kind, value) in args {
            tree.add(&Arg { key, kind, value: value.clone() });
        }
        tree.json()
    }

    #[test]
    fn keys_are_paths() {
        let found = json(&[
            ("z", "int", Value::Integer(1)),
            ("debug.list[1]", "int", Value::Integer(20)),
            ("debug.list[0]", "int", Value::Integer(10)),
            ("a.b", "string", Value::text("x\"y")),
            ("debug.rows[0].name", "string", Value::text("r")),
            ("debug.rows[0].cells[0][1]", "bool", Value::Integer(1)),
        ]);
        assert_eq!(
            found,
            "{\"z\":1,\"debug\":{\"list\":[10,20],\"rows\":[{\"name\":\"r\",\"cells\":[[true]]}]},\
             \"a\":{\"b\":\"x\\\"y\"}}"
        );
        assert_eq!(json(&[]), "{}");
    }

    #[test]
    fn values_have_the_form_of_their_types() {
        let found = json(&[
            ("i", "int", Value::Integer(-1)),
            ("u", "uint", Value::Integer(-1)),
            ("p", "pointer", Value::Integer(0xff00)),
            ("b", "bool", Value::Integer(0)),
            ("r", "real", Value::Real(0.5)),
            ("nan", "real", Value::Real(f64::NAN)),
            ("j", "json", Value::text("[1, {\"a\": 2}]")),
            ("k", "json", Value::text("[1")),
            ("n", "null", Value::Null),
        ]);
        assert_eq!(
            found,
            "{\"i\":-1,\"u\":18446744073709551615,\"p\":\"0xff00\",\"b\":false,\"r\":0.5,\
             \"nan\":null,\"j\":[1,{\"a\":2}],\"k\":\"[1\",\"n\":null}"
        );
    }

    #[test]
    fn keys_that_do_not_fit_are_members_of_the_outermost_object() {
        let found = json(&[
            ("a", "int", Value::Integer(1)),
            ("a.b", "int", Value::Integer(2)),
            ("c[x]", "int", Value::Integer(3)),
            ("d..e", "int", Value::Integer(4)),
        ]);
        assert_eq!(found, "{\"a\":1,\"a.b\":2,\"c[x]\":3,\"d..e\":4}");
        let deep = "k.".repeat(100_000) + "k";
        assert_eq!(json(&[(deep.as_str(), "int", Value::Integer(1))]), format!("{{\"{deep}\":1}}"));
    }
}
