//! Collations of columns of subqueries and CTEs: `SELECT n = 'APP' FROM (SELECT name COLLATE NOCASE
//! AS n …)`.
//!
//! As in SQLite, such a column is compared by its collation in the query around, unless an operand
//! states another one. So COLLATE is written there as well, where values are compared.

use std::cell::Cell;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Cte, DuplicateTreatment, Expr, Function, FunctionArguments, GroupByExpr, Ident, ObjectName,
    OrderBy, OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, Statement, TableAlias,
    TableFactor, Visitor, VisitorMut, WindowType,
};

use super::calls::plain_args;
use super::collation::{folds, is_comparison, stated_name, states_any};
use super::grouping::last_name;
use super::known_texts::gives_no_text;
use super::orders::{first_select, has};
use super::take;
use crate::perfetto_sql::scope::{is_same, is_star, last};
use crate::perfetto_sql::walk::{walk, walk_mut, walk_own_expressions_mut};

/// How many queries within each other are looked into. A CTE may read itself.
const MAX_DEPTH: usize = 16;

/// How many tables are looked into for one SELECT.
const MAX_TABLES: usize = 256;

/// The functions that compare their arguments.
const COMPARING: &[&str] = &["min", "max", "nullif", "count"];

/// A column that a subquery or CTE gives a collation.
struct Collated {
    table: Option<Ident>,
    name: String,
    collation: ObjectName,
}

impl Collated {
    /// The column as a star hands it on.
    fn of_star(&self) -> Self {
        Self { table: None, name: self.name.clone(), collation: self.collation.clone() }
    }
}

/// The CTEs of a statement as they are written; `None` if it has no collations.
pub(super) fn ctes(statement: &Statement) -> Option<Vec<Cte>> {
    if !has(statement, |expr| matches!(expr, Expr::Collate { .. })) {
        return None;
    }
    let mut ctes = Ctes(Vec::new());
    let _: ControlFlow<()> = walk(statement, &mut ctes);
    Some(ctes.0)
}

/// The CTEs of a statement, in the order of the text.
struct Ctes(Vec<Cte>);

impl Visitor for Ctes {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.0.extend(query.with.iter().flat_map(|with| &with.cte_tables).cloned());
        ControlFlow::Continue(())
    }
}

/// A statement with the collations of columns written out in all of its queries.
pub(super) fn written_out(statement: &Statement, ctes: &[Cte]) -> Statement {
    let mut written = statement.clone();
    let _: ControlFlow<()> = walk_mut(&mut written, &mut WriteOut(ctes));
    written
}

struct WriteOut<'a>(&'a [Cte]);

impl VisitorMut for WriteOut<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        write_out(query, self.0);
        ControlFlow::Continue(())
    }
}

/// Whether a star of a SELECT may have a column that is compared by another collation than the one
/// that compares all characters.
pub(super) fn is_in_star(select: &Select, ctes: &[Cte]) -> bool {
    let tables = Tables { ctes, left: Cell::new(MAX_TABLES) };
    select.projection.iter().any(is_star)
        && tables.of_from(select, MAX_DEPTH).iter().any(|column| folds(&column.collation))
}

/// Writes out the collations of columns in a query, where a subquery or CTE states them.
pub(super) fn write_out(query: &mut Query, ctes: &[Cte]) {
    in_body(&mut query.body, query.order_by.as_mut(), ctes);
}

fn in_body(body: &mut SetExpr, order: Option<&mut OrderBy>, ctes: &[Cte]) {
    match body {
        SetExpr::Select(select) => in_select(select, order, ctes),
        SetExpr::SetOperation { left, right, .. } => {
            in_body(left, None, ctes);
            in_body(right, None, ctes);
        }
        // A query of its own is visited for itself.
        _ => {}
    }
}

