//! Expressions of GROUP BY that a subquery beside it uses: `SELECT … FROM slice a GROUP BY
//! a.depth % 2 HAVING EXISTS (SELECT 1 FROM slice b WHERE b.depth = a.depth % 2)`.
//!
//! DataFusion lets a subquery use columns of the groups, and no expressions. So the expression
//! becomes a column of the table: `FROM (SELECT *, a.depth % 2 AS __key_0 FROM slice a) a`.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Expr, GroupByExpr, Ident, OrderBy, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor,
    Value, Visitor,
};
use datafusion::sql::sqlparser::parser::Parser;

use super::orders::has;
use super::retry::{is_query, qualified};
use crate::perfetto_sql::dialect::TraceDialect;
use crate::perfetto_sql::planner::Planner;
use crate::perfetto_sql::scope::{Scope, is_same, is_star, last, visit_queries};
use crate::perfetto_sql::walk::{walk, walk_nested_expressions_mut};

/// Makes columns of such expressions.
pub(in super::super) fn name_computed_keys(tree: &mut Tree, planner: &Planner) {
    let statement = match tree {
        Tree::Statement(statement) => statement,
        Tree::Explain(explain) => return name_computed_keys(&mut explain.statement, planner),
        _ => return,
    };
    visit_queries(statement, &Scope::new(planner), &mut |query, scope| {
        if let SetExpr::Select(select) = query.body.as_mut() {
            let _ = in_select(select, query.order_by.as_mut(), scope);
        }
    });
}

/// An expression that is grouped by.
struct Key {
    /// As it is written, and with the table of its columns.
    texts: [String; 2],
    value: Expr,
    /// The column that it becomes.
    column: Ident,
}

fn in_select(select: &mut Select, order: Option<&mut OrderBy>, scope: &Scope) -> Option<()> {
    if !has(&select.projection, is_query) && !has(&select.having, is_query) {
        return None;
    }
    if select.projection.iter().any(is_star) || !select.named_window.is_empty() {
        return None;
    }
    let table = only_table(select, scope)?;
    let keys = keys(select, &table, scope);
    if keys.is_empty() {
        return None;
    }
    let mut inner = star_of_table()?;
    let SetExpr::Select(columns) = inner.body.as_mut() else { return None };
    let [from] = &mut select.from[..] else { return None };
    columns.from.first_mut()?.relation = from.relation.clone();
    for key in &keys {
        let (expr, alias) = (key.value.clone(), key.column.clone());
        columns.projection.push(SelectItem::ExprWithAlias { expr, alias });
    }
    let name = table.clone();
    let alias = Some(TableAlias { explicit: true, name, columns: vec![], at: None });
    from.relation = TableFactor::Derived { lateral: false, subquery: inner, alias, sample: None };
    let put = |expr: &mut Expr, queries: usize| put_column(expr, queries, &keys, &table);
    walk_nested_expressions_mut(&mut select.projection, put);
    walk_nested_expressions_mut(&mut select.having, put);
    walk_nested_expressions_mut(&mut select.group_by, put);
    if let Some(order) = order {
        walk_nested_expressions_mut(order, put);
    }
    Some(())
}

/// The name of the table, if it is the only one of a SELECT and its columns are known.
fn only_table(select: &Select, scope: &Scope) -> Option<Ident> {
    let [from] = &select.from[..] else { return None };
    let is_plain = matches!(
        from.relation,
        TableFactor::Table { args: None, .. } | TableFactor::Derived { .. }
    );
    let sources = scope.of_factor(&from.relation);
    let [source] = &sources[..] else { return None };
    if !is_plain || !from.joins.is_empty() || source.columns.is_none() {
        return None;
    }
    source.name.clone()
}

/// The expressions of GROUP BY that subqueries use.
fn keys(select: &Select, table: &Ident, scope: &Scope) -> Vec<Key> {
    let GroupByExpr::Expressions(by, modifiers) = &select.group_by else { return Vec::new() };
    if !modifiers.is_empty() {
        return Vec::new();
    }
    let mut keys: Vec<Key> = Vec::new();
    for written in by.iter().filter_map(|by| meant(by, select, scope)) {
        let is_column =
            |expr: &Expr| matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        let value = qualified(written.clone(), select, scope);
        let is_unclear = |part: &Expr| is_query(part) || matches!(part, Expr::Identifier(_));
        if is_column(&value) || has(&value, is_unclear) || !has(&value, is_column) {
            continue;
        }
        let texts = [text(written), text(&value)];
        let mut uses = Uses { text: &texts[1], table, queries: 0, found: false, hidden: false };
        let _: ControlFlow<()> = walk(&select.projection, &mut uses);
        let _: ControlFlow<()> = walk(&select.having, &mut uses);
        if uses.found && !uses.hidden {
            let column = Ident::with_quote('"', format!("__key_{}", keys.len()));
            keys.push(Key { texts, value, column });
        }
    }
    keys
}

/// The expression that an item of GROUP BY is, which may be the number or the alias of a result
/// column.
fn meant<'a>(by: &'a Expr, select: &'a Select, scope: &Scope) -> Option<&'a Expr> {
    let is_column =
        |name: &Ident| scope.sources(select).iter().any(|source| source.has(&name.value));
    let item = match by {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => {
                select.projection.get(digits.parse::<usize>().ok()?.checked_sub(1)?)
            }
            _ => None,
        },
        Expr::Identifier(name) if is_column(name) => None,
        Expr::Identifier(name) => select.projection.iter().find(
            |item| matches!(item, SelectItem::ExprWithAlias { alias, .. } if is_same(alias, &name.value)),
        ),
        other => return Some(other),
    };
    match item? {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

/// An expression as text, for comparisons.
fn text(expr: &Expr) -> String {
    match expr {
        Expr::Nested(inner) => text(inner),
        other => other.to_string().replace('"', ""),
    }
}

/// `SELECT * FROM t`, where the table is to be replaced.
fn star_of_table() -> Option<Box<Query>> {
    let dialect = TraceDialect::default();
    Parser::new(&dialect).try_with_sql("SELECT * FROM t").ok()?.parse_query().ok()
}

/// Looks for an expression in subqueries.
struct Uses<'a> {
    text: &'a str,
    table: &'a Ident,
    /// The number of queries around.
    queries: usize,
    found: bool,
    /// Whether a subquery has a table of the same name.
    hidden: bool,
}

impl Visitor for Uses<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        let name = match factor {
            TableFactor::Table { alias: Some(alias), .. }
            | TableFactor::Derived { alias: Some(alias), .. }
            | TableFactor::Function { alias: Some(alias), .. } => Some(&alias.name),
            TableFactor::Table { name, .. } | TableFactor::Function { name, .. } => last(name),
            _ => None,
        };
        self.hidden |= name.is_some_and(|name| is_same(name, &self.table.value));
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.found |= self.queries > 0 && text(expr) == self.text;
        ControlFlow::Continue(())
    }
}

/// Puts a column in place of an expression that is grouped by; in subqueries only where the
/// expression names the table.
fn put_column(expr: &mut Expr, queries: usize, keys: &[Key], table: &Ident) {
    let text = text(expr);
    let is_it = |key: &&Key| {
        let [written, qualified] = &key.texts;
        text == *qualified || queries == 0 && text == *written
    };
    if let Some(key) = keys.iter().find(is_it) {
        *expr = Expr::CompoundIdentifier(vec![table.clone(), key.column.clone()]);
    }
}
