//! Lets what is in FROM see the tables before it.
//!
//! `FROM slice s, ancestor_slice(s.id)` calls the function once for each slice. In DataFusion's
//! SQL the arguments of a function in FROM see nothing, those of a LATERAL one see the tables to
//! its left and the query around it, so every call is made LATERAL.
//!
//! A comma binds as tightly as JOIN in SQLite, so that in `a, b JOIN c ON …` the condition may
//! name `a`. In DataFusion's SQL it binds less, so commas are made CROSS JOIN.

use std::ops::ControlFlow;

use super::flamegraph_find::find_rows;
use super::table_pointers::bind_pointers;
use super::wildcards;

use crate::perfetto_sql::walk::walk_mut;
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Join, JoinConstraint, JoinOperator, Select, TableAlias, TableFactor,
    TableWithJoins, Value, VisitorMut,
};

/// Rewrites every FROM.
pub(super) fn see_tables_before(tree: &mut Tree) {
    match tree {
        Tree::Statement(statement) => {
            let _: ControlFlow<()> = walk_mut(statement, &mut Lateral::default());
        }
        Tree::Explain(explain) => see_tables_before(&mut explain.statement),
        _ => {}
    }
}

/// Rewrites the tables of FROM.
#[derive(Default)]
struct Lateral {
    /// How many subqueries were named.
    derived: usize,
}

impl VisitorMut for Lateral {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        bind_pointers(select);
        find_rows(select);
        wildcards::rewrite(select);
        chain(&mut select.from);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, alias, args, .. } => {
                let Some(args) = args.take() else { return ControlFlow::Continue(()) };
                *factor = TableFactor::Function {
                    lateral: true,
                    name: name.clone(),
                    args: args.args,
                    with_ordinality: false,
                    alias: alias.take(),
                };
            }
            // Its columns could be taken for those of a table with equal names.
            TableFactor::Derived { alias: alias @ None, .. } => {
                let name = Ident::new(format!("__derived_{}", self.derived));
                self.derived += 1;
                *alias = Some(TableAlias { explicit: true, name, columns: vec![], at: None });
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                table_with_joins.joins.iter_mut().for_each(ask_for_nothing);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Makes one chain of joins of a list of tables.
fn chain(from: &mut Vec<TableWithJoins>) {
    let mut rest = std::mem::take(from).into_iter();
    let Some(mut all) = rest.next() else { return };
    for TableWithJoins { relation, joins } in rest {
        let join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
        all.joins.push(Join { relation, global: false, join_operator });
        all.joins.extend(joins);
    }
    all.joins.iter_mut().for_each(ask_for_nothing);
    from.push(all);
}

/// A LEFT JOIN needs no condition, which DataFusion wants nevertheless.
fn ask_for_nothing(join: &mut Join) {
    if let JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) =
        &mut join.join_operator
        && matches!(constraint, JoinConstraint::None)
    {
        *constraint = JoinConstraint::On(Expr::Value(Value::Boolean(true).into()));
    }
}
