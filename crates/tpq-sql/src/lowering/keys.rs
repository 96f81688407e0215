//! Keys that are taken for keys of more than they are.
//!
//! `thread` has one row for each `utid`. Joined with what else there is of a thread, it has not,
//! but a GROUP BY of `utid` and more is taken by DataFusion to have one row for each `utid` again:
//! it then leaves the others out of an ORDER BY, or out of a GROUP BY around it, and the numbers
//! are wrong. It knows the key by its name, so such a key gets another while it is grouped by.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr::GroupingSet;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, LogicalPlanBuilder, col};

/// Renames the keys of all aggregates that too much would be concluded from.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let renamed = plan.transform_up_with_subqueries(|plan| match plan {
        LogicalPlan::Aggregate(aggregate) => {
            let keys = mistaken_keys(&aggregate);
            if keys.iter().any(|&mistaken| mistaken) {
                rename(aggregate, &keys).map(Transformed::yes)
            } else {
                Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)))
            }
        }
        other => Ok(Transformed::no(other)),
    });
    Ok(renamed?.data)
}

/// For each expression that is grouped by, whether it is part of a key of some of the input's
/// columns that does not decide all that is grouped by.
fn mistaken_keys(aggregate: &Aggregate) -> Vec<bool> {
    let groups = &aggregate.group_expr;
    let mut mistaken = vec![false; groups.len()];
    if groups.iter().any(|group| matches!(group, Expr::GroupingSet(GroupingSet::GroupingSets(_)))) {
        return mistaken;
    }
    let schema = aggregate.input.schema();
    let fields = schema.field_names();
    let place = |group: &Expr| {
        let name = group.schema_name().to_string();
        fields.iter().position(|field| *field == name)
    };
    let places: Vec<Option<usize>> = groups.iter().map(place).collect();
    for key in schema.functional_dependencies().iter() {
        let is_in_key =
            |place: &Option<usize>| place.is_some_and(|place| key.source_indices.contains(&place));
        let decides = |place: &Option<usize>| {
            is_in_key(place) || place.is_some_and(|place| key.target_indices.contains(&place))
        };
        let is_grouped_by = key.source_indices.iter().all(|source| places.contains(&Some(*source)));
        if is_grouped_by && !places.iter().all(decides) {
            for (mistaken, place) in mistaken.iter_mut().zip(&places) {
                *mistaken |= is_in_key(place);
            }
        }
    }
    mistaken
}

/// The same aggregate with other names inside for the expressions that are marked.
fn rename(aggregate: Aggregate, marked: &[bool]) -> Result<LogicalPlan> {
    let outside = Arc::clone(&aggregate.schema);
    let name = |index: usize| format!("__key_{index}");
    let groups = aggregate.group_expr.into_iter().zip(marked).enumerate();
    let groups: Vec<Expr> = groups
        .map(|(index, (group, &marked))| if marked { group.alias(name(index)) } else { group })
        .collect();
    let inside = Aggregate::try_new(aggregate.input, groups, aggregate.aggr_expr)?;
    let columns = outside.iter().enumerate().map(|(index, (relation, field))| {
        if marked.get(index) == Some(&true) {
            col(name(index)).alias_qualified(relation.cloned(), field.name())
        } else {
            Expr::Column(Column::new(relation.cloned(), field.name()))
        }
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::from(LogicalPlan::Aggregate(inside)).project(columns)?.build()
}
