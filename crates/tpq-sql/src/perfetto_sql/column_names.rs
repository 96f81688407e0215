//! The names of the columns of a query that becomes a table, a view or a function.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

use super::Planned;

/// The plan of a query with columns named as they are shown.
pub(crate) fn named(planned: Planned) -> Result<LogicalPlan> {
    let Planned { plan, names } = planned;
    let names = unique(names);
    let schema = Arc::clone(plan.schema());
    let fine = schema.fields().iter().zip(&names).all(|(field, name)| field.name() == name);
    if fine {
        return Ok(plan);
    }
    let exprs = schema.iter().zip(&names).map(|((qualifier, field), name)| {
        let name = name.to_lowercase();
        let column = Expr::from((qualifier, field));
        if *field.name() == name { column } else { column.alias(name) }
    });
    LogicalPlanBuilder::from(plan).project(exprs.collect::<Vec<_>>())?.build()
}

/// The names with a number after those that others before them have, as SQLite numbers them: `x`,
/// `x:1`, `x:2`.
fn unique(names: Vec<String>) -> Vec<String> {
    let mut taken = HashSet::new();
    let numbered = names.into_iter().map(|name| {
        let (mut free, mut count) = (name.clone(), 0);
        while !taken.insert(free.to_lowercase()) {
            count += 1;
            free = format!("{name}:{count}");
        }
        free
    });
    numbered.collect()
}

#[cfg(test)]
mod tests {
    use super::unique;

    #[test]
    fn names_that_stand_again_are_numbered() {
        let names = ["a", "b", "A", "a:1", "a"].map(str::to_owned).to_vec();
        assert_eq!(unique(names), ["a", "b", "A:1", "a:1:1", "a:2"]);
    }
}
