//! Columns of subqueries and CTEs that are computed there: `(SELECT id + 3 AS id FROM slice)`.
//!
//! A column of a table has an affinity, also when it is read through a subquery. A computed column
//! has none, so text in a comparison with its numbers stays text.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Cte, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    Query, Select, SelectItem, SetExpr, Statement, TableAlias, TableFactor, Value, Visitor,
};

use crate::functions::{CAST_TEXT, EXTRACT_ARG};
use crate::perfetto_sql::affinity::{CHOOSING, FIRST, PICKING};
use crate::perfetto_sql::scope::{Scope, Source, is_same, is_star, last};

/// How many queries within each other are looked into. A CTE may read itself.
const MAX_DEPTH: usize = 64;

/// How many columns of a statement are looked up in what others are computed from: one may be
/// computed from another twice, and that one as well.
const MAX_LOOKUPS: usize = 1_000;

/// Functions that return text for every row.
const OF_TEXT: &[&str] = &[
    "substr",
    "substring",
    "printf",
    "format",
    "upper",
    "lower",
    "trim",
    "ltrim",
    "rtrim",
    "replace",
    "hex",
    "group_concat",
    "string_agg",
    "typeof",
    "char",
];

/// What values a computed column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Computed {
    /// Texts in all rows.
    Texts,
    /// Numbers, or values that may be of other types in other rows.
    Others,
    /// Texts in all rows, or texts of which some stand for numbers.
    Unknown,
}

impl Computed {
    /// Of values of which each is one of these.
    fn of_all(values: impl Iterator<Item = Self>) -> Self {
        let values: Vec<Self> = values.collect();
        let mut deciding = [Self::Others, Self::Unknown].into_iter();
        deciding.find(|one| values.contains(one)).unwrap_or(Self::Texts)
    }
}

/// Finds computed columns of the tables in a statement.
pub(super) struct ComputedColumns {
    ctes: Vec<Cte>,
    /// How many more columns are looked up to find out whether what is computed from them is a
    /// text.
    left: Cell<usize>,
    /// The columns of set operations that are looked into, by the address of the query and the
    /// position.
    open: RefCell<Vec<(usize, usize)>>,
}

impl ComputedColumns {
    pub(super) fn of(statement: &Statement) -> Self {
        let mut ctes = Ctes(Vec::new());
        let _: ControlFlow<()> = walk(statement, &mut ctes);
        Self { ctes: ctes.0, left: Cell::new(MAX_LOOKUPS), open: RefCell::default() }
    }

    /// Whether the column of a table in FROM is computed within it.
    pub(super) fn has(&self, factor: &TableFactor, column: &str, scope: &Scope) -> bool {
        self.in_factor(factor, column, scope, MAX_DEPTH).is_some()
    }

    /// Whether a table in FROM may have computed columns.
    pub(super) fn may_be_in(&self, factor: &TableFactor) -> bool {
        match factor {
            TableFactor::Derived { .. } => true,
            TableFactor::Table { name, args: None, .. } => last(name).is_some_and(|name| {
                self.ctes.iter().any(|cte| is_same(name, &cte.alias.name.value))
            }),
            _ => false,
        }
    }

