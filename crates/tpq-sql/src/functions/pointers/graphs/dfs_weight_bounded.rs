//! `__intrinsic_dfs_weight_bounded(sources, dests, weights, roots, targets, is_floor)`: a
//! depth-first search from each root, which stops when the sum of the weights of the edges it
//! followed exceeds the root's target. With `is_floor`, the result includes the node that exceeds
//! it.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::{Result, ScalarValue, exec_err};

use super::graph::Graph;
use crate::cancel;
use crate::functions::pointers::table::{
    from_value, integer, integers, to_column, to_nullable_column,
};
use crate::functions::{CallArgument, CalledRows, TableFunction};

/// The table function `__intrinsic_dfs_weight_bounded`.
#[derive(Debug)]
pub(in crate::functions::pointers) struct DfsWeightBounded;

impl TableFunction for DfsWeightBounded {
    fn name(&self) -> &str {
        "__intrinsic_dfs_weight_bounded"
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[
            ("sources", DataType::Null),
            ("dests", DataType::Null),
            ("weights", DataType::Null),
            ("roots", DataType::Null),
            ("targets", DataType::Null),
            ("is_floor", DataType::Int64),
        ]
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        let names = ["root_node_id", "node_id", "parent_node_id"];
        Ok(Arc::new(Schema::new(names.map(integer).to_vec())))
    }

    fn call(&self, args: &[ArrayRef], calls: usize, columns: &[usize]) -> Result<CalledRows> {
        let mut found = VisitedNodes::default();
        let mut call_of_row = Vec::new();
        for (call, row) in (0u32..).zip(0..calls) {
            let floor = args.get(5).map(|floor| ScalarValue::try_from_array(floor, row));
            let floor = matches!(floor.transpose()?, Some(ScalarValue::Int64(Some(1..))));
            let lists = args.iter().take(5).map(|list| numbers(list, row));
            let lists = lists.collect::<Result<Vec<_>>>()?;
            if let [Some(sources), Some(dests), Some(weights), Some(roots), Some(targets)] =
                &lists[..]
            {
                if sources.len() != dests.len() || roots.len() != targets.len() {
                    return exec_err!("dfs_weight_bounded: columns of different lengths");
                }
                let graph = Graph::from_edges(sources, dests);
                search(&graph, weights, roots, targets, floor, &mut found)?;
            } else if lists[..3].iter().any(Option::is_some)
                && lists[3..].iter().any(Option::is_some)
            {
                return exec_err!(
                    "dfs_weight_bounded: either all arguments should be null or none should be"
                );
            }
            call_of_row.resize(found.nodes.len(), call);
        }
        let all =
            [to_column(found.roots), to_column(found.nodes), to_nullable_column(found.parents)];
        let schema = Arc::new(self.schema(&[])?.project(columns)?);
        let wanted = columns.iter().filter_map(|&column| all.get(column).cloned()).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(call_of_row.len()));
        let rows = RecordBatch::try_new_with_options(schema, wanted, &options)?;
        Ok(CalledRows { calls: call_of_row.into(), rows })
    }
}

/// The integers that `RepeatedField` collected in a row of `list`.
fn numbers(list: &ArrayRef, row: usize) -> Result<Option<Vec<i64>>> {
    if list.data_type() == &DataType::Null {
        return Ok(None);
    }
    from_value(list, row)?.map(|columns| integers(&columns, 0)).transpose()
}

/// The columns of the result.
#[derive(Debug, Default)]
struct VisitedNodes {
    roots: Vec<i64>,
    nodes: Vec<i64>,
    parents: Vec<Option<i64>>,
}

/// Runs the search from each root, with the target of the same index.
fn search(
    graph: &Graph,
    weights: &[i64],
    roots: &[i64],
    targets: &[i64],
    floor: bool,
    found: &mut VisitedNodes,
) -> Result<()> {
    // The index of the last search that visited each node, so that nothing needs to be cleared
    // between searches.
    let mut seen = vec![usize::MAX; graph.len()];
    let mut stack = Vec::new();
    for (search, (&root, &target)) in roots.iter().zip(targets).enumerate() {
        stack.clear();
        stack.push((graph.node(root), root, 0i64, None));
        let mut total = 0i64;
        cancel::check()?;
        while let Some((node, id, weight, parent)) = stack.pop() {
            if let Some(node) = node
                && std::mem::replace(&mut seen[node as usize], search) == search
            {
                continue;
            }
            total = total.saturating_add(weight);
            if !floor && total > target {
                break;
            }
            found.roots.push(root);
            found.nodes.push(id);
            found.parents.push(parent);
            if total > target {
                break;
            }
            for (edge, next) in node.into_iter().flat_map(|node| graph.edges(node)).rev() {
                let weight = weights.get(edge as usize).copied().unwrap_or_default();
                stack.push((Some(next), graph.id(next), weight, Some(id)));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(targets: [i64; 2], floor: bool) -> Vec<(i64, i64, Option<i64>)> {
        // Edges with weights: 0 →5 1 →3 2, 0 →1 3.
        let graph = Graph::from_edges(&[0, 1, 0], &[1, 2, 3]);
        let mut found = VisitedNodes::default();
        search(&graph, &[5, 3, 1], &[0, 1], &targets, floor, &mut found).expect("is not cancelled");
        let VisitedNodes { roots, nodes, parents } = found;
        roots.into_iter().zip(nodes).zip(parents).map(|((a, b), c)| (a, b, c)).collect()
    }

    #[test]
    fn a_search_stops_at_its_target() {
        // The sum is 5 at node 1, 8 at node 2, 9 at node 3.
        let all = [(0, 0, None), (0, 1, Some(0)), (0, 2, Some(1)), (0, 3, Some(0))];
        assert_eq!(nodes([9, 0], false), [&all[..], &[(1, 1, None)]].concat());
        assert_eq!(nodes([7, 3], false), [&all[..2], &[(1, 1, None), (1, 2, Some(1))]].concat());
        // With a floor, the node that exceeds the target is included.
        assert_eq!(nodes([7, 0], true), [&all[..3], &[(1, 1, None), (1, 2, Some(1))]].concat());
    }
}
