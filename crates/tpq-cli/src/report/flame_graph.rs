//! The flame graph of slices: slices with the same path of names are merged.

use std::collections::HashMap;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use futures::TryStreamExt;
use serde_json::{Value, json};
use tpq::Trace;

use super::section::missing;
use super::slices::NO_SLICES;

/// The smallest share of the whole that is kept; less is narrower than a pixel.
const MIN_SHARE: f64 = 0.0005;
/// The levels that are kept.
const MAX_LEVELS: usize = 64;

/// Slices of threads, in the order of their ids, so that parents precede their children. Slices
/// without an end are kept for their children.
const OF_THREADS: &str = "SELECT slice.id, slice.parent_id, slice.dur, \
    CAST(coalesce(slice.name, '(no name)') AS VARCHAR) AS name, \
    CAST(coalesce(thread.name, 'tid ' || thread.tid) AS VARCHAR) AS track \
    FROM slice JOIN thread_track ON thread_track.id = slice.track_id \
    JOIN thread USING (utid) WHERE slice.dur != 0 ORDER BY slice.id";

/// Slices of all tracks. Those of asynchronous work overlap, so that they are drawn only where there
/// are no others.
const OF_TRACKS: &str = "SELECT slice.id, slice.parent_id, slice.dur, \
    CAST(coalesce(slice.name, '(no name)') AS VARCHAR) AS name, \
    CAST(coalesce(track.name, track.type) AS VARCHAR) AS track \
    FROM slice LEFT JOIN track ON track.id = slice.track_id \
    WHERE slice.dur != 0 ORDER BY slice.id";

/// The tree of the slices of threads, otherwise of all tracks, which are its first level.
pub async fn of_slices(trace: &Trace) -> anyhow::Result<Value> {
    for (of, sql) in [("threads", OF_THREADS), ("tracks", OF_TRACKS)] {
        let mut result = trace.session().query(sql).await?;
        let mut tree = Tree::new();
        while let Some(batch) = result.try_next().await? {
            tree.add(&batch)?;
        }
        tree.settle();
        if tree.nodes[ROOT].total > 0 {
            return Ok(json!({ "of": of, "tree": tree.json() }));
        }
    }
    Ok(missing(NO_SLICES))
}

const ROOT: usize = 0;

/// A path of names.
struct Node {
    name: u32,
    parent: usize,
    /// The sum of durations in ns, at least that of the children.
    total: u64,
    /// The number of slices.
    count: u64,
}

/// Merged slices. A node follows its parent in `nodes`.
struct Tree {
    nodes: Vec<Node>,
    names: Vec<String>,
    name_ids: HashMap<String, u32>,
    /// The node of each parent and name.
    children: HashMap<(usize, u32), usize>,
    /// The node of each slice, by its id.
    of_slice: HashMap<i64, usize>,
}

impl Tree {
    fn new() -> Self {
        let root = Node { name: 0, parent: ROOT, total: 0, count: 0 };
        Self {
            nodes: vec![root],
            names: vec!["all".to_owned()],
            name_ids: HashMap::new(),
            children: HashMap::new(),
            of_slice: HashMap::new(),
        }
    }

    /// Adds rows of id, parent, duration, name and track.
    fn add(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        let integers = |column: usize| cast(batch.column(column), &DataType::Int64);
        let texts = |column: usize| cast(batch.column(column), &DataType::Utf8);
        let [ids, parents, durations] = [integers(0)?, integers(1)?, integers(2)?];
        let [names, tracks] = [texts(3)?, texts(4)?];
        let [ids, parents, durations] =
            [&ids, &parents, &durations].map(|column| column.as_primitive::<Int64Type>());
        let [names, tracks] = [&names, &tracks].map(|column| column.as_string::<i32>());
        for (row, parent) in parents.iter().enumerate() {
            let above = parent.and_then(|parent| self.of_slice.get(&parent).copied());
            let above = match above {
                Some(node) => node,
                None => self.child(ROOT, tracks.value(row)),
            };
            let node = self.child(above, names.value(row));
            self.nodes[node].count += 1;
            // -1 is a slice without an end.
            self.nodes[node].total += u64::try_from(durations.value(row)).unwrap_or(0);
            self.of_slice.insert(ids.value(row), node);
        }
        Ok(())
    }

    /// The child of that name, which is created if there is none.
    fn child(&mut self, parent: usize, name: &str) -> usize {
        let name = match self.name_ids.get(name) {
            Some(&id) => id,
            None => {
                let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
                self.names.push(name.to_owned());
                self.name_ids.insert(name.to_owned(), id);
                id
            }
        };
        let next = self.nodes.len();
        let node = *self.children.entry((parent, name)).or_insert(next);
        if node == next {
            self.nodes.push(Node { name, parent, total: 0, count: 0 });
        }
        node
    }

    /// Gives each node at least the total of its children.
    fn settle(&mut self) {
        let mut below = vec![0_u64; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[index];
            node.total = node.total.max(below[index]);
            let (parent, total) = (node.parent, node.total);
            if index != ROOT {
                below[parent] = below[parent].saturating_add(total);
            }
        }
    }

    /// The tree without nodes that are too small or too deep, children by size.
    fn json(&self) -> Value {
        let mut kept: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let least = (self.nodes[ROOT].total as f64 * MIN_SHARE) as u64;
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            if node.total > least {
                kept[node.parent].push(index);
            }
        }
        self.node_json(ROOT, &mut kept, 0)
    }

    fn node_json(&self, index: usize, kept: &mut [Vec<usize>], level: usize) -> Value {
        let node = &self.nodes[index];
        let mut children = std::mem::take(&mut kept[index]);
        children.sort_by_key(|&child| std::cmp::Reverse(self.nodes[child].total));
        let children: Vec<Value> = match level {
            MAX_LEVELS => Vec::new(),
            _ => children.iter().map(|&child| self.node_json(child, kept, level + 1)).collect(),
        };
        let name = self.names.get(node.name as usize).map_or("", String::as_str);
        json!({ "name": name, "total": node.total, "count": node.count, "children": children })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_with_one_path_are_merged() {
        let mut tree = Tree::new();
        let thread = tree.child(ROOT, "thread");
        for total in [10, 5] {
            let a = tree.child(thread, "a");
            tree.nodes[a].total += total;
            tree.nodes[a].count += 1;
            let b = tree.child(a, "b");
            tree.nodes[b].total += 2;
        }
        tree.settle();
        let b = json!({ "name": "b", "total": 4, "count": 0, "children": [] });
        let a = json!({ "name": "a", "total": 15, "count": 2, "children": [b] });
        let thread = json!({ "name": "thread", "total": 15, "count": 0, "children": [a] });
        let all = json!({ "name": "all", "total": 15, "count": 0, "children": [thread] });
        assert_eq!(tree.json(), all);
    }

    #[test]
    fn a_node_has_at_least_the_total_of_its_children() {
        let mut tree = Tree::new();
        let unended = tree.child(ROOT, "without end");
        for name in ["a", "b"] {
            let child = tree.child(unended, name);
            tree.nodes[child].total = 3;
        }
        tree.settle();
        assert_eq!([ROOT, unended].map(|node| tree.nodes[node].total), [6, 6]);
    }
}