    /// What the column that a SELECT names is computed as, if it is one that a table in FROM
    /// computes.
    pub(super) fn named(&self, column: &Expr, select: &Select, scope: &Scope) -> Option<Computed> {
        match column {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                self.of_item(column, select, scope, MAX_DEPTH)
            }
            _ => None,
        }
    }

    /// The same for an alias of the SELECT that no table has a column of the name of.
    pub(super) fn alias(&self, name: &Ident, select: &Select, scope: &Scope) -> Option<Computed> {
        let sources = scope.sources(select);
        if sources.iter().any(|source| source.columns.is_none() || source.has(&name.value)) {
            return None;
        }
        let meant = select.projection.iter().find_map(|item| match item {
            SelectItem::ExprWithAlias { expr, alias } if is_same(alias, &name.value) => Some(expr),
            _ => None,
        })?;
        self.of_item(meant, select, scope, MAX_DEPTH)
    }

    fn in_factor(
        &self,
        factor: &TableFactor,
        column: &str,
        scope: &Scope,
        depth: usize,
    ) -> Option<Computed> {
        let depth = depth.checked_sub(1)?;
        match factor {
            TableFactor::Derived { subquery, alias, .. } => {
                self.in_query(subquery, alias.as_ref(), column, scope, depth)
            }
            TableFactor::Table { name, alias, args: None, .. } => {
                let name = last(name)?;
                let mut ctes = self.ctes.iter().rev();
                let cte = ctes.find(|cte| is_same(name, &cte.alias.name.value))?;
                let renamed = alias.as_ref().filter(|alias| !alias.columns.is_empty());
                let names = renamed.unwrap_or(&cte.alias);
                self.in_query(&cte.query, Some(names), column, scope, depth)
            }
            _ => None,
        }
    }

    fn in_query(
        &self,
        query: &Query,
        alias: Option<&TableAlias>,
        column: &str,
        scope: &Scope,
        depth: usize,
    ) -> Option<Computed> {
        let scope = scope.within(query);
        // The rows of VALUES are no columns of a table.
        let Some(select) = first_select(&query.body) else { return Some(Computed::Others) };
        let items = &select.projection;
        let renamed = alias.map(|alias| &alias.columns).filter(|names| !names.is_empty());
        let at = match renamed {
            Some(names) => {
                let at = names.iter().position(|name| is_same(&name.name, column))?;
                if items.iter().take(at + 1).any(is_star) {
                    return None;
                }
                Some(at)
            }
            None => items.iter().position(|item| is_named(item, column)),
        };
        match at.and_then(|at| Some((at, items.get(at)?))) {
            Some((at, SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. })) => {
                let first = self.of_item(expr, select, &scope, depth)?;
                Some(self.of_selects(query, at, first, &scope, depth))
            }
            Some(_) => None,
            None => self.in_from(select, None, column, &scope, depth),
        }
    }

    /// What the values of a query are at a position, where its first SELECT has those of `first`.
    fn of_selects(
        &self,
        query: &Query,
        at: usize,
        first: Computed,
        scope: &Scope,
        depth: usize,
    ) -> Computed {
        if matches!(*query.body, SetExpr::Select(_)) {
            return first;
        }
        let column = (std::ptr::from_ref(query).addr(), at);
        if self.open.borrow().contains(&column) {
            // The rows of a CTE that reads itself have the values of its other SELECTs.
            return first;
        }
        self.open.borrow_mut().push(column);
        let computed = self.of_body(&query.body, at, scope, depth);
        self.open.borrow_mut().pop();
        computed
    }

    fn of_body(&self, body: &SetExpr, at: usize, scope: &Scope, depth: usize) -> Computed {
        match body {
            SetExpr::Select(select) => {
                let items = &select.projection;
                match items.get(at).filter(|_| !items.iter().take(at).any(is_star)) {
                    Some(
                        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. },
                    ) => self.kind(expr, select, scope, depth),
                    _ => Computed::Unknown,
                }
            }
            SetExpr::Query(query) => self.of_body(&query.body, at, &scope.within(query), depth),
            SetExpr::SetOperation { left, right, .. } => {
                let operands = [left, right].into_iter();
                Computed::of_all(operands.map(|body| self.of_body(body, at, scope, depth)))
            }
            _ => Computed::Others,
        }
    }

    /// What an item of a SELECT is computed as; `None` for a column of a table, and for CAST.
    fn of_item(
        &self,
        expr: &Expr,
        select: &Select,
        scope: &Scope,
        depth: usize,
    ) -> Option<Computed> {
        match expr {
            Expr::Nested(inner) => self.of_item(inner, select, scope, depth),
            Expr::Collate { expr, .. } => self.of_item(expr, select, scope, depth),
            Expr::Cast { .. } => None,
            Expr::Identifier(name) => self.in_from(select, None, &name.value, scope, depth),
            Expr::CompoundIdentifier(names) => match &names[..] {
                [.., table, name] => self.in_from(select, Some(table), &name.value, scope, depth),
                _ => None,
            },
            Expr::Subquery(query) => self.in_value(query, scope, depth),
            Expr::Function(function) => match joined_column(function) {
                Some(column) => self.of_item(column, select, scope, depth),
                None if is_cast(function) => None,
                None => Some(self.kind(expr, select, scope, depth)),
            },
            _ => Some(self.kind(expr, select, scope, depth)),
        }
    }

    /// What the values of an expression are.
    fn kind(&self, expr: &Expr, select: &Select, scope: &Scope, depth: usize) -> Computed {
        let kind = |expr: &Expr| self.kind(expr, select, scope, depth);
        match expr {
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => kind(inner),
            Expr::BinaryOp { op: BinaryOperator::StringConcat, .. } => Computed::Texts,
            Expr::Value(value) => match value.value {
                Value::SingleQuotedString(_) | Value::Null => Computed::Texts,
                _ => Computed::Others,
            },
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let Some(left) = self.left.get().checked_sub(1) else { return Computed::Unknown };
                self.left.set(left);
                match self.of_item(expr, select, scope, depth) {
                    Some(computed) => computed,
                    None => of_column(expr, select, scope),
                }
            }
            Expr::Function(function)
                if is_text(function)
                    || is_cast_to_text(function)
                    || extracts_texts(function, scope) =>
            {
                Computed::Texts
            }
            _ => match chosen(expr) {
                Some(values) => Computed::of_all(values.into_iter().map(kind)),
                None => Computed::Others,
            },
        }
    }

    /// The same for the value of a subquery, which is the first column of its row.
    fn in_value(&self, query: &Query, scope: &Scope, depth: usize) -> Option<Computed> {
        let depth = depth.checked_sub(1)?;
        let scope = scope.within(query);
        let select = first_select(&query.body)?;
        match select.projection.first()? {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                self.of_item(expr, select, &scope, depth)
            }
            _ => None,
        }
    }

    /// The same for the column of a table in FROM, of the first table that has it.
    fn in_from(
        &self,
        select: &Select,
        table: Option<&Ident>,
        column: &str,
        scope: &Scope,
        depth: usize,
    ) -> Option<Computed> {
        let is_meant = |source: &Source| {
            let is_named = |table: &Ident| {
                source.name.as_ref().is_some_and(|name| is_same(name, &table.value))
            };
            source.has(column) && table.is_none_or(is_named)
        };
        let mut factors = select.from.iter().flat_map(|from| {
            let joined = from.joins.iter().map(|join| &join.relation);
            std::iter::once(&from.relation).chain(joined)
        });
        let factor = factors.find(|factor| scope.of_factor(factor).iter().any(is_meant))?;
        self.in_factor(factor, column, scope, depth)
    }
}

