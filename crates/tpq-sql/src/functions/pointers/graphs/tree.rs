//! Trees as tables: `__intrinsic_tree_from_table('id', id, 'parent_id', parent_id, …)` collects the
//! rows of a tree, and `__intrinsic_tree_to_table(tree)` returns them with the positions of their
//! parents.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Fields};
use datafusion::common::{Result, exec_err, plan_err};
use rustc_hash::FxHashMap;

use crate::functions::pointers::operator::{Operand, OperandType, TableOperator, wrong_operands};
use crate::functions::pointers::table::{
    columns_of, integer, integer_column, to_column, to_nullable_column,
};
use crate::functions::steps::Steps;

/// The row is not in the order yet.
const UNPLACED: u32 = u32::MAX;
/// The row waits for its parent to be placed.
const PENDING: u32 = u32::MAX - 1;
/// No row: the parent of a root.
const NONE: u32 = u32::MAX;

/// The order of a tree's rows.
#[derive(Debug)]
pub(super) struct Tree {
    /// The rows. Each row follows its parent; otherwise they keep the order of the input.
    pub rows: Vec<u32>,
    /// For each position in `rows`, the position of the parent; `None` for a root.
    pub parents: Vec<Option<u32>>,
}

impl Tree {
    /// The tree in the columns `id` and `parent_id` of an operand; `None` if it has no rows.
    ///
    /// # Errors
    /// When an id is NULL or occurs twice, a parent is missing, or rows are their own ancestors.
    pub(super) fn of(operand: &Operand) -> Result<Option<Self>> {
        let (Some(ids), Some(parents)) = (operand.column("id"), operand.column("parent_id")) else {
            return Ok(None);
        };
        let columns = [Arc::clone(ids), Arc::clone(parents)];
        Self::new(integer_column(&columns, 0)?, integer_column(&columns, 1)?).map(Some)
    }

    fn new(ids: &Int64Array, parents: &Int64Array) -> Result<Self> {
        let parents = parent_rows(ids, parents)?;
        let mut positions = vec![UNPLACED; ids.len()];
        let mut rows = Vec::with_capacity(ids.len());
        let mut path = Vec::new();
        let mut steps = Steps::default();
        for start in 0..ids.len() as u32 {
            let mut row = start;
            steps.take(1)?;
            while row != NONE && positions[row as usize] >= PENDING {
                if positions[row as usize] == PENDING {
                    return exec_err!("tree: row {} is its own ancestor", ids.value(row as usize));
                }
                positions[row as usize] = PENDING;
                path.push(row);
                row = parents[row as usize];
            }
            while let Some(row) = path.pop() {
                positions[row as usize] = rows.len() as u32;
                rows.push(row);
            }
        }
        let position = |&row: &u32| positions.get(parents[row as usize] as usize).copied();
        let parents = rows.iter().map(position).collect();
        Ok(Self { rows, parents })
    }
}

/// The row of each row's parent; `NONE` for a root.
fn parent_rows(ids: &Int64Array, parents: &Int64Array) -> Result<Vec<u32>> {
    if ids.len() >= PENDING as usize {
        return exec_err!("tree: more than {} rows", PENDING - 1);
    }
    let mut rows = FxHashMap::default();
    for (row, id) in (0u32..).zip(ids) {
        let Some(id) = id else { return exec_err!("tree: a row has no id") };
        if rows.insert(id, row).is_some() {
            return exec_err!("tree: two rows have the id {id}");
        }
    }
    let row_of = |parent: Option<i64>| match parent.map(|id| (id, rows.get(&id))) {
        None => Ok(NONE),
        Some((_, Some(row))) => Ok(*row),
        Some((id, None)) => exec_err!("tree: no row has the id {id}, which is a parent_id"),
    };
    parents.iter().map(row_of).collect()
}

/// The columns of an operand that is a tree; `None` if it is none.
pub(super) fn tree_columns<'a>(operands: &[OperandType<'a>]) -> Option<&'a Fields> {
    let [OperandType { kind, .. }] = operands else { return None };
    let columns = columns_of(kind)?;
    let is_integer = |name: &str| {
        columns.find(name).is_some_and(|(_, field)| field.data_type() == &DataType::Int64)
    };
    (is_integer("id") && is_integer("parent_id")).then_some(columns)
}

/// The operator `__intrinsic_tree_to_table`.
#[derive(Debug)]
pub(super) struct TreeToTable;

impl TableOperator for TreeToTable {
    fn name(&self) -> &'static str {
        "__intrinsic_tree_to_table"
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        let Some(columns) = tree_columns(operands) else {
            return wrong_operands(self.name(), "a tree with integers in id and parent_id");
        };
        let own = [integer("_tree_id"), integer("_tree_parent_id")];
        if let Some(taken) = own.iter().find(|field| columns.find(field.name()).is_some()) {
            return plan_err!("{}(): the tree has a column {}", self.name(), taken.name());
        }
        Ok(own.into_iter().chain(columns.iter().cloned()).collect())
    }

    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        let Some(operand) = operands.first() else { return Ok(None) };
        let (Some(tree), Some(columns)) = (Tree::of(operand)?, operand.table()) else {
            return Ok(None);
        };
        let ids = (0i64..).take(tree.rows.len()).collect();
        let parents = tree.parents.iter().map(|parent| parent.map(i64::from)).collect();
        let rows = UInt32Array::from(tree.rows);
        let mut result = vec![to_column(ids), to_nullable_column(parents)];
        for column in columns {
            result.push(take(column, &rows, None)?);
        }
        Ok(Some(result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rows: &[(i64, Option<i64>)]) -> Result<Tree> {
        let ids: Int64Array = rows.iter().map(|row| Some(row.0)).collect();
        let parents: Int64Array = rows.iter().map(|row| row.1).collect();
        Tree::new(&ids, &parents)
    }

    #[test]
    fn rows_keep_their_order_but_follow_their_parents() {
        let in_order = tree(&[(5, None), (7, Some(5)), (6, None), (8, Some(7))]).unwrap();
        assert_eq!(in_order.rows, [0, 1, 2, 3]);
        assert_eq!(in_order.parents, [None, Some(0), None, Some(1)]);
        // 8 needs 7, which needs 5.
        let reversed = tree(&[(8, Some(7)), (6, None), (7, Some(5)), (5, None)]).unwrap();
        assert_eq!(reversed.rows, [3, 2, 0, 1]);
        assert_eq!(reversed.parents, [None, Some(0), Some(1), None]);
    }

    #[test]
    fn invalid_trees_are_errors() {
        let message = |rows: &[(i64, Option<i64>)]| {
            tree(rows).unwrap_err().strip_backtrace().replace("Execution error: ", "")
        };
        assert_eq!(message(&[(1, None), (1, None)]), "tree: two rows have the id 1");
        let missing = "tree: no row has the id 2, which is a parent_id";
        assert_eq!(message(&[(1, Some(2))]), missing);
        assert_eq!(message(&[(1, Some(2)), (2, Some(1))]), "tree: row 1 is its own ancestor");
        assert_eq!(message(&[(3, Some(3))]), "tree: row 3 is its own ancestor");
    }

    #[test]
    fn a_long_path_needs_no_stack() {
        let rows = (0..100_000).map(|id| (id, Some(id + 1))).chain([(100_000, None)]);
        let rows: Vec<_> = rows.collect();
        let tree = tree(&rows).unwrap();
        assert_eq!(tree.rows.first(), Some(&100_000));
        assert_eq!(tree.parents.last(), Some(&Some(99_999)));
    }
}
