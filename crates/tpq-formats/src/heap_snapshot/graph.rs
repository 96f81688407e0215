//! Objects of a snapshot and their references.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

use super::layout::Layout;
use crate::document::Json;

/// The number of kinds of references that are counted.
const KINDS: usize = 32;

/// An object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Index of its class.
    pub(super) class: u32,
    pub(super) self_size: i64,
    /// Its text, or its name if that is not the one of its class; else NULL.
    pub(super) text: StringId,
    /// Its references, those that were left out not counted.
    pub(super) first_edge: u32,
    pub(super) edges: u32,
    /// References from the root; -1 if it is not reachable.
    pub(super) distance: i32,
}

/// A reference that keeps an object alive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) to: u32,
    pub(super) kind: StringId,
    /// Name of the property or variable; NULL for an element.
    pub(super) name: StringId,
}

/// The objects of a snapshot. The first one is the root.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Names of classes.
    pub(super) classes: Vec<StringId>,
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// References that keep nothing alive, by their kind.
    pub(super) unread: [i64; KINDS],
    /// Objects and references that make no sense.
    pub(super) damaged: i64,
}

impl Graph {
    pub(super) fn read(snapshot: Json<'_>, layout: &Layout, tables: &mut Tables) -> Self {
        let [strings, nodes, edges] = snapshot.pick(["strings", "nodes", "edges"]);
        let mut strings = Strings::of(strings);
        let mut graph = Self::default();
        let counts = graph.read_nodes(nodes, layout, &mut strings, tables);
        graph.read_edges(edges, layout, &counts, &mut strings, tables);
        graph.measure_distances();
        graph
    }

    /// Reads objects. Returns the number of references of each.
    fn read_nodes(
        &mut self,
        nodes: Json<'_>,
        layout: &Layout,
        strings: &mut Strings<'_>,
        tables: &mut Tables,
    ) -> Vec<u64> {
        let kinds: Vec<ClassOf> =
            layout.node_types.iter().map(|kind| ClassOf::kind(kind, tables)).collect();
        let unknown = ClassOf::kind("unknown", tables);
        let empty = tables.strings.intern("");
        let mut classes: FxHashMap<StringId, u32> = FxHashMap::default();
        let mut counts = Vec::new();
        let mut numbers = numbers(nodes.raw());
        let mut node = vec![0; layout.node.width];
        while let Some(complete) = fill(&mut node, &mut numbers) {
            if !complete {
                self.damaged += 1;
                break;
            }
            let kind = kinds.get(index(node[layout.node.kind])).copied();
            let name = strings.get(index(node[layout.node.name]), tables);
            self.damaged += i64::from(kind.is_none() || name.is_none());
            let (class, text) = match (kind.unwrap_or(unknown), name.unwrap_or(empty)) {
                (ClassOf::Name, name) => (name, StringId::NULL),
                (ClassOf::Kind(class), name) if name == empty => (class, StringId::NULL),
                (ClassOf::Kind(class), name) => (class, name),
            };
            let next = classes.len() as u32;
            let class = *classes.entry(class).or_insert_with(|| {
                self.classes.push(class);
                next
            });
            let self_size = i64::try_from(node[layout.node.self_size]).unwrap_or_default();
            counts.push(node[layout.node.edge_count]);
            let distance = -1;
            self.nodes.push(Node { class, self_size, text, first_edge: 0, edges: 0, distance });
        }
        counts
    }

    /// Reads references, which stand in the order of the objects that have them.
    fn read_edges(
        &mut self,
        edges: Json<'_>,
        layout: &Layout,
        counts: &[u64],
        strings: &mut Strings<'_>,
        tables: &mut Tables,
    ) {
        let kinds = layout.edge_types.iter();
        let kinds: Vec<(StringId, EdgeKind)> =
            kinds.map(|kind| (tables.strings.intern(kind), EdgeKind::of(kind))).collect();
        let mut numbers = numbers(edges.raw());
        let mut edge = vec![0; layout.edge.width];
        for (owner, &count) in counts.iter().enumerate() {
            let first = self.edges.len();
            for _ in 0..count {
                if fill(&mut edge, &mut numbers) != Some(true) {
                    // References are missing, of this and of later objects.
                    self.damaged += 1;
                    self.set_edges(owner, first);
                    return;
                }
                let kind = index(edge[layout.edge.kind]);
                let to = edge[layout.edge.to];
                let width = layout.node.width as u64;
                let stated = kinds.get(kind).filter(|_| to.is_multiple_of(width));
                let Some(&(name_of_kind, of_kind)) = stated else {
                    self.damaged += 1;
                    continue;
                };
                let to = to / width;
                if to >= self.nodes.len() as u64 {
                    self.damaged += 1;
                    continue;
                }
                if !of_kind.keeps_alive(owner) {
                    self.unread[kind.min(KINDS - 1)] += 1;
                    continue;
                }
                let text = match of_kind {
                    EdgeKind::Unnamed => StringId::NULL,
                    _ => {
                        let name = strings.get(index(edge[layout.edge.name_or_index]), tables);
                        name.unwrap_or(StringId::NULL)
                    }
                };
                self.edges.push(Edge { to: to as u32, kind: name_of_kind, name: text });
            }
            self.set_edges(owner, first);
        }
        // References of no object.
        self.damaged += i64::from(numbers.next().is_some());
    }