/// The values of which an expression gives one, or NULL; `None` where it computes a value.
pub(super) fn chosen(expr: &Expr) -> Option<Vec<&Expr>> {
    match expr {
        Expr::Case { conditions, else_result, .. } => {
            let results = conditions.iter().map(|case| &case.result);
            Some(results.chain(else_result.as_deref()).collect())
        }
        Expr::Function(function) => {
            let name = last(&function.name)?;
            let is_one_of = |names: &[&str]| names.iter().any(|it| is_same(name, it));
            let FunctionArguments::List(list) = &function.args else { return None };
            let gives_any = is_one_of(CHOOSING);
            if !gives_any && !is_one_of(FIRST) && !is_one_of(PICKING) {
                return None;
            }
            let has_default = is_one_of(&["lag", "lead"]);
            let is_given = |at: usize| gives_any || at == 0 || has_default && at == 2;
            let given = list.args.iter().enumerate().filter(|(at, _)| is_given(*at));
            let values = given.map(|(_, arg)| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
                _ => None,
            });
            values.collect()
        }
        _ => None,
    }
}

/// What the values of a column are that a table in FROM has, or passes on.
fn of_column(column: &Expr, select: &Select, scope: &Scope) -> Computed {
    let (table, name) = match column {
        Expr::Identifier(name) => (None, name),
        Expr::CompoundIdentifier(names) => match &names[..] {
            [table, name] => (Some(table), name),
            _ => return Computed::Unknown,
        },
        _ => return Computed::Unknown,
    };
    let mut factors = select.from.iter().flat_map(|from| {
        let joined = from.joins.iter().map(|join| &join.relation);
        std::iter::once(&from.relation).chain(joined)
    });
    let is_meant = |source: &Source| {
        let is_named =
            |table: &Ident| source.name.as_ref().is_some_and(|it| is_same(it, &table.value));
        source.has(&name.value) && table.is_none_or(is_named)
    };
    match factors.find(|factor| scope.of_factor(factor).iter().any(is_meant)) {
        // Other schemas have other tables.
        Some(TableFactor::Table { name: table, alias, args: None, .. }) if table.0.len() == 1 => {
            let is_renamed = alias.as_ref().is_some_and(|alias| !alias.columns.is_empty());
            let table = last(table).filter(|_| !is_renamed);
            match table.and_then(|table| scope.has_texts(&table.value, &name.value)) {
                Some(true) => Computed::Texts,
                Some(false) => Computed::Others,
                None => Computed::Unknown,
            }
        }
        _ => Computed::Unknown,
    }
}

