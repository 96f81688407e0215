//! Comparisons with columns that a subquery or CTE computes: `(SELECT dur / 2 AS half FROM slice)
//! WHERE half = '5'`.
//!
//! A computed column has no affinity, and in a plan it is a column like any other. So it is marked:
//! as `coalesce(half, NULL)` if it has texts, else as `coalesce(NULL, NULL, half)`. The planner of
//! comparisons takes the marks off again, see [`Mark`](crate::perfetto_sql::comparison::Mark). In
//! HAVING an alias is such a column as well. A subquery in an expression reads such columns of the
//! queries around it.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, OrderBy, Query, Select, SelectItem, SetExpr, Value, VisitorMut,
};

use super::computed_columns::{Computed, ComputedColumns, chosen, joined_column};
use super::{call, take};
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, Source, is_same, visit_queries};
use crate::perfetto_sql::scope_stack::ScopeStack;
use crate::perfetto_sql::walk::{walk_expressions_mut, walk_mut, walk_own_expressions_mut};

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
    let mut marker = Marker { select: &written, scope, computed, known: HashMap::new() };
    walk_own_expressions_mut(select, |expr| marker.mark_in(expr));
    if let Some(order) = order {
        walk_own_expressions_mut(order, |expr| marker.mark_in(expr));
    }
}

/// Marks columns in the comparisons of one SELECT, also where a subquery reads them.
struct Marker<'a, 'p> {
    /// The SELECT without marks.
    select: &'a Select,
    scope: &'a Scope<'p>,
    computed: &'a ComputedColumns,
    /// What was found of a column, by its text.
    known: HashMap<String, Option<Computed>>,
}

impl Marker<'_, '_> {
    /// Marks the operands of a comparison, or what a subquery reads of this SELECT.
    fn mark_in(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Exists { subquery, .. } | Expr::InSubquery { subquery, .. } => {
                self.mark_read(subquery);
            }
            Expr::Subquery(query) => self.mark_read(query),
            _ => each_operand(expr, &mut |operand, with_text| self.mark(operand, with_text)),
        }
    }

    /// Marks an operand if it is a computed column. `with_text` states that it is compared with a
    /// literal of a text.
    fn mark(&mut self, operand: &mut Expr, with_text: bool) {
        let is_choice = matches!(operand, Expr::Function(_) | Expr::Case { .. });
        let gives_other = is_choice && self.may_give_other(operand);
        match operand {
            Expr::Nested(inner) => self.mark(inner, with_text),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let Some(computed) = self.find(operand, with_text) else { return };
                let (column, null) = (take(operand), || Expr::Value(Value::Null.into()));
                let args = match computed {
                    Computed::Texts => vec![column, null()],
                    Computed::Others | Computed::Unknown => vec![null(), null(), column],
                };
                *operand = call("coalesce", args);
            }
            // The text that it gives may stand for a number as well.
            _ if gives_other => {
                let null = || Expr::Value(Value::Null.into());
                *operand = call("coalesce", vec![null(), null(), take(operand)]);
            }
            _ => {}
        }
    }

    /// Whether a call or a CASE gives the value of a column that may have numbers.
    fn may_give_other(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Nested(inner) => self.may_give_other(inner),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                self.computed_in_from(expr) == Some(Computed::Others)
            }
            // The column of a FULL JOIN … USING has the affinity of its first table.
            Expr::Function(function) if joined_column(function).is_some() => false,
            _ => match chosen(expr) {
                Some(values) => values.into_iter().any(|value| self.may_give_other(value)),
                None => false,
            },
        }
    }

    fn find(&mut self, column: &Expr, with_text: bool) -> Option<Computed> {
        let computed = self.computed_in_from(column);
        match column {
            Expr::Identifier(name) if with_text && computed.is_none() => {
                self.computed.alias(name, self.select, self.scope)
            }
            _ => computed,
        }
    }

    fn computed_in_from(&mut self, column: &Expr) -> Option<Computed> {
        let text = column.to_string();
        if let Some(known) = self.known.get(&text) {
            return *known;
        }
        let computed = self.computed.named(column, self.select, self.scope);
        self.known.insert(text, computed);
        computed
    }

    /// Marks columns of this SELECT in the comparisons of a subquery.
    fn mark_read(&mut self, query: &mut Query) {
        let mut is_read = false;
        let _: ControlFlow<()> = walk_expressions_mut(query, |expr| {
            each_operand(expr, &mut |operand, _| {
                is_read |= column(operand).is_some_and(|it| self.computed_in_from(it).is_some());
            });
            ControlFlow::Continue(())
        });
        if is_read {
            let scopes = ScopeStack::new(Some(self.scope.clone()));
            let _ = walk_mut(query, &mut ReadMarker { around: self, scopes, own: Vec::new() });
        }
    }
}

