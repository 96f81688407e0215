//! Comparisons with columns that a subquery or CTE computes: `(SELECT dur / 2 AS half FROM slice)
//! WHERE half = '5'`.
//!
//! A computed column has no affinity, and in a plan it is a column like any other. So it is marked:
//! as `coalesce(half, NULL)` if it has texts, else as `coalesce(NULL, NULL, half)`. The planner of
//! comparisons takes the marks off again, see [`Mark`](crate::perfetto_sql::comparison::Mark). In
//! HAVING an alias is such a column as well.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, OrderBy, Query, Select, SetExpr, Value, VisitorMut,
};

use super::computed_columns::{Computed, ComputedColumns};
use super::{call, take};
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, visit_queries};
use crate::perfetto_sql::walk::walk_mut;

/// Marks the computed columns in the comparisons of a statement.
pub(in super::super) fn mark_computed(tree: &mut Tree, planner: &Planner) {
    match tree {
        Tree::Statement(statement) => {
            let computed = ComputedColumns::of(statement);
            visit_queries(statement, &Scope::new(planner), &mut |query, scope| {
                in_query(query, scope, &computed);
            });
        }
        Tree::Explain(explain) => mark_computed(&mut explain.statement, planner),
        _ => {}
    }
}

fn in_query(query: &mut Query, scope: &Scope, computed: &ComputedColumns) {
    match query.body.as_mut() {
        SetExpr::Select(select) => in_select(select, query.order_by.as_mut(), scope, computed),
        operation => in_operands(operation, scope, computed),
    }
}

/// The same in the operands of UNION and the like.
fn in_operands(body: &mut SetExpr, scope: &Scope, computed: &ComputedColumns) {
    match body {
        SetExpr::Select(select) => in_select(select, None, scope, computed),
        SetExpr::SetOperation { left, right, .. } => {
            in_operands(left, scope, computed);
            in_operands(right, scope, computed);
        }
        _ => {}
    }
}

fn in_select(
    select: &mut Select,
    order: Option<&mut OrderBy>,
    scope: &Scope,
    computed: &ComputedColumns,
) {
    let mut factors = select.from.iter().flat_map(|from| {
        let joined = from.joins.iter().map(|join| &join.relation);
        std::iter::once(&from.relation).chain(joined)
    });
    if select.having.is_none() && !factors.any(|factor| computed.may_be_in(factor)) {
        return;
    }
    let written = select.clone();
    let mut marker =
        Marker { select: &written, scope, computed, known: HashMap::new(), queries: 0 };
    let _ = walk_mut(select, &mut marker);
    if let Some(order) = order {
        let _ = walk_mut(order, &mut marker);
    }
}

/// Marks columns in the comparisons of one SELECT, not in those of queries within it.
struct Marker<'a, 'p> {
    /// The SELECT without marks.
    select: &'a Select,
    scope: &'a Scope<'p>,
    computed: &'a ComputedColumns,
    /// What was found of a column, by its text.
    known: HashMap<String, Option<Computed>>,
    /// The number of queries around.
    queries: usize,
}

impl Marker<'_, '_> {
    fn mark_both(&mut self, left: &mut Expr, right: &mut Expr) {
        let (left_is_text, right_is_text) = (is_text(left), is_text(right));
        self.mark(left, right_is_text);
        self.mark(right, left_is_text);
    }

    /// Marks an operand if it is a computed column. `with_text` states that it is compared with a
    /// literal of a text.
    fn mark(&mut self, operand: &mut Expr, with_text: bool) {
        match operand {
            Expr::Nested(inner) => self.mark(inner, with_text),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let Some(computed) = self.find(operand, with_text) else { return };
                let (column, null) = (take(operand), || Expr::Value(Value::Null.into()));
                let args = match computed {
                    Computed::Texts => vec![column, null()],
                    Computed::Others => vec![null(), null(), column],
                };
                *operand = call("coalesce", args);
            }
            _ => {}
        }
    }

    fn find(&mut self, column: &Expr, with_text: bool) -> Option<Computed> {
        let text = column.to_string();
        let computed = match self.known.get(&text) {
            Some(known) => *known,
            None => {
                let computed = self.computed.named(column, self.select, self.scope);
                self.known.insert(text, computed);
                computed
            }
        };
        match column {
            Expr::Identifier(name) if with_text && computed.is_none() => {
                self.computed.alias(name, self.select, self.scope)
            }
            _ => computed,
        }
    }
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)))
}

impl VisitorMut for Marker<'_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.queries > 0 {
            return ControlFlow::Continue(());
        }
        match expr {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => self.mark_both(left, right),
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.mark_both(left, right);
            }
            Expr::InList { expr, list, .. } => {
                let with_text = list.iter().any(is_text);
                self.mark(expr, with_text);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}
