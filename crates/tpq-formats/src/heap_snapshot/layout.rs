//! The meaning of the numbers of a snapshot, which it states itself.

use crate::document::Json;

/// The largest number of fields of an object or a reference, and of their types.
const MOST_FIELDS: usize = 64;

/// Where each field lies among the numbers of an object or a reference.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) node: NodeLayout,
    pub(super) edge: EdgeLayout,
    /// Names of the types of objects and of references.
    pub(super) node_types: Vec<String>,
    pub(super) edge_types: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct NodeLayout {
    /// The number of numbers of each.
    pub(super) width: usize,
    pub(super) kind: usize,
    pub(super) name: usize,
    pub(super) self_size: usize,
    pub(super) edge_count: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeLayout {
    pub(super) width: usize,
    pub(super) kind: usize,
    pub(super) name_or_index: usize,
    pub(super) to: usize,
}

impl Layout {
    /// `None` if a field is missing.
    pub(super) fn read(snapshot: Json<'_>) -> Option<Self> {
        let meta = snapshot.get("snapshot").get("meta");
        let node = texts(meta.get("node_fields"));
        let edge = texts(meta.get("edge_fields"));
        let at = |fields: &[String], name: &str| fields.iter().position(|field| field == name);
        // The first field of each is its type.
        let types = |key| meta.get(key).elements().next().map(texts);
        Some(Self {
            node: NodeLayout {
                width: node.len(),
                kind: at(&node, "type").filter(|&at| at == 0)?,
                name: at(&node, "name")?,
                self_size: at(&node, "self_size")?,
                edge_count: at(&node, "edge_count")?,
            },
            edge: EdgeLayout {
                width: edge.len(),
                kind: at(&edge, "type").filter(|&at| at == 0)?,
                name_or_index: at(&edge, "name_or_index")?,
                to: at(&edge, "to_node")?,
            },
            node_types: types("node_types")?,
            edge_types: types("edge_types")?,
        })
    }
}

/// The texts of an array.
fn texts(array: Json<'_>) -> Vec<String> {
    let texts = array.elements().take(MOST_FIELDS);
    texts.map(|it| it.text().unwrap_or_default().into_owned()).collect()
}