fn is_text(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)))
}

/// The column that an operand is.
fn column(operand: &Expr) -> Option<&Expr> {
    match operand {
        Expr::Nested(inner) => column(inner),
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => Some(operand),
        _ => None,
    }
}

/// Calls a function with each operand of a comparison, and with whether it is compared with a
/// literal of a text.
fn each_operand(expr: &mut Expr, function: &mut dyn FnMut(&mut Expr, bool)) {
    let mut both = |left: &mut Expr, right: &mut Expr| {
        let (left_is_text, right_is_text) = (is_text(left), is_text(right));
        function(left, right_is_text);
        function(right, left_is_text);
    };
    match expr {
        Expr::BinaryOp { left, op, right } if is_comparison(op) => both(left, right),
        Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
            both(left, right);
        }
        Expr::InList { expr, list, .. } => {
            let searched_is_text = is_text(expr);
            function(expr, list.iter().any(is_text));
            list.iter_mut().for_each(|value| function(value, searched_is_text));
        }
        Expr::Case { operand: Some(operand), conditions, .. } => {
            let with_text = conditions.iter().any(|case| is_text(&case.condition));
            let operand_is_text = is_text(operand);
            function(operand, with_text);
            for case in conditions {
                function(&mut case.condition, operand_is_text);
            }
        }
        _ => {}
    }
}

/// Marks the columns of a SELECT in a subquery of it.
struct ReadMarker<'m, 'a, 'p> {
    around: &'m mut Marker<'a, 'p>,
    scopes: ScopeStack<'p>,
    /// The tables and aliases of each query within the SELECT, the innermost last.
    own: Vec<Vec<Source>>,
}

impl ReadMarker<'_, '_, '_> {
    /// Whether a column is, or may be, one of a query within the SELECT.
    fn is_own(&self, column: &Expr) -> bool {
        let mut own = self.own.iter().flatten();
        match column {
            Expr::Identifier(name) => {
                own.any(|source| source.columns.is_none() || source.has(&name.value))
            }
            Expr::CompoundIdentifier(names) => {
                let [.., table, _] = &names[..] else { return true };
                let is_named = |name: &Ident| is_same(name, &table.value);
                own.any(|source| source.name.as_ref().is_some_and(is_named))
            }
            _ => true,
        }
    }
}

impl VisitorMut for ReadMarker<'_, '_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        self.scopes.enter(query);
        let mut sources = Vec::new();
        if let Some(scope) = self.scopes.innermost() {
            own_sources(&query.body, scope, &mut sources);
        }
        self.own.push(sources);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.own.pop();
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        each_operand(expr, &mut |operand, _| {
            if column(operand).is_some_and(|column| !self.is_own(column)) {
                self.around.mark(operand, false);
            }
        });
        ControlFlow::Continue(())
    }
}

/// The tables that the parts of a query read, and their aliases.
fn own_sources(body: &SetExpr, scope: &Scope, sources: &mut Vec<Source>) {
    match body {
        SetExpr::Select(select) => {
            sources.extend(scope.sources(select));
            let aliases = select.projection.iter().filter_map(|item| match item {
                SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
                _ => None,
            });
            let columns = Some(aliases.collect());
            sources.push(Source { name: None, columns, using: Vec::new() });
        }
        SetExpr::SetOperation { left, right, .. } => {
            own_sources(left, scope, sources);
            own_sources(right, scope, sources);
        }
        // A query of its own is visited for itself.
        _ => {}
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}