fn in_select(select: &mut Select, order: Option<&mut OrderBy>, ctes: &[Cte]) {
    let tables = Tables { ctes, left: Cell::new(MAX_TABLES) };
    let columns = tables.of_from(select, MAX_DEPTH);
    if columns.is_empty() {
        return;
    }
    let writer = Writer { columns: &columns };
    walk_own_expressions_mut(select, |expr| writer.comparison(expr));
    // An alias comes before a column of its name.
    let aliases: Vec<Ident> = select.projection.iter().filter_map(alias).cloned().collect();
    let is_alias = |key: &Expr| {
        let name = if let Expr::Identifier(name) = key { Some(name) } else { None };
        name.is_some_and(|name| aliases.iter().any(|alias| is_same(alias, &name.value)))
    };
    for item in &mut select.projection {
        writer.item(item);
    }
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        keys.iter_mut().filter(|key| !is_alias(key)).for_each(|key| writer.operand(key));
    }
    let kind = order.map(|order| &mut order.kind);
    if let Some(OrderByKind::Expressions(keys)) = kind {
        let keys = keys.iter_mut().map(|by| &mut by.expr);
        keys.filter(|key| !is_alias(key)).for_each(|key| writer.operand(key));
    }
}

fn alias(item: &SelectItem) -> Option<&Ident> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias),
        _ => None,
    }
}

/// Finds columns with collations.
struct Tables<'a> {
    ctes: &'a [Cte],
    /// How many more tables are looked into.
    left: Cell<usize>,
}

impl Tables<'_> {
    /// The columns with collations of the tables in FROM.
    fn of_from(&self, select: &Select, depth: usize) -> Vec<Collated> {
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        let factors = select.from.iter().flat_map(|from| {
            let joined = from.joins.iter().map(|join| &join.relation);
            std::iter::once(&from.relation).chain(joined)
        });
        factors.flat_map(|factor| self.of_factor(factor, depth)).collect()
    }

    fn of_factor(&self, factor: &TableFactor, depth: usize) -> Vec<Collated> {
        let Some(left) = self.left.get().checked_sub(1) else { return Vec::new() };
        self.left.set(left);
        let (query, names, table) = match factor {
            TableFactor::Derived { subquery, alias, .. } => {
                (&**subquery, alias.as_ref(), alias.as_ref().map(|alias| &alias.name))
            }
            TableFactor::Table { name, alias, args: None, .. } => {
                let Some(name) = last(name) else { return Vec::new() };
                let mut ctes = self.ctes.iter().rev();
                let Some(cte) = ctes.find(|cte| is_same(name, &cte.alias.name.value)) else {
                    return Vec::new();
                };
                let renamed = alias.as_ref().filter(|alias| !alias.columns.is_empty());
                let table = alias.as_ref().map_or(name, |alias| &alias.name);
                (&*cte.query, Some(renamed.unwrap_or(&cte.alias)), Some(table))
            }
            _ => return Vec::new(),
        };
        let mut columns = self.of_query(query, names, depth);
        columns.iter_mut().for_each(|column| column.table = table.cloned());
        columns
    }

    /// The columns of a query that have collations, by the names that they have outside.
    fn of_query(&self, query: &Query, names: Option<&TableAlias>, depth: usize) -> Vec<Collated> {
        let Some(select) = first_select(&query.body) else { return Vec::new() };
        let within = self.of_from(select, depth);
        let names = names.map(|names| &names.columns).filter(|names| !names.is_empty());
        let mut columns = Vec::new();
        for (at, item) in select.projection.iter().enumerate() {
            let (expr, name) = match item {
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.as_str())),
                SelectItem::UnnamedExpr(expr) => (expr, last_name(expr)),
                _ if names.is_none() && has_one_table(select) => {
                    columns.extend(within.iter().map(Collated::of_star));
                    continue;
                }
                // The positions, or the tables, of the columns of a star are not known.
                _ => break,
            };
            let name = match names {
                Some(names) => names.get(at).map(|name| name.name.value.as_str()),
                None => name,
            };
            if let (Some(name), Some(collation)) = (name, collation_of(expr, &within))
                && !gives_no_text(expr)
            {
                columns.push(Collated { table: None, name: name.to_owned(), collation });
            }
        }
        columns
    }
}

