//! `__intrinsic_tree_dominator_summary(tree)`: for each node of a dominator tree, its depth and the
//! sums of counts and sizes over all nodes that it dominates, itself included.

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Fields, Int64Type};
use datafusion::common::{Result, exec_err, internal_err};

use super::tree::{Tree, tree_columns};
use crate::functions::pointers::operator::{Operand, OperandType, TableOperator, wrong_operands};
use crate::functions::pointers::table::{integer, to_column, to_nullable_column};

/// The columns of the tree that are summed, in the order of the result.
const SUMMED: [&str; 3] = ["self_count", "self_size", "native_size"];

/// The operator `__intrinsic_tree_dominator_summary`.
#[derive(Debug)]
pub(super) struct DominatorSummary;

impl TableOperator for DominatorSummary {
    fn name(&self) -> &'static str {
        "__intrinsic_tree_dominator_summary"
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        let is_number = |kind: &DataType| matches!(kind, DataType::Int64 | DataType::Float64);
        let fits = tree_columns(operands).is_some_and(|columns| {
            let mut found = SUMMED.iter().map(|name| columns.find(name));
            found.all(|found| found.is_some_and(|(_, field)| is_number(field.data_type())))
        });
        if !fits {
            let expected = "a tree with numbers in id, parent_id, self_count, self_size and \
                            native_size";
            return wrong_operands(self.name(), expected);
        }
        let names = [
            "id",
            "idom_id",
            "dominated_obj_count",
            "dominated_size_bytes",
            "dominated_native_size_bytes",
            "depth",
        ];
        Ok(names.into_iter().map(integer).collect())
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        let Some(operand) = operands.first() else { return Ok(None) };
        let Some(tree) = Tree::of(operand)? else { return Ok(None) };
        let mut columns = vec![
            to_nullable_column(in_order(&tree, operand, "id")?),
            to_nullable_column(in_order(&tree, operand, "parent_id")?),
        ];
        for name in SUMMED {
            let own = in_order(&tree, operand, name)?;
            let own = own.into_iter().map(Option::unwrap_or_default).collect();
            let Some(sums) = subtree_sums(&tree, own) else {
                return exec_err!("{}(): a sum of {name} is too large", self.name());
            };
            columns.push(to_column(sums));
        }
        columns.push(to_column(depths(&tree)));
        Ok(Some(columns))
    }
}

/// The integers of a column in the order of the tree.
fn in_order(tree: &Tree, operand: &Operand, name: &str) -> Result<Vec<Option<i64>>> {
    let Some(column) = operand.column(name) else {
        return internal_err!("a tree without {name}");
    };
    let column = cast(column, &DataType::Int64)?;
    let column = column.as_primitive::<Int64Type>();
    let values: Vec<Option<i64>> = column.iter().collect();
    Ok(tree.rows.iter().map(|&row| values[row as usize]).collect())
}

/// The sums over the subtrees of all nodes; `None` if one exceeds 64 bits.
fn subtree_sums(tree: &Tree, own: Vec<i64>) -> Option<Vec<i64>> {
    let mut sums = own;
    // Children follow their parents, so the sum of a node is complete before it is added.
    for (node, parent) in tree.parents.iter().enumerate().rev() {
        if let Some(parent) = *parent {
            let parent = parent as usize;
            sums[parent] = sums[parent].checked_add(sums[node])?;
        }
    }
    Some(sums)
}

/// The depths of all nodes; that of a root is 1.
fn depths(tree: &Tree) -> Vec<i64> {
    let mut depths: Vec<i64> = Vec::with_capacity(tree.parents.len());
    for parent in &tree.parents {
        let above = parent.and_then(|parent| depths.get(parent as usize).copied());
        depths.push(above.unwrap_or_default() + 1);
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 ── 1 ── 3
    ///   └─ 2
    /// 4
    fn tree() -> Tree {
        let parents = vec![None, Some(0), Some(0), Some(1), None];
        Tree { rows: vec![0, 1, 2, 3, 4], parents }
    }

    #[test]
    fn a_node_has_the_sum_of_its_subtree() {
        let sums = subtree_sums(&tree(), vec![1, 10, 100, 1_000, 5]);
        assert_eq!(sums, Some(vec![1_111, 1_010, 100, 1_000, 5]));
        assert_eq!(depths(&tree()), [1, 2, 2, 3, 1]);
    }

    #[test]
    fn a_sum_beyond_64_bits_is_none() {
        assert_eq!(subtree_sums(&tree(), vec![1, i64::MAX, 0, 0, 0]), None);
    }
}
