//! Recursions that begin with an integer and go on with reals or texts.
//!
//! DataFusion gives a recursive CTE the types of its first rows, and casts the others: reals lose
//! their fractions. As in UNION, integers among reals are reals, and numbers among texts are texts.
//! So the first rows become values of the wider type, and the statement is planned again.
//!
//! Recursions with several terms that read their own rows are found here as well.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::perfetto_sql::walk::{walk, walk_mut, walk_relations};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{Expr as PlannedExpr, ExprSchemable, LogicalPlan};
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Cte, Ident, ObjectName, Query, SelectItem, SetExpr, Statement, Visitor, VisitorMut,
};

use super::grouping::last_name;
use super::{call, take};
use crate::functions::{CAST_REAL, CAST_TEXT, is_text};
use crate::perfetto_sql::scope::is_star;

/// The name of a CTE that reads its own rows before its last term as well, which DataFusion cannot
/// run.
pub(in super::super) fn repeated_recursion(tree: &Statement) -> Option<String> {
    struct Search;
    impl Visitor for Search {
        type Break = String;

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<String> {
            let mut ctes = query.with.iter().flat_map(|with| &with.cte_tables);
            match ctes.find(|cte| is_repeated(cte)) {
                Some(cte) => ControlFlow::Break(cte.alias.name.value.clone()),
                None => ControlFlow::Continue(()),
            }
        }
    }
    walk(tree, &mut Search).break_value()
}

fn is_repeated(cte: &Cte) -> bool {
    let SetExpr::SetOperation { left, right, .. } = cte.query.body.as_ref() else { return false };
    let reads_itself = |term: &SetExpr| {
        let found = walk_relations(term, |relation: &ObjectName| {
            match relation.to_string().eq_ignore_ascii_case(&cte.alias.name.value) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        found.is_break()
    };
    reads_itself(left) && reads_itself(right)
}

/// Widens the first rows of the recursions of a statement; whether there were some to widen.
///
/// # Errors
/// When the first rows are not of a form that can be.
pub(in super::super) fn widen(tree: &mut Tree, plan: &LogicalPlan) -> Result<bool> {
    let narrow = narrow_columns(plan)?;
    if narrow.is_empty() {
        return Ok(false);
    }
    match tree {
        Tree::Statement(statement) => {
            let mut widened = Recursions { narrow: &narrow, changed: false };
            let _ = walk_mut(statement, &mut widened);
            match widened.changed {
                true => Ok(true),
                false => plan_err!(
                    "a recursion begins with integers and goes on with other values; begin with CAST(… AS REAL) or CAST(… AS TEXT)"
                ),
            }
        }
        Tree::Explain(explain) => widen(&mut explain.statement, plan),
        _ => Ok(false),
    }
}

/// The columns of recursions that are too narrow: the positions, and the functions that widen them.
type Narrow = HashMap<String, Vec<(usize, &'static str)>>;

fn narrow_columns(plan: &LogicalPlan) -> Result<Narrow> {
    let mut narrow = Narrow::new();
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::RecursiveQuery(recursion) = node
            && let LogicalPlan::Projection(later) = recursion.recursive_term.as_ref()
        {
            let mut columns = Vec::new();
            for (at, expr) in later.expr.iter().enumerate() {
                let PlannedExpr::Cast(cast) = expr.clone().unalias_nested().data else { continue };
                let (from, target) =
                    (cast.expr.get_type(later.input.schema())?, cast.field.data_type());
                match target {
                    DataType::Int64 if from.is_floating() => columns.push((at, CAST_REAL)),
                    target if is_text(&from) && target.is_numeric() => {
                        columns.push((at, CAST_TEXT))
                    }
                    _ => {}
                }
            }
            if !columns.is_empty() {
                narrow.insert(recursion.name.to_lowercase(), columns);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(narrow)
}

struct Recursions<'a> {
    narrow: &'a Narrow,
    changed: bool,
}

impl VisitorMut for Recursions<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
            let columns = self.narrow.get(&cte.alias.name.value.to_lowercase());
            if let Some(columns) = columns
                && let SetExpr::SetOperation { left, .. } = cte.query.body.as_mut()
            {
                for &(at, function) in columns {
                    self.changed |= convert(left, at, function);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Calls a function on a column of the first rows; whether that is possible.
fn convert(body: &mut SetExpr, at: usize, function: &str) -> bool {
    match body {
        SetExpr::Select(select) => {
            let items = select.projection.get_mut(..=at).unwrap_or_default();
            if items.iter().any(is_star) {
                return false;
            }
            let Some(item) = items.last_mut() else { return false };
            match item {
                SelectItem::ExprWithAlias { expr, .. } => *expr = call(function, vec![take(expr)]),
                SelectItem::UnnamedExpr(expr) => {
                    let name = last_name(expr).map_or_else(|| expr.to_string(), str::to_owned);
                    let expr = call(function, vec![take(expr)]);
                    *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', name) };
                }
                _ => return false,
            }
            true
        }
        SetExpr::Values(values) => {
            for value in values.rows.iter_mut().filter_map(|row| row.get_mut(at)) {
                *value = call(function, vec![take(value)]);
            }
            true
        }
        SetExpr::SetOperation { left, .. } => convert(left, at, function),
        SetExpr::Query(query) => convert(&mut query.body, at, function),
        _ => false,
    }
}