fn has_one_table(select: &Select) -> bool {
    matches!(&select.from[..], [from] if from.joins.is_empty())
}

fn collation_of(expr: &Expr, columns: &[Collated]) -> Option<ObjectName> {
    match expr {
        Expr::Nested(inner) => collation_of(inner, columns),
        other => stated_name(other).or_else(|| named(other, columns)).cloned(),
    }
}

/// The collation of the column that an expression is.
fn named<'a>(expr: &Expr, columns: &'a [Collated]) -> Option<&'a ObjectName> {
    let (table, name) = match expr {
        Expr::Identifier(name) => (None, name),
        Expr::CompoundIdentifier(names) => match &names[..] {
            [.., table, name] => (Some(table), name),
            _ => return None,
        },
        _ => return None,
    };
    let is_of = |column: &Collated, table: &Ident| {
        column.table.as_ref().is_some_and(|of| is_same(of, &table.value))
    };
    let is_meant = |column: &&Collated| {
        is_same(name, &column.name) && table.is_none_or(|table| is_of(column, table))
    };
    columns.iter().find(is_meant).map(|column| &column.collation)
}

/// Writes collations into the comparisons of a SELECT, not into those of queries within it.
struct Writer<'a> {
    columns: &'a [Collated],
}

impl Writer<'_> {
    /// Writes collations into an expression that compares.
    fn comparison(&self, expr: &mut Expr) {
        match expr {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => {
                self.operands(&mut [left, right]);
            }
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.operands(&mut [left, right]);
            }
            Expr::Between { expr, low, high, .. } => self.operands(&mut [expr, low, high]),
            Expr::InList { expr, .. } | Expr::InSubquery { expr, .. } => self.operand(expr),
            Expr::Case { operand: Some(operand), .. } => self.operand(operand),
            Expr::Function(function) => self.call(function),
            _ => {}
        }
    }

    fn operand(&self, operand: &mut Expr) {
        match operand {
            Expr::Nested(inner) => self.operand(inner),
            column => {
                if let Some(collation) = named(column, self.columns).cloned() {
                    *column = Expr::Collate { expr: Box::new(take(column)), collation };
                }
            }
        }
    }

    /// Operands that are compared with each other: what one of them states holds for all, else
    /// what the first column has.
    fn operands(&self, operands: &mut [&mut Expr]) {
        let first = operands.iter().find(|operand| last_name(operand).is_some());
        let decides = first.is_some_and(|column| named(column, self.columns).is_some());
        if decides && !operands.iter().any(|operand| states_any(operand)) {
            operands.iter_mut().for_each(|operand| self.operand(operand));
        }
    }

    /// A selected column keeps its name, and its collation in the queries around.
    fn item(&self, item: &mut SelectItem) {
        match item {
            SelectItem::ExprWithAlias { expr, .. } => self.operand(expr),
            SelectItem::UnnamedExpr(expr) => {
                if let (Some(name), true) = (last_name(expr), named(expr, self.columns).is_some()) {
                    let alias = Ident::with_quote('"', name);
                    self.operand(expr);
                    *item = SelectItem::ExprWithAlias { expr: take(expr), alias };
                }
            }
            _ => {}
        }
    }

    fn keys(&self, keys: &mut [OrderByExpr]) {
        keys.iter_mut().for_each(|key| self.operand(&mut key.expr));
    }

    fn call(&self, function: &mut Function) {
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            window.partition_by.iter_mut().for_each(|key| self.operand(key));
            self.keys(&mut window.order_by);
        }
        let name = function.name.to_string().to_ascii_lowercase();
        let is_distinct = matches!(&function.args, FunctionArguments::List(list)
            if list.duplicate_treatment == Some(DuplicateTreatment::Distinct));
        if is_distinct || COMPARING.contains(&name.as_str()) {
            self.operands(&mut plain_args(function));
        }
    }
}
