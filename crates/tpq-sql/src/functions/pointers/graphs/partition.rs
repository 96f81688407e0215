//! `__intrinsic_structural_tree_partition(id, parent_id, group_key)`: splits a tree into one tree
//! for each group; the parent of a node becomes its nearest ancestor of the same group.

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::common::{Result, exec_err};
use rustc_hash::FxHashMap;

use super::graph::Graph;
use crate::functions::pointers::table::{integer_column, integers, to_column, to_nullable_column};

/// Returns the nodes in depth-first order from the root; children are in reverse order.
pub(super) fn partition_by_group(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    let ids = integers(columns, 0)?;
    let parents = integer_column(columns, 1)?;
    let groups = integers(columns, 2)?;
    let mut roots = (0..ids.len()).filter(|&row| parents.is_null(row));
    let (root, second) = (roots.next(), roots.next());
    let Some(root) = root else { return exec_err!("tree_partition: no root in tree") };
    if second.is_some() {
        return exec_err!(
            "tree_partition: multiple NULL parent_ids. \
             Only one root (i.e. one NULL parent_id) expected."
        );
    }
    // One edge for each row except the root; `rows` has the row of each edge.
    let rows: Vec<usize> = (0..ids.len()).filter(|&row| row != root).collect();
    let from: Vec<i64> = rows.iter().map(|&row| parents.value(row)).collect();
    let to: Vec<i64> = rows.iter().map(|&row| ids[row]).collect();
    let tree = Graph::from_edges(&from, &to);
    let mut traversal =
        Traversal { ids: &ids, groups: &groups, nearest: FxHashMap::default(), found: Vec::new() };
    traversal.run(&tree, &rows, root);
    let (nodes, rest): (Vec<i64>, Vec<(Option<i64>, i64)>) =
        traversal.found.into_iter().map(|(node, parent, group)| (node, (parent, group))).unzip();
    let (parents, groups) = rest.into_iter().unzip();
    Ok(vec![to_column(nodes), to_nullable_column(parents), to_column(groups)])
}

/// The depth-first traversal of the tree.
struct Traversal<'a> {
    ids: &'a [i64],
    groups: &'a [i64],
    /// The nearest ancestor of the current node in each group.
    nearest: FxHashMap<i64, i64>,
    /// The result: node, parent, group.
    found: Vec<(i64, Option<i64>, i64)>,
}

/// A step of the traversal.
enum Step {
    /// Enters the node of a row.
    Enter(usize),
    /// Leaves a node of a group; restores the nearest ancestor of that group.
    Leave(i64, Option<i64>),
}

impl Traversal<'_> {
    fn run(&mut self, tree: &Graph, rows: &[usize], root: usize) {
        let mut steps = vec![Step::Enter(root)];
        // Limits the number of nodes, because a cycle would be an endless loop.
        let mut remaining = self.ids.len();
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(_) if remaining == 0 => break,
                Step::Enter(row) => {
                    remaining -= 1;
                    let (id, group) = (self.ids[row], self.groups[row]);
                    let ancestor = self.nearest.insert(group, id);
                    self.found.push((id, ancestor, group));
                    steps.push(Step::Leave(group, ancestor));
                    let children = tree.node(id).into_iter().flat_map(|node| tree.edges(node));
                    steps.extend(children.map(|(edge, _)| Step::Enter(rows[edge as usize])));
                }
                Step::Leave(group, Some(ancestor)) => {
                    self.nearest.insert(group, ancestor);
                }
                Step::Leave(group, None) => {
                    self.nearest.remove(&group);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::Int64Array;
    use datafusion::arrow::util::display::array_value_to_string;

    use super::*;

    fn partitioned(rows: &[(i64, Option<i64>, i64)]) -> Result<Vec<String>> {
        let ids: Int64Array = rows.iter().map(|row| Some(row.0)).collect();
        let parents: Int64Array = rows.iter().map(|row| row.1).collect();
        let groups: Int64Array = rows.iter().map(|row| Some(row.2)).collect();
        let columns = partition_by_group(&[Arc::new(ids), Arc::new(parents), Arc::new(groups)])?;
        let line = |row| {
            let cells = columns.iter().map(|column| array_value_to_string(column, row).unwrap());
            cells.collect::<Vec<_>>().join(" ")
        };
        Ok((0..columns[0].len()).map(line).collect())
    }

    #[test]
    fn the_parent_is_the_nearest_ancestor_of_the_same_group() {
        // 0(a) ── 1(b) ── 2(a) ── 3(b)
        //      └─ 4(b) ── 5(a)
        let tree = [
            (0, None, 7),
            (1, Some(0), 8),
            (2, Some(1), 7),
            (3, Some(2), 8),
            (4, Some(0), 8),
            (5, Some(4), 7),
        ];
        let expected = ["0  7", "4  8", "5 0 7", "1  8", "2 0 7", "3 1 8"];
        assert_eq!(partitioned(&tree).unwrap(), expected);
    }

    #[test]
    fn a_tree_has_one_root() {
        let none = partitioned(&[(1, Some(0), 0)]).unwrap_err();
        assert_eq!(none.strip_backtrace(), "Execution error: tree_partition: no root in tree");
        let two = partitioned(&[(0, None, 0), (1, None, 0)]).unwrap_err();
        assert!(two.strip_backtrace().contains("multiple NULL parent_ids"), "{two}");
    }
}