/// Whether a call reads an argument of which all values are texts.
fn extracts_texts(function: &Function, scope: &Scope) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    let key = match &list.args[..] {
        [_, FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(key)))] => &key.value,
        _ => return false,
    };
    let is_it = last(&function.name).is_some_and(|name| is_same(name, EXTRACT_ARG));
    match key {
        Value::SingleQuotedString(key) if is_it => scope.extracts_texts(key),
        _ => false,
    }
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

/// The SELECT that names the columns of a query; `None` for VALUES.
fn first_select(body: &SetExpr) -> Option<&Select> {
    match body {
        SetExpr::Select(select) => Some(select.as_ref()),
        SetExpr::Query(query) => first_select(&query.body),
        SetExpr::SetOperation { left, .. } => first_select(left),
        _ => None,
    }
}

fn is_named(item: &SelectItem, column: &str) -> bool {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => is_same(alias, column),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => is_same(name, column),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => {
            names.last().is_some_and(|name| is_same(name, column))
        }
        _ => false,
    }
}

/// The first of the columns that a column of a FULL JOIN … USING was rewritten to.
pub(super) fn joined_column(function: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return None };
    if last(&function.name).is_none_or(|name| !is_same(name, "coalesce")) {
        return None;
    }
    let mut columns = list.args.iter().map(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => match expr {
            Expr::CompoundIdentifier(names) => Some((expr, names.last()?)),
            Expr::Function(inner) => match joined_column(inner)? {
                Expr::CompoundIdentifier(names) => Some((expr, names.last()?)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let (first, name) = columns.next()??;
    let are_same =
        columns.all(|column| column.is_some_and(|(_, other)| is_same(other, &name.value)));
    match first {
        Expr::Function(inner) if are_same => joined_column(inner),
        column => are_same.then_some(column),
    }
}

/// Whether a call is what a written CAST became.
fn is_cast(function: &Function) -> bool {
    last(&function.name).is_some_and(|name| name.value.starts_with("__cast_"))
}

fn is_cast_to_text(function: &Function) -> bool {
    last(&function.name).is_some_and(|name| is_same(name, CAST_TEXT))
}

/// Whether a call returns text for every row.
fn is_text(function: &Function) -> bool {
    last(&function.name).is_some_and(|name| OF_TEXT.iter().any(|of_text| is_same(name, of_text)))
}