    fn set_edges(&mut self, owner: usize, first: usize) {
        let Some(node) = self.nodes.get_mut(owner) else { return };
        node.first_edge = first as u32;
        node.edges = (self.edges.len() - first) as u32;
    }

    /// Measures the distance of each object from the root.
    fn measure_distances(&mut self) {
        let Self { nodes, edges, .. } = self;
        let Some(root) = nodes.first_mut() else { return };
        root.distance = 0;
        let (mut reached, mut next) = (vec![0_usize], 0);
        while let Some(&number) = reached.get(next) {
            next += 1;
            let Node { first_edge, edges: count, distance, .. } = nodes[number];
            let range = first_edge as usize..(first_edge + count) as usize;
            for edge in edges.get(range).unwrap_or_default() {
                let to = &mut nodes[edge.to as usize];
                if to.distance < 0 {
                    to.distance = distance.saturating_add(1);
                    reached.push(edge.to as usize);
                }
            }
        }
    }
}

/// What the kind of a reference says of it.
#[derive(Clone, Copy, Debug)]
enum EdgeKind {
    Weak,
    Shortcut,
    /// It has a number, and no name.
    Unnamed,
    Named,
}

impl EdgeKind {
    fn of(kind: &str) -> Self {
        match kind {
            "weak" => Self::Weak,
            "shortcut" => Self::Shortcut,
            "element" | "hidden" => Self::Unnamed,
            _ => Self::Named,
        }
    }

    /// Whether references of the kind keep the object alive that they lead to. A shortcut stands
    /// for references that are there as well, but for those of the root.
    fn keeps_alive(self, owner: usize) -> bool {
        match self {
            Self::Weak => false,
            Self::Shortcut => owner == 0,
            Self::Unnamed | Self::Named => true,
        }
    }
}

/// The class of objects of a kind, as the developer tools of Chrome show it.
#[derive(Clone, Copy)]
enum ClassOf {
    /// The name of the object.
    Name,
    /// One of the kind. The name of the object is its text.
    Kind(StringId),
}

impl ClassOf {
    fn kind(kind: &str, tables: &mut Tables) -> Self {
        let class = match kind {
            "object" | "native" => return Self::Name,
            "hidden" => "(system)",
            "code" => "(compiled code)",
            "closure" => "Function",
            "regexp" => "RegExp",
            kind => &format!("({kind})"),
        };
        Self::Kind(tables.strings.intern(class))
    }
}

/// The texts of a snapshot, which are interned when they are first used.
struct Strings<'a>(Vec<Text<'a>>);

enum Text<'a> {
    Unused(Json<'a>),
    /// NULL for what is no text.
    Interned(StringId),
}

impl<'a> Strings<'a> {
    fn of(list: Json<'a>) -> Self {
        Self(list.elements().map(Text::Unused).collect())
    }

    /// The text of a number; `None` if there is none.
    fn get(&mut self, number: usize, tables: &mut Tables) -> Option<StringId> {
        let text = self.0.get_mut(number)?;
        if let Text::Unused(json) = text {
            let interned = json.text().map(|text| tables.strings.intern(&text));
            *text = Text::Interned(interned.unwrap_or(StringId::NULL));
        }
        match text {
            Text::Interned(text) if !text.is_null() => Some(*text),
            _ => None,
        }
    }
}

/// The numbers of an array. What is no number is one that nothing has.
fn numbers(array: &[u8]) -> Numbers<'_> {
    let inside = array.trim_ascii().strip_prefix(b"[").and_then(|it| it.strip_suffix(b"]"));
    let inside = inside.unwrap_or_default().trim_ascii();
    Numbers((!inside.is_empty()).then_some(inside))
}

/// What is left of the numbers of an array, with commas between.
struct Numbers<'a>(Option<&'a [u8]>);

impl Iterator for Numbers<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        // Nearly all have a few digits.
        const FEW: usize = 9;
        let rest = self.0?;
        let (mut number, mut len) = (0, 0);
        for &byte in rest.iter().take(FEW).take_while(|byte| byte.is_ascii_digit()) {
            number = number * 10 + u64::from(byte - b'0');
            len += 1;
        }
        let behind = rest.get(len..).unwrap_or_default().trim_ascii_start();
        match behind.split_first() {
            None if len > 0 => self.0 = None,
            Some((b',', next)) if len > 0 => self.0 = Some(next),
            _ => {
                let end = memchr::memchr(b',', rest);
                self.0 = end.and_then(|end| rest.get(end + 1..));
                let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                let text = std::str::from_utf8(part.trim_ascii()).ok();
                number = text.and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
            }
        }
        Some(number)
    }
}

/// Takes the next numbers, and returns whether there were enough; `None` if there were none.
fn fill(fields: &mut [u64], numbers: &mut impl Iterator<Item = u64>) -> Option<bool> {
    for (at, field) in fields.iter_mut().enumerate() {
        match numbers.next() {
            Some(number) => *field = number,
            None if at == 0 => return None,
            None => return Some(false),
        }
    }
    Some(true)
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
